//! The plan table: what every candidate promises, the choice marked once.

use hemingway::goal::Goal;
use hemingway::plan::{Candidate, Plan};

use super::number::{self, Unit};
use super::{Align, Basis, Paint, Table};

/// More rows than this are not read.
const MOST_ROWS: usize = 12;

/// A plan and all that is needed to tell it.
pub(crate) struct PlanTable<'a> {
    /// The plan.
    pub(crate) plan: &'a Plan,
    /// What it is for.
    pub(crate) goal: &'a Goal,
    /// What it rests on.
    pub(crate) basis: &'a Basis,
    /// Its seconds are virtual.
    pub(crate) simulated: bool,
    /// Show every candidate.
    pub(crate) all: bool,
}

impl PlanTable<'_> {
    /// The table with its basis above and its legend below.
    pub(crate) fn text(&self, paint: Paint) -> String {
        let mut text = format!("Basis: {}\n\n", self.basis.sentence(self.simulated));
        text.push_str(&self.table().text("  ", paint));
        let legend = self.legend();
        if !legend.is_empty() {
            text.push_str(&format!("  {}\n", paint.dim(&legend)));
        }
        if let Some(why) = &self.plan.unsettled {
            text.push_str(&format!("\nNo choice: {why}\n"));
        }
        text
    }

    /// The table alone.
    pub(crate) fn table(&self) -> Table {
        let shown = self.shown();
        let round_unit = Unit::of_all(shown.iter().filter_map(|c| Some(c.seconds_per_round?.mid)));
        let goal_unit = Unit::of_all(shown.iter().filter_map(|c| Some(c.seconds_to_go()?.mid)));
        let virtual_word = if self.simulated { "virtual " } else { "" };
        let target = match self.goal {
            Goal::Reach { .. } => "goal".into(),
            Goal::ReachMetric { metric, value, level: Some(_) } => format!("{metric} {value}"),
            goal => format!("error {}", number::target(goal.planning_error())),
        };
        // What counts of a budget is the error that it ends at.
        let budget = self.goal.is_budget();
        let of_goal = |cell: String| if budget { String::new() } else { cell };
        let mut table = Table::new([
            ("algorithm".into(), Align::Left),
            ("m".into(), Align::Right),
            (format!("{virtual_word}{}/round", round_unit.name), Align::Right),
            (format!("rounds to {target}"), Align::Right),
            (format!("{virtual_word}{} to {target}", goal_unit.name), Align::Right),
            ("error at the end".into(), Align::Right),
            ("$".into(), Align::Right),
            ("memory".into(), Align::Left),
            (String::new(), Align::Left),
        ]);
        for candidate in shown {
            let cells = [
                candidate.config.algorithm.clone(),
                candidate.config.machines.to_string(),
                number::interval(candidate.seconds_per_round, |s| round_unit.number(s)),
                of_goal(number::reach(candidate.rounds, number::whole)),
                of_goal(number::reach(candidate.seconds, |s| goal_unit.number(s))),
                match candidate.error_at_end {
                    Some(error) => number::error_between(error),
                    None if budget => number::UNKNOWN.into(),
                    None => String::new(),
                },
                candidate.dollars.map_or(String::new(), |d| number::digits(d.mid)),
                if candidate.fits { "" } else { "too small" }.into(),
                self.verdict(candidate),
            ];
            if self.is_choice(candidate) { table.bright(cells) } else { table.row(cells) }
        }
        table
    }

    fn is_choice(&self, candidate: &Candidate) -> bool {
        self.plan.choice().is_some_and(|choice| choice.config == candidate.config)
    }

    fn verdict(&self, candidate: &Candidate) -> String {
        let cheapest = self.cheapest().is_some_and(|cheapest| cheapest.config == candidate.config);
        if !self.is_choice(candidate) {
            return if cheapest { "  cheapest".into() } else { String::new() };
        }
        let best = match self.goal {
            Goal::Within { .. } | Goal::Spend { .. } => "lowest error",
            _ if candidate.seconds_to_go().is_none() => "most promising",
            _ if self.plan.bars_a_sooner(candidate) => "fastest that may be chosen",
            // What may go wrong is weighed too, and the middle of a wide promise may be the lowest.
            _ if self.plan.candidates.iter().any(|other| other.is_sooner(candidate)) => "surest",
            _ => "fastest",
        };
        if cheapest { format!("✔ {best}, cheapest") } else { format!("✔ {best}") }
    }

    fn cheapest(&self) -> Option<&Candidate> {
        let priced = self.plan.candidates.iter().filter(|c| c.fits && c.dollars.is_some());
        let price = |c: &Candidate| c.dollars.map_or(f64::INFINITY, |d| d.mid);
        priced.min_by(|a, b| price(a).total_cmp(&price(b)))
    }

    /// The best of each algorithm, so that none is silently missing, then the best of the rest; in order of rank.
    fn shown(&self) -> Vec<&Candidate> {
        let candidates = &self.plan.candidates;
        if self.all || candidates.len() <= MOST_ROWS {
            return candidates.iter().collect();
        }
        let mut seen = Vec::new();
        let mut first_of = |c: &Candidate| {
            let new = !seen.contains(&c.config.algorithm);
            seen.push(c.config.algorithm.clone());
            new
        };
        let (leaders, others): (Vec<usize>, Vec<usize>) =
            (0..candidates.len()).partition(|&i| first_of(&candidates[i]));
        let mut picked: Vec<usize> = leaders.into_iter().chain(others).take(MOST_ROWS).collect();
        picked.sort_unstable();
        picked.into_iter().map(|i| &candidates[i]).collect()
    }

    /// What its marks mean.
    pub(crate) fn legend(&self) -> String {
        let estimates = |c: &Candidate| {
            let reaches = [c.rounds, c.seconds].into_iter().flatten().filter_map(|reach| reach.estimate());
            c.seconds_per_round.into_iter().chain(reaches).any(|e| e.extrapolated)
        };
        let mut parts = vec!["(low–high): 90 % interval".to_string()];
        if self.plan.candidates.iter().any(estimates) {
            parts.push("·: beyond what was measured".into());
        }
        let hidden = self.plan.candidates.len() - self.shown().len();
        if hidden > 0 {
            parts.push(format!("{hidden} more with --all"));
        }
        parts.join("   ")
    }
}
