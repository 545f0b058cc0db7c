//! A wide sparse linear problem (1 M features, 100 non-zeros a row) trained with `--sync plain` and with `--sync search`: what the plan
//! foretells that the search saves, and what it saves. `wide simulated` on 8 machines at 1 Gbit of a cluster file; `wide ranks` on 4
//! ranks of a testbed at 1 Gbit, which needs root and Open MPI. Other programs are taken from beside this one.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail, ensure};
use serde_json::Value;

const SEEDS: [u64; 3] = [0, 1, 2];
/// Rows of 100 entries: in any columns alike, and as popular as words are.
const DATA: [(&str, &str); 3] = [
    ("uniform, 4,000 rows", "synth:sparse,rows=4000,columns=1000000,density=1e-4"),
    ("uniform, 20,000 rows", "synth:sparse,rows=20000,columns=1000000,density=1e-4"),
    ("power law, 20,000 rows", "synth:power-law,rows=20000,columns=1000000,density=1.35e-4,exponent=1.05"),
];
const GOAL: &str = "1e-3";
/// On ranks evaluation tells of the shared vector too: what it has told, the next round need not. Seldom enough not to matter.
const EVAL_EVERY: &str = "10";

/// Native code on machines that talk at 1 Gbit.
const CLUSTER: &str = r#"name = "NAME"
machines = MACHINES
cores_per_machine = 1
memory_gb = 8
price_per_hour = 0.1

[compute]
ns_per_nonzero = 1.5
straggler = { kind = "lognormal", sigma = 0.1 }

[network]
latency_us = LATENCY
bandwidth_gbit = GBIT
collective = "COLLECTIVE"

[overhead]
per_round_ms = 0.8
"#;

/// Where programs run and what they are told of the place.
struct Place {
    name: String,
    /// The command before the verb.
    program: Vec<String>,
    /// The flags that name cluster or links.
    flags: Vec<String>,
    machines: usize,
}

fn main() -> Result<()> {
    let desk = tempfile::tempdir()?;
    match std::env::args().nth(1).as_deref() {
        Some("simulated") => {
            ["tree", "ring"].into_iter().try_for_each(|way| table(&simulated(desk.path(), way)?, desk.path()))
        }
        Some("ranks") => table(&ranks(desk.path())?, desk.path()),
        _ => bail!("wide simulated | wide ranks"),
    }
}

fn cluster(desk: &Path, name: &str, machines: usize, link: (f64, f64), collective: &str) -> Result<String> {
    let (latency, gbit) = link;
    let pairs = [
        ("NAME", name.to_string()),
        ("MACHINES", machines.to_string()),
        ("LATENCY", latency.to_string()),
        ("GBIT", gbit.to_string()),
        ("COLLECTIVE", collective.into()),
    ];
    let text = pairs.iter().fold(CLUSTER.to_string(), |text, (word, value)| text.replace(word, value));
    let file = desk.join(format!("{name}.toml"));
    std::fs::write(&file, text)?;
    Ok(file.display().to_string())
}

fn beside(program: &str) -> Result<String> {
    let own = std::env::current_exe()?;
    let path: PathBuf = own.parent().context("a folder")?.join(program);
    ensure!(path.is_file(), "{} is missing: build it in release", path.display());
    Ok(path.display().to_string())
}

fn simulated(desk: &Path, collective: &str) -> Result<Place> {
    let file = cluster(desk, &format!("eight-{collective}"), 8, (100.0, 1.0), collective)?;
    Ok(Place {
        name: format!("8 machines at 1 Gbit, simulated; plain is a {collective}"),
        program: vec![beside("hemingway")?],
        flags: vec!["--cluster".into(), file],
        machines: 8,
    })
}

/// Links as TCP finds them on plain Ethernet of 1 Gbit.
fn ranks(desk: &Path) -> Result<Place> {
    let file = cluster(desk, "four-ranks", 4, (250.0, 0.941), "tree")?;
    let words = ["run", "--name", "wide", "-n", "4", "--"].map(String::from);
    let program = [vec![beside("testbed")?], words.to_vec(), vec![beside("hemingway-mpi")?]].concat();
    Ok(Place {
        name: "4 ranks at 1 Gbit, on the testbed".into(),
        program,
        flags: vec!["--links".into(), file],
        machines: 4,
    })
}

fn table(place: &Place, desk: &Path) -> Result<()> {
    println!("\n## {}\n", place.name);
    println!(
        "| data | seed | plain: choice | rounds | s | search: choice | rounds | s | times as fast | the plan said | off by | same model |"
    );
    println!("|---|---|---|---|---|---|---|---|---|---|---|---|");
    for (name, data) in DATA {
        for seed in SEEDS {
            println!("| {name} | {seed} {}", row(place, desk, &format!("{data},seed={seed}"), seed)?);
        }
    }
    Ok(())
}

fn row(place: &Place, desk: &Path, data: &str, seed: u64) -> Result<String> {
    let plan = asked(place, desk, "plan", data, "search", seed)?;
    let train = |sync: &str| asked(place, desk, "train", data, sync, seed);
    let (plain, search) = (train("plain")?, train("search")?);
    let seconds = |answer: &Value| answer["real_seconds"].as_f64().context("real_seconds");
    let choice = |answer: &Value| answer["choice"]["algorithm"].as_str().unwrap_or("none").to_string();
    let (a, b) = (seconds(&plain)?, seconds(&search)?);
    let said = plan["sync"]["gain"].as_f64().or_else(|| search["sync"]["gain"].as_f64());
    let (ratio, said) = (a / b, said.context("the plan says nothing of the exchange")?);
    let same = plain["objective"] == search["objective"] && plain["rounds"] == search["rounds"];
    Ok(format!(
        "| {} | {} | {a:.3} | {} | {} | {b:.3} | {ratio:.2} | {said:.2} | {:+.0} % | {} |",
        choice(&plain),
        plain["rounds"],
        choice(&search),
        search["rounds"],
        100.0 * (said / ratio - 1.0),
        if same { "yes" } else { "no" },
    ))
}

/// What a verb answers.
fn asked(place: &Place, desk: &Path, verb: &str, data: &str, sync: &str, seed: u64) -> Result<Value> {
    let (first, rest) = place.program.split_first().context("a program")?;
    let machines = format!("{0}..{0}", place.machines);
    let seed = seed.to_string();
    let store = desk.join("runs").display().to_string();
    let mut words = rest.to_vec();
    words.extend(
        ["--output", "json", verb, data, "--reach", GOAL, "--machines", &machines, "--sync", sync].map(String::from),
    );
    words.extend(["--seed", &seed, "--eval-every", EVAL_EVERY, "--forget", "--store", &store].map(String::from));
    words.extend(place.flags.clone());
    if verb == "train" {
        words.push("--yes".into());
    }
    let out = Command::new(first).args(&words).output().with_context(|| first.clone())?;
    let text = String::from_utf8_lossy(&out.stdout);
    // The one value; a job that mpirun started may say more around it.
    let value = |text: &str| serde_json::from_str(text).ok().filter(Value::is_object);
    let answer = value(&text).or_else(|| text.lines().rev().find_map(value));
    answer.with_context(|| format!("{} says {}", words.join(" "), String::from_utf8_lossy(&out.stderr)))
}
