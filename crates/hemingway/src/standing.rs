//! Where training stands: how near the best model is to P*, as far as records tell.

use crate::algorithm::{self, Support};
use crate::goal::Goal;
use crate::model::Curve;
use crate::problem::Loss;
use crate::record::Record;

/// Below this share of P(0) the optimum counts as zero, and errors are relative to P(0).
const ZERO: f64 = 1e-12;
/// Relative to a bound of 0 an error is astronomic, and says only that nothing is proved.
const ASTRONOMIC: f64 = 1e9;
/// Proved to be so near the optimum, a model is at it for all that anyone can tell.
const SETTLED: f64 = 1e-10;
/// Where nothing bounds P* from below, a curve may sink this many times as far as its end seems away: it slows down ever more.
const BOTTOMLESS: f64 = 4.0;

/// The bracket around P* and the estimate inside it, folded from records of any runs of one problem.
#[derive(Debug, Clone)]
pub struct Standing {
    loss: Loss,
    l1: f64,
    l2: f64,
    /// Something may be claimed of P*.
    convex: bool,
    first: Option<f64>,
    best: Option<f64>,
    lower_bound: f64,
    stretches: Vec<Stretch>,
}

/// A part of a run in which nothing changed but the model: one curve whose end can be foreseen.
#[derive(Debug, Clone)]
struct Stretch {
    run: String,
    algorithm: String,
    machines: usize,
    /// Its limit is P*, not a floor above it.
    exact: bool,
    /// It may lie still before its end.
    in_steps: bool,
    /// Other machines take the same path.
    same_on_any: bool,
    start: u64,
    /// By rounds since `start`.
    curve: Curve,
}

impl Standing {
    /// Nothing is known yet.
    pub fn new(loss: Loss, l1: f64, l2: f64) -> Self {
        Self { loss, l1, l2, convex: true, first: None, best: None, lower_bound: 0.0, stretches: Vec::new() }
    }

    /// The same of a problem that may not be convex: nothing is ever claimed of its optimum.
    pub fn of_convex(self, convex: bool) -> Self {
        Self { convex, ..self }
    }

    /// Takes one more record into account. True if it holds the best objective so far.
    pub fn see(&mut self, record: &Record) -> bool {
        self.first.get_or_insert(record.objective);
        self.lower_bound = self.lower_bound.max(record.lower_bound.unwrap_or(0.0));
        let stretch = self.stretch_of(record);
        self.stretches[stretch].see(record);
        let better = record.objective.is_finite() && self.best.is_none_or(|best| record.objective < best);
        if better {
            self.best = Some(record.objective);
        }
        better
    }

    fn stretch_of(&mut self, record: &Record) -> usize {
        if let Some(last) = self.stretches.iter().rposition(|s| s.run == record.run)
            && self.stretches[last].is_of(record)
        {
            return last;
        }
        let algorithm = algorithm::by_name(&record.algorithm);
        self.stretches.push(Stretch {
            run: record.run.clone(),
            algorithm: record.algorithm.clone(),
            machines: record.machines,
            exact: self.can_be_foreseen(&record.algorithm),
            in_steps: algorithm.as_ref().is_ok_and(|a| a.falls_in_steps(self.loss)),
            same_on_any: algorithm.is_ok_and(|a| a.same_on_any()),
            start: record.round,
            curve: Curve::default(),
        });
        self.stretches.len() - 1
    }

    /// Whether the end of its curve is P* and shows beforehand. With λ₁ it does not: a curve may lie still for rounds while
    /// coefficients leave 0, and what looks like its end is none. Nor with the absolute loss, whose slope does not fade as
    /// residuals do: it falls along one set of them, rests, and falls along another. There only proofs count.
    fn can_be_foreseen(&self, name: &str) -> bool {
        let shows = self.l1 == 0.0 && self.loss != Loss::Absolute;
        shows && algorithm::by_name(name).is_ok_and(|a| a.support(self.loss) == Support::Exact)
    }

    /// The lowest objective seen.
    pub fn objective(&self) -> Option<f64> {
        self.best
    }

    /// The best bound below P* that any run has proved.
    pub fn lower_bound(&self) -> f64 {
        self.lower_bound
    }

    /// P̂: the lower 95 % limit of P*, never below the proved bound. It is read off the exact method that has got
    /// furthest; a limit that some other run has already passed is refuted and does not count.
    pub fn optimum_low(&self) -> f64 {
        let exact = self.stretches.iter().filter(|s| s.exact && s.curve.best().is_some());
        let furthest =
            exact.min_by(|a, b| a.curve.best().unwrap_or(f64::MAX).total_cmp(&b.curve.best().unwrap_or(f64::MAX)));
        let limit = furthest.and_then(|furthest| Some(self.cautious(furthest.curve.best()?, furthest.limit()?)));
        let tenable = limit.filter(|low| self.best.is_some_and(|best| *low <= best));
        tenable.map_or(self.lower_bound, |low| low.max(self.lower_bound))
    }

    /// A limit of a curve that has come down to `best`, lower where the penalty holds nothing up.
    fn cautious(&self, best: f64, limit: f64) -> f64 {
        if self.l1 == 0.0 && self.l2 == 0.0 { (best - BOTTOMLESS * (best - limit)).max(0.0) } else { limit }
    }

    /// ê = (P − L)/L of the best model: proved.
    pub fn certified_error(&self) -> Option<f64> {
        self.certified_error_of(self.objective()?)
    }

    /// ẽ = (P − P̂)/P̂ of the best model: estimated.
    pub fn estimated_error(&self) -> Option<f64> {
        self.estimated_error_of(self.objective()?)
    }

    /// ê of a model with this objective; none where nothing but 0 bounds P* from below.
    pub fn certified_error_of(&self, objective: f64) -> Option<f64> {
        self.error_above(self.lower_bound, objective).filter(|error| *error < ASTRONOMIC)
    }

    /// ẽ of a model with this objective; none where nothing but 0 is known of P*.
    pub fn estimated_error_of(&self, objective: f64) -> Option<f64> {
        self.error_above(self.optimum_low(), objective).filter(|error| *error < ASTRONOMIC)
    }

    fn error_above(&self, bound: f64, objective: f64) -> Option<f64> {
        let error = ((objective - bound) / bound.max(ZERO * self.first?)).max(0.0);
        (self.convex && objective.is_finite()).then_some(error)
    }

    /// Whether the goal is met by what these records show, the newest last.
    pub fn meets(&self, goal: &Goal, newest: &Record) -> bool {
        match goal {
            Goal::Reach { error, certified: true } => self.certified_error().is_some_and(|e| e <= *error),
            Goal::Reach { error, certified: false } => self.estimated_error().is_some_and(|e| e <= *error),
            Goal::ReachMetric { metric, value, .. } => newest
                .metrics
                .get(metric)
                .is_some_and(|seen| if crate::metric::is_loss(metric) { seen <= value } else { seen >= value }),
            Goal::Rounds { rounds } => newest.round >= *rounds && self.best.is_some(),
            // What is left of time or money cannot buy anything.
            Goal::Within { .. } | Goal::Spend { .. } => self.certified_error().is_some_and(|e| e <= SETTLED),
        }
    }
}

impl Stretch {
    fn is_of(&self, record: &Record) -> bool {
        let same = self.machines == record.machines || self.same_on_any;
        self.algorithm == record.algorithm && same && self.start <= record.round
    }

    fn see(&mut self, record: &Record) {
        self.curve.push(record.round - self.start, record.objective);
    }

    /// The lower 95 % limit of P* by this curve. One that falls in steps may fall once more by as much as it has since half
    /// of its rounds.
    fn limit(&self) -> Option<f64> {
        let low = self.curve.limit(None)?.low;
        if !self.in_steps {
            return Some(low);
        }
        let best = self.curve.best()?;
        Some(low.min(best - self.curve.fall_since_half()?))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// P falls by half a round towards 1, and nothing is proved beyond 0.2.
    fn after(rounds: u64, loss: Loss, l1: f64) -> Standing {
        let mut standing = Standing::new(loss, l1, 0.1);
        for round in 0..=rounds {
            standing.see(&Record {
                algorithm: "cocoa".into(),
                round,
                objective: 1.0 + 0.5_f64.powi(round as i32),
                lower_bound: Some(0.2),
                ..Record::default()
            });
        }
        standing
    }

    #[test]
    fn a_steady_curve_shows_its_end() {
        let standing = after(20, Loss::Squared, 0.0);
        assert!(standing.estimated_error().unwrap() < 1e-3 && standing.certified_error().unwrap() > 1.0);
        assert!(standing.meets(&Goal::Reach { error: 1e-3, certified: false }, &Record::default()));
        assert!(!standing.meets(&Goal::Reach { error: 1e-3, certified: true }, &Record::default()));
    }

    /// Conjugate gradients that lie nearly still above 1.01 from round 10 on, and above 1 from round 18 on.
    #[test]
    fn a_step_is_not_taken_for_the_end() {
        let mut standing = Standing::new(Loss::Squared, 0.0, 0.1);
        let goal = Goal::Reach { error: 1e-3, certified: false };
        let mut met = None;
        for round in 0..=80 {
            let level = if round < 18 { 1.01 } else { 1.0 };
            let objective = level + 0.5_f64.powi(round as i32);
            // Other machines take the same path: they do not start the count anew.
            let machines = if round < 8 { 1 } else { 4 };
            let record = Record { algorithm: "newton".into(), round, machines, objective, ..Record::default() };
            standing.see(&record);
            if met.is_none() && standing.meets(&goal, &record) {
                met = Some(round);
            }
        }
        assert!(met.is_some_and(|round| round >= 18), "{met:?}");
    }

    #[test]
    fn with_l1_or_the_absolute_loss_only_proofs_count() {
        for standing in [after(20, Loss::Squared, 0.01), after(20, Loss::Absolute, 0.0)] {
            assert_eq!(standing.estimated_error(), standing.certified_error());
            assert!(!standing.meets(&Goal::Reach { error: 1e-3, certified: false }, &Record::default()));
        }
    }

    #[test]
    fn without_a_penalty_more_is_asked_of_an_estimate() {
        let held = after(12, Loss::Squared, 0.0);
        let loose = Standing { l2: 0.0, lower_bound: 0.0, ..held.clone() };
        let [held, loose] = [held, loose].map(|standing| standing.estimated_error().unwrap());
        assert!((3.0..5.0).contains(&(loose / held)), "{held} {loose}");
    }

    #[test]
    fn a_budget_is_not_spent_on_what_is_proved_to_be_over() {
        let mut standing = after(20, Loss::Squared, 0.0);
        let goal = Goal::Within { seconds: 9.0 };
        assert!(!standing.meets(&goal, &Record::default()));
        standing.lower_bound = standing.best.unwrap();
        assert!(standing.meets(&goal, &Record::default()));
    }

    #[test]
    fn a_model_has_the_errors_of_its_own_objective() {
        let standing = after(20, Loss::Squared, 0.0);
        assert_eq!(standing.certified_error_of(2.0), Some(9.0));
        assert!(standing.estimated_error_of(2.0).unwrap() > 0.9);
        assert_eq!(standing.estimated_error_of(f64::NAN), None);
        assert_eq!(Standing { lower_bound: 0.0, ..standing.clone() }.certified_error_of(2.0), None);
        assert_eq!(standing.estimated_error(), standing.estimated_error_of(standing.objective().unwrap()));
    }
}
