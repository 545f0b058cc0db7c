//! How well samples of 5, 10 and 20 % of the rows foresee all of them: which λ a sample should have, the rounds that a
//! target takes, and what a choice made from samples costs. Tables in Markdown; with VERBOSE set, every cell on stderr.
//!
//! The models see samples of one seed, and estimate their optima; the judge knows P* of all rows and takes the median of
//! the seeds. Needs the traces of `make_subset_traces`; problems named on the command line are judged alone.

use hemingway::model::{FitOptions, RunModel};
use hemingway_bench::subset::choice::{self, choices};
use hemingway_bench::subset::rounds::{self, cells};
use hemingway_bench::subset::scaling::Scalings;
use hemingway_bench::subset::{SEEDS, studies};

fn main() -> anyhow::Result<()> {
    let asked: Vec<String> = std::env::args().skip(1).collect();
    let verbose = std::env::var_os("VERBOSE").is_some();
    let (mut scalings, mut all_cells, mut all_choices) = (Scalings::default(), Vec::new(), Vec::new());
    for study in studies(&asked) {
        let truth = study.truth()?;
        scalings.add(&study, &truth)?;
        for seed in SEEDS {
            let evidence = study.evidence(seed)?;
            if evidence.samples.is_empty() {
                eprintln!("{}: no traces of seed {seed}, left out", study.case.name);
                continue;
            }
            let model = RunModel::fit(&evidence.samples, &FitOptions::default())?;
            all_cells.extend(cells(&study, seed, &model, &truth));
            all_choices.extend(choices(&study, seed, &evidence, &truth)?);
        }
    }
    println!("# Learning from samples\n");
    scalings.print();
    rounds::print(&all_cells, verbose);
    choice::print(&all_choices, verbose);
    Ok(())
}
