//! Where the time and the money went.

use hemingway::train::{Purpose, Spent};
use serde::Serialize;

use super::{Chapter, Story};

/// What a run has used up.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(crate) struct Spending {
    /// To learn f and g.
    pub(crate) probes: Part,
    /// To reach the goal.
    pub(crate) training: Part,
    /// In plans on clusters that were not chosen.
    pub(crate) other_clusters_seconds: f64,
    /// Loading, dealing, deciding: whatever is neither of these.
    pub(crate) other_seconds: f64,
    /// Everything since the command began.
    pub(crate) wall_seconds: f64,
    /// What it cost, where there is a price.
    pub(crate) dollars: Option<f64>,
}

/// What frames of one purpose have used.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
pub(crate) struct Part {
    /// How many frames.
    pub(crate) frames: usize,
    /// Their rounds.
    pub(crate) rounds: u64,
    /// Their seconds in rounds: compute + wait + sync + other.
    pub(crate) train_seconds: f64,
    /// Computing, in the mean over machines.
    pub(crate) compute: f64,
    /// Waiting for the slowest machine.
    pub(crate) wait: f64,
    /// Synchronizing.
    pub(crate) sync: f64,
    /// Anything else in a round.
    pub(crate) other: f64,
    /// Evaluating, outside rounds.
    pub(crate) eval_seconds: f64,
}

impl Spending {
    /// By the records, so that frames cut short count too.
    pub(crate) fn of(story: &Story) -> Self {
        let part = |purpose: Purpose| Part::of(story.chapters.iter().filter(|c| c.purpose() == Some(purpose)));
        let (probes, training) = (part(Purpose::Probe), part(Purpose::Train));
        let other_clusters_seconds = elsewhere(story).wall_seconds;
        let busy = probes.seconds() + training.seconds() + other_clusters_seconds;
        let wall_seconds = story.summary.wall_seconds.max(busy);
        // The virtual clock knows nothing else; what is left there is rounding.
        let other_seconds = if story.history.facts.simulated { 0.0 } else { wall_seconds - busy };
        let dollars = story.ended().map_or_else(|| dollars(story), |end| end.dollars);
        Self { probes, training, other_clusters_seconds, other_seconds, wall_seconds, dollars }
    }
}

/// What plans on clusters that were not chosen took.
fn elsewhere(story: &Story) -> Spent {
    story.history.compared.iter().filter(|one| !one.chosen).map(|one| one.spent).sum()
}

/// Machines × time × price, of every frame so far.
fn dollars(story: &Story) -> Option<f64> {
    let price = story.history.facts.price_per_hour? / 3600.0;
    let cost = |chapter: &Chapter| {
        let busy = chapter.added(|record| record.train_seconds + record.eval_seconds);
        chapter.config().map_or(0.0, |config| price * config.machines as f64 * busy)
    };
    let elsewhere = elsewhere(story).dollars.unwrap_or(0.0);
    Some(elsewhere + story.chapters.iter().map(cost).sum::<f64>())
}

impl Part {
    fn of<'a>(chapters: impl Iterator<Item = &'a Chapter>) -> Self {
        let mut part = Self::default();
        for chapter in chapters.filter(|chapter| chapter.last.is_some()) {
            part.frames += 1;
            part.rounds += chapter.rounds();
            part.train_seconds += chapter.seconds();
            part.compute += chapter.added(|record| record.compute);
            part.wait += chapter.added(|record| record.wait);
            part.sync += chapter.added(|record| record.sync);
            part.eval_seconds += chapter.added(|record| record.eval_seconds);
        }
        part.other = (part.train_seconds - part.compute - part.wait - part.sync).max(0.0);
        part
    }

    /// Rounds and evaluation together.
    pub(crate) fn seconds(&self) -> f64 {
        self.train_seconds + self.eval_seconds
    }
}
