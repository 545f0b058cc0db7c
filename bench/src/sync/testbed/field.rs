//! Ranks across a testbed that carry out whatever strategy they are handed.

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, ChildStdout, Stdio};
use std::sync::{Mutex, PoisonError};

use anyhow::{Context, Result, ensure};
use hemingway::Error;
use hemingway::sync::execute::Timing;
use hemingway::sync::replay::Judge;
use hemingway::sync::{Stage, Strategy};
use hemingway_testbed::{Bed, Job};
use serde_json::{Value, json};

use super::beds::BedPlan;

/// A testbed with a job on its hosts.
pub struct Field {
    // The job ends before its bed is taken down.
    ranks: Mutex<RanksJob>,
    _bed: Bed,
}

struct RanksJob {
    job: Child,
    /// Closed, it is the job's sign to end.
    ask: Option<ChildStdin>,
    answers: BufReader<ChildStdout>,
    /// The model and cluster that they have been told of.
    scene: Option<Value>,
}

impl Field {
    /// Brings the bed up, and a rank on each of its hosts; both programs lie beside this one.
    pub fn up(plan: &BedPlan) -> Result<Self> {
        let own = std::env::current_exe()?;
        let beside = |name: &str| own.with_file_name(name);
        let (testbed, ranks) = (beside("testbed"), beside("testbed-ranks"));
        for (program, package) in [(&testbed, "hemingway-testbed"), (&ranks, "hemingway-testbed-ranks")] {
            ensure!(program.exists(), "{} is missing: cargo build --release -p {package}", program.display());
        }
        let bed = Bed::up(&testbed, &plan.layout())?;
        let job = Job { ranks: plan.hosts, mca: Vec::new(), words: vec![ranks.into(), "exchange".into()] };
        let mut command = job.command(&bed.program, &bed.layout)?;
        let mut job = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().context("mpirun does not start")?;
        let (ask, answers) = (job.stdin.take(), job.stdout.take().context("mpirun says nothing")?);
        let ranks = Mutex::new(RanksJob { job, ask, answers: BufReader::new(answers), scene: None });
        Ok(Self { ranks, _bed: bed })
    }

    /// Seconds of each step.
    pub fn time(&self, stage: &Stage, strategy: &Strategy, timing: Timing) -> hemingway::Result<Vec<f64>> {
        let mut ranks = self.ranks.lock().unwrap_or_else(PoisonError::into_inner);
        ranks.time(stage, strategy, timing).map_err(|error| Error::Engine(format!("{error:#}")))
    }

    /// A judge whose trials run here.
    pub fn judge<'a>(&'a self, stage: &'a Stage, scale: f64) -> Judge<'a> {
        Judge::on_ranks(stage, scale, 1, |stage, strategy, timing| self.time(stage, strategy, timing))
    }
}

impl RanksJob {
    fn time(&mut self, stage: &Stage, strategy: &Strategy, timing: Timing) -> Result<Vec<f64>> {
        let scene = json!({ "model": stage.model, "cluster": stage.cluster.toml()?, "machines": stage.machines() });
        if self.scene.as_ref() != Some(&scene) {
            self.answer(&scene)?;
            self.scene = Some(scene);
        }
        self.answer(&json!({ "strategy": strategy, "timing": timing }))
    }

    fn answer(&mut self, asked: &Value) -> Result<Vec<f64>> {
        let ask = self.ask.as_mut().context("the job has ended")?;
        writeln!(ask, "{asked}").and_then(|()| ask.flush()).context("the ranks have ended")?;
        let mut line = String::new();
        self.answers.read_line(&mut line)?;
        serde_json::from_str(&line).with_context(|| format!("the ranks answered `{}`", line.trim()))
    }
}

impl Drop for RanksJob {
    fn drop(&mut self) {
        drop(self.ask.take());
        let _ = self.job.wait();
    }
}
