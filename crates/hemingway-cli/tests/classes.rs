//! More than two classes, from labels to predictions.

mod common;

use common::Desk;
use serde_json::Value;

const DATA: &str = "synth:multiclass,rows=300,columns=4,classes=3";

/// A desk with the data as `rows.svm`, its labels 10, 20 and 30.
fn desk() -> Desk {
    let desk = Desk::new();
    desk.ok(&format!("data synth {DATA} -o made.svm"));
    let relabelled = |line: &str| {
        let (label, rest) = line.split_once(' ').unwrap();
        format!("{} {rest}\n", 10.0 * (label.parse::<f64>().unwrap() + 1.0))
    };
    desk.write("rows.svm", &desk.read("made.svm").lines().map(relabelled).collect::<String>());
    desk
}

fn model(desk: &Desk, line: &str) -> Value {
    desk.ok(&format!("{line} --model m.json"));
    serde_json::from_str(&desk.read("m.json")).unwrap()
}

fn weights(model: &Value) -> Vec<f64> {
    model["weights"].as_array().unwrap().iter().map(|w| w.as_f64().unwrap()).collect()
}

fn numbers(text: &str) -> Vec<Vec<f64>> {
    text.lines().map(|line| line.split(' ').map(|word| word.parse().unwrap()).collect()).collect()
}

#[test]
fn several_labels_are_learned_together_and_it_says_so() {
    let desk = desk();
    let said = desk.ok("train rows.svm --reach 1e-4 --certified --model m.json");
    let told = format!("{}{}", said.out, said.err);
    assert!(told.contains("classes: softmax over 3 classes; --classes takes another way"), "{told}");
    assert!(told.contains("logistic loss, softmax over 3 classes"), "{told}");
    let labels = numbers(&desk.ok("predict m.json rows.svm --output quiet").out);
    let margins = numbers(&desk.ok("predict m.json rows.svm --margins --output quiet").out);
    let largest = |z: &Vec<f64>| (0..3).fold(0, |best, k| if z[k] > z[best] { k } else { best });
    let expected: Vec<Vec<f64>> = margins.iter().map(|z| vec![[10.0, 20.0, 30.0][largest(z)]]).collect();
    assert_eq!(labels, expected);
    let (listed, _) = desk.json("predict m.json rows.svm --margins");
    assert_eq!((listed["rows"].as_u64(), listed["margins"][7].as_array().map(Vec::len)), (Some(300), Some(3)));

    let (scored, _) = desk.json("score m.json rows.svm");
    let truth = desk.read("rows.svm");
    let right = truth.lines().zip(&labels).filter(|(line, label)| line.starts_with(&label[0].to_string())).count();
    assert_eq!(scored["metrics"]["accuracy"], right as f64 / 300.0);
    assert!(right > 200);
    desk.ok("explain last --replay");
}

/// Each class's weights are those of its own problem of two classes.
#[test]
fn one_against_the_rest_is_every_class_by_itself() {
    let desk = desk();
    for (loss, algorithm) in [("squared-hinge", "cocoa"), ("logistic", "newton"), ("smoothed-hinge", "lbfgs")] {
        let line = format!(
            "run rows.svm --loss {loss} --algorithm {algorithm} --machines 2 --l2 0.01 --reach 1e-10 --certified"
        );
        let together = weights(&model(&desk, &format!("{line} --classes one-vs-rest")));
        assert_eq!(together.len(), 12);
        for (k, label) in [10, 20, 30].into_iter().enumerate() {
            let alone = weights(&model(&desk, &format!("{line} --positive {label}")));
            let near = together[4 * k..].iter().zip(&alone).all(|(a, b)| (a - b).abs() < 1e-4);
            assert!(near, "{loss}, {label}: {together:?} {alone:?}");
        }
    }
    assert!(desk.ok("report last").out.contains("--positive 30"));
}

#[test]
fn accuracy_may_be_the_goal() {
    let desk = desk();
    desk.ok("data split rows.svm --test 0.3");
    let line = "train rows-train.svm --loss hinge --test rows-test.svm --reach-metric accuracy=0.6 --cluster laptop";
    let (summary, code) = desk.json(line);
    assert_eq!((code, summary["goal_met"].as_bool()), (0, Some(true)), "{summary}");
    assert!(desk.ok("report last").out.contains("hinge loss, one-vs-rest over 3 classes"));
    let (scored, _) = desk.json(&format!("score {} rows-test.svm", summary["run"].as_str().unwrap()));
    assert!(scored["metrics"]["accuracy"].as_f64().unwrap() >= 0.6, "{scored}");
}

/// Stopped by a cap and gone on with: the same model as without a stop.
#[test]
fn a_stopped_run_goes_on_to_the_same_model() {
    for line in ["--algorithm cocoa --loss hinge", "--algorithm newton"] {
        let desk = desk();
        let flags = format!("run rows.svm {line} --machines 3 --cluster spark-1gbit --rounds 12");
        let whole = weights(&model(&desk, &flags));
        let said = desk.run(&format!("{flags} --max-time 1"));
        assert_eq!(said.code, 3, "{}{}", said.out, said.err);
        let again = weights(&model(&desk, "run --resume last --max-time 1000"));
        assert_eq!(whole, again, "{line}");
    }
}

#[test]
fn what_cannot_be_meant_is_refused_with_what_can() {
    let desk = desk();
    desk.write("two.svm", "1 1:1\n-1 1:2\n1 1:3\n");
    desk.write("more.svm", "10 1:1\n40 1:2\n");
    let said = |line: &str| {
        let said = desk.run(line);
        assert_eq!(said.code, 2, "{line}: {}{}", said.out, said.err);
        said.err
    };
    let run = "run rows.svm --machines 1 --rounds 1";
    assert!(said(&format!("{run} --algorithm cocoa")).contains("cocoa does not take softmax of the logistic loss"));
    assert!(
        said(&format!("{run} --algorithm svrg --classes one-vs-rest")).contains("these do: gd, lbfgs, newton, cocoa")
    );
    assert!(said(&format!("{run} --algorithm cocoa --loss hinge --classes softmax")).contains("takes one-vs-rest"));
    assert!(said(&format!("{run} --algorithm gd --classes softmax --positive 10")).contains("two classes only"));
    assert!(said("run two.svm --machines 1 --rounds 1 --algorithm gd --classes softmax").contains("three or more"));
    let unknown = desk.run(&format!("{run} --algorithm gd --test more.svm"));
    assert!(unknown.code == 1 && unknown.err.contains("label 40 was not among those"), "{}", unknown.err);
}
