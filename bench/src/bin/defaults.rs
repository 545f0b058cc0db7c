//! Do the stochastic algorithms work as they come? Relative error after 1, 10 and 50 rounds on problems of different
//! kinds, m = 1 to 64. P* is the best of long runs of L-BFGS or CoCoA+.

use hemingway::algorithm::{self, Support};
use hemingway::data::{Normalize, Preparation};
use hemingway::problem::{Loss, Problem};
use hemingway_bench::{load, trace};

const ALGORITHMS: [&str; 3] = ["minibatch-sgd", "local-sgd", "splash"];
const MACHINES: [usize; 4] = [1, 4, 16, 64];
const ROUNDS: [u64; 3] = [1, 10, 50];

fn main() -> anyhow::Result<()> {
    let plain = Preparation::default();
    let mnist = Preparation { normalize: Some(Normalize::Rows), positive: Some(5.0), ..Preparation::default() };
    let problems = [
        ("a9a/a9a.libsvm.gz", plain, Loss::Logistic, None),
        ("a9a/a9a.libsvm.gz", plain, Loss::Hinge, None),
        ("mnist/train-images-idx3-ubyte.gz", mnist, Loss::Hinge, Some(3e-5)),
        ("synth:logistic", plain, Loss::Logistic, None),
        ("synth:ridge", plain, Loss::Squared, None),
        ("synth:ill-conditioned", plain, Loss::Logistic, None),
        ("synth:power-law,rows=5000", plain, Loss::Hinge, None),
        ("synth:power-law,rows=5000", plain, Loss::Squared, None),
        ("california-housing/california_housing.libsvm.gz", plain, Loss::Squared, None),
    ];
    let wanted: Vec<String> = std::env::args().skip(1).collect();
    for (name, preparation, loss, l2) in problems {
        if !wanted.is_empty() && !wanted.iter().any(|w| name.contains(w.as_str())) {
            continue;
        }
        let data = load(name, &preparation, loss.is_binary())?;
        let problem = Problem::new(&data, loss, l2, 0)?;
        let optimum = optimum(&problem)?;
        println!(
            "\n{name}, {loss}: n = {}, P(0) = {:.4}, P* = {optimum:.7}\n",
            data.rows(),
            problem.objective(&vec![0.0; data.columns()])
        );
        println!(
            "| algorithm | m | {} | ending |\n|---|---:|{}---|",
            ROUNDS.map(|r| format!("round {r}")).join(" | "),
            "---:|".repeat(ROUNDS.len())
        );
        for algorithm in ALGORITHMS {
            for machines in MACHINES {
                let trace = trace(&problem, algorithm, machines, ROUNDS[ROUNDS.len() - 1], f64::NEG_INFINITY)?;
                let error = |round: u64| {
                    let point = trace.points.iter().find(|p| p.0 == round);
                    point.map_or("—".into(), |p| format!("{:.1e}", (p.1 - optimum) / optimum))
                };
                println!("| {algorithm} | {machines} | {} | {:?} |", ROUNDS.map(error).join(" | "), trace.ending);
            }
        }
    }
    Ok(())
}

fn optimum(problem: &Problem) -> anyhow::Result<f64> {
    let lbfgs = algorithm::by_name("lbfgs")?;
    let (name, rounds) = if lbfgs.support(problem.loss) == Support::Exact { ("lbfgs", 500) } else { ("cocoa+", 300) };
    let points = trace(problem, name, 1, rounds, f64::NEG_INFINITY)?.points;
    Ok(points.iter().map(|p| p.1).fold(f64::INFINITY, f64::min))
}
