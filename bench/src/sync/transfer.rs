//! What trials of other models and clusters are worth: to a search, and before any trial.

use std::path::PathBuf;
use std::time::Instant;

use anyhow::{Context, Result, ensure};
use hemingway::rng::{Purpose, keyed};
use hemingway::sync::Stage;
use hemingway::sync::ranker::{Lesson, Look, Ranker};
use hemingway::sync::replay::{Engine, Judge};
use hemingway::sync::search::{Found, Interval, Wish, look, search};
use hemingway::sync::sketch::Sketch;

use super::dataset::{self, Row, SIMULATED, file};
use super::{PAIRS, stage, wish};

/// Trials after which a search is looked at.
const AFTER: [usize; 5] = [10, 25, 50, 100, 200];
/// What searches are drawn with: tables show the middle of them. Trials of the first are what later searches begin with.
const SEEDS: [u64; 5] = [1, 2, 3, 4, 5];
/// Random strategies of a pair that rankers are asked about, and by how much two of them must differ: twice the spread of a
/// simulated trial.
const SAMPLES: u64 = 100;
const MARGIN: f64 = 0.04;

fn pairs(model: Option<&str>) -> impl Iterator<Item = (&'static str, &'static str)> {
    PAIRS.into_iter().filter(move |(name, _)| model.is_none_or(|model| model == *name))
}

/// Where trials are kept.
fn folder() -> Result<PathBuf> {
    let folder = crate::out_dir()?.join("sync-trials");
    std::fs::create_dir_all(&folder).with_context(|| format!("cannot make {}", folder.display()))?;
    Ok(folder)
}

/// Searches that know nothing, and keeps their trials.
pub fn keep(trials: usize, model: Option<&str>) -> Result<()> {
    println!(
        "## Searches that begin with nothing: best of the first trials over the best builder, at most {trials} trials, the middle of {} seeds\n",
        SEEDS.len()
    );
    head();
    for (model, cluster) in pairs(model) {
        let (stage, began) = (stage(model, cluster)?, Instant::now());
        let found = searches(&stage, trials, &Ranker::default())?;
        let path = folder()?.join(format!("{model}-on-{cluster}.jsonl"));
        _ = std::fs::remove_file(&path);
        Lesson::append(&path, &found[0].lessons(&stage, Engine::Simulated))?;
        row(model, cluster, &found, began)?;
    }
    Ok(())
}

/// One for each seed.
fn searches(stage: &Stage, trials: usize, prior: &Ranker) -> Result<Vec<Found>> {
    let each = SEEDS.map(|seed| search(stage, Wish { seed, ..wish(trials) }, prior, &mut |_| ()));
    Ok(each.into_iter().collect::<Result<_, _>>()?)
}

/// The same searches, each beginning with the trials of all other models.
pub fn curves(trials: usize, model: Option<&str>) -> Result<()> {
    println!(
        "## Searches that begin with the trials of all other models, at most {trials} trials, the middle of {} seeds\n",
        SEEDS.len()
    );
    head();
    let all = lessons()?;
    for (model, cluster) in pairs(model) {
        let (stage, began) = (stage(model, cluster)?, Instant::now());
        let prior = without(&all, |lesson| lesson.model == model);
        row(model, cluster, &searches(&stage, trials, &prior)?, began)?;
    }
    Ok(())
}

fn head() {
    println!(
        "| model | cluster | best builder ms | {} | found | trials | s |",
        AFTER.map(|k| format!("after {k}")).join(" | ")
    );
    println!("|:--|:--|--:|{}--:|--:|--:|", "--:|".repeat(AFTER.len()));
}

/// Seconds of the best of the first trials, over those of the best builder as confirmed.
fn row(model: &str, cluster: &str, found: &[Found], began: Instant) -> Result<()> {
    let built: Vec<f64> = found.iter().filter_map(|found| Some(found.best_builder()?.seconds.mid)).collect();
    ensure!(built.len() == found.len(), "a search without builders");
    let middle = |of: &dyn Fn(&Found) -> f64| {
        let shares = found.iter().zip(&built).map(|(found, built)| of(found) / built);
        Interval::of(shares.collect()).mid
    };
    let best =
        |k: usize, found: &Found| found.trials.iter().take(k).map(|trial| trial.seconds).fold(f64::INFINITY, f64::min);
    let cells = AFTER.map(|k| format!("{:.3}", middle(&|found| best(k, found)))).join(" | ");
    let last = middle(&|found| found.seconds.mid);
    let trials = Interval::of(found.iter().map(|found| found.trials.len() as f64).collect()).mid;
    let (milliseconds, seconds) = (1e3 * Interval::of(built.clone()).mid, began.elapsed().as_secs_f64());
    println!("| {model} | {cluster} | {milliseconds:.2} | {cells} | {last:.3} | {trials} | {seconds:.0} |");
    Ok(())
}

/// Every trial that [`keep`] has kept.
fn lessons() -> Result<Vec<Lesson>> {
    Lesson::read(&folder()?).context("keep trials first: --only trials")
}

fn without(lessons: &[Lesson], unseen: impl Fn(&Lesson) -> bool) -> Ranker {
    Ranker::from_others(&Lesson::alike(lessons.iter().filter(|lesson| !unseen(lesson))))
}

/// Pairs of random strategies in their real order: on paper, and by rankers that never saw the model, the cluster, or either. What
/// they learned from are random strategies too, those of the data set on the virtual clock, or the trials of other searches, which
/// know little but what is good.
pub fn unseen(model: Option<&str>) -> Result<()> {
    println!(
        "## Order of pairs of {SAMPLES} random lossless strategies that differ by more than {:.0} %\n",
        100.0 * MARGIN
    );
    println!(
        "| model | cluster | on paper | data set: unseen model | unseen cluster | neither seen | searches: unseen model | unseen cluster | neither seen | and after its own search |"
    );
    println!("|:--|:--|--:|--:|--:|--:|--:|--:|--:|--:|");
    let (drawn, searched) = (drawn()?, lessons()?);
    for (model, cluster) in pairs(model) {
        let stage = stage(model, cluster)?;
        let asked = random(&stage)?;
        let (is_model, is_cluster) =
            (|lesson: &Lesson| lesson.model == model, |lesson: &Lesson| lesson.cluster == cluster);
        let strangers = |lessons: &[Lesson]| {
            [
                without(lessons, is_model),
                without(lessons, is_cluster),
                without(lessons, |lesson| is_model(lesson) || is_cluster(lesson)),
            ]
        };
        let own = searched.iter().filter(|lesson| is_model(lesson) && is_cluster(lesson));
        let own: Vec<(Look, f64)> = own.map(|lesson| (lesson.look, lesson.seconds)).collect();
        let others = strangers(&searched);
        let after = others[0].taught(&own);
        let rankers = [vec![Ranker::default()], strangers(&drawn).into(), others.into(), vec![after]].concat();
        let cell =
            |ranker: &Ranker| ranker.accuracy(&asked, MARGIN).map_or("–".into(), |share| format!("{share:.3}"));
        println!("| {model} | {cluster} | {} |", rankers.iter().map(cell).collect::<Vec<_>>().join(" | "));
    }
    Ok(())
}

/// The rows of the data set that were played on the virtual clock.
fn drawn() -> Result<Vec<Lesson>> {
    let rows = file::read(&dataset::path()).context("the data set comes first: --only dataset")?;
    let lesson = |row: Row| Lesson {
        model: row.model,
        cluster: row.cluster,
        machines: row.machines,
        engine: row.engine,
        look: row.look,
        seconds: row.seconds,
    };
    Ok(rows.into_iter().filter(|row| row.engine == SIMULATED).map(lesson).collect())
}

fn random(stage: &Stage) -> Result<Vec<(Look, f64)>> {
    let mut judge = Judge::new(stage, Engine::Simulated, 1);
    let sample = |sample: u64| {
        let sketch = Sketch::sample(stage, true, &mut keyed(11, Purpose::Propose, 0, sample));
        let strategy = sketch.strategy(stage, "sampled");
        Ok((look(stage, &strategy)?, judge.trial(&strategy)?))
    };
    (0..SAMPLES).map(sample).collect()
}
