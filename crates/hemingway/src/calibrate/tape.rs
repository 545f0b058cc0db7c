//! Rounds written down as they were computed on a free core, to be played again where there are more machines than cores.

use serde::{Deserialize, Serialize};

use super::pace::one_core;
use crate::Result;
use crate::algorithm::{self, Machines, Order, Step, Task};
use crate::engine::{Engine, Setting, Simulated};
use crate::problem::Problem;

/// One round.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Beat {
    /// Numbers broadcast.
    pub down: usize,
    /// Numbers summed.
    pub up: usize,
    /// Stored entries touched by all machines together.
    pub entries: u64,
    /// Seconds each machine computed.
    pub seconds: Vec<f64>,
}

/// The rounds of one algorithm on so many machines.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Tape {
    /// In order.
    pub beats: Vec<Beat>,
}

impl Tape {
    /// Runs an algorithm, one machine after the other on this core, as long as `more` says.
    pub fn record(
        problem: &Problem,
        algorithm: &str,
        machines: usize,
        more: &mut dyn FnMut(&Self) -> bool,
    ) -> Result<Self> {
        let setting = Setting::new(problem, algorithm::by_name(algorithm)?);
        let mut server = setting.algorithm.server(&setting.outline);
        let mut shared = setting.algorithm.shared(&setting.outline);
        let engine = Simulated::new(setting, one_core(machines), machines)?;
        let mut recorder = Recorder { engine, tape: Self::default() };
        while more(&recorder.tape) && server.iterate(&mut recorder, &mut shared)? == Step::Moved {}
        Ok(recorder.tape)
    }

    /// Plays the rounds on an engine that runs `noop`: what each took there.
    pub fn play(&self, engine: &mut dyn Engine) -> Result<Vec<f64>> {
        let most = |length: fn(&Beat) -> usize| self.beats.iter().map(length).max().unwrap_or(0);
        let (mut shared, mut sum) = (vec![0.0; most(|beat| beat.down)], vec![0.0; most(|beat| beat.up)]);
        let mut play = |beat: &Beat| {
            let before = engine.clock().train_seconds();
            let (round, args) = (engine.next_round(), beat.seconds.clone());
            // Other numbers each time: an engine may send only what has changed.
            shared.fill(round as f64);
            let order = Order { round, task: Task::Step, block: Vec::new(), args, off_clock: false };
            engine.round(&order, &shared[..beat.down], &mut sum[..beat.up])?;
            Ok(engine.clock().train_seconds() - before)
        };
        self.beats.iter().map(&mut play).collect()
    }
}

/// Machines whose every round is written down.
struct Recorder {
    engine: Simulated,
    tape: Tape,
}

impl Machines for Recorder {
    fn count(&self) -> usize {
        self.engine.count()
    }

    fn next_round(&self) -> u64 {
        self.engine.next_round()
    }

    fn round(&mut self, order: &Order, shared: &[f64], sum: &mut [f64]) -> Result<usize> {
        let held = self.engine.round(order, shared, sum)?;
        let done = self.engine.last_round();
        if !order.off_clock {
            self.tape.beats.push(Beat {
                down: shared.len(),
                up: sum.len(),
                entries: done.iter().map(|(work, _)| work.entries).sum(),
                seconds: done.iter().map(|(_, seconds)| *seconds).collect(),
            });
        }
        Ok(held)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::Source;
    use crate::engine::Local;
    use crate::problem::Loss;

    #[test]
    fn what_is_recorded_plays_again_round_by_round() {
        let data = Source::parse("synth:logistic,rows=300,columns=20").unwrap().load().unwrap().dataset;
        let problem = Problem::new(&data, Loss::Logistic, None, 0).unwrap();
        let tape = Tape::record(&problem, "lbfgs", 3, &mut |tape| tape.beats.len() < 6).unwrap();
        assert!(tape.beats.len() >= 6);
        assert!(tape.beats.iter().all(|beat| beat.down == 20 && beat.entries == 6000 && beat.seconds.len() == 3));
        let setting = Setting::new(&problem, algorithm::by_name("noop").unwrap());
        let mut engine = Local::new(setting, 3).unwrap();
        let slow = Tape { beats: vec![Beat { seconds: vec![0.0, 0.01, 0.0], ..tape.beats[0].clone() }] };
        assert_eq!(tape.play(&mut engine).unwrap().len(), tape.beats.len());
        assert!(slow.play(&mut engine).unwrap()[0] >= 0.01);
    }
}
