//! How the time of a pass grows with rows, columns and non-zeros, over three decades each, and with which power of non-zeros.
//!
//! ```text
//! cargo run --release -p hemingway-bench --bin growth -- [--storage f32]
//! ```

use hemingway::data::Source;
use hemingway::problem::{Loss, Problem};
use hemingway_bench::kernels::{LOOPS, kept, storage, time};

/// Rows, columns and entries a row.
type Size = (usize, usize, usize);

/// Of each three one grows.
const SERIES: [(&str, [Size; 4]); 3] = [
    ("rows", [(1_000, 10_000, 50), (10_000, 10_000, 50), (100_000, 10_000, 50), (1_000_000, 10_000, 50)]),
    ("columns", [(50_000, 200, 50), (50_000, 2_000, 50), (50_000, 20_000, 50), (50_000, 200_000, 50)]),
    ("entries a row", [(20_000, 20_000, 5), (20_000, 20_000, 50), (20_000, 20_000, 500), (20_000, 20_000, 5_000)]),
];

fn main() -> anyhow::Result<()> {
    let storage = storage(&mut std::env::args().skip(1).collect())?;
    println!("| grows | rows | columns | non-zeros | loop | ms | ns a non-zero |\n|---|--:|--:|--:|---|--:|--:|");
    let mut powers = String::new();
    for (what, sizes) in SERIES {
        let mut series: Vec<(&str, Vec<(f64, f64)>)> = LOOPS.map(|(name, _, _)| (name, Vec::new())).into();
        for (rows, columns, each) in sizes {
            let density = each as f64 / columns as f64;
            let recipe = format!("synth:sparse,rows={rows},columns={columns},density={density},noise=0.05,seed=3");
            let data = Source::parse(&recipe)?.load()?.dataset;
            let problem = Problem::new(&data, Loss::Logistic, Some(1e-4), 0)?;
            drop(data);
            let problem = kept(problem, storage)?;
            let entries = problem.data.matrix.nonzeros();
            for ((name, algorithm, task), (_, points)) in LOOPS.into_iter().zip(&mut series) {
                if let Some(seconds) = time(&problem, algorithm, task)? {
                    let (ms, each) = (1e3 * seconds, 1e9 * seconds / entries as f64);
                    println!("| {what} | {rows} | {columns} | {entries} | {name} | {ms:.3} | {each:.2} |");
                    points.push((entries as f64, seconds));
                }
            }
        }
        for (name, points) in &series {
            if let Some(power) = power(points) {
                powers += &format!("| {what} | {name} | {power:.2} |\n");
            }
        }
    }
    println!("\n| grows | loop | seconds grow like non-zeros to the |\n|---|---|--:|\n{powers}");
    Ok(())
}

/// The slope of ln seconds over ln non-zeros, by least squares; none where those do not grow.
fn power(points: &[(f64, f64)]) -> Option<f64> {
    let n = points.len() as f64;
    let mean = |of: fn(&(f64, f64)) -> f64| points.iter().map(|point| of(point).ln()).sum::<f64>() / n;
    let (x, y) = (mean(|point| point.0), mean(|point| point.1));
    let spread: f64 = points.iter().map(|point| (point.0.ln() - x).powi(2)).sum();
    let together: f64 = points.iter().map(|point| (point.0.ln() - x) * (point.1.ln() - y)).sum();
    (spread > 1.0).then(|| together / spread)
}
