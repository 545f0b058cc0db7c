//! What records teach.

pub mod estimate;
mod linalg;
mod nnls;
mod options;
pub mod system;

pub use estimate::{Estimate, Reach};
pub use options::{FitOptions, Method};
pub use system::SystemModel;
