//! The first runs, when there are no records yet: Ernest's design.

use anyhow::Result;
use hemingway::cluster::Cluster;
use hemingway::model::design::{self, Cost, Design, Grid, Probe, relative_time};
use serde_json::{Value, json};

use super::super::exit::{self, Usage};
use crate::args::DesignArgs;
use crate::clusters;
use crate::output::{Answer, Output};
use crate::show::{Align, Paint, Table, number};

/// Parts of all data for every part of the largest sample, sizes and smallest runs in the budget: Ernest's own.
const TOTAL: usize = 8;
const STEPS: usize = 20;
const BUDGET: f64 = 10.0;

/// Designs.
pub(super) fn runs(args: &DesignArgs, out: &mut dyn Output) -> Result<u8> {
    if args.goal.goal()?.is_some() {
        return Err(Usage::error("a goal needs RECORDS: without any, only the first runs can be designed"));
    }
    let cluster = args.records.cluster.as_deref().map(clusters::find).transpose()?.flatten();
    let grid = grid(args, cluster.as_ref())?;
    let cost = super::cost(args, super::price(args, cluster.as_ref())?)?;
    let smallest = args.runs.smallest_run.unwrap_or(1.0);
    let budget = args.runs.budget.unwrap_or_else(|| cost.of(1, BUDGET * smallest));
    if !(smallest.is_finite() && smallest > 0.0 && budget.is_finite() && budget > 0.0) {
        return Err(Usage::error("--budget and --smallest-run must be above 0"));
    }
    let candidates = grid.candidates();
    if candidates.is_empty() {
        let (parts, cores) = (grid.parts.1, grid.cores * grid.machines.0);
        return Err(Usage::error(format!("--parts: {parts} are too few for the {cores} cores of the fewest machines")));
    }
    let time = relative_time(&candidates);
    let design = design::design(&candidates, |candidate| smallest * time(candidate), cost, budget)?;
    if design.chosen().next().is_none() {
        let words = format!("--budget: {budget} is too small for any run; {} is usual", cost.of(1, BUDGET * smallest));
        return Err(Usage::error(words));
    }
    out.answer(&FirstRuns { design, grid, cost, budget, timed: args.runs.smallest_run.is_some() })?;
    Ok(exit::MET)
}

fn grid(args: &DesignArgs, cluster: Option<&Cluster>) -> Result<Grid> {
    let missing = || Usage::error("say --machines A..B, or --cluster FILE; or hand in RECORDS and a goal");
    let machines = args.machines.or_else(|| cluster.map(|cluster| (1, cluster.machines))).ok_or_else(missing)?;
    if let Some(cluster) = cluster.filter(|cluster| machines.1 > cluster.machines) {
        let words = format!("--machines: {} asked of a cluster of {}", machines.1, cluster.machines);
        return Err(Usage::error(words));
    }
    let cores = args.runs.cores.or(cluster.map(|cluster| cluster.cores_per_machine)).unwrap_or(1);
    let parts = args.runs.parts.unwrap_or((cores * machines.0, cores * machines.1.max(2 * machines.0)));
    for (flag, (low, high)) in [("--machines", machines), ("--parts", parts)] {
        if low == 0 || low > high {
            return Err(Usage::error(format!("{flag}: {low}..{high} is not a range; write A..B with 1 ≤ A ≤ B")));
        }
    }
    let total_parts = args.runs.total_parts.unwrap_or(TOTAL * parts.1);
    let steps = args.runs.steps.unwrap_or(STEPS);
    if total_parts < parts.1 || steps == 0 || cores == 0 {
        let words = "--total-parts must be at least the most of --parts, --steps and --cores at least 1";
        return Err(Usage::error(words));
    }
    Ok(Grid { machines, cores, parts, total_parts, steps })
}

struct FirstRuns {
    design: Design,
    grid: Grid,
    cost: Cost,
    budget: f64,
    timed: bool,
}

impl Answer for FirstRuns {
    fn json(&self) -> Value {
        let run = |probe: &Probe| {
            let candidate = &probe.candidate;
            json!({
                "machines": candidate.machines,
                "fraction": candidate.fraction,
                "parts": self.parts(probe),
                "weight": probe.weight,
                "cost": probe.cost,
            })
        };
        json!({
            "runs": self.design.chosen().map(run).collect::<Vec<_>>(),
            "unit": self.unit(),
            "budget": self.budget,
            "variance": self.design.variance,
            "considered": self.design.probes.len(),
        })
    }

    fn human(&self, paint: Paint) -> String {
        let heads = ["machines", "parts", "% of the data", "weight"].map(|head| (head.to_string(), Align::Right));
        let mut table =
            Table::new(heads.into_iter().chain([(format!("costs, {}", self.unit().replace('_', " ")), Align::Right)]));
        for probe in self.design.chosen() {
            table.row([
                probe.candidate.machines.to_string(),
                number::count(self.parts(probe)),
                number::digits(100.0 * probe.candidate.fraction),
                format!("{:.2}", probe.weight),
                number::digits(probe.cost),
            ]);
        }
        let spent: f64 = self.design.chosen().map(|probe| probe.cost).sum();
        format!(
            "Runs that teach seconds per round the most: {} of {} considered, {} of a budget of {}\n\n{}\n\
             next  make them, write down algorithm,machines,fraction,seconds as CSV, and learn f from them:\n      \
             hemingway fit RECORDS.csv\n",
            self.design.chosen().count(),
            self.design.probes.len(),
            number::digits(spent),
            number::digits(self.budget),
            table.text("  ", paint),
        )
    }

    fn quiet(&self) -> String {
        let line = |probe: &Probe| format!("{} {}", probe.candidate.machines, probe.candidate.fraction);
        self.design.chosen().map(line).collect::<Vec<_>>().join("\n")
    }
}

impl FirstRuns {
    fn parts(&self, probe: &Probe) -> usize {
        (probe.candidate.fraction * self.grid.total_parts as f64).round() as usize
    }

    /// Without a time for the smallest run, everything counts in such runs.
    fn unit(&self) -> &'static str {
        match self.cost {
            Cost::Dollars { .. } => "dollars",
            _ if !self.timed => "smallest_runs",
            Cost::Time => "seconds",
            Cost::MachineSeconds => "machine_seconds",
        }
    }
}
