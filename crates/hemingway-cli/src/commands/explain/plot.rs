//! A run as a picture: error against training time, as it was predicted and as it came.

use std::path::Path;

use anyhow::Result;
use hemingway::backend::Config;
use hemingway::goal::Goal;
use hemingway::model::{Bracket, Estimate, FitOptions, Reach, RunModel};
use hemingway::record::journal::Event;
use hemingway::record::{Record, traces};
use hemingway::train::{Decision, History, Purpose};
use hemingway_plot::{Axis, Chart, Key, Layer, Look, MUTED, Picture, Scale, Stroke, distinct};

use crate::show::number::{self, Unit};
use crate::show::picture;

/// Points of a predicted curve.
const SAMPLES: usize = 100;
/// How far beyond its own end a prediction is shown.
const BEYOND: f64 = 1.15;

/// Draws the run.
pub(super) fn save(path: &Path, history: &History, events: &[Event]) -> Result<()> {
    let Some(bracket) = Bracket::of(&traces(&history.records)) else {
        return Err(hemingway::Error::Evidence("the run has no objective to draw yet".into()).into());
    };
    picture::save(path, &Story { history, stretches: stretches(events), bracket }.drawn())
}

/// A frame: what was decided and what came of it.
struct Stretch {
    config: Config,
    purpose: Purpose,
    /// A plan stood behind it.
    planned: bool,
    /// Records of the job before it.
    records_before: usize,
    /// Training seconds of the job before it.
    began: f64,
    /// (training seconds of the job, objective).
    points: Vec<(f64, f64)>,
}

impl Stretch {
    fn end(&self) -> f64 {
        self.points.last().map_or(self.began, |point| point.0)
    }
}

/// Cuts a journal into frames on one clock of training, probes included.
fn stretches(events: &[Event]) -> Vec<Stretch> {
    let mut found: Vec<Stretch> = Vec::new();
    let mut records: Vec<&Record> = Vec::new();
    // Training seconds of the frame's run before the frame.
    let mut before = 0.0;
    for event in events {
        match event {
            Event::Decided { decision, .. } => {
                let Decision::Run { frame, purpose, plan, .. } = &**decision else { continue };
                let last = records.iter().rev().find(|record| record.run == frame.run);
                before = last.map_or(0.0, |record| record.train_seconds);
                found.push(Stretch {
                    config: frame.config.clone(),
                    purpose: *purpose,
                    planned: plan.is_some(),
                    records_before: records.len(),
                    began: found.last().map_or(0.0, Stretch::end),
                    points: Vec::new(),
                });
            }
            Event::Round { record } => {
                records.push(record);
                if let Some(stretch) = found.last_mut() {
                    stretch.points.push((stretch.began + record.train_seconds - before, record.objective));
                }
            }
            _ => {}
        }
    }
    found
}

struct Story<'a> {
    history: &'a History,
    stretches: Vec<Stretch>,
    bracket: Bracket,
}

impl Story<'_> {
    fn drawn(&self) -> Picture {
        let unit = Unit::of(self.stretches.last().map_or(0.0, Stretch::end));
        let mut layers: Vec<Layer> = Vec::new();
        for (place, stretch) in self.stretches.iter().enumerate() {
            layers.push(self.real(place, stretch, unit));
            if self.turns(place) {
                let verb = if self.trains_before(place) { "switch to " } else { "train " };
                let name = format!("{verb}{}", stretch.config);
                layers.push(Layer::Moment { at: unit.of_seconds(stretch.began), name });
                layers.extend(self.predicted(place, stretch, unit));
            }
        }
        if let Goal::Reach { error, .. } = self.history.spec.goal {
            layers.push(Layer::Level { at: error, name: format!("goal {}", number::target(error)) });
        }
        let virtual_word = if self.history.facts.simulated { "virtual " } else { "" };
        let x = Axis::new(format!("{virtual_word}{} of training, probes included", unit.name), Scale::Linear);
        let y = Axis::new("error relative to the estimated P*", Scale::Log);
        Picture {
            title: self.history.id.clone(),
            subtitle: picture::headline(&self.history.spec.goal.sentence()),
            legend: self.legend(),
            charts: vec![Chart { x, y, layers, ..Chart::default() }],
            columns: 1,
        }
    }

    /// What happened; named where training with it ends.
    fn real(&self, place: usize, stretch: &Stretch, unit: Unit) -> Layer {
        let point = |&(at, objective): &(f64, f64)| Some((unit.of_seconds(at), self.bracket.error(objective)?));
        let points = stretch.points.iter().filter_map(point).collect();
        let trains = stretch.purpose == Purpose::Train;
        let stroke = if trains { Stroke::Solid } else { Stroke::Thin };
        let line = Layer::line(distinct(self.color(&stretch.config)), stroke, points);
        let goes_on = self.stretches.get(place + 1).is_some_and(|next| next.config == stretch.config);
        if trains && !goes_on { line.named(stretch.config.to_string()) } else { line }
    }

    /// What was promised of a configuration when it was turned to.
    fn predicted(&self, place: usize, stretch: &Stretch, unit: Unit) -> Vec<Layer> {
        let next = (place + 1..self.stretches.len()).find(|&later| self.turns(later));
        let last = next.unwrap_or(self.stretches.len()) - 1;
        let length = BEYOND * (self.stretches[last].end() - stretch.began);
        let curve = stretch.planned.then(|| self.promise(stretch, length)).flatten().unwrap_or_default();
        let curve: Vec<(f64, Estimate)> = curve.into_iter().map(|(at, e)| (unit.of_seconds(at), e)).collect();
        let mut layers = picture::prediction(distinct(self.color(&stretch.config)), &curve, String::new());
        for layer in &mut layers {
            if let Layer::Line { stroke, .. } = layer {
                *stroke = Stroke::Dashed;
            }
        }
        layers
    }

    /// h from where the job stood, by the models of that moment and their own P*: what the plan promised.
    fn promise(&self, stretch: &Stretch, length: f64) -> Option<Vec<(f64, Estimate)>> {
        let known = &self.history.records[..stretch.records_before];
        let options = FitOptions { max_local_machines: Some(self.history.facts.cores), ..FitOptions::default() };
        let model = RunModel::fit(&traces(known), &options).ok()?;
        let (context, bracket) = (model.context(&stretch.config.algorithm).ok()?, model.bracket?);
        let machines = stretch.config.machines;
        let own = known.iter().filter(|record| record.algorithm == stretch.config.algorithm);
        let best = own.map(|record| record.objective).filter(|value| value.is_finite()).fold(f64::INFINITY, f64::min);
        let done = bracket.error(best).and_then(|error| context.time_to(error, machines)).and_then(Reach::estimate);
        let done = done.map_or(0.0, |done| done.mid);
        let at = |k: usize| {
            let later = length * k as f64 / SAMPLES as f64;
            Some((stretch.began + later, context.error_at(done + later, machines)?))
        };
        (0..=SAMPLES).map(at).collect()
    }

    /// Whether training begins or changes its configuration here.
    fn turns(&self, place: usize) -> bool {
        let trains = |stretch: &&Stretch| stretch.purpose == Purpose::Train;
        let before = self.stretches[..place].iter().rev().find(trains);
        trains(&&self.stretches[place]) && before.is_none_or(|before| before.config != self.stretches[place].config)
    }

    fn trains_before(&self, place: usize) -> bool {
        self.stretches[..place].iter().any(|stretch| stretch.purpose == Purpose::Train)
    }

    fn algorithms(&self) -> Vec<&str> {
        let mut names: Vec<&str> = Vec::new();
        for stretch in &self.stretches {
            if !names.contains(&stretch.config.algorithm.as_str()) {
                names.push(&stretch.config.algorithm);
            }
        }
        names
    }

    fn color(&self, config: &Config) -> usize {
        self.algorithms().iter().position(|name| *name == config.algorithm).unwrap_or(0)
    }

    fn legend(&self) -> Vec<Key> {
        let names = self.algorithms();
        let keys = names.iter().enumerate();
        let keys = keys.map(|(place, name)| Key::new(Look::Line(Stroke::Solid), distinct(place), *name));
        let marks = [
            (Look::Line(Stroke::Thin), "probe"),
            (Look::Line(Stroke::Solid), "training"),
            (Look::Line(Stroke::Dashed), "predicted"),
            (Look::Band, "90 % interval"),
        ];
        keys.chain(marks.map(|(look, words)| Key::new(look, MUTED, words))).collect()
    }
}
