//! How far does each algorithm come with each problem of the regret suite, in rounds and in passes over the rows? What
//! `Algorithm::outdone_by` rests on.
//!
//! ```text
//! cargo run --release -p hemingway-bench --bin algorithms -- [NAMES]
//! ```
//!
//! One row a problem and number of machines, one column an algorithm: rounds to ε and, behind the stroke, passes; P* from
//! another program (`bench/regret/optima.toml`). An algorithm is given up after [`PASSES`] passes.

use std::ops::ControlFlow;

use hemingway::algorithm::{self, Support};
use hemingway::backend::{Backend, Config, Ending, EngineBackend, Frame};
use hemingway::cluster::Cluster;
use hemingway::problem::Problem;
use hemingway_bench::regret::{Case, Suite};

const MACHINES: [usize; 2] = [1, 8];
const PASSES: f64 = 1000.0;

fn main() -> anyhow::Result<()> {
    let names: Vec<String> = std::env::args().skip(1).collect();
    let suite = Suite::read()?;
    let cluster = suite.clusters.iter().max_by_key(|cluster| cluster.machines);
    let known = algorithm::all();
    let algorithms: Vec<&str> = known.iter().map(|a| a.name()).filter(|name| *name != "noop").collect();
    println!("| problem | m | {} |", algorithms.join(" | "));
    println!("|---|---:|{}", "---:|".repeat(algorithms.len()));
    for case in suite.cases.iter().filter(|case| names.is_empty() || names.contains(&case.name)) {
        let problem = case.problem(&case.load()?)?;
        for machines in MACHINES {
            let cells = algorithms.iter().map(|name| cell(case, &problem, cluster, Config::new(*name, machines)));
            println!("| {} | {machines} | {} |", case.name, cells.collect::<anyhow::Result<Vec<_>>>()?.join(" | "));
        }
    }
    Ok(())
}

/// `rounds / passes` to ε.
fn cell(case: &Case, problem: &Problem, cluster: Option<&Cluster>, config: Config) -> anyhow::Result<String> {
    let algorithm = algorithm::by_name(&config.algorithm)?;
    let applies = algorithm.support(problem.loss) == Support::Exact
        && algorithm::check(algorithm.as_ref(), problem.loss, &problem.penalty).is_ok();
    if !applies {
        return Ok("—".into());
    }
    let mut backend = EngineBackend::new(problem.clone(), "algorithms", cluster.cloned());
    let mut last = (0, 0.0);
    let (_, ending) = backend.run(&Frame::new("algorithms", config, u64::MAX), None, &mut |record, _| {
        last = (record.round, record.passes);
        Ok(match case.true_error(record.objective) {
            error if error <= case.error => ControlFlow::Break(Ending::GoalMet),
            _ if record.passes > PASSES => ControlFlow::Break(Ending::BudgetSpent),
            _ => ControlFlow::Continue(()),
        })
    })?;
    let sign = if ending == Ending::GoalMet { "" } else { "> " };
    Ok(format!("{sign}{} / {:.0}", last.0, last.1))
}
