//! What does `train` take, probing included, against the best configuration by hindsight? See `bench/src/regret.rs`.
//!
//! `regret tapes` computes every (problem, algorithm, m) once and keeps it; `regret judge` trains on every pair and prints
//! every cell; `regret memory` prints what it takes once something is remembered; `regret learn` prints what the program
//! ships with as precedents. Names of problems restrict all but the last.

use anyhow::bail;
use hemingway::model::Precedents;
use hemingway_bench::regret::{Shelf, Suite, judge, recall, table};

fn main() -> anyhow::Result<()> {
    let mut words = std::env::args().skip(1);
    let verb = words.next().unwrap_or_default();
    let names: Vec<String> = words.collect();
    let suite = Suite::read()?;
    let known = |name: &String| suite.cases.iter().any(|case| case.name == *name);
    if let Some(strange) = names.iter().find(|name| !known(name)) {
        bail!("{strange} is no problem of bench/regret/suite.toml");
    }
    let asked = |name: &String| names.is_empty() || names.contains(name);
    match verb.as_str() {
        "tapes" => suite.each(|case| asked(&case.name), |case| Shelf::of(case).map(|_| ())).map(|_| ()),
        "learn" => {
            let lessons = suite.lessons()?.into_iter().map(|(_, lesson)| lesson).collect::<Vec<_>>();
            println!("{}", serde_json::to_string(&Precedents::learn(&lessons))?);
            Ok(())
        }
        "memory" => recall::print(&suite, &names),
        "judge" => {
            let lessons = suite.lessons()?;
            let pairs = suite.each(|case| asked(&case.name), |case| judge::pairs(case, &suite.clusters, &lessons))?;
            table::print(&pairs.into_iter().flatten().collect::<Vec<_>>());
            Ok(())
        }
        _ => bail!(
            "say `regret tapes`, `regret judge`, `regret memory` or `regret learn`, with names of problems for only those"
        ),
    }
}
