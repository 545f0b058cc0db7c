//! Which strategies to run next.

use rand::{Rng, RngExt};

use super::{PROPOSALS, Trial, Wish, looks};
use crate::Result;
use crate::sync::ranker::{Look, Ranker, TRAITS};
use crate::sync::sketch::Sketch;
use crate::sync::stage::Stage;

/// Parents of new proposals.
const ELITE: usize = 12;
/// Of a batch, the share that is run for what it teaches: drawn from the better half instead of the top.
const CURIOUS: f64 = 0.2;
/// Two strategies nearer than this in their traits and forecast are alike.
const NEAR: f64 = 0.02;

/// The most promising proposals that are unlike each other and unlike what has run, by one ranker after the other in turn.
pub(super) fn batch(
    stage: &Stage,
    wish: &Wish,
    trials: &[Trial],
    rankers: &[Ranker],
    wanted: usize,
    random: &mut impl Rng,
) -> Result<Vec<(Sketch, Look)>> {
    let mut parents: Vec<&Trial> = trials.iter().collect();
    parents.sort_by(|a, b| a.seconds.total_cmp(&b.seconds));
    parents.truncate(ELITE);
    let sketches: Vec<Sketch> = (0..PROPOSALS).map(|_| child(stage, wish, &parents, random)).collect();
    let looks = looks(stage, &sketches)?;
    let orders: Vec<Vec<usize>> = rankers.iter().map(|ranker| order(ranker, &looks)).collect();
    let ranked: Vec<usize> = (0..PROPOSALS).flat_map(|place| orders.iter().map(move |order| order[place])).collect();
    let mut known: Vec<Look> = trials.iter().map(|trial| trial.look).collect();
    let mut chosen = Vec::new();
    let curious = (CURIOUS * wanted as f64) as usize;
    let drawn: Vec<usize> = (0..8 * curious).map(|_| ranked[random.random_range(0..ranked.len() / 2)]).collect();
    for (limit, places) in [(wanted - curious, &ranked), (wanted, &drawn), (wanted, &ranked)] {
        for place in places {
            let look = looks[*place];
            if chosen.len() < limit && !known.iter().any(|other| alike(&look, other)) {
                known.push(look);
                chosen.push((sketches[*place].clone(), look));
            }
        }
    }
    // Where all are alike, the first still teaches how much one trial differs from the next.
    if chosen.is_empty() {
        chosen.extend(ranked.into_iter().take(wanted).map(|place| (sketches[place].clone(), looks[place])));
    }
    Ok(chosen)
}

/// Places of looks, the most promising first.
fn order(ranker: &Ranker, looks: &[Look]) -> Vec<usize> {
    let scores: Vec<f64> = looks.iter().map(|look| ranker.score(look)).collect();
    let mut places: Vec<usize> = (0..looks.len()).collect();
    places.sort_by(|a, b| scores[*a].total_cmp(&scores[*b]));
    places
}

fn child(stage: &Stage, wish: &Wish, parents: &[&Trial], random: &mut impl Rng) -> Sketch {
    let fresh = |random: &mut _| Sketch::sample(stage, wish.lossless, random);
    let draw = random.random_range(0..10);
    let pick = |random: &mut dyn FnMut() -> f64| {
        // The better a parent, the likelier.
        let place = (random().powi(2) * parents.len() as f64) as usize;
        parents.get(place).map(|trial| &trial.sketch)
    };
    let mut unit = || random.random::<f64>();
    let (Some(one), Some(other)) = (pick(&mut unit), pick(&mut unit)) else { return fresh(random) };
    match draw {
        0..6 => one.changed(stage, wish.lossless, random),
        6..8 => one.crossed(other, random).changed(stage, wish.lossless, random),
        _ => fresh(random),
    }
}

fn alike(a: &Look, b: &Look) -> bool {
    let same = |a: f64, b: f64| (a - b).abs() <= NEAR * a.abs().max(b.abs()).max(0.05);
    (a.forecast / b.forecast).ln().abs() < 0.002 && (0..TRAITS).all(|k| same(a.traits[k], b.traits[k]))
}
