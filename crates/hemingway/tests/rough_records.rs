//! Records as they come: with gaps, nonsense, too little or too much of everything. Each gets an answer that makes sense
//! or a refusal that says why.

use std::fmt::Write;

use hemingway::model::{FitOptions, Reach, RunModel, cross_validate};
use hemingway::record::{Metric, Trace, import};

const MACHINES: [usize; 4] = [1, 2, 4, 8];

/// CSV of a method whose error is (1 − 0.5/m)ⁱ over P* = 1 and whose round takes 1/m + 0.1 s; `edit` makes it rough.
fn records(machines: &[usize], rounds: u64, edit: impl Fn(usize, u64, &mut [String; 5])) -> String {
    let mut text = String::from("algorithm,machines,round,seconds,objective\n");
    for &m in machines {
        for round in 1..=rounds {
            let objective = 1.0 + (1.0 - 0.5 / m as f64).powi(round as i32);
            let seconds = 1.0 / m as f64 + 0.1;
            let mut fields =
                ["cocoa".into(), m.to_string(), round.to_string(), seconds.to_string(), objective.to_string()];
            edit(m, round, &mut fields);
            if fields.iter().any(|field| !field.is_empty()) {
                writeln!(text, "{}", fields.join(",")).unwrap();
            }
        }
    }
    text
}

fn read(text: &str, metric: Option<&Metric>) -> hemingway::Result<Vec<Trace>> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("records.csv");
    std::fs::write(&path, text).unwrap();
    import(&[path], metric)
}

fn fit(text: &str) -> RunModel {
    RunModel::fit(&read(text, None).unwrap(), &FitOptions::default()).unwrap()
}

fn rounds(model: &RunModel, error: f64, machines: usize) -> f64 {
    let reach = model.context("cocoa").unwrap().rounds_to(error, machines).unwrap();
    reach.estimate().expect("reached").mid
}

fn real_rounds(error: f64, machines: usize) -> f64 {
    (error.ln() / (1.0 - 0.5 / machines as f64).ln()).ceil()
}

fn is_close(predicted: f64, real: f64, share: f64) -> bool {
    (predicted - real).abs() <= 1.0 + share * real
}

#[test]
fn gaps_are_bridged() {
    // Every other row is missing, and so is most of what one m did in the middle.
    let text = records(&MACHINES, 120, |m, round, fields| {
        if round % 2 == 0 || (m == 4 && (10..40).contains(&round)) {
            fields.iter_mut().for_each(String::clear);
        }
    });
    let model = fit(&text);
    for machines in MACHINES {
        assert!(is_close(rounds(&model, 1e-2, machines), real_rounds(1e-2, machines), 0.15), "m = {machines}");
    }
}

#[test]
fn empty_fields_leave_the_rest_of_their_row() {
    let text = records(&MACHINES, 120, |_, round, fields| {
        if round % 3 == 0 {
            fields[3].clear();
        }
        if round % 5 == 0 {
            fields[4].clear();
        }
    });
    let model = fit(&text);
    assert!(is_close(rounds(&model, 1e-2, 4), real_rounds(1e-2, 4), 0.1));
    let pace = model.context("cocoa").unwrap().seconds_per_round(4).unwrap();
    assert!((pace.mid / 0.35 - 1.0).abs() < 0.2, "{pace:?}");
}

#[test]
fn unknown_values_are_passed_over_and_words_are_refused_by_line() {
    let spoilt = |value: &str| {
        records(&MACHINES, 60, |m, round, fields| {
            if m == 2 && round == 7 {
                fields[4] = value.into();
            }
        })
    };
    for unknown in ["NaN", "inf", "NA"] {
        let model = fit(&spoilt(unknown));
        assert!(is_close(rounds(&model, 1e-1, 2), real_rounds(1e-1, 2), 0.1), "{unknown}");
    }
    let words = read(&spoilt("oops"), None).unwrap_err().to_string();
    assert!(words.contains("records.csv") && words.contains("68") && words.contains("objective"), "{words}");
}

#[test]
fn rounds_of_which_nothing_is_known_are_as_good_as_absent() {
    let cut = |unknown: &'static str| {
        records(&MACHINES, 60, move |m, round, fields| {
            if m == 4 && round > 10 {
                match unknown {
                    "" => fields.iter_mut().for_each(String::clear),
                    value => fields[4] = value.into(),
                }
            }
        })
    };
    assert_eq!(rounds(&fit(&cut("inf")), 1e-2, 4), rounds(&fit(&cut("")), 1e-2, 4));
}

#[test]
fn one_m_alone_answers_for_itself_and_is_unsure_of_others() {
    let model = fit(&records(&[4], 120, |_, _, _| {}));
    assert!(is_close(rounds(&model, 1e-2, 4), real_rounds(1e-2, 4), 0.1));
    let context = model.context("cocoa").unwrap();
    let own = context.time_to(1e-2, 4).unwrap().estimate().unwrap();
    let other = context.time_to(1e-2, 32).unwrap().estimate().unwrap();
    assert!(!own.extrapolated && other.extrapolated);
    assert!(other.high / other.low > 4.0 * own.high / own.low, "{own:?} {other:?}");
}

#[test]
fn a_run_that_diverges_promises_nothing_and_harms_nobody() {
    let mut text = records(&MACHINES, 120, |_, _, _| {});
    for round in 1..=60 {
        writeln!(text, "wild,2,{round},0.6,{:e}", 2.0 * 1.5f64.powi(round)).unwrap();
    }
    let model = fit(&text);
    assert!(is_close(rounds(&model, 1e-2, 4), real_rounds(1e-2, 4), 0.1));
    let wild = model.context("wild").unwrap();
    assert!(wild.seconds_per_round(2).is_some());
    let reached = wild.rounds_to(1e-2, 2);
    assert!(reached.is_none_or(|reach| reach == Reach::Never), "{reached:?}");
}

#[test]
fn two_rounds_teach_the_pace_and_hardly_more() {
    let model = fit(&records(&MACHINES, 2, |_, _, _| {}));
    let context = model.context("cocoa").unwrap();
    let pace = context.seconds_per_round(4).unwrap();
    assert!((pace.mid / 0.35 - 1.0).abs() < 0.1, "{pace:?}");
    // Whatever is said of the far end must own that it is a guess.
    if let Some(Reach::At(guess)) = context.rounds_to(1e-3, 4) {
        assert!(guess.extrapolated && guess.high > 2.0 * guess.low, "{guess:?}");
    }
}

#[test]
fn a_metric_stands_in_for_the_objective() {
    // Accuracy rises to 0.95 as the error falls.
    let text = records(&MACHINES, 120, |m, round, fields| {
        fields[4] = (0.95 - 0.45 * (1.0 - 0.5 / m as f64).powi(round as i32)).to_string();
    });
    let text = text.replace("objective", "accuracy");
    let metric: Metric = "accuracy:max".parse().unwrap();
    let traces = read(&text, Some(&metric)).unwrap();
    let model = RunModel::fit(&traces, &FitOptions::default()).unwrap();
    let best = model.bracket.unwrap();
    assert!((best.mid - 0.05).abs() < 2e-3, "{best:?}");
    // 0.90 is twice the smallest loss of 0.05: a relative error of 1, reached when 0.45·ρⁱ = 0.05.
    let real = (0.05f64 / 0.45).ln() / 0.875f64.ln();
    assert!(is_close(rounds(&model, 1.0, 4), real, 0.1));
    // Without being told which column, there are times and nothing else.
    let timed = RunModel::fit(&read(&text, None).unwrap(), &FitOptions::default()).unwrap();
    assert!(timed.context("cocoa").unwrap().rounds_to(1.0, 4).is_none());
    assert!(read(&text, Some(&"recall:max".parse().unwrap())).unwrap_err().to_string().contains("recall"));
}

#[test]
fn without_a_lower_bound_the_optimum_is_estimated_and_its_doubt_counts() {
    let plain = records(&MACHINES, 40, |_, _, _| {});
    let mut proved = String::from("algorithm,machines,round,seconds,objective,lower_bound\n");
    for line in plain.lines().skip(1) {
        writeln!(proved, "{line},0.9999").unwrap();
    }
    let (unsure, sure) = (fit(&plain), fit(&proved));
    let [unproved, bounded] = [&unsure, &sure].map(|model| model.bracket.unwrap());
    assert_eq!((unproved.lower_bound, bounded.lower_bound), (None, Some(0.9999)));
    assert!((unproved.mid - 1.0).abs() < 1e-2 && unproved.mid <= unproved.best, "{unproved:?}");
    let width = |model: &RunModel| {
        let reach = model.context("cocoa").unwrap().rounds_to(1e-3, 8).unwrap().estimate().unwrap();
        reach.high / reach.low
    };
    assert!(width(&unsure) >= width(&sure), "{} {}", width(&unsure), width(&sure));
    // Only where bounds were seen can a proof be foreseen.
    assert!(unsure.context("cocoa").unwrap().rounds_to_certify(1e-2, 4).is_none());
    let proof = sure.context("cocoa").unwrap().rounds_to_certify(1e-2, 4).unwrap().estimate().unwrap();
    assert!(proof.mid >= rounds(&sure, 1e-2, 4) - 1.0, "{proof:?}");
}

#[test]
fn nothing_at_all_is_refused_with_what_is_missing() {
    let nothing = read("algorithm,machines,seconds\n", None)
        .and_then(|traces| RunModel::fit(&traces, &FitOptions::default()).map(|_| ()));
    assert!(nothing.is_err());
    let columns = read("algorithm,seconds\ncocoa,0.1\n", None).unwrap_err().to_string();
    assert!(columns.contains("machines"), "{columns}");
    let zero = read("algorithm,machines,seconds\ncocoa,0,0.1\n", None).unwrap_err().to_string();
    assert!(zero.contains('2') && zero.contains("machines"), "{zero}");
}

#[test]
fn rough_records_can_be_cross_validated_too() {
    let text = records(&MACHINES, 60, |m, round, fields| {
        if m == 8 && round > 3 {
            fields.iter_mut().for_each(String::clear);
        }
        if m == 2 && round % 2 == 0 {
            fields[4] = "".into();
        }
    });
    let result = cross_validate(&read(&text, None).unwrap(), &[1e-1, 1e-2], &FitOptions::default()).unwrap();
    assert!(result.folds.iter().any(|fold| fold.machines == 2 && fold.target == Some(1e-1)));
    assert!(result.folds.iter().all(|fold| fold.real.is_finite() && fold.mid.is_none_or(f64::is_finite)));
}
