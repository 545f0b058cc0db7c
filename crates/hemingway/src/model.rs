//! What records teach: f(m), g(i, m) and h(t, m) = g(t / f(m), m).

pub mod convergence;
pub mod design;
pub mod estimate;
pub mod lasso;
mod lasso_curve;
mod levels;
mod linalg;
mod nnls;
pub mod normal;
pub mod optimum;
mod options;
pub mod pace;
pub mod precedent;
mod prior;
mod residual;
mod run;
mod subset;
pub mod switch;
#[cfg(test)]
mod synthetic;
pub mod system;
mod validate;

pub use convergence::ConvergenceModel;
pub use estimate::{Estimate, Reach};
pub use optimum::{Bracket, Curve, Limit};
pub use options::{FitOptions, Method};
pub use pace::{Pace, Timing, Toil};
pub use precedent::{Crossings, Expectation, Kin, Lesson, Level, Precedents, Traits};
pub(crate) use precedent::{stage, stage_slope};
pub use prior::{Growth, Priors};
pub use run::{ContextModel, RunModel};
pub use subset::{Doubt, SubsetModel};
pub use switch::{Switch, SwitchModel};
pub(crate) use system::steady_mean;
pub use system::{PhaseModel, SystemModel};
pub use validate::{CrossValidation, Fold, Quantity, Summary, cross_validate};
