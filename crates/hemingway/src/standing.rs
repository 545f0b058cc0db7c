//! Where training stands: how near the best model is to P*, as far as records tell.

use crate::goal::Goal;
use crate::model::Curve;
use crate::record::Record;

/// Below this share of P(0) the optimum counts as zero, and errors are relative to P(0).
const ZERO: f64 = 1e-12;

/// The bracket around P* and the estimate inside it, folded from records of any runs of one problem.
#[derive(Debug, Clone, Default)]
pub struct Standing {
    first: Option<f64>,
    best: Option<Best>,
    lower_bound: f64,
    stretches: Vec<Stretch>,
}

/// The best model so far.
#[derive(Debug, Clone)]
struct Best {
    objective: f64,
    stretch: usize,
}

/// A part of a run in which nothing changed but the model: one curve whose end can be foreseen.
#[derive(Debug, Clone)]
struct Stretch {
    run: String,
    algorithm: String,
    machines: usize,
    start: u64,
    /// By rounds since `start`.
    curve: Curve,
}

impl Standing {
    /// Takes one more record into account. True if it holds the best objective so far.
    pub fn see(&mut self, record: &Record) -> bool {
        self.first.get_or_insert(record.objective);
        self.lower_bound = self.lower_bound.max(record.lower_bound.unwrap_or(0.0));
        let stretch = self.stretch_of(record);
        self.stretches[stretch].see(record);
        let better =
            record.objective.is_finite() && self.best.as_ref().is_none_or(|best| record.objective < best.objective);
        if better {
            self.best = Some(Best { objective: record.objective, stretch });
        }
        better
    }

    fn stretch_of(&mut self, record: &Record) -> usize {
        if let Some(last) = self.stretches.iter().rposition(|s| s.run == record.run)
            && self.stretches[last].is_of(record)
        {
            return last;
        }
        self.stretches.push(Stretch {
            run: record.run.clone(),
            algorithm: record.algorithm.clone(),
            machines: record.machines,
            start: record.round,
            curve: Curve::default(),
        });
        self.stretches.len() - 1
    }

    /// The lowest objective seen.
    pub fn objective(&self) -> Option<f64> {
        self.best.as_ref().map(|best| best.objective)
    }

    /// The best bound below P* that any run has proved.
    pub fn lower_bound(&self) -> f64 {
        self.lower_bound
    }

    /// P̂: the lower 95 % limit of P*, never below the proved bound.
    pub fn optimum_low(&self) -> f64 {
        let limit = self.best.as_ref().and_then(|best| self.stretches[best.stretch].curve.limit(None));
        limit.map_or(self.lower_bound, |limit| limit.low.max(self.lower_bound))
    }

    /// ê = (P − L)/L: proved.
    pub fn certified_error(&self) -> Option<f64> {
        self.error_above(self.lower_bound)
    }

    /// ẽ = (P − P̂)/P̂: estimated.
    pub fn estimated_error(&self) -> Option<f64> {
        self.error_above(self.optimum_low())
    }

    fn error_above(&self, bound: f64) -> Option<f64> {
        let objective = self.objective()?;
        Some(((objective - bound) / bound.max(ZERO * self.first?)).max(0.0))
    }

    /// Whether the goal is met by what these records show; `metric` is the newest record's.
    pub fn meets(&self, goal: &Goal, newest: &Record) -> bool {
        match goal {
            Goal::Reach { error, certified: true } => self.certified_error().is_some_and(|e| e <= *error),
            Goal::Reach { error, certified: false } => self.estimated_error().is_some_and(|e| e <= *error),
            Goal::ReachMetric { metric, value } => newest
                .metrics
                .get(metric)
                .is_some_and(|seen| if crate::metric::is_loss(metric) { seen <= value } else { seen >= value }),
            Goal::Rounds { rounds } => newest.round >= *rounds,
            Goal::Within { .. } | Goal::Spend { .. } => false,
        }
    }
}

impl Stretch {
    fn is_of(&self, record: &Record) -> bool {
        self.algorithm == record.algorithm && self.machines == record.machines && self.start <= record.round
    }

    fn see(&mut self, record: &Record) {
        self.curve.push(record.round - self.start, record.objective);
    }
}
