//! Loops compiled several times, for ever wider vectors, and run in the widest form that this machine knows.
//!
//! All forms do the same additions and multiplications in the same order and none fuses them, so that the bits do not
//! depend on the machine; `forms` runs all that this machine knows and compares.

use pulp::{Arch, Simd, WithSimd};

struct Work<F>(F);

impl<R, F: FnOnce() -> R> WithSimd for Work<F> {
    type Output = R;

    #[inline(always)]
    fn with_simd<S: Simd>(self, _simd: S) -> R {
        (self.0)()
    }
}

/// Runs a closure, marked `#[inline(always)]` like all that matters in it, in the widest form.
#[inline(always)]
pub(crate) fn widest<R>(work: impl FnOnce() -> R) -> R {
    #[cfg(test)]
    if let Some(form) = forms::asked() {
        return form.run(work);
    }
    Arch::new().dispatch(Work(work))
}

#[cfg(test)]
pub(crate) mod forms;
