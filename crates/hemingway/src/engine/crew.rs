//! Workers of one process on its threads, each worker always on the same one. The first thread is the caller's own: one
//! worker needs no other, and nothing is handed over. Only where the caller has work of its own in a round and there is a
//! thread to spare, that takes the caller's place.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread::JoinHandle;
use std::time::Instant;

use crate::algorithm::{Choose, Order, Work, Worker};
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
    /// The workers `0, threads, 2·threads, …`; none once the caller has been relieved.
    here: Option<Vec<Slot>>,
    /// The other threads.
    others: Vec<Thread>,
    /// Whether there may be one more.
    spare: bool,
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
        let spare = threads > slots.len();
        let threads = threads.min(slots.len()).max(1);
        let mut lists = spread(threads, slots.into_iter()).into_iter();
        Self { here: lists.next(), others: lists.map(Thread::start).collect(), spare }
    }

    fn threads(&self) -> usize {
        usize::from(self.here.is_some()) + self.others.len()
    }

    /// Every worker pushes into its buffer, of which there is one each. What the caller has to do in the meantime is done beside all
    /// workers where there is a thread to spare, else beside those of other threads while they take longer than its own.
    pub fn round(
        &mut self,
        order: &Order,
        shared: &[f64],
        buffers: Vec<Vec<f64>>,
        meanwhile: Option<&mut Choose<'_>>,
    ) -> Result<Shift> {
        if let Some(slots) = self.here.take_if(|_| self.spare && meanwhile.is_some()) {
            self.others.insert(0, Thread::start(slots));
        }
        let began = Instant::now();
        let mut per_thread = spread(self.threads(), buffers.into_iter()).into_iter();
        let own = if self.here.is_some() { per_thread.next() } else { None };
        self.broadcast(order, shared, per_thread)?;
        let handing = began.elapsed().as_secs_f64();

        let (mut slowest, mut total, mut all) = (0.0_f64, 0.0, Work::default());
        let (mut pushes, mut seconds) = (Vec::with_capacity(self.threads()), Vec::with_capacity(self.threads()));
        let here = self.here.as_mut().zip(own).map(|(slots, own)| {
            catch_unwind(AssertUnwindSafe(|| round(slots, order, shared, own))).map_err(|_| lost())
        });
        if let Some(meanwhile) = meanwhile {
            meanwhile();
        }
        let replies = here.into_iter().chain(self.others.iter().map(Thread::receive));
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
        Ok(Shift { pushes, seconds, work: all, slowest, mean: total / self.threads().max(1) as f64, handing })
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
        let items = |slots: &Vec<Slot>| slots.iter().map(|slot| slot.items.clone()).collect();
        let mut lists: Vec<_> = self.here.iter().map(items).collect();
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
        if let Some(slots) = &mut self.here {
            let items = lists.next().unwrap_or_default();
            slots.iter_mut().zip(items).for_each(|(slot, items)| slot.items = items);
        }
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

#[cfg(test)]
mod tests {
    use std::sync::mpsc::RecvTimeoutError;
    use std::time::Duration;

    use super::*;
    use crate::algorithm::Task;

    /// Waits until it is told to go on.
    struct Waiting(Receiver<()>);

    impl Worker for Waiting {
        fn push(&mut self, _order: &Order, _shared: &[f64], _items: &mut [f64], push: &mut [f64]) -> Work {
            let told = self.0.recv_timeout(Duration::from_secs(30));
            push[0] = f64::from(u8::from(told != Err(RecvTimeoutError::Timeout)));
            Work::default()
        }
    }

    /// Two workers that both wait for what the caller does meanwhile, on so many threads.
    fn pushes(threads: usize, rounds: usize) -> Vec<Vec<f64>> {
        let (senders, slots): (Vec<_>, Vec<_>) = (0..2)
            .map(|k| {
                let (sender, receiver) = channel();
                (sender, Slot { worker: Box::new(Waiting(receiver)) as Box<dyn Worker>, items: vec![f64::from(k)] })
            })
            .unzip();
        let mut crew = Crew::new(slots, threads);
        let order = Order { round: 1, task: Task::Step, block: Vec::new(), args: Vec::new(), off_clock: false };
        let mut meanwhile = || {
            senders.iter().for_each(|sender| sender.send(()).unwrap());
            Work::default()
        };
        let mut round = |_| crew.round(&order, &[], vec![vec![0.0]; 2], Some(&mut meanwhile)).unwrap().pushes.concat();
        let found = (0..rounds).map(&mut round).collect();
        assert_eq!(crew.items().unwrap(), [0.0, 1.0], "in order of worker, whoever has them");
        found
    }

    #[test]
    fn the_caller_works_beside_all_workers_where_a_thread_is_to_spare() {
        assert_eq!(pushes(3, 3), vec![vec![1.0, 1.0]; 3]);
    }
}
