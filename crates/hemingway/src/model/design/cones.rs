//! The same design by a conic solver, to judge ours.

use clarabel::algebra::CscMatrix;
use clarabel::solver::{DefaultSettingsBuilder, DefaultSolver, IPSolver, SupportedConeT};

/// tr M⁻¹ at its least: eⱼᵀM⁻¹eⱼ = min Σᵢ uᵢⱼ subject to Σᵢ xᵢyᵢⱼ = eⱼ and yᵢⱼ² ≤ λᵢuᵢⱼ, the last as
/// ‖(2y, λ − u)‖ ≤ λ + u. Variables: λ, then (y, u) by j and i.
pub(super) fn by_cones(rows: &[Vec<f64>], costs: &[f64], budget: f64) -> f64 {
    let (n, k) = (rows.len(), rows[0].len());
    let (y, u) = (|i: usize, j: usize| n + 2 * (j * n + i), |i: usize, j: usize| n + 2 * (j * n + i) + 1);
    let (mut entries, mut b, mut cones) = (Vec::new(), Vec::new(), Vec::new());
    for (j, term) in (0..k).flat_map(|j| (0..k).map(move |term| (j, term))) {
        entries.extend(rows.iter().enumerate().map(|(i, row)| (b.len(), y(i, j), row[term])));
        b.push(if term == j { 1.0 } else { 0.0 });
    }
    cones.push(SupportedConeT::ZeroConeT(k * k));
    for i in 0..n {
        entries.extend([(b.len(), i, -1.0), (b.len() + 1, i, 1.0)]);
        b.extend([0.0, 1.0]);
    }
    (0..n).for_each(|i| entries.push((b.len(), i, costs[i])));
    b.push(budget);
    cones.push(SupportedConeT::NonnegativeConeT(2 * n + 1));
    for (i, j) in (0..n).flat_map(|i| (0..k).map(move |j| (i, j))) {
        let at = b.len();
        entries.extend([(at, i, -1.0), (at, u(i, j), -1.0), (at + 1, y(i, j), -2.0)]);
        entries.extend([(at + 2, i, -1.0), (at + 2, u(i, j), 1.0)]);
        b.extend([0.0; 3]);
        cones.push(SupportedConeT::SecondOrderConeT(3));
    }
    let variables = n + 2 * n * k;
    let q: Vec<f64> = (0..variables).map(|v| if v >= n && (v - n) % 2 == 1 { 1.0 } else { 0.0 }).collect();
    let rows = entries.iter().map(|entry| entry.0).collect();
    let columns = entries.iter().map(|entry| entry.1).collect();
    let values = entries.iter().map(|entry| entry.2).collect();
    let a = CscMatrix::new_from_triplets(b.len(), variables, rows, columns, values);
    let p = CscMatrix::zeros((variables, variables));
    let settings = DefaultSettingsBuilder::default().verbose(false).build().unwrap();
    let mut solver = DefaultSolver::new(&p, &q, &a, &b, &cones, settings).unwrap();
    solver.solve();
    solver.solution.obj_val
}
