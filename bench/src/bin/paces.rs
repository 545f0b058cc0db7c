//! What a round of each algorithm takes on one core of this machine, and what `train` thinks of it before the first: the costs of
//! `Algorithm::costs`.
//!
//! ```text
//! cargo run --release -p hemingway-bench --bin paces -- [SETS]
//! ```
//!
//! A round is held against one of lbfgs, or of cocoa where that does not apply, measured and as thought, so that how fast the machine is
//! counts for nothing.

use std::time::Instant;

use hemingway::algorithm;
use hemingway::calibrate::Tape;
use hemingway::problem::Problem;
use hemingway_bench::peers::{Case, Suite};

/// What all others are held against: the first of these that applies.
const USUAL: [&str; 2] = ["lbfgs", "cocoa"];
/// Rounds that are not counted, and those of which the middle is taken, where there is time for them.
const WARM: usize = 2;
const ENOUGH: usize = 40;
const SECONDS: f64 = 1.5;

fn main() -> anyhow::Result<()> {
    let names: Vec<String> = std::env::args().skip(1).collect();
    println!("| problem | entries a row | algorithm | ms a round | over the first's | as thought | off by |");
    println!("|---|--:|---|--:|--:|--:|--:|");
    let mut off: Vec<(String, f64)> = Vec::new();
    for case in Suite::read()?.cases(&names) {
        let case = case?;
        // Rounds do not hang on λ₂.
        if case.l2 > 0.0 && case.l2 < 1e-4 {
            continue;
        }
        off.extend(compare(&case)?);
    }
    println!("\n| algorithm | problems | ln of measured over thought: middle | least | most |\n|---|--:|--:|--:|--:|");
    for known in algorithm::all() {
        let mut own: Vec<f64> = off.iter().filter(|(name, _)| name == known.name()).map(|(_, ln)| *ln).collect();
        own.sort_by(f64::total_cmp);
        if let [least, .., most] = own[..] {
            println!("| {} | {} | {:+.2} | {least:+.2} | {most:+.2} |", known.name(), own.len(), own[own.len() / 2]);
        }
    }
    Ok(())
}

/// Of every algorithm that applies, ln of what a round takes over what is thought.
fn compare(case: &Case) -> anyhow::Result<Vec<(String, f64)>> {
    let problem = case.problem()?;
    let each = problem.data.matrix.stored() as f64 / problem.data.matrix.rows() as f64;
    let applies =
        |name: &&str| algorithm::by_name(name).is_ok_and(|a| algorithm::check_problem(a.as_ref(), &problem).is_ok());
    let Some(usual) = USUAL.into_iter().find(applies) else { return Ok(Vec::new()) };
    let Some(usual_seconds) = seconds(&problem, usual)? else { return Ok(Vec::new()) };
    let mut off = Vec::new();
    for known in algorithm::all() {
        let name = known.name();
        let Some(measured) = seconds(&problem, name)? else { continue };
        let thought = thought(name, &problem, each)? / thought(usual, &problem, each)?;
        let ratio = measured / usual_seconds;
        let ms = 1e3 * measured;
        let factor = ratio / thought;
        println!("| {} | {each:.1} | {name} | {ms:.3} | {ratio:.2} | {thought:.2} | {factor:.2} |", case.name());
        off.push((name.into(), factor.ln()));
    }
    Ok(off)
}

/// What a round is thought to take, in entries for each row.
fn thought(name: &str, problem: &Problem, each: f64) -> anyhow::Result<f64> {
    let known = algorithm::by_name(name)?;
    Ok(known.passes(each) * known.costs(problem.loss).of_row(each))
}

/// Seconds of a round in the middle of the first few; none where the algorithm does not apply or touches nothing.
fn seconds(problem: &Problem, name: &str) -> anyhow::Result<Option<f64>> {
    let known = algorithm::by_name(name)?;
    if algorithm::check_problem(known.as_ref(), problem).is_err() {
        return Ok(None);
    }
    let began = Instant::now();
    let mut more = |tape: &Tape| {
        let beats = tape.beats.len();
        beats <= WARM || (beats < WARM + ENOUGH && began.elapsed().as_secs_f64() < SECONDS)
    };
    let tape = Tape::record(problem, name, 1, &mut more)?;
    let touching = tape.beats.iter().skip(WARM).filter(|beat| beat.entries > 0);
    let mut seconds: Vec<f64> = touching.map(|beat| beat.seconds[0]).collect();
    seconds.sort_by(f64::total_cmp);
    Ok(seconds.get(seconds.len() / 2).copied())
}
