//! A Gaussian process over (algorithm, log₂ m), small enough to solve by hand.

/// (number of the algorithm, log₂ m).
pub(super) type Place = (usize, f64);

/// Scales over which the numbers of machines are alike, in doublings.
const LENGTHS: [f64; 4] = [1.0, 2.0, 4.0, 8.0];
/// How much of what is known of one algorithm holds for another.
const SHARED: [f64; 4] = [0.0, 0.3, 0.6, 0.9];
/// Variance of an observation over that of what is observed.
const NOISES: [f64; 3] = [0.01, 0.1, 0.3];
/// The variance is thought to be 1 with the weight of so many observations: three alone can say anything.
const PRIOR: f64 = 2.0;

#[derive(Debug, Clone, Copy)]
struct Kernel {
    length: f64,
    shared: f64,
    noise: f64,
}

impl Kernel {
    fn all() -> impl Iterator<Item = Self> {
        let with = |length| {
            let of = move |shared| NOISES.map(move |noise| Self { length, shared, noise });
            SHARED.into_iter().flat_map(of)
        };
        LENGTHS.into_iter().flat_map(with)
    }

    /// Matérn 5/2 over log₂ m, one number between different algorithms.
    fn between(&self, a: Place, b: Place) -> f64 {
        let r = 5f64.sqrt() * (a.1 - b.1).abs() / self.length;
        let alike = if a.0 == b.0 { 1.0 } else { self.shared };
        alike * (1.0 + r + r * r / 3.0) * (-r).exp()
    }
}

/// What observations say of every place, the kernel chosen by its marginal likelihood.
pub(super) struct Process {
    kernel: Kernel,
    places: Vec<Place>,
    factor: Vec<Vec<f64>>,
    /// L⁻¹(y − mean).
    whitened: Vec<f64>,
    mean: f64,
    variance: f64,
    likelihood: f64,
}

impl Process {
    /// From at least one observation.
    pub(super) fn fit(seen: &[(Place, f64)]) -> Option<Self> {
        let fits = Kernel::all().filter_map(|kernel| Self::with(kernel, seen));
        fits.max_by(|a, b| a.likelihood.total_cmp(&b.likelihood))
    }

    fn with(kernel: Kernel, seen: &[(Place, f64)]) -> Option<Self> {
        let places: Vec<Place> = seen.iter().map(|(place, _)| *place).collect();
        let n = places.len() as f64;
        let mean = seen.iter().map(|(_, y)| y).sum::<f64>() / n;
        let gram = |i: usize, j: usize| kernel.between(places[i], places[j]) + if i == j { kernel.noise } else { 0.0 };
        let factor = cholesky(places.len(), gram)?;
        let whitened = forward(&factor, seen.iter().map(|(_, y)| y - mean));
        let variance = (dot(&whitened, &whitened) + PRIOR) / (n + PRIOR);
        let halves: f64 = factor.iter().enumerate().map(|(i, row)| row[i].ln()).sum();
        let likelihood = -halves - 0.5 * (n + PRIOR) * variance.ln();
        Some(Self { kernel, places, factor, whitened, mean, variance, likelihood })
    }

    /// Mean and deviation of what is observed at a place, its noise apart.
    pub(super) fn at(&self, place: Place) -> (f64, f64) {
        let along = forward(&self.factor, self.places.iter().map(|known| self.kernel.between(*known, place)));
        let left = (1.0 - dot(&along, &along)).max(0.0);
        (self.mean + dot(&along, &self.whitened), (self.variance * left).sqrt())
    }

    /// By how much a place is expected to be below `least`, where it is.
    pub(super) fn improvement(&self, place: Place, least: f64) -> f64 {
        let (mean, deviation) = self.at(place);
        if deviation <= 0.0 {
            return (least - mean).max(0.0);
        }
        let z = (least - mean) / deviation;
        let density = (-0.5 * z * z).exp() / std::f64::consts::TAU.sqrt();
        (least - mean) * below(z) + deviation * density
    }
}

/// The share of a standard normal below z, to 2e-4 (Abramowitz and Stegun 26.2.18).
fn below(z: f64) -> f64 {
    const SERIES: [f64; 4] = [0.196_854, 0.115_194, 0.000_344, 0.019_527];
    let x = z.abs();
    let sum = 1.0 + SERIES.iter().rev().fold(0.0, |sum, c| x * (c + sum));
    let above = 0.5 * sum.powi(-4);
    if z < 0.0 { above } else { 1.0 - above }
}

/// The lower factor of a symmetric matrix; nothing if it is not positive definite.
fn cholesky(n: usize, entry: impl Fn(usize, usize) -> f64) -> Option<Vec<Vec<f64>>> {
    let mut factor: Vec<Vec<f64>> = Vec::with_capacity(n);
    for i in 0..n {
        let mut row: Vec<f64> = Vec::with_capacity(i + 1);
        for (j, above) in factor.iter().enumerate() {
            row.push((entry(i, j) - dot(&row, above)) / above[j]);
        }
        let square = entry(i, i) - dot(&row, &row);
        if square <= 0.0 {
            return None;
        }
        row.push(square.sqrt());
        factor.push(row);
    }
    Some(factor)
}

/// L⁻¹b.
fn forward(factor: &[Vec<f64>], b: impl Iterator<Item = f64>) -> Vec<f64> {
    let mut solved: Vec<f64> = Vec::with_capacity(factor.len());
    for (row, b) in factor.iter().zip(b) {
        solved.push((b - dot(&solved, row)) / row[row.len() - 1]);
    }
    solved
}

/// Over the shorter of the two.
fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn follows_a_smooth_valley() {
        let seen: Vec<(Place, f64)> = [0.0, 1.0, 3.0, 5.0, 6.0].map(|x: f64| ((0, x), (x - 4.0).powi(2))).into();
        let process = Process::fit(&seen).unwrap();
        let (at_four, deviation) = process.at((0, 4.0));
        assert!(at_four.abs() < 2.0, "{at_four}");
        assert!(deviation < process.at((1, 4.0)).1);
        assert!(process.improvement((0, 4.0), 1.0) > process.improvement((0, 0.0), 1.0));
    }

    #[test]
    fn one_algorithm_tells_of_another_that_goes_along() {
        let like = |a: usize, shift: f64| [0.0, 2.0, 4.0, 6.0].map(move |x: f64| ((a, x), x + shift));
        let seen: Vec<(Place, f64)> = like(0, 0.0).into_iter().chain(like(1, 0.1).into_iter().skip(2)).collect();
        let process = Process::fit(&seen).unwrap();
        assert!(process.at((1, 0.0)).0 < process.mean);
    }

    #[test]
    fn normal_shares() {
        for (z, share) in [(0.0, 0.5), (1.0, 0.841_345), (-1.959_964, 0.025), (3.0, 0.998_650)] {
            assert!((below(z) - share).abs() < 2.5e-4, "{z}");
        }
    }

    #[test]
    fn factors_give_the_matrix_back() {
        let entry = |i: usize, j: usize| if i == j { 4.0 } else { 1.0 };
        let factor = cholesky(3, entry).unwrap();
        assert!((dot(&factor[2], &factor[1]) - 1.0).abs() < 1e-12);
        assert!((dot(&factor[2], &factor[2]) - 4.0).abs() < 1e-12);
        assert!(cholesky(2, |_, _| 1.0).is_none());
    }
}
