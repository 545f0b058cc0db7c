//! The problems.

use std::path::PathBuf;

use anyhow::Context;
use hemingway::data::{Dataset, Normalize, Preparation, prepare};
use hemingway::problem::{Loss, Problem};
use serde::Deserialize;

/// λ₂ of every problem without L1.
const L2: [f64; 2] = [1e-3, 1e-5];

/// Data sets, each with losses.
#[derive(Debug, Deserialize)]
pub struct Suite {
    #[serde(rename = "set")]
    sets: Vec<Set>,
}

#[derive(Debug, Deserialize)]
struct Set {
    name: String,
    data: String,
    positive: Option<(f64, f64)>,
    normalize: Option<Normalize>,
    losses: Vec<Loss>,
    #[serde(default)]
    l1: Vec<f64>,
    #[serde(default)]
    large: bool,
    /// No fit is given longer than this many seconds.
    #[serde(default = "usual_patience")]
    patience: f64,
}

/// One problem.
pub struct Case {
    /// The set.
    pub set: String,
    /// φ.
    pub loss: Loss,
    /// λ₂.
    pub l2: f64,
    /// λ₁.
    pub l1: f64,
    /// No fit is given longer than this many seconds.
    pub patience: f64,
    /// Its rows.
    pub data: Dataset,
}

impl Suite {
    /// Reads `bench/peers/suite.toml`.
    pub fn read() -> anyhow::Result<Self> {
        let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("peers/suite.toml");
        let text = std::fs::read_to_string(&path).with_context(|| format!("cannot read {}", path.display()))?;
        toml::from_str(&text).with_context(|| format!("in {}", path.display()))
    }

    /// The problems of the sets named, or of all that are not large.
    pub fn cases(&self, names: &[String]) -> impl Iterator<Item = anyhow::Result<Case>> + '_ {
        let names = names.to_vec();
        let asked = move |set: &&Set| if names.is_empty() { !set.large } else { names.contains(&set.name) };
        self.sets.iter().filter(asked).flat_map(Set::cases)
    }
}

impl Set {
    fn cases(&self) -> impl Iterator<Item = anyhow::Result<Case>> + '_ {
        let ridges = self.losses.iter().flat_map(|loss| L2.map(|l2| (*loss, l2, 0.0)));
        let lassos = self.l1.iter().map(|l1| (Loss::Squared, 0.0, *l1));
        ridges.chain(lassos).map(|(loss, l2, l1)| {
            let (set, patience) = (self.name.clone(), self.patience);
            Ok(Case { set, loss, l2, l1, patience, data: self.load(loss.is_binary())? })
        })
    }

    fn load(&self, binary: bool) -> anyhow::Result<Dataset> {
        let mut data = crate::raw(&self.data)?;
        if let Some((first, last)) = self.positive {
            let sign = |label: &f64| if (first..=last).contains(label) { 1.0 } else { -1.0 };
            data.labels = data.labels.iter().map(sign).collect();
        }
        let preparation = Preparation { normalize: self.normalize, ..Preparation::default() };
        Ok(prepare(data, &preparation, binary)?.dataset)
    }
}

fn usual_patience() -> f64 {
    2.0
}

impl Case {
    /// Its name in tables.
    pub fn name(&self) -> String {
        let strength = if self.l1 > 0.0 { format!("λ₁ = {:e}", self.l1) } else { format!("λ₂ = {:e}", self.l2) };
        format!("{} {}, {strength}", self.set, self.loss)
    }

    /// The problem, dealt by seed 0.
    pub fn problem(&self) -> anyhow::Result<Problem> {
        Ok(Problem::new(&self.data, self.loss, Some(self.l2), 0)?.with_l1(self.l1)?)
    }
}
