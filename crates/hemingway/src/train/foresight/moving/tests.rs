//! Rows on the move.

use super::*;
use proptest::prelude::*;

#[test]
fn the_busiest_machine_is_the_one_with_most_to_send_or_receive() {
    for (from, to, share) in [(1, 1, 0.0), (4, 4, 0.0), (1, 4, 0.75), (4, 1, 0.75), (2, 4, 0.5), (4, 8, 0.25)] {
        assert!((busiest(from, to) - share).abs() < 1e-5, "{from} to {to}: {}", busiest(from, to));
    }
}

proptest! {
    #[test]
    fn nobody_moves_more_than_a_shard_and_back_is_as_far(from in 1..64usize, to in 1..64usize) {
        let share = busiest(from, to);
        prop_assert_eq!(share, busiest(to, from));
        prop_assert!((0.0..=1.0 / from.min(to) as f64 + 1e-5).contains(&share), "{}", share);
        prop_assert_eq!(share == 0.0, from == to);
    }
}
