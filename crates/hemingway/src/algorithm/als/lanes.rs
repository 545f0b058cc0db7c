//! Rows of numbers as whole vectors, padded with zeros: no loop has a remainder, and every sum has one order at every width.

/// Numbers side by side; a whole number of vectors on every machine.
pub(super) const WIDE: usize = 8;

/// A piece of a row.
pub(super) type Lane = [f64; WIDE];

/// What a padded row is filled with.
pub(super) const ZERO: Lane = [0.0; WIDE];

/// Lanes that hold so many numbers.
pub(super) fn lanes(width: usize) -> usize {
    width.div_ceil(WIDE)
}

/// Copies numbers into a padded row.
#[inline(always)]
pub(super) fn fill(row: &mut [Lane], from: &[f64]) {
    let flat = row.as_flattened_mut();
    flat[..from.len()].copy_from_slice(from);
}

/// The sum of a lane.
#[inline(always)]
pub(super) fn sum(lane: Lane) -> f64 {
    let four = [lane[0] + lane[4], lane[1] + lane[5], lane[2] + lane[6], lane[3] + lane[7]];
    (four[0] + four[2]) + (four[1] + four[3])
}

/// a·b.
#[inline(always)]
pub(super) fn dot(a: &[Lane], b: &[Lane]) -> f64 {
    let mut total = ZERO;
    for (a, b) in a.iter().zip(b) {
        for k in 0..WIDE {
            total[k] += a[k] * b[k];
        }
    }
    sum(total)
}

/// y += a·x. As one row of numbers: told of lanes, compilers gather where they could load.
#[inline(always)]
pub(super) fn axpy(a: f64, x: &[Lane], y: &mut [Lane]) {
    for (y, x) in y.as_flattened_mut().iter_mut().zip(x.as_flattened()) {
        *y += a * x;
    }
}

/// y = x + a·y.
#[inline(always)]
pub(super) fn turn(a: f64, x: &[Lane], y: &mut [Lane]) {
    for (y, x) in y.as_flattened_mut().iter_mut().zip(x.as_flattened()) {
        *y = x + a * *y;
    }
}

/// y = a·x.
#[inline(always)]
pub(super) fn scale(a: f64, x: &[Lane], y: &mut [Lane]) {
    for (y, x) in y.as_flattened_mut().iter_mut().zip(x.as_flattened()) {
        *y = a * x;
    }
}

/// The products of four rows with one, together: one alone would wait for its own additions.
#[inline(always)]
pub(super) fn dots([a, b, c, d]: [&[Lane]; 4], v: &[Lane]) -> [f64; 4] {
    let mut totals = [ZERO; 4];
    for ((((a, b), c), d), v) in a.iter().zip(b).zip(c).zip(d).zip(v) {
        for k in 0..WIDE {
            totals[0][k] += a[k] * v[k];
            totals[1][k] += b[k] * v[k];
            totals[2][k] += c[k] * v[k];
            totals[3][k] += d[k] * v[k];
        }
    }
    totals.map(sum)
}

/// y += Σ wₖxₖ over four rows.
#[inline(always)]
pub(super) fn add(x: [&[Lane]; 4], w: [f64; 4], y: &mut [Lane]) {
    let [a, b, c, d] = [x[0].as_flattened(), x[1].as_flattened(), x[2].as_flattened(), x[3].as_flattened()];
    for ((((y, a), b), c), d) in y.as_flattened_mut().iter_mut().zip(a).zip(b).zip(c).zip(d) {
        *y += (w[0] * a + w[1] * b) + (w[2] * c + w[3] * d);
    }
}

/// Four rows that lie one after the other.
#[inline(always)]
pub(super) fn four(rows: &[Lane], length: usize) -> [&[Lane]; 4] {
    let (ab, cd) = rows.split_at(2 * length);
    let ((a, b), (c, d)) = (ab.split_at(length), cd.split_at(length));
    [a, b, c, d]
}
