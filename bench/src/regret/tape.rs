//! Runs computed once: what every machine did in every round, so that any cluster can tell how long it takes.

use std::path::{Path, PathBuf};

use anyhow::Context;
use hemingway::algorithm::{self, Order, Step, Support, Work};
use hemingway::cluster::Cluster;
use hemingway::data::matrix::BYTES_PER_ENTRY;
use hemingway::engine::{Done, Setting, Simulated, Timekeeper};
use hemingway::model::{Crossings, Lesson, Traits};
use hemingway::problem::Problem;
use serde::{Deserialize, Serialize};

use super::suite::{Case, SEED};
use crate::watched::{Watched, Witness};

/// Numbers of machines of every tape.
pub const SIZES: [usize; 8] = [1, 2, 4, 8, 16, 32, 64, 128];
/// Nobody waits longer.
const MOST_ROUNDS: u64 = 400;
/// A round of any of these methods is one pass over the rows, and twice the machines at most halve it. What takes more than
/// twice the rounds of another method on the same machines, or of its own on half of them, is the best on no cluster; what
/// takes so many times as many has been followed for long enough to learn from.
const HOPELESS: f64 = 4.0;
/// Tapes end at this share of ε, so that what follows the goal is known too.
const BEYOND: f64 = 0.5;
/// Whom the oracle chooses among, those whose rounds do not depend on m first. All others do the same work a round as one
/// of these and need more of them (`bench/src/bin/algorithms.rs`).
const RACED: [&str; 5] = ["gd", "lbfgs", "newton", "cocoa", "cocoa+"];
/// The same with λ₁ > 0.
const RACED_L1: [&str; 5] = ["lbfgs", "strads", "proxcocoa+", "cocoa+", "admm"];

/// One run of one algorithm on so many machines.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Tape {
    /// Entries that each machine holds.
    stored: Vec<u64>,
    /// Every round of training.
    rounds: Vec<Round>,
    /// The entries each machine touched; rounds that do the same share one.
    works: Vec<Vec<u64>>,
    /// (rounds so far, P, best bound so far), the start first.
    pub points: Vec<(u64, f64, f64)>,
}

#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
struct Round {
    work: u32,
    down: u32,
    up: u32,
}

impl Tape {
    /// Seconds of training when each round has ended, the start first.
    pub fn seconds(&self, cluster: &Cluster) -> Vec<f64> {
        let held: Vec<f64> = self.stored.iter().map(|entries| *entries as f64 * BYTES_PER_ENTRY).collect();
        let timekeeper = Timekeeper::new(cluster, SEED, &held);
        let done: Vec<Vec<Done>> =
            self.works.iter().map(|work| work.iter().map(|&e| (entries(e), 0.0)).collect()).collect();
        let mut total = 0.0;
        let mut seconds = vec![0.0];
        for (number, round) in (1..).zip(&self.rounds) {
            total +=
                timekeeper.round(number, &done[round.work as usize], round.down as usize, round.up as usize).seconds();
            seconds.push(total);
        }
        seconds
    }

    /// Rounds it was followed for.
    pub fn last_round(&self) -> u64 {
        self.rounds.len() as u64
    }

    /// The round at which the true error is first at most ε.
    pub fn reaches(&self, case: &Case) -> Option<u64> {
        self.points.iter().find(|point| case.true_error(point.1) <= case.error).map(|point| point.0)
    }

    /// Passes over all entries that its first rounds took, on average.
    fn passes(&self, rounds: u64) -> f64 {
        let total = self.stored.iter().sum::<u64>() as f64;
        let done = self.rounds.iter().take(rounds as usize).map(|round| &self.works[round.work as usize]);
        let passes = done.map(|work| work.iter().sum::<u64>() as f64 / total);
        passes.sum::<f64>() / rounds.max(1) as f64
    }

    /// The same run on machines that hold so much each.
    fn dealt(&self, stored: Vec<u64>) -> Self {
        let total: u64 = stored.iter().sum();
        let share = |work: &Vec<u64>| {
            let passes = work.iter().sum::<u64>() as f64 / total as f64;
            stored.iter().map(|held| (*held as f64 * passes).round() as u64).collect()
        };
        Self { works: self.works.iter().map(share).collect(), stored, ..self.clone() }
    }
}

fn entries(entries: u64) -> Work {
    Work { rows: 0, entries }
}

impl Witness for Tape {
    fn saw(&mut self, _order: &Order, done: &[Done], down: usize, up: usize) {
        let work: Vec<u64> = done.iter().map(|(work, _)| work.entries).collect();
        let known = self.works.iter().rposition(|known| *known == work);
        let place = known.unwrap_or_else(|| {
            self.works.push(work);
            self.works.len() - 1
        });
        self.rounds.push(Round { work: place as u32, down: down as u32, up: up as u32 });
    }
}

/// Follows one algorithm on so many machines beyond ε, or to so many rounds.
pub fn record(case: &Case, problem: &Problem, name: &str, machines: usize, most: u64) -> anyhow::Result<Tape> {
    let setting = Setting::new(problem, algorithm::by_name(name)?);
    let mut server = setting.algorithm.server(&setting.outline);
    let mut shared = setting.algorithm.shared(&setting.outline);
    let stored = held(problem, machines);
    let engine = Simulated::new(setting, crate::cluster(machines), machines)?;
    let tape = Tape { stored, rounds: Vec::new(), works: Vec::new(), points: Vec::new() };
    let mut on = Watched { engine, witness: tape };
    let mut bound = 0.0_f64;
    loop {
        let seen = server.evaluate(&mut on, &shared)?;
        bound = bound.max(seen.dual.unwrap_or(0.0));
        let round = on.witness.rounds.len() as u64;
        on.witness.points.push((round, seen.objective, bound));
        let far = !seen.objective.is_finite() || case.true_error(seen.objective) > 1e6;
        if case.true_error(seen.objective) <= BEYOND * case.error || round >= most || far {
            return Ok(on.witness);
        }
        if server.iterate(&mut on, &mut shared)? == Step::Stalled {
            return Ok(on.witness);
        }
    }
}

/// Entries on each of m machines.
fn held(problem: &Problem, machines: usize) -> Vec<u64> {
    let rows = problem.data.rows();
    let placement = hemingway::placement::Placement::even(rows, machines);
    let stored = |range: std::ops::Range<usize>| range.map(|i| problem.data.matrix.row(i).stored() as u64).sum();
    placement.ranges().map(stored).collect()
}

/// (algorithm, m) and its tape.
pub type Kept = (String, usize, Tape);

/// All tapes of one problem, kept on disk.
pub struct Shelf {
    /// What the problem looks like.
    pub traits: Traits,
    /// The tapes.
    pub tapes: Vec<Kept>,
}

impl Shelf {
    /// Reads what is there and computes what is not.
    pub fn of(case: &Case) -> anyhow::Result<Self> {
        let folder = folder()?.join(&case.name);
        let mut problem = None;
        let traits = label(case, &folder)?.traits;
        let mut tapes: Vec<Kept> = Vec::new();
        for name in algorithms(case) {
            for machines in SIZES {
                let path = folder.join(format!("{name}-{machines}.tape"));
                if !path.exists() {
                    let problem = match &mut problem {
                        Some(problem) => problem,
                        none => none.insert(case.problem(&case.load()?)?),
                    };
                    if machines > problem.data.rows() {
                        continue;
                    }
                    save(&path, &make(case, problem, &name, machines, &tapes)?)?;
                }
                let bytes = std::fs::read(&path)?;
                let tape = postcard::from_bytes(&bytes).with_context(|| format!("in {}", path.display()))?;
                tapes.push((name.clone(), machines, tape));
            }
        }
        Ok(Self { traits, tapes })
    }

    /// Rounds to ε of every method, from the fewest to the most machines.
    pub fn rounds(&self, case: &Case) -> String {
        let mut line = case.name.clone();
        for name in algorithms(case) {
            let own = self.tapes.iter().filter(|tape| tape.0 == name);
            let mut rounds: Vec<String> =
                own.map(|(_, _, tape)| tape.reaches(case).map_or("–".into(), |rounds| rounds.to_string())).collect();
            rounds.dedup();
            line += &format!("  {name} {}", rounds.join(" "));
        }
        line
    }

    /// The problem as later ones may learn from it.
    pub fn lesson(&self, case: &Case) -> Lesson {
        let curve = |(name, machines, tape): &Kept| {
            let errors: Vec<(u64, f64)> = tape.points.iter().map(|point| (point.0, case.true_error(point.1))).collect();
            // What is said of rounds whose work is always the same is said by the algorithm itself.
            let uneven = tape.works.len() > 1 && case.has_l1();
            let passes = uneven.then(|| tape.passes(tape.reaches(case).unwrap_or_else(|| tape.last_round())));
            Crossings { passes, ..Crossings::of(name, *machines, &errors) }
        };
        let begins = self.tapes.first().and_then(|(_, _, tape)| tape.points.first());
        let start = begins.map_or(0.0, |point| case.true_error(point.1).ln());
        Lesson { traits: self.traits, start, curves: self.tapes.iter().map(curve).collect() }
    }
}

/// What the tapes in a folder are of.
#[derive(PartialEq, Serialize, Deserialize)]
struct Label {
    case: Case,
    /// To look at all rows takes longer than to read them from here.
    traits: Traits,
}

/// The label of a problem's tapes; what was taped of another problem by its name is thrown away.
fn label(case: &Case, folder: &Path) -> anyhow::Result<Label> {
    let path = folder.join("label.toml");
    let known = std::fs::read_to_string(&path).ok().and_then(|text| toml::from_str::<Label>(&text).ok());
    if let Some(label) = known.filter(|label| label.case == *case) {
        return Ok(label);
    }
    if folder.exists() {
        std::fs::remove_dir_all(folder)?;
    }
    std::fs::create_dir_all(folder)?;
    let label = Label { case: case.clone(), traits: Traits::of(&case.problem(&case.load()?)?) };
    std::fs::write(&path, toml::to_string(&label)?)?;
    Ok(label)
}

fn make(case: &Case, problem: &Problem, name: &str, machines: usize, others: &[Kept]) -> anyhow::Result<Tape> {
    let own = others.iter().rfind(|other| other.0 == name);
    let same_on_any = algorithm::by_name(name)?.same_on_any();
    if let Some((_, _, own)) = own.filter(|_| same_on_any) {
        return Ok(own.dealt(held(problem, machines)));
    }
    let here = others.iter().filter(|other| other.1 == machines);
    let rivals = here.chain(own).filter_map(|(_, _, tape)| tape.reaches(case));
    let most = rivals.map(|rounds| (HOPELESS * rounds as f64) as u64 + 10).fold(MOST_ROUNDS, u64::min);
    record(case, problem, name, machines, most)
}

fn save(path: &Path, tape: &Tape) -> anyhow::Result<()> {
    let partial = path.with_extension("partial");
    std::fs::write(&partial, postcard::to_allocvec(tape)?)?;
    Ok(std::fs::rename(&partial, path)?)
}

/// Those that apply and are exact, whether or not `train` tries them unasked.
pub fn algorithms(case: &Case) -> Vec<String> {
    let penalty = case.penalty();
    let exact = |name: &str| {
        algorithm::by_name(name).is_ok_and(|a| {
            a.support(case.loss) == Support::Exact && algorithm::check(a.as_ref(), case.loss, &penalty).is_ok()
        })
    };
    let raced = if case.l1 > 0.0 { RACED_L1 } else { RACED };
    raced.into_iter().filter(|name| exact(name)).map(String::from).collect()
}

fn folder() -> anyhow::Result<PathBuf> {
    Ok(crate::out_dir()?.join("regret"))
}
