//! Small awkward problems.

use std::sync::Arc;

use rand::RngExt;
use rand_chacha::ChaCha8Rng;

use crate::algorithm::{self, Algorithm};
use crate::data::{Dataset, Matrix};
use crate::problem::{Classes, Factors, Loss, Penalty, Problem, Scheme};
use crate::rng::{Purpose, keyed};

/// A problem with a name for messages.
pub struct Case {
    /// What is awkward about it.
    pub name: String,
    /// The problem.
    pub problem: Problem,
}

/// The problems whose rows do not all count alike.
const WEIGHTED: &str = "mixed rows, weighted";

/// Classes of the problems that have more than two.
const CLASSES: usize = 3;

/// Every awkward problem for a loss: of two classes or numbers, and of several classes in every way that the loss takes.
pub fn for_loss(loss: Loss) -> Vec<Case> {
    let several = Scheme::ALL.into_iter().filter(|scheme| scheme.check(loss).is_ok());
    let several = several.map(|scheme| Some(Classes { scheme, count: CLASSES }));
    [None].into_iter().chain(several).flat_map(|classes| of_classes(loss, classes)).collect()
}

fn of_classes(loss: Loss, classes: Option<Classes>) -> Vec<Case> {
    let shapes = [
        ("mixed rows, sparse", mixed(Matrix::sparse(6)), (0.05, 0.0)),
        ("mixed rows, dense", mixed(dense(6)), (0.05, 0.0)),
        ("one row", rows_of(dense(3), &[&[0.5, -1.0, 2.0]]), (0.3, 0.0)),
        ("only empty rows, sparse", rows_of(Matrix::sparse(2), &[&[], &[], &[]]), (0.1, 0.0)),
        ("only empty rows, dense", rows_of(dense(2), &[&[], &[], &[]]), (0.1, 0.0)),
        ("one row a thousand times as long", one_long_row(), (0.02, 0.0)),
        ("mixed rows, elastic net", mixed(Matrix::sparse(6)), (0.05, 0.03)),
        ("mixed rows, L1 alone", mixed(dense(6)), (0.0, 0.03)),
        (WEIGHTED, mixed(Matrix::sparse(6)), (0.05, 0.0)),
        (WEIGHTED, mixed(dense(6)), (0.05, 0.03)),
    ];
    let case = |(name, matrix, (l2, l1)): (&str, Matrix, (f64, f64))| {
        let labels = classes.map_or_else(|| labels(loss, matrix.rows()), |_| class_labels(matrix.rows()));
        let weights = (name == WEIGHTED).then(|| weights(matrix.rows()));
        let data = Dataset { weights, ..Dataset::new(name, matrix, labels) };
        let way = classes.map(|classes| format!(", {}", classes.scheme)).unwrap_or_default();
        let problem = Problem { classes, ..problem(data, loss, Penalty { l2, l1 }) };
        Case { name: format!("{loss}{way}, {name}"), problem }
    };
    shapes.into_iter().map(case).collect()
}

/// Those that the algorithm applies to.
pub(super) fn for_algorithm(algorithm: &dyn Algorithm) -> Vec<Case> {
    let applies = |case: &Case| algorithm::check_problem(algorithm, &case.problem).is_ok();
    Loss::ALL.into_iter().flat_map(for_loss).chain(of_ratings()).filter(applies).collect()
}

/// Ratings to factorize: users and items without any, one alone, one who rates everything; with and without biases.
pub fn of_ratings() -> Vec<Case> {
    let shapes = [
        ("ratings, some empty", some_ratings()),
        ("one rating", rows_of(Matrix::sparse(1), &[&[4.0]])),
        (
            "one who rates all",
            rows_of(Matrix::sparse(9), &[&[3.0], &[1.0, 2.0, 3.0, 4.0, 5.0, 4.0, 3.0, 2.0, 1.0], &[]]),
        ),
    ];
    let case = |(name, matrix): (&str, Matrix), alpha: Option<f64>, rank: usize| {
        let labels = vec![0.0; matrix.rows()];
        let data = Dataset::new(name, matrix, labels);
        let factors = Some(Factors::of(&data, rank, alpha));
        let problem = Problem { factors, ..problem(data, Loss::Squared, Penalty { l2: 0.1, l1: 0.0 }) };
        let how = if alpha.is_some() { "implicit" } else { "explicit" };
        Case { name: format!("{how} {name}, rank {rank}"), problem }
    };
    let ways = [(None, 3), (Some(2.0), 9)];
    shapes.into_iter().flat_map(|shape| ways.map(|(alpha, rank)| case(shape.clone(), alpha, rank))).collect()
}

/// 19 users and 11 items; every fourth user and the last item have no rating.
fn some_ratings() -> Matrix {
    let mut rng = keyed(4, Purpose::Synthesize, 0, 0);
    let mut matrix = Matrix::sparse(11);
    for u in 0..19_u32 {
        let rated = (0..10).filter(|i| u % 4 != 3 && (u + i) % 3 != 0);
        let row: Vec<_> = rated.map(|i| (i, (2.5 + 2.0 * draw(&mut rng)).abs())).collect();
        matrix.push_row(row);
    }
    matrix
}

/// A problem whose rows stay in the order given.
pub(super) fn problem(data: Dataset, loss: Loss, penalty: Penalty) -> Problem {
    Problem { data: Arc::new(data), loss, classes: None, factors: None, penalty, seed: 7, whole: None }
}

pub(super) fn dense(columns: usize) -> Matrix {
    Matrix::no_rows(columns)
}

fn draw(rng: &mut ChaCha8Rng) -> f64 {
    2.0 * rng.random::<f64>() - 1.0
}

fn rows_of(mut matrix: Matrix, rows: &[&[f64]]) -> Matrix {
    for row in rows {
        matrix.push_row((0..).zip(row.iter().copied()));
    }
    matrix
}

/// 23 rows: column 4 is constant, column 5 empty; every fifth row is empty, every seventh a copy of the first.
fn mixed(mut matrix: Matrix) -> Matrix {
    let mut rng = keyed(1, Purpose::Synthesize, 0, 0);
    let first = [(0, 0.8), (2, -0.6), (4, 1.0)];
    for i in 0..23 {
        match i {
            _ if i % 5 == 4 => matrix.push_row([]),
            _ if i % 7 == 0 => matrix.push_row(first),
            _ => {
                let row: Vec<_> = (0..4).filter(|j| (i + j) % 2 == 0).map(|j| (j, draw(&mut rng))).collect();
                matrix.push_row(row.into_iter().chain([(4, 1.0)]));
            }
        }
    }
    matrix
}

fn one_long_row() -> Matrix {
    let mut rng = keyed(2, Purpose::Synthesize, 0, 0);
    let mut matrix = dense(3);
    for i in 0..12 {
        let scale = if i == 5 { 1000.0 } else { 1.0 };
        matrix.push_row((0..3).map(|j| (j, scale * draw(&mut rng))));
    }
    matrix
}

/// From 0 to 20 times what a row counts for, 1 on average.
fn weights(rows: usize) -> Vec<f64> {
    let share = |i: usize| [0.0, 1.0, 0.3, 4.0, 0.001, 20.0][i % 6];
    let mean = (0..rows).map(share).sum::<f64>() / rows as f64;
    (0..rows).map(|i| share(i) / mean).collect()
}

fn labels(loss: Loss, rows: usize) -> Vec<f64> {
    let mut rng = keyed(3, Purpose::Synthesize, 0, 0);
    let label = |y: f64| if loss.is_binary() { y.signum() } else { 3.0 * y };
    (0..rows).map(|_| label(draw(&mut rng))).collect()
}

/// Numbers of classes, one of them seldom; with fewer rows than classes some are missing.
fn class_labels(rows: usize) -> Vec<f64> {
    (0..rows).map(|i| [0.0, 2.0, 0.0, 1.0, 2.0, 0.0, 2.0][i % 7]).collect()
}
