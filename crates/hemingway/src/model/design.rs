//! Which runs teach f the most for what they cost: Ernest's A-optimal experiment design. Which probe settles the choice
//! of algorithm and machines, once there are records: [`decision`].

mod belief;
#[cfg(test)]
mod cones;
pub mod decision;
mod optimal;
mod outlook;
mod trials;
mod worlds;

use serde::{Deserialize, Serialize};

use crate::{Error, Result};
use optimal::a_optimal;

/// A run that could be made.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Candidate {
    /// Number of machines, m.
    pub machines: usize,
    /// Share of the full data.
    pub fraction: f64,
}

/// Ernest's candidates: every number of machines with evenly spaced samples of the data, cut into parts, where every
/// core has at least one part.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Grid {
    /// Fewest and most machines.
    pub machines: (usize, usize),
    /// Cores of one machine.
    pub cores: usize,
    /// Fewest and most parts of a sample.
    pub parts: (usize, usize),
    /// Parts of all data.
    pub total_parts: usize,
    /// How many sample sizes to try.
    pub steps: usize,
}

impl Grid {
    /// The candidates, by machines and then by size.
    pub fn candidates(&self) -> Vec<Candidate> {
        let total = self.total_parts as f64;
        let (least, most) = (self.parts.0 as f64 / total, self.parts.1 as f64 / total);
        let gap = (most - least) / self.steps.saturating_sub(1).max(1) as f64;
        let fractions = (0..self.steps).map(|step| least + gap * step as f64);
        let fits = |c: &Candidate| (c.fraction * total).round() >= (self.cores * c.machines) as f64;
        let on = |machines| fractions.clone().map(move |fraction| Candidate { machines, fraction }).filter(fits);
        (self.machines.0..=self.machines.1).flat_map(on).collect()
    }
}

/// What the budget counts.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Cost {
    /// Time alone, as Ernest counts: many machines cost no more than one.
    Time,
    /// Time on every machine.
    MachineSeconds,
    /// Money, for machines at this price.
    Dollars {
        /// Price of one machine for an hour.
        per_hour: f64,
    },
}

impl Cost {
    /// What so many seconds on so many machines cost.
    pub fn of(self, machines: usize, seconds: f64) -> f64 {
        match self {
            Self::Time => seconds,
            Self::MachineSeconds => seconds * machines as f64,
            Self::Dollars { per_hour } => seconds * machines as f64 * per_hour / 3600.0,
        }
    }
}

/// A candidate's part in the design.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Probe {
    /// The run.
    #[serde(flatten)]
    pub candidate: Candidate,
    /// Between 0, not worth running, and 1, worth running.
    pub weight: f64,
    /// What it costs, in the unit of the budget.
    pub cost: f64,
}

/// An optimal design.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Design {
    /// Every candidate, heaviest first.
    pub probes: Vec<Probe>,
    /// tr M(λ)⁻¹: the variances of all θ together, per unit of noise, each θ in units of its term's mean.
    pub variance: f64,
}

/// Weight below which Ernest leaves a run out.
pub const WORTH_RUNNING: f64 = 0.3;

impl Design {
    /// The probes worth running.
    pub fn chosen(&self) -> impl Iterator<Item = &Probe> {
        self.probes.iter().filter(|probe| probe.weight > WORTH_RUNNING)
    }
}

/// Time by size and machines alone, in units of the smallest sample on one machine: all there is to go by before
/// anything was run.
pub fn relative_time(candidates: &[Candidate]) -> impl Fn(&Candidate) -> f64 {
    let least = candidates.iter().map(|candidate| candidate.fraction).fold(f64::MAX, f64::min);
    move |candidate| candidate.fraction / least / candidate.machines as f64
}

/// The weights 0 ≤ λ ≤ 1 that minimise tr M(λ)⁻¹ with Σ λᵢ·costᵢ ≤ budget, M(λ) = Σ λᵢ·xᵢxᵢᵀ over Ernest's terms
/// x = (1, size/m, ln m, m), each divided by its mean. Terms the candidates cannot tell apart from earlier ones are
/// left out.
///
/// ```
/// use hemingway::model::design::{Cost, Grid, design, relative_time};
///
/// let grid = Grid { machines: (1, 8), cores: 4, parts: (4, 32), total_parts: 256, steps: 20 };
/// let candidates = grid.candidates();
/// let design = design(&candidates, relative_time(&candidates), Cost::Time, 10.0)?;
/// for probe in design.chosen() {
///     println!("{} machines, {:.1} % of the data", probe.candidate.machines, 100.0 * probe.candidate.fraction);
/// }
/// assert_eq!(design.chosen().count(), 7);
/// # Ok::<(), hemingway::Error>(())
/// ```
pub fn design(
    candidates: &[Candidate],
    seconds: impl Fn(&Candidate) -> f64,
    cost: Cost,
    budget: f64,
) -> Result<Design> {
    let costs: Vec<f64> = candidates.iter().map(|candidate| cost.of(candidate.machines, seconds(candidate))).collect();
    check(candidates, &costs, budget)?;
    let rows = scaled_terms(candidates);
    let (weights, variance) = a_optimal(&rows, &costs, budget)
        .ok_or_else(|| Error::Evidence("no design: the candidates' terms or costs are too far apart".into()))?;
    let probe = |((candidate, weight), cost): ((&Candidate, f64), f64)| Probe { candidate: *candidate, weight, cost };
    let mut probes: Vec<Probe> = candidates.iter().zip(weights).zip(costs).map(probe).collect();
    probes.sort_by(|a, b| b.weight.total_cmp(&a.weight));
    Ok(Design { probes, variance })
}

fn check(candidates: &[Candidate], costs: &[f64], budget: f64) -> Result<()> {
    let positive = |value: f64| value.is_finite() && value > 0.0;
    if candidates.is_empty() {
        return Err(Error::Evidence("no candidates to choose runs from".into()));
    }
    if !positive(budget) {
        return Err(Error::setting("budget", format!("expected > 0, found {budget}")));
    }
    if candidates.iter().any(|candidate| candidate.machines == 0 || !positive(candidate.fraction)) {
        return Err(Error::Evidence("every candidate needs at least one machine and some data".into()));
    }
    if !costs.iter().all(|cost| positive(*cost)) {
        return Err(Error::Evidence("every candidate needs a cost above 0".into()));
    }
    Ok(())
}

/// Rows of the independent terms, each term divided by its mean.
fn scaled_terms(candidates: &[Candidate]) -> Vec<Vec<f64>> {
    let terms = candidates.iter().map(|candidate| {
        let m = candidate.machines as f64;
        [1.0, candidate.fraction / m, m, m.ln()]
    });
    let terms: Vec<[f64; 4]> = terms.collect();
    let mut columns: Vec<Vec<f64>> = Vec::new();
    for term in 0..4 {
        let column: Vec<f64> = terms.iter().map(|row| row[term]).collect();
        let mean = column.iter().sum::<f64>() / column.len() as f64;
        let scaled: Vec<f64> = column.iter().map(|value| value / mean).collect();
        if mean > 0.0 && optimal::independent(&columns, &scaled) {
            columns.push(scaled);
        }
    }
    (0..candidates.len()).map(|row| columns.iter().map(|column| column[row]).collect()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Ernest's documented call: min-parts 4, max-parts 32, total 256, machines 1..8, 4 cores, budget 10.
    fn documented() -> Vec<Candidate> {
        Grid { machines: (1, 8), cores: 4, parts: (4, 32), total_parts: 256, steps: 20 }.candidates()
    }

    #[test]
    fn ernests_documented_call_gives_ernests_runs() {
        let candidates = documented();
        assert_eq!(candidates.len(), 83);
        let design = design(&candidates, relative_time(&candidates), Cost::Time, 10.0).unwrap();
        // 5.61735 is where others stopped, by Frank–Wolfe with a gap of 1e-4.
        assert!((design.variance - 5.61735).abs() < 1e-4, "{}", design.variance);
        let costs: Vec<f64> = candidates.iter().map(relative_time(&candidates)).collect();
        let exact = cones::by_cones(&scaled_terms(&candidates), &costs, 10.0);
        assert!((design.variance / exact - 1.0).abs() < 1e-7, "{} {exact}", design.variance);
        let mut chosen: Vec<_> = design.chosen().map(|p| (p.candidate.machines, p.candidate.fraction)).collect();
        chosen.sort_by(|a, b| a.partial_cmp(b).unwrap());
        let expected =
            [(1, 0.015625), (1, 0.021382), (3, 0.050164), (3, 0.055921), (3, 0.061678), (4, 0.061678), (8, 0.125)];
        assert_eq!(chosen.len(), expected.len(), "{chosen:?}");
        for (chosen, expected) in chosen.iter().zip(expected) {
            assert!(chosen.0 == expected.0 && (chosen.1 - expected.1).abs() < 1e-6, "{chosen:?} {expected:?}");
        }
        assert!(design.chosen().all(|probe| probe.weight > 0.99));
        let left: Vec<f64> = design.probes[7..9].iter().map(|probe| probe.weight).collect();
        assert!((left[0] - 0.2286).abs() < 2e-3 && (left[1] - 0.2269).abs() < 2e-3, "{left:?}");
        let spent: f64 = design.probes.iter().map(|probe| probe.weight * probe.cost).sum();
        assert!(spent <= 10.0 && spent > 9.99);
    }

    #[test]
    fn paying_for_machines_moves_runs_to_fewer_of_them() {
        let candidates = documented();
        let machines = |cost: Cost, budget: f64| {
            let design = design(&candidates, relative_time(&candidates), cost, budget).unwrap();
            let weight: f64 = design.probes.iter().map(|probe| probe.weight).sum();
            design.probes.iter().map(|p| p.weight * p.candidate.machines as f64).sum::<f64>() / weight
        };
        assert!(machines(Cost::MachineSeconds, 10.0) < machines(Cost::Time, 10.0));
        // Money is machine-seconds in another unit.
        let money = machines(Cost::Dollars { per_hour: 360.0 }, 1.0);
        assert!((money - machines(Cost::MachineSeconds, 10.0)).abs() < 1e-4);
    }

    #[test]
    fn what_cannot_be_designed_is_said() {
        let one = [Candidate { machines: 1, fraction: 1.0 }];
        assert!(design(&[], |_| 1.0, Cost::Time, 1.0).is_err());
        assert!(design(&one, |_| 1.0, Cost::Time, 0.0).is_err());
        assert!(design(&one, |_| f64::NAN, Cost::Time, 1.0).is_err());
        // One m in two sizes: m, ln m and the constant are one and the same.
        let two = [1.0, 0.5].map(|fraction| Candidate { machines: 4, fraction });
        let design = design(&two, |_| 1.0, Cost::Time, 5.0).unwrap();
        assert!(design.probes.iter().all(|probe| probe.weight > 0.99), "{design:?}");
    }
}
