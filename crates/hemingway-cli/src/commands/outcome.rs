//! What `train` and `run` answer.

use std::path::Path;

use hemingway::backend::{Config, Ending};
use hemingway::data::{Normalize, Preparation};
use hemingway::goal::Goal;
use hemingway::job::{JobSpec, Mode};
use hemingway::plan::Plan;
use hemingway::train::{Compared, Decision, Purpose, Verdict};
use serde_json::{Value, json};

use crate::jobs::Outcome;
use crate::output::Answer;
use crate::show::{Exchange, Paint, number};

/// The share of all time from which on that of evaluating is told,
const WORTH_TELLING: f64 = 0.1;
/// and the one from which on rounds should be evaluated more sparsely, such as every so many.
const TOO_MUCH: f64 = 1.0 / 3.0;
const SPARSE: u64 = 10;

impl Answer for Outcome {
    fn json(&self) -> Value {
        let mut answer = serde_json::to_value(&self.summary).unwrap_or_default();
        answer["notes"] = json!([]);
        if let Some(exchange) = self.exchange() {
            answer["sync"] = exchange.json();
        }
        answer
    }

    fn human(&self, paint: Paint) -> String {
        let lines = [
            ("result", self.result(paint)),
            ("test", self.test()),
            ("choice", self.choice()),
            ("cluster", self.cluster()),
            ("exchange", self.exchange().map_or(String::new(), |exchange| exchange.sentence())),
            ("time", self.time()),
            ("switches", self.switches()),
            ("model", self.summary.model.clone().unwrap_or_else(|| "none: no round was completed".into())),
            ("next", self.next().join("\n")),
        ];
        let mut text = String::from("\n");
        for (head, body) in lines.iter().filter(|(_, body)| !body.is_empty()) {
            for (i, line) in body.lines().enumerate() {
                text.push_str(&format!("{}  {line}\n", paint.dim(&format!("{:<8}", if i == 0 { head } else { "" }))));
            }
        }
        text
    }

    fn quiet(&self) -> String {
        self.summary.model.clone().unwrap_or_default()
    }
}

impl Outcome {
    /// What the exchange of the choice's rounds was foretold to take, and what it saved.
    fn exchange(&self) -> Option<Exchange<'_>> {
        let facts = &self.history.facts;
        let choice = self.summary.choice.as_ref()?;
        if let Some(rounds) = self.history.exchanged(choice) {
            return Some(Exchange::of(choice.machines, &facts.exchanges)?.after(rounds));
        }
        let planned = self.first_plan().and_then(|(plan, _)| Exchange::of_plan(plan, &facts.exchanges));
        planned.or_else(|| Exchange::of(choice.machines, &facts.exchanges))
    }

    fn result(&self, paint: Paint) -> String {
        let summary = &self.summary;
        let words = summary.ending.words();
        let words = if summary.goal_met { paint.green(words) } else { paint.yellow(words) };
        let Some(objective) = summary.objective else { return words };
        let goal = &self.history.spec.goal;
        let early = matches!(goal, Goal::Rounds { rounds } if summary.rounds < *rounds);
        let why = if summary.goal_met && !early || summary.why == summary.ending.words() {
            String::new()
        } else {
            format!("\n{}", summary.why)
        };
        format!(
            "{words}: {}{why}\nobjective {}, estimated error {}, certified error {}",
            goal.sentence(),
            number::objective(objective),
            number::maybe_error(summary.estimated_error),
            number::maybe_error(summary.certified_error),
        )
    }

    /// What the model is worth on the test set.
    fn test(&self) -> String {
        let measures = self.summary.metrics.iter();
        measures.map(|(name, value)| format!("{name} {}", number::objective(*value))).collect::<Vec<_>>().join(", ")
    }

    fn choice(&self) -> String {
        let summary = &self.summary;
        let Some(choice) = &summary.choice else { return String::new() };
        let facts = &self.history.facts;
        let shared = !facts.simulated && choice.machines > facts.cores;
        let done = format!(
            "{choice}{}: {} in {}",
            if shared { " (oversubscribed)" } else { "" },
            number::counted(summary.rounds as usize, "round"),
            self.seconds(summary.real_seconds),
        );
        match summary.predicted_seconds {
            Some(predicted) => {
                let told = number::seconds_between(predicted);
                match (self.history.verdict(summary), self.history.first_choice()) {
                    (Some(verdict), _) => format!("{done}; predicted {told}: {}", verdict_in_words(verdict)),
                    (None, Some(first)) if !self.history.kept_its_choice(summary) => {
                        format!("{done}; of the first choice, {first}, {told} were predicted")
                    }
                    (None, _) => format!("{done}; predicted {told} to the goal"),
                }
            }
            None => format!("{done}{}", self.error_at_end()),
        }
    }

    /// Predicted against real where a budget is the goal: the error that the first choice was to end at, and the one that
    /// is estimated; nothing where either is not known.
    fn error_at_end(&self) -> String {
        let first = self.first_plan().and_then(|(plan, config)| plan.candidate(config)?.error_at_end);
        let budget = matches!(self.history.spec.goal, Goal::Within { .. } | Goal::Spend { .. });
        let Some((predicted, real)) = first.zip(self.summary.estimated_error).filter(|_| budget) else {
            return String::new();
        };
        let told = number::error_between(predicted);
        if !self.summary.switches.is_empty() {
            return format!("; of the first choice an error of {told} was predicted");
        }
        let [low, end, high] = [predicted.low, real, predicted.high].map(|error| error.max(number::LEAST));
        let verdict = match end {
            _ if !self.summary.goal_met => "",
            end if end < low => ": lower",
            end if end <= high => ": held",
            _ => ": missed",
        };
        format!("; predicted error at the end {told}, estimated {}{verdict}", number::maybe_error(Some(real)))
    }

    /// What was promised when training began, and of what.
    fn first_plan(&self) -> Option<(&Plan, &Config)> {
        self.history.decisions.iter().find_map(|decision| match decision {
            Decision::Run { plan: Some(plan), purpose: Purpose::Train, frame, .. } => Some((plan, &frame.config)),
            _ => None,
        })
    }

    /// The cluster, where it was one of several.
    fn cluster(&self) -> String {
        let (chosen, others): (Vec<_>, Vec<_>) = self.summary.clusters.iter().partition(|one| one.chosen);
        let name = |one: &&Compared| one.cluster.clone();
        let others = others.iter().map(name).collect::<Vec<_>>().join(", ");
        let rather = if others.is_empty() { String::new() } else { format!(", rather than {others}") };
        chosen.first().map_or(String::new(), |one| format!("{}{rather}", one.cluster))
    }

    fn seconds(&self, seconds: f64) -> String {
        let unit = if self.summary.simulated { "virtual " } else { "" };
        let text = number::seconds(seconds);
        text.split_once(' ').map_or(text.clone(), |(value, name)| format!("{value} {unit}{name}"))
    }

    fn time(&self) -> String {
        let summary = &self.summary;
        let probes = if summary.probe_seconds > 0.0 {
            format!(", of which {} in probes", number::seconds(summary.probe_seconds))
        } else {
            String::new()
        };
        let cost = summary.dollars.map_or(String::new(), |d| format!("; {}", number::dollars(d)));
        let evaluating = format!("{}{}", self.evaluating(summary.wall_seconds), self.sparser());
        format!("{} in all{probes}{evaluating}{cost}", self.seconds(summary.wall_seconds))
    }

    /// How much of so many seconds went into evaluating, where that is worth telling: no round's time shows it.
    pub(crate) fn evaluating(&self, whole: f64) -> String {
        let seconds = self.history.evaluating_seconds();
        if seconds <= WORTH_TELLING * whole {
            return String::new();
        }
        format!(", {} in evaluating", number::seconds(seconds))
    }

    /// What to do where evaluating takes much. A plan's probes are too short for it.
    fn sparser(&self) -> String {
        let much = self.history.evaluating_seconds() > TOO_MUCH * self.summary.wall_seconds;
        let often = self.history.spec.eval_every < SPARSE;
        if much && often { format!(" (less with --eval-every {SPARSE})") } else { String::new() }
    }

    fn switches(&self) -> String {
        let told = self.summary.switches.iter();
        told.map(|s| format!("{} → {} at round {}: {}", s.from, s.to, s.round, s.why)).collect::<Vec<_>>().join("\n")
    }

    /// Something ran away, as it does where columns are of very different sizes and the steps of all are those of the largest.
    fn may_need_scales(&self) -> bool {
        let spec = &self.history.spec;
        let ran_away = self.history.past.iter().any(|past| past.ending == Ending::Diverged);
        ran_away && !self.summary.goal_met && spec.factors.is_none() && spec.preparation.normalize.is_none()
    }

    /// What to type next; never what was just done.
    fn next(&self) -> Vec<String> {
        let (run, spec) = (&self.summary.run, &self.history.spec);
        let store = store_flag(&self.store);
        let explain = format!("hemingway explain {run}{store}");
        let score = format!("hemingway score {run} {}{store}", spec.test.as_deref().unwrap_or("TEST-DATA"));
        let predict = match spec.factors {
            None => format!("hemingway predict {run} NEW-DATA{store} -o predicted.txt"),
            Some(_) => format!("hemingway recommend {run} --user ID{store}"),
        };
        let verb = if matches!(spec.mode, Mode::Fixed(_)) { "run" } else { "train" };
        let mut next = match self.summary.ending {
            Ending::Interrupted => vec![format!("hemingway {verb} --resume {run}{store}"), explain],
            Ending::GoalMet => vec![explain, score.clone(), predict.clone()],
            Ending::BudgetSpent if spec.caps.seconds.is_some() => {
                vec![explain, score.clone(), format!("hemingway {verb} --resume {run}{store} --max-time MORE")]
            }
            Ending::BudgetSpent if spec.caps.dollars.is_some() => {
                vec![explain, score.clone(), format!("hemingway {verb} --resume {run}{store} --max-cost MORE")]
            }
            Ending::BudgetSpent | Ending::Planned => vec![explain, score.clone()],
            Ending::Stalled | Ending::Diverged | Ending::FrameOver if verb == "run" => {
                vec![explain, format!("{}  (let the models choose)", self.command(chosen_by_models(spec)))]
            }
            Ending::Stalled | Ending::Diverged | Ending::FrameOver => vec![explain, score.clone()],
        };
        if self.may_need_scales() {
            next.push(format!("{}  (columns of one size)", self.command(scaled(spec))));
        }
        // Of a job that no round of is over there is no model.
        next.retain(|words| self.summary.objective.is_some() || ![&score, &predict].contains(&words));
        next
    }
}

/// A verdict as outputs call it.
fn verdict_in_words(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Sooner => "sooner",
        Verdict::Held => "held",
        Verdict::Missed => "missed",
    }
}

/// The same problem, its columns divided by their largest values.
fn scaled(spec: &JobSpec) -> JobSpec {
    let preparation = Preparation { normalize: Some(Normalize::Columns), ..spec.preparation };
    JobSpec { preparation, ..spec.clone() }
}

/// The same problem, with the choice left to the models.
fn chosen_by_models(spec: &JobSpec) -> JobSpec {
    let goal = match &spec.goal {
        // Of factors there is no least P to be near to.
        Goal::Rounds { .. } if spec.factors.is_some() => Goal::Within { seconds: 60.0 },
        Goal::Rounds { .. } => Goal::Reach { error: 1e-3, certified: false },
        goal => goal.clone(),
    };
    let mode = Mode::Choose { adapt: true, plan_only: false };
    JobSpec { goal, mode, fraction: None, ..spec.clone() }
}

/// ` --store DIR` where it is not the usual one.
pub(crate) fn store_flag(store: &Path) -> String {
    if store == Path::new("runs") { String::new() } else { format!(" --store {}", store.display()) }
}
