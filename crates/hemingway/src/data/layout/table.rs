//! Finding labels and weights among the columns of a table.

use std::collections::{HashMap, HashSet};

use super::{Role, describe};
use crate::data::{Like, Reading, ratings};

/// What people call the column of labels.
const USUAL: [&str; 5] = ["label", "labels", "target", "y", "class"];

/// More columns than these are not listed in a message.
const MOST_LISTED: usize = 12;

/// The header, if any, and what is known of the file from outside.
pub(super) struct Table<'a> {
    pub(super) header: Option<&'a [String]>,
    pub(super) width: usize,
    pub(super) reading: &'a Reading,
    /// Where the weights are.
    pub(super) weight: Option<usize>,
}

impl Table<'_> {
    pub(super) fn refuse_twins(&self) -> Result<(), String> {
        let mut names: Vec<&String> = self.header.unwrap_or_default().iter().filter(|name| !name.is_empty()).collect();
        names.sort_unstable();
        match names.windows(2).find(|pair| pair[0] == pair[1]) {
            Some(pair) => Err(format!("column `{}` is there twice; rename or drop one", pair[0])),
            None => Ok(()),
        }
    }

    /// Where the labels are and why there; nowhere only where they are not needed.
    pub(super) fn label(&self) -> Result<Option<(usize, &'static str)>, String> {
        if let Some(asked) = &self.reading.labels.column {
            return self.find(asked, "--label").map(|place| Some((place, "by --label")));
        }
        let found = match &self.reading.like {
            Some(Like { names: Some(names), .. }) => self.stranger(names),
            Some(like) if self.others() == like.columns && self.reading.unlabelled => return Ok(None),
            _ => self.usual(),
        };
        if self.reading.unlabelled { Ok(found.ok()) } else { found.map(Some) }
    }

    /// Where the weights are. A companion may have none: what the training data has among its columns is not them.
    pub(super) fn find_weight(&self) -> Result<Option<usize>, String> {
        let Some(asked) = &self.reading.weights.column else { return Ok(None) };
        let found = self.find(asked, "--weight");
        if !self.reading.unweighted {
            return found.map(Some);
        }
        let labels = usize::from(!self.reading.unlabelled);
        let is_spare = |place: usize, like: &Like| match (&like.names, self.header) {
            (Some(names), Some(header)) => !names.contains(&header[place]),
            _ => self.width > like.columns + labels,
        };
        Ok(found.ok().filter(|place| self.reading.like.as_ref().is_none_or(|like| is_spare(*place, like))))
    }

    /// Columns beside the weights.
    fn others(&self) -> usize {
        self.width - usize::from(self.weight.is_some())
    }

    /// The column that the user names, or counts from 1.
    fn find(&self, asked: &str, flag: &str) -> Result<usize, String> {
        let named = self.header.and_then(|names| names.iter().position(|name| name == asked));
        let counted = || asked.parse().ok().filter(|n| (1..=self.width).contains(n)).map(|n: usize| n - 1);
        named.or_else(counted).ok_or_else(|| {
            let columns: Vec<usize> = (0..self.width).collect();
            format!("has no column `{asked}` for {flag}; it has {}", self.list(&columns))
        })
    }

    /// Where labels are by custom.
    fn usual(&self) -> Result<(usize, &'static str), String> {
        match self.named(&is_usual).as_slice() {
            [] => {
                self.refuse_ratings()?;
                let last = (0..self.width).rev().find(|place| Some(*place) != self.weight);
                Ok((last.unwrap_or(0), "the last column; --label takes another"))
            }
            [place] => Ok((*place, "by its name; --label takes another")),
            several => Err(format!("{} may each be the labels; choose with --label", self.list(several))),
        }
    }

    /// The last column of ratings is a rating or a time, and ids are no features: who has them wants factors.
    fn refuse_ratings(&self) -> Result<(), String> {
        match self.header.and_then(ratings::named_in) {
            Some([user, item, rating]) => Err(format!(
                "has the columns of ratings (`{user}`, `{item}`, `{rating}`), which `train --problem mf` factorizes; to take \
                 them as rows with labels all the same, name the column of labels with --label"
            )),
            None => Ok(()),
        }
    }

    /// In a companion of data with these names, the labels are the one column more.
    fn stranger(&self, names: &[String]) -> Result<(usize, &'static str), String> {
        let known: HashSet<&str> = names.iter().map(String::as_str).collect();
        let strangers = self.named(&|name| !name.is_empty() && !known.contains(name));
        let usual = self.named(&|name| !known.contains(name) && is_usual(name));
        match (usual.as_slice(), strangers.as_slice()) {
            ([place], _) => Ok((*place, "by its name; --label takes another")),
            (_, [place]) => Ok((*place, "the one that is no column of the training data")),
            (_, []) => Err("holds no labels beside the columns of the training data".into()),
            (_, several) => Err(format!("{} may each be the labels; choose with --label", self.list(several))),
        }
    }

    /// Columns as they are called in messages, the first of many.
    pub(super) fn list(&self, places: &[usize]) -> String {
        let mut words: Vec<String> =
            places.iter().take(MOST_LISTED).map(|place| describe(self.header, *place)).collect();
        words.extend((places.len() > MOST_LISTED).then(|| "…".into()));
        words.join(", ")
    }

    /// Places of the columns with such a name, that of the weights left out.
    fn named(&self, is: &dyn Fn(&str) -> bool) -> Vec<usize> {
        let names = self.header.unwrap_or_default().iter().enumerate();
        let names = names.filter(|(place, name)| Some(*place) != self.weight && is(name));
        names.map(|(place, _)| place).collect()
    }

    /// Everything but labels and weights is a feature, where the training data does not say otherwise.
    pub(super) fn roles(&self, label: Option<usize>) -> Result<Vec<Role>, String> {
        match &self.reading.like {
            Some(Like { names: Some(names), .. }) => self.roles_by_name(label, names),
            like => {
                let roles = self.roles_in_order(label);
                let columns = roles.iter().filter(|role| matches!(role, Role::Feature(_))).count();
                match like {
                    Some(like) if like.columns != columns => {
                        Err(format!("holds {columns} columns beside the labels, the training data {}", like.columns))
                    }
                    _ => Ok(roles),
                }
            }
        }
    }

    /// In the order of the file. A column whose name is empty counts rows: spreadsheets and data frames write it so.
    fn roles_in_order(&self, label: Option<usize>) -> Vec<Role> {
        let is_index = |place: usize| self.header.is_some_and(|names| names[place].is_empty());
        let mut next = 0..;
        let role = |place| match Some(place) == label {
            true => self.label_role(),
            false if Some(place) == self.weight => Role::Weight,
            false if is_index(place) => Role::Ignored,
            false => next.next().map_or(Role::Ignored, Role::Feature),
        };
        (0..self.width).map(role).collect()
    }

    /// In the order of the training data, whatever theirs.
    fn roles_by_name(&self, label: Option<usize>, names: &[String]) -> Result<Vec<Role>, String> {
        let header = self.header.unwrap_or_default().iter();
        let places: HashMap<&String, usize> = header.enumerate().map(|(place, name)| (name, place)).collect();
        let mut roles = vec![Role::Ignored; self.width];
        for (j, name) in (0..).zip(names) {
            let place = places.get(name).filter(|place| Some(**place) != label && Some(**place) != self.weight);
            let place = place.ok_or_else(|| format!("has no column `{name}`, which the training data has; add it"))?;
            roles[*place] = Role::Feature(j);
        }
        if let Some(place) = label {
            roles[place] = self.label_role();
        }
        if let Some(place) = self.weight {
            roles[place] = Role::Weight;
        }
        Ok(roles)
    }

    /// Labels that are not needed are not read, whatever they hold.
    fn label_role(&self) -> Role {
        if self.reading.unlabelled { Role::Ignored } else { Role::Label }
    }
}

fn is_usual(name: &str) -> bool {
    USUAL.iter().any(|usual| name.eq_ignore_ascii_case(usual))
}
