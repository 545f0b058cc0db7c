//! f(m): seconds of one round on m machines.

mod cell;
mod curve;
mod form;
mod law;
mod observation;
mod phases;
mod process;
mod seen;
mod stack;
mod stragglers;

use serde::{Deserialize, Serialize};

use super::estimate::Estimate;
use super::{FitOptions, Method};
use crate::record::Trace;
use cell::{Place, cells, distinct};
use form::Form;
pub(crate) use observation::steady_mean;
pub use observation::{Observation, observations};
pub use phases::PhaseModel;
use phases::Spent;
use seen::Seen;
use stack::{Direction, Mix};
use stragglers::Stragglers;

/// f(m, size), a stack of forms: physical laws such as Ernest's, θ₀ + θ₁·size/m + θ₂·ln m + θ₃·m with θ ≥ 0 (fixed
/// cost, computing, a tree of messages, and work in one place for every machine; or a tree that grows by whole levels), and curves for what they miss.
/// Each form's say is earned by predicting parts of the data it was not shown; which depends on whether f is asked
/// between the m seen, above, below, or for another share of the data. Ernest's method is a stack of one.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SystemModel {
    /// The cluster it belongs to.
    pub cluster: String,
    /// The m it has seen, ascending.
    pub machines: Vec<usize>,
    /// Smallest and largest share of the data it has seen.
    pub fractions: (f64, f64),
    forms: Vec<Form>,
    inside: Mix,
    above: Mix,
    below: Mix,
    resized: Mix,
    seen: Vec<Seen>,
    #[serde(default)]
    spent: Vec<Spent>,
    #[serde(default)]
    stragglers: Option<Stragglers>,
}

impl SystemModel {
    /// Learns one context's f on one cluster, how far single rounds stray from it, and where their seconds go; `None`
    /// without times.
    pub fn of(cluster: &str, traces: &[&Trace], options: &FitOptions) -> Option<Self> {
        let usable: Vec<&Trace> = traces.iter().copied().filter(|trace| !options.oversubscribed(trace)).collect();
        let model = Self::fit(cluster, &observations(&usable, options), options.method)?;
        Some(Self { spent: Spent::of(&usable), stragglers: Stragglers::fit(&usable), ..model })
    }

    /// Fits one context's observations on one cluster; `None` without any.
    pub fn fit(cluster: &str, observations: &[Observation], method: Method) -> Option<Self> {
        let cells = cells(observations);
        let machines: Vec<usize> = distinct(&cells, |at| at.m).into_iter().map(|m| m as usize).collect();
        let sizes = distinct(&cells, |at| at.size);
        let forms = if cells.is_empty() { return None } else { Form::pool(&cells, method, Form::is_stepped(&cells)) };
        let mix = |direction| Mix::fit(&cells, &forms, method, direction);
        let [inside, above, below, resized] =
            [Direction::Inside, Direction::Above, Direction::Below, Direction::Resized].map(mix);
        let fractions = (*sizes.first()?, *sizes.last()?);
        let blended = cells.iter().filter(|_| method == Method::Ours);
        let seen = blended.map(|cell| Seen::of(cell, &inside, &forms)).collect();
        let (cluster, spent, stragglers) = (cluster.into(), Vec::new(), None);
        Some(Self { cluster, machines, fractions, forms, inside, above, below, resized, seen, spent, stragglers })
    }

    /// Ernest's (θ₀, θ₁, θ₂, θ₃), which every method fits unless there is one m only.
    pub fn theta(&self) -> Option<[f64; 4]> {
        match self.forms.first()? {
            Form::Law(law) => law.theta.as_slice().try_into().ok(),
            _ => None,
        }
    }

    /// Seconds of a round on m machines with this share of the data.
    pub fn seconds(&self, machines: usize, fraction: f64) -> Estimate {
        let at = Place::new(machines, fraction);
        if let Some(seen) = self.seen.iter().find(|seen| seen.is_at(&at)) {
            return seen.estimate();
        }
        let (direction, distance) = self.direction(machines, fraction);
        let mix = match direction {
            Direction::Inside => &self.inside,
            Direction::Above => &self.above,
            Direction::Below => &self.below,
            Direction::Resized => &self.resized,
        };
        let mid = mix.log(&self.forms, &at).exp();
        let estimate = Estimate::log_normal(mid, mix.deviation(distance), direction != Direction::Inside);
        if self.machines.len() == 1 {
            let open = self.unknown(&at).exp();
            return estimate.including(mid / open, mid * open);
        }
        if direction == Direction::Below {
            // Fewer machines can do the work of more one after the other: time grows as m falls, unless memory ends.
            let perfect = self.seconds(self.machines[0], fraction).high * distance.exp();
            return estimate.including(estimate.low, perfect);
        }
        estimate
    }

    /// Seconds that this share of the rounds on m machines does not exceed: 0.5 for the median, 0.99 for the slowest
    /// in a hundred. `None` unless rounds were timed one by one.
    pub fn quantile(&self, machines: usize, fraction: f64, share: f64) -> Option<Estimate> {
        let stray = self.stragglers.as_ref()?.factor(machines, share);
        Some(self.seconds(machines, fraction).times(stray))
    }

    /// Where the seconds of a round go; `None` unless the records say.
    pub fn phases(&self) -> Option<PhaseModel> {
        PhaseModel::fit(&self.spent)
    }

    /// What one m leaves open, as a logarithm. It says nothing about others: anything from perfect speed-up to its
    /// opposite; nor one share of the data about others: anything from no dependence to proportion.
    fn unknown(&self, at: &Place) -> f64 {
        let by_machines = (at.x - (self.machines[0] as f64).ln()).abs();
        let one_size = self.fractions.0 == self.fractions.1;
        by_machines + if one_size { 0.5 * (at.z - self.fractions.0.ln()).abs() } else { 0.0 }
    }

    /// How the question lies to the data, and how far from it in ln m and ln size together.
    fn direction(&self, machines: usize, fraction: f64) -> (Direction, f64) {
        let (least, most) = (self.machines[0], self.machines[self.machines.len() - 1]);
        let away = |seen: &usize| (machines as f64 / *seen as f64).ln().abs();
        let apart = self.machines.iter().map(away).fold(f64::MAX, f64::min);
        let (small, large) = (self.fractions.0 * 0.999, self.fractions.1 * 1.001);
        let resized = (small / fraction).max(fraction / large).ln().max(0.0);
        let direction = match machines {
            _ if resized > 0.0 => Direction::Resized,
            m if m > most => Direction::Above,
            m if m < least => Direction::Below,
            _ => Direction::Inside,
        };
        (direction, apart + resized)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// RCV1 logistic regression with Spark, as published with Ernest: (cores, input fraction, seconds).
    const RCV1: [(usize, f64, f64); 7] = [
        (32, 0.125, 7.94516801834),
        (4, 0.015625, 4.72029209137),
        (4, 0.021382, 4.87661099434),
        (12, 0.050164, 6.71376490593),
        (12, 0.055921, 6.71519398689),
        (12, 0.061678, 6.6739718914),
        (16, 0.061678, 6.83566999435),
    ];

    fn observed(rows: &[(usize, f64, f64)]) -> Vec<Observation> {
        let observe = |&(machines, fraction, seconds)| Observation { machines, fraction, seconds, noise: None };
        rows.iter().map(observe).collect()
    }

    #[test]
    fn ernest_gives_ernests_numbers() {
        let model = SystemModel::fit("", &observed(&RCV1), Method::Ernest).unwrap();
        let expected = [1.90012687, 162.19821226, 1.58832362, 0.0];
        for (theta, expected) in model.theta().unwrap().iter().zip(expected) {
            assert!((theta - expected).abs() < 1e-7, "{:?}", model.theta());
        }
        for (machines, seconds) in
            [(4, 44.651564), (8, 25.477730), (12, 19.363480), (16, 16.441283), (24, 13.706164), (60, 11.106575)]
        {
            let estimate = model.seconds(machines, 1.0);
            assert!((estimate.mid - seconds).abs() < 1e-6, "{machines}: {estimate:?}");
            assert!(estimate.extrapolated);
        }
        let ratios = [101.17, 100.32, 101.9, 97.19, 98.33, 100.1, 101.37];
        for (row, ratio) in RCV1.iter().zip(ratios) {
            let predicted = model.seconds(row.0, row.1).mid;
            assert!((100.0 * predicted / row.2 - ratio).abs() < 0.01, "{row:?}");
        }
    }

    #[test]
    fn relative_residuals_find_a_known_law() {
        let law = |m: usize| 0.02 + 3.0 / m as f64 + 0.001 * m as f64;
        let rows: Vec<_> = [1, 2, 4, 8, 16].map(|m| (m, 1.0, law(m))).into();
        let model = SystemModel::fit("", &observed(&rows), Method::Ours).unwrap();
        let estimate = model.seconds(32, 1.0);
        assert!((estimate.mid / law(32) - 1.0).abs() < 0.1, "{estimate:?}");
        assert!(estimate.extrapolated && estimate.low < law(32) && law(32) < estimate.high);
        assert!(!model.seconds(3, 1.0).extrapolated);
    }

    #[test]
    fn one_m_alone_allows_anything_between_perfect_speed_up_and_its_opposite() {
        let model = SystemModel::fit("", &observed(&[(4, 1.0, 2.0)]), Method::Ours).unwrap();
        let estimate = model.seconds(8, 1.0);
        assert!((estimate.mid - 2.0).abs() < 1e-12);
        assert!(estimate.low <= 1.0 && estimate.high >= 4.0 && estimate.extrapolated);
        assert!(model.seconds(4, 1.0).high < 3.0);
    }

    #[test]
    fn one_m_and_one_share_leave_the_rest_open() {
        let model = SystemModel::fit("", &observed(&[(4, 0.1, 2.0)]), Method::Ours).unwrap();
        let estimate = model.seconds(4, 1.0);
        assert!(estimate.low <= 2.001 && estimate.high >= 19.99 && estimate.extrapolated, "{estimate:?}");
        let sizes = [(4, 0.05, 1.0), (4, 0.1, 2.0), (4, 0.2, 4.0)];
        let model = SystemModel::fit("", &observed(&sizes), Method::Ours).unwrap();
        assert!((model.seconds(4, 1.0).mid / 20.0 - 1.0).abs() < 0.01);
    }

    #[test]
    fn samples_foretell_all_of_the_data() {
        let law = |m: usize, size: f64| 0.05 + 40.0 * size / m as f64 + 0.02 * (m as f64).ln();
        let grid = [1, 2, 4, 8].into_iter().flat_map(|m| [0.02, 0.05, 0.1].map(|size| (m, size, law(m, size))));
        let model = SystemModel::fit("", &observed(&grid.collect::<Vec<_>>()), Method::Ours).unwrap();
        for m in [1, 4, 8, 16] {
            let estimate = model.seconds(m, 1.0);
            assert!((estimate.mid / law(m, 1.0) - 1.0).abs() < 0.12, "{m}: {estimate:?} {}", law(m, 1.0));
            assert!(estimate.extrapolated && estimate.low < law(m, 1.0) && law(m, 1.0) < estimate.high);
        }
    }

    /// SGD on 29 GB by Spark (C3O): at m = 2 the data does not fit in memory and time rises 25 times.
    #[test]
    fn a_memory_cliff_at_one_m_does_not_spoil_the_others() {
        let rows = [(2, 10902.0), (4, 434.0), (6, 274.0), (8, 212.0), (10, 178.0), (12, 156.0)];
        let rows = rows.map(|(m, seconds)| (m, 1.0, seconds));
        for left_out in 2..5 {
            let taught: Vec<_> = rows.iter().copied().filter(|row| *row != rows[left_out]).collect();
            let [ours, ernest] = [Method::Ours, Method::Ernest].map(|method| {
                let model = SystemModel::fit("", &observed(&taught), method).unwrap();
                (model.seconds(rows[left_out].0, 1.0).mid / rows[left_out].2 - 1.0).abs()
            });
            assert!(ours < 0.15 && ernest > 0.5, "{left_out}: {ours} {ernest}");
        }
    }

    #[test]
    fn a_precise_measurement_stands_and_a_noisy_one_is_smoothed() {
        let law = |m: usize| 1.0 + 10.0 / m as f64;
        let at = |noise: f64| {
            let seconds = |m: usize| law(m) * if m == 4 { 1.3 } else { 1.0 };
            let observe = |m| Observation { machines: m, fraction: 1.0, seconds: seconds(m), noise: Some(noise) };
            let model = SystemModel::fit("", &[1, 2, 4, 8, 16].map(observe), Method::Ours).unwrap();
            model.seconds(4, 1.0).mid / law(4)
        };
        assert!((at(0.001) - 1.3).abs() < 0.01 && at(0.3) < 1.2, "{} {}", at(0.001), at(0.3));
    }

    #[test]
    fn what_is_no_time_is_left_out() {
        let rows = [(1, 1.0, f64::NAN), (2, 1.0, 0.0), (4, f64::INFINITY, 1.0), (8, 1.0, -3.0)];
        assert_eq!(SystemModel::fit("", &observed(&rows), Method::Ours), None);
        let rows = [(1, 1.0, 2.0), (1, 1.0, 2.2), (2, 1.0, f64::NAN)];
        assert_eq!(SystemModel::fit("", &observed(&rows), Method::Ours).unwrap().machines, [1]);
    }

    #[test]
    fn two_m_are_met() {
        let model = SystemModel::fit("", &observed(&[(1, 1.0, 10.0), (4, 1.0, 3.0)]), Method::Ours).unwrap();
        assert!((model.seconds(1, 1.0).mid / 10.0 - 1.0).abs() < 0.01);
        assert!((model.seconds(4, 1.0).mid / 3.0 - 1.0).abs() < 0.01);
        assert!(model.seconds(8, 1.0).mid < 3.0 && model.seconds(2, 1.0).mid > 3.0);
    }
}
