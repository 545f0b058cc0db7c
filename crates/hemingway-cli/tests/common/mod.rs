//! The real program in a fresh directory.
#![allow(dead_code, reason = "each test program uses its part")]

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use serde_json::Value;
use tempfile::TempDir;

/// An empty directory to work in.
pub(crate) struct Desk {
    dir: TempDir,
}

/// What a command said and how it ended.
pub(crate) struct Said {
    pub(crate) out: String,
    pub(crate) err: String,
    pub(crate) code: i32,
}

impl Desk {
    pub(crate) fn new() -> Self {
        Self { dir: tempfile::tempdir().expect("a temporary directory") }
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.dir.path().join(name)
    }

    pub(crate) fn write(&self, name: &str, text: &str) {
        std::fs::write(self.path(name), text).expect("a writable directory");
    }

    pub(crate) fn read(&self, name: impl AsRef<Path>) -> String {
        let path = self.dir.path().join(name);
        std::fs::read_to_string(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()))
    }

    /// The program, with arguments as in a shell without quotes.
    pub(crate) fn command(&self, line: &str) -> Command {
        let mut command = Command::new(assert_cmd::cargo::cargo_bin!("hemingway"));
        command.current_dir(self.dir.path()).args(line.split_whitespace()).env_remove("HEMINGWAY_OUTPUT");
        command.env("HEMINGWAY_CACHE", self.dir.path().join("cache"));
        command
    }

    pub(crate) fn run(&self, line: &str) -> Said {
        let Output { status, stdout, stderr } = self.command(line).output().expect("the program starts");
        let [out, err] = [stdout, stderr].map(|bytes| String::from_utf8(bytes).expect("UTF-8"));
        assert!(!err.contains("panicked"), "{line}: {err}");
        Said { out, err, code: status.code().unwrap_or(-1) }
    }

    /// What a command that must succeed said.
    pub(crate) fn ok(&self, line: &str) -> Said {
        let said = self.run(line);
        assert_eq!(said.code, 0, "{line}\n{}\n{}", said.out, said.err);
        said
    }

    /// The one JSON value of a command, and its exit code.
    pub(crate) fn json(&self, line: &str) -> (Value, i32) {
        let said = self.run(&format!("{line} --output json"));
        let value = serde_json::from_str(&said.out).unwrap_or_else(|e| panic!("{line}: {e}\n{}", said.out));
        assert_eq!(said.err, "", "{line}: JSON mode is silent");
        (value, said.code)
    }
}

/// Asserts that an object has these keys.
pub(crate) fn assert_keys(value: &Value, keys: &[&str]) {
    for key in keys {
        assert!(value.get(key).is_some(), "`{key}` is missing in {value:#}");
    }
}
