//! Files as people write them.

use super::*;
use crate::record::Point;
use crate::record::{Record, csv, traces};

fn read(name: &str, text: &str, metric: Option<&str>) -> Result<Vec<Trace>, String> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(name);
    fs::write(&path, text).unwrap();
    let metric = metric.map(|metric| metric.parse().unwrap());
    let shown = format!("{}/", folder.path().display());
    import(&[&path], metric.as_ref()).map_err(|error| error.to_string().replace(&shown, ""))
}

#[test]
fn repeated_measurements_are_traces_of_their_own() {
    let text = "# measured in May\ncontext,machines,fraction,seconds\nsgd,4,1.0,8.5\nsgd,4,1.0,8.7\nsgd,8,0.5,3\n";
    let traces = read("a.csv", text, None).unwrap();
    let seconds: Vec<_> = traces.iter().map(|trace| (trace.machines, trace.round_seconds())).collect();
    assert_eq!(seconds, [(4, vec![8.5]), (4, vec![8.7]), (8, vec![3.0])]);
    assert_eq!(traces[2].fraction, 0.5);
}

#[test]
fn rounds_that_start_over_begin_a_new_run() {
    let text = "algorithm,machines,rows,iteration,elapsed,objective\n\
        gd,2,50,1,0.5,3\ngd,2,50,2,1.0,2\ngd,2,50,1,0.6,3\ngd,4,100,1,0.3,3\n";
    let traces = read("a.csv", text, None).unwrap();
    let shape: Vec<_> = traces.iter().map(|t| (t.machines, t.points.len(), t.fresh, t.fraction)).collect();
    assert_eq!(shape, [(2, 2, true, 0.5), (2, 1, true, 0.5), (4, 1, true, 1.0)]);
}

#[test]
fn objectives_without_rounds_are_counted_and_seconds_add_up() {
    let text = "{\"algorithm\":\"gd\",\"machines\":2,\"seconds\":0.5,\"objective\":3}\n\n\
        {\"algorithm\":\"gd\",\"machines\":2,\"seconds\":0.25,\"objective\":null,\"lower_bound\":1}\n";
    let traces = read("a.jsonl", text, None).unwrap();
    assert_eq!(traces.len(), 1);
    let last = traces[0].points[1];
    assert_eq!(last, Point { round: 2, seconds: Some(0.75), objective: None, lower_bound: Some(1.0) });
}

#[test]
fn a_metric_takes_the_objectives_place() {
    let text = "context,machines,round,accuracy\nnet,1,1,0.75\nnet,1,2,0.875\n";
    let traces = read("a.csv", text, Some("accuracy:max")).unwrap();
    assert_eq!(traces[0].objectives().collect::<Vec<_>>(), [(1, 0.25), (2, 0.125)]);
    let error = read("a.csv", "context,machines,accuracy\nnet,1,75\n", Some("accuracy:max")).unwrap_err();
    assert_eq!(error, "a.csv:2: column `accuracy`: `:max` expects a share from 0 to 1, found 75");
    assert!("accuracy:min".parse::<Metric>().is_err());
}

#[test]
fn errors_name_file_line_and_column() {
    let cases = [
        ("context,machines,seconds\na,x,1\n", "a.csv:2: column `machines`: expected a number, found `x`"),
        ("context,machines,seconds\n#\na,0,1\n", "a.csv:3: column `machines`: expected at least 1, found 0"),
        ("context,machines,seconds\na,2,-1\n", "a.csv:2: column `seconds`: expected ≥ 0, found -1"),
        ("context,machines,seconds\na,2\n", "a.csv:2: expected 3 fields as in the header, found 2"),
        ("context,seconds\na,2\n", "a.csv:2: column `machines` is missing; found context, seconds"),
        (
            "context,machines\na,2\n",
            "a.csv:2: column `seconds`, `elapsed` or `objective` is missing; found context, machines",
        ),
        ("context,machines,seconds\n", "a.csv: no records: expected a header and at least one row"),
    ];
    for (text, expected) in cases {
        assert_eq!(read("a.csv", text, None).unwrap_err(), expected);
    }
    assert!(read("a.jsonl", "[1]\n", None).unwrap_err().starts_with("a.jsonl:1: expected one JSON object"));
}

#[test]
fn our_own_records_come_back_the_same_from_csv_and_from_a_journal() {
    let record = |round: u64, machines| Record {
        run: "r1".into(),
        problem: "p".into(),
        cluster: "local".into(),
        algorithm: "cocoa+".into(),
        machines,
        rows: 1000,
        fraction: 1.0,
        round,
        train_seconds: 0.1 * round as f64,
        objective: 1.0 / round as f64,
        lower_bound: (round > 1).then_some(0.1),
        ..Record::default()
    };
    let records = [record(1, 2), record(2, 2), record(3, 4), record(4, 4)];
    let mut text = Vec::new();
    csv::write(&mut text, &records).unwrap();
    let expected = traces(&records);
    assert_eq!(read("a.csv", &String::from_utf8(text).unwrap(), None).unwrap(), expected);
    let lines: Vec<_> = records.iter().map(|record| serde_json::to_string(record).unwrap()).collect();
    assert_eq!(read("a.jsonl", &lines.join("\n"), None).unwrap(), expected);
}

#[test]
fn runs_of_the_same_name_in_two_files_are_two_runs() {
    let folder = tempfile::tempdir().unwrap();
    let file = |name: &str, machines: usize| {
        let path = folder.path().join(name);
        let text = format!("run,algorithm,machines,round,objective\nr.1,gd,{machines},1,3\nr.1,gd,{machines},2,2\n");
        fs::write(&path, text).unwrap();
        path
    };
    let traces = import(&[file("a.csv", 4), file("b.csv", 16)], None).unwrap();
    assert!(traces.iter().all(|trace| trace.fresh));
    assert_ne!(traces[0].run, traces[1].run);
}
