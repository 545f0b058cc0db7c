//! The numbers of a matrix, as f64 or, where that loses nothing, as f32: half the bytes to bring from memory. Whatever is made of
//! them is made in f64, so that numbers which are f32 exactly give the same bits either way.

use serde::{Deserialize, Serialize};

/// Numbers that change their width together; memory is given back in such steps.
const STEP: usize = 1 << 18;

/// How numbers are kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Precision {
    /// As f32 if every one of them is an f32 exactly, else as f64.
    #[default]
    Auto,
    /// As f32, rounded.
    F32,
    /// As f64.
    F64,
}

impl Precision {
    /// Whether nothing was asked for.
    pub fn is_auto(&self) -> bool {
        *self == Self::Auto
    }
}

/// A number as it is kept.
pub trait Value: Copy + Default + PartialEq + Send + Sync {
    /// What it is worth.
    fn wide(self) -> f64;
    /// The nearest that can be kept.
    fn nearest(number: f64) -> Self;
}

impl Value for f64 {
    #[inline(always)]
    fn wide(self) -> f64 {
        self
    }

    #[inline(always)]
    fn nearest(number: f64) -> Self {
        number
    }
}

impl Value for f32 {
    #[inline(always)]
    fn wide(self) -> f64 {
        f64::from(self)
    }

    #[inline(always)]
    fn nearest(number: f64) -> Self {
        number as Self
    }
}

/// Numbers of one width.
#[derive(Debug, Clone)]
pub enum Values {
    /// Eight bytes each.
    F64(Vec<f64>),
    /// Four bytes each.
    F32(Vec<f32>),
}

/// Some of them, borrowed.
#[derive(Debug, Clone, Copy)]
pub enum Numbers<'a> {
    /// Eight bytes each.
    F64(&'a [f64]),
    /// Four bytes each.
    F32(&'a [f32]),
}

/// The same for either width: which it is, is settled before any loop.
macro_rules! either {
    ($kind:ident, $values:expr, $name:ident => $body:expr) => {
        match $values {
            $kind::F64($name) => $body,
            $kind::F32($name) => $body,
        }
    };
}
pub(crate) use either;

impl From<Vec<f64>> for Values {
    fn from(values: Vec<f64>) -> Self {
        Self::F64(values)
    }
}

/// The same numbers, however they are kept.
impl PartialEq for Values {
    fn eq(&self, other: &Self) -> bool {
        self.len() == other.len() && self.iter().eq(other.iter())
    }
}

impl Values {
    /// None, to be kept like these.
    pub fn none_like(&self) -> Self {
        match self {
            Self::F64(_) => Self::F64(Vec::new()),
            Self::F32(_) => Self::F32(Vec::new()),
        }
    }

    /// How many.
    pub fn len(&self) -> usize {
        either!(Self, self, values => values.len())
    }

    /// None at all.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Bytes of one.
    pub fn width(&self) -> usize {
        match self {
            Self::F64(_) => size_of::<f64>(),
            Self::F32(_) => size_of::<f32>(),
        }
    }

    /// All of them.
    #[inline(always)]
    pub fn numbers(&self) -> Numbers<'_> {
        match self {
            Self::F64(values) => Numbers::F64(values),
            Self::F32(values) => Numbers::F32(values),
        }
    }

    /// Some of them.
    #[inline(always)]
    pub fn get(&self, range: std::ops::Range<usize>) -> Numbers<'_> {
        match self {
            Self::F64(values) => Numbers::F64(&values[range]),
            Self::F32(values) => Numbers::F32(&values[range]),
        }
    }

    /// One after the other.
    pub fn iter(&self) -> impl Iterator<Item = f64> + '_ {
        self.numbers().iter()
    }

    /// Adds numbers. Should one of them not be an f32, all are kept as f64 from now on.
    pub fn extend(&mut self, more: Numbers<'_>) {
        match (&mut *self, more) {
            (Self::F64(values), Numbers::F64(more)) => values.extend_from_slice(more),
            (Self::F64(values), Numbers::F32(more)) => values.extend(more.iter().map(|v| v.wide())),
            (Self::F32(values), Numbers::F32(more)) => values.extend_from_slice(more),
            (Self::F32(values), Numbers::F64(some)) if more.are_f32() => {
                values.extend(some.iter().map(|v| f32::nearest(*v)));
            }
            (Self::F32(_), Numbers::F64(more)) => self.widened().extend_from_slice(more),
        }
    }

    /// Adds zeros.
    pub(super) fn extend_zeros(&mut self, count: usize) {
        either!(Self, self, values => values.resize(values.len() + count, Value::nearest(0.0)));
    }

    /// Puts a number in its place.
    pub(super) fn set(&mut self, at: usize, value: f64) {
        match self {
            Self::F32(values) if f32::nearest(value).wide() == value => values[at] = f32::nearest(value),
            _ => self.widened()[at] = value,
        }
    }

    /// As f64, to be changed to anything.
    pub fn widened(&mut self) -> &mut Vec<f64> {
        self.keep_as(Precision::F64);
        match self {
            Self::F64(values) => values,
            Self::F32(_) => unreachable!("just made wide"),
        }
    }

    /// Keeps the same numbers, or with [`Precision::F32`] the nearest, as asked for.
    pub fn keep_as(&mut self, precision: Precision) {
        let narrow = precision == Precision::F32 || precision == Precision::Auto && self.numbers().are_f32();
        match self {
            Self::F32(values) if precision == Precision::F64 => *self = Self::F64(converted(std::mem::take(values))),
            Self::F64(values) if narrow => *self = Self::F32(converted(std::mem::take(values))),
            _ => {}
        }
    }
}

impl<'a> Numbers<'a> {
    /// How many.
    #[inline(always)]
    pub fn len(self) -> usize {
        either!(Self, self, values => values.len())
    }

    /// None at all.
    pub fn is_empty(self) -> bool {
        self.len() == 0
    }

    /// One of them.
    #[inline(always)]
    pub fn at(self, k: usize) -> f64 {
        either!(Self, self, values => values[k].wide())
    }

    /// One after the other.
    #[inline(always)]
    pub fn iter(self) -> impl Iterator<Item = f64> + 'a {
        (0..self.len()).map(move |k| self.at(k))
    }

    /// Whether each is an f32 exactly. A zero keeps its sign, and an infinity would not be what it came from.
    pub fn are_f32(self) -> bool {
        match self {
            Self::F64(values) => values.iter().all(|v| f32::nearest(*v).wide().to_bits() == v.to_bits()),
            Self::F32(_) => true,
        }
    }
}

/// In another width. What has been taken from the end is given back at once: both are never held whole.
fn converted<A: Value, B: Value>(mut from: Vec<A>) -> Vec<B> {
    let mut into = vec![B::default(); from.len()];
    while !from.is_empty() {
        let start = from.len().saturating_sub(STEP);
        into[start..].iter_mut().zip(&from[start..]).for_each(|(b, a)| *b = B::nearest(a.wide()));
        from.truncate(start);
        from.shrink_to_fit();
    }
    into
}
