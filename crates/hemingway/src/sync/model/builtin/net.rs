//! Layers put one after the other, each with its operations.

use super::{Model, PACE, Variable};

/// A network under construction: variables, and multiply-adds of one example at each.
#[derive(Default)]
pub(super) struct Net {
    layers: Vec<(Variable, f64)>,
    /// Height and width of the picture that the next layer sees.
    pub(super) side: usize,
}

impl Net {
    pub(super) fn of_pictures(side: usize) -> Self {
        Self { layers: Vec::new(), side }
    }

    pub(super) fn push(&mut self, name: String, shape: Vec<usize>, operations: f64) {
        self.layers.push((Variable::new(name, shape), operations));
    }

    /// A table of which a batch touches `rows` rows drawn evenly: all but (1 − 1/n)^rows of n.
    pub(super) fn embedding(&mut self, name: &str, shape: [usize; 2], rows: f64) {
        let density = 1.0 - (rows * (-1.0 / shape[0] as f64).ln_1p()).exp();
        let variable = Variable { density: density.min(1.0), ..Variable::new(name, shape) };
        self.layers.push((variable, shape[1] as f64));
    }

    /// A convolution at the present side.
    pub(super) fn conv(&mut self, name: &str, from: usize, to: usize, kernel: (usize, usize)) {
        let weights = from * to * kernel.0 * kernel.1;
        let places = (self.side * self.side) as f64;
        self.push(format!("{name}.weight"), vec![to, from, kernel.0, kernel.1], weights as f64 * places);
    }

    /// Scale and shift of every channel.
    pub(super) fn norm(&mut self, name: &str, channels: usize) {
        let operations = (channels * self.side.max(1).pow(2)) as f64;
        self.push(format!("{name}.weight"), vec![channels], operations);
        self.push(format!("{name}.bias"), vec![channels], operations);
    }

    /// A convolution followed by its normalization.
    pub(super) fn conv_norm(&mut self, name: &str, from: usize, to: usize, kernel: (usize, usize)) {
        self.conv(name, from, to, kernel);
        self.norm(&format!("{name}.norm"), to);
    }

    /// A dense layer applied at so many places of an example.
    pub(super) fn dense(&mut self, name: &str, from: usize, to: usize, places: f64) {
        self.push(format!("{name}.weight"), vec![to, from], (from * to) as f64 * places);
        self.push(format!("{name}.bias"), vec![to], to as f64 * places);
    }

    /// Operations at the variable last added beside those of its own: attention between tokens.
    pub(super) fn more(&mut self, operations: f64) {
        if let Some((_, own)) = self.layers.last_mut() {
            *own += operations;
        }
    }

    /// The model with its times.
    pub(super) fn timed(self, name: &str, batch: f64) -> Model {
        // A multiply-add is two operations; backward does the work of forward twice.
        let seconds = |multiply_adds: f64| 2.0 * multiply_adds * batch / PACE;
        let total: f64 = self.layers.iter().map(|(_, own)| own).sum();
        let mut left = total;
        let step_ms = 1e3 * 3.0 * seconds(total);
        let variables = self.layers.into_iter().map(|(variable, own)| {
            let ready_ms = (1e3 * seconds(total + 2.0 * left)).min(step_ms);
            left -= own;
            Variable { ready_ms, ..variable }
        });
        Model { name: name.into(), variables: variables.collect(), step_ms }
    }
}
