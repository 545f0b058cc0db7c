//! A slice of a frame, up to its end or the next checkpoint: every record goes into the journal, every round is asked
//! whether it may begin.

use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use super::best::Best;
use super::meter::{Ahead, Meter};
use super::{Decision, History, Moment, Observer, Purpose};
use crate::Result;
use crate::backend::{Config, Ending, Frame, Watcher};
use crate::engine::Clock;
use crate::goal::Goal;
use crate::record::Record;
use crate::record::journal::{Event, Journal};

/// How long training may go on before what it has reached is put into a checkpoint.
const CHECKPOINT_EVERY: Duration = Duration::from_secs(1);

/// Watches a slice.
pub(super) struct Slice<'a> {
    pub(super) frame: &'a Frame,
    pub(super) purpose: Purpose,
    /// The newest round of its run on record when the slice began.
    pub(super) known: Option<u64>,
    /// Seconds a round of its configuration was predicted to take.
    pub(super) promised: Option<f64>,
    pub(super) began: Instant,
    /// It ended for a checkpoint, not because the frame did.
    pub(super) due: bool,
    pub(super) journal: &'a mut Journal,
    pub(super) history: &'a mut History,
    pub(super) meter: &'a mut Meter,
    pub(super) best: &'a mut Best,
    pub(super) observer: &'a mut dyn Observer,
    pub(super) interrupted: &'a AtomicBool,
}

impl Watcher for Slice<'_> {
    fn before_round(&mut self, clock: &Clock) -> ControlFlow<Ending> {
        // Rounds run again after a kill were allowed, and the best model may be among them.
        if self.known.is_some_and(|round| clock.rounds < round) {
            return ControlFlow::Continue(());
        }
        if matches!(self.history.spec.goal, Goal::Rounds { rounds } if clock.rounds >= rounds) {
            let kept = self.best.maker.is_some();
            return ControlFlow::Break(if kept { Ending::GoalMet } else { Ending::Diverged });
        }
        let ahead = Ahead { config: &self.frame.config, rounds: 1.0, promised: self.promised };
        let running = Some((self.frame.run.as_str(), clock));
        if self.meter.fits(&ahead, running, &self.history.spent, self.history.caps()) {
            return ControlFlow::Continue(());
        }
        ControlFlow::Break(when_spent(self.history))
    }

    fn see(&mut self, record: &Record, model: &[f64]) -> Result<ControlFlow<Ending>> {
        self.best.see(&self.history.spec.goal, record, model);
        // Rounds run again after a kill are on record already; the last of them may not have been judged.
        if self.known.is_some_and(|round| record.round < round) {
            return Ok(ControlFlow::Continue(()));
        }
        if self.known != Some(record.round) {
            self.keep(record)?;
        }
        if let Some(ending) = verdict(self.history, record, self.interrupted) {
            return Ok(ControlFlow::Break(ending));
        }
        self.due = self.began.elapsed() > CHECKPOINT_EVERY;
        Ok(if self.due { ControlFlow::Break(Ending::FrameOver) } else { ControlFlow::Continue(()) })
    }
}

impl Slice<'_> {
    fn keep(&mut self, record: &Record) -> Result<()> {
        let event = Event::Round { record: record.clone() };
        self.journal.append(&event)?;
        self.history.apply(&event);
        self.meter.see(record, self.purpose, &mut self.history.spent);
        let History { standing, spent, .. } = &*self.history;
        self.observer.notice(Moment::Round { record, standing, spent, purpose: self.purpose });
        Ok(())
    }
}

/// Whether this record ends the frame: the goal, or the user.
pub(super) fn verdict(history: &History, record: &Record, interrupted: &AtomicBool) -> Option<Ending> {
    if history.standing.meets(&history.spec.goal, record) {
        return Some(Ending::GoalMet);
    }
    interrupted.load(Ordering::Relaxed).then_some(Ending::Interrupted)
}

/// How a frame ends whose next round would break a cap. To have used up time or money may be what was asked for, unless
/// not a single round came of it.
pub(super) fn when_spent(history: &History) -> Ending {
    let asked_for = matches!(history.spec.goal, Goal::Within { .. } | Goal::Spend { .. });
    let trained = history.records.iter().any(|record| record.round > 0);
    if asked_for && trained { Ending::GoalMet } else { Ending::BudgetSpent }
}

/// Seconds a round of the configuration decided on was predicted to take.
pub(super) fn promised(history: &History, config: &Config) -> Option<f64> {
    let plan = history.decisions.iter().rev().find_map(|decision| match decision {
        Decision::Run { plan, .. } => Some(plan.as_ref()),
        Decision::Rehearse { .. } | Decision::Stop { .. } => None,
    })??;
    plan.candidate(config)?.seconds_per_round.map(|seconds| seconds.mid)
}
