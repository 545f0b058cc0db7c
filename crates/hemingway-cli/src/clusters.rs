//! From `--cluster` to a cluster: a file, one of those that come with the program, or none.

use std::path::Path;

use hemingway::cluster::Cluster;
use hemingway::{Error, Result};

use crate::args::LOCAL;

/// The clusters that come with the program, so that their names work from anywhere.
const SHIPPED: [(&str, &str); 4] = [
    ("spark-1gbit", include_str!("../../../clusters/spark-1gbit.toml")),
    ("cloud-25gbit", include_str!("../../../clusters/cloud-25gbit.toml")),
    ("hpc-200gbit", include_str!("../../../clusters/hpc-200gbit.toml")),
    ("laptop", include_str!("../../../clusters/laptop.toml")),
];

/// The cluster meant; `local` is none.
pub(crate) fn find(name: &str) -> Result<Option<Cluster>> {
    let cluster = described(name)?;
    if cluster.is_none() && name != LOCAL {
        let names = SHIPPED.map(|(name, _)| name).join(", ");
        return Err(Error::setting("--cluster", format!("`{name}` is neither a file nor one of local, {names}")));
    }
    Ok(cluster)
}

/// Several clusters to choose from, each with its file: they need one kind of clock, and names to tell them apart.
pub(crate) fn several(names: &[String]) -> Result<Vec<(&str, Cluster)>> {
    let mut clusters: Vec<(&str, Cluster)> = Vec::new();
    for file in names {
        let Some(cluster) = find(file)? else {
            let what = "`local` runs on this machine's clock, cluster files on simulated ones: compare files only";
            return Err(Error::setting("--cluster", what));
        };
        if let Some((other, _)) = clusters.iter().find(|(_, other)| other.name == cluster.name) {
            let what = format!("{other} and {file} both name their cluster `{}`: give one another name", cluster.name);
            return Err(Error::setting("--cluster", what));
        }
        clusters.push((file, cluster));
    }
    Ok(clusters)
}

/// The cluster of this file or shipped name, if it is either.
pub(crate) fn described(name: &str) -> Result<Option<Cluster>> {
    if Path::new(name).is_file() {
        return Cluster::read(Path::new(name)).map(Some);
    }
    SHIPPED.iter().find(|(shipped, _)| *shipped == name).map(|(_, text)| Cluster::parse(text)).transpose()
}

/// Why a goal or cap in dollars means nothing here, and what to do about it.
pub(crate) fn unpriced(cluster: Option<&Cluster>) -> String {
    let priced = |text: &str| Cluster::parse(text).is_ok_and(|shipped| shipped.price_per_hour > 0.0);
    let names: Vec<&str> = SHIPPED.iter().filter(|(_, text)| priced(text)).map(|(name, _)| *name).collect();
    let names = names.join(", ");
    match cluster {
        Some(cluster) => format!(
            "the price_per_hour of {} is 0, and a goal or cap in dollars needs one above 0: set it in its file, or take one \
             of {names}",
            cluster.name
        ),
        None => format!("a goal or cap in dollars needs a cluster file with price_per_hour, or one of {names}"),
    }
}

/// Whether its name alone says all of it, from anywhere.
pub(crate) fn is_shipped(cluster: &Cluster) -> bool {
    let shipped = SHIPPED.iter().find(|(name, _)| *name == cluster.name);
    shipped.is_some_and(|(_, text)| Cluster::parse(text).is_ok_and(|shipped| shipped == *cluster))
}

#[cfg(test)]
mod tests {
    #[test]
    fn every_shipped_cluster_is_sound_and_has_its_name() {
        for (name, _) in super::SHIPPED {
            assert_eq!(super::find(name).unwrap().unwrap().name, name);
        }
        assert!(super::find(super::LOCAL).unwrap().is_none());
        assert!(super::find("nowhere").unwrap_err().to_string().contains("spark-1gbit"));
    }
}
