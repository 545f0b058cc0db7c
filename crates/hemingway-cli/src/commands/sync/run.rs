//! `sync run`: steps with real bytes.

use anyhow::Result;
use hemingway::sync::Stage;
use hemingway::sync::execute::{Team, Timing};
use hemingway::sync::search::Interval;
use serde_json::{Value, json};

use super::super::exit::{self, Usage};
use crate::args::{PlaceArgs, SCALE};
use crate::output::{Answer, Output};
use crate::place;
use crate::show::{Paint, number};

/// Machines that one process can be without their threads standing in each other's way more than links do.
const MOST_THREADS: usize = 256;
/// Gigabytes that all machines together may hold in one process.
const MOST_GIGABYTES: f64 = 8.0;
/// A machine holds its gradients, their buffers and messages under way.
const COPIES: f64 = 4.0;

/// Runs.
pub(super) fn run(
    place: &PlaceArgs,
    name: &String,
    (scale, steps): (Option<f64>, u64),
    out: &mut dyn Output,
) -> Result<u8> {
    let (stage, cluster) = super::stage(place, std::slice::from_ref(name))?;
    let ranks = place::elsewhere();
    let timing = Timing { scale: scale.unwrap_or(if ranks.is_some() { 1.0 } else { SCALE }), steps, seed: 0 };
    if ranks.is_none() {
        check_threads(&stage, timing.scale)?;
    }
    let strategy = super::strategy(&stage, name)?;
    let play = stage.play(&strategy)?;
    let forecast = hemingway::sync::analytic::forecast(&stage, &play).seconds;
    let words = format!("{} of about {}", number::counted(steps as usize, "step"), number::seconds(forecast));
    let waiting = out.wait(&words);
    let seconds = match ranks {
        Some(ranks) => ranks.exchange(&stage, &strategy, timing)?,
        None => Team::new(&stage, &strategy)?.time(timing)?,
    };
    drop(waiting);
    let heading = format!("{}: {}", super::heading(&stage, &cluster), strategy.name);
    let ranks = ranks.map(|_| stage.machines());
    let seconds = Interval::of_turns(&seconds, play.layout.period());
    out.answer(&Ran { heading, strategy: strategy.name, seconds, forecast, timing, ranks })?;
    Ok(exit::MET)
}

/// What one process cannot do is refused before it is tried.
fn check_threads(stage: &Stage, scale: f64) -> Result<()> {
    let machines = stage.machines();
    if machines > MOST_THREADS {
        return Err(Usage::error(format!(
            "--machines: {machines} machines as threads of one process are too many: take at most {MOST_THREADS}, \
             run ranks (mpirun -n … hemingway-mpi sync run …), or ask `sync simulate`"
        )));
    }
    let gigabytes = COPIES * machines as f64 * stage.model.bytes() / scale / 1e9;
    if gigabytes > MOST_GIGABYTES {
        let enough = (scale * gigabytes / MOST_GIGABYTES).ceil();
        return Err(Usage::error(format!(
            "--scale: all machines together would hold some {gigabytes:.0} GB in this process; write --scale {enough} or more"
        )));
    }
    Ok(())
}

struct Ran {
    heading: String,
    strategy: String,
    seconds: Interval,
    forecast: f64,
    timing: Timing,
    /// How many, where machines were ranks.
    ranks: Option<usize>,
}

impl Ran {
    /// Where bytes went, and how many.
    fn where_and_how(&self) -> String {
        let scale = self.timing.scale;
        match self.ranks {
            None => format!("on threads over shaped links, bytes scaled by 1/{scale}"),
            Some(ranks) if scale == 1.0 => format!("on {} over MPI", number::counted(ranks, "rank")),
            Some(ranks) => format!(
                "on {} over MPI, which took 1/{scale} of the bytes and no longer for each",
                number::counted(ranks, "rank")
            ),
        }
    }
}

impl Answer for Ran {
    fn json(&self) -> Value {
        json!({
            "strategy": self.strategy,
            "seconds": self.seconds,
            "forecast_seconds": self.forecast,
            "steps": self.timing.steps,
            "engine": self.ranks.map_or_else(|| "threads".into(), |ranks| format!("mpi-{ranks}")),
            "scale": self.timing.scale,
        })
    }

    fn human(&self, _: Paint) -> String {
        let unit = number::Unit::of(self.seconds.mid);
        let [low, mid, high] = [self.seconds.low, self.seconds.mid, self.seconds.high].map(|s| unit.number(s));
        format!(
            "{}\n\nstep  {mid} {} ({low}–{high} over {}), {}; on paper {}",
            self.heading,
            unit.name,
            number::counted(self.timing.steps as usize, "step"),
            self.where_and_how(),
            number::seconds(self.forecast),
        )
    }

    fn quiet(&self) -> String {
        self.seconds.mid.to_string()
    }
}
