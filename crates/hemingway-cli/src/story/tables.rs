//! A run in tables: its frames, and what was predicted of them.

use super::{Chapter, Part, Spending, Story};
use crate::show::number::{self, Unit};
use crate::show::{Align, Table};

impl Story {
    /// Every decision: what was done, where it led, and why.
    pub(crate) fn timeline(&self) -> Table {
        let unit = Unit::of_all(self.chapters.iter().map(Chapter::seconds));
        let mut table = Table::new([
            ("#".into(), Align::Right),
            ("what".into(), Align::Left),
            ("configuration".into(), Align::Left),
            ("rounds".into(), Align::Right),
            (self.headed(unit, ""), Align::Right),
            (self.error_head().into(), Align::Left),
            ("why".into(), Align::Left),
        ]);
        for chapter in &self.chapters {
            let ran = chapter.last.is_some();
            let timed = ran || !chapter.rehearsals.is_empty();
            table.row([
                chapter.number.to_string(),
                chapter.verb.into(),
                chapter.subject(),
                if ran { chapter.rounds_words() } else { String::new() },
                if timed { unit.number(chapter.seconds()) } else { String::new() },
                self.way(chapter),
                chapter.why().into(),
            ]);
        }
        table
    }

    /// While it ran, the same rounds may have shown another error, or none: once it has ended all are told by its last P̂.
    fn error_head(&self) -> &'static str {
        if self.ended().is_some() { "est. error (in hindsight)" } else { "estimated error" }
    }

    /// `3.1e-2 → 4.0e-3`.
    fn way(&self, chapter: &Chapter) -> String {
        let ends = chapter.start().zip(chapter.last.as_ref());
        let error = |objective: f64| number::maybe_error(self.error(objective));
        ends.map_or_else(String::new, |(start, last)| format!("{} → {}", error(start.objective), error(last.objective)))
    }

    /// Predicted against real, for every frame of training that was predicted.
    pub(crate) fn comparison(&self) -> Option<Table> {
        let frames: Vec<&Chapter> = self.chapters.iter().filter(|chapter| chapter.predicts()).collect();
        let unit = Unit::of_all(frames.iter().filter_map(|c| Some(c.promised_pace()?.mid)));
        let total = Unit::of_all(frames.iter().filter_map(|c| Some(c.promised_seconds()?.mid)));
        let mut table = Table::new([
            ("#".into(), Align::Right),
            ("frame".into(), Align::Left),
            ("rounds".into(), Align::Right),
            (format!("{}/round predicted", unit.name), Align::Right),
            ("real".into(), Align::Right),
            (format!("{} to the goal predicted", total.name), Align::Right),
            ("real".into(), Align::Right),
        ]);
        let shown = |value: Option<f64>, unit: Unit| value.map_or_else(|| number::UNKNOWN.into(), |v| unit.number(v));
        for frame in &frames {
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
        (!frames.is_empty()).then_some(table)
    }

    fn headed(&self, unit: Unit, words: &str) -> String {
        let virtual_word = if self.history.facts.simulated { "virtual " } else { "" };
        format!("{words}{virtual_word}{}", unit.name)
    }
}

impl Spending {
    /// Where the seconds went, and the money where there is a price.
    pub(crate) fn table(&self, simulated: bool) -> Table {
        let unit = Unit::of(self.wall_seconds);
        let virtual_word = if simulated { "virtual " } else { "" };
        let heads = ["frames", "rounds", "in rounds", "compute", "wait", "sync", "other", "evaluation", "moving rows"];
        let first = [(format!("{virtual_word}{}", unit.name), Align::Left)];
        let cost = self.dollars.map(|_| "cost");
        let heads_of_sums = ["together"].into_iter().chain(cost);
        let columns = heads.into_iter().chain(heads_of_sums).map(|head| (head.to_string(), Align::Right));
        let mut table = Table::new(first.into_iter().chain(columns));
        let sums = |seconds: f64, dollars: Option<f64>| {
            let dollars = dollars.map_or_else(String::new, number::dollars);
            [unit.number(seconds)].into_iter().chain(cost.map(|_| dollars))
        };
        for (name, part) in self.parts().into_iter().filter(|(_, part)| part.frames > 0) {
            table.row(part.cells(name, unit).into_iter().chain(sums(part.seconds(), part.dollars)));
        }
        let blank = || std::iter::repeat_n(String::new(), heads.len());
        let whole = |name: &str, seconds: f64, dollars: Option<f64>| {
            [name.to_string()].into_iter().chain(blank()).chain(sums(seconds, dollars))
        };
        if self.other_clusters_seconds > 0.0 {
            let (seconds, dollars) = (self.other_clusters_seconds, self.other_clusters_dollars);
            table.row(whole("plans on other clusters", seconds, dollars));
        }
        if self.other_seconds > 0.0 {
            table.row(whole("loading and the rest", self.other_seconds, None));
        }
        table.bright(whole("in all", self.wall_seconds, self.dollars));
        table
    }

    fn parts(&self) -> [(&'static str, &Part); 3] {
        [("probes", &self.probes), ("rehearsals", &self.rehearsals), ("training", &self.training)]
    }
}

impl Part {
    fn cells(&self, name: &str, unit: Unit) -> Vec<String> {
        let counts = [name.into(), self.frames.to_string(), number::count(self.rounds as usize)];
        let split = self.split.as_ref().map(|split| [split.compute, split.wait, split.sync, split.other]);
        let split = split.map_or_else(Default::default, |parts| parts.map(|seconds| unit.number(seconds)));
        let [rounds, evaluation, moving] =
            [self.train_seconds, self.eval_seconds, self.load_seconds].map(|seconds| unit.number(seconds));
        counts.into_iter().chain([rounds]).chain(split).chain([evaluation, moving]).collect()
    }
}
