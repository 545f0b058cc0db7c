//! Who holds what, and how rows get from one rank to another: straight, never by way of a third.

use std::ops::Range;
use std::sync::Arc;

use hemingway::Result;
use hemingway::data::{Dataset, Matrix};

use crate::parcel::{Shape, pack, pieces, unpack};
use crate::wire::{Tag, Wire};

/// Rows, or columns, that this rank holds: `first..first + data.rows()` of all.
#[derive(Debug, Clone)]
pub(crate) struct Part {
    pub(crate) data: Arc<Dataset>,
    pub(crate) first: usize,
}

/// Rows as they were read or dealt out, before any engine moved them.
#[derive(Debug, Clone)]
pub(crate) struct Home {
    pub(crate) part: Part,
    /// What each rank holds.
    pub(crate) ranges: Vec<Range<usize>>,
    /// The leader read them all, and needs nothing from anyone.
    pub(crate) leader_has_all: bool,
}

impl Home {
    /// Rows of all ranks.
    fn rows(&self) -> usize {
        self.ranges.last().map_or(0, |last| last.end)
    }
}

impl Part {
    /// Those of the rows that this rank holds, by their numbers here.
    pub(crate) fn local(&self, rows: &Range<usize>) -> Range<usize> {
        rows.start - self.first..rows.end - self.first
    }

    fn holds(&self, rows: &Range<usize>) -> bool {
        self.first <= rows.start && rows.end <= self.first + self.data.rows()
    }
}

/// The rank of each worker: they are contiguous, and the first is the leader's.
pub(crate) fn owners(machines: usize, ranks: usize) -> Vec<usize> {
    (0..machines).map(|worker| worker * ranks / machines).collect()
}

/// What each rank holds if each worker holds its range.
pub(crate) fn ranges(owners: &[usize], ranks: usize, shard: impl Fn(usize) -> Range<usize>) -> Vec<Range<usize>> {
    let of_rank = |rank| {
        let (first, end) = (owners.partition_point(|o| *o < rank), owners.partition_point(|o| *o <= rank));
        match first < end {
            true => shard(first).start..shard(end - 1).end,
            // Idle ranks hold nothing, at the place where their rows would be.
            false => first.checked_sub(1).map_or(0..0, |before| shard(before).end..shard(before).end),
        }
    };
    (0..ranks).map(of_rank).collect()
}

fn overlap(a: &Range<usize>, b: &Range<usize>) -> Range<usize> {
    let (start, end) = (a.start.max(b.start), a.end.min(b.end));
    start..end.max(start)
}

/// All pairs of ranks between which something moves, in one order for everybody, so that nobody waits in a circle.
fn journeys<'a>(
    from: &'a [Range<usize>],
    to: &'a [Range<usize>],
) -> impl Iterator<Item = (usize, usize, Range<usize>)> + 'a {
    let pairs = (0..from.len()).flat_map(move |a| (0..to.len()).map(move |b| (a, b)));
    pairs.map(|(a, b)| (a, b, overlap(&from[a], &to[b]))).filter(|(_, _, rows)| !rows.is_empty())
}

/// Brings rows from where they are to where they are wanted.
pub(crate) fn move_rows(
    wire: &Wire,
    part: &Part,
    from: &[Range<usize>],
    to: &[Range<usize>],
    leader_has_all: bool,
) -> Result<Part> {
    let wanted = &to[wire.rank];
    let stays = part.holds(wanted);
    let mut arrived = Shape::of(&part.data).empty();
    for (a, b, rows) in journeys(from, to) {
        if leader_has_all && b == 0 {
            continue;
        }
        match (a == wire.rank, b == wire.rank) {
            (true, false) => send_rows(wire, b, &part.data, part.local(&rows)),
            (true, true) if !stays => {
                unpack(&pack(&part.data, part.local(&rows)), &mut arrived)?;
            }
            (false, true) => receive_rows(wire, a, rows.len(), &mut arrived)?,
            _ => {}
        }
    }
    Ok(if stays { part.clone() } else { Part { data: Arc::new(arrived), first: wanted.start } })
}

/// The same of the numbers that rows have, `width` each.
pub(crate) fn move_items(
    wire: &Wire,
    items: &[f64],
    width: usize,
    from: &[Range<usize>],
    to: &[Range<usize>],
) -> Vec<f64> {
    let (mine, wanted) = (&from[wire.rank], &to[wire.rank]);
    let mut arrived = vec![0.0; wanted.len() * width];
    let within =
        |rows: &Range<usize>, all: &Range<usize>| (rows.start - all.start) * width..(rows.end - all.start) * width;
    for (a, b, rows) in journeys(from, to).filter(|_| width > 0) {
        match (a == wire.rank, b == wire.rank) {
            (true, true) => arrived[within(&rows, wanted)].copy_from_slice(&items[within(&rows, mine)]),
            (true, false) => wire.send_numbers(&[b], &items[within(&rows, mine)]),
            (false, true) => wire.receive_numbers(a, &mut arrived[within(&rows, wanted)]),
            (false, false) => {}
        }
    }
    arrived
}

pub(crate) fn send_rows(wire: &Wire, to: usize, data: &Dataset, rows: Range<usize>) {
    pieces(data, rows).for_each(|piece| wire.send(to, Tag::Rows, &pack(data, piece)));
}

/// So many rows, in as many pieces as they come.
pub(crate) fn receive_rows(wire: &Wire, from: usize, mut rows: usize, into: &mut Dataset) -> Result<()> {
    while rows > 0 {
        let until = wire.deadline(wire.time_for_rows());
        let (bytes, _) = wire.receive(Some(from), Tag::Rows, Some(until))?;
        rows -= unpack(&bytes, into)?.min(rows);
    }
    Ok(())
}

/// The columns that ranks want, from the rows that they hold.
pub(crate) fn turn(wire: &Wire, home: &Home, to: &[Range<usize>]) -> Result<Part> {
    let (from, wanted) = (&home.ranges, &to[wire.rank]);
    let mine = home.part.local(&from[wire.rank]);
    let turned = home.part.data.matrix.select(mine.clone()).transposed();
    let turned = Dataset::new("columns", turned, Vec::new());
    let mut blocks = Vec::new();
    for (a, b) in (0..wire.ranks).flat_map(|a| (0..wire.ranks).map(move |b| (a, b))) {
        if from[a].is_empty() || to[b].is_empty() {
            continue;
        }
        let mut block = Shape::of(&Dataset::new("", turned.matrix.select([]), Vec::new())).empty();
        match (a == wire.rank, b == wire.rank) {
            (true, true) => block.matrix = turned.matrix.select(wanted.clone()),
            (true, false) => send_rows(wire, b, &turned, to[b].clone()),
            (false, true) => {
                block.matrix = block.matrix.empty_like(from[a].len());
                receive_rows(wire, a, wanted.len(), &mut block)?;
            }
            (false, false) => continue,
        }
        if b == wire.rank {
            blocks.push((from[a].start, block.matrix));
        }
    }
    let mut columns = turned.matrix.empty_like(home.rows());
    for j in 0..wanted.len() {
        columns.push_row(
            blocks.iter().flat_map(|(first, block)| block.row(j).iter().map(|(i, v)| (*first as u32 + i, v))),
        );
    }
    let data = Arc::new(Dataset::new("columns", columns, Vec::new()));
    Ok(Part { data, first: wanted.start })
}

/// Labels and weights of all rows, without the rows.
pub(crate) fn all_labels(wire: &Wire, home: &Home) -> Arc<Dataset> {
    let (part, rows) = (&home.part, home.rows());
    let mine = part.local(&home.ranges[wire.rank]);
    let gather = |own: &[f64]| {
        let mut all = vec![0.0; rows];
        all[home.ranges[wire.rank].clone()].copy_from_slice(&own[mine.clone()]);
        share(wire, &mut all, &home.ranges);
        all
    };
    let labels = gather(&part.data.labels);
    let weights = part.data.weights.as_deref().map(gather);
    Arc::new(Dataset { weights, ..Dataset::new("labels", Matrix::sparse(0), labels) })
}

/// Every rank gets every other's part of a vector.
pub(crate) fn share(wire: &Wire, all: &mut [f64], ranges: &[Range<usize>]) {
    let others: Vec<usize> = (0..wire.ranks).filter(|rank| *rank != wire.rank).collect();
    for (a, range) in ranges.iter().enumerate().filter(|(_, range)| !range.is_empty()) {
        match a == wire.rank {
            true => wire.send_numbers(&others, &all[range.clone()]),
            false => wire.receive_numbers(a, &mut all[range.clone()]),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use hemingway::placement::Placement;

    #[test]
    fn every_worker_has_a_rank_and_every_row_a_holder() {
        for (machines, ranks) in (1..20).flat_map(|m| (1..9).map(move |r| (m, r))) {
            let owners = owners(machines, ranks);
            assert_eq!(owners[0], 0, "the leader has the first worker");
            assert!(owners.is_sorted() && owners[machines - 1] < ranks);
            let most = (0..ranks).map(|r| owners.iter().filter(|o| **o == r).count());
            assert!(most.max() <= Some(machines.div_ceil(ranks)), "{machines} on {ranks}");
            let placement = Placement::even(37, machines);
            let held = ranges(&owners, ranks, |k| placement.range(k));
            assert_eq!((held[0].start, held[ranks - 1].end), (0, 37));
            assert!(held.windows(2).all(|pair| pair[0].end == pair[1].start), "{held:?}");
        }
    }
}
