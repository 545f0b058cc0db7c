//! How much columns depend on each other: |cos(xⱼ, xₖ)|, told from a signature of each.
//!
//! With few rows a signature is the column itself, scaled to length 1, and what it tells is exact. With many it is a sketch
//! of it (Charikar, Chen & Farach-Colton 2002): every row is added with a random sign to one of 512 sums, which leaves cos
//! right on average and off by about 1/√512.

use std::collections::BTreeMap;

use crate::data::Row;
use crate::data::matrix::long_dot;
use crate::simd::widest;

/// Up to so many rows signatures are exact.
const EXACT: usize = 1024;
/// Numbers in a sketch.
const SKETCH: usize = 512;

/// Numbers in the signature of a column of so many rows.
pub(crate) fn signature_len(rows: usize) -> usize {
    if rows <= EXACT { rows } else { SKETCH }
}

/// Adds the signature of a column to zeros: √sᵢxᵢ/‖x‖, or its sketch.
pub(crate) fn sign(column: Row<'_>, rows: usize, weights: Option<&[f64]>, norm_sq: f64, into: &mut [f64]) {
    let scale = if norm_sq > 0.0 { 1.0 / norm_sq.sqrt() } else { 0.0 };
    let exact = rows <= EXACT;
    for (i, x) in column.iter() {
        let x = scale * x * weights.map_or(1.0, |s| s[i as usize].sqrt());
        if exact {
            into[i as usize] += x;
        } else {
            let (place, sign) = drawn(i);
            into[place] += sign * x;
        }
    }
}

/// The sum to which a row is added, and its sign (SplitMix64 of its number).
fn drawn(row: u32) -> (usize, f64) {
    let mut x = u64::from(row).wrapping_add(0x9e37_79b9_7f4a_7c15);
    x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    x ^= x >> 31;
    ((x as usize) % SKETCH, if x >> 63 == 0 { 1.0 } else { -1.0 })
}

/// Which columns conflict, among those that were described.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct Dependence {
    rho: f64,
    /// In the order in which they were described: a column's place.
    columns: Vec<u32>,
    places: BTreeMap<u32, u32>,
    /// Of every place one after the other, all of one length.
    signatures: Vec<f64>,
    length: usize,
    /// By place, places, ascending. Pairs are compared once, when the second is described.
    conflicts: Vec<Vec<u32>>,
}

impl Dependence {
    /// Nothing is described yet; |cos| above ρ is a conflict.
    pub(crate) fn above(rho: f64) -> Self {
        Self { rho, ..Self::default() }
    }

    /// How many columns were described.
    pub(crate) fn len(&self) -> usize {
        self.columns.len()
    }

    /// Where a column that was described is, from 0 on; good until others are forgotten.
    pub(crate) fn place(&self, column: u32) -> Option<u32> {
        self.places.get(&column).copied()
    }

    pub(crate) fn is_described(&self, column: u32) -> bool {
        self.places.contains_key(&column)
    }

    /// Learns a column's signature. Returns the numbers that were compared.
    pub(crate) fn describe(&mut self, column: u32, signature: &[f64]) -> u64 {
        self.length = signature.len();
        let found: Vec<u32> = widest(
            #[inline(always)]
            || {
                let known = (0..).zip(self.signatures.chunks_exact(signature.len().max(1)));
                known.filter(|(_, other)| long_dot(other, signature).abs() > self.rho).map(|(place, _)| place).collect()
            },
        );
        let place = self.columns.len() as u32;
        found.iter().for_each(|other| self.conflicts[*other as usize].push(place));
        self.conflicts.push(found);
        self.columns.push(column);
        self.places.insert(column, place);
        let compared = self.signatures.len() as u64;
        self.signatures.extend_from_slice(signature);
        compared
    }

    /// The places that conflict with one.
    pub(crate) fn conflicts_at(&self, place: u32) -> &[u32] {
        self.conflicts.get(place as usize).map_or(&[], |places| &places[..])
    }

    /// The described columns that conflict with one.
    pub(crate) fn conflicts(&self, column: u32) -> impl Iterator<Item = u32> + '_ {
        let places = self.place(column).map_or(&[][..], |place| self.conflicts_at(place));
        places.iter().map(|place| self.columns[*place as usize])
    }

    /// Forgets all columns but these, which are ascending.
    pub(crate) fn retain(&mut self, columns: &[u32]) {
        let stays: Vec<bool> = self.columns.iter().map(|column| columns.binary_search(column).is_ok()).collect();
        let mut left = 0;
        let moved: Vec<u32> = stays
            .iter()
            .map(|stays| {
                let place = left;
                left += u32::from(*stays);
                place
            })
            .collect();
        let staying = |place: &u32| stays[*place as usize].then(|| moved[*place as usize]);
        let conflicts = std::mem::take(&mut self.conflicts).into_iter().zip(&stays).filter(|(_, stays)| **stays);
        self.conflicts = conflicts.map(|(places, _)| places.iter().filter_map(staying).collect()).collect();
        let each = self.signatures.chunks_exact(self.length.max(1)).zip(&stays).filter(|(_, stays)| **stays);
        self.signatures = each.flat_map(|(signature, _)| signature).copied().collect();
        let mut stays = stays.iter();
        self.columns.retain(|_| *stays.next().unwrap_or(&false));
        self.places = self.columns.iter().copied().zip(0..).collect();
    }

    /// [length], and of every column its number and signature.
    pub(crate) fn state(&self) -> impl Iterator<Item = f64> + '_ {
        let each = self.columns.iter().zip(self.signatures.chunks_exact(self.length.max(1)));
        let each = each.flat_map(|(column, s)| std::iter::once(f64::from(*column)).chain(s.iter().copied()));
        [self.length as f64].into_iter().chain(each)
    }

    /// Takes up what [`Dependence::state`] gave.
    pub(crate) fn restore(&mut self, state: &[f64]) -> Option<()> {
        *self = Self::above(self.rho);
        let (length, rest) = state.split_first()?;
        let entry = 1 + *length as usize;
        if rest.len() % entry != 0 {
            return None;
        }
        for entry in rest.chunks_exact(entry) {
            self.describe(entry[0] as u32, &entry[1..]);
        }
        self.length = *length as usize;
        Some(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::Matrix;
    use crate::data::matrix::dot;

    fn signed(column: &[f64]) -> Vec<f64> {
        let matrix = Matrix::dense(column.len(), column.to_vec());
        let mut signature = vec![0.0; signature_len(column.len())];
        sign(matrix.row(0), column.len(), None, matrix.row(0).norm_sq(), &mut signature);
        signature
    }

    #[test]
    fn few_rows_are_told_exactly_and_many_roughly() {
        let few = [signed(&[1.0, 2.0, 2.0]), signed(&[2.0, 1.0, -2.0]), signed(&[0.0; 3])];
        assert!((dot(&few[0], &few[0]) - 1.0).abs() < 1e-12 && dot(&few[0], &few[1]).abs() < 1e-12);
        assert_eq!(dot(&few[0], &few[2]), 0.0);
        let wave = |pace: f64| -> Vec<f64> { (0..5000).map(|i| (pace * f64::from(i)).sin()).collect() };
        let many = [signed(&wave(0.3)), signed(&wave(0.7))];
        assert!((dot(&many[0], &many[0]) - 1.0).abs() < 0.25 && dot(&many[0], &many[1]).abs() < 0.25);
    }

    #[test]
    fn conflicts_are_mutual_and_survive_being_saved() {
        let mut dependence = Dependence::above(0.5);
        dependence.describe(7, &signed(&[1.0, 0.0]));
        dependence.describe(2, &signed(&[1.0, 0.1]));
        dependence.describe(4, &signed(&[0.0, 1.0]));
        let of = |d: &Dependence, k| d.conflicts(k).collect::<Vec<_>>();
        assert_eq!((of(&dependence, 7), of(&dependence, 2), of(&dependence, 4)), (vec![2], vec![7], vec![]));
        let state: Vec<f64> = dependence.state().collect();
        let mut again = Dependence::above(0.5);
        assert!(again.restore(&state).is_some() && again == dependence);
        assert!(again.restore(&state[..5]).is_none() && again.restore(&[]).is_none());
        dependence.retain(&[2, 4]);
        assert!(!dependence.is_described(7) && of(&dependence, 2).is_empty());
    }
}
