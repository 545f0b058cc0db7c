//! Gradients that are as long, as sparse and as scattered as the model's, only shorter by a factor.

use rand::RngExt;

use crate::rng::{Purpose, keyed};
use crate::sync::stage::Play;
use crate::sync::strategy::Piece;

/// The same play with buffers shorter by a factor, each a variable of its own of 32-bit floats.
pub(in crate::sync) fn scaled(play: &Play, scale: f64) -> Play {
    let mut play = play.clone();
    for (place, group) in play.layout.groups.iter_mut().enumerate() {
        let elements = ((group.bytes() / 4.0 / scale).round() as usize).max(1);
        group.pieces = vec![Piece { variable: place, start: 0, length: elements, stride: 0, count: 1 }];
        group.elements = elements;
    }
    play
}

/// What one machine brings: ones where its rows touch a buffer.
pub(in crate::sync) fn gradients(play: &Play, machine: usize, seed: u64) -> Vec<Vec<f32>> {
    let groups = play.layout.groups.iter().enumerate();
    let gradient = |(place, group): (usize, &crate::sync::strategy::Group)| {
        if group.density >= 1.0 {
            return vec![1.0; group.elements];
        }
        let mut random = keyed(seed, Purpose::Synthesize, machine, place as u64);
        let mut values = vec![0.0; group.elements];
        let run = (group.run.round() as usize).clamp(1, group.elements);
        for row in values.chunks_mut(run) {
            if random.random_bool(group.density) {
                row.fill(1.0);
            }
        }
        values
    };
    groups.map(gradient).collect()
}
