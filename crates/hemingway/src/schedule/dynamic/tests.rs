use proptest::prelude::*;

use super::*;
use crate::data::matrix::dot;
use crate::rng::{Purpose, keyed};

fn unit(angle: f64) -> Vec<f64> {
    vec![angle.cos(), angle.sin()]
}

fn described(angles: &[f64], rho: f64, quota: Option<usize>) -> Dynamic {
    weighing(angles, &vec![1.0; angles.len()], rho, quota)
}

fn weighing(angles: &[f64], weights: &[f64], rho: f64, quota: Option<usize>) -> Dynamic {
    let mut dynamic = Dynamic::new(quota, rho);
    dynamic.renew(0..angles.len() as u32);
    let columns = (0..).zip(angles).zip(weights);
    for ((column, angle), weight) in columns {
        dynamic.describe(column, *weight, &unit(*angle));
    }
    dynamic
}

/// Chooses a block and goes by it.
fn next(dynamic: &mut Dynamic, placement: &Placement, round: u64) -> Vec<u32> {
    dynamic.follow(dynamic.choose(&[], placement, || keyed(1, Purpose::Schedule, 0, round)));
    dynamic.next(placement.machines()).unwrap().to_vec()
}

proptest! {
    /// Sweeps end, everybody has moved once in each, never two together on different machines that depend on each
    /// other, and no machine moves more than its quota. A sweep has no more rounds than columns.
    #[test]
    fn everybody_moves_and_nobody_in_the_way_of_another(
        angles in prop::collection::vec(0.0..3.2f64, 1..40),
        machines in 1..6usize,
        quota in 1..5usize,
        rho in 0.05..0.9f64,
    ) {
        let mut dynamic = described(&angles, rho, Some(quota));
        let placement = Placement::even(angles.len(), machines);
        for round in 0..3 {
            let (mut moved, mut rounds) = (Vec::new(), 0);
            while rounds == 0 || !dynamic.is_swept() {
                let block = next(&mut dynamic, &placement, round);
                prop_assert!(!block.is_empty() && block.is_sorted());
                for (k, a) in block.iter().enumerate() {
                    let own = placement.owner(*a as usize);
                    prop_assert!(block.iter().filter(|b| placement.owner(**b as usize) == own).count() <= quota);
                    for b in &block[k + 1..] {
                        let cos = dot(&unit(angles[*a as usize]), &unit(angles[*b as usize])).abs();
                        prop_assert!(own == placement.owner(*b as usize) || cos <= rho);
                    }
                }
                let changes: Vec<f64> = block.iter().map(|column| f64::from(*column)).collect();
                dynamic.observe(&block, &changes);
                moved.extend(block);
                rounds += 1;
            }
            moved.sort_unstable();
            prop_assert_eq!(moved, (0..angles.len() as u32).collect::<Vec<_>>());
            prop_assert!(rounds <= angles.len());
        }
    }

    /// Within a sweep, with a quota that stays, a block chosen while another moves is the one that would be chosen after it; and nobody has two
    /// turns in a sweep.
    #[test]
    fn what_is_chosen_ahead_is_what_would_be_chosen_later(
        angles in prop::collection::vec(0.0..3.2f64, 2..40),
        machines in 2..6usize,
        quota in 1..5usize,
    ) {
        let mut dynamic = described(&angles, 0.3, Some(quota));
        let placement = Placement::even(angles.len(), machines);
        let mut block = next(&mut dynamic, &placement, 0);
        loop {
            let ahead = dynamic.choose(&block, &placement, || keyed(1, Purpose::Schedule, 0, 1));
            dynamic.observe(&block, &vec![1.0; block.len()]);
            if dynamic.is_swept() {
                break;
            }
            prop_assert!(ahead.block.1.iter().all(|column| !block.contains(column)));
            block = next(&mut dynamic, &placement, 1);
            prop_assert_eq!(&block, &ahead.block.1);
        }
    }

    /// No machine has more work than all have on average and a column, as long as there are columns for all of them; and never more
    /// than its quota of average columns and one.
    #[test]
    fn work_is_shared_out_evenly(
        weights in prop::collection::vec(0..500u32, 1..60),
        machines in 1..6usize,
        quota in 1.0..9.0f64,
    ) {
        let weights: Vec<f64> = weights.into_iter().map(f64::from).collect();
        let mut dynamic = weighing(&vec![0.0; weights.len()], &weights, 1.0, None);
        dynamic.quota = quota;
        let placement = Placement::even(weights.len(), machines);
        let heaviest = weights.iter().copied().fold(1.0, f64::max);
        let mut is_first = true;
        while std::mem::take(&mut is_first) || !dynamic.is_swept() {
            let mut work = vec![0.0; machines];
            let block = next(&mut dynamic, &placement, 0);
            let weight = |column: u32| dynamic.member(column).unwrap().weight();
            block.iter().for_each(|column| work[placement.owner(*column as usize)] += weight(*column));
            let (budget, mean) = (dynamic.budget(), work.iter().sum::<f64>() / machines as f64);
            let enough = work.iter().all(|work| *work >= budget);
            let most = if enough { mean } else { budget };
            prop_assert!(work.iter().all(|work| *work <= most + heaviest), "{work:?} of {budget}");
            let changes = vec![0.0; block.len()];
            dynamic.observe(&block, &changes);
        }
    }
}

#[test]
fn whoever_moved_most_is_drawn_first() {
    let mut first = [0; 3];
    for round in 0..1000 {
        let mut dynamic = described(&[0.0, 1.0, 2.0], 1.0, None);
        dynamic.observe(&[0, 1, 2], &[3.0, 1.0, 0.0]);
        first[dynamic.sweep(&mut keyed(1, Purpose::Schedule, 0, round))[0] as usize] += 1;
    }
    // Nine to one, and the floor.
    assert!((870..930).contains(&first[0]) && first[1] > 70 && first[2] < 5, "{first:?}");
}

#[test]
fn the_quota_follows_what_is_lost_and_the_state_is_kept() {
    let mut dynamic = described(&[0.0, 1.0, 2.0], 0.3, None);
    dynamic.learn(0.0);
    assert_eq!(dynamic.quota, QUOTA.0 * GROW);
    (0..9).for_each(|_| dynamic.learn(0.9));
    assert_eq!(dynamic.quota, 1.0);
    let block = next(&mut dynamic, &Placement::even(3, 2), 0);
    assert_eq!((dynamic.next(2), dynamic.next(3)), (Some(&block[..]), None), "others hold other columns");
    let state: Vec<f64> = dynamic.state().collect();
    let mut again = Dynamic::new(None, 0.3);
    assert!(again.restore(&state).is_some() && again == dynamic);
    assert!(again.restore(&state[..4]).is_none());
    dynamic.renew([1, 5]);
    assert_eq!(dynamic.strangers(), [5]);
    let state: Vec<f64> = dynamic.state().collect();
    assert!(again.restore(&state).is_some() && again == dynamic);
}
