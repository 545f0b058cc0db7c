//! The models and beds of the cells.

use std::time::Duration;

use anyhow::Result;
use hemingway::cluster::Cluster;
use hemingway::sync::{Model, Stage};
use hemingway_testbed::{Layout, Part, Rate};

use super::calibrate::Costs;

/// Hosts and links of one testbed.
#[derive(Debug, Clone, Copy)]
pub struct BedPlan {
    /// Its name in tables.
    pub name: &'static str,
    /// Hosts, a rank on each.
    pub hosts: usize,
    /// Microseconds of every link, one way.
    pub latency_us: u64,
    /// Megabits of every port.
    pub megabits: f64,
    /// Hosts whose ports differ, with their megabits.
    pub slow: &'static [(usize, f64)],
}

/// Every bed.
pub const BEDS: [BedPlan; 4] = [
    BedPlan { name: "even4", hosts: 4, latency_us: 100, megabits: 100.0, slow: &[] },
    BedPlan { name: "far4", hosts: 4, latency_us: 1000, megabits: 200.0, slow: &[] },
    BedPlan { name: "uneven4", hosts: 4, latency_us: 100, megabits: 200.0, slow: &[(3, 50.0)] },
    BedPlan { name: "uneven6", hosts: 6, latency_us: 200, megabits: 100.0, slow: &[(4, 50.0), (5, 50.0)] },
];

/// A model as it is replayed: a byte moves for each `scale` of its own, and a step computes for `batch` of the usual batch.
#[derive(Debug, Clone, Copy)]
pub struct Cast {
    /// A built-in model.
    pub model: &'static str,
    /// Bytes for each that moves.
    pub scale: f64,
    /// The share of its batch.
    pub batch: f64,
}

/// Every model.
pub const MODELS: [Cast; 4] = [
    Cast { model: "resnet50", scale: 250.0, batch: 0.25 },
    Cast { model: "vgg16", scale: 1200.0, batch: 0.08 },
    Cast { model: "ncf", scale: 50.0, batch: 1.0 },
    Cast { model: "bert-base", scale: 900.0, batch: 0.08 },
];

/// Models on beds, in the order in which they are measured.
const CELLS: [(&str, &str); 10] = [
    ("resnet50", "even4"),
    ("vgg16", "even4"),
    ("ncf", "even4"),
    ("resnet50", "uneven4"),
    ("vgg16", "uneven4"),
    ("ncf", "uneven4"),
    ("resnet50", "far4"),
    ("vgg16", "far4"),
    ("vgg16", "uneven6"),
    ("bert-base", "uneven6"),
];

/// The models that are measured on a bed.
pub fn casts(bed: &BedPlan) -> impl Iterator<Item = &'static Cast> {
    let on = |model: &str| CELLS.contains(&(model, bed.name));
    MODELS.iter().filter(move |cast| on(cast.model))
}

impl BedPlan {
    /// As the testbed is told.
    pub fn layout(&self) -> Layout {
        let rate = |megabits: f64| Rate(1e6 * megabits);
        let even = Layout::even("sync", self.hosts, Duration::from_micros(self.latency_us), rate(self.megabits));
        let slow = |(host, megabits): &(usize, f64)| (*host, Part { latency: None, rate: Some(rate(*megabits)) });
        Layout { slow: self.slow.iter().map(slow).collect(), ..even }
    }

    /// As a cluster whose links carry `scale` times as much: what it is to a model of which only so few bytes move.
    pub fn cluster(&self, costs: &Costs, scale: f64) -> Result<Cluster> {
        let gbit = |megabits: f64| megabits / 1e3 * scale * costs.goodput;
        let mut text = format!(
            "name = '{}'\nmachines = {}\ncores_per_machine = 1\nmemory_gb = 1\nprice_per_hour = 0\n\
             [compute]\nns_per_nonzero = 1\n[network]\nlatency_us = {}\nbandwidth_gbit = {}\ncollective = 'ring'\n\
             [fabric]\nmessage_us = {}\nswitch_us = {}\n",
            self.name,
            self.hosts,
            self.latency_us as f64 + costs.latency_us,
            gbit(self.megabits),
            costs.message_us,
            costs.switch_us,
        );
        for (host, megabits) in self.slow {
            text.push_str(&format!(
                "[[fabric.host]]\nmachine = {host}\nbandwidth_gbit = {}\npace = 1.0\n",
                gbit(*megabits)
            ));
        }
        Ok(Cluster::parse(&text)?)
    }
}

impl Cast {
    /// Its variables, ready as soon as a smaller batch lets them be.
    pub fn model(&self) -> Result<Model> {
        let mut model = Model::find(self.model)?;
        model.step_ms *= self.batch;
        model.variables.iter_mut().for_each(|variable| variable.ready_ms *= self.batch);
        Ok(model)
    }

    /// It on a bed of these costs.
    pub fn stage(&self, bed: &BedPlan, costs: &Costs) -> Result<Stage> {
        Ok(Stage::new(self.model()?, &bed.cluster(costs, self.scale)?, bed.hosts)?)
    }
}
