//! Many λ₁ one after the other: each problem begins where the last ended, and what was learnt of columns is carried along.

use super::{Phase, StradsServer, look};
use crate::Result;
use crate::algorithm::{Machines, Order, Server, Step, Task};
use crate::problem::Outline;
use crate::schedule::Schedule;

/// Looks that a point may take: far more than any that gets anywhere.
const LOOKS: usize = 200;
/// Where all columns together promise less than this share of P, nothing moves at working precision. The gap follows the slopes and not
/// their squares: it closes long after P.
const AT_REST: f64 = 1e-26;

/// The optimum at one λ₁, as far as it was found.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Found {
    /// P.
    pub(crate) objective: f64,
    /// A bound below P*.
    pub(crate) dual: f64,
    /// Looks at the columns that it took.
    pub(crate) looks: usize,
}

/// Those who look at columns, and those who move them: all hold the same.
pub(crate) struct On<'a> {
    pub(crate) looking: &'a mut dyn Machines,
    pub(crate) moving: &'a mut dyn Machines,
}

/// STRADS for falling λ₁.
pub(crate) struct PathServer {
    server: StradsServer,
}

impl PathServer {
    /// Before the first λ₁.
    pub(crate) fn new(outline: &Outline) -> Self {
        Self { server: StradsServer::new(outline, Schedule::dynamic()) }
    }

    /// The smallest λ₁ that leaves w at 0, where the shared vector is: the largest |cⱼ|.
    pub(crate) fn largest(&mut self, on: &mut dyn Machines, shared: &[f64]) -> Result<f64> {
        // Above every λ₁ nothing moves; from 0 on every column is looked at.
        self.server.outline.penalty.l1 = f64::MAX;
        self.server.near = Some(0.0);
        Ok(self.server.ask(on, 1, shared)?.0.most)
    }

    /// Solves the problem of one λ₁ from where the shared vector is, until `enough` says so of P and a bound below P*.
    pub(crate) fn solve(
        &mut self,
        On { looking, moving }: On<'_>,
        shared: &mut [f64],
        l1: f64,
        enough: impl Fn(f64, f64) -> bool,
        wanted: impl Fn(f64) -> f64,
    ) -> Result<Found> {
        let server = &mut self.server;
        // Where λ₁ falls no faster than the cⱼ rise, these are all that will move (strong rule: Tibshirani et al. 2012).
        server.near = Some((2.0 * l1 - server.outline.penalty.l1).max(0.5 * l1)).filter(|near| *near < l1);
        server.outline.penalty.l1 = l1;
        (server.sphere, server.value, server.phase) = (look::Sphere::UNKNOWN, f64::INFINITY, Phase::Look);
        let mut found = Found { objective: f64::INFINITY, dual: f64::NEG_INFINITY, looks: 0 };
        while found.looks < LOOKS {
            let (mut seen, support) = server.ask(looking, moving.count(), shared)?;
            server.refine(looking, shared, &mut seen)?;
            found = Found { objective: seen.value, dual: seen.dual.max(found.dual), looks: found.looks + 1 };
            if enough(found.objective, found.dual) || seen.promise <= AT_REST * seen.value {
                break;
            }
            server.wanted = Some(wanted(found.objective));
            server.plan(&seen, support, moving.count());
            if server.iterate(moving, shared)? == Step::Stalled {
                break;
            }
        }
        Ok(found)
    }
}

impl StradsServer {
    /// Where the dual does not scale: D at the very edge of what is feasible.
    fn refine(&mut self, on: &mut dyn Machines, shared: &[f64], seen: &mut look::Seen) -> Result<()> {
        let penalty = self.outline.penalty;
        if penalty.l2 > 0.0 || self.outline.loss.dual_scales() {
            return Ok(());
        }
        let t = look::feasible(seen.most, penalty.l1);
        let mut sums = [0.0; 2];
        let order = Order::train(on, Task::Probe, vec![t, on.count() as f64]);
        on.round(&order, &shared[..self.outline.rows], &mut sums)?;
        seen.refine(&self.outline, t, sums);
        self.sphere = seen.sphere;
        Ok(())
    }
}
