//! Reading a LIBSVM file the first and the second time, beside others, and what a job holds in memory.
//!
//! ```text
//! HEMINGWAY_PYTHON=venv/bin/python cargo run --release -p hemingway-bench --bin loading -- [MEGABYTES]
//! ```
//!
//! `LIBLINEAR_TRAIN` may name liblinear's own program, which is then asked to read the file and do as little as it can.

use std::io::Write;
use std::path::Path;
use std::process::Command;
use std::time::Instant;

use anyhow::Context;
use hemingway::backend::{Backend, Config, EngineBackend, Frame};
use hemingway::data::{Cache, Preparation, Reading, SaveAs, Source, prepare, save};
use hemingway::problem::{Loss, Problem};
use hemingway_bench::kernels::bytes;

/// Times everything is measured, in turn.
const REPEATS: usize = 3;
/// Larger files are read by ours alone: the others take minutes.
const TOO_LONG: u64 = 600 << 20;
/// What scikit-learn is asked to do.
const SKLEARN: &str = "import sys, time; from sklearn.datasets import load_svmlight_file as f; t = time.perf_counter(); \
                       f(sys.argv[1]); print(time.perf_counter() - t)";

fn main() -> anyhow::Result<()> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    if let [word, file, cache] = &words[..]
        && word == "--footprint"
    {
        return footprint(Path::new(file), Cache::at(cache));
    }
    let megabytes: f64 = words.first().map_or(Ok(100.0), |word| word.parse())?;
    let folder = tempfile::tempdir()?;
    let file = folder.path().join("data.svm");
    write(&file, megabytes)?;
    let size = std::fs::metadata(&file)?.len() as f64 / 1e6;
    println!("A LIBSVM file of {size:.0} MB, in the page cache; least of {REPEATS} runs in turn.\n");
    println!("| who | seconds | MB/s |\n|---|--:|--:|");
    for (who, seconds) in race(&file, folder.path())? {
        println!("| {who} | {seconds:.3} | {:.0} |", size / seconds);
    }
    std::io::stdout().flush()?;
    println!("\n| peak memory | the data, MB | read | dealt | trained | over the data |\n|---|--:|--:|--:|--:|--:|");
    let cache = folder.path().join("another cache");
    for start in ["first", "second"] {
        print!("| {start} start ");
        std::io::stdout().flush()?;
        let mut own = Command::new(std::env::current_exe()?);
        let done = own.arg("--footprint").arg(&file).arg(&cache).status().context("cannot run itself")?;
        anyhow::ensure!(done.success(), "the measure of memory failed");
    }
    Ok(())
}

/// Rows of fifty entries.
fn write(file: &Path, megabytes: f64) -> anyhow::Result<()> {
    let rows = (1e3 * megabytes) as usize;
    let recipe = format!("synth:sparse,rows={rows},columns=50000,density=0.001,noise=0.05,seed=2");
    save(&Source::parse(&recipe)?.load()?.dataset, file, SaveAs::Libsvm)?;
    Ok(())
}

/// Everyone's least seconds.
fn race(file: &Path, folder: &Path) -> anyhow::Result<Vec<(&'static str, f64)>> {
    let (source, cache) = (Source::File(file.into()), Cache::at(folder.join("cache")));
    let timed = |work: &dyn Fn() -> anyhow::Result<()>| -> anyhow::Result<f64> {
        let began = Instant::now();
        work()?;
        Ok(began.elapsed().as_secs_f64())
    };
    cache.load(&source, &Reading::default())?;
    let again = || cache.load(&source, &Reading::default()).map(drop).map_err(Into::into);
    let mut least: Vec<(&'static str, f64)> = Vec::new();
    for _ in 0..REPEATS {
        let mut note = |who, seconds: f64| match least.iter_mut().find(|(name, _)| *name == who) {
            Some((_, before)) => *before = before.min(seconds),
            None => least.push((who, seconds)),
        };
        note("hemingway, first start", timed(&|| source.load().map(drop).map_err(Into::into))?);
        note("hemingway, second start", timed(&again)?);
        if std::fs::metadata(file)?.len() > TOO_LONG {
            continue;
        }
        note("scikit-learn load_svmlight_file", sklearn(file)?);
        if let Some(program) = std::env::var_os("LIBLINEAR_TRAIN") {
            let model = folder.join("model");
            let train = || {
                let mut command = Command::new(&program);
                command.args(["-s", "3", "-e", "1e9", "-q"]).arg(file).arg(&model);
                anyhow::ensure!(command.status()?.success(), "liblinear failed");
                Ok(())
            };
            note("liblinear-train -s 3 -e 1e9, which reads and does one pass", timed(&train)?);
        }
    }
    Ok(least)
}

fn sklearn(file: &Path) -> anyhow::Result<f64> {
    let python = std::env::var("HEMINGWAY_PYTHON").unwrap_or_else(|_| "python3".into());
    let output = Command::new(python).args(["-c", SKLEARN]).arg(file).output()?;
    String::from_utf8(output.stdout)?.trim().parse().context("scikit-learn did not answer")
}

/// In a process of its own: loads as a job does, runs a few rounds, and tells the most memory it ever held by then.
fn footprint(file: &Path, cache: Cache) -> anyhow::Result<()> {
    let data = cache.load(&Source::File(file.into()), &Reading::default())?.dataset;
    let read = most_held()?;
    let data = prepare(data, &Preparation::default(), true)?.dataset;
    let problem = Problem::new(data, Loss::Logistic, Some(1e-4), 0)?;
    let dealt = most_held()?;
    let held = bytes(&problem.data.matrix);
    EngineBackend::new(problem, "loading", None).run(
        &Frame::new("loading", Config::new("cocoa", 1), 3),
        None,
        &mut |_, _| Ok(std::ops::ControlFlow::Continue(())),
    )?;
    let trained = most_held()?;
    let [data, read, dealt, all] = [held, read, dealt, trained].map(|bytes| bytes / 1e6);
    println!("| {data:.0} | {read:.0} | {dealt:.0} | {all:.0} | {:.2} |", trained / held);
    Ok(())
}

/// VmHWM in bytes.
fn most_held() -> anyhow::Result<f64> {
    let status = std::fs::read_to_string("/proc/self/status").context("needs Linux")?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).context("no VmHWM")?;
    Ok(1024.0 * line.trim().trim_end_matches(" kB").parse::<f64>()?)
}
