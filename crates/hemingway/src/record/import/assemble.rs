//! From rows of a file to traces.

use std::collections::HashMap;
use std::hash::Hash;
use std::path::Path;

use crate::Error;
use crate::record::Phases;
use crate::record::trace::{Point, Trace, starts_fresh};

/// Where in its file a row is, counted from 1.
#[derive(Debug, Clone, Copy)]
pub(super) enum At {
    /// In a file of text.
    Line(usize),
    /// In a file of columns.
    #[cfg_attr(not(feature = "parquet"), expect(dead_code))]
    Row(usize),
}

impl At {
    fn number(self) -> usize {
        match self {
            Self::Line(number) | Self::Row(number) => number,
        }
    }

    /// What is wrong there.
    pub(super) fn error(self, path: &Path, what: String) -> Error {
        match self {
            Self::Line(line) => Error::data(path, line, what),
            Self::Row(row) => Error::file(path, format!("row {row}: {what}")),
        }
    }
}

/// How a row tells the time.
#[derive(Debug, Clone, Copy)]
pub(super) enum Clock {
    /// Seconds of one round.
    Round(f64),
    /// Seconds since the run began.
    Elapsed(f64),
}

/// One row as read.
#[derive(Debug, Clone)]
pub(super) struct Row {
    pub(super) file: usize,
    pub(super) at: At,
    pub(super) context: String,
    pub(super) problem: String,
    pub(super) run: Option<String>,
    pub(super) cluster: String,
    pub(super) machines: usize,
    pub(super) rows: Option<usize>,
    pub(super) fraction: Option<f64>,
    pub(super) round: Option<u64>,
    pub(super) clock: Option<Clock>,
    /// Seconds of compute, wait and sync, counted as the clock counts.
    pub(super) phases: Option<[f64; 3]>,
    pub(super) objective: Option<f64>,
    pub(super) lower_bound: Option<f64>,
}

/// Everything that is the same within a trace.
#[derive(PartialEq, Eq, Hash, Clone)]
struct Fixed {
    context: String,
    problem: String,
    cluster: String,
    machines: usize,
    rows: Option<usize>,
    fraction: Option<u64>,
}

/// The rows of one named run stay together; without names, rows that agree in everything fixed do. Both file by file:
/// stores count their runs from 1, so that names recur.
#[derive(PartialEq, Eq, Hash)]
enum Group {
    Run(usize, String),
    Alike(usize, Fixed),
}

/// Rounds of several runs so mixed up that nobody can tell whose they are, first seen in this row.
#[derive(Debug)]
pub(super) struct Tangle {
    pub(super) file: usize,
    pub(super) at: At,
}

impl Row {
    fn fixed(&self) -> Fixed {
        Fixed {
            context: self.context.clone(),
            problem: self.problem.clone(),
            cluster: self.cluster.clone(),
            machines: self.machines,
            rows: self.rows,
            fraction: self.fraction.map(f64::to_bits),
        }
    }

    fn group(&self) -> Group {
        match &self.run {
            Some(run) => Group::Run(self.file, run.clone()),
            None => Group::Alike(self.file, self.fixed()),
        }
    }

    /// A measurement that says nothing of its place in a run is one of its own.
    fn is_alone(&self) -> bool {
        self.run.is_none() && self.round.is_none() && self.objective.is_none() && self.lower_bound.is_none()
    }

    /// Whether it may belong to the run that `before` is of: rounds and time go on.
    fn goes_on(&self, before: &Row) -> bool {
        match (before.round, self.round, before.clock, self.clock) {
            _ if self.is_alone() => false,
            (Some(before), Some(after), ..) => after > before,
            (_, _, Some(Clock::Elapsed(before)), Some(Clock::Elapsed(after))) => after >= before,
            _ => true,
        }
    }
}

/// Groups rows into traces. Without a fraction, rows are measured against the most any row of the problem has.
pub(super) fn assemble(rows: Vec<Row>) -> Result<Vec<Trace>, Tangle> {
    let mut full: HashMap<String, usize> = HashMap::new();
    for row in &rows {
        let most = full.entry(row.problem.clone()).or_default();
        *most = (*most).max(row.rows.unwrap_or(0));
    }
    let mut traces = Vec::new();
    for group in grouped(rows, Row::group) {
        for (name, run) in runs(group)? {
            let stretches = run.chunk_by(|a, b| a.fixed() == b.fixed()).enumerate();
            traces.extend(stretches.map(|(place, rows)| trace(&name, rows, place == 0, full[&rows[0].problem])));
        }
    }
    Ok(traces)
}

/// Rows with the same key together, in order of appearance.
fn grouped<K: Eq + Hash>(rows: Vec<Row>, key: impl Fn(&Row) -> K) -> Vec<Vec<Row>> {
    let (mut groups, mut places): (Vec<Vec<Row>>, _) = (Vec::new(), HashMap::new());
    for row in rows {
        let place = *places.entry(key(&row)).or_insert(groups.len());
        if place == groups.len() {
            groups.push(Vec::new());
        }
        groups[place].push(row);
    }
    groups
}

/// The runs among the rows of a group, with their names. A name whose rounds recur on other machines or with another
/// algorithm counts repeats; otherwise it is one run that has changed its configuration.
fn runs(group: Vec<Row>) -> Result<Vec<(String, Vec<Row>)>, Tangle> {
    let parts = if most_repeated(&group) > 1 { grouped(group, Row::fixed) } else { vec![group] };
    let mut runs: Vec<(String, Vec<Row>)> = Vec::new();
    for part in parts {
        let part = by_round(part);
        let pieces: Vec<&[Row]> = part.chunk_by(|a, b| b.goes_on(a)).collect();
        let tangled = |piece: &&&[Row]| !begins(piece);
        if pieces.len() > most_repeated(&part)
            && let Some(piece) = pieces.iter().filter(|piece| piece[0].round.is_some()).find(tangled)
        {
            return Err(Tangle { file: piece[0].file, at: piece[0].at });
        }
        for piece in pieces {
            runs.push((name(&piece[0], runs.is_empty()), piece.to_vec()));
        }
    }
    Ok(runs)
}

/// How often the most frequent round is there.
fn most_repeated(rows: &[Row]) -> usize {
    let mut rounds: Vec<u64> = rows.iter().filter_map(|row| row.round).collect();
    rounds.sort_unstable();
    rounds.chunk_by(|a, b| a == b).map(<[u64]>::len).max().unwrap_or(0)
}

/// Rows of one run that were written out of order, in order: every round is known and there once, and time agrees.
fn by_round(rows: Vec<Row>) -> Vec<Row> {
    let mut sorted = rows.clone();
    sorted.sort_by_key(|row| row.round);
    let elapsed = sorted.iter().filter_map(|row| row.clock).filter_map(|clock| match clock {
        Clock::Elapsed(seconds) => Some(seconds),
        Clock::Round(_) => None,
    });
    let known = rows.iter().all(|row| row.round.is_some());
    if known && most_repeated(&rows) == 1 && elapsed.is_sorted() { sorted } else { rows }
}

fn begins(rows: &[Row]) -> bool {
    let round = |place: usize| rows.get(place).map(|row| row.round.unwrap_or(place as u64 + 1));
    starts_fresh(round(0).unwrap_or(0), round(1))
}

fn name(head: &Row, first: bool) -> String {
    match &head.run {
        Some(run) if first && head.file == 0 => run.clone(),
        Some(run) if first => format!("{}:{run}", head.file + 1),
        Some(run) => format!("{}:{run}:{}", head.file + 1, head.at.number()),
        None => format!("{}:{}", head.file + 1, head.at.number()),
    }
}

/// One stretch of a run; only the first can begin at the beginning.
fn trace(run: &str, rows: &[Row], first: bool, full: usize) -> Trace {
    let head = &rows[0];
    let fresh = first && begins(rows);
    let by_rows = || Some(head.rows? as f64 / full as f64);
    Trace {
        context: head.context.clone(),
        problem: head.problem.clone(),
        run: run.into(),
        cluster: head.cluster.clone(),
        machines: head.machines,
        rows: head.rows,
        fraction: head.fraction.or_else(by_rows).unwrap_or(1.0),
        fresh,
        phases: phases(rows, fresh),
        points: points(rows, fresh),
    }
}

fn phases(rows: &[Row], fresh: bool) -> Option<Phases> {
    let mut spent = Vec::new();
    for (place, row) in rows.iter().enumerate() {
        let ([compute, wait, sync], round) = (row.phases?, row.round.unwrap_or(place as u64 + 1));
        spent.push(match row.clock? {
            Clock::Elapsed(train) => (round, [train, compute, wait, sync]),
            // Of single rounds only the means are asked for: sums over the rows, counted as so many rounds.
            Clock::Round(train) => {
                let sum = spent.last().map_or([0.0; 4], |last: &(u64, [f64; 4])| last.1);
                (place as u64 + 1, [sum[0] + train, sum[1] + compute, sum[2] + wait, sum[3] + sync])
            }
        });
    }
    let from_zero = fresh || matches!(rows[0].clock, Some(Clock::Round(_)));
    Phases::between(if from_zero { (0, [0.0; 4]) } else { *spent.first()? }, *spent.last()?)
}

fn points(rows: &[Row], fresh: bool) -> Vec<Point> {
    let round = |place: usize| rows[place].round.unwrap_or(place as u64 + 1);
    let mut elapsed = 0.0;
    let mut before = if fresh { 0 } else { round(0).saturating_sub(1) };
    let point = |(place, row): (usize, &Row)| {
        let now = round(place);
        let seconds = row.clock.map(|clock| match clock {
            Clock::Elapsed(seconds) => seconds,
            Clock::Round(seconds) => elapsed + seconds * now.saturating_sub(before) as f64,
        });
        // A round without a time took about as long as the next that has one.
        if let Some(seconds) = seconds {
            (elapsed, before) = (seconds, now);
        }
        Point { round: now, seconds, objective: row.objective, lower_bound: row.lower_bound }
    };
    rows.iter().enumerate().map(point).collect()
}
