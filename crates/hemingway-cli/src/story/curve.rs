//! Error against training time, as it was predicted and as it came.

use hemingway::backend::Config;
use hemingway::model::{Bracket, Estimate, FitOptions, Reach, RunModel};
use hemingway::record::{Record, traces};
use hemingway::train::Purpose;
use serde::{Serialize, Serializer};

use super::{Chapter, Story};

/// Points of a predicted curve.
const SAMPLES: usize = 100;
/// How far beyond its own end a prediction is shown.
const BEYOND: f64 = 1.15;
/// Errors below it are rounding.
const ROUNDING: f64 = 1e-14;
/// Errors below it no model foretells.
const FORETOLD: f64 = 1e-12;
/// A prediction that misses by more than this where it begins foretells nothing.
const ASTRAY: f64 = 10.0;

/// The whole way of a run on one clock of training, probes included.
#[derive(Debug, Serialize)]
pub(crate) struct Course {
    /// P̂, to which real errors are relative: that of all the report says, and the models' own where there is none.
    pub(crate) optimum: f64,
    /// Its frames.
    pub(crate) stretches: Vec<Stretch>,
}

/// A frame: what came of it, and what was promised where it turned to its configuration.
#[derive(Debug, Serialize)]
pub(crate) struct Stretch {
    pub(crate) config: Config,
    pub(crate) purpose: Purpose,
    /// Training seconds of the job before it.
    pub(crate) began: f64,
    /// Training begins or changes its configuration here.
    pub(crate) turns: bool,
    /// What came of it, from where its run stood.
    pub(crate) real: Vec<Reached>,
    /// Training seconds of the job at the goal, as the decision itself promised them, where it turns.
    pub(crate) promised: Option<Estimate>,
    /// The way there by the models of that moment, fitted again to the run's own rounds, where it turns.
    #[serde(serialize_with = "flat")]
    pub(crate) predicted: Vec<(f64, Estimate)>,
    /// Why that is not known, where it turns.
    pub(crate) unforetold: Option<&'static str>,
}

/// What was reached when.
#[derive(Debug, Clone, Copy, Serialize)]
pub(crate) struct Reached {
    /// Training seconds of the job.
    pub(crate) seconds: f64,
    /// P; `null` where it ran away.
    pub(crate) objective: f64,
    /// Relative to P*, above rounding.
    pub(crate) error: Option<f64>,
}

impl Course {
    /// Of a run that has got as far as an objective.
    pub(crate) fn of(story: &Story) -> Option<Self> {
        let own = Bracket::of(&traces(&story.history.records))?;
        let error = |objective: f64| match story.optimum() {
            // What is remembered tells of P* too: by its own rounds alone a run may seem to end far above.
            Some(_) => story.error(objective).filter(|error| *error > ROUNDING),
            None => own.error(objective),
        };
        let mut stretches: Vec<Stretch> = Vec::new();
        for (place, chapter) in story.chapters.iter().enumerate() {
            let end = story.chapters.get(place + 1).map_or(story.history.records.len(), |next| next.records_before);
            let records = &story.history.records[chapter.records_before..end];
            let began = stretches.last().map_or(0.0, Stretch::end);
            stretches.extend(Stretch::of(chapter, records, began, error));
        }
        let mut course = Self { optimum: story.optimum().unwrap_or(own.mid), stretches };
        course.predict(story);
        Some(course)
    }

    /// When training ends.
    pub(crate) fn end(&self) -> f64 {
        self.stretches.last().map_or(0.0, Stretch::end)
    }

    fn predict(&mut self, story: &Story) {
        let runs: Vec<&Chapter> = story.chapters.iter().filter(|chapter| chapter.config().is_some()).collect();
        let turns: Vec<usize> =
            (0..runs.len()).filter(|&place| matches!(runs[place].verb, "train" | "switch")).collect();
        for (k, &place) in turns.iter().enumerate() {
            self.stretches[place].turns = true;
            let last = turns.get(k + 1).map_or(runs.len(), |next| *next) - 1;
            let length = BEYOND * (self.stretches[last].end() - self.stretches[place].began);
            let stretch = &mut self.stretches[place];
            let before = stretch.began - runs[place].trained_before();
            let shifted = |end: Estimate| {
                let [low, mid, high] = [end.low, end.mid, end.high].map(|seconds| before + seconds);
                Estimate { low, mid, high, ..end }
            };
            stretch.promised = runs[place].promised_end().filter(|_| !story.history.spec.goal.is_budget()).map(shifted);
            let known = story.records_before(runs[place]);
            let way = match runs[place].plan() {
                Some(_) => promise(stretch, known, story.history.facts.cores, length),
                None => Err("nothing was predicted of it"),
            };
            match way {
                Ok(way) => stretch.predicted = way,
                Err(why) => stretch.unforetold = Some(why),
            }
        }
    }
}

impl Stretch {
    fn of(chapter: &Chapter, records: &[Record], began: f64, error: impl Fn(f64) -> Option<f64>) -> Option<Self> {
        let reached = |record: &Record| Reached {
            seconds: began + record.train_seconds - chapter.trained_before(),
            objective: record.objective,
            error: error(record.objective),
        };
        Some(Self {
            config: chapter.config()?.clone(),
            purpose: chapter.purpose()?,
            began,
            turns: false,
            real: chapter.before.iter().chain(records).map(reached).collect(),
            promised: None,
            predicted: Vec::new(),
            unforetold: None,
        })
    }

    /// When it ends.
    pub(crate) fn end(&self) -> f64 {
        self.real.last().map_or(self.began, |reached| reached.seconds)
    }
}

/// h from where the job stood, by the models of that moment and their own P*, as far as they foretell anything; else why not.
fn promise(
    stretch: &Stretch,
    known: &[Record],
    cores: usize,
    length: f64,
) -> Result<Vec<(f64, Estimate)>, &'static str> {
    let way = foretold(stretch, known, cores, length)
        .ok_or("the prediction rests on what is remembered, and the run's own rounds before it foretell no curve")?;
    let stood = stretch.real.iter().find_map(|reached| reached.error);
    let astray = way
        .first()
        .zip(stood)
        .is_none_or(|((_, first), stood)| !(stood / ASTRAY..=stood * ASTRAY).contains(&first.mid));
    if astray {
        return Err("by the run's own rounds before it, it would have begun more than 10 times from its real error");
    }
    let worth = way.into_iter().take_while(|(_, error)| error.mid >= FORETOLD);
    Ok(worth.map(|(at, error)| (at, Estimate { low: error.low.max(FORETOLD), ..error })).collect())
}

fn foretold(stretch: &Stretch, known: &[Record], cores: usize, length: f64) -> Option<Vec<(f64, Estimate)>> {
    let options = FitOptions { max_local_machines: Some(cores), ..FitOptions::default() };
    let model = RunModel::fit(&traces(known), &options).ok()?;
    let (context, bracket) = (model.context(&stretch.config.algorithm).ok()?, model.bracket?);
    let machines = stretch.config.machines;
    let own = known.iter().filter(|record| record.algorithm == stretch.config.algorithm);
    let best = own.map(|record| record.objective).filter(|value| value.is_finite()).fold(f64::INFINITY, f64::min);
    let done = bracket.error(best).and_then(|error| context.time_to(error, machines)).and_then(Reach::estimate);
    let done = done.map_or(0.0, |done| done.mid);
    let at = |k: usize| {
        let later = length * k as f64 / SAMPLES as f64;
        Some((stretch.began + later, context.error_at(done + later, machines)?))
    };
    (0..=SAMPLES).map(at).collect()
}

/// Each moment beside its estimate, in one object.
fn flat<S: Serializer>(predicted: &[(f64, Estimate)], to: S) -> Result<S::Ok, S::Error> {
    #[derive(Serialize)]
    struct Promised {
        seconds: f64,
        #[serde(flatten)]
        error: Estimate,
    }
    to.collect_seq(predicted.iter().map(|(seconds, error)| Promised { seconds: *seconds, error: *error }))
}
