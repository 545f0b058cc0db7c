//! How long it takes to learn from records and to answer: 10 contexts on 8 numbers of machines, 500 rounds each.

use std::time::Instant;

use hemingway::goal::Goal;
use hemingway::model::{FitOptions, RunModel};
use hemingway::plan::{Question, plan};
use hemingway::record::{Point, Trace};
use hemingway::rng::{Purpose, keyed};
use hemingway_bench::folds::quantile;
use rand::RngExt;

const CONTEXTS: usize = 10;
const MACHINES: [usize; 8] = [1, 2, 4, 8, 16, 32, 64, 128];
const ROUNDS: u64 = 500;
const REPEATS: usize = 20;
/// What the product promises, in milliseconds.
const BAR: f64 = 200.0;

fn main() -> anyhow::Result<()> {
    let traces: Vec<Trace> =
        (0..CONTEXTS).flat_map(|context| MACHINES.map(|machines| trace(context, machines))).collect();
    let (mut fits, mut answers) = (Vec::new(), Vec::new());
    for _ in 0..REPEATS {
        let start = Instant::now();
        let model = RunModel::fit(&traces, &FitOptions::default())?;
        fits.push(1e3 * start.elapsed().as_secs_f64());
        let start = Instant::now();
        advise(&model);
        answers.push(1e3 * start.elapsed().as_secs_f64());
    }
    let (fit, advise) = (quantile(fits, 0.5), quantile(answers, 0.5));
    println!("fit {fit:.1} ms, advise {advise:.1} ms, together {:.1} ms (bar {BAR} ms)", fit + advise);
    anyhow::ensure!(fit + advise < BAR, "over the bar");
    Ok(())
}

/// One run: a linear rate that suffers from machines, by another power in each context, and rounds that stray.
fn trace(context: usize, machines: usize) -> Trace {
    let mut rng = keyed(context as u64, Purpose::Synthesize, machines, 0);
    let (m, power) = (machines as f64, 0.1 * context as f64);
    let mut elapsed = 0.0;
    let point = |round: u64| {
        elapsed += (0.01 + 0.5 / m + 0.002 * m.ln()) * (1.0 + 0.1 * rng.random_range(-1.0..1.0));
        let error = (-0.1 * round as f64 / m.powf(power)).exp() * (1.0 + 0.02 * rng.random_range(-1.0..1.0));
        Point { round, seconds: Some(elapsed), objective: Some(1.0 + error), lower_bound: Some(1.0 - error) }
    };
    Trace {
        context: format!("context-{context}"),
        problem: "p".into(),
        run: format!("{context}-{machines}"),
        cluster: "c".into(),
        machines,
        rows: None,
        fraction: 1.0,
        fresh: true,
        phases: None,
        points: (1..=ROUNDS).map(point).collect(),
    }
}

/// Every goal, over every context on every m that `advise` would try.
fn advise(model: &RunModel) {
    let machines: Vec<usize> = (0..10).map(|doublings| 1 << doublings).collect();
    let reach = |error| Goal::Reach { error, certified: false };
    let goals = [reach(1e-1), reach(1e-2), reach(1e-3), Goal::Within { seconds: 10.0 }, Goal::Spend { dollars: 1.0 }];
    for goal in &goals {
        let question = Question {
            goal,
            algorithms: model.contexts.keys().map(|name| name.as_ref()).collect(),
            machines: &machines,
            fits_from: 1,
            price_per_hour: Some(0.2),
            seconds_left: matches!(goal, Goal::Within { .. }).then_some(10.0),
            dollars_left: matches!(goal, Goal::Spend { .. }).then_some(1.0),
        };
        std::hint::black_box(plan(model, &question));
    }
}
