//! The report for programs.

use serde_json::{Value, json};

use super::Report;
use crate::story::{Frontier, Spending};

/// Everything a report says, and the points of its curve.
pub(super) fn of(report: &Report) -> Value {
    let story = &report.story;
    let (spec, facts, summary) = (&story.history.spec, &story.history.facts, &story.summary);
    let turning_point = story.turning_point();
    let choice = turning_point.and_then(|chapter| story.choice(chapter));
    let plan = turning_point.and_then(|chapter| chapter.plan());
    let frontier = plan.and_then(Frontier::of);
    json!({
        "run": story.history.id,
        "version": story.version,
        "began": story.began,
        "status": story.status,
        "goal": spec.goal.sentence(),
        "goal_met": summary.goal_met,
        "ending": story.ended().map(|end| end.ending),
        "why": story.ended().map(|end| &end.why),
        "objective": summary.objective,
        "lower_bound": summary.lower_bound,
        "optimum_low": story.optimum(),
        "estimated_error": summary.estimated_error,
        "certified_error": summary.certified_error,
        "predicted_seconds": summary.predicted_seconds,
        "real_seconds": summary.real_seconds,
        "simulated": facts.simulated,
        "data": facts.data,
        "problem": { "fingerprint": facts.problem, "loss": facts.loss, "classes": facts.classes, "l2": facts.l2, "l1": facts.l1 },
        "cluster": spec.cluster,
        "clusters": story.history.compared,
        "seed": spec.seed,
        "trained_with": summary.choice,
        "choice": choice.map(|choice| choice.json()),
        "plan": plan,
        "basis": turning_point.map(|chapter| story.basis(chapter)),
        "frontier": frontier.map(|frontier| frontier.candidates.iter().map(|c| &c.config).cloned().collect::<Vec<_>>()),
        "decisions": story.decisions(),
        "switches": summary.switches,
        "course": report.course,
        "spending": Spending::of(story),
        "command": report.again.line,
    })
}
