//! What a report consists of: Markdown, and pictures between it.

use hemingway::plan::Candidate;
use hemingway_plot::Picture;

use super::{Report, prose};
use crate::show::{Align, ClusterTable, PlanTable, Table, markdown, number};
use crate::story::{Chapter, Choice, Frontier, Spending, Story};

/// A part of a report.
pub(super) enum Piece {
    /// Markdown.
    Words(String),
    /// A picture.
    Figure(Figure),
}

/// A picture and what it is called.
pub(super) struct Figure {
    pub(super) picture: Picture,
    /// Behind the report's own name; empty for the main one.
    pub(super) name: &'static str,
    /// For those who cannot see it.
    pub(super) shows: &'static str,
    /// A sentence below it, if there is one to say.
    pub(super) caption: String,
}

impl Piece {
    /// What it shows takes the place of its title: the report around it says the rest.
    fn figure(picture: Picture, name: &'static str, shows: &'static str, caption: String) -> Self {
        let picture = Picture { title: shows.into(), subtitle: String::new(), ..picture };
        Self::Figure(Figure { picture, name, shows, caption })
    }
}

/// A report from beginning to end.
pub(super) fn of(report: &Report) -> Vec<Piece> {
    let story = &report.story;
    let title = markdown::escaped(&story.history.id);
    let mut pieces = vec![Piece::Words(format!("# {title}\n\n{}\n", prose::outcome(story)))];
    pieces.extend(report.course.as_ref().map(|course| {
        let shows = "Error against training time: as it was predicted and as it came";
        Piece::figure(course.picture(story), "", shows, course.caption())
    }));
    pieces.push(Piece::Words(format!("## The job\n\n{}", prose::job(story))));
    pieces.extend(clusters(story).map(Piece::Words));
    pieces.extend(choice(story, report.all));
    pieces.push(Piece::Words(timeline(story)));
    pieces.extend(comparison(story).map(Piece::Words));
    pieces.push(Piece::Words(spending(story)));
    pieces.push(Piece::Words(format!("## How sure the result is\n\n{}", prose::certainty(story))));
    pieces.push(Piece::Words(again(report)));
    pieces
}

/// The clusters that this one was chosen among.
fn clusters(story: &Story) -> Option<String> {
    let (clusters, spec) = (&story.history.compared[..], &story.history.spec);
    let shown = ClusterTable { clusters, spec };
    let words = || format!("## Which cluster\n\n{}\n{}\n", shown.table().markdown(), shown.probing());
    (!clusters.is_empty()).then(words)
}

/// What was chosen, against what, and what would have changed it.
fn choice(story: &Story, all: bool) -> Vec<Piece> {
    let Some(chapter) = story.turning_point() else {
        return vec![Piece::Words(format!("## The choice\n\n{}\n", prose::no_choice(story)))];
    };
    let chosen = story.choice(chapter);
    let mut words = format!("## The choice\n\n{}", prose::choice(chosen.as_ref()));
    words.push_str(&plan(story, chapter, all));
    let mut pieces = vec![Piece::Words(words)];
    pieces.extend(frontier(story, chapter, chosen.as_ref()));
    pieces
}

/// The plan table as it stood when the choice was made.
fn plan(story: &Story, chapter: &Chapter, all: bool) -> String {
    let Some(plan) = chapter.plan() else { return String::new() };
    let (goal, simulated) = (&story.history.spec.goal, story.history.facts.simulated);
    let basis = story.basis(chapter);
    let shown = PlanTable { plan, goal, basis: &basis, simulated, all };
    let unsettled = plan.unsettled.as_ref().map_or(String::new(), |why| format!("\nNo choice: {why}\n"));
    format!(
        "\n### What every candidate promised then\n\nBasis: {}.\n\n{}\n*{}*\n{unsettled}",
        basis.sentence(simulated),
        shown.table().markdown(),
        shown.legend().replace("   ", "; "),
    )
}

/// Time against money, where there is a price.
fn frontier(story: &Story, chapter: &Chapter, chosen: Option<&Choice<'_>>) -> Vec<Piece> {
    let Some((plan, frontier)) = chapter.plan().and_then(|plan| Some((plan, Frontier::of(plan)?))) else {
        return Vec::new();
    };
    let chosen = chosen.map(|choice| choice.chosen);
    let words = match &frontier.candidates[..] {
        [only] => format!("{} was both the soonest and the cheapest of those that may be chosen.\n", only.config),
        several => {
            let words = "Of those that may be chosen none is both sooner and cheaper than one of these:";
            format!("{words}\n\n{}", prices(several, chosen).markdown())
        }
    };
    let picture = frontier.picture(story, plan, chosen);
    let shows = "Predicted dollars against predicted time of every candidate";
    vec![
        Piece::Words(format!("### Time against cost\n\n{words}")),
        Piece::figure(picture, "cost", shows, String::new()),
    ]
}

fn prices(candidates: &[&Candidate], chosen: Option<&Candidate>) -> Table {
    let heads = [("configuration", Align::Left), ("to go", Align::Right), ("cost", Align::Right), ("", Align::Left)];
    let mut table = Table::new(heads);
    for candidate in candidates {
        let is_choice = chosen.is_some_and(|chosen| chosen.config == candidate.config);
        let cells = [
            candidate.config.to_string(),
            candidate.seconds_to_go().map_or_else(String::new, number::seconds_between),
            candidate.dollars.map_or_else(String::new, |dollars| number::dollars(dollars.mid)),
            if is_choice { "✔ the choice" } else { "" }.into(),
        ];
        if is_choice { table.bright(cells) } else { table.row(cells) }
    }
    table
}

fn timeline(story: &Story) -> String {
    if story.chapters.is_empty() {
        return "## What happened\n\nNothing yet.\n".into();
    }
    let switches: String =
        story.chapters.iter().filter(|chapter| chapter.verb == "switch").map(|c| switch(story, c)).collect();
    let switches = if switches.is_empty() { "It never switched.\n".into() } else { format!("Switches:\n\n{switches}") };
    format!("## What happened\n\n{}\n{switches}", story.timeline().markdown())
}

/// A change of mind, and what would have changed that.
fn switch(story: &Story, chapter: &Chapter) -> String {
    let to = chapter.config().map_or_else(String::new, ToString::to_string);
    let changes = story.choice(chapter).map(|choice| choice.change_words()).unwrap_or_default();
    let changes: String = changes.iter().map(|change| format!("  - {}\n", markdown::escaped(change))).collect();
    format!("- #{} to {to}: {}\n{changes}", chapter.number, markdown::escaped(chapter.why()))
}

fn comparison(story: &Story) -> Option<String> {
    let virtual_word = if story.history.facts.simulated { " (virtual seconds)" } else { "" };
    let table = story.comparison()?.markdown();
    Some(format!("## Predicted against real\n\nFrame by frame of training{virtual_word}.\n\n{table}"))
}

fn spending(story: &Story) -> String {
    let table = Spending::of(story).table(story.history.facts.simulated);
    format!("## Where the time went\n\n{}", table.markdown())
}

fn again(report: &Report) -> String {
    let file = |(name, text): &(String, String)| {
        let kind = if name.ends_with(".json") { "json" } else { "toml" };
        format!("\nwith this as {}:\n\n{}", markdown::escaped(name), markdown::block(kind, text))
    };
    let files: String = report.again.files.iter().map(file).collect();
    let command = markdown::block("sh", &report.again.line);
    format!("## Do it again\n\n{command}{files}\n{}\n", prose::provenance(&report.story))
}
