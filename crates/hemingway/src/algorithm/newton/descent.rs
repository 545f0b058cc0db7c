//! Steihaug's conjugate gradients, one step at a time, within a region whose radius learns from what descents kept of their
//! promises. Lengths are measured by the diagonal of ∇²P, which also preconditions (Hsia, Chiang & Lin 2018), together with
//! what earlier descents learned of ∇²P (Morales & Nocedal 2000).

use crate::algorithm::pairs::Pairs;
use crate::data::matrix::{axpy, dot};

/// A descent is over where the residual is a share of the gradient: so many times as large as the last descent was off from
/// its promise (in the spirit of Eisenstat & Walker 1996), within bounds …
const FORCING: (f64, f64, f64) = (2.0, 0.03, 0.5);
/// … or after so many products.
const PRODUCTS: u32 = 250;
/// The same on a parabola, where a new start teaches nothing but what rounding has hidden.
const PARABOLA: (f64, u32) = (1e-12, 1000);
/// How many products are remembered for the descents that follow.
pub(super) const MEMORY: usize = 20;
/// How far off its promise the last descent may have been if P is still to be like a parabola around where it led, and if
/// what is remembered is to be of use there.
const PLAIN: f64 = 0.05;
const FAMILIAR: f64 = 0.3;
/// What part of the promised decrease a descent must keep to be taken, to let the region be, and to let it grow.
const TAKEN: f64 = 1e-4;
const FAIR: f64 = 0.25;
const GOOD: f64 = 0.75;
/// By how much the region shrinks at most, at least, and grows at most.
const SHRINK: (f64, f64) = (0.25, 0.5);
const GROW: f64 = 4.0;

/// What is known of a w.
#[derive(Debug)]
pub(super) struct Look {
    /// P.
    pub(super) value: f64,
    /// ∇P.
    pub(super) gradient: Vec<f64>,
    /// The diagonal of ∇²P.
    pub(super) diagonal: Vec<f64>,
}

/// Steps from a w whose P, ∇P and φ″ are known.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Descent {
    /// Where it began.
    pub(super) start: Vec<f64>,
    /// P there.
    value: f64,
    /// Whether it has gone as far as it goes.
    pub(super) is_over: bool,
    /// Whether it went without a product.
    pub(super) is_leap: bool,
    /// Where it goes next.
    pub(super) direction: Vec<f64>,
    /// How far it has come.
    step: Vec<f64>,
    /// −∇P − ∇²P·step.
    residual: Vec<f64>,
    gradient: Vec<f64>,
    diagonal: Vec<f64>,
    /// Whether it goes by what earlier descents learned: M, which preconditions, is what that makes of the diagonal.
    by_memory: bool,
    /// What it learns itself.
    learned: Pairs,
    /// rᵀM⁻¹r, and where it is low enough.
    size: f64,
    enough: f64,
    /// Products still to come.
    products: u32,
}

impl Descent {
    /// At its start.
    pub(super) fn from(w: &[f64], look: Look, memory: &Pairs, region: &Region, is_parabola: bool) -> Self {
        let Look { value, gradient, diagonal } = look;
        // Not −g: of a coefficient that no row touches that is −0, and a vector of −0 in place of 0 is news to every machine.
        let residual: Vec<f64> = gradient.iter().map(|g| 0.0 - g).collect();
        let Ends { share, products } = region.ends(is_parabola);
        let mut descent = Self {
            start: w.to_vec(),
            value,
            is_over: false,
            is_leap: false,
            direction: Vec::new(),
            step: vec![0.0; w.len()],
            residual,
            gradient,
            diagonal,
            by_memory: region.surprise <= FAMILIAR,
            learned: Pairs::at_most(MEMORY),
            size: 0.0,
            enough: 0.0,
            products,
        };
        descent.direction = descent.preconditioned(memory);
        descent.size = dot(&descent.residual, &descent.direction);
        descent.enough = share * share * descent.size;
        descent
    }

    /// M⁻¹·residual.
    fn preconditioned(&self, memory: &Pairs) -> Vec<f64> {
        let by_diagonal = |r: &mut [f64]| self.over_diagonal(r);
        if self.by_memory {
            return memory.solve(self.residual.clone(), by_diagonal);
        }
        let mut r = self.residual.clone();
        by_diagonal(&mut r);
        r
    }

    fn over_diagonal(&self, r: &mut [f64]) {
        // A column that nothing bends has no gradient either.
        r.iter_mut().zip(&self.diagonal).for_each(|(r, m)| *r = if *m > 0.0 { *r / m } else { 0.0 });
    }

    /// Goes at once to where P is lowest by what is remembered of ∇²P, without a product.
    pub(super) fn leap(&mut self, memory: &Pairs) {
        let scale = memory.newest_scale_by(&self.diagonal).unwrap_or(1.0);
        self.step = memory.solve(self.residual.clone(), |r| {
            self.over_diagonal(r);
            r.iter_mut().for_each(|r| *r *= scale);
        });
        self.size = dot(&self.residual, &self.step);
        self.residual.fill(0.0);
        (self.is_over, self.is_leap) = (true, true);
    }

    /// Whether there is nowhere to go.
    pub(super) fn is_at_rest(&self) -> bool {
        self.size.is_nan() || self.size <= 0.0
    }

    /// One step, `product` being ∇²P·direction.
    pub(super) fn advance(&mut self, product: &[f64], memory: &Pairs, region: &Region) {
        let bend = dot(&self.direction, product);
        let room = region.room(self);
        let t = self.size / bend;
        // Written so that a flat direction, along which t is no number, goes to the edge.
        let inside = bend > 0.0 && t < room;
        // No edge either: there is nothing to gain along it.
        let edge = if room.is_finite() { room } else { 0.0 };
        let t = if inside { t } else { edge };
        axpy(t, &self.direction, &mut self.step);
        axpy(-t, product, &mut self.residual);
        self.products -= 1;
        self.learned.keep(self.direction.clone(), product.to_vec());
        let next = self.preconditioned(memory);
        let size = dot(&self.residual, &next);
        let carry = size / self.size;
        self.direction.iter_mut().zip(&next).for_each(|(p, z)| *p = z + carry * *p);
        self.size = size;
        self.is_over = !inside || size <= self.enough || self.products == 0;
    }

    /// Adds what it learned to what is remembered, where it has led to this.
    pub(super) fn teach(self, memory: &mut Pairs, look: &Look) {
        if self.learned.is_empty() {
            let bent = look.gradient.iter().zip(&self.gradient).map(|(after, before)| after - before).collect();
            memory.keep(self.step, bent);
            return;
        }
        let times = look.diagonal.iter().sum::<f64>() / self.diagonal.iter().sum::<f64>();
        memory.follow(self.learned, times);
    }

    /// Where it has come to.
    pub(super) fn write(&self, w: &mut [f64]) {
        w.copy_from_slice(&self.start);
        axpy(1.0, &self.step, w);
    }

    /// Whether a leap that ended at this P is taken.
    pub(super) fn fell_to(&self, value: f64) -> bool {
        value - self.value <= TAKEN * self.slope()
    }

    fn slope(&self) -> f64 {
        dot(&self.gradient, &self.step)
    }

    /// By how much the parabola has fallen.
    pub(super) fn promised(&self) -> f64 {
        -0.5 * (self.slope() - dot(&self.step, &self.residual))
    }

    /// aᵀMb.
    fn product(&self, a: &[f64], b: &[f64]) -> f64 {
        a.iter().zip(b).zip(&self.diagonal).map(|((a, b), m)| a * b * m).sum()
    }

    /// Its numbers, its vectors, then the pairs it learned. It is over by a descent, 1, or a leap, 2.
    pub(super) fn state(&self) -> impl Iterator<Item = f64> + '_ {
        let [is_over, is_leap, by_memory] =
            [self.is_over, self.is_leap, self.by_memory].map(|is| f64::from(u8::from(is)));
        let numbers = [self.value, is_over + is_leap, by_memory, self.size, self.enough, f64::from(self.products)];
        let vectors =
            [&self.start, &self.direction, &self.step, &self.residual, &self.gradient, &self.diagonal].into_iter();
        numbers.into_iter().chain(vectors.flatten().copied()).chain(self.learned.state())
    }

    /// What [`Descent::state`] gave; nothing else is taken.
    pub(super) fn restored(state: &[f64], columns: usize) -> Option<Self> {
        let [value, is_over, by_memory, size, enough, products, vectors @ ..] = state else { return None };
        let (vectors, learned) = vectors.split_at_checked(6 * columns)?;
        let vector = |k: usize| vectors[k * columns..(k + 1) * columns].to_vec();
        Some(Self {
            start: vector(0),
            value: *value,
            is_over: *is_over != 0.0,
            is_leap: *is_over == 2.0,
            direction: vector(1),
            step: vector(2),
            residual: vector(3),
            gradient: vector(4),
            diagonal: vector(5),
            by_memory: *by_memory != 0.0,
            learned: Pairs::restored(learned, columns, MEMORY)?,
            size: *size,
            enough: *enough,
            products: *products as u32,
        })
    }
}

/// Where a descent ends.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Ends {
    share: f64,
    products: u32,
}

/// Where the parabola is believed.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Region {
    /// 0 before the first descent.
    pub(super) radius: f64,
    /// How far from 1 the last descent's kept share of its promise was, 1 at most.
    pub(super) surprise: f64,
}

impl Region {
    pub(super) fn unknown() -> Self {
        Self { radius: 0.0, surprise: 1.0 }
    }

    /// The first is as long as the gradient is over the least bend.
    pub(super) fn begin(&mut self, descent: &Descent, least_bend: f64) {
        if self.radius == 0.0 {
            self.radius = (dot(&descent.gradient, &descent.gradient) / least_bend).sqrt().min(f64::MAX);
        }
    }

    /// How far the next descent should go.
    fn ends(&self, is_parabola: bool) -> Ends {
        let (times, least, most) = FORCING;
        let (share, products) = match is_parabola {
            true => PARABOLA,
            false => ((times * self.surprise).clamp(least, most), PRODUCTS),
        };
        Ends { share, products }
    }

    /// Whether P is like a parabola here.
    pub(super) fn is_plain(&self) -> bool {
        self.surprise <= PLAIN
    }

    /// The t ≥ 0 with ‖step + t·direction‖ = radius.
    fn room(&self, descent: &Descent) -> f64 {
        let (s, p) = (&descent.step, &descent.direction);
        let (ss, sp, pp) = (descent.product(s, s), descent.product(s, p), descent.product(p, p));
        let room = (self.radius * self.radius - ss).max(0.0);
        if room.is_infinite() {
            return room;
        }
        let root = (sp * sp + pp * room).sqrt();
        // Of the two ways to write it, the one that does not cancel.
        if sp >= 0.0 { room / (sp + root).max(f64::MIN_POSITIVE) } else { (root - sp) / pp }
    }

    /// Whether a descent that ended at this P is taken; the radius learns from it.
    pub(super) fn judge(&mut self, descent: &Descent, value: f64) -> bool {
        let (slope, length) = (descent.slope(), descent.product(&descent.step, &descent.step).sqrt());
        let promised = descent.promised();
        let fell = if value.is_finite() { descent.value - value } else { slope };
        let kept = if value.is_finite() && promised > 0.0 { fell / promised } else { f64::NEG_INFINITY };
        // The step at which the parabola through both ends is lowest.
        let lowest = if -fell - slope <= 0.0 { GROW } else { (0.5 * slope / (slope + fell)).max(SHRINK.0) };
        // A region far beyond where the descent ended has not been tried.
        self.radius = self.radius.min(GROW * length);
        let (low, high) = match kept {
            kept if kept < TAKEN => (SHRINK.0 * self.radius.min(length), SHRINK.1 * self.radius.min(length)),
            kept if kept < FAIR => (SHRINK.0 * self.radius, SHRINK.1 * self.radius),
            kept if kept < GOOD => (SHRINK.0 * self.radius, GROW * self.radius),
            _ => (self.radius, GROW * self.radius),
        };
        self.radius = (lowest * length).clamp(low.min(high), high);
        self.surprise = (kept - 1.0).abs().min(1.0);
        kept > TAKEN
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// ∇²P of a small parabola ½wᵀHw − bᵀw.
    const H: [[f64; 3]; 3] = [[4.0, 1.0, 0.0], [1.0, 3.0, 0.5], [0.0, 0.5, 100.0]];
    const B: [f64; 3] = [1.0, -2.0, 30.0];

    fn times(p: &[f64]) -> Vec<f64> {
        H.iter().map(|row| dot(row, p)).collect()
    }

    fn value(w: &[f64]) -> f64 {
        0.5 * dot(w, &times(w)) - dot(&B, w)
    }

    fn from(w: &[f64], region: &Region) -> Descent {
        let gradient = times(w).iter().zip(B).map(|(h, b)| h - b).collect();
        let diagonal = (0..3).map(|j| H[j][j]).collect();
        Descent::from(w, Look { value: value(w), gradient, diagonal }, &Pairs::at_most(0), region, true)
    }

    #[test]
    fn a_parabola_of_three_columns_is_solved_in_three_steps_and_keeps_its_promise() {
        let mut region = Region::unknown();
        let mut descent = from(&[0.0; 3], &region);
        region.begin(&descent, 0.0);
        let mut w = vec![0.0; 3];
        let mut last = value(&w);
        for _ in 0..3 {
            descent.advance(&times(&descent.direction), &Pairs::at_most(0), &region);
            descent.write(&mut w);
            assert!(value(&w) < last);
            last = value(&w);
        }
        assert!(times(&w).iter().zip(B).all(|(h, b)| (h - b).abs() < 1e-9), "{w:?}");
        assert!((descent.promised() + last).abs() < 1e-12);
        assert!(descent.is_over && region.judge(&descent, last) && region.surprise < 1e-9);
    }

    #[test]
    fn a_descent_stops_at_the_edge_and_a_broken_promise_draws_it_in() {
        let mut region = Region { radius: 0.5, surprise: 1.0 };
        let mut descent = from(&[0.0; 3], &region);
        descent.advance(&times(&descent.direction), &Pairs::at_most(0), &region);
        assert!(descent.is_over && (descent.product(&descent.step, &descent.step).sqrt() - 0.5).abs() < 1e-12);
        assert!(!region.judge(&descent, 7.0) && region.radius <= 0.25);
        assert!(!region.judge(&descent, f64::NAN) && region.radius <= 0.125);
        assert_eq!(region.ends(false).share, FORCING.2);
    }

    #[test]
    fn a_descent_goes_on_from_its_state() {
        let region = Region { radius: 10.0, surprise: 1.0 };
        let mut descent = from(&[0.1, 0.0, 0.2], &region);
        descent.advance(&times(&descent.direction), &Pairs::at_most(0), &region);
        let state: Vec<f64> = descent.state().collect();
        assert_eq!(Descent::restored(&state, 3), Some(descent));
        assert_eq!(Descent::restored(&state[1..], 3), None);
        assert_eq!(Descent::restored(&[], 3), None);
    }
}
