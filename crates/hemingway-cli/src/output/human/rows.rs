//! The history of training where no line can be rewritten: rows at rounds 1, 2, 4, 8, …

use hemingway::record::Record;
use hemingway::standing::Standing;

use crate::show::number;

/// Decides which rounds are told, and how.
#[derive(Default)]
pub(super) struct Rows {
    /// Rounds are counted from here: where this configuration took over.
    base: u64,
    /// The next to be told, counted so.
    next: u64,
    headed: bool,
    /// Seconds are virtual.
    simulated: bool,
}

impl Rows {
    pub(super) fn new(simulated: bool) -> Self {
        Self { simulated, ..Self::default() }
    }

    /// Another configuration takes over at this round.
    pub(super) fn begin(&mut self, base: u64) {
        *self = Self { base, next: 1, ..Self::new(self.simulated) };
    }

    /// The lines to print for this record, if any.
    pub(super) fn tell(&mut self, record: &Record, standing: &Standing) -> Option<String> {
        let round = record.round.saturating_sub(self.base);
        if round < self.next {
            return None;
        }
        self.next = (round + 1).next_power_of_two();
        Some(self.line(record, standing))
    }

    /// A row, after the heads if it is the first.
    fn line(&mut self, record: &Record, standing: &Standing) -> String {
        let seconds = if self.simulated { "virtual s" } else { "seconds" };
        let mut text = String::new();
        if !std::mem::replace(&mut self.headed, true) {
            text = format!(
                "  {:>7}  {seconds:>10}  {:>11}  {:>10}  {:>10}\n",
                "round", "objective", "est. error", "certified"
            );
        }
        text.push_str(&format!(
            "  {:>7}  {:>10}  {:>11}  {:>10}  {:>10}",
            record.round,
            number::digits(record.train_seconds),
            number::objective(record.objective),
            number::maybe_error(standing.estimated_error_of(record.objective)),
            number::maybe_error(standing.certified_error_of(record.objective)),
        ));
        text
    }
}
