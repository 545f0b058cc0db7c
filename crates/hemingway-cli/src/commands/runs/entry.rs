//! One run at a glance.

use anyhow::Result;
use hemingway::backend::Ending;
use hemingway::goal::Goal;
use hemingway::record::store::RunDir;
use hemingway::train::{History, Summary};
use serde_json::{Value, json};

use crate::output::Answer;
use crate::show::{Paint, number};
use crate::story::{Status, Story};

/// What a run's journal says about it.
pub(super) struct Entry {
    /// Its name.
    pub(super) run: String,
    /// Seconds since 1970.
    pub(super) began: f64,
    story: Story,
    summary: Summary,
    model: Option<String>,
}

impl Entry {
    pub(super) fn read(dir: &RunDir) -> Result<Self> {
        let story = Story::read(dir)?;
        let summary = planned(story.summary.clone(), &story.history);
        let model = dir.model_path().is_file().then(|| dir.model_path().display().to_string());
        Ok(Self { run: dir.id.clone(), began: story.began, story, summary, model })
    }

    /// The columns of the list.
    pub(super) fn cells(&self) -> [String; 11] {
        let summary = &self.summary;
        let unknown = || number::UNKNOWN.to_string();
        let real = self.real_seconds().map_or_else(unknown, number::seconds);
        [
            self.run.clone(),
            shortened(&self.story.history.spec.data),
            self.story.history.facts.cluster.clone(),
            short_goal(&self.story.history.spec.goal),
            summary.choice.as_ref().map_or_else(unknown, ToString::to_string),
            summary.objective.map_or_else(unknown, number::objective),
            number::maybe_error(summary.estimated_error),
            number::maybe_error(summary.certified_error),
            summary.predicted_seconds.map_or_else(unknown, |p| number::seconds(p.mid)),
            real,
            self.status_words(),
        ]
    }

    /// What its choice took, if that has trained.
    fn real_seconds(&self) -> Option<f64> {
        let summary = &self.summary;
        (summary.rounds > 0 && summary.ending != Ending::Planned).then_some(summary.real_seconds)
    }

    fn predicted(&self) -> String {
        let summary = &self.summary;
        let Some(predicted) = summary.predicted_seconds else { return number::UNKNOWN.into() };
        let told = number::seconds_between(predicted);
        match self.story.history.first_choice() {
            Some(first) if !self.story.history.kept_its_choice(summary) => {
                format!("{told}, of the first choice, {first}")
            }
            _ => told,
        }
    }

    fn seconds(&self, seconds: f64) -> String {
        let mark = if self.summary.simulated { " virtual" } else { "" };
        format!("{}{mark}", number::seconds(seconds))
    }

    fn status_words(&self) -> String {
        let status = self.story.status.word();
        match (self.story.status, self.summary.ending) {
            (Status::Finished, Ending::Planned) => format!("{status}: plan only"),
            (Status::Finished, Ending::GoalMet) => status.into(),
            (Status::Finished, ending) => {
                let words = ending.words();
                format!("{status}: {}", words.split(':').next().unwrap_or(words))
            }
            (Status::Interrupted | Status::Running | Status::Killed, _) => status.into(),
        }
    }

    fn when(&self) -> String {
        let stamp = jiff::Timestamp::from_second(self.began as i64).unwrap_or_default();
        stamp.to_zoned(jiff::tz::TimeZone::system()).strftime("%Y-%m-%d %H:%M").to_string()
    }

    /// Its seconds are virtual.
    pub(super) fn is_virtual(&self) -> bool {
        self.summary.simulated
    }
}

/// The goal in two words.
fn short_goal(goal: &Goal) -> String {
    match goal {
        Goal::Reach { error, certified: false } => format!("reach {}", number::target(*error)),
        Goal::Reach { error, certified: true } => format!("prove {}", number::target(*error)),
        Goal::Within { seconds } => format!("within {}", number::seconds(*seconds)),
        Goal::Spend { dollars } => format!("spend ${dollars}"),
        Goal::ReachMetric { metric, value, .. } => format!("{metric} {value}"),
        Goal::Rounds { rounds } => number::counted(*rounds as usize, "round"),
    }
}

/// A plan's choice is what it proposes, not what was probed last.
fn planned(mut summary: Summary, history: &History) -> Summary {
    if let Some(choice) = history.proposal().and_then(|plan| plan.choice()) {
        summary.choice = Some(choice.config.clone());
        summary.predicted_seconds = choice.seconds_to_go();
    }
    summary
}

/// The end of a long name, where paths differ.
fn shortened(name: &str) -> String {
    const MOST: usize = 24;
    let length = name.chars().count();
    if length <= MOST {
        name.into()
    } else {
        format!("…{}", name.chars().skip(length - MOST + 1).collect::<String>())
    }
}

impl Answer for Entry {
    fn json(&self) -> Value {
        let history = &self.story.history;
        let (spec, summary) = (&history.spec, &self.summary);
        json!({
            "run": self.run,
            "began": self.began,
            "status": self.story.status,
            "ending": self.story.ended().map(|end| end.ending),
            "data": spec.data,
            "goal": spec.goal.sentence(),
            "cluster": history.facts.cluster,
            "choice": summary.choice,
            "objective": summary.objective,
            "estimated_error": summary.estimated_error,
            "certified_error": summary.certified_error,
            "metrics": summary.metrics,
            "predicted_seconds": summary.predicted_seconds,
            "real_seconds": self.real_seconds(),
            "probe_seconds": summary.probe_seconds,
            "wall_seconds": summary.wall_seconds,
            "rounds": summary.rounds,
            "records": history.records.len(),
            "switches": summary.switches,
            "model": self.model,
        })
    }

    fn human(&self, paint: Paint) -> String {
        let history = &self.story.history;
        let (facts, spec, summary) = (&history.facts, &history.spec, &self.summary);
        let place =
            if facts.simulated { format!("simulated cluster {}", facts.cluster) } else { "this machine".into() };
        let shape = format!("{} × {}", number::count(facts.data.rows), number::count(facts.data.columns));
        let errors = format!(
            "estimated {}, certified {}",
            number::maybe_error(summary.estimated_error),
            number::maybe_error(summary.certified_error)
        );
        let unknown = || number::UNKNOWN.to_string();
        let lines = [
            ("goal", spec.goal.sentence()),
            ("data", format!("{}, {shape}, {}", spec.data, number::counted(facts.data.nonzeros, "nonzero"))),
            ("problem", format!("{}, {}, seed {}", facts.told(), number::penalty(facts.l2, facts.l1), spec.seed)),
            ("place", place),
            ("began", self.when()),
            ("status", self.status_words()),
            ("choice", summary.choice.as_ref().map_or_else(unknown, ToString::to_string)),
            ("objective", summary.objective.map_or_else(unknown, number::objective)),
            ("error", errors),
            ("predicted", self.predicted()),
            ("real", self.real_seconds().map_or_else(unknown, |real| self.seconds(real))),
            ("in all", self.seconds(summary.wall_seconds)),
            (
                "records",
                format!("{} in {}", history.records.len(), number::counted(history.decisions.len(), "decision")),
            ),
            ("switches", summary.switches.len().to_string()),
            ("model", self.model.clone().unwrap_or_else(unknown)),
        ];
        let mut text = format!("{}\n", paint.bold(&self.run));
        for (head, body) in lines {
            text.push_str(&format!("  {}  {body}\n", paint.dim(&format!("{head:<9}"))));
        }
        text
    }

    fn quiet(&self) -> String {
        self.story.status.word().into()
    }
}
