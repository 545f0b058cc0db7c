//! What a strategy does with a model's bytes, in words.

use hemingway::sync::Play;
use hemingway::sync::strategy::{Compression, Group};

/// Who sums, how messages are written and what comes late, each with its share of the bytes.
pub(super) fn kinds(play: &Play) -> String {
    let by = shares(play, |group| Some(first_word(&group.by.to_string())));
    let how = shares(play, |group| written(group.compression));
    by.into_iter().chain(how).chain(late(play)).collect::<Vec<_>>().join(", ")
}

/// What keeps a step from ending with the exact sum of its gradients; nothing where every step does.
pub(super) fn losses(play: &Play) -> Option<String> {
    let lossy = shares(play, |group| written(group.compression).filter(|_| !group.compression.is_lossless()));
    let all: Vec<String> = lossy.into_iter().chain(late(play)).collect();
    (!all.is_empty()).then(|| format!("{} of the bytes", all.join(", ")))
}

/// How messages are written, if not plainly; settings would only lengthen it.
fn written(compression: Compression) -> Option<String> {
    (compression != Compression::None).then(|| first_word(&compression.to_string()))
}

fn late(play: &Play) -> Vec<String> {
    let most = play.layout.period() - 1;
    let steps = if most == 1 { "1 step late".to_string() } else { format!("up to {most} steps late") };
    shares(play, |group| (group.staleness > 0).then(|| steps.clone()))
}

/// Names with their share of the bytes, the largest first.
fn shares(play: &Play, name: impl Fn(&Group) -> Option<String>) -> Vec<String> {
    let mut shares: Vec<(String, f64)> = Vec::new();
    for group in &play.layout.groups {
        let Some(name) = name(group) else { continue };
        match shares.iter_mut().find(|(known, _)| *known == name) {
            Some((_, bytes)) => *bytes += group.bytes(),
            None => shares.push((name, group.bytes())),
        }
    }
    shares.sort_by(|a, b| b.1.total_cmp(&a.1));
    let all = play.layout.groups.iter().map(Group::bytes).sum::<f64>().max(1.0);
    shares.into_iter().map(|(name, bytes)| format!("{name} {}", percent(bytes / all))).collect()
}

/// Little is not nothing, and nearly all is not all.
fn percent(share: f64) -> String {
    match 100.0 * share {
        little if little < 1.0 => "<1 %".into(),
        nearly if nearly > 99.0 && nearly < 100.0 => ">99 %".into(),
        percent => format!("{percent:.0} %"),
    }
}

fn first_word(text: &str) -> String {
    text.split(' ').next().unwrap_or_default().to_string()
}
