//! The history of training where no line can be rewritten: rows at rounds 1, 2, 4, 8, …

use hemingway::backend::Config;
use hemingway::model::{ContextModel, FitOptions, Reach, RunModel};
use hemingway::record::{Record, traces};
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
    forecast: Option<Forecast>,
    /// Seconds are virtual.
    simulated: bool,
}

/// What was expected when training began.
struct Forecast {
    context: ContextModel,
    machines: usize,
    /// Rounds that the level reached at the base stands for.
    done: f64,
}

impl Rows {
    pub(super) fn new(simulated: bool) -> Self {
        Self { simulated, ..Self::default() }
    }

    /// Another configuration takes over at this round.
    pub(super) fn begin(&mut self, config: &Config, base: u64, records: &[Record], cores: usize) {
        *self = Self { base, next: 1, forecast: Forecast::new(config, records, cores), ..Self::new(self.simulated) };
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
        let predicted = self.forecast.as_ref().map(|forecast| forecast.error(record.round.saturating_sub(self.base)));
        let seconds = if self.simulated { "virtual s" } else { "seconds" };
        let mut text = String::new();
        if !std::mem::replace(&mut self.headed, true) {
            text = format!(
                "  {:>7}  {seconds:>10}  {:>11}  {:>10}  {:>10}",
                "round", "objective", "est. error", "certified"
            );
            text.push_str(if predicted.is_some() { "   predicted error\n" } else { "\n" });
        }
        text.push_str(&format!(
            "  {:>7}  {:>10}  {:>11}  {:>10}  {:>10}",
            record.round,
            number::digits(record.train_seconds),
            number::objective(record.objective),
            number::maybe_error(standing.estimated_error_of(record.objective)),
            number::maybe_error(standing.certified_error_of(record.objective)),
        ));
        if let Some(predicted) = predicted {
            text.push_str(&format!("   {}", number::interval(predicted, number::error)));
        }
        text
    }
}

impl Forecast {
    /// By the models of what was seen until now; none without probes.
    fn new(config: &Config, records: &[Record], cores: usize) -> Option<Self> {
        let options = FitOptions { max_local_machines: Some(cores), ..FitOptions::default() };
        let model = RunModel::fit(&traces(records), &options).ok()?;
        let context = model.context(&config.algorithm).ok()?.clone();
        let own = records.iter().filter(|r| r.algorithm == config.algorithm).map(|r| r.objective);
        let reached = model.bracket.as_ref()?.error(own.min_by(f64::total_cmp)?)?;
        let done = context.rounds_to(reached, config.machines).and_then(Reach::estimate)?.mid;
        Some(Self { context, machines: config.machines, done })
    }

    fn error(&self, rounds: u64) -> Option<hemingway::model::Estimate> {
        self.context.error_after(self.done + rounds as f64, self.machines)
    }
}
