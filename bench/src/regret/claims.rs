//! How often a claim is false: stops by estimate and by proof, on orders of the rows and at errors that no judge has used.

use hemingway::cluster::Cluster;
use hemingway::goal::Goal;
use hemingway::model::Lesson;
use hemingway::record::store::Store;

use super::judge::PATIENCE;
use super::{Case, Oracle, Shelf, Trainer, Wish};

/// Orders of the rows.
const SEEDS: [u64; 2] = [1, 2];
/// Errors to reach, over that of the suite.
const ESTIMATED: [f64; 4] = [10.0, 3.0, 1.0, 1.0 / 3.0];
/// Errors to prove, over that of the suite: proofs come late.
const PROVED: [f64; 2] = [10.0, 3.0];

/// One job and what it claimed.
pub struct Claim {
    problem: String,
    cluster: String,
    seed: u64,
    /// ε.
    error: f64,
    certified: bool,
    /// It said that ε was reached.
    made: bool,
    true_error: f64,
}

impl Claim {
    fn is_false(&self) -> bool {
        self.made && self.true_error > self.error
    }
}

/// All jobs of one problem, each on the next of the clusters.
pub fn of(case: &Case, clusters: &[Cluster], lessons: &[(String, Lesson)]) -> anyhow::Result<Vec<Claim>> {
    let shelf = Shelf::of(case)?;
    let folder = tempfile::tempdir()?;
    let trainer = Trainer::of(case, lessons, Store::at(folder.path()))?;
    let job = |(cluster, (seed, error, certified)): (&Cluster, (u64, f64, bool))| {
        let most = PATIENCE * Oracle::of(case, &shelf, cluster).best().1;
        let goal = Goal::Reach { error, certified };
        let outcome = trainer.grant(&Wish { goal, seed, ..trainer.wish(cluster, true, most) })?;
        Ok(Claim {
            problem: case.name.clone(),
            cluster: cluster.name.clone(),
            seed,
            error,
            certified,
            made: outcome.summary.goal_met,
            true_error: outcome.true_error,
        })
    };
    clusters.iter().cycle().zip(asked(case.error)).map(job).collect()
}

/// (seed, ε, whether it must be proved).
fn asked(error: f64) -> Vec<(u64, f64, bool)> {
    let estimated = SEEDS.map(|seed| ESTIMATED.map(|times| (seed, times * error, false)));
    let proved = SEEDS.map(|seed| PROVED.map(|times| (seed, times * error, true)));
    estimated.into_iter().flatten().chain(proved.into_iter().flatten()).collect()
}

/// Prints every cell, and the share of false ones.
pub fn print(claims: &[Claim]) {
    println!("| problem | cluster | seed | asked | by | claimed | true error | |");
    println!("|---|---|---:|---:|---|---|---:|---|");
    for claim in claims {
        println!(
            "| {} | {} | {} | {:.1e} | {} | {} | {:.1e} | {} |",
            claim.problem,
            claim.cluster,
            claim.seed,
            claim.error,
            if claim.certified { "proof" } else { "estimate" },
            if claim.made { "yes" } else { "no" },
            claim.true_error,
            if claim.is_false() { "FALSE" } else { "" },
        );
    }
    println!();
    for (name, certified) in [("estimate", false), ("proof", true)] {
        let jobs: Vec<&Claim> = claims.iter().filter(|claim| claim.certified == certified).collect();
        let made = jobs.iter().filter(|claim| claim.made).count();
        let wrong = jobs.iter().filter(|claim| claim.is_false()).count();
        let share = 100.0 * wrong as f64 / made.max(1) as f64;
        println!(
            "By {name}: {wrong} of {made} claims false ({share:.1} %); {} of {} jobs made none.",
            jobs.len() - made,
            jobs.len()
        );
    }
}
