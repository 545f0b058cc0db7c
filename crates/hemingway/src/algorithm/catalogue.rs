//! Which algorithms there are, by name, and which of them apply to a problem.

use std::sync::Arc;

use super::{Algorithm, Support};
use super::{
    admm, als, ccd, cocoa, gd, gram, lbfgs, local_sgd, minibatch_sdca, minibatch_sgd, newton, noop, proxcocoa, splash,
    strads, svrg,
};
use crate::backend::Config;
use crate::problem::{Classes, Factors, Loss, Penalty, Problem};
use crate::schedule::Schedule;
use crate::{Error, Result};

/// Every algorithm that learns a linear model, in the order in which tables print them.
pub fn all() -> Vec<Arc<dyn Algorithm>> {
    vec![
        Arc::new(gd::Gd),
        Arc::new(lbfgs::Lbfgs),
        Arc::new(newton::Newton),
        Arc::new(gram::Gram),
        Arc::new(minibatch_sgd::MinibatchSgd),
        Arc::new(local_sgd::LocalSgd),
        Arc::new(splash::Splash),
        Arc::new(svrg::Svrg),
        Arc::new(minibatch_sdca::MinibatchSdca),
        Arc::new(cocoa::Cocoa::averaging()),
        Arc::new(cocoa::Cocoa::adding()),
        Arc::new(proxcocoa::ProxCocoa),
        Arc::new(strads::Strads { schedule: Schedule::dynamic() }),
        Arc::new(admm::Admm),
        Arc::new(noop::Noop),
    ]
}

/// Every algorithm that factorizes ratings.
pub fn factorizers() -> Vec<Arc<dyn Algorithm>> {
    vec![Arc::new(als::Als::default()), Arc::new(ccd::Ccd::default())]
}

/// Those worth planning with. Of implicit feedback a few steps of conjugate gradients gain nearly what exact regressions
/// do, at less than half of the work (`bench/src/bin/factors.rs`).
pub fn factorizing_candidates(factors: &Factors) -> Vec<String> {
    let als = if factors.biased() { "als" } else { "als:cg=3" };
    vec![als.into(), "ccd++".into()]
}

fn factorizer_names() -> String {
    factorizers().iter().map(|a| a.name().to_string()).collect::<Vec<_>>().join(", ")
}

/// The algorithm of this name, with the settings that follow it.
pub fn by_name(name: &str) -> Result<Arc<dyn Algorithm>> {
    let all: Vec<_> = all().into_iter().chain(factorizers()).collect();
    let (plain, settings) = name.split_once(':').map_or((name, None), |(plain, settings)| (plain, Some(settings)));
    let Some(algorithm) = all.iter().find(|a| a.name() == plain) else {
        let what = format!(
            "`{plain}` is not an algorithm; there are {}; for ratings {}",
            names_of(|_| true),
            factorizer_names()
        );
        return Err(Error::setting("--algorithm", what));
    };
    let Some(settings) = settings else { return Ok(Arc::clone(algorithm)) };
    algorithm.tuned(settings).map_err(|what| Error::setting("--algorithm", what))
}

/// The one way to write a name, if it is known.
pub(crate) fn written(name: String) -> String {
    by_name(&name).map_or(name, |algorithm| algorithm.name().into())
}

/// The name of an algorithm without its settings.
pub fn family(name: &str) -> &str {
    name.split_once(':').map_or(name, |(family, _)| family)
}

/// The algorithm of a configuration, with its schedule.
pub fn of(config: &Config) -> Result<Arc<dyn Algorithm>> {
    let algorithm = by_name(&config.algorithm)?;
    if config.schedule == algorithm.schedule() {
        return Ok(algorithm);
    }
    algorithm.scheduled(config.schedule).ok_or_else(|| {
        let what = format!("{} moves everything in every round; schedules go with strads", config.algorithm);
        Error::setting("--schedule", what)
    })
}

/// The schedule that an algorithm has unless another is asked for.
pub fn schedule(name: &str) -> Schedule {
    by_name(name).map_or(Schedule::All, |algorithm| algorithm.schedule())
}

/// The algorithm that this one is the same as on one machine.
pub fn alone(name: &str) -> Option<String> {
    by_name(name).ok().map(|algorithm| algorithm.alone().into())
}

/// The rounds after which an algorithm is at P*, where that is known beforehand.
pub fn rounds_in_all(name: &str) -> Option<u64> {
    by_name(name).ok()?.rounds_in_all()
}

/// The algorithms worth planning with for this problem: all that apply, but for those that another outdoes and the one
/// that only measures overhead.
/// Where an error is to be claimed they must converge to P*: nothing can be claimed of one that stops at its own floor.
pub fn candidates(loss: Loss, penalty: &Penalty, must_be_exact: bool) -> Vec<Arc<dyn Algorithm>> {
    let good = |support| support == Support::Exact || (support == Support::Approximate && !must_be_exact);
    let mut fit: Vec<_> =
        all().into_iter().filter(|a| good(a.support(loss)) && check(a.as_ref(), loss, penalty).is_ok()).collect();
    let names: Vec<String> = fit.iter().map(|a| a.name().into()).collect();
    fit.retain(|a| a.outdone_by(loss, penalty).is_none_or(|better| names.iter().all(|name| name != better)));
    // Time may run out before all are looked at: first those that are sure to get there.
    fit.sort_by_key(|a| a.support(loss) != Support::Exact);
    fit
}

/// Some of the algorithms, as they are listed in sentences.
fn names_of(which: impl Fn(&dyn Algorithm) -> bool) -> String {
    let names = all().into_iter().filter(|a| which(a.as_ref())).map(|a| a.name().to_string());
    names.collect::<Vec<_>>().join(", ")
}

/// Refuses an algorithm that does not apply to a problem, in words that say which do.
pub fn check_problem(algorithm: &dyn Algorithm, problem: &Problem) -> Result<()> {
    let (loss, penalty) = (problem.loss, &problem.penalty);
    if algorithm.factorizes() != problem.factors.is_some() {
        let what = match problem.factors {
            Some(_) => {
                format!("{} does not factorize ratings; these do: {}", algorithm.name(), factorizer_names())
            }
            None => format!("{} factorizes ratings, nothing else: ask for --problem mf", algorithm.name()),
        };
        return Err(Error::setting("--algorithm", what));
    }
    if algorithm.factorizes() {
        return Ok(());
    }
    check_for(algorithm, loss, penalty, problem.classes)?;
    algorithm.fits(&problem.outline()).map_err(|what| Error::setting("--algorithm", what))
}

/// Refuses an algorithm that does not apply to a loss and a penalty, in words that say which do.
pub fn check(algorithm: &dyn Algorithm, loss: Loss, penalty: &Penalty) -> Result<()> {
    check_for(algorithm, loss, penalty, None)
}

/// What to say where nothing applies to a problem that an algorithm is to be chosen for.
pub(crate) fn none_applies(problem: &Problem) -> Error {
    let (loss, Penalty { l2, l1 }) = (problem.loss, problem.penalty);
    let scheme = problem.classes.map_or(String::new(), |classes| format!("{} of ", classes.scheme));
    let others = others(loss, &problem.penalty, problem.classes);
    let what = format!("nothing takes {scheme}the {loss} loss with --l2 {l2} and --l1 {l1}; {others}");
    Error::setting("--algorithms", what)
}

fn check_for(algorithm: &dyn Algorithm, loss: Loss, penalty: &Penalty, classes: Option<Classes>) -> Result<()> {
    let Some(why) = obstacle(algorithm, loss, penalty, classes) else { return Ok(()) };
    let what = format!("{} {why}; {}", algorithm.name(), others(loss, penalty, classes));
    Err(Error::setting("--algorithm", what))
}

fn solves(algorithm: &dyn Algorithm, loss: Loss) -> bool {
    matches!(algorithm.support(loss), Support::Exact | Support::Approximate)
}

/// What keeps an algorithm from such problems.
fn obstacle(algorithm: &dyn Algorithm, loss: Loss, penalty: &Penalty, classes: Option<Classes>) -> Option<String> {
    let stranger = classes.filter(|classes| !algorithm.takes_classes(classes.scheme));
    if algorithm.support(loss) == Support::No {
        Some(format!("does not apply to the {loss} loss"))
    } else if penalty.l1 > 0.0 && solves(algorithm, loss) && !algorithm.takes_l1() {
        Some("does not take --l1".into())
    } else if algorithm.is_dual() && penalty.l2 <= 0.0 {
        Some("works on the dual, which needs --l2 above 0".into())
    } else {
        stranger.map(|classes| format!("does not take {} of the {loss} loss", classes.scheme))
    }
}

/// Who does apply, or would if one thing were otherwise.
fn others(loss: Loss, penalty: &Penalty, classes: Option<Classes>) -> String {
    let those = |penalty: &Penalty, classes: Option<Classes>| {
        names_of(|a| solves(a, loss) && obstacle(a, loss, penalty, classes).is_none())
    };
    let ways = [
        ("these do", those(penalty, classes)),
        ("with --l2 above 0 these do", those(&Penalty { l2: 1.0, ..*penalty }, classes)),
        ("with --l1 0 these do", those(&Penalty { l1: 0.0, ..*penalty }, classes)),
        ("of two classes (--positive LABEL) these do", those(penalty, None)),
    ];
    let way = ways.into_iter().find(|(_, names)| !names.is_empty());
    way.map_or_else(|| "no algorithm does".into(), |(words, names)| format!("{words}: {names}"))
}
