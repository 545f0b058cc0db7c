//! How things look: numbers, tables, colours.

mod basis;
mod clusters;
mod exchange;
pub(crate) mod markdown;
pub(crate) mod number;
mod paint;
pub(crate) mod picture;
mod plan;
mod probes;
mod table;

pub(crate) use basis::{Basis, Remembered};
pub(crate) use clusters::ClusterTable;
pub(crate) use exchange::Exchange;
pub(crate) use paint::Paint;
pub(crate) use plan::PlanTable;
pub(crate) use probes::Probes;
pub(crate) use table::{Align, Table};
