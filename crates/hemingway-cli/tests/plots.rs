//! Pictures of fits, plans and runs.

mod common;

use common::Desk;
use roxmltree::Document;

const SVM: &str = "synth:svm,rows=300,columns=8";

/// The words of a picture, which must be a well-formed document without a coordinate that is no number.
fn words(svg: &str) -> Vec<String> {
    let document = Document::parse(svg).unwrap_or_else(|e| panic!("{e}\n{svg}"));
    for node in document.descendants() {
        for attribute in node.attributes().filter(|attribute| ["d", "x", "y", "cx", "cy"].contains(&attribute.name())) {
            assert!(!attribute.value().contains("NaN") && !attribute.value().contains("inf"), "{}", attribute.value());
        }
    }
    let texts = document.descendants().filter(|node| node.has_tag_name("text"));
    texts.filter_map(|node| node.text().map(str::to_owned)).collect()
}

fn has(words: &[String], wanted: &str) -> bool {
    words.iter().any(|word| word.contains(wanted))
}

#[test]
fn fit_draws_each_context_by_itself_or_all_in_one_file() {
    let desk = Desk::new();
    for m in [1, 2, 4] {
        for algorithm in ["cocoa", "cocoa+"] {
            let line = format!("run {SVM} --loss hinge --algorithm {algorithm} --machines {m} --cluster cloud-25gbit");
            desk.ok(&format!("{line} --rounds 20 --records {algorithm}-{m}.csv"));
        }
    }
    let files = "cocoa-1.csv cocoa-2.csv cocoa-4.csv cocoa+-1.csv cocoa+-2.csv cocoa+-4.csv";
    let said = desk.ok(&format!("fit {files} --plot pictures/deep"));
    assert!(said.err.contains("pictures/deep/cocoa+.svg"), "{}", said.err);
    let one = words(&desk.read("pictures/deep/cocoa+.svg"));
    for wanted in ["f: a round", "g: error after i", "h: error after t", "per round", "m = 1", "m = 4", "90 % interval"]
    {
        assert!(has(&one, wanted), "{wanted} is missing in {one:?}");
    }
    desk.ok(&format!("fit {files} --plot all.svg"));
    let all = words(&desk.read("all.svg"));
    assert!(has(&all, "cocoa: f") && has(&all, "cocoa+: h"), "{all:?}");
    let (json, _) = desk.json(&format!("fit {files} --plot all.svg"));
    assert_eq!(json["plots"][0], "all.svg");
    let first = desk.read("all.svg");
    desk.ok(&format!("fit {files} --plot all.svg"));
    assert_eq!(first, desk.read("all.svg"), "the same records give the same picture");
}

#[test]
fn records_that_say_little_are_drawn_as_far_as_they_go() {
    let desk = Desk::new();
    let cases = [
        ("one point", "algorithm,machines,round,seconds,objective\ngd,4,1,0.5,0.7\n"),
        ("times only", "algorithm,machines,seconds\na/b <c>,1,2\na/b <c>,2,1.2\n"),
        ("one m, flat", "algorithm,machines,round,seconds,objective\ngd,4,1,0.5,1\ngd,4,2,0.5,1\ngd,4,3,0.5,1\n"),
        ("objectives only", "algorithm,machines,round,objective\ngd,4,1,1\ngd,4,2,0.5\ngd,4,3,0.3\ngd,4,4,0.2\n"),
    ];
    for (name, records) in cases {
        desk.write("records.csv", records);
        desk.ok("fit records.csv --plot picture.svg");
        assert!(!words(&desk.read("picture.svg")).is_empty(), "{name}");
    }
    desk.write("records.csv", cases[1].1);
    desk.ok("fit records.csv --plot folder");
    assert!(has(&words(&desk.read("folder/a-b--c-.svg")), "a/b <c>"));
}

#[test]
fn advice_is_drawn_with_its_choice() {
    let desk = Desk::new();
    for m in [1, 4] {
        let line =
            format!("run {SVM} --loss hinge --algorithm cocoa --machines {m} --cluster cloud-25gbit --rounds 30");
        desk.ok(&format!("{line} --records m{m}.csv"));
    }
    for (goal, axis) in [("--reach 1e-2", "to error 1e-2"), ("--within 1s", "error when the budget is spent")] {
        let said = desk.ok(&format!("advise m1.csv m4.csv {goal} --plot advice.svg"));
        assert!(said.err.contains("advice.svg"), "{}", said.err);
        let words = words(&desk.read("advice.svg"));
        assert!(has(&words, axis) && has(&words, "the choice: cocoa m=") && has(&words, "machines"), "{words:?}");
        assert!(desk.read("advice.svg").contains("<circle"), "the choice is ringed");
    }
}

#[test]
fn a_run_is_drawn_with_what_was_promised_of_it() {
    let desk = Desk::new();
    desk.run(&format!("train {SVM} --loss hinge --reach 1e-3 --cluster cloud-25gbit --max-time 60"));
    let said = desk.ok("explain last --plot run.svg");
    assert!(said.err.contains("run.svg"), "{}", said.err);
    let told = words(&desk.read("run.svg"));
    for wanted in ["svm-1", "train ", "goal 1e-3", "probe", "as promised", "virtual"] {
        assert!(has(&told, wanted), "{wanted} is missing in {told:?}");
    }
    desk.ok(&format!("run {SVM} --loss hinge --algorithm cocoa --machines 1 --rounds 1 --cluster laptop"));
    desk.ok("explain last --plot short.svg");
    assert!(has(&words(&desk.read("short.svg")), "cocoa m=1"));
}

#[test]
fn a_picture_that_cannot_be_written_is_an_error_that_names_its_path() {
    let desk = Desk::new();
    desk.write("records.csv", "algorithm,machines,round,seconds,objective\ngd,4,1,0.5,0.7\ngd,4,2,0.5,0.6\n");
    let said = desk.run("fit records.csv --plot no/where.svg");
    assert_eq!(said.code, 2, "{}", said.err);
    assert!(said.err.contains("there is no folder no"), "{}", said.err);
    let said = desk.run("fit records.csv --plot records.csv/folder");
    assert_eq!(said.code, 1, "{}", said.err);
    assert!(said.err.contains("records.csv"), "{}", said.err);
    std::fs::create_dir(desk.path("folder.svg")).expect("a folder");
    let said = desk.run("advise records.csv --reach 1e-2 --plot folder.svg");
    assert_eq!(said.code, 1, "{}", said.err);
    assert!(said.err.contains("folder.svg"), "{}", said.err);
    for line in
        ["fit records.csv --plot x.png", "advise records.csv --reach 1e-2 --plot x.png", "explain last --plot x.png"]
    {
        let said = desk.run(line);
        assert_eq!(said.code, 2, "{line}: {}", said.err);
        assert!(said.err.contains("x.png") && said.err.contains("end the file's name in .svg"), "{line}: {}", said.err);
        assert!(!desk.path("x.png").exists(), "{line}");
    }
    assert_eq!(desk.run("fit records.csv --plot x.svg --cross-validate").code, 2);
}
