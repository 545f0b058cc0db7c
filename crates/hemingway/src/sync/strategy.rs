//! A strategy as data: for every variable, or every shard of one, how its gradients become one sum.

mod layout;

use std::path::Path;

use serde::{Deserialize, Serialize};

pub use layout::{Group, Layout, Piece, Texture};

use super::misread::in_words;
use crate::{Error, Result, kind};

/// The version of the file that this program writes and reads.
pub const VERSION: u32 = 1;
/// The most exchanges under way at once.
pub const MOST_WINDOW: usize = 64;
/// The most steps that a sum may be late.
pub const MOST_STALENESS: u32 = 8;

/// How the variables of a model are exchanged between m machines.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Strategy {
    /// [`VERSION`].
    pub version: u32,
    /// Its name in tables.
    pub name: String,
    /// m.
    pub machines: usize,
    /// How many groups are exchanged at once, in the order in which they are ready.
    pub window: usize,
    /// One plan for each variable of the model.
    pub variables: Vec<Plan>,
}

/// How one variable is exchanged.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Plan {
    /// Its name in the model.
    pub variable: String,
    /// How it is cut, if it is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub partition: Option<Partition>,
    /// One for each shard; one in all for a variable that is not cut.
    pub shards: Vec<Exchange>,
}

/// A cut along one axis.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Partition {
    /// The axis, from 0.
    pub axis: usize,
    /// The lengths of the shards along it, which add up to the variable's.
    pub sizes: Vec<usize>,
}

impl Partition {
    /// Shards as even as may be, the longer ones first.
    pub fn even(axis: usize, length: usize, shards: usize) -> Self {
        let sizes = (0..shards).map(|i| length / shards + usize::from(i < length % shards));
        Self { axis, sizes: sizes.collect() }
    }
}

/// How one shard is exchanged.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Exchange {
    /// Who sums, and on which ways.
    pub by: Method,
    /// Shards of one number are merged into one buffer and exchanged as one.
    pub group: u32,
    /// How messages are written.
    #[serde(default, skip_serializing_if = "Compression::is_none")]
    pub compression: Compression,
    /// By how many steps the sum may be late.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub staleness: u32,
}

fn is_zero(staleness: &u32) -> bool {
    *staleness == 0
}

impl Exchange {
    /// Plain, and with no other shard in its group.
    pub fn new(by: Method, group: u32) -> Self {
        Self { by, group, compression: Compression::None, staleness: 0 }
    }
}

/// Who sums, and on which ways.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Method {
    /// All-reduce around a ring in m chunks: every link carries 2(m − 1)/m of the buffer, in 2(m − 1) steps.
    Ring,
    /// All-reduce up and down a binomial tree: few steps, each with the whole buffer.
    Tree,
    /// All-reduce by recursive halving and doubling: a ring's bytes in 2 log₂ m steps.
    HalvingDoubling,
    /// All-reduce within racks and between them, so that uplinks carry one rack's share.
    Hierarchical,
    /// This machine sums what all others send, and hands it back.
    Server(usize),
}

/// How messages are written. The first three lose nothing; what the others lose, the sender keeps and adds to its next
/// gradient (error feedback).
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Compression {
    /// As they are.
    #[default]
    None,
    /// Runs of elements that are not zero, with their places.
    Sparse,
    /// The same, with places in as few bits as may be.
    Packed,
    /// In 16 bits.
    Fp16,
    /// In 8 bits, with one scale a chunk.
    Int8,
    /// Only this share of the elements, those largest in size.
    TopK(f64),
    /// A chunk as the product of two thin matrices of this rank.
    PowerSgd(u32),
}

impl Compression {
    /// Whether sums are exact.
    pub fn is_lossless(self) -> bool {
        matches!(self, Self::None) || self.leaves_out_zeros()
    }

    /// Whether only what is not zero is sent.
    pub fn leaves_out_zeros(self) -> bool {
        matches!(self, Self::Sparse | Self::Packed)
    }

    fn is_none(&self) -> bool {
        *self == Self::None
    }

    fn check(self) -> Result<(), String> {
        match self {
            Self::TopK(share) if !(share > 0.0 && share <= 1.0) => {
                Err(format!("top-k keeps a share above 0 and up to 1, not {share}"))
            }
            Self::PowerSgd(rank) if !(1..=64).contains(&rank) => {
                Err(format!("power-sgd takes a rank from 1 to 64, not {rank}"))
            }
            _ => Ok(()),
        }
    }
}

impl std::fmt::Display for Method {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Ring => f.write_str("ring"),
            Self::Tree => f.write_str("tree"),
            Self::HalvingDoubling => f.write_str("halving-doubling"),
            Self::Hierarchical => f.write_str("hierarchical"),
            Self::Server(machine) => write!(f, "server {machine}"),
        }
    }
}

impl std::fmt::Display for Compression {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::None => f.write_str("none"),
            Self::Sparse => f.write_str("sparse"),
            Self::Packed => f.write_str("packed"),
            Self::Fp16 => f.write_str("fp16"),
            Self::Int8 => f.write_str("int8"),
            Self::TopK(share) => write!(f, "top-k {share}"),
            Self::PowerSgd(rank) => write!(f, "power-sgd {rank}"),
        }
    }
}

/// What every version of a file says.
#[derive(Deserialize)]
struct Versioned {
    version: u32,
}

impl Strategy {
    /// Reads a file; whether it suits a model and a cluster, [`Layout::of`] finds out. A strategy that cannot be meant is
    /// the wrong one to name, whoever finds that out: a setting in both cases.
    pub fn read(path: &Path) -> Result<Self> {
        let in_file = |error| match error {
            Error::Data { line, what, .. } => Error::setting(format!("{}:{line}", path.display()), what),
            Error::Setting { field, what } => Error::setting(path.display().to_string(), format!("{field} {what}")),
            other => other,
        };
        kind::A_STRATEGY.read(path, |text| Self::parse(text).map_err(in_file))
    }

    /// Understands the text of a file.
    pub fn parse(text: &str) -> Result<Self> {
        // Other versions have other fields: first of all, which it is.
        let version = serde_json::from_str::<Versioned>(text).map(|file| file.version);
        if let Some(other) = version.ok().filter(|version| *version != VERSION) {
            let what = format!("is {other}; this program knows strategies of version {VERSION}");
            return Err(Error::setting("version", what));
        }
        serde_json::from_str(text).map_err(|e| {
            let words = in_words(text, &e);
            let wanted = match words.contains("missing field") {
                true => format!("; expected {}", kind::A_STRATEGY.example),
                false => String::new(),
            };
            Error::data("strategy", e.line(), format!("{words}{wanted}"))
        })
    }

    /// The text of a file.
    pub fn json(&self) -> Result<String> {
        serde_json::to_string_pretty(self)
            .map_err(|e| Error::setting("strategy", format!("cannot be written as JSON: {e}")))
    }

    /// Every shard's exchange.
    pub fn exchanges(&self) -> impl Iterator<Item = &Exchange> {
        self.variables.iter().flat_map(|plan| &plan.shards)
    }

    /// Whether every step ends with the exact sum of its own gradients.
    pub fn is_lossless(&self) -> bool {
        self.exchanges().all(|exchange| exchange.compression.is_lossless() && exchange.staleness == 0)
    }
}
