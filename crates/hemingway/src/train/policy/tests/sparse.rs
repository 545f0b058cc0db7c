//! Decisions where λ₁ > 0.

use super::*;

fn sparse(machines: &[usize]) -> History {
    let mut history = job(reach(), choose());
    let Facts { l1, algorithms, lore, machines: on, .. } = &mut history.facts;
    *l1 = 1e-3;
    *algorithms = ["lbfgs", "strads", "admm"].map(String::from).into();
    *on = machines.into();
    lore.traits.l1_share = 0.05;
    lore.precedents = Precedents::shipped_for_l1();
    history
}

#[test]
fn the_first_look_is_at_what_goes_on_from_it_on_any_machines() {
    let mut history = sparse(&[1, 2, 4, 8]);
    let decision = decide(&history);
    let Decision::Run { frame, purpose: Purpose::Probe, .. } = &decision else { panic!("{decision:?}") };
    assert_eq!((frame.config.algorithm.as_str(), frame.until_round), ("lbfgs", FIRST_LOOK));
    carry_out(&mut history, decision, &|_| (1.0, 0.8), Ending::FrameOver);
    // A few rows would tell nothing.
    assert!(!matches!(decide(&history), Decision::Rehearse { .. }));
}

#[test]
fn whom_more_machines_slow_down_is_considered_on_the_fewest_only() {
    for (machines, fewest) in [(&[1, 2, 4, 8][..], 1), (&[4, 8][..], 4)] {
        let mut history = sparse(machines);
        let (_, decision) = until_training(&mut history, &|_| (1.0, 0.8));
        let Decision::Run { plan: Some(plan), .. } = decision else { panic!("{decision:?}") };
        let on = |name: &str| {
            let own = plan.candidates.iter().filter(|candidate| candidate.config.algorithm == name);
            let mut on: Vec<usize> = own.map(|candidate| candidate.config.machines).collect();
            on.sort_unstable();
            on
        };
        assert_eq!(on("strads"), [fewest]);
        assert_eq!(on("lbfgs"), machines);
    }
}
