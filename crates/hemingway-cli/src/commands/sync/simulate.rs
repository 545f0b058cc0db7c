//! `sync simulate`: a step on paper.

use anyhow::Result;
use hemingway::cluster::Cluster;
use hemingway::sync::analytic::{Forecast, forecast};
use hemingway::sync::{Stage, Strategy};
use serde_json::{Value, json};

use super::super::exit;
use super::words;
use crate::args::PlaceArgs;
use crate::output::{Answer, Output};
use crate::show::{Paint, number};

/// Links named in JSON.
const LINKS: usize = 8;

/// Foretells.
pub(super) fn simulate(place: &PlaceArgs, name: &String, out: &mut dyn Output) -> Result<u8> {
    let (stage, cluster) = super::stage(place, std::slice::from_ref(name))?;
    let strategy = super::strategy(&stage, name)?;
    let play = stage.play(&strategy)?;
    let forecast = forecast(&stage, &play);
    out.answer(&Simulated {
        stage: &stage,
        cluster: &cluster,
        strategy: &strategy,
        groups: play.layout.groups.len(),
        losses: words::losses(&play),
        forecast,
    })?;
    Ok(exit::MET)
}

struct Simulated<'a> {
    stage: &'a Stage,
    cluster: &'a Cluster,
    strategy: &'a Strategy,
    groups: usize,
    /// What keeps its sums from being exact.
    losses: Option<String>,
    forecast: Forecast,
}

/// The busiest links with their seconds.
pub(super) fn links(stage: &Stage, forecast: &Forecast, most: usize) -> Vec<(String, f64)> {
    let busy = forecast.bottlenecks().into_iter().filter(|link| forecast.busy[*link] > 0.0).take(most);
    busy.map(|link| (stage.links.name(link).to_string(), forecast.busy[link])).collect()
}

impl Answer for Simulated<'_> {
    fn json(&self) -> Value {
        let (under, after) = self.forecast.overlap();
        let links = links(self.stage, &self.forecast, LINKS);
        json!({
            "strategy": self.strategy.name,
            "seconds": self.forecast.seconds,
            "compute_seconds": self.forecast.compute,
            "bound_seconds": self.stage.bound(),
            "hidden_seconds": under,
            "exposed_seconds": after,
            "groups": self.groups,
            "lossless": self.losses.is_none(),
            "waits_for": super::reason(self.stage, &self.forecast),
            "links": links.iter().map(|(name, busy)| json!({ "name": name, "busy_seconds": busy })).collect::<Vec<_>>(),
            "engine": "analytic",
        })
    }

    fn human(&self, paint: Paint) -> String {
        let (under, after) = self.forecast.overlap();
        let [step, compute, bound, under, after] =
            [self.forecast.seconds, self.forecast.compute, self.stage.bound(), under, after].map(number::seconds);
        let lines = [
            ("step", format!("{step} on paper, of which {compute} computing; none without loss is below {bound}")),
            (
                "exchange",
                format!("{} in {under} under computing and {after} after it", number::counted(self.groups, "group")),
            ),
            ("waits for", super::reason(self.stage, &self.forecast)),
        ];
        let line = |(head, body): (&str, String)| format!("{}  {body}\n", paint.dim(&format!("{head:<9}")));
        let loss = self.losses.iter().map(|losses| ("loss", format!("it is not lossless: {losses}")));
        let text: String = lines.into_iter().chain(loss).map(line).collect();
        format!("{}: {}\n\n{text}", super::heading(self.stage, self.cluster), self.strategy.name)
    }

    fn quiet(&self) -> String {
        self.forecast.seconds.to_string()
    }
}
