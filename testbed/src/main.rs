//! `testbed`: several hosts with shaped links on this machine.

use std::ffi::OsString;
use std::process::ExitCode;
use std::time::Duration;

use anyhow::{Context, Result, bail};
use clap::{Args, Parser, Subcommand};
use hemingway_testbed::{Job, Layout, Part, Rate, check, down, keeper, link, loss, mpirun, slow, standing, up};

/// Exit code of `check` when a link is not as it was asked for.
const AMISS: u8 = 3;

/// Several hosts with shaped links on this machine: network namespaces, and a switch in user space between them.
///
/// Needs root, and iproute2; `run` needs OpenMPI.
#[derive(Debug, Parser)]
#[command(version, after_long_help = EXAMPLES)]
struct Cli {
    #[command(subcommand)]
    command: Verb,
}

const EXAMPLES: &str = "\
Examples:
  testbed up --hosts 4 --latency 500us --rate 1gbit
  testbed up --hosts 4 --latency 500us --rate 1gbit --link 0-3:5ms,100mbit --slow 2:2ms,100mbit --loss 3:0.1%
  testbed check
  testbed run -n 4 -- target/release/hemingway-mpi train synth:logistic --reach 1e-3
  testbed down

Exit codes: 0 good, 1 error, 2 usage, 3 a link is not as it was asked for (check); run ends with the code of mpirun.";

#[derive(Debug, Subcommand)]
enum Verb {
    /// Make hosts and links
    Up(Up),
    /// Take them down, and whatever a killed testbed has left
    Down(Name),
    /// Run an MPI program across the hosts
    Run(Run),
    /// Measure latency and rate of every link against what was asked for
    Check {
        #[command(flatten)]
        name: Name,
        /// Print one JSON value instead of a table
        #[arg(long)]
        json: bool,
    },
    /// Hold a bed.
    #[command(hide = true)]
    Keep {
        layout: String,
        #[arg(long)]
        attached: bool,
    },
    /// Carry frames.
    #[command(hide = true)]
    Switch { layout: String },
    /// Stand in for ssh.
    #[command(hide = true)]
    Agent {
        name: String,
        #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
        words: Vec<String>,
    },
    /// Answer on a host.
    #[command(hide = true)]
    Echo { address: String },
    /// Measure the way to another host.
    #[command(hide = true)]
    Measure { address: String },
}

#[derive(Debug, Args)]
struct Name {
    /// Tells testbeds apart that stand at the same time
    #[arg(long, default_value = "a")]
    name: String,
}

#[derive(Debug, Args)]
struct Up {
    #[command(flatten)]
    name: Name,
    /// How many hosts
    #[arg(long, default_value_t = 2)]
    hosts: usize,
    /// One way, of every link
    #[arg(long, default_value = "500us", value_parser = humantime::parse_duration)]
    latency: Duration,
    /// Of every link and every host's port, in each direction
    #[arg(long, default_value = "1gbit")]
    rate: Rate,
    /// A link that differs
    #[arg(long, value_name = "A-B:LATENCY,RATE", value_parser = link)]
    link: Vec<(usize, usize, Part)>,
    /// A slow host: latency that it adds to its links, rate of its port
    #[arg(long, value_name = "HOST:LATENCY,RATE", value_parser = slow)]
    slow: Vec<(usize, Part)>,
    /// A host that loses frames
    #[arg(long, value_name = "HOST:SHARE%", value_parser = loss)]
    loss: Vec<(usize, f64)>,
}

#[derive(Debug, Args)]
struct Run {
    #[command(flatten)]
    name: Name,
    /// Ranks, dealt to hosts in turn
    #[arg(short)]
    n: usize,
    /// A setting of OpenMPI, as mpirun's --mca
    #[arg(long, value_name = "NAME=VALUE", value_parser = setting)]
    mca: Vec<(String, String)>,
    /// The program and what it is given
    #[arg(required = true, last = true)]
    words: Vec<OsString>,
}

fn setting(text: &str) -> Result<(String, String)> {
    let (name, value) = text.split_once('=').context("write NAME=VALUE")?;
    Ok((name.into(), value.into()))
}

fn main() -> ExitCode {
    match run(Cli::parse().command) {
        Ok(code) => ExitCode::from(code),
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn run(verb: Verb) -> Result<u8> {
    match verb {
        Verb::Up(wish) => bring_up(wish)?,
        Verb::Down(Name { name }) => match down(&name)? {
            0 => println!("no testbed named {name} stands"),
            count => println!("{count} namespaces removed"),
        },
        Verb::Run(Run { name, n, mca, words }) => mpirun::run(&name.name, &Job { ranks: n, mca, words })?,
        Verb::Check { name, json } => return check_links(&name.name, json),
        Verb::Keep { layout, attached } => keeper::keep(&serde_json::from_str(&layout)?, attached)?,
        Verb::Switch { layout } => keeper::serve(&serde_json::from_str(&layout)?)?,
        Verb::Agent { name, words } => mpirun::agent(&name, &words)?,
        Verb::Echo { address } => check::echo(&address)?,
        Verb::Measure { address } => println!("{}", serde_json::to_string(&check::measure(&address)?)?),
    }
    Ok(0)
}

fn bring_up(Up { name, hosts, latency, rate, link, slow, loss }: Up) -> Result<()> {
    let layout = Layout { name: name.name, hosts, latency, rate, links: link, slow, loss };
    up(&std::env::current_exe()?, &layout)?;
    println!("{hosts} hosts, links of {} and {rate}", humantime::format_duration(latency));
    println!("next  testbed check\n      testbed run -n {hosts} -- PROGRAM\n      testbed down");
    Ok(())
}

fn check_links(name: &str, json: bool) -> Result<u8> {
    let Some(standing) = standing(name)? else { bail!("no testbed named {name} stands: testbed up --name {name}") };
    if !json {
        println!("link    latency asked     found    rate asked         found");
    }
    let findings = check::check(&std::env::current_exe()?, &standing.layout, |found| {
        if !json {
            let (asked, got) = (1e6 * found.asked_latency, 1e6 * found.measured.latency);
            let (rate, reached) = (Rate(found.asked_rate).to_string(), Rate(found.measured.rate).to_string());
            let mark = if found.good { "" } else { "  amiss" };
            println!("{}-{:<4} {asked:>11.0} µs {got:>6.0} µs  {rate:>12}  {reached:>12}{mark}", found.from, found.to);
        }
    })?;
    if json {
        println!("{}", serde_json::to_string(&findings)?);
    }
    Ok(if findings.iter().all(|found| found.good) { 0 } else { AMISS })
}
