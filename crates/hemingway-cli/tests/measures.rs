//! `advise` for a measure such as accuracy, from records that hold it.

mod common;

use common::Desk;

/// Accuracy that rises to 0.95, one second a round, more slowly the more machines there are.
fn records() -> String {
    let mut text = String::from("algorithm,machines,round,seconds,accuracy\n");
    for machines in [1, 2, 4] {
        for round in 1..=120 {
            let accuracy = 0.95 - 0.45 * (1.0 - 0.5 / f64::from(machines)).powi(round);
            text.push_str(&format!("sgd,{machines},{round},1,{accuracy}\n"));
        }
    }
    text
}

#[test]
fn a_measure_is_a_goal_when_the_records_hold_it() {
    let desk = Desk::new();
    desk.write("runs.csv", &records());
    let (json, code) = desk.json("advise runs.csv --reach-metric accuracy=0.90");
    assert_eq!(code, 0, "{json:#}");
    // One machine is down to 0.05 above the best when 0.45·0.5ⁱ = 0.05, in the fourth round.
    assert_eq!((&json["choice"]["algorithm"], &json["choice"]["machines"]), (&"sgd".into(), &1.into()));
    let seconds = json["predicted_seconds"]["mid"].as_f64().unwrap();
    assert!((3.0..=5.0).contains(&seconds), "{json:#}");
    let (named, _) = desk.json("advise runs.csv --reach-metric accuracy=0.90 --metric accuracy:max");
    assert_eq!(named, json);
}

#[test]
fn measures_out_of_sight_unknown_or_at_odds_are_refused() {
    let desk = Desk::new();
    desk.write("runs.csv", &records());
    desk.ok("fit runs.csv --metric accuracy:max -o models.json");
    for (command, why) in [
        ("advise runs.csv --reach-metric accuracy=0.99", "out of sight"),
        ("advise runs.csv --reach-metric recall=0.9", "recall"),
        ("advise runs.csv --reach-metric accuracy=0.9 --metric rmse", "name one"),
        ("advise models.json --reach-metric accuracy=0.9", "name the records"),
    ] {
        let (json, code) = desk.json(command);
        let error = json["error"].to_string();
        assert!(code != 0 && error.contains(why), "{command}: {code} {json:#}");
    }
}

#[test]
fn records_are_never_written_over_and_slips_are_told() {
    let desk = Desk::new();
    desk.write("runs.csv", &records());
    desk.write("odd.svg", &records());
    let clustered: String = records()
        .lines()
        .map(|line| format!("{line},{}\n", if line.starts_with("alg") { "cluster" } else { "here" }))
        .collect();
    desk.write("named.csv", &clustered);
    for (command, why) in [
        ("fit runs.csv -o runs.csv", "name another file"),
        ("advise odd.svg --reach-metric accuracy=0.9 --plot odd.svg", "name another file"),
        ("fit named.csv --cluster hear", "they hold times of here"),
        ("advise runs.csv --reach 1e-2", "--metric"),
        ("fit runs.csv --cross-validate -o models.json", "--cross-validate"),
    ] {
        let (json, code) = desk.json(command);
        assert!(code != 0 && json["error"].to_string().contains(why), "{command}: {code} {json:#}");
    }
    assert_eq!((desk.read("runs.csv"), desk.read("odd.svg")), (records(), records()));
}
