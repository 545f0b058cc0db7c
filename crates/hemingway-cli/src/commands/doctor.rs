//! `doctor`: this machine as training sees it.

use std::hint::black_box;
use std::ops::ControlFlow;
use std::time::Instant;

use anyhow::Result;
use hemingway::backend::{Backend, Config, EngineBackend, Frame};
use hemingway::data::Source;
use hemingway::engine::cores;
use hemingway::problem::{Loss, Problem};
use serde_json::{Value, json};

use super::exit;
use crate::args::DoctorArgs;
use crate::output::{Answer, Output};
use crate::show::{Align, Paint, Table, number};

/// Rounds of nothing, after which their mean is steady.
const ROUNDS: u64 = 2000;
/// Pieces of equal work by which the clock is judged.
const PIECES: usize = 400;

/// Measures for about a second.
pub(super) fn doctor(args: &DoctorArgs, out: &mut dyn Output) -> Result<u8> {
    let waiting = out.wait("measuring");
    let overhead = (1..=cores()).map(|m| Ok((m, empty_round(m)?))).collect::<Result<Vec<_>>>()?;
    let (tick, noise) = (clock_tick(), clock_noise());
    drop(waiting);
    let path = std::path::absolute(&args.store.store).unwrap_or_else(|_| args.store.store.clone());
    let runs = hemingway::record::store::Store::at(&args.store.store).runs()?.len();
    out.answer(&Health { cores: cores(), tick, noise, overhead, store: path.display().to_string(), runs })?;
    Ok(exit::MET)
}

/// Seconds of a round in which nothing is done, on m workers.
fn empty_round(machines: usize) -> Result<f64> {
    let data = Source::parse("synth:logistic,rows=1000,columns=50")?.load()?.dataset;
    let problem = Problem::new(&data, Loss::Logistic, None, 0)?;
    let frame = Frame { eval_every: ROUNDS, ..Frame::new("doctor", Config::new("noop", machines), ROUNDS) };
    let mut seconds = 0.0;
    EngineBackend::new(problem, "doctor", None).run(&frame, None, &mut |record, _| {
        seconds = record.train_seconds;
        Ok(ControlFlow::Continue(()))
    })?;
    Ok(seconds / ROUNDS as f64)
}

/// The smallest step the clock makes.
fn clock_tick() -> f64 {
    let steps = (0..1000).map(|_| {
        let began = Instant::now();
        loop {
            let step = began.elapsed();
            if !step.is_zero() {
                return step.as_secs_f64();
            }
        }
    });
    steps.fold(f64::INFINITY, f64::min)
}

/// How much longer than the median the slowest twentieth of equal pieces of work takes, as a share.
fn clock_noise() -> f64 {
    let piece = |_| {
        let began = Instant::now();
        black_box((0..20_000u32).fold(1.0f64, |sum, i| black_box(sum + f64::from(i).sqrt())));
        began.elapsed().as_secs_f64()
    };
    let mut times: Vec<f64> = (0..PIECES).map(piece).collect();
    times.sort_by(f64::total_cmp);
    times[PIECES * 19 / 20] / times[PIECES / 2] - 1.0
}

struct Health {
    cores: usize,
    tick: f64,
    noise: f64,
    overhead: Vec<(usize, f64)>,
    store: String,
    runs: usize,
}

impl Answer for Health {
    fn json(&self) -> Value {
        let overhead = self.overhead.iter().map(|(m, seconds)| json!({ "machines": m, "seconds_per_round": seconds }));
        json!({
            "version": env!("CARGO_PKG_VERSION"),
            "cores": self.cores,
            "threads": self.cores,
            "clock_tick_seconds": self.tick,
            "clock_noise": self.noise,
            "empty_round": overhead.collect::<Vec<_>>(),
            "store": self.store,
            "runs": self.runs,
        })
    }

    fn human(&self, paint: Paint) -> String {
        let noise = 100.0 * self.noise;
        let verdict = if noise < 10.0 { "quiet" } else { "noisy: measured times will scatter; close other programs" };
        let lines = [
            ("version", env!("CARGO_PKG_VERSION").to_string()),
            ("cores", format!("{0}; up to {0} threads, more workers share them (oversubscribed)", self.cores)),
            (
                "clock",
                format!(
                    "ticks of {}, one piece of work in 20 takes {noise:.0} % longer than usual: {verdict}",
                    number::seconds(self.tick)
                ),
            ),
            ("store", format!("{} ({})", self.store, number::counted(self.runs, "run"))),
        ];
        let mut text = String::new();
        for (head, body) in lines {
            text.push_str(&format!("{}  {body}\n", paint.dim(&format!("{head:<8}"))));
        }
        let mut table = Table::new([("workers", Align::Right), ("an empty round takes", Align::Right)]);
        for (machines, seconds) in &self.overhead {
            table.row([machines.to_string(), number::seconds(*seconds)]);
        }
        format!("{text}\n{}", table.text("", paint))
    }

    fn quiet(&self) -> String {
        self.cores.to_string()
    }
}
