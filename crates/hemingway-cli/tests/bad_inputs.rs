//! Inputs that cannot be meant, and exactly what the program says of each: `tests/golden/bad-inputs.md`.
//!
//! Every message names the file and the line, or the field, and says what to do next; in JSON it is the same sentence.
//! After a change of what is said, look at what this makes, and commit it:
//! `HEMINGWAY_RENEW=1 cargo test -p hemingway-cli --test bad_inputs`.

#[path = "bad_inputs/cases.rs"]
mod cases;
mod common;
#[path = "bad_inputs/files.rs"]
mod files;

use std::path::Path;

use cases::{Case, SECTIONS};
use common::Desk;

/// What the program answered, as a row of the table, and what is wrong with that.
struct Answer {
    row: String,
    faults: Vec<String>,
}

/// What follows `error: `, which must be the same in both manners.
fn answer(desk: &Desk, case: &Case) -> Answer {
    let human = desk.run(case.command);
    let error = human.err.split_once("error: ").map_or("", |(_, error)| error).trim_end();
    let (json, code) = desk.json(case.command);
    let sound = [
        ("is no error", [1, 2].contains(&human.code)),
        ("prints data", human.out.is_empty()),
        ("answers otherwise in JSON", (json["error"].as_str().map(cell), code) == (Some(cell(error)), human.code)),
    ];
    let faults = sound.iter().filter(|(_, sound)| !sound).map(|(fault, _)| format!("`{}` {fault}", case.command));
    let cells = [cell(&files::told(case.input)), format!("`{}`", case.command), human.code.to_string(), cell(error)];
    Answer { faults: faults.collect(), row: format!("| {} |\n", cells.join(" | ")) }
}

/// What belongs into a cell of the table: usage is told by `--help`.
fn cell(text: &str) -> String {
    let told = text.split("\n\nUsage:").next().unwrap_or(text);
    let told = told.split("\n\nFor more information").next().unwrap_or(told);
    told.replace('|', "\\|").replace('\n', "<br>")
}

fn table() -> (String, Vec<String>) {
    let mut text = String::from(
        "# Bad inputs and what is said of them\n\nMade by `tests/bad_inputs.rs`, which runs each command and compares; \
         its head says how to renew this file.\n",
    );
    let mut faults = Vec::new();
    for (section, cases) in SECTIONS {
        text.push_str(&format!("\n## {section}\n\n| input | command | exit | error |\n|---|---|---|---|\n"));
        for case in *cases {
            // A desk each: what one command leaves behind is not what the next is asked about.
            let desk = Desk::new();
            files::lay_out(&desk);
            let answer = answer(&desk, case);
            text.push_str(&answer.row);
            faults.extend(answer.faults);
        }
    }
    (text, faults)
}

#[test]
fn every_bad_input_gets_the_answer_it_always_got() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden/bad-inputs.md");
    let (now, faults) = table();
    if std::env::var_os("HEMINGWAY_RENEW").is_some() {
        std::fs::write(&path, &now).expect("a writable tree");
    }
    let wanted = std::fs::read_to_string(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    for (now, wanted) in now.lines().zip(wanted.lines()) {
        assert_eq!(now, wanted);
    }
    assert_eq!(now.lines().count(), wanted.lines().count());
    assert_eq!(faults, [""; 0]);
}
