//! `doctor`: this machine as training sees it, and as a cluster file that simulates it.

mod machine;

use std::fs;
use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use hemingway::calibrate::{Calibration, Site, paces, timed};
use hemingway::cluster::{Cluster, Timed};
use hemingway::data::Source;
use hemingway::engine::{self, Engines, cores};
use hemingway::problem::{Loss, Problem};
use serde_json::{Value, json};

use super::exit;
use crate::args::DoctorArgs;
use crate::output::{Answer, Output};
use crate::place;
use crate::show::{Align, Paint, Table, number};

/// Algorithms whose pace is measured: those that `train` takes, and the plainest.
const ALGORITHMS: [&str; 5] = ["gd", "lbfgs", "newton", "cocoa", "cocoa+"];
/// Half of its rows' numbers are on a few columns, as in most data of that size.
const DATA: &str = "synth:power-law";
/// For all paces.
const BUDGET: Duration = Duration::from_secs(5);
/// For rounds on threads, and on ranks, whose links may be slow: with the paces they stay below a minute.
const ROUNDS: [Duration; 2] = [Duration::from_secs(5), Duration::from_secs(30)];
/// The longest messages looked at on threads, where a model of a million coefficients is as long as most get, and on ranks.
const NUMBERS: [u64; 2] = [1 << 20, 1 << 16];

/// Measures for about ten seconds on threads, and half a minute on ranks.
pub(super) fn doctor(args: &DoctorArgs, out: &mut dyn Output) -> Result<u8> {
    let began = Instant::now();
    let ranks = place::engines();
    let long = if ranks.is_some() { "half a minute" } else { "ten seconds" };
    let waiting = out.wait(&format!("measuring for about {long}"));
    let data = Source::parse(DATA)?.load()?.dataset;
    let problem = Problem::new(&data, Loss::Logistic, None, 0)?;
    let paces = paces(&problem, &ALGORITHMS, BUDGET, &mut |_| ())?;
    let found = Calibration { paces, rounds: rounds(ranks.as_deref())? };
    let (tick, noise, memory) = (machine::clock_tick(), machine::clock_noise(), machine::memory_gb());
    drop(waiting);
    let machines = ranks.as_ref().map_or_else(cores, |ranks| ranks.machines());
    // Threads share this machine's memory; of other hosts it is taken that theirs is as large.
    let sharing = if ranks.is_some() { 1 } else { machines };
    let cluster = found.cluster(&args.name, machines, 1, memory.map_or(1.0, |memory| memory / sharing as f64));
    if let Some(path) = &args.out {
        fs::write(path, cluster.toml()?).with_context(|| format!("cannot write {}", path.display()))?;
    }
    let path = std::path::absolute(&args.store.store).unwrap_or_else(|_| args.store.store.clone());
    let runs = hemingway::record::store::Store::at(&args.store.store).runs()?.len();
    let file = args.out.as_ref().map(|path| path.display().to_string());
    let (store, seconds) = (path.display().to_string(), began.elapsed().as_secs_f64());
    out.answer(&Health { found, cluster, file, tick, noise, memory, store, runs, seconds })?;
    Ok(exit::MET)
}

/// Rounds on every number of threads; of ranks on the powers of two, and all.
fn rounds(ranks: Option<&dyn Engines>) -> hemingway::Result<Vec<Timed>> {
    let build = |setting, machines| match ranks {
        Some(ranks) => ranks.build(setting, machines),
        None => engine::build(setting, None, machines),
    };
    let doubled =
        |most: usize| std::iter::successors(Some(1), |m| Some(2 * m)).take_while(move |m| *m < most).chain([most]);
    let machines = ranks.map_or_else(|| (1..=cores()).collect(), |ranks| doubled(ranks.machines()).collect());
    let which = usize::from(ranks.is_some());
    timed(&Site { build: &build, machines, numbers: NUMBERS[which], budget: ROUNDS[which] }, &mut |_| ())
}

struct Health {
    found: Calibration,
    cluster: Cluster,
    file: Option<String>,
    tick: f64,
    noise: f64,
    memory: Option<f64>,
    store: String,
    runs: usize,
    seconds: f64,
}

impl Health {
    fn lines(&self) -> Vec<(&'static str, String)> {
        let noise = 100.0 * self.noise;
        let verdict = if noise < 10.0 { "quiet" } else { "noisy: measured times will scatter; close other programs" };
        let tick = number::seconds(self.tick);
        let memory = self.memory.map_or_else(|| number::UNKNOWN.into(), |memory| format!("{memory:.1} GB"));
        vec![
            ("version", env!("CARGO_PKG_VERSION").to_string()),
            ("cores", format!("{0}; up to {0} threads, more workers share them (oversubscribed)", cores())),
            ("memory", memory),
            (
                "clock",
                format!("ticks of {tick}, one piece of work in 20 takes {noise:.0} % longer than usual: {verdict}"),
            ),
            (
                "strays",
                format!(
                    "σ = {:.3}: two rounds in three take between e^-σ and e^σ times what is usual",
                    self.found.sigma()
                ),
            ),
            ("store", format!("{} ({})", self.store, number::counted(self.runs, "run"))),
        ]
    }

    fn paces(&self, paint: Paint) -> String {
        let mut table =
            Table::new([("algorithm", Align::Left), ("ns for each nonzero", Align::Right), ("σ", Align::Right)]);
        for pace in &self.found.paces {
            let sigma = format!("{:.3}", pace.sigma);
            table.row([pace.algorithm.clone(), number::digits(pace.ns_per_nonzero), sigma]);
        }
        table.text("", paint)
    }

    fn rounds(&self, paint: Paint) -> String {
        let lengths = [0.0, 1e3, 1e5, 1e6];
        let heads = ["an empty round takes", "of 1,000 numbers", "of 100,000", "of 1,000,000"];
        let heads = std::iter::once("workers").chain(heads).map(|head| (head, Align::Right));
        let mut table = Table::new(heads);
        for timed in &self.found.rounds {
            let cells = lengths.map(|numbers| number::seconds(timed.seconds(numbers, numbers)));
            table.row(std::iter::once(timed.machines.to_string()).chain(cells));
        }
        table.text("", paint)
    }
}

impl Answer for Health {
    fn json(&self) -> Value {
        let empty = self
            .found
            .rounds
            .iter()
            .map(|timed| json!({ "machines": timed.machines, "seconds_per_round": timed.seconds(0.0, 0.0) }));
        let paces = self.found.paces.iter().map(
            |pace| json!({ "algorithm": pace.algorithm, "ns_per_nonzero": pace.ns_per_nonzero, "sigma": pace.sigma }),
        );
        json!({
            "version": env!("CARGO_PKG_VERSION"),
            "cores": cores(),
            "threads": cores(),
            "memory_gb": self.memory,
            "clock_tick_seconds": self.tick,
            "clock_noise": self.noise,
            "straggler_sigma": self.found.sigma(),
            "ns_per_nonzero": self.found.ns_per_nonzero(),
            "paces": paces.collect::<Vec<_>>(),
            "empty_round": empty.collect::<Vec<_>>(),
            "rounds": self.found.rounds,
            "cluster": self.cluster,
            "file": self.file,
            "store": self.store,
            "runs": self.runs,
            "seconds": self.seconds,
        })
    }

    fn human(&self, paint: Paint) -> String {
        let line = |(head, body)| format!("{}  {body}\n", paint.dim(&format!("{head:<8}")));
        let text: String = self.lines().into_iter().map(line).collect();
        let next = match &self.file {
            Some(file) => format!("written  {file}\nnext     hemingway plan DATA --reach 1e-3 --cluster {file}"),
            None => "next     hemingway doctor -o here.toml".into(),
        };
        format!("{text}\n{}\n{}\n{next}", self.paces(paint), self.rounds(paint))
    }

    fn quiet(&self) -> String {
        cores().to_string()
    }
}
