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

    /// The next pieces, at most so many; none at the end.
    pub(super) fn take(&mut self, count: usize) -> Vec<Vec<u8>> {
        (0..count).map_while(|_| self.next()).collect()
    }

    fn next(&mut self) -> Option<Vec<u8>> {
        if self.failed.is_some() {
            return None;
        }
        let mut chunk = Vec::with_capacity(self.size + 1024);
        let read = self.text.by_ref().take(self.size as u64).read_to_end(&mut chunk);
        if let Err(error) = read.and_then(|_| self.text.read_until(b'\n', &mut chunk)) {
            // The line within which reading failed is no line.
            let whole = chunk.iter().rposition(|&b| b == b'\n').map_or(0, |at| at + 1);
            chunk.truncate(whole);
            self.failed = Some(error);
        }
        (!chunk.is_empty()).then_some(chunk)
    }

    /// What kept the text from being read to its end.
    pub(super) fn finish(self) -> io::Result<()> {
        self.failed.map_or(Ok(()), Err)
    }
}
