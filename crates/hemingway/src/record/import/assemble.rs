//! From rows of a file to traces.

use std::collections::HashMap;

use crate::record::trace::{Point, Trace, starts_fresh};

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
    pub(super) line: usize,
    pub(super) context: String,
    pub(super) problem: String,
    pub(super) run: Option<String>,
    pub(super) cluster: String,
    pub(super) machines: usize,
    pub(super) rows: Option<usize>,
    pub(super) fraction: Option<f64>,
    pub(super) round: Option<u64>,
    pub(super) clock: Option<Clock>,
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

    fn follows(&self, before: &Row) -> bool {
        if self.is_alone() || self.fixed() != before.fixed() {
            return false;
        }
        match (before.round, self.round, before.clock, self.clock) {
            (Some(before), Some(after), ..) => after > before,
            (_, _, Some(Clock::Elapsed(before)), Some(Clock::Elapsed(after))) => after >= before,
            _ => true,
        }
    }
}

/// Groups rows into traces. Without a fraction, rows are measured against the most any row of the problem has.
pub(super) fn assemble(rows: Vec<Row>) -> Vec<Trace> {
    let mut full: HashMap<String, usize> = HashMap::new();
    let mut groups: Vec<Vec<Row>> = Vec::new();
    let mut places = HashMap::new();
    for row in rows {
        let most = full.entry(row.problem.clone()).or_default();
        *most = (*most).max(row.rows.unwrap_or(0));
        let place = *places.entry(row.group()).or_insert(groups.len());
        if place == groups.len() {
            groups.push(Vec::new());
        }
        groups[place].push(row);
    }
    let pieces = groups.iter().flat_map(|rows| rows.chunk_by(|a, b| b.follows(a)).enumerate());
    pieces.map(|(place, piece)| trace(piece, place, full[&piece[0].problem])).collect()
}

fn trace(rows: &[Row], place: usize, full: usize) -> Trace {
    let head = &rows[0];
    let round = |place: usize| rows[place].round.unwrap_or(place as u64 + 1);
    let continued = head.run.is_some() && place > 0;
    let fresh = !continued && starts_fresh(round(0), (rows.len() > 1).then(|| round(1)));
    let by_rows = || Some(head.rows? as f64 / full as f64);
    Trace {
        context: head.context.clone(),
        problem: head.problem.clone(),
        run: match &head.run {
            Some(run) if head.file == 0 => run.clone(),
            Some(run) => format!("{}:{run}", head.file + 1),
            None => format!("{}:{}", head.file + 1, head.line),
        },
        cluster: head.cluster.clone(),
        machines: head.machines,
        rows: head.rows,
        fraction: head.fraction.or_else(by_rows).unwrap_or(1.0),
        fresh,
        points: points(rows, round, fresh),
    }
}

fn points(rows: &[Row], round: impl Fn(usize) -> u64, fresh: bool) -> Vec<Point> {
    let mut elapsed = 0.0;
    let mut before = if fresh { 0 } else { round(0).saturating_sub(1) };
    let point = |(place, row): (usize, &Row)| {
        let now = round(place);
        let seconds = row.clock.map(|clock| match clock {
            Clock::Elapsed(seconds) => seconds,
            Clock::Round(seconds) => elapsed + seconds * now.saturating_sub(before) as f64,
        });
        elapsed = seconds.unwrap_or(elapsed);
        before = now;
        Point { round: now, seconds, objective: row.objective, lower_bound: row.lower_bound }
    };
    rows.iter().enumerate().map(point).collect()
}
