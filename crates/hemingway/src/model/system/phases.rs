//! Where the seconds of a round go on m machines. For understanding: the sum of the phases foretells f no better than
//! f itself.

use serde::{Deserialize, Serialize};

use super::super::Method;
use super::{Observation, SystemModel};
use crate::record::{Phases, Trace};

/// What the rounds of one trace were spent on.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub(super) struct Spent {
    machines: usize,
    fraction: f64,
    phases: Phases,
}

impl Spent {
    pub(super) fn of(traces: &[&Trace]) -> Vec<Self> {
        let spent =
            |trace: &&Trace| Some(Self { machines: trace.machines, fraction: trace.fraction, phases: trace.phases? });
        traces.iter().filter_map(spent).collect()
    }
}

/// Each phase as an f of its own.
#[derive(Debug, Clone, PartialEq)]
pub struct PhaseModel {
    seen: Vec<Spent>,
    /// In the order of [`Phases::parts`]; `None` for a phase that takes no time anywhere.
    parts: [Option<SystemModel>; 4],
}

impl PhaseModel {
    pub(super) fn fit(spent: &[Spent]) -> Option<Self> {
        let part = |part: usize| {
            let observe = |spent: &Spent| Observation {
                machines: spent.machines,
                fraction: spent.fraction,
                seconds: spent.phases.parts()[part],
                noise: None,
            };
            SystemModel::fit("", &spent.iter().map(observe).collect::<Vec<_>>(), Method::Ours)
        };
        (!spent.is_empty()).then(|| Self { seen: spent.to_vec(), parts: [0, 1, 2, 3].map(part) })
    }

    /// Seconds of each phase on m machines with this share of the data: the mean of what was measured there, or as
    /// foretold. Measured comes first because a phase may be absent at one m, as the exchange is on one machine, which
    /// no positive curve can say.
    pub fn seconds(&self, machines: usize, fraction: f64) -> Phases {
        let here = |spent: &&Spent| spent.machines == machines && (spent.fraction / fraction).ln().abs() < 1e-3;
        let here: Vec<[f64; 4]> = self.seen.iter().filter(here).map(|spent| spent.phases.parts()).collect();
        let mean = |part: usize| here.iter().map(|parts| parts[part]).sum::<f64>() / here.len() as f64;
        let foretold = |part: usize| self.parts[part].as_ref().map_or(0.0, |f| f.seconds(machines, fraction).mid);
        let [compute, wait, sync, other] =
            [0, 1, 2, 3].map(|part| if here.is_empty() { foretold(part) } else { mean(part) });
        Phases { compute, wait, sync, other }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::synthetic::trace;

    fn law(m: usize) -> Phases {
        let (m, exchanged) = (m as f64, if m == 1 { 0.0 } else { 0.01 * (m as f64).ln() });
        Phases { compute: 1.0 / m, wait: 0.05 / m, sync: exchanged, other: 0.002 }
    }

    #[test]
    fn phases_are_told_where_seen_and_foretold_where_not() {
        let traces = [1, 2, 4, 16, 32].map(|m| Trace { phases: Some(law(m)), ..trace("gd", m, 5, |i| 1.0 / i) });
        let model = PhaseModel::fit(&Spent::of(&traces.iter().collect::<Vec<_>>())).unwrap();
        assert_eq!(model.seconds(1, 1.0), law(1));
        let unseen = model.seconds(8, 1.0);
        for (foretold, real) in unseen.parts().iter().zip(law(8).parts()) {
            assert!((foretold / real - 1.0).abs() < 0.1, "{unseen:?}");
        }
        assert!((unseen.shares().parts().iter().sum::<f64>() - 1.0).abs() < 1e-12);
        assert_eq!(PhaseModel::fit(&[]), None);
    }
}
