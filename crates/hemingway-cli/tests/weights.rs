//! Rows that count for more or less than one another, from every place that can say so.

mod common;

use common::Desk;
use serde_json::Value;

/// What rows hold: (a, b, class, weight).
const ROWS: [(f64, f64, i32, f64); 8] = [
    (1.0, 0.5, 1, 3.0),
    (0.2, -1.0, -1, 1.0),
    (-0.7, 0.3, 1, 0.0),
    (-1.0, -0.4, -1, 2.0),
    (0.6, 0.1, -1, 1.0),
    (0.9, 0.9, 1, 1.0),
    (-0.3, 0.8, 1, 4.0),
    (0.4, -0.6, -1, 2.0),
];

/// A line for every row.
fn lines(line: impl Fn(f64, f64, i32, f64) -> String) -> String {
    ROWS.iter().map(|(a, b, y, s)| line(*a, *b, *y, *s) + "\n").collect()
}

/// The same rows, each as often as it counts.
fn repeated() -> String {
    lines(|a, b, y, s| vec![format!("{y} 1:{a} 2:{b}"); s as usize].join("\n")).replace("\n\n", "\n")
}

fn weights() -> String {
    lines(|_, _, _, s| s.to_string())
}

/// The objective after training, and the model.
fn trained(desk: &Desk, data: &str) -> (f64, Value) {
    let name = "model.json";
    let flags = "--algorithm lbfgs --machines 2 --loss logistic --l2 0.05 --reach 1e-9 --model";
    let (summary, code) = desk.json(&format!("run {data} {flags} {name}"));
    assert_eq!(code, 0, "{data}: {summary}");
    (summary["objective"].as_f64().unwrap(), serde_json::from_str(&desk.read(name)).unwrap())
}

fn is_as_repeated(desk: &Desk, data: &str) -> Value {
    desk.write("repeated.svm", &repeated());
    let (expected, _) = trained(desk, "repeated.svm");
    let (found, model) = trained(desk, data);
    assert!((found - expected).abs() <= 1e-8 * expected, "{data}: {found}, with repeated rows {expected}");
    model["provenance"]["weights"].clone()
}

#[test]
fn weights_count_wherever_they_come_from() {
    let desk = Desk::new();
    desk.write("rows.csv", &format!("a,heavy,y,b\n{}", lines(|a, b, y, s| format!("{a},{s},{y},{b}"))));
    desk.write("plain.csv", &lines(|a, b, y, s| format!("{s},{a},{b},{y}")));
    desk.write("rows.vw", &lines(|a, b, y, s| format!("{y} {s} |f a:{a} b:{b}")));
    desk.write("rows.svm", &lines(|a, b, y, _| format!("{y} 1:{a} 2:{b}")));
    desk.write("w.txt", &weights());
    assert_eq!(is_as_repeated(&desk, "rows.csv --label y --weight heavy"), "column heavy");
    assert_eq!(is_as_repeated(&desk, "plain.csv --weight 1"), "column 1");
    assert_eq!(is_as_repeated(&desk, "rows.vw"), "in the data");
    assert_eq!(is_as_repeated(&desk, "rows.svm --weights w.txt"), "file w.txt");
    desk.ok("data convert rows.svm rows.npz --weights w.txt");
    assert_eq!(is_as_repeated(&desk, "rows.npz"), "in the data");
    desk.ok("data convert rows.npz rows.parquet");
    assert_eq!(is_as_repeated(&desk, "rows.parquet --weight weight"), "column weight");
    desk.ok("data convert rows.npz again.svm");
    assert_eq!(desk.read("again.svm.weights"), weights());
    assert_eq!(is_as_repeated(&desk, "again.svm --weights again.svm.weights"), "file again.svm.weights");
    assert!(desk.ok("report last").out.contains("--weights again.svm.weights"));
}

#[test]
fn training_chooses_with_weights_as_without() {
    let desk = Desk::new();
    desk.ok("data synth logistic,rows=400,columns=5 -o rows.svm");
    let counts: String = (0..400).map(|i| format!("{}\n", [1, 0, 3, 2][i % 4])).collect();
    desk.write("w.txt", &counts);
    let rows = desk.read("rows.svm");
    let often = rows.lines().zip(counts.lines()).map(|(row, times)| format!("{row}\n").repeat(times.parse().unwrap()));
    desk.write("repeated.svm", &often.collect::<String>());
    let objective = |data: &str| {
        let (summary, code) = desk.json(&format!("train {data} --l2 0.01 --reach 1e-6 --cluster laptop -y"));
        assert_eq!(code, 0, "{summary}");
        summary["objective"].as_f64().unwrap()
    };
    let (found, expected) = (objective("rows.svm --weights w.txt"), objective("repeated.svm"));
    assert!((found - expected).abs() <= 3e-6 * expected, "{found} and {expected}");
    let replay = desk.run("explain last --replay");
    assert_eq!(replay.code, 0, "{}", replay.err);
}

#[test]
fn the_store_does_not_take_weighted_rows_for_others() {
    let desk = Desk::new();
    desk.write("rows.svm", &lines(|a, b, y, _| format!("{y} 1:{a} 2:{b}")));
    desk.write("w.txt", &weights());
    let problem = |flags: &str| trained(&desk, &format!("rows.svm {flags}")).1["provenance"]["problem"].clone();
    let plain = problem("");
    assert_ne!(problem("--weights w.txt"), plain);
    desk.write("w.txt", &"7\n".repeat(ROWS.len()));
    assert_eq!(problem("--weights w.txt"), plain, "rows that all count alike are the same problem");
}

#[test]
fn data_is_described_and_split_with_its_weights() {
    let desk = Desk::new();
    desk.write("rows.vw", &lines(|a, b, y, s| format!("{y} {s} |f a:{a} b:{b}")));
    let (info, _) = desk.json("data info rows.vw");
    assert_eq!(info["weights"], serde_json::json!({ "min": 0.0, "mean": 1.75, "max": 4.0 }));
    assert!(desk.ok("data info rows.vw").out.contains("numbers from 0 to 4.00, mean 1.75"));
    let (parts, _) = desk.json("data split rows.vw --test 0.5");
    assert_eq!(parts["test"]["weights"], "rows-test.svm.weights");
    let mut both: Vec<String> = ["rows-train.svm.weights", "rows-test.svm.weights"]
        .iter()
        .flat_map(|file| desk.read(file).lines().map(str::to_owned).collect::<Vec<_>>())
        .collect();
    both.sort();
    assert_eq!(both, ["0", "1", "1", "1", "2", "2", "3", "4"]);
    let said = desk.ok("data split rows.vw --test 0.5");
    assert!(said.err.contains("they are in rows-train.svm.weights, to be given with --weights"), "{}", said.err);
}

#[test]
fn classes_are_weighed() {
    let desk = Desk::new();
    desk.write("few.svm", "5 1:1\n5 1:0.9\n5 1:1.2\n7 1:-1 2:1\n");
    desk.write("many.svm", "5 1:1\n5 1:0.9\n5 1:1.2\n7 1:-1 2:1\n7 1:-1 2:1\n7 1:-1 2:1\n");
    let (expected, _) = trained(&desk, "many.svm");
    for flag in ["--class-weight balanced", "--class-weight 7=3", "--class-weight 5=0.5,7=1.5"] {
        let (found, model) = trained(&desk, &format!("few.svm {flag}"));
        assert!((found - expected).abs() <= 1e-8 * expected, "{flag}: {found} and {expected}");
        assert!(model["provenance"]["weights"].as_str().unwrap().starts_with("classes "), "{flag}");
        assert!(desk.ok("report last").out.contains(flag), "{flag}");
    }
    for flag in
        ["--class-weight 6=2", "--class-weight 7=0", "--class-weight heavy", "--loss squared --class-weight 7=2"]
    {
        let said = desk.run(&format!("run few.svm --algorithm lbfgs --machines 1 {flag}"));
        assert!(said.code == 2 && said.err.contains("--class-weight"), "{flag}: {}", said.err);
    }
}

#[test]
fn a_test_set_counts_by_its_own_weights() {
    let desk = Desk::new();
    let table = |weights: [f64; 2]| format!("a,w,y\n1,{},1\n-1,{},1\n", weights[0], weights[1]);
    desk.write("train.csv", "a,w,y\n1,2,1\n-1,1,0\n0.5,1,1\n");
    desk.write("heavy.csv", &table([3.0, 1.0]));
    desk.write("plain.csv", "a,y\n1,1\n-1,1\n");
    let run = "run train.csv --weight w --algorithm lbfgs --machines 1 --rounds 9 --model m.json";
    let after = |test: &str| {
        desk.ok(&format!("{run} --test {test} --records records.csv"));
        let records = desk.read("records.csv");
        let place = records.lines().next().unwrap().split(',').position(|name| name == "accuracy").unwrap();
        records.lines().last().unwrap().split(',').nth(place).unwrap().to_owned()
    };
    assert_eq!((after("plain.csv").as_str(), after("heavy.csv").as_str()), ("0.5", "0.75"));
    let accuracy = |value: &Value| value["metrics"]["accuracy"].as_f64().unwrap();
    assert_eq!(accuracy(&desk.json("score m.json heavy.csv --weight w").0), 0.75);
    assert_eq!(accuracy(&desk.json("score m.json plain.csv").0), 0.5);
    let said = desk.run("score m.json plain.csv --weight w");
    assert!(said.code == 1 && said.err.contains("has no column `w` for --weight"), "{}", said.err);
    desk.write("none.csv", &table([0.0, 0.0]));
    assert!(desk.run("score m.json none.csv --weight w").err.contains("every row has weight 0"));
}

#[test]
fn bad_weights_are_refused_by_file_and_line() {
    let desk = Desk::new();
    desk.write("rows.svm", "1 1:2\n-1 2:1\n");
    desk.write("rows.csv", "a,w,y\n1,2,1\n2,-1,0\n");
    desk.write("rows.vw", "1 2 | a\n-1 -0.5 | b\n");
    desk.write("bad.txt", "1\nx\n");
    desk.write("long.txt", "1\n1\n1\n");
    desk.write("zero.txt", "0\n0\n");
    let cases = [
        ("rows.csv --weight w", "rows.csv:3: column 2 `w`: weight -1"),
        ("rows.vw", "rows.vw:2: weight -0.5"),
        ("rows.svm --weights bad.txt", "bad.txt:2: weight `x`"),
        ("rows.svm --weights long.txt", "long.txt: holds 3 weights, but rows.svm has 2 rows"),
        ("rows.svm --weights zero.txt", "every row has weight 0"),
        ("rows.svm --weight 2", "--weight: LIBSVM has no columns to name"),
        ("rows.svm --weights none.txt", "none.txt"),
    ];
    for (data, what) in cases {
        let said = desk.run(&format!("run {data} --algorithm lbfgs --machines 1 --rounds 3"));
        assert!(said.code != 0 && said.err.contains(what), "{data}: {}", said.err);
    }
}
