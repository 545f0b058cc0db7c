//! Tells a job while it is carried out: probes, the plan, the live line or rows, changes of mind.

use std::io;

use hemingway::backend::{Config, Frame, Rehearsal};
use hemingway::goal::Goal;
use hemingway::job::{Foretold, Job};
use hemingway::model::{Estimate, Reach};
use hemingway::plan::Plan;
use hemingway::record::Record;
use hemingway::train::{Decision, History, Moment, Observer, Purpose};

use super::live::{Course, Live};
use super::rows::Rows;
use crate::interrupt;
use crate::output::Manners;
use crate::show::{Basis, Exchange, Paint, PlanTable, Remembered, number};

/// A new prediction is told when it leaves the old one's interval and is so many times as long, or as short.
const WORTH_SAYING: f64 = 1.5;

/// The observer of a job for people.
pub(super) struct Watch {
    goal: Goal,
    simulated: bool,
    /// What is foretold of the exchange of rounds.
    exchanges: Vec<Foretold>,
    cluster: String,
    manners: Manners,
    paint: Paint,
    terminal: bool,
    live: Live,
    rows: Rows,
    records: Vec<Record>,
    remembered: Remembered,
    course: Option<Course>,
    /// What training was last said to take.
    said: Option<Estimate>,
}

impl Watch {
    pub(super) fn new(job: &Job, manners: Manners, paint: Paint, terminal: bool) -> Self {
        Self {
            goal: job.spec.goal.clone(),
            simulated: job.facts.simulated,
            exchanges: job.facts.exchanges.clone(),
            cluster: job.facts.cluster.clone(),
            manners,
            paint,
            terminal,
            live: Live::new(terminal),
            rows: Rows::new(job.facts.simulated),
            records: Vec::new(),
            remembered: Remembered::of(&job.facts.lore),
            course: None,
            said: None,
        }
    }

    /// Goes on telling where an earlier sitting stopped, without telling that again.
    pub(super) fn take_up(&mut self, past: History) {
        self.records = past.records;
        self.remembered = Remembered::of(&past.facts.lore);
        let frames = past.decisions.iter().rev().filter(|decision| matches!(decision, Decision::Run { .. }));
        let Some(Decision::Run { frame, purpose, plan, predicted, .. }) = frames.into_iter().next() else { return };
        self.course = Some(self.course(frame, *purpose, plan.as_ref(), *predicted));
        if *purpose == Purpose::Train {
            self.said = *predicted;
            self.begin_rows(self.round_of(frame));
        }
    }

    fn decided(&mut self, decision: &Decision) {
        let Decision::Run { frame, purpose, why, plan, predicted, .. } = decision else {
            self.live.clear();
            return;
        };
        let base = self.round_of(frame);
        let course = self.course(frame, *purpose, plan.as_ref(), *predicted);
        let before = self.course.replace(course).filter(|before| !before.probing).map(|before| before.config);
        if *purpose == Purpose::Probe {
            return;
        }
        match before {
            None => self.begin(&frame.config, plan.as_ref(), why, *predicted, base),
            Some(before) if before != frame.config => self.switch(&before, &frame.config, why, *predicted, base),
            Some(_) => self.keep(*predicted),
        }
    }

    fn course(&self, frame: &Frame, purpose: Purpose, plan: Option<&Plan>, predicted: Option<Estimate>) -> Course {
        let candidate = plan.and_then(|plan| plan.candidate(&frame.config));
        let to_go = candidate.and_then(|c| c.rounds).and_then(Reach::estimate);
        let rounds = to_go.map(|rounds| self.round_of(frame) as f64 + rounds.mid);
        Course {
            config: frame.config.clone(),
            probing: purpose == Purpose::Probe,
            stood: self.last_of(frame).map(|last| (last.round, last.train_seconds)),
            rounds: rounds.or(last_round(frame, purpose, &self.goal)),
            seconds: predicted,
        }
    }

    /// Where the frame's run stands.
    fn round_of(&self, frame: &Frame) -> u64 {
        self.last_of(frame).map_or(0, |last| last.round)
    }

    /// The newest record of the frame's run.
    fn last_of(&self, frame: &Frame) -> Option<&Record> {
        self.records.iter().rev().find(|record| record.run == frame.run)
    }

    fn begin(&mut self, config: &Config, plan: Option<&Plan>, why: &str, predicted: Option<Estimate>, base: u64) {
        self.said = predicted;
        if let Some(plan) = plan {
            self.live.clear();
            if self.manners.table {
                self.show(plan);
            }
            if self.manners.ask && !self.agreed(config) {
                interrupt::request();
                return;
            }
            self.live.talk(&format!("{}  {config}  {why}", self.paint.bold("train ")));
        }
        self.begin_rows(base);
    }

    fn show(&self, plan: &Plan) {
        let (goal, basis) = (&self.goal, Basis::of_job(&self.records, self.remembered));
        let table = PlanTable { plan, goal, basis: &basis, simulated: self.simulated, all: self.manners.all };
        let exchange = Exchange::of_plan(plan, &self.exchanges);
        let exchange = exchange.map_or(String::new(), |exchange| format!("Exchange: {}\n", exchange.sentence()));
        self.live.talk(&format!("\n{}{exchange}", table.text(self.paint)));
    }

    fn agreed(&self, config: &Config) -> bool {
        let machines = number::counted(config.machines, "machine");
        let of = if self.simulated { format!(" of {}", self.cluster) } else { String::new() };
        consented(&format!("Train with {} on {machines}{of}? [Y/n] ", config.algorithm))
    }

    fn switch(&mut self, from: &Config, to: &Config, why: &str, predicted: Option<Estimate>, base: u64) {
        self.said = predicted;
        self.live.talk(&format!("{}  {from} → {to}  because {why}", self.paint.yellow("switch")));
        self.begin_rows(base);
    }

    fn begin_rows(&mut self, base: u64) {
        if !self.terminal {
            self.rows.begin(base);
        }
    }

    /// Says so when reality has left what was promised.
    fn keep(&mut self, predicted: Option<Estimate>) {
        let (Some(said), Some(now)) = (self.said, predicted) else { return };
        let outside = now.mid < said.low || now.mid > said.high;
        if outside && (now.mid / said.mid).ln().abs() > WORTH_SAYING.ln() {
            let (now_words, said_words) = (number::seconds_between(now), number::seconds_between(said));
            self.live
                .talk(&format!("{}  now expected to take {now_words}, not {said_words}", self.paint.dim("note  ")));
            self.said = predicted;
        }
    }

    fn frame_ended(&mut self, frame: &Frame, words: &str) {
        let Some(course) = self.course.as_ref().filter(|course| course.probing) else { return };
        let Some(last) = self.last_of(frame) else { return };
        // A run that takes up another's model goes on counting its rounds, which are not its own.
        let first = self.records.iter().find(|record| record.run == frame.run).unwrap_or(last);
        let (round, seconds) = course.stood.unwrap_or((first.round, 0.0));
        let rounds = last.round.saturating_sub(round);
        let came = looked(&course.config, rounds, last.train_seconds - seconds, last.objective);
        self.live.talk(&format!("{}  {came}{words}", self.paint.dim("probe ")));
    }

    fn rehearsed(&mut self, rehearsal: &Rehearsal) {
        let Some((rounds, objective)) = rehearsal.points.last() else { return };
        let came = looked(&Config::new(&rehearsal.algorithm, 1), *rounds, rehearsal.seconds, *objective);
        let rows = number::counted(rehearsal.rows, "row");
        self.live.talk(&format!("{}  {came} on {rows}", self.paint.dim("try   ")));
    }
}

/// What a look at a configuration showed, in columns.
fn looked(config: &Config, rounds: u64, seconds: f64, objective: f64) -> String {
    format!(
        "{:<14} m={:<4} {:>10} in {:>8}  objective {}",
        config.algorithm,
        config.machines,
        number::counted(rounds as usize, "round"),
        number::seconds(seconds),
        number::objective(objective),
    )
}

impl Observer for Watch {
    fn notice(&mut self, moment: Moment<'_>) {
        match moment {
            Moment::Decided(decision) => self.decided(decision),
            Moment::Round { record, standing, spent, purpose } => {
                self.records.push(record.clone());
                let Self { live, course, goal, .. } = self;
                if let Some(course) = course {
                    live.show(|| course.line(record, standing, spent, goal));
                }
                if purpose == Purpose::Train
                    && !self.terminal
                    && let Some(line) = self.rows.tell(record, standing)
                {
                    self.live.talk(&line);
                }
            }
            Moment::Rehearsed { rehearsals } => rehearsals.iter().for_each(|rehearsal| self.rehearsed(rehearsal)),
            Moment::FrameEnded { frame, ending } => {
                let usual = ending == hemingway::backend::Ending::FrameOver;
                let words = if usual { String::new() } else { format!("  {}", ending.words()) };
                self.frame_ended(frame, &words);
            }
        }
    }
}

/// The round a frame is known to end at: that of a probe, or of a goal in rounds.
fn last_round(frame: &Frame, purpose: Purpose, goal: &Goal) -> Option<f64> {
    let bounded = purpose == Purpose::Probe || matches!(goal, Goal::Rounds { .. });
    bounded.then_some(frame.until_round as f64)
}

fn consented(question: &str) -> bool {
    crate::output::ask(question, || {
        let mut answer = String::new();
        // The end of input is no consent.
        matches!(interrupt::while_asking(|| io::stdin().read_line(&mut answer)), Ok(read) if read > 0)
            && !answer.trim().to_lowercase().starts_with('n')
    })
}
