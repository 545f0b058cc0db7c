//! How well fits predict a number of machines they have not seen.

use hemingway::model::{CrossValidation, Fold, Quantity};
use serde_json::{Value, json};

use crate::output::Answer;
use crate::show::{Align, Paint, Table, number};

/// Every fold, and what they amount to.
pub(super) struct CrossValidated(pub(super) CrossValidation);

impl Answer for CrossValidated {
    fn json(&self) -> Value {
        json!({ "folds": self.0.folds, "summary": self.0.summary })
    }

    fn human(&self, paint: Paint) -> String {
        if self.0.folds.is_empty() {
            return "Nothing to compare: cross-validation needs records of at least two numbers of machines.".into();
        }
        let heads = [("context", Align::Left), ("m left out", Align::Right), ("quantity", Align::Left)];
        let numbers = ["predicted (90 %)", "real", "predicted/real"].map(|head| (head, Align::Right));
        let mut table = Table::new(heads.into_iter().chain(numbers).chain([("", Align::Left)]));
        for fold in &self.0.folds {
            table.row(cells(fold));
        }
        format!("{}\n{}", table.text("  ", paint), self.verdicts())
    }

    fn quiet(&self) -> String {
        let medians = self.0.summary.iter().filter_map(|summary| Some(format!("{:.3}", summary.median_error?)));
        medians.collect::<Vec<_>>().join("\n")
    }
}

impl CrossValidated {
    fn verdicts(&self) -> String {
        let percent =
            |share: Option<f64>| share.map_or_else(|| number::UNKNOWN.into(), |s| format!("{:.1} %", 100.0 * s));
        let lines = self.0.summary.iter().map(|summary| {
            format!(
                "{}: {}, median error {}, {:.0} % within their interval, {} unanswered",
                if summary.quantity == Quantity::Seconds { "seconds per round" } else { "rounds to target" },
                number::counted(summary.folds, "prediction"),
                percent(summary.median_error),
                100.0 * summary.coverage,
                summary.unanswered,
            )
        });
        lines.collect::<Vec<_>>().join("\n")
    }
}

fn cells(fold: &Fold) -> [String; 7] {
    let (quantity, unit) = match fold.quantity {
        Quantity::Seconds => ("seconds/round".to_string(), number::Unit::of(fold.real).name),
        Quantity::RoundsTo => (format!("rounds to {}", fold.target.map_or_else(String::new, number::target)), ""),
    };
    let show = |value: f64| match fold.quantity {
        Quantity::Seconds => number::Unit::of(fold.real).number(value),
        Quantity::RoundsTo => number::whole(value),
    };
    let predicted = match (fold.low, fold.mid) {
        (Some(low), Some(mid)) => {
            format!("{} ({}–{})", show(mid), show(low), show(fold.high.unwrap_or(f64::INFINITY)))
        }
        _ => "never".into(),
    };
    let ratio = fold.mid.map_or_else(|| number::UNKNOWN.into(), |mid| number::digits(mid / fold.real));
    let held = fold.low.is_some_and(|low| fold.real >= low) && fold.high.is_none_or(|high| fold.real <= high);
    [
        fold.context.clone(),
        fold.machines.to_string(),
        quantity,
        predicted,
        format!("{} {unit}", show(fold.real)).trim_end().into(),
        ratio,
        if held { "" } else { "outside" }.into(),
    ]
}
