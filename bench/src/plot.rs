//! Line plots as SVG, a logarithmic y axis always; every line carries its name at its end, so that no legend is needed.

use std::fmt::Write;

const WIDTH: f64 = 860.0;
const HEIGHT: f64 = 520.0;
const LEFT: f64 = 78.0;
const RIGHT: f64 = 128.0;
const TOP: f64 = 74.0;
const BOTTOM: f64 = 60.0;
/// Between two names at line ends.
const NAME_HEIGHT: f64 = 16.0;
const FONT: &str = "font-family=\"Inter, 'Helvetica Neue', Helvetica, Arial, sans-serif\"";

/// Colours that stay apart for colour-blind eyes (Okabe & Ito).
pub const DISTINCT: [&str; 6] = ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9"];

/// Seven shades of one ramp, light to dark, for an ordered quantity.
pub const RAMP: [&str; 7] = ["#f1a340", "#e8793f", "#d95347", "#bd3554", "#97235f", "#6b1e63", "#3d1a56"];

/// One line.
pub struct Series {
    /// Its name, at its end.
    pub name: String,
    /// `#rrggbb`.
    pub color: &'static str,
    /// (x, y), y above 0.
    pub points: Vec<(f64, f64)>,
}

/// A plot.
pub struct Plot {
    /// What is shown.
    pub title: String,
    /// Under what conditions.
    pub subtitle: String,
    /// What x is.
    pub x_label: String,
    /// What y is.
    pub y_label: String,
    /// A logarithmic x axis.
    pub log_x: bool,
    /// A horizontal line with its name.
    pub goal: Option<(f64, String)>,
    /// The lines.
    pub series: Vec<Series>,
}

/// From numbers to the page.
struct Axis {
    low: f64,
    high: f64,
    from: f64,
    to: f64,
    log: bool,
}

impl Axis {
    fn at(&self, value: f64) -> f64 {
        let scale = |v: f64| if self.log { v.log10() } else { v };
        let share = (scale(value) - scale(self.low)) / (scale(self.high) - scale(self.low));
        self.from + share * (self.to - self.from)
    }

    /// Decades, or round steps.
    fn ticks(&self) -> Vec<f64> {
        if self.log {
            let (first, last) = (self.low.log10().ceil() as i32, self.high.log10().floor() as i32);
            return (first..=last).map(|e| 10f64.powi(e)).collect();
        }
        let rough = (self.high - self.low) / 6.0;
        let decade = 10f64.powf(rough.log10().floor());
        let step = [1.0, 2.0, 5.0, 10.0].map(|s| s * decade).into_iter().find(|s| *s >= rough).unwrap_or(rough);
        (0..).map(|k| self.low + k as f64 * step).take_while(|v| *v <= self.high * 1.0001).collect()
    }

    /// 2…9 within each decade of a logarithmic axis.
    fn minor(&self) -> Vec<f64> {
        if !self.log {
            return Vec::new();
        }
        let decades = self.low.log10().floor() as i32..=self.high.log10().floor() as i32;
        let all = decades.flat_map(|e| (2..10).map(move |k| f64::from(k) * 10f64.powi(e)));
        all.filter(|v| (self.low..=self.high).contains(v)).collect()
    }
}

impl Plot {
    /// The plot as an SVG document.
    pub fn svg(&self) -> String {
        let (x, y) = self.axes();
        let mut out = format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {HEIGHT}\" width=\"{WIDTH}\" \
             height=\"{HEIGHT}\" {FONT} font-size=\"13\" fill=\"#333\">\n<rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>\n"
        );
        text(&mut out, LEFT, 32.0, "font-size=\"19\" font-weight=\"600\" fill=\"#111\"", &self.title);
        text(&mut out, LEFT, 54.0, "fill=\"#666\"", &self.subtitle);
        grid(&mut out, &x, &y);
        self.labels(&mut out);
        self.draw_goal(&mut out, &y);
        self.series.iter().for_each(|s| line(&mut out, s, &x, &y));
        self.names(&mut out, &x, &y);
        out.push_str("</svg>\n");
        out
    }

    fn axes(&self) -> (Axis, Axis) {
        let low_x = if self.log_x { 1.0 } else { 0.0 };
        let all = || self.series.iter().flat_map(|s| &s.points).filter(|p| p.0 >= low_x);
        let most_x = all().map(|p| p.0).fold(f64::MIN_POSITIVE, f64::max);
        let (least, most) = all().fold((f64::INFINITY, 0.0_f64), |(l, m), p| (l.min(p.1), m.max(p.1)));
        let low = least.min(self.goal.as_ref().map_or(least, |g| g.0));
        let x = Axis { low: low_x, high: most_x, from: LEFT, to: WIDTH - RIGHT, log: self.log_x };
        let y = Axis { low: low / 2.0, high: most * 1.5, from: HEIGHT - BOTTOM, to: TOP, log: true };
        (x, y)
    }

    fn labels(&self, out: &mut String) {
        let (middle_x, middle_y) = (0.5 * (LEFT + WIDTH - RIGHT), 0.5 * (TOP + HEIGHT - BOTTOM));
        text(out, middle_x, HEIGHT - 16.0, "text-anchor=\"middle\" fill=\"#555\"", &self.x_label);
        let turned = format!("text-anchor=\"middle\" fill=\"#555\" transform=\"rotate(-90 20 {middle_y})\"");
        text(out, 20.0, middle_y, &turned, &self.y_label);
    }

    fn draw_goal(&self, out: &mut String, y: &Axis) {
        let Some((value, name)) = &self.goal else { return };
        let (at, end) = (y.at(*value), WIDTH - RIGHT);
        let _ = writeln!(
            out,
            "<line x1=\"{LEFT}\" x2=\"{end}\" y1=\"{at:.1}\" y2=\"{at:.1}\" stroke=\"#111\" stroke-dasharray=\"5 4\"/>"
        );
        text(out, LEFT + 8.0, at + 17.0, "font-size=\"12\" fill=\"#111\"", name);
    }

    /// Names at line ends: beside those that reach the right edge, pushed apart where they would overlap; below the
    /// others, where their lines have come from above.
    fn names(&self, out: &mut String, x: &Axis, y: &Axis) {
        let ends = self.series.iter().filter_map(|s| s.points.last().map(|p| (x.at(p.0), y.at(p.1), s)));
        let (mut beside, below): (Vec<_>, Vec<_>) = ends.partition(|end| end.0 > x.to - 2.0);
        for (end_x, end_y, series) in below {
            let style = format!("text-anchor=\"middle\" font-weight=\"600\" fill=\"{}\"", series.color);
            text(out, end_x, end_y + 18.0, &style, &series.name);
        }
        beside.sort_by(|a, b| a.1.total_cmp(&b.1));
        let mut free = f64::MIN;
        for (end_x, end_y, series) in beside {
            let at = end_y.max(free);
            free = at + NAME_HEIGHT;
            text(out, end_x + 9.0, at + 4.5, &format!("font-weight=\"600\" fill=\"{}\"", series.color), &series.name);
        }
    }
}

fn text(out: &mut String, x: f64, y: f64, style: &str, words: &str) {
    let words = words.replace('&', "&amp;").replace('<', "&lt;");
    let _ = writeln!(out, "<text x=\"{x:.1}\" y=\"{y:.1}\" {style}>{words}</text>");
}

fn grid(out: &mut String, x: &Axis, y: &Axis) {
    let rule = |out: &mut String, x1: f64, x2: f64, y1: f64, y2: f64, color: &str| {
        let _ = writeln!(out, "<line x1=\"{x1:.1}\" x2=\"{x2:.1}\" y1=\"{y1:.1}\" y2=\"{y2:.1}\" stroke=\"{color}\"/>");
    };
    for value in y.minor() {
        rule(out, x.from, x.to, y.at(value), y.at(value), "#f4f4f4");
    }
    for value in y.ticks() {
        rule(out, x.from, x.to, y.at(value), y.at(value), "#dedede");
        text(out, x.from - 9.0, y.at(value) + 4.5, "text-anchor=\"end\"", &power(value));
    }
    for value in x.minor() {
        rule(out, x.at(value), x.at(value), y.from, y.to, "#f7f7f7");
    }
    for value in x.ticks() {
        rule(out, x.at(value), x.at(value), y.from, y.to, "#ececec");
        text(out, x.at(value), y.from + 20.0, "text-anchor=\"middle\"", &format!("{value}"));
    }
    rule(out, x.from, x.to, y.from, y.from, "#888");
}

/// 10⁻³ rather than 0.001.
fn power(value: f64) -> String {
    let exponent = value.log10().round() as i32;
    match exponent {
        0 => "1".into(),
        _ => {
            let raised = |c: char| {
                if c == '-' {
                    '⁻'
                } else {
                    ['⁰', '¹', '²', '³', '⁴', '⁵', '⁶', '⁷', '⁸', '⁹'][c as usize - 48]
                }
            };
            format!("10{}", exponent.to_string().chars().map(raised).collect::<String>())
        }
    }
}

fn line(out: &mut String, series: &Series, x: &Axis, y: &Axis) {
    let inside = series.points.iter().filter(|p| p.0 >= x.low);
    let path: Vec<String> = inside.map(|p| format!("{:.1},{:.1}", x.at(p.0), y.at(p.1))).collect();
    let _ = writeln!(
        out,
        "<polyline points=\"{}\" fill=\"none\" stroke=\"{}\" stroke-width=\"2.2\" stroke-linejoin=\"round\" \
         stroke-linecap=\"round\"/>",
        path.join(" "),
        series.color
    );
    if let Some(end) = series.points.last() {
        let _ = writeln!(
            out,
            "<circle cx=\"{:.1}\" cy=\"{:.1}\" r=\"3.4\" fill=\"{}\"/>",
            x.at(end.0),
            y.at(end.1),
            series.color
        );
    }
}
