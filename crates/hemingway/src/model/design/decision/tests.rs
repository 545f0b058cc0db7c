use super::super::super::FitOptions;
use super::super::super::synthetic::trace;
use super::*;
use crate::goal::Caps;

const REACH: Goal = Goal::Reach { error: 1e-3, certified: false };
const LADDER: [usize; 4] = [1, 2, 4, 8];

/// Rounds of 0.1 s, linear convergence that suffers from machines.
fn run(context: &str, machines: usize, rounds: u64) -> Trace {
    trace(context, machines, rounds, move |i| 1.0 + (1.0 - 0.1 / (machines as f64).sqrt()).powf(i))
}

fn ask<'a>(goal: &'a Goal, contexts: &[&'a str], machines: &'a [usize]) -> Question<'a> {
    let caps = Caps::default().with_goal(goal);
    Question {
        goal,
        algorithms: contexts.to_vec(),
        machines,
        fits_from: 1,
        price_per_hour: Some(3600.0),
        seconds_left: caps.seconds,
        dollars_left: caps.dollars,
    }
}

fn advise(traces: &[Trace], question: &Question<'_>, cost: Cost) -> Advice {
    let model = RunModel::fit(traces, &FitOptions::default()).unwrap();
    next_probe(&model, question, &Options { cost, traces }).unwrap()
}

#[test]
fn what_one_m_leaves_open_is_worth_a_look() {
    let traces = [run("a", 2, 20), run("b", 2, 20)];
    let advice = advise(&traces, &ask(&REACH, &["a", "b"], &LADDER), Cost::Time);
    assert_eq!(advice.choice.as_ref().map(|choice| choice.machines), Some(2), "only what was timed can be chosen");
    let next = advice.next().expect("a probe pays");
    assert_ne!(next.config.machines, 2);
    assert!(next.gain() > 0.0 && next.saves < advice.regret && advice.regret < advice.promise, "{advice:#?}");
    assert!(advice.probes.is_sorted_by(|a, b| a.gain() >= b.gain()));
}

#[test]
fn a_sure_choice_needs_no_probe() {
    let traces: Vec<Trace> = LADDER.iter().flat_map(|&m| [run("a", m, 200), run("b", m, 200)]).collect();
    let advice = advise(&traces, &ask(&REACH, &["a", "b"], &LADDER), Cost::Time);
    assert_eq!(advice.next(), None, "{:#?}", advice.probes.first());
    assert!(advice.regret < 0.05 * advice.promise, "{} {}", advice.regret, advice.promise);
}

#[test]
fn advice_repeats_exactly() {
    let traces = [run("a", 2, 20), run("b", 4, 20)];
    let question = ask(&REACH, &["a", "b"], &LADDER);
    assert_eq!(advise(&traces, &question, Cost::Time), advise(&traces, &question, Cost::Time));
}

#[test]
fn a_probe_that_would_use_up_the_budget_is_never_made() {
    let traces = [run("a", 2, 20), run("b", 2, 20)];
    for goal in [Goal::Within { seconds: 0.5 }, Goal::Spend { dollars: 0.5 }] {
        let advice = advise(&traces, &ask(&goal, &["a", "b"], &LADDER), Cost::Time);
        assert_eq!(advice.unit, Unit::Error);
        assert!(advice.probes.iter().any(|probe| probe.cost.is_infinite()), "{advice:#?}");
        assert!(advice.probes.iter().all(|probe| probe.seconds < 0.5 || probe.cost.is_infinite()), "{advice:#?}");
        assert!(advice.next().is_none_or(|probe| probe.cost.is_finite()), "{advice:#?}");
    }
}

#[test]
fn a_probe_takes_from_a_budget_what_the_choice_would_have_made_of_it() {
    let traces = [run("a", 2, 20), run("b", 2, 20)];
    let goal = Goal::Within { seconds: 5.0 };
    let advice = advise(&traces, &ask(&goal, &["a", "b"], &LADDER), Cost::Time);
    let own = advice.probes.iter().find(|probe| probe.config.machines == 1 && probe.rounds == 10).unwrap();
    assert!(own.cost > 0.0 && own.cost < 1.0, "{own:?}");
    assert!((own.seconds - 1.0).abs() < 0.2, "{own:?}");
}

#[test]
fn what_lies_beyond_all_measurements_is_probed_whatever_it_gains() {
    let advice = advise(&[run("a", 1, 20)], &ask(&REACH, &["a"], &[8]), Cost::Time);
    assert_eq!(advice.choice, None);
    assert_eq!(advice.next().map(|probe| probe.config.machines), Some(8));
}

#[test]
fn money_counts_machines() {
    let traces: Vec<Trace> = LADDER.iter().map(|&m| run("a", m, 20)).collect();
    let question = ask(&REACH, &["a"], &LADDER);
    let advice = advise(&traces, &question, Cost::Dollars { per_hour: 3600.0 });
    assert_eq!((advice.unit, advice.choice.map(|choice| choice.machines)), (Unit::Dollars, Some(1)));
    let on = |m: usize| advice.probes.iter().find(|probe| probe.config.machines == m && probe.rounds == 30).unwrap();
    assert!(on(8).cost > 7.0 * on(1).cost, "{:?} {:?}", on(8), on(1));
    assert_eq!(advise(&traces, &question, Cost::MachineSeconds).unit, Unit::MachineSeconds);
}

#[test]
fn samples_are_probed_where_records_know_of_them() {
    let sizes = [0.1, 1.0].map(|fraction| Trace { fraction, ..run("a", 2, 20) });
    let advice = advise(&sizes, &ask(&REACH, &["a"], &LADDER), Cost::Time);
    assert!(advice.probes.iter().any(|probe| probe.fraction == 0.1 && probe.config.machines != 2));
    assert!(!advice.probes.iter().any(|probe| probe.fraction == 0.1 && probe.config.machines == 2), "nothing new");
    let whole = advise(&sizes[1..], &ask(&REACH, &["a"], &LADDER), Cost::Time);
    assert!(whole.probes.iter().all(|probe| probe.fraction == 1.0));
}

#[test]
fn times_alone_decide_nothing() {
    let mut timed = run("a", 2, 20);
    timed.points.iter_mut().for_each(|point| point.objective = None);
    let model = RunModel::fit(&[timed], &FitOptions::default()).unwrap();
    let refused = next_probe(&model, &ask(&REACH, &["a"], &LADDER), &Options { cost: Cost::Time, traces: &[] });
    assert!(refused.unwrap_err().to_string().contains("both times and objectives"));
}
