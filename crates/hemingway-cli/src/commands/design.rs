//! `design`: which runs to make first, or which probe next.

mod first;
mod next;

use anyhow::Result;
use hemingway::cluster::Cluster;
use hemingway::model::design::Cost;

use super::exit::Usage;
use crate::args::{CostArg, DesignArgs};
use crate::output::Output;

/// Without records Ernest's design for f; with them the probe that settles the choice.
pub(super) fn design(args: &DesignArgs, out: &mut dyn Output) -> Result<u8> {
    if args.records.records.is_empty() { first::runs(args, out) } else { next::probe(args, out) }
}

/// Dollars an hour for a machine, where known.
fn price(args: &DesignArgs, cluster: Option<&Cluster>) -> Result<Option<f64>> {
    match args.price {
        Some(price) if !(price.is_finite() && price > 0.0) => Err(Usage::error("--price: must be above 0")),
        Some(price) => Ok(Some(price)),
        None => Ok(cluster.map(|cluster| cluster.price_per_hour).filter(|price| *price > 0.0)),
    }
}

fn cost(args: &DesignArgs, price: Option<f64>) -> Result<Cost> {
    match args.cost {
        None | Some(CostArg::Time) => Ok(Cost::Time),
        Some(CostArg::MachineSeconds) => Ok(Cost::MachineSeconds),
        Some(CostArg::Dollars) => {
            let words = "--cost dollars needs --price $, or --cluster FILE with a price_per_hour";
            price.map(|per_hour| Cost::Dollars { per_hour }).ok_or_else(|| Usage::error(words))
        }
    }
}
