//! Our own solvers on threads of this machine.

use std::ops::ControlFlow;

use hemingway::algorithm;
use hemingway::backend::{Backend, Config, Ending, EngineBackend, Frame};
use hemingway::problem::Problem;

use super::{ERRORS, PATIENCE, Times};

/// A problem, and what its optimum is.
pub struct Ours {
    backend: EngineBackend,
    problem: Problem,
    optimum: f64,
}

impl Ours {
    /// Runs on threads.
    pub fn new(problem: Problem, optimum: f64) -> Self {
        Self { backend: EngineBackend::new(problem.clone(), "peers", None), problem, optimum }
    }

    /// Every algorithm that converges to P*.
    pub fn algorithms(&self) -> Vec<String> {
        let exact = |name: &str| {
            let algorithm = algorithm::by_name(name)?;
            algorithm::check(algorithm.as_ref(), self.problem.loss, &self.problem.penalty)?;
            Ok::<_, hemingway::Error>(algorithm.support(self.problem.loss) == algorithm::Support::Exact)
        };
        let names = algorithm::all().into_iter().map(|a| a.name());
        names.filter(|name| exact(name).unwrap_or(false)).map(String::from).collect()
    }

    /// Training seconds to every error.
    pub fn times(&mut self, algorithm: &str, machines: usize) -> anyhow::Result<Times> {
        let mut times = Times::default();
        let optimum = self.optimum;
        let frame = Frame::new("peers", Config::new(algorithm, machines), u64::MAX);
        self.backend.run(&frame, None, &mut |record, _| {
            let error = (record.objective - optimum) / optimum;
            for (time, _) in times.iter_mut().zip(ERRORS).filter(|(time, asked)| time.is_none() && error <= *asked) {
                *time = Some(record.train_seconds);
            }
            let over = times.iter().all(Option::is_some) || record.train_seconds > PATIENCE;
            Ok(if over { ControlFlow::Break(Ending::GoalMet) } else { ControlFlow::Continue(()) })
        })?;
        Ok(times)
    }
}
