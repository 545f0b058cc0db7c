//! Exit codes, errors, and going on after an interruption.

mod common;

use common::Desk;
use serde_json::Value;

const SMALL: &str = "synth:ill-conditioned,rows=400,columns=10";

#[test]
fn what_cannot_be_meant_is_usage() {
    let desk = Desk::new();
    let cases = [
        ("train", "DATA is missing"),
        ("train a b --reach 1e-3", "exactly one DATA"),
        ("train synth:svm", "the goal is missing"),
        ("train synth:svm --reach 1e-3 --within 5s", "cannot be used with"),
        ("train synth:svm --certified --within 5s", "--reach"),
        ("train synth:svm --reach -1", "--reach"),
        ("train synth:svm --reach 1e-3 --l1 -0.1", "--l1: -0.1 is not a strength"),
        ("run synth:svm --algorithm newton --machines 2 --l1 0.1", "newton does not take --l1; these do: gd, lbfgs"),
        ("train synth:svm --reach 1e-3 --machines 8..2", "--machines"),
        ("train synth:svm --reach 1e-3 --cluster nowhere", "neither a file nor one of"),
        ("train synth:svm --reach 1e-3 --algorithms sgd", "is not an algorithm"),
        ("train synth:svm --spend $2", "price_per_hour"),
        ("train synth:nonsense --reach 1e-3", "unknown kind"),
        ("train synth:svm --within soon", "5m"),
        ("train synth:svm --within -1", "--within"),
        ("train synth:svm --reach 1e-3 --max-time -1", "--max-time: must be above 0"),
        (
            "run synth:svm --algorithm cocoa --machines 2 --l2 0",
            "which needs --l2 above 0; these do: gd, lbfgs, newton",
        ),
        ("run synth:svm --machines 2", "--algorithm"),
        ("run synth:svm --algorithm gd --machines 0", "machine"),
        ("run synth:svm --algorithm cocoa --machines 2 --fraction 1.5", "--fraction"),
        ("run synth:svm --algorithm gd --machines 2 --loss hinge", "does not apply"),
        ("train synth:svm --test synth:svm --reach-metric f1=0.9", "accuracy, test_loss"),
        ("train synth:svm --reach 1e-3 --model no/where.json", "--model: there is no folder"),
        ("train --resume last --within 5", "cannot be used with"),
        ("run --resume last --algorithm gd", "cannot be used with"),
        ("run --resume last --eval-every 5", "cannot be used with"),
        ("advise x.csv", "the goal is missing"),
        ("fit", "RECORDS"),
        ("fly", "unrecognized"),
    ];
    for (line, words) in cases {
        let said = desk.run(line);
        assert_eq!(said.code, 2, "{line}: {}", said.err);
        assert!(said.err.contains(words), "{line}: {}", said.err);
        assert_eq!(said.out, "", "{line}");
        let (json, code) = desk.json(line);
        assert_eq!(code, 2, "{line}");
        assert!(json["error"].as_str().is_some_and(|error| error.contains(words)), "{line}: {json}");
    }
}

#[test]
fn bad_input_is_named_by_file_and_line() {
    let desk = Desk::new();
    desk.write("bad.svm", "1 1:2\n-1 1:x\n");
    desk.write("bad.csv", "algorithm,machines,seconds\ngd,1,0.1\ngd,none,0.1\n");
    desk.write("bad.toml", "name = \"x\"\nmachines = \"many\"\n");
    desk.write("bad.json", "{\n \"format\": 1\n}");
    desk.write("bad.fit", "{\"format\": \"hemingway-fit-1\"}");
    desk.write("empty.svm", "");
    let cases = [
        ("train bad.svm --reach 1e-3", "bad.svm:2:"),
        ("train missing.svm --reach 1e-3", "missing.svm"),
        ("train empty.svm --reach 1e-3", "empty.svm"),
        ("data info bad.svm", "bad.svm:2:"),
        ("fit bad.csv", "bad.csv:3:"),
        ("fit nothing", "nothing"),
        ("advise bad.fit --reach 1e-3", "bad.fit:1:"),
        ("train synth:svm --reach 1e-3 --cluster bad.toml", "bad.toml:2:"),
        ("score bad.json bad.svm", "bad.json:"),
        ("predict no-such-run bad.svm", "neither a model file nor a run"),
        ("explain no-such-run", "is no run"),
        ("run --resume no-such-run", "is no run"),
        ("runs show last", "no runs"),
    ];
    for (line, words) in cases {
        let said = desk.run(line);
        assert_eq!(said.code, 1, "{line}: {}", said.err);
        assert!(said.err.contains(words), "{line}: {}", said.err);
        let (json, code) = desk.json(line);
        assert_eq!(code, 1, "{line}");
        assert!(json["error"].as_str().is_some_and(|error| error.contains(words)), "{line}: {json}");
    }
}

#[test]
fn a_budget_spent_before_the_goal_exits_with_3_and_keeps_the_model() {
    let desk = Desk::new();
    let line = format!("run {SMALL} --algorithm gd --machines 1 --reach 1e-9 --max-time 0.01 --cluster laptop");
    let (json, code) = desk.json(&line);
    assert_eq!((code, &json["goal_met"]), (3, &Value::from(false)), "{json:#}");
    assert!(json["wall_seconds"].as_f64().unwrap() <= 0.01, "the cap is a promise");
    assert!(desk.path(json["model"].as_str().unwrap()).is_file());
    let line = format!("train {SMALL} --reach 1e-9 --max-time 0.01 --cluster laptop");
    let said = desk.run(&line);
    assert_eq!(said.code, 3, "{}", said.out);
    assert!(said.out.contains("budget spent before the goal"), "{}", said.out);
}

#[cfg(unix)]
#[test]
fn an_interrupted_run_says_how_to_go_on_and_does() {
    let desk = Desk::new();
    let job = "synth:svm,rows=2000,columns=40 --loss hinge --algorithm cocoa --machines 64 --reach 1e-9 --max-time 6";
    let line = format!("run {job} --cluster cloud-25gbit");
    let mut child = desk.command(&line).stdout(std::process::Stdio::piped()).spawn().expect("the program starts");
    let journal = desk.path("runs/svm-1/journal.jsonl");
    while std::fs::read_to_string(&journal).is_ok_and(|text| text.lines().count() < 50) || !journal.exists() {
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
    let pid = child.id().to_string();
    std::process::Command::new("kill").args(["-INT", &pid]).status().expect("kill");
    let status = child.wait().expect("it ends");
    assert_eq!(status.code(), Some(130));
    let mut out = String::new();
    std::io::Read::read_to_string(&mut child.stdout.take().unwrap(), &mut out).unwrap();
    assert!(out.contains("interrupted") && out.contains("hemingway run --resume svm-1"), "{out}");
    let before = desk.read("runs/svm-1/journal.jsonl");
    assert!(desk.ok("runs").out.contains("interrupted"));

    let (resumed, code) = desk.json("run --resume svm-1 --records resumed.csv");
    assert_eq!(code, 3, "{resumed:#}");
    assert!(desk.read("runs/svm-1/journal.jsonl").starts_with(&before), "nothing recorded is lost");
    let (whole, _) = desk.json(&format!("{line} --store whole --records whole.csv"));
    assert_eq!(desk.read("resumed.csv"), desk.read("whole.csv"));
    assert_eq!(resumed["wall_seconds"], whole["wall_seconds"]);
    assert_eq!(desk.read("runs/svm-1/model.json"), desk.read("whole/svm-1/model.json"));
    assert_eq!(desk.json("explain svm-1 --replay").0["replay"]["equal"], true);
    assert!(desk.run("run --resume svm-1").err.contains("already ended"));
    let refused = desk.run("plan --resume svm-1");
    assert_eq!(refused.code, 2, "{}", refused.err);
    assert!(refused.err.contains("was begun by `run`, which trains"), "{}", refused.err);
}

#[test]
fn the_environment_may_ask_for_json() {
    let desk = Desk::new();
    let output = desk.command("runs").env("HEMINGWAY_OUTPUT", "json").output().unwrap();
    assert_eq!(String::from_utf8_lossy(&output.stdout).trim(), "[]");
}

#[test]
fn a_line_that_names_several_manners_is_refused_in_json_if_it_is_among_them() {
    let desk = Desk::new();
    for line in ["runs --output quiet --output json", "runs --output=json --output human"] {
        let said = desk.run(line);
        assert_eq!((said.code, said.err.as_str()), (2, ""), "{line}");
        let error = serde_json::from_str::<Value>(&said.out).unwrap()["error"].clone();
        assert!(error.as_str().is_some_and(|error| error.contains("cannot be used multiple times")), "{error}");
    }
    assert!(desk.run("runs --output quiet --output human").out.is_empty());
}

#[test]
fn the_model_kept_is_the_one_that_meets_a_metric_goal() {
    let desk = Desk::new();
    for wanted in [0.90, 0.92, 0.93] {
        let said = desk.run(&format!(
            "run synth:svm,rows=1500 --test synth:svm,rows=1500,seed=0 --loss hinge --algorithm cocoa+ --machines 8 \
             --cluster laptop --reach-metric accuracy={wanted} --max-time 60"
        ));
        assert_eq!(said.code, 0, "{}", said.err);
        let scored = desk.run("score last synth:svm,rows=1500,seed=0 --output json");
        let accuracy = serde_json::from_str::<Value>(&scored.out).unwrap()["metrics"]["accuracy"].as_f64();
        assert!(accuracy.is_some_and(|seen| seen >= wanted), "{wanted}: {}", scored.out);
    }
}

#[test]
fn a_run_does_not_resume_on_other_data() {
    let desk = Desk::new();
    desk.run("data synth synth:svm,rows=300 -o d.libsvm");
    let said = desk.run("run d.libsvm --loss hinge --algorithm cocoa --machines 2 --cluster laptop --rounds 9");
    assert_eq!(said.code, 0, "{}", said.err);
    // As if it had been killed after a few rounds.
    let journal: Vec<String> = desk.read("runs/d-1/journal.jsonl").lines().take(5).map(String::from).collect();
    desk.write("runs/d-1/journal.jsonl", &(journal.join("\n") + "\n"));
    desk.run("data synth synth:svm,rows=300,seed=9 -o d.libsvm");
    let said = desk.run("run --resume last");
    assert_eq!(said.code, 1);
    assert!(said.err.contains("no longer the data"), "{}", said.err);
}

#[test]
fn a_budget_spent_on_loading_alone_is_not_met_but_leaves_a_model() {
    let desk = Desk::new();
    let (json, code) = desk.json("run synth:logistic --algorithm gd --machines 1 --within 1ms");
    assert_eq!((code, &json["rounds"]), (3, &Value::from(0)), "{json:#}");
    desk.ok("score last synth:logistic,rows=100");
}

#[test]
fn a_spent_run_goes_on_with_more_time() {
    let desk = Desk::new();
    let job = format!("run {SMALL} --algorithm gd --machines 2 --reach 1e-6 --cluster laptop");
    let (spent, code) = desk.json(&format!("{job} --max-time 50ms"));
    assert_eq!(code, 3, "{spent:#}");
    let run = spent["run"].as_str().unwrap();
    let before = desk.read(format!("runs/{run}/journal.jsonl"));
    assert!(desk.run(&format!("run --resume {run}")).err.contains("already ended"));

    let (done, code) = desk.json(&format!("run --resume {run} --max-time 10m"));
    assert_eq!(code, 0, "{done:#}");
    assert!(done["wall_seconds"].as_f64() > spent["wall_seconds"].as_f64());
    assert!(desk.read(format!("runs/{run}/journal.jsonl")).starts_with(&before), "nothing recorded is lost");
    assert_eq!(desk.json(&format!("explain {run} --replay")).0["replay"]["equal"], true);
}

#[test]
fn a_run_that_ran_away_can_be_explained() {
    let desk = Desk::new();
    desk.write("huge.libsvm", "1 1:1e160 2:1\n-1 1:-1e160 2:3\n1 1:1e150 2:1\n-1 2:1e155\n");
    let said = desk.run("run huge.libsvm --algorithm splash --machines 1 --loss squared --rounds 20");
    assert_eq!(said.code, 3, "{}", said.err);
    assert_eq!(desk.run("explain last --replay").code, 0);
}

#[test]
fn evaluation_is_named_where_it_takes_much() {
    let desk = Desk::new();
    let job = "run synth:logistic --algorithm cocoa+ --machines 8 --cluster hpc-200gbit --rounds 50";
    let time = |line: &str| {
        let out = desk.ok(line).out;
        out.lines().find(|line| line.starts_with("time")).expect("a time").to_string()
    };
    let each = time(job);
    assert!(each.contains("in evaluating (less with --eval-every 10)"), "{each}");
    let tenth = time(&format!("{job} --eval-every 10"));
    assert!(tenth.contains("in evaluating") && !tenth.contains("--eval-every"), "{tenth}");
    let seldom = time(&format!("{job} --eval-every 50"));
    assert!(!seldom.contains("evaluating"), "{seldom}");
}

#[test]
fn a_budget_is_told_with_the_error_that_it_was_predicted_to_end_at() {
    let desk = Desk::new();
    for budget in ["--within 0.2", "--spend 1e-4"] {
        let line = format!("train synth:power-law,rows=2000,columns=200 {budget} --cluster cloud-25gbit --forget");
        let out = desk.ok(&line).out;
        assert!(out.contains("; predicted error at the end ") && out.contains(", estimated "), "{out}");
    }
}
