//! The data of the path benches, as our problems and as arrays for Python.

mod sets;

use std::path::Path;

use hemingway::data::{Dataset, Matrix};
use hemingway::path::Point;

use crate::npy;
pub(crate) use sets::normal;
pub use sets::{SETS, genotypes, load};

/// Writes the columns for Python: `x.npy` with one column a row, or the three arrays of a sparse matrix by columns; and `y.npy`.
pub fn save(folder: &Path, data: &Dataset) -> anyhow::Result<()> {
    let file = |name: &str| folder.join(format!("{name}.npy"));
    npy::save(&file("y"), &data.labels, None)?;
    match data.matrix.transposed() {
        Matrix::Dense { columns, mut values, .. } => npy::save(&file("x"), values.widened(), Some(columns)),
        Matrix::Sparse { starts, indices, mut values, .. } => {
            let starts: Vec<f64> = starts.iter().map(|start| *start as f64).collect();
            let indices: Vec<f64> = indices.iter().map(|index| f64::from(*index)).collect();
            npy::save(&file("starts"), &starts, None)?;
            npy::save(&file("indices"), &indices, None)?;
            npy::save(&file("values"), values.widened(), None)
        }
    }
}

/// Writes a path as triplets of point, column and coefficient, and its λ₁.
pub fn save_points(folder: &Path, name: &str, points: &[Point]) -> anyhow::Result<()> {
    let triplets: Vec<f64> = points
        .iter()
        .enumerate()
        .flat_map(|(k, point)| point.weights.iter().flat_map(move |(j, w)| [k as f64, f64::from(*j), *w]))
        .collect();
    npy::save(&folder.join(format!("{name}.npy")), &triplets, Some(3))?;
    let l1: Vec<f64> = points.iter().map(|point| point.l1).collect();
    npy::save(&folder.join("l1.npy"), &l1, None)
}
