//! Every form by itself, for tests: the bits of all passes must be the same.

use std::cell::Cell;
use std::sync::Arc;

use pulp::Scalar;
#[cfg(target_arch = "x86_64")]
use pulp::x86::{V3, V4};

use super::{Simd, Work};
use crate::algorithm::{self, Order, Support, Task};
use crate::data::{Dataset, Matrix, Shard};
use crate::problem::{Loss, Problem};

/// A form in which loops are compiled.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Form {
    Plain,
    #[cfg(target_arch = "x86_64")]
    Avx2,
    #[cfg(target_arch = "x86_64")]
    Avx512,
}

thread_local! {
    static ASKED: Cell<Option<Form>> = const { Cell::new(None) };
}

/// The form that the present test asks for.
pub(super) fn asked() -> Option<Form> {
    ASKED.get()
}

impl Form {
    /// Those that this machine can run.
    fn all() -> Vec<Self> {
        let mut all = vec![Self::Plain];
        #[cfg(target_arch = "x86_64")]
        {
            all.extend(V3::try_new().map(|_| Self::Avx2));
            all.extend(V4::try_new().map(|_| Self::Avx512));
        }
        all
    }

    pub(super) fn run<R>(self, work: impl FnOnce() -> R) -> R {
        match self {
            Self::Plain => Scalar::new().vectorize(Work(work)),
            #[cfg(target_arch = "x86_64")]
            Self::Avx2 => Simd::vectorize(V3::try_new().expect("asked for by name"), Work(work)),
            #[cfg(target_arch = "x86_64")]
            Self::Avx512 => Simd::vectorize(V4::try_new().expect("asked for by name"), Work(work)),
        }
    }
}

/// Rows of a few columns, of many, and sparse ones, short and long; more than fill whole blocks.
fn matrices() -> Vec<Matrix> {
    let number = |k: usize| (k as f64 * 0.7).sin() + 0.01 * (k as f64 * 1.3).cos();
    let dense = |columns: usize| Matrix::dense(columns, (0..columns * 203).map(number).collect());
    let sparse = |columns: u32, entries: u32| {
        let mut matrix = Matrix::sparse(columns as usize);
        for i in 0..203_u32 {
            let first = i * 7 % (columns - entries);
            matrix.push_row((first..first + entries - i % 3).map(|j| (j, number((i * columns + j) as usize))));
        }
        matrix
    };
    vec![dense(3), dense(8), dense(29), sparse(100, 14), sparse(900, 333)]
}

/// What a worker pushes and keeps, in one form.
fn pushed(problem: &Problem, name: &str, task: Task, form: Form) -> Vec<u64> {
    let algorithm = algorithm::by_name(name).unwrap();
    let outline = problem.outline();
    let n = outline.rows;
    ASKED.set(Some(form));
    let mut worker = algorithm.worker(&outline, Shard::new(Arc::clone(&problem.data), 0..n, 0, 1));
    let mut shared = algorithm.shared(&outline);
    let dual = algorithm.is_dual();
    shared.iter_mut().enumerate().for_each(|(j, w)| *w = if dual { 0.0 } else { (j as f64).sin() });
    let mut items = vec![if dual { 0.0 } else { 0.3 }; n * algorithm.width()];
    let length = if dual { outline.columns } else { 2 * outline.columns + 1 };
    let mut push = vec![0.0; length.max(algorithm.push_len(n, outline.columns))];
    let order = Order { round: 1, task, block: Vec::new(), args: vec![1.0, 1.0, 1.0], off_clock: false };
    for _ in 0..2 {
        push.fill(0.0);
        worker.push(&order, &shared, &mut items, &mut push);
    }
    ASKED.set(None);
    push.iter().chain(&items).map(|v| v.to_bits()).collect()
}

#[test]
fn bits_are_the_same_in_every_form() {
    let passes = [
        ("gd", Task::Probe),
        ("lbfgs", Task::Step),
        ("newton", Task::Probe),
        ("newton", Task::Step),
        ("gram", Task::Step),
        ("cocoa", Task::Step),
    ];
    for matrix in matrices() {
        let labels: Vec<f64> = (0..matrix.rows()).map(|i| if i % 3 == 0 { 1.0 } else { -1.0 }).collect();
        let data = Dataset::new("made", matrix, labels);
        for loss in [Loss::Logistic, Loss::SquaredHinge, Loss::Huber, Loss::Squared] {
            let problem = Problem::new(&data, loss, Some(1e-3), 0).unwrap();
            let applies = |name: &str| algorithm::by_name(name).unwrap().support(loss) != Support::No;
            for (name, task) in passes.into_iter().filter(|(name, _)| applies(name)) {
                let [plain, others @ ..] =
                    &Form::all().into_iter().map(|form| pushed(&problem, name, task, form)).collect::<Vec<_>>()[..]
                else {
                    unreachable!("there is always a plain form")
                };
                assert!(plain.iter().any(|bits| *bits != 0), "{name} did nothing");
                assert!(
                    others.iter().all(|other| other == plain),
                    "{name} {task:?}, {loss}, {} columns",
                    data.columns()
                );
            }
        }
    }
}
