//! What to make: the words after `synth:`, checked.

use std::collections::HashSet;
use std::fmt::{self, Display, Formatter};
use std::str::FromStr;

use crate::{Error, Result};

/// The prefix by which made data is told from files.
pub(crate) const PREFIX: &str = "synth:";

/// More numbers than this (16 GB of them) is a slip of the pen, not a wish.
const MOST_ENTRIES: f64 = 2e9;

/// More than anyone can tell apart.
const MOST_CLASSES: f64 = 1e4;

/// What is said of ratings where rows are wanted.
const RATINGS: &str = "ratings are factorized: `train`, `plan` and `run` take them with --problem mf, `data` does not \
                       (docs/factorization.md)";

/// Each is a pass over all rows.
const MOST_REFLECTIONS: f64 = 1e4;

/// What the rows and labels look like; each is described at [the module](super).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(missing_docs, reason = "the table of the module says what each is")]
pub enum Kind {
    Logistic,
    Svm,
    Ridge,
    Sparse,
    IllConditioned,
    PowerLaw,
    Multiclass,
}

/// A kind with every number it needs. Numbers that the kind does not use keep their defaults.
#[derive(Debug, Clone, PartialEq)]
pub struct Recipe {
    /// What to make.
    pub(super) kind: Kind,
    /// Number of rows, n.
    pub(super) rows: usize,
    /// Number of columns, d.
    pub(super) columns: usize,
    /// Share of labels flipped, or the standard deviation added to real labels.
    pub(super) noise: f64,
    /// Condition number of XᵀX/n.
    pub(super) condition: f64,
    /// Random reflections of all rows.
    pub(super) reflections: usize,
    /// Least distance to the separating plane.
    pub(super) margin: f64,
    /// Mean share of entries in a row.
    pub(super) density: f64,
    /// Columns that the hidden model uses.
    pub(super) relevant: usize,
    /// Exponent of the popularity of columns.
    pub(super) exponent: f64,
    /// Number of classes, k.
    pub(super) classes: usize,
    /// Names the stream of random numbers.
    pub(super) seed: u64,
    spec: String,
}

impl Kind {
    /// Every kind.
    pub const ALL: [Self; 7] =
        [Self::Logistic, Self::Svm, Self::Ridge, Self::Sparse, Self::IllConditioned, Self::PowerLaw, Self::Multiclass];

    /// The keys it understands.
    pub fn keys(self) -> &'static [&'static str] {
        match self {
            Self::Logistic | Self::Ridge | Self::IllConditioned => {
                &["rows", "columns", "noise", "condition", "reflections", "seed"]
            }
            Self::Svm => &["rows", "columns", "noise", "condition", "reflections", "margin", "seed"],
            Self::Multiclass => &["rows", "columns", "noise", "condition", "reflections", "classes", "seed"],
            Self::Sparse => &["rows", "columns", "noise", "density", "relevant", "seed"],
            Self::PowerLaw => &["rows", "columns", "noise", "density", "exponent", "seed"],
        }
    }

    fn name(self) -> &'static str {
        match self {
            Self::Logistic => "logistic",
            Self::Svm => "svm",
            Self::Ridge => "ridge",
            Self::Sparse => "sparse",
            Self::IllConditioned => "ill-conditioned",
            Self::PowerLaw => "power-law",
            Self::Multiclass => "multiclass",
        }
    }
}

impl Display for Kind {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// As the user wrote it.
impl Display for Recipe {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str(&self.spec)
    }
}

impl FromStr for Recipe {
    type Err = Error;

    fn from_str(spec: &str) -> Result<Self> {
        Self::parse(spec)
    }
}

/// Of two values of a key one would be lost without a word.
pub(crate) fn refuse_twice<'a>(words: impl Iterator<Item = &'a str>) -> std::result::Result<(), String> {
    let mut known = HashSet::new();
    let mut keys = words.filter_map(|word| Some(word.split_once('=')?.0));
    match keys.find(|key| !known.insert(*key)) {
        Some(key) => Err(format!("{key} is given twice; leave one out")),
        None => Ok(()),
    }
}

impl Recipe {
    /// Understands `synth:KIND,key=value…`.
    pub fn parse(spec: &str) -> Result<Self> {
        let wrong = |what: String| Error::setting(spec, what);
        let mut words = spec.strip_prefix(PREFIX).unwrap_or(spec).split(',').map(str::trim);
        let name = words.next().unwrap_or_default();
        let kind = Kind::ALL.into_iter().find(|kind| kind.name() == name);
        let kind = kind.ok_or_else(|| {
            if name == "ratings" {
                return wrong(RATINGS.into());
            }
            let all = Kind::ALL.map(Kind::name).join(", ");
            wrong(format!("unknown kind `{name}`; known: {all}"))
        })?;
        let mut recipe = Self::new(kind, spec);
        let mut relevant = None;
        refuse_twice(words.clone()).map_err(wrong)?;
        for word in words {
            recipe.set(word, &mut relevant).map_err(wrong)?;
        }
        recipe.relevant = relevant.unwrap_or_else(|| recipe.columns.div_ceil(20));
        recipe.check().map_err(wrong)?;
        Ok(recipe)
    }

    fn new(kind: Kind, spec: &str) -> Self {
        let wide = matches!(kind, Kind::Sparse | Kind::PowerLaw);
        Self {
            kind,
            rows: 20_000,
            columns: if wide { 5_000 } else { 50 },
            noise: match kind {
                Kind::Svm => 0.05,
                Kind::Ridge => 0.1,
                _ => 0.0,
            },
            condition: if kind == Kind::IllConditioned { 1e4 } else { 1.0 },
            reflections: 0,
            margin: 0.1,
            density: 0.01,
            relevant: 0,
            exponent: 1.1,
            classes: 5,
            seed: 0,
            spec: spec.to_owned(),
        }
    }

    fn set(&mut self, word: &str, relevant: &mut Option<usize>) -> Result<(), String> {
        let (key, value) =
            word.split_once('=').ok_or_else(|| format!("`{word}` is not key=value, such as rows=1000"))?;
        let (key, value) = (key.trim(), value.trim());
        match key {
            _ if !self.kind.keys().contains(&key) => {
                return Err(format!("{} has no key `{key}`; known: {}", self.kind, self.kind.keys().join(", ")));
            }
            "rows" => self.rows = whole(key, value)?,
            "columns" => self.columns = whole(key, value)?,
            "classes" => self.classes = count(key, value, 3.0..=MOST_CLASSES)?,
            "relevant" => *relevant = Some(whole(key, value)?),
            "seed" => self.seed = value.parse().map_err(|_| format!("seed={value} is not a whole number"))?,
            "noise" if self.kind == Kind::Ridge => self.noise = number(key, value, 0.0..=1e9)?,
            "noise" => self.noise = number(key, value, 0.0..=0.5)?,
            "condition" => self.condition = number(key, value, 1.0..=1e200)?,
            "reflections" => self.reflections = count(key, value, 0.0..=MOST_REFLECTIONS)?,
            "margin" => self.margin = number(key, value, 0.0..=1e6)?,
            "density" => self.density = number(key, value, 1e-9..=1.0)?,
            _ => self.exponent = number(key, value, 0.0..=10.0)?,
        }
        Ok(())
    }

    fn check(&self) -> Result<(), String> {
        if self.relevant > self.columns {
            return Err(format!("relevant={} is more than columns={}; take fewer", self.relevant, self.columns));
        }
        let wide = matches!(self.kind, Kind::Sparse | Kind::PowerLaw);
        let share = if wide { self.density } else { 1.0 };
        let entries = (self.rows as f64) * (1.0 + share * self.columns as f64) + self.columns as f64;
        if entries > MOST_ENTRIES {
            return Err(format!(
                "would hold {entries:.1e} numbers; ask for fewer rows or columns, at most {MOST_ENTRIES:.0e} in all"
            ));
        }
        Ok(())
    }
}

/// A count, also as `1e6`.
fn whole(key: &str, value: &str) -> Result<usize, String> {
    let count = value.parse::<f64>().ok().filter(|v| v.fract() == 0.0 && (1.0..=MOST_ENTRIES).contains(v));
    count.map(|v| v as usize).ok_or_else(|| format!("{key}={value} is not a whole number from 1 to {MOST_ENTRIES:.0e}"))
}

fn number(key: &str, value: &str, range: std::ops::RangeInclusive<f64>) -> Result<f64, String> {
    let within = value.parse().ok().filter(|v| range.contains(v));
    within.ok_or_else(|| format!("{key}={value} is not a number from {:?} to {:?}", range.start(), range.end()))
}

/// The same of whole numbers.
fn count(key: &str, value: &str, range: std::ops::RangeInclusive<f64>) -> Result<usize, String> {
    let all = value.parse().ok().filter(|v: &f64| v.fract() == 0.0 && range.contains(v));
    let wrong = || format!("{key}={value} is not a whole number from {} to {}", range.start(), range.end());
    all.map(|v| v as usize).ok_or_else(wrong)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn defaults_and_keys() {
        let recipe = Recipe::parse("synth:logistic").unwrap();
        assert_eq!((recipe.rows, recipe.columns, recipe.noise), (20_000, 50, 0.0));
        let recipe: Recipe = "synth:sparse, rows=1e3,columns=200,seed=18446744073709551615".parse().unwrap();
        assert_eq!((recipe.rows, recipe.relevant, recipe.seed), (1000, 10, u64::MAX));
        assert_eq!(Recipe::parse("synth:ill-conditioned").unwrap().condition, 1e4);
    }

    #[test]
    fn wrong_words_are_answered_with_the_right_ones() {
        let cases = [
            ("synth:", "unknown kind ``; known: logistic, svm"),
            ("synth:cubic", "power-law"),
            (
                "synth:ridge,density=0.1",
                "ridge has no key `density`; known: rows, columns, noise, condition, reflections, seed",
            ),
            ("synth:ratings", "--problem mf"),
            ("synth:multiclass,classes=3.5", "classes=3.5 is not a whole number from 3 to 10000"),
            ("synth:multiclass,classes=2", "classes=2 is not a whole number from 3 to 10000"),
            ("synth:ridge,rows", "`rows` is not key=value"),
            ("synth:ridge,rows=0", "from 1 to"),
            ("synth:ridge,rows=1.5", "whole number"),
            ("synth:ridge,rows=-3", "whole number"),
            ("synth:ridge,seed=x", "whole number"),
            ("synth:svm,noise=0.7", "from 0.0 to 0.5"),
            ("synth:svm,noise=nan", "from 0.0 to 0.5"),
            ("synth:sparse,density=0", "density=0"),
            ("synth:sparse,columns=10,relevant=11", "more than columns"),
            ("synth:logistic,rows=1e8,columns=1e8", "would hold 1.0e16 numbers"),
        ];
        for (spec, what) in cases {
            let Err(Error::Setting { field, what: said }) = Recipe::parse(spec) else { panic!("{spec} must fail") };
            assert_eq!(field, spec);
            assert!(said.contains(what), "{spec}: {said}");
        }
    }

    proptest! {
        #[test]
        fn whatever_parses_can_be_made(
            kind in prop::sample::select(&Kind::ALL[..]), rows in 1..9, columns in 1..9,
            key in "noise|condition|margin|density|exponent|relevant", value in "[0-9.e-]{1,6}",
        ) {
            let spec = format!("synth:{kind},rows={rows},columns={columns},{key}={value}");
            if let Ok(recipe) = Recipe::parse(&spec) {
                let data = recipe.make();
                prop_assert_eq!(data.labels.len(), rows as usize);
                prop_assert!((0..data.rows()).all(|i| data.matrix.row(i).iter().all(|(_, v)| v.is_finite())));
                prop_assert!(data.labels.iter().all(|y| y.is_finite()));
            }
        }
    }
}
