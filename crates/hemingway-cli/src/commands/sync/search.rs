//! `sync search`.

use std::path::{Path, PathBuf};

use anyhow::Result;
use clap::ValueEnum;
use hemingway::Error;
use hemingway::sync::Stage;
use hemingway::sync::analytic::forecast;
use hemingway::sync::builders::describe;
use hemingway::sync::ranker::{Lesson, Ranker};
use hemingway::sync::replay::Engine;
use hemingway::sync::search::{Found, Wish, search_by};
use serde_json::{Value, json};

use super::super::exit;
use super::compare::{Row, table};
use super::words;
use crate::args::{JudgeArgs, LessonArgs, PlaceArgs, TRIALS};
use crate::output::{Answer, Output};
use crate::show::{Paint, number};
use crate::story::quoted;

/// Searches.
pub(super) fn search(
    place: &PlaceArgs,
    judge: &JudgeArgs,
    (trials, lossless): (usize, bool),
    file: Option<&Path>,
    lessons: &LessonArgs,
    out: &mut dyn Output,
) -> Result<u8> {
    lessons.keep.as_deref().map_or(Ok(()), Lesson::check_end)?;
    let (stage, cluster) = super::stage_of_several(place, &[])?;
    let waiting = out.wait(&format!("searching with at most {}", number::counted(trials, "trial")));
    let past = lessons.from.as_deref().map_or_else(|| Ok(Vec::new()), Lesson::read)?;
    let prior = Ranker::from_others(&Lesson::alike(&past));
    let (seed, again) = (judge.seed, again(judge, (trials, lossless), lessons));
    let mut judge = super::judge(&stage, judge);
    let engine = judge.engine();
    let found = search_by(&mut judge, Wish { trials, lossless, seed, engine }, &prior, &mut |_| ())?;
    drop(waiting);
    if let Some(file) = &lessons.keep {
        Lesson::append(file, &found.lessons(&stage, engine))?;
    }
    if let Some(file) = file {
        std::fs::write(file, found.strategy.json()?).map_err(Error::io(file))?;
    }
    let play = stage.play(&found.strategy)?;
    let paper = forecast(&stage, &play);
    let reason = super::reason(&stage, &paper);
    let overlap = paper.overlap();
    let heading = super::heading(&stage, &cluster);
    let file = file.map(|file| file.display().to_string());
    let whereabouts = format!("--cluster {} --machines {}", quoted(&place.cluster), stage.machines());
    out.answer(&Searched {
        stage: &stage,
        heading,
        found,
        paper: paper.seconds,
        overlap,
        reason,
        engine,
        file,
        model: quoted(&place.model),
        whereabouts,
        again,
        kinds: words::kinds(&play),
        losses: words::losses(&play),
        past: past.len(),
    })?;
    Ok(exit::MET)
}

/// The flags of a search beside model and machines, as they were given: without them another would be searched.
fn again(judge: &JudgeArgs, (trials, lossless): (usize, bool), lessons: &LessonArgs) -> String {
    let file = |path: &Option<PathBuf>| path.as_ref().map(|path| quoted(&path.display().to_string()));
    let engine = judge.engine.and_then(|engine| Some(engine.to_possible_value()?.get_name().to_string()));
    let flags = [
        ("--trials", Some(trials).filter(|trials| *trials != TRIALS).map(|trials| trials.to_string())),
        ("--engine", engine),
        ("--scale", judge.scale.map(|scale| scale.to_string())),
        ("--seed", Some(judge.seed).filter(|seed| *seed != 0).map(|seed| seed.to_string())),
        ("--from", file(&lessons.from)),
        ("--keep", file(&lessons.keep)),
    ];
    let exact = if lossless { " --lossless" } else { "" };
    let given = flags.into_iter().filter_map(|(flag, value)| Some(format!(" {flag} {}", value?)));
    std::iter::once(exact.to_string()).chain(given).collect()
}

struct Searched<'a> {
    stage: &'a Stage,
    heading: String,
    found: Found,
    paper: f64,
    overlap: (f64, f64),
    reason: String,
    engine: Engine,
    file: Option<String>,
    /// The model, and the flags that say where, as a shell takes them.
    model: String,
    whereabouts: String,
    /// All other flags of the search.
    again: String,
    /// How the bytes of what was found are exchanged.
    kinds: String,
    /// What keeps its sums from being exact.
    losses: Option<String>,
    /// Trials of other searches that it began with.
    past: usize,
}

impl Searched<'_> {
    fn rows(&self) -> Vec<Row> {
        let found = ("found".to_string(), self.found.seconds, self.paper, format!("based on {}", self.kinds));
        let mut builders: Vec<Row> = self
            .found
            .builders
            .iter()
            .map(|built| (built.name.to_string(), built.seconds, built.forecast(), describe(built.name).to_string()))
            .collect();
        builders.sort_by(|a, b| a.1.mid.total_cmp(&b.1.mid));
        std::iter::once(found).chain(builders).collect()
    }

    /// A command to go on with: to look at what was written, or to have it written.
    fn next(&self) -> String {
        let (model, whereabouts) = (&self.model, &self.whereabouts);
        match &self.file {
            Some(file) => format!("hemingway sync explain {model} {} {whereabouts} --plot timeline.svg", quoted(file)),
            None => format!("hemingway sync search {model} {whereabouts}{} -o strategy.json", self.again),
        }
    }

    fn gain(&self) -> Option<f64> {
        self.found.best_builder().map(|built| built.seconds.mid / self.found.seconds.mid)
    }
}

impl Answer for Searched<'_> {
    fn json(&self) -> Value {
        let builder = |built: &hemingway::sync::search::Built| json!({ "name": built.name, "seconds": built.seconds.mid, "low": built.seconds.low, "high": built.seconds.high });
        json!({
            "found": { "strategy": self.found.strategy, "seconds": self.found.seconds },
            "builders": self.found.builders.iter().map(builder).collect::<Vec<_>>(),
            "lossless": self.losses.is_none(),
            "trials": self.found.trials.len(),
            "trials_before": self.past,
            "hit_rate": self.found.hit_rate(),
            "bound_seconds": self.stage.bound(),
            "waits_for": self.reason,
            "settled": self.found.settled,
            "engine": self.engine.to_string(),
            "file": self.file,
        })
    }

    fn human(&self, paint: Paint) -> String {
        let trials = number::counted(self.found.trials.len(), "trial");
        let began = match self.past {
            0 => String::new(),
            past => format!(" that began with what {} taught", number::counted(past, "earlier one")),
        };
        let ended = if self.found.settled { "more could not pay" } else { "all that were allowed" };
        let [under, after] = [self.overlap.0, self.overlap.1].map(number::seconds);
        let gain = self.gain().map_or_else(String::new, |gain| format!("{gain:.2}× the best builder's speed"));
        let mut lines = vec![
            (
                "found",
                format!(
                    "{gain} after {trials}{began} ({ended}); {:.0} % of them beat every builder",
                    100.0 * self.found.hit_rate()
                ),
            ),
            (
                "why",
                format!(
                    "exchanges take {under} under computing and {after} after it; the step waits for {}",
                    self.reason
                ),
            ),
        ];
        lines.extend(self.losses.iter().map(|losses| {
            ("loss", format!("it is not lossless: {losses}; builders are; `--lossless` for exact sums"))
        }));
        lines.extend(self.file.iter().map(|file| ("written", file.clone())));
        lines.push(("next", self.next()));
        let line = |(head, body): (&str, String)| format!("{}  {body}\n", paint.dim(&format!("{head:<7}")));
        let text: String = lines.into_iter().map(line).collect();
        format!(
            "{}\ntrials on {}\n\n{}  (low–high): fastest and slowest of 5 trials   bound: {}, below which none can be without loss\n\n{text}",
            self.heading,
            self.engine,
            table(&self.rows(), self.stage.bound(), paint),
            number::seconds(self.stage.bound()),
        )
    }

    fn quiet(&self) -> String {
        self.found.seconds.mid.to_string()
    }
}
