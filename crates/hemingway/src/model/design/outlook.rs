//! Regret now, and what a lesson would spare of it.

use super::belief::Belief;
use super::worlds::{World, tie, together, worlds};

/// Everything that could be, as far as the choice goes.
pub(super) struct Outlook {
    /// By context and m.
    pub(super) beliefs: Vec<Belief>,
    worlds: Vec<World>,
    now: usize,
}

/// What a probe would reveal.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Lesson {
    /// The candidate probed.
    pub(super) place: usize,
    /// The shares of its f's and g's variance that it takes away.
    pub(super) teaches: [f64; 2],
    /// Candidates that may be chosen afterwards.
    pub(super) usable: Vec<usize>,
}

impl Outlook {
    /// Of at least one belief.
    pub(super) fn new(beliefs: Vec<Belief>) -> Self {
        let best = |usable: bool| {
            let all = (0..beliefs.len()).filter(|&place| beliefs[place].usable || !usable);
            all.min_by(|&a, &b| beliefs[a].mid.total_cmp(&beliefs[b].mid))
        };
        // Where nothing can be chosen yet, the best guess is what probes are compared with.
        let now = best(true).or_else(|| best(false)).unwrap_or(0);
        Self { worlds: worlds(&beliefs), beliefs, now }
    }

    /// The choice as things stand.
    pub(super) fn now(&self) -> &Belief {
        &self.beliefs[self.now]
    }

    /// E[loss of the choice − least loss].
    pub(super) fn regret(&self) -> f64 {
        let least = |world: &World| world.losses.iter().copied().fold(f64::INFINITY, f64::min);
        self.mean(|world| world.losses[self.now] - least(world))
    }

    /// E[loss of the choice − loss of the choice made after the lesson].
    pub(super) fn saves(&self, lesson: &Lesson) -> f64 {
        let probed = &self.beliefs[lesson.place];
        let (near, far): (Vec<usize>, Vec<usize>) =
            lesson.usable.iter().partition(|&&place| self.beliefs[place].same_context(probed));
        let rival = far.into_iter().min_by(|&a, &b| self.beliefs[a].mid.total_cmp(&self.beliefs[b].mid));
        let near: Vec<(usize, f64)> =
            near.into_iter().map(|place| (place, tie(&self.beliefs[place], probed))).collect();
        self.mean(|world| {
            let chosen = self.choice_after(lesson, world, &near, rival);
            world.losses[self.now] - world.losses[chosen]
        })
    }

    /// The least middle, as the planner chooses, after what the lesson says in this world: the candidates near the probe
    /// move by what it reveals as far as they are tied to it, the best of the others stays where it is.
    fn choice_after(&self, lesson: &Lesson, world: &World, near: &[(usize, f64)], rival: Option<usize>) -> usize {
        let revealed = [0, 1].map(|k| {
            let (share, off) = (lesson.teaches[k], world.off[k][lesson.place]);
            share.sqrt() * (share.sqrt() * off + (1.0 - share).sqrt() * world.blur[k])
        });
        let stays = rival.map(|place| (place, self.beliefs[place].mid));
        let moved = near.iter().map(|&(place, tied)| {
            let belief = &self.beliefs[place];
            (place, belief.at(tied * together(belief, revealed)))
        });
        let best = moved.chain(stays).min_by(|a, b| a.1.total_cmp(&b.1));
        best.map_or(self.now, |(place, _)| place)
    }

    fn mean(&self, value: impl Fn(&World) -> f64) -> f64 {
        self.worlds.iter().map(value).sum::<f64>() / self.worlds.len() as f64
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// A known choice and a rival that a probe would reveal wholly.
    fn saved(rival: f64, deviation: f64) -> (f64, f64) {
        let beliefs = vec![Belief::guess("a", 2, 1.0, 0.1), Belief::guess("b", 2, rival, deviation)];
        let outlook = Outlook::new(beliefs);
        (outlook.saves(&Lesson { place: 1, teaches: [1.0, 1.0], usable: vec![0, 1] }), outlook.regret())
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(48))]
        #[test]
        fn a_lesson_spares_some_of_the_regret_and_never_all_of_it(
            mids in prop::collection::vec(0.5..4.0f64, 2..9),
            deviations in prop::collection::vec(0.0..1.5f64, 9),
            teaches in (0.0..=1.0f64, 0.0..=1.0f64),
            place in 0usize..9,
        ) {
            let guess = |(k, mid): (usize, &f64)| Belief::guess(["a", "b"][k % 2], 1 << (k / 2), *mid, deviations[k]);
            let mut beliefs: Vec<Belief> = mids.iter().enumerate().map(guess).collect();
            beliefs.sort_by_key(|belief| (belief.config.algorithm.clone(), belief.config.machines));
            let (place, usable) = (place % beliefs.len(), (0..beliefs.len()).collect());
            let outlook = Outlook::new(beliefs);
            let regret = outlook.regret();
            let saves = outlook.saves(&Lesson { place, teaches: teaches.into(), usable });
            prop_assert!(regret >= 0.0 && saves <= regret + 1e-12, "{saves} of {regret}");
        }

        #[test]
        fn the_more_open_the_more_a_probe_is_worth(
            rival in 1.0..1.5f64, deviation in 0.2..0.8f64, more in 1.2..1.8f64,
        ) {
            let (less, regret) = saved(rival, deviation);
            let (greater, wider) = saved(rival, more * deviation);
            prop_assert!(greater >= less && wider >= regret, "{less} {greater}, {regret} {wider}");
        }
    }

    #[test]
    fn nothing_is_saved_where_nothing_is_open_or_taught() {
        assert!(saved(2.0, 0.0).0.abs() < 1e-12);
        let outlook = Outlook::new(vec![Belief::guess("a", 1, 1.0, 0.5), Belief::guess("a", 4, 1.1, 0.5)]);
        let lesson = |teaches| Lesson { place: 1, teaches, usable: vec![0, 1] };
        assert_eq!(outlook.saves(&lesson([0.0, 0.0])), 0.0);
        assert!(outlook.saves(&lesson([1.0, 0.3])) < outlook.saves(&lesson([1.0, 1.0])));
    }

    #[test]
    fn a_far_m_tells_less() {
        let beliefs = [1, 2, 32].map(|m| Belief::guess("a", m, 1.0, 0.5)).into();
        let outlook = Outlook::new(beliefs);
        let choose = |place| outlook.saves(&Lesson { place, teaches: [1.0, 1.0], usable: vec![0, 1] });
        assert!(choose(1) > choose(2) && choose(2) >= 0.0, "{} {}", choose(1), choose(2));
    }
}
