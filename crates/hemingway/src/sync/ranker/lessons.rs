//! Trials kept as lines of JSON, so that a later search begins with what earlier ones learned.

use std::collections::BTreeMap;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::{Look, TRAITS};
use crate::{Error, Result};

/// One trial, and what it was a trial of.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Lesson {
    /// The model's name.
    pub model: String,
    /// The cluster's.
    pub cluster: String,
    /// How many of its machines.
    pub machines: usize,
    /// Who timed it.
    pub engine: String,
    /// What was known before.
    pub look: Look,
    /// Seconds of a step.
    pub seconds: f64,
}

impl Lesson {
    /// Those of a file, or of all files of a folder that end in `.jsonl`.
    pub fn read(path: &Path) -> Result<Vec<Self>> {
        let files = if path.is_dir() { files_in(path)? } else { vec![path.to_path_buf()] };
        let all = files.iter().map(|file| read_file(file)).collect::<Result<Vec<_>>>()?.concat();
        if all.is_empty() {
            return Err(Error::file(path, "has no trials in it: `sync search --keep FILE.jsonl` writes them"));
        }
        Ok(all)
    }

    /// Refuses to add trials to a file of anything else, which that would spoil; one that is not there yet will do.
    pub fn check_end(path: &Path) -> Result<()> {
        if path.exists() { read_file(path).map(drop) } else { Ok(()) }
    }

    /// Understands the text of a file; the error names the line.
    pub fn parse(text: &str) -> Result<Vec<Self>> {
        let lines = (1..).zip(text.lines()).filter(|(_, line)| !line.trim().is_empty());
        lines.map(|(number, line)| parse_line(line).map_err(|what| Error::data("trials", number, what))).collect()
    }

    /// Adds lessons to the end of a file, each on a line of its own even if the last one there was not ended.
    pub fn append(path: &Path, lessons: &[Self]) -> Result<()> {
        let line = |lesson: &Self| serde_json::to_string(lesson).map(|text| text + "\n");
        let mut text: String =
            lessons.iter().map(line).collect::<Result<_, _>>().map_err(|e| Error::file(path, e.to_string()))?;
        if fs::read(path).is_ok_and(|there| there.last().is_some_and(|byte| *byte != b'\n')) {
            text.insert(0, '\n');
        }
        let mut file = fs::OpenOptions::new().create(true).append(true).open(path).map_err(Error::io(path))?;
        file.write_all(text.as_bytes()).map_err(Error::io(path))
    }

    /// Lists that can be compared with each other: of one model on one cluster, timed alike.
    pub fn alike<'a>(lessons: impl IntoIterator<Item = &'a Self>) -> Vec<Vec<(Look, f64)>> {
        let mut lists: BTreeMap<_, Vec<(Look, f64)>> = BTreeMap::new();
        for lesson in lessons {
            let key = (&*lesson.model, &*lesson.cluster, lesson.machines, &*lesson.engine);
            lists.entry(key).or_default().push((lesson.look, lesson.seconds));
        }
        lists.into_values().collect()
    }
}

/// The files of a folder that may hold trials, in the order of their names.
fn files_in(folder: &Path) -> Result<Vec<PathBuf>> {
    let entries = fs::read_dir(folder).map_err(Error::io(folder))?;
    let mut files: Vec<PathBuf> = entries.filter_map(|entry| Some(entry.ok()?.path())).collect();
    files.retain(|file| file.extension().is_some_and(|end| end == "jsonl"));
    files.sort();
    Ok(files)
}

fn read_file(path: &Path) -> Result<Vec<Lesson>> {
    let text = fs::read_to_string(path).map_err(Error::io(path))?;
    Lesson::parse(&text).map_err(|error| match error {
        Error::Data { line, what, .. } => Error::data(path, line, what),
        other => other,
    })
}

fn parse_line(line: &str) -> Result<Lesson, String> {
    let lesson: Lesson = serde_json::from_str(line).map_err(|e| {
        let words = crate::sync::misread::in_words(line, &e);
        format!("{words}; every line is to be a trial that `sync search --keep` wrote")
    })?;
    let positive = |value: f64| value.is_finite() && value > 0.0;
    if !positive(lesson.seconds) || !positive(lesson.look.forecast) {
        return Err("seconds and forecast must be above 0".into());
    }
    if !lesson.look.traits.iter().all(|value| value.is_finite()) {
        return Err(format!("the {TRAITS} traits must be numbers"));
    }
    Ok(lesson)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_kept_reads_the_same_and_is_sorted_by_what_it_is_of() {
        let folder = tempfile::tempdir().unwrap();
        let lesson = |model: &str, seconds: f64| Lesson {
            model: model.into(),
            cluster: "c".into(),
            machines: 4,
            engine: "simulated".into(),
            look: Look { forecast: 0.1, traits: std::array::from_fn(|k| k as f64 / 3.0) },
            seconds,
        };
        let all = [lesson("b", 0.25), lesson("a", 0.5), lesson("b", 0.75)];
        Lesson::append(&folder.path().join("one.jsonl"), &all[..1]).unwrap();
        Lesson::append(&folder.path().join("two.jsonl"), &all[1..2]).unwrap();
        Lesson::append(&folder.path().join("two.jsonl"), &all[2..]).unwrap();
        let read = Lesson::read(folder.path()).unwrap();
        assert_eq!(read, all);
        let lists: Vec<Vec<f64>> =
            Lesson::alike(&read).iter().map(|list| list.iter().map(|(_, seconds)| *seconds).collect()).collect();
        assert_eq!(lists, [vec![0.5], vec![0.25, 0.75]]);
    }

    #[test]
    fn trials_are_added_to_trials_only_and_each_to_a_line_of_its_own() {
        let folder = tempfile::tempdir().unwrap();
        let [notes, none, torn] = ["notes.txt", "none.jsonl", "torn.jsonl"].map(|name| folder.path().join(name));
        let look = Look { forecast: 1.0, traits: [0.0; TRAITS] };
        let [model, cluster, engine] = ["m", "c", "e"].map(String::from);
        let lesson = Lesson { model, cluster, machines: 2, engine, look, seconds: 1.0 };
        fs::write(&notes, "buy bread\n").unwrap();
        let error = Lesson::check_end(&notes).unwrap_err().to_string();
        assert!(error.contains("notes.txt:1: ") && error.contains("`sync search --keep` wrote"), "{error}");
        Lesson::check_end(&none).unwrap();
        fs::write(&none, "\n").unwrap();
        assert!(Lesson::read(&none).unwrap_err().to_string().contains("none.jsonl: has no trials in it"));
        fs::write(&torn, serde_json::to_string(&lesson).unwrap()).unwrap();
        Lesson::append(&torn, std::slice::from_ref(&lesson)).unwrap();
        assert_eq!(Lesson::read(&torn).unwrap().len(), 2);
    }

    #[test]
    fn what_is_wrong_is_named_by_line() {
        let look = Look { forecast: 1.0, traits: [0.0; TRAITS] };
        let good = serde_json::json!({ "model": "m", "cluster": "c", "machines": 2, "engine": "e", "look": look,
            "seconds": 1.0 })
        .to_string();
        assert_eq!(Lesson::parse(&format!("{good}\n\n{good}\n")).unwrap().len(), 2);
        let error = |line: &str| Lesson::parse(&format!("{good}\n{line}\n")).unwrap_err().to_string();
        assert!(error("{}").starts_with("trials:2: missing field"));
        assert!(
            error(&good.replace("\"seconds\":1.0", "\"seconds\":0")).contains("seconds and forecast must be above 0")
        );
        let short = error(&good.replace("[0.0,", "["));
        assert!(short.starts_with("trials:2: look.traits") && short.contains(": invalid length"), "{short}");
    }
}
