//! The models and clusters on which exchanges of variables are measured.

pub mod dataset;
pub mod ranking;
pub mod testbed;
pub mod transfer;

use anyhow::{Context, Result};
use hemingway::cluster::Cluster;
use hemingway::sync::replay::Engine;
use hemingway::sync::search::Wish;
use hemingway::sync::{Model, Stage};

/// Clusters by name.
pub const CLUSTERS: [(&str, &str); 6] = [
    ("flat-10gbit", include_str!("../sync/flat-10gbit.toml")),
    ("flat-25gbit", include_str!("../sync/flat-25gbit.toml")),
    ("racks-25gbit", include_str!("../sync/racks-25gbit.toml")),
    ("uneven-10gbit", include_str!("../sync/uneven-10gbit.toml")),
    ("mixed-25gbit", include_str!("../sync/mixed-25gbit.toml")),
    ("slow-1gbit", include_str!("../sync/slow-1gbit.toml")),
];

/// Models on clusters.
pub const PAIRS: [(&str, &str); 12] = [
    ("vgg16", "flat-10gbit"),
    ("vgg16", "racks-25gbit"),
    ("vgg16", "uneven-10gbit"),
    ("resnet50", "flat-10gbit"),
    ("resnet101", "uneven-10gbit"),
    ("densenet121", "slow-1gbit"),
    ("inceptionv3", "mixed-25gbit"),
    ("bert-base", "flat-25gbit"),
    ("bert-large", "racks-25gbit"),
    ("ncf", "flat-10gbit"),
    ("ncf", "slow-1gbit"),
    ("wide-click", "slow-1gbit"),
];

/// A model on all machines of a cluster.
pub fn stage(model: &str, cluster: &str) -> Result<Stage> {
    let text = CLUSTERS.iter().find(|(name, _)| *name == cluster).context("an unknown cluster")?.1;
    let cluster = Cluster::parse(text)?;
    Ok(Stage::new(Model::find(model)?, &cluster, cluster.machines)?)
}

/// A search of the bench: simulated trials of lossless strategies.
pub fn wish(trials: usize) -> Wish {
    Wish { trials, lossless: true, seed: 1, engine: Engine::Simulated }
}
