//! A model as its exchange sees it: variables with shapes, and when the gradient of each is ready.

pub mod builtin;
mod linear;
mod onnx;

use std::collections::HashSet;
use std::path::Path;

use serde::{Deserialize, Serialize};

use super::misread::in_words;
use crate::{Error, Result, kind};

/// Elements of a variable beyond which sizes are taken for a slip of the pen: 2⁴⁰.
const MOST_ELEMENTS: f64 = (1u64 << 40) as f64;
/// Where machines touch all rows together, how many of them would do is not to be told.
const NEARLY_ALL: f64 = 1.0 - 1e-9;
/// Machines may shun what others touch, but there is no need to follow that far.
const MOST_SPREAD: f64 = 2.0;
/// Gradients of a file that gives no times are all ready at the end of a step that takes no time.
const NO_TIME: f64 = 0.0;

/// Variables in the order of the forward pass, and how long a step computes.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Model {
    /// Its name in tables.
    pub name: String,
    /// What is exchanged at every step.
    pub variables: Vec<Variable>,
    /// Forward and backward pass of one step on one machine, without any exchange.
    #[serde(default)]
    pub step_ms: f64,
}

/// One tensor whose gradient is summed over the machines.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Variable {
    /// Its name, unlike all others.
    pub name: String,
    /// Its lengths along each axis; none for a scalar.
    pub shape: Vec<usize>,
    /// What its elements are.
    #[serde(default)]
    pub dtype: Dtype,
    /// The share of rows (entries along axis 0) that one machine's gradient touches in a step.
    #[serde(default = "dense")]
    pub density: f64,
    /// The share of rows that the gradients of all machines together touch, where that is known; else each is taken to touch
    /// what it touches whatever the others do.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub together: Option<f64>,
    /// When its gradient is ready, counted from the start of the step.
    #[serde(default)]
    pub ready_ms: f64,
}

/// The type of an element.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Dtype {
    /// 32-bit floats.
    #[default]
    F32,
    /// 64-bit floats.
    F64,
    /// 16-bit floats.
    F16,
    /// 16-bit floats with the range of 32-bit ones.
    Bf16,
}

impl Dtype {
    /// Bytes of an element.
    pub fn bytes(self) -> usize {
        match self {
            Self::F16 | Self::Bf16 => 2,
            Self::F32 => 4,
            Self::F64 => 8,
        }
    }
}

fn dense() -> f64 {
    1.0
}

impl Variable {
    /// A dense variable of 32-bit floats that is ready at the end of the step.
    pub fn new(name: impl Into<String>, shape: impl Into<Vec<usize>>) -> Self {
        Self {
            name: name.into(),
            shape: shape.into(),
            dtype: Dtype::F32,
            density: 1.0,
            together: None,
            ready_ms: NO_TIME,
        }
    }

    /// The product of its lengths.
    pub fn elements(&self) -> usize {
        self.shape.iter().product()
    }

    /// What all of it takes.
    pub fn bytes(&self) -> f64 {
        (self.elements() * self.dtype.bytes()) as f64
    }

    /// Whether a gradient touches few of its rows.
    pub fn is_sparse(&self) -> bool {
        self.density < 1.0
    }

    /// Elements of a row: of all axes but the first.
    pub fn row(&self) -> usize {
        self.shape.iter().skip(1).product()
    }

    /// γ in 1 − (1 − ρ)^(h^γ), the share that h of so many machines touch together where one touches ρ: 1 if they do so
    /// independently, 0 if all touch the same.
    pub(super) fn spread(&self, machines: usize) -> f64 {
        let Some(together) = self.together.filter(|_| machines > 1 && self.is_sparse()) else { return 1.0 };
        let machines_worth = (-together.min(NEARLY_ALL)).ln_1p() / (-self.density).ln_1p();
        (machines_worth.max(1.0).ln() / (machines as f64).ln()).clamp(0.0, MOST_SPREAD)
    }

    fn check(&self, step_ms: f64) -> Result<(), String> {
        let elements: f64 = self.shape.iter().map(|length| *length as f64).product();
        if self.shape.contains(&0) {
            return Err(format!("shape {:?} has a length of 0", self.shape));
        }
        if elements > MOST_ELEMENTS {
            return Err(format!("shape {:?} has more than 2^40 elements", self.shape));
        }
        if !(self.density > 0.0 && self.density <= 1.0) {
            return Err(format!("density {} is no share; write a number above 0 and up to 1", self.density));
        }
        if let Some(together) = self.together.filter(|share| !(*share >= self.density && *share <= 1.0)) {
            return Err(format!("together {together} is not between its density {} and 1", self.density));
        }
        if step_ms == NO_TIME && self.ready_ms > 0.0 {
            return Err(format!(
                "ready_ms {} counts from the start of a step: say how long one is in step_ms, beside the model's name",
                self.ready_ms
            ));
        }
        if !(self.ready_ms >= 0.0 && self.ready_ms <= step_ms) {
            return Err(format!("ready_ms {} lies outside the step of {step_ms} ms", self.ready_ms));
        }
        Ok(())
    }
}

impl Model {
    /// The model of this name, or in this file: a variables list (JSON) or an ONNX graph (`.onnx`).
    pub fn find(name: &str) -> Result<Self> {
        if let Some(model) = builtin::named(name) {
            return Ok(model);
        }
        let path = Path::new(name);
        if path.is_file() {
            return Self::read(path);
        }
        let names = builtin::NAMES.join(", ");
        Err(Error::setting("MODEL", format!("`{name}` is neither a file nor one of {names}")))
    }

    /// Reads and checks a file.
    pub fn read(path: &Path) -> Result<Self> {
        if path.extension().is_some_and(|end| end.eq_ignore_ascii_case("onnx")) {
            let bytes = std::fs::read(path).map_err(Error::io(path))?;
            let name = path.file_stem().map_or_else(String::new, |stem| stem.to_string_lossy().into_owned());
            let model = onnx::read(&bytes, name).map_err(|what| Error::file(path, what))?;
            model.check().map_err(|what| Error::file(path, what))?;
            return Ok(model);
        }
        let in_file = |error| match error {
            Error::Data { line, what, .. } => Error::data(path, line, what),
            Error::Setting { what, .. } => Error::file(path, what),
            other => other,
        };
        kind::VARIABLES_OF_A_MODEL.read(path, |text| Self::parse(text).map_err(in_file))
    }

    /// Understands the text of a variables list.
    ///
    /// ```
    /// use hemingway::sync::Model;
    /// let text = r#"{"name": "small", "step_ms": 5, "variables": [
    ///     {"name": "w", "shape": [100, 10], "dtype": "f32", "density": 1.0, "ready_ms": 4.5},
    ///     {"name": "b", "shape": [10], "ready_ms": 5}]}"#;
    /// assert_eq!(Model::parse(text)?.bytes(), 4040.0);
    /// # Ok::<(), hemingway::Error>(())
    /// ```
    pub fn parse(text: &str) -> Result<Self> {
        let model: Self = serde_json::from_str(text).map_err(|e| Error::data("model", e.line(), in_words(text, &e)))?;
        model.check().map_err(|what| Error::setting("MODEL", what))?;
        Ok(model)
    }

    /// Whether every variable makes sense, or which does not.
    pub fn check(&self) -> Result<(), String> {
        if self.variables.is_empty() {
            return Err("has no variables: list at least one".into());
        }
        if !(self.step_ms >= 0.0 && self.step_ms.is_finite()) {
            return Err(format!("step_ms {} is no time; write milliseconds, 0 or more", self.step_ms));
        }
        let mut names = HashSet::new();
        for variable in &self.variables {
            let name = &variable.name;
            variable.check(self.step_ms).map_err(|what| format!("variable `{name}`: {what}"))?;
            if !names.insert(name) {
                return Err(format!("variable `{name}` is listed twice"));
            }
        }
        Ok(())
    }

    /// What all variables take.
    pub fn bytes(&self) -> f64 {
        self.variables.iter().map(Variable::bytes).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = r#"{"name": "m", "step_ms": 4, "variables": [
{"name": "w", "shape": [3, 4], "ready_ms": 2},
{"name": "e", "shape": [100, 8], "dtype": "f16", "density": 0.01}]}"#;

    #[test]
    fn a_list_is_read_with_its_defaults() {
        let model = Model::parse(TEXT).unwrap();
        let [w, e] = &model.variables[..] else { panic!("two variables") };
        assert_eq!((w.elements(), w.bytes(), w.is_sparse(), w.row()), (12, 48.0, false, 4));
        assert_eq!((e.bytes(), e.is_sparse(), e.row()), (1600.0, true, 8));
        assert_eq!(Model::parse(&serde_json::to_string(&model).unwrap()).unwrap(), model);
    }

    #[test]
    fn what_is_wrong_names_the_variable_or_the_line() {
        let broken = |from: &str, to: &str| Model::parse(&TEXT.replace(from, to)).unwrap_err().to_string();
        assert!(broken("[3, 4]", "[3, 0]").contains("variable `w`: shape [3, 0] has a length of 0"));
        assert!(broken("[3, 4]", "[9999999999, 9999999999]").contains("variable `w`: shape"));
        assert!(broken("0.01", "1.5").contains("variable `e`: density 1.5"));
        assert!(broken("\"ready_ms\": 2", "\"ready_ms\": 5").contains("variable `w`: ready_ms 5 lies outside"));
        assert!(broken("\"e\"", "\"w\"").contains("variable `w` is listed twice"));
        assert!(broken("\"f16\"", "\"f17\"").starts_with("model:3: variable `e`: dtype: unknown variant `f17`"));
        assert!(
            broken("[100, 8]", "[-1]")
                .starts_with("model:3: variable `e`: shape[0]: invalid value: integer `-1`, expected a whole number")
        );
        assert!(Model::parse(r#"{"name": "m", "variables": []}"#).unwrap_err().to_string().contains("no variables"));
        assert!(Model::find("nothing").unwrap_err().to_string().contains("vgg16, resnet50"));
    }
}
