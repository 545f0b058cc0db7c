//! f, g and what is known of P*, in words.

use hemingway::model::{Bracket, ContextModel, Reach};

use crate::show::{Basis, number};

/// The optimum and how sure it is.
pub(super) fn optimum(bracket: &Bracket) -> String {
    let proved =
        bracket.lower_bound.map_or(String::new(), |bound| format!(", proved above {}", number::objective(bound)));
    let limit = bracket.low.map_or_else(
        || "nothing bounds it from below".into(),
        |low| format!("above {} with 95 %", number::objective(low)),
    );
    let (mid, best) = (number::objective(bracket.mid), number::objective(bracket.best));
    format!("Optimum: about {mid}, {limit}; best seen {best}{proved}")
}

/// f(m), in the terms that mean something to people.
pub(super) fn f(context: &ContextModel) -> String {
    let Some(system) = &context.system else { return "no times in the records".into() };
    let Some(theta) = system.theta() else {
        return "seconds/round of one number of machines; of others only guessed".into();
    };
    let terms = ["", "/m", "·ln m", "·m"].iter().zip(theta).filter(|(_, theta)| *theta > 0.0);
    let terms: Vec<String> = terms.map(|(term, theta)| format!("{}{term}", number::digits(theta))).collect();
    format!("seconds/round, in Ernest's terms, ≈ {}", terms.join(" + "))
}

/// How rounds grow with machines and with precision.
pub(super) fn g(context: &ContextModel, targets: &[f64], basis: &Basis) -> String {
    if context.convergence.is_none() {
        let Some(samples) = &context.samples else {
            return "unknown: no run is recorded from its first round on with an objective that falls".into();
        };
        if let Some(doubt) = samples.doubt() {
            return format!("unknown for all rows: {doubt}");
        }
    }
    let (Some(&few), Some(&many)) = (basis.machines.first(), basis.machines.last()) else { return String::new() };
    let Some(&target) = targets.iter().min_by(|a, b| a.total_cmp(b)) else { return String::new() };
    let rounds = |m: usize| context.rounds_to(target, m).and_then(Reach::estimate).map(|rounds| rounds.mid);
    let level = number::target(target);
    match (rounds(few), rounds(many)) {
        (Some(first), Some(last)) if many > few && first > 0.0 && last > 0.0 => {
            let doublings = (many as f64 / few as f64).log2();
            let factor = (last / first).powf(1.0 / doublings);
            format!("rounds to {level} × {} for each doubling of machines", number::digits(factor))
        }
        (Some(rounds), _) => {
            format!("{} rounds to {level} on {}", number::whole(rounds), number::counted(few, "machine"))
        }
        (None, _) if context.rounds_to(target, few) == Some(Reach::Never) => {
            format!("never gets to {level} on {}", number::counted(few, "machine"))
        }
        (None, _) => format!("no ground for rounds to {level}"),
    }
}
