//! Numbers of a round as bytes, none of their bits lost: all of them, or only those that the receiver does not know already, by
//! their places or by a mask, whichever is shortest.

/// Bytes of a number.
const NUMBER: usize = 8;
/// Bytes of a place.
const PLACE: usize = 4;

const DENSE: u8 = 0;
const PLACES: u8 = 1;
const MASK: u8 = 2;

/// Bytes that each of many numbers takes where this share of them is new to the receiver.
pub fn bytes_each(share: f64) -> f64 {
    let (number, place) = (NUMBER as f64, PLACE as f64);
    number.min(share * (number + place)).min(share * number + 0.125)
}

/// Adds numbers to a message. Without `sparing` all are written; with it those whose bits are not the ones known, or zero
/// where nothing is.
pub fn write(numbers: &[f64], known: Option<&[f64]>, sparing: bool, message: &mut Vec<u8>) {
    let mask = if sparing { mask(numbers, known) } else { Vec::new() };
    let new = mask.iter().map(|bits| bits.count_ones() as usize).sum::<usize>();
    let [dense, by_place, by_mask] =
        [NUMBER * numbers.len(), PLACE + new * (NUMBER + PLACE), mask.len() + NUMBER * new];
    if !sparing || dense <= by_place.min(by_mask) {
        message.push(DENSE);
        message.extend_from_slice(bytemuck::cast_slice(numbers));
        return;
    }
    message.reserve(1 + by_place.min(by_mask));
    message.push(if by_place < by_mask { PLACES } else { MASK });
    if by_place < by_mask {
        message.extend_from_slice(&(new as u32).to_le_bytes());
        let place = |(start, bits): (u32, &u8)| places(*bits).map(move |i| start + i as u32);
        let all = (0..).step_by(8).zip(&mask).flat_map(place);
        all.for_each(|place| message.extend_from_slice(&place.to_le_bytes()));
    } else {
        message.extend_from_slice(&mask);
    }
    for (eight, bits) in numbers.chunks(8).zip(&mask) {
        match *bits {
            u8::MAX => message.extend_from_slice(bytemuck::cast_slice(eight)),
            bits => places(bits).for_each(|i| message.extend_from_slice(&eight[i].to_le_bytes())),
        }
    }
}

/// A bit for each number, those that are new to the receiver set.
fn mask(numbers: &[f64], known: Option<&[f64]>) -> Vec<u8> {
    match known {
        None => numbers.chunks(8).map(|eight| bits(eight.iter().map(|number| number.to_bits() != 0))).collect(),
        Some(known) => {
            let pairs = numbers.chunks(8).zip(known.chunks(8));
            pairs.map(|(a, b)| bits(a.iter().zip(b).map(|(a, b)| a.to_bits() != b.to_bits()))).collect()
        }
    }
}

fn bits(new: impl Iterator<Item = bool>) -> u8 {
    new.zip(0..).fold(0, |bits, (new, i)| bits | u8::from(new) << i)
}

/// The places of the bits that are set.
fn places(bits: u8) -> impl Iterator<Item = usize> {
    std::iter::successors(Some(bits), |left| Some(left & left.wrapping_sub(1)))
        .take_while(|left| *left != 0)
        .map(|left| left.trailing_zeros() as usize)
}

/// Takes what [`write()`] added off the front of a message, and puts it in its place among numbers that are as long and hold what
/// was known. `None` where the bytes are not of such numbers.
pub fn read(message: &mut &[u8], into: &mut [f64]) -> Option<()> {
    let (kind, rest) = message.split_first()?;
    let mut rest = rest;
    match *kind {
        DENSE => values(&mut rest, into.len())?.iter().zip(into).for_each(|(value, place)| *place = number(value)),
        PLACES => {
            let (count, after) = rest.split_first_chunk::<PLACE>()?;
            let count = u32::from_le_bytes(*count) as usize;
            let (places, after) = after.split_at_checked(count.checked_mul(PLACE)?)?;
            rest = after;
            let values = values(&mut rest, count)?;
            for (place, value) in places.as_chunks::<PLACE>().0.iter().zip(values) {
                *into.get_mut(u32::from_le_bytes(*place) as usize)? = number(value);
            }
        }
        MASK => {
            let (mask, after) = rest.split_at_checked(into.len().div_ceil(8))?;
            rest = after;
            let count = mask.iter().map(|bits| bits.count_ones() as usize).sum();
            let mut values = values(&mut rest, count)?.iter();
            for (eight, bits) in into.chunks_mut(8).zip(mask) {
                places(*bits).zip(&mut values).for_each(|(i, value)| {
                    if let Some(place) = eight.get_mut(i) {
                        *place = number(value);
                    }
                });
            }
        }
        _ => return None,
    }
    *message = rest;
    Some(())
}

fn values<'a>(rest: &mut &'a [u8], count: usize) -> Option<&'a [[u8; NUMBER]]> {
    let (own, after) = rest.split_at_checked(count.checked_mul(NUMBER)?)?;
    *rest = after;
    Some(own.as_chunks().0)
}

fn number(bytes: &[u8; NUMBER]) -> f64 {
    f64::from_le_bytes(*bytes)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn numbers(share: f64) -> impl Strategy<Value = Vec<f64>> {
        prop::collection::vec(prop_oneof![Just(0.0), Just(-0.0), Just(f64::NAN), -1e3..1e3], 0..300).prop_map(
            move |mut numbers| {
                let kept = (share * 10.0) as usize;
                numbers.iter_mut().enumerate().filter(|(i, _)| i % 10 >= kept).for_each(|(_, number)| *number = 0.0);
                numbers
            },
        )
    }

    fn bits(numbers: &[f64]) -> Vec<u64> {
        numbers.iter().map(|number| number.to_bits()).collect()
    }

    proptest! {
        #[test]
        fn bits_survive_and_no_other_way_is_shorter(few in numbers(0.1), some in numbers(0.5), all in numbers(1.0)) {
            let (mut message, everything) = (Vec::new(), [&few, &some, &all]);
            for (numbers, sparing) in everything.iter().zip([true, true, false]) {
                let before = message.len();
                write(numbers, None, sparing, &mut message);
                prop_assert!(message.len() - before <= 1 + 8 * numbers.len());
            }
            let mut rest = &message[..];
            for numbers in everything {
                let mut back = vec![0.0; numbers.len()];
                prop_assert!(read(&mut rest, &mut back).is_some());
                prop_assert_eq!(bits(&back), bits(numbers));
            }
            prop_assert!(rest.is_empty());
        }

        #[test]
        fn only_what_is_new_travels(known in numbers(1.0), change in 0usize..20) {
            let mut numbers = known.clone();
            numbers.iter_mut().step_by(20).skip(change).for_each(|number| *number = 0.25);
            let (mut message, mut back) = (Vec::new(), known.clone());
            write(&numbers, Some(&known), true, &mut message);
            prop_assert!(read(&mut &message[..], &mut back).is_some());
            prop_assert_eq!(bits(&back), bits(&numbers));
        }

        #[test]
        fn foreign_bytes_are_refused_or_read(bytes in prop::collection::vec(any::<u8>(), 0..64), length in 0usize..20) {
            _ = read(&mut &bytes[..], &mut vec![0.0; length]);
        }
    }

    #[test]
    fn bytes_are_as_expected() {
        for every in [1, 2, 5, 100] {
            let numbers: Vec<f64> = (0..8000).map(|i| if i % every == 0 { 1.5 } else { 0.0 }).collect();
            let mut message = Vec::new();
            write(&numbers, None, true, &mut message);
            let expected = 8000.0 * bytes_each(1.0 / every as f64);
            assert!((message.len() as f64 - expected).abs() <= 5.0, "{} {expected}", message.len());
        }
    }
}
