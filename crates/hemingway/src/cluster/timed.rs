//! What rounds without work took, by machines and length: latency, bandwidth, the collective and the software around it in
//! one, where somebody has measured.

use serde::{Deserialize, Serialize};

/// Rounds on so many machines. Seconds are of the one half of a round and of the other: both together are the round.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Timed {
    /// m.
    pub machines: usize,
    /// Numbers broadcast, ascending, and the seconds of that; straight lines in between.
    pub broadcast: Vec<(u64, f64)>,
    /// The same of numbers summed.
    pub sum: Vec<(u64, f64)>,
}

impl Timed {
    /// Seconds of a round on its machines.
    pub fn seconds(&self, down: f64, up: f64) -> f64 {
        at(&self.broadcast, down) + at(&self.sum, up)
    }

    /// Seconds of a round on m machines from those timed, in order of machines; between two of them in proportion to log m.
    pub(crate) fn between(timed: &[Self], machines: usize, down: f64, up: f64) -> f64 {
        let above = timed.partition_point(|timed| timed.machines < machines);
        let Some(high) = timed.get(above) else { return timed.last().map_or(0.0, |last| last.seconds(down, up)) };
        let Some(low) = above.checked_sub(1).and_then(|below| timed.get(below)) else { return high.seconds(down, up) };
        let share = (machines as f64 / low.machines as f64).ln() / (high.machines as f64 / low.machines as f64).ln();
        (1.0 - share) * low.seconds(down, up) + share * high.seconds(down, up)
    }

    /// Says what is wrong with it.
    pub(super) fn check(&self, machines: usize) -> Result<(), String> {
        if self.machines == 0 || self.machines > machines {
            return Err(format!("{} machines, where the cluster has 1 to {machines}", self.machines));
        }
        for (name, curve) in [("broadcast", &self.broadcast), ("sum", &self.sum)] {
            if curve.is_empty() || !curve.windows(2).all(|pair| pair[0].0 < pair[1].0) {
                return Err(format!("{name} needs [numbers, seconds] with ascending numbers"));
            }
            if let Some((_, seconds)) = curve.iter().find(|(_, seconds)| !(seconds.is_finite() && *seconds >= 0.0)) {
                return Err(format!("{name}: {seconds} is no number of seconds"));
            }
        }
        Ok(())
    }
}

/// The curve's value: straight lines between its points and on from the last two.
fn at(curve: &[(u64, f64)], numbers: f64) -> f64 {
    let above = curve.partition_point(|(x, _)| (*x as f64) < numbers);
    let last = curve.len().saturating_sub(1);
    match (curve.first(), above.clamp(1, last.max(1))) {
        (None, _) => 0.0,
        (Some((_, only)), _) if last == 0 => *only,
        (Some((first, seconds)), _) if numbers <= *first as f64 => *seconds,
        (_, k) => {
            let ((x0, y0), (x1, y1)) = (curve[k - 1], curve[k]);
            let share = (numbers - x0 as f64) / (x1 - x0) as f64;
            (y0 + share * (y1 - y0)).max(0.0)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn timed(machines: usize, scale: f64) -> Timed {
        let broadcast = vec![(0, 1.0 * scale), (10, 2.0 * scale), (20, 6.0 * scale)];
        Timed { machines, broadcast, sum: vec![(5, 0.0)] }
    }

    #[test]
    fn lines_go_through_the_points_and_on() {
        let one = timed(2, 1.0);
        let found = [0.0, 5.0, 10.0, 15.0, 20.0, 30.0].map(|down| one.seconds(down, 100.0));
        assert_eq!(found, [1.0, 1.5, 2.0, 4.0, 6.0, 10.0]);
    }

    #[test]
    fn machines_in_between_follow_their_logarithm() {
        let table = [timed(2, 1.0), timed(8, 3.0)];
        let found = [1, 2, 4, 8].map(|m| Timed::between(&table, m, 0.0, 0.0));
        assert!(found.iter().zip([1.0, 1.0, 2.0, 3.0]).all(|(a, b)| (a - b).abs() < 1e-12), "{found:?}");
    }

    #[test]
    fn what_cannot_be_is_said() {
        assert!(timed(9, 1.0).check(8).unwrap_err().contains("9 machines"));
        assert!(timed(1, -1.0).check(8).unwrap_err().contains("broadcast: -1"));
        assert!(Timed { sum: vec![], ..timed(1, 1.0) }.check(8).unwrap_err().contains("sum needs"));
        assert!(Timed { sum: vec![(2, 0.0), (2, 1.0)], ..timed(1, 1.0) }.check(8).is_err());
    }
}
