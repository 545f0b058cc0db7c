//! `sync run`: steps with real bytes.

use anyhow::Result;
use hemingway::sync::execute::{Team, Timing};
use hemingway::sync::search::Interval;
use serde_json::{Value, json};

use super::super::exit;
use crate::args::PlaceArgs;
use crate::output::{Answer, Output};
use crate::show::{Paint, number};

/// Runs.
pub(super) fn run(place: &PlaceArgs, name: &str, (scale, steps): (f64, u64), out: &mut dyn Output) -> Result<u8> {
    let (stage, cluster) = super::stage(place)?;
    let strategy = super::strategy(&stage, name)?;
    let forecast = hemingway::sync::analytic::forecast(&stage, &stage.play(&strategy)?).seconds;
    let waiting = out.wait(&format!("{steps} steps of about {}", number::seconds(forecast)));
    let seconds = Team::new(&stage, &strategy)?.time(Timing { scale, steps, seed: 0 })?;
    drop(waiting);
    let heading = format!("{}: {}", super::heading(&stage, &cluster), strategy.name);
    out.answer(&Ran { heading, strategy: strategy.name, seconds: Interval::of(seconds), forecast, scale, steps })?;
    Ok(exit::MET)
}

struct Ran {
    heading: String,
    strategy: String,
    seconds: Interval,
    forecast: f64,
    scale: f64,
    steps: u64,
}

impl Answer for Ran {
    fn json(&self) -> Value {
        json!({
            "strategy": self.strategy,
            "seconds": self.seconds,
            "forecast_seconds": self.forecast,
            "steps": self.steps,
            "engine": "threads",
            "scale": self.scale,
        })
    }

    fn human(&self, _: Paint) -> String {
        let unit = number::Unit::of(self.seconds.mid);
        let [low, mid, high] = [self.seconds.low, self.seconds.mid, self.seconds.high].map(|s| unit.number(s));
        format!(
            "{}\n\nstep  {mid} {} ({low}–{high} over {}), on threads over shaped links, bytes scaled by 1/{}; on paper {}",
            self.heading,
            unit.name,
            number::counted(self.steps as usize, "step"),
            self.scale,
            number::seconds(self.forecast),
        )
    }

    fn quiet(&self) -> String {
        self.seconds.mid.to_string()
    }
}
