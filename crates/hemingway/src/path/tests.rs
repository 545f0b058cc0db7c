use super::folds::{Rule, cross_validate};
use super::*;
use crate::data::{Dataset, Matrix};
use crate::problem::Loss;
use crate::rng::{Purpose, keyed};
use rand::RngExt;

const SMOOTH: [Loss; 5] = [Loss::Squared, Loss::Logistic, Loss::SquaredHinge, Loss::SmoothedHinge, Loss::Huber];

/// Columns that lean on each other; the last two are constant and empty. Labels are ±1.
fn data(rows: usize, columns: usize) -> Dataset {
    let mut rng = keyed(5, Purpose::Synthesize, 0, 0);
    let (mut x, mut y) = (Vec::new(), Vec::new());
    for _ in 0..rows {
        let common: f64 = rng.random_range(-1.0..1.0);
        let row: Vec<f64> = (0..columns).map(|_| 0.7 * common + rng.random_range(-1.0..1.0)).collect();
        let noise: f64 = rng.random_range(-0.5..0.5);
        y.push(if row[0] - row[1] + 0.5 * row[2] + noise > 0.0 { 1.0 } else { -1.0 });
        x.extend(row.into_iter().chain([1.0, 0.0]));
    }
    Dataset::new("leaning", Matrix::dense(columns + 2, x), y)
}

fn asked(points: usize, error: f64) -> Asked {
    Asked { points, end: End::Ratio(1e-2), precision: Precision::Error(error), threads: 2 }
}

fn spread(point: &Point, columns: usize) -> Vec<f64> {
    let mut w = vec![0.0; columns];
    point.weights.iter().for_each(|(j, weight)| w[*j as usize] = *weight);
    w
}

/// P* by proximal gradient steps, which share nothing with what is tested.
fn optimum(problem: &Problem, steps: usize) -> f64 {
    let (data, n) = (&problem.data, problem.data.rows());
    let smooth = problem.loss.curvature() * (0..n).map(|i| data.matrix.row(i).norm_sq()).sum::<f64>() / n as f64;
    let (mut w, mut momentum) = (vec![0.0; data.columns()], vec![0.0; data.columns()]);
    let mut best = f64::INFINITY;
    for t in 0..steps {
        let mut gradient = vec![0.0; data.columns()];
        for i in 0..n {
            let slope = problem.loss.slope(data.matrix.row(i).dot(&momentum), data.labels[i]);
            data.matrix.row(i).axpy(slope / n as f64, &mut gradient);
        }
        let next: Vec<f64> =
            momentum.iter().zip(&gradient).map(|(z, g)| problem.penalty.prox(z - g / smooth, smooth)).collect();
        let speed = t as f64 / (t as f64 + 3.0);
        momentum = next.iter().zip(&w).map(|(new, old)| new + speed * (new - old)).collect();
        w = next;
        best = best.min(problem.objective(&w));
    }
    best
}

#[test]
fn the_path_begins_exactly_where_the_first_coefficient_leaves_zero() {
    for loss in SMOOTH {
        let problem = Problem::new(data(60, 12), loss, Some(0.0), 1).unwrap();
        let mut solver = Solver::new(&problem, Precision::Error(1e-9), 2).unwrap();
        let largest = solver.largest().unwrap();
        assert_eq!(solver.solve(largest).unwrap().nonzeros, 0, "{loss}");
        assert!(solver.solve(0.999 * largest).unwrap().nonzeros > 0, "{loss}");
    }
}

#[test]
fn every_point_is_proved_and_the_optimum_of_its_problem() {
    for loss in SMOOTH {
        for l2 in [0.0, 0.05] {
            let problem = Problem::new(data(60, 12), loss, Some(l2), 1).unwrap();
            let points = solve(&problem, &asked(9, 1e-8), |_| true).unwrap();
            assert!(points.is_sorted_by(|a, b| a.l1 > b.l1));
            for point in &points {
                assert!(point.proved, "{loss} λ₁ {}: gap {}", point.l1, point.gap);
                let problem = problem.clone().with_l1(point.l1).unwrap();
                let w = spread(point, problem.data.columns());
                assert!((problem.objective(&w) - point.objective).abs() <= 1e-10 * point.objective, "{loss}");
                // The empty column is worth nothing.
                assert_eq!(w[13], 0.0, "{loss}");
            }
            let last = &points[8];
            let other = optimum(&problem.clone().with_l1(last.l1).unwrap(), 4000);
            assert!((last.objective - other).abs() <= 1e-6 * other, "{loss}: {} and {other}", last.objective);
            assert!(last.lower_bound <= other * (1.0 + 1e-12), "{loss}: {} and {other}", last.lower_bound);
        }
    }
}

#[test]
fn sparse_rows_and_weights_have_the_same_path() {
    let plain = data(40, 10);
    let double: Vec<usize> = (0..40).chain(0..20).collect();
    let repeated = Problem::new(plain.select(&double), Loss::Logistic, Some(0.0), 1).unwrap();
    let weights = Some((0..40).map(|i| if i < 20 { 2.0 } else { 1.0 }).collect());
    let sparse = Dataset { matrix: plain.matrix.clone().in_form(false), weights, ..plain };
    let weighed = Problem::new(sparse, Loss::Logistic, Some(0.0), 1).unwrap();
    let of = |problem: &Problem| solve(problem, &asked(6, 1e-8), |_| true).unwrap();
    for (a, b) in of(&repeated).iter().zip(of(&weighed)) {
        assert!((a.l1 - b.l1).abs() < 1e-12 && (a.objective - b.objective).abs() < 1e-7 * a.objective);
    }
}

#[test]
fn a_path_ends_where_it_is_told_and_refuses_what_it_cannot_be() {
    let problem = Problem::new(data(40, 6), Loss::Squared, Some(0.0), 1).unwrap();
    let at = |end| solve(&problem, &Asked { end, ..asked(5, 1e-6) }, |_| true);
    let points = at(End::At(0.02)).unwrap();
    assert!(points.len() == 5 && (points[4].l1 - 0.02).abs() < 1e-15);
    assert_eq!(solve(&problem, &asked(5, 1e-6), |_| false).unwrap().len(), 1);
    for (end, words) in [(End::At(9.0), "--l1: a path ends"), (End::Ratio(1.0), "--path-ratio: 1 is not")] {
        assert!(at(end).unwrap_err().to_string().starts_with(words));
    }
    assert!(solve(&problem, &asked(0, 1e-6), |_| true).unwrap_err().to_string().starts_with("--path: a path has"));
    let silent = Dataset::new("silent", Matrix::dense(1, vec![0.0; 4]), vec![1.0, -1.0, 1.0, -1.0]);
    let silent = Problem::new(silent, Loss::Squared, Some(0.0), 1).unwrap();
    assert!(solve(&silent, &asked(3, 1e-6), |_| true).unwrap_err().to_string().contains("there is no path"));
    let corner = Problem::new(data(20, 3), Loss::Hinge, Some(0.1), 1).unwrap();
    assert!(
        solve(&corner, &asked(3, 1e-6), |_| true)
            .unwrap_err()
            .to_string()
            .contains("--path: a path needs a smooth loss, which hinge is not")
    );
}

#[test]
fn folds_see_nothing_of_what_they_leave_out() {
    let problem = Problem::new(data(50, 8), Loss::Logistic, Some(0.0), 3).unwrap();
    let asked = asked(12, 1e-7);
    let grid: Vec<f64> = solve(&problem, &asked, |_| true).unwrap().iter().map(|point| point.l1).collect();
    let found = cross_validate(&problem, &grid, &asked, 5, Rule::Least, |_, _| ()).unwrap();
    // The same by hand: rows picked and solved apart.
    let k = 7;
    let mut sum = 0.0;
    for fold in 0..5 {
        let inside: Vec<usize> = (0..50).filter(|row| row % 5 != fold).collect();
        let part = Problem { data: std::sync::Arc::new(problem.data.select(&inside)), ..problem.clone() };
        let mut solver = Solver::new(&part, Precision::Error(1e-9), 2).unwrap();
        let w = spread(&solver.solve(grid[k]).unwrap(), problem.data.columns());
        let loss = |row: usize| problem.loss.value(problem.data.matrix.row(row).dot(&w), problem.data.labels[row]);
        sum += (0..50).filter(|row| row % 5 == fold).map(loss).sum::<f64>();
    }
    assert!(
        (found.points[k].loss - sum / 50.0).abs() < 1e-2 * sum / 50.0,
        "{} and {}",
        found.points[k].loss,
        sum / 50.0
    );
    let careful = cross_validate(&problem, &grid, &asked, 5, Rule::OneStandardError, |_, _| ()).unwrap();
    assert!(careful.points == found.points && careful.chosen <= found.chosen);
    assert!(cross_validate(&problem, &grid, &asked, 1, Rule::Least, |_, _| ()).is_err());
    assert!(cross_validate(&problem, &grid, &asked, 51, Rule::Least, |_, _| ()).is_err());
}
