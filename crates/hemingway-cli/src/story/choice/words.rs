//! A choice in sentences.

use hemingway::goal::Goal;
use hemingway::model::Estimate;

use super::{Change, Choice, machines, promise};
use crate::show::number;

/// Leads nearer to 1 than this are none.
const EQUAL: f64 = 0.01;

impl Choice<'_> {
    /// Why this and no other.
    pub(crate) fn why(&self) -> String {
        let config = &self.chosen.config;
        match (self.is_budget(), promise(self.chosen, self.goal)) {
            (true, Some(error)) => format!("{config} promised the lowest error in the end: {}", self.shown(error)),
            (false, Some(seconds)) => {
                let barred = self.plan.bars_a_sooner(self.chosen);
                let of_those = if barred { " of those that may be chosen" } else { "" };
                // What may go wrong is weighed too, and the middle of a wide promise may be the lowest.
                let what = if self.lead().is_some_and(|lead| lead < 1.0 - EQUAL) { "surest" } else { "shortest" };
                format!("{config} promised the {what} way to the goal{of_those}: {}", self.shown(seconds))
            }
            (_, None) => format!("{config} had the quickest rounds; no candidate had the goal in sight"),
        }
    }

    /// What came next, and by how much.
    pub(crate) fn runner_up_words(&self) -> String {
        let Some(rival) = self.runner_up() else {
            return "no other configuration that was measured had the goal in sight".into();
        };
        let promised = promise(rival, self.goal).map_or_else(|| number::UNKNOWN.into(), |p| self.shown(p));
        let what = if self.is_budget() { "the error" } else { "as long" };
        let lead = self.lead().map_or(String::new(), |lead| match lead {
            lead if lead < 1.0 - EQUAL => format!(", {} times {what}, but less surely", number::digits(lead)),
            lead if lead < 1.0 + EQUAL => ", as good as equal".into(),
            lead => format!(", {} times {what}", number::digits(lead)),
        });
        format!("{}: {promised}{lead}", rival.config)
    }

    /// One sentence for each thing that would have changed it.
    pub(crate) fn change_words(&self) -> Vec<String> {
        self.changes.iter().map(|change| self.told(change)).collect()
    }

    fn told(&self, change: &Change) -> String {
        let own = &self.chosen.config;
        match change {
            Change::Sooner { config, fewer_rounds, quicker_rounds, within_interval } => format!(
                "{config} would win with {} % fewer rounds, or with rounds {} times quicker ({})",
                (100.0 * fewer_rounds).round(),
                number::digits(*quicker_rounds),
                allowed(*within_interval),
            ),
            Change::Lower { config, promised, needed, within_interval } => format!(
                "{config} would win if it ended at {} instead of {} ({})",
                number::error(*needed),
                number::error(*promised),
                allowed(*within_interval),
            ),
            Change::Measured { config, promised } => format!(
                "{config} promised {}, but {} lay beyond what was measured: a probe there would tell",
                self.shown(*promised),
                machines(config),
            ),
            Change::Run { config, promised } => format!(
                "{config} promised {}, but {} has not run here, nor come to the goal before: a probe of it would tell",
                self.shown(*promised),
                config.algorithm,
            ),
            Change::Memory { config, promised } => format!(
                "{config} promised {}, but the data does not fit into the memory of {}",
                self.shown(*promised),
                machines(config),
            ),
            Change::Looser { config, error, seconds, against } => format!(
                "for an error of {} {config} would have won: it was there after {}, {own} after {}",
                number::error(*error),
                number::seconds(*seconds),
                number::seconds(*against),
            ),
            Change::Cheaper { config, dollars, against } => format!(
                "{config} would win if money counted before time: {} against {}",
                number::dollars(*dollars),
                number::dollars(*against),
            ),
        }
    }

    fn shown(&self, promised: Estimate) -> String {
        if self.is_budget() { number::error_between(promised) } else { number::seconds_between(promised) }
    }

    fn is_budget(&self) -> bool {
        matches!(self.goal, Goal::Within { .. } | Goal::Spend { .. })
    }
}

fn allowed(within_interval: bool) -> &'static str {
    if within_interval { "its 90 % interval allows for that" } else { "its 90 % interval rules that out" }
}
