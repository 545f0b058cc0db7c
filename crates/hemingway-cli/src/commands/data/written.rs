//! Data in files, and what is said of it.

use std::path::{Path, PathBuf};

use anyhow::Result;
use hemingway::data::{Dataset, Info, SaveAs, Source, save};
use serde_json::{Value, json};

use crate::output::{Answer, Output};
use crate::show::{Paint, number};

/// One file.
pub(super) struct Part {
    info: Info,
    file: String,
    /// Where the weights are, if not in the file.
    weights: Option<String>,
}

/// All of the data.
pub(super) struct Written {
    pub(super) part: Part,
    /// How the data was understood.
    pub(super) notes: Vec<String>,
}

/// A training set and a test set.
pub(super) struct Parts {
    pub(super) train: Part,
    pub(super) test: Part,
    /// How the data was understood.
    pub(super) notes: Vec<String>,
}

/// Writes a file.
pub(super) fn write(dataset: &Dataset, path: &Path, format: SaveAs, out: &mut dyn Output) -> Result<Part> {
    let waiting = out.wait(&format!("writing {}", path.display()));
    let weights = save(dataset, path, format)?.map(|path| path.display().to_string());
    drop(waiting);
    if let Some(weights) = &weights {
        out.note(&format!("LIBSVM text holds no weights: they are in {weights}, to be given with --weights"));
    }
    Ok(Part { info: Info::of(dataset), file: path.display().to_string(), weights })
}

/// The files of its training and test set: named by STEM, else after the data.
pub(crate) fn parts(data: &str, out: Option<&Path>, format: SaveAs) -> hemingway::Result<[PathBuf; 2]> {
    let stem = match out {
        Some(stem) => stem.to_path_buf(),
        None => stem(&Source::parse(data)?),
    };
    Ok(["train", "test"].map(|name| part(&stem, name, format)))
}

/// What parts of this data are called, if the user does not say: its file's name without endings, or its kind.
fn stem(source: &Source) -> PathBuf {
    let name = match source {
        Source::File(path) => path.file_name().unwrap_or(path.as_os_str()).to_string_lossy().into_owned(),
        Source::Synthetic(recipe) => recipe.to_string().trim_start_matches("synth:").replace(',', "."),
    };
    let end = name.find('.').filter(|at| *at > 0).unwrap_or(name.len());
    name[..end].into()
}

/// The file of one part.
fn part(stem: &Path, part: &str, format: SaveAs) -> PathBuf {
    let mut name = stem.as_os_str().to_owned();
    name.push(format!("-{part}.{}", format.ending()));
    name.into()
}

impl Part {
    fn json(&self) -> Value {
        let Info { rows, columns, nonzeros, .. } = self.info;
        let mut value = json!({ "file": self.file, "rows": rows, "columns": columns, "nonzeros": nonzeros });
        if let Some(weights) = &self.weights {
            value["weights"] = json!(weights);
        }
        value
    }

    fn sentence(&self) -> String {
        let size = format!("{} × {}", number::count(self.info.rows), number::count(self.info.columns));
        format!("{size}, {}, are in {}", number::counted(self.info.nonzeros, "nonzero"), self.file)
    }
}

impl Answer for Written {
    fn json(&self) -> Value {
        let mut value = self.part.json();
        value["notes"] = json!(self.notes);
        value
    }

    fn human(&self, _paint: Paint) -> String {
        self.part.sentence()
    }

    fn quiet(&self) -> String {
        self.part.file.clone()
    }
}

impl Answer for Parts {
    fn json(&self) -> Value {
        json!({ "train": self.train.json(), "test": self.test.json(), "notes": self.notes })
    }

    fn human(&self, _paint: Paint) -> String {
        format!("train  {}\ntest   {}", self.train.sentence(), self.test.sentence())
    }

    fn quiet(&self) -> String {
        format!("{}\n{}", self.train.file, self.test.file)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_are_named_after_their_data() {
        let name = |data: &str| {
            let stem = stem(&Source::parse(data).unwrap());
            part(&stem, "test", SaveAs::Npz).display().to_string()
        };
        assert_eq!(name("folder/a9a.libsvm.gz"), "a9a-test.npz");
        assert_eq!(name(".hidden"), ".hidden-test.npz");
        assert_eq!(name("synth:svm,rows=10"), "svm-test.npz");
    }
}
