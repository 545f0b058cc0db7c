//! `train --path`: one problem for many λ₁, and the choice among them.

use std::path::Path;
use std::sync::atomic::Ordering;
use std::time::Instant;

use anyhow::Result;
use hemingway::backend::{Config, Ending};
use hemingway::engine::cores;
use hemingway::goal::Goal;
use hemingway::job::{Job, JobSpec, Mode};
use hemingway::path::{self, Asked, CrossValidated, End, Point, Precision, RATIO, Rule, Solver, cross_validate, grid};
use hemingway::trained::{FORMAT, ModelFormat, Provenance, TrainedModel};
use serde_json::{Value, json};

use super::exit::{self, Usage};
use super::train::goal;
use crate::args::{LOCAL, TrainArgs};
use crate::output::{Answer, Output, Waiting};
use crate::show::{Align, Paint, Table, number};
use crate::{interrupt, jobs};

/// Rows of the table, spread over the path.
const SHOWN: usize = 12;

/// Solves the path and, if asked to, chooses.
pub(super) fn path(args: &TrainArgs, points: usize, out: &mut dyn Output, began: Instant) -> Result<u8> {
    let error = check(args)?;
    args.problem.loss.map_or(Ok(()), path::check_loss)?;
    let end = match (args.path.path_ratio, args.problem.l1) {
        (Some(ratio), _) => End::Ratio(ratio),
        (None, 0.0) => End::Ratio(RATIO),
        (None, l1) => End::At(l1),
    };
    let threads = args.choice.machines.map_or_else(cores, |(_, most)| most);
    let asked = Asked { points, end, precision: Precision::Error(error), threads };
    asked.check()?;
    args.path.cross_validate.map_or(Ok(()), path::check_folds)?;
    let job = jobs::read(spec(args, error)?, out)?;
    path::check(&job.problem)?;
    out.say(&head(&job, points));
    job.notes.iter().for_each(|note| out.note(note));
    let mut solver = Solver::new(&job.problem, asked.precision, asked.threads)?;
    let l1 = grid(solver.largest()?, &asked)?;
    let run = Run { args, job: &job, began };
    let (points, ending) = run.points(&mut solver, &l1, &out.wait("path"))?;
    drop(solver);
    let chosen = match args.path.cross_validate {
        Some(folds) if ending == Ending::GoalMet => Some(run.choose(&l1, &asked, folds, &out.wait("folds"))?),
        _ => None,
    };
    let model = run.keep(&points, chosen.as_ref(), out)?;
    let data = job.spec.data.clone();
    let (all, kept_all) = (args.choice.all, args.path.path_models.is_some());
    let seconds = began.elapsed().as_secs_f64();
    let values = l1.len();
    out.answer(&Solved { data, values, points, chosen, ending, error, model, kept_all, all, seconds })?;
    Ok(exit::of_ending(ending))
}

/// Refuses what a path cannot have; the error to reach.
fn check(args: &TrainArgs) -> Result<f64> {
    let Goal::Reach { error, .. } = goal(args.goal.goal()?)? else {
        return Err(Usage::error("--path solves every λ₁ to an error: its goal is --reach ε"));
    };
    let strange = [
        (args.places.cluster != [LOCAL], "--cluster: a path runs on threads of this machine; leave it out"),
        (args.ranks.engine.is_some(), "--engine: a path runs on threads of this machine; leave it out"),
        (args.rounds.sync.is_some(), "--sync: threads of this machine exchange nothing; leave it out"),
        (args.keep.sync_out.is_some(), "--sync-out: threads of this machine exchange nothing; leave it out"),
        (args.choice.fixed, "--fixed: a path has nothing to choose; leave it out"),
        (args.keep.eval_every != 1, "--eval-every: a path proves every λ₁ when it is solved; leave it out"),
        (args.keep.records.is_some(), "--records: a path keeps no rounds; --output json has its table"),
        (args.limits.max_cost.is_some(), "--max-cost: threads of this machine have no price"),
        (args.problem.test.is_some(), "--test: a path is measured by --cross-validate K, or `score` its models"),
    ];
    if let Some((_, words)) = strange.into_iter().find(|(given, _)| *given) {
        return Err(Usage::error(words));
    }
    let others = args.choice.algorithms.iter().flatten().find(|name| *name != "strads");
    if let Some(other) = others {
        return Err(Usage::error(format!("--algorithms: a path is solved by strads, not {other}; leave it out")));
    }
    if args.path.cross_validate.is_some() && args.problem.normalize.is_some_and(|scale| scale.is_of_all_rows()) {
        return Err(Usage::error(
            "--normalize columns looks at all rows, but a fold must see nothing of those it leaves out: scale the data \
             beforehand or leave one of them out",
        ));
    }
    Ok(error)
}

/// The data and the problem.
fn head(job: &Job, points: usize) -> String {
    let data = &job.facts.data;
    format!(
        "Data: {}, {} × {}, {}; {}, λ₂ = {}, {} of λ₁",
        data.name,
        number::count(data.rows),
        number::count(data.columns),
        number::counted(data.nonzeros, "nonzero"),
        job.facts.loss_told(),
        number::digits(job.facts.l2),
        number::counted(points, "value"),
    )
}

/// The job whose data, loss and λ₂ the path has; any λ₁ above 0 tells that the L1 is wanted, and the smallest raises no doubts.
fn spec(args: &TrainArgs, error: f64) -> Result<JobSpec> {
    let data = jobs::the_data(&args.data)?;
    let mode = Mode::Choose { adapt: false, plan_only: false };
    let goal = Goal::Reach { error, certified: true };
    let spec = jobs::spec(data, goal, mode, &args.problem, None, &args.limits, &args.keep)?;
    let l1 = if spec.l1 > 0.0 { spec.l1 } else { f64::MIN_POSITIVE };
    Ok(JobSpec { l1, machines: args.choice.machines, forget: true, ..spec })
}

struct Run<'a> {
    args: &'a TrainArgs,
    job: &'a Job,
    began: Instant,
}

impl Run<'_> {
    /// Every point until time is up or the user stops it, and why it ended.
    fn points(&self, solver: &mut Solver, grid: &[f64], waiting: &Waiting) -> Result<(Vec<Point>, Ending)> {
        let stop = interrupt::listen()?;
        let mut points: Vec<Point> = Vec::with_capacity(grid.len());
        for (k, l1) in grid.iter().enumerate() {
            let spent = self.began.elapsed().as_secs_f64();
            if stop.load(Ordering::Relaxed) {
                return Ok((points, Ending::Interrupted));
            }
            if self.args.limits.max_time.is_some_and(|most| spent >= most) {
                return Ok((points, Ending::BudgetSpent));
            }
            let before = points.last().map_or(0, |point| point.nonzeros);
            waiting.tell(&format!("λ₁ {} of {}, {}", k + 1, grid.len(), number::counted(before, "non-zero")));
            points.push(solver.solve(*l1)?);
        }
        let proved = points.iter().all(|point| point.proved);
        Ok((points, if proved { Ending::GoalMet } else { Ending::Stalled }))
    }

    fn choose(&self, grid: &[f64], asked: &Asked, folds: usize, waiting: &Waiting) -> Result<CrossValidated> {
        let rule = if self.args.path.one_standard_error { Rule::OneStandardError } else { Rule::Least };
        let see = |fold: usize, k: usize| {
            waiting.tell(&format!("fold {} of {folds}, λ₁ {} of {}", fold + 1, k + 1, grid.len()));
        };
        Ok(cross_validate(&self.job.problem, grid, asked, folds, rule, see)?)
    }

    /// Writes the models that were asked for; the name of the one file, if any: the chosen model, or the last.
    fn keep(&self, points: &[Point], chosen: Option<&CrossValidated>, out: &mut dyn Output) -> Result<Option<String>> {
        if let Some(folder) = &self.args.path.path_models {
            std::fs::create_dir_all(folder).map_err(|e| Usage::error(format!("{}: {e}", folder.display())))?;
            for (k, point) in points.iter().enumerate() {
                self.model(point).save(&folder.join(format!("{:03}.json", k + 1)))?;
            }
        }
        let point = points.get(chosen.map_or(points.len().saturating_sub(1), |chosen| chosen.chosen));
        let (Some(to), Some(point)) = (&self.args.keep.model, point) else { return Ok(None) };
        for note in self.model(point).save_as(to, ModelFormat::of(to)?)? {
            out.note(&note);
        }
        Ok(Some(Path::display(to).to_string()))
    }

    fn model(&self, point: &Point) -> TrainedModel {
        let Job { problem, rules, base, facts, spec, .. } = self.job;
        let mut weights = vec![0.0; problem.data.columns()];
        point.weights.iter().for_each(|(column, weight)| weights[*column as usize] = *weight);
        let error = proved_to(point);
        TrainedModel {
            format: FORMAT.into(),
            loss: problem.loss,
            classes: None,
            l2: Some(problem.penalty.l2),
            l1: Some(point.l1),
            rules: rules.clone(),
            base: *base,
            weights,
            factors: None,
            provenance: Some(Provenance {
                version: env!("CARGO_PKG_VERSION").into(),
                run: "path".into(),
                data: spec.data.clone(),
                problem: facts.problem.clone(),
                weights: None,
                seed: spec.seed,
                objective: point.objective,
                estimated_error: error,
                certified_error: error,
                choice: Some(Config::new("strads", 1)),
                ending: if point.proved { Ending::GoalMet } else { Ending::Stalled },
            }),
        }
    }
}

/// The error that the gap of a point proves; none without a bound above 0 to be relative to.
fn proved_to(point: &Point) -> Option<f64> {
    (point.lower_bound > 0.0).then(|| point.gap / point.lower_bound)
}

struct Solved {
    data: String,
    /// Values of λ₁ that were asked for.
    values: usize,
    points: Vec<Point>,
    chosen: Option<CrossValidated>,
    ending: Ending,
    error: f64,
    model: Option<String>,
    /// The models of all points are in a folder.
    kept_all: bool,
    all: bool,
    seconds: f64,
}

impl Solved {
    fn is_chosen(&self, k: usize) -> bool {
        self.chosen.as_ref().is_some_and(|chosen| chosen.chosen == k)
    }

    fn is_shown(&self, k: usize) -> bool {
        let last = self.points.len() - 1;
        let step = last.div_ceil(SHOWN).max(1);
        self.all || k.is_multiple_of(step) || k == last || self.is_chosen(k)
    }

    fn table(&self, paint: Paint) -> String {
        let right = ["λ₁", "non-zeros", "objective", "gap", "seconds", "out-of-fold loss"];
        let heads = right.map(|head| (head, Align::Right)).into_iter().chain([("", Align::Left)]);
        let mut table = Table::new(heads);
        for (k, point) in self.points.iter().enumerate().filter(|(k, _)| self.is_shown(*k)) {
            let loss = self.chosen.as_ref().map_or(String::new(), |chosen| {
                let Some(one) = chosen.points.get(k) else { return String::new() };
                format!("{} ± {}", number::objective(one.loss), number::digits(one.error))
            });
            let cells = [
                number::digits(point.l1),
                number::count(point.nonzeros),
                number::objective(point.objective),
                number::error(point.gap),
                number::digits(point.seconds),
                loss,
                self.mark(k),
            ];
            if self.is_chosen(k) { table.bright(cells) } else { table.row(cells) }
        }
        let hidden = (0..self.points.len()).filter(|k| !self.is_shown(*k)).count();
        let more =
            if hidden > 0 { format!("{}\n", paint.dim(&format!("{hidden} more with --all"))) } else { String::new() };
        format!("{}{more}", table.text("", paint))
    }

    /// What stands out of a point: that it was chosen, or what it is proved to where that is not what was asked for.
    fn mark(&self, k: usize) -> String {
        let point = &self.points[k];
        let unproved = (!point.proved).then(|| match proved_to(point) {
            // Not as errors usually are, of which those below any use look alike: here it is what misses the goal.
            Some(error) => format!("proved to {error:.1e} only"),
            None => "not proved".into(),
        });
        let chosen = self.is_chosen(k).then(|| "✔ chosen".to_string());
        chosen.into_iter().chain(unproved).collect::<Vec<_>>().join(", ")
    }

    /// What all of the points that were solved are proved to; none where one of them, or all, are proved to nothing.
    fn proved_to(&self) -> Option<f64> {
        let errors: Option<Vec<f64>> = self.points.iter().map(proved_to).collect();
        errors?.into_iter().max_by(f64::total_cmp)
    }

    /// `100 values`, or how many of them before it was ended.
    fn solved(&self) -> String {
        let solved = self.points.len();
        if solved == self.values {
            return number::counted(solved, "value");
        }
        format!("{} of {}", number::count(solved), number::counted(self.values, "value"))
    }

    /// What was proved of how many of them.
    fn proofs(&self) -> String {
        let proved = self.points.iter().filter(|point| point.proved).count();
        let target = number::target(self.error);
        if proved == self.points.len() {
            return format!("each proved to {target} of its optimum");
        }
        let others = self
            .proved_to()
            .map_or_else(|| "the others are marked".into(), |worst| format!("the others to {worst:.1e} or better"));
        format!("{proved} of {} proved to {target} of their optimum, {others}", self.points.len())
    }

    /// What to ask for next where not all was proved or solved.
    fn next(&self) -> Option<String> {
        match self.ending {
            Ending::Stalled => self.proved_to().map(|worst| {
                let power = worst.log10().ceil();
                format!("rounding hides smaller gaps: --reach 1e{power} is proved of all of them")
            }),
            Ending::BudgetSpent => {
                Some("--max-time with more seconds, --path with fewer values, or a larger --reach".into())
            }
            _ => None,
        }
    }

    /// What to say of a choice at an end of the grid: beyond it there may be a better one.
    fn at_an_end(&self, chosen: &CrossValidated) -> Option<&'static str> {
        match chosen.chosen {
            // There all weights are 0.
            0 => Some("that is the largest λ₁ of the path: out of fold no column is of use"),
            last if last + 1 == self.points.len() => {
                Some("that is the smallest λ₁ of the path: one further down may be better (--path-ratio, --l1)")
            }
            _ => None,
        }
    }
}

impl Answer for Solved {
    fn json(&self) -> Value {
        let chosen = self.chosen.as_ref();
        json!({
            "goal_met": self.ending == Ending::GoalMet,
            "ending": self.ending,
            "certified_error": self.proved_to(),
            "path": self.points,
            "chosen": chosen.map(|chosen| json!({
                "point": chosen.chosen,
                "l1": chosen.points[chosen.chosen].l1,
                "rule": chosen.rule,
                "folds": chosen.folds,
            })),
            "out_of_fold": chosen.map(|chosen| &chosen.points),
            "model": self.model,
            "wall_seconds": self.seconds,
            "notes": [],
        })
    }

    fn human(&self, paint: Paint) -> String {
        if self.points.is_empty() {
            return format!("\n{}: no λ₁ was solved\n", self.ending.words());
        }
        let seconds: f64 = self.points.iter().map(|point| point.seconds).sum();
        let mut text = format!(
            "\n{}\n{}: {} of λ₁ on {}, {}, in {}\n",
            self.table(paint),
            self.ending.words(),
            self.solved(),
            self.data,
            self.proofs(),
            number::seconds(seconds),
        );
        if let Some(chosen) = &self.chosen {
            let one = &chosen.points[chosen.chosen];
            let rule = match chosen.rule {
                Rule::Least => "the least loss out of fold",
                Rule::OneStandardError => "the largest λ₁ within one standard error of the least loss out of fold",
            };
            let non_zeros = self.points[chosen.chosen].nonzeros;
            text.push_str(&format!(
                "chosen: λ₁ {} with {}, {rule} ({})\n",
                number::digits(one.l1),
                number::counted(non_zeros, "non-zero"),
                number::counted(chosen.folds, "fold"),
            ));
            text.extend(self.at_an_end(chosen).map(|words| format!("note: {words}\n")));
        }
        text.extend(self.next().map(|words| format!("next: {words}\n")));
        text.push_str(&match &self.model {
            Some(model) => format!("model: {model}\n"),
            None if self.kept_all => String::new(),
            None => "model: none is kept; name one with --model FILE, or a folder for all with --path-models\n".into(),
        });
        text
    }

    fn quiet(&self) -> String {
        let chosen = self.chosen.as_ref().map(|chosen| chosen.points[chosen.chosen].l1.to_string());
        self.model.clone().or(chosen).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_that_was_cut_says_of_how_many() {
        let point = |gap: f64, proved| {
            let (l1, nonzeros, objective, lower_bound, seconds) = (0.1, 2, 0.5 + gap, 0.5, 1.0);
            Point { l1, nonzeros, objective, lower_bound, gap, proved, seconds, weights: Vec::new() }
        };
        let cut = Solved {
            data: "data".into(),
            values: 100,
            points: vec![point(0.0, true), point(1e-3, false)],
            chosen: None,
            ending: Ending::BudgetSpent,
            error: 1e-6,
            model: None,
            kept_all: true,
            all: true,
            seconds: 2.0,
        };
        let said = cut.human(Paint::on(false));
        assert!(said.contains(": 2 of 100 values of λ₁ on data, 1 of 2 proved to 1e-6 of their optimum, "), "{said}");
        assert!(said.contains("proved to 2.0e-3 only") && said.contains("next: --max-time"), "{said}");
        assert_eq!(cut.json()["certified_error"], 2e-3);
    }
}
