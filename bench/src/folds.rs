//! Predictions against what was measured, several ways side by side.

use hemingway::model::system::Observation;
use hemingway::model::{Estimate, Method, SystemModel};

/// The ways of predicting f that are compared.
pub const METHODS: [Method; 2] = [Method::Ernest, Method::Ours];
/// Their names in tables.
pub const NAMES: [&str; 2] = ["Ernest", "ours"];

/// One prediction against what was measured.
#[derive(Clone, Copy)]
pub struct Fold {
    error: f64,
    held: bool,
}

/// The folds of one set, by way of predicting.
pub type Folds = [Vec<Fold>; 2];

impl Fold {
    /// Compares.
    pub fn new(estimate: &Estimate, real: f64) -> Self {
        let held = estimate.low <= real && real <= estimate.high;
        Self { error: (estimate.mid / real - 1.0).abs(), held }
    }
}

/// Fits both methods and adds a fold for each of the tested.
pub fn judge(taught: &[Observation], tested: &[Observation], into: &mut Folds) {
    for (method, folds) in METHODS.iter().zip(into) {
        let Some(model) = SystemModel::fit("", taught, *method) else { continue };
        folds.extend(tested.iter().map(|real| Fold::new(&model.seconds(real.machines, real.fraction), real.seconds)));
    }
}

/// Prints the sets as a table in Markdown: medians, means and 95th percentiles of |predicted / real − 1|, and how
/// often the 90 % interval held what was measured.
pub fn table<'a>(names: &[&str; 2], sets: impl Iterator<Item = (&'a str, &'a Folds)>) {
    let columns = names.map(|name| format!("{name} median % | mean | p95 | held %"));
    println!("| set | folds | {} |", columns.join(" | "));
    println!("|---|--:|{}", "--:|".repeat(4 * names.len()));
    let mut all = Folds::default();
    for (name, folds) in sets {
        row(name, folds);
        all.iter_mut().zip(folds).for_each(|(all, folds)| all.extend(folds));
    }
    row("**all**", &all);
}

fn row(name: &str, folds: &Folds) {
    let cells: Vec<String> = folds.iter().map(|folds| summary(folds)).collect();
    println!("| {name} | {} | {} |", folds[0].len(), cells.join(" | "));
}

fn summary(folds: &[Fold]) -> String {
    let errors: Vec<f64> = folds.iter().map(|fold| 100.0 * fold.error).collect();
    let mean = errors.iter().sum::<f64>() / errors.len() as f64;
    let held = 100.0 * folds.iter().filter(|fold| fold.held).count() as f64 / folds.len() as f64;
    let at = |share: f64| quantile(errors.clone(), share);
    format!("{:.1} | {mean:.1} | {:.1} | {held:.0}", at(0.5), at(0.95))
}

/// Linear between order statistics, so that the median of an even count is the mean of the two in the middle.
pub fn quantile(mut values: Vec<f64>, share: f64) -> f64 {
    values.sort_by(f64::total_cmp);
    let place = share * values.len().saturating_sub(1) as f64;
    let (below, above) = (place.floor() as usize, place.ceil() as usize);
    match (values.get(below), values.get(above)) {
        // Nothing lies between a number and infinity.
        (Some(a), Some(b)) if b.is_infinite() => {
            if place.fract() < 0.5 {
                *a
            } else {
                *b
            }
        }
        (Some(a), Some(b)) => a + (b - a) * place.fract(),
        _ => f64::NAN,
    }
}
