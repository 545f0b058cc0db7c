//! Workers of one process on its threads, each worker always on the same one. The first thread is the caller's own: one
//! worker needs no other, and nothing is handed over.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread::JoinHandle;
use std::time::Instant;

use crate::algorithm::{Order, Work, Worker};
use crate::{Error, Result};

/// A worker with its rows' numbers.
pub struct Slot {
    /// The worker.
    pub worker: Box<dyn Worker>,
    /// What it keeps for its rows.
    pub items: Vec<f64>,
}

/// Workers at work.
#[derive(Default)]
pub struct Crew {
    /// The workers `0, threads, 2·threads, …`.
    here: Vec<Slot>,
    /// The other threads.
    others: Vec<Thread>,
}

/// What a round of them came to.
pub struct Shift {
    /// Their pushes, in order of worker.
    pub pushes: Vec<Vec<f64>>,
    /// Seconds each computed.
    pub seconds: Vec<f64>,
    /// All they did.
    pub work: Work,
    /// Seconds the slowest thread computed.
    pub slowest: f64,
    /// Seconds a thread computed on average.
    pub mean: f64,
    /// Seconds it took to hand the orders out.
    pub handing: f64,
}

enum Command {
    Round { order: Arc<Order>, shared: Arc<Vec<f64>>, pushes: Vec<Vec<f64>> },
    Items,
    SetItems(Vec<Vec<f64>>),
}

enum Reply {
    Round { pushes: Vec<Vec<f64>>, seconds: Vec<f64>, work: Work, busy: f64 },
    Items(Vec<Vec<f64>>),
}

/// A thread that owns the workers `k, k + threads, k + 2·threads, …`, k > 0.
struct Thread {
    commands: Sender<Command>,
    replies: Receiver<Reply>,
    handle: Option<JoinHandle<()>>,
}

impl Crew {
    /// These workers on at most so many threads.
    pub fn new(slots: Vec<Slot>, threads: usize) -> Self {
        let threads = threads.min(slots.len()).max(1);
        let mut lists = spread(threads, slots.into_iter()).into_iter();
        Self { here: lists.next().unwrap_or_default(), others: lists.map(Thread::start).collect() }
    }

    fn threads(&self) -> usize {
        1 + self.others.len()
    }

    /// Every worker pushes into its buffer, of which there is one each.
    pub fn round(&mut self, order: &Order, shared: &[f64], buffers: Vec<Vec<f64>>) -> Result<Shift> {
        let began = Instant::now();
        let mut per_thread = spread(self.threads(), buffers.into_iter()).into_iter();
        let own = per_thread.next().unwrap_or_default();
        self.broadcast(order, shared, per_thread)?;
        let handing = began.elapsed().as_secs_f64();

        let (mut slowest, mut total, mut all) = (0.0_f64, 0.0, Work::default());
        let (mut pushes, mut seconds) = (Vec::with_capacity(self.threads()), Vec::with_capacity(self.threads()));
        let here = catch_unwind(AssertUnwindSafe(|| round(&mut self.here, order, shared, own))).map_err(|_| lost());
        let replies = std::iter::once(here).chain(self.others.iter().map(Thread::receive));
        for reply in replies {
            if let Reply::Round { pushes: own, seconds: each, work, busy } = reply? {
                slowest = slowest.max(busy);
                total += busy;
                all.rows += work.rows;
                all.entries += work.entries;
                pushes.push(own);
                seconds.push(each);
            }
        }
        let (pushes, seconds) = (interleave(pushes).collect(), interleave(seconds).collect());
        Ok(Shift { pushes, seconds, work: all, slowest, mean: total / self.threads() as f64, handing })
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

    /// The rows' numbers, in the order of the workers.
    pub fn items(&self) -> Result<Vec<f64>> {
        let mut lists = vec![self.here.iter().map(|slot| slot.items.clone()).collect()];
        for thread in &self.others {
            thread.send(Command::Items)?;
            if let Reply::Items(items) = thread.receive()? {
                lists.push(items);
            }
        }
        Ok(interleave(lists).flatten().collect())
    }

    /// Puts rows' numbers back, those of one worker after the other.
    pub fn set_items(&mut self, per_worker: impl Iterator<Item = Vec<f64>>) -> Result<()> {
        let mut lists = spread(self.threads(), per_worker).into_iter();
        let here = lists.next().unwrap_or_default();
        self.here.iter_mut().zip(here).for_each(|(slot, items)| slot.items = items);
        for (thread, items) in self.others.iter().zip(lists) {
            thread.send(Command::SetItems(items))?;
        }
        Ok(())
    }
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
fn spread<T>(threads: usize, per_worker: impl Iterator<Item = T>) -> Vec<Vec<T>> {
    let mut lists: Vec<Vec<T>> = (0..threads).map(|_| Vec::new()).collect();
    for (k, entry) in per_worker.enumerate() {
        lists[k % threads].push(entry);
    }
    lists
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
    let (mut all, mut seconds) = (Work::default(), Vec::with_capacity(slots.len()));
    for (slot, push) in slots.iter_mut().zip(&mut pushes) {
        let begun = began.elapsed().as_secs_f64();
        let work = slot.worker.push(order, shared, &mut slot.items, push);
        all.rows += work.rows;
        all.entries += work.entries;
        seconds.push(began.elapsed().as_secs_f64() - begun);
    }
    Reply::Round { pushes, seconds, work: all, busy: began.elapsed().as_secs_f64() }
}
