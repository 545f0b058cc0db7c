//! safetensors: a length, a JSON header, then numbers as they lie in memory.
//!
//! Written here because the format's own crate scatters metadata in the order of a hash map, and the same model must give
//! the same bytes.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::TrainedModel;
use super::plain::Plain;

/// Bytes of the header's length, and of a number.
const WORD: usize = 8;
/// The metadata that holds what the arrays do not: the model as in JSON, without weights.
const REST: &str = "hemingway";

#[derive(Serialize, Deserialize)]
struct Header {
    #[serde(rename = "__metadata__", default)]
    metadata: BTreeMap<String, String>,
    #[serde(flatten)]
    arrays: BTreeMap<String, Array>,
}

#[derive(Serialize, Deserialize)]
struct Array {
    dtype: String,
    shape: Vec<usize>,
    /// First byte and end, counted from the header's end.
    data_offsets: (usize, usize),
}

/// The file: `weights`, a row a class where there are several, and `intercept`, 0 where there is none.
pub(super) fn write(model: &TrainedModel) -> Result<Vec<u8>, String> {
    let Plain { weights, intercepts } = Plain::of(model)?;
    let outputs = model.outputs();
    let intercepts = intercepts.unwrap_or_else(|| vec![0.0; outputs]);
    let mut rest = TrainedModel { weights: Vec::new(), ..model.clone() };
    rest.rules.scales = None;
    let mut metadata: BTreeMap<String, String> =
        model.facts().into_iter().map(|(key, value)| (key.into(), value)).collect();
    metadata.insert(REST.into(), serde_json::to_string(&rest).map_err(|e| e.to_string())?);
    let (middle, end) = (WORD * outputs, WORD * (outputs + weights.len()));
    let columns = weights.len() / outputs;
    let shape = if model.classes.is_some() { vec![outputs, columns] } else { vec![columns] };
    let arrays = [("intercept", vec![outputs], (0, middle)), ("weights", shape, (middle, end))];
    let arrays =
        arrays.map(|(name, shape, data_offsets)| (name.into(), Array { dtype: "F64".into(), shape, data_offsets }));
    let header = Header { metadata, arrays: arrays.into() };
    let mut header = serde_json::to_vec(&header).map_err(|e| e.to_string())?;
    // Numbers begin where a number may lie.
    header.resize(header.len().next_multiple_of(WORD), b' ');
    let mut bytes = (header.len() as u64).to_le_bytes().to_vec();
    bytes.append(&mut header);
    intercepts.iter().chain(&weights).for_each(|w| bytes.extend(w.to_le_bytes()));
    Ok(bytes)
}

/// Whether a file begins like one.
pub(super) fn begins(bytes: &[u8]) -> bool {
    bytes.get(WORD) == Some(&b'{')
}

/// Reads what [`write`] wrote.
pub(super) fn read(bytes: &[u8]) -> Result<TrainedModel, String> {
    let cut = || "is cut short, or not a safetensors file; write it again".to_owned();
    let (length, rest) = bytes.split_first_chunk::<WORD>().ok_or_else(cut)?;
    let length = usize::try_from(u64::from_le_bytes(*length)).map_err(|_| cut())?;
    let (header, data) = rest.split_at_checked(length).ok_or_else(cut)?;
    let header: Header = serde_json::from_slice(header).map_err(|e| format!("its header cannot be read: {e}"))?;
    let model = header.metadata.get(REST).ok_or_else(|| {
        format!("has no metadata `{REST}`: only safetensors written by hemingway say how weights apply")
    })?;
    let mut model: TrainedModel =
        serde_json::from_str(model).map_err(|e| format!("its metadata `{REST}` cannot be read: {e}"))?;
    model.weights = header.numbers("weights", data)?;
    if model.rules.intercept {
        model.weights = joined(&model, &header.numbers("intercept", data)?)?;
    }
    Ok(model)
}

/// Every w with its intercept behind it.
fn joined(model: &TrainedModel, intercepts: &[f64]) -> Result<Vec<f64>, String> {
    let (columns, outputs) = (model.rules.columns, model.outputs());
    if intercepts.len() != outputs || Some(model.weights.len()) != columns.checked_mul(outputs) {
        return Err(format!("`weights` and `intercept` are not those of {outputs} times {columns} columns"));
    }
    let w = |(k, b): (usize, &f64)| [&model.weights[k * columns..(k + 1) * columns], &[*b]].concat();
    Ok(intercepts.iter().enumerate().flat_map(w).collect())
}

impl Header {
    /// An array of doubles.
    fn numbers(&self, name: &str, data: &[u8]) -> Result<Vec<f64>, String> {
        let array = self.arrays.get(name).ok_or_else(|| format!("holds no array `{name}`"))?;
        if array.dtype != "F64" {
            return Err(format!("`{name}` is {}; expected F64", array.dtype));
        }
        let (from, to) = array.data_offsets;
        let bytes =
            data.get(from..to).ok_or_else(|| format!("is cut short: `{name}` ends at {to} of {}", data.len()))?;
        let (words, left) = bytes.as_chunks::<WORD>();
        let size = array.shape.iter().try_fold(1, |size: usize, side| size.checked_mul(*side));
        if !left.is_empty() || size != Some(words.len()) {
            return Err(format!("`{name}` has {} bytes for its shape {:?}", bytes.len(), array.shape));
        }
        Ok(words.iter().map(|word| f64::from_le_bytes(*word)).collect())
    }
}
