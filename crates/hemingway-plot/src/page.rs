//! The document as it is written: elements, escaped words, and each colour's two shades.

use std::fmt::Write;

use crate::ink::Ink;
use crate::path::Place;

/// Mean width of a letter, in parts of its height.
const LETTER: f64 = 0.55;
const FONT: &str = "system-ui, -apple-system, 'Segoe UI', 'Helvetica Neue', Arial, sans-serif";

/// Where a text stands to its place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Anchor {
    Start,
    Middle,
    End,
}

/// How a text looks.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Type {
    pub(crate) size: f64,
    pub(crate) bold: bool,
    pub(crate) anchor: Anchor,
}

impl Type {
    pub(crate) const fn new(size: f64, anchor: Anchor) -> Self {
        Self { size, bold: false, anchor }
    }

    pub(crate) const fn bold(size: f64, anchor: Anchor) -> Self {
        Self { size, bold: true, anchor }
    }
}

/// A document in the making.
#[derive(Default)]
pub(crate) struct Page {
    body: String,
    inks: Vec<Ink>,
}

impl Page {
    /// Draws in one colour; `title` is what a pointer over it shows.
    pub(crate) fn group(&mut self, ink: Ink, title: &str, draw: impl FnOnce(&mut Self)) {
        if !self.inks.contains(&ink) {
            self.inks.push(ink);
        }
        let _ = writeln!(self.body, "<g class=\"{}\" color=\"{}\">", ink.class(), ink.on_light());
        if !title.is_empty() {
            let _ = writeln!(self.body, "<title>{}</title>", escaped(title));
        }
        draw(self);
        self.body.push_str("</g>\n");
    }

    /// One element; its colour is the group's.
    pub(crate) fn element(&mut self, name: &str, attributes: &str) {
        let _ = writeln!(self.body, "<{name} {attributes}/>");
    }

    /// A line through these places, with its stroke's attributes.
    pub(crate) fn path(&mut self, places: &[Place], closed: bool, attributes: &str) {
        let end = if closed { "z" } else { "" };
        self.element("path", &format!("d=\"m{}{end}\" {attributes}", steps(places).join(" ")));
    }

    /// A straight line.
    pub(crate) fn rule(&mut self, from: Place, to: Place, attributes: &str) {
        self.path(&[from, to], false, &format!("stroke=\"currentColor\" {attributes}"));
    }

    /// Words at a place.
    pub(crate) fn text(&mut self, (x, y): Place, kind: Type, words: &str) {
        self.write(&format!("x=\"{}\" y=\"{}\"", short(x), short(y)), kind, words);
    }

    /// Words that read upwards.
    pub(crate) fn upwards(&mut self, (x, y): Place, kind: Type, words: &str) {
        self.write(&format!("transform=\"translate({} {}) rotate(-90)\"", short(x), short(y)), kind, words);
    }

    fn write(&mut self, place: &str, kind: Type, words: &str) {
        let weight = if kind.bold { " font-weight=\"600\"" } else { "" };
        let anchor = match kind.anchor {
            Anchor::Start => "",
            Anchor::Middle => " text-anchor=\"middle\"",
            Anchor::End => " text-anchor=\"end\"",
        };
        let (size, words) = (kind.size, escaped(words));
        let _ = writeln!(
            self.body,
            "<text {place} font-size=\"{size}\"{weight}{anchor} fill=\"currentColor\">{words}</text>"
        );
    }

    /// The whole document. Where a page is dark, every colour takes its other shade.
    pub(crate) fn document(self, width: f64, height: f64, title: &str) -> String {
        let shades = self.inks.iter().map(|ink| format!(".{}{{color:{}}}", ink.class(), ink.on_dark()));
        let dark: String = shades.collect();
        let (width, height, title, body) = (short(width), short(height), escaped(title), self.body);
        format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" width=\"{width}\" \
             height=\"{height}\" role=\"img\" font-family=\"{FONT}\" fill=\"none\">\n<title>{title}</title>\n\
             <style>@media (prefers-color-scheme:dark){{{dark}}}</style>\n{body}</svg>\n"
        )
    }
}

/// A tenth of a pixel is as fine as anyone sees.
pub(crate) fn short(value: f64) -> String {
    tenths((10.0 * value).round() as i64)
}

fn tenths(value: i64) -> String {
    let sign = if value < 0 { "-" } else { "" };
    match (value.abs() / 10, value.abs() % 10) {
        (whole, 0) => format!("{sign}{whole}"),
        (whole, tenth) => format!("{sign}{whole}.{tenth}"),
    }
}

/// The first place, and from each to the next: shorter than places, and without drift as tenths are whole.
pub(crate) fn steps(places: &[Place]) -> Vec<String> {
    let mut last = (0, 0);
    let step = |(x, y): &Place| {
        let here = ((10.0 * x).round() as i64, (10.0 * y).round() as i64);
        let step = format!("{} {}", tenths(here.0 - last.0), tenths(here.1 - last.1));
        last = here;
        step
    };
    places.iter().map(step).collect()
}

/// How wide words are, about.
pub(crate) fn width(words: &str, size: f64) -> f64 {
    LETTER * size * words.chars().count() as f64
}

/// Words cut to a width.
pub(crate) fn fitted(words: &str, room: f64, size: f64) -> String {
    if width(words, size) <= room {
        return words.into();
    }
    let letters = (room / (LETTER * size)) as usize;
    words.chars().take(letters.saturating_sub(1)).chain(['…']).collect()
}

/// Words as XML allows them.
fn escaped(words: &str) -> String {
    let mut text = String::with_capacity(words.len());
    for letter in words.chars() {
        match letter {
            '&' => text.push_str("&amp;"),
            '<' => text.push_str("&lt;"),
            '>' => text.push_str("&gt;"),
            '"' => text.push_str("&quot;"),
            '\u{fffe}' | '\u{ffff}' => text.push('\u{fffd}'),
            letter if letter.is_control() => text.push(' '),
            letter => text.push(letter),
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_escaped_and_cut() {
        assert_eq!(escaped("a<b & \"c\"\u{1}"), "a&lt;b &amp; &quot;c&quot; ");
        assert_eq!(fitted("abcdefghij", 30.0, 10.0), "abcd…");
        assert_eq!((fitted("abc", 30.0, 10.0), fitted("abc", 0.0, 10.0)), ("abc".into(), "…".into()));
        assert_eq!([0.04, -0.04, 12.0, 3.26, -0.5].map(short), ["0", "0", "12", "3.3", "-0.5"]);
    }

    #[test]
    fn steps_add_up_to_places() {
        assert_eq!(steps(&[(10.0, 20.0), (10.04, 19.5), (10.08, 21.0)]), ["10 20", "0 -0.5", "0.1 1.5"]);
    }
}
