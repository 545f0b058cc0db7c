//! Pictures of a run: its way to the goal, and time against cost.

use hemingway::goal::Goal;
use hemingway::model::Estimate;
use hemingway::plan::{Candidate, Plan};
use hemingway::train::Purpose;
use hemingway_plot::{Axis, Chart, Ink, Key, LOUD, Layer, Look, MUTED, Picture, Scale, Stroke, distinct};

use super::curve::Stretch;
use super::frontier::priced;
use super::{Course, Frontier, Story};
use crate::show::number::{self, Unit};
use crate::show::picture;

/// How far beyond the end of training a promise stretches the picture.
const WIDEST: f64 = 1.5;

impl Course {
    /// Error against training time.
    pub(crate) fn picture(&self, story: &Story) -> Picture {
        let unit = Unit::of(self.end());
        let mut layers: Vec<Layer> = Vec::new();
        let mut trains = false;
        for (place, stretch) in self.stretches.iter().enumerate() {
            layers.push(self.real(story, place, unit));
            if stretch.turns {
                let verb = if trains { "switch to " } else { "train " };
                let name = format!("{verb}{}", stretch.config);
                layers.push(Layer::Moment { at: unit.of_seconds(stretch.began), name });
                layers.extend(predicted(story, stretch, unit));
                layers.extend(self.promised(story, stretch, unit));
            }
            trains |= stretch.turns;
        }
        if let Goal::Reach { error, .. } = story.history.spec.goal {
            layers.push(Layer::Level { at: error, name: format!("goal {}", number::target(error)) });
        }
        let virtual_word = if story.history.facts.simulated { "virtual " } else { "" };
        let x = Axis::new(format!("{virtual_word}{} of training, probes included", unit.name), Scale::Linear);
        let y = Axis::new("error relative to the estimated P*", Scale::Log);
        Picture {
            title: story.history.id.clone(),
            subtitle: picture::headline(&story.history.spec.goal.sentence()),
            legend: self.legend(story),
            charts: vec![Chart { x, y, layers, ..Chart::default() }],
            columns: 1,
        }
    }

    /// What was promised of each configuration that was turned to, and why where no band shows it.
    pub(crate) fn caption(&self) -> String {
        let turns: Vec<&Stretch> = self.stretches.iter().filter(|stretch| stretch.turns).collect();
        let told = |stretch: &&Stretch| {
            let promised = stretch.promised.map(|end| format!("the goal promised at {}", number::seconds_between(end)));
            let without = stretch.unforetold.map(|why| format!("no band: {why}"));
            let words: Vec<String> = promised.into_iter().chain(without).collect();
            (!words.is_empty()).then(|| format!("{}: {}", stretch.config, words.join("; ")))
        };
        turns.iter().filter_map(told).map(|words| format!("{words}. ")).collect::<String>().trim_end().into()
    }

    /// When the goal would be met, as the decision promised it: at its error, as far as the picture goes.
    fn promised(&self, story: &Story, stretch: &Stretch, unit: Unit) -> Vec<Layer> {
        let (Some(seconds), Goal::Reach { error, .. }) = (stretch.promised, &story.history.spec.goal) else {
            return Vec::new();
        };
        let ink = story.ink(&stretch.config.algorithm);
        let end = WIDEST * self.end();
        let at = |seconds: f64| (unit.of_seconds(seconds.min(end)), *error);
        let middle = (seconds.mid <= end).then(|| at(seconds.mid));
        let interval = Layer::line(ink, Stroke::Solid, vec![at(seconds.low), at(seconds.high)]);
        vec![interval, Layer::dots(ink, middle.into_iter().collect())]
    }

    /// What happened; named where training with it ends.
    fn real(&self, story: &Story, place: usize, unit: Unit) -> Layer {
        let stretch = &self.stretches[place];
        let points = stretch.real.iter().filter_map(|at| Some((unit.of_seconds(at.seconds), at.error?))).collect();
        let trains = stretch.purpose == Purpose::Train;
        let stroke = if trains { Stroke::Solid } else { Stroke::Thin };
        let line = Layer::line(story.ink(&stretch.config.algorithm), stroke, points);
        let goes_on = self.stretches.get(place + 1).is_some_and(|next| next.config == stretch.config);
        if trains && !goes_on { line.named(stretch.config.to_string()) } else { line }
    }

    fn legend(&self, story: &Story) -> Vec<Key> {
        let ran = |name: &&String| self.stretches.iter().any(|stretch| stretch.config.algorithm == **name);
        let names = story.history.facts.algorithms.iter().filter(ran);
        let names = names.map(|name| Key::new(Look::Line(Stroke::Solid), story.ink(name), name));
        let mut marks = vec![(Look::Line(Stroke::Thin), "probe"), (Look::Line(Stroke::Solid), "training")];
        if self.stretches.iter().any(|stretch| !stretch.predicted.is_empty()) {
            marks.extend([(Look::Line(Stroke::Dashed), "predicted"), (Look::Band, "90 % interval")]);
        }
        if self.stretches.iter().any(|stretch| stretch.promised.is_some()) {
            marks.push((Look::Dots, "the goal, as promised"));
        }
        names.chain(marks.into_iter().map(|(look, words)| Key::new(look, MUTED, words))).collect()
    }
}

/// What was promised of a configuration when it was turned to.
fn predicted(story: &Story, stretch: &Stretch, unit: Unit) -> Vec<Layer> {
    let curve: Vec<(f64, Estimate)> = stretch.predicted.iter().map(|(at, e)| (unit.of_seconds(*at), *e)).collect();
    let mut layers = picture::prediction(story.ink(&stretch.config.algorithm), &curve, String::new());
    for layer in &mut layers {
        if let Layer::Line { stroke, .. } = layer {
            *stroke = Stroke::Dashed;
        }
    }
    layers
}

impl Story {
    /// The colour of an algorithm, the same in every picture of the run.
    fn ink(&self, algorithm: &str) -> Ink {
        distinct(self.history.facts.algorithms.iter().position(|name| name == algorithm).unwrap_or(0))
    }
}

impl Frontier<'_> {
    /// Dollars against time: every candidate, an algorithm's joined by machines, under those on the frontier.
    pub(crate) fn picture(&self, story: &Story, plan: &Plan, chosen: Option<&Candidate>) -> Picture {
        let unit = Unit::of_all(self.candidates.iter().filter_map(|c| Some(priced(c)?.1)));
        let place = |c: &Candidate| priced(c).map(|(_, seconds, dollars)| (unit.of_seconds(seconds), dollars));
        let mut layers: Vec<Layer> = Vec::new();
        for name in &story.history.facts.algorithms {
            let mut own: Vec<&Candidate> = plan.candidates.iter().filter(|c| c.config.algorithm == *name).collect();
            own.sort_by_key(|c| c.config.machines);
            let last = own.iter().rfind(|c| place(c).is_some()).map_or(String::new(), |c| c.config.to_string());
            let places: Vec<(f64, f64)> = own.into_iter().filter_map(place).collect();
            layers.push(Layer::line(story.ink(name), Stroke::Thin, places.clone()));
            layers.push(Layer::dots(story.ink(name), places).named(last));
        }
        layers.push(Layer::line(LOUD, Stroke::Dashed, self.candidates.iter().filter_map(|c| place(c)).collect()));
        layers.extend(chosen.and_then(place).map(|at| Layer::Ring { ink: LOUD, at }));
        let mut legend = vec![Key::new(Look::Dots, MUTED, "candidate, joined by number of machines")];
        if self.candidates.len() > 1 {
            legend.push(Key::new(Look::Line(Stroke::Dashed), LOUD, "none is both sooner and cheaper"));
        }
        legend.extend(chosen.map(|chosen| Key::new(Look::Ring, LOUD, format!("the choice: {}", chosen.config))));
        let virtual_word = if story.history.facts.simulated { "virtual " } else { "" };
        let x = Axis::new(format!("{virtual_word}{} to go, as predicted", unit.name), Scale::Log);
        let y = Axis::new("dollars to go, as predicted", Scale::Log);
        Picture {
            title: format!("{}: time against cost", story.history.id),
            subtitle: picture::headline(&plan.goal),
            legend,
            charts: vec![Chart { x, y, layers, ..Chart::default() }],
            columns: 1,
        }
    }
}
