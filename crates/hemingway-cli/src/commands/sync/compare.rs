//! `sync compare`: builders and strategies side by side.

use anyhow::Result;
use hemingway::sync::analytic::forecast;
use hemingway::sync::builders::describe;
use hemingway::sync::search::{Interval, measured, tuned};
use serde_json::{Value, json};

use super::super::exit;
use super::words;
use crate::args::{JudgeArgs, PlaceArgs};
use crate::output::{Answer, Output};
use crate::show::{Align, Paint, Table, number};

/// A row: name, time, time on paper, what it is.
pub(super) type Row = (String, Interval, f64, String);

/// Compares.
pub(super) fn compare(place: &PlaceArgs, judge: &JudgeArgs, files: &[String], out: &mut dyn Output) -> Result<u8> {
    let (stage, cluster) = super::stage_of_several(place, files)?;
    let given = files.iter().map(|file| Ok((file, super::strategy(&stage, file)?))).collect::<Result<Vec<_>>>()?;
    let mut rows = Vec::new();
    let waiting = out.wait("running builders with their settings");
    let mut judge = super::judge(&stage, judge);
    for (file, strategy) in given {
        let play = stage.play(&strategy)?;
        let paper = forecast(&stage, &play).seconds;
        rows.push((file.clone(), measured(&mut judge, &strategy)?, paper, format!("based on {}", words::kinds(&play))));
    }
    for built in tuned(&stage, &mut judge)? {
        let seconds = measured(&mut judge, &built.strategy)?;
        rows.push((built.name.into(), seconds, built.forecast(), describe(built.name).into()));
    }
    drop(waiting);
    rows.sort_by(|a, b| a.1.mid.total_cmp(&b.1.mid));
    let heading = super::heading(&stage, &cluster);
    out.answer(&Compared { heading, rows, bound: stage.bound(), engine: judge.engine().to_string() })?;
    Ok(exit::MET)
}

/// Times in one unit, and how far each is above the bound; the first row is the one to look at.
pub(super) fn table(rows: &[Row], bound: f64, paint: Paint) -> String {
    let unit = number::Unit::of_all(rows.iter().map(|row| row.1.mid));
    let mut table = Table::new([
        ("strategy".to_string(), Align::Left),
        (format!("{}/step", unit.name), Align::Right),
        (format!("on paper, {}", unit.name), Align::Right),
        ("× bound".to_string(), Align::Right),
        (String::new(), Align::Left),
    ]);
    for (place, (name, seconds, paper, words)) in rows.iter().enumerate() {
        let [low, mid, high] = [seconds.low, seconds.mid, seconds.high].map(|s| unit.number(s));
        let above = format!("{:.2}", seconds.mid / bound);
        let cells = [name.clone(), format!("{mid} ({low}–{high})"), unit.number(*paper), above, words.clone()];
        if place == 0 { table.bright(cells) } else { table.row(cells) }
    }
    table.text("  ", paint)
}

struct Compared {
    heading: String,
    rows: Vec<Row>,
    bound: f64,
    engine: String,
}

impl Answer for Compared {
    fn json(&self) -> Value {
        let row =
            |(name, seconds, paper, _): &Row| json!({ "name": name, "seconds": seconds, "forecast_seconds": paper });
        json!({
            "strategies": self.rows.iter().map(row).collect::<Vec<_>>(),
            "bound_seconds": self.bound,
            "engine": self.engine,
        })
    }

    fn human(&self, paint: Paint) -> String {
        format!(
            "{}\non {}\n\n{}\n  (low–high): fastest and slowest of 5 trials   bound: {}, below which none can be without loss",
            self.heading,
            self.engine,
            table(&self.rows, self.bound, paint),
            number::seconds(self.bound),
        )
    }

    fn quiet(&self) -> String {
        self.rows.first().map_or_else(String::new, |row| row.0.clone())
    }
}
