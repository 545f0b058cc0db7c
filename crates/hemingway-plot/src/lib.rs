//! Charts as SVG documents: measured points, fitted curves and their 90 % bands, on linear or logarithmic axes.
//!
//! A [`Picture`] is plain data and [`Picture::svg`] a pure function of it: the same numbers give the same bytes. Text
//! stays text, lines carry their names at their ends, the legend stands outside the charts, and colours suit
//! colour-blind eyes on light and on dark pages. What cannot be drawn (NaN, an infinite limit, zero on a logarithmic
//! axis) is left out or ends at the edge.

mod draw;
mod ink;
mod names;
mod page;
mod panel;
mod path;
mod picture;
mod ruler;
mod sheet;
mod ticks;

pub use ink::{DISTINCT, Ink, LOUD, MUTED, distinct, ramp};
pub use picture::{Axis, Chart, Key, Layer, Look, Picture, Scale, Stroke};
