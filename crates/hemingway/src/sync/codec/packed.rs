//! Elements that are not zero with their places in as few bits as may be, none of their own bits lost: by the lengths of runs, by a
//! mask, or all of them, whichever is shortest.
//!
//! A byte says which. Runs: zeros before it and its length, seven bits a byte, then its values. Mask: a bit an element, then the
//! values. Only +0 is left out.

const ALL: u8 = 0;
const RUNS: u8 = 1;
const MASK: u8 = 2;

/// Bits of a number in each of its bytes; the eighth says that more follow.
const BITS: u32 = 7;
/// Bytes of a value.
const VALUE: usize = 4;

/// The bytes of a chunk.
pub(super) fn encode(chunk: &[f32]) -> Vec<u8> {
    let runs = runs(chunk);
    let kept: usize = runs.iter().map(|(_, length)| length).sum();
    let heads: usize = runs.iter().map(|(gap, length)| bytes_of(*gap) + bytes_of(*length)).sum();
    let mask = chunk.len().div_ceil(8);
    let places = heads.min(mask);
    if VALUE * chunk.len() <= places + VALUE * kept {
        return [&[ALL], bytemuck::cast_slice(chunk)].concat();
    }
    let mut bytes = Vec::with_capacity(1 + places + VALUE * kept);
    bytes.push(if heads <= mask { RUNS } else { MASK });
    if heads > mask {
        let is_kept = |(i, value): (usize, &f32)| u8::from(value.to_bits() != 0) << i;
        bytes.extend(chunk.chunks(8).map(|eight| eight.iter().enumerate().map(is_kept).sum::<u8>()));
    }
    let mut at = 0;
    for (gap, length) in runs {
        if heads <= mask {
            [gap, length].into_iter().for_each(|number| write(number, &mut bytes));
        }
        at += gap;
        bytes.extend_from_slice(bytemuck::cast_slice(&chunk[at..at + length]));
        at += length;
    }
    bytes
}

/// The chunk of these bytes; `None` where they are not of one of this length.
pub(super) fn decode(bytes: &[u8], into: &mut [f32]) -> Option<()> {
    let (kind, mut rest) = bytes.split_first()?;
    into.fill(0.0);
    match *kind {
        ALL => take(&mut rest, into)?,
        RUNS => {
            let mut free = into;
            while !rest.is_empty() {
                let [gap, length] = [read(&mut rest)?, read(&mut rest)?];
                let (own, after) = free.split_at_mut_checked(gap)?.1.split_at_mut_checked(length)?;
                take(&mut rest, own)?;
                free = after;
            }
        }
        MASK => {
            let (mask, after) = rest.split_at_checked(into.len().div_ceil(8))?;
            rest = after;
            for (eight, bits) in into.chunks_mut(8).zip(mask) {
                for (_, place) in eight.iter_mut().enumerate().filter(|(i, _)| bits & (1 << i) != 0) {
                    take(&mut rest, std::slice::from_mut(place))?;
                }
            }
        }
        _ => return None,
    }
    rest.is_empty().then_some(())
}

/// Bytes that so many elements of `width` bytes will take, of which this share, in rows of this length, is not zero.
pub(super) fn expected_bytes(elements: f64, width: f64, density: f64, row: f64) -> f64 {
    let row = row.max(1.0);
    // Rows are touched whatever the one before is: zeros before a run are as many rows as draws until one is touched.
    let longer = |share: f64, bytes: u32| {
        let rows = ((1_u64 << (BITS * bytes)) as f64 / row).ceil() - 1.0;
        share.powf(rows)
    };
    let number = |share: f64| 1.0 + (1..=3).map(|bytes| longer(share, bytes)).sum::<f64>();
    let runs = elements / row * density * (1.0 - density);
    let heads = runs * (number(1.0 - density) + number(density));
    density * elements * width + heads.min(elements / 8.0).min((1.0 - density) * elements * width)
}

/// (zeros before it, length) of every run of elements that are not zero.
fn runs(chunk: &[f32]) -> Vec<(usize, usize)> {
    let (mut runs, mut gap) = (Vec::new(), 0);
    for own in chunk.chunk_by(|a, b| (a.to_bits() == 0) == (b.to_bits() == 0)) {
        if own[0].to_bits() == 0 {
            gap = own.len();
        } else {
            runs.push((std::mem::take(&mut gap), own.len()));
        }
    }
    runs
}

fn bytes_of(number: usize) -> usize {
    (usize::BITS - number.leading_zeros()).div_ceil(BITS).max(1) as usize
}

fn write(mut number: usize, bytes: &mut Vec<u8>) {
    while number >> BITS > 0 {
        bytes.push(number as u8 | 1 << BITS);
        number >>= BITS;
    }
    bytes.push(number as u8);
}

fn read(rest: &mut &[u8]) -> Option<usize> {
    let mut number = 0_usize;
    for shift in (0..usize::BITS - BITS).step_by(BITS as usize) {
        let (byte, after) = rest.split_first()?;
        *rest = after;
        number |= usize::from(byte & !(1 << BITS)) << shift;
        if byte >> BITS == 0 {
            return Some(number);
        }
    }
    None
}

fn take(rest: &mut &[u8], into: &mut [f32]) -> Option<()> {
    let (own, after) = rest.split_at_checked(VALUE.checked_mul(into.len())?)?;
    *rest = after;
    into.iter_mut().zip(own.as_chunks().0).for_each(|(place, word)| *place = f32::from_le_bytes(*word));
    Some(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_of_any_length_read_back() {
        for number in [0, 1, 127, 128, 16_383, 16_384, 1 << 40] {
            let mut bytes = Vec::new();
            write(number, &mut bytes);
            assert_eq!(bytes.len(), bytes_of(number));
            let mut rest = &bytes[..];
            assert_eq!((read(&mut rest), rest.len()), (Some(number), 0));
        }
        assert!(read(&mut &[0xff; 20][..]).is_none());
    }
}
