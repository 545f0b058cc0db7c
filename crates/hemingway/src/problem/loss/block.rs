//! A loss at many rows at once.

use super::Loss;

/// Rows taken together: enough to fill vectors, few enough for their entries to be still near when they are needed again.
pub(crate) const BLOCK: usize = 64;

/// Losses, slopes and bends of a block of rows.
#[derive(Debug)]
pub(crate) struct Bents {
    /// φ.
    pub(crate) values: [f64; BLOCK],
    /// φ′.
    pub(crate) slopes: [f64; BLOCK],
    /// φ″.
    pub(crate) bends: [f64; BLOCK],
}

impl Bents {
    pub(crate) fn new() -> Self {
        Self { values: [0.0; BLOCK], slopes: [0.0; BLOCK], bends: [0.0; BLOCK] }
    }

    /// Those of predictions `z` of rows labelled `y`, at most [`BLOCK`] of them. Which loss it is, is settled once.
    #[inline(always)]
    pub(crate) fn fill(&mut self, loss: Loss, z: &[f64], y: &[f64]) {
        match loss {
            Loss::Hinge => self.each(Loss::Hinge, z, y),
            Loss::SquaredHinge => self.each(Loss::SquaredHinge, z, y),
            Loss::SmoothedHinge => self.each(Loss::SmoothedHinge, z, y),
            Loss::Logistic => self.each(Loss::Logistic, z, y),
            Loss::Squared => self.each(Loss::Squared, z, y),
            Loss::Absolute => self.each(Loss::Absolute, z, y),
            Loss::Huber => self.each(Loss::Huber, z, y),
        }
    }

    /// Counts every row for what it weighs.
    #[inline(always)]
    pub(crate) fn weigh(&mut self, weights: &[f64]) {
        for all in [&mut self.values, &mut self.slopes, &mut self.bends] {
            all.iter_mut().zip(weights).for_each(|(at, s)| *at *= s);
        }
    }

    #[inline(always)]
    fn each(&mut self, loss: Loss, z: &[f64], y: &[f64]) {
        let into = self.values.iter_mut().zip(&mut self.slopes).zip(&mut self.bends);
        for (((value, slope), bend), (z, y)) in into.zip(z.iter().zip(y)) {
            let at = loss.bent(*z, *y);
            (*value, *slope, *bend) = (at.value, at.slope, at.bend);
        }
    }
}
