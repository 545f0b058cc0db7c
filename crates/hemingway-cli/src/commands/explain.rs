//! `explain`: why each decision was taken, and what came of it.

mod chapter;
mod plot;

use std::path::PathBuf;

use anyhow::Result;
use hemingway::record::journal::Event;
use hemingway::record::store::Store;
use hemingway::train::{History, Purpose, Replay, Summary, replay};
use serde_json::{Value, json};

use super::exit;
use crate::args::ExplainArgs;
use crate::jobs;
use crate::output::{Answer, Output};
use crate::show::{Align, Basis, Paint, PlanTable, Table, number};
use chapter::{Chapter, chapters};

/// Tells the story of a run from its journal.
pub(super) fn explain(args: &ExplainArgs, out: &mut dyn Output) -> Result<u8> {
    let dir = Store::at(&args.store.store).find(&args.run)?;
    let events = dir.events()?;
    let waiting = out.wait("reading the journal");
    let replayed = if args.replay { Some(replay(&events)?) } else { None };
    let summary = events.iter().rev().find_map(|event| match event {
        Event::Finished { summary } => Some((**summary).clone()),
        _ => None,
    });
    let history = jobs::history(&dir)?;
    drop(waiting);
    if let Some(path) = &args.plot {
        plot::save(path, &history, &events)?;
        out.say(&format!("the run is drawn in {}", path.display()));
    }
    let plot = args.plot.clone();
    let story = Story { history, chapters: chapters(&events), summary, all: args.all, replayed, plot };
    out.answer(&story)?;
    let differs = story.replayed.as_ref().is_some_and(|replay| !replay.differences.is_empty());
    Ok(if differs { exit::ERROR } else { exit::MET })
}

struct Story {
    history: History,
    chapters: Vec<Chapter>,
    summary: Option<Summary>,
    all: bool,
    replayed: Option<Replay>,
    plot: Option<PathBuf>,
}

impl Answer for Story {
    fn json(&self) -> Value {
        json!({
            "run": self.history.id,
            "goal": self.history.spec.goal.sentence(),
            "decisions": self.chapters.iter().map(|chapter| chapter.json(self.reached())).collect::<Vec<_>>(),
            "switches": self.summary.as_ref().map(|summary| &summary.switches),
            "summary": self.summary,
            "plot": self.plot,
            "replay": self.replayed.as_ref().map(|replay| json!({
                "decisions": replay.decisions,
                "equal": replay.differences.is_empty(),
                "differences": replay.differences.iter().map(|(number, recorded, now)| {
                    json!({ "number": number, "recorded": recorded, "now": now })
                }).collect::<Vec<_>>(),
            })),
        })
    }

    fn human(&self, paint: Paint) -> String {
        let mut text = format!("{}\nGoal: {}\n\n", paint.bold(&self.history.id), self.history.spec.goal.sentence());
        let mut told = 0;
        for chapter in &self.chapters {
            text.push_str(&chapter.human(paint));
            if chapter.is_the_choice() {
                text.push_str(&self.plan(chapter, told, paint));
            }
            told = chapter.records_by_its_end;
        }
        text.push_str(&self.comparison(paint));
        text.push_str(&self.ending());
        text.push_str(&self.replay_words(paint));
        text
    }

    fn quiet(&self) -> String {
        let equal = |replay: &Replay| if replay.differences.is_empty() { "equal" } else { "different" };
        match (&self.replayed, &self.summary) {
            (Some(replay), _) => equal(replay).into(),
            (None, Some(summary)) => summary.why.clone(),
            (None, None) => "unfinished".into(),
        }
    }
}

impl Story {
    /// The training seconds at which the goal was met, and in which run.
    fn reached(&self) -> Option<(&str, f64)> {
        let summary = self.summary.as_ref().filter(|summary| summary.goal_met)?;
        let trained = |chapter: &&Chapter| chapter.purpose() == Some(Purpose::Train);
        let last = self.chapters.iter().rev().find(trained)?;
        Some((last.run()?, summary.real_seconds))
    }

    fn plan(&self, chapter: &Chapter, records: usize, paint: Paint) -> String {
        let Some(plan) = chapter.plan() else { return String::new() };
        let basis = Basis::of_records(&self.history.records[..records]);
        let (goal, simulated) = (&self.history.spec.goal, self.history.facts.simulated);
        let table = PlanTable { plan, goal, basis: &basis, simulated, all: self.all }.text(paint);
        format!("\n{table}\n")
    }

    /// Predicted against real, for every frame of training that was predicted.
    fn comparison(&self, paint: Paint) -> String {
        let frames: Vec<&Chapter> = self.chapters.iter().filter(|chapter| chapter.predicts()).collect();
        if frames.is_empty() {
            return String::new();
        }
        let unit = number::Unit::of_all(frames.iter().filter_map(|c| Some(c.promised_pace()?.mid)));
        let total = number::Unit::of_all(frames.iter().filter_map(|c| Some(c.promised_seconds()?.mid)));
        let mut table = Table::new([
            ("#".into(), Align::Right),
            ("frame".into(), Align::Left),
            ("rounds".into(), Align::Right),
            (format!("{}/round predicted", unit.name), Align::Right),
            ("real".into(), Align::Right),
            (format!("{} to the goal predicted", total.name), Align::Right),
            ("real".into(), Align::Right),
        ]);
        let shown =
            |value: Option<f64>, unit: number::Unit| value.map_or_else(|| number::UNKNOWN.into(), |v| unit.number(v));
        for frame in frames {
            table.row([
                frame.number.to_string(),
                frame.config().map_or_else(String::new, ToString::to_string),
                frame.rounds_words(),
                number::interval(frame.promised_pace(), |s| unit.number(s)),
                shown(frame.real_pace(), unit),
                number::interval(frame.promised_seconds(), |s| total.number(s)),
                shown(frame.real_seconds(self.reached()), total),
            ]);
        }
        let virtual_word = if self.history.facts.simulated { " (virtual seconds)" } else { "" };
        format!("\nPredicted against real, frame by frame{virtual_word}\n{}", table.text("  ", paint))
    }

    fn ending(&self) -> String {
        match &self.summary {
            Some(summary) => format!("\nIt ended: {}. {}\n", summary.ending.words(), sentence(&summary.why)),
            None => format!("\nIt has not ended: hemingway train --resume {}\n", self.history.id),
        }
    }

    fn replay_words(&self, paint: Paint) -> String {
        let Some(replay) = &self.replayed else { return String::new() };
        let decisions = number::counted(replay.decisions, "decision");
        if replay.differences.is_empty() {
            return format!("\nReplay: {} ({decisions} taken again from the journal)\n", paint.green("equal"));
        }
        let mut text = format!("\nReplay: {} in {} of {decisions}\n", paint.red("different"), replay.differences.len());
        for (number, recorded, now) in &replay.differences {
            text.push_str(&format!(
                "  #{number} was  {}\n  #{number} now  {}\n",
                chapter::told(recorded),
                chapter::told(now)
            ));
        }
        text
    }
}

fn sentence(words: &str) -> String {
    let mut letters = words.chars();
    letters.next().map_or(String::new(), |first| format!("{}{}.", first.to_uppercase(), letters.as_str()))
}
