//! `report`: a run as one document to send to someone.

mod html;
mod json;
mod pieces;
mod prose;

use std::path::{Path, PathBuf};

use anyhow::Result;
use hemingway::Error;
use hemingway::record::store::Store;
use serde_json::Value;

use super::exit::{self, Usage};
use crate::args::{Format, ReportArgs};
use crate::output::{Answer, Output};
use crate::show::Paint;
use crate::show::markdown::escaped;
use crate::story::{Again, Course, Story};
use pieces::Piece;

/// Everything a report is made of.
struct Report {
    story: Story,
    /// None before the first round.
    course: Option<Course>,
    again: Again,
    /// Every candidate of the plan.
    all: bool,
}

/// Writes the report of a run.
pub(super) fn report(args: &ReportArgs, out: &mut dyn Output) -> Result<u8> {
    let format = format(args)?;
    check_pictures(args, format)?;
    let dir = Store::at(&args.store.store).find(&args.run)?;
    let waiting = out.wait("reading the journal");
    let story = Story::read(&dir)?;
    let report = Report { course: Course::of(&story), again: Again::of(&story)?, story, all: args.all };
    drop(waiting);
    let text = text(&report, format, args.out.as_deref())?;
    if let Some(path) = &args.out {
        save(path, &text)?;
        out.say(&format!("the report is in {}", path.display()));
    }
    out.answer(&Written { report, text, path: args.out.clone() })?;
    Ok(exit::MET)
}

/// Refuses a name that the pictures beside the document need.
fn check_pictures(args: &ReportArgs, format: Format) -> Result<()> {
    let svg = |path: &&PathBuf| path.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("svg"));
    match args.out.as_ref().filter(svg).filter(|_| format == Format::Md) {
        Some(path) => {
            let what = format!("-o {}: beside Markdown stand its pictures as SVG: end it in .md", path.display());
            Err(Usage::error(what))
        }
        None => Ok(()),
    }
}

/// The kind asked for, or what the file's name asks for.
fn format(args: &ReportArgs) -> Result<Format> {
    let Some(path) = args.out.as_ref().filter(|_| args.format.is_none()) else {
        return Ok(args.format.unwrap_or(Format::Md));
    };
    match path.extension().and_then(|ending| ending.to_str()) {
        Some("md" | "markdown") => Ok(Format::Md),
        Some("html" | "htm") => Ok(Format::Html),
        Some("json") => Ok(Format::Json),
        _ => {
            let what = format!("-o {}: end it in .md, .html or .json, or say --format", path.display());
            Err(Usage::error(what))
        }
    }
}

fn text(report: &Report, format: Format, path: Option<&Path>) -> Result<String> {
    match format {
        Format::Md => markdown(&pieces::of(report), path),
        Format::Html => Ok(html::page(&report.story.history.id, &pieces::of(report))),
        Format::Json => Ok(format!("{:#}\n", json::of(report))),
    }
}

/// Markdown with its pictures beside it; on stdout without them.
fn markdown(pieces: &[Piece], path: Option<&Path>) -> Result<String> {
    let mut parts = Vec::new();
    for piece in pieces {
        match (piece, path) {
            (Piece::Words(words), _) => parts.push(words.clone()),
            (Piece::Figure(figure), Some(path)) => {
                let beside = beside(path, figure.name);
                save(&beside, &figure.picture.svg())?;
                let link = beside.file_name().map_or_else(String::new, |name| name.to_string_lossy().into_owned());
                parts.push(format!("![{}](<{link}>)\n", figure.shows));
                parts.extend(Some(format!("{}\n", escaped(&figure.caption))).filter(|_| !figure.caption.is_empty()));
            }
            (Piece::Figure(_), None) => {}
        }
    }
    Ok(parts.join("\n"))
}

/// `report.md` and `cost` give `report-cost.svg`; no name gives `report.svg`.
fn beside(path: &Path, name: &str) -> PathBuf {
    let stem = path.file_stem().map_or_else(String::new, |stem| stem.to_string_lossy().into_owned());
    let dash = if name.is_empty() { "" } else { "-" };
    path.with_file_name(format!("{stem}{dash}{name}.svg"))
}

fn save(path: &Path, text: &str) -> Result<()> {
    std::fs::write(path, text).map_err(Error::io(path))?;
    Ok(())
}

struct Written {
    report: Report,
    text: String,
    path: Option<PathBuf>,
}

impl Answer for Written {
    fn json(&self) -> Value {
        json::of(&self.report)
    }

    fn human(&self, _paint: Paint) -> String {
        if self.path.is_some() { String::new() } else { self.text.clone() }
    }

    fn quiet(&self) -> String {
        self.path.as_ref().map_or_else(|| self.text.clone(), |path| path.display().to_string())
    }
}
