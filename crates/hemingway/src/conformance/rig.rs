//! An algorithm on an engine, driven by hand.

use std::borrow::Cow;
use std::sync::Arc;

use crate::algorithm::{Algorithm, Server, Step};
use crate::conformance::Build;
use crate::engine::{Engine, Setting};
use crate::problem::{Evaluation, Problem};

/// The two halves of an algorithm at work.
pub(super) struct Rig {
    pub(super) setting: Setting,
    pub(super) engine: Box<dyn Engine>,
    pub(super) server: Box<dyn Server>,
    pub(super) shared: Vec<f64>,
}

/// Everything a run consists of, to the bit.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Bits {
    shared: Vec<u64>,
    items: Vec<u64>,
    evaluation: (u64, Option<u64>),
}

/// Where a run has come to.
#[derive(Debug, Clone, PartialEq)]
pub struct Point {
    /// Rounds made.
    pub round: u64,
    /// The shared vector.
    pub shared: Vec<f64>,
    /// The rows' numbers.
    pub items: Vec<f64>,
    /// P and its bound.
    pub evaluation: Evaluation,
}

impl Point {
    /// Whether it is the same to the bit.
    pub fn is_exactly(&self, other: &Self) -> bool {
        let same =
            |a: &[f64], b: &[f64]| a.len() == b.len() && a.iter().zip(b).all(|(a, b)| a.to_bits() == b.to_bits());
        let bits = |e: &Evaluation| (e.objective.to_bits(), e.dual.map(f64::to_bits));
        self.round == other.round
            && same(&self.shared, &other.shared)
            && same(&self.items, &other.items)
            && bits(&self.evaluation) == bits(&other.evaluation)
    }
}

/// See [`super::course`].
pub(super) fn course(
    problem: &Problem,
    algorithm: &Arc<dyn Algorithm>,
    build: &Build<'_>,
    stretches: &[(usize, u64)],
) -> Vec<Point> {
    let mut rig = Rig::new(problem, algorithm, stretches.first().map_or(1, |first| first.0), build);
    let mut points = vec![rig.point()];
    for (machines, rounds) in stretches {
        if rig.engine.count() != *machines {
            rig.resize(*machines);
        }
        let end = rig.engine.clock().rounds + rounds;
        while rig.engine.clock().rounds < end {
            let step = rig.server.iterate(rig.engine.as_mut(), &mut rig.shared).expect("an iteration succeeds");
            points.push(rig.point());
            if step == Step::Stalled {
                break;
            }
        }
    }
    points
}

impl Rig {
    fn point(&mut self) -> Point {
        let (round, evaluation) = (self.engine.clock().rounds, self.evaluate());
        Point { round, shared: self.shared.clone(), items: self.items(), evaluation }
    }

    pub(super) fn new(problem: &Problem, algorithm: &Arc<dyn Algorithm>, machines: usize, build: &Build<'_>) -> Self {
        let setting = Setting::new(problem, Arc::clone(algorithm));
        let engine = build(setting.clone(), machines).expect("the engine takes the machines");
        let server = algorithm.server(&setting.outline);
        let shared = algorithm.shared(&setting.outline);
        Self { setting, engine, server, shared }
    }

    /// Iterates, and checks that every iteration makes a round or says that it is stuck: no cap would fire otherwise.
    pub(super) fn iterate(&mut self, times: usize) {
        for _ in 0..times {
            let before = self.engine.clock().rounds;
            let step = self.server.iterate(self.engine.as_mut(), &mut self.shared).expect("an iteration succeeds");
            let made = self.engine.clock().rounds - before;
            assert!(made > 0 || step == Step::Stalled, "an iteration that moves must make a round");
        }
    }

    pub(super) fn evaluate(&mut self) -> Evaluation {
        self.server.evaluate(self.engine.as_mut(), &self.shared).expect("an evaluation succeeds")
    }

    pub(super) fn items(&mut self) -> Vec<f64> {
        self.engine.items().expect("items can be read")
    }

    pub(super) fn bits(&mut self) -> Bits {
        let evaluation = self.evaluate();
        let bits = |numbers: &[f64]| numbers.iter().map(|v| v.to_bits()).collect();
        Bits {
            items: bits(&self.items()),
            shared: bits(&self.shared),
            evaluation: (evaluation.objective.to_bits(), evaluation.dual.map(f64::to_bits)),
        }
    }

    pub(super) fn model(&self) -> Cow<'_, [f64]> {
        self.setting.algorithm.model(&self.setting.outline, &self.shared)
    }

    pub(super) fn resize(&mut self, machines: usize) {
        self.engine.resize(machines).expect("the engine resizes");
    }

    pub(super) fn adopt(&mut self, model: &[f64]) {
        self.server.adopt(self.engine.as_mut(), model, &mut self.shared).expect("a model is adopted");
    }

    /// Another rig that has taken up everything this one would save.
    pub(super) fn reborn(&mut self, build: &Build<'_>) -> Self {
        let mut other = Self::new(&self.setting.problem, &self.setting.algorithm, self.engine.count(), build);
        other.engine.set_clock(self.engine.clock());
        other.engine.set_items(&self.items()).expect("items can be put back");
        other.shared.clone_from(&self.shared);
        other.server.restore(&self.server.state()).expect("its own state");
        other
    }
}
