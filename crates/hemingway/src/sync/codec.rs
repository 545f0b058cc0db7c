//! Chunks as bytes. What an encoding loses is `chunk − decode(encode(chunk))`, and the sender keeps it.
//!
//! Errors of one encoding of a chunk x: none, sparse, packed: 0. fp16: 2⁻¹¹|xᵢ| + 2⁻²⁵ each, for |xᵢ| ≤ 65504. int8: max|x|/254 each.
//! top-k: the elements left out. power-sgd: no more than ‖x‖ in all.

mod half;
mod lowrank;
mod packed;

use super::strategy::Compression;

/// Bytes before a run of a sparse chunk: its place and its length.
const RUN_HEAD: usize = 8;

/// The bytes of a chunk.
pub fn encode(chunk: &[f32], compression: Compression) -> Vec<u8> {
    match compression {
        Compression::None => bytemuck::cast_slice(chunk).to_vec(),
        Compression::Sparse => sparse(chunk),
        Compression::Packed => packed::encode(chunk),
        Compression::Fp16 => chunk.iter().flat_map(|value| half::from_f32(*value).to_le_bytes()).collect(),
        Compression::Int8 => int8(chunk),
        Compression::TopK(share) => top(chunk, kept(share, chunk.len())),
        Compression::PowerSgd(rank) => lowrank::encode(chunk, rank as usize),
    }
}

/// The chunk of bytes that [`encode`] wrote; `None` where they are not of a chunk of this length.
pub fn decode(bytes: &[u8], compression: Compression, into: &mut [f32]) -> Option<()> {
    match compression {
        Compression::None => {
            let values = words(bytes).filter(|values| values.len() == into.len())?;
            into.iter_mut().zip(values).for_each(|(place, word)| *place = f32::from_le_bytes(*word));
        }
        Compression::Sparse => return unsparse(bytes, into),
        Compression::Packed => return packed::decode(bytes, into),
        Compression::Fp16 => {
            let (halves, rest) = bytes.as_chunks::<2>();
            (rest.is_empty() && halves.len() == into.len()).then_some(())?;
            into.iter_mut().zip(halves).for_each(|(place, half)| *place = half::to_f32(u16::from_le_bytes(*half)));
        }
        Compression::Int8 => {
            let (scale, values) = bytes.split_first_chunk::<4>()?;
            (values.len() == into.len()).then_some(())?;
            let scale = f32::from_le_bytes(*scale);
            into.iter_mut().zip(values).for_each(|(place, value)| *place = scale * f32::from(value.cast_signed()));
        }
        Compression::TopK(_) => {
            into.fill(0.0);
            for pair in words(bytes)?.chunks(2) {
                let [place, value] = pair else { return None };
                *into.get_mut(u32::from_le_bytes(*place) as usize)? = f32::from_le_bytes(*value);
            }
        }
        Compression::PowerSgd(rank) => return lowrank::decode(bytes, rank as usize, into),
    }
    Some(())
}

/// Bytes that a chunk of so many elements (a real number: a mean may be meant) will take, in elements of `width` bytes of
/// which this share, in runs of this length, is not zero.
pub fn expected_bytes(elements: f64, width: f64, compression: Compression, density: f64, run: f64) -> f64 {
    match compression {
        Compression::None => width * elements,
        Compression::Sparse => sparse_bytes(elements, width, density, run.max(1.0)),
        Compression::Packed => packed::expected_bytes(elements, width, density, run),
        Compression::Fp16 => 2.0 * elements,
        Compression::Int8 => elements + 4.0,
        Compression::TopK(share) => 8.0 * (share * elements).ceil().max(1.0),
        Compression::PowerSgd(rank) => 8.0 * f64::from(rank) * elements.sqrt().ceil(),
    }
}

/// Runs that follow each other at once, or after zeros that cost less than a head, are one.
fn sparse_bytes(elements: f64, width: f64, density: f64, row: f64) -> f64 {
    // A run begins at a touched row after so many that are not, and those before a row that are fewer are sent along.
    let apart = 1 + ((RUN_HEAD / 4) as f64 / row) as i32;
    let touched = density * elements / row;
    let heads = touched * (1.0 - density).powi(apart);
    let along: f64 = (1..apart).map(|gap| f64::from(gap) * density * (1.0 - density).powi(gap)).sum();
    touched * row * width * (1.0 + along) + heads * RUN_HEAD as f64
}

fn words(bytes: &[u8]) -> Option<&[[u8; 4]]> {
    let (words, rest) = bytes.as_chunks::<4>();
    rest.is_empty().then_some(words)
}

/// (place, length, values…) of every run; zeros between two runs that cost less than a head are sent along. Only +0 is
/// left out, so that the bits of a chunk survive.
fn sparse(chunk: &[f32]) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut runs: Vec<(usize, usize)> = Vec::new();
    for place in (0..chunk.len()).filter(|place| chunk[*place].to_bits() != 0) {
        match runs.last_mut() {
            Some((_, end)) if place - *end <= RUN_HEAD / 4 => *end = place + 1,
            _ => runs.push((place, place + 1)),
        }
    }
    for (start, end) in runs {
        bytes.extend_from_slice(&(start as u32).to_le_bytes());
        bytes.extend_from_slice(&((end - start) as u32).to_le_bytes());
        bytes.extend_from_slice(bytemuck::cast_slice(&chunk[start..end]));
    }
    bytes
}

fn unsparse(bytes: &[u8], into: &mut [f32]) -> Option<()> {
    into.fill(0.0);
    let mut rest = words(bytes)?;
    while let Some(([start, length], after)) = rest.split_first_chunk::<2>() {
        let [start, length] = [start, length].map(|word| u32::from_le_bytes(*word) as usize);
        let (values, after) = after.split_at_checked(length)?;
        let places = into.get_mut(start..start.checked_add(length)?)?;
        places.iter_mut().zip(values).for_each(|(place, word)| *place = f32::from_le_bytes(*word));
        rest = after;
    }
    rest.is_empty().then_some(())
}

/// One scale, then a byte each: x ≈ scale·q, |q| ≤ 127.
fn int8(chunk: &[f32]) -> Vec<u8> {
    let most = chunk.iter().fold(0.0f32, |most, value| most.max(value.abs()));
    let scale = if most.is_finite() { most / 127.0 } else { 0.0 };
    let level = |value: &f32| if scale > 0.0 { (value / scale).round() as i8 } else { 0 };
    scale.to_le_bytes().into_iter().chain(chunk.iter().map(|value| level(value).cast_unsigned())).collect()
}

fn kept(share: f64, elements: usize) -> usize {
    ((share * elements as f64).ceil() as usize).clamp(usize::from(elements > 0), elements)
}

/// (place, value) of the k largest in size, in order of place; among equals the first.
fn top(chunk: &[f32], k: usize) -> Vec<u8> {
    let mut places: Vec<u32> = (0..chunk.len() as u32).collect();
    let size = |place: &u32| chunk[*place as usize].abs();
    if k < places.len() {
        places.select_nth_unstable_by(k, |a, b| size(b).total_cmp(&size(a)).then(a.cmp(b)));
        places.truncate(k);
        places.sort_unstable();
    }
    let pair = |place: u32| [place.to_le_bytes(), chunk[place as usize].to_le_bytes()];
    places.into_iter().flat_map(pair).flatten().collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::{Purpose, keyed};
    use proptest::prelude::*;
    use rand::RngExt;

    fn through(chunk: &[f32], compression: Compression) -> Vec<f32> {
        let mut back = vec![f32::NAN; chunk.len()];
        decode(&encode(chunk, compression), compression, &mut back).expect("our own bytes");
        back
    }

    fn chunks() -> impl Strategy<Value = Vec<f32>> {
        prop::collection::vec(prop_oneof![3 => Just(0.0f32), 1 => Just(-0.0f32), 4 => -1e3f32..1e3], 0..200)
    }

    proptest! {
        #[test]
        fn errors_are_as_documented(chunk in chunks()) {
            for compression in [Compression::None, Compression::Sparse, Compression::Packed] {
                let back = through(&chunk, compression);
                prop_assert!(back.iter().zip(&chunk).all(|(a, b)| a.to_bits() == b.to_bits()));
            }
            let near = |back: Vec<f32>, most: &dyn Fn(f32) -> f32| {
                back.iter().zip(&chunk).all(|(a, b)| (a - b).abs() <= most(*b))
            };
            prop_assert!(near(through(&chunk, Compression::Fp16), &|x| x.abs() / 2048.0 + 3e-8));
            let most = chunk.iter().fold(0.0f32, |most, x| most.max(x.abs()));
            prop_assert!(near(through(&chunk, Compression::Int8), &|_| most / 253.9));
            let norm = |values: &mut dyn Iterator<Item = f32>| values.map(|x| f64::from(x).powi(2)).sum::<f64>().sqrt();
            let whole = norm(&mut chunk.iter().copied());
            for compression in [Compression::TopK(0.1), Compression::PowerSgd(2)] {
                let lost = norm(&mut through(&chunk, compression).iter().zip(&chunk).map(|(a, b)| a - b));
                prop_assert!(lost <= whole * (1.0 + 1e-4), "{compression}: {lost} of {whole}");
            }
        }

        #[test]
        fn foreign_bytes_are_refused_or_read(bytes in prop::collection::vec(any::<u8>(), 0..64), length in 0usize..20) {
            let kinds = [Compression::None, Compression::Sparse, Compression::Packed, Compression::Fp16, Compression::Int8, Compression::TopK(0.5), Compression::PowerSgd(1)];
            for compression in kinds {
                _ = decode(&bytes, compression, &mut vec![0.0; length]);
            }
        }
    }

    #[test]
    fn bytes_are_as_expected() {
        let mut chunk = vec![0.0f32; 1000];
        (0..1000).step_by(100).for_each(|row| chunk[row..row + 10].fill(1.5));
        for compression in [Compression::None, Compression::Fp16, Compression::Int8, Compression::TopK(0.01)] {
            let expected = expected_bytes(1000.0, 4.0, compression, 0.1, 10.0);
            assert_eq!(encode(&chunk, compression).len() as f64, expected, "{compression}");
        }
    }

    /// Rows that are touched whatever their neighbours are.
    #[test]
    fn what_leaves_out_zeros_takes_what_is_expected() {
        let mut random = keyed(5, Purpose::Synthesize, 0, 0);
        let kinds =
            [(0.002, 1), (0.05, 1), (0.34, 1), (0.9, 1), (0.3, 2), (0.005, 16), (0.04, 16), (0.6, 16), (0.1, 128)];
        for (density, row) in kinds {
            let mut chunk = vec![0.0f32; 400_000];
            let touched = |_: &&mut [f32]| random.random_bool(density);
            chunk.chunks_mut(row).filter(touched).for_each(|row| row.fill(1.5));
            let share = chunk.iter().filter(|value| **value != 0.0).count() as f64 / 4e5;
            for compression in [Compression::Sparse, Compression::Packed] {
                let found = encode(&chunk, compression).len() as f64;
                let expected = expected_bytes(4e5, 4.0, compression, share, row as f64);
                assert!((found / expected - 1.0).abs() < 0.01, "{compression} {density} {row}: {found} {expected}");
            }
        }
    }

    #[test]
    fn a_matrix_of_low_rank_survives() {
        let chunk: Vec<f32> = (0..400).map(|i| ((i / 20) as f32 - 3.0) * ((i % 20) as f32 + 1.0)).collect();
        let back = through(&chunk, Compression::PowerSgd(1));
        assert!(back.iter().zip(&chunk).all(|(a, b)| (a - b).abs() < 1e-2), "{back:?}");
    }
}
