//! For which larger error another configuration would have been the better choice: by what was measured alone.

use hemingway::backend::Config;
use hemingway::goal::Goal;
use hemingway::record::{Trace, traces};

use super::Story;
use super::choice::Change;

/// A goal so many times looser is another wish altogether.
const TOO_LOOSE: f64 = 100.0;

/// The rival that stayed ahead of the choice the longest, if any did: from the same start, by the training clock.
pub(super) fn looser(story: &Story, chosen: &Config) -> Option<Change> {
    let Goal::Reach { error: goal, .. } = story.history.spec.goal else { return None };
    let all = traces(&story.history.records);
    let is_chosen = |trace: &&Trace| trace.context == chosen.algorithm && trace.machines == chosen.machines;
    let own = descent(all.iter().filter(|trace| trace.fresh).find(is_chosen)?);
    let rivals = all.iter().filter(|trace| trace.fresh && !is_chosen(trace));
    let ahead = rivals.filter_map(|rival| {
        let (objective, seconds, against) = last_lead(&descent(rival), &own)?;
        let config = Config::new(&rival.context, rival.machines);
        Some(Change::Looser { config, error: story.error(objective)?, seconds, against })
    });
    let error = |change: &Change| match change {
        Change::Looser { error, .. } => *error,
        _ => f64::INFINITY,
    };
    ahead
        .filter(|change| (goal..=TOO_LOOSE * goal).contains(&error(change)))
        .min_by(|a, b| error(a).total_cmp(&error(b)))
}

/// (seconds, objective) wherever a run got lower than ever before.
fn descent(trace: &Trace) -> Vec<(f64, f64)> {
    let mut lowest = f64::INFINITY;
    let known = trace.points.iter().filter_map(|point| Some((point.seconds?, point.objective?)));
    known
        .filter(|(_, objective)| {
            *objective < lowest && {
                lowest = *objective;
                true
            }
        })
        .collect()
}

/// The lowest objective that the rival reached before the other did: (objective, its seconds, the other's).
fn last_lead(rival: &[(f64, f64)], own: &[(f64, f64)]) -> Option<(f64, f64, f64)> {
    rival.iter().rev().find_map(|&(seconds, objective)| {
        let (against, _) = own.iter().find(|(_, reached)| *reached <= objective)?;
        (seconds < *against).then_some((objective, seconds, *against))
    })
}

#[cfg(test)]
mod tests {
    use super::last_lead;

    #[test]
    fn the_lead_ends_where_the_other_overtakes() {
        let own = [(0.0, 1.0), (4.0, 0.5), (5.0, 0.1)];
        let rival = [(0.0, 1.0), (1.0, 0.8), (3.0, 0.6), (9.0, 0.3), (12.0, 0.05)];
        assert_eq!(last_lead(&rival, &own), Some((0.6, 3.0, 4.0)));
        assert_eq!(last_lead(&own, &own), None);
        assert_eq!(last_lead(&[], &own), None);
    }
}
