//! 16-bit floats of IEEE 754, rounded to nearest, ties to even.

/// The nearest; beyond 65504 infinite.
pub(super) fn from_f32(value: f32) -> u16 {
    let bits = value.to_bits();
    let sign = ((bits >> 16) & 0x8000) as u16;
    let size = bits & 0x7fff_ffff;
    if size >= 0x7f80_0000 {
        return sign | if size > 0x7f80_0000 { 0x7e00 } else { 0x7c00 };
    }
    // Below 2⁻¹⁴ the unit is 2⁻²⁴, whatever the exponent.
    if size < 0x3880_0000 {
        let units = f32::from_bits(size) * 16_777_216.0;
        return sign | units.round_ties_even() as u16;
    }
    let rounded = size + 0x0fff + ((size >> 13) & 1);
    sign | if rounded >= 0x4780_0000 { 0x7c00 } else { ((rounded - 0x3800_0000) >> 13) as u16 }
}

/// Exactly.
pub(super) fn to_f32(half: u16) -> f32 {
    let sign = u32::from(half & 0x8000) << 16;
    let (exponent, fraction) = (u32::from(half >> 10) & 0x1f, u32::from(half & 0x3ff));
    match exponent {
        0 => f32::from_bits(sign | (fraction as f32 / 16_777_216.0).to_bits()),
        31 => f32::from_bits(sign | 0x7f80_0000 | (fraction << 13)),
        _ => f32::from_bits(sign | ((exponent + 112) << 23) | (fraction << 13)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_half_goes_there_and_back() {
        for half in (0..=u16::MAX).filter(|half| half & 0x7fff <= 0x7c00) {
            assert_eq!(from_f32(to_f32(half)), half);
        }
        assert_eq!([1.0, 65504.0, 65520.0, 1e-8, 5.96e-8].map(from_f32), [0x3c00, 0x7bff, 0x7c00, 0, 1]);
        assert!(to_f32(from_f32(f32::NAN)).is_nan());
        // Half way between two halves goes to the even one.
        assert_eq!([1.0 + 1.0 / 2048.0, 1.0 + 3.0 / 2048.0].map(from_f32), [0x3c00, 0x3c02]);
    }
}
