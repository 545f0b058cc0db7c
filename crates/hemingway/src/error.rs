//! What can go wrong, said so that a caller can match on it and a user can act on it.

use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

/// Every failure of the library. Nothing read from outside panics.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A data or record file holds something unreadable at this line.
    #[error("{}:{line}: {what}", path.display())]
    Data {
        /// The file.
        path: PathBuf,
        /// The line, counted from 1.
        line: usize,
        /// What is wrong and what was expected.
        what: String,
    },
    /// A file as a whole is not what it should be.
    #[error("{}: {what}", path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// What is wrong and what to do.
        what: String,
    },
    /// The operating system refused to read or write.
    #[error("{}: {cause}", path.display())]
    Io {
        /// The file or directory.
        path: PathBuf,
        /// Its own words.
        cause: io::Error,
    },
    /// A setting has a value that cannot work.
    #[error("{field}: {what}")]
    Setting {
        /// The flag or field, as the user writes it.
        field: String,
        /// What is wrong and what would work.
        what: String,
    },
    /// An engine lost a worker or received something impossible.
    #[error("engine: {0}")]
    Engine(String),
    /// Too little or unusable evidence to answer.
    #[error("{0}")]
    Evidence(String),
}

/// A number and its noun, in the plural where there is not one.
pub(crate) fn counted(number: usize, noun: &str) -> String {
    format!("{number} {noun}{}", if number == 1 { "" } else { "s" })
}

/// The library's result.
pub type Result<T, E = Error> = std::result::Result<T, E>;

impl Error {
    /// An unreadable line of a file.
    pub fn data(path: impl Into<PathBuf>, line: usize, what: impl Into<String>) -> Self {
        Self::Data { path: path.into(), line, what: what.into() }
    }

    /// A file that is wrong as a whole.
    pub fn file(path: impl Into<PathBuf>, what: impl Into<String>) -> Self {
        Self::File { path: path.into(), what: what.into() }
    }

    /// A setting that cannot work.
    pub fn setting(field: impl Into<String>, what: impl Into<String>) -> Self {
        Self::Setting { field: field.into(), what: what.into() }
    }

    /// Attaches the path to an operating-system error. Where it is the name that is wrong, that is said in words that help,
    /// unless the error has words of its own.
    pub fn io(path: &Path) -> impl FnOnce(io::Error) -> Self + '_ {
        move |cause| {
            let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty() && !folder.is_dir());
            let said = match (cause.kind(), folder) {
                (ErrorKind::NotFound, Some(folder)) => Some(format!("there is no folder {}", folder.display())),
                _ if cause.get_ref().is_some() => None,
                (ErrorKind::NotFound, None) => Some("there is no such file".into()),
                (ErrorKind::IsADirectory, _) => Some("is a folder; name a file in it".into()),
                _ => None,
            };
            let cause = match said {
                Some(said) => io::Error::new(cause.kind(), said),
                None => cause,
            };
            Self::Io { path: path.into(), cause }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_missing_or_a_folder_is_said_in_words() {
        let error = |path: &str| Error::io(Path::new(path))(ErrorKind::NotFound.into()).to_string();
        assert_eq!(error("no/where/a.csv"), "no/where/a.csv: there is no folder no/where");
        assert_eq!(error("a.csv"), "a.csv: there is no such file");
        let error = Error::io(Path::new("a"))(ErrorKind::IsADirectory.into());
        assert_eq!(error.to_string(), "a: is a folder; name a file in it");
        assert!(matches!(error, Error::Io { cause, .. } if cause.kind() == ErrorKind::IsADirectory));
    }
}
