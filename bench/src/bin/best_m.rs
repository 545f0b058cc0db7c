//! The best number of machines for MNIST on every shipped cluster: each algorithm on each m, run until the true relative
//! error is at most 1e-3, in the cluster's virtual seconds.

use std::ops::ControlFlow;
use std::path::Path;

use hemingway::algorithm;
use hemingway::backend::{Backend, Config, Ending, EngineBackend, Frame};
use hemingway::cluster::Cluster;
use hemingway::data::{Normalize, Preparation};
use hemingway::problem::{Loss, Problem};

const OPTIMUM: f64 = 0.089_680_1;
const ERROR: f64 = 1e-3;
const ROUNDS: u64 = 500;

/// Virtual seconds to the error, if it is reached.
fn seconds(problem: &Problem, cluster: &Cluster, algorithm: &str, machines: usize) -> anyhow::Result<Option<f64>> {
    let mut backend = EngineBackend::new(problem.clone(), "mnist", Some(cluster.clone()));
    let config = Config::new(algorithm, machines);
    let frame = Frame::new("mnist", config, ROUNDS);
    let mut reached = None;
    backend.run(&frame, None, &mut |record, _| {
        if (record.objective - OPTIMUM) / OPTIMUM > ERROR {
            return Ok(ControlFlow::Continue(()));
        }
        reached = Some(record.train_seconds);
        Ok(ControlFlow::Break(Ending::GoalMet))
    })?;
    Ok(reached)
}

fn main() -> anyhow::Result<()> {
    let preparation = Preparation { normalize: Some(Normalize::Rows), positive: Some(5.0), ..Preparation::default() };
    let data = hemingway_bench::load("mnist/train-images-idx3-ubyte.gz", &preparation, true)?;
    let problem = Problem::new(&data, Loss::Hinge, Some(3e-5), 0)?;
    let folder = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../clusters"));
    let sizes: Vec<usize> = (0..8).map(|k| 1 << k).collect();
    println!(
        "virtual seconds to relative error {ERROR:e}, MNIST 5 against the rest, hinge, seed 0; * the best of the cluster"
    );
    println!(
        "{:<13} {:<8} {}",
        "cluster",
        "",
        sizes.iter().map(|m| format!("{:>9}", format!("m={m}"))).collect::<String>()
    );
    for name in ["laptop", "spark-1gbit", "cloud-25gbit", "hpc-200gbit"] {
        let cluster = Cluster::read(&folder.join(format!("{name}.toml")))?;
        let mut rows = Vec::new();
        for algorithm in algorithm::candidates(problem.loss, &problem.penalty, true) {
            let fit = sizes.iter().filter(|m| **m <= cluster.machines);
            let times =
                fit.map(|m| seconds(&problem, &cluster, algorithm.name(), *m)).collect::<Result<Vec<_>, _>>()?;
            rows.push((algorithm.name().to_string(), times));
        }
        let best = rows.iter().flat_map(|(_, times)| times.iter().flatten()).copied().fold(f64::INFINITY, f64::min);
        for (algorithm, times) in rows {
            let cell = |time: &Option<f64>| match time {
                Some(time) => format!("{time:>8.3}{}", if *time == best { "*" } else { " " }),
                None => format!("{:>9}", "—"),
            };
            println!("{name:<13} {algorithm:<8} {}", times.iter().map(cell).collect::<String>());
        }
    }
    Ok(())
}
