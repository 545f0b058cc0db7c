//! Our own solvers on threads of this machine.

use std::time::Instant;

use cpu_time::ThreadTime;
use hemingway::algorithm::{self, Step, Support};
use hemingway::engine::{self, Setting};
use hemingway::problem::Problem;

use super::{ERRORS, Times};

/// A problem, and what its optimum is.
pub struct Ours {
    problem: Problem,
    optimum: f64,
    /// Seconds after which an algorithm is given up.
    patience: f64,
}

/// Seconds for which this thread was running, where it is the only one; else those that passed.
enum Watch {
    Running(ThreadTime),
    Passing(Instant),
}

impl Watch {
    fn start(alone: bool) -> Self {
        if alone { Self::Running(ThreadTime::now()) } else { Self::Passing(Instant::now()) }
    }

    fn seconds(&self) -> f64 {
        match self {
            Self::Running(since) => since.elapsed().as_secs_f64(),
            Self::Passing(since) => since.elapsed().as_secs_f64(),
        }
    }
}

impl Ours {
    /// Runs on threads.
    pub fn new(problem: Problem, optimum: f64, patience: f64) -> Self {
        Self { problem, optimum, patience }
    }

    /// Every algorithm that gets to P* or near it, as some of the peers' do.
    pub fn algorithms(&self) -> Vec<String> {
        let near = |name: &str| {
            let algorithm = algorithm::by_name(name)?;
            algorithm::check(algorithm.as_ref(), self.problem.loss, &self.problem.penalty)?;
            let support = algorithm.support(self.problem.loss);
            Ok::<_, hemingway::Error>(matches!(support, Support::Exact | Support::Approximate))
        };
        let names = algorithm::all().into_iter().map(|a| a.name().to_string());
        names.filter(|name| near(name).unwrap_or(false)).collect()
    }

    /// Seconds of iterations, both halves of the algorithm included, to every error, for which the one thread was running.
    pub fn times(&self, name: &str) -> anyhow::Result<Times> {
        self.times_by(name, 1, || Watch::start(true))
    }

    /// The same by the clock on the wall, to compare one thread with several.
    pub fn passing_times(&self, name: &str, machines: usize) -> anyhow::Result<Times> {
        self.times_by(name, machines, || Watch::start(false))
    }

    fn times_by(&self, name: &str, machines: usize, start: impl Fn() -> Watch) -> anyhow::Result<Times> {
        let algorithm = algorithm::by_name(name)?;
        let setting = Setting::new(&self.problem, algorithm.clone());
        let outline = setting.outline;
        let (mut shared, mut server) = (algorithm.shared(&outline), algorithm.server(&outline));
        let mut engine = engine::build(setting, None, machines)?;
        let (mut times, mut seconds) = (Times::default(), 0.0);
        loop {
            let watch = start();
            let step = server.iterate(engine.as_mut(), &mut shared)?;
            seconds += watch.seconds();
            let error = (server.evaluate(engine.as_mut(), &shared)?.objective - self.optimum) / self.optimum;
            for (time, _) in times.iter_mut().zip(ERRORS).filter(|(time, asked)| time.is_none() && error <= *asked) {
                *time = Some(seconds);
            }
            if times.iter().all(Option::is_some) || seconds > self.patience || step == Step::Stalled {
                return Ok(times);
            }
        }
    }
}
