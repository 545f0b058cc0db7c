//! P* by other means: an interior-point solver, given every loss as a quadratic program (the logistic one with
//! exponential cones, softmax too). Nothing here is shared with the code under test.

use clarabel::algebra::CscMatrix;
use clarabel::solver::{DefaultSettings, DefaultSolver, IPSolver, SupportedConeT};
use hemingway::problem::{Loss, Problem, Scheme};

/// P at the w found: never below P*, and above it by no more than the solver's tolerances.
pub(crate) fn optimum(problem: &Problem) -> f64 {
    objective(problem, &dense_rows(problem), &solution(problem))
}

/// The w found.
pub(crate) fn solution(problem: &Problem) -> Vec<f64> {
    let rows = dense_rows(problem);
    let n = rows.len() as f64;
    let mut program = Program::default();
    let w = program.variables(problem.coefficients(), 0.0, problem.penalty.l2);
    if problem.penalty.l1 > 0.0 {
        for j in w.clone() {
            program.at_least_absolute(problem.penalty.l1, &[(j, 1.0)], 0.0);
        }
    }
    // What counts for nothing would leave the program a variable that nothing holds.
    for i in (0..rows.len()).filter(|i| weight(problem, *i) > 0.0) {
        let margin = |k: usize| -> Sum { (k * rows[i].len()..).zip(rows[i].iter().copied()).collect() };
        let (y, share) = (problem.data.labels[i], weight(problem, i) / n);
        match problem.classes {
            None => program.add_loss(problem.loss, margin(0), y, share),
            Some(classes) if classes.scheme == Scheme::Softmax => {
                program.add_softmax((0..classes.count).map(margin).collect(), y as usize, share);
            }
            Some(classes) => {
                for k in 0..classes.count {
                    program.add_loss(problem.loss, margin(k), own(y, k), share);
                }
            }
        }
    }
    program.solve()[w].to_vec()
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

fn weight(problem: &Problem, i: usize) -> f64 {
    problem.data.weights.as_ref().map_or(1.0, |weights| weights[i])
}

/// +1 for the rows of class k, −1 for the rest.
fn own(y: f64, k: usize) -> f64 {
    if y as usize == k { 1.0 } else { -1.0 }
}

fn objective(problem: &Problem, rows: &[Vec<f64>], w: &[f64]) -> f64 {
    let loss = |z: f64, y: f64| {
        let (short, off) = ((1.0 - y * z).max(0.0), (z - y).abs());
        match problem.loss {
            Loss::Hinge => short,
            Loss::SquaredHinge => short.powi(2),
            Loss::SmoothedHinge if short < 1.0 => short.powi(2) / 2.0,
            Loss::SmoothedHinge => short - 0.5,
            Loss::Logistic if y * z < -30.0 => -y * z,
            Loss::Logistic => (-y * z).exp().ln_1p(),
            Loss::Squared => off.powi(2) / 2.0,
            Loss::Absolute => off,
            Loss::Huber if off < 1.0 => off.powi(2) / 2.0,
            Loss::Huber => off - 0.5,
        }
    };
    let joint = |z: Vec<f64>, y: f64| match problem.classes {
        None => loss(z[0], y),
        Some(classes) if classes.scheme == Scheme::Softmax => {
            let most = z.iter().copied().fold(f64::NEG_INFINITY, f64::max);
            most + z.iter().map(|z| (z - most).exp()).sum::<f64>().ln() - z[y as usize]
        }
        Some(_) => z.iter().enumerate().map(|(k, z)| loss(*z, own(y, k))).sum(),
    };
    let margins = |i: usize| w.chunks(rows[i].len()).map(|w| dot(&rows[i], w)).collect();
    let of_row = |i: usize| weight(problem, i) * joint(margins(i), problem.data.labels[i]);
    let losses: f64 = (0..rows.len()).map(of_row).sum();
    let l1: f64 = w.iter().map(|w| w.abs()).sum();
    losses / rows.len() as f64 + problem.penalty.l2 / 2.0 * dot(w, w) + problem.penalty.l1 * l1
}

/// A sum of variables with coefficients.
type Sum = Vec<(usize, f64)>;

/// A cone program under construction: minimize Σ cⱼxⱼ + ½qⱼxⱼ², b − Ax in the cones.
#[derive(Default)]
struct Program {
    cost: Vec<f64>,
    curve: Vec<f64>,
    entries: (Vec<usize>, Vec<usize>, Vec<f64>),
    bounds: Vec<f64>,
    cones: Vec<SupportedConeT<f64>>,
}

impl Program {
    /// New variables with this cost and curvature.
    fn variables(&mut self, count: usize, cost: f64, curve: f64) -> std::ops::Range<usize> {
        let first = self.cost.len();
        self.cost.resize(first + count, cost);
        self.curve.resize(first + count, curve);
        first..first + count
    }

    fn variable(&mut self, cost: f64, curve: f64) -> usize {
        self.variables(1, cost, curve).start
    }

    /// A row of A and its b.
    fn row(&mut self, entries: &[(usize, f64)], bound: f64) {
        for (column, value) in entries {
            self.entries.0.push(self.bounds.len());
            self.entries.1.push(*column);
            self.entries.2.push(*value);
        }
        self.bounds.push(bound);
    }

    /// Σ ≤ b.
    fn at_most(&mut self, sum: &[(usize, f64)], bound: f64) {
        self.row(sum, bound);
        self.cones.push(SupportedConeT::NonnegativeConeT(1));
    }

    /// Σ = b.
    fn equal(&mut self, sum: &[(usize, f64)], bound: f64) {
        self.row(sum, bound);
        self.cones.push(SupportedConeT::ZeroConeT(1));
    }

    /// A variable of this cost that is at least |Σ − b|.
    fn at_least_absolute(&mut self, cost: f64, sum: &[(usize, f64)], bound: f64) {
        let t = self.variable(cost, 0.0);
        for sign in [1.0, -1.0] {
            let mut row: Sum = sum.iter().map(|(j, v)| (*j, sign * v)).collect();
            row.push((t, -1.0));
            self.at_most(&row, sign * bound);
        }
    }

    /// e^(Σ − t) ≤ u.
    fn exponential(&mut self, sum: &[(usize, f64)], t: usize, u: usize) {
        let mut row: Sum = sum.iter().map(|(j, v)| (*j, -v)).collect();
        row.push((t, 1.0));
        self.row(&row, 0.0);
        self.row(&[], 1.0);
        self.row(&[(u, -1.0)], 0.0);
        self.cones.push(SupportedConeT::ExponentialConeT());
    }

    /// φ(z, y), `share` times.
    fn add_loss(&mut self, loss: Loss, mut z: Sum, y: f64, share: f64) {
        // ξ ≥ 0, ξ ≥ 1 − yz − …
        let hinge = |program: &mut Self, cost: f64, curve: f64, less: &[(usize, f64)]| {
            let xi = program.variable(cost, curve);
            program.at_most(&[(xi, -1.0)], 0.0);
            let mut row: Sum = z.iter().map(|(j, v)| (*j, -y * v)).collect();
            row.push((xi, -1.0));
            row.extend_from_slice(less);
            program.at_most(&row, -1.0);
        };
        match loss {
            Loss::Hinge => hinge(self, share, 0.0, &[]),
            Loss::SquaredHinge => hinge(self, 0.0, 2.0 * share, &[]),
            // The least of ½t² + the hinge of yz + t.
            Loss::SmoothedHinge => {
                let t = self.variable(0.0, share);
                hinge(self, share, 0.0, &[(t, -1.0)]);
            }
            // t ≥ ln(1 + e^(−yz)), that is, e^(−yz − t) ≤ u, e^(−t) ≤ v, u + v ≤ 1.
            Loss::Logistic => {
                let (t, u, v) = (self.variable(share, 0.0), self.variable(0.0, 0.0), self.variable(0.0, 0.0));
                self.at_most(&[(u, 1.0), (v, 1.0)], 1.0);
                z.iter_mut().for_each(|(_, x)| *x *= -y);
                self.exponential(&z, t, u);
                self.exponential(&[], t, v);
            }
            Loss::Squared => {
                z.push((self.variable(0.0, share), -1.0));
                self.equal(&z, y);
            }
            Loss::Absolute => self.at_least_absolute(share, &z, y),
            // The least of ½r² + |z − y − r|.
            Loss::Huber => {
                z.push((self.variable(0.0, share), -1.0));
                self.at_least_absolute(share, &z, y);
            }
        }
    }

    /// t ≥ ln Σ e^(zₖ) − z_y, that is, e^(zₖ − z_y − t) ≤ uₖ, Σ uₖ ≤ 1; `share` times.
    fn add_softmax(&mut self, z: Vec<Sum>, y: usize, share: f64) {
        let t = self.variable(share, 0.0);
        let u: Sum = self.variables(z.len(), 0.0, 0.0).map(|u| (u, 1.0)).collect();
        self.at_most(&u, 1.0);
        for (k, z_k) in z.iter().enumerate() {
            let less = z[y].iter().map(|(j, x)| (*j, -x));
            let gap: Sum = if k == y { Vec::new() } else { z_k.iter().copied().chain(less).collect() };
            self.exponential(&gap, t, u[k].0);
        }
    }

    fn solve(self) -> Vec<f64> {
        let size = self.cost.len();
        let diagonal: Vec<usize> = (0..size).collect();
        let quadratic = CscMatrix::new_from_triplets(size, size, diagonal.clone(), diagonal, self.curve);
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
        solver.solution.x
    }
}
