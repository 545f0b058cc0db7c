//! A kill may come between any two writes. From every state that one can leave on disk, a job on the counted clock ends
//! exactly as if it had never been killed.

#[path = "common/training.rs"]
mod training;

use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;
use std::time::Instant;

use hemingway::backend::{Config, Ending};
use hemingway::goal::{Caps, Goal};
use hemingway::job::{Job, JobSpec, Mode};
use hemingway::record::journal::Event;
use hemingway::record::store::{RunDir, Store};
use hemingway::train::{Driver, Moment, Observer, replay};
use training::{CLOUD, SPARK, assert_best_model, folded, resume, spec};

/// Copies the run's directory at every moment, as a kill would leave it.
struct Camera {
    run: PathBuf,
    album: PathBuf,
    shots: usize,
}

impl Observer for Camera {
    fn notice(&mut self, _: Moment<'_>) {
        self.shots += 1;
        copy(&self.run, &self.album.join(self.shots.to_string()).join(self.run.file_name().unwrap()));
    }
}

fn copy(from: &Path, to: &Path) {
    std::fs::create_dir_all(to).unwrap();
    for entry in std::fs::read_dir(from).unwrap().map(Result::unwrap) {
        std::fs::copy(entry.path(), to.join(entry.file_name())).unwrap();
    }
}

/// A kill in the middle of an append, and of writing whatever else.
fn tear(run: &Path) {
    let journal = run.join("journal.jsonl");
    let text = std::fs::read(&journal).unwrap();
    let last = text[..text.len() - 1].iter().rposition(|b| *b == b'\n').map_or(0, |end| end + 1);
    std::fs::write(&journal, &text[..(last + text.len()) / 2]).unwrap();
    for name in ["best.partial", "model.json.partial"] {
        std::fs::write(run.join(name), "torn").unwrap();
    }
}

/// What happened, whenever and wherever it did.
fn story(dir: &RunDir) -> Vec<Event> {
    let told = dir.events().unwrap().into_iter().filter(|event| !matches!(event, Event::Resumed { .. }));
    told.map(|mut event| {
        match &mut event {
            Event::Started { at, .. } => *at = 0.0,
            Event::Finished { summary } => summary.model = None,
            _ => {}
        }
        event
    })
    .collect()
}

/// Runs the job with a camera; then goes on from every picture, whole and torn. Gives how its frames ended.
fn survives(spec: JobSpec) -> Vec<Ending> {
    let dir = tempfile::tempdir().unwrap();
    let job = spec.check().unwrap();
    let store = Store::at(dir.path().join("whole"));
    let stem = job.spec.data.trim_start_matches("synth:").split(',').next().unwrap();
    let run = dir.path().join("whole").join(format!("{stem}-1"));
    let mut camera = Camera { run: run.clone(), album: dir.path().join("album"), shots: 0 };
    let interrupted = AtomicBool::new(false);
    let summary = Driver::start(&job, &store, Instant::now(), &mut camera, &interrupted).unwrap().run().unwrap();
    // The end itself: all but the word that it has come.
    copy(&run, &camera.album.join("end").join(run.file_name().unwrap()));
    tear(&camera.album.join("end").join(run.file_name().unwrap()));

    let whole = store.find("last").unwrap();
    let shots: Vec<String> = (1..=camera.shots).map(|shot| shot.to_string()).chain(["end".into()]).collect();
    for shot in &shots {
        let place = camera.album.join(shot);
        let torn = place.join("torn");
        copy(&place.join(&whole.id), &torn.join(&whole.id));
        tear(&torn.join(&whole.id));
        for place in [place, torn] {
            goes_on(&job, &Store::at(&place).find(&whole.id).unwrap(), &whole, shot);
        }
    }
    let history = folded(&whole.events().unwrap());
    assert_best_model(&job, &summary, &history);
    history.past.iter().map(|past| past.ending).collect()
}

fn goes_on(job: &Job, killed: &RunDir, whole: &RunDir, shot: &str) {
    // Torn within its first line, a journal holds no job yet.
    let Ok([Event::Started { .. }, ..]) = killed.events().as_deref() else { return };
    resume(job, killed);
    let told = format!("{}, moment {shot}", job.spec.data);
    assert_eq!(story(killed), story(whole), "{told}");
    let model = |dir: &RunDir| std::fs::read_to_string(dir.model_path()).unwrap();
    assert_eq!(model(killed), model(whole), "{told}");
    assert!(replay(&killed.events().unwrap()).unwrap().differences.is_empty(), "{told}");
}

#[test]
fn a_job_that_probes_chooses_and_trains() {
    let goal = Goal::Reach { error: 1e-3, certified: true };
    let mode = Mode::Choose { adapt: true, plan_only: false };
    let spec = spec("synth:svm,rows=300,columns=10", goal, mode, CLOUD);
    let algorithms = Some(vec!["cocoa".into(), "cocoa+".into()]);
    let endings = survives(JobSpec { algorithms, machines: Some((2, 8)), ..spec });
    assert!(endings.len() > 3 && endings.contains(&Ending::GoalMet), "{endings:?}");
}

#[test]
fn a_job_cut_short_by_its_caps() {
    let mode = Mode::Choose { adapt: true, plan_only: false };
    let goal = Goal::Reach { error: 1e-9, certified: true };
    let spec = spec("synth:logistic,rows=200,columns=10", goal, mode, SPARK);
    let caps = Caps { seconds: Some(1.5), dollars: Some(0.002) };
    let endings = survives(JobSpec { caps, eval_every: 3, ..spec });
    assert_eq!(endings.last(), Some(&Ending::BudgetSpent));
}

#[test]
fn a_run_that_stalls() {
    let mode = Mode::Fixed(Config::new("gd", 2));
    let goal = Goal::Rounds { rounds: 300 };
    let endings = survives(spec("synth:logistic,rows=20,columns=2", goal, mode, CLOUD));
    assert_eq!(endings.last(), Some(&Ending::Stalled));
}
