//! The models and beds of the cells.

use std::time::Duration;

use anyhow::Result;
use hemingway::cluster::Cluster;
use hemingway::sync::{Model, Stage};
use hemingway_testbed::{Layout, Part, Rate};

use super::calibrate::Costs;
use crate::sync::dataset::batched;

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
pub const BEDS: [BedPlan; 6] = [
    BedPlan { name: "even4", hosts: 4, latency_us: 100, megabits: 100.0, slow: &[] },
    BedPlan { name: "far4", hosts: 4, latency_us: 1000, megabits: 200.0, slow: &[] },
    BedPlan { name: "uneven4", hosts: 4, latency_us: 100, megabits: 200.0, slow: &[(3, 50.0)] },
    // The same in kind: what one of the two teaches, the other is asked.
    BedPlan { name: "slow5", hosts: 5, latency_us: 150, megabits: 160.0, slow: &[(1, 50.0)] },
    BedPlan { name: "uneven6", hosts: 6, latency_us: 200, megabits: 100.0, slow: &[(4, 50.0), (5, 50.0)] },
    // Two hosts with links for many, as clusters with machines for storage have them.
    BedPlan {
        name: "hubs6",
        hosts: 6,
        latency_us: 200,
        megabits: 150.0,
        slow: &[(0, 50.0), (2, 50.0), (3, 50.0), (5, 50.0)],
    },
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
pub const MODELS: [Cast; 6] = [
    Cast { model: "resnet50", scale: 250.0, batch: 0.25 },
    Cast { model: "vgg16", scale: 1200.0, batch: 0.08 },
    Cast { model: "ncf", scale: 50.0, batch: 1.0 },
    Cast { model: "bert-base", scale: 900.0, batch: 0.08 },
    Cast { model: "inceptionv3", scale: 250.0, batch: 0.2 },
    Cast { model: "wide-click", scale: 20.0, batch: 1.0 },
];

/// A model on a bed, and what is measured of it beside the strategies that are judged.
#[derive(Debug)]
struct CellPlan {
    model: &'static str,
    bed: &'static str,
    /// Strategies to learn from.
    lessons: bool,
    /// A search.
    search: bool,
}

const fn cell(model: &'static str, bed: &'static str, lessons: bool, search: bool) -> CellPlan {
    CellPlan { model, bed, lessons, search }
}

/// Chosen before any search was run.
const CELLS: [CellPlan; 13] = [
    cell("vgg16", "even4", false, false),
    cell("ncf", "even4", true, true),
    cell("wide-click", "even4", false, true),
    cell("resnet50", "far4", false, true),
    cell("inceptionv3", "far4", false, false),
    cell("resnet50", "uneven4", true, true),
    cell("vgg16", "uneven4", true, true),
    cell("resnet50", "slow5", true, false),
    cell("vgg16", "slow5", true, false),
    cell("vgg16", "uneven6", false, true),
    cell("bert-base", "uneven6", false, false),
    cell("resnet50", "hubs6", false, true),
    cell("vgg16", "hubs6", true, true),
];

fn plan(cast: &Cast, bed: &BedPlan) -> Option<&'static CellPlan> {
    CELLS.iter().find(|cell| (cell.model, cell.bed) == (cast.model, bed.name))
}

/// The models that are measured on a bed.
pub fn casts(bed: &BedPlan) -> impl Iterator<Item = &'static Cast> {
    MODELS.iter().filter(move |cast| plan(cast, bed).is_some())
}

/// Whether strategies of this cell are learned from.
pub fn is_taught(cast: &Cast, bed: &BedPlan) -> bool {
    plan(cast, bed).is_some_and(|cell| cell.lessons)
}

/// Whether this cell is searched.
pub fn is_searched(cast: &Cast, bed: &BedPlan) -> bool {
    plan(cast, bed).is_some_and(|cell| cell.search)
}

impl BedPlan {
    /// As the testbed is told.
    pub fn layout(&self) -> Layout {
        let rate = |megabits: f64| Rate(1e6 * megabits);
        let even = Layout::even(self.name, self.hosts, Duration::from_micros(self.latency_us), rate(self.megabits));
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
        Ok(batched(Model::find(self.model)?, self.batch))
    }

    /// It on a bed of these costs.
    pub fn stage(&self, bed: &BedPlan, costs: &Costs) -> Result<Stage> {
        Ok(Stage::new(self.model()?, &bed.cluster(costs, self.scale)?, bed.hosts)?)
    }
}
