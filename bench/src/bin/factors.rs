//! Matrix factorization beside other programs: RMSE against a closed form and Surprise, seconds an epoch and implicit loss against
//! `implicit`, and what cuts by work save on ratings of a power law.
//!
//! `factors explicit|implicit|placement|simulated [RATINGS.csv]`; without a file, a million made ratings. `HEMINGWAY_PYTHON`
//! names the interpreter that has the other programs.

use std::fmt::Write as _;
use std::ops::ControlFlow;
use std::path::Path;
use std::process::Command;
use std::sync::Arc;
use std::time::Instant;

use anyhow::{Context, bail};
use hemingway::algorithm::{self, Order, Work};
use hemingway::backend::{Backend, Config, EngineBackend, Frame};
use hemingway::cluster::{Cluster, Straggler};
use hemingway::data::Dataset;
use hemingway::data::ratings::{Directory, Listed, Meaning, Ratings};
use hemingway::engine::{self, Done, Engine, Setting, Simulated, Timekeeper};
use hemingway::placement::Cuts;
use hemingway::problem::Problem;
use hemingway::record::Record;
use hemingway_bench::watched::{Watched, Witness};
use serde_json::Value;

/// A million ratings, few users and items having most of them.
const MADE: &str = "synth:ratings,users=20000,items=8000,ratings=1120000,seed=7";
const RANK: usize = 40;
const EXPLICIT_L2: f64 = 0.1;
const IMPLICIT_RANK: usize = 64;
const IMPLICIT_L2: f64 = 0.01;
const ALPHA: f64 = 1.0;
const EPOCHS: u64 = 10;
/// Epochs in which cuts are compared.
const CUT_EPOCHS: usize = 8;
/// One line of so many is held back.
const HELD_BACK: usize = 10;
const CLUSTER: &str = include_str!("../../../clusters/cloud-25gbit.toml");

/// Ratings to learn from and to measure on.
struct Task {
    name: String,
    train: Ratings,
    test: Dataset,
    folder: tempfile::TempDir,
}

fn main() -> anyhow::Result<()> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let task = Task::of(args.get(1).map(String::as_str))?;
    let (n, users, items) = (task.train.dataset.matrix.stored(), task.train.users.len(), task.train.items.len());
    println!("{}: {n} ratings, {users} users, {items} items\n", task.name);
    match args.first().map(String::as_str) {
        Some("explicit") => explicit(&task),
        Some("implicit") => implicit(&task),
        Some("placement") => placement(&task),
        Some("simulated") => simulated(&task),
        _ => bail!("say explicit, implicit, placement or simulated"),
    }
}

impl Task {
    fn of(file: Option<&str>) -> anyhow::Result<Self> {
        let (train, test) = match file {
            None => (MADE.to_string(), format!("{MADE},part=test")),
            Some(file) => (file.into(), String::new()),
        };
        let all = Listed::load(&train, Meaning::Explicit)?;
        let (train, held) = if test.is_empty() {
            // By place, not by time: the same for everyone.
            let lines: Vec<_> = all.iter().enumerate().collect();
            let part = |held: bool| {
                let some = lines.iter().filter(|(k, _)| (k % HELD_BACK == HELD_BACK - 1) == held);
                some.map(|(_, (u, i, r))| format!("{u},{i},{r}\n")).collect::<String>()
            };
            (part(false), part(true))
        } else {
            let text = |listed: &Listed| listed.iter().map(|(u, i, r)| format!("{u},{i},{r}\n")).collect::<String>();
            (text(&all), text(&Listed::load(&test, Meaning::Explicit)?))
        };
        let folder = tempfile::tempdir()?;
        let listed = |name: &str, text: &str| -> anyhow::Result<Listed> {
            let path = folder.path().join(format!("{name}.csv"));
            std::fs::write(&path, format!("user,item,rating\n{text}"))?;
            Ok(Listed::load(&path.to_string_lossy(), Meaning::Explicit)?)
        };
        let (train, held) = (listed("train", &train)?.into_ratings(Meaning::Explicit)?, listed("test", &held)?);
        let users = train.dealt_users(0);
        let (test, _) = Directory::of(&users, &train.items).arrange(&held, Meaning::Explicit);
        let name = file.map_or(MADE, |file| Path::new(file).file_name().and_then(|name| name.to_str()).unwrap_or(file));
        Ok(Self { name: name.into(), train, test, folder })
    }

    fn problem(&self, rank: usize, alpha: Option<f64>, l2: f64) -> anyhow::Result<Problem> {
        Ok(Problem::of_ratings(self.train.dataset.clone(), rank, alpha, l2, 0)?)
    }

    fn theirs(&self, what: &str, rest: &[String]) -> anyhow::Result<Value> {
        let python = std::env::var("HEMINGWAY_PYTHON").unwrap_or_else(|_| "python3".into());
        let script = concat!(env!("CARGO_MANIFEST_DIR"), "/factors.py");
        let folder = self.folder.path().to_string_lossy().into_owned();
        let out = Command::new(&python).args([script, what, &folder]).args(rest).output().context(python)?;
        if !out.status.success() {
            bail!("factors.py: {}", String::from_utf8_lossy(&out.stderr));
        }
        Ok(serde_json::from_slice(&out.stdout)?)
    }
}

/// Every record of a run of so many epochs.
fn run(
    problem: &Problem,
    algorithm: &str,
    machines: usize,
    cluster: Option<Cluster>,
    test: Option<Dataset>,
    epochs: u64,
) -> anyhow::Result<Vec<Record>> {
    let mut records = Vec::new();
    let mut backend = EngineBackend::new(problem.clone(), "bench", cluster).with_test(test.map(Arc::new));
    let frame = Frame::new("bench", Config::new(algorithm, machines), u64::MAX);
    backend.run(&frame, None, &mut |record, _| {
        records.push(record.clone());
        let enough = record.iteration >= epochs;
        Ok(if enough { ControlFlow::Break(hemingway::backend::Ending::FrameOver) } else { ControlFlow::Continue(()) })
    })?;
    Ok(records)
}

/// P after every epoch on threads of this machine, and the median of the seconds that epochs took, the server's part too.
fn timed(problem: &Problem, algorithm: &str, threads: usize) -> anyhow::Result<(Vec<f64>, f64)> {
    let setting = Setting::new(problem, algorithm::by_name(algorithm)?);
    let mut server = setting.algorithm.server(&setting.outline);
    let mut shared = setting.algorithm.shared(&setting.outline);
    let mut engine = engine::build(setting, None, threads)?;
    let (mut losses, mut seconds) = (Vec::new(), Vec::new());
    for _ in 0..EPOCHS {
        let began = Instant::now();
        server.iterate(engine.as_mut(), &mut shared)?;
        seconds.push(began.elapsed().as_secs_f64());
        losses.push(server.evaluate(engine.as_mut(), &shared)?.objective);
    }
    seconds.sort_by(f64::total_cmp);
    Ok((losses, seconds[seconds.len() / 2]))
}

fn explicit(task: &Task) -> anyhow::Result<()> {
    let problem = task.problem(RANK, None, EXPLICIT_L2)?;
    println!(
        "Explicit, rank {RANK}, λ = {EXPLICIT_L2}: test RMSE after {EPOCHS} epochs (best on the way), seconds an epoch.\n"
    );
    println!("| program | threads | RMSE | best | s/epoch |\n|---|--:|--:|--:|--:|");
    for name in ["als", "ccd++"] {
        for threads in [1, 2] {
            let records = run(&problem, name, threads, None, Some(task.test.clone()), EPOCHS)?;
            let rmse: Vec<f64> = records.iter().map(|record| record.metrics["rmse"]).collect();
            let (last, best) = (rmse[rmse.len() - 1], rmse.iter().copied().fold(f64::INFINITY, f64::min));
            let (_, seconds) = timed(&problem, name, threads)?;
            println!("| ours, {name} | {threads} | {last:.4} | {best:.4} | {seconds:.4} |");
        }
    }
    let rest = [RANK.to_string(), EXPLICIT_L2.to_string(), EPOCHS.to_string()];
    let theirs = task.theirs("explicit", &rest)?;
    for (name, found) in theirs.as_object().context("an object")? {
        let number = |key: &str| found[key].as_f64().unwrap_or(f64::NAN);
        println!("| {name} | 1 | {:.4} | | {:.4} |", number("rmse"), number("seconds_per_epoch"));
    }
    Ok(())
}

fn implicit(task: &Task) -> anyhow::Result<()> {
    let problem = task.problem(IMPLICIT_RANK, Some(ALPHA), IMPLICIT_L2)?;
    println!(
        "Implicit, rank {IMPLICIT_RANK}, λ = {IMPLICIT_L2}, α = {ALPHA}: P after 1, 3, 5 and {EPOCHS} epochs, seconds an epoch.\n"
    );
    println!("| program | threads | P₁ | P₃ | P₅ | P₁₀ | s/epoch |\n|---|--:|--:|--:|--:|--:|--:|");
    let row = |name: &str, threads: usize, losses: &[f64], seconds: f64| {
        let mut line = format!("| {name} | {threads} |");
        for epoch in [1, 3, 5, EPOCHS as usize] {
            match losses.get(epoch - 1) {
                Some(loss) => write!(line, " {loss:.6} |")?,
                None => line.push_str(" — |"),
            }
        }
        println!("{line} {seconds:.4} |");
        anyhow::Ok(())
    };
    for threads in [1, 2] {
        for name in ["als", "als:cg=3", "ccd++"] {
            let (losses, seconds) = timed(&problem, name, threads)?;
            row(&format!("ours, {name}"), threads, &losses, seconds)?;
        }
        let rest =
            [IMPLICIT_RANK as f64, IMPLICIT_L2, ALPHA, EPOCHS as f64, threads as f64].map(|number| number.to_string());
        let theirs = task.theirs("implicit", &rest)?;
        for (name, found) in theirs.as_object().context("an object")? {
            let losses: Vec<f64> =
                found["losses"].as_array().context("losses")?.iter().filter_map(Value::as_f64).collect();
            row(
                &format!("implicit, {name}"),
                threads,
                &losses,
                found["seconds_per_epoch"].as_f64().unwrap_or(f64::NAN),
            )?;
        }
    }
    Ok(())
}

/// Waiting for the slowest on a simulated cluster, rows cut evenly, by work, and again by what machines take; the least is what would be
/// waited for if all had exactly the same work, which stragglers are however rows are cut.
fn placement(task: &Task) -> anyhow::Result<()> {
    let problem = task.problem(RANK, None, EXPLICIT_L2)?;
    let cluster = Cluster::parse(CLUSTER)?;
    let mut steady = cluster.clone();
    steady.compute.straggler = Straggler::None;
    println!("Seconds of waiting for the slowest machine in {CUT_EPOCHS} epochs on {}.\n", cluster.name);
    println!(
        "| algorithm | machines | stragglers | evenly | by work | measured | cut again | the least | saved | of what cuts can save |"
    );
    println!("|---|--:|---|--:|--:|--:|--:|--:|--:|--:|");
    for name in ["ccd++", "als"] {
        for (cluster, told) in [(&steady, "none"), (&cluster, "as in the file")] {
            for machines in [4, 16, 64] {
                let wait = |cuts| waiting(&problem, name, cluster, machines, cuts);
                let (even, by_work, measured) = (wait(Cuts::Even)?, wait(Cuts::ByWork)?, wait(Cuts::Measured)?);
                let saved = 100.0 * (1.0 - measured.wait / even.wait);
                let possible = 100.0 * (even.wait - measured.wait) / (even.wait - even.least);
                println!(
                    "| {name} | {machines} | {told} | {:.4} | {:.4} | {:.4} | {} | {:.4} | {saved:.0} % | {possible:.0} % |",
                    even.wait, by_work.wait, measured.wait, measured.cuts, even.least
                );
            }
        }
    }
    Ok(())
}

/// What was waited for.
struct Waited {
    wait: f64,
    /// The same if all machines had the same work.
    least: f64,
    /// How often shards were cut again.
    cuts: usize,
}

/// Rounds as if everybody had the same work.
struct Equal {
    timekeeper: Timekeeper,
    wait: f64,
}

impl Witness for Equal {
    fn saw(&mut self, order: &Order, done: &[Done], down: usize, up: usize) {
        let entries = done.iter().map(|(work, _)| work.entries).sum::<u64>() / done.len() as u64;
        let equal = vec![(Work { rows: 0, entries }, 0.0); done.len()];
        self.wait += self.timekeeper.round(order.round, &equal, down, up).wait;
    }
}

fn waiting(problem: &Problem, name: &str, cluster: &Cluster, machines: usize, cuts: Cuts) -> anyhow::Result<Waited> {
    let mut setting = Setting::new(problem, algorithm::by_name(name)?);
    setting.cuts = cuts;
    let mut server = setting.algorithm.server(&setting.outline);
    let mut shared = setting.algorithm.shared(&setting.outline);
    let timekeeper = Timekeeper::new(cluster, problem.seed, &vec![0.0; machines]);
    let engine = Simulated::new(setting, cluster.clone(), machines)?;
    let mut on = Watched { engine, witness: Equal { timekeeper, wait: 0.0 } };
    let mut cuts = 0;
    for _ in 0..CUT_EPOCHS {
        server.iterate(&mut on, &mut shared)?;
        cuts += usize::from(on.engine.rebalance()?);
    }
    Ok(Waited { wait: on.engine.clock().wait, least: on.witness.wait, cuts })
}

/// P and simulated seconds at 1 to 64 machines.
fn simulated(task: &Task) -> anyhow::Result<()> {
    let problem = task.problem(RANK, None, EXPLICIT_L2)?;
    let cluster = Cluster::parse(CLUSTER)?;
    println!("Five epochs on {}: P, RMSE, simulated seconds.\n", cluster.name);
    println!(
        "| algorithm | machines | P | RMSE | seconds | compute | wait | sync |\n|---|--:|--:|--:|--:|--:|--:|--:|"
    );
    for name in ["als", "ccd++"] {
        for machines in [1, 4, 16, 64] {
            let records = run(&problem, name, machines, Some(cluster.clone()), Some(task.test.clone()), 5)?;
            let Some(last) = records.last() else { bail!("no records") };
            println!(
                "| {name} | {machines} | {:.6} | {:.4} | {:.3} | {:.3} | {:.3} | {:.3} |",
                last.objective, last.metrics["rmse"], last.train_seconds, last.compute, last.wait, last.sync
            );
        }
    }
    Ok(())
}
