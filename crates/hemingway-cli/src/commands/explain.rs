//! `explain`: why each decision was taken, what would have changed it, and what came of it.

use std::path::PathBuf;

use anyhow::Result;
use hemingway::Error;
use hemingway::backend::{Ending, Rehearsal};
use hemingway::record::store::Store;
use hemingway::train::{Replay, replay};
use serde_json::{Value, json};

use super::exit;
use crate::args::ExplainArgs;
use crate::output::{Answer, Output};
use crate::show::{ClusterTable, Paint, PlanTable, number, picture};
use crate::story::{Chapter, Course, Status, Story, told};

/// Tells the story of a run from its journal.
pub(super) fn explain(args: &ExplainArgs, out: &mut dyn Output) -> Result<u8> {
    let dir = Store::at(&args.store.store).find(&args.run)?;
    let waiting = out.wait("reading the journal");
    let replayed = if args.replay { Some(replay(&dir.events()?)?) } else { None };
    let story = Story::read(&dir)?;
    drop(waiting);
    if let Some(path) = &args.plot {
        let course =
            Course::of(&story).ok_or_else(|| Error::Evidence("the run has no objective to draw yet".into()))?;
        picture::save(path, &course.picture(&story))?;
        out.say(&format!("the run is drawn in {}", path.display()));
    }
    let explained = Explained { story, all: args.all, replayed, plot: args.plot.clone() };
    out.answer(&explained)?;
    let differs = explained.replayed.as_ref().is_some_and(|replay| !replay.differences.is_empty());
    Ok(if differs { exit::ERROR } else { exit::MET })
}

struct Explained {
    story: Story,
    all: bool,
    replayed: Option<Replay>,
    plot: Option<PathBuf>,
}

impl Answer for Explained {
    fn json(&self) -> Value {
        let story = &self.story;
        json!({
            "run": story.history.id,
            "goal": story.history.spec.goal.sentence(),
            "status": story.status,
            "clusters": story.history.compared,
            "decisions": story.decisions(),
            "choice": story.turning_point().and_then(|chapter| Some(story.choice(chapter)?.json())),
            "switches": story.ended().map(|summary| &summary.switches),
            "summary": story.ended(),
            "plot": self.plot,
            "replay": self.replayed.as_ref().map(|replay| json!({
                "decisions": replay.decisions,
                "equal": replay.differences.is_empty(),
                "differences": replay.differences.iter().map(|(number, recorded, now)| {
                    json!({ "number": number, "recorded": recorded, "now": now })
                }).collect::<Vec<_>>(),
            })),
        })
    }

    fn human(&self, paint: Paint) -> String {
        let history = &self.story.history;
        let mut text = format!("{}\nGoal: {}\n\n", paint.bold(&history.id), history.spec.goal.sentence());
        text.push_str(&self.clusters(paint));
        for chapter in &self.story.chapters {
            text.push_str(&decision(chapter, paint));
            if chapter.is_the_choice() {
                text.push_str(&self.plan(chapter, paint));
            }
            if chapter.turns() {
                text.push_str(&self.choice(chapter, paint));
            }
        }
        text.push_str(&self.comparison(paint));
        text.push_str(&self.ending());
        text.push_str(&self.replay_words(paint));
        text
    }

    fn quiet(&self) -> String {
        let equal = |replay: &Replay| if replay.differences.is_empty() { "equal" } else { "different" };
        match (&self.replayed, self.story.ended()) {
            (Some(replay), _) => equal(replay).into(),
            (None, Some(summary)) => summary.why.clone(),
            (None, None) => self.story.status.word().into(),
        }
    }
}

/// One decision, and under it what came of it.
fn decision(chapter: &Chapter, paint: Paint) -> String {
    let verb = format!("{:<6}", chapter.verb);
    let verb = if chapter.verb == "switch" { paint.yellow(&verb) } else { paint.bold(&verb) };
    let (number, subject) = (format!("#{}", chapter.number), chapter.subject());
    let mut text = format!("{number:>4}  {verb}  {subject:<20}  {}\n", chapter.why());
    for came in chapter.rehearsals.iter().filter_map(rehearsed).chain(ran(chapter)) {
        text.push_str(&format!("{}\n", paint.dim(&format!("{:36}{came}", ""))));
    }
    text
}

/// What the rounds of a chapter brought.
fn ran(chapter: &Chapter) -> Option<String> {
    let last = chapter.last.as_ref()?;
    let ending = chapter.ending.filter(|ending| *ending != Ending::FrameOver);
    let ending = ending.map_or(String::new(), |ending| format!("; {}", ending.words()));
    Some(format!("{}{ending}", rounds(chapter.rounds(), chapter.seconds(), last.objective)))
}

/// What an algorithm came to on a few rows.
fn rehearsed(one: &Rehearsal) -> Option<String> {
    let (count, objective) = one.points.last()?;
    Some(format!("{}: {} there", one.algorithm, rounds(*count, one.seconds, *objective)))
}

fn rounds(count: u64, seconds: f64, objective: f64) -> String {
    let (rounds, seconds) = (number::counted(count as usize, "round"), number::seconds(seconds));
    format!("{rounds} in {seconds}, objective {}", number::objective(objective))
}

impl Explained {
    /// The clusters that this one was chosen among.
    fn clusters(&self, paint: Paint) -> String {
        let history = &self.story.history;
        if history.compared.is_empty() {
            return String::new();
        }
        let table = ClusterTable { clusters: &history.compared, spec: &history.spec };
        format!("Clusters compared\n{}\n", table.text(paint))
    }

    fn plan(&self, chapter: &Chapter, paint: Paint) -> String {
        let Some(plan) = chapter.plan() else { return String::new() };
        let basis = self.story.basis(chapter);
        let history = &self.story.history;
        let (goal, simulated) = (&history.spec.goal, history.facts.simulated);
        let table = PlanTable { plan, goal, basis: &basis, simulated, all: self.all }.text(paint);
        format!("\n{table}\n")
    }

    /// Why this, what came next, and what would have changed it.
    fn choice(&self, chapter: &Chapter, paint: Paint) -> String {
        let Some(choice) = self.story.choice(chapter) else { return String::new() };
        let line = |head: &str, body: &str| format!("  {}  {body}\n", paint.dim(&format!("{head:<9}")));
        let gap = if chapter.is_the_choice() { "" } else { "\n" };
        let mut text = format!("{gap}{}", line("choice", &choice.why()));
        text.push_str(&line("runner-up", &choice.runner_up_words()));
        for (place, change) in choice.change_words().iter().enumerate() {
            text.push_str(&line(if place == 0 { "but" } else { "" }, change));
        }
        format!("{text}\n")
    }

    fn comparison(&self, paint: Paint) -> String {
        let Some(table) = self.story.comparison() else { return String::new() };
        let virtual_word = if self.story.history.facts.simulated { " (virtual seconds)" } else { "" };
        format!("\nPredicted against real, frame by frame{virtual_word}\n{}", table.text("  ", paint))
    }

    fn ending(&self) -> String {
        match (self.story.ended(), self.story.status) {
            (Some(end), _) => format!("\nIt ended: {}. {}.\n", end.ending.words(), picture::headline(&end.why)),
            (None, Status::Running) => "\nIt is still running.\n".into(),
            (None, _) => format!("\nIt has not ended: {}\n", self.story.resume()),
        }
    }

    fn replay_words(&self, paint: Paint) -> String {
        let Some(replay) = &self.replayed else { return String::new() };
        let decisions = number::counted(replay.decisions, "decision");
        if replay.differences.is_empty() {
            return format!("\nReplay: {} ({decisions} taken again from the journal)\n", paint.green("equal"));
        }
        let mut text = format!("\nReplay: {} in {} of {decisions}\n", paint.red("different"), replay.differences.len());
        for (number, recorded, now) in &replay.differences {
            text.push_str(&format!("  #{number} was  {}\n  #{number} now  {}\n", told(recorded), told(now)));
        }
        text
    }
}
