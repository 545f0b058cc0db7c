//! The whole document: title, legend, and charts in rows.

use crate::draw;
use crate::ink::{LOUD, MUTED, PAPER};
use crate::page::{Anchor, Page, Type, fitted, width};
use crate::panel;
use crate::picture::{Key, Look, Picture};

/// Sizes of a chart by how many stand in a row.
const SIZES: [(f64, f64); 3] = [(820.0, 430.0), (520.0, 370.0), (430.0, 330.0)];
const EDGE: f64 = 20.0;
const GUTTER: f64 = 18.0;
const TITLE: f64 = 18.0;
const SUBTITLE: f64 = 13.0;
const KEY: f64 = 12.0;
const SWATCH: f64 = 26.0;
const KEY_ROW: f64 = 20.0;

impl Picture {
    /// The picture as an SVG document.
    pub fn svg(&self) -> String {
        let columns = self.columns.clamp(1, SIZES.len());
        let (wide, high) = SIZES[columns - 1];
        let width = 2.0 * EDGE + columns as f64 * wide + (columns - 1) as f64 * GUTTER;
        let mut page = Page::default();
        page.group(PAPER, "", |page| page.element("rect", "width=\"100%\" height=\"100%\" fill=\"currentColor\""));
        let top = self.head(&mut page, width);
        for (place, chart) in self.charts.iter().enumerate() {
            let left = EDGE + (place % columns) as f64 * (wide + GUTTER);
            let top = top + (place / columns) as f64 * (high + GUTTER);
            panel::draw(&mut page, chart, (left, top, left + wide, top + high));
        }
        let rows = self.charts.len().div_ceil(columns) as f64;
        page.document(width, top + rows * (high + GUTTER), &self.title)
    }

    /// Title, subtitle and legend; returns where the charts begin.
    fn head(&self, page: &mut Page, whole: f64) -> f64 {
        let room = whole - 2.0 * EDGE;
        let line = |page: &mut Page, y: f64, kind: Type, words: &str| {
            page.text((EDGE, y), kind, &fitted(words, room, kind.size));
        };
        let mut y = EDGE + 14.0;
        page.group(LOUD, "", |page| line(page, y, Type::bold(TITLE, Anchor::Start), &self.title));
        if !self.subtitle.is_empty() {
            y += 21.0;
            page.group(MUTED, "", |page| line(page, y, Type::new(SUBTITLE, Anchor::Start), &self.subtitle));
        }
        y += 14.0;
        let (mut x, mut row) = (EDGE, y + 0.5 * KEY_ROW);
        for key in &self.legend {
            let wide = SWATCH + 8.0 + width(&key.words, KEY) + 18.0;
            if x > EDGE && x + wide > whole - EDGE {
                (x, row) = (EDGE, row + KEY_ROW);
            }
            draw_key(page, key, x, row);
            x += wide;
        }
        if self.legend.is_empty() { y } else { row + 0.5 * KEY_ROW + 8.0 }
    }
}

fn draw_key(page: &mut Page, key: &Key, x: f64, y: f64) {
    let (end, middle) = (x + SWATCH, x + 0.5 * SWATCH);
    page.group(key.ink, "", |page| match key.look {
        Look::Line(stroke) => page.rule((x, y), (end, y), draw::attributes(stroke)),
        Look::Dots => draw::dots(page, &[(x + 5.0, y), (middle, y), (end - 5.0, y)]),
        Look::Band => draw::band(page, &[(x, y - 6.0), (end, y - 6.0), (end, y + 6.0), (x, y + 6.0)]),
        Look::Whiskers => draw::whisker(page, middle, y - 7.0, y + 7.0),
        Look::Ring => draw::ring(page, (middle, y)),
    });
    page.group(MUTED, "", |page| page.text((end + 8.0, y + 0.35 * KEY), Type::new(KEY, Anchor::Start), &key.words));
}
