//! Messages between ranks. Only what has not begun is waited for without end: whoever keeps others waiting is named.

use std::collections::HashMap;
use std::ops::Deref;
use std::sync::OnceLock;
use std::thread;
use std::time::{Duration, Instant};

use hemingway::engine::cores;
use hemingway::{Error, Result};
use mpi::collective::CommunicatorCollectives;
use mpi::datatype::Buffer;
use mpi::point_to_point::{Destination, Message, Source, Status};
use mpi::request::{LocalScope, Request, scope};
use mpi::topology::{Communicator, SimpleCommunicator};
use mpi::traits::Equivalence;
use serde::Serialize;
use serde::de::DeserializeOwned;

/// What a message is, so that one kind is not taken for another.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(i32)]
pub(crate) enum Tag {
    /// What all are to do, from the leader down a tree.
    Command = 1,
    /// How that went, back to the leader.
    Answer,
    /// A partial sum, or the word that there is none.
    Push,
    /// Numbers that a message before has announced.
    Numbers,
    /// Rows on their way.
    Rows,
    /// A note that goes from rank to rank.
    Relay,
    /// A message of an exchange of variables.
    Parcel,
    /// What a rank made of such an exchange.
    Made,
    /// Numbers of a round that go their own way.
    Lane,
}

/// After so long without a message a waiting rank sleeps between looks: others may need its core. At once where it is known
/// that ranks share cores.
const DOZE_AFTER: Duration = Duration::from_millis(20);
const DOZE: Duration = Duration::from_micros(50);
/// Looks between two looks at the clock, and where ranks share cores, between two naps.
const LOOKS: u32 = 16;
const FEW_LOOKS: u32 = 2;
/// So long a rank that has a core of its own looks without giving it to others: they would keep it for milliseconds.
const EAGER: Duration = Duration::from_millis(2);

/// This rank's end of all wires.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Wire {
    pub(crate) rank: usize,
    pub(crate) ranks: usize,
    /// How long another rank may be silent where it is to answer at once.
    pub(crate) patience: Duration,
    /// How long to look without giving way to others.
    eager: Duration,
    /// How long to look without sleeping, and how often between two looks at the clock.
    awake: Duration,
    looks: u32,
}

/// The ranks of this host.
static NEIGHBOURS: OnceLock<Vec<i32>> = OnceLock::new();

/// What is said, by [`on_last_words`], before a process ends that cannot go on.
static LAST_WORDS: OnceLock<Box<Say>> = OnceLock::new();

/// Something that says what went wrong.
type Say = dyn Fn(&Error) + Send + Sync;

/// How a rank tells why it ends the job where it cannot return: a message it began will never be taken.
pub fn on_last_words(say: impl Fn(&Error) + Send + Sync + 'static) {
    _ = LAST_WORDS.set(Box::new(say));
}

/// Ends the job on all ranks.
pub fn abort(code: u8) -> ! {
    SimpleCommunicator::world().abort(code.into())
}

impl Wire {
    /// Ours, once MPI is initialized. All ranks make theirs at once.
    pub(crate) fn new(patience: Duration) -> Self {
        let world = SimpleCommunicator::world();
        let neighbours = NEIGHBOURS.get_or_init(|| {
            let host = world.split_shared(world.rank());
            let mut ranks = vec![0; host.size() as usize];
            host.all_gather_into(&world.rank(), &mut ranks[..]);
            ranks
        });
        let shared = shares_cores();
        let eager = if neighbours.len() > cores() || shared { Duration::ZERO } else { EAGER };
        let (awake, looks) = if shared { (Duration::ZERO, FEW_LOOKS) } else { (DOZE_AFTER, LOOKS) };
        Self { rank: world.rank() as usize, ranks: world.size() as usize, patience, eager, awake, looks }
    }

    pub(crate) fn leads(&self) -> bool {
        self.rank == 0
    }

    /// Whether a rank is on this host.
    pub(crate) fn is_near(&self, rank: usize) -> bool {
        NEIGHBOURS.get().is_some_and(|near| near.contains(&(rank as i32)))
    }

    /// A moment by which others must have answered, where that may take them `longer` than no time at all.
    pub(crate) fn deadline(&self, longer: f64) -> Instant {
        Instant::now() + self.patience + Duration::from_secs_f64(longer.clamp(0.0, 1e9))
    }

    /// Seconds beyond the usual silence that are allowed while rows are read or dealt: others may have more of them, or theirs first.
    pub(crate) fn time_for_rows(&self) -> f64 {
        9.0 * self.patience.as_secs_f64()
    }

    /// Sends numbers or bytes; they may change when it returns.
    pub(crate) fn send<T: Equivalence>(&self, to: usize, tag: Tag, content: &[T])
    where
        [T]: Buffer,
    {
        let world = SimpleCommunicator::world();
        scope(|scope| {
            let request = world.process_at_rank(to as i32).immediate_send_with_tag(scope, content, tag as i32);
            self.complete(request, to, Duration::ZERO);
        });
    }

    /// Sends one message to several.
    pub(crate) fn send_to_all<T: Equivalence>(&self, to: &[usize], tag: Tag, content: &[T])
    where
        [T]: Buffer,
    {
        let world = SimpleCommunicator::world();
        scope(|scope| {
            let begin = |&to: &usize| {
                (to, world.process_at_rank(to as i32).immediate_send_with_tag(scope, content, tag as i32))
            };
            let requests: Vec<_> = to.iter().map(begin).collect();
            for (to, request) in requests {
                self.complete(request, to, Duration::ZERO);
            }
        });
    }

    /// Sends each its own, all at once, and does something else again and again until all has left. What is short has as soon as the
    /// library keeps it; where that is `awaited`, the last to each has left when it is taken.
    pub(crate) fn send_each(
        &self,
        letters: &[(usize, impl Deref<Target = [u8]>)],
        tag: Tag,
        awaited: bool,
        mut meanwhile: impl FnMut(),
    ) {
        let world = SimpleCommunicator::world();
        scope(|scope| {
            let mut open = Vec::with_capacity(letters.len());
            let last: HashMap<usize, usize> = letters.iter().zip(0..).map(|((to, _), place)| (*to, place)).collect();
            for (place, (to, bytes)) in letters.iter().enumerate() {
                let other = world.process_at_rank(*to as i32);
                let request = match awaited && last.get(to) == Some(&place) {
                    true => other.immediate_synchronous_send_with_tag(scope, &bytes[..], tag as i32),
                    false => other.immediate_send_with_tag(scope, &bytes[..], tag as i32),
                };
                open.push((*to, request));
            }
            let look = || {
                meanwhile();
                let tested = std::mem::take(&mut open).into_iter();
                open = tested.filter_map(|(to, request)| Some((to, request.test().err()?))).collect();
                open.is_empty().then_some(())
            };
            if self.poll(Some(self.deadline(0.0)), look).is_none() {
                self.last_words(&silent(open.first().map(|(to, _)| *to), self.patience));
            }
        });
    }

    pub(crate) fn send_value(&self, to: usize, tag: Tag, value: &impl Serialize) {
        self.send(to, tag, &packed(value));
    }

    /// The next message of this kind, from anyone or someone, and who sent it.
    ///
    /// # Errors
    /// Who was silent until the deadline.
    pub(crate) fn receive(&self, from: Option<usize>, tag: Tag, until: Option<Instant>) -> Result<(Vec<u8>, usize)> {
        let world = SimpleCommunicator::world();
        let look = || match from {
            Some(from) => world.process_at_rank(from as i32).immediate_matched_probe_with_tag(tag as i32),
            None => world.any_process().immediate_matched_probe_with_tag(tag as i32),
        };
        match self.poll(until, look) {
            Some((message, status)) => Ok(self.take(message, &status)),
            None => Err(silent(from, self.patience)),
        }
    }

    /// The next message of this kind and who sent it, if it is there.
    pub(crate) fn arrived(&self, tag: Tag) -> Option<(Vec<u8>, usize)> {
        let found = SimpleCommunicator::world().any_process().immediate_matched_probe_with_tag(tag as i32);
        found.map(|(message, status)| self.take(message, &status))
    }

    fn take(&self, message: Message, status: &Status) -> (Vec<u8>, usize) {
        let from = status.source_rank() as usize;
        let mut bytes = vec![0; status.count(u8::equivalent_datatype()) as usize];
        scope(|scope| {
            let request = message.immediate_matched_receive_into(scope, &mut bytes[..]);
            self.complete(request, from, Duration::ZERO);
        });
        (bytes, from)
    }

    pub(crate) fn receive_value<T: DeserializeOwned>(&self, from: usize, tag: Tag, until: Instant) -> Result<T> {
        unpacked(&self.receive(Some(from), tag, Some(until))?.0)
    }

    /// Waits for what has begun, and gives its content. There is no way back from it: MPI holds the buffer.
    pub(crate) fn complete<'a, D: ?Sized>(
        &self,
        request: Request<'a, D, &LocalScope<'a>>,
        peer: usize,
        longer: Duration,
    ) -> &'a D {
        let mut open = Some(request);
        let look = || match open.take()?.test_with_data() {
            Ok((_, content)) => Some(content),
            Err(request) => {
                open = Some(request);
                None
            }
        };
        let content = self.poll(Some(Instant::now() + self.patience + longer), look);
        content.unwrap_or_else(|| self.last_words(&silent(Some(peer), self.patience)))
    }

    /// Looks until there is something or the time is up.
    pub(crate) fn poll<T>(&self, until: Option<Instant>, mut look: impl FnMut() -> Option<T>) -> Option<T> {
        let (mut began, mut eager) = (None, !self.eager.is_zero());
        for looks in 1_u32.. {
            if let Some(found) = look() {
                return Some(found);
            }
            if !eager {
                thread::yield_now();
            }
            if looks.is_multiple_of(self.looks) {
                let now = Instant::now();
                if until.is_some_and(|until| now > until) {
                    return None;
                }
                let waited = now - *began.get_or_insert(now);
                eager = waited < self.eager;
                if waited >= self.awake {
                    thread::sleep(DOZE);
                }
            }
        }
        None
    }

    fn last_words(&self, error: &Error) -> ! {
        let say = LAST_WORDS.get().filter(|_| self.leads());
        say.map_or_else(|| complain(&format!("rank {}: {error}", self.rank)), |say| say(error));
        abort(1)
    }
}

/// Whether the launcher was told that ranks have no cores of their own (`--mca mpi_yield_when_idle 1`): hosts that are
/// namespaces of one machine do not show it otherwise.
fn shares_cores() -> bool {
    std::env::var("OMPI_MCA_mpi_yield_when_idle").is_ok_and(|value| value == "1")
}

/// Words on stderr that nobody else would say.
pub fn complain(words: &str) {
    use std::io::Write;
    _ = writeln!(std::io::stderr(), "{words}");
}

/// An error in words that another error can hold.
pub(crate) fn words(error: &Error) -> String {
    match error {
        Error::Engine(what) => what.clone(),
        other => other.to_string(),
    }
}

pub(crate) fn silent(who: Option<usize>, patience: Duration) -> Error {
    let who = who.map_or_else(|| "no rank".into(), |rank| format!("rank {rank}"));
    let seconds = patience.as_secs_f64();
    Error::Engine(format!("{who} has not answered for {seconds} s: it hangs, or its host is gone (--rank-timeout)"))
}

/// A value as bytes.
pub(crate) fn packed(value: &impl Serialize) -> Vec<u8> {
    postcard::to_allocvec(value).unwrap_or_else(|e| unreachable!("messages are plain values: {e}"))
}

/// And back.
pub(crate) fn unpacked<T: DeserializeOwned>(bytes: &[u8]) -> Result<T> {
    postcard::from_bytes(bytes).map_err(|e| Error::Engine(format!("a message between ranks cannot be read: {e}")))
}
