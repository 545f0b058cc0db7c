//! The parabola that a machine improves: (1/n) Σ (φ′ᵢuᵢ + ½bᵢuᵢ²) + g(w), one column after the other.

use super::extrapolate::Extrapolation;
use super::look::feasible;
use crate::algorithm::columns::Columns;
use crate::data::Row;
use crate::data::matrix::dot;
use crate::problem::Penalty;

/// φ″ is taken to be at least this share of its upper bound: beyond a straight piece there may be a bend.
const FLATTEST: f64 = 1e-3;
/// Passes over the columns that move between two looks at all that might.
const BETWEEN: u32 = 2 * Extrapolation::POINTS as u32;

/// The parabola, and where on it the columns are.
pub(super) struct Parabola<'a> {
    columns: &'a Columns,
    own: &'a [usize],
    /// The coefficients of the columns, and what the parabola bends by along each.
    w: Vec<f64>,
    along: Vec<f64>,
    /// bᵢ = sᵢφ″; nothing where all are 1.
    bends: Option<Vec<f64>>,
    /// sᵢφ′ at first, and sᵢφ′ + bᵢuᵢ.
    first: Vec<f64>,
    slopes: Vec<f64>,
    entries: u64,
}

impl<'a> Parabola<'a> {
    /// At v, with these columns at w.
    pub(super) fn at(columns: &'a Columns, v: &[f64], own: &'a [usize], w: &[f64]) -> Self {
        let (loss, weights) = (columns.outline.loss, columns.shard.all_weights());
        let first = columns.slopes(v);
        let least = FLATTEST * loss.curvature();
        let bends = (!loss.is_parabola() || weights.is_some()).then(|| {
            let bent =
                |(i, (v, y)): (usize, (&f64, &f64))| weights.map_or(1.0, |s| s[i]) * loss.bent(*v, *y).bend.max(least);
            v.iter().zip(columns.shard.all_labels()).enumerate().map(bent).collect::<Vec<f64>>()
        });
        let slopes = first.clone();
        let entries = 2 * v.len() as u64;
        let mut parabola = Self { columns, own, w: w.to_vec(), along: Vec::new(), bends, first, slopes, entries };
        parabola.along = own.iter().map(|j| parabola.bend(*j)).collect();
        if !loss.is_parabola() {
            parabola.entries += own.iter().map(|j| columns.shard.row(*j).stored() as u64).sum::<u64>();
        }
        parabola
    }

    /// (1/n) Σ bᵢxᵢⱼ².
    fn bend(&self, j: usize) -> f64 {
        let n = self.columns.outline.rows as f64;
        match &self.bends {
            Some(bends) if !self.columns.outline.loss.is_parabola() => {
                self.columns.shard.row(j).iter().map(|(i, x)| bends[i as usize] * x * x).sum::<f64>() / n
            }
            _ => self.columns.norms[j] / n,
        }
    }

    fn penalty(&self) -> &'a Penalty {
        &self.columns.outline.penalty
    }

    /// One pass over all columns: what it gains at least.
    #[inline(always)]
    pub(super) fn epoch(&mut self) -> f64 {
        let mut gain = 0.0;
        for k in 0..self.own.len() {
            gain += self.step(k);
        }
        gain
    }

    /// Sets one coefficient to what is best with all others as they are: what that gains at least.
    #[inline(always)]
    fn step(&mut self, k: usize) -> f64 {
        let (outline, column) = (&self.columns.outline, self.columns.shard.row(self.own[k]));
        let (bend, w) = (self.along[k], self.w[k]);
        self.entries += column.stored() as u64;
        if bend <= 0.0 {
            // A column of zeros is worth nothing, whatever a model taken over says.
            self.w[k] = 0.0;
            return outline.penalty.value(&[w]);
        }
        let slope = column.long_dot(&self.slopes) / outline.rows as f64;
        let by = outline.penalty.prox(w - slope / bend, bend) - w;
        if by == 0.0 {
            return 0.0;
        }
        self.entries += column.stored() as u64;
        self.w[k] = w + by;
        self.shift(column, by);
        0.5 * (bend + outline.penalty.l2) * by * by
    }

    #[inline(always)]
    fn shift(&mut self, column: Row<'_>, by: f64) {
        match &self.bends {
            None => column.axpy(by, &mut self.slopes),
            Some(bends) => column.iter().for_each(|(i, x)| self.slopes[i as usize] += by * bends[i as usize] * x),
        }
    }

    /// Goes on until the gap is at most `gap`: passes over the columns that move, extrapolated, and between them a look at all.
    #[inline(always)]
    pub(super) fn settle(&mut self, gap: f64, epochs: u32) {
        let mut done = 0;
        let mut moving = Vec::new();
        let target = self.target();
        while done < epochs && self.survey(&target, &mut moving) > gap {
            let mut past = Extrapolation::default();
            let mut gained = 0.0;
            for _ in 0..BETWEEN {
                for k in &moving {
                    gained += self.step(*k);
                }
                past.note(&moving, &self.w, &self.slopes);
                if let Some((w, slopes)) = past.beyond() {
                    self.take(&moving, w, slopes);
                }
            }
            done += BETWEEN;
            if gained <= 0.0 {
                break;
            }
        }
    }

    /// Takes an extrapolated point where it is lower.
    #[inline(always)]
    fn take(&mut self, moving: &[usize], w: Vec<f64>, slopes: Vec<f64>) {
        let of = |w: &mut dyn Iterator<Item = f64>| w.map(|w| self.penalty().value(&[w])).sum::<f64>();
        let before = self.height(&self.slopes) + of(&mut moving.iter().map(|k| self.w[*k]));
        if self.height(&slopes) + of(&mut w.iter().copied()) < before {
            moving.iter().zip(w).for_each(|(k, w)| self.w[*k] = w);
            self.slopes = slopes;
        }
    }

    /// (1/n) Σ (slope)²/2b: the parabola without g, up to a constant.
    #[inline(always)]
    fn height(&self, slopes: &[f64]) -> f64 {
        let sum = match &self.bends {
            None => dot(slopes, slopes),
            Some(bends) => slopes.iter().zip(bends).filter(|(_, b)| **b > 0.0).map(|(s, b)| s * s / b).sum(),
        };
        0.5 * sum / self.columns.outline.rows as f64
    }

    /// The gap, with all other coefficients as they are, and the columns that are not at rest.
    #[inline(always)]
    fn survey(&mut self, target: &[f64], moving: &mut Vec<usize>) -> f64 {
        let (n, penalty) = (self.columns.outline.rows as f64, self.penalty());
        let (mut most, mut excess) = (0.0_f64, 0.0);
        moving.clear();
        for k in 0..self.own.len() {
            let column = self.columns.shard.row(self.own[k]);
            self.entries += column.stored() as u64;
            let c = (column.long_dot(&self.slopes) / n).abs();
            most = most.max(c);
            excess += (c - penalty.l1).max(0.0).powi(2);
            if self.w[k] != 0.0 || (c > penalty.l1 && self.along[k] > 0.0) {
                moving.push(k);
            }
        }
        let height = self.height(&self.slopes);
        let linear = -dot(&self.slopes, target) / n;
        let dual = if penalty.l2 > 0.0 {
            linear - height - excess / (2.0 * penalty.l2)
        } else {
            let feasible = feasible(most, penalty.l1);
            let t = if height > 0.0 { (linear / (2.0 * height)).clamp(0.0, feasible) } else { feasible };
            t * linear - t * t * height
        };
        height + penalty.value(&self.w) - dual
    }

    /// y of the parabola (b/2)(z − y)² where z is what these columns alone predict: z − φ′/b at first.
    #[inline(always)]
    fn target(&self) -> Vec<f64> {
        let along = |i: usize| self.bends.as_ref().map_or(1.0, |bends| bends[i]);
        let less = |i: usize| if along(i) > 0.0 { -self.first[i] / along(i) } else { 0.0 };
        let mut target: Vec<f64> = (0..self.first.len()).map(less).collect();
        for (j, w) in self.own.iter().zip(&self.w).filter(|(_, w)| **w != 0.0) {
            self.columns.shard.row(*j).axpy(*w, &mut target);
        }
        target
    }

    /// Δw, u, and the entries touched. What slopes have become is rounded too often to tell u.
    pub(super) fn change(self, w: &[f64]) -> (Vec<f64>, Vec<f64>, u64) {
        let by: Vec<f64> = self.w.iter().zip(w).map(|(new, old)| new - old).collect();
        let (mut u, mut entries) = (vec![0.0; self.first.len()], self.entries);
        for (j, by) in self.own.iter().zip(&by).filter(|(_, by)| **by != 0.0) {
            let column = self.columns.shard.row(*j);
            entries += column.stored() as u64;
            column.axpy(*by, &mut u);
        }
        (by, u, entries)
    }
}
