//! Rounds on the ranks of an MPI job, one worker each: by the MPI engine, or bare, which is what they cost before any engine
//! adds to it.
//!
//! `testbed-ranks engine|bare calibrate NUMBERS SECONDS` measures rounds by length and prints a `Timed`;
//! `testbed-ranks engine|bare play TAPES` plays rounds that were computed elsewhere and prints what each took;
//! `testbed-ranks exchange` carries out strategies of exchange that it reads from its input.

mod bare;
mod exchange;

use std::time::Duration;

use anyhow::{Context, Result, bail};
use bare::Bare;
use hemingway::algorithm;
use hemingway::calibrate::{Site, Tape, timed};
use hemingway::data::{Dataset, Matrix};
use hemingway::engine::{Engine, Engines, Setting};
use hemingway::problem::{Loss, Problem};
use hemingway_mpi::{Ranks, Settings, serve};
use mpi::Threading;
use mpi::traits::Communicator;

/// Makes engines of as many machines as there are ranks.
type Build<'a> = dyn Fn(Setting, usize) -> hemingway::Result<Box<dyn Engine>> + 'a;

fn main() -> Result<()> {
    let (universe, _) = mpi::initialize_with_threading(Threading::Funneled).context("MPI does not start")?;
    let world = universe.world();
    // Sleep no longer than asked; where the system does not let us, rounds are some microseconds longer.
    let _ = std::fs::write("/proc/self/timerslack_ns", "1");
    let words: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let ranks = world.size() as usize;
    let (answer, leads) = match (words.first().copied(), world.rank() == 0) {
        (Some("bare"), false) => {
            bare::follow(&world);
            return Ok(());
        }
        (Some("bare"), true) => {
            let answer = lead(&words[1..], ranks, &|_, _| Ok(Box::new(Bare::default())));
            bare::dismiss(&world);
            (answer, true)
        }
        (Some("exchange"), true) => {
            let all = Ranks::lead(algorithm::by_name, Settings::default());
            let done = exchange::serve(&all, std::io::stdin().lock(), std::io::stdout().lock());
            let leads = all.quit();
            return done.and_then(|()| if leads { Ok(()) } else { bail!("a rank was lost") });
        }
        (_, false) => return Ok(serve(algorithm::by_name, Settings::default())?),
        (_, true) => {
            let all = Ranks::lead(algorithm::by_name, Settings::default());
            let answer =
                lead(words.get(1..).unwrap_or_default(), ranks, &|setting, machines| all.build(setting, machines));
            (answer, all.quit())
        }
    };
    println!("{}", answer?);
    if leads { Ok(()) } else { bail!("a rank was lost") }
}

fn lead(words: &[&str], ranks: usize, build: &Build<'_>) -> Result<String> {
    match words[..] {
        ["calibrate", numbers, seconds] => {
            let budget = Duration::try_from_secs_f64(seconds.parse().context("SECONDS")?).context("SECONDS")?;
            let numbers = numbers.parse().context("NUMBERS")?;
            let found = timed(&Site { build, machines: vec![ranks], numbers, budget }, &mut |_| ())?;
            Ok(serde_json::to_string(&found)?)
        }
        ["play", file] => {
            let text = std::fs::read(file).with_context(|| format!("cannot read {file}"))?;
            let tapes: Vec<Tape> = serde_json::from_slice(&text).with_context(|| format!("{file} holds no tapes"))?;
            let mut engine = build(nothing(ranks)?, ranks)?;
            let played = tapes.iter().map(|tape| Ok(tape.play(engine.as_mut())?)).collect::<Result<Vec<_>>>()?;
            Ok(serde_json::to_string(&played)?)
        }
        _ => bail!("testbed-ranks engine|bare calibrate NUMBERS SECONDS | play TAPES"),
    }
}

/// A row for each rank, with which nothing is done.
fn nothing(ranks: usize) -> Result<Setting> {
    let rows = ranks.max(2);
    let labels = (0..rows).map(|i| if i % 2 == 0 { 1.0 } else { -1.0 }).collect();
    let data = Dataset::new("nothing", Matrix::dense(1, vec![1.0; rows]), labels);
    Ok(Setting::new(&Problem::new(&data, Loss::Logistic, None, 0)?, algorithm::by_name("noop")?))
}
