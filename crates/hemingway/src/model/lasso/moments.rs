//! What a quadratic needs to know of rows: Σ z zᵀ, fold by fold.

use super::path::Quadratic;

/// Σ z zᵀ over rows z = (x, y, 1), upper triangle.
#[derive(Clone)]
pub(super) struct Moments {
    columns: usize,
    sums: Vec<f64>,
}

impl Moments {
    pub(super) fn new(columns: usize) -> Self {
        Self { columns, sums: vec![0.0; (columns + 2) * (columns + 2)] }
    }

    pub(super) fn add(&mut self, Block([a, b, c, d]): &Block) {
        let width = self.columns + 2;
        for (j, sums) in self.sums.chunks_exact_mut(width).enumerate() {
            let (by_a, by_b, by_c, by_d) = (a[j], b[j], c[j], d[j]);
            let rows = a[j..].iter().zip(&b[j..]).zip(c[j..].iter().zip(&d[j..]));
            for (sum, ((a, b), (c, d))) in sums[j..].iter_mut().zip(rows) {
                *sum += (by_a * a + by_b * b) + (by_c * c + by_d * d);
            }
        }
    }

    /// The standard deviation of each column, of which these are the moments about its mean; 1 for a constant one, which
    /// varies by rounding alone and must stay 0 instead of being blown up to unit size.
    pub(super) fn scales(&self, means: &[f64]) -> Vec<f64> {
        let deviation = |j: usize| (self.at(j, j) / self.count()).sqrt();
        let scale = |(j, mean): (usize, &f64)| if deviation(j) > 1e-12 * mean.abs() { deviation(j) } else { 1.0 };
        means.iter().enumerate().map(scale).collect()
    }

    /// The moments of the columns divided by their scales.
    pub(super) fn divide(&mut self, scales: &[f64]) {
        let width = self.columns + 2;
        let scale = |j: usize| scales.get(j).copied().unwrap_or(1.0);
        for (place, sum) in self.sums.iter_mut().enumerate() {
            *sum /= scale(place / width) * scale(place % width);
        }
    }

    pub(super) fn sum(columns: usize, parts: &[Self]) -> Self {
        parts.iter().fold(Self::new(columns), |whole, part| whole.plus(part, 1.0))
    }

    pub(super) fn plus(&self, other: &Self, sign: f64) -> Self {
        let sums = self.sums.iter().zip(&other.sums).map(|(a, b)| a + sign * b).collect();
        Self { columns: self.columns, sums }
    }

    fn at(&self, i: usize, j: usize) -> f64 {
        self.sums[i.min(j) * (self.columns + 2) + i.max(j)]
    }

    pub(super) fn count(&self) -> f64 {
        self.at(self.columns + 1, self.columns + 1)
    }

    /// ½ bᵀGb − cᵀb, what is left of the squared error per row once the intercept is optimal.
    pub(super) fn quadratic(&self) -> Quadratic {
        let (d, n) = (self.columns, self.count());
        let mean = |j: usize| self.at(j, d + 1) / n;
        let central = |i: usize, j: usize| self.at(i, j) / n - mean(i) * mean(j);
        let gram = (0..d * d).map(|place| central(place / d, place % d)).collect();
        Quadratic { gram, slope: (0..d).map(|j| central(j, d)).collect() }
    }

    /// Mean of y − x·b: the optimal intercept.
    pub(super) fn mean_error(&self, b: &[f64]) -> f64 {
        let fitted: f64 = b.iter().enumerate().map(|(j, b)| b * self.at(j, self.columns + 1)).sum();
        (self.at(self.columns, self.columns + 1) - fitted) / self.count()
    }

    /// Σ (y − b₀ − x·b)².
    pub(super) fn squared_error(&self, b: &[f64], intercept: f64) -> f64 {
        let mut by: Vec<f64> = b.iter().map(|b| -b).collect();
        by.extend([1.0, -intercept]);
        let row = |i: usize| by.iter().enumerate().map(|(j, value)| value * self.at(i, j)).sum::<f64>();
        by.iter().enumerate().map(|(i, value)| value * row(i)).sum()
    }
}

/// Rows that are added to moments at once, so that each moment is read and written once for all of them.
pub(super) const BLOCK: usize = 4;

/// A row as given, with what it is to explain beyond the mean and the fold it is left out in.
pub(super) struct Centred<'a> {
    pub(super) x: &'a [f64],
    pub(super) y: f64,
    pub(super) fold: usize,
}

/// A few rows (x − mean, y, 1) of one fold; what is left free is 0.
pub(super) struct Block([Vec<f64>; BLOCK]);

impl Block {
    pub(super) fn new(columns: usize) -> Self {
        Self([(); BLOCK].map(|()| vec![0.0; columns + 2]))
    }

    pub(super) fn fill(&mut self, rows: &[Centred<'_>], means: &[f64]) {
        for (place, to) in self.0.iter_mut().enumerate() {
            let Some(Centred { x, y, .. }) = rows.get(place) else {
                to.fill(0.0);
                continue;
            };
            to.iter_mut().zip(*x).zip(means).for_each(|((to, x), mean)| *to = x - mean);
            to[means.len()..].copy_from_slice(&[*y, 1.0]);
        }
    }
}
