//! `--problem mf`: from ratings to recommendations.

mod common;

use common::{Desk, assert_keys};

const MADE: &str = "synth:ratings,users=150,items=60,ratings=3000,seed=3";

fn flags() -> String {
    format!("{MADE} --problem mf --rank 6 --test {MADE},part=test")
}

#[test]
fn a_measure_is_reached_and_the_run_can_be_told() {
    let desk = Desk::new();
    let (json, code) = desk.json(&format!("train {} --reach-metric rmse=0.85 -y", flags()));
    assert_eq!((code, &json["goal_met"]), (0, &true.into()), "{json:#}");
    assert_keys(&json, &["objective", "choice", "model", "run", "wall_seconds"]);
    assert!(json["certified_error"].is_null() && json["estimated_error"].is_null(), "nothing can be claimed: {json:#}");
    assert!(["als", "ccd++"].contains(&json["choice"]["algorithm"].as_str().unwrap()));
    let told = desk.ok("explain last --replay").out;
    assert!(told.contains("als") && told.contains("ccd++"), "{told}");
    assert!(desk.ok("report last").out.contains("factors of rank 6 with biases"));
    let scored = desk.json(&format!("score last {MADE},part=test")).0;
    assert!(scored["metrics"]["rmse"].as_f64().unwrap() <= 0.85, "{scored:#}");
}

#[test]
fn a_cluster_is_simulated_and_the_same_bits_come_of_it() {
    let desk = Desk::new();
    let run = |cluster: &str, algorithm: &str| {
        let made = format!("{MADE} --problem mf --rank 4 --algorithm {algorithm} --machines 3 --rounds 12");
        desk.json(&format!("run {made} --cluster {cluster}")).0["objective"].as_f64().unwrap().to_bits()
    };
    for algorithm in ["als", "als:cg=3", "ccd++"] {
        assert_eq!(run("local", algorithm), run("cloud-25gbit", algorithm), "{algorithm}");
    }
    let (plan, code) = desk.json(&format!("train {} --within 30s --cluster spark-1gbit -y", flags()));
    assert_eq!(code, 0, "{plan:#}");
}

#[test]
fn what_was_rated_is_not_recommended() {
    let desk = Desk::new();
    desk.write(
        "ratings.csv",
        "userId,movieId,rating\nann,Emma,5\nann,Dune,1\nbob,Emma,5\nbob,Lear,4\ncat,Dune,2\ncat,Emma,4\ncat,Lear,5\nann,Dune,2\n",
    );
    let run = "run ratings.csv --problem mf --rank 2 --algorithm als --machines 1 --rounds 20";
    let said = desk.ok(&format!("{run} --model model.json"));
    assert!(said.err.contains("1 of 8 ratings is of a pair rated before: the last counts"), "{}", said.err);
    let (json, _) = desk.json("recommend model.json --user ann");
    let items = json["items"].as_array().unwrap();
    assert_eq!((items.len(), &items[0]["item"]), (1, &"Lear".into()), "{json:#}");
    assert_eq!(desk.json("recommend model.json --user ann --seen").0["items"].as_array().unwrap().len(), 3);
    assert_eq!(desk.ok("recommend model.json --user cat --output quiet").out.trim(), "");
    let (stranger, _) = desk.json("recommend model.json --user dan --top 1");
    assert_eq!(stranger["items"].as_array().unwrap().len(), 1);
    assert!(stranger["notes"][0].as_str().unwrap().contains("was not trained on"), "{stranger:#}");

    desk.write("asked.csv", "user,item\nann,Lear\ndan,Emma\nann,Hamlet\ndan,Hamlet\n");
    let predicted = desk.json("predict model.json asked.csv").0;
    let predicted: Vec<f64> =
        predicted["predictions"].as_array().unwrap().iter().map(|p| p.as_f64().unwrap()).collect();
    assert!(predicted.iter().all(|rating| (2.0..=5.0).contains(rating)), "within the range of ratings: {predicted:?}");
    // Of a stranger and a strange item nothing is known but the mean, 27/7.
    assert!((predicted[3] - 27.0 / 7.0).abs() < 1e-12, "{predicted:?}");

    let said = desk.ok("model convert model.json factors.npz").out;
    assert!(said.starts_with("factors of ") && said.contains(" × ") && said.contains(" are in factors.npz"), "{said}");
    let arrays = std::fs::read(desk.path("factors.npz")).unwrap();
    let text = String::from_utf8_lossy(&arrays);
    for name in ["user_factors", "item_factors", "user_bias", "item_bias", "users", "items", "mean"] {
        assert!(text.contains(&format!("{name}.npy")), "{name} is missing");
    }
    let (refused, code) = desk.json("model convert model.json factors.onnx");
    assert!(code == 2 && refused["error"].to_string().contains(".npz"), "{refused:#}");
}

#[test]
fn implicit_feedback_is_measured_by_what_it_finds() {
    let desk = Desk::new();
    let (json, code) = desk.json(&format!("train {} --implicit --alpha 2 --reach-metric ndcg10=0.05 -y", flags()));
    assert_eq!(code, 0, "{json:#}");
    let metrics = &desk.json(&format!("score last {MADE},part=test")).0["metrics"];
    assert!(metrics["ndcg10"].as_f64().unwrap() >= 0.05, "{metrics:#}");
    let (json, code) = desk.json("recommend last --user nobody");
    assert!(code == 2 && json["error"].to_string().contains("not trained on"), "{json:#}");
}

#[test]
fn what_has_no_meaning_is_refused_in_words_that_help() {
    let desk = Desk::new();
    desk.write("ratings.csv", "1,1,2\n2,1,3\n");
    desk.write("negative.csv", "1,1,2\n2,1,-1\n");
    for (command, why) in [
        ("train ratings.csv --problem mf --reach 1e-3", "--reach-metric rmse=V"),
        ("train ratings.csv --problem mf --within 1s --l1 0.1", "means nothing with --problem mf"),
        ("train ratings.csv --problem mf --within 1s --loss hinge", "means nothing with --problem mf"),
        ("train ratings.csv --problem mf --within 1s --l2 0", "above 0"),
        ("train ratings.csv --problem mf --within 1s --rank 0", "from 1 to"),
        ("train ratings.csv --problem mf --within 1s --alpha 2", "goes with --implicit"),
        ("train ratings.csv --rank 3 --within 1s", "goes with --problem mf"),
        ("train ratings.csv --problem mf --within 1s --algorithms gd", "these do: als, ccd++"),
        ("run synth:ridge --algorithm als --machines 1 --rounds 3", "--problem mf"),
        ("train ratings.csv --problem mf --test ratings.csv --reach-metric accuracy=0.9", "there are mae, rmse"),
        ("run ratings.csv --problem mf --algorithm als:cg=0 --machines 1 --rounds 3", "als takes cg=STEPS"),
        ("train ratings.csv --problem mf --within 1s --model m.onnx", ".npz"),
        ("train synth:ridge --problem mf --within 1s", "synth:ratings"),
        ("train negative.csv --problem mf --implicit --within 1s", "negative.csv:2: -1 is below 0"),
        (
            "train ratings.csv --problem mf --within 1s --engine mpi --cluster laptop",
            "--engine: a --cluster is simulated",
        ),
        ("run ratings.csv --problem mf --algorithm ccd++:cg=3 --machines 1 --rounds 3", "ccd++ takes cuts=measured"),
        ("recommend ratings.csv --user 1", "is not a model file"),
    ] {
        let (json, code) = desk.json(command);
        assert!(code != 0 && json["error"].to_string().contains(why), "{command}: {code} {json:#}");
    }
}

#[test]
fn a_run_goes_on_where_it_was() {
    let desk = Desk::new();
    let run = format!("run {MADE} --problem mf --rank 4 --algorithm ccd++ --machines 2 --cluster cloud-25gbit");
    let whole = desk.json(&format!("{run} --rounds 40 --store whole")).0;
    let cut = desk.json(&format!("{run} --rounds 40 --max-cost 0.0000001 --store cut"));
    assert_eq!(cut.1, 3, "{:#}", cut.0);
    let resumed = desk.json("run --resume last --max-cost 100 --store cut").0;
    assert_eq!(whole["objective"], resumed["objective"], "{resumed:#}");
}

#[test]
fn what_is_done_with_a_file_is_said() {
    let desk = Desk::new();
    desk.write("u.data", "1\t1\t5\t881250949\n2\t1\t3\t891717742\n2\t2\t1\t878887116\n");
    desk.write("ratings.csv", "when,movieId,rating,userId\n9,1,5,1\n9,1,3,2\n9,2,1,2\n");
    desk.write("pairs.mtx", "%%MatrixMarket matrix coordinate pattern general\n2 2 3\n1 1\n2 1\n2 2\n");
    let run = |data: &str, more: &str| {
        desk.ok(&format!("run {data} --problem mf --algorithm als --machines 1 --rounds 4 {more}")).err
    };
    let said = run("u.data", "--rank 2");
    assert!(said.contains("columns 1, 2, 3 are taken for user, item and rating; 1 more is left out"), "{said}");
    let said = run("ratings.csv", "--rank 3");
    assert!(said.contains("columns `userId`, `movieId`, `rating` are taken"), "{said}");
    assert!(said.contains("--rank 3 is more than there are items (2): 2 would do as well"), "{said}");
    let said = run("pairs.mtx", "--rank 2");
    assert!(said.contains("each counts as 1") && said.contains("--implicit"), "{said}");
    let said = run("pairs.mtx", "--rank 2 --implicit --model model.json");
    assert!(!said.contains("note:"), "{said}");
    let notes = desk.json("score model.json pairs.mtx").0["notes"].to_string();
    assert!(notes.contains("3 of 3 ratings to measure on were trained on"), "{notes}");
}

#[test]
fn one_of_several_clusters_is_chosen_for_ratings_too() {
    let desk = Desk::new();
    let clusters = "--cluster spark-1gbit --cluster cloud-25gbit";
    let (json, code) = desk.json(&format!("train {} --reach-metric rmse=0.85 {clusters} -y", flags()));
    assert_eq!((code, &json["goal_met"]), (0, &true.into()), "{json:#}");
    let table = desk.ok(&format!("plan {} --reach-metric rmse=0.85 {clusters}", flags())).out;
    assert!(table.contains("virtual time to rmse 0.85") && !table.contains("error"), "{table}");
    let table = desk.ok(&format!("plan {} --within 30s {clusters}", flags())).out;
    assert!(table.contains("✔ lowest P") && !table.contains("error") && !table.contains("<1e-9"), "{table}");
}

#[test]
fn cuts_by_the_clock_of_a_simulated_cluster_repeat() {
    let desk = Desk::new();
    let run = |algorithm: &str| {
        let made = format!("{MADE} --problem mf --rank 4 --algorithm {algorithm} --machines 8 --rounds 40");
        desk.json(&format!("run {made} --cluster cloud-25gbit")).0
    };
    for algorithm in ["als:cuts=measured", "ccd++:cuts=measured"] {
        let (first, second) = (run(algorithm), run(algorithm));
        assert_eq!((&first["objective"], &first["train_seconds"]), (&second["objective"], &second["train_seconds"]));
        assert_eq!(first["choice"]["algorithm"], algorithm);
    }
}
