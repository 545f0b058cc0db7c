//! The search: propose, rank, run the most promising that are not alike, learn, repeat.

mod builders;
mod propose;

use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use serde::Serialize;

use super::ranker::{Lesson, Look, Ranker, traits};
use super::replay::{Engine, Judge};
use super::sketch::Sketch;
use super::stage::Stage;
use super::strategy::Strategy;
use crate::engine::cores;
use crate::rng::{Purpose, keyed};
use crate::{Error, Result};
pub use builders::{Built, tuned};

/// Trials of each of those that are confirmed at the end.
pub const REPEATS: usize = 5;
/// Trials between two lessons.
const BATCH: usize = 10;
/// Proposals that are ranked for every batch.
const PROPOSALS: usize = 400;
/// After so many batches without half a per cent of gain, more trials cannot pay.
const PATIENCE: usize = 5;
const GAIN: f64 = 0.995;
/// Strategies that a core looks at before it takes more.
const PART: usize = 16;
/// How many of the best are confirmed.
const FINALISTS: usize = 4;

/// What is asked of a search.
#[derive(Debug, Clone, Copy)]
pub struct Wish {
    /// The most trials, those of builders apart.
    pub trials: usize,
    /// Only strategies that give exact sums at every step.
    pub lossless: bool,
    /// For all that is drawn.
    pub seed: u64,
    /// Where trials are run, unless a judge says.
    pub engine: Engine,
}

/// Seconds of a step over repeated trials.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Interval {
    /// The fastest step.
    pub low: f64,
    /// The one in the middle.
    pub mid: f64,
    /// The slowest step.
    pub high: f64,
}

impl Interval {
    /// Of these; not a number where there are none.
    pub fn of(mut seconds: Vec<f64>) -> Self {
        seconds.sort_by(f64::total_cmp);
        let at = |share: f64| seconds.get((seconds.len().saturating_sub(1) as f64 * share).round() as usize).copied();
        let [low, mid, high] = [0.0, 0.5, 1.0].map(|share| at(share).unwrap_or(f64::NAN));
        Self { low, mid, high }
    }

    /// Of steps that take turns, some waiting for several sums and some for none: of the means of whole turns.
    pub fn of_turns(steps: &[f64], period: u64) -> Self {
        let turns = steps.chunks_exact((period as usize).clamp(1, steps.len().max(1)));
        Self::of(turns.map(|turn| turn.iter().sum::<f64>() / turn.len() as f64).collect())
    }
}

/// A strategy that has run.
#[derive(Debug, Clone)]
pub struct Trial {
    /// Its outline.
    pub sketch: Sketch,
    /// What was known of it before.
    pub look: Look,
    /// Its seconds.
    pub seconds: f64,
}

/// What a search found.
#[derive(Debug)]
pub struct Found {
    /// The best strategy; a builder's if none was better.
    pub strategy: Strategy,
    /// Its time, confirmed.
    pub seconds: Interval,
    /// Every builder with its best settings, confirmed.
    pub builders: Vec<Built>,
    /// Every trial of the search, in order.
    pub trials: Vec<Trial>,
    /// What the ranker knew in the end.
    pub ranker: Ranker,
    /// Whether it ended because more trials could not pay.
    pub settled: bool,
}

impl Found {
    /// The fastest builder.
    pub fn best_builder(&self) -> Option<&Built> {
        self.builders.iter().min_by(|a, b| a.seconds.mid.total_cmp(&b.seconds.mid))
    }

    /// Every trial as it is kept for later searches.
    pub fn lessons(&self, stage: &Stage, engine: Engine) -> Vec<Lesson> {
        let lesson = |trial: &Trial| Lesson {
            model: stage.model.name.clone(),
            cluster: stage.cluster.name.clone(),
            machines: stage.machines(),
            engine: engine.to_string(),
            look: trial.look,
            seconds: trial.seconds,
        };
        let builders: Vec<Trial> = self.builders.iter().map(Built::trial).collect();
        builders.iter().chain(&self.trials).map(lesson).collect()
    }

    /// The share of trials that were faster than the best builder.
    pub fn hit_rate(&self) -> f64 {
        let best = self.best_builder().map_or(f64::INFINITY, |built| built.seconds.mid);
        let hits = self.trials.iter().filter(|trial| trial.seconds < best).count();
        hits as f64 / self.trials.len().max(1) as f64
    }
}

/// Searches, beginning with what a ranker knows.
///
/// ```
/// use hemingway::cluster::Cluster;
/// use hemingway::sync::{Model, Stage, ranker::Ranker, replay::Engine, search::{Wish, search}};
/// # let cluster = Cluster::parse(include_str!("../../../../clusters/cloud-25gbit.toml"))?;
///
/// let stage = Stage::new(Model::find("ncf")?, &cluster, 4)?;
/// let wish = Wish { trials: 10, lossless: true, seed: 0, engine: Engine::Simulated };
/// let found = search(&stage, wish, &Ranker::default(), &mut |_| ())?;
/// assert!(found.seconds.mid <= found.best_builder().expect("builders").seconds.mid);
/// # Ok::<(), hemingway::Error>(())
/// ```
pub fn search(stage: &Stage, wish: Wish, prior: &Ranker, tell: &mut dyn FnMut(&str)) -> Result<Found> {
    search_by(&mut Judge::new(stage, wish.engine, wish.seed), wish, prior, tell)
}

/// The same with the trials of a judge that stands already.
pub fn search_by(judge: &mut Judge<'_>, wish: Wish, prior: &Ranker, tell: &mut dyn FnMut(&str)) -> Result<Found> {
    let stage = judge.stage();
    tell("tuning the builders");
    let builders = tuned(stage, judge)?;
    let mut random = keyed(wish.seed, Purpose::Propose, 0, 0);
    let mut trials: Vec<Trial> = builders.iter().map(Built::trial).collect();
    let own = trials.len();
    let (mut best, mut idle, mut settled) = (fastest(&trials), 0, false);
    while trials.len() - own < wish.trials {
        let rankers = rankers(prior, &lessons(&trials));
        let wanted = BATCH.min(wish.trials - (trials.len() - own));
        for (sketch, look) in propose::batch(stage, &wish, &trials, &rankers, wanted, &mut random)? {
            let seconds = judge.trial(&sketch.strategy(stage, "proposed"))?;
            trials.push(Trial { sketch, look, seconds });
        }
        let now = fastest(&trials);
        tell(&format!("{} trials, best {:.3} ms", trials.len() - own, 1e3 * now));
        idle = if now < GAIN * best { 0 } else { idle + 1 };
        best = best.min(now);
        if idle >= PATIENCE {
            settled = true;
            break;
        }
    }
    let ranker = prior.taught(&lessons(&trials));
    let searched = trials.split_off(own);
    tell("confirming the best");
    let (strategy, seconds, builders) = confirmed(stage, judge, &searched, builders)?;
    Ok(Found { strategy, seconds, builders, trials: searched, ranker, settled })
}

/// The best few again, turn by turn with all builders, so that none has the better weather.
fn confirmed(
    stage: &Stage,
    judge: &mut Judge<'_>,
    trials: &[Trial],
    mut builders: Vec<Built>,
) -> Result<(Strategy, Interval, Vec<Built>)> {
    let mut ranked: Vec<&Trial> = trials.iter().collect();
    ranked.sort_by(|a, b| a.seconds.total_cmp(&b.seconds));
    let finalists: Vec<Strategy> =
        ranked.iter().take(FINALISTS).map(|trial| trial.sketch.strategy(stage, "found")).collect();
    let rivals = builders.iter().map(|built| built.strategy.clone());
    let all: Vec<Strategy> = finalists.into_iter().chain(rivals).collect();
    let mut seconds: Vec<Vec<f64>> = vec![Vec::new(); all.len()];
    for _ in 0..REPEATS {
        for (strategy, seconds) in all.iter().zip(&mut seconds) {
            seconds.push(judge.trial(strategy)?);
        }
    }
    let found = all.len() - builders.len();
    let intervals: Vec<Interval> = seconds.into_iter().map(Interval::of).collect();
    builders.iter_mut().zip(&intervals[found..]).for_each(|(built, interval)| built.seconds = *interval);
    let best = (0..all.len()).min_by(|a, b| intervals[*a].mid.total_cmp(&intervals[*b].mid)).unwrap_or(0);
    Ok((all[best].clone(), intervals[best], builders))
}

/// A strategy's time over repeated trials.
pub fn measured(judge: &mut Judge<'_>, strategy: &Strategy) -> Result<Interval> {
    let trials = (0..REPEATS).map(|_| judge.trial(strategy));
    Ok(Interval::of(trials.collect::<Result<Vec<f64>>>()?))
}

/// What a strategy looks like, and its forecast's seconds in it.
pub fn look(stage: &Stage, strategy: &Strategy) -> Result<Look> {
    Ok(traits(stage, &stage.play(strategy)?).0)
}

/// What many strategies look like, worked out on all cores: each takes a few at a time, since some take far longer than others.
pub fn looks(stage: &Stage, sketches: &[Sketch]) -> Result<Vec<Look>> {
    let (parts, next) = (sketches.chunks(PART).collect::<Vec<_>>(), AtomicUsize::new(0));
    let work = || -> Result<Vec<(usize, Look)>> {
        let mut own = Vec::new();
        loop {
            let place = next.fetch_add(1, Ordering::Relaxed);
            let Some(part) = parts.get(place) else { return Ok(own) };
            for (sketch, place) in part.iter().zip(place * PART..) {
                own.push((place, look(stage, &sketch.strategy(stage, "proposed"))?));
            }
        }
    };
    let mut all = thread::scope(|scope| {
        let workers: Vec<_> = (0..cores()).map(|_| scope.spawn(work)).collect();
        let panicked = |_| Err(Error::Engine("a thread that looked at strategies panicked".into()));
        workers.into_iter().map(|worker| worker.join().unwrap_or_else(panicked)).collect::<Result<Vec<_>>>()
    })?
    .concat();
    all.sort_unstable_by_key(|(place, _)| *place);
    Ok(all.into_iter().map(|(_, look)| look).collect())
}

/// What others taught may be wrong here: beside it, one that goes by the forecast and own trials alone.
fn rankers(prior: &Ranker, trials: &[(Look, f64)]) -> Vec<Ranker> {
    let own = (*prior != Ranker::default()).then(|| Ranker::fit(trials));
    std::iter::once(prior.taught(trials)).chain(own).collect()
}

fn lessons(trials: &[Trial]) -> Vec<(Look, f64)> {
    trials.iter().map(|trial| (trial.look, trial.seconds)).collect()
}

fn fastest(trials: &[Trial]) -> f64 {
    trials.iter().map(|trial| trial.seconds).fold(f64::INFINITY, f64::min)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sync::links::tests::cluster;
    use crate::sync::model::builtin;

    #[test]
    fn a_search_is_never_slower_than_the_best_builder_and_repeats() {
        let stage = Stage::new(builtin::named("vgg16").unwrap(), &cluster(8, true), 8).unwrap();
        let wish = Wish { trials: 40, lossless: true, seed: 3, engine: Engine::Simulated };
        let found = search(&stage, wish, &Ranker::default(), &mut |_| ()).unwrap();
        let best = found.best_builder().unwrap().seconds.mid;
        assert!(found.seconds.mid <= best && found.seconds.mid >= 0.9 * stage.bound(), "{:?} {best}", found.seconds);
        assert!(found.strategy.is_lossless() && found.trials.len() <= 40);
        stage.play(&found.strategy).unwrap();
        let again = search(&stage, wish, &Ranker::default(), &mut |_| ()).unwrap();
        assert_eq!((found.strategy, found.seconds), (again.strategy, again.seconds));
    }
}
