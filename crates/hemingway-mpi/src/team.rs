//! What a rank holds for one engine: its share of the rows, its workers, the shared vector as they know it.

use std::ops::Range;
use std::sync::Arc;
use std::time::Duration;

use hemingway::algorithm::{Algorithm, Choose, Order};
use hemingway::data::{Dataset, Shard};
use hemingway::engine::{Crew, Setting, Slot};
use hemingway::placement::Placement;
use hemingway::problem::Outline;
use hemingway::sync::TreeSum;
use hemingway::sync::rounds::Lane;
use hemingway::{Error, Result};
use serde::{Deserialize, Serialize};

use crate::lanes::{Inbox, Round};
use crate::moving::{Home, Part, all_labels, move_items, move_rows, owners, ranges, turn};
use crate::tree::{Report, Summing};
use crate::wire::{Tag, Wire, words};

/// How the sums of ranks become one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub enum Collectives {
    /// Our tree of workers: the same bits as on threads.
    #[default]
    Tree,
    /// The library's own reduction, in whatever order it adds.
    Library,
}

/// What a team is made from.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Plan {
    pub(crate) algorithm: String,
    pub(crate) outline: Outline,
    pub(crate) seed: u64,
    pub(crate) cut: Cut,
    pub(crate) threads: usize,
    pub(crate) collectives: Collectives,
    pub(crate) patience: Duration,
    /// How rounds are exchanged; none where numbers go in trees.
    pub(crate) lanes: Vec<Lane>,
}

/// Who holds what, which the leader says: it alone may have seen all rows.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Cut {
    /// Rows, or columns.
    own: Placement,
    /// Columns beside rows.
    beside: Option<Placement>,
}

impl Cut {
    /// For so many workers.
    pub(crate) fn new(setting: &Setting, machines: usize) -> Self {
        Self { own: setting.placement(machines), beside: setting.placement_beside(machines) }
    }
}

/// Columns that a rank holds beside its rows.
struct Beside {
    ranges: Vec<Range<usize>>,
    part: Part,
}

pub(crate) struct Team {
    pub(crate) plan: Plan,
    algorithm: Arc<dyn Algorithm>,
    /// The rank of each worker.
    owners: Vec<usize>,
    /// What each rank holds.
    pub(crate) ranges: Vec<Range<usize>>,
    part: Part,
    beside: Option<Beside>,
    /// Labels and weights of all rows, where columns are dealt.
    labels: Option<Arc<Dataset>>,
    leader_has_all: bool,
    crew: Crew,
    /// The shared vector of the last round.
    pub(crate) shared: Vec<f64>,
    spare: Vec<Vec<f64>>,
    tree: TreeSum,
    inbox: Inbox,
    /// Seconds the longest round so far took here.
    longest: f64,
}

/// Rounds differ: this many times the longest so far is not yet a sign that a rank hangs.
const FACTOR: f64 = 10.0;

impl Team {
    /// Brings rows, or columns, to their ranks, and makes the workers.
    pub(crate) fn new(wire: &Wire, plan: Plan, algorithm: Arc<dyn Algorithm>, home: &Home) -> Result<Self> {
        let owners = owners(plan.cut.own.machines(), wire.ranks);
        let to = held(wire, &owners, &plan.cut.own);
        let beside = plan.cut.beside.as_ref().map(|beside| {
            let ranges = held(wire, &owners, beside);
            Ok::<_, Error>(Beside { part: turn(wire, home, &ranges)?, ranges })
        });
        let beside = beside.transpose()?;
        let (part, labels) = if algorithm.deals_columns() {
            (turn(wire, home, &to)?, Some(all_labels(wire, home)))
        } else {
            (move_rows(wire, &home.part, &home.ranges, &to, home.leader_has_all)?, None)
        };
        let leader_has_all = home.leader_has_all && labels.is_none();
        let mut team = Self {
            plan,
            algorithm,
            owners,
            ranges: to,
            part,
            beside,
            labels,
            leader_has_all,
            crew: Crew::default(),
            shared: Vec::new(),
            spare: Vec::new(),
            tree: TreeSum::default(),
            inbox: Inbox::default(),
            longest: 0.0,
        };
        let none = vec![0.0; team.width() * team.ranges[wire.rank].len()];
        team.make_workers(wire, &none);
        Ok(team)
    }

    /// Numbers kept for every row.
    pub(crate) fn width(&self) -> usize {
        self.algorithm.width() * self.plan.outline.outputs()
    }

    /// The ranks that have workers.
    pub(crate) fn active(&self, wire: &Wire) -> Vec<usize> {
        match self.plan.collectives {
            // The library's reduction is one of all ranks.
            Collectives::Library => (0..wire.ranks).collect(),
            Collectives::Tree => {
                let mut active = self.owners.clone();
                active.dedup();
                active
            }
        }
    }

    fn workers(&self, rank: usize) -> Range<usize> {
        self.owners.partition_point(|owner| *owner < rank)..self.owners.partition_point(|owner| *owner <= rank)
    }

    fn make_workers(&mut self, wire: &Wire, items: &[f64]) {
        self.crew = Crew::default();
        let (placement, width) = (&self.plan.cut.own, self.width());
        let held = &self.ranges[wire.rank];
        let make = |k| {
            let range = placement.range(k);
            let of = |rows: usize| (rows - held.start) * width;
            let items = if width == 0 { Vec::new() } else { items[of(range.start)..of(range.end)].to_vec() };
            Slot { worker: self.algorithm.worker(&self.plan.outline, self.shard(k, &range)), items }
        };
        let slots = self.workers(wire.rank).map(make).collect();
        self.crew = Crew::new(slots, self.plan.threads);
    }

    fn shard(&self, worker: usize, range: &Range<usize>) -> Shard {
        let (here, seed) = (self.part.local(range), self.plan.seed);
        let rows = |here| Shard::new(Arc::clone(&self.part.data), here, worker, seed);
        let own = match &self.labels {
            None => rows(here),
            Some(labels) => Shard::new(Arc::clone(labels), here, worker, seed).of_columns(Arc::clone(&self.part.data)),
        }
        .of_part(self.part.first);
        match (&self.beside, &self.plan.cut.beside) {
            (Some(Beside { part, .. }), Some(placement)) => {
                let columns = rows(part.local(&placement.range(worker))).of_columns(Arc::clone(&part.data));
                own.with_columns(columns.of_part(part.first))
            }
            _ => own,
        }
    }

    /// Whether rounds go in lanes: every worker has a rank of its own.
    pub(crate) fn has_lanes(&self) -> bool {
        !self.plan.lanes.is_empty() && self.plan.collectives == Collectives::Tree
    }

    /// The leader's way to tell all of a shared vector in lanes; the bytes it sent.
    pub(crate) fn tell(&mut self, wire: &Wire, shared: &[f64]) -> usize {
        let mut round = Round::new(wire, &self.owners, &self.plan.lanes, &mut self.inbox);
        round.tell(shared, &self.shared);
        round.moved
    }

    /// The others' way to hear of it.
    pub(crate) fn hear(&mut self, wire: &Wire, len: usize) -> Result<()> {
        let until = wire.deadline(FACTOR * self.longest);
        Round::new(wire, &self.owners, &self.plan.lanes, &mut self.inbox).hear(len, &mut self.shared, until)
    }

    /// This rank's part in a round: its workers push, and the sum goes to the leader.
    pub(crate) fn round(
        &mut self,
        wire: &Wire,
        order: &Order,
        len: usize,
        meanwhile: Option<&mut Choose<'_>>,
    ) -> (Option<Vec<f64>>, Report) {
        let workers = self.workers(wire.rank).len();
        let buffers = (0..workers).map(|_| self.buffer(len)).collect();
        let (pushes, report) = match self.crew.round(order, &self.shared, buffers, meanwhile) {
            Ok(shift) => {
                let strange = shift.pushes.iter().any(|push| !finite(push)) && finite(&self.shared);
                let strange = strange.then_some(wire.rank);
                let (rows, slowest) = (shift.work.rows, shift.slowest);
                (shift.pushes, Report { rows, slowest, seconds: shift.mean, strange, ..Report::default() })
            }
            Err(error) => {
                let failed = Some(format!("rank {} on {}: {}", wire.rank, host(), words(&error)));
                (Vec::new(), Report { failed, ..Report::default() })
            }
        };
        self.longest = self.longest.max(report.slowest);
        match self.plan.collectives {
            Collectives::Tree if self.has_lanes() => self.sum_in_lanes(wire, len, pushes, report),
            Collectives::Tree => self.sum_by_tree(wire, len, workers, pushes, report),
            Collectives::Library => self.sum_by_library(wire, len, pushes, report),
        }
    }

    fn sum_in_lanes(
        &mut self,
        wire: &Wire,
        len: usize,
        pushes: Vec<Vec<f64>>,
        mut report: Report,
    ) -> (Option<Vec<f64>>, Report) {
        let push = pushes.into_iter().next().unwrap_or_else(|| self.buffer(len));
        let until = wire.deadline(FACTOR * self.longest);
        let round = Round::new(wire, &self.owners, &self.plan.lanes, &mut self.inbox);
        let sum = round.sum(push, until, &mut report);
        if !wire.leads() {
            wire.send_value(0, Tag::Push, &report);
            return (None, report);
        }
        for rank in self.owners.iter().copied().skip(1) {
            // Who waited in vain tells so only when its own patience is at an end.
            let until = wire.deadline(FACTOR * self.longest + 0.1 * wire.patience.as_secs_f64());
            match wire.receive_value(rank, Tag::Push, until) {
                Ok(told) => report.merge(told),
                Err(error) => report.failed = report.failed.take().or_else(|| Some(words(&error))),
            }
        }
        (sum, report)
    }

    fn sum_by_tree(
        &mut self,
        wire: &Wire,
        len: usize,
        workers: usize,
        pushes: Vec<Vec<f64>>,
        report: Report,
    ) -> (Option<Vec<f64>>, Report) {
        let mut pushes: Vec<_> = pushes.into_iter().map(Some).collect();
        pushes.resize(workers, None);
        let (owners, longer) = (&self.owners, FACTOR * self.longest);
        Summing { wire, owners, len, pushes, report, longer, spare: &mut self.spare }.run()
    }

    fn sum_by_library(
        &mut self,
        wire: &Wire,
        len: usize,
        pushes: Vec<Vec<f64>>,
        report: Report,
    ) -> (Option<Vec<f64>>, Report) {
        let mut own = self.buffer(len);
        pushes.into_iter().for_each(|push| self.tree.add(push));
        self.tree.finish(&mut own);
        crate::library::reduce(wire, own, report, FACTOR * self.longest)
    }

    fn buffer(&mut self, len: usize) -> Vec<f64> {
        let mut buffer = self.spare.pop().unwrap_or_default();
        buffer.clear();
        buffer.resize(len, 0.0);
        buffer
    }

    /// A buffer to use again.
    pub(crate) fn give_back(&mut self, buffer: Vec<f64>) {
        self.spare.push(buffer);
    }

    /// The numbers of the rows held here.
    pub(crate) fn items(&self) -> Result<Vec<f64>> {
        self.crew.items()
    }

    /// Puts them back.
    pub(crate) fn set_items(&mut self, wire: &Wire, items: &[f64]) -> Result<()> {
        let (placement, width) = (&self.plan.cut.own, self.width());
        let start = self.ranges[wire.rank].start;
        let cut = |range: Range<usize>| items[(range.start - start) * width..(range.end - start) * width].to_vec();
        let cut: Vec<_> = self.workers(wire.rank).map(|k| cut(placement.range(k))).collect();
        self.crew.set_items(cut.into_iter())
    }

    /// Deals rows and their numbers to another number of workers, from holder to holder.
    pub(crate) fn resize(&mut self, wire: &Wire, cut: Cut, lanes: Vec<Lane>) -> Result<()> {
        let items = self.items()?;
        self.crew = Crew::default();
        self.plan.cut = cut;
        self.plan.lanes = lanes;
        let owners = owners(self.plan.cut.own.machines(), wire.ranks);
        let to = held(wire, &owners, &self.plan.cut.own);
        if let (Some(beside), Some(placement)) = (&mut self.beside, &self.plan.cut.beside) {
            let to = held(wire, &owners, placement);
            beside.part = move_rows(wire, &beside.part, &beside.ranges, &to, false)?;
            beside.ranges = to;
        }
        let items = move_items(wire, &items, self.width(), &self.ranges, &to);
        self.part = move_rows(wire, &self.part, &self.ranges, &to, self.leader_has_all)?;
        (self.owners, self.ranges) = (owners, to);
        // Who was idle has not heard of the rounds since.
        self.shared = Vec::new();
        self.make_workers(wire, &items);
        Ok(())
    }
}

/// What each rank holds for its workers.
fn held(wire: &Wire, owners: &[usize], placement: &Placement) -> Vec<Range<usize>> {
    ranges(owners, wire.ranks, |worker| placement.range(worker))
}

/// No number is infinite or none: their exponents are not all ones.
fn finite(numbers: &[f64]) -> bool {
    const EXPONENT: u64 = 0x7ff0_0000_0000_0000;
    !numbers.iter().fold(false, |strange, v| strange | (v.to_bits() & EXPONENT == EXPONENT))
}

/// The name of this host, for people.
pub(crate) fn host() -> String {
    mpi::environment::processor_name().unwrap_or_else(|_| "an unnamed host".into())
}

/// The sum that a leader must have.
pub(crate) fn lost() -> Error {
    Error::Engine("the sum of a round was lost between ranks".into())
}
