//! P* by other means: an interior-point solver for the hinge (as a quadratic program) and the logistic loss (with
//! exponential cones), the normal equations for squares. Nothing here is shared with the code under test.

use clarabel::algebra::CscMatrix;
use clarabel::solver::{DefaultSettings, DefaultSolver, IPSolver, SupportedConeT};
use hemingway::problem::{Loss, Problem};

/// P at the w found: never below P*, and above it by no more than the solver's tolerances.
pub(crate) fn optimum(problem: &Problem) -> f64 {
    let rows = dense_rows(problem);
    let w = match problem.loss {
        Loss::Hinge => hinge(problem, &rows),
        Loss::Logistic => logistic(problem, &rows),
        Loss::Squared => normal_equations(problem, &rows),
    };
    objective(problem, &rows, &w)
}

fn dense_rows(problem: &Problem) -> Vec<Vec<f64>> {
    let fill = |i: usize| {
        let mut row = vec![0.0; problem.data.columns()];
        problem.data.matrix.row(i).iter().for_each(|(j, v)| row[j as usize] = v);
        row
    };
    (0..problem.data.rows()).map(fill).collect()
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

fn objective(problem: &Problem, rows: &[Vec<f64>], w: &[f64]) -> f64 {
    let loss = |(x, y): (&Vec<f64>, &f64)| {
        let z = dot(x, w);
        match problem.loss {
            Loss::Hinge => (1.0 - y * z).max(0.0),
            Loss::Logistic if y * z < -30.0 => -y * z,
            Loss::Logistic => (-y * z).exp().ln_1p(),
            Loss::Squared => (z - y).powi(2) / 2.0,
        }
    };
    let losses: f64 = rows.iter().zip(&problem.data.labels).map(loss).sum();
    losses / rows.len() as f64 + problem.l2 / 2.0 * dot(w, w)
}

/// A cone program under construction: minimize (λ/2)‖w‖² + q·x, b − Ax in the cones; w is the head of x.
struct Program {
    cost: Vec<f64>,
    entries: (Vec<usize>, Vec<usize>, Vec<f64>),
    bounds: Vec<f64>,
    cones: Vec<SupportedConeT<f64>>,
}

impl Program {
    fn new(cost: Vec<f64>) -> Self {
        Self { cost, entries: Default::default(), bounds: Vec::new(), cones: Vec::new() }
    }

    /// Adds a row of A and its b.
    fn row(&mut self, entries: impl IntoIterator<Item = (usize, f64)>, bound: f64) {
        for (column, value) in entries {
            self.entries.0.push(self.bounds.len());
            self.entries.1.push(column);
            self.entries.2.push(value);
        }
        self.bounds.push(bound);
    }

    fn solve(self, l2: f64, columns: usize) -> Vec<f64> {
        let size = self.cost.len();
        let diagonal: Vec<usize> = (0..columns).collect();
        let quadratic = CscMatrix::new_from_triplets(size, size, diagonal.clone(), diagonal, vec![l2; columns]);
        let (i, j, v) = self.entries;
        let constraints = CscMatrix::new_from_triplets(self.bounds.len(), size, i, j, v);
        let settings = DefaultSettings {
            verbose: false,
            tol_gap_abs: 1e-11,
            tol_gap_rel: 1e-11,
            tol_feas: 1e-11,
            ..DefaultSettings::default()
        };
        let mut solver =
            DefaultSolver::new(&quadratic, &self.cost, &constraints, &self.bounds, &self.cones, settings).unwrap();
        solver.solve();
        solver.solution.x[..columns].to_vec()
    }
}

/// ξᵢ ≥ 0, ξᵢ ≥ 1 − yᵢxᵢ·w.
fn hinge(problem: &Problem, rows: &[Vec<f64>]) -> Vec<f64> {
    let (n, d) = (rows.len(), problem.data.columns());
    let cost = (0..d + n).map(|j| if j < d { 0.0 } else { 1.0 / n as f64 });
    let mut program = Program::new(cost.collect());
    for (i, (x, y)) in rows.iter().zip(&problem.data.labels).enumerate() {
        program.row([(d + i, -1.0)], 0.0);
        program.row(x.iter().map(|v| -y * v).enumerate().chain([(d + i, -1.0)]), -1.0);
    }
    program.cones.push(SupportedConeT::NonnegativeConeT(2 * n));
    program.solve(problem.l2, d)
}

/// tᵢ ≥ ln(1 + e^(−yᵢxᵢ·w)), that is, e^(−yᵢxᵢ·w − tᵢ) ≤ uᵢ, e^(−tᵢ) ≤ vᵢ, uᵢ + vᵢ ≤ 1.
fn logistic(problem: &Problem, rows: &[Vec<f64>]) -> Vec<f64> {
    let (n, d) = (rows.len(), problem.data.columns());
    let (t, u, v) = (d, d + n, d + 2 * n);
    let cost = (0..d + 3 * n).map(|j| if (t..u).contains(&j) { 1.0 / n as f64 } else { 0.0 });
    let mut program = Program::new(cost.collect());
    for i in 0..n {
        program.row([(u + i, 1.0), (v + i, 1.0)], 1.0);
    }
    program.cones.push(SupportedConeT::NonnegativeConeT(n));
    for (i, (x, y)) in rows.iter().zip(&problem.data.labels).enumerate() {
        program.row(x.iter().map(|v| y * v).enumerate().chain([(t + i, 1.0)]), 0.0);
        program.row([], 1.0);
        program.row([(u + i, -1.0)], 0.0);
        program.row([(t + i, 1.0)], 0.0);
        program.row([], 1.0);
        program.row([(v + i, -1.0)], 0.0);
        program.cones.extend([SupportedConeT::ExponentialConeT(), SupportedConeT::ExponentialConeT()]);
    }
    program.solve(problem.l2, d)
}

/// (XᵀX/n + λI) w = Xᵀy/n by elimination; the matrix is positive definite, so that no pivoting is needed.
fn normal_equations(problem: &Problem, rows: &[Vec<f64>]) -> Vec<f64> {
    let (n, d) = (rows.len() as f64, problem.data.columns());
    let mut a = vec![vec![0.0; d + 1]; d];
    for (j, row) in a.iter_mut().enumerate() {
        row[j] = problem.l2;
        for (x, y) in rows.iter().zip(&problem.data.labels) {
            (0..d).for_each(|k| row[k] += x[j] * x[k] / n);
            row[d] += x[j] * y / n;
        }
    }
    for j in 0..d {
        let pivot = a[j].clone();
        for row in &mut a[j + 1..] {
            let share = row[j] / pivot[j];
            row.iter_mut().zip(&pivot).for_each(|(r, p)| *r -= share * p);
        }
    }
    let mut w = vec![0.0; d];
    for j in (0..d).rev() {
        w[j] = (a[j][d] - dot(&a[j][j + 1..d], &w[j + 1..])) / a[j][j];
    }
    w
}
