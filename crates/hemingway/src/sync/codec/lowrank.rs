//! PowerSGD's compressor (1905.13727, algorithm 1): M ≈ P·Qᵀ with P = orth(M·Q₀), Q = Mᵀ·P, for a chunk laid out as the matrix
//! that is nearest to a square. P is orthonormal, so that P·Qᵀ = P·Pᵀ·M is a projection and never longer than M.
//!
//! Every message starts from the same Q₀, as it may hold another partial sum than the last: three power steps stand in for
//! the paper's warm start. With one alone, what error feedback piles up in directions that Q₀ cannot see would never leave.

use std::num::Wrapping;

/// Rows and columns of a chunk; the last row may be short.
fn shape(elements: usize) -> (usize, usize) {
    let columns = (elements as f64).sqrt().ceil().max(1.0) as usize;
    (elements.div_ceil(columns), columns)
}

/// Q₀: numbers between −1 and 1 that depend on their place alone, so that all machines begin alike.
fn start(place: usize) -> f32 {
    let mixed = (Wrapping(place as u32) + Wrapping(1)) * Wrapping(2_654_435_761);
    let mixed = (mixed ^ (mixed >> 15)) * Wrapping(2_246_822_519);
    (mixed.0 >> 8) as f32 / (1 << 23) as f32 - 1.0
}

/// Power steps from Q₀.
const STEPS: usize = 3;

pub(super) fn encode(chunk: &[f32], rank: usize) -> Vec<u8> {
    let (rows, columns) = shape(chunk.len());
    let rank = rank.min(rows).min(columns);
    let mut p = Vec::new();
    let mut q: Vec<Vec<f32>> = (0..rank).map(|k| (0..columns).map(|c| start(k * columns + c)).collect()).collect();
    for _ in 0..STEPS {
        p = orthogonal(q.iter().map(|q| times(chunk, rows, columns, q)));
        q = p.iter().map(|p| transposed_times(chunk, columns, p)).collect();
    }
    p.iter().chain(&q).flatten().flat_map(|value| value.to_le_bytes()).collect()
}

/// M·q.
fn times(chunk: &[f32], rows: usize, columns: usize, q: &[f32]) -> Vec<f32> {
    let row = |row: &[f32]| row.iter().zip(q).map(|(a, b)| a * b).sum();
    let mut products: Vec<f32> = chunk.chunks(columns).map(row).collect();
    products.resize(rows, 0.0);
    products
}

/// Mᵀ·p.
fn transposed_times(chunk: &[f32], columns: usize, p: &[f32]) -> Vec<f32> {
    let mut products = vec![0.0; columns];
    for (row, p) in chunk.chunks(columns).zip(p) {
        products.iter_mut().zip(row).for_each(|(sum, value)| *sum += p * value);
    }
    products
}

fn orthogonal(columns: impl Iterator<Item = Vec<f32>>) -> Vec<Vec<f32>> {
    let mut done: Vec<Vec<f32>> = Vec::new();
    for mut own in columns {
        orthogonalize(&mut own, &done);
        done.push(own);
    }
    done
}

/// Gram–Schmidt, twice for the sake of rounding; what depends on the others becomes 0.
fn orthogonalize(own: &mut [f32], others: &[Vec<f32>]) {
    let before = norm(own);
    for other in others.iter().chain(others) {
        let share: f32 = own.iter().zip(other).map(|(a, b)| a * b).sum();
        own.iter_mut().zip(other).for_each(|(a, b)| *a -= share * b);
    }
    let length = norm(own);
    let scale = if length > 1e-4 * before && length.is_finite() { 1.0 / length } else { 0.0 };
    own.iter_mut().for_each(|value| *value *= scale);
}

fn norm(values: &[f32]) -> f32 {
    values.iter().map(|value| value * value).sum::<f32>().sqrt()
}

pub(super) fn decode(bytes: &[u8], rank: usize, into: &mut [f32]) -> Option<()> {
    let (rows, columns) = shape(into.len());
    let rank = rank.min(rows).min(columns);
    let (words, rest) = bytes.as_chunks::<4>();
    (rest.is_empty() && words.len() == rank * (rows + columns)).then_some(())?;
    let value = |place: usize| f32::from_le_bytes(words[place]);
    for (place, out) in into.iter_mut().enumerate() {
        let (row, column) = (place / columns, place % columns);
        *out = (0..rank).map(|k| value(k * rows + row) * value(rank * rows + k * columns + column)).sum();
    }
    Some(())
}
