//! What a picture is made of.

use crate::ink::Ink;

/// One chart, or several side by side under one title and one legend.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Picture {
    /// What is shown.
    pub title: String,
    /// Under what conditions.
    pub subtitle: String,
    /// What the marks mean.
    pub legend: Vec<Key>,
    /// The charts, row by row.
    pub charts: Vec<Chart>,
    /// Charts in a row; 0 counts as 1.
    pub columns: usize,
}

/// Layers over two axes.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Chart {
    /// What it shows, if the title of the picture does not say it already.
    pub caption: String,
    /// The horizontal axis.
    pub x: Axis,
    /// The vertical axis.
    pub y: Axis,
    /// What is drawn.
    pub layers: Vec<Layer>,
}

/// An axis: what it measures and how.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Axis {
    /// Quantity and unit.
    pub label: String,
    /// How numbers are laid out.
    pub scale: Scale,
    /// Lowest and highest number, instead of what the layers need; what lies outside is cut off.
    pub range: Option<(f64, f64)>,
}

/// How numbers are laid out along an axis.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Scale {
    /// Evenly.
    #[default]
    Linear,
    /// By logarithm, marked in tens.
    Log,
    /// By logarithm, marked in twos: numbers of machines.
    Doubling,
}

/// How a line is drawn.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Stroke {
    /// In one go.
    #[default]
    Solid,
    /// A thin one, for what stands behind the others.
    Thin,
    /// In dashes: extrapolated, or another method.
    Dashed,
}

/// Something drawn over the axes. Lines and dots whose name is not empty carry it at their end.
#[derive(Debug, Clone, PartialEq)]
pub enum Layer {
    /// Points joined.
    Line {
        /// Its colour.
        ink: Ink,
        /// Its stroke.
        stroke: Stroke,
        /// (x, y), x ascending.
        points: Vec<(f64, f64)>,
        /// Its name.
        name: String,
    },
    /// Points alone.
    Dots {
        /// Their colour.
        ink: Ink,
        /// (x, y).
        points: Vec<(f64, f64)>,
        /// Their name.
        name: String,
    },
    /// An area between two curves; an infinite limit ends at the edge.
    Band {
        /// Its colour.
        ink: Ink,
        /// (x, low, high), x ascending.
        limits: Vec<(f64, f64, f64)>,
    },
    /// A vertical bar with feet at each x.
    Whiskers {
        /// Their colour.
        ink: Ink,
        /// (x, low, high).
        limits: Vec<(f64, f64, f64)>,
    },
    /// A horizontal line across the chart, named at its right.
    Level {
        /// Its y.
        at: f64,
        /// Its name.
        name: String,
    },
    /// A vertical line across the chart, named above it.
    Moment {
        /// Its x.
        at: f64,
        /// Its name.
        name: String,
    },
    /// A ring around one point.
    Ring {
        /// Its colour.
        ink: Ink,
        /// (x, y).
        at: (f64, f64),
    },
}

/// An entry of the legend.
#[derive(Debug, Clone, PartialEq)]
pub struct Key {
    /// How it is drawn.
    pub look: Look,
    /// Its colour.
    pub ink: Ink,
    /// What it means.
    pub words: String,
}

/// How an entry of the legend is drawn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Look {
    /// As a line.
    Line(Stroke),
    /// As dots.
    Dots,
    /// As a band.
    Band,
    /// As a bar with feet.
    Whiskers,
    /// As a ring.
    Ring,
}

impl Axis {
    /// An axis that shows all of its layers.
    pub fn new(label: impl Into<String>, scale: Scale) -> Self {
        Self { label: label.into(), scale, range: None }
    }
}

impl Key {
    /// This look means this.
    pub fn new(look: Look, ink: Ink, words: impl Into<String>) -> Self {
        Self { look, ink, words: words.into() }
    }
}

impl Layer {
    /// A line without a name.
    pub fn line(ink: Ink, stroke: Stroke, points: Vec<(f64, f64)>) -> Self {
        Self::Line { ink, stroke, points, name: String::new() }
    }

    /// Dots without a name.
    pub fn dots(ink: Ink, points: Vec<(f64, f64)>) -> Self {
        Self::Dots { ink, points, name: String::new() }
    }

    /// The same with a name, where it can carry one.
    pub fn named(mut self, words: impl Into<String>) -> Self {
        match &mut self {
            Self::Line { name, .. } | Self::Dots { name, .. } => *name = words.into(),
            Self::Level { name, .. } | Self::Moment { name, .. } => *name = words.into(),
            Self::Band { .. } | Self::Whiskers { .. } | Self::Ring { .. } => {}
        }
        self
    }

    /// What lies deepest is drawn first.
    pub(crate) fn depth(&self) -> usize {
        match self {
            Self::Band { .. } => 0,
            Self::Level { .. } | Self::Moment { .. } => 1,
            Self::Line { stroke: Stroke::Thin, .. } => 2,
            Self::Dots { .. } | Self::Whiskers { .. } => 3,
            Self::Line { .. } => 4,
            Self::Ring { .. } => 5,
        }
    }
}
