//! Colour, where it is wanted.

/// Puts colour on words, or leaves them as they are.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Paint {
    on: bool,
}

impl Paint {
    /// Colour on a terminal, unless the user wants none (`NO_COLOR`).
    pub(crate) fn on(terminal: bool) -> Self {
        let unwanted = std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
        let dumb = std::env::var_os("TERM").is_some_and(|term| term == "dumb");
        Self { on: terminal && !unwanted && !dumb }
    }

    /// What matters most.
    pub(crate) fn bold(self, words: &str) -> String {
        self.wrap("1", words)
    }

    /// What matters least.
    pub(crate) fn dim(self, words: &str) -> String {
        self.wrap("2", words)
    }

    /// Good news.
    pub(crate) fn green(self, words: &str) -> String {
        self.wrap("1;32", words)
    }

    /// What to look at.
    pub(crate) fn yellow(self, words: &str) -> String {
        self.wrap("1;33", words)
    }

    /// Bad news.
    pub(crate) fn red(self, words: &str) -> String {
        self.wrap("1;31", words)
    }

    fn wrap(self, code: &str, words: &str) -> String {
        if self.on { format!("\x1b[{code}m{words}\x1b[0m") } else { words.into() }
    }
}
