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
        (
            "context,machines,seconds\n#\na,0,1\n",
            "a.csv:3: column `machines`: expected at least 1 and at most 1048576, found 0",
        ),
        ("context,machines,seconds\na,2,-1\n", "a.csv:2: column `seconds`: expected ≥ 0, found -1"),
        ("context,machines,seconds\na,2\n", "a.csv:2: expected 3 fields as in the header, found 2"),
        ("context,seconds\na,2\n", "a.csv:1: column `machines` is missing; found context, seconds"),
        (
            "context,machines\na,2\n",
            "a.csv:1: column `seconds`, `elapsed` or `objective` is missing; found context, machines",
        ),
        (
            "context,machines,seconds\na,,1\n",
            "a.csv:2: column `machines`: the field is empty; fill it in or leave the line out",
        ),
        (
            "context,machines,seconds\na,2.5,1\n",
            "a.csv:2: column `machines`: expected a whole number from 0 on, found `2.5`",
        ),
        (
            "context;machines;seconds\na;2;1,5\n",
            "a.csv:2: column `seconds`: expected a number, found `1,5`; write decimals with a point and no thousands separators",
        ),
        ("# x\ncontext,machines, Context\na,2,1\n", "a.csv:2: column `Context` is there twice; rename or drop one"),
        (
            "context machines seconds\na 2 1\n",
            "a.csv:1: column `machines` is missing; found context machines seconds; fields are separated by `,`, `;` or tabs",
        ),
        ("context,machines,seconds\n", "a.csv: no records: expected a header and at least one row"),
    ];
    for (text, expected) in cases {
        assert_eq!(read("a.csv", text, None).unwrap_err(), expected);
    }
    assert!(read("a.jsonl", "[1]\n", None).unwrap_err().starts_with("a.jsonl:1: expected one JSON object"));
}

#[test]
fn whatever_wrote_it_the_records_are_the_same() {
    let plain = "algorithm,machines,round,seconds,objective\ngd,2,1,0.5,3\ngd,2,2,0.5,2\n";
    let expected = read("a.csv", plain, None).unwrap();
    let variants = [
        plain.replace('\n', "\r\n"),
        format!("\u{feff}{plain}"),
        plain.replace(',', ";"),
        plain.replace(',', "\t"),
        plain.replace("algorithm,machines", " Algorithm , MACHINES "),
        plain.replace("gd", "\"gd\"").replace("0.5", "\" 0.5 \""),
        plain.replace("gd,2", "gd,2.0"),
        format!("{plain},,,,\n\n"),
        "objective,round,note;s,machines,algorithm,seconds\n3,1,\"a;b,c\",2,gd,0.5\n2,2,,2,gd,0.5\n".into(),
    ];
    for text in variants {
        assert_eq!(read("a.csv", &text, None).unwrap(), expected, "{text}");
    }
    let json = r#"{"Algorithm":"gd","machines":2,"round":1.0,"seconds":0.5,"objective":3}"#;
    let json = format!("\u{feff}# from a log\n{json}\n{}\n", json.replace("1.0", "2").replace(":3", ":2"));
    assert_eq!(read("a.jsonl", &json, None).unwrap(), expected);
}

#[test]
fn unknown_numbers_are_left_out_in_every_spelling() {
    for unknown in ["", "NaN", "nan", "inf", "-Infinity", "NA", "n/a", "null", "None", "-"] {
        let text = format!("algorithm,machines,round,elapsed,objective\ngd,2,1,{unknown},3\ngd,2,2,1.0,{unknown}\n");
        let points = read("a.csv", &text, None).unwrap().remove(0).points;
        assert_eq!(
            points.iter().map(|p| (p.seconds, p.objective)).collect::<Vec<_>>(),
            [(None, Some(3.0)), (Some(1.0), None)]
        );
    }
}

#[test]
fn rows_out_of_order_are_one_run() {
    let text = "algorithm,machines,round,elapsed,objective\ngd,2,3,1.5,1\ngd,2,1,0.5,3\ngd,2,2,1,2\n";
    let traces = read("a.csv", text, None).unwrap();
    assert_eq!(traces.len(), 1);
    assert!(traces[0].fresh);
    assert_eq!(traces[0].objectives().collect::<Vec<_>>(), [(1, 3.0), (2, 2.0), (3, 1.0)]);
}

#[test]
fn a_name_that_counts_repeats_is_not_one_run() {
    let rows = ["0,gd,2,1,3", "0,gd,4,1,3", "0,gd,2,2,2", "0,gd,4,2,2.5"];
    for order in [[0, 1, 2, 3], [0, 2, 1, 3]] {
        let text = format!("run,algorithm,machines,round,objective\n{}\n", order.map(|row| rows[row]).join("\n"));
        let traces = read("a.csv", &text, None).unwrap();
        let shape: Vec<_> = traces.iter().map(|t| (t.machines, t.points.len(), t.fresh)).collect();
        assert_eq!(shape, [(2, 2, true), (4, 2, true)]);
        assert_ne!(traces[0].run, traces[1].run);
    }
}

#[test]
fn runs_mixed_up_beyond_telling_are_refused() {
    let text = "algorithm,machines,round,objective\ngd,2,3,1\ngd,2,1,3\ngd,2,1,3\ngd,2,2,2\ngd,2,2,2\ngd,2,3,1\n";
    let error = read("a.csv", text, None).unwrap_err();
    assert!(error.starts_with("a.csv:2: the rounds of several runs are mixed up here; add a column `run`"), "{error}");
}

#[test]
fn phases_of_single_rounds_are_averaged() {
    let text = "algorithm,machines,round,seconds,compute,wait,sync\ngd,2,1,1,0.5,0.1,0.2\ngd,2,2,2,1.5,0.1,0.2\n";
    let phases = read("a.csv", text, None).unwrap()[0].phases.unwrap();
    assert_eq!((phases.compute, phases.wait, phases.sync), (1.0, 0.1, 0.2));
    assert!((phases.other - 0.2).abs() < 1e-12);
}

#[test]
fn text_that_is_not_utf8_is_refused_with_its_line() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.csv");
    fs::write(&path, b"algorithm,machines,seconds\ngd,1,2\nk\xf6ln,2,1\n").unwrap();
    let error = import(&[&path], None).unwrap_err().to_string();
    assert!(error.ends_with("a.csv:3: the text is not UTF-8; save it as UTF-8"), "{error}");
    fs::write(&path, b"\xff\xfea\0").unwrap();
    assert!(import(&[&path], None).unwrap_err().to_string().ends_with("UTF-16; save it as UTF-8"));
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
        compute: 0.07 * round as f64,
        sync: 0.02 * round as f64,
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
