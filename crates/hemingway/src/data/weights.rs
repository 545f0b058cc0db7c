//! What rows count for, and the files that only say that.

use std::borrow::Cow;
use std::io::BufRead;
use std::path::Path;

use super::text::{is_skipped, number, show};
use super::{Dataset, Loaded, Reading, file, numpy};
use crate::{Error, Result};

impl Dataset {
    /// What row i counts for.
    #[inline(always)]
    pub fn weight(&self, i: usize) -> f64 {
        self.weights.as_ref().map_or(1.0, |weights| weights[i])
    }

    /// The rows that count, their weights 1 on average; none where all count alike.
    ///
    /// # Errors
    /// If a weight is none, or if no row counts.
    pub fn weighed(&self) -> Result<Cow<'_, Self>> {
        match &self.weights {
            None => Ok(Cow::Borrowed(self)),
            Some(_) => self.clone().into_weighed().map(Cow::Owned),
        }
    }

    /// The same without a copy.
    ///
    /// # Errors
    /// If a weight is none, or if no row counts.
    pub fn into_weighed(self) -> Result<Self> {
        let Some(weights) = &self.weights else { return Ok(self) };
        let wrong = |what: String| Error::file(&self.name, what);
        if weights.len() != self.rows() {
            return Err(wrong(format!("holds {} rows, but there are {} weights", self.rows(), weights.len())));
        }
        for (row, weight) in (1..).zip(weights) {
            check(*weight).map_err(|what| wrong(format!("row {row}: {what}")))?;
        }
        // By the largest first: the sum of finite weights may not be finite.
        let largest = weights.iter().copied().fold(0.0, f64::max);
        if largest == 0.0 && !weights.is_empty() {
            return Err(wrong("every row has weight 0: there is nothing to learn; let some count".into()));
        }
        let shares: Vec<f64> = weights.iter().map(|weight| weight / largest).collect();
        let counted: Vec<usize> = (0..shares.len()).filter(|&i| shares[i] > 0.0).collect();
        let mean = shares.iter().sum::<f64>() / counted.len() as f64;
        let weights = counted.iter().map(|&i| shares[i] / mean);
        let weights = counted.iter().any(|&i| shares[i] != 1.0).then(|| weights.collect());
        let rows = if counted.len() == self.rows() { self } else { self.select(&counted) };
        Ok(Self { weights, ..rows })
    }
}

/// Rows to read, or to keep.
impl<'a> From<&'a Dataset> for Cow<'a, Dataset> {
    fn from(data: &'a Dataset) -> Self {
        Cow::Borrowed(data)
    }
}

impl From<Dataset> for Cow<'_, Dataset> {
    fn from(data: Dataset) -> Self {
        Cow::Owned(data)
    }
}

impl Loaded {
    /// The same rows with the weights of the file that `--weights` names, whatever they said themselves.
    pub(super) fn with_file_of_weights(mut self, reading: &Reading) -> Result<Self> {
        let Some(path) = &reading.weights.file else { return Ok(self) };
        let weights = read(path)?;
        let rows = self.dataset.rows();
        if weights.len() != rows {
            let what =
                format!("holds {} weights, but {} has {rows} rows; give one a row", weights.len(), self.dataset.name);
            return Err(Error::file(path, what));
        }
        self.dataset.weights = Some(weights);
        self.notes.push(format!("weights are from {}", path.display()));
        Ok(self)
    }
}

/// One weight a row: an array of NumPy's, or a line of text each.
fn read(path: &Path) -> Result<Vec<f64>> {
    let (head, mut input) = file::peek(file::open(path)?, numpy::MAGIC.len()).map_err(file::unreadable(path))?;
    if head.starts_with(numpy::MAGIC) {
        return numpy::weights(&mut input).map_err(|what| Error::file(path, what));
    }
    let mut weights = Vec::new();
    let mut line = Vec::new();
    for number in 1.. {
        line.clear();
        if input.read_until(b'\n', &mut line).map_err(file::unreadable(path))? == 0 {
            break;
        }
        if !is_skipped(&line) {
            weights.push(parse(line.trim_ascii()).map_err(|what| Error::data(path, number, what))?);
        }
    }
    Ok(weights)
}

/// A weight as text.
///
/// # Errors
/// The sentence to show.
pub(super) fn parse(text: &[u8]) -> Result<f64, String> {
    let weight = number(text).ok_or_else(|| format!("weight {} is not a finite number of 0 or more", show(text)))?;
    check(weight)
}

/// A weight as it may be.
///
/// # Errors
/// The sentence to show.
pub(super) fn check(weight: f64) -> Result<f64, String> {
    match weight.is_finite() && weight >= 0.0 {
        true => Ok(weight),
        false => Err(format!("weight {weight} is not a finite number of 0 or more")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::{Matrix, Source, Weights};

    fn weighted(weights: &[f64]) -> Dataset {
        let numbers: Vec<f64> = (0..weights.len()).map(|i| i as f64).collect();
        let data = Dataset::new("some", Matrix::dense(1, numbers.clone()), numbers);
        Dataset { weights: Some(weights.to_vec()), ..data }
    }

    #[test]
    fn weights_are_one_on_average_over_the_rows_that_count() {
        let data = weighted(&[1.0, 0.0, 3.0]);
        let weighed = data.weighed().unwrap();
        assert_eq!((&weighed.labels, &weighed.weights), (&vec![0.0, 2.0], &Some(vec![0.5, 1.5])));
        assert_eq!(weighted(&[2.0, 0.0, 6.0]).weighed().unwrap(), weighed, "only ratios matter");
        let huge = weighted(&[1e308, 1e308, 5e307]);
        assert!(huge.weighed().unwrap().weights.as_ref().unwrap().iter().all(|s| s.is_finite()));
    }

    #[test]
    fn equal_weights_are_none() {
        assert_eq!(weighted(&[0.3; 7]).weighed().unwrap().weights, None);
        let some = weighted(&[0.3, 0.0, 0.3]);
        let some = some.weighed().unwrap();
        assert_eq!((some.rows(), &some.weights), (2, &None));
    }

    #[test]
    fn weights_that_are_none_are_refused() {
        let said = |weights: &[f64]| weighted(weights).weighed().unwrap_err().to_string();
        assert_eq!(said(&[1.0, -2.0]), "some: row 2: weight -2 is not a finite number of 0 or more");
        assert!(said(&[f64::NAN]).contains("row 1: weight NaN"));
        assert!(said(&[f64::INFINITY]).contains("row 1: weight inf"));
        assert!(said(&[0.0, 0.0]).contains("every row has weight 0"));
        let short = Dataset { weights: Some(vec![1.0]), ..weighted(&[1.0, 1.0]) };
        assert!(short.weighed().unwrap_err().to_string().contains("2 rows, but there are 1 weights"));
    }

    #[test]
    fn weights_travel_with_their_rows_and_name_the_problem() {
        let data = weighted(&[0.0, 1.0, 2.0, 3.0]);
        for part in [data.clone().shuffled(3), data.sample(0.5, 3), data.split(0.5, 3).unwrap().0] {
            assert_eq!(part.weights.as_ref(), Some(&part.labels));
        }
        assert_ne!(data.fingerprint(), weighted(&[0.0, 1.0, 2.0, 4.0]).fingerprint());
        assert_ne!(data.fingerprint(), Dataset { weights: None, ..data.clone() }.fingerprint());
    }

    fn with_file(bytes: &[u8]) -> Result<Loaded> {
        let dir = tempfile::tempdir().unwrap();
        let (data, file) = (dir.path().join("data.svm"), dir.path().join("w.txt"));
        std::fs::write(&data, "1 1:2\n-1 2:1\n").unwrap();
        std::fs::write(&file, bytes).unwrap();
        let weights = Weights { column: None, file: Some(file) };
        Source::File(data).load_as(&Reading { weights, ..Reading::default() })
    }

    #[test]
    fn a_file_of_weights_goes_with_any_data() {
        let array = [
            b"\x93NUMPY\x01\0\x3e\0",
            &b"{'descr': '|u1', 'fortran_order': False, 'shape': (2,), }    \n"[..],
            &[2, 0],
        ];
        for bytes in [b"# weights\n2.0\n\n0\n".to_vec(), b"2 \r\n0".to_vec(), array.concat()] {
            let loaded = with_file(&bytes).unwrap();
            assert_eq!(loaded.dataset.weights, Some(vec![2.0, 0.0]));
            assert!(loaded.notes.iter().any(|note| note.starts_with("weights are from ")));
        }
    }

    #[test]
    fn a_bad_file_of_weights_is_refused_by_name_and_line() {
        let said = |text: &str| with_file(text.as_bytes()).unwrap_err().to_string();
        assert!(said("1\n-2\n").contains("w.txt:2: weight -2 is not a finite number of 0 or more"));
        assert!(said("1\ntwo\n").contains("w.txt:2: weight `two` is not a finite number"));
        assert!(said("nan\n1\n").contains("w.txt:1: weight `nan`"));
        assert!(said("1\n2\n3\n").contains("w.txt: holds 3 weights, but data.svm has 2 rows"));
    }
}
