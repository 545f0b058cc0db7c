//! `sync explain`: exchange by exchange and link by link.

use std::collections::HashSet;
use std::path::Path;

use anyhow::Result;
use hemingway::sync::Stage;
use hemingway::sync::analytic::{Forecast, Span, forecast};
use hemingway::sync::stage::Play;
use serde_json::{Value, json};

use super::super::exit;
use super::simulate::links;
use super::{timeline, words};
use crate::args::PlaceArgs;
use crate::output::{Answer, Output};
use crate::show::{Align, Paint, Table, number, picture};

/// Exchanges and links shown.
const SHOWN: usize = 12;
const LINKS: usize = 6;

/// Explains.
pub(super) fn explain(
    place: &PlaceArgs,
    name: &String,
    plot: Option<&Path>,
    all: bool,
    out: &mut dyn Output,
) -> Result<u8> {
    let (stage, cluster) = super::stage(place, std::slice::from_ref(name))?;
    let strategy = super::strategy(&stage, name)?;
    let play = stage.play(&strategy)?;
    let forecast = forecast(&stage, &play);
    let heading = format!("{}: {}", super::heading(&stage, &cluster), strategy.name);
    if let Some(path) = plot {
        picture::save(path, &timeline::picture(&heading, &play, &forecast))?;
    }
    let file = plot.map(|path| path.display().to_string());
    out.answer(&Explained { stage: &stage, play, forecast, heading, file, all })?;
    Ok(exit::MET)
}

struct Explained<'a> {
    stage: &'a Stage,
    play: Play,
    forecast: Forecast,
    heading: String,
    file: Option<String>,
    all: bool,
}

impl Explained<'_> {
    /// What a group holds: its first variable, and how many more, however many shards of each there are.
    fn holds(&self, span: &Span) -> String {
        let pieces = &self.play.layout.groups[span.group].pieces;
        let first = pieces.first().map_or("", |piece| &self.stage.model.variables[piece.variable].name);
        let variables: HashSet<usize> = pieces.iter().map(|piece| piece.variable).collect();
        if variables.len() > 1 { format!("{first} and {} more", variables.len() - 1) } else { first.into() }
    }

    fn exchanges(&self, paint: Paint) -> String {
        let mut spans = self.forecast.spans.clone();
        spans.sort_by(|a, b| b.end.total_cmp(&a.end).then(a.group.cmp(&b.group)));
        let shown = if self.all { spans.len() } else { SHOWN.min(spans.len()) };
        let heads = [("exchange", Align::Left), ("by", Align::Left), ("MB", Align::Right), ("ready, ms", Align::Right)];
        let mut table = Table::new(heads.into_iter().chain([("begins", Align::Right), ("ends", Align::Right)]));
        for span in &spans[..shown] {
            let group = &self.play.layout.groups[span.group];
            let [ready, begin, end] = [span.ready, span.begin, span.end].map(|s| number::digits(1e3 * s));
            table.row([self.holds(span), group.by.to_string(), number::digits(group.bytes() / 1e6), ready, begin, end]);
        }
        let more = spans.len() - shown;
        let rest = if more > 0 { format!("  {more} more that end before, with --all\n") } else { String::new() };
        format!("{}{rest}", table.text("  ", paint))
    }

    fn busy(&self, paint: Paint) -> String {
        let mut table =
            Table::new([("link", Align::Left), ("busy, ms", Align::Right), ("% of the step", Align::Right)]);
        for (name, busy) in links(self.stage, &self.forecast, LINKS) {
            table.row([name, number::digits(1e3 * busy), format!("{:.0}", 100.0 * busy / self.forecast.seconds)]);
        }
        let more = links(self.stage, &self.forecast, usize::MAX).len().saturating_sub(LINKS);
        let rest = match more {
            0 => String::new(),
            more => format!("  {}, none of them busier\n", number::counted(more, "more link")),
        };
        format!("{}{rest}", table.text("  ", paint))
    }
}

impl Answer for Explained<'_> {
    fn json(&self) -> Value {
        let span = |span: &Span| {
            let group = &self.play.layout.groups[span.group];
            json!({
                "group": group.id,
                "by": group.by,
                "bytes": group.bytes(),
                "ready_seconds": span.ready,
                "begin_seconds": span.begin,
                "end_seconds": span.end,
            })
        };
        let links = links(self.stage, &self.forecast, usize::MAX);
        json!({
            "seconds": self.forecast.seconds,
            "compute_seconds": self.forecast.compute,
            "bound_seconds": self.stage.bound(),
            "waits_for": super::reason(self.stage, &self.forecast),
            "lossless": words::losses(&self.play).is_none(),
            "exchanges": self.forecast.spans.iter().map(span).collect::<Vec<_>>(),
            "links": links.iter().map(|(name, busy)| json!({ "name": name, "busy_seconds": busy })).collect::<Vec<_>>(),
            "engine": "analytic",
            "plot": self.file,
        })
    }

    fn human(&self, paint: Paint) -> String {
        let (under, after) = self.forecast.overlap();
        let [step, compute, under, after] =
            [self.forecast.seconds, self.forecast.compute, under, after].map(number::seconds);
        let drawn = self.file.as_ref().map_or_else(String::new, |file| format!("\ndrawn  {file}"));
        let loss = words::losses(&self.play);
        let loss = loss.map_or_else(String::new, |losses| format!("\nIt is not lossless: {losses}."));
        format!(
            "{}\n\nA step takes {step} on paper. Machines compute for {compute}; exchanges go on for {under} meanwhile and for \
             {after} after.\nIt waits for {}.{loss}\n\n{}\n{}{drawn}",
            self.heading,
            super::reason(self.stage, &self.forecast),
            self.exchanges(paint),
            self.busy(paint),
        )
    }

    fn quiet(&self) -> String {
        super::reason(self.stage, &self.forecast)
    }
}
