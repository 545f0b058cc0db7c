//! The loop of time frames: decide, run a frame, learn from it, decide again.
//!
//! Decisions are pure functions of the journal so far ([`decide`]); the [`Driver`] carries them out and writes the
//! journal. A single configuration run by the user's choice is the same loop with one decision in it.

mod best;
mod comparison;
mod driver;
mod exchanged;
mod foresight;
mod history;
mod memory;
mod meter;
mod observer;
mod policy;
mod replay;
mod slice;
mod summary;

use serde::{Deserialize, Serialize};

use crate::backend::{Ending, Frame, Script};
use crate::model::Estimate;
use crate::plan::Plan;
pub use comparison::{Compared, choose_cluster};
pub use driver::Driver;
pub use exchanged::Exchanged;
pub use history::{History, Past, Spent};
pub use memory::{Recalled, recall};
pub use observer::{Moment, Observer};
pub use policy::decide;
pub use replay::{Replay, replay};
pub use summary::{Summary, Switch, Verdict};

/// Rounds that taking up another algorithm's model needs: CoCoA's, the most of all.
const ADOPTION: f64 = 2.0;

/// What to do next, and why.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "do", rename_all = "kebab-case")]
pub enum Decision {
    /// Run a frame.
    Run {
        /// The frame.
        frame: Frame,
        /// What it is for.
        purpose: Purpose,
        /// From where.
        start: Start,
        /// Why this and nothing else.
        why: String,
        /// What was promised of every candidate, where models were asked.
        plan: Option<Plan>,
        /// Seconds the run will have trained for when it reaches the goal, as predicted now.
        predicted: Option<Estimate>,
    },
    /// Try algorithms out on a few rows.
    Rehearse {
        /// Which, and how.
        script: Script,
        /// Why that is worth it.
        why: String,
    },
    /// End the job.
    Stop {
        /// How.
        ending: Ending,
        /// Why.
        why: String,
        /// The plan it ends with, where one was asked for.
        plan: Option<Plan>,
    },
}

/// What a frame is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Purpose {
    /// To learn f and g.
    Probe,
    /// To reach the goal.
    Train,
}

/// Where a frame starts.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Start {
    /// From nothing.
    Fresh,
    /// Where this run stands, on however many machines.
    Continue {
        /// The run.
        run: String,
    },
    /// From the model of a run of another algorithm.
    Adopt {
        /// The run.
        run: String,
    },
}
