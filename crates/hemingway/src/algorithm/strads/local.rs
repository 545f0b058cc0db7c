//! What a machine makes of the columns that are its to move: it improves one after the other, with all others as they are.
//!
//! On the parabola (1/n) Σ (φ′ᵢuᵢ + ½φ″ᵢuᵢ²) + g(w + Δw), u = XΔw, by exact coordinate steps; where the loss is no parabola,
//! the whole change is then halved until P itself falls by a fair share of what the slopes promise (Yuan, Ho & Lin 2012).

use crate::algorithm::columns::Columns;
use crate::data::Row;

/// An epoch over the columns is the last if it gains less than this share of the first.
const LAST: f64 = 0.01;
/// φ″ is taken to be at least this share of its upper bound: beyond a straight piece there may be a bend.
const FLATTEST: f64 = 1e-3;
/// The share of the promised decrease that must come true, and how often a change is halved at most.
const FAIR: f64 = 0.01;
const HALVINGS: u32 = 30;

/// A change of some of a machine's columns.
pub(super) struct Change {
    /// Δw of each.
    pub(super) by: Vec<f64>,
    /// u = XΔw.
    pub(super) moved: Vec<f64>,
    /// By how much P falls if nobody else moves.
    pub(super) gain: f64,
    /// Entries touched.
    pub(super) entries: u64,
}

/// The parabola at v, and what has been done to it.
struct Parabola<'a> {
    columns: &'a Columns,
    /// sᵢφ″.
    bends: Vec<f64>,
    /// sᵢ(φ′ + φ″uᵢ).
    slopes: Vec<f64>,
    u: Vec<f64>,
    entries: u64,
}

/// Improves the columns `own`, numbered within the shard, whose coefficients are `w`.
pub(super) fn improve(columns: &Columns, v: &[f64], own: &[usize], w: &[f64], epochs: u32) -> Change {
    let mut parabola = Parabola::at(columns, v);
    let first = parabola.slopes.clone();
    let bends: Vec<f64> = own.iter().map(|j| parabola.bend(*j)).collect();
    let mut new = w.to_vec();
    let mut most = 0.0_f64;
    for _ in 0..epochs {
        let mut gain = 0.0;
        for ((j, bend), w) in own.iter().zip(&bends).zip(&mut new) {
            gain += parabola.step(*j, *bend, w);
        }
        most = most.max(gain);
        if gain <= LAST * most {
            break;
        }
    }
    let by: Vec<f64> = new.iter().zip(w).map(|(new, old)| new - old).collect();
    let Parabola { u, entries, .. } = parabola;
    let mut change = Change { by, moved: u, gain: 0.0, entries };
    change.shorten(columns, v, &first, w);
    change
}

impl<'a> Parabola<'a> {
    fn at(columns: &'a Columns, v: &[f64]) -> Self {
        let (loss, shard) = (columns.outline.loss, &columns.shard);
        let least = FLATTEST * loss.curvature();
        let (mut slopes, mut bends) = (Vec::with_capacity(v.len()), Vec::with_capacity(v.len()));
        for (v, y) in v.iter().zip(shard.all_labels()) {
            let bent = loss.bent(*v, *y);
            slopes.push(bent.slope);
            bends.push(bent.bend.max(least));
        }
        if let Some(weights) = shard.all_weights() {
            for list in [&mut slopes, &mut bends] {
                list.iter_mut().zip(weights).for_each(|(x, s)| *x *= s);
            }
        }
        Self { columns, bends, slopes, u: vec![0.0; v.len()], entries: 2 * v.len() as u64 }
    }

    /// (1/n) Σ sᵢφ″ᵢxᵢⱼ².
    fn bend(&mut self, j: usize) -> f64 {
        let n = self.columns.outline.rows as f64;
        if self.columns.outline.loss.is_parabola() {
            return self.columns.norms[j] / n;
        }
        let column = self.columns.shard.row(j);
        self.entries += column.stored() as u64;
        column.iter().map(|(i, x)| self.bends[i as usize] * x * x).sum::<f64>() / n
    }

    /// Sets one coefficient to what is best with all others as they are: what that gains at least.
    fn step(&mut self, j: usize, bend: f64, w: &mut f64) -> f64 {
        let (outline, column) = (&self.columns.outline, self.columns.shard.row(j));
        self.entries += column.stored() as u64;
        if bend <= 0.0 {
            // A column of zeros is worth nothing, whatever a model taken over says.
            let gain = outline.penalty.value(&[*w]);
            *w = 0.0;
            return gain;
        }
        let slope = column.dot(&self.slopes) / outline.rows as f64;
        let by = outline.penalty.prox(*w - slope / bend, bend) - *w;
        if by == 0.0 {
            return 0.0;
        }
        self.entries += column.stored() as u64;
        *w += by;
        self.shift(column, by);
        0.5 * (bend + outline.penalty.l2) * by * by
    }

    fn shift(&mut self, column: Row<'_>, by: f64) {
        column.axpy(by, &mut self.u);
        let plain = self.columns.outline.loss.is_parabola() && self.columns.shard.all_weights().is_none();
        if plain {
            return column.axpy(by, &mut self.slopes);
        }
        for (i, x) in column.iter() {
            self.slopes[i as usize] += by * self.bends[i as usize] * x;
        }
    }
}

impl Change {
    /// Halves the change until P falls as it should, and says by how much it does.
    fn shorten(&mut self, columns: &Columns, v: &[f64], slopes: &[f64], w: &[f64]) {
        let penalty = &columns.outline.penalty;
        let n = columns.outline.rows as f64;
        let of_g = |change: &Self| {
            let new: Vec<f64> = w.iter().zip(&change.by).map(|(w, by)| w + by).collect();
            penalty.value(w) - penalty.value(&new)
        };
        let falls = |change: &Self| {
            let terms = v.iter().zip(&change.moved).zip(slopes);
            -terms.map(|((_, u), slope)| slope * u).sum::<f64>() / n + of_g(change)
        };
        for _ in 0..HALVINGS {
            self.gain = loss_gain(columns, v, &self.moved) + of_g(self);
            if columns.outline.loss.is_parabola() || self.gain >= FAIR * falls(self) {
                return;
            }
            self.entries += v.len() as u64;
            self.by.iter_mut().chain(&mut self.moved).for_each(|x| *x *= 0.5);
        }
        self.by.iter_mut().chain(&mut self.moved).for_each(|x| *x = 0.0);
        self.gain = 0.0;
    }
}

/// (1/n) Σ sᵢ(φ(vᵢ) − φ(vᵢ + uᵢ)).
fn loss_gain(columns: &Columns, v: &[f64], u: &[f64]) -> f64 {
    let (loss, shard) = (columns.outline.loss, &columns.shard);
    let of_row = |i: usize| {
        let (y, s) = (shard.all_labels()[i], shard.all_weights().map_or(1.0, |weights| weights[i]));
        let fall = match loss.is_parabola() {
            // Without cancelling.
            true => -u[i] * (v[i] - y + 0.5 * u[i]),
            false => loss.value(v[i], y) - loss.value(v[i] + u[i], y),
        };
        s * fall
    };
    (0..v.len()).filter(|i| u[*i] != 0.0).map(of_row).sum::<f64>() / columns.outline.rows as f64
}
