//! Seconds a round, as the records give them.

use super::super::FitOptions;
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
}

/// Medians over runs by (m, share), of traces that may teach f: never those with more workers than cores.
pub fn observations(traces: &[&Trace], options: &FitOptions) -> Vec<Observation> {
    let mut means: Vec<(usize, f64, f64)> = Vec::new();
    for trace in traces.iter().filter(|trace| !options.oversubscribed(trace)) {
        let seconds = steady_mean(trace.round_seconds());
        means.extend(seconds.map(|seconds| (trace.machines, trace.fraction, seconds)));
    }
    means.sort_by(|a, b| a.0.cmp(&b.0).then(a.1.total_cmp(&b.1)));
    let groups = means.chunk_by(|a, b| a.0 == b.0 && a.1 == b.1);
    let observe = |group: &[(usize, f64, f64)]| {
        let seconds = median(group.iter().map(|(_, _, seconds)| *seconds).collect())?;
        Some(Observation { machines: group[0].0, fraction: group[0].1, seconds })
    };
    groups.filter_map(observe).collect()
}

/// Mean of the rounds after the tenth at either end is pulled in: rounds of several kinds must all count, one hiccup
/// must not.
fn steady_mean(mut seconds: Vec<f64>) -> Option<f64> {
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
