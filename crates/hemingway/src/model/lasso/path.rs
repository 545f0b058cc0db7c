//! The Lasso of a quadratic along a path of penalties.

use super::super::linalg::solve_definite;

/// Sweeps before a nearly collinear design is taken as it stands.
const SWEEPS: usize = 300;

/// ½ bᵀGb − cᵀb.
pub(super) struct Quadratic {
    /// G, by rows.
    pub(super) gram: Vec<f64>,
    /// c.
    pub(super) slope: Vec<f64>,
}

impl Quadratic {
    /// Minimisers of ½ bᵀGb − cᵀb + α‖b‖₁ for falling α, each started from the one before.
    pub(super) fn path(&self, alphas: &[f64]) -> Vec<Vec<f64>> {
        let mut b = vec![0.0; self.slope.len()];
        let step = |&alpha: &f64| {
            self.descend(alpha, &mut b);
            b.clone()
        };
        alphas.iter().map(step).collect()
    }

    fn row(&self, j: usize) -> &[f64] {
        let d = self.slope.len();
        &self.gram[j * d..(j + 1) * d]
    }

    /// Coordinate descent, and as soon as the signs rest, the exact solution for those signs.
    fn descend(&self, alpha: f64, b: &mut [f64]) {
        let mut left = self.left(b);
        for _ in 0..SWEEPS {
            let (largest, turned) = self.sweep(alpha, b, &mut left);
            if !turned {
                let exact = self.finish(alpha, b);
                left = self.left(b);
                if exact && left.iter().all(|left| left.abs() <= alpha * (1.0 + 1e-9)) {
                    return;
                }
            }
            if largest <= 1e-13 {
                return;
            }
        }
    }

    /// c − Gb.
    fn left(&self, b: &[f64]) -> Vec<f64> {
        let fitted = |j: usize| self.row(j).iter().zip(b).map(|(g, b)| g * b).sum::<f64>();
        self.slope.iter().enumerate().map(|(j, slope)| slope - fitted(j)).collect()
    }

    /// Minimises over each coordinate in turn; the largest move, and whether any sign changed.
    fn sweep(&self, alpha: f64, b: &mut [f64], left: &mut [f64]) -> (f64, bool) {
        let (mut largest, mut turned) = (0.0f64, false);
        for j in 0..b.len() {
            let row = self.row(j);
            if row[j] <= 1e-14 {
                continue;
            }
            let pull = left[j] + row[j] * b[j];
            let next = pull.signum() * (pull.abs() - alpha).max(0.0) / row[j];
            let change = next - b[j];
            if change != 0.0 {
                left.iter_mut().zip(row).for_each(|(left, g)| *left -= g * change);
                turned |= sign(next) != sign(b[j]);
                b[j] = next;
                largest = largest.max(change.abs());
            }
        }
        (largest, turned)
    }

    /// Goes to the minimiser among points with b's signs, or to where the first coefficient vanishes on the way there.
    /// Whether it arrived.
    fn finish(&self, alpha: f64, b: &mut [f64]) -> bool {
        let active: Vec<usize> = (0..b.len()).filter(|&j| b[j] != 0.0).collect();
        let gram = active.iter().flat_map(|&i| active.iter().map(move |&j| self.row(i)[j])).collect();
        let slope = active.iter().map(|&j| self.slope[j] - alpha * sign(b[j])).collect();
        let Some(goal) = solve_definite(gram, slope) else { return false };
        let crossing = active.iter().zip(&goal).filter(|(j, goal)| sign(**goal) != sign(b[**j]));
        let crossing = crossing.map(|(&j, goal)| (j, b[j] / (b[j] - goal)));
        let first = crossing.min_by(|x, y| x.1.total_cmp(&y.1));
        let step = first.map_or(1.0, |(_, step)| step);
        for (&j, goal) in active.iter().zip(&goal) {
            b[j] += step * (goal - b[j]);
        }
        if let Some((vanishing, _)) = first {
            b[vanishing] = 0.0;
        }
        first.is_none()
    }
}

fn sign(value: f64) -> f64 {
    if value == 0.0 { 0.0 } else { value.signum() }
}
