//! What scheduling itself takes: drawing, the check of dependence, planning; all that a server does beside its rounds. Seconds are those that its
//! thread was running, whoever else was.

use cpu_time::ThreadTime;
use hemingway::algorithm::{self, Choose, Machines, Order, Server, Step, Work};
use hemingway::engine::{Engine, Local, Setting, Simulated};
use hemingway::schedule::Schedule;

use super::{ERROR, RHO, Race};

/// Machines whose rounds are timed here, apart from what their cluster says.
struct Timed {
    engine: Simulated,
    /// Seconds of this thread within rounds, but for what was chosen in them.
    inside: f64,
    /// Seconds on the simulated clock in which machines waited for the schedule.
    waited: f64,
}

impl Timed {
    /// Something of the machines' own, in which the server may choose.
    fn within<T>(&mut self, choose: &mut Choose<'_>, act: impl FnOnce(&mut Simulated, &mut Choose<'_>) -> T) -> T {
        let mut chosen = 0.0;
        let began = ThreadTime::now();
        let acted = act(&mut self.engine, &mut || {
            let began = ThreadTime::now();
            let work = choose();
            chosen += began.elapsed().as_secs_f64();
            work
        });
        self.inside += began.elapsed().as_secs_f64() - chosen;
        acted
    }
}

impl Machines for Timed {
    fn count(&self) -> usize {
        self.engine.count()
    }

    fn next_round(&self) -> u64 {
        self.engine.next_round()
    }

    fn round(&mut self, order: &Order, shared: &[f64], sum: &mut [f64]) -> hemingway::Result<usize> {
        self.within(&mut Work::default, |engine, _| engine.round(order, shared, sum))
    }

    fn schedule(&mut self, choose: &mut Choose<'_>) {
        let before = self.engine.clock().other;
        self.within(choose, Simulated::schedule);
        self.waited += self.engine.clock().other - before;
    }

    fn round_and_schedule(
        &mut self,
        order: &Order,
        shared: &[f64],
        sum: &mut [f64],
        choose: &mut Choose<'_>,
    ) -> hemingway::Result<usize> {
        self.within(choose, |engine, choose| engine.round_and_schedule(order, shared, sum, choose))
    }
}

/// Where the time of a run goes.
#[derive(Debug, Clone, Copy)]
pub struct Spent {
    /// Rounds to the error, or as many as were followed.
    pub rounds: u64,
    /// Seconds of this thread that the schedule took.
    pub scheduling: f64,
    /// Seconds that it takes on the simulated clock, which counts.
    pub counted: f64,
    /// Seconds that the rounds took on the simulated clock, where machines work at once, without those that they waited for the schedule.
    pub simulated: f64,
}

impl Spent {
    /// The share of scheduling in a round where machines work at once.
    pub fn share(&self) -> f64 {
        self.scheduling / (self.scheduling + self.simulated)
    }
}

/// The dynamic schedule on so many machines, to the error, every block chosen when the last has moved.
pub fn spent(race: &Race, machines: usize) -> anyhow::Result<Spent> {
    let setting = setting(race, Schedule::Dynamic { block: None, rho: RHO, pipeline: false })?;
    let engine = Simulated::new(setting.clone(), crate::cluster(machines), machines)?;
    let mut on = Timed { engine, inside: 0.0, waited: 0.0 };
    let (mut whole, mut inside) = (0.0, 0.0);
    to_the_error(race, &setting, &mut on, |server, on, shared| {
        on.inside = inside;
        let began = ThreadTime::now();
        let step = server.iterate(on, shared)?;
        whole += began.elapsed().as_secs_f64();
        inside = on.inside;
        Ok(step)
    })?;
    let clock = on.engine.clock();
    let (scheduling, counted) = (whole - inside, on.waited);
    Ok(Spent { rounds: clock.rounds, scheduling, counted, simulated: clock.train_seconds() - counted })
}

/// Seconds of training on threads of this machine, to the error.
pub fn on_threads(race: &Race, schedule: Schedule, machines: usize) -> anyhow::Result<f64> {
    let setting = setting(race, schedule)?;
    let mut on = Local::new(setting.clone(), machines)?;
    to_the_error(race, &setting, &mut on, |server, on, shared| server.iterate(on, shared))?;
    Ok(on.clock().train_seconds())
}

fn setting(race: &Race, schedule: Schedule) -> anyhow::Result<Setting> {
    let plain = algorithm::by_name("strads")?;
    let algorithm = plain.scheduled(schedule).unwrap_or(plain);
    Ok(Setting::new(&race.problem, algorithm))
}

/// One iteration after the other, until the error is reached or nothing moves.
fn to_the_error<M: Machines, I>(race: &Race, setting: &Setting, on: &mut M, mut iterate: I) -> anyhow::Result<()>
where
    I: FnMut(&mut dyn Server, &mut M, &mut [f64]) -> hemingway::Result<Step>,
{
    let mut server = setting.algorithm.server(&setting.outline);
    let mut shared = setting.algorithm.shared(&setting.outline);
    loop {
        let step = iterate(&mut *server, on, &mut shared)?;
        let objective = server.evaluate(on, &shared)?.objective;
        if (objective - race.bound) / race.bound <= ERROR || step == Step::Stalled {
            return Ok(());
        }
    }
}
