//! What schedules of STRADS promise: convergence where others diverge, and the rate of the theorem.

use std::ops::ControlFlow;

use hemingway::algorithm;
use hemingway::backend::{Backend, Config, Ending, EngineBackend, Frame};
use hemingway::data::{Dataset, Matrix};
use hemingway::problem::{Loss, Problem};
use hemingway::rng::{Purpose, keyed};
use hemingway::schedule::Schedule;
use rand::RngExt;

/// Columns of length 1, any two of which have about this cosine.
fn leaning(rows: usize, columns: usize, lean: f64) -> Dataset {
    let mut rng = keyed(11, Purpose::Synthesize, 0, 0);
    let mut draw = |count: usize| -> Vec<f64> { (0..count).map(|_| rng.random_range(-1.0..1.0)).collect() };
    let common = draw(rows);
    let mut turned: Vec<Vec<f64>> = (0..columns)
        .map(|_| {
            draw(rows).iter().zip(&common).map(|(own, all)| lean.sqrt() * all + (1.0 - lean).sqrt() * own).collect()
        })
        .collect();
    for column in &mut turned {
        let length = column.iter().map(|x| x * x).sum::<f64>().sqrt();
        column.iter_mut().for_each(|x| *x /= length);
    }
    let noise = draw(rows);
    let label = |i: usize| turned.iter().step_by(7).map(|column| column[i]).sum::<f64>() + 0.1 * noise[i];
    let labels = (0..rows).map(label).collect();
    let values = (0..rows).flat_map(|i| turned.iter().map(move |column| column[i])).collect();
    Dataset::new("leaning", Matrix::dense(columns, values), labels)
}

fn lasso(rows: usize, columns: usize, lean: f64, l1: f64) -> Problem {
    Problem::new(leaning(rows, columns, lean), Loss::Squared, Some(0.0), 0).unwrap().with_l1(l1).unwrap()
}

/// (round, P) of so many rounds, and the last w.
fn run(problem: &Problem, schedule: Schedule, machines: usize, rounds: u64) -> (Vec<(u64, f64)>, Vec<f64>, Ending) {
    let mut backend = EngineBackend::new(problem.clone(), "test", None);
    let config = Config { schedule, ..Config::new("strads", machines) };
    algorithm::of(&config).unwrap();
    let (mut points, mut last) = (Vec::new(), Vec::new());
    let (_, ending) = backend
        .run(&Frame::new("test", config, rounds), None, &mut |record, w| {
            points.push((record.round, record.objective));
            last = w.to_vec();
            Ok(ControlFlow::Continue(()))
        })
        .unwrap();
    (points, last, ending)
}

#[test]
fn random_updates_diverge_where_dynamic_ones_converge() {
    let problem = lasso(60, 64, 0.99, 1e-4);
    let best = run(&problem, Schedule::dynamic(), 1, 400).0.last().unwrap().1;
    let (random, _, _) = run(&problem, Schedule::Random { block: 16 }, 16, 60);
    let (first, last) = (random[0].1, random.last().unwrap().1);
    assert!(last.is_nan() || last > 10.0 * first, "random: from {first} to {last}");
    let (dynamic, _, _) = run(&problem, Schedule::dynamic(), 16, 4000);
    let last = dynamic.last().unwrap().1;
    assert!(last - best <= 1e-2 * (first - best), "dynamic: from {first} to {last}, best {best}");
    assert!(dynamic.windows(2).all(|two| two[1].1 <= two[0].1 * (1.0 + 1e-9)), "P never rises");
}

/// Lee et al. 2014, after Bradley et al. 2011: with columns of length 1, P at once and ε = (P − 1)(ρ − 1)/J < 1, ρ the largest eigenvalue
/// of XᵀX, E F(β_T) − F* ≤ 2J(½‖β*‖² + F(0)) / (P(1 − ε)(T + 1)), F being n times our objective. Of one run, without any tolerance:
/// dynamic rounds, those that only look counted too, stay below what holds for random ones on average.
#[test]
fn the_decrease_respects_the_bound_of_the_theorem() {
    for lean in [0.0, 0.5] {
        let (rows, columns, parallel) = (80, 120, 8);
        let problem = lasso(rows, columns, lean, 2e-4);
        let (alone, w, _) = run(&problem, Schedule::dynamic(), 1, 400);
        let best = alone.last().unwrap().1;
        let rho = largest_eigenvalue(&problem.data.matrix);
        let epsilon = (parallel - 1) as f64 * (rho - 1.0) / columns as f64;
        // Where the theorem says nothing of random ones, ρ of the scheduled columns stands in, at most 1 + 0.1(P − 1).
        let epsilon =
            if epsilon < 1.0 { epsilon } else { (parallel - 1) as f64 * 0.1 * (parallel - 1) as f64 / columns as f64 };
        let n = rows as f64;
        let norm: f64 = w.iter().map(|w| w * w).sum();
        let (points, _, _) = run(&problem, Schedule::Dynamic { block: Some(1), rho: 0.1 }, parallel, 600);
        let start = n * points[0].1;
        for (round, value) in points.iter().filter(|(round, _)| *round > 0) {
            let bound =
                2.0 * columns as f64 * (0.5 * norm + start) / (parallel as f64 * (1.0 - epsilon) * (*round + 1) as f64);
            assert!(
                n * (value - best) <= bound,
                "correlation {lean}, round {round}: {} above {bound}",
                n * (value - best)
            );
        }
        assert!(points.last().unwrap().1 < best + 0.1 * (points[0].1 - best), "it gets somewhere");
    }
}

/// By power iteration on XᵀX.
fn largest_eigenvalue(matrix: &Matrix) -> f64 {
    let mut direction = vec![1.0; matrix.columns()];
    let mut value = 0.0;
    for _ in 0..200 {
        let mut next = vec![0.0; matrix.columns()];
        (0..matrix.rows()).for_each(|i| matrix.row(i).axpy(matrix.row(i).dot(&direction), &mut next));
        value = next.iter().map(|x| x * x).sum::<f64>().sqrt();
        direction = next.iter().map(|x| x / value).collect();
    }
    value
}
