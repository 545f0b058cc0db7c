//! Shapes of well-known models, derived from their architectures.
//!
//! Parameter counts are those of the published models. Times are not measured: the operations of a batch at [`PACE`],
//! one third of them forward, the rest backward from the last variable to the first.

mod net;
mod text;
mod vision;

use super::{Model, Variable};
use net::Net;

/// Floating-point operations a second that a machine is taken to sustain: half of what its maker promises of a large
/// accelerator of 2018 in 32 bits.
pub const PACE: f64 = 7e12;

/// What [`named`] knows.
pub const NAMES: [&str; 9] =
    ["vgg16", "resnet50", "resnet101", "densenet121", "inceptionv3", "bert-base", "bert-large", "ncf", "wide-click"];

/// The model of this name.
///
/// ```
/// let model = hemingway::sync::model::builtin::named("resnet50").expect("it is built in");
/// let parameters: usize = model.variables.iter().map(|variable| variable.elements()).sum();
/// assert_eq!(parameters, 25_557_032);
/// ```
pub fn named(name: &str) -> Option<Model> {
    let (net, batch) = match name {
        "vgg16" => (vision::vgg16(), 32.0),
        "resnet50" => (vision::resnet(&[3, 4, 6, 3]), 32.0),
        "resnet101" => (vision::resnet(&[3, 4, 23, 3]), 32.0),
        "densenet121" => (vision::densenet121(), 32.0),
        "inceptionv3" => (vision::inception_v3(), 32.0),
        "bert-base" => (text::bert(12, 768), 32.0),
        "bert-large" => (text::bert(24, 1024), 8.0),
        "ncf" => (text::ncf(), 16_384.0),
        "wide-click" => (text::wide_click(), 4_096.0),
        _ => return None,
    };
    Some(net.timed(name, batch))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// As the models' own documentation counts them, without running means and variances.
    #[test]
    fn parameters_are_as_many_as_published() {
        let published = [
            ("vgg16", 138_357_544),
            ("resnet50", 25_557_032),
            ("resnet101", 44_549_160),
            ("densenet121", 7_978_856),
            ("inceptionv3", 23_834_568),
            ("bert-base", 109_482_240),
            ("bert-large", 335_141_888),
        ];
        for (name, count) in published {
            let model = named(name).unwrap();
            assert_eq!(model.variables.iter().map(Variable::elements).sum::<usize>(), count, "{name}");
        }
    }

    #[test]
    fn every_model_is_sound_and_its_last_variable_is_ready_first() {
        for name in NAMES {
            let model = named(name).unwrap();
            model.check().unwrap();
            let ready: Vec<f64> = model.variables.iter().map(|v| v.ready_ms).collect();
            assert!(ready.is_sorted_by(|a, b| a >= b), "{name}");
            assert!((ready[0] - model.step_ms).abs() < 1e-9 * model.step_ms, "{name}");
            assert!(ready[ready.len() - 1] >= model.step_ms / 3.0, "{name}: nothing is ready in the forward pass");
        }
        assert!(named("vgg19").is_none());
    }
}
