//! Several clusters at once: which machines?

mod common;

use common::{Desk, assert_keys};
use serde_json::Value;

const JOB: &str = "synth:logistic,rows=2000,columns=20";
const HARD: &str = "synth:ill-conditioned,rows=400,columns=10 --l2 1e-7 --reach 1e-9 --certified --algorithms gd";
const BOTH: &str = "--cluster slow.toml --cluster fast.toml";

/// A cluster where a round takes so many milliseconds and a machine costs so much.
fn cluster(name: &str, per_round_ms: f64, price: f64) -> String {
    format!(
        "name = \"{name}\"\nmachines = 8\ncores_per_machine = 4\nmemory_gb = 16\nprice_per_hour = {price}\n\
         [compute]\nns_per_nonzero = 2.0\n\
         [network]\nlatency_us = 50\nbandwidth_gbit = 10\ncollective = \"tree\"\n\
         [overhead]\nper_round_ms = {per_round_ms}\nper_machine_ms = 0.1\n"
    )
}

/// One cluster is a hundred times as fast and ten thousand times as dear as the other.
fn desk() -> Desk {
    let desk = Desk::new();
    desk.write("slow.toml", &cluster("slow", 20.0, 0.001));
    desk.write("fast.toml", &cluster("fast", 0.2, 10.0));
    desk
}

fn number(value: &Value, key: &str) -> f64 {
    value[key].as_f64().unwrap_or_else(|| panic!("`{key}` is no number in {value:#}"))
}

/// Names of the clusters chosen.
fn chosen(answer: &Value) -> Vec<&str> {
    let clusters = answer["clusters"].as_array().expect("clusters");
    clusters.iter().filter(|one| one["chosen"] == true).filter_map(|one| one["cluster"].as_str()).collect()
}

fn journal(desk: &Desk, run: &str) -> Vec<Value> {
    let text = desk.read(format!("runs/{run}/journal.jsonl"));
    text.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect()
}

#[test]
fn a_plan_is_made_on_each_and_one_is_marked() {
    let desk = desk();
    let said = desk.ok(&format!("plan {JOB} --reach 1e-4 {BOTH}"));
    assert_eq!(said.out.matches('✔').count(), 1, "{}", said.out);
    let line = said.out.lines().find(|line| line.contains('✔')).expect("a choice");
    assert!(line.trim_start().starts_with("fast "), "{}", said.out);
    assert!(said.out.contains("Probing on 2 clusters took "), "{}", said.out);
    assert!(said.err.contains("cluster slow: up to 8 machines") && said.err.contains("cluster fast: "), "{}", said.err);
    let quiet = desk.ok(&format!("plan {JOB} --reach 1e-4 {BOTH} --output quiet")).out;
    assert!(quiet.trim_end().ends_with(" fast"), "{quiet}");
}

#[test]
fn training_goes_on_with_the_plan_of_the_best_and_counts_what_all_took() {
    let desk = desk();
    let (json, code) = desk.json(&format!("train {JOB} --reach 1e-4 {BOTH} --fixed --model m.json"));
    assert_eq!((code, chosen(&json), &json["run"]), (0, vec!["fast"], &Value::from("logistic-2")), "{json:#}");
    let clusters = json["clusters"].as_array().expect("clusters");
    for one in clusters {
        let keys = ["cluster", "run", "choice", "predicted_seconds", "predicted_dollars", "predicted_error", "chosen"];
        assert_keys(one, &keys);
        assert!(number(one, "probe_seconds") > 0.0, "{one:#}");
    }
    let probes: f64 = clusters.iter().map(|one| number(one, "probe_seconds")).sum();
    assert!((number(&json, "probe_seconds") - probes).abs() < 1e-9, "nothing is probed twice: {json:#}");
    assert!(number(&json, "wall_seconds") > clusters.iter().map(|one| number(one, "wall_seconds")).sum());
    assert!(desk.path("m.json").is_file());
    let (told, _) = desk.json("explain last --replay");
    assert_eq!((&told["run"], &told["replay"]["equal"]), (&json["run"], &Value::from(true)), "{told:#}");
    assert_eq!(told["clusters"], json["clusters"]);
}

#[test]
fn the_story_of_the_run_names_the_clusters() {
    let desk = desk();
    let said = desk.ok(&format!("train {JOB} --reach 1e-3 {BOTH}"));
    assert!(said.out.contains("fast, rather than slow"), "{}", said.out);
    assert_eq!(said.err.matches('✔').count(), 1, "{}", said.err);
    let told = desk.ok("explain last").out;
    assert!(told.contains("Clusters compared") && told.contains("plan  ") && told.contains("slow "), "{told}");
    let report = desk.ok("report last").out;
    assert!(report.contains("## Which cluster") && report.contains("plans on other clusters"), "{report}");
    let again = report.split("## Do it again").nth(1).expect("how to do it again");
    assert!(again.contains(BOTH) && again.contains("with this as fast.toml"), "{again}");
    let slow = again.split("with this as slow.toml:").nth(1).expect("the other file too");
    assert!(slow.contains("name = \"slow\""), "{again}");
    assert!(desk.ok("explain logistic-1").out.contains("only a plan was asked for"));
    std::fs::remove_dir_all(desk.path("runs/logistic-1")).expect("the plan on the other cluster");
    assert!(desk.ok("report last").out.contains("--cluster slow --cluster fast.toml"));
}

#[test]
fn what_a_plan_learns_is_remembered_on_the_next_cluster_unless_it_is_to_be_forgotten() {
    let desk = desk();
    let recalled = |run: &str| journal(&desk, run)[0]["facts"]["lore"]["traces"].as_array().expect("traces").len();
    desk.ok(&format!("train {JOB} --reach 1e-4 {BOTH} --forget"));
    assert_eq!((recalled("logistic-1"), recalled("logistic-2")), (0, 0));
    desk.ok("explain last --replay");
    std::fs::remove_dir_all(desk.path("runs")).expect("runs");
    desk.ok(&format!("train {JOB} --reach 1e-4 {BOTH}"));
    assert_eq!(recalled("logistic-1"), 0);
    assert!(recalled("logistic-2") > 0);
}

#[test]
fn money_decides_where_it_is_the_goal_or_runs_out() {
    let desk = desk();
    let (spent, code) = desk.json(&format!("train {JOB} --spend 6e-6 {BOTH}"));
    assert_eq!((code, chosen(&spent)), (0, vec!["slow"]), "{spent:#}");
    assert!(number(&spent, "dollars") < 1.2e-5, "{spent:#}");
    let said = desk.ok(&format!("train {JOB} --reach 1e-6 --algorithms gd --max-cost 3e-5 {BOTH} --forget"));
    assert!(said.err.contains("too dear") && said.out.contains("slow, rather than fast"), "{}\n{}", said.err, said.out);
    let (hurried, code) = desk.json(&format!("train {JOB} --within 0.5 {BOTH} --forget"));
    assert_eq!((code, chosen(&hurried)), (0, vec!["fast"]), "{hurried:#}");
    assert!(number(&hurried, "wall_seconds") <= 0.5 + 0.02, "one round more at most: {hurried:#}");
}

#[test]
fn every_cluster_is_foreseen_with_what_all_plans_leave() {
    let desk = desk();
    let (json, _) = desk.json(&format!("train {JOB} --within 0.5 {BOTH}"));
    let chosen = json["clusters"].as_array().and_then(|all| all.iter().find(|one| one["chosen"] == true));
    let chosen = chosen.expect("a choice");
    let events = journal(&desk, json["run"].as_str().expect("a run"));
    let compared = events.iter().position(|event| event["event"] == "compared").expect("a comparison");
    let begun = &events[compared + 1]["decision"];
    let candidates = begun["plan"]["candidates"].as_array().expect("a plan");
    let taken = candidates.iter().find(|one| one["config"] == begun["frame"]["config"]).expect("a candidate");
    assert_eq!((&chosen["choice"], &chosen["predicted_error"]), (&taken["config"], &taken["error_at_end"]));
}

#[test]
fn caps_cover_the_comparison() {
    let desk = desk();
    // The first leaves something for training, the second nothing for the second cluster.
    for (cap, clusters) in [(0.3, 2), (0.001, 1)] {
        let line = format!("train {HARD} --max-time {cap} {BOTH} --forget");
        let (json, code) = desk.json(&line);
        assert_eq!((code, &json["ending"]), (3, &Value::from("budget-spent")), "{json:#}");
        assert_eq!(json["clusters"].as_array().map(Vec::len), Some(clusters), "{json:#}");
        assert!(json["model"].is_string(), "{json:#}");
        let round_at_most = 0.05;
        assert!(number(&json, "wall_seconds") <= cap + round_at_most, "{json:#}");
    }
}

#[test]
fn clusters_that_cannot_be_compared_are_refused_by_the_name_of_their_file() {
    let desk = desk();
    desk.write("again.toml", &cluster("fast", 1.0, 1.0));
    desk.write("free.toml", &cluster("free", 1.0, 0.0));
    let refused = |line: &str| {
        let (json, code) = desk.json(&format!("train {JOB} {line}"));
        assert_eq!(code, 2, "{json:#}");
        json["error"].as_str().expect("an error").to_string()
    };
    let same = refused("--reach 1e-3 --cluster fast.toml --cluster again.toml");
    assert!(same.contains("fast.toml and again.toml both name their cluster `fast`"), "{same}");
    for dollars in ["--spend 1", "--reach 1e-3 --max-cost 1"] {
        let unpriced = refused(&format!("{dollars} --cluster fast.toml --cluster free.toml"));
        assert!(unpriced.contains("free.toml: the price_per_hour of free is 0"), "{unpriced}");
    }
    assert!(refused("--reach 1e-3 --cluster local --cluster fast.toml").contains("compare files only"));
    let few = refused(&format!("--reach 1e-3 --machines 1..9 {BOTH}"));
    assert!(few.contains("slow.toml has 8"), "{few}");
    let (json, code) = desk.json(&format!("run {JOB} --algorithm gd --machines 1 {BOTH}"));
    assert_eq!(code, 2);
    assert!(json["error"].as_str().is_some_and(|words| words.contains("cannot be used multiple times")), "{json}");
    assert!(!desk.path("runs").exists(), "nothing has run");
}

#[test]
fn a_run_chosen_among_clusters_resumes_as_itself() {
    let desk = desk();
    let (cut, code) = desk.json(&format!("train {HARD} --max-time 0.3 {BOTH}"));
    assert_eq!(code, 3, "{cut:#}");
    let run = cut["run"].as_str().expect("a run");
    let (done, _) = desk.json(&format!("train --resume {run} --max-time 0.35"));
    assert_eq!(done["clusters"], cut["clusters"]);
    assert!(number(&done, "wall_seconds") > number(&cut, "wall_seconds"), "{done:#}");
    assert_eq!(desk.json(&format!("explain {run} --replay")).0["replay"]["equal"], true);
}
