//! A linear model as its exchange sees it: the columns of its data in blocks, each with the share that machines touch.
//!
//! A gradient touches the columns in which its machine's rows have entries. Which those are does not change from round to round, so
//! that one pass over the entries tells what rounds will carry.

use super::{Dtype, Model, Variable};
use crate::data::Dataset;
use crate::data::matrix::Matrix;
use crate::placement::Placement;
use crate::problem::Problem;

/// Equal blocks of columns that are looked at.
const BLOCKS: usize = 64;
/// Neighbours whose shares differ by no more than this factor are one.
const ALIKE: f64 = 1.25;
/// A share of nothing is written as one of next to nothing.
const LEAST: f64 = 1e-9;

/// Columns in a row of a block that are touched.
#[derive(Debug, Clone, Copy, Default)]
struct Touched {
    columns: usize,
    /// By one machine, on average.
    own: f64,
    /// By all of them together.
    together: f64,
}

impl Model {
    /// The coefficients of a problem whose rows are dealt evenly to so many machines. Where the rows held here are but a share of
    /// them, what all touch is carried on from these.
    pub fn linear(problem: &Problem, machines: usize) -> Self {
        let (matrix, rows) = (&problem.data.matrix, problem.whole().rows);
        let blocks = match matrix {
            Matrix::Dense { .. } => vec![Touched::all(matrix.columns())],
            _ if rows > matrix.rows() => carried_on(matrix, rows, machines),
            _ => counted(matrix, &Placement::even(rows, machines)),
        };
        Self::of_blocks(&problem.data.name, blocks, problem.outline().outputs())
    }

    /// The coefficients of a model of all these rows, one for each column.
    pub fn of_rows(data: &Dataset, machines: usize) -> Self {
        let blocks = match &data.matrix {
            Matrix::Dense { .. } => vec![Touched::all(data.columns())],
            matrix => counted(matrix, &Placement::even(data.rows(), machines)),
        };
        Self::of_blocks(&data.name, blocks, 1)
    }

    fn of_blocks(name: &str, blocks: Vec<Touched>, outputs: usize) -> Self {
        // Of several classes each has all columns; where the ones begin and the others end makes no difference.
        let blocks = if outputs > 1 { vec![blocks.into_iter().fold(Touched::default(), Touched::and)] } else { blocks };
        let mut first = 0;
        let variable = |block: &Touched| {
            let name = format!("columns {}..{}", first, first + block.columns);
            first += block.columns;
            block.variable(name, outputs)
        };
        Self { name: name.into(), variables: merged(blocks).iter().map(variable).collect(), step_ms: 0.0 }
    }
}

impl Touched {
    fn all(columns: usize) -> Self {
        Self { columns, own: columns as f64, together: columns as f64 }
    }

    fn and(self, other: Self) -> Self {
        Self {
            columns: self.columns + other.columns,
            own: self.own + other.own,
            together: self.together + other.together,
        }
    }

    fn shares(self) -> [f64; 2] {
        [self.own, self.together].map(|touched| (touched / self.columns.max(1) as f64).max(LEAST))
    }

    fn is_like(self, other: Self) -> bool {
        self.shares().into_iter().zip(other.shares()).all(|(a, b)| a <= ALIKE * b && b <= ALIKE * a)
    }

    fn variable(self, name: String, outputs: usize) -> Variable {
        let [density, together] = self.shares();
        Variable {
            dtype: Dtype::F64,
            density: density.min(1.0),
            together: Some(together.clamp(density.min(1.0), 1.0)),
            ..Variable::new(name, [outputs * self.columns])
        }
    }
}

fn merged(blocks: Vec<Touched>) -> Vec<Touched> {
    let mut all: Vec<Touched> = Vec::new();
    for block in blocks {
        match all.last_mut() {
            Some(last) if last.is_like(block) => *last = last.and(block),
            _ => all.push(block),
        }
    }
    all
}

/// Blocks of so many columns as even as may be, none empty.
fn cuts(columns: usize) -> Placement {
    Placement::even(columns, BLOCKS.min(columns))
}

/// What machines touch, all rows being here.
fn counted(matrix: &Matrix, placement: &Placement) -> Vec<Touched> {
    let cuts = cuts(matrix.columns());
    let mut by_column: Vec<(u32, u32)> = vec![(0, 0); matrix.columns()];
    for (machine, rows) in (1..).zip(placement.ranges()) {
        for (column, _) in rows.flat_map(|row| matrix.row(row).iter()) {
            let (last, machines) = &mut by_column[column as usize];
            if *last != machine {
                (*last, *machines) = (machine, *machines + 1);
            }
        }
    }
    let block = |range: std::ops::Range<usize>| {
        let columns = &by_column[range];
        let all: f64 = columns.iter().map(|(_, machines)| f64::from(*machines)).sum();
        let together = columns.iter().filter(|(_, machines)| *machines > 0).count();
        Touched { columns: columns.len(), own: all / placement.machines() as f64, together: together as f64 }
    };
    cuts.ranges().map(block).collect()
}

/// What machines touch, told from some of the rows: with n rows 1 − (1 − ρ)^(n^γ) of the columns, as half of the rows here and
/// all of them have it.
fn carried_on(matrix: &Matrix, rows: usize, machines: usize) -> Vec<Touched> {
    let here = matrix.rows();
    let halves = Placement::even(here, 2);
    let of_all = |block: Touched| {
        let untouched = |touched: f64| (1.0 - touched / block.columns as f64).clamp(1e-9, 1.0 - 1e-9).ln();
        let growth = (untouched(block.together) / untouched(block.own)).log2().clamp(0.0, 1.0);
        let with = |rows: f64| {
            let grown = untouched(block.together) * (rows / here as f64).powf(growth);
            block.columns as f64 * -grown.exp_m1()
        };
        Touched { own: with(rows as f64 / machines as f64), together: with(rows as f64), ..block }
    };
    counted(matrix, &halves).into_iter().map(of_all).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::source::Source;
    use crate::problem::Loss;

    fn problem(spec: &str) -> Problem {
        Problem::new(&Source::parse(spec).unwrap().load().unwrap().dataset, Loss::Logistic, None, 0).unwrap()
    }

    fn total(model: &Model, share: impl Fn(&Variable) -> f64) -> f64 {
        model.variables.iter().map(|variable| variable.elements() as f64 * share(variable)).sum()
    }

    #[test]
    fn columns_are_counted_and_blocks_follow_their_popularity() {
        let problem = problem("synth:power-law,rows=400,columns=5000,density=0.004,exponent=1.1");
        let model = Model::linear(&problem, 4);
        model.check().unwrap();
        let rows = |range: std::ops::Range<usize>| {
            let columns = range.flat_map(|row| problem.data.matrix.row(row).iter().map(|(column, _)| column));
            columns.collect::<std::collections::HashSet<u32>>().len() as f64
        };
        assert_eq!(total(&model, |v| v.shape[0] as f64 / v.shape[0] as f64), 5000.0);
        assert!((total(&model, |v| v.together.unwrap()) - rows(0..400)).abs() < 1.0);
        let mean = (0..4).map(|k| rows(100 * k..100 * (k + 1))).sum::<f64>() / 4.0;
        assert!((total(&model, |v| v.density) - mean).abs() < 1.0);
        let densities: Vec<f64> = model.variables.iter().map(|v| v.density).collect();
        assert!(densities.len() > 3 && densities[0] > 2.0 * densities[densities.len() - 1], "{densities:?}");
    }

    #[test]
    fn what_all_machines_touch_is_what_the_spread_says() {
        let model = Model::linear(&problem("synth:power-law,rows=400,columns=5000,density=0.004,exponent=1.1"), 8);
        for variable in model.variables {
            let exponent = 8f64.powf(variable.spread(8));
            let together = 1.0 - (1.0 - variable.density).powf(exponent);
            assert!((together - variable.together.unwrap()).abs() < 1e-6, "{variable:?}");
        }
    }

    #[test]
    fn dense_rows_touch_everything() {
        let model = Model::linear(&problem("synth:logistic,rows=50,columns=30"), 4);
        let [only] = &model.variables[..] else { panic!("one variable") };
        assert_eq!((only.elements(), only.density, only.is_sparse()), (30, 1.0, false));
    }

    #[test]
    fn a_share_of_the_rows_tells_of_the_others() {
        let problem = problem("synth:power-law,rows=4000,columns=20000,density=0.001,exponent=1.1");
        let all =
            counted(&problem.data.matrix, &Placement::even(4000, 4)).into_iter().fold(Touched::default(), Touched::and);
        let few = problem.data.matrix.select(0..1000);
        let told = carried_on(&few, 4000, 4).into_iter().fold(Touched::default(), Touched::and);
        for (told, is) in [(told.own, all.own), (told.together, all.together)] {
            assert!((told / is - 1.0).abs() < 0.1, "{told} {is}");
        }
    }
}
