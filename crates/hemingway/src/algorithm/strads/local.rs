//! What a machine makes of the columns that are its to move: it improves one after the other, with all others as they are.
//!
//! On the parabola (1/n) Σ (φ′ᵢuᵢ + ½φ″ᵢuᵢ²) + g(w + Δw), u = XΔw, by exact coordinate steps; where the loss is no parabola,
//! the whole change is then halved until P itself falls by a fair share of what the slopes promise (Yuan, Ho & Lin 2012).

use super::parabola::Parabola;
use crate::algorithm::columns::Columns;
use crate::simd::widest;

/// An epoch over the columns is the last if it gains less than this share of the first.
const LAST: f64 = 0.01;
/// The share of the promised decrease that must come true, and how often a change is halved at most.
const FAIR: f64 = 0.01;
const HALVINGS: u32 = 30;

/// How long to go on.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Effort {
    /// Passes over the columns at most.
    pub(super) epochs: u32,
    /// Until the parabola is within so much of its optimum, which only a machine can know that nobody moves beside.
    pub(super) gap: Option<f64>,
}

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

/// Improves the columns `own`, numbered within the shard, whose coefficients are `w`.
pub(super) fn improve(columns: &Columns, v: &[f64], own: &[usize], w: &[f64], effort: Effort) -> Change {
    let mut parabola = Parabola::at(columns, v, own, w);
    widest(
        #[inline(always)]
        || match effort.gap {
            Some(gap) => parabola.settle(gap, effort.epochs),
            None => sweeps(&mut parabola, effort.epochs),
        },
    );
    let (by, moved, entries) = parabola.change(w);
    let mut change = Change { by, moved, gain: 0.0, entries };
    change.shorten(columns, v, w);
    change
}

/// Passes over all columns until they gain little.
#[inline(always)]
fn sweeps(parabola: &mut Parabola<'_>, epochs: u32) {
    let mut most = 0.0_f64;
    for _ in 0..epochs {
        let gain = parabola.epoch();
        most = most.max(gain);
        if gain <= LAST * most {
            break;
        }
    }
}

impl Change {
    /// Halves the change until P falls as it should, and says by how much it does.
    fn shorten(&mut self, columns: &Columns, v: &[f64], w: &[f64]) {
        let penalty = &columns.outline.penalty;
        let is_parabola = columns.outline.loss.is_parabola();
        let n = columns.outline.rows as f64;
        let slopes = if is_parabola { Vec::new() } else { columns.slopes(v) };
        let of_g = |change: &Self| {
            let new: Vec<f64> = w.iter().zip(&change.by).map(|(w, by)| w + by).collect();
            penalty.value(w) - penalty.value(&new)
        };
        let falls = |change: &Self| {
            let terms = change.moved.iter().zip(&slopes);
            -terms.map(|(u, slope)| slope * u).sum::<f64>() / n + of_g(change)
        };
        for _ in 0..HALVINGS {
            self.gain = loss_gain(columns, v, &self.moved) + of_g(self);
            if is_parabola || self.gain >= FAIR * falls(self) {
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
