//! Products of rows with dense vectors. The order of additions is fixed, and the same for values of either width.

use super::Value;

/// x·w over four fixed lanes: one after the other, additions would wait for each other.
#[inline(always)]
pub(super) fn sparse_dot<V: Value>(indices: &[u32], values: &[V], w: &[f64]) -> f64 {
    let (i4, i_rest) = indices.as_chunks::<4>();
    let (v4, v_rest) = values.as_chunks::<4>();
    let mut lanes = [0.0; 4];
    for (i, v) in i4.iter().zip(v4) {
        for k in 0..4 {
            lanes[k] += v[k].wide() * w[i[k] as usize];
        }
    }
    let rest: f64 = i_rest.iter().zip(v_rest).map(|(&j, v)| v.wide() * w[j as usize]).sum();
    (lanes[0] + lanes[1]) + (lanes[2] + lanes[3]) + rest
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
