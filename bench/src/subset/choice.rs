//! What a choice made from samples costs, on the shipped clusters and with times of all rows.

use hemingway::algorithm::{self, Support};
use hemingway::backend::Config;
use hemingway::goal::Goal;
use hemingway::model::{FitOptions, RunModel};
use hemingway::plan::{Candidate, Plan, Question, plan};
use hemingway::record::Trace;

use super::{Evidence, MACHINES, Study, Truth, clusters};
use crate::folds::quantile;

const ERRORS: [f64; 2] = [1e-2, 1e-3];
/// A choice may be slower than that from all rows by this.
const NEGLIGIBLE: f64 = 1.1;

/// Among which algorithms: those that converge to P*, as `train --reach`, or all.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Pool {
    /// Those that converge to P*.
    Exact,
    /// Every one there are records of.
    All,
}

/// One question asked of samples and of all rows.
pub struct Choice {
    problem: &'static str,
    settled: bool,
    seed: u64,
    cluster: String,
    pool: Pool,
    error: f64,
    /// The best by samples, all doubts set aside, and why it is not recommended, if so.
    sampled: Config,
    unsettled: Option<String>,
    whole: Config,
    best: Config,
    /// Real seconds of the three.
    seconds: [f64; 3],
}

/// Every question of one study and seed.
pub fn choices(study: &Study, seed: u64, evidence: &Evidence, truth: &Truth) -> anyhow::Result<Vec<Choice>> {
    let mut choices = Vec::new();
    for cluster in clusters()? {
        let times = study.times(&cluster.name)?;
        let options = FitOptions { cluster: Some(cluster.name.clone()), ..FitOptions::default() };
        let fit = |traces: &[Trace]| RunModel::fit(&[traces, &times].concat(), &options);
        let (sampled, whole) = (fit(&evidence.samples)?, fit(&evidence.whole)?);
        for (pool, error) in [Pool::Exact, Pool::All].into_iter().flat_map(|pool| ERRORS.map(|error| (pool, error))) {
            let algorithms: Vec<&String> = truth.algorithms().iter().filter(|name| pool.holds(name, study)).collect();
            let machines: Vec<usize> = MACHINES.into_iter().filter(|m| *m <= cluster.machines).collect();
            let ask = |model: &RunModel| question(model, &algorithms, &machines, error);
            let real = |config: &Config| {
                let rounds = truth.rounds(&config.algorithm, config.machines, error).unwrap_or(f64::INFINITY);
                rounds * seconds(&times, config)
            };
            let all = algorithms.iter().flat_map(|name| machines.iter().map(|m| Config::new(name.as_str(), *m)));
            let best = all.min_by(|a, b| real(a).total_cmp(&real(b)));
            let (by_samples, by_whole) = (ask(&sampled), ask(&whole));
            let (Some(whole), Some(best)) = (by_whole.choice(), best) else { continue };
            if real(&best).is_infinite() {
                continue;
            }
            let given = by_samples.choice().filter(|choice| choice.seconds_to_go().is_some());
            let sampled = given.map_or_else(|| tentative(&sampled, &by_samples, error), |choice| choice.config.clone());
            let whole = whole.config.clone();
            let seconds = [&sampled, &whole, &best].map(real);
            let why = || by_samples.unsettled.as_ref().map_or("all in doubt".into(), ToString::to_string);
            let unsettled = given.is_none().then(why);
            let (problem, settled, cluster) = (study.case.name, study.settled, cluster.name.clone());
            choices.push(Choice {
                problem,
                settled,
                seed,
                cluster,
                pool,
                error,
                sampled,
                unsettled,
                whole,
                best,
                seconds,
            });
        }
    }
    Ok(choices)
}

/// What would be chosen if no doubt counted.
fn tentative(model: &RunModel, plan: &Plan, error: f64) -> Config {
    let seconds = |candidate: &Candidate| {
        let samples = model.contexts[&candidate.config.algorithm].samples.as_ref()?;
        let rounds = samples.foresee(error, candidate.config.machines)?;
        Some(rounds.mid * candidate.seconds_per_round?.mid)
    };
    let to_go = |candidate: &Candidate| seconds(candidate).unwrap_or(f64::INFINITY);
    let best = plan.candidates.iter().min_by(|a, b| to_go(a).total_cmp(&to_go(b)));
    best.unwrap_or(&plan.candidates[0]).config.clone()
}

fn question(model: &RunModel, algorithms: &[&String], machines: &[usize], error: f64) -> Plan {
    let goal = Goal::Reach { error, certified: false };
    let question = Question {
        goal: &goal,
        algorithms: algorithms.iter().map(|name| name.as_ref()).collect(),
        machines,
        fits_from: 1,
        price_per_hour: None,
        seconds_left: None,
        dollars_left: None,
    };
    plan(model, &question)
}

/// Measured seconds of a round.
fn seconds(times: &[Trace], config: &Config) -> f64 {
    let own = times.iter().filter(|trace| trace.context == config.algorithm && trace.machines == config.machines);
    let rounds: Vec<f64> = own.flat_map(|trace| trace.round_seconds()).collect();
    rounds.iter().sum::<f64>() / rounds.len() as f64
}

impl Pool {
    fn holds(self, name: &str, study: &Study) -> bool {
        let exact = || algorithm::by_name(name).is_ok_and(|a| a.support(study.case.loss) == Support::Exact);
        self == Self::All || exact()
    }

    fn name(self) -> &'static str {
        if self == Self::Exact { "converging" } else { "all" }
    }
}

/// The table in Markdown, and every choice on stderr if asked.
pub fn print(choices: &[Choice], verbose: bool) {
    println!("\n## The choice, from samples and from all rows\n");
    println!(
        "| algorithms | problem | questions | given | time / that by all rows: mean | worst | over 1.1 | time / best: mean | worst | of the abstained: over 1.1 | worst |"
    );
    println!("|---|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|");
    for pool in [Pool::Exact, Pool::All] {
        let of = |settled: bool| choices.iter().filter(move |c| c.pool == pool && c.settled == settled);
        for (settled, title) in [(true, "**rules settled on**"), (false, "**rules only tried on**")] {
            let all: Vec<&Choice> = of(settled).collect();
            for part in all.chunk_by(|a, b| a.problem == b.problem) {
                println!("| {} | {} | {} |", pool.name(), part[0].problem, row(part));
            }
            println!("| {} | {title} | {} |", pool.name(), row(&all));
        }
    }
    if verbose {
        choices.iter().for_each(detail);
    }
}

fn row(choices: &[&Choice]) -> String {
    let (given, left): (Vec<&Choice>, Vec<&Choice>) = choices.iter().partition(|choice| choice.unsettled.is_none());
    let ratios = |choices: &[&Choice], to: usize| -> Vec<f64> {
        let reached = choices.iter().filter(|choice| choice.seconds[to].is_finite());
        reached.map(|choice| choice.seconds[0] / choice.seconds[to]).collect()
    };
    let mean = |ratios: &[f64]| ratios.iter().sum::<f64>() / ratios.len() as f64;
    let over = |ratios: &[f64]| ratios.iter().filter(|ratio| **ratio > NEGLIGIBLE).count();
    let (whole, best, lost) = (ratios(&given, 1), ratios(&given, 2), ratios(&left, 1));
    format!(
        "{} | {} | {:.2} | {:.2} | {} | {:.2} | {:.2} | {} | {:.2}",
        choices.len(),
        given.len(),
        mean(&whole),
        quantile(whole.clone(), 1.0),
        over(&whole),
        mean(&best),
        quantile(best.clone(), 1.0),
        over(&lost),
        quantile(lost.clone(), 1.0)
    )
}

fn detail(choice: &Choice) {
    let Choice { problem, seed, cluster, pool, error, sampled, whole, best, seconds, .. } = choice;
    let [to_whole, to_best] = [1, 2].map(|to| seconds[0] / seconds[to]);
    let why = choice.unsettled.as_ref().map_or(String::new(), |why| format!("; abstained: {why}"));
    eprintln!(
        "{problem} seed {seed} {cluster} {} {error:e}: {sampled}, by all rows {whole} ({to_whole:.2}), best {best} ({to_best:.2}){why}",
        pool.name()
    );
}
