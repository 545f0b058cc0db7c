//! What every algorithm must do.

pub(super) mod adopts;

use std::sync::Arc;

use super::problems::Case;
use super::rig::Rig;
use super::{local, simulated};
use crate::algorithm::Algorithm;
use crate::data::matrix::dot;
use crate::data::{Dataset, Matrix, Precision};
use crate::problem::{Evaluation, Penalty, Problem, shrunk};

const MACHINES: [usize; 4] = [1, 2, 7, 64];
const ITERATIONS: usize = 4;

/// Rounding that a sum of this size may leave.
fn rounding(size: f64) -> f64 {
    1e-9 * (1.0 + size.abs())
}

/// Same seed and m: threads and simulated machines agree to the bit, with more machines than rows too.
pub(super) fn agree_on_engines(algorithm: &Arc<dyn Algorithm>, case: &Case) {
    let crowd = case.problem.data.rows() + 3;
    for machines in MACHINES.into_iter().chain([crowd]) {
        let mut threads = Rig::new(&case.problem, algorithm, machines, &local);
        let mut cluster = Rig::new(&case.problem, algorithm, machines, &simulated);
        for k in 0..=ITERATIONS {
            let told = format!("{} ({}), m = {machines}, iteration {k}", algorithm.name(), case.name);
            assert_eq!(threads.bits(), cluster.bits(), "{told}: threads and simulated machines must agree to the bit");
            is_sane(&cluster.evaluate(), &told);
            threads.iterate(1);
            cluster.iterate(1);
        }
    }
    let mut thousand = Rig::new(&case.problem, algorithm, 1024, &simulated);
    thousand.iterate(2);
    is_sane(&thousand.evaluate(), &format!("{} ({}), m = 1024", algorithm.name(), case.name));
}

fn is_sane(evaluation: &Evaluation, told: &str) {
    let Evaluation { objective, dual } = *evaluation;
    assert!(objective.is_finite(), "{told}: the objective must be finite, not {objective}");
    let Some(dual) = dual else { return };
    assert!(dual.is_finite(), "{told}: the bound must be finite, not {dual}");
    assert!(dual <= objective + rounding(objective), "{told}: the bound {dual} must not exceed P = {objective}");
}

/// Evaluation changes nothing and costs no training time; P is P by its definition; a worker may be made anew at any
/// time, for it keeps nothing that matters.
pub(super) fn keep_to_the_rules(algorithm: &Arc<dyn Algorithm>, case: &Case) {
    let told = format!("{} ({})", algorithm.name(), case.name);
    for build in [local, simulated] {
        let mut rig = Rig::new(&case.problem, algorithm, 3, &build);
        let mut renewed = Rig::new(&case.problem, algorithm, 3, &build);
        for _ in 0..ITERATIONS {
            rig.iterate(1);
            renewed.resize(3);
            renewed.iterate(1);
            let before = (rig.engine.clock(), rig.shared.clone(), rig.items());
            let objective = rig.evaluate().objective;
            let after = (rig.engine.clock(), rig.shared.clone(), rig.items());
            let training = |clock: crate::engine::Clock| (clock.rounds, clock.rows, clock.train_seconds());
            assert_eq!(training(before.0), training(after.0), "{told}: evaluation must be off the clock");
            assert!(after.0.evaluation > before.0.evaluation, "{told}: the time of evaluation must be counted apart");
            assert_eq!((before.1, before.2), (after.1, after.2), "{told}: evaluation must change nothing");
            let defined = case.problem.objective(&rig.model());
            assert!((objective - defined).abs() <= rounding(defined), "{told}: {objective} is not P = {defined}");
            assert_eq!(rig.bits(), renewed.bits(), "{told}: a worker made anew must go on like the old one");
        }
    }
}

/// Values that are f32 exactly do the same kept as f32 and as f64.
pub(super) fn agree_however_kept(algorithm: &Arc<dyn Algorithm>, case: &Case) {
    let kept = |matrix: &Matrix, precision| matrix.clone().kept_as(precision).expect("values are small");
    let narrow = kept(&case.problem.data.matrix, Precision::F32);
    let wide = kept(&narrow, Precision::F64);
    let [mut narrow, mut wide] = [narrow, wide].map(|matrix| {
        let data = Arc::new(Dataset { matrix, ..Dataset::clone(&case.problem.data) });
        Rig::new(&Problem { data, ..case.problem.clone() }, algorithm, 2, &local)
    });
    for k in 0..=ITERATIONS {
        let told = format!("{} ({}), iteration {k}", algorithm.name(), case.name);
        assert_eq!(narrow.bits(), wide.bits(), "{told}: must be the same to the bit however values are kept");
        narrow.iterate(1);
        wide.iterate(1);
    }
}

/// 4 → 2 → 7 machines: resizing alone changes neither items nor shared vector, on both engines alike.
pub(super) fn survive_resizing(algorithm: &Arc<dyn Algorithm>, case: &Case) {
    let told = format!("{} ({})", algorithm.name(), case.name);
    let mut threads = Rig::new(&case.problem, algorithm, 4, &local);
    let mut cluster = Rig::new(&case.problem, algorithm, 4, &simulated);
    for machines in [2, 7] {
        for rig in [&mut threads, &mut cluster] {
            rig.iterate(2);
            let before = rig.items();
            rig.resize(machines);
            assert_eq!(rig.items(), before, "{told}: resizing to {machines} must keep every row's numbers");
        }
        assert_eq!(threads.bits(), cluster.bits(), "{told}: the engines must agree after resizing to {machines}");
    }
    threads.iterate(2);
    cluster.iterate(2);
    assert_eq!(threads.bits(), cluster.bits(), "{told}: the engines must agree after 4 → 2 → 7 machines");
    is_sane(&cluster.evaluate(), &told);
}

/// Saved, taken up by fresh halves and gone on: the same as without interruption, to the bit.
pub(super) fn resume(algorithm: &Arc<dyn Algorithm>, case: &Case) {
    let mut whole = Rig::new(&case.problem, algorithm, 3, &local);
    for k in 0..ITERATIONS {
        let mut again = whole.reborn(&simulated);
        whole.iterate(1);
        again.iterate(1);
        let told = format!("{} ({}), resumed after iteration {k}", algorithm.name(), case.name);
        assert_eq!(whole.bits(), again.bits(), "{told}: must go on to the bit");
    }
}

/// w = Σ sᵢαᵢxᵢ/(λ₂n), shrunk by λ₁/λ₂, after any rounds and any resizing, on both engines.
pub(super) fn keep_w_of_alpha(algorithm: &Arc<dyn Algorithm>, case: &Case) {
    for build in [local, simulated] {
        let mut rig = Rig::new(&case.problem, algorithm, 4, &build);
        for machines in [4, 2, 7, 1] {
            rig.resize(machines);
            is_w_of_alpha(&mut rig, &format!("{} ({}), resized to {machines}", algorithm.name(), case.name));
            rig.iterate(5);
            is_w_of_alpha(&mut rig, &format!("{} ({}), 5 rounds on {machines}", algorithm.name(), case.name));
        }
    }
}

fn is_w_of_alpha(rig: &mut Rig, told: &str) {
    let width = rig.setting.algorithm.width();
    let alpha: Vec<f64> = rig.items().into_iter().step_by(width).collect();
    let problem = &rig.setting.problem;
    let expected = w_of_alpha(problem, &alpha);
    let w = rig.model();
    let gap: Vec<f64> = w.iter().zip(&expected).map(|(a, b)| a - b).collect();
    let allowed = rounding(dot(&expected, &expected).sqrt());
    assert!(dot(&gap, &gap).sqrt() <= allowed, "{told}: w = {w:?} must be Σ sᵢαᵢxᵢ/(λ₂n), shrunk, = {expected:?}");
}

fn w_of_alpha(problem: &Problem, alpha: &[f64]) -> Vec<f64> {
    let mut w = vec![0.0; problem.coefficients()];
    let Penalty { l2, l1 } = problem.penalty;
    let scale = l2 * problem.data.rows() as f64;
    let margins = problem.coefficients() / problem.data.columns();
    for (i, alphas) in alpha.chunks_exact(margins).enumerate() {
        for (a, w) in alphas.iter().zip(w.chunks_exact_mut(problem.data.columns())) {
            problem.data.matrix.row(i).axpy(problem.data.weight(i) * a / scale, w);
        }
    }
    w.iter().map(|v| shrunk(*v, l1 / l2)).collect()
}

/// Whether another seed leads elsewhere, the rows lying as they lie.
pub(super) fn differs_by_seed(algorithm: &Arc<dyn Algorithm>, case: &Case) -> bool {
    let after = |seed: u64| {
        let problem = Problem { seed, ..case.problem.clone() };
        let mut rig = Rig::new(&problem, algorithm, 2, &simulated);
        rig.iterate(2);
        rig.bits()
    };
    after(1) != after(2)
}
