//! Command lines: the one that began a run, rebuilt from its journal, and those that ask for other jobs like it.

use hemingway::Result;
use hemingway::algorithm;
use hemingway::cluster::Cluster;
use hemingway::data::{Normalize, Precision};
use hemingway::goal::Goal;
use hemingway::job::{JobSpec, Mode};
use hemingway::record::store::Store;
use hemingway::sync::rounds::{RoundSpec, Way};
use hemingway::train::{Compared, History};

use super::Story;
use crate::clusters;
use crate::show::Remembered;

/// How to do the same again.
pub(crate) struct Again {
    /// The command.
    pub(crate) line: String,
    /// Files of clusters that do not come with the program, and of a strategy: their names and texts.
    pub(crate) files: Vec<(String, String)>,
}

impl Again {
    /// From what the journal says was asked.
    pub(crate) fn of(story: &Story) -> Result<Self> {
        let spec = &as_it_began(story);
        let places = places(story)?;
        let names: Vec<&str> = places.iter().map(|(name, _)| name.as_str()).collect();
        let mut line = line(spec, &names, Some(spec.seed));
        if let Some(ranks) = ranks(&story.history.facts.cluster) {
            line += &format!(" --engine mpi --ranks {ranks}");
        }
        let links = links(spec).map(place).transpose()?;
        let clusters = places.into_iter().chain(links).filter_map(|(name, text)| Some((name, text?)));
        Ok(Self { files: clusters.chain(strategy(spec)).collect(), line })
    }
}

/// What was asked, in such words that a store which has learned since, from this very run at least, gives the same answer.
fn as_it_began(story: &Story) -> JobSpec {
    let History { spec, facts, compared, .. } = &story.history;
    let chose = matches!(spec.mode, Mode::Choose { .. }) && compared.is_empty();
    let forget = spec.forget || chose && Remembered::of(&facts.lore).is_nothing();
    JobSpec { forget, ..spec.clone() }
}

/// The command that asks for this job on these clusters. `--store` is left to whoever knows it.
pub(crate) fn asking_for(spec: &JobSpec, clusters: &[&str]) -> String {
    line(spec, clusters, Some(spec.seed).filter(|seed| *seed != 0))
}

fn line(spec: &JobSpec, clusters: &[&str], seed: Option<u64>) -> String {
    let mut words = vec!["hemingway".to_string(), verb(&spec.mode).into(), spec.data.clone()];
    let mut say = |flag: &str, value: Option<String>| {
        words.extend(value.into_iter().flat_map(|value| [flag.to_string(), value]));
    };
    if let Mode::Fixed(config) = &spec.mode {
        say("--algorithm", Some(config.algorithm.clone()));
        say("--machines", Some(config.machines.to_string()));
        let schedule = Some(config.schedule).filter(|own| *own != algorithm::schedule(&config.algorithm));
        say("--schedule", schedule.map(|schedule| schedule.to_string()));
    }
    let (flag, value) = goal(&spec.goal);
    say(flag, Some(value));
    for name in clusters {
        say("--cluster", Some((*name).into()));
    }
    for (flag, value) in settings(spec) {
        say(flag, value);
    }
    say("--seed", seed.map(|seed| seed.to_string()));
    words.extend(switches(spec).map(str::to_owned));
    words.iter().map(|word| quoted(word)).collect::<Vec<_>>().join(" ")
}

/// A value of `--cluster`, and the text of the file it names if it does not come with the program.
type Place = (String, Option<String>);

/// The clusters that one was chosen among, or the only one.
fn places(story: &Story) -> Result<Vec<Place>> {
    let history = &story.history;
    if history.compared.is_empty() {
        return history.spec.cluster.iter().map(place).collect();
    }
    let store = Store::at(&story.store);
    let elsewhere = |run: &str| History::of(&store.find(run)?.events()?).map(|plan| plan.spec.cluster);
    let planned_on = |one: &Compared| match one.chosen {
        true => history.spec.cluster.clone(),
        // Its plan may be gone, or out of reach.
        false => elsewhere(&one.run).ok().flatten(),
    };
    let compared = history.compared.iter();
    compared.map(|one| planned_on(one).map_or_else(|| Ok((one.cluster.clone(), None)), |it| place(&it))).collect()
}

fn place(cluster: &Cluster) -> Result<Place> {
    let text = if clusters::is_shipped(cluster) { None } else { Some(cluster.toml()?) };
    Ok((cluster_name(cluster), text))
}

/// What a flag calls a cluster: its name if it comes with the program, else a file.
fn cluster_name(cluster: &Cluster) -> String {
    if clusters::is_shipped(cluster) { cluster.name.clone() } else { format!("{}.toml", cluster.name) }
}

/// The cluster whose links lie between ranks.
fn links(spec: &JobSpec) -> Option<&Cluster> {
    spec.sync.as_ref()?.links.as_ref()
}

/// How many ranks a job had, from what records call its place.
fn ranks(place: &str) -> Option<usize> {
    place.strip_prefix("mpi-")?.split(',').next()?.parse().ok()
}

/// The verb that asks for this.
pub(crate) fn verb(mode: &Mode) -> &'static str {
    match mode {
        Mode::Fixed(_) => "run",
        Mode::Choose { plan_only: true, .. } => "plan",
        Mode::Choose { .. } => "train",
    }
}

fn goal(goal: &Goal) -> (&'static str, String) {
    match goal {
        Goal::Reach { error, .. } => ("--reach", format!("{error:e}")),
        Goal::Within { seconds } => ("--within", seconds.to_string()),
        Goal::Spend { dollars } => ("--spend", dollars.to_string()),
        Goal::ReachMetric { metric, value, .. } => ("--reach-metric", format!("{metric}={value}")),
        Goal::Rounds { rounds } => ("--rounds", rounds.to_string()),
    }
}

/// Flags with a value, where the user gave one.
fn settings(spec: &JobSpec) -> [(&'static str, Option<String>); 24] {
    let number = |value: Option<f64>| value.map(|value| value.to_string());
    let normalize = spec.preparation.normalize.map(|what| match what {
        Normalize::Rows => "rows".into(),
        Normalize::Columns => "columns".into(),
    });
    let storage = match spec.preparation.storage {
        Precision::Auto => None,
        Precision::F32 => Some("f32".into()),
        Precision::F64 => Some("f64".into()),
    };
    let machines = spec.machines.map(|(low, high)| format!("{low}..{high}"));
    let factors = spec.factors;
    [
        ("--problem", factors.map(|_| "mf".into())),
        ("--rank", factors.map(|factors| factors.rank.to_string())),
        ("--alpha", number(factors.and_then(|factors| factors.alpha))),
        ("--label", spec.labels.column.clone()),
        ("--labels", spec.labels.file.as_ref().map(|path| path.display().to_string())),
        ("--weight", spec.weights.column.clone()),
        ("--weights", spec.weights.file.as_ref().map(|path| path.display().to_string())),
        ("--class-weight", spec.class_weight.as_ref().map(ToString::to_string)),
        ("--machines", machines),
        ("--algorithms", spec.algorithms.as_ref().map(|names| names.join(","))),
        ("--loss", spec.loss.map(|loss| loss.to_string())),
        ("--l2", number(spec.l2)),
        ("--l1", number(Some(spec.l1).filter(|l1| *l1 > 0.0))),
        ("--fraction", number(spec.fraction)),
        ("--normalize", normalize),
        ("--positive", number(spec.preparation.positive)),
        ("--classes", spec.preparation.classes.map(|way| way.to_string())),
        ("--storage", storage),
        ("--sync", spec.sync.as_ref().map(exchange)),
        ("--links", links(spec).map(cluster_name)),
        ("--test", spec.test.clone()),
        ("--max-time", number(spec.caps.seconds)),
        ("--max-cost", number(spec.caps.dollars)),
        ("--eval-every", Some(spec.eval_every).filter(|n| *n != 1).map(|n| n.to_string())),
    ]
}

/// The strategy by which rounds are to be exchanged, where one was given.
fn strategy(spec: &JobSpec) -> Option<(String, String)> {
    let sync = spec.sync.as_ref()?;
    let Way::Given(strategy) = &sync.way else { return None };
    Some((exchange(sync), serde_json::to_string_pretty(strategy).ok()?))
}

/// How rounds are exchanged; a strategy's file is not kept under its name.
fn exchange(sync: &RoundSpec) -> String {
    match &sync.way {
        Way::Given(strategy) => format!("{}.json", strategy.name),
        other => other.name().into(),
    }
}

/// Flags without a value.
fn switches(spec: &JobSpec) -> impl Iterator<Item = &'static str> {
    let fixed = matches!(spec.mode, Mode::Choose { adapt: false, .. });
    let certified = matches!(spec.goal, Goal::Reach { certified: true, .. });
    let all = [
        ("--certified", certified),
        ("--intercept", spec.preparation.intercept),
        ("--implicit", spec.factors.is_some_and(|factors| factors.alpha.is_some())),
        ("--fixed", fixed),
        ("--forget", spec.forget),
    ];
    all.into_iter().filter(|(_, on)| *on).map(|(flag, _)| flag)
}

/// A word as a shell takes it.
pub(crate) fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_alphanumeric() || "-_./:,=+@%".contains(c);
    if !word.is_empty() && word.chars().all(plain) { word.into() } else { format!("'{}'", word.replace('\'', r"'\''")) }
}

#[cfg(test)]
mod tests {
    use super::{quoted, ranks};

    #[test]
    fn words_are_quoted_only_where_a_shell_would_break_them() {
        assert_eq!(quoted("synth:svm,rows=300"), "synth:svm,rows=300");
        assert_eq!(quoted("my data.svm"), "'my data.svm'");
        assert_eq!(quoted("it's $2"), r"'it'\''s $2'");
        assert_eq!(quoted(""), "''");
    }

    #[test]
    fn places_of_ranks_say_how_many_there_were() {
        assert_eq!(ranks("mpi-4"), Some(4));
        assert_eq!(ranks("mpi-8, sync search"), Some(8));
        assert_eq!(ranks("cloud-25gbit"), None);
    }
}
