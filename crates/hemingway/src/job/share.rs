//! A job whose rows are read by several processes, each its share. What comes of it is the same, to the bit, as if one had read
//! them all and dealt them out by the seed.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::{Job, JobSpec, classes};
use crate::data::libsvm::share::{Share, Survey};
use crate::data::matrix::{Row, is_dense};
use crate::data::prepare::{Preparation, Rules, as_scales};
use crate::data::source::libsvm_notes;
use crate::data::{Dataset, Info, Matrix, Normalize, Precision, Source, dealing_order, fingerprint_of_row};
use crate::placement::Placement;
use crate::problem::{Classes, Loss, Penalty, Problem, Whole, check_labels, check_rows, slopes, steepest};
use crate::share::{Company, tell_all};
use crate::{Error, Result};

/// The seed of the shares, and how all rows are understood.
struct Understood {
    survey: Survey,
    loss: Loss,
    classes: Option<Classes>,
    rules: Rules,
    preparation: Preparation,
    /// All labels as they are learned.
    labels: Vec<f64>,
    /// The form in which rows are prepared, and that in which they are kept.
    dense: (bool, bool),
    notes: Vec<String>,
}

impl JobSpec {
    /// The file that several processes can each read a share of, if that is what the job's data is: LIBSVM text that is not
    /// compressed, all of it, whose rows count alike.
    pub fn shareable(&self) -> Option<PathBuf> {
        let plain = self.factors.is_none()
            && self.labels.is_default()
            && self.weights.is_default()
            && self.class_weight.is_none();
        let Ok(Source::File(path)) = Source::parse(&self.data) else { return None };
        (plain && self.sampled().is_none() && crate::data::source::is_plain_libsvm(&path)).then_some(path)
    }

    /// The job of the process that decides; its problem holds only the process's own rows.
    pub fn check_share(self, path: &Path, company: &mut dyn Company) -> Result<Job> {
        let settled = self.check_settings();
        tell_all(company, settled)?;
        let (understood, problem, fingerprint) = self.read_share(path, company)?;
        let Understood { survey, loss, rules, mut notes, labels, .. } = understood;
        self.check_metric(loss)?;
        let test = self.load_test(Some(survey.base), &rules, &mut notes)?;
        let ones = if rules.intercept { labels.len() } else { 0 };
        let info = Info::of_whole(&problem.data, survey.nonzeros + ones, &labels);
        let facts = self.facts(problem.fingerprint(fingerprint), info, &problem)?;
        let base = Some(survey.base);
        Ok(Job { spec: self, facts, problem, test, rules, base, notes, engines: None, rounds: None, raters: None })
    }

    /// The rows of a process that only does as it is told.
    pub fn take_share(&self, path: &Path, company: &mut dyn Company) -> Result<Problem> {
        tell_all(company, Ok(()))?;
        Ok(self.read_share(path, company)?.1)
    }

    fn read_share(&self, path: &Path, company: &mut dyn Company) -> Result<(Understood, Problem, u64)> {
        let with_largest = self.preparation.normalize == Some(Normalize::Columns);
        let share = Share::of(path, company.rank(), company.ranks());
        let found = tell_all(company, share.as_ref().map(drop).map_err(again));
        let share = share?;
        found?;
        let survey = share.survey(with_largest, company)?;
        let understood = self.understand(survey)?;
        let (data, fingerprint) = deal(&share, &understood, self.seed, path, company)?;
        let mut whole = whole(&data, understood.labels.len(), company)?;
        if self.l1 > 0.0 {
            whole.steepest = Some(steepest_of_all(&data, understood.loss, whole.rows, company)?);
        }
        let l2 = self.l2.unwrap_or(1.0 / whole.rows as f64);
        let penalty = Penalty::new(l2, self.l1)?;
        let (loss, classes) = (understood.loss, understood.classes);
        let problem = Problem {
            data: Arc::new(data),
            loss,
            classes,
            factors: None,
            penalty,
            seed: self.seed,
            whole: Some(whole),
        };
        Ok((understood, problem, fingerprint))
    }

    /// The same conclusions in every process, since all know all labels.
    fn understand(&self, mut survey: Survey) -> Result<Understood> {
        let mut notes = libsvm_notes(survey.base, None, survey.queries);
        let chosen = |notes: &mut Vec<String>| classes::default_loss(&survey.labels, &self.preparation, notes);
        let loss = self.loss.unwrap_or_else(|| chosen(&mut notes));
        let scales = as_scales(std::mem::take(&mut survey.largest));
        let (columns, binary) = (survey.columns, loss.is_binary());
        let rules = Rules::learn(&survey.labels, &self.data, columns, || scales, &self.preparation, binary)?;
        let classes = self.classes(&rules, loss, &mut notes)?;
        let none = Dataset::new("", Matrix::sparse(columns), Vec::new());
        notes.extend(rules.apply(none)?.1);
        notes.extend(self.preparation.note());
        let labels: Option<Vec<f64>> = survey.labels.iter().map(|y| rules.labels.apply(*y)).collect();
        let labels = labels.ok_or_else(|| Error::Evidence("a label is not among those that were read".into()))?;
        check_labels(&labels, loss, classes)?;
        check_rows(labels.len(), &self.data)?;
        let rows = labels.len();
        let ones = usize::from(rules.intercept);
        let before = is_dense(survey.nonzeros, rows, columns);
        let after = is_dense(survey.nonzeros + ones * rows, rows, columns + ones);
        let (preparation, dense) = (self.preparation, (before, after));
        Ok(Understood { survey, loss, classes, rules, preparation, labels, dense, notes })
    }
}

/// The same words in another value: errors of the system cannot be copied.
fn again(error: &Error) -> Error {
    Error::Evidence(error.to_string())
}

/// Rows that arrive in any order and are put where they belong.
struct Arrivals {
    first: usize,
    matrix: Matrix,
}

impl Arrivals {
    /// Room for rows of these lengths, `first` and those after it.
    fn of(first: usize, columns: usize, lengths: &[u32], dense: bool) -> Self {
        let rows = lengths.len();
        if dense {
            return Self { first, matrix: Matrix::Dense { rows, columns, values: vec![0.0; rows * columns].into() } };
        }
        let ends = lengths.iter().scan(0, |end, length| {
            *end += *length as usize;
            Some(*end)
        });
        let starts: Vec<usize> = std::iter::once(0).chain(ends).collect();
        let stored = starts[rows];
        let (indices, values) = (vec![0; stored], vec![0.0; stored].into());
        Self { first, matrix: Matrix::Sparse { columns, starts, indices, values } }
    }

    /// Takes rows from a message: place, entries, indices, values, again and again.
    fn take(&mut self, mut message: &[u8]) -> Result<()> {
        while !message.is_empty() {
            let (place, count) = (number(&mut message)? as usize, number(&mut message)? as usize);
            let cut = |message: &mut &[u8], len: usize| {
                let (head, rest) = message.split_at_checked(len).ok_or_else(cut_short)?;
                *message = rest;
                Ok::<_, Error>(head.to_vec())
            };
            let (indices, values) = (cut(&mut message, 4 * count)?, cut(&mut message, 8 * count)?);
            let indices = indices.as_chunks::<4>().0.iter().map(|bytes| u32::from_le_bytes(*bytes));
            let values = values.as_chunks::<8>().0.iter().map(|bytes| f64::from_le_bytes(*bytes));
            let row = place.checked_sub(self.first).ok_or_else(cut_short)?;
            put(&mut self.matrix, row, count, indices.zip(values))?;
        }
        Ok(())
    }
}

fn put(matrix: &mut Matrix, row: usize, count: usize, entries: impl Iterator<Item = (u32, f64)>) -> Result<()> {
    match matrix {
        Matrix::Sparse { starts, indices, values, .. } => {
            let [start, end] = starts.get(row..row + 2).ok_or_else(cut_short)? else { return Err(cut_short()) };
            if end - start != count {
                return Err(cut_short());
            }
            let places = indices[*start..*end].iter_mut().zip(&mut values.widened()[*start..*end]);
            places.zip(entries).for_each(|((j, v), entry)| (*j, *v) = entry);
        }
        Matrix::Dense { columns, values, .. } => {
            let place = values.widened().get_mut(row * *columns..(row + 1) * *columns).ok_or_else(cut_short)?;
            for (j, v) in entries {
                *place.get_mut(j as usize).ok_or_else(cut_short)? = v;
            }
        }
    }
    Ok(())
}

fn number(message: &mut &[u8]) -> Result<u64> {
    let (head, rest) = message.split_first_chunk::<8>().ok_or_else(cut_short)?;
    *message = rest;
    Ok(u64::from_le_bytes(*head))
}

fn cut_short() -> Error {
    Error::Engine("rows were cut short between processes".into())
}

/// Sends every row to the process that holds its place in the seed's order; what arrives here, and the fingerprint of all.
fn deal(
    share: &Share,
    understood: &Understood,
    seed: u64,
    path: &Path,
    company: &mut dyn Company,
) -> Result<(Dataset, u64)> {
    let Understood { survey, rules, preparation, labels, dense, .. } = understood;
    let (rank, ranks, rows) = (company.rank(), company.ranks(), labels.len());
    let (own, homes) = (survey.cuts[rank]..survey.cuts[rank + 1], Placement::even(rows, ranks));
    let holder = |place: usize| homes.ranges().position(|range| range.contains(&place)).unwrap_or(0);
    let order = dealing_order(rows, seed);
    let mut places = vec![0_u64; own.len()];
    for (place, row) in order.iter().map(|row| *row as usize).enumerate().filter(|(_, row)| own.contains(row)) {
        places[row - own.start] = place as u64;
    }
    let held = homes.range(rank);
    let own_labels = order[held.clone()].iter().map(|row| labels[*row as usize]).collect();
    drop(order);
    let lengths = swap_lengths(&places, &survey.lengths, rules.intercept, held.clone(), &holder, company)?;
    let columns = survey.columns + usize::from(rules.intercept);
    let mut arrivals = Arrivals::of(held.start, columns, &lengths, dense.1);

    let name = path.file_name().unwrap_or(path.as_os_str()).to_string_lossy().into_owned();
    let (mut next, mut rounds, mut fingerprint) = (0, 0, 0_u64);
    let mut failed = None;
    let read = share.rows(survey, |some| {
        let (some, _) = rules.apply_to_some(some.in_form(dense.0)).map_err(|what| Error::file(path, what))?;
        // Rounded, if at all, before anything is made of them.
        let some = preparation.kept(some, &name)?;
        let mut messages = vec![Vec::new(); ranks];
        for i in 0..some.rows() {
            let (row, label) = (some.row(i), labels[own.start + next]);
            fingerprint = fingerprint.wrapping_add(fingerprint_of_row(own.start + next, label, None, row.iter()));
            write(&mut messages[holder(places[next] as usize)], places[next], row);
            next += 1;
        }
        rounds += 1;
        for message in company.swap(messages)? {
            arrivals.take(&message)?;
        }
        Ok(())
    });
    if let Err(error) = read {
        failed = Some(error);
    }
    for _ in rounds..survey.chunks {
        for message in company.swap(vec![Vec::new(); ranks])? {
            arrivals.take(&message)?;
        }
    }
    let own = (fingerprint, arrivals.matrix.values().numbers().are_f32());
    let parts = tell_all(company, failed.map_or(Ok(own), Err))?;
    // All processes keep values alike.
    let storage = if parts.iter().all(|(_, are_f32)| *are_f32) { preparation.storage } else { Precision::F64 };
    let matrix = Preparation { storage, ..*preparation }.kept(arrivals.matrix, &name)?;
    let fingerprint = parts.into_iter().fold(0_u64, |sum, (part, _)| sum.wrapping_add(part));
    Ok((Dataset::new(name, matrix, own_labels), fingerprint))
}

/// How many entries each of the rows has that will be held here.
fn swap_lengths(
    places: &[u64],
    lengths: &[u32],
    intercept: bool,
    held: std::ops::Range<usize>,
    holder: &dyn Fn(usize) -> usize,
    company: &mut dyn Company,
) -> Result<Vec<u32>> {
    let mut messages = vec![Vec::new(); company.ranks()];
    for (place, length) in places.iter().zip(lengths) {
        let message: &mut Vec<u8> = &mut messages[holder(*place as usize)];
        message.extend_from_slice(&place.to_le_bytes());
        message.extend_from_slice(&(u64::from(*length) + u64::from(intercept)).to_le_bytes());
    }
    let mut found = vec![0; held.len()];
    for message in company.swap(messages)? {
        let mut message = &message[..];
        while !message.is_empty() {
            let (place, length) = (number(&mut message)? as usize, number(&mut message)?);
            let row = place.checked_sub(held.start).and_then(|row| found.get_mut(row)).ok_or_else(cut_short)?;
            *row = length as u32;
        }
    }
    Ok(found)
}

fn write(message: &mut Vec<u8>, place: u64, row: Row<'_>) {
    message.extend_from_slice(&place.to_le_bytes());
    let entries = || row.iter().filter(|(_, v)| *v != 0.0 || matches!(row, Row::Sparse(..)));
    message.extend_from_slice(&(entries().count() as u64).to_le_bytes());
    entries().for_each(|(j, _)| message.extend_from_slice(&j.to_le_bytes()));
    entries().for_each(|(_, v)| message.extend_from_slice(&v.to_le_bytes()));
}

/// All rows in numbers, added up in the order in which they are dealt.
fn whole(data: &Dataset, rows: usize, company: &mut dyn Company) -> Result<Whole> {
    let norms: Vec<f64> = (0..data.rows()).map(|i| data.matrix.row(i).norm_sq()).collect();
    let parts = tell_all(company, Ok((norms, data.matrix.stored())))?;
    let norms = || parts.iter().flat_map(|(norms, _)| norms.iter().copied());
    let mean_norm_sq = norms().sum::<f64>() / rows as f64;
    let stored = parts.iter().map(|(_, stored)| stored).sum();
    Ok(Whole { rows, stored, mean_norm_sq, max_norm_sq: norms().fold(0.0, f64::max), steepest: None })
}

/// The steepest slope of the losses at 0, from every process's sums.
fn steepest_of_all(data: &Dataset, loss: Loss, rows: usize, company: &mut dyn Company) -> Result<f64> {
    let parts = tell_all(company, Ok(slopes(data, loss)))?;
    let of_all = |j: usize| parts.iter().fold(0_i128, |sum, part| sum.saturating_add(part[j]));
    Ok(steepest((0..data.columns()).map(of_all), rows))
}
