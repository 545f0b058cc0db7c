//! Steps with λ₁ > 0: orthant-wise quasi-Newton (Andrew & Gao 2007, OWL-QN). Within an orthant ‖w‖₁ is linear; a step
//! follows the pseudo-gradient, and what would leave the orthant stops at its wall.

use super::{DECREASE, LbfgsServer, Local, TRIALS};
use crate::Result;
use crate::algorithm::Machines;
use crate::data::matrix::dot;
use crate::problem::shrunk;

impl LbfgsServer {
    /// The first t along the projected direction with enough decrease, with P and the smooth gradient there.
    pub(super) fn search_orthant(
        &mut self,
        on: &mut dyn Machines,
        w: &[f64],
        here: &Local,
    ) -> Result<Option<(Vec<f64>, Local)>> {
        let slope = pseudo_gradient(w, &here.gradient, self.outline.penalty.l1);
        let mut p = self.descent(&slope);
        // Only where it agrees in sign with steepest descent does the direction stay in the orthant chosen.
        p.iter_mut().zip(&slope).filter(|(p, g)| **p * **g >= 0.0).for_each(|(p, _)| *p = 0.0);
        let mut t = self.first_step(&p);
        let rounding = 1e-15 * here.value.abs();
        for _ in 0..TRIALS {
            let trial: Vec<f64> =
                w.iter().zip(&p).zip(&slope).map(|((w, p), g)| within_orthant(*w, *g, w + t * p)).collect();
            let there = self.local(on, &trial)?;
            let moved: Vec<f64> = super::difference(&trial, w);
            // Written so that a NaN counts as no decrease.
            let decreased = there.value <= here.value + DECREASE * dot(&slope, &moved) + rounding;
            if decreased {
                return Ok((trial != w).then_some((trial, there)));
            }
            t *= 0.5;
        }
        Ok(None)
    }
}

/// The slope of P along each axis in the direction in which it falls, 0 where it falls in neither.
fn pseudo_gradient(w: &[f64], gradient: &[f64], l1: f64) -> Vec<f64> {
    let one = |(w, g): (&f64, &f64)| if *w == 0.0 { shrunk(*g, l1) } else { g + l1.copysign(*w) };
    w.iter().zip(gradient).map(one).collect()
}

/// `to`, or 0 if it lies beyond the wall of the orthant that w lies in, or, from 0, that −g points into.
fn within_orthant(w: f64, g: f64, to: f64) -> f64 {
    let side = if w == 0.0 { -g } else { w };
    if to * side > 0.0 { to } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_pseudo_gradient_is_zero_where_neither_side_falls() {
        assert_eq!(
            pseudo_gradient(&[0.0, 0.0, 0.0, 2.0, -2.0], &[0.5, 3.0, -3.0, 0.5, 0.5], 1.0),
            [0.0, 2.0, -2.0, 1.5, -0.5]
        );
    }

    #[test]
    fn steps_stop_at_the_wall() {
        assert_eq!(within_orthant(1.0, 9.0, -0.5), 0.0);
        assert_eq!(within_orthant(1.0, 9.0, 0.5), 0.5);
        assert_eq!(within_orthant(0.0, 2.0, -0.5), -0.5);
        assert_eq!(within_orthant(0.0, 2.0, 0.5), 0.0);
    }
}
