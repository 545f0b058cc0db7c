//! Files of ratings: MovieLens' CSV and `u.data`, `::` between fields, MatrixMarket.

use std::io::BufRead;
use std::path::Path;

use super::{Listed, Meaning};
use crate::data::file;
use crate::{Error, Result};

/// What fields may be called in a header: users and items so, or with one of [`ENDINGS`] behind it; ratings so.
const USERS: [&str; 4] = ["user", "uid", "customer", "reader"];
const ITEMS: [&str; 10] = ["item", "movie", "iid", "product", "book", "isbn", "artist", "track", "song", "business"];
const ENDINGS: [&str; 2] = ["id", "name"];
const RATINGS: [&str; 8] = ["rating", "score", "stars", "count", "plays", "weight", "value", "r"];
/// What may stand between fields; spaces, where none of these does.
const SEPARATORS: [&str; 4] = ["::", "\t", ";", ","];
const BANNER: &str = "%%MatrixMarket";

/// Which field is which.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Fields {
    separator: Option<&'static str>,
    user: usize,
    item: usize,
    rating: Option<usize>,
    meaning: Meaning,
}

/// Reads a file.
pub(super) fn read(path: &Path, meaning: Meaning) -> Result<Listed> {
    let mut lines = Lines { input: file::open(path)?, line: String::new(), number: 0, path };
    let name = path.file_name().unwrap_or(path.as_os_str()).to_string_lossy().into_owned();
    let mut listed = Listed { name, ..Listed::default() };
    let Some(first) = lines.next()?.map(str::to_owned) else {
        return Err(Error::file(path, "is empty: ratings are lines of user, item and rating"));
    };
    if first.starts_with(BANNER) {
        read_market(&first, &mut lines, meaning, &mut listed)?;
    } else {
        read_table(&first, &mut lines, meaning, &mut listed)?;
    }
    Ok(listed)
}

struct Lines<'a> {
    input: file::Input,
    line: String,
    number: usize,
    path: &'a Path,
}

impl Lines<'_> {
    /// The next line that is not empty, without its end.
    fn next(&mut self) -> Result<Option<&str>> {
        loop {
            self.line.clear();
            self.number += 1;
            let read = self.input.read_line(&mut self.line);
            let bytes = read.map_err(|cause| match cause.kind() {
                std::io::ErrorKind::InvalidData => self.wrong("is not text (UTF-8)"),
                _ => file::unreadable(self.path)(cause),
            })?;
            if bytes == 0 {
                return Ok(None);
            }
            if !self.line.trim().is_empty() {
                return Ok(Some(self.line.trim().trim_start_matches('\u{feff}')));
            }
        }
    }

    fn wrong(&self, what: impl Into<String>) -> Error {
        Error::data(self.path, self.number, what)
    }
}

fn read_table(first: &str, lines: &mut Lines<'_>, meaning: Meaning, listed: &mut Listed) -> Result<()> {
    let (fields, header) = Fields::of(first, meaning).map_err(|what| lines.wrong(what))?;
    listed.notes.extend(fields.taken(first, header));
    if !header {
        fields.take(first, listed).map_err(|what| lines.wrong(what))?;
    }
    while let Some(line) = lines.next()? {
        let taken = fields.take(line, listed);
        taken.map_err(|what| lines.wrong(what))?;
    }
    Ok(())
}

/// Fields of a line, without quotes.
fn cut<'a>(line: &'a str, separator: Option<&'static str>) -> Result<Vec<&'a str>, String> {
    let bare = |field: &'a str| {
        let field = field.trim();
        match field.strip_prefix('"') {
            None => Ok(field),
            Some(rest) => rest.strip_suffix('"').ok_or_else(|| {
                format!("the quotes of `{field}` do not close: ids and ratings may not hold what parts them")
            }),
        }
    };
    match separator {
        Some(separator) => line.split(separator).map(bare).collect(),
        None => line.split_whitespace().map(bare).collect(),
    }
}

/// Whether a field of a header is called so, in any spelling: `userId`, `user_id`, `User ID`.
fn is_called(field: &str, names: &[&str], endings: &[&str]) -> bool {
    let plain: String = field.to_lowercase().chars().filter(|c| c.is_alphanumeric()).collect();
    names.iter().any(|name| plain.strip_prefix(name).is_some_and(|rest| rest.is_empty() || endings.contains(&rest)))
}

/// The columns of users, items and ratings, where a header names all three.
pub(in crate::data) fn named_in(header: &[String]) -> Option<[&str; 3]> {
    let called = |names: &[&str], endings: &[&str]| header.iter().find(|field| is_called(field, names, endings));
    let found = [called(&USERS, &ENDINGS)?, called(&ITEMS, &ENDINGS)?, called(&RATINGS, &[])?];
    Some(found.map(String::as_str))
}

impl Fields {
    /// From the first line, and whether that is a header.
    fn of(line: &str, meaning: Meaning) -> Result<(Self, bool), String> {
        let separator = SEPARATORS.into_iter().find(|separator| line.contains(separator));
        let fields = cut(line, separator)?;
        let called =
            |names: &[&str], endings: &[&str]| fields.iter().position(|field| is_called(field, names, endings));
        if let (Some(user), Some(item)) = (called(&USERS, &ENDINGS), called(&ITEMS, &ENDINGS)) {
            let rating = called(&RATINGS, &[]);
            if rating.is_none() && meaning == Meaning::Explicit {
                return Err(format!(
                    "its header names no rating: `{line}`; call that column `rating`, or ask for --implicit"
                ));
            }
            return Ok((Self { separator, user, item, rating, meaning }, true));
        }
        let plain = Self { separator, user: 0, item: 1, rating: (fields.len() > 2).then_some(2), meaning };
        match (fields.get(2), meaning) {
            (Some(rating), _) if rating.parse::<f64>().is_err() => Err(format!(
                "`{line}` is neither user, item and a number nor a header that names them; call columns user, item and rating"
            )),
            (Some(_), _) => Ok((plain, false)),
            (None, Meaning::Implicit) if fields.len() == 2 => Ok((plain, false)),
            (None, _) => Err(format!("`{line}` is not user, item and rating, parted by a tab, comma, semicolon or ::")),
        }
    }

    /// Which of several columns are taken, where there are more than that.
    fn taken(&self, first: &str, header: bool) -> Option<String> {
        let all = cut(first, self.separator).ok()?;
        let own: Vec<usize> = [self.user, self.item].into_iter().chain(self.rating).collect();
        let name = |k: &usize| if header { format!("`{}`", all[*k]) } else { (k + 1).to_string() };
        let names: Vec<String> = own.iter().map(name).collect();
        let what = if self.rating.is_some() { "user, item and rating" } else { "user and item" };
        let more = all.len() - own.len();
        let are = if more == 1 { "is" } else { "are" };
        (more > 0).then(|| format!("columns {} are taken for {what}; {more} more {are} left out", names.join(", ")))
    }

    fn take(&self, line: &str, listed: &mut Listed) -> Result<(), String> {
        let fields = cut(line, self.separator)?;
        let field = |k: usize, what: &str| {
            let found = fields.get(k).filter(|field| !field.is_empty());
            found.copied().ok_or_else(|| format!("no {what} in `{line}`"))
        };
        let rating = match self.rating {
            Some(k) => number(field(k, "rating")?)?,
            None => 1.0,
        };
        if rating < 0.0 && self.meaning == Meaning::Implicit {
            return Err(format!("{rating} is below 0: implicit feedback counts, and cannot be negative"));
        }
        listed.add(field(self.user, "user")?, field(self.item, "item")?, rating);
        Ok(())
    }
}

fn number(text: &str) -> Result<f64, String> {
    let finite = text.parse().ok().filter(|rating: &f64| rating.is_finite());
    finite.ok_or_else(|| format!("the rating `{text}` is not a number"))
}

/// `%%MatrixMarket matrix coordinate real|integer|pattern general`: sizes, then a line an entry.
fn read_market(banner: &str, lines: &mut Lines<'_>, meaning: Meaning, listed: &mut Listed) -> Result<()> {
    let words = banner.to_lowercase();
    let words: Vec<&str> = words.split_whitespace().collect();
    let [_, "matrix", "coordinate", field @ ("real" | "integer" | "pattern"), "general"] = words[..] else {
        let what = format!("`{banner}`: ratings are `matrix coordinate real general`, or integer or pattern");
        return Err(lines.wrong(what));
    };
    let rating = (field != "pattern").then_some(2);
    let fields = Fields { separator: None, user: 0, item: 1, rating, meaning };
    if rating.is_none() && meaning == Meaning::Explicit {
        let words = "its entries have no ratings (`pattern`): each counts as 1, from which nothing is learnt; --implicit takes them for feedback";
        listed.notes.push(words.into());
    }
    let mut sizes: Option<[usize; 3]> = None;
    while let Some(line) = lines.next()? {
        if line.starts_with('%') {
            continue;
        }
        let numbers: Option<Vec<usize>> =
            line.split_whitespace().take(if sizes.is_none() { 3 } else { 2 }).map(|n| n.parse().ok()).collect();
        match (sizes, numbers.as_deref()) {
            (None, Some(&[users, items, entries])) => sizes = Some([users, items, entries]),
            (None, _) => {
                let what = format!("`{line}` is not the size: rows, columns and entries");
                return Err(lines.wrong(what));
            }
            (Some([users, items, _]), Some(&[u, i])) if (1..=users).contains(&u) && (1..=items).contains(&i) => {
                let taken = fields.take(line, listed);
                taken.map_err(|what| lines.wrong(what))?;
            }
            (Some([users, items, _]), _) => {
                let what = format!("`{line}` is not a place from 1 1 to {users} {items}");
                return Err(lines.wrong(what));
            }
        }
    }
    let (promised, found) = (sizes.map_or(0, |[.., entries]| entries), listed.entries.len());
    if promised == found {
        return Ok(());
    }
    let found = if found == 1 { "1 entry".into() } else { format!("{found} entries") };
    Err(Error::file(lines.path, format!("holds {found} where its size promises {promised}; fetch it again")))
}
