//! Decimal numbers of text, read as the nearest f64. What the usual forms take is done here, in one pass over the bytes; the
//! rest is left to the standard library, which rounds the same.

/// 10ᵏ, exact up to 10²².
const POWERS: [f64; 23] = [
    1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20,
    1e21, 1e22,
];
/// Up to this power of 5 a u64 holds it.
const DEEPEST: usize = 27;
/// 1/5ᵏ: the first 128 bits, cut off.
const INVERSES: [u128; DEEPEST + 1] = inverses();
/// As many digits as a u64 surely holds.
const DIGITS: usize = 19;

/// ⌊2ⁿ/5ᵏ⌋ with n such that the highest of 128 bits is set; 5⁰ is not asked for.
const fn inverses() -> [u128; DEEPEST + 1] {
    let (mut all, mut k, mut power) = ([0; DEEPEST + 1], 1, 5_u64);
    while k <= DEEPEST {
        let (mut quotient, mut rest) = (0_u128, 1_u128);
        while quotient >> 127 == 0 {
            rest <<= 1;
            quotient <<= 1;
            if rest >= power as u128 {
                rest -= power as u128;
                quotient |= 1;
            }
        }
        all[k] = quotient;
        k += 1;
        power = power.wrapping_mul(5);
    }
    all
}

/// The number with which the text begins, if it is written as digits with at most one point and sign, and how many bytes
/// it takes. Nothing where that is not the whole of a number, or where it takes more care.
#[inline(always)]
pub(in crate::data) fn prefix(text: &[u8]) -> Option<(f64, usize)> {
    let negative = text.first() == Some(&b'-');
    let begin = usize::from(negative);
    let (whole, mut at) = digits(text, begin, 0);
    let (mut digits_seen, mut mantissa, mut fraction) = (at - begin, whole, 0);
    if text.get(at) == Some(&b'.') {
        let (all, end) = digits(text, at + 1, whole);
        fraction = end - at - 1;
        digits_seen += fraction;
        (mantissa, at) = (all, end);
    }
    // Leading zeros do not count; to look for them seldom pays.
    if digits_seen == 0 || digits_seen > DIGITS && digits_seen - leading_zeros(&text[begin..at]) > DIGITS {
        return None;
    }
    let v = scaled(mantissa, fraction)?;
    Some((if negative { -v } else { v }, at))
}

/// Appends digits to a number, which may overflow; tells where they end.
#[inline(always)]
fn digits(text: &[u8], mut at: usize, mut number: u64) -> (u64, usize) {
    while let Some(digit) = text.get(at).map(|b| b.wrapping_sub(b'0')).filter(|digit| *digit < 10) {
        number = number.wrapping_mul(10).wrapping_add(u64::from(digit));
        at += 1;
    }
    (number, at)
}

fn leading_zeros(number: &[u8]) -> usize {
    let front = number.iter().take_while(|b| matches!(b, b'0' | b'.'));
    front.filter(|b| **b == b'0').count()
}

/// m/10ᵏ, rounded to the nearest, ties to even.
#[inline(always)]
fn scaled(m: u64, k: usize) -> Option<f64> {
    if m < 1 << 53 && k < POWERS.len() {
        // Both are exact, and so the quotient is rounded once.
        return Some(m as f64 / POWERS[k]);
    }
    if k == 0 {
        return Some(m as f64);
    }
    if k > DEEPEST || m == 0 { None } else { nearest(m, k) }
}

/// The same by multiplication: m·2⁻ᵏ/5ᵏ has the bits of m times those of 1/5ᵏ. Of their product the upper 128 bits are known
/// up to 2 in the last place; nothing if that does not settle how to round.
#[inline(always)]
fn nearest(m: u64, k: usize) -> Option<f64> {
    let shift = m.leading_zeros();
    let w = u128::from(m << shift);
    let (high, low) = (INVERSES[k] >> 64, INVERSES[k] & u128::from(u64::MAX));
    let product = w * high + ((w * low) >> 64);
    let lost = product.leading_zeros();
    // 53 bits are kept; the next says which way to round, unless the rest may be a tie or carry into it.
    let rest_bits = 128 - 54 - lost;
    let rest = product & ((1 << rest_bits) - 1);
    let kept = (product >> rest_bits) as u64;
    if rest.wrapping_sub(1) >= (1 << rest_bits) - 3 {
        return None;
    }
    let rounded = (kept >> 1) + (kept & 1);
    // v = m/10ᵏ ≈ 2^(64 − shift − k)·product/2ⁿ, where n = 127 + ⌈log₂ 5ᵏ⌉.
    let cut = rest_bits as i32 + 1;
    let exponent = cut + 64 - shift as i32 - k as i32 - 127 - power_bits(k);
    Some(rounded as f64 * f64::from_bits(((1023 + exponent) as u64) << 52))
}

/// ⌈log₂ 5ᵏ⌉ for k ≥ 1.
#[inline(always)]
fn power_bits(k: usize) -> i32 {
    // 5ᵏ is no power of 2, and log₂ 5 is 152170/65536 to enough places.
    ((k as u64 * 152_170) >> 16) as i32 + 1
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn agrees(text: &str) -> bool {
        let std: f64 = text.parse().unwrap();
        prefix(text.as_bytes()).is_none_or(|(v, length)| v.to_bits() == std.to_bits() && length == text.len())
    }

    #[test]
    fn powers_of_five_have_so_many_bits() {
        for k in 1..=DEEPEST {
            assert_eq!(power_bits(k), 64 - 5_u64.pow(k as u32).leading_zeros() as i32, "{k}");
        }
    }

    #[test]
    fn usual_numbers_are_read_here() {
        for text in
            ["0", "1", "-1", "0.5", "-0.25", "17", "0.1234567890123456789", "123456789.0123456789", "0.00031416"]
        {
            assert!(prefix(text.as_bytes()).is_some() && agrees(text), "{text}");
        }
        assert_eq!(prefix(b"1.5 7:2"), Some((1.5, 3)));
        assert_eq!(prefix(b"00000000000000000000.00.0"), Some((0.0, 23)), "a second point is not the number's");
        assert_eq!(prefix(b"-0").map(|(v, _)| v.to_bits()), Some((-0.0_f64).to_bits()));
        for text in ["", "-", ".", "-.", "x", "+1", "inf", "12345678901234567890123"] {
            assert_eq!(prefix(text.as_bytes()), None, "{text}");
        }
    }

    #[test]
    fn halfway_cases_agree() {
        for text in [
            "9007199254740993",
            "9007199254740992.5",
            "9007199254740993.0",
            "4503599627370497.5",
            "4503599627370496.5",
            "0.9007199254740993",
            "1.0000000000000001110",
            "18446744073709551615",
            "1844674407370955161.5",
        ] {
            assert!(agrees(text), "{text}");
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(20_000))]

        #[test]
        fn shortest_digits_agree(bits: u64) {
            let v = f64::from_bits(bits);
            if v.is_finite() {
                prop_assert!(agrees(&format!("{v}")), "{v}");
            }
            let share = (bits >> 11) as f64 / (1_u64 << 53) as f64;
            prop_assert!(agrees(&share.to_string()), "{share}");
        }

        #[test]
        fn any_digits_agree(text in "-?[0-9]{1,21}([.][0-9]{0,28})?|-?[.][0-9]{1,30}") {
            prop_assert!(agrees(&text), "{text}");
        }
    }
}
