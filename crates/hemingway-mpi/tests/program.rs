//! The program on ranks: shares of a file, faults, and a data set that no rank could hold.
//! `HEMINGWAY_RANK_KILLS` says how many times a rank is killed; 3 if not given.
#![cfg(target_os = "linux")]

use std::collections::hash_map::RandomState;
use std::fmt::Write;
use std::fs;
use std::hash::BuildHasher;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

const PROGRAM: &str = env!("CARGO_BIN_EXE_hemingway-mpi");

/// A folder of its own for every test. One at a time: all of them share few cores.
struct Desk(PathBuf, #[expect(dead_code, reason = "held until the test is over")] MutexGuard<'static, ()>);

static ONE: Mutex<()> = Mutex::new(());

impl Desk {
    fn new(name: &str) -> Self {
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("{name}-{}", std::process::id()));
        fs::create_dir_all(&folder).unwrap();
        Self(folder, ONE.lock().unwrap_or_else(PoisonError::into_inner))
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }

    /// The program under mpirun, in this folder.
    fn command(&self, ranks: usize, words: &str) -> Command {
        let mut command = Command::new("mpirun");
        command.args(["-n", &ranks.to_string(), "--oversubscribe", PROGRAM]).args(words.split_whitespace());
        self.settle(&mut command);
        command
    }

    fn settle(&self, command: &mut Command) {
        command.current_dir(&self.0).env("HEMINGWAY_CACHE", "off").stdin(Stdio::null());
        command.env("OMPI_ALLOW_RUN_AS_ROOT", "1").env("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1");
    }

    fn run(&self, ranks: usize, words: &str) -> Output {
        let output = self.command(ranks, words).output().unwrap();
        assert!(output.status.success(), "{words}: {}", String::from_utf8_lossy(&output.stderr));
        output
    }

    /// The objective of every round, to the bit as CSV tells it, and the name of the problem.
    fn records(&self, name: &str) -> Vec<Vec<String>> {
        let text = fs::read_to_string(self.path(name)).unwrap();
        let mut lines = text.lines().map(|line| line.split(',').map(str::to_owned).collect::<Vec<_>>());
        let head = lines.next().unwrap();
        let columns = ["round", "objective", "lower_bound", "problem"]
            .map(|name| head.iter().position(|column| column == name).unwrap_or_else(|| panic!("no column {name}")));
        lines.map(|line| columns.map(|k| line[k].clone()).to_vec()).collect()
    }
}

impl Drop for Desk {
    fn drop(&mut self) {
        _ = fs::remove_dir_all(&self.0);
    }
}

/// Numbers that look random and repeat.
struct Draws(u64);

impl Draws {
    fn next(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 11) as f64 / (1_u64 << 53) as f64
    }
}

/// LIBSVM text of so many rows, each with some of the columns.
fn text(rows: usize, columns: usize, each: usize, classes: usize, digits: usize) -> String {
    let (mut draws, mut text) = (Draws(7), String::new());
    for i in 0..rows {
        write!(text, "{}", (draws.next() * classes as f64) as usize).unwrap();
        let mut j = 0;
        for _ in 0..each {
            j += 1 + (draws.next() * (columns / each - 1) as f64) as usize;
            write!(text, " {j}:{:.digits$}", draws.next() - 0.5).unwrap();
        }
        text.push_str(if i % 97 == 5 { " # a comment\n\n" } else { "\n" });
    }
    text
}

/// What is read in shares is trained on as if one process had read it: same names, same bits, whatever is asked of the rows.
#[test]
fn shares_are_as_good_as_the_whole() {
    let desk = Desk::new("shares");
    fs::write(desk.path("wide.svm"), text(301, 60, 6, 2, 4)).unwrap();
    fs::write(desk.path("narrow.svm"), text(200, 8, 4, 2, 4)).unwrap();
    fs::write(desk.path("many.svm"), text(240, 30, 5, 3, 4)).unwrap();
    for (k, job) in [
        "wide.svm --algorithm cocoa+ --loss hinge --machines 5",
        "wide.svm --algorithm gd --normalize columns --intercept --machines 3",
        "narrow.svm --algorithm minibatch-sdca --normalize rows --intercept --machines 4",
        "narrow.svm --algorithm proxcocoa+ --l1 0.001 --machines 3 --loss squared",
        "many.svm --algorithm cocoa --loss hinge --machines 2",
        "many.svm --algorithm lbfgs --positive 1 --machines 3",
    ]
    .iter()
    .enumerate()
    {
        let job = format!("run {job} --rounds 20 --output quiet --records");
        desk.run(1, &format!("{job} whole{k}.csv --store whole{k}"));
        let whole = desk.records(&format!("whole{k}.csv"));
        assert!(whole.len() > 3, "{job}: {whole:?}");
        for ranks in [2, 5] {
            desk.run(ranks, &format!("{job} shares{k}-{ranks}.csv --store shares{k}-{ranks}"));
            assert_eq!(desk.records(&format!("shares{k}-{ranks}.csv")), whole, "{job} on {ranks} ranks");
        }
    }
}

/// Users by work, items beside them: as one rank has it, whatever the number of ranks.
#[test]
fn ratings_are_factorized_on_ranks() {
    let desk = Desk::new("ratings");
    for (k, how) in ["als", "als:cg=3 --implicit", "ccd++", "ccd++ --implicit"].iter().enumerate() {
        let job = format!(
            "run synth:ratings,users=70,items=40,ratings=900 --problem mf --rank 4 --machines 4 --rounds 12 --output quiet --algorithm {how}"
        );
        let traces = [1, 2, 4].map(|ranks| {
            let records = format!("ratings{k}-{ranks}.csv");
            desk.run(ranks, &format!("{job} --records {records} --store ratings{k}-{ranks}"));
            desk.records(&records)
        });
        assert!(traces[0].len() > 2, "{how}: {:?}", traces[0]);
        assert!(traces.windows(2).all(|two| two[0] == two[1]), "{how}: {traces:?}");
    }
}

#[test]
fn bad_lines_are_named_wherever_they_are() {
    let desk = Desk::new("bad");
    let mut lines: Vec<String> = text(100, 20, 3, 2, 4).lines().map(str::to_owned).collect();
    lines[77] = "1 3:x".into();
    fs::write(desk.path("bad.svm"), lines.join("\n")).unwrap();
    let output = desk.command(4, "run bad.svm --algorithm gd --machines 4 --rounds 3").output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(!output.status.success() && said.contains("bad.svm:78: `3:x` has no finite number"), "{said}");
}

#[test]
fn a_strategy_of_exchange_runs_on_ranks() {
    let desk = Desk::new("sync");
    let model = r#"{"name": "two", "step_ms": 2, "variables": [{"name": "w", "shape": [300, 200], "ready_ms": 1}]}"#;
    fs::write(desk.path("two.json"), model).unwrap();
    let line = "sync run two.json ring --cluster cloud-25gbit --steps 4 --output";
    let json: serde_json::Value = serde_json::from_slice(&desk.run(3, &format!("{line} json")).stdout).unwrap();
    assert_eq!((&json["engine"], &json["scale"]), (&"mpi-3".into(), &1.0.into()), "{json}");
    assert!(json["seconds"]["low"].as_f64().is_some_and(|seconds| seconds >= 2e-3), "{json}");
    let said = String::from_utf8(desk.run(2, &format!("{line} human")).stdout).unwrap();
    assert!(said.contains("on 2 ranks over MPI; on paper"), "{said}");
    let strategy = r#"{"version": 1, "name": "mine", "machines": 2, "window": 1, "variables": [
        {"variable": "w", "shards": [{"by": {"server": 2}, "group": 0}]}]}"#;
    fs::write(desk.path("mine.json"), strategy).unwrap();
    let output = desk.command(2, "sync run two.json mine.json --cluster cloud-25gbit").output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(!output.status.success() && said.contains("variable `w`: there is no machine 2 to serve"), "{said}");
}

#[test]
fn strategies_are_compared_and_searched_for_on_ranks() {
    let desk = Desk::new("sync-search");
    let model = r#"{"name": "two", "step_ms": 2, "variables": [
        {"name": "w", "shape": [300, 200], "ready_ms": 1}, {"name": "b", "shape": [200], "ready_ms": 2}]}"#;
    fs::write(desk.path("two.json"), model).unwrap();
    let json = |words: &str| -> serde_json::Value {
        let line = format!("sync {words} --cluster cloud-25gbit --output json");
        serde_json::from_slice(&desk.run(3, &line).stdout).unwrap()
    };
    let found = json("search two.json --trials 5 --lossless --scale 4 -o found.json --keep trials.jsonl");
    assert_eq!(found["engine"], "ranks over MPI, real bytes scaled by 1/4", "{found}");
    let seconds = |of: &serde_json::Value| of.as_f64().unwrap_or(f64::NAN);
    let best = seconds(&found["found"]["seconds"]["mid"]);
    let builders = found["builders"].as_array().unwrap();
    assert!(best >= 2e-3 && builders.iter().all(|built| seconds(&built["seconds"]) >= best), "{found}");
    assert!(fs::read_to_string(desk.path("trials.jsonl")).unwrap().contains("ranks over MPI"));
    let compared = json("compare two.json found.json");
    assert_eq!(compared["engine"], "ranks over MPI, all bytes real", "{compared}");
    let simulated = json("compare two.json found.json --engine simulated");
    assert_eq!(simulated["engine"], "simulated messages with hidden noise", "{simulated}");
}

/// A job whose rounds are short, and that lasts for seconds; with a further digit, for ten times as long.
const LONG: &str = "run synth:svm,rows=2000,columns=40 --loss hinge --algorithm cocoa --machines 4 --eval-every 10 \
                    --output quiet --rank-timeout 5s --rounds 4000";

/// The processes that a process has started: mpirun its ranks, in their order.
fn children(of: u32) -> Vec<u32> {
    let children = fs::read_to_string(format!("/proc/{of}/task/{of}/children")).unwrap_or_default();
    children.split_whitespace().filter_map(|pid| pid.parse().ok()).collect()
}

fn signal(pid: u32, name: &str) {
    Command::new("kill").args([name, &pid.to_string()]).status().unwrap();
}

/// Waits until something is so; whether it was before the job ended.
fn wait_until(mpirun: &mut Child, so: impl Fn() -> bool) -> bool {
    while !so() {
        if mpirun.try_wait().unwrap().is_some() {
            return false;
        }
        std::thread::sleep(Duration::from_millis(1));
    }
    true
}

/// A number below `most` that nobody foresees.
fn any(most: u64) -> u64 {
    RandomState::new().hash_one(Instant::now()) % most
}

#[test]
fn a_killed_rank_ends_the_job_and_it_goes_on_as_if_nothing_had_been() {
    let kills: u32 = std::env::var("HEMINGWAY_RANK_KILLS").ok().and_then(|n| n.parse().ok()).unwrap_or(3);
    let desk = Desk::new("kills");
    desk.run(4, &format!("{LONG} --records whole.csv --store whole"));
    let whole = desk.records("whole.csv");
    let length = fs::metadata(desk.path("whole/svm-1/journal.jsonl")).unwrap().len();
    // A job that is over before its rank is killed does not count.
    let mut killed = 0;
    for attempt in 0..4 * kills {
        if killed == kills {
            break;
        }
        let store = format!("store{attempt}");
        let mut job = desk.command(4, &format!("{LONG} --store {store}")).stderr(Stdio::piped()).spawn().unwrap();
        let journal = desk.path(&store).join("svm-1/journal.jsonl");
        // How far the job has come, and not the clock, says when: machines differ in how long it takes.
        let moment = any(length * 4 / 5);
        let reached = wait_until(&mut job, || fs::metadata(&journal).is_ok_and(|about| about.len() > moment));
        let ranks = children(job.id());
        let Some(victim) = ranks.get(any(4) as usize).filter(|_| reached) else { continue };
        signal(*victim, "-9");
        let output = job.wait_with_output().unwrap();
        if fs::read_to_string(&journal).unwrap().contains("\"finished\"") {
            continue;
        }
        assert!(!output.status.success(), "a job that lost a rank has not ended well");
        // On as many ranks, or others.
        let ranks = [4, 2, 3][killed as usize % 3];
        killed += 1;
        desk.run(ranks, &format!("run --resume svm-1 --store {store} --output quiet --records again{attempt}.csv"));
        assert_eq!(desk.records(&format!("again{attempt}.csv")), whole, "resumed on {ranks} ranks");
    }
    assert_eq!(killed, kills, "jobs end before their ranks can be killed");
}

#[test]
fn a_stopped_rank_is_named_and_ends_the_job() {
    let desk = Desk::new("stopped");
    let mut job = desk.command(4, &format!("{LONG}0 --store runs")).stderr(Stdio::piped()).spawn().unwrap();
    let journal = desk.path("runs/svm-1/journal.jsonl");
    assert!(wait_until(&mut job, || fs::metadata(&journal).is_ok_and(|about| about.len() > 20_000)));
    let victim = 1 + any(3) as usize;
    signal(children(job.id())[victim], "-STOP");
    let output = job.wait_with_output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{said}");
    assert!(said.contains(&format!("rank {victim} has not answered for 5 s")), "{said}");
}

/// The launcher, which `cargo test` of this crate alone does not build.
fn launcher() -> PathBuf {
    let path = Path::new(PROGRAM).with_file_name("hemingway");
    assert!(path.is_file(), "build the launcher first: cargo build -p hemingway-cli");
    path
}

#[test]
fn the_launcher_goes_on_by_itself() {
    let desk = Desk::new("restarts");
    desk.run(3, &format!("{LONG} --records whole.csv --store whole"));
    let mut command = Command::new(launcher());
    let words = format!("{LONG} --engine mpi --ranks 3 --restarts 2 --records again.csv --store again");
    desk.settle(command.args(words.split_whitespace()));
    let mut job = command.stderr(Stdio::piped()).spawn().unwrap();
    let journal = desk.path("again/svm-1/journal.jsonl");
    assert!(wait_until(&mut job, || fs::metadata(&journal).is_ok_and(|about| about.len() > 20_000)));
    let mpirun = children(job.id()).into_iter().next().unwrap();
    signal(children(mpirun)[1], "-9");
    let output = job.wait_with_output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success() && said.contains("restart 1 of 2, going on with"), "{said}");
    assert_eq!(desk.records("again.csv"), desk.records("whole.csv"));
}

/// Every rank may use a third of what the file takes, and one alone cannot hold its rows in that.
#[test]
fn rows_that_no_rank_could_hold_are_trained_on() {
    let desk = Desk::new("large");
    let long = text(100_000, 5_000, 100, 2, 16);
    let allowed = long.len() / 3;
    fs::write(desk.path("large.svm"), &long).unwrap();
    drop(long);
    let limited = |ranks: usize| {
        let words =
            format!("run large.svm --algorithm gd --machines {ranks} --rounds 5 --output quiet --store on{ranks}");
        let script = format!("ulimit -d {} && exec {PROGRAM} {words}", allowed / 1024);
        let mut command = Command::new("mpirun");
        command.args(["-n", &ranks.to_string(), "--oversubscribe", "sh", "-c", &script]);
        desk.settle(&mut command);
        command.output().unwrap()
    };
    assert!(!limited(1).status.success(), "one rank must not be able to hold all rows in {allowed} bytes");
    let together = limited(4);
    let said = String::from_utf8_lossy(&together.stderr);
    assert!(together.status.success(), "four ranks with {allowed} bytes each: {said}");
}
