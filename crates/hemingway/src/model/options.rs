//! How records are to be read and by which method.

use serde::{Deserialize, Serialize};

use super::Priors;
use crate::record::Trace;

/// Which mathematics stands behind f and g.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Method {
    /// f by a stack of forms weighed by what they predict unseen, g by level sets.
    #[default]
    Ours,
    /// f exactly as Ernest, by absolute residuals; g as ours.
    Ernest,
    /// f as Ernest and g by the founding paper's method: a Lasso on ln(P − P*).
    Lasso,
}

/// What a fit needs to know beside the traces.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct FitOptions {
    /// The method.
    pub method: Method,
    /// The cluster whose times are asked for; needed only if the traces hold several.
    pub cluster: Option<String>,
    /// Cores of this machine: on cluster `local`, traces with more workers never teach f.
    pub max_local_machines: Option<usize>,
    /// What earlier problems teach about this one.
    #[serde(default)]
    pub priors: Priors,
}

impl FitOptions {
    /// Whether a trace shared cores among workers, so that its times are not those of m machines.
    pub fn oversubscribed(&self, trace: &Trace) -> bool {
        trace.cluster == "local" && self.max_local_machines.is_some_and(|cores| trace.machines > cores)
    }
}
