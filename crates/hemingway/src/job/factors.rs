//! Jobs that factorize ratings.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::{Facts, Job, JobSpec};
use crate::data::prepare::{LabelRule, Rules};
use crate::data::ratings::{Directory, Listed, Meaning};
use crate::data::{Dataset, Info};
use crate::goal::Goal;
use crate::problem::{Factors, Problem};
use crate::trained::RatingModel;
use crate::{Error, Result};

/// λ where none is given: explicit ratings, implicit feedback.
const EXPLICIT_L2: f64 = 0.1;
const IMPLICIT_L2: f64 = 0.01;
/// A factor longer than this is a slip of the pen.
const MOST_RANK: usize = 4096;

/// `--problem mf`: what ratings are to be factorized into.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct FactorSpec {
    /// `--rank`.
    pub rank: usize,
    /// `--implicit`, with its `--alpha`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub alpha: Option<f64>,
}

/// Whose ratings they are, and of what.
#[derive(Debug, Clone, PartialEq)]
pub struct Raters {
    /// The id of each row, as dealt.
    pub users: Vec<String>,
    /// The id of each column.
    pub items: Vec<String>,
}

impl FactorSpec {
    fn meaning(&self) -> Meaning {
        if self.alpha.is_some() { Meaning::Implicit } else { Meaning::Explicit }
    }

    /// A sentence about a rank that nothing needs.
    fn beyond(&self, users: usize, items: usize) -> Option<String> {
        let (rank, fewer) = (self.rank, users.min(items));
        let whose = if users < items { "users" } else { "items" };
        (rank > fewer)
            .then(|| format!("--rank {rank} is more than there are {whose} ({fewer}): {fewer} would do as well"))
    }
}

impl JobSpec {
    /// Reads the ratings and lays out what may be chosen.
    pub(super) fn check_ratings(self, asked: FactorSpec) -> Result<Job> {
        self.check_settings()?;
        self.check_factors(asked)?;
        let ratings = Listed::load(&self.data, asked.meaning())?.into_ratings(asked.meaning())?;
        let mut notes = ratings.notes.clone();
        let raters = Raters { users: ratings.dealt_users(self.seed), items: ratings.items };
        notes.extend(asked.beyond(raters.users.len(), raters.items.len()));
        let (info, fingerprint) = (Info::of(&ratings.dataset), ratings.dataset.fingerprint());
        let usual = if asked.alpha.is_some() { IMPLICIT_L2 } else { EXPLICIT_L2 };
        let l2 = self.l2.unwrap_or(usual);
        let problem = Problem::of_ratings(ratings.dataset, asked.rank, asked.alpha, l2, self.seed)?;
        self.check_measure(problem.factors)?;
        let test = self.ratings_to_measure_on(asked, &raters, &mut notes)?;
        let facts = self.facts(problem.fingerprint(fingerprint), info, &problem)?;
        let columns = raters.items.len();
        let rules =
            Rules { columns, names: None, unit_rows: false, scales: None, intercept: false, labels: LabelRule::Keep };
        let raters = Some(Arc::new(raters));
        Ok(Job { spec: self, facts, problem, test, rules, base: None, notes, engines: None, rounds: None, raters })
    }

    /// Refuses what has no meaning for ratings.
    fn check_factors(&self, asked: FactorSpec) -> Result<()> {
        let refuse = |field: &str, what: &str| Err(Error::setting(field, what));
        if let Goal::Reach { .. } = self.goal {
            let what = "the best factorization is not known and nothing bounds it: ask for --reach-metric rmse=V with --test \
                        FILE (implicit: ndcg10), --within T, --spend $, or `run --rounds N`";
            return refuse("--reach", what);
        }
        if !(1..=MOST_RANK).contains(&asked.rank) {
            return Err(Error::setting("--rank", format!("{} is not a number from 1 to {MOST_RANK}", asked.rank)));
        }
        if asked.alpha.is_some_and(|alpha| !(alpha.is_finite() && alpha > 0.0)) {
            return refuse("--alpha", "must be above 0: it is how much more an entry counts than its absence");
        }
        if self.l2.is_some_and(|l2| l2 <= 0.0) {
            return refuse(
                "--l2",
                "must be above 0 with --problem mf: users with few ratings have no factor otherwise",
            );
        }
        let meaningless = [
            ("--loss", self.loss.is_some()),
            ("--l1", self.l1 != 0.0),
            ("--label", !self.labels.is_default()),
            ("--weight", !self.weights.is_default()),
            ("--class-weight", self.class_weight.is_some()),
            ("--normalize", self.preparation.normalize.is_some()),
            ("--positive", self.preparation.positive.is_some()),
            ("--classes", self.preparation.classes.is_some()),
            ("--intercept", self.preparation.intercept),
            ("--storage", !self.preparation.storage.is_auto()),
            ("--fraction", self.fraction.is_some()),
            ("--sync", self.sync.is_some()),
        ];
        match meaningless.into_iter().find(|(_, given)| *given) {
            Some((field, _)) => refuse(field, "means nothing with --problem mf; leave it out"),
            None => Ok(()),
        }
    }

    fn check_measure(&self, factors: Option<Factors>) -> Result<()> {
        let (Goal::ReachMetric { metric, .. }, Some(factors)) = (&self.goal, factors) else { return Ok(()) };
        if factors.measure_names().contains(&metric.as_str()) {
            return Ok(());
        }
        let known = factors.measure_names().join(", ");
        Err(Error::setting("--reach-metric", format!("`{metric}` is not measured of such factors; there are {known}")))
    }

    fn ratings_to_measure_on(
        &self,
        asked: FactorSpec,
        raters: &Raters,
        notes: &mut Vec<String>,
    ) -> Result<Option<Arc<Dataset>>> {
        let Some(test) = &self.test else { return Ok(None) };
        let listed = Listed::load(test, asked.meaning())?;
        let (dataset, note) = Directory::of(&raters.users, &raters.items).arrange(&listed, asked.meaning());
        if dataset.matrix.stored() == 0 {
            return Err(Error::file(test, "holds no ratings to measure on"));
        }
        if asked.meaning() == Meaning::Implicit && dataset.matrix.stored_in(0..raters.users.len()) == 0 {
            return Err(Error::file(test, "holds no user that is trained on: there is nobody to measure with"));
        }
        notes.extend(note);
        Ok(Some(Arc::new(dataset)))
    }
}

impl Job {
    /// What a model of ratings holds beside its weights, if the job is of such.
    pub(crate) fn rating_model(&self) -> Option<RatingModel> {
        let (raters, factors) = (self.raters.as_ref()?, self.problem.factors?);
        let matrix = &self.problem.data.matrix;
        let seen = (0..matrix.rows()).map(|u| matrix.row(u).iter().map(|(i, _)| i).collect()).collect();
        Some(RatingModel { factors, users: raters.users.clone(), items: raters.items.clone(), seen })
    }
}

impl Facts {
    /// What is learnt, in words.
    pub fn told(&self) -> String {
        self.factors.map_or_else(|| self.loss_told(), |factors| factors.told())
    }
}
