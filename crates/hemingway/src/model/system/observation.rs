//! Seconds a round, as the records give them.

use super::super::FitOptions;
use super::super::estimate::spread;
use super::super::linalg::median;
use crate::record::Trace;

/// What one (m, share of the data) costs: the median over runs of their mean seconds a round.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Observation {
    /// Number of machines, m.
    pub machines: usize,
    /// Share of the full data.
    pub fraction: f64,
    /// Seconds of one round.
    pub seconds: f64,
    /// Standard deviation of ln seconds, as far as repeats show it.
    pub noise: Option<f64>,
}

/// Medians over runs by (m, share), of traces that may teach f: never those with more workers than cores.
pub fn observations(traces: &[&Trace], options: &FitOptions) -> Vec<Observation> {
    let mut runs: Vec<Observation> = Vec::new();
    for trace in traces.iter().filter(|trace| !options.oversubscribed(trace)) {
        let rounds = trace.round_seconds();
        let noise = between_rounds(&rounds);
        let run = |seconds| Observation { machines: trace.machines, fraction: trace.fraction, seconds, noise };
        runs.extend(steady_mean(rounds).map(run));
    }
    runs.sort_by(|a, b| a.machines.cmp(&b.machines).then(a.fraction.total_cmp(&b.fraction)));
    let groups: Vec<&[Observation]> =
        runs.chunk_by(|a, b| a.machines == b.machines && a.fraction == b.fraction).collect();
    let between_runs = between_runs(&groups);
    let observe = |group: &&[Observation]| {
        let seconds = median(group.iter().map(|run| run.seconds).collect())?;
        // A run's own rounds know nothing of what differs from run to run: they speak only where nothing else does.
        let one = between_runs.or(group[0].noise);
        Some(Observation { seconds, noise: one.map(|one| one / (group.len() as f64).sqrt()), ..group[0] })
    };
    groups.iter().filter_map(observe).collect()
}

/// Standard deviation of ln seconds from run to run, pooled over all (m, share) with repeats.
fn between_runs(groups: &[&[Observation]]) -> Option<f64> {
    let mut squares = Vec::new();
    for group in groups.iter().filter(|group| group.len() > 1) {
        let logs: Vec<f64> = group.iter().map(|run| run.seconds.ln()).collect();
        let (middle, count) = (median(logs.clone())?, logs.len() as f64);
        // The median was taken from the same few values: without the factor pairs would seem closer than they are.
        let freedom = count / (count - 1.0);
        squares.extend(logs.iter().map(|log| freedom * (log - middle).powi(2)));
    }
    spread(squares)
}

/// Standard deviation of the logarithm of a run's mean, as its rounds differ; of fewer than five it says nothing.
fn between_rounds(rounds: &[f64]) -> Option<f64> {
    let logs: Vec<f64> = rounds.iter().map(|seconds| seconds.ln()).collect();
    let middle = median(logs.clone()).filter(|_| logs.len() >= 5)?;
    let usual = median(logs.iter().map(|log| (log - middle).abs()).collect())?;
    Some(1.4826 * usual / (logs.len() as f64).sqrt())
}

/// Mean of the rounds after the tenth at either end is pulled in: rounds of several kinds must all count, one hiccup
/// must not.
pub(crate) fn steady_mean(mut seconds: Vec<f64>) -> Option<f64> {
    seconds.sort_by(f64::total_cmp);
    let (count, cut) = (seconds.len(), seconds.len() / 10);
    let (low, high) = (*seconds.get(cut)?, *seconds.get(count - 1 - cut)?);
    Some(seconds.iter().map(|value| value.clamp(low, high)).sum::<f64>() / count as f64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_hiccup_does_not_move_the_mean_but_kinds_of_rounds_do() {
        let mut rounds = vec![1.0; 20];
        rounds[7] = 100.0;
        assert_eq!(steady_mean(rounds), Some(1.0));
        assert_eq!(steady_mean([1.0, 3.0].repeat(10)), Some(2.0));
        assert_eq!(steady_mean(vec![]), None);
    }
}
