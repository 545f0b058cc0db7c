//! Plain tables: columns two blanks apart, no lines.

use super::{Paint, markdown};

const GAP: &str = "  ";

/// Which side cells lean to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Align {
    /// Words.
    Left,
    /// Numbers.
    Right,
}

/// A table in the making.
#[derive(Debug)]
pub(crate) struct Table {
    heads: Vec<(String, Align)>,
    rows: Vec<(Vec<String>, bool)>,
}

impl Table {
    /// A table with these column heads; empty heads are allowed.
    pub(crate) fn new(heads: impl IntoIterator<Item = (impl Into<String>, Align)>) -> Self {
        Self { heads: heads.into_iter().map(|(head, align)| (head.into(), align)).collect(), rows: Vec::new() }
    }

    /// One more row.
    pub(crate) fn row(&mut self, cells: impl IntoIterator<Item = String>) {
        self.rows.push((cells.into_iter().collect(), false));
    }

    /// One more row, the one to look at.
    pub(crate) fn bright(&mut self, cells: impl IntoIterator<Item = String>) {
        self.rows.push((cells.into_iter().collect(), true));
    }

    /// The text, each line indented; columns without any content are left out.
    pub(crate) fn text(&self, indent: &str, paint: Paint) -> String {
        let widths: Vec<usize> = (0..self.heads.len()).map(|j| self.width(j)).collect();
        let heads: Vec<String> = self.heads.iter().map(|(head, _)| head.clone()).collect();
        let mut text = format!("{indent}{}\n", paint.dim(&self.line(&heads, &widths)));
        for (cells, bright) in &self.rows {
            let line = self.line(cells, &widths);
            let line = if *bright { paint.bold(&line) } else { line };
            text.push_str(&format!("{indent}{line}\n"));
        }
        text
    }

    /// The same as Markdown, the row to look at in bold.
    pub(crate) fn markdown(&self) -> String {
        let shown: Vec<usize> = (0..self.heads.len()).filter(|&j| self.width(j) > 0).collect();
        let line = |cells: Vec<String>| format!("| {} |\n", cells.join(" | "));
        let rule = |j: &usize| if self.heads[*j].1 == Align::Left { ":---" } else { "---:" }.to_string();
        let mut text = line(shown.iter().map(|&j| markdown::escaped(&self.heads[j].0)).collect());
        text.push_str(&line(shown.iter().map(rule).collect()));
        for (cells, bright) in &self.rows {
            let cell = |&j: &usize| markdown::strong(&markdown::escaped(cells[j].trim()), *bright);
            text.push_str(&line(shown.iter().map(cell).collect()));
        }
        text
    }

    fn width(&self, column: usize) -> usize {
        let cells = || self.rows.iter().map(|(cells, _)| cells[column].chars().count());
        if cells().all(|width| width == 0) { 0 } else { cells().fold(self.heads[column].0.chars().count(), usize::max) }
    }

    fn line(&self, cells: &[String], widths: &[usize]) -> String {
        let shown = cells.iter().zip(&self.heads).zip(widths).filter(|(_, width)| **width > 0);
        let padded = shown.map(|((cell, (_, align)), width)| match align {
            Align::Left => format!("{cell:<width$}"),
            Align::Right => format!("{cell:>width$}"),
        });
        padded.collect::<Vec<_>>().join(GAP).trim_end().into()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_line_up_and_empty_ones_vanish() {
        let mut table = Table::new([("name", Align::Left), ("none", Align::Left), ("n", Align::Right)]);
        table.row(["a·".into(), String::new(), "10".into()]);
        table.bright(["longer".into(), String::new(), "7".into()]);
        let text = table.text("  ", Paint::on(false));
        assert_eq!(text, "  name     n\n  a·      10\n  longer   7\n");
        assert_eq!(table.markdown(), "| name | n |\n| :--- | ---: |\n| a· | 10 |\n| **longer** | **7** |\n");
    }
}
