//! Ratings: who rated what, how. Users become rows and items columns, each numbered in the order of their ids, so that the
//! order of a file does not matter.
//!
//! Ids are any text. Of several ratings of one pair the last counts; implicit feedback is added up. Ids that are only declared, as
//! MatrixMarket's sizes do, are not seen.

mod made;
mod read;

use std::collections::HashMap;
use std::path::Path;

use super::{Dataset, Matrix, dealing_order};
use crate::error::counted;
use crate::{Error, Result};
use made::Recipe;
pub(super) use read::named_in;

/// (user, item, rating), by number.
type Entry = (u32, u32, f64);

/// Names by number, and back.
#[derive(Debug, Clone, Default)]
struct Ids {
    names: Vec<String>,
    numbers: HashMap<String, u32>,
}

impl Ids {
    fn number(&mut self, name: &str) -> u32 {
        if let Some(number) = self.numbers.get(name) {
            return *number;
        }
        let number = self.names.len() as u32;
        self.names.push(name.into());
        self.numbers.insert(name.into(), number);
        number
    }

    /// The names in order, by value where all are whole numbers, and the new number of each.
    fn sorted(self) -> (Vec<String>, Vec<u32>) {
        let values: Option<Vec<u64>> = self.names.iter().map(|name| name.parse().ok()).collect();
        let mut order: Vec<usize> = (0..self.names.len()).collect();
        match values {
            Some(values) => order.sort_by_key(|k| (values[*k], &self.names[*k])),
            None => order.sort_by_key(|k| &self.names[*k]),
        }
        let mut number = vec![0; order.len()];
        order.iter().enumerate().for_each(|(new, old)| number[*old] = new as u32);
        let mut names = self.names;
        (order.iter().map(|old| std::mem::take(&mut names[*old])).collect(), number)
    }
}

/// What a file says, line by line.
#[derive(Debug, Clone, Default)]
pub struct Listed {
    name: String,
    users: Ids,
    items: Ids,
    entries: Vec<Entry>,
    /// Sentences to say aloud.
    notes: Vec<String>,
}

/// What an entry means.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Meaning {
    /// A rating that the user gave.
    Explicit,
    /// How often, or how long, the user had to do with the item; once, where the file does not say.
    Implicit,
}

/// Ratings as rows and columns.
#[derive(Debug, Clone, PartialEq)]
pub struct Ratings {
    /// A row for each user; labels mean nothing.
    pub dataset: Dataset,
    /// The id of each row.
    pub users: Vec<String>,
    /// The id of each column.
    pub items: Vec<String>,
    /// Sentences to say aloud.
    pub notes: Vec<String>,
}

impl Listed {
    /// Reads a file (CSV with or without a header, tabs, `::`, MatrixMarket; plain, .gz or .bz2) or makes `synth:ratings`.
    pub fn load(data: &str, meaning: Meaning) -> Result<Self> {
        match data.strip_prefix(super::synth::PREFIX) {
            Some(_) => Ok(Recipe::parse(data)?.make()),
            None => read::read(Path::new(data), meaning),
        }
    }

    /// Each line as (user, item, rating), in the order of the file.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &str, f64)> {
        let names = |u: u32, i: u32| (self.users.names[u as usize].as_str(), self.items.names[i as usize].as_str());
        self.entries.iter().map(move |(u, i, rating)| {
            let (user, item) = names(*u, *i);
            (user, item, *rating)
        })
    }

    fn add(&mut self, user: &str, item: &str, rating: f64) {
        let entry = (self.users.number(user), self.items.number(item), rating);
        self.entries.push(entry);
    }

    /// As rows and columns to learn from.
    pub fn into_ratings(self, meaning: Meaning) -> Result<Ratings> {
        let (name, lines) = (self.name, self.entries.len());
        let ((users, user), (items, item)) = (self.users.sorted(), self.items.sorted());
        let renumbered = self.entries.into_iter().map(|(u, i, r)| (user[u as usize], item[i as usize], r));
        let mut entries = merged(renumbered.collect(), meaning);
        let mut notes = self.notes;
        if entries.len() < lines {
            let (again, how) =
                (lines - entries.len(), if meaning == Meaning::Explicit { "the last counts" } else { "they add up" });
            let (is, all) = (if again == 1 { "is" } else { "are" }, counted(lines, "rating"));
            notes.push(format!("{again} of {all} {is} of a pair rated before: {how}"));
        }
        let found = entries.len();
        entries.retain(|(.., rating)| meaning == Meaning::Explicit || *rating > 0.0);
        if entries.len() < found {
            notes.push(match found - entries.len() {
                1 => "1 entry is 0: as if it were absent".into(),
                zeros => format!("{zeros} entries are 0: as if they were absent"),
            });
        }
        if entries.is_empty() {
            return Err(Error::file(&name, "holds no ratings: there is nothing to learn"));
        }
        let matrix = matrix(&entries, users.len(), items.len());
        let labels = vec![0.0; users.len()];
        Ok(Ratings { dataset: Dataset::new(name, matrix, labels), users, items, notes })
    }
}

/// One entry a pair, by user and item.
fn merged(mut entries: Vec<Entry>, meaning: Meaning) -> Vec<Entry> {
    entries.sort_by_key(|(u, i, _)| (*u, *i));
    let mut merged: Vec<Entry> = Vec::with_capacity(entries.len());
    for (u, i, rating) in entries {
        match merged.last_mut() {
            Some(last) if (last.0, last.1) == (u, i) => match meaning {
                Meaning::Explicit => last.2 = rating,
                Meaning::Implicit => last.2 += rating,
            },
            _ => merged.push((u, i, rating)),
        }
    }
    merged
}

/// Rows of entries sorted by user and item.
fn matrix(entries: &[Entry], users: usize, items: usize) -> Matrix {
    let mut matrix = Matrix::sparse(items);
    let mut rest = entries;
    for u in 0..users as u32 {
        let (row, after) = rest.split_at(rest.partition_point(|entry| entry.0 <= u));
        matrix.push_row(row.iter().map(|(_, i, rating)| (*i, *rating)));
        rest = after;
    }
    matrix
}

impl Ratings {
    /// The ids of the rows once the seed has dealt them.
    pub fn dealt_users(&self, seed: u64) -> Vec<String> {
        dealing_order(self.users.len(), seed).iter().map(|u| self.users[*u as usize].clone()).collect()
    }
}

/// Where ids are in a model.
#[derive(Debug, Clone)]
pub struct Directory<'a> {
    users: HashMap<&'a str, usize>,
    items: HashMap<&'a str, usize>,
}

impl<'a> Directory<'a> {
    /// Of these rows and columns.
    pub fn of(users: &'a [String], items: &'a [String]) -> Self {
        let by_name = |names: &'a [String]| names.iter().enumerate().map(|(k, name)| (name.as_str(), k)).collect();
        Self { users: by_name(users), items: by_name(items) }
    }

    /// The row of a user, if seen.
    pub fn user(&self, name: &str) -> Option<usize> {
        self.users.get(name).copied()
    }

    /// The column of an item, if seen.
    pub fn item(&self, name: &str) -> Option<usize> {
        self.items.get(name).copied()
    }

    /// Ratings to measure on, in the order of the model's rows, by the rules of those that are learned from: every user that was
    /// not seen is in one more row, every such item in one more column. A sentence says how many, if any.
    pub fn arrange(&self, listed: &Listed, meaning: Meaning) -> (Dataset, Option<String>) {
        let (users, items) = (self.users.len(), self.items.len());
        let mut strange = 0;
        let counts = |entry: &Entry| meaning == Meaning::Explicit || entry.2 > 0.0;
        let known = merged(listed.entries.clone(), meaning).into_iter().filter(counts);
        let mut entries: Vec<Entry> = known
            .map(|(u, i, rating)| {
                let user = self.user(&listed.users.names[u as usize]);
                let item = self.item(&listed.items.names[i as usize]);
                strange += usize::from(user.is_none() || item.is_none());
                (user.unwrap_or(users) as u32, item.unwrap_or(items) as u32, rating)
            })
            .collect();
        entries.sort_by_key(|(u, i, _)| (*u, *i));
        let matrix = matrix(&entries, users + 1, items + 1);
        let then = match meaning {
            Meaning::Explicit => "what is known of the other counts",
            Meaning::Implicit => "such users are left out, and such items cannot be found",
        };
        let note = (strange > 0).then(|| {
            let (is, all) = (if strange == 1 { "is" } else { "are" }, counted(entries.len(), "rating"));
            format!("{strange} of {all} to measure on {is} of users or items not trained on: {then}")
        });
        (Dataset::new(&listed.name, matrix, vec![0.0; users + 1]), note)
    }
}

#[cfg(test)]
mod tests;
