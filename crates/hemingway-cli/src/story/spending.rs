//! Where the time and the money went.

use hemingway::backend::Rehearsal;
use hemingway::train::{Purpose, Spent};
use serde::Serialize;

use super::{Chapter, Story};

/// What a run has used up.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(crate) struct Spending {
    /// To learn f and g.
    pub(crate) probes: Part,
    /// To try algorithms out on a few rows.
    pub(crate) rehearsals: Part,
    /// To reach the goal.
    pub(crate) training: Part,
    /// In plans on clusters that were not chosen.
    pub(crate) other_clusters_seconds: f64,
    /// What those cost, where there is a price.
    pub(crate) other_clusters_dollars: Option<f64>,
    /// Loading, deciding: whatever is none of these.
    pub(crate) other_seconds: f64,
    /// Everything since the command began.
    pub(crate) wall_seconds: f64,
    /// What it cost, where there is a price.
    pub(crate) dollars: Option<f64>,
}

/// What frames of one purpose, or rehearsals, have used.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
pub(crate) struct Part {
    /// How many frames, or algorithms that were rehearsed.
    pub(crate) frames: usize,
    /// Their rounds.
    pub(crate) rounds: u64,
    /// Their seconds in rounds.
    pub(crate) train_seconds: f64,
    /// What those went into; rehearsals do not tell.
    #[serde(flatten)]
    pub(crate) split: Option<Split>,
    /// Evaluating, outside rounds.
    pub(crate) eval_seconds: f64,
    /// Dealing rows to other machines, outside rounds.
    pub(crate) load_seconds: f64,
    /// Machines × time × price, where there is a price.
    pub(crate) dollars: Option<f64>,
}

/// Seconds in rounds = compute + wait + sync + other.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
pub(crate) struct Split {
    /// Computing, in the mean over machines.
    pub(crate) compute: f64,
    /// Waiting for the slowest machine.
    pub(crate) wait: f64,
    /// Synchronizing.
    pub(crate) sync: f64,
    /// Anything else in a round.
    pub(crate) other: f64,
}

impl Spending {
    /// By the records, so that frames cut short count too.
    pub(crate) fn of(story: &Story) -> Self {
        let price = story.history.facts.price_per_hour.map(|hour| hour / 3600.0);
        let frames = |purpose: Purpose| story.chapters.iter().filter(move |c| c.purpose() == Some(purpose));
        let [probes, training] = [Purpose::Probe, Purpose::Train].map(|purpose| Part::of(frames(purpose), price));
        let rehearsals = Part::rehearsed(&story.history.rehearsals, price);
        let elsewhere = elsewhere(story);
        let busy = probes.seconds() + rehearsals.seconds() + training.seconds() + elsewhere.wall_seconds;
        let wall_seconds = story.summary.wall_seconds.max(busy);
        let paid = [probes.dollars, rehearsals.dollars, training.dollars, elsewhere.dollars];
        let counted = || price.map(|_| paid.into_iter().flatten().sum());
        Self {
            probes,
            rehearsals,
            training,
            other_clusters_seconds: elsewhere.wall_seconds,
            other_clusters_dollars: elsewhere.dollars,
            // The virtual clock knows nothing else; what is left there is rounding.
            other_seconds: if story.history.facts.simulated { 0.0 } else { wall_seconds - busy },
            wall_seconds,
            dollars: story.ended().map_or_else(counted, |end| end.dollars),
        }
    }
}

/// What plans on clusters that were not chosen took.
fn elsewhere(story: &Story) -> Spent {
    story.history.compared.iter().filter(|one| !one.chosen).map(|one| one.spent).sum()
}

impl Part {
    /// Dollars are by the price of a machine's second.
    fn of<'a>(chapters: impl Iterator<Item = &'a Chapter>, price: Option<f64>) -> Self {
        let (mut part, mut split, mut machine_seconds) = (Self::default(), Split::default(), 0.0);
        for chapter in chapters.filter(|chapter| chapter.last.is_some()) {
            part.frames += 1;
            part.rounds += chapter.rounds();
            part.train_seconds += chapter.seconds();
            part.eval_seconds += chapter.added(|record| record.eval_seconds);
            part.load_seconds += chapter.added(|record| record.load_seconds);
            split.compute += chapter.added(|record| record.compute);
            split.wait += chapter.added(|record| record.wait);
            split.sync += chapter.added(|record| record.sync);
            let busy = chapter.added(|record| record.train_seconds + record.eval_seconds + record.load_seconds);
            machine_seconds += chapter.config().map_or(0.0, |config| config.machines as f64 * busy);
        }
        split.other = (part.train_seconds - split.compute - split.wait - split.sync).max(0.0);
        Self { split: Some(split), dollars: price.map(|price| price * machine_seconds), ..part }
    }

    /// On one machine.
    fn rehearsed(rehearsals: &[Rehearsal], price: Option<f64>) -> Self {
        let part = Self {
            frames: rehearsals.len(),
            rounds: rehearsals.iter().filter_map(|one| one.points.last()).map(|(round, _)| round).sum(),
            train_seconds: rehearsals.iter().map(|one| one.seconds).sum(),
            eval_seconds: rehearsals.iter().map(|one| one.eval_seconds).sum(),
            ..Self::default()
        };
        Self { dollars: price.map(|price| price * part.seconds()), ..part }
    }

    /// Rounds and what is outside of them together.
    pub(crate) fn seconds(&self) -> f64 {
        self.train_seconds + self.eval_seconds + self.load_seconds
    }
}
