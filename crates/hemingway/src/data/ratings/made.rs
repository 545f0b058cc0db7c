//! `synth:ratings`: users who rate as hidden factors have it, few of them much and most a little.
//!
//! Keys: `users` (1000), `items` (500), `ratings` (50,000; about so many), `rank` of the hidden factors (8), `noise` added to a
//! rating (0.5), `exponent` of the Zipf law by which items are drawn (0.8), `seed` (0), and `part`: `train`, nine ratings of ten,
//! or `test`, the others.

use rand::RngExt;
use rand::seq::SliceRandom;
use rand_chacha::ChaCha8Rng;
use rand_distr::{Distribution, Pareto, StandardNormal, Zipf};

use super::Listed;
use crate::data::matrix::dot;
use crate::data::synth::{PREFIX, refuse_twice};
use crate::rng::{Purpose, keyed};
use crate::{Error, Result};

/// Lengths of users' lists are Pareto with this shape: finite mean, no variance.
const LENGTH_SHAPE: f64 = 1.3;
/// The share of ratings that are held back.
const HELD_BACK: f64 = 0.1;
/// How far users and items are from the mean, and what factors add to that, as standard deviations.
const BIAS: f64 = 0.3;
const TASTE: f64 = 0.6;
const MEAN: f64 = 3.5;
/// Fewer than this share of the ratings asked for are worth a word.
const ABOUT: f64 = 0.9;
/// More ratings than this are a slip of the pen.
const MOST: f64 = 5e8;

/// What to make.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Recipe {
    users: usize,
    items: usize,
    ratings: usize,
    rank: usize,
    noise: f64,
    exponent: f64,
    seed: u64,
    test: bool,
    spec: String,
}

impl Recipe {
    /// Understands `synth:ratings,key=value…`.
    pub(super) fn parse(spec: &str) -> Result<Self> {
        let wrong = |what: String| Error::setting(spec, what);
        let mut words = spec.strip_prefix(PREFIX).unwrap_or(spec).split(',').map(str::trim);
        if words.next() != Some("ratings") {
            return Err(wrong("is no ratings; --problem mf makes synth:ratings, or reads a file".into()));
        }
        let mut recipe = Self {
            users: 1000,
            items: 500,
            ratings: 50_000,
            rank: 8,
            noise: 0.5,
            exponent: 0.8,
            seed: 0,
            test: false,
            spec: spec.into(),
        };
        refuse_twice(words.clone()).map_err(wrong)?;
        for word in words {
            recipe.set(word).map_err(wrong)?;
        }
        if recipe.ratings as f64 > 0.5 * recipe.users as f64 * recipe.items as f64 {
            return Err(wrong("asks for more than half of all pairs; ask for fewer ratings".into()));
        }
        Ok(recipe)
    }

    fn set(&mut self, word: &str) -> std::result::Result<(), String> {
        let (key, value) =
            word.split_once('=').ok_or_else(|| format!("`{word}` is not key=value, such as users=1000"))?;
        let number = |most: f64| {
            let number = value.parse::<f64>().ok().filter(|number| (0.0..=most).contains(number));
            number.ok_or_else(|| format!("{key}={value} is not a number from 0 to {most:e}"))
        };
        let whole = |most: f64| {
            let whole = number(most).ok().filter(|number| number.fract() == 0.0 && *number >= 1.0);
            whole
                .map(|number| number as usize)
                .ok_or_else(|| format!("{key}={value} is not a whole number from 1 to {most:e}"))
        };
        match key {
            "users" => self.users = whole(MOST)?,
            "items" => self.items = whole(MOST)?,
            "ratings" => self.ratings = whole(MOST)?,
            "rank" => self.rank = whole(1e3)?,
            "noise" => self.noise = number(1e3)?,
            "exponent" => self.exponent = number(10.0)?,
            "seed" => self.seed = value.parse().map_err(|_| format!("seed={value} is not a whole number"))?,
            "part" if matches!(value, "train" | "test") => self.test = value == "test",
            "part" => return Err(format!("part={value} is neither train nor test")),
            _ => {
                let known = "users, items, ratings, rank, noise, exponent, seed, part";
                return Err(format!("ratings have no key `{key}`; known: {known}"));
            }
        }
        Ok(())
    }

    fn stream(&self, purpose: usize, number: usize) -> ChaCha8Rng {
        keyed(self.seed, Purpose::Synthesize, 100 + purpose, number as u64)
    }

    /// Makes them.
    pub(super) fn make(&self) -> Listed {
        let mut listed = Listed { name: self.spec.clone(), ..Listed::default() };
        // Popularity must not show in the numbers.
        let mut names: Vec<usize> = (1..=self.items).collect();
        names.shuffle(&mut self.stream(0, 0));
        let hidden: Vec<Vec<f64>> = (0..self.items).map(|i| self.hidden(1, i)).collect();
        let mean = self.ratings as f64 / self.users as f64;
        let lengths = Pareto::new(mean * (LENGTH_SHAPE - 1.0) / LENGTH_SHAPE, LENGTH_SHAPE);
        let popularity = Zipf::new(self.items as f64, self.exponent);
        let (Ok(lengths), Ok(popularity)) = (lengths, popularity) else { return listed };
        let mut drawn = 0;
        for u in 0..self.users {
            let (own, mut rng) = (self.hidden(2, u), self.stream(3, u));
            let length = lengths.sample(&mut rng).round().clamp(1.0, (self.items as f64 / 2.0).max(1.0)) as usize;
            let (user, mut seen) = ((u + 1).to_string(), std::collections::HashSet::new());
            // Popular items come up again and again: those who rate most see fewer.
            for _ in 0..4 * length {
                let item = popularity.sample(&mut rng) as usize - 1;
                if seen.len() == length || !seen.insert(item) {
                    continue;
                }
                drawn += 1;
                let rating = self.rating(&own, &hidden[item], &mut rng);
                if (rng.random::<f64>() < HELD_BACK) == self.test {
                    listed.add(&user, &names[item].to_string(), rating);
                }
            }
        }
        if (drawn as f64) < ABOUT * self.ratings as f64 {
            listed.notes.push(format!(
                "{drawn} ratings were made of the {} asked for: few rate much, and nobody more than half of the items; ask for more, or for more items",
                self.ratings
            ));
        }
        listed
    }

    /// A factor, and a bias behind it.
    fn hidden(&self, side: usize, number: usize) -> Vec<f64> {
        let mut rng = self.stream(side, number);
        let scale = (TASTE / (self.rank as f64).sqrt()).sqrt();
        let mut factor: Vec<f64> = (0..self.rank).map(|_| scale * normal(&mut rng)).collect();
        factor.push(BIAS * normal(&mut rng));
        factor
    }

    /// From half a star to five.
    fn rating(&self, user: &[f64], item: &[f64], rng: &mut ChaCha8Rng) -> f64 {
        let rank = self.rank;
        let liked = MEAN + user[rank] + item[rank] + dot(&user[..rank], &item[..rank]) + self.noise * normal(rng);
        (2.0 * liked).round().clamp(1.0, 10.0) / 2.0
    }
}

fn normal(rng: &mut ChaCha8Rng) -> f64 {
    StandardNormal.sample(rng)
}
