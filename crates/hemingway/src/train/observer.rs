//! What happens to a job, for those who show it.

use super::{Decision, Purpose, Spent};
use crate::backend::{Ending, Frame, Rehearsal};
use crate::record::Record;
use crate::standing::Standing;

/// What an observer may show.
pub enum Moment<'a> {
    /// The next step was decided.
    Decided(&'a Decision),
    /// A round was evaluated.
    Round {
        /// What was seen.
        record: &'a Record,
        /// Where training stands.
        standing: &'a Standing,
        /// What has been used.
        spent: &'a Spent,
        /// What the frame is for.
        purpose: Purpose,
    },
    /// Algorithms were tried out on a few rows.
    Rehearsed {
        /// How each did.
        rehearsals: &'a [Rehearsal],
    },
    /// A frame ended.
    FrameEnded {
        /// The frame.
        frame: &'a Frame,
        /// Why.
        ending: Ending,
    },
}

/// Shows what happens; it decides nothing.
pub trait Observer {
    /// Something happened.
    fn notice(&mut self, moment: Moment<'_>);
}
