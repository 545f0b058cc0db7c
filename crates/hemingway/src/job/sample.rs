//! Jobs on a share of the rows.

use super::{JobSpec, Mode};
use crate::algorithm;
use crate::data::Dataset;
use crate::problem::{Penalty, Problem, sample_name};

/// What stays known of all rows when only some are kept, or when they have been dealt.
pub(super) struct Whole {
    pub(super) rows: usize,
    fingerprint: u64,
}

impl Whole {
    pub(super) fn of(data: &Dataset) -> Self {
        Self { rows: data.rows(), fingerprint: data.fingerprint() }
    }
}

impl JobSpec {
    /// The λ for the rows that are trained on, from that for all: whichever brings the rounds on a sample nearest to
    /// those on all rows.
    pub(super) fn sample_l2(&self, l2: f64) -> f64 {
        let named = match &self.mode {
            Mode::Fixed(config) => algorithm::by_name(&config.algorithm).ok(),
            Mode::Choose { .. } => None,
        };
        let share = self.sampled().unwrap_or(1.0);
        named.map_or(l2 / share, |algorithm| algorithm.sample_l2(l2, share))
    }

    /// The rows that are trained on.
    pub(super) fn rows(&self, whole: Dataset, notes: &mut Vec<String>) -> Dataset {
        let Some(fraction) = self.sampled() else { return whole };
        let sample = whole.sample(fraction, self.seed);
        let percent = 100.0 * fraction;
        let (some, all) = (sample.rows(), whole.rows());
        notes.push(format!("a sample: {some} of {all} rows ({percent} %)"));
        sample
    }

    /// The share of the rows that are trained on, unless all.
    pub(super) fn sampled(&self) -> Option<f64> {
        self.fraction.filter(|fraction| *fraction < 1.0)
    }

    /// What records call the problem: a sample is named after the whole.
    pub(super) fn name(&self, whole: &Whole, problem: &Problem) -> String {
        if self.sampled().is_none() {
            return problem.fingerprint(whole.fingerprint);
        }
        let l2 = self.l2.unwrap_or(1.0 / whole.rows as f64);
        let penalty = Penalty { l2, ..problem.penalty };
        let name = Problem { penalty, ..problem.clone() }.fingerprint(whole.fingerprint);
        sample_name(&name, self.seed, problem.penalty.l2)
    }
}
