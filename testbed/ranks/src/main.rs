//! Bare rounds on the ranks of an MPI job, one worker each: what rounds cost before any engine adds to it.
//!
//! `testbed-ranks calibrate NUMBERS SECONDS` measures rounds by length and prints a `Timed`;
//! `testbed-ranks play TAPES` plays rounds that were computed elsewhere and prints what each took.

mod bare;

use std::time::Duration;

use anyhow::{Context, Result, bail};
use bare::{Bare, follow};
use hemingway::calibrate::{Site, Tape, timed};
use hemingway::engine::{Engine, Setting};
use mpi::traits::Communicator;

fn main() -> Result<()> {
    let universe = mpi::initialize().context("MPI does not start")?;
    let world = universe.world();
    // Sleep no longer than asked; where the system does not let us, rounds are some microseconds longer.
    let _ = std::fs::write("/proc/self/timerslack_ns", "1");
    if world.rank() != 0 {
        follow(&world);
        return Ok(());
    }
    let answer = lead(&world);
    // Even after an error, or the others would wait for ever.
    bare::dismiss(&world);
    println!("{}", answer?);
    Ok(())
}

fn lead(world: &mpi::topology::SimpleCommunicator) -> Result<String> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let ranks = world.size() as usize;
    match words[..] {
        ["calibrate", numbers, seconds] => {
            let build = |_: Setting, _: usize| Ok(Box::new(Bare::default()) as Box<dyn Engine>);
            let budget = Duration::try_from_secs_f64(seconds.parse().context("SECONDS")?).context("SECONDS")?;
            let numbers = numbers.parse().context("NUMBERS")?;
            let found = timed(&Site { build: &build, machines: vec![ranks], numbers, budget }, &mut |_| ())?;
            Ok(serde_json::to_string(&found)?)
        }
        ["play", file] => {
            let text = std::fs::read(file).with_context(|| format!("cannot read {file}"))?;
            let tapes: Vec<Tape> = serde_json::from_slice(&text).with_context(|| format!("{file} holds no tapes"))?;
            let mut engine = Bare::default();
            let played = tapes.iter().map(|tape| Ok(tape.play(&mut engine)?)).collect::<Result<Vec<_>>>()?;
            Ok(serde_json::to_string(&played)?)
        }
        _ => bail!("testbed-ranks calibrate NUMBERS SECONDS | play TAPES"),
    }
}
