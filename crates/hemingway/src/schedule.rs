//! Which part of the model moves in a round: strategy as data here, its mechanism in the modules below.

pub(crate) mod dependence;
pub(crate) mod dynamic;
pub(crate) mod rivals;

use serde::{Deserialize, Serialize};

use crate::{Error, Result};

/// The largest |cos| of two columns that may move on different machines at once.
const RHO: f64 = 0.1;
/// Whether blocks are chosen one round ahead, unless the user says so.
const PIPELINE: bool = false;
/// Columns that move in a round by the schedules that do not find that out themselves.
const BLOCK: usize = 64;

/// The way updates are scheduled.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Schedule {
    /// Everything, every round.
    #[default]
    All,
    /// Every machine's columns one after the other, so many in all in a round.
    Cyclic {
        /// Columns in a round.
        block: usize,
    },
    /// Any columns, so many in a round (Shotgun: Bradley et al. 2011).
    Random {
        /// Columns in a round.
        block: usize,
    },
    /// Blocks made once, of columns that hardly depend on each other, in turn.
    Static {
        /// Columns in a round, at most.
        block: usize,
        /// The largest |cos| of two columns of a block.
        rho: f64,
    },
    /// Those first that moved most, never two together on different machines that depend on each other (STRADS: Lee et
    /// al. 2014).
    Dynamic {
        /// Columns that a machine moves in a round; found out on the way if none.
        block: Option<usize>,
        /// The largest |cos| of two columns that move on different machines at once.
        rho: f64,
        /// Whether a block is chosen while the one before it moves, and so without what that comes to.
        #[serde(default)]
        pipeline: bool,
    },
}

impl Schedule {
    /// The dynamic one as it comes.
    pub const fn dynamic() -> Self {
        Self::Dynamic { block: None, rho: RHO, pipeline: PIPELINE }
    }

    /// Its name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Self::All => "all",
            Self::Cyclic { .. } => "cyclic",
            Self::Random { .. } => "random",
            Self::Static { .. } => "static",
            Self::Dynamic { .. } => "dynamic",
        }
    }

    fn by_name(name: &str) -> Option<Self> {
        Some(match name {
            "all" => Self::All,
            "cyclic" => Self::Cyclic { block: BLOCK },
            "random" => Self::Random { block: BLOCK },
            "static" => Self::Static { block: BLOCK, rho: RHO },
            "dynamic" => Self::dynamic(),
            _ => return None,
        })
    }

    /// The same with one of its settings changed; nothing if it has none of that name, or not of that value.
    fn with(self, key: &str, value: &str) -> Option<Self> {
        let count = || value.parse().ok().filter(|block| *block > 0);
        let rounds = || ["0", "1"].iter().position(|rounds| *rounds == value).map(|rounds| rounds == 1);
        let share = || value.parse().ok().filter(|rho| (0.0..=1.0).contains(rho));
        Some(match (self, key) {
            (Self::Cyclic { .. }, "block") => Self::Cyclic { block: count()? },
            (Self::Random { .. }, "block") => Self::Random { block: count()? },
            (Self::Static { rho, .. }, "block") => Self::Static { block: count()?, rho },
            (Self::Static { block, .. }, "rho") => Self::Static { block, rho: share()? },
            (Self::Dynamic { rho, pipeline, .. }, "block") => Self::Dynamic { block: Some(count()?), rho, pipeline },
            (Self::Dynamic { block, pipeline, .. }, "rho") => Self::Dynamic { block, rho: share()?, pipeline },
            (Self::Dynamic { block, rho, .. }, "pipeline") => Self::Dynamic { block, rho, pipeline: rounds()? },
            _ => return None,
        })
    }
}

impl std::fmt::Display for Schedule {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name())?;
        match self {
            Self::All => Ok(()),
            Self::Cyclic { block } | Self::Random { block } => write!(f, ":block={block}"),
            Self::Static { block, rho } => write!(f, ":block={block},rho={rho}"),
            Self::Dynamic { block, rho, pipeline } => {
                let block = block.map_or(String::new(), |block| format!("block={block},"));
                write!(f, ":{block}rho={rho}")?;
                if *pipeline == PIPELINE { Ok(()) } else { write!(f, ",pipeline={}", u8::from(*pipeline)) }
            }
        }
    }
}

/// `NAME`, or `NAME:block=64,rho=0.1,pipeline=1`.
impl std::str::FromStr for Schedule {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        let (name, settings) = text.split_once(':').unwrap_or((text, ""));
        let unknown = || {
            let what = format!("`{name}` is not a schedule; there are all, cyclic, random, static and dynamic");
            Error::setting("--schedule", what)
        };
        let mut schedule = Self::by_name(name).ok_or_else(unknown)?;
        for setting in settings.split(',').filter(|setting| !setting.is_empty()) {
            let changed = setting.split_once('=').and_then(|(key, value)| schedule.with(key, value));
            schedule = changed.ok_or_else(|| {
                let what = format!(
                    "`{setting}` does not go with {name}; write block=N, N ≥ 1 (all but `all`), rho=R, R from 0 to 1 (static, dynamic), or pipeline=0 or 1 (dynamic)"
                );
                Error::setting("--schedule", what)
            })?;
        }
        Ok(schedule)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn schedules_are_read_as_they_are_written() {
        let all = ["all", "cyclic:block=3", "random:block=64", "static:block=8,rho=0.2", "dynamic:rho=0.1"];
        for text in all.into_iter().chain(["dynamic:block=4,rho=0.3", "dynamic:rho=0.1,pipeline=1"]) {
            assert_eq!(text.parse::<Schedule>().unwrap().to_string(), text);
        }
        assert_eq!("dynamic".parse::<Schedule>().unwrap(), Schedule::dynamic());
        for text in [
            "often",
            "all:block=2",
            "random:block=0",
            "dynamic:rho=2",
            "cyclic:rho=0.1",
            "random:block",
            "static:pipeline=1",
            "dynamic:pipeline=2",
        ] {
            assert!(text.parse::<Schedule>().unwrap_err().to_string().starts_with("--schedule: `"), "{text}");
        }
    }
}
