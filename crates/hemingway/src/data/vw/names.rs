//! Features by name, numbered as they appear, and the columns that come of them.

use std::collections::HashMap;

use crate::data::Like;
use crate::data::libsvm::Base;
use crate::data::text::show;

/// Between namespace and feature, as Vowpal Wabbit writes them itself.
const BETWEEN: u8 = b'^';

/// Every name seen, in order.
pub(super) struct Names {
    ids: HashMap<Vec<u8>, u32>,
    all: Vec<String>,
    /// The one namespace so far; `None` within if there are several.
    namespace: Option<Option<Vec<u8>>>,
    key: Vec<u8>,
}

/// Where features go.
pub(super) struct Columns {
    /// The column of each name, in the order of their appearance.
    pub(super) places: Vec<u32>,
    /// How many columns there are.
    pub(super) count: usize,
    /// Their names, unless they are numbers.
    pub(super) names: Option<Vec<String>>,
    /// What numbers count from.
    pub(super) base: Option<Base>,
}

impl Names {
    /// Begins with the names of the training data, if it had any.
    pub(super) fn like(like: Option<&Like>) -> Self {
        let all = like.and_then(|like| like.names.clone()).unwrap_or_default();
        let ids = (0..).zip(&all).map(|(id, name)| (name.clone().into_bytes(), id)).collect();
        Self { ids, all, namespace: None, key: Vec::new() }
    }

    /// The number of a name; a new one if it is new.
    pub(super) fn id(&mut self, namespace: &[u8], name: &[u8]) -> Result<u32, String> {
        self.see(namespace);
        self.key.clear();
        if !namespace.is_empty() {
            self.key.extend_from_slice(namespace);
            self.key.push(BETWEEN);
        }
        self.key.extend_from_slice(name);
        if let Some(id) = self.ids.get(&self.key) {
            return Ok(*id);
        }
        let text = String::from_utf8(self.key.clone()).map_err(|_| format!("{} is not UTF-8", show(name)))?;
        let id = u32::try_from(self.all.len()).map_err(|_| "too many different features".to_string())?;
        self.ids.insert(self.key.clone(), id);
        self.all.push(text);
        Ok(id)
    }

    fn see(&mut self, namespace: &[u8]) {
        match &self.namespace {
            None => self.namespace = Some(Some(namespace.to_vec())),
            Some(Some(one)) if one != namespace => self.namespace = Some(None),
            _ => {}
        }
    }

    /// Settles the columns: numbers in one namespace are indices, anything else has the columns in order of appearance.
    ///
    /// # Errors
    /// The sentence to show, if the training data had numbers and these are none.
    pub(super) fn columns(self, like: Option<&Like>) -> Result<Columns, String> {
        if like.is_some_and(|like| like.names.is_some()) {
            return Ok(self.in_order());
        }
        let imposed = like.and_then(|like| like.base);
        match (self.indices(), imposed) {
            (Some(indices), _) => by_index(indices, imposed),
            (None, Some(_)) => Err("features have names, but those of the training data are numbers".into()),
            (None, None) => Ok(self.in_order()),
        }
    }

    fn in_order(self) -> Columns {
        let places = (0..).zip(&self.all).map(|(id, _)| id).collect();
        Columns { places, count: self.all.len(), names: Some(self.all), base: None }
    }

    /// The names as whole numbers, if they all are, each written in one way.
    fn indices(&self) -> Option<Vec<u32>> {
        let namespace = self.namespace.as_ref()?.as_ref()?;
        let before = if namespace.is_empty() { 0 } else { namespace.len() + 1 };
        let index = |name: &String| name[before..].parse::<u32>().ok().filter(|n| n.to_string() == name[before..]);
        self.all.iter().map(index).collect()
    }
}

fn by_index(mut places: Vec<u32>, imposed: Option<Base>) -> Result<Columns, String> {
    let zero = places.contains(&0);
    let base = imposed.unwrap_or(if zero { Base::Zero } else { Base::One });
    let mut count = places.iter().max().map_or(0, |most| *most as usize + 1);
    if base == Base::One {
        if zero {
            return Err("holds a feature 0, but indices of this data count from 1".into());
        }
        count = count.saturating_sub(1);
        places.iter_mut().for_each(|place| *place -= 1);
    }
    Ok(Columns { places, count, names: None, base: Some(base) })
}
