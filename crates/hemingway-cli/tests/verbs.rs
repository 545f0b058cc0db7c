//! Every verb, end to end.

mod common;

use common::{Desk, assert_keys};
use serde_json::Value;

const SMALL: &str = "synth:ill-conditioned,rows=400,columns=10";
const SVM: &str = "synth:svm,rows=300,columns=8";

#[test]
fn train_answers_with_the_keys_scripts_rely_on() {
    let desk = Desk::new();
    let (json, code) = desk.json(&format!("train {SMALL} --reach 1e-4 --model m.json --records r.csv"));
    assert_eq!(code, 0, "{json:#}");
    assert_keys(
        &json,
        &[
            "goal_met",
            "estimated_error",
            "certified_error",
            "objective",
            "choice",
            "predicted_seconds",
            "real_seconds",
            "probe_seconds",
            "wall_seconds",
            "switches",
            "model",
            "run",
        ],
    );
    assert_keys(&json["choice"], &["algorithm", "machines", "schedule", "sync"]);
    assert_eq!(json["goal_met"], true);
    assert_eq!(json["model"], "m.json");
    assert!(json["estimated_error"].as_f64().unwrap() <= 1e-4);
    assert!(desk.read("r.csv").starts_with("run,problem,cluster,algorithm,machines,rows,fraction,round,"));
    let (score, _) = desk.json(&format!("score m.json {SMALL}"));
    assert!(score["metrics"]["accuracy"].as_f64().unwrap() > 0.6, "{score}");
}

#[test]
fn a_path_is_solved_proved_and_chosen_from() {
    let desk = Desk::new();
    let lasso = "train synth:ridge,rows=80,columns=20 --l2 0 --path 12 --reach 1e-6";
    let (json, code) = desk.json(&format!("{lasso} --cross-validate 4 --model best.json --path-models all"));
    assert_eq!(code, 0, "{json:#}");
    assert_keys(&json, &["goal_met", "path", "chosen", "out_of_fold", "model", "wall_seconds"]);
    let path = json["path"].as_array().unwrap();
    assert_eq!((path.len(), &path[0]["nonzeros"]), (12, &Value::from(0)));
    for point in path {
        assert_keys(point, &["l1", "nonzeros", "objective", "gap", "seconds"]);
        assert!(point["gap"].as_f64().unwrap() <= 1e-6 * point["objective"].as_f64().unwrap(), "{point}");
    }
    let model: Value = serde_json::from_str(&desk.read("best.json")).unwrap();
    assert_eq!(model["l1"], json["chosen"]["l1"]);
    let said = desk.ok(&format!("{lasso} --path 20 --cross-validate 4").replace("--path 12 ", "")).out;
    for words in ["✔ chosen", "9 more with --all", "the smallest λ₁ of the path", "model: none is kept"] {
        assert!(said.contains(words), "{words} is missing in\n{said}");
    }
    let (score, code) = desk.json("score all/012.json synth:ridge,rows=80,columns=20");
    assert_eq!(code, 0, "{score:#}");
    for (flags, words) in [
        ("--within 5s", "its goal is --reach"),
        ("--cluster laptop", "--cluster: a path runs on threads"),
        ("--algorithms cocoa", "a path is solved by strads"),
        ("--loss absolute", "--path: a path needs a smooth loss, which absolute is not"),
        ("--engine mpi", "--engine: a path runs on threads"),
        ("--path-ratio 2", "--path-ratio: 2 is not between 0 and 1"),
        ("--l1 1e9", "--l1: a path ends at"),
        ("--cross-validate 4 --normalize columns", "a fold must see nothing"),
    ] {
        let lasso = if flags.starts_with("--within") { lasso.replace("--reach 1e-6", "") } else { lasso.into() };
        let (json, code) = desk.json(&format!("{lasso} {flags}"));
        assert!(code == 2 && json["error"].as_str().unwrap().contains(words), "{flags}: {json:#}");
    }
    for (data, words) in
        [("svm,rows=80,columns=5 --loss hinge", "smooth loss"), ("multiclass,rows=80,columns=4", "two classes")]
    {
        let (json, code) = desk.json(&format!("train synth:{data} --path 5 --reach 1e-4"));
        let error = json["error"].as_str().unwrap();
        assert!(code == 2 && error.starts_with("--path: ") && error.contains(words), "{data}: {json:#}");
    }
}

#[test]
fn a_path_claims_no_more_than_its_gaps_prove() {
    let desk = Desk::new();
    // So fine that rounding leaves most gaps open.
    let lasso = "train synth:logistic,rows=80,columns=40 --l2 0 --path 12 --reach 1e-14 --all";
    let (json, code) = desk.json(lasso);
    assert_eq!((code, &json["ending"]), (3, &Value::from("stalled")), "{json:#}");
    let path = json["path"].as_array().unwrap();
    let of = |point: &Value, key: &str| point[key].as_f64().unwrap();
    let worst = path.iter().map(|point| of(point, "gap") / of(point, "lower_bound")).fold(0.0, f64::max);
    assert_eq!(json["certified_error"], worst);
    let proved = path.iter().filter(|point| point["proved"] == true).count();
    let said = desk.run(lasso).out;
    assert!(said.contains(&format!("{proved} of 12 proved to 1e-14 of their optimum, the others to ")), "{said}");
    assert_eq!(said.matches(" only\n").count(), 12 - proved, "{said}");
    assert!(said.contains("next: rounding hides smaller gaps: --reach 1e-"), "{said}");

    let (json, code) = desk.json(&lasso.replace("1e-14", "1e-6"));
    assert!(code == 0 && of(&json, "certified_error") <= 1e-6, "{json:#}");
}

#[test]
fn a_plan_is_no_goal_met_and_a_budget_has_no_rounds_to_a_goal() {
    let desk = Desk::new();
    let plan = desk.ok(&format!("plan {SVM} --loss hinge --within 20ms --cluster cloud-25gbit"));
    let head = plan.out.lines().find(|line| line.contains("algorithm")).unwrap();
    assert!(head.contains("error at the end") && !head.contains("rounds to"), "{}", plan.out);
    let (json, code) = desk.json("runs show svm-1");
    assert_eq!((code, &json["ending"], &json["real_seconds"]), (0, &"planned".into(), &Value::Null), "{json:#}");
    assert!(desk.ok("explain svm-1").out.contains("It ended: planned."));
    assert!(desk.ok("runs").out.contains("finished: plan only"));
}

#[test]
fn strads_runs_by_the_schedule_asked_for_and_says_so() {
    let desk = Desk::new();
    let lasso = "synth:ridge,rows=60,columns=20 --l1 0.02 --l2 0 --machines 4 --reach 1e-4";
    for (way, named) in [("dynamic:block=2,rho=0.3", "dynamic"), ("cyclic:block=1", "cyclic")] {
        let (json, code) = desk.json(&format!("run {lasso} --algorithm strads --schedule {way} --model {named}.json"));
        assert_eq!(code, 0, "{json:#}");
        assert!(json["certified_error"].as_f64().unwrap() <= 1e-4, "{json:#}");
        let model: Value = serde_json::from_str(&desk.read(format!("{named}.json"))).unwrap();
        for choice in [&json["choice"], &model["provenance"]["choice"]] {
            assert!(choice["schedule"].get(named).is_some(), "{choice}");
        }
    }
    let (json, code) = desk.json(&format!("run {lasso} --algorithm gd --schedule dynamic"));
    assert_eq!(code, 2, "{json:#}");
    assert!(json["error"].as_str().unwrap().contains("--schedule: gd moves everything in every round"), "{json:#}");
}

#[test]
fn train_tells_people_goal_data_result_and_next() {
    let desk = Desk::new();
    let said = desk.ok(&format!("train {SVM} --loss hinge --reach 1e-2 --cluster laptop --algorithms cocoa,cocoa+"));
    let first = said.err.lines().next().unwrap();
    assert_eq!(first, "Goal: reach relative error 1e-2 as fast as possible");
    assert!(said.err.contains("300 × 8, 2,400 nonzeros") && said.err.contains("probe"), "{}", said.err);
    assert!(said.out.contains("goal met") && said.out.contains("virtual"), "{}", said.out);
    assert!(said.out.contains("hemingway explain svm-1"), "{}", said.out);
    assert!(!said.out.contains('\x1b') && !said.err.contains('\x1b'), "no colour without a terminal");
}

#[test]
fn plan_prints_a_table_with_one_choice() {
    let desk = Desk::new();
    let said = desk.ok(&format!("plan {SVM} --loss hinge --reach 1e-3 --cluster cloud-25gbit"));
    assert_eq!(said.out.matches('✔').count(), 1, "{}", said.out);
    assert!(said.out.contains("Basis:") && said.out.contains("virtual ms/round"), "{}", said.out);
    let rows = said.out.lines().filter(|line| line.contains("–") && !line.contains("interval")).count();
    assert!(rows <= 12, "{}", said.out);
    assert!(!desk.path("runs/svm-1/model.json").exists() || !said.out.contains("model"), "a plan trains nothing");
    let (json, code) = desk.json(&format!("plan {SVM} --loss hinge --within 10s --cluster cloud-25gbit --all"));
    assert_eq!(code, 0);
    assert_keys(&json, &["choice", "predicted_seconds", "candidates", "basis", "run", "probe_seconds"]);
    let quiet = desk.ok(&format!("plan {SVM} --loss hinge --reach 1e-3 --cluster laptop --output quiet"));
    assert_eq!(quiet.out.split_whitespace().count(), 2, "{}", quiet.out);
}

#[test]
fn run_takes_rounds_errors_times_and_metrics_as_goals() {
    let desk = Desk::new();
    let base = format!("run {SMALL} --algorithm lbfgs --machines 2 --cluster laptop");
    let (json, code) = desk.json(&format!("{base} --rounds 7"));
    assert_eq!((code, &json["rounds"]), (0, &Value::from(7)));
    assert_eq!(desk.json(&base).1, 0, "reaches 1e-3 if nothing else is said");
    let (json, code) = desk.json(&format!("{base} --reach 1e-5 --certified"));
    assert_eq!(code, 0);
    assert!(json["certified_error"].as_f64().unwrap() <= 1e-5);
    assert_eq!(desk.json(&format!("{base} --within 0.5")).1, 0);
    let (json, code) = desk.json(&format!("{base} --test {SMALL} --reach-metric accuracy=0.6"));
    assert_eq!(code, 0, "{json:#}");
}

#[test]
fn more_workers_than_cores_are_called_oversubscribed() {
    let desk = Desk::new();
    let said = desk.ok(&format!("run {SMALL} --algorithm gd --machines 300 --rounds 2"));
    assert!(said.err.contains("oversubscribed") && said.out.contains("oversubscribed"), "{}\n{}", said.err, said.out);
}

#[test]
fn fit_tells_of_the_slowest_rounds_and_of_phases() {
    let desk = Desk::new();
    for m in [2, 8] {
        let line = format!("run {SMALL} --algorithm cocoa+ --machines {m} --cluster laptop --rounds 40");
        desk.ok(&format!("{line} --records m{m}.csv"));
    }
    let said = desk.ok("fit m2.csv m8.csv");
    assert!(said.out.contains("p90") && said.out.contains("compute/wait/sync %"), "{}", said.out);
    let (fitted, _) = desk.json("fit m2.csv m8.csv");
    let quantiles = &fitted["contexts"][0]["machines"][0]["quantiles"];
    let mid = |name: &str| quantiles[name]["mid"].as_f64().unwrap();
    assert!(mid("p50") <= mid("p90") && mid("p90") <= mid("p99"), "{quantiles}");
    desk.write("plain.csv", "algorithm,machines,seconds\ngd,1,2\ngd,2,1.1\n");
    let said = desk.ok("fit plain.csv");
    assert!(!said.out.contains("p90") && !said.out.contains("compute"), "{}", said.out);
}

#[test]
fn fit_and_advise_learn_from_runs_files_and_what_fit_wrote() {
    let desk = Desk::new();
    for m in [1, 2, 4, 8] {
        let line = format!("run {SMALL} --algorithm cocoa+ --machines {m} --cluster cloud-25gbit --reach 1e-5");
        desk.ok(&format!("{line} --records m{m}.csv"));
    }
    let files = "m1.csv m2.csv m4.csv m8.csv";
    let said = desk.ok(&format!("fit {files} --targets 1e-2,1e-4 -o it.fit"));
    assert!(said.out.contains("cocoa+") && said.out.contains("rounds to 1e-4"), "{}", said.out);
    let (fitted, _) = desk.json(&format!("fit {files}"));
    let four = &fitted["contexts"][0]["machines"][2];
    assert_keys(&four["phases"], &["compute", "wait", "sync", "other"]);
    assert!(four["phases"]["compute"].as_f64() > Some(0.0) && four["phases"]["sync"].as_f64() > Some(0.0), "{four}");
    let (cross, code) = desk.json(&format!("fit {files} --cross-validate --targets 1e-2"));
    assert_eq!(code, 0);
    assert_keys(&cross, &["folds", "summary"]);
    let fold = &cross["folds"][0];
    assert_keys(fold, &["context", "machines", "quantity", "target", "low", "mid", "high", "real"]);
    let quantities: Vec<&str> =
        cross["folds"].as_array().unwrap().iter().filter_map(|f| f["quantity"].as_str()).collect();
    assert!(quantities.contains(&"seconds") && quantities.contains(&"rounds_to"));
    for source in [files, "it.fit", "ill-conditioned-1 ill-conditioned-2 ill-conditioned-3 ill-conditioned-4"] {
        let (advice, code) = desk.json(&format!("advise {source} --reach 1e-3"));
        assert_eq!(code, 0, "{source}: {advice:#}");
        assert_eq!(advice["choice"]["algorithm"], "cocoa+");
        let most =
            advice["candidates"].as_array().unwrap().iter().filter_map(|c| c["config"]["machines"].as_u64()).max();
        assert_eq!(most, Some(32), "four times the most seen");
    }
    for method in ["ours", "ernest", "lasso"] {
        desk.ok(&format!("fit {files} --method {method}"));
    }
    let said = desk.ok("advise it.fit --within 1s --machines 1..16");
    assert!(said.out.contains('·') && said.out.contains("error at the end"), "{}", said.out);
    let (advice, _) = desk.json("advise m1.csv m2.csv --spend $1 --cluster cloud-25gbit");
    assert!(advice["candidates"][0]["dollars"].is_object(), "{advice:#}");
}

#[test]
fn explain_tells_every_decision_and_replays_equal() {
    let desk = Desk::new();
    desk.run(&format!("train {SVM} --loss hinge --reach 1e-3 --cluster spark-1gbit --max-time 60"));
    let said = desk.ok("explain last --replay");
    assert!(said.out.contains("#1  probe") && said.out.contains("stop"), "{}", said.out);
    assert!(said.out.contains("Predicted against real") && said.out.contains("Replay: equal"), "{}", said.out);
    let (json, code) = desk.json("explain svm-1 --replay");
    assert_eq!(code, 0);
    assert_eq!(json["replay"]["equal"], true);
    assert_keys(&json["decisions"][0], &["number", "verb", "why", "config", "ending"]);
}

#[test]
fn a_journal_that_replays_differently_is_an_error() {
    let desk = Desk::new();
    desk.ok(&format!("run {SMALL} --algorithm gd --machines 1 --rounds 3 --cluster laptop"));
    let journal = desk.read("runs/ill-conditioned-1/journal.jsonl");
    desk.write("runs/ill-conditioned-1/journal.jsonl", &journal.replace("asked for by the user", "fancy"));
    let said = desk.run("explain last --replay");
    assert_eq!(said.code, 1, "{}", said.out);
    assert!(said.out.contains("different") && said.out.contains("fancy"), "{}", said.out);
}

#[test]
fn runs_are_listed_shown_and_exported() {
    let desk = Desk::new();
    assert!(desk.ok("runs").out.contains("No runs"));
    desk.ok(&format!("run {SMALL} --algorithm gd --machines 1 --rounds 3 --cluster laptop"));
    desk.ok(&format!("run {SVM} --algorithm cocoa --machines 2 --rounds 3 --cluster laptop"));
    let quiet = desk.ok("runs --output quiet");
    assert_eq!(quiet.out, "ill-conditioned-1\nsvm-1\n");
    let (list, _) = desk.json("runs");
    assert_eq!((list.as_array().unwrap().len(), &list[0]["status"]), (2, &Value::from("finished")));
    assert!(desk.ok("runs").out.contains("cocoa m=2"));
    assert!(desk.ok("runs show last").out.contains("seed 0"));
    desk.ok("runs export svm-1 -o svm.csv");
    assert_eq!(desk.ok("runs export svm-1").out, desk.read("svm.csv"));
    assert_eq!(desk.read("svm.csv").lines().count(), 5, "a head and rounds 0 to 3");
}

#[test]
fn data_is_made_described_converted_learnt_and_predicted() {
    let desk = Desk::new();
    desk.ok("data synth logistic,rows=200,columns=5 -o made.svm");
    let (info, _) = desk.json("data info made.svm");
    assert_eq!((&info["rows"], &info["columns"]), (&Value::from(200), &Value::from(5)));
    desk.ok("data convert made.svm again.svm");
    assert_eq!(desk.read("made.svm"), desk.read("again.svm"));
    desk.ok("run made.svm --algorithm lbfgs --machines 1 --model m.json");
    let labels = desk.ok("predict m.json made.svm").out;
    assert_eq!(labels.lines().count(), 200);
    assert!(labels.lines().all(|label| label == "1" || label == "-1"), "{labels}");
    desk.ok("predict made-1 made.svm --margins -o margins.txt");
    assert!(desk.read("margins.txt").lines().all(|line| line.parse::<f64>().is_ok()));
    let (score, _) = desk.json("score made-1 made.svm");
    assert!(score["metrics"]["accuracy"].as_f64().unwrap() > 0.5);
}

#[test]
fn doctor_measures_this_machine() {
    let desk = Desk::new();
    let (json, code) = desk.json("doctor -o here.toml");
    assert_eq!(code, 0);
    assert!(json["ns_per_nonzero"].as_f64().unwrap() > 0.0 && json["straggler_sigma"].as_f64().unwrap() >= 0.0);
    // What it wrote is a cluster like any other.
    let (plan, _) = desk.json(&format!("run {SVM} --algorithm cocoa+ --machines 1 --rounds 3 --cluster here.toml"));
    assert!(plan["real_seconds"].as_f64().is_some_and(|seconds| seconds > 0.0), "{plan}");
    assert_eq!(json["empty_round"].as_array().unwrap().len() as u64, json["cores"].as_u64().unwrap());
}

#[test]
fn the_same_seed_on_a_counted_clock_gives_the_same_records() {
    let desk = Desk::new();
    for name in ["a", "b"] {
        let job = format!("train {SVM} --loss hinge --reach 1e-3 --max-time 1 --cluster cloud-25gbit");
        desk.run(&format!("{job} --store {name} --records {name}.csv"));
    }
    assert_eq!(desk.read("a.csv"), desk.read("b.csv"));
    assert_eq!(desk.read("a/svm-1/model.json"), desk.read("b/svm-1/model.json"));
}

#[test]
fn every_verb_has_help_with_examples() {
    let desk = Desk::new();
    for verb in [
        "train", "plan", "run", "fit", "advise", "design", "explain", "report", "runs", "predict", "score", "data",
        "doctor",
    ] {
        let help = desk.ok(&format!("{verb} --help")).out;
        assert!(help.contains("Examples:") && help.contains(&format!("hemingway {verb}")), "{verb}: {help}");
    }
}
