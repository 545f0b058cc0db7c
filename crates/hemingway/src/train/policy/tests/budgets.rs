//! Time or money instead of an error.

use super::*;

fn within(seconds: f64) -> History {
    let mut history = job(Goal::Within { seconds }, choose());
    history.facts.algorithms = vec!["newton".into(), "cocoa".into()];
    history.facts.lore.traits.entries = 1_000_000_000;
    history
}

fn config(decision: &Decision) -> &Config {
    let Decision::Run { frame, .. } = decision else { panic!("{decision:?}") };
    &frame.config
}

#[test]
fn the_first_look_is_on_the_fewest_machines_that_hardly_use_the_budget_up() {
    let first = |seconds| config(&decide(&within(seconds))).machines;
    assert_eq!(first(1e4), 1);
    assert!(first(1.0) > 1, "a pass over all rows on one machine would take all of it");
}

#[test]
fn what_cannot_begin_in_time_is_not_begun() {
    let slow = |config: &Config| (config.machines as f64, 0.9);
    let mut history = within(4.5);
    history.facts.lore.traits.entries = 1_000_000;
    let first = decide(&history);
    let begun = config(&first).clone();
    carry_out(&mut history, first, &slow, Ending::FrameOver);
    let left = history.seconds_left().unwrap();
    assert!(left < 3.0, "{left} s left");
    let decision = next(&mut history);
    assert_eq!(*config(&decision), begun, "another would first take the model up, which is two rounds more");
    assert!(matches!(decision, Decision::Run { start: Start::Continue { .. }, .. }));
}
