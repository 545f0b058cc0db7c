//! What a run leaves behind.

pub mod csv;
pub mod import;
pub mod journal;
mod phases;
pub mod store;
pub mod trace;

use std::collections::BTreeMap;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

pub use import::{Metric, import};
pub use phases::Phases;
pub use trace::{Point, Trace, traces};

/// One evaluated round of one run. Times and counts are cumulative since the run began; the training clock stands
/// still while the objective is evaluated.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Record {
    /// The run it belongs to.
    pub run: String,
    /// Fingerprint of data, loss and regularizer.
    pub problem: String,
    /// Name of the cluster, or `local`.
    pub cluster: String,
    /// Name of the algorithm, or of whatever else distinguishes one f and g from another.
    pub algorithm: String,
    /// Number of machines, m.
    pub machines: usize,
    /// Rows of the data used.
    pub rows: usize,
    /// Their share of the full data.
    pub fraction: f64,
    /// Rounds so far.
    pub round: u64,
    /// The algorithm's own count of its iterations.
    pub iteration: u64,
    /// Rows touched / rows.
    pub passes: f64,
    /// Training time so far = compute + wait + sync + other.
    pub train_seconds: f64,
    /// Its part spent computing (mean over machines).
    pub compute: f64,
    /// Its part spent waiting for the slowest machine.
    pub wait: f64,
    /// Its part spent synchronizing.
    pub sync: f64,
    /// What that part would be by plain dense all-reduce of the same numbers, where they went another way.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub plain_sync: f64,
    /// Time spent evaluating so far, outside training.
    #[serde(default)]
    pub eval_seconds: f64,
    /// Time spent dealing rows to other numbers of machines so far, outside training.
    #[serde(default)]
    pub load_seconds: f64,
    /// P(w); of a run that ran away, anything not finite (`null` in JSON).
    #[serde(serialize_with = "finite", deserialize_with = "or_infinite")]
    pub objective: f64,
    /// The best bound below P* this run has proved.
    pub lower_bound: Option<f64>,
    /// Any further measures, by name.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub metrics: BTreeMap<String, f64>,
}

fn is_zero(number: &f64) -> bool {
    *number == 0.0
}

fn finite<S: Serializer>(value: &f64, to: S) -> Result<S::Ok, S::Error> {
    value.is_finite().then_some(*value).serialize(to)
}

fn or_infinite<'de, D: Deserializer<'de>>(from: D) -> Result<f64, D::Error> {
    Ok(Option::deserialize(from)?.unwrap_or(f64::INFINITY))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_that_ran_away_stays_on_record() {
        for objective in [f64::NAN, f64::INFINITY] {
            let record = Record { objective, ..Record::default() };
            let text = serde_json::to_string(&record).unwrap();
            assert_eq!(serde_json::from_str::<Record>(&text).unwrap().objective, f64::INFINITY);
        }
    }
}
