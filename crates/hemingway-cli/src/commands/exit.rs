//! Exit codes, which scripts rely on.

use hemingway::backend::Ending;

/// The goal is met, or the question answered.
pub(crate) const MET: u8 = 0;
/// Something went wrong.
pub(crate) const ERROR: u8 = 1;
/// The command line asks for something that cannot be.
pub(crate) const USAGE: u8 = 2;
/// The budget was spent, or progress ended, before the goal.
pub(crate) const SPENT: u8 = 3;
/// The user stopped it.
pub(crate) const INTERRUPTED: u8 = 130;

/// A command line that parses but cannot be meant.
#[derive(Debug)]
pub(crate) struct Usage(String);

impl Usage {
    /// The sentence to show.
    pub(crate) fn error(words: impl Into<String>) -> anyhow::Error {
        Self(words.into()).into()
    }
}

impl std::fmt::Display for Usage {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Usage {}

/// The code of a job that ended so.
pub(crate) fn of_ending(ending: Ending) -> u8 {
    match ending {
        Ending::GoalMet | Ending::Planned => MET,
        Ending::Interrupted => INTERRUPTED,
        Ending::BudgetSpent | Ending::Diverged | Ending::Stalled | Ending::FrameOver => SPENT,
    }
}

/// The code of an error: a setting that cannot work is the command line's fault.
pub(crate) fn of_error(error: &anyhow::Error) -> u8 {
    let setting = matches!(error.downcast_ref(), Some(hemingway::Error::Setting { .. }));
    if setting || error.is::<Usage>() { USAGE } else { ERROR }
}
