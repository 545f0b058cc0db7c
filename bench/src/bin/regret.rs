//! What does `train` take, probing included, against the best configuration by hindsight? See `bench/src/regret.rs`.
//!
//! The verbs are listed there. Names of problems restrict all but `learn`.

use anyhow::bail;
use hemingway::cluster::Cluster;
use hemingway::model::{Lesson, Precedents};
use hemingway_bench::regret::{Case, Shelf, Suite, budgets, cells, claims, judge, recall, rehearsals, shipped, table};

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
        "tapes" => {
            let lines = suite.each(|case| asked(&case.name), |case| Ok(Shelf::of(case)?.rounds(case)))?;
            println!("{}", lines.join("\n"));
            Ok(())
        }
        "learn" | "learn-l1" => {
            let lessons = suite.lessons(verb == "learn-l1")?.into_iter().map(|(_, lesson)| lesson).collect::<Vec<_>>();
            println!("{}", shipped::text(&Precedents::learn(&lessons))?);
            Ok(())
        }
        "rehearsals" => {
            let compared = suite.each(|case| asked(&case.name), rehearsals::of)?;
            rehearsals::print(&compared.into_iter().flatten().collect::<Vec<_>>());
            Ok(())
        }
        "memory" => recall::print(&suite, &names),
        "judge" => {
            train(&suite, asked, |case, clusters, lessons| {
                if !cells::are_fresh(&case.name)? {
                    cells::save(&case.name, &judge::pairs(case, clusters, lessons)?)?;
                }
                Ok(Vec::<()>::new())
            })?;
            print_table(&suite, asked)
        }
        "table" => print_table(&suite, asked),
        "claims" => train(&suite, asked, claims::of).map(|claims| claims::print(&claims)),
        "budgets" => train(&suite, asked, budgets::of).map(|cells| budgets::print(&cells)),
        _ => bail!(
            "say `regret tapes`, `judge`, `table`, `claims`, `budgets`, `rehearsals`, `memory`, `learn` or `learn-l1`, with names of problems for only those"
        ),
    }
}

fn print_table(suite: &Suite, asked: impl Fn(&String) -> bool) -> anyhow::Result<()> {
    let names = suite.cases.iter().map(|case| &case.name).filter(|name| asked(name));
    let pairs = names.map(|name| cells::load(name)).collect::<anyhow::Result<Vec<_>>>()?;
    table::print(&pairs.into_iter().flatten().collect::<Vec<_>>());
    Ok(())
}

/// What is made of a problem on some clusters by jobs that know the lessons of other families.
type Jobs<T> = fn(&Case, &[Cluster], &[(String, Lesson)]) -> anyhow::Result<Vec<T>>;

fn train<T: Send>(suite: &Suite, asked: impl Fn(&String) -> bool, jobs: Jobs<T>) -> anyhow::Result<Vec<T>> {
    let mut all = Vec::new();
    for with_l1 in [false, true] {
        let of_kind = |case: &Case| case.has_l1() == with_l1 && asked(&case.name);
        if suite.cases.iter().any(of_kind) {
            let lessons = suite.lessons(with_l1)?;
            all.extend(suite.each(of_kind, |case| jobs(case, &suite.clusters, &lessons))?.into_iter().flatten());
        }
    }
    Ok(all)
}
