//! Threads of this machine: m workers on min(m, cores) threads, each worker always on the same one. The first of them is
//! the caller's own: one machine needs no other, and nothing is handed over.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread::JoinHandle;
use std::time::Instant;

use super::{Clock, Engine, RoundTime, Setting, check_machines};
use crate::algorithm::{Machines, Order, Work, Worker};
use crate::placement::Placement;
use crate::sync::TreeSum;
use crate::{Error, Result};

/// The local engine.
pub struct Local {
    setting: Setting,
    placement: Placement,
    /// The workers `0, threads, 2·threads, …`.
    here: Vec<Slot>,
    /// The other threads.
    others: Vec<Thread>,
    tree: TreeSum,
    clock: Clock,
}

/// How many threads can run at once here.
pub fn cores() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

/// A worker with its rows' numbers.
struct Slot {
    worker: Box<dyn Worker>,
    items: Vec<f64>,
}

enum Command {
    Round { order: Arc<Order>, shared: Arc<Vec<f64>>, pushes: Vec<Vec<f64>> },
    Items,
    SetItems(Vec<Vec<f64>>),
}

enum Reply {
    Round { pushes: Vec<Vec<f64>>, work: Work, busy: f64 },
    Items(Vec<Vec<f64>>),
}

/// A thread that owns the workers `k, k + threads, k + 2·threads, …`, k > 0.
struct Thread {
    commands: Sender<Command>,
    replies: Receiver<Reply>,
    handle: Option<JoinHandle<()>>,
}

impl Local {
    /// Deals the rows to workers on threads.
    pub fn new(setting: Setting, machines: usize) -> Result<Self> {
        let first = setting.first_items();
        let mut engine = Self {
            placement: setting.placement(1),
            setting,
            here: Vec::new(),
            others: Vec::new(),
            tree: TreeSum::default(),
            clock: Clock::default(),
        };
        engine.deal(machines, &first)?;
        Ok(engine)
    }

    fn deal(&mut self, machines: usize, items: &[f64]) -> Result<()> {
        check_machines(machines)?;
        self.others.clear();
        self.placement = self.setting.placement(machines);
        let width = self.setting.width();
        let threads = machines.min(cores());
        let mut slots: Vec<Vec<Slot>> = (0..threads).map(|_| Vec::new()).collect();
        for (k, shard) in self.setting.shards(&self.placement).into_iter().enumerate() {
            let range = self.placement.range(k);
            let items = items[range.start * width..range.end * width].to_vec();
            let worker = self.setting.algorithm.worker(&self.setting.outline, shard);
            slots[k % threads].push(Slot { worker, items });
        }
        let mut slots = slots.into_iter();
        self.here = slots.next().unwrap_or_default();
        self.others = slots.map(Thread::start).collect();
        Ok(())
    }

    fn threads(&self) -> usize {
        1 + self.others.len()
    }

    /// One list entry per worker from one list per thread, in order of worker.
    fn interleave<T>(per_thread: Vec<Vec<T>>) -> impl Iterator<Item = T> {
        let mut lists: Vec<_> = per_thread.into_iter().map(Vec::into_iter).collect();
        let mut k = 0;
        std::iter::from_fn(move || {
            let threads = lists.len();
            let next = lists.get_mut(k % threads.max(1))?.next();
            k += 1;
            next
        })
    }

    /// One list per thread from one entry per worker.
    fn spread<T>(&self, per_worker: impl Iterator<Item = T>) -> Vec<Vec<T>> {
        let threads = self.threads();
        let mut lists: Vec<Vec<T>> = (0..threads).map(|_| Vec::new()).collect();
        for (k, entry) in per_worker.enumerate() {
            lists[k % threads].push(entry);
        }
        lists
    }

    /// Sends an order to the other threads.
    fn broadcast(&self, order: &Order, shared: &[f64], pushes: impl Iterator<Item = Vec<Vec<f64>>>) -> Result<()> {
        if self.others.is_empty() {
            return Ok(());
        }
        let (order, shared) = (Arc::new(order.clone()), Arc::new(shared.to_vec()));
        for (thread, pushes) in self.others.iter().zip(pushes) {
            thread.send(Command::Round { order: Arc::clone(&order), shared: Arc::clone(&shared), pushes })?;
        }
        Ok(())
    }
}

impl Machines for Local {
    fn count(&self) -> usize {
        self.placement.machines()
    }

    fn next_round(&self) -> u64 {
        self.clock.rounds + 1
    }

    fn round(&mut self, order: &Order, shared: &[f64], sum: &mut [f64]) -> Result<usize> {
        let began = Instant::now();
        let m = self.count();
        let buffers: Vec<_> = (0..m).map(|_| self.tree.buffer(sum.len())).collect();
        let mut per_thread = self.spread(buffers.into_iter()).into_iter();
        let own = per_thread.next().unwrap_or_default();
        self.broadcast(order, shared, per_thread)?;
        let broadcast = began.elapsed().as_secs_f64();

        let (mut slowest, mut total, mut rows) = (0.0_f64, 0.0, 0);
        let mut pushes = Vec::with_capacity(self.threads());
        let here = catch_unwind(AssertUnwindSafe(|| round(&mut self.here, order, shared, own))).map_err(|_| lost());
        let replies = std::iter::once(here).chain(self.others.iter().map(Thread::receive));
        for reply in replies {
            if let Reply::Round { pushes: own, work, busy } = reply? {
                slowest = slowest.max(busy);
                total += busy;
                rows += work.rows;
                pushes.push(own);
            }
        }
        let arrived = began.elapsed().as_secs_f64();
        for push in Self::interleave(pushes) {
            self.tree.add(push);
        }
        self.tree.finish(sum);

        let whole = began.elapsed().as_secs_f64();
        let compute = total / self.threads() as f64;
        let sync = broadcast + (whole - arrived);
        // The mean of equal numbers may round above them.
        let wait = (slowest - compute).max(0.0);
        let other = (whole - compute - wait - sync).max(0.0);
        self.clock.book(order.off_clock, rows, RoundTime { compute, wait, sync, other });
        Ok(m)
    }
}

impl Engine for Local {
    fn clock(&self) -> Clock {
        self.clock
    }

    fn set_clock(&mut self, clock: Clock) {
        self.clock = clock;
    }

    fn items(&mut self) -> Result<Vec<f64>> {
        let mut lists = vec![self.here.iter().map(|slot| slot.items.clone()).collect()];
        for thread in &self.others {
            thread.send(Command::Items)?;
            if let Reply::Items(items) = thread.receive()? {
                lists.push(items);
            }
        }
        Ok(Self::interleave(lists).flatten().collect())
    }

    fn set_items(&mut self, items: &[f64]) -> Result<()> {
        self.setting.check_items(items)?;
        let width = self.setting.width();
        let own = self.placement.ranges().map(|range| items[range.start * width..range.end * width].to_vec());
        let mut lists = self.spread(own).into_iter();
        let here = lists.next().unwrap_or_default();
        self.here.iter_mut().zip(here).for_each(|(slot, items)| slot.items = items);
        for (thread, items) in self.others.iter().zip(lists) {
            thread.send(Command::SetItems(items))?;
        }
        Ok(())
    }

    fn resize(&mut self, machines: usize) -> Result<()> {
        let began = Instant::now();
        let items = self.items()?;
        self.deal(machines, &items)?;
        self.clock.loading += began.elapsed().as_secs_f64();
        Ok(())
    }
}

impl Thread {
    fn start(mut slots: Vec<Slot>) -> Self {
        let (commands, inbox) = channel();
        let (outbox, replies) = channel();
        let handle = std::thread::spawn(move || {
            for command in inbox {
                let reply = match command {
                    Command::Round { order, shared, pushes } => round(&mut slots, &order, &shared, pushes),
                    Command::Items => Reply::Items(slots.iter().map(|slot| slot.items.clone()).collect()),
                    Command::SetItems(items) => {
                        slots.iter_mut().zip(items).for_each(|(slot, items)| slot.items = items);
                        continue;
                    }
                };
                if outbox.send(reply).is_err() {
                    return;
                }
            }
        });
        Self { commands, replies, handle: Some(handle) }
    }

    fn send(&self, command: Command) -> Result<()> {
        self.commands.send(command).map_err(|_| lost())
    }

    fn receive(&self) -> Result<Reply> {
        self.replies.recv().map_err(|_| lost())
    }
}

impl Drop for Thread {
    fn drop(&mut self) {
        // Closing the channel ends the thread's loop.
        self.commands = channel().0;
        if let Some(handle) = self.handle.take() {
            // A worker's panic has been reported as a lost thread already.
            let _ = handle.join();
        }
    }
}

fn lost() -> Error {
    Error::Engine("a worker's thread ended before its round did".into())
}

fn round(slots: &mut [Slot], order: &Order, shared: &[f64], mut pushes: Vec<Vec<f64>>) -> Reply {
    let began = Instant::now();
    let mut all = Work::default();
    for (slot, push) in slots.iter_mut().zip(&mut pushes) {
        let work = slot.worker.push(order, shared, &mut slot.items, push);
        all.rows += work.rows;
        all.entries += work.entries;
    }
    Reply::Round { pushes, work: all, busy: began.elapsed().as_secs_f64() }
}
