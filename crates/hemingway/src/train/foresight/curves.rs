//! What a job's own runs tell of rounds: not knowing P*, for every place it may be at.

use super::super::History;
use super::rehearsed::Heard;
use crate::algorithm;
use crate::model::{Bracket, Expectation, Level, stage_slope};
use crate::record::{Trace, traces};

/// Places of P* considered, and the nearest below the best value, as a share of it.
const PLACES: usize = 28;
const NEAREST: f64 = 1e-8;
/// The least that is left to gain, as a share of the last round's gain: nothing converges quicker than by this factor.
const QUICKEST: f64 = 0.02;
/// Late rounds are those after this share of all. ln(gain still to come / gain of late rounds) is usually 2.5 − ½ ln rounds,
/// but not below 0.7, and off from that by UNUSUAL (the tapes of `bench/regret`).
const LATE: f64 = 0.8;
const USUAL: (f64, f64, f64) = (2.5, 0.5, 0.7);
const UNUSUAL: f64 = 1.0;
/// ln of the part of the gap between its own best value and bound that a run on dual variables still has to gain: −0.95 on
/// one machine, less by 0.45 for each ln m down to −1.95; and off from that by 0.55, more by 0.3 for each ln m (the tapes
/// of `bench/regret`).
const OF_GAP: (f64, f64, f64) = (-0.95, -0.45, -1.95);
const OFF_GAP: (f64, f64) = (0.55, 0.3);
/// Rounds after which a run foresees its own end.
const LONG: u64 = 8;
/// Below this share of P(0) the optimum counts as this.
const ZERO: f64 = 1e-12;
/// Rounds of a run at which its level is looked at, as shares of its last.
const LOOKS: [f64; 4] = [1.0, 0.6, 0.35, 0.2];

/// One stretch of a run: its best values so far.
pub(super) struct Stretch {
    /// The algorithm, and those that are the same on one machine where it is one.
    algorithms: Vec<String>,
    machines: usize,
    /// P where it began, if that was not from nothing.
    warm: Option<f64>,
    /// (rounds since, best P so far) wherever that fell.
    steps: Vec<(u64, f64)>,
    /// Rounds since, all in all: those after the last step gained nothing.
    last: u64,
    bound: f64,
    /// It moves dual variables, which prove about as much as they gain.
    dual: bool,
}

/// One place P* may be at, and what the runs then say.
#[derive(Debug, Clone)]
pub(super) struct World {
    /// P(0) and P*, unless nothing has run yet.
    ends: Option<(f64, f64)>,
    /// How likely.
    pub(super) weight: f64,
    /// What is then thought of the rounds.
    pub(super) expectation: Expectation,
}

impl World {
    /// Before any run is told of, knowing P(0) and P*.
    pub(super) fn at(ends: (f64, f64), expectation: Expectation) -> Self {
        Self { ends: Some(ends), weight: 0.0, expectation }
    }

    /// X of an objective; none where there is no P* yet, or it is passed.
    pub(super) fn depth(&self, objective: f64) -> Option<f64> {
        let (start, optimum) = self.ends?;
        let to_gain = objective - optimum;
        (to_gain > 0.0).then(|| ((start - optimum) / to_gain).ln().max(0.0))
    }

    /// X of an error of 1, as far as it is known: mean and standard deviation.
    pub(super) fn start(&self) -> (f64, f64) {
        self.ends.map_or(self.expectation.start(), |(start, optimum)| {
            (((start - optimum) / optimum.max(ZERO * start)).ln(), 0.0)
        })
    }
}

impl Stretch {
    /// Of a job and what it recalls, in order.
    pub(super) fn all(history: &History) -> (Vec<Self>, Option<Bracket>) {
        let own = joined(traces(&history.records));
        let all: Vec<&Trace> = history.facts.lore.traces.iter().chain(&own).collect();
        // Of a few rounds the ends of curves cannot be foreseen.
        let long = all.iter().any(|trace| trace.last_round() >= LONG);
        let bracket = Bracket::of(all.iter().copied()).filter(|_| long);
        let stretch = |trace| Self::of(trace, &history.facts.algorithms);
        (all.into_iter().filter_map(stretch).collect(), bracket)
    }

    fn of(trace: &Trace, candidates: &[String]) -> Option<Self> {
        let (first, start) = trace.objectives().next()?;
        let begun = if trace.fresh { 0 } else { first };
        let mut steps: Vec<(u64, f64)> = Vec::new();
        for (round, objective) in trace.objectives() {
            let (before, best) = steps.last().copied().unwrap_or((0, f64::INFINITY));
            if steps.is_empty() || objective < best {
                // Journals that others have written may go back in rounds.
                steps.push((round.saturating_sub(begun).max(before), objective));
            }
        }
        Some(Self {
            algorithms: same(&trace.context, trace.machines, candidates),
            machines: trace.machines,
            warm: (!trace.fresh).then_some(start),
            steps,
            last: trace.last_round().saturating_sub(begun),
            bound: trace.lower_bound().unwrap_or(0.0),
            dual: algorithm::by_name(&trace.context).is_ok_and(|algorithm| algorithm.is_dual()),
        })
    }

    fn best(&self) -> f64 {
        self.steps.last().map_or(f64::INFINITY, |step| step.1)
    }

    /// Tells an expectation which level was reached when; how likely that was, in ln.
    fn tell(&self, world: &mut World) -> f64 {
        let last = self.last;
        if last == 0 {
            return 0.0;
        }
        let mut likely = 0.0;
        let mut told = u64::MAX;
        for look in LOOKS {
            let place = self.steps.partition_point(|step| step.0 as f64 <= look * last as f64);
            let Some(&(fell, objective)) = place.checked_sub(1).map(|place| &self.steps[place]) else { break };
            // It has not come any further by then.
            let round = if look == 1.0 { last } else { fell };
            if round == 0 || round >= told {
                continue;
            }
            told = round;
            let Some(depth) = world.depth(objective) else { continue };
            likely += self.tell_one(world, round, depth, (last as f64 / round as f64).ln());
        }
        likely
    }

    fn tell_one(&self, world: &mut World, round: u64, depth: f64, ahead: f64) -> f64 {
        let told = self.algorithms.iter().map(|name| self.tell_of(name, world, round, depth, ahead));
        // The same rounds are not more likely for having several names.
        told.collect::<Vec<_>>().first().copied().unwrap_or(0.0)
    }

    fn tell_of(&self, algorithm: &str, world: &mut World, round: u64, depth: f64, ahead: f64) -> f64 {
        let level = |depth: f64| Level { algorithm, machines: self.machines, depth };
        let mut rounds = round as f64;
        let mut blur = 0.0;
        // A warm start has the rounds behind it that its level stands for.
        if let Some(start) = self.warm.and_then(|start| world.depth(start)) {
            let Some(before) = world.expectation.ln_rounds(level(start)).map(f64::exp) else { return 0.0 };
            blur = 0.1 + (0.5 * before / (before + rounds)).powi(2);
            rounds += before;
        }
        world.expectation.see(level(depth), rounds, ahead, blur)
    }
}

/// Stretches of one run, where its iterates are the same on any machines, as one.
fn joined(traces: Vec<Trace>) -> Vec<Trace> {
    let mut all: Vec<Trace> = Vec::new();
    for trace in traces {
        let same = algorithm::by_name(&trace.context).is_ok_and(|algorithm| algorithm.same_on_any());
        let goes_on = |last: &&mut Trace| same && last.run == trace.run && last.last_round() <= trace.last_round();
        match all.last_mut().filter(goes_on) {
            Some(last) => {
                last.machines = trace.machines;
                last.points.extend(trace.points);
            }
            None => all.push(trace),
        }
    }
    all
}

/// The algorithm, then those among the candidates that do the same on so many machines.
fn same(name: &str, machines: usize, candidates: &[String]) -> Vec<String> {
    let alone = algorithm::alone(name);
    let twin = |other: &&String| machines == 1 && *other != name && algorithm::alone(other) == alone;
    std::iter::once(name.to_string()).chain(candidates.iter().filter(twin).cloned()).collect()
}

impl Stretch {
    /// What the last round that gained anything did, on average since the one before.
    fn last_gain(&self) -> f64 {
        let [.., before, after] = self.steps[..] else { return 0.0 };
        (before.1 - after.1) / (after.0 - before.0).max(1) as f64
    }

    /// What the last of its rounds gained.
    fn late_gain(&self) -> f64 {
        let before = (LATE * self.last as f64) as u64;
        let place = self.steps.partition_point(|step| step.0 <= before);
        place.checked_sub(1).map_or(0.0, |place| self.steps[place].1 - self.best())
    }

    /// How likely it is that so much is still to be gained, in ln: the longer a run, the less over what it gained of late;
    /// Student's t of two degrees of freedom.
    fn likely(&self, gain: f64) -> f64 {
        let late = self.late_gain();
        if late <= 0.0 {
            return 0.0;
        }
        let usual = (USUAL.0 - USUAL.1 * (self.last.max(1) as f64).ln()).max(USUAL.2);
        let off = ((gain / late).ln() - usual) / UNUSUAL;
        -1.5 * (0.5 * off * off).ln_1p()
    }
}

/// How likely it is that P* lies there in the narrowest gap of all runs on dual variables, in ln.
fn likely_in_gap(stretches: &[Stretch], optimum: f64) -> f64 {
    let gap = |stretch: &Stretch| stretch.best() - stretch.bound;
    let told = stretches.iter().filter(|stretch| stretch.dual && stretch.last > 0 && gap(stretch) > 0.0);
    let Some(narrowest) = told.min_by(|a, b| gap(a).total_cmp(&gap(b))) else { return 0.0 };
    let ln_m = (narrowest.machines as f64).ln();
    let usual = (OF_GAP.0 + OF_GAP.1 * ln_m).max(OF_GAP.2);
    let to_gain = (narrowest.best() - optimum).max(f64::MIN_POSITIVE);
    let off = ((to_gain / gap(narrowest)).ln() - usual) / (OFF_GAP.0 + OFF_GAP.1 * ln_m);
    -0.5 * off * off / (1.0 + 0.05 * off * off)
}

/// Every place P* may be at between what is proved and the best value, evenly in the logarithm of what is left to gain.
pub(super) fn worlds(
    before: &Expectation,
    heard: &[Heard],
    stretches: &[Stretch],
    bracket: Option<&Bracket>,
) -> Vec<World> {
    let best = stretches.iter().map(Stretch::best).fold(f64::INFINITY, f64::min);
    if !best.is_finite() {
        let mut world = World { ends: None, weight: 1.0, expectation: before.clone() };
        heard.iter().for_each(|heard| heard.tell(&mut world));
        return vec![world];
    }
    let start = stretches.iter().filter_map(|stretch| stretch.steps.first()).map(|first| first.1).fold(best, f64::max);
    let bound = stretches.iter().map(|stretch| stretch.bound).fold(0.0, f64::max).min(best);
    let most = (best - bound).max(2.0 * NEAREST * best.abs());
    let holder = stretches.iter().find(|stretch| stretch.best() == best);
    let quickest = QUICKEST * holder.map_or(0.0, Stretch::last_gain);
    let least = (NEAREST * best.abs()).max(quickest).min(0.5 * most);
    let step = (most / least).ln() / (PLACES - 1) as f64;
    let mut worlds: Vec<World> = (0..PLACES)
        .map(|k| {
            let optimum = best - most * (-(k as f64) * step).exp() * 0.999;
            let mut world = World::at((start, optimum), before.clone());
            heard.iter().for_each(|heard| heard.tell(&mut world));
            world.weight = stretches.iter().map(|stretch| stretch.tell(&mut world)).sum();
            world.weight += holder.map_or(0.0, |holder| holder.likely(best - optimum));
            world.weight += likely_in_gap(stretches, optimum);
            // Rounds are given and the depth is what comes of them: the density of X, not of ln rounds.
            world.weight += world.depth(best).map_or(0.0, |depth| stage_slope(depth).ln());
            world.weight -= bracket.map_or(0.0, |bracket| misfit(best - optimum, best - bracket.mid));
            world
        })
        .collect();
    let top = worlds.iter().map(|world| world.weight).fold(f64::NEG_INFINITY, f64::max);
    worlds.iter_mut().for_each(|world| world.weight = (world.weight - top).exp());
    worlds.retain(|world| world.weight > 1e-4);
    let total: f64 = worlds.iter().map(|world| world.weight).sum();
    worlds.iter_mut().for_each(|world| world.weight /= total);
    worlds
}

/// How ill a gain still to come agrees with the one that runs themselves foresee: off by a factor of five on average, and
/// at times by far more.
fn misfit(gain: f64, foreseen: f64) -> f64 {
    if foreseen > 0.0 { ((gain / foreseen).ln() / 1.2).powi(2).ln_1p() } else { 0.0 }
}

#[cfg(test)]
mod tests;
