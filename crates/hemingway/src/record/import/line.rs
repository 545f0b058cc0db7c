//! From the fields of one line to a row of numbers.

use std::fmt::Display;
use std::path::Path;
use std::str::FromStr;

use super::Metric;
use super::assemble::{At, Clock, Row};
use crate::engine::MOST_MACHINES;
use crate::{Error, Result};

/// Every column that means something to the models.
#[cfg(feature = "parquet")]
pub(super) const COLUMNS: [&str; 18] = [
    "algorithm",
    "context",
    "machines",
    "seconds",
    "elapsed",
    "train_seconds",
    "rows",
    "fraction",
    "round",
    "iteration",
    "objective",
    "lower_bound",
    "run",
    "cluster",
    "problem",
    "compute",
    "wait",
    "sync",
];

/// How programs write that they do not know a number; NaN and infinities are numbers, and left out later.
const UNKNOWN: [&str; 5] = ["na", "n/a", "null", "none", "-"];

/// The fields of one line.
pub(super) struct Line<'a> {
    pub(super) path: &'a Path,
    pub(super) at: At,
    /// Where its columns are named.
    pub(super) head: At,
    /// The columns, as the file writes them.
    pub(super) names: &'a [String],
    /// A column's field as text.
    pub(super) value: &'a dyn Fn(usize) -> Option<String>,
}

/// Where a column is; case and blanks around a name do not matter.
pub(super) fn find(names: &[String], name: &str) -> Option<usize> {
    names.iter().position(|other| same(other, name))
}

/// Two columns of one name, of which nobody knows which is meant.
pub(super) fn twice(names: &[String]) -> Option<&str> {
    let mut rest = names.iter().enumerate().filter(|(_, name)| !name.trim().is_empty());
    rest.find(|(place, name)| find(&names[..*place], name).is_some()).map(|(_, name)| name.trim())
}

fn same(a: &str, b: &str) -> bool {
    a.trim().to_lowercase() == b.trim().to_lowercase()
}

impl Line<'_> {
    /// Whether there is nothing in it, as in the lines spreadsheets leave behind.
    pub(super) fn is_empty(&self) -> bool {
        (0..self.names.len()).all(|place| (self.value)(place).is_none_or(|text| text.trim().is_empty()))
    }

    pub(super) fn row(&self, metric: Option<&Metric>) -> Result<Row> {
        let context = self.text("context").or_else(|| self.text("algorithm"));
        let machines: usize = self.whole("machines")?.ok_or_else(|| self.missing(&["machines"]))?;
        if !(1..=MOST_MACHINES).contains(&machines) {
            let what = format!("expected at least 1 and at most {MOST_MACHINES}, found {machines}");
            return Err(self.wrong("machines", what));
        }
        let objective = metric.map_or("objective", |metric| &metric.name);
        let told = ["seconds", "elapsed", "train_seconds", objective];
        if told.iter().all(|name| find(self.names, name).is_none()) {
            return Err(self.missing(&["seconds", "elapsed", objective]));
        }
        Ok(Row {
            file: 0,
            at: self.at,
            context: context.ok_or_else(|| self.missing(&["algorithm", "context"]))?,
            problem: self.text("problem").unwrap_or_default(),
            run: self.text("run"),
            cluster: self.text("cluster").unwrap_or_default(),
            machines,
            rows: self.whole("rows")?.filter(|&rows: &usize| rows > 0),
            fraction: self.share()?,
            round: self.whole("round")?.map_or_else(|| self.whole("iteration"), |round| Ok(Some(round)))?,
            clock: self.clock()?,
            phases: self.phases()?,
            objective: self.objective(metric)?,
            lower_bound: if metric.is_some() { None } else { self.finite("lower_bound")? },
        })
    }

    fn clock(&self) -> Result<Option<Clock>> {
        for (name, make) in [
            ("train_seconds", Clock::Elapsed as fn(f64) -> Clock),
            ("elapsed", Clock::Elapsed),
            ("seconds", Clock::Round),
        ] {
            match self.finite(name)? {
                Some(value) if value < 0.0 => return Err(self.wrong(name, format!("expected ≥ 0, found {value}"))),
                Some(value) => return Ok(Some(make(value))),
                None => {}
            }
        }
        Ok(None)
    }

    fn phases(&self) -> Result<Option<[f64; 3]>> {
        let [compute, wait, sync] = ["compute", "wait", "sync"].map(|name| match self.finite(name)? {
            Some(value) if value < 0.0 => {
                Err(self.wrong(name, format!("expected seconds of at least 0, found {value}")))
            }
            value => Ok(value),
        });
        Ok(compute?.zip(wait?).zip(sync?).map(|((compute, wait), sync)| [compute, wait, sync]))
    }

    fn share(&self) -> Result<Option<f64>> {
        let fraction = self.finite("fraction")?;
        match fraction {
            Some(value) if value <= 0.0 || value > 1.0 => {
                Err(self.wrong("fraction", format!("expected a share above 0 and up to 1, found {value}")))
            }
            _ => Ok(fraction),
        }
    }

    fn objective(&self, metric: Option<&Metric>) -> Result<Option<f64>> {
        let Some(metric) = metric else { return self.finite("objective") };
        let value = self.finite(&metric.name)?;
        if !metric.maximize {
            return Ok(value);
        }
        match value {
            Some(value) if !(0.0..=1.0).contains(&value) => {
                Err(self.wrong(&metric.name, format!("`:max` expects a share from 0 to 1, found {value}")))
            }
            _ => Ok(value.map(|value| 1.0 - value)),
        }
    }

    fn text(&self, name: &str) -> Option<String> {
        let text = (self.value)(find(self.names, name)?)?;
        Some(text.trim().to_owned()).filter(|text| !text.is_empty())
    }

    /// A number that may be absent; a diverged run's NaN or infinity counts as absent.
    fn finite(&self, name: &str) -> Result<Option<f64>> {
        Ok(self.number(name)?.filter(|value: &f64| value.is_finite()))
    }

    /// A count, also where a program that knows only fractions has written `4.0`.
    fn whole<T: FromStr>(&self, name: &str) -> Result<Option<T>> {
        let Some(text) = self.known(name) else { return Ok(None) };
        if let Ok(number) = text.parse() {
            return Ok(Some(number));
        }
        let value: f64 = text.parse().map_err(|_| self.no_number(name, &text))?;
        match value {
            _ if !value.is_finite() => Ok(None),
            // Beyond 2⁵³ a fraction no longer tells one count from the next.
            _ if value < 0.0 || value.fract() != 0.0 || value > 9e15 => Err(self.wrong(name, whole_only(&text))),
            _ => format!("{value}").parse().map(Some).map_err(|_| self.wrong(name, whole_only(&text))),
        }
    }

    fn number<T: FromStr>(&self, name: &str) -> Result<Option<T>> {
        let Some(text) = self.known(name) else { return Ok(None) };
        text.parse().map(Some).map_err(|_| self.no_number(name, &text))
    }

    fn known(&self, name: &str) -> Option<String> {
        self.text(name).filter(|text| !UNKNOWN.contains(&text.to_lowercase().as_str()))
    }

    /// None of these columns says anything: they are not there, or empty in this line.
    fn missing(&self, names: &[&str]) -> Error {
        let there: Vec<&str> = names.iter().copied().filter(|name| find(self.names, name).is_some()).collect();
        if let Some(name) = there.first() {
            return self.wrong(name, "the field is empty; fill it in or leave the line out");
        }
        let found: Vec<&str> = self.names.iter().map(String::as_str).collect();
        let hint = if found.len() == 1 { "; fields are separated by `,`, `;` or tabs" } else { "" };
        let what = format!("column {} is missing; found {}{hint}", either(names), found.join(", "));
        self.head.error(self.path, what)
    }

    fn no_number(&self, name: &str, text: &str) -> Error {
        let hint = if text.contains(',') { "; write decimals with a point and no thousands separators" } else { "" };
        self.wrong(name, format!("expected a number, found `{text}`{hint}"))
    }

    fn wrong(&self, name: &str, what: impl Display) -> Error {
        self.error(format!("column `{name}`: {what}"))
    }

    fn error(&self, what: String) -> Error {
        self.at.error(self.path, what)
    }
}

fn whole_only(text: &str) -> String {
    format!("expected a whole number from 0 on, found `{text}`")
}

/// `a`, `b` or `c`.
fn either(names: &[&str]) -> String {
    let quoted: Vec<String> = names.iter().map(|name| format!("`{name}`")).collect();
    match quoted.split_last() {
        Some((last, rest)) if !rest.is_empty() => format!("{} or {last}", rest.join(", ")),
        _ => quoted.concat(),
    }
}
