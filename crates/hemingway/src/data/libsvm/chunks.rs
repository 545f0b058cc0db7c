//! Text in pieces of whole lines.

use std::io::{self, BufRead, Read};

/// Cuts text after line breaks. What fails is kept until all that could be read has been.
pub(super) struct Chunks<T> {
    text: T,
    size: usize,
    failed: Option<io::Error>,
}

impl<T: BufRead> Chunks<T> {
    /// Pieces of this many bytes and the rest of a line.
    pub(super) fn of(text: T, size: usize) -> Self {
        Self { text, size, failed: None }
    }

    /// The next piece, in place of an old one; whether there is any.
    pub(super) fn next(&mut self, chunk: &mut Vec<u8>) -> bool {
        chunk.clear();
        if self.failed.is_some() {
            return false;
        }
        let read = self.text.by_ref().take(self.size as u64).read_to_end(chunk);
        if let Err(error) = read.and_then(|_| self.text.read_until(b'\n', chunk)) {
            // The line within which reading failed is no line.
            let whole = chunk.iter().rposition(|&b| b == b'\n').map_or(0, |at| at + 1);
            chunk.truncate(whole);
            self.failed = Some(error);
        }
        !chunk.is_empty()
    }

    /// What kept the text from being read to its end.
    pub(super) fn finish(self) -> io::Result<()> {
        self.failed.map_or(Ok(()), Err)
    }
}
