//! Hemingway chooses how to train convex models on a cluster, and trains them.
//!
//! A problem is data whose labels are numbers, two classes or several, a loss, and L2 or L1 or both; or ratings to be
//! made into factors, which alone is not convex. A wish is *reach relative error ε as fast as possible*, *the lowest
//! loss within t seconds* or *for $d*, or *reach a measure on a test set*. The library measures a little, models the
//! time of a round f(m) and the convergence g(i, m), combines them into h(t, m) = g(t / f(m), m), picks algorithm and
//! machines, trains, and changes its mind when that pays. `ARCHITECTURE.md` shows the line from a job to a certified
//! model and where each idea lives.
//!
//! One configuration on a simulated cluster, round by round:
//!
//! ```
//! use std::ops::ControlFlow;
//! use hemingway::backend::{Backend, Config, Ending, EngineBackend, Frame};
//! use hemingway::cluster::Cluster;
//! use hemingway::data::{Preparation, Source, prepare};
//! use hemingway::problem::{Loss, Problem};
//! # let cluster = Cluster::parse(include_str!("../../../clusters/cloud-25gbit.toml"))?;
//!
//! let loaded = Source::parse("synth:logistic,rows=500,columns=10")?.load()?;
//! let data = prepare(loaded.dataset, &Preparation::default(), true)?.dataset;
//! let problem = Problem::new(&data, Loss::Logistic, Some(1e-2), 0)?;
//!
//! let mut backend = EngineBackend::new(problem, "example", Some(cluster));
//! let frame = Frame::new("r1", Config::new("cocoa+", 4), 1000);
//! let (checkpoint, ending) = backend.run(&frame, None, &mut |record, _model| {
//!     let gap = record.objective - record.lower_bound.unwrap_or(0.0);
//!     Ok(if gap < 1e-6 { ControlFlow::Break(Ending::GoalMet) } else { ControlFlow::Continue(()) })
//! })?;
//! assert_eq!(ending, Ending::GoalMet);
//! assert_eq!(checkpoint.model.len(), 10);
//! # Ok::<(), hemingway::Error>(())
//! ```
//!
//! Advice from records of runs, whoever made them:
//!
//! ```
//! use hemingway::model::{FitOptions, RunModel};
//! use hemingway::record::{Point, Trace};
//!
//! // Twice the machines, half the compute, and a rate that suffers.
//! let trace = |machines: usize| Trace {
//!     context: "my-sgd".into(), problem: "p".into(), run: format!("m{machines}"), cluster: "mine".into(),
//!     machines, rows: None, fraction: 1.0, fresh: true, phases: None,
//!     points: (0..60).map(|i| Point {
//!         round: i,
//!         seconds: Some(i as f64 * (0.02 + 0.4 / machines as f64)),
//!         objective: Some(1.0 + (1.0 - 0.5 / machines as f64).powi(i as i32)),
//!         lower_bound: None,
//!     }).collect(),
//! };
//! let model = RunModel::fit(&[trace(1), trace(2), trace(4)], &FitOptions::default())?;
//! let seconds = model.context("my-sgd")?.time_to(1e-2, 3).and_then(|reach| reach.estimate()).expect("it gets there");
//! assert!(seconds.low < seconds.mid && seconds.mid < seconds.high);
//! # Ok::<(), hemingway::Error>(())
//! ```

pub mod algorithm;
pub mod backend;
pub mod calibrate;
pub mod cluster;
pub mod conformance;
pub mod data;
pub mod engine;
pub mod error;
pub mod goal;
pub mod job;
mod kind;
pub mod metric;
pub mod model;
pub mod path;
pub mod placement;
pub mod plan;
pub mod problem;
pub mod record;
pub mod rng;
pub mod schedule;
pub mod share;
mod simd;
pub mod standing;
pub mod sync;
pub mod train;
pub mod trained;
pub mod units;

pub use error::{Error, Result};
