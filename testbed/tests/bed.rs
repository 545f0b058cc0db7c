//! Beds that really stand. They need root and network namespaces, and fail without.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use hemingway_testbed::{Bed, Job, Layout, Rate, check, down, link, standing};

fn program() -> &'static Path {
    Path::new(env!("CARGO_BIN_EXE_testbed"))
}

fn layout(name: &str, hosts: usize) -> Layout {
    Layout::even(name, hosts, Duration::from_millis(2), Rate(2e8))
}

fn namespaces(name: &str) -> Vec<PathBuf> {
    let Ok(entries) = std::fs::read_dir("/run/netns") else { return Vec::new() };
    let begins = format!("hwbed-{name}-");
    let ours = |path: &PathBuf| path.file_name().is_some_and(|file| file.to_string_lossy().starts_with(&begins));
    entries.filter_map(|entry| Some(entry.ok()?.path())).filter(ours).collect()
}

/// Waits until nothing is left of a bed.
fn is_gone(name: &str) -> bool {
    let began = Instant::now();
    while !namespaces(name).is_empty() && began.elapsed() < Duration::from_secs(20) {
        sleep(Duration::from_millis(20));
    }
    namespaces(name).is_empty()
}

fn testbed(words: &[&str]) -> bool {
    Command::new(program()).args(words).stdout(Stdio::null()).status().expect("testbed starts").success()
}

fn kill(process: u32) {
    let killed = Command::new("kill").args(["-9", &process.to_string()]).status().expect("kill starts");
    assert!(killed.success());
}

/// The process whose command line has this word second and the bed's name in it.
fn process(verb: &str, name: &str) -> u32 {
    let named = format!("\"name\":\"{name}\"");
    let processes = std::fs::read_dir("/proc").expect("/proc can be read").flatten();
    let mut numbers = processes.filter_map(|entry| entry.file_name().to_str()?.parse::<u32>().ok());
    let is = |number: &u32| {
        let line = std::fs::read(format!("/proc/{number}/cmdline")).unwrap_or_default();
        let words: Vec<_> = line.split(|byte| *byte == 0).map(String::from_utf8_lossy).collect();
        words.get(1).is_some_and(|word| word == verb) && words.get(2).is_some_and(|layout| layout.contains(&named))
    };
    numbers.find(is).expect("it runs")
}

#[test]
fn links_are_as_asked_and_all_goes_with_its_holder() {
    let layout = Layout { links: vec![link("0-1:6ms,50mbit").unwrap()], ..layout("t1", 3) };
    let bed = Bed::up(program(), &layout).unwrap();
    let found = check::check(program(), &layout, |_| ()).unwrap();
    // A machine may be busy, but no frame may be early, and no stream faster than its link.
    for link in &found {
        assert!(link.measured.latency > 0.95 * link.asked_latency, "{link:?}");
        assert!(link.measured.latency < 40.0 * link.asked_latency, "{link:?}");
        assert!(link.measured.rate < link.asked_rate && link.measured.rate > 0.05 * link.asked_rate, "{link:?}");
    }
    assert_eq!(found.len(), 3);
    assert_eq!((found[0].asked_latency, found[0].asked_rate), (6e-3, 5e7));
    assert_eq!(namespaces("t1").len(), 4);
    drop(bed);
    assert!(namespaces("t1").is_empty());
}

#[test]
fn a_name_is_taken_while_its_bed_stands() {
    let bed = Bed::up(program(), &layout("t2", 1)).unwrap();
    assert_eq!(standing("t2").unwrap().unwrap().layout, bed.layout);
    assert!(Bed::up(program(), &bed.layout).unwrap_err().to_string().contains("stands already"));
    drop(bed);
    assert_eq!(standing("t2").unwrap(), None);
}

#[test]
fn a_killed_keeper_is_cleared_up_after_by_the_switch() {
    assert!(testbed(&["up", "--name", "t3", "--hosts", "2"]));
    kill(standing("t3").unwrap().unwrap().keeper);
    assert!(is_gone("t3"));
}

#[test]
fn a_killed_switch_is_cleared_up_after_by_the_keeper() {
    assert!(testbed(&["up", "--name", "t4", "--hosts", "2"]));
    kill(process("switch", "t4"));
    assert!(is_gone("t4"));
}

#[test]
fn what_is_left_when_both_are_killed_goes_at_the_next_down() {
    assert!(testbed(&["up", "--name", "t5", "--hosts", "2"]));
    let keeper = standing("t5").unwrap().unwrap().keeper;
    let switch = process("switch", "t5");
    assert!(Command::new("kill").args(["-9", &keeper.to_string(), &switch.to_string()]).status().unwrap().success());
    assert_eq!(down("t5").unwrap(), 3);
    assert!(namespaces("t5").is_empty() && down("t5").unwrap() == 0);
}

#[test]
fn a_lossy_host_still_delivers_what_tcp_sends_again() {
    let layout = Layout { loss: vec![(1, 0.01)], ..layout("t6", 2) };
    let _bed = Bed::up(program(), &layout).unwrap();
    let found = check::check(program(), &layout, |_| ()).unwrap();
    assert!(found[0].measured.rate > 0.0, "{found:?}");
}

#[test]
fn ranks_live_on_hosts_of_their_own() {
    let layout = layout("t7", 2);
    let _bed = Bed::up(program(), &layout).unwrap();
    let words = ["sh", "-c", "echo rank $OMPI_COMM_WORLD_RANK on $(uname -n)"].map(Into::into).to_vec();
    let job = Job { ranks: 3, mca: Vec::new(), words };
    let run = job.command(program(), &layout).unwrap().output().expect("mpirun starts");
    let said = String::from_utf8_lossy(&run.stdout);
    let mut lines: Vec<&str> = said.lines().collect();
    lines.sort_unstable();
    assert_eq!(lines, ["rank 0 on hwbed-t7-0", "rank 1 on hwbed-t7-1", "rank 2 on hwbed-t7-0"], "{run:?}");
}

#[test]
fn exit_codes_and_complaints_mean_something() {
    let run = |words: &[&str]| {
        let run = Command::new(program()).args(words).output().expect("testbed starts");
        (run.status.code(), String::from_utf8_lossy(&run.stderr).into_owned())
    };
    let (code, said) = run(&["check", "--name", "t8"]);
    assert!(code == Some(1) && said.contains("testbed up --name t8"), "{said}");
    let (code, said) = run(&["up", "--name", "t8", "--link", "0-9:1ms"]);
    assert!(code == Some(1) && said.contains("no host 9"), "{said}");
    assert_eq!(run(&["up", "--rate", "fast"]).0, Some(2));
    assert!(testbed(&["down", "--name", "t8"]));
}
