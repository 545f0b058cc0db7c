//! One line cut into fields, quotes undone.

use csv_core::{ReadRecordResult, Reader, ReaderBuilder};

/// The fields of the line that was split last.
pub(super) struct Fields {
    reader: Reader,
    text: Vec<u8>,
    ends: Vec<usize>,
    count: usize,
}

impl Fields {
    /// Fields separated by this byte.
    pub(super) fn new(separator: u8) -> Self {
        let reader = ReaderBuilder::new().delimiter(separator).build();
        Self { reader, text: Vec::new(), ends: Vec::new(), count: 0 }
    }

    /// Cuts a line, which ends in `\n`, into fields.
    pub(super) fn split(&mut self, line: &[u8]) -> Result<(), String> {
        // A line cannot hold more of either than it has bytes.
        self.text.resize(line.len(), 0);
        self.ends.resize(line.len(), 0);
        self.reader.reset();
        let (result, read, _, fields) = self.reader.read_record(line, &mut self.text, &mut self.ends);
        self.count = fields;
        match result {
            ReadRecordResult::Record if read == line.len() => Ok(()),
            ReadRecordResult::Record => Err("holds a bare carriage return; save the file with usual line ends".into()),
            _ => Err("a quote is not closed on this line; close it, and double those within".into()),
        }
    }

    /// How many.
    pub(super) fn len(&self) -> usize {
        self.count
    }

    /// Each, without the blanks around it.
    pub(super) fn iter(&self) -> impl Iterator<Item = &[u8]> {
        let ends = &self.ends[..self.count];
        let starts = std::iter::once(0).chain(ends.iter().copied());
        starts.zip(ends).map(|(start, end)| self.text[start..*end].trim_ascii())
    }
}

/// What separates the fields of a first line. One semicolon is enough: beside it commas are those of decimals.
pub(super) fn separator(line: &[u8]) -> u8 {
    let bare = || line.split(|&b| b == b'"').step_by(2).flatten();
    let count = |separator: u8| bare().filter(|b| **b == separator).count();
    match (count(b';'), count(b'\t'), count(b',')) {
        (1.., _, _) => b';',
        (_, tabs, commas) if tabs > commas => b'\t',
        _ => b',',
    }
}
