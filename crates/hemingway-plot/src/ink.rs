//! Colours, each in two shades: one for light pages, one for dark.

/// A colour by its shade on light and on dark paper, as 0xRRGGBB.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Ink {
    light: u32,
    dark: u32,
}

/// The page itself.
pub(crate) const PAPER: Ink = Ink::new(0xffffff, 0x14171c);
/// Titles, and what must be seen first.
pub const LOUD: Ink = Ink::new(0x17191c, 0xf2f3f5);
/// Labels, and what belongs to no colour.
pub const MUTED: Ink = Ink::new(0x5c6370, 0xa9b0bb);
/// Lines between ticks.
pub(crate) const GRID: Ink = Ink::new(0xe3e6ea, 0x2c323a);

/// Colours that stay apart for colour-blind eyes: Okabe and Ito's, their yellow left out as it fades on white.
pub const DISTINCT: [Ink; 7] = [
    Ink::new(0x0072b2, 0x4aa8e0),
    Ink::new(0xd55e00, 0xf08843),
    Ink::new(0x009e73, 0x35c79c),
    Ink::new(0xc2629a, 0xe08fbd),
    Ink::new(0xb98500, 0xe8b53a),
    Ink::new(0x3aa0dc, 0x8ccdf5),
    Ink::new(0x6b6f76, 0xb4b8bf),
];

/// From few to many, even in lightness, on light paper from bright to dark and on dark paper the other way round.
const RAMP: [Ink; 7] = [
    Ink::new(0xe59a2f, 0xffd58a),
    Ink::new(0xe0743a, 0xffb072),
    Ink::new(0xd05045, 0xfb8671),
    Ink::new(0xb53553, 0xec6a8d),
    Ink::new(0x91245f, 0xd266b4),
    Ink::new(0x671f64, 0xae6cd2),
    Ink::new(0x3b1b57, 0x8f78e6),
];

impl Ink {
    /// The colour with these two shades.
    pub const fn new(light: u32, dark: u32) -> Self {
        Self { light, dark }
    }

    pub(crate) fn on_light(self) -> String {
        format!("#{:06x}", self.light)
    }

    pub(crate) fn on_dark(self) -> String {
        format!("#{:06x}", self.dark)
    }

    /// Its name in style sheets: by its shades, so that pictures on one page cannot repaint each other.
    pub(crate) fn class(self) -> String {
        format!("i{:06x}-{:06x}", self.light, self.dark)
    }

    fn between(self, other: Self, share: f64) -> Self {
        Self::new(mix(self.light, other.light, share), mix(self.dark, other.dark, share))
    }
}

/// The `place`-th of [`DISTINCT`], again from the first after the last.
pub fn distinct(place: usize) -> Ink {
    DISTINCT[place % DISTINCT.len()]
}

/// The `place`-th of `count` colours of an ordered quantity.
pub fn ramp(place: usize, count: usize) -> Ink {
    let last = RAMP.len() - 1;
    let at = last as f64 * place.min(count.saturating_sub(1)) as f64 / count.saturating_sub(1).max(1) as f64;
    let below = (at as usize).min(last - 1);
    RAMP[below].between(RAMP[below + 1], at - below as f64)
}

fn mix(from: u32, to: u32, share: f64) -> u32 {
    let channel = |shift: u32| {
        let [a, b] = [from, to].map(|color| f64::from((color >> shift) & 0xff));
        ((a + share * (b - a)).round() as u32) << shift
    };
    channel(16) | channel(8) | channel(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_ramp_begins_and_ends_with_its_ends_however_many_steps_it_has() {
        assert_eq!((ramp(0, 8), ramp(7, 8)), (RAMP[0], RAMP[6]));
        assert_eq!((ramp(0, 1), ramp(0, 0), ramp(9, 3)), (RAMP[0], RAMP[0], RAMP[6]));
        assert_eq!(ramp(1, 3), RAMP[3]);
        assert_eq!(mix(0x0a1000, 0x0c2000, 0.5), 0x0b1800);
    }
}
