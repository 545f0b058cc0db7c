//! The sentences of a report.

use hemingway::cluster::Cluster;
use hemingway::goal::Goal;
use hemingway::train::Verdict;

use crate::show::{Remembered, markdown, number, picture};
use crate::story::{Choice, Spending, Status, Story};

/// Goal and outcome in one paragraph.
pub(super) fn outcome(story: &Story) -> String {
    let sentences = [
        format!("**{}.**", verdict(story)),
        format!("The goal: {}.", markdown::escaped(&story.history.spec.goal.sentence())),
        trained(story),
        predicted(story),
        spent(story),
        errors(story),
    ];
    sentences.into_iter().filter(|sentence| !sentence.is_empty()).collect::<Vec<_>>().join(" ")
}

fn verdict(story: &Story) -> String {
    match story.status {
        Status::Running => "Still running".into(),
        Status::Killed => "Killed before its end".into(),
        Status::Interrupted => "Interrupted".into(),
        Status::Finished if story.is_plan() && story.turning_point().is_some() => "Planned, not trained".into(),
        Status::Finished => picture::headline(story.summary.ending.words()),
    }
}

fn trained(story: &Story) -> String {
    let summary = &story.summary;
    let Some(choice) = &summary.choice else { return String::new() };
    if story.is_plan() && story.turning_point().is_some() {
        return format!("The plan proposes {choice}.");
    }
    let rounds = number::counted(summary.rounds as usize, "round");
    let verb = if summary.goal_met { "met it after" } else { "has trained for" };
    format!("{choice} {verb} {rounds}, {} of training.", story.seconds(summary.real_seconds))
}

fn predicted(story: &Story) -> String {
    let Some(predicted) = story.summary.predicted_seconds else { return String::new() };
    let promise = format!("Predicted were {}", number::seconds_between(predicted));
    match (story.history.verdict(&story.summary), story.history.first_choice()) {
        (Some(Verdict::Held), _) => format!("{promise}, which held."),
        (Some(Verdict::Sooner), _) => format!("{promise}: it came sooner."),
        (Some(Verdict::Missed), _) => format!("{promise}, which did not hold."),
        (None, Some(first)) if !story.history.kept_its_choice(&story.summary) => {
            format!("{promise} of the first choice, {first}.")
        }
        (None, _) => format!("{promise} to the goal."),
    }
}

fn spent(story: &Story) -> String {
    let spending = Spending::of(story);
    let cost = spending.dollars.map_or(String::new(), |d| format!(", for {}", number::dollars(d)));
    format!("In all it took {}{}{cost}.", story.seconds(spending.wall_seconds), beside_training(story, &spending))
}

/// What went into anything but training: `, 635 ms of it in probes, 271 µs in rehearsals`.
fn beside_training(story: &Story, spending: &Spending) -> String {
    let (probes, rehearsals) = (spending.probes.seconds(), spending.rehearsals.seconds());
    let elsewhere = spending.other_clusters_seconds;
    if spending.training.seconds() == 0.0 && probes > 0.0 && rehearsals + elsewhere == 0.0 {
        return ", in probes only".into();
    }
    let parts = [("probes", probes), ("rehearsals", rehearsals), ("plans on other clusters", elsewhere)];
    let spent = parts.into_iter().filter(|(_, seconds)| *seconds > 0.0);
    let told = spent.enumerate().map(|(place, (name, seconds))| {
        let of_it = if place == 0 { " of it" } else { "" };
        format!(", {}{of_it} in {name}", story.seconds(seconds))
    });
    told.collect()
}

fn errors(story: &Story) -> String {
    let summary = &story.summary;
    let Some(objective) = summary.objective else { return String::new() };
    let metric = match &story.history.spec.goal {
        Goal::ReachMetric { metric, .. } => metric_now(story, metric),
        _ => String::new(),
    };
    format!(
        "The objective is {}, its estimated error {}, its certified error {}{metric}.",
        number::objective(objective),
        number::maybe_error(summary.estimated_error),
        number::maybe_error(summary.certified_error),
    )
}

fn metric_now(story: &Story, metric: &str) -> String {
    let last = story.history.records.last().and_then(|record| record.metrics.get(metric));
    last.map_or(String::new(), |value| format!("; {metric} on the test set {}", number::digits(*value)))
}

/// Problem and cluster.
pub(super) fn job(story: &Story) -> String {
    let (spec, facts) = (&story.history.spec, &story.history.facts);
    let data = &facts.data;
    let test = spec.test.as_ref().map_or(String::new(), |test| format!("; tested on {test}"));
    let sample = spec.fraction.map_or(String::new(), |share| format!(", a sample of {} %", 100.0 * share));
    let lines = [
        (
            "Data",
            format!(
                "{}{sample}: {} × {}, {}{test}",
                data.name,
                number::count(data.rows),
                number::count(data.columns),
                number::counted(data.nonzeros, "nonzero"),
            ),
        ),
        ("Problem", format!("{}, {}", facts.told(), number::penalty(facts.l2, facts.l1))),
        ("Machines", spec.cluster.as_ref().map_or_else(|| this_machine(facts.cores), described)),
        ("Limits", limits(story)),
        ("Began", moment(story.began)),
    ];
    let lines = lines.iter().filter(|(_, body)| !body.is_empty());
    lines.map(|(head, body)| format!("- **{head}**: {}\n", markdown::escaped(body))).collect()
}

fn this_machine(cores: usize) -> String {
    format!("threads of one machine with {}", number::counted(cores, "core"))
}

fn described(cluster: &Cluster) -> String {
    let price = if cluster.price_per_hour > 0.0 {
        format!(", {} an hour each", number::dollars(cluster.price_per_hour))
    } else {
        String::new()
    };
    format!(
        "{}, simulated: up to {} with {} and {} GB each, {} Gbit/s{price}",
        cluster.name,
        number::counted(cluster.machines, "machine"),
        number::counted(cluster.cores_per_machine, "core"),
        cluster.memory_gb,
        cluster.network.bandwidth_gbit,
    )
}

fn limits(story: &Story) -> String {
    let caps = &story.history.spec.caps;
    let seconds = caps.seconds.map(|seconds| format!("at most {}", story.seconds(seconds)));
    let dollars = caps.dollars.map(|dollars| format!("at most {}", number::dollars(dollars)));
    seconds.into_iter().chain(dollars).collect::<Vec<_>>().join(", ")
}

fn moment(seconds: f64) -> String {
    let stamp = jiff::Timestamp::from_second(seconds as i64).unwrap_or_default();
    stamp.strftime("%Y-%m-%d %H:%M UTC").to_string()
}

/// The choice, the runner-up and what would have changed it.
pub(super) fn choice(choice: Option<&Choice<'_>>) -> String {
    let Some(choice) = choice else { return "No configuration could be recommended.\n".into() };
    let mut text = format!(
        "The choice: {}. The runner-up: {}.\n",
        markdown::escaped(&choice.why()),
        markdown::escaped(&choice.runner_up_words()),
    );
    let changes = choice.change_words();
    if !changes.is_empty() {
        text.push_str("\nWhat would change it:\n\n");
        text.extend(changes.iter().map(|change| format!("- {}\n", markdown::escaped(change))));
    }
    text
}

/// Why there was nothing to choose.
pub(super) fn no_choice(story: &Story) -> &'static str {
    if story.is_fixed() {
        "The configuration was named by the user; no other was considered."
    } else if story.summary.goal_met {
        "A probe met the goal before anything had to be chosen."
    } else {
        "Nothing has been chosen: probing did not get that far."
    }
}

/// What is known of the error, and on what ground.
pub(super) fn certainty(story: &Story) -> String {
    let summary = &story.summary;
    let why = story.ended().map_or(String::new(), |end| {
        format!("It ended: {}. {}.\n\n", end.ending.words(), markdown::escaped(&picture::headline(&end.why)))
    });
    let Some(objective) = summary.objective else { return format!("{why}No round was completed.\n") };
    let bound = Some(summary.lower_bound).filter(|bound| *bound > 0.0);
    // Where no curve foretells its end, the bound is all that P̂ rests on.
    let foreseen = story.optimum().filter(|optimum| bound.is_none_or(|bound| *optimum > bound * (1.0 + 1e-9)));
    let estimated = foreseen.map_or_else(
        || "no more than is certified, as no curve foretells its end".into(),
        |low| {
            format!(
                "against {}, below which the optimum lies with 5 % by the convergence model",
                number::objective(low)
            )
        },
    );
    let certified = bound.map_or_else(
        || "no lower bound above 0 has been proved".into(),
        |bound| {
            format!(
                "against {}, the best lower bound that any run has proved: it holds without any model",
                number::objective(bound)
            )
        },
    );
    format!(
        "{why}The objective is {}.\n\n- **Estimated error** {}: {estimated}.\n- **Certified error** {}: {certified}.\n",
        number::objective(objective),
        number::maybe_error(summary.estimated_error),
        number::maybe_error(summary.certified_error),
    )
}

/// What else the result depends on.
pub(super) fn provenance(story: &Story) -> String {
    let facts = &story.history.facts;
    let repeats = if facts.simulated {
        "On the simulated cluster's clock the same seed gives the same run to the bit, unless its pace is measured."
    } else {
        "The same seed gives the same rounds; their times, and choices that rest on them, differ."
    };
    let remembered = if Remembered::of(&facts.lore).is_nothing() {
        ""
    } else {
        " It rested on earlier runs in its store; where those are missing, choices may differ."
    };
    let next = match story.status {
        Status::Killed | Status::Interrupted => format!(" To go on with it: `{}`.", story.resume()),
        Status::Finished | Status::Running => String::new(),
    };
    format!(
        "hemingway {}, seed {}, problem {}. {repeats}{remembered}{next}",
        markdown::escaped(&story.version),
        story.history.spec.seed,
        markdown::escaped(&facts.problem),
    )
}
