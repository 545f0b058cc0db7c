//! What the user wants, in one sentence.

use serde::{Deserialize, Serialize};

use crate::error::counted;
use crate::{Error, Result};

/// The one wish of a job.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Goal {
    /// Relative error at most ε, as fast as possible.
    Reach {
        /// ε.
        error: f64,
        /// Stop only on a proof, not on an estimate.
        certified: bool,
    },
    /// The lowest objective within so many seconds.
    Within {
        /// Wall-clock seconds.
        seconds: f64,
    },
    /// The lowest objective for so much money.
    Spend {
        /// Dollars.
        dollars: f64,
    },
    /// A measure on the test set at least (or, for losses, at most) so much.
    ReachMetric {
        /// Its name.
        metric: String,
        /// The value to reach.
        value: f64,
        /// The relative error it stands for, where models of the measure itself know.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        level: Option<f64>,
    },
    /// So many rounds, whatever they reach.
    Rounds {
        /// The last round.
        rounds: u64,
    },
}

/// Error level to plan for where the goal names none.
const PLANNING_ERROR: f64 = 1e-3;

/// A number of rounds beyond this is none: as a float it counts in steps of more than one.
pub(crate) const MOST_ROUNDS: u64 = 1 << 53;

/// The finest error that can be asked for: below it every bound is met by rounding alone.
const FINEST: f64 = 1e-14;

impl Goal {
    /// Refuses what cannot be reached.
    pub fn check(&self) -> Result<()> {
        let positive = |field: &str, value: f64| {
            if value.is_finite() && value > 0.0 {
                return Ok(());
            }
            Err(Error::setting(field, format!("{value} must be a number above 0")))
        };
        match self {
            Self::Reach { error, .. } if *error > 0.0 && *error < FINEST => {
                let what =
                    format!("{error:e} is finer than sums over rows can tell from none; ask for {FINEST:e} or more");
                Err(Error::setting("--reach", what))
            }
            Self::Reach { error, .. } => positive("--reach", *error),
            Self::Within { seconds } => positive("--within", *seconds),
            Self::Spend { dollars } => positive("--spend", *dollars),
            Self::ReachMetric { metric, value, .. } => check_measure(metric, *value),
            Self::Rounds { rounds: 0 } => Err(Error::setting("--rounds", "at least one round is needed")),
            Self::Rounds { rounds } if *rounds > MOST_ROUNDS => {
                Err(Error::setting("--rounds", format!("{rounds} is more than can be counted; at most {MOST_ROUNDS}")))
            }
            Self::Rounds { .. } => Ok(()),
        }
    }

    /// The goal as the head of every output says it.
    pub fn sentence(&self) -> String {
        match self {
            Self::Reach { error, certified: false } => format!("reach relative error {error:e} as fast as possible"),
            Self::Reach { error, certified: true } => format!("prove relative error {error:e} as fast as possible"),
            Self::Within { seconds } => format!("the lowest objective within {seconds} s"),
            Self::Spend { dollars } => format!("the lowest objective for ${dollars}"),
            Self::ReachMetric { metric, value, level: Some(_) } => {
                format!("reach {metric} {value} as fast as possible")
            }
            Self::ReachMetric { metric, value, level: None } => {
                format!("reach {metric} {value} on the test set as fast as possible")
            }
            Self::Rounds { rounds } => format!("run {}", counted(*rounds as usize, "round")),
        }
    }

    /// The relative error to plan for: the goal's own, or one at which most models have stopped changing.
    pub fn planning_error(&self) -> f64 {
        match self {
            Self::Reach { error, .. } | Self::ReachMetric { level: Some(error), .. } => *error,
            _ => PLANNING_ERROR,
        }
    }

    /// Whether using up the time or money is what was asked for.
    pub fn is_budget(&self) -> bool {
        matches!(self, Self::Within { .. } | Self::Spend { .. } | Self::Rounds { .. })
    }
}

/// Refuses a value that a measure cannot have.
fn check_measure(metric: &str, value: f64) -> Result<()> {
    let wrong = |what: String| Err(Error::setting("--reach-metric", what));
    match metric {
        _ if !value.is_finite() => wrong(format!("{metric}={value}: the value must be a number")),
        "accuracy" if !(value > 0.0 && value <= 1.0) => {
            wrong(format!("accuracy={value}: a share of the rows, above 0 and at most 1, such as accuracy=0.97"))
        }
        "ndcg10" | "precision10" if !(value > 0.0 && value <= 1.0) => wrong(format!(
            "{metric}={value}: a share of the best possible, above 0 and at most 1, such as {metric}=0.2"
        )),
        "r2" if value > 1.0 => wrong(format!("r2={value}: no model explains more than all, which is 1")),
        "rmse" | "mae" | "test_loss" if value < 0.0 => wrong(format!("{metric}={value}: it is never below 0")),
        _ => Ok(()),
    }
}

/// Caps that hold whatever the goal.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
pub struct Caps {
    /// Wall-clock seconds, probing included.
    pub seconds: Option<f64>,
    /// Dollars, probing included.
    pub dollars: Option<f64>,
}

impl Caps {
    /// These caps, and for what they leave open the earlier ones.
    pub fn or(self, earlier: Self) -> Self {
        Self { seconds: self.seconds.or(earlier.seconds), dollars: self.dollars.or(earlier.dollars) }
    }

    /// The caps and what the goal itself allows, together.
    pub fn with_goal(self, goal: &Goal) -> Self {
        let least = |a: Option<f64>, b: f64| Some(a.map_or(b, |a| a.min(b)));
        match goal {
            Goal::Within { seconds } => Self { seconds: least(self.seconds, *seconds), ..self },
            Goal::Spend { dollars } => Self { dollars: least(self.dollars, *dollars), ..self },
            _ => self,
        }
    }
}
