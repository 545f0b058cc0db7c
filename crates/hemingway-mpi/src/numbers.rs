//! Numbers in as few bytes as they need: all of them, or only those that are not 0, or not what the receiver has already.

use serde::{Deserialize, Serialize};

/// Bytes of a number with its place.
const PAIR: usize = 12;

/// A vector on its way.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) enum Numbers<'a> {
    /// So many of them follow in a message of their own.
    Dense(usize),
    /// So many of them follow, in lanes.
    InLanes(usize),
    /// Places and values, as bytes: u32s, then f64s.
    Pairs(#[serde(borrow)] std::borrow::Cow<'a, [u8]>),
}

impl Numbers<'_> {
    /// These. A negative zero is not nothing: sums must come out the same to the bit.
    pub(crate) fn of(numbers: &[f64]) -> Self {
        Self::unless(numbers, None)
    }

    /// Those that differ from what the receiver has.
    pub(crate) fn since(numbers: &[f64], before: &[f64]) -> Self {
        if numbers.len() != before.len() {
            return Self::Dense(numbers.len());
        }
        Self::unless(numbers, Some(before))
    }

    fn unless(numbers: &[f64], known: Option<&[f64]>) -> Self {
        if differ(numbers, known) > 8 * numbers.len() / PAIR || u32::try_from(numbers.len()).is_err() {
            return Self::Dense(numbers.len());
        }
        let known = |i: usize| known.map_or(0, |known| known[i].to_bits());
        let places = || (0..numbers.len()).filter(|i| numbers[*i].to_bits() != known(*i));
        let mut bytes = Vec::new();
        places().for_each(|i| bytes.extend_from_slice(&(i as u32).to_le_bytes()));
        places().for_each(|i| bytes.extend_from_slice(&numbers[i].to_le_bytes()));
        Self::Pairs(bytes.into())
    }

    /// They come in a message of their own.
    pub(crate) fn is_dense(&self) -> bool {
        matches!(self, Self::Dense(_))
    }

    /// What they weigh.
    pub(crate) fn bytes(&self) -> usize {
        match self {
            Self::Dense(len) => 8 * len,
            Self::InLanes(_) => 0,
            Self::Pairs(bytes) => bytes.len(),
        }
    }

    /// Puts pairs in their places.
    pub(crate) fn write(&self, into: &mut [f64]) {
        let Self::Pairs(bytes) = self else { return };
        let (places, values) = bytes.split_at(bytes.len() / PAIR * 4);
        let (places, values) = (places.as_chunks::<4>().0, values.as_chunks::<8>().0);
        for (place, value) in places.iter().zip(values) {
            if let Some(number) = into.get_mut(u32::from_le_bytes(*place) as usize) {
                *number = f64::from_le_bytes(*value);
            }
        }
    }
}

/// How many are not what is known, or not nothing.
fn differ(numbers: &[f64], known: Option<&[f64]>) -> usize {
    match known {
        Some(known) => numbers.iter().zip(known).filter(|(a, b)| a.to_bits() != b.to_bits()).count(),
        None => numbers.iter().filter(|number| number.to_bits() != 0).count(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn few_travel_as_pairs_and_many_as_they_are() {
        let mut numbers = vec![0.0; 100];
        (numbers[7], numbers[50]) = (-0.0, f64::NAN);
        let few = Numbers::of(&numbers);
        assert_eq!(few.bytes(), 2 * PAIR);
        let mut back = vec![0.0; 100];
        few.write(&mut back);
        assert!(back.iter().zip(&numbers).all(|(a, b)| a.to_bits() == b.to_bits()));
        assert_eq!(Numbers::of(&[1.0; 100]), Numbers::Dense(100));
        assert_eq!(Numbers::of(&[]).bytes(), 0);
    }

    #[test]
    fn only_what_has_changed_travels() {
        let before: Vec<f64> = (0..100).map(f64::from).collect();
        let mut after = before.clone();
        assert_eq!(Numbers::since(&after, &before).bytes(), 0);
        after[3] = 0.5;
        let change = Numbers::since(&after, &before);
        assert_eq!(change.bytes(), PAIR);
        let mut known = before.clone();
        change.write(&mut known);
        assert_eq!(known, after);
        assert!(Numbers::since(&after[1..], &before).is_dense());
    }
}
