//! How often is an estimated error false, and how late does it come? Every exact method on every problem, stopped by
//! the product's own rule at 1e-1, 1e-2 and 1e-3. P* is bracketed by a long run whose duality gap proves it.
//!
//! The rule's constants were chosen on the problems marked `calibration`; the others it had never seen.

use std::ops::ControlFlow;
use std::sync::Mutex;

use hemingway::algorithm;
use hemingway::backend::{Backend, Config, EngineBackend, Frame};
use hemingway::data::{Normalize, Preparation};
use hemingway::problem::{Loss, Problem};
use hemingway::record::Record;
use hemingway::standing::Standing;

const TARGETS: [f64; 3] = [1e-1, 1e-2, 1e-3];
const MACHINES: [usize; 3] = [1, 8, 64];
const ROUNDS: u64 = 200;
/// Rounds of the run that brackets P*.
const LONG: u64 = 1500;

struct Case {
    data: &'static str,
    loss: Loss,
    l2: Option<f64>,
    preparation: Preparation,
    fresh: bool,
}

/// One target of one run: the round at which it was claimed, the true error there, and the round that truly reached it.
struct Claim {
    fresh: bool,
    what: String,
    target: f64,
    claimed: Option<(u64, f64)>,
    reached: Option<u64>,
    certified: Option<u64>,
}

fn cases() -> Vec<Case> {
    let case = |data, loss, l2, fresh| Case { data, loss, l2, preparation: Preparation::default(), fresh };
    let columns = Preparation { normalize: Some(Normalize::Columns), ..Preparation::default() };
    vec![
        case("synth:logistic", Loss::Logistic, None, false),
        case("synth:sparse", Loss::Logistic, None, false),
        case("synth:ill-conditioned", Loss::Logistic, None, false),
        case("synth:ridge", Loss::Squared, None, false),
        case("a9a/a9a.libsvm.gz", Loss::Logistic, None, false),
        case("a9a/a9a.libsvm.gz", Loss::Hinge, None, false),
        case("rcv1-cocoa-small/small_train.libsvm.gz", Loss::Hinge, Some(1e-3), false),
        case("mushrooms/mushrooms.libsvm.gz", Loss::Logistic, None, false),
        case("synth:svm,seed=3", Loss::Hinge, Some(1e-3), true),
        case("synth:power-law,seed=4", Loss::Logistic, None, true),
        case("synth:logistic,seed=5,columns=200", Loss::Logistic, Some(1e-3), true),
        case("synth:ridge,seed=6,condition=100", Loss::Squared, Some(1e-3), true),
        case("rcv1-cocoa-small/small_train.libsvm.gz", Loss::Logistic, Some(1e-4), true),
        case("mushrooms/mushrooms.libsvm.gz", Loss::Hinge, Some(1e-3), true),
        case("colon/colon.libsvm.gz", Loss::Logistic, None, true),
        Case {
            preparation: columns,
            ..case("california-housing/california_housing.libsvm.gz", Loss::Squared, None, true)
        },
    ]
}

fn records(
    problem: &Problem,
    algorithm: &str,
    machines: usize,
    rounds: u64,
    every: u64,
) -> anyhow::Result<Vec<Record>> {
    let mut backend = EngineBackend::new(problem.clone(), "claims", Some(hemingway_bench::cluster(machines)));
    let config = Config::new(algorithm, machines);
    let frame = Frame { eval_every: every, ..Frame::new("claims", config, rounds) };
    let mut seen = Vec::new();
    backend.run(&frame, None, &mut |record, _| {
        seen.push(record.clone());
        Ok(ControlFlow::Continue(()))
    })?;
    Ok(seen)
}

fn judge(case: &Case) -> anyhow::Result<Vec<Claim>> {
    let data = hemingway_bench::load(case.data, &case.preparation, case.loss.is_binary())?;
    let problem = Problem::new(&data, case.loss, case.l2, 0)?;
    let judge = if case.loss.is_smooth() { "lbfgs" } else { "cocoa" };
    let long = records(&problem, judge, 1, LONG, 50)?;
    let optimum = long.iter().map(|r| r.objective).fold(f64::INFINITY, f64::min);
    let bound = long.iter().filter_map(|r| r.lower_bound).fold(0.0, f64::max);
    anyhow::ensure!((optimum - bound) / optimum < 1e-4, "{}: P* is only known to {:e}", case.data, optimum - bound);

    let mut claims = Vec::new();
    for algorithm in algorithm::candidates(case.loss, &problem.penalty, true) {
        let depends_on_machines = algorithm.width() > 0;
        for machines in if depends_on_machines { &MACHINES[..] } else { &MACHINES[..1] } {
            let run = records(&problem, algorithm.name(), *machines, ROUNDS, 1)?;
            let what = format!("{} {} {} m={machines}", case.data, case.loss, algorithm.name());
            claims.extend(TARGETS.map(|target| claim(case, &what, target, &run, optimum)));
        }
    }
    Ok(claims)
}

fn claim(case: &Case, what: &str, target: f64, run: &[Record], optimum: f64) -> Claim {
    let mut standing = Standing::new(case.loss, 0.0, case.l2.unwrap_or(1.0));
    let error = |objective: f64| (objective - optimum) / optimum;
    let (mut claimed, mut certified) = (None, None);
    for record in run {
        standing.see(record);
        if claimed.is_none() && standing.estimated_error().is_some_and(|e| e <= target) {
            claimed = Some((record.round, error(standing.objective().unwrap_or(f64::NAN))));
        }
        if certified.is_none() && standing.certified_error().is_some_and(|e| e <= target) {
            certified = Some(record.round);
        }
    }
    let reached = run.iter().find(|r| error(r.objective) <= target).map(|r| r.round);
    Claim { fresh: case.fresh, what: what.into(), target, claimed, reached, certified }
}

/// The 5 %, 50 % and 95 % quantiles.
fn quantiles(mut values: Vec<f64>) -> [f64; 3] {
    values.sort_by(f64::total_cmp);
    let at = |share: f64| values.get((share * values.len() as f64) as usize).copied().unwrap_or(f64::NAN);
    [at(0.05), at(0.5), at(0.95)]
}

fn report(name: &str, claims: &[&Claim]) {
    let made: Vec<_> = claims.iter().filter_map(|c| c.claimed.map(|claimed| (c, claimed))).collect();
    let wrong: Vec<_> = made.iter().filter(|(c, (_, error))| *error > c.target).collect();
    let lag = |at: fn(&Claim) -> Option<u64>| {
        let pairs = claims.iter().filter_map(|c| Some((at(c)?, c.reached?)));
        let [low, mid, high] =
            quantiles(pairs.filter(|p| p.1 >= 5).map(|(at, real)| at as f64 / real as f64).collect());
        format!("{mid:.2} ({low:.2} to {high:.2})")
    };
    let reached = claims.iter().filter(|c| c.reached.is_some()).count();
    let proved = claims.iter().filter(|c| c.certified.is_some()).count();
    println!(
        "{name:<12} {:>4} targets reached, {:>4} claimed ({:>4} proved), {:>2} false = {:.1} %; rounds to claim / to reach: {}, \
         to prove: {} (median and 90 % range over targets that took 5 rounds or more)",
        reached,
        made.len(),
        proved,
        wrong.len(),
        100.0 * wrong.len() as f64 / made.len().max(1) as f64,
        lag(|c| c.claimed.map(|c| c.0)),
        lag(|c| c.certified),
    );
    for (claim, (round, error)) in wrong {
        println!("    false: {} {:e} claimed at round {round}, truly {error:.1e}", claim.what, claim.target);
    }
}

fn main() -> anyhow::Result<()> {
    let (todo, done) = (Mutex::new(cases()), Mutex::new(Vec::new()));
    let outcome: Vec<anyhow::Result<()>> = std::thread::scope(|scope| {
        let work = || {
            while let Some(case) = { todo.lock().map_or(None, |mut todo| todo.pop()) } {
                let claims = judge(&case)?;
                eprintln!("{} {}: done", case.data, case.loss);
                if let Ok(mut done) = done.lock() {
                    done.extend(claims);
                }
            }
            Ok(())
        };
        let threads: Vec<_> = (0..2).map(|_| scope.spawn(work)).collect();
        threads.into_iter().map(|t| t.join().unwrap_or_else(|_| Err(anyhow::anyhow!("a thread panicked")))).collect()
    });
    outcome.into_iter().collect::<anyhow::Result<Vec<()>>>()?;
    let claims = done.into_inner().unwrap_or_default();
    report("calibration", &claims.iter().filter(|c| !c.fresh).collect::<Vec<_>>());
    report("fresh", &claims.iter().filter(|c| c.fresh).collect::<Vec<_>>());
    Ok(())
}
