//! `fit`: f and g from records.

mod cross;
mod file;
mod plot;
mod rounds;
mod words;

use std::path::PathBuf;

use anyhow::Result;
use hemingway::model::{RunModel, cross_validate};
use serde_json::{Value, json};

use super::{exit, records};
use crate::args::FitArgs;
use crate::output::{Answer, Output};
use crate::show::{Align, Basis, Paint, Table, number};
use cross::CrossValidated;
pub(super) use file::FitFile;
use rounds::Rounds;

/// Fits, or tests how well fits predict.
pub(super) fn fit(args: &FitArgs, out: &mut dyn Output) -> Result<u8> {
    let traces = records::read(&args.records, args.records.metric.as_ref())?;
    let options = records::options(&args.records, args.records.cluster.clone(), args.records.metric.as_ref())?;
    records::check_cluster(&traces, &options)?;
    let waiting = out.wait("fitting");
    if args.cross_validate {
        let result = cross_validate(&traces, &args.targets, &options)?;
        drop(waiting);
        out.answer(&CrossValidated(result))?;
        return Ok(exit::MET);
    }
    let model = RunModel::fit(&traces, &options)?;
    drop(waiting);
    let plots = match &args.plot {
        Some(path) => plot::save(path, &model, &traces, &options)?,
        None => Vec::new(),
    };
    let fitted =
        Fitted { file: FitFile::new(model, Basis::of(&traces), options), targets: args.targets.clone(), plots };
    if let Some(path) = &args.out {
        fitted.file.save(path)?;
        out.say(&format!("the models are in {0}: hemingway advise {0} --reach 1e-3", path.display()));
    }
    for path in &fitted.plots {
        out.say(&format!("fit against data is in {}", path.display()));
    }
    out.answer(&fitted)?;
    Ok(exit::MET)
}

struct Fitted {
    file: FitFile,
    targets: Vec<f64>,
    plots: Vec<PathBuf>,
}

impl Answer for Fitted {
    fn json(&self) -> Value {
        let contexts = self.file.model.contexts.iter().map(|(name, context)| {
            let single = Rounds::of(context);
            let answers = self.file.basis.machines.iter().map(|&m| {
                let rounds = self.targets.iter().map(|&t| json!({ "target": t, "rounds": context.rounds_to(t, m) }));
                json!({
                    "machines": m,
                    "seconds_per_round": context.seconds_per_round(m),
                    "quantiles": single.quantiles(m),
                    "phases": single.phases(m),
                    "rounds_to": rounds.collect::<Vec<_>>(),
                })
            });
            json!({
                "context": name,
                "theta": context.system.as_ref().map(|f| f.theta()),
                "doubt": context.samples.as_ref().and_then(|samples| samples.doubt()).map(|doubt| doubt.to_string()),
                "machines": answers.collect::<Vec<_>>(),
            })
        });
        json!({
            "problem": self.file.model.problem,
            "optimum": self.file.model.bracket,
            "basis": self.file.basis,
            "contexts": contexts.collect::<Vec<_>>(),
            "plots": self.plots,
        })
    }

    fn human(&self, paint: Paint) -> String {
        let mut text = format!("Basis: {}\n", self.file.basis.sentence(false));
        if let Some(bracket) = &self.file.model.bracket {
            text.push_str(&format!("{}\n", words::optimum(bracket)));
        }
        for (name, context) in &self.file.model.contexts {
            text.push_str(&format!("\n{}\n", paint.bold(name)));
            text.push_str(&format!("  f: {}\n", words::f(context)));
            text.push_str(&format!("  g: {}\n", words::g(context, &self.targets, &self.file.basis)));
            text.push_str(&self.table(context).text("  ", paint));
        }
        text
    }

    fn quiet(&self) -> String {
        self.file.model.contexts.keys().cloned().collect::<Vec<_>>().join("\n")
    }
}

impl Fitted {
    fn table(&self, context: &hemingway::model::ContextModel) -> Table {
        let machines = || self.file.basis.machines.iter().copied();
        let unit = number::Unit::of_all(machines().filter_map(|m| Some(context.seconds_per_round(m)?.mid)));
        let mut heads = vec![("m".to_string(), Align::Right), (format!("{}/round", unit.name), Align::Right)];
        heads.extend(rounds::HEADS.map(|head| (head.to_string(), Align::Right)));
        heads
            .extend(self.targets.iter().map(|target| (format!("rounds to {}", number::target(*target)), Align::Right)));
        let (mut table, single) = (Table::new(heads), Rounds::of(context));
        for m in machines() {
            let pace = number::interval(context.seconds_per_round(m), |s| unit.number(s));
            let rounds = self.targets.iter().map(|&target| number::reach(context.rounds_to(target, m), number::whole));
            table.row([m.to_string(), pace].into_iter().chain(single.cells(m, unit)).chain(rounds));
        }
        table
    }
}
