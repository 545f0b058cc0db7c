//! What a command reads and what it writes: nothing may be written over what is read, nor twice.

use std::path::{Path, PathBuf};

use hemingway::job::JobSpec;
use hemingway::record::store::Store;
use hemingway::{Error, Result};

use crate::args::KeepArgs;

/// The files of a command.
#[derive(Debug, Default)]
pub(crate) struct Files {
    /// What each holds.
    read: Vec<(&'static str, PathBuf)>,
    /// The flag that names each.
    written: Vec<(&'static str, PathBuf)>,
}

impl Files {
    /// These are read; names of anything but files are passed over.
    pub(crate) fn reads<P: AsRef<Path>>(mut self, what: &'static str, paths: impl IntoIterator<Item = P>) -> Self {
        let files = paths.into_iter().map(|path| path.as_ref().to_path_buf()).filter(|path| path.is_file());
        self.read.extend(files.map(|path| (what, path)));
        self
    }

    /// The model that is read: a file, or that of a run.
    pub(crate) fn reads_model(self, name: &str, store: &Path) -> Self {
        let of_run = || Store::at(store).find(name).ok().map(|run| run.model_path());
        let file = Some(PathBuf::from(name)).filter(|path| path.is_file());
        self.reads("model", file.or_else(of_run))
    }

    /// The run whose journal is read.
    pub(crate) fn reads_run(self, name: &str, store: &Path) -> Self {
        self.reads("journal", Store::at(store).find(name).map(|run| run.journal_path()))
    }

    /// What a job reads.
    pub(crate) fn reads_job(self, spec: &JobSpec) -> Self {
        self.reads("data", [&spec.data])
            .reads("labels", &spec.labels.file)
            .reads("weights", &spec.weights.file)
            .reads("test data", &spec.test)
    }

    /// These are written.
    pub(crate) fn writes<P: AsRef<Path>>(mut self, flag: &'static str, paths: impl IntoIterator<Item = P>) -> Self {
        self.written.extend(paths.into_iter().map(|path| (flag, path.as_ref().to_path_buf())));
        self
    }

    /// What is written of a job beside its run.
    pub(crate) fn keeps(self, keep: &KeepArgs) -> Self {
        self.writes("--model", &keep.model).writes("--records", &keep.records).writes("--sync-out", &keep.sync_out)
    }

    /// Refuses to write where there is no folder, over what is read, and two things into one file.
    pub(crate) fn check(&self) -> Result<()> {
        self.check_folders()?;
        for (at, (flag, path)) in self.written.iter().enumerate() {
            let Some(place) = place(path) else { continue };
            let same = |(_, other): &&(&str, PathBuf)| self::place(other).as_ref() == Some(&place);
            if let Some((what, _)) = self.read.iter().find(same) {
                return Err(Error::setting(*flag, format!("{} holds the {what}; name another file", path.display())));
            }
            if let Some((other, _)) = self.written[..at].iter().find(same) {
                let what = format!("{} is what {other} writes; name another file", path.display());
                return Err(Error::setting(*flag, what));
            }
        }
        Ok(())
    }

    fn check_folders(&self) -> Result<()> {
        let lost = |(_, path): &&(&str, PathBuf)| !folder(path).is_dir();
        match self.written.iter().find(lost) {
            Some((flag, path)) => {
                let what = format!("there is no folder {}; make it, or name another", folder(path).display());
                Err(Error::setting(*flag, what))
            }
            None => Ok(()),
        }
    }
}

/// Where a file stands.
fn folder(path: &Path) -> &Path {
    path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// Where a file is or will be, however it is named; nothing for folders and devices, of which writing replaces nothing.
fn place(path: &Path) -> Option<PathBuf> {
    match path.metadata() {
        Ok(data) if data.is_file() => path.canonicalize().ok(),
        Ok(_) => None,
        Err(_) => Some(folder(path).canonicalize().ok()?.join(path.file_name()?)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_the_same_however_they_are_named() {
        let dir = tempfile::tempdir().unwrap();
        let at = |name: &str| dir.path().join(name);
        std::fs::write(at("a"), "").unwrap();
        let files = || Files::default().reads("data", [at("a"), at("absent")]);
        assert!(files().writes("-o", [at("b")]).writes("--model", [at("c")]).check().is_ok());
        assert!(files().writes("-o", [at("absent")]).check().is_ok());
        assert!(files().writes("-o", [at("./a")]).check().is_err());
        assert!(files().writes("-o", [at("no/b")]).check().is_err());
        assert!(files().writes("-o", [at("b")]).writes("--model", [at("./b")]).check().is_err());
        assert!(files().writes("-o", ["/dev/null"]).writes("--model", ["/dev/null"]).check().is_ok());
    }
}
