//! Reports of runs that have ended, were stopped, or go on; most of a committed journal, whatever is decided today.

mod common;

use common::{Desk, assert_keys};
use roxmltree::{Document, ParsingOptions};
use serde_json::Value;

/// A run with a choice, prices and a prediction.
const RUN: &str = "power-law-1";
const JOURNAL: &str = include_str!("golden/power-law-1/journal.jsonl");
const SECTIONS: [&str; 6] = [
    "## The job",
    "## The choice",
    "## What happened",
    "## Where the time went",
    "## How sure the result is",
    "## Do it again",
];

/// A desk with that run on it.
fn told() -> Desk {
    let desk = Desk::new();
    std::fs::create_dir_all(desk.path("runs").join(RUN)).expect("a directory");
    rewrite(&desk, &events());
    desk
}

fn events() -> Vec<Value> {
    JOURNAL.lines().map(|line| serde_json::from_str(line).expect("an event")).collect()
}

fn rewrite(desk: &Desk, events: &[Value]) {
    let text: String = events.iter().map(|event| format!("{event}\n")).collect();
    desk.write(&format!("runs/{RUN}/journal.jsonl"), &text);
}

#[test]
fn markdown_tells_all_and_keeps_its_pictures_beside_it() {
    let desk = told();
    let text = desk.ok("report last").out;
    for wanted in SECTIONS.iter().chain(&["# power-law-1", "**Goal met.**", "What would change it", "Basis:"]) {
        assert!(text.contains(wanted), "{wanted} is missing in\n{text}");
    }
    assert!(text.contains("### Time against cost") && text.contains("## Predicted against real"), "{text}");
    assert!(!text.contains(".svg"), "stdout has nothing beside it");
    let plan = text.split("### What every candidate").nth(1).unwrap().split("###").next().unwrap();
    assert_eq!(plan.matches('✔').count(), 1, "{plan}");

    let said = desk.ok("report last -o told.md");
    assert_eq!(said.out, "");
    assert!(said.err.contains("told.md"), "{}", said.err);
    let linked = desk.read("told.md");
    for (link, words) in [("told.svg", "training, probes included"), ("told-cost.svg", "dollars to go")] {
        assert!(linked.contains(&format!("](<{link}>)")), "{linked}");
        assert!(desk.read(link).contains(words), "{link}");
    }
    assert_eq!(desk.ok("report last --output quiet -o told.md").out.trim(), "told.md");
}

#[test]
fn html_is_one_well_formed_page_that_needs_nothing_else() {
    let desk = told();
    desk.ok("report last -o told.html");
    let text = desk.read("told.html");
    let options = ParsingOptions { allow_dtd: true, ..ParsingOptions::default() };
    let page = Document::parse_with_options(&text, options).unwrap_or_else(|e| panic!("{e}\n{text}"));
    let count = |name: &str| page.descendants().filter(|node| node.tag_name().name() == name).count();
    assert_eq!((count("svg"), count("h1")), (2, 1));
    assert!(count("table") >= 4, "{text}");
    for foreign in ["script", "link", "img", "iframe", "object"] {
        assert_eq!(count(foreign), 0, "{foreign}");
    }
    let refers = |node: &roxmltree::Node<'_, '_>| node.attributes().any(|a| ["href", "src"].contains(&a.name()));
    assert!(!page.descendants().any(|node| refers(&node)) && !text.contains("url("), "it refers to something outside");
    assert!(text.contains("prefers-color-scheme: dark") && text.contains("@media print"));
    assert_eq!(desk.ok("report last --format html").out.trim_end(), text.trim_end());
}

#[test]
fn json_holds_the_choice_the_curve_and_the_spending() {
    let desk = told();
    let (json, code) = desk.json("report last");
    assert_eq!(code, 0);
    let keys =
        ["goal", "status", "choice", "plan", "frontier", "decisions", "switches", "course", "spending", "command"];
    assert_keys(&json, &keys);
    assert_keys(&json["choice"], &["chosen", "why", "runner_up", "lead", "changes", "would_change"]);
    assert!(json["choice"]["lead"].as_f64().unwrap() >= 1.0, "{:#}", json["choice"]);
    let stretches = json["course"]["stretches"].as_array().unwrap();
    let predicted = stretches.iter().find(|s| s["turns"] == true).expect("training begins")["predicted"].clone();
    assert_keys(&predicted[0], &["seconds", "low", "mid", "high", "extrapolated"]);
    for at in predicted.as_array().unwrap() {
        assert!(at["mid"].as_f64().unwrap() >= 1e-12 && at["low"].as_f64().unwrap() >= 1e-12, "{at}");
    }
    let turn = stretches.iter().find(|s| s["turns"] == true).unwrap();
    let later = turn["began"].as_f64().unwrap();
    let promised = turn["promised"]["mid"].as_f64().unwrap() - later;
    let told = json["choice"]["chosen"]["seconds"]["at"]["mid"].as_f64().unwrap();
    assert!((promised / told - 1.0).abs() < 1e-9, "{promised} {told}");
    assert_eq!(turn["unforetold"], Value::Null);
    assert_keys(&json["spending"], &["probes", "rehearsals", "training", "wall_seconds", "dollars"]);
    let real = stretches.last().unwrap()["real"].as_array().unwrap();
    let (last, told) = (real.last().unwrap()["error"].as_f64().unwrap(), json["estimated_error"].as_f64().unwrap());
    assert!((last / told - 1.0).abs() < 1e-6, "the curve ends where the text says: {last} {told}");
    assert_eq!(json["course"]["optimum"], json["optimum_low"]);
    let text = desk.ok("report last --format json").out;
    assert_eq!(serde_json::from_str::<Value>(&text).unwrap(), json);
}

#[test]
fn the_command_of_a_report_makes_the_same_run_again() {
    let desk = Desk::new();
    let cluster = include_str!("../../../clusters/cloud-25gbit.toml").replace("cloud-25gbit", "mine");
    desk.write("other-name.toml", &cluster);
    let job = "synth:svm,rows=300,columns=8 --loss hinge --l2 0.01 --seed 3 --eval-every 2 --max-time 50 --intercept";
    let lines = [
        format!("train {job} --reach 1e-2 --cluster other-name.toml --machines 1..4 --fixed --forget"),
        format!("run {job} --algorithm cocoa --machines 2 --rounds 20 --cluster laptop --normalize rows"),
    ];
    for line in lines {
        desk.run(&line);
        let (json, _) = desk.json("report last");
        let command = json["command"].as_str().unwrap();
        if command.contains("mine.toml") {
            let text = desk.ok("report last").out;
            let toml = text.split("```toml\n").nth(1).unwrap().split("```").next().unwrap().to_owned();
            desk.write("mine.toml", &toml);
        }
        desk.run(&format!("{} --store again", command.strip_prefix("hemingway ").unwrap()));
        let [first, second] = ["runs", "again"]
            .map(|store| desk.ok(&format!("runs export last --store {store}")).out.replace("svm-2", "svm-1"));
        assert_eq!(first, second, "{command}");
    }
}

#[test]
fn what_rested_on_nothing_is_made_again_in_a_store_that_remembers_it() {
    let desk = Desk::new();
    let export = || desk.ok("runs export last").out.replace("svm-2", "svm-1");
    desk.run("train synth:svm,rows=300,columns=8 --loss hinge --l2 0.01 --reach 1e-2 --cluster cloud-25gbit");
    let first = export();
    let command = desk.json("report last").0["command"].as_str().unwrap().to_owned();
    desk.run(command.strip_prefix("hemingway ").unwrap());
    assert_eq!(first, export(), "{command}");
}

#[test]
fn a_run_that_has_not_ended_is_told_as_far_as_it_got() {
    let desk = told();
    let whole = events();
    for (count, words) in [(1, "No round was completed"), (8, "Nothing has been chosen"), (whole.len() - 3, "--resume")]
    {
        rewrite(&desk, &whole[..count]);
        let text = desk.ok("report last").out;
        assert!(text.contains("**Killed before its end.**") && text.contains(words), "{count}: {text}");
        desk.ok("report last -o cut.html");
        desk.ok("explain last");
        assert_eq!(desk.json("report last").0["status"], "killed");
        assert_eq!(desk.json("runs").0[0]["status"], "killed");
    }
    let file = std::fs::File::open(desk.path("runs").join(RUN).join("journal.jsonl")).expect("a journal");
    file.lock().expect("a lock");
    assert!(desk.ok("report last").out.contains("**Still running.**"));
    assert!(desk.ok("explain last").out.contains("still running"));
    assert!(desk.ok("runs show last").out.contains("running"));
    drop(file);

    let mut stopped = whole;
    let summary = &mut stopped.last_mut().unwrap()["summary"];
    summary["ending"] = "interrupted".into();
    summary["goal_met"] = false.into();
    rewrite(&desk, &stopped);
    let text = desk.ok("report last").out;
    assert!(text.contains("**Interrupted.**") && text.contains("hemingway train --resume power-law-1"), "{text}");
    let (json, _) = desk.json(&format!("report {}", desk.path("runs").join(RUN).display()));
    assert_eq!(json["status"], "interrupted");
}

#[test]
fn each_sitting_of_a_resumed_run_has_its_own_rounds_and_seconds() {
    let desk = Desk::new();
    desk.ok(
        "run synth:svm,rows=300,columns=8 --loss hinge --algorithm cocoa --machines 2 --rounds 30 --cluster laptop",
    );
    let journal = "runs/svm-1/journal.jsonl";
    let events: Vec<Value> = desk.read(journal).lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let round = |event: &Value| event["event"] == "round";
    let mut stopped = Vec::new();
    for (rounds, event) in events.into_iter().enumerate() {
        // The job, its decision and the record before the first round come before it.
        let after = rounds.saturating_sub(2);
        let is_round = round(&event);
        stopped.push(event);
        if is_round && [7, 19].contains(&after) {
            stopped.extend(interruption());
        }
        // A kill leaves nothing but the word that it goes on.
        if is_round && after == 23 {
            stopped.push(serde_json::json!({ "event": "resumed", "at": 0.0 }));
        }
    }
    let text: String = stopped.iter().map(|event| format!("{event}\n")).collect();
    desk.write(journal, &text);

    let (told, _) = desk.json("explain last");
    let summary = &told["summary"];
    let frames: Vec<&Value> =
        told["decisions"].as_array().unwrap().iter().filter(|one| one["config"].is_object()).collect();
    let ends: Vec<_> = frames.iter().map(|one| (one["from_round"].as_u64(), one["to_round"].as_u64())).collect();
    assert_eq!(ends, [(Some(0), Some(7)), (Some(7), Some(19)), (Some(19), Some(30))], "{told:#}");
    let verbs: Vec<_> = frames.iter().map(|one| (one["number"].as_u64(), one["verb"].as_str().unwrap())).collect();
    assert_eq!(verbs, [(Some(1), "train"), (Some(1), "resume"), (Some(1), "resume")]);
    let seconds: f64 = frames.iter().map(|one| one["seconds"].as_f64().unwrap()).sum();
    let real = summary["real_seconds"].as_f64().unwrap();
    assert!((seconds / real - 1.0).abs() < 1e-9, "{seconds} {real}");
    let stops = told["decisions"].as_array().unwrap().iter().filter(|one| one["verb"] == "stop");
    assert!(stops.clone().count() == 3 && stops.clone().all(|one| one["seconds"] == 0.0), "{told:#}");
    assert!(desk.ok("explain last").out.contains("resume  cocoa m=2"), "{}", desk.ok("explain last").out);

    let spending = desk.json("report last").0["spending"]["training"].clone();
    assert_eq!(spending["rounds"], summary["rounds"]);
    assert!((spending["train_seconds"].as_f64().unwrap() / real - 1.0).abs() < 1e-9, "{spending:#}");
}

/// What the user's Ctrl-C and `--resume` leave in a journal.
fn interruption() -> [Value; 3] {
    let spent = serde_json::json!({ "wall_seconds": 0.0, "probe_seconds": 0.0, "dollars": null });
    let stop = serde_json::json!({ "do": "stop", "ending": "interrupted", "why": "interrupted", "plan": null });
    [
        serde_json::json!({ "event": "frame-ended", "run": "svm-1.1", "ending": "interrupted", "spent": spent }),
        serde_json::json!({ "event": "decided", "spent": spent, "decision": stop }),
        serde_json::json!({ "event": "resumed", "at": 0.0 }),
    ]
}

#[test]
fn runs_without_a_choice_say_why_there_was_none() {
    let desk = Desk::new();
    desk.ok("run synth:svm,rows=300,columns=8 --loss hinge --algorithm cocoa --machines 2 --rounds 12");
    let text = desk.ok("report last").out;
    let (json, _) = desk.json("report last");
    let stretch = &json["course"]["stretches"][0];
    assert!(stretch["predicted"].as_array().unwrap().is_empty(), "{stretch:#}");
    assert_eq!(stretch["unforetold"], "nothing was predicted of it");
    desk.ok("report last -o fixed.html");
    assert!(desk.read("fixed.html").contains("<figcaption>cocoa m=2: no band: nothing was predicted of it.</figcap"));
    assert!(text.contains("named by the user") && text.contains("loading and the rest"), "{text}");
    desk.ok("plan synth:svm,rows=300,columns=8 --loss hinge --within 2s --cluster laptop");
    let text = desk.ok("report last").out;
    assert!(text.contains("**Planned, not trained.**") && text.contains("the lowest error in the end"), "{text}");

    let desk = told();
    let events = events();
    let chosen = events.iter().position(|event| event["decision"]["plan"].is_object()).expect("a choice");
    let probes: Vec<Value> = events[..chosen].iter().chain(events.last()).cloned().collect();
    rewrite(&desk, &probes);
    assert!(desk.ok("report last").out.contains("A probe met the goal"));
}

#[test]
fn names_from_outside_stay_words() {
    let desk = Desk::new();
    desk.ok("data synth svm,rows=60,columns=3 -o made.svm");
    std::fs::rename(desk.path("made.svm"), desk.path("a_b|<i>_`c.svm")).expect("a file");
    desk.ok("run a_b|<i>_`c.svm --loss hinge --algorithm cocoa --machines 1 --rounds 3 --cluster laptop");
    let page = desk.ok("report last --format html").out;
    assert!(page.contains("a_b|&lt;i&gt;_`c.svm") && !page.contains("<i>"), "{page}");
    assert!(page.contains("'a_b|&lt;i&gt;_`c.svm'"), "the command quotes it");
}

#[test]
fn what_cannot_be_reported_is_an_error_that_says_what_to_do() {
    let desk = Desk::new();
    std::fs::create_dir_all(desk.path("runs/odd")).expect("a directory");
    desk.write("runs/odd/journal.jsonl", "{\"event\":\"resumed\",\"at\":1.0}\n");
    let cases = [
        ("report odd", 1, "runs/odd: the journal does not begin with a job"),
        ("report nothing", 1, "is no run"),
        ("report odd -o told.pdf", 2, "end it in .md, .html or .json"),
        ("report odd --format pdf", 2, "md, html, json"),
        ("report", 2, "RUN"),
    ];
    for (line, code, words) in cases {
        let said = desk.run(line);
        assert_eq!(said.code, code, "{line}: {}", said.err);
        assert!(said.err.contains(words), "{line}: {}", said.err);
    }
    desk.ok("run synth:svm,rows=60 --loss hinge --algorithm cocoa --machines 1 --rounds 2 --cluster laptop");
    let said = desk.run("report last -o no/where.html");
    assert_eq!(said.code, 2, "{}", said.err);
    assert!(said.err.contains("there is no folder no"), "{}", said.err);
}
