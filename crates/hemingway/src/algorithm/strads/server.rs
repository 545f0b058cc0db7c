//! The half of STRADS that owns the shared vector: when to look, whom to describe, which block moves, and how much of the changes is
//! taken.

mod moves;
pub(crate) mod path;

use super::look::{self, Seen, Sphere, Travel};
use crate::Result;
use crate::algorithm::{Machines, Order, Server, Step, Task, Work, columns, strange_state};
use crate::problem::{Evaluation, Outline};
use crate::schedule::Schedule;
use crate::schedule::dependence::signature_len;
use crate::schedule::dynamic::Dynamic;
use crate::schedule::rivals::Rival;

/// New columns that join the pool after a look, at least; at most as many as there are coefficients that are not 0.
const NEWCOMERS: usize = 32;
/// Numbers of signatures that are sent in a round, at most.
const DESCRIBED: usize = 1 << 16;
/// Passes over a block that a machine makes in a round: alone, and beside others, who move too.
const EPOCHS: (u32, u32) = (1000, 8);
/// Sweeps over the pool between two looks: the last is one that gains less than this share of the first.
const SWEEPS: u32 = 10;
const LAST_SWEEP: f64 = 0.1;
/// Where all columns together promise less than this share of P, nothing moves at working precision.
const AT_REST: f64 = 1e-17;
/// Alone, the pool is brought to this share of the gap, which the next look then finds elsewhere.
const SETTLED: f64 = 0.1;
/// Sums that follow the changes: what each machine's own change gains, Σ su² and Σ u² of each, who moved, and whose rows have weights.
const TOTALS: usize = 5;

/// What the next round is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Phase {
    Look,
    Describe,
    Move,
}

pub(super) struct StradsServer {
    outline: Outline,
    phase: Phase,
    dynamic: Dynamic,
    /// Another schedule in its place: there are then no looks, and changes are added as they come.
    rival: Option<Rival>,
    /// Whether all of the pool moves in every round.
    all_at_once: bool,
    /// Whether a block is chosen while the one before it moves.
    pipeline: bool,
    sphere: Sphere,
    /// How far slopes have travelled, and v at the last look; whether rows have weights, whose distances nobody knows here.
    travel: Travel,
    looked_at: Vec<f64>,
    weighted: bool,
    /// λ₁ has fallen since the last look, and columns are proposed from here on already.
    near: Option<f64>,
    /// The gap to P* at the last look, and one to settle for where that is known.
    gap: f64,
    wanted: Option<f64>,
    /// P at the last look, and whether it has ever risen between two: then changes are averaged, which is always safe.
    value: f64,
    cautious: bool,
    /// Sweeps since the last look; what the first and the present one gained.
    sweeps: u32,
    first: f64,
    gained: f64,
    /// Rounds in a row in which nothing moved.
    still: u64,
    sum: Vec<f64>,
}

impl StradsServer {
    pub(super) fn new(outline: &Outline, schedule: Schedule) -> Self {
        let (block, rho, pipeline) = match schedule {
            Schedule::Dynamic { block, rho, pipeline } => (block, rho, pipeline),
            _ => (None, 1.0, false),
        };
        let rival = Rival::of(schedule);
        Self {
            outline: *outline,
            phase: if rival.is_some() { Phase::Describe } else { Phase::Look },
            dynamic: Dynamic::new(block, rho),
            rival,
            all_at_once: schedule == Schedule::All,
            pipeline,
            sphere: Sphere::UNKNOWN,
            travel: Travel::NONE,
            looked_at: Vec::new(),
            weighted: false,
            near: None,
            gap: f64::INFINITY,
            wanted: None,
            value: f64::INFINITY,
            cautious: false,
            sweeps: 0,
            first: 0.0,
            gained: 0.0,
            still: 0,
            sum: Vec::new(),
        }
    }

    fn columns(&self) -> usize {
        self.outline.columns
    }

    /// One round of whatever comes next.
    fn round(&mut self, on: &mut dyn Machines, shared: &mut [f64]) -> Result<Step> {
        match self.phase {
            Phase::Look => self.look(on, shared),
            Phase::Describe => self.describe(on),
            Phase::Move => self.move_block(on, shared),
        }
    }

    /// Finds the pool.
    fn look(&mut self, on: &mut dyn Machines, shared: &[f64]) -> Result<Step> {
        let machines = on.count();
        let (seen, support) = self.ask(on, machines, shared)?;
        if seen.promise <= AT_REST * seen.value {
            return Ok(Step::Stalled);
        }
        self.plan(&seen, support, machines);
        Ok(Step::Moved)
    }

    /// How many columns may join a pool beside those whose coefficients are not 0.
    fn newcomers(&self, support: usize, machines: usize) -> usize {
        support.max(NEWCOMERS).min(self.most_described(machines))
    }

    /// One look for so many machines that will move what it finds, and the columns whose coefficients are not 0.
    fn ask(&mut self, on: &mut dyn Machines, movers: usize, shared: &[f64]) -> Result<(Seen, Vec<u32>)> {
        let (v, w) = shared.split_at(self.outline.rows);
        let support = self.support(w);
        let newcomers = self.newcomers(support.len(), movers);
        let slots = newcomers.min(2 * newcomers / on.count() + 8);
        let travel = self.travelled(v);
        let l1 = self.outline.penalty.l1;
        let mut args = vec![on.count() as f64, slots as f64, l1, self.near.unwrap_or(l1)];
        args.extend([self.sphere.t, self.sphere.radius, travel.before, travel.now, travel.since]);
        self.sum.clear();
        self.sum.resize(look::len(on.count(), slots), 0.0);
        let sent = gathered(v, w, &support);
        on.round(&Order { block: support.clone(), ..Order::train(on, Task::Probe, args) }, &sent, &mut self.sum)?;
        (self.travel, self.near) = (travel, None);
        self.looked_at.clear();
        self.looked_at.extend_from_slice(v);
        let own: Vec<f64> = support.iter().map(|column| w[*column as usize]).collect();
        let seen = Seen::from(&self.outline, &self.sum, slots, self.outline.penalty.value(&own));
        self.sphere = seen.sphere;
        Ok((seen, support))
    }

    /// The columns whose coefficients are not 0: only those of the pool have moved since the last look.
    fn support(&self, w: &[f64]) -> Vec<u32> {
        let is_not_0 = |column: &u32| w[*column as usize] != 0.0;
        let mut support: Vec<u32> = self.dynamic.pool().filter(is_not_0).collect();
        if support.is_empty() {
            support = (0..w.len() as u32).filter(is_not_0).collect();
        }
        support
    }

    /// Makes the pool of what a look has seen.
    fn plan(&mut self, seen: &Seen, support: Vec<u32>, machines: usize) {
        self.cautious |= seen.value > self.value;
        (self.value, self.gap) = (seen.value, seen.value - seen.dual);
        let newcomers = self.newcomers(support.len(), machines);
        self.dynamic.renew(support.into_iter().chain(seen.proposals.iter().copied().take(newcomers)));
        (self.sweeps, self.first, self.gained) = (0, 0.0, 0.0);
        self.phase = Phase::Describe;
    }

    /// How far slopes have travelled by now: no further than c·‖v − v₀‖ since the last look at v₀.
    fn travelled(&self, v: &[f64]) -> Travel {
        let known = !self.weighted && self.looked_at.len() == v.len();
        let distance = || v.iter().zip(&self.looked_at).map(|(a, b)| (a - b) * (a - b)).sum::<f64>().sqrt();
        self.travel.on(known.then(|| self.outline.loss.curvature() * distance()))
    }

    /// So many columns can be described in a round; alone, none need to be.
    fn most_described(&self, machines: usize) -> usize {
        if machines == 1 { usize::MAX } else { (DESCRIBED / signature_len(self.outline.rows)).max(1) }
    }

    /// Learns the signatures of columns that are new, a round's worth at a time.
    fn describe(&mut self, on: &mut dyn Machines) -> Result<Step> {
        let most = self.most_described(on.count());
        let strangers = match &self.rival {
            Some(rival) => rival.strangers(self.columns(), most),
            None if on.count() == 1 || self.all_at_once => Vec::new(),
            None => self.dynamic.strangers().into_iter().take(most).collect(),
        };
        if strangers.is_empty() {
            self.phase = Phase::Move;
            return Ok(Step::Moved);
        }
        let length = 1 + signature_len(self.outline.rows);
        self.sum.clear();
        self.sum.resize(length * strangers.len(), 0.0);
        let order = Order { block: strangers.clone(), ..Order::train(on, Task::Probe, Vec::new()) };
        on.round(&order, &[], &mut self.sum)?;
        let columns = self.columns();
        match &mut self.rival {
            Some(rival) => {
                let told = self.sum.chunks_exact(length);
                let signatures: Vec<f64> = told.flat_map(|told| &told[1..]).copied().collect();
                rival.describe(&strangers, &signatures, columns);
            }
            None => on.schedule(&mut || {
                let described = strangers.iter().zip(self.sum.chunks_exact(length));
                let each = described.map(|(column, told)| self.dynamic.describe(*column, told[0], &told[1..]).entries);
                Work { rows: 0, entries: each.sum() }
            }),
        }
        Ok(Step::Moved)
    }
}

/// v and some of the coefficients: all that a round needs to know.
fn gathered(v: &[f64], w: &[f64], columns: &[u32]) -> Vec<f64> {
    v.iter().copied().chain(columns.iter().map(|column| w[*column as usize])).collect()
}

impl Server for StradsServer {
    /// A look and the moves that follow it; of a schedule without looks, one round. A round may be refused before it begins:
    /// until it is over, everything is as it was.
    fn iterate(&mut self, on: &mut dyn Machines, shared: &mut [f64]) -> Result<Step> {
        loop {
            let moves = self.phase == Phase::Move;
            if self.round(on, shared)? == Step::Stalled {
                return Ok(Step::Stalled);
            }
            if moves && (self.rival.is_some() || self.phase == Phase::Look) {
                return Ok(Step::Moved);
            }
        }
    }

    fn adopt(&mut self, on: &mut dyn Machines, model: &[f64], shared: &mut [f64]) -> Result<()> {
        self.value = f64::INFINITY;
        self.looked_at.clear();
        self.dynamic.renew([]);
        columns::adopt(&self.outline, on, model, shared)
    }

    fn evaluate(&mut self, on: &mut dyn Machines, shared: &[f64]) -> Result<Evaluation> {
        columns::evaluate(&self.outline, on, shared)
    }

    /// [phase, t, radius, P, cautious, sweeps, first, gained, still, gap, weighted, travel, n], v at the last look, and what the
    /// schedule has learned.
    fn state(&self) -> Vec<f64> {
        let mut state =
            vec![f64::from(self.phase as u8), self.sphere.t, finite(self.sphere.radius), finite(self.value)];
        state.extend([f64::from(u8::from(self.cautious)), f64::from(self.sweeps), self.first, self.gained]);
        state.extend([self.still as f64, finite(self.gap), f64::from(u8::from(self.weighted))]);
        state.extend([self.travel.before, self.travel.now, self.travel.since, self.looked_at.len() as f64]);
        state.extend(&self.looked_at);
        match &self.rival {
            Some(rival) => state.extend(rival.state()),
            None => state.extend(self.dynamic.state()),
        }
        state
    }

    fn restore(&mut self, state: &[f64]) -> Result<()> {
        let [phase, t, radius, value, cautious, sweeps, first, gained, still, gap, weighted, rest @ ..] = state else {
            return Err(strange_state());
        };
        let [before, now, since, rows, rest @ ..] = rest else { return Err(strange_state()) };
        let (looked_at, schedule) = rest.split_at_checked(*rows as usize).ok_or_else(strange_state)?;
        self.travel = Travel { before: *before, now: *now, since: *since };
        (self.looked_at, self.weighted) = (looked_at.to_vec(), *weighted > 0.0);
        self.gap = infinite(*gap);
        self.phase = match *phase {
            0.0 => Phase::Look,
            1.0 => Phase::Describe,
            _ => Phase::Move,
        };
        self.sphere = Sphere { t: *t, radius: infinite(*radius) };
        (self.value, self.cautious) = (infinite(*value), *cautious > 0.0);
        (self.sweeps, self.first, self.gained, self.still) = (*sweeps as u32, *first, *gained, *still as u64);
        match &mut self.rival {
            Some(rival) => rival.restore(schedule),
            None => self.dynamic.restore(schedule),
        }
        .ok_or_else(strange_state)
    }
}

/// Files of numbers know no infinity: the largest number stands for it.
fn finite(x: f64) -> f64 {
    x.min(f64::MAX)
}

fn infinite(x: f64) -> f64 {
    if x == f64::MAX { f64::INFINITY } else { x }
}
