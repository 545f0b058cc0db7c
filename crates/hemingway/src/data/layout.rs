//! Which column of a table is which: the labels, the weights, the features in their order, and what is left out.

mod table;

use super::Reading;
use table::Table;

/// What a column is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Role {
    Label,
    Weight,
    Feature(u32),
    Ignored,
}

/// What to do about text where numbers are needed.
pub(super) const TEXT_ADVICE: &str = "leave the column out, or make a column of 0 and 1 of each of its values, for \
                                      example with pandas: get_dummies(frame)";

/// What to do about it where the columns are those of records.
const RECORDS_ADVICE: &str = "the columns are those of records, which `fit` and `advise` read";

/// The columns of a file.
#[derive(Debug, PartialEq)]
pub(super) struct Layout {
    /// What each is for, from the left.
    pub(super) roles: Vec<Role>,
    /// Columns of the matrix.
    pub(super) columns: usize,
    /// Their names, if there is a header.
    pub(super) names: Option<Vec<String>>,
    /// Sentences to say aloud.
    pub(super) notes: Vec<String>,
    header: Option<Vec<String>>,
}

impl Layout {
    /// Decides on every column.
    ///
    /// # Errors
    /// The sentence to show, if that cannot be done.
    pub(super) fn of(header: Option<Vec<String>>, width: usize, reading: &Reading) -> Result<Self, String> {
        let mut table = Table { header: header.as_deref(), width, reading, weight: None };
        table.refuse_twins()?;
        table.weight = table.find_weight()?;
        if header.is_none() && reading.like.as_ref().is_some_and(|like| like.names.is_some()) {
            return Err("has no header, but the columns of the training data have names".into());
        }
        let mut notes = Vec::new();
        if header.is_none() {
            notes.push("no header: the first line holds only numbers".into());
        }
        let label = table.label()?;
        if let Some((place, why)) = label.filter(|_| !reading.unlabelled) {
            notes.push(format!("labels are {} ({why})", describe(table.header, place)));
        }
        if let Some(place) = table.weight {
            notes.push(format!("weights are {} (by --weight)", describe(table.header, place)));
        }
        let label = label.map(|(place, _)| place);
        if let Some(place) = label.filter(|_| label == table.weight) {
            return Err(format!("{} cannot be both the labels and the weights", describe(table.header, place)));
        }
        let roles = table.roles(label)?;
        let left_out = |place: &usize| roles[*place] == Role::Ignored;
        let ignored: Vec<usize> = (0..width).filter(left_out).collect();
        if !ignored.is_empty() {
            notes.push(format!("left out: {}", table.list(&ignored)));
        }
        let columns = roles.iter().filter(|role| matches!(role, Role::Feature(_))).count();
        if columns == 0 {
            return Err("holds one column only; expected labels and at least one column of numbers".into());
        }
        let names = match &reading.like {
            Some(like) => like.names.clone(),
            None => header.as_ref().map(|names| features(names, &roles)),
        };
        Ok(Self { roles, columns, names, notes, header })
    }

    /// What to do about text in a column of numbers.
    pub(super) fn text_advice(&self) -> &'static str {
        let has = |name: &str| self.header.iter().flatten().any(|column| column.eq_ignore_ascii_case(name));
        let is_records = has("machines") && (has("algorithm") || has("context"));
        if is_records { RECORDS_ADVICE } else { TEXT_ADVICE }
    }

    /// A column as it is called in messages.
    pub(super) fn column(&self, place: usize) -> String {
        describe(self.header.as_deref(), place)
    }
}

fn features(names: &[String], roles: &[Role]) -> Vec<String> {
    let named = names.iter().zip(roles).filter(|(_, role)| matches!(role, Role::Feature(_)));
    named.map(|(name, _)| name.clone()).collect()
}

fn describe(header: Option<&[String]>, place: usize) -> String {
    let name = header.map(|names| names[place].as_str()).filter(|name| !name.is_empty());
    name.map_or_else(
        || format!("column {}", place + 1),
        |name| format!("column {} `{}`", place + 1, name.escape_debug()),
    )
}
