//! One rank: what it holds, and how it carries commands out. The leader sends a command down the tree and does its own
//! part of it by the same code.

mod exchange;

use std::collections::HashMap;
use std::ops::Range;
use std::sync::{Arc, Weak};

use hemingway::algorithm::{Algorithm, Choose, Order};
use hemingway::data::Dataset;
use hemingway::job::{Job, JobSpec};
use hemingway::placement::Placement;
use hemingway::problem::Problem;
use hemingway::sync::rounds::Lane;
use hemingway::{Error, Result};
use serde::{Deserialize, Serialize};

use crate::company::Readers;
use crate::moving::{Home, Part, receive_rows, send_rows};
use crate::numbers::Numbers;
use crate::parcel::Shape;
use crate::team::{Cut, Plan, Team, host, lost};
use crate::tree::{Report, children};
use crate::wire::{Tag, Wire, packed, words};
pub(crate) use exchange::Work;

/// Finds an algorithm by its name.
pub type Find = fn(&str) -> Result<Arc<dyn Algorithm>>;

/// What the leader has others do with it.
#[derive(Serialize, Deserialize)]
pub(crate) enum Command<'a> {
    /// Read a share of the rows of a job, which is JSON.
    Load { data: u64, spec: String },
    /// Rows follow.
    Deal { data: u64, shape: Shape, rows: usize },
    /// Rows are needed no more.
    Forget { data: u64 },
    /// Make workers.
    Make { team: u64, data: u64, plan: Plan },
    /// One round; if the shared vector is a long one it follows.
    Round {
        team: u64,
        order: Order,
        #[serde(borrow)]
        shared: Numbers<'a>,
        sum: usize,
    },
    /// Send the rows' numbers.
    Items { team: u64 },
    /// The rows' numbers follow.
    SetItems { team: u64 },
    /// Other workers.
    Resize { team: u64, cut: Cut, lanes: Vec<Lane> },
    /// Carry a strategy of exchange out.
    Exchange { scene: String, work: Work },
    /// Workers are needed no more.
    Drop { team: u64 },
    /// It is over.
    Quit,
}

/// A rank of the job.
pub(crate) struct Rank {
    pub(crate) wire: Wire,
    find: Find,
    homes: HashMap<u64, Home>,
    teams: HashMap<u64, Team>,
    /// Which rows have which number; the leader's to know.
    dealt: Vec<(u64, Weak<Dataset>)>,
    next: u64,
    /// Why nothing can be done any more.
    broken: Option<String>,
}

impl Rank {
    pub(crate) fn new(wire: Wire, find: Find) -> Self {
        Self { wire, find, homes: HashMap::new(), teams: HashMap::new(), dealt: Vec::new(), next: 0, broken: None }
    }

    fn everyone(&self) -> Vec<usize> {
        (0..self.wire.ranks).collect()
    }

    /// Whether the other ranks can still be told anything.
    pub(crate) fn is_broken(&self) -> bool {
        self.broken.is_some()
    }

    fn check(&self) -> Result<()> {
        self.broken.as_ref().map_or(Ok(()), |why| Err(Error::Engine(why.clone())))
    }

    fn team(&mut self, team: u64) -> Result<&mut Team> {
        self.teams.get_mut(&team).ok_or_else(|| Error::Engine(format!("rank {} has no team {team}", self.wire.rank)))
    }

    /// Passes a command on to those below, if it is for `ranks`.
    fn pass_on(&self, ranks: &[usize], bytes: &[u8]) {
        self.wire.send_to_all(&children(ranks, self.wire.rank), Tag::Command, bytes);
    }

    /// The leader's way to have all do something: everyone does, and says how it went.
    fn lead(&mut self, command: &Command<'_>, own: impl FnOnce(&mut Self) -> Result<()>) -> Result<()> {
        self.check()?;
        self.pass_on(&self.everyone(), &packed(command));
        let mut outcome = own(self);
        for rank in 1..self.wire.ranks {
            // Rows may be on their way from rank to rank for long.
            let until = self.wire.deadline(self.wire.time_for_rows());
            let said: Result<Option<String>> = self.wire.receive_value(rank, Tag::Answer, until);
            let failed = said.unwrap_or_else(|error| Some(words(&error)));
            outcome = outcome.and(failed.map_or(Ok(()), |what| Err(Error::Engine(what))));
        }
        outcome.inspect_err(|error| self.broken = Some(words(error)))
    }

    /// The number under which all ranks know these rows, which are dealt out if they are new.
    pub(crate) fn number_of(&mut self, data: &Arc<Dataset>) -> Result<u64> {
        let (gone, kept) = self.dealt.drain(..).partition(|(_, rows)| rows.strong_count() == 0);
        self.dealt = kept;
        let gone: Vec<(u64, Weak<Dataset>)> = gone;
        for (data, _) in gone {
            self.lead(&Command::Forget { data }, |rank| {
                rank.homes.remove(&data);
                Ok(())
            })?;
        }
        let known = self.dealt.iter().find(|(_, rows)| Weak::ptr_eq(rows, &Arc::downgrade(data)));
        if let Some((number, _)) = known {
            return Ok(*number);
        }
        let number = self.new_number();
        self.dealt.push((number, Arc::downgrade(data)));
        let command = Command::Deal { data: number, shape: Shape::of(data), rows: data.rows() };
        self.lead(&command, |rank| {
            let ranges = rank.home_ranges(data.rows());
            for (to, range) in ranges.iter().enumerate().skip(1) {
                send_rows(&rank.wire, to, data, range.clone());
            }
            // The rows are the leader's own as long as its job lasts.
            let part = Part { data: Arc::clone(data), first: 0 };
            rank.homes.insert(number, Home { part, ranges, leader_has_all: true });
            Ok(())
        })?;
        Ok(number)
    }

    /// Reads a job, every rank its share of the rows; nothing where that cannot be done with its data.
    pub(crate) fn load(&mut self, spec: &JobSpec) -> Result<Option<Job>> {
        let Some(path) = spec.shareable().filter(|_| self.wire.ranks > 1) else { return Ok(None) };
        let number = self.new_number();
        let json = serde_json::to_string(spec).map_err(|e| Error::Engine(format!("the job cannot be told: {e}")))?;
        self.pass_on(&self.everyone(), &packed(&Command::Load { data: number, spec: json }));
        // Nothing is lost if the file is not what it should be: every rank knows, and waits for what comes next.
        let job = spec.clone().check_share(&path, &mut Readers(self.wire))?;
        self.dealt.push((number, Arc::downgrade(&job.problem.data)));
        self.keep(number, &job.problem);
        Ok(Some(job))
    }

    fn keep(&mut self, number: u64, problem: &Problem) {
        let ranges = self.home_ranges(problem.whole().rows);
        let part = Part { data: Arc::clone(&problem.data), first: ranges[self.wire.rank].start };
        self.homes.insert(number, Home { part, ranges, leader_has_all: false });
    }

    pub(crate) fn new_number(&mut self) -> u64 {
        self.next += 1;
        self.next
    }

    fn home_ranges(&self, rows: usize) -> Vec<Range<usize>> {
        Placement::even(rows, self.wire.ranks).ranges().collect()
    }

    /// Makes a team on all ranks; its number.
    pub(crate) fn make(&mut self, data: u64, plan: &Plan, algorithm: &Arc<dyn Algorithm>) -> Result<u64> {
        let team = self.new_number();
        let command = Command::Make { team, data, plan: plan.clone() };
        self.lead(&command, |rank| rank.make_own(team, data, plan.clone(), Arc::clone(algorithm)))?;
        Ok(team)
    }

    fn make_own(&mut self, team: u64, data: u64, plan: Plan, algorithm: Arc<dyn Algorithm>) -> Result<()> {
        let home = self.homes.get(&data).ok_or_else(|| Error::Engine("these rows were never dealt".into()))?;
        self.wire.patience = plan.patience;
        let made = Team::new(&self.wire, plan, algorithm, home)?;
        self.teams.insert(team, made);
        Ok(())
    }

    /// One round on all ranks: what it came to, and the bytes of the shared vector that one rank was sent.
    pub(crate) fn round(
        &mut self,
        team: u64,
        order: &Order,
        shared: &[f64],
        sum: &mut [f64],
        meanwhile: Option<&mut Choose<'_>>,
    ) -> Result<(Report, usize)> {
        self.check()?;
        let wire = self.wire;
        let own = self.team(team)?;
        let active = own.active(&wire);
        let numbers =
            if own.has_lanes() { Numbers::InLanes(shared.len()) } else { Numbers::since(shared, &own.shared) };
        let (dense, mut moved) = (numbers.is_dense(), numbers.bytes());
        let command = Command::Round { team, order: order.clone(), shared: numbers, sum: sum.len() };
        let below = children(&active, wire.rank);
        wire.send_to_all(&below, Tag::Command, &packed(&command));
        if dense {
            wire.send_numbers(&below, shared);
        }
        if own.has_lanes() {
            moved = own.tell(&wire, shared);
        }
        own.shared.clear();
        own.shared.extend_from_slice(shared);
        let (total, report) = own.round(&wire, order, sum.len(), meanwhile);
        if let Some(what) = &report.failed {
            self.broken = Some(what.clone());
        }
        self.check()?;
        let total = total.ok_or_else(lost)?;
        sum.copy_from_slice(&total);
        self.team(team)?.give_back(total);
        Ok((report, moved))
    }

    /// The numbers of all rows.
    pub(crate) fn items(&mut self, team: u64) -> Result<Vec<f64>> {
        let mut all = Vec::new();
        self.lead(&Command::Items { team }, |rank| {
            let wire = rank.wire;
            let own = rank.team(team)?;
            all = own.items()?;
            let (width, ranges) = (own.width(), own.ranges.clone());
            all.resize(ranges[wire.ranks - 1].end * width, 0.0);
            for (from, range) in ranges.iter().enumerate().skip(1).filter(|(_, range)| range.len() * width > 0) {
                wire.receive_numbers(from, &mut all[range.start * width..range.end * width]);
            }
            Ok(())
        })?;
        Ok(all)
    }

    /// Puts the numbers of all rows back.
    pub(crate) fn set_items(&mut self, team: u64, items: &[f64]) -> Result<()> {
        self.lead(&Command::SetItems { team }, |rank| {
            let wire = rank.wire;
            let own = rank.team(team)?;
            let width = own.width();
            let of = |range: &Range<usize>| &items[range.start * width..range.end * width];
            for (to, range) in own.ranges.iter().enumerate().skip(1).filter(|(_, range)| range.len() * width > 0) {
                wire.send_numbers(&[to], of(range));
            }
            let first = own.ranges[0].clone();
            own.set_items(&wire, of(&first))
        })
    }

    /// Other workers on all ranks.
    pub(crate) fn resize(&mut self, team: u64, cut: Cut, lanes: Vec<Lane>) -> Result<()> {
        self.lead(&Command::Resize { team, cut: cut.clone(), lanes: lanes.clone() }, |rank| {
            let wire = rank.wire;
            rank.team(team)?.resize(&wire, cut, lanes)
        })
    }

    /// Lets a team go.
    pub(crate) fn dismiss(&mut self, team: u64) {
        self.teams.remove(&team);
        if !self.is_broken() {
            self.pass_on(&self.everyone(), &packed(&Command::Drop { team }));
        }
    }

    /// Ends the job on all other ranks.
    pub(crate) fn quit(&mut self) {
        self.teams.clear();
        self.pass_on(&self.everyone(), &packed(&Command::Quit));
    }
}

/// The other ranks: they do as they are told until it is over.
impl Rank {
    /// Obeys the leader until the job ends.
    pub(crate) fn serve(&mut self) -> Result<()> {
        loop {
            let (bytes, from) = self.wire.receive(None, Tag::Command, None)?;
            let command: Command<'_> =
                postcard::from_bytes(&bytes).map_err(|e| Error::Engine(format!("a command cannot be read: {e}")))?;
            if let Command::Round { team, order, shared, sum } = command {
                self.follow(&bytes, from, team, &order, &shared, sum)?;
                continue;
            }
            self.pass_on(&self.everyone(), &bytes);
            match command {
                Command::Quit => return Ok(()),
                Command::Drop { team } => {
                    self.teams.remove(&team);
                }
                Command::Load { data, spec } => self.take_share(data, &spec)?,
                command => {
                    let failed = self.obey(command).err();
                    let failed =
                        failed.map(|error| format!("rank {} on {}: {}", self.wire.rank, host(), words(&error)));
                    self.wire.send_value(0, Tag::Answer, &failed);
                }
            }
        }
    }

    /// Reads along. What is wrong with the file is the leader's to say.
    fn take_share(&mut self, data: u64, spec: &str) -> Result<()> {
        let spec: JobSpec =
            serde_json::from_str(spec).map_err(|e| Error::Engine(format!("a job cannot be read: {e}")))?;
        let path = spec.data.clone();
        if let Ok(problem) = spec.take_share(path.as_ref(), &mut Readers(self.wire)) {
            self.keep(data, &problem);
        }
        Ok(())
    }

    fn follow(
        &mut self,
        bytes: &[u8],
        from: usize,
        team: u64,
        order: &Order,
        shared: &Numbers<'_>,
        sum: usize,
    ) -> Result<()> {
        let wire = self.wire;
        let own = self.team(team)?;
        let below = children(&own.active(&wire), wire.rank);
        wire.send_to_all(&below, Tag::Command, bytes);
        match shared {
            Numbers::Dense(len) => {
                own.shared.resize(*len, 0.0);
                wire.relay_numbers(from, &mut own.shared, &below);
            }
            Numbers::InLanes(len) => own.hear(&wire, *len)?,
            pairs @ Numbers::Pairs(_) => pairs.write(&mut own.shared),
        }
        if let (Some(sum), _) = own.round(&wire, order, sum, None) {
            own.give_back(sum);
        }
        Ok(())
    }

    fn obey(&mut self, command: Command<'_>) -> Result<()> {
        let wire = self.wire;
        match command {
            Command::Deal { data, shape, rows } => {
                let ranges = self.home_ranges(rows);
                let range = ranges[wire.rank].clone();
                let mut own = shape.empty();
                receive_rows(&wire, 0, range.len(), &mut own)?;
                let part = Part { data: Arc::new(own), first: range.start };
                self.homes.insert(data, Home { part, ranges, leader_has_all: true });
            }
            Command::Forget { data } => {
                self.homes.remove(&data);
            }
            Command::Make { team, data, plan } => {
                let algorithm = (self.find)(&plan.algorithm)?;
                self.make_own(team, data, plan, algorithm)?;
            }
            Command::Items { team } => {
                let items = self.team(team)?.items()?;
                if !items.is_empty() {
                    wire.send_numbers(&[0], &items);
                }
            }
            Command::SetItems { team } => {
                let own = self.team(team)?;
                let mut items = vec![0.0; own.ranges[wire.rank].len() * own.width()];
                if !items.is_empty() {
                    wire.receive_numbers(0, &mut items);
                }
                own.set_items(&wire, &items)?;
            }
            Command::Resize { team, cut, lanes } => self.team(team)?.resize(&wire, cut, lanes)?,
            Command::Exchange { scene, work } => self.obey_exchange(&scene, work)?,
            Command::Load { .. } | Command::Round { .. } | Command::Drop { .. } | Command::Quit => {}
        }
        Ok(())
    }
}
