//! Does `train` meet its goal everywhere? Three problems on this machine's threads and on the four shipped clusters;
//! for each the choice, predicted against real seconds, and whether the claim is true by an independent P*.

use std::sync::atomic::AtomicBool;
use std::time::Instant;

use hemingway::cluster::Cluster;
use hemingway::data::{Normalize, Preparation};
use hemingway::goal::{Caps, Goal};
use hemingway::job::{JobSpec, Mode};
use hemingway::problem::Loss;
use hemingway::record::store::Store;
use hemingway::train::{Driver, Moment, Observer, Summary, replay};

/// P* of the logistic problems by scikit-learn (newton-cholesky, tol 1e-12), of MNIST by an independent implementation.
struct Case {
    name: &'static str,
    data: String,
    loss: Loss,
    l2: Option<f64>,
    preparation: Preparation,
    error: f64,
    optimum: f64,
}

struct Quiet;

impl Observer for Quiet {
    fn notice(&mut self, moment: Moment<'_>) {
        if std::env::var_os("VERBOSE").is_some()
            && let Moment::Decided(decision) = moment
        {
            match decision {
                hemingway::train::Decision::Run { frame, purpose, why, .. } => {
                    println!("    {purpose:?} {} until {}: {why}", frame.config, frame.until_round);
                }
                hemingway::train::Decision::Rehearse { script, why } => {
                    println!("    rehearse {} on {} rows: {why}", script.algorithms.join(", "), script.rows);
                }
                hemingway::train::Decision::Stop { ending, why, .. } => println!("    stop {ending:?}: {why}"),
            }
        }
    }
}

fn cases() -> anyhow::Result<Vec<Case>> {
    let data = hemingway_bench::data_dir()?;
    let at = |path: &str| data.join(path).display().to_string();
    let plain = Preparation::default();
    let mnist = Preparation { normalize: Some(Normalize::Rows), positive: Some(5.0), ..Preparation::default() };
    Ok(vec![
        Case {
            name: "synth:logistic",
            data: "synth:logistic".into(),
            loss: Loss::Logistic,
            l2: None,
            preparation: plain,
            error: 1e-3,
            optimum: 0.595_668_515_123_875_5,
        },
        Case {
            name: "a9a",
            data: at("a9a/a9a.libsvm.gz"),
            loss: Loss::Logistic,
            l2: None,
            preparation: plain,
            error: 1e-3,
            optimum: 0.323_379_582_464_847_44,
        },
        Case {
            name: "mnist 5 vs rest",
            data: at("mnist/train-images-idx3-ubyte.gz"),
            loss: Loss::Hinge,
            l2: Some(3e-5),
            preparation: mnist,
            error: 1e-2,
            optimum: 0.089_680_1,
        },
    ])
}

fn clusters() -> anyhow::Result<Vec<Option<Cluster>>> {
    let folder = std::path::Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../clusters"));
    let mut clusters = vec![None];
    for name in ["laptop", "spark-1gbit", "cloud-25gbit", "hpc-200gbit"] {
        clusters.push(Some(Cluster::read(&folder.join(format!("{name}.toml")))?));
    }
    Ok(clusters)
}

fn train(case: &Case, cluster: Option<Cluster>, store: &Store) -> anyhow::Result<(Summary, usize)> {
    let spec = JobSpec {
        factors: None,
        data: case.data.clone(),
        labels: Default::default(),
        weights: Default::default(),
        class_weight: None,
        loss: Some(case.loss),
        l2: case.l2,
        l1: 0.0,
        fraction: None,
        preparation: case.preparation,
        cluster,
        machines: None,
        algorithms: None,
        test: None,
        seed: 0,
        goal: Goal::Reach { error: case.error, certified: false },
        caps: Caps { seconds: Some(600.0), dollars: None },
        eval_every: 1,
        mode: Mode::Choose { adapt: true, plan_only: false },
        sync: None,
        forget: true,
    };
    let job = spec.check()?;
    let interrupted = AtomicBool::new(false);
    let mut observer = Quiet;
    let summary = Driver::start(&job, store, Instant::now(), &mut observer, &interrupted)?.run()?;
    let again = replay(&store.find(&summary.run)?.events()?)?;
    Ok((summary, again.differences.len()))
}

fn main() -> anyhow::Result<()> {
    let folder = std::env::temp_dir().join(format!("hemingway-train-matrix-{}", std::process::id()));
    let store = Store::at(&folder);
    println!(
        "{:<16} {:<13} {:<20} {:>4} {:>9} {:>9} {:>9} {:>9} {:>9} {:>9} {:>3} {:>7}  replay",
        "problem",
        "cluster",
        "choice",
        "met",
        "true err",
        "est err",
        "cert err",
        "predicted",
        "real s",
        "probe s",
        "sw",
        "rounds"
    );
    for case in cases()? {
        for cluster in clusters()? {
            let name = cluster.as_ref().map_or("local", |c| c.name.as_str()).to_string();
            let (summary, differences) = train(&case, cluster, &store)?;
            let show = |v: Option<f64>| v.map_or("—".into(), |v| format!("{v:.2e}"));
            let true_error = summary.objective.map(|p| (p - case.optimum) / case.optimum);
            println!(
                "{:<16} {:<13} {:<20} {:>4} {:>9} {:>9} {:>9} {:>9} {:>9.3} {:>9.3} {:>3} {:>7}  {}",
                case.name,
                name,
                summary.choice.as_ref().map_or("—".into(), ToString::to_string),
                if summary.goal_met { "yes" } else { "NO" },
                show(true_error),
                show(summary.estimated_error),
                show(summary.certified_error),
                summary.predicted_seconds.map_or("—".into(), |p| format!("{:.3}", p.mid)),
                summary.real_seconds,
                summary.probe_seconds,
                summary.switches.len(),
                summary.rounds,
                if differences == 0 { "equal" } else { "DIFFERENT" },
            );
        }
    }
    std::fs::remove_dir_all(&folder)?;
    Ok(())
}
