//! What scheduling itself takes: drawing, the check of dependence, planning; all that a server does beside its rounds. Seconds are those that its
//! thread was running, whoever else was.

use cpu_time::ThreadTime;
use hemingway::algorithm::{self, Machines, Order, Step};
use hemingway::engine::{Engine, Setting, Simulated};
use hemingway::schedule::Schedule;

use super::{ERROR, Race};

/// Machines whose rounds are timed here, apart from what their cluster says.
struct Timed {
    engine: Simulated,
    /// Seconds of this thread within rounds.
    inside: f64,
}

impl Machines for Timed {
    fn count(&self) -> usize {
        self.engine.count()
    }

    fn next_round(&self) -> u64 {
        self.engine.next_round()
    }

    fn round(&mut self, order: &Order, shared: &[f64], sum: &mut [f64]) -> hemingway::Result<usize> {
        let began = ThreadTime::now();
        let count = self.engine.round(order, shared, sum);
        self.inside += began.elapsed().as_secs_f64();
        count
    }
}

/// Where the time of a run goes.
#[derive(Debug, Clone, Copy)]
pub struct Spent {
    /// Rounds to the error, or as many as were followed.
    pub rounds: u64,
    /// Seconds of this thread that the schedule took.
    pub scheduling: f64,
    /// Seconds that the rounds took on the simulated clock, where machines work at once.
    pub simulated: f64,
}

impl Spent {
    /// The share of scheduling in a round where machines work at once.
    pub fn share(&self) -> f64 {
        self.scheduling / (self.scheduling + self.simulated)
    }
}

/// The dynamic schedule on so many machines, to the error.
pub fn spent(race: &Race, machines: usize) -> anyhow::Result<Spent> {
    let plain = algorithm::by_name("strads")?;
    let algorithm = plain.scheduled(Schedule::dynamic()).unwrap_or(plain);
    let setting = Setting::new(&race.problem, algorithm);
    let mut server = setting.algorithm.server(&setting.outline);
    let mut shared = setting.algorithm.shared(&setting.outline);
    let engine = Simulated::new(setting, crate::cluster(machines), machines)?;
    let mut on = Timed { engine, inside: 0.0 };
    let mut whole = 0.0;
    loop {
        let began = ThreadTime::now();
        let step = server.iterate(&mut on, &mut shared)?;
        whole += began.elapsed().as_secs_f64();
        let inside = on.inside;
        let objective = server.evaluate(&mut on, &shared)?.objective;
        on.inside = inside;
        if (objective - race.bound) / race.bound <= ERROR || step == Step::Stalled {
            let clock = on.engine.clock();
            return Ok(Spent { rounds: clock.rounds, scheduling: whole - inside, simulated: clock.train_seconds() });
        }
    }
}
