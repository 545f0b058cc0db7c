//! Dense solves for the few columns of our models.

/// Least squares by modified Gram–Schmidt; a column that depends on earlier ones gets coefficient 0.
pub(super) fn least_squares(columns: &[&[f64]], y: &[f64]) -> Vec<f64> {
    let (mut q, mut rest) = (Vec::<Vec<f64>>::new(), y.to_vec());
    let (mut r, mut projections) = (Vec::<Vec<f64>>::new(), Vec::new());
    for column in columns {
        let mut own = column.to_vec();
        let size = norm(&own);
        let mut above = Vec::with_capacity(q.len() + 1);
        for earlier in &q {
            let share = dot(earlier, &own);
            subtract(&mut own, share, earlier);
            above.push(share);
        }
        let left = norm(&own);
        let independent = left > 1e-11 * size;
        let scale = if independent { 1.0 / left } else { 0.0 };
        own.iter_mut().for_each(|value| *value *= scale);
        above.push(if independent { left } else { 0.0 });
        let share = dot(&own, &rest);
        subtract(&mut rest, share, &own);
        projections.push(share);
        q.push(own);
        r.push(above);
    }
    back_substitute(&r, &projections)
}

fn back_substitute(r: &[Vec<f64>], projections: &[f64]) -> Vec<f64> {
    let mut x = vec![0.0; r.len()];
    for row in (0..r.len()).rev() {
        let later: f64 = (row + 1..r.len()).map(|column| r[column][row] * x[column]).sum();
        if r[row][row] > 0.0 {
            x[row] = (projections[row] - later) / r[row][row];
        }
    }
    x
}

/// A = L·Lᵀ of a symmetric positive definite A.
pub(super) struct Cholesky {
    n: usize,
    /// Row-major; above the diagonal is nothing of use.
    lower: Vec<f64>,
}

impl Cholesky {
    /// `None` if A (n × n, row-major) is not safely positive definite.
    pub(super) fn of(mut a: Vec<f64>, n: usize) -> Option<Self> {
        for j in 0..n {
            let whole = a[j * n + j];
            let pivot = whole - (0..j).map(|k| a[j * n + k].powi(2)).sum::<f64>();
            if pivot.is_nan() || pivot <= 1e-13 * whole {
                return None;
            }
            let pivot = pivot.sqrt();
            a[j * n + j] = pivot;
            for i in j + 1..n {
                let inner: f64 = (0..j).map(|k| a[i * n + k] * a[j * n + k]).sum();
                a[i * n + j] = (a[i * n + j] - inner) / pivot;
            }
        }
        Some(Self { n, lower: a })
    }

    /// x of A x = b.
    pub(super) fn solve(&self, b: Vec<f64>) -> Vec<f64> {
        let (n, lower, mut b) = (self.n, &self.lower, self.forward(b));
        for i in (0..n).rev() {
            let inner: f64 = (i + 1..n).map(|k| lower[k * n + i] * b[k]).sum();
            b[i] = (b[i] - inner) / lower[i * n + i];
        }
        b
    }

    /// x of L x = b.
    pub(super) fn forward(&self, mut b: Vec<f64>) -> Vec<f64> {
        let (n, lower) = (self.n, &self.lower);
        for i in 0..n {
            let inner: f64 = (0..i).map(|k| lower[i * n + k] * b[k]).sum();
            b[i] = (b[i] - inner) / lower[i * n + i];
        }
        b
    }

    /// ½ ln det A.
    pub(super) fn half_log_determinant(&self) -> f64 {
        (0..self.n).map(|j| self.lower[j * self.n + j].ln()).sum()
    }
}

/// Solves the symmetric positive definite A x = b; `None` if A (row-major) is not safely so.
pub(super) fn solve_definite(a: Vec<f64>, b: Vec<f64>) -> Option<Vec<f64>> {
    Some(Cholesky::of(a, b.len())?.solve(b))
}

pub(super) fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

pub(super) fn norm(a: &[f64]) -> f64 {
    dot(a, a).sqrt()
}

fn subtract(from: &mut [f64], times: f64, what: &[f64]) {
    from.iter_mut().zip(what).for_each(|(from, what)| *from -= times * what);
}

/// The middle value, or the mean of the two middle ones; `None` of nothing.
pub(super) fn median(mut values: Vec<f64>) -> Option<f64> {
    values.sort_by(f64::total_cmp);
    let middle = values.len() / 2;
    match values.len() {
        0 => None,
        n if n % 2 == 1 => Some(values[middle]),
        _ => Some(0.5 * (values[middle - 1] + values[middle])),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn solves_agree() {
        let (a, b) = ([1.0, 1.0, 1.0], [1.0, 2.0, 4.0]);
        let y = [3.0, 5.0, 9.0];
        let x = least_squares(&[&a, &b], &y);
        assert!((x[0] - 1.0).abs() < 1e-12 && (x[1] - 2.0).abs() < 1e-12);
        let normal = vec![dot(&a, &a), dot(&a, &b), dot(&a, &b), dot(&b, &b)];
        let x = solve_definite(normal, vec![dot(&a, &y), dot(&b, &y)]).unwrap();
        assert!((x[0] - 1.0).abs() < 1e-12 && (x[1] - 2.0).abs() < 1e-12);
        assert_eq!(least_squares(&[&a, &a], &y)[1], 0.0);
        assert_eq!(solve_definite(vec![1.0, 1.0, 1.0, 1.0], vec![1.0, 1.0]), None);
        assert_eq!(median(vec![3.0, 1.0, 2.0, 4.0]), Some(2.5));
    }
}
