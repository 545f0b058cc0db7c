//! eˣ and logarithms without branches or tables, so that loops over many rows run several at a time. A system's own are as
//! exact, but one at a time, and their last bits depend on the machine.

use std::f64::consts::{LOG2_E, SQRT_2};

/// ln 2 in two parts, the first with enough zeros at its end to be multiplied by an exponent exactly.
const LN2: (f64, f64) = (6.931_471_803_691_238e-1, 1.908_214_929_270_587_7e-10);
/// Added to a number below 2⁵¹ it leaves the nearest whole number in the last bits.
const ROUNDING: f64 = 6_755_399_441_055_744.0;
/// e to the power of less is as good as 0, and cannot be scaled in one step.
const LOWEST: f64 = -708.0;
/// 1/k! for k = 2, 3, …, 13.
const EXPONENTIAL: [[f64; 4]; 3] = [
    [1.0 / 2.0, 1.0 / 6.0, 1.0 / 24.0, 1.0 / 120.0],
    [1.0 / 720.0, 1.0 / 5_040.0, 1.0 / 40_320.0, 1.0 / 362_880.0],
    [1.0 / 3_628_800.0, 1.0 / 39_916_800.0, 1.0 / 479_001_600.0, 1.0 / 6_227_020_800.0],
];
/// 2/k for k = 3, 5, …, 23.
const AREA_TANGENT: [[f64; 4]; 3] = [
    [2.0 / 3.0, 2.0 / 5.0, 2.0 / 7.0, 2.0 / 9.0],
    [2.0 / 11.0, 2.0 / 13.0, 2.0 / 15.0, 2.0 / 17.0],
    [2.0 / 19.0, 2.0 / 21.0, 2.0 / 23.0, 0.0],
];

/// Four interleaved polynomials in x⁴ by Horner's rule, lowest power first: a single one would wait for itself.
#[inline(always)]
fn polynomial(coefficients: [[f64; 4]; 3], x: f64) -> f64 {
    let square = x * x;
    let fourth = square * square;
    let [a, b, c] = coefficients;
    let part = |k: usize| (c[k] * fourth + b[k]) * fourth + a[k];
    (part(0) + part(1) * x) + (part(2) + part(3) * x) * square
}

/// eˣ for x up to 709: 2ⁿ times e to a power of at most ½ ln 2. What is no number stays none.
#[inline(always)]
pub(super) fn exp(x: f64) -> f64 {
    let x = if x < LOWEST { LOWEST } else { x };
    let shifted = x * LOG2_E + ROUNDING;
    let n = shifted - ROUNDING;
    let r = (x - n * LN2.0) - n * LN2.1;
    let power = f64::from_bits((shifted.to_bits() << 52).wrapping_add(1023 << 52));
    (1.0 + (r + r * r * polynomial(EXPONENTIAL, r))) * power
}

/// ln(1 + e) for e from 0 to 1.
#[inline(always)]
pub(super) fn ln_1p(e: f64) -> f64 {
    let halved = e > SQRT_2 - 1.0;
    let f = if halved { 0.5 * (e - 1.0) } else { e };
    near_one(f, if halved { 1.0 } else { 0.0 })
}

/// ln x for normal x above 0.
#[inline(always)]
pub(super) fn ln(x: f64) -> f64 {
    // Exponents change at √½ instead of 1, so that what is left lies around 1.
    let bits = x.to_bits().wrapping_sub(std::f64::consts::FRAC_1_SQRT_2.to_bits());
    let n = (bits as i64) >> 52;
    let m = f64::from_bits(x.to_bits().wrapping_sub((n as u64) << 52));
    near_one(m - 1.0, n as f64)
}

/// n ln 2 + ln(1 + f) for 1 + f from √½ to √2: with s = f/(2 + f), ln(1 + f) = 2 artanh s, and 2s = f − sf.
#[inline(always)]
fn near_one(f: f64, n: f64) -> f64 {
    let s = f / (2.0 + f);
    let rest = f - s * (f - s * s * polynomial(AREA_TANGENT, s * s));
    n * LN2.0 + (n * LN2.1 + rest)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// How many representable numbers apart.
    fn apart(a: f64, b: f64) -> u64 {
        a.to_bits().abs_diff(b.to_bits())
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2000))]

        #[test]
        fn as_exact_as_the_systems_own(x in -707.0..1.0f64, small in -1.0..1.0f64, e in 0.0..=1.0f64) {
            prop_assert!(apart(exp(x), x.exp()) <= 2, "{} {}", exp(x), x.exp());
            prop_assert!(apart(exp(small), small.exp()) <= 2);
            prop_assert!(apart(ln_1p(e), e.ln_1p()) <= 3, "{} {}", ln_1p(e), e.ln_1p());
            prop_assert!(apart(ln_1p(x.min(0.0).exp()), x.min(0.0).exp().ln_1p()) <= 3);
            prop_assert!(apart(ln(x.exp()), x.exp().ln()) <= 3, "{} {}", ln(x.exp()), x.exp().ln());
            prop_assert!((ln(1.0 + small * 1e-3) - (1.0 + small * 1e-3).ln()).abs() <= 1e-18);
        }
    }

    #[test]
    fn ends_and_what_is_no_number() {
        assert_eq!((exp(0.0), ln_1p(0.0), ln(1.0)), (1.0, 0.0, 0.0));
        assert_eq!(ln_1p(1.0), std::f64::consts::LN_2);
        assert!(exp(-1e300) < 1e-307 && exp(f64::NEG_INFINITY) < 1e-307);
        assert!(exp(f64::NAN).is_nan() && ln_1p(f64::NAN).is_nan());
    }
}
