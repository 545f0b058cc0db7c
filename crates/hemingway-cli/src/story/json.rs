//! The story for programs.

use hemingway::backend::Rehearsal;
use serde_json::{Value, json};

use super::{Chapter, Choice, Story};

impl Chapter {
    /// For programs.
    pub(crate) fn json(&self, story: &Story) -> Value {
        json!({
            "number": self.number,
            "verb": self.verb,
            "why": self.why(),
            "run": self.run(),
            "config": self.config(),
            "plan": self.plan(),
            "rehearsals": self.rehearsals.iter().map(rehearsal).collect::<Vec<_>>(),
            "choice": story.choice(self).filter(|_| self.turns()).map(|choice| choice.json()),
            "from_round": self.start().map_or(0, |start| start.round),
            "to_round": self.last.as_ref().map(|last| last.round),
            "seconds": self.seconds(),
            "objective": self.last.as_ref().map(|last| last.objective),
            "from_error": self.start().and_then(|start| story.error(start.objective)),
            "to_error": self.last.as_ref().and_then(|last| story.error(last.objective)),
            "ending": self.ending,
            "predicted_seconds_per_round": self.promised_pace(),
            "real_seconds_per_round": self.real_pace(),
            "predicted_seconds": self.promised_seconds(),
            "real_seconds": self.real_seconds(story.reached()),
        })
    }
}

fn rehearsal(one: &Rehearsal) -> Value {
    json!({
        "algorithm": one.algorithm,
        "rows": one.rows,
        "rounds": one.points.last().map(|(rounds, _)| rounds),
        "seconds": one.seconds,
        "objective": one.points.last().map(|(_, objective)| objective),
    })
}

impl Choice<'_> {
    /// For programs.
    pub(crate) fn json(&self) -> Value {
        json!({
            "chosen": self.chosen,
            "why": self.why(),
            "runner_up": self.runner_up(),
            "lead": self.lead(),
            "changes": self.changes,
            "would_change": self.change_words(),
        })
    }
}

impl Story {
    /// Every decision, for programs.
    pub(crate) fn decisions(&self) -> Vec<Value> {
        self.chapters.iter().map(|chapter| chapter.json(self)).collect()
    }
}
