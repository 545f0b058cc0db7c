//! How to scale λ: the rounds that the largest sample takes as they stand, against those of all rows.

use std::collections::BTreeMap;

use hemingway::model::{Bracket, ConvergenceModel, Method, Reach};
use hemingway::record::Trace;

use super::{FEWEST, FRACTIONS, MACHINES, SEEDS, Scaling, Study, TARGETS, Truth};
use crate::folds::quantile;

/// |ln(rounds on the sample / rounds on all rows)| by algorithm: λ' = λ, λ'n' = λn, and λ' = λ on m' = m·n'/n machines.
#[derive(Default)]
pub struct Scalings(BTreeMap<String, [Vec<f64>; 3]>);

impl Scalings {
    /// Adds the largest samples of the first seed.
    pub fn add(&mut self, study: &Study, truth: &Truth) -> anyhow::Result<()> {
        let share = FRACTIONS[FRACTIONS.len() - 1];
        for (place, scaling) in Scaling::ALL.into_iter().enumerate() {
            let traces = study.drawn(share, scaling, SEEDS[0])?;
            let Some(bracket) = Bracket::of(&traces) else { continue };
            for algorithm in truth.algorithms() {
                let own: Vec<&Trace> = traces.iter().filter(|trace| trace.context == *algorithm).collect();
                let Some(model) = ConvergenceModel::fit(&own, &bracket, Method::Ours) else { continue };
                let misses = self.0.entry(algorithm.clone()).or_default();
                misses[place].extend(misses_of(&model, truth, algorithm, 1.0));
                if scaling == Scaling::SameL2 {
                    misses[2].extend(misses_of(&model, truth, algorithm, share));
                }
            }
        }
        Ok(())
    }

    /// A table in Markdown: medians as factors.
    pub fn print(&self) {
        println!("\n## How to scale λ: rounds on a 20 % sample as they stand, against all rows\n");
        println!("Median of the factor between the two, up or down (1 is perfect).\n");
        println!("| algorithm | cells | λ' = λ | λ'n' = λn | λ' = λ, m' = m·n'/n |");
        println!("|---|--:|--:|--:|--:|");
        for (algorithm, misses) in &self.0 {
            let factor = |misses: &Vec<f64>| format!("{:.2}", quantile(misses.clone(), 0.5).exp());
            let cells: Vec<String> = misses.iter().map(factor).collect();
            println!("| {algorithm} | {} | {} |", misses[1].len(), cells.join(" | "));
        }
    }
}

/// Every m and target, the sample on `share` times as many machines.
fn misses_of(model: &ConvergenceModel, truth: &Truth, algorithm: &str, share: f64) -> Vec<f64> {
    let miss = |(machines, target): (usize, f64)| {
        let real = truth.rounds(algorithm, machines, target).filter(|real| *real >= FEWEST)?;
        let scaled = share * machines as f64;
        let Reach::At(rounds) = model.rounds_to(target, scaled.round() as usize) else { return None };
        (scaled >= 1.0).then(|| (rounds.mid.max(1.0) / real).ln().abs())
    };
    MACHINES.into_iter().flat_map(|m| TARGETS.map(|target| (m, target))).filter_map(miss).collect()
}
