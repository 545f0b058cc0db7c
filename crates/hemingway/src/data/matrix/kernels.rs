//! Products of rows with dense vectors. The order of additions is fixed, and the same for values of either width.

use prefetch_index::prefetch_index;

use super::Value;

/// Entries of a row that are asked for, but for the last.
const MOST_ASKED: usize = 256;
/// Entries that are asked for at a time: a line of columns, one of values that are f32 or two of others.
const ASKED: usize = 16;

/// x·w over four fixed lanes: one after the other, additions would wait for each other.
#[inline(always)]
pub(super) fn sparse_dot<V: Value>(indices: &[u32], values: &[V], w: &[f64]) -> f64 {
    let mut lanes = [0.0; 4];
    let rest = add_products(&mut lanes, indices, values, w);
    (lanes[0] + lanes[1]) + (lanes[2] + lanes[3]) + rest
}

/// [`sparse_dot`] to the bit, which asks memory on the way for a row that comes later. Asked for all at once, a long row would hold
/// the processor up until there is room for so many lines under way.
#[inline(always)]
pub(super) fn sparse_dot_asking<V: Value>(
    (indices, values): (&[u32], &[V]),
    w: &[f64],
    (later_indices, later_values): (&[u32], &[V]),
) -> f64 {
    let (i16, i_rest) = indices.as_chunks::<ASKED>();
    let (v16, v_rest) = values.as_chunks::<ASKED>();
    let ask_at = |at| {
        prefetch_index(later_indices, at);
        prefetch_index(later_values, at);
        if size_of::<V>() == 8 {
            prefetch_index(later_values, at + ASKED / 2);
        }
    };
    let mut lanes = [0.0; 4];
    for (k, (i, v)) in i16.iter().zip(v16).enumerate() {
        ask_at(k * ASKED);
        add_products(&mut lanes, i, v, w);
    }
    // A later row that is longer: what follows is found by the machine itself, which sees lines go by in order.
    let most = later_indices.len().min(MOST_ASKED);
    (i16.len() * ASKED..most).step_by(ASKED).for_each(ask_at);
    // Rows begin anywhere in a line, and may end in one more than they are long.
    let last = later_indices.len().saturating_sub(1);
    prefetch_index(later_indices, last);
    prefetch_index(later_values, last);
    let rest = add_products(&mut lanes, i_rest, v_rest, w);
    (lanes[0] + lanes[1]) + (lanes[2] + lanes[3]) + rest
}

/// Adds products four by four to the lanes; what is left over is told.
#[inline(always)]
fn add_products<V: Value>(lanes: &mut [f64; 4], indices: &[u32], values: &[V], w: &[f64]) -> f64 {
    let (i4, i_rest) = indices.as_chunks::<4>();
    let (v4, v_rest) = values.as_chunks::<4>();
    for (i, v) in i4.iter().zip(v4) {
        for k in 0..4 {
            lanes[k] += v[k].wide() * w[i[k] as usize];
        }
    }
    i_rest.iter().zip(v_rest).map(|(&j, v)| v.wide() * w[j as usize]).sum()
}

/// x·a and x·b, each as by [`sparse_dot`].
#[inline(always)]
pub(super) fn sparse_dot_both<V: Value>(indices: &[u32], values: &[V], both: &[[f64; 2]]) -> [f64; 2] {
    let (i4, i_rest) = indices.as_chunks::<4>();
    let (v4, v_rest) = values.as_chunks::<4>();
    let mut lanes = [[0.0; 2]; 4];
    for (i, v) in i4.iter().zip(v4) {
        for k in 0..4 {
            let pair = both[i[k] as usize];
            lanes[k] = [lanes[k][0] + v[k].wide() * pair[0], lanes[k][1] + v[k].wide() * pair[1]];
        }
    }
    std::array::from_fn(|s| {
        let rest: f64 = i_rest.iter().zip(v_rest).map(|(&j, v)| v.wide() * both[j as usize][s]).sum();
        (lanes[0][s] + lanes[1][s]) + (lanes[2][s] + lanes[3][s]) + rest
    })
}

/// x·a and x·b, each as by [`dot`].
#[inline(always)]
pub(super) fn dot_both<V: Value>(row: &[V], both: &[[f64; 2]]) -> [f64; 2] {
    let (x4, x_rest) = row.as_chunks::<4>();
    let (b4, b_rest) = both.as_chunks::<4>();
    let mut lanes = [[0.0; 2]; 4];
    for (x, pairs) in x4.iter().zip(b4) {
        for k in 0..4 {
            lanes[k] = [lanes[k][0] + x[k].wide() * pairs[k][0], lanes[k][1] + x[k].wide() * pairs[k][1]];
        }
    }
    std::array::from_fn(|s| {
        let rest: f64 = x_rest.iter().zip(b_rest).map(|(x, pair)| x.wide() * pair[s]).sum();
        (lanes[0][s] + lanes[1][s]) + (lanes[2][s] + lanes[3][s]) + rest
    })
}

/// w += a·x.
#[inline(always)]
pub(super) fn sparse_axpy<V: Value>(a: f64, indices: &[u32], values: &[V], w: &mut [f64]) {
    for (&j, v) in indices.iter().zip(values) {
        w[j as usize] += a * v.wide();
    }
}

/// w += a·x², entry by entry.
#[inline(always)]
pub(super) fn sparse_axpy_squares<V: Value>(a: f64, indices: &[u32], values: &[V], w: &mut [f64]) {
    for (&j, v) in indices.iter().zip(values) {
        w[j as usize] += a * v.wide() * v.wide();
    }
}

/// a·b over four fixed lanes.
#[inline(always)]
pub fn dot<A: Value, B: Value>(a: &[A], b: &[B]) -> f64 {
    let (a4, a_rest) = a.as_chunks::<4>();
    let (b4, b_rest) = b.as_chunks::<4>();
    let mut lanes = [0.0; 4];
    for (x, y) in a4.iter().zip(b4) {
        for k in 0..4 {
            lanes[k] += x[k].wide() * y[k].wide();
        }
    }
    let rest: f64 = a_rest.iter().zip(b_rest).map(|(x, y)| x.wide() * y.wide()).sum();
    (lanes[0] + lanes[1]) + (lanes[2] + lanes[3]) + rest
}

/// a·b over 32 fixed lanes.
#[inline(always)]
pub(crate) fn long_dot<V: Value>(a: &[V], b: &[f64]) -> f64 {
    let (a32, a_rest) = a.as_chunks::<32>();
    let (b32, b_rest) = b.as_chunks::<32>();
    let mut lanes = [0.0; 32];
    for (x, y) in a32.iter().zip(b32) {
        for k in 0..32 {
            lanes[k] += x[k].wide() * y[k];
        }
    }
    for half in [16, 8, 4] {
        for k in 0..half {
            lanes[k] += lanes[k + half];
        }
    }
    (lanes[0] + lanes[1]) + (lanes[2] + lanes[3]) + dot(a_rest, b_rest)
}

/// y += a·x.
#[inline(always)]
pub fn axpy<V: Value>(a: f64, x: &[V], y: &mut [f64]) {
    for (y, x) in y.iter_mut().zip(x) {
        *y += a * x.wide();
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn row(entries: usize, seed: f64) -> (Vec<u32>, Vec<f64>) {
        let value = |k: usize| (seed + k as f64).sin();
        ((0..entries as u32).map(|j| 3 * j).collect(), (0..entries).map(value).collect())
    }

    proptest! {
        #[test]
        fn asking_on_the_way_changes_no_bit(entries in 0_usize..300, later in 0_usize..600, seed in 0.0..9.0) {
            let (w, (i, x), (j, y)) = (row(900, seed + 0.5).1, row(entries, seed), row(later, seed));
            let narrow = |values: &[f64]| values.iter().map(|v| *v as f32).collect::<Vec<_>>();
            let asking = sparse_dot_asking((&i[..], &x[..]), &w, (&j[..], &y[..]));
            prop_assert_eq!(asking.to_bits(), sparse_dot(&i, &x, &w).to_bits());
            let (x, y) = (narrow(&x), narrow(&y));
            let asking = sparse_dot_asking((&i[..], &x[..]), &w, (&j[..], &y[..]));
            prop_assert_eq!(asking.to_bits(), sparse_dot(&i, &x, &w).to_bits());
        }
    }
}
