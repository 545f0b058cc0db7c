//! Which cluster: what the best choice on each promises, the one chosen marked once.

use hemingway::goal::Goal;
use hemingway::job::JobSpec;
use hemingway::model::Estimate;
use hemingway::train::{Compared, Spent};

use super::number::{self, Unit};
use super::{Align, Paint, Table};

/// What its marks mean.
const LEGEND: &str = "(low–high): 90 % interval   ·: beyond what was measured";

/// Clusters that were compared, and what for.
pub(crate) struct ClusterTable<'a> {
    /// What plans on them came to.
    pub(crate) clusters: &'a [Compared],
    /// The job.
    pub(crate) spec: &'a JobSpec,
}

impl ClusterTable<'_> {
    /// The table, and below it what it took to make.
    pub(crate) fn text(&self, paint: Paint) -> String {
        let legend = paint.dim(LEGEND);
        format!("{}  {legend}\n\n{}\n", self.table().text("  ", paint), self.probing())
    }

    /// Factors have no error: no P* is known of them.
    fn has_errors(&self) -> bool {
        self.spec.factors.is_none()
    }

    /// The table alone.
    pub(crate) fn table(&self) -> Table {
        let target = match &self.spec.goal {
            Goal::Reach { .. } => "goal".into(),
            Goal::ReachMetric { metric, value, .. } if !self.has_errors() => format!("{metric} {value}"),
            _ if !self.has_errors() => "where P hardly falls".into(),
            goal => format!("error {}", number::target(goal.planning_error())),
        };
        let mut table = Table::new([
            ("cluster".into(), Align::Left),
            ("algorithm".into(), Align::Left),
            ("m".into(), Align::Right),
            (format!("virtual time to {target}"), Align::Right),
            ("error at the end".into(), Align::Right),
            ("$".into(), Align::Right),
            ("in probes".into(), Align::Right),
            (String::new(), Align::Left),
        ]);
        for one in self.clusters {
            let cells = [
                one.cluster.clone(),
                one.choice.as_ref().map_or_else(|| number::UNKNOWN.into(), |choice| choice.algorithm.clone()),
                one.choice.as_ref().map_or_else(String::new, |choice| choice.machines.to_string()),
                match one.predicted_seconds {
                    _ if self.spec.goal.is_budget() => String::new(),
                    Some(seconds) => time(seconds),
                    None => number::UNKNOWN.into(),
                },
                one.predicted_error.filter(|_| self.has_errors()).map_or(String::new(), number::error_between),
                one.predicted_dollars.map_or(String::new(), |d| number::digits(d.mid)),
                number::seconds(one.spent.probe_seconds),
                self.verdict(one),
            ];
            if one.chosen { table.bright(cells) } else { table.row(cells) }
        }
        table
    }

    fn verdict(&self, one: &Compared) -> String {
        let best = match &self.spec.goal {
            Goal::Within { .. } | Goal::Spend { .. } if !self.has_errors() => "✔ lowest P",
            Goal::Within { .. } | Goal::Spend { .. } => "✔ lowest error",
            _ if self.clusters.iter().any(|other| other.too_dear) => "✔ fastest that can be paid",
            _ => "✔ fastest",
        };
        match (one.chosen, one.too_dear) {
            (true, false) => best.into(),
            (true, true) => "✔ but too dear".into(),
            (false, true) => "  too dear".into(),
            (false, false) => String::new(),
        }
    }

    /// `Probing on 2 clusters took 12.0 ms (virtual).`
    pub(crate) fn probing(&self) -> String {
        let spent: Spent = self.clusters.iter().map(|one| one.spent).sum();
        let took = number::seconds(spent.probe_seconds);
        format!("Probing on {} took {took} (virtual).", number::counted(self.clusters.len(), "cluster"))
    }
}

/// Clusters may be orders of magnitude apart: each time has its own unit.
fn time(seconds: Estimate) -> String {
    let unit = Unit::of(seconds.mid);
    format!("{} {}", number::interval(Some(seconds), |s| unit.number(s)), unit.name)
}
