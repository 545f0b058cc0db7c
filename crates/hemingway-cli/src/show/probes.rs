//! The probes that could be made next, ranked, and whether to make one.

use hemingway::goal::Goal;
use hemingway::model::design::decision::{Advice, Trial, Unit};
use serde_json::{Value, json};

use super::{Align, Basis, Paint, Table, number};
use crate::output::Answer;

/// More rows than this are not read.
const MOST_ROWS: usize = 10;

/// Advice and all that is needed to tell it.
pub(crate) struct Probes {
    /// The advice.
    pub(crate) advice: Advice,
    /// What it is for.
    pub(crate) goal: Goal,
    /// What it rests on.
    pub(crate) basis: Basis,
    /// Show every probe.
    pub(crate) all: bool,
}

impl Answer for Probes {
    fn json(&self) -> Value {
        let Advice { choice, promise, regret, unit, probes } = &self.advice;
        let next = self.advice.next();
        json!({
            "goal": self.goal.sentence(),
            "verdict": if next.is_some() { "probe" } else { "stop" },
            "next": next,
            "choice": choice,
            "promise": promise,
            "regret": regret,
            "unit": unit,
            "probes": probes,
            "basis": self.basis,
        })
    }

    fn human(&self, paint: Paint) -> String {
        let mut text = format!("Basis: {}\n{}\n", self.basis.sentence(false), self.standing());
        let shown = self.shown();
        if !shown.is_empty() {
            text.push_str(&format!("\n{}", self.table(&shown).text("  ", paint)));
            let hidden = self.advice.probes.len() - shown.len();
            if hidden > 0 {
                text.push_str(&format!("  {}\n", paint.dim(&format!("{hidden} more with --all"))));
            }
        }
        format!("{text}\n{}\n", self.verdict())
    }

    fn quiet(&self) -> String {
        let words = |probe: &Trial| format!("{} {} {}", probe.config.algorithm, probe.config.machines, probe.rounds);
        self.advice.next().map_or_else(|| "stop".into(), words)
    }
}

impl Probes {
    fn standing(&self) -> String {
        let Advice { choice, promise, regret, .. } = &self.advice;
        let choice =
            choice.as_ref().map_or_else(|| "nothing for sure, at best".into(), |choice| format!("{choice}, which"));
        let (promise, regret) = (self.amount(*promise), self.amount(*regret));
        let verb = if self.advice.unit == Unit::Error { "leaves error" } else { "takes" };
        format!("Choice as things stand: {choice} {verb} {promise}; expected regret {regret}")
    }

    fn table(&self, shown: &[&Trial]) -> Table {
        let heads = [("algorithm", Align::Left), ("m", Align::Right), ("rounds", Align::Right), ("data", Align::Right)];
        let numbers = ["takes", "costs", "may save"].map(|head| (head, Align::Right));
        let mut table = Table::new(heads.into_iter().chain(numbers).chain([("", Align::Left)]));
        let timed = self.advice.unit == Unit::Seconds;
        for probe in shown {
            let cells = [
                probe.config.algorithm.clone(),
                probe.config.machines.to_string(),
                number::count(probe.rounds as usize),
                if probe.fraction < 1.0 {
                    format!("{} %", number::digits(100.0 * probe.fraction))
                } else {
                    String::new()
                },
                if timed { String::new() } else { number::seconds(probe.seconds) },
                self.amount(probe.cost),
                self.amount(probe.saves.max(0.0)),
                self.mark(probe),
            ];
            if self.advice.next() == Some(*probe) { table.bright(cells) } else { table.row(cells) }
        }
        table
    }

    fn mark(&self, probe: &Trial) -> String {
        match self.advice.pays(probe) {
            _ if self.advice.next() == Some(probe) => "✔ next".into(),
            true => "  pays".into(),
            false => String::new(),
        }
    }

    fn verdict(&self) -> String {
        let words = |probe: &Trial| {
            let sample = if probe.fraction < 1.0 { " of a sample" } else { "" };
            format!("{}, {}{sample}", probe.config, number::counted(probe.rounds as usize, "round"))
        };
        let terms = |probe: &Trial| {
            let (cost, saves) = (self.amount(probe.cost), self.amount(probe.saves.max(0.0)));
            format!("costs {cost}, expected to save {saves}")
        };
        match (self.advice.next(), self.advice.probes.first()) {
            (Some(probe), _) => format!("probe  {}: {}", words(probe), terms(probe)),
            (None, Some(best)) => {
                format!("stop   no probe can pay for itself; the best, {}: {}", words(best), terms(best))
            }
            (None, None) => "stop   no probe would tell anything new".into(),
        }
    }

    /// The best probe of each configuration, the best first.
    fn shown(&self) -> Vec<&Trial> {
        let probes = &self.advice.probes;
        if self.all {
            return probes.iter().collect();
        }
        let first = |place: &usize| probes[..*place].iter().all(|before| before.config != probes[*place].config);
        (0..probes.len()).filter(first).take(MOST_ROWS).map(|place| &probes[place]).collect()
    }

    fn amount(&self, value: f64) -> String {
        match self.advice.unit {
            _ if value.is_infinite() => "all".into(),
            Unit::Seconds => number::seconds(value),
            Unit::MachineSeconds => format!("{} machine-s", number::digits(value)),
            Unit::Dollars => number::dollars(value),
            Unit::Error => number::error(value),
        }
    }
}
