//! Gradients that are as long, as sparse and as scattered as the model's, only shorter by a factor.

use rand::RngExt;

use crate::rng::{Purpose, keyed};
use crate::sync::stage::Play;
use crate::sync::strategy::{Piece, Texture};

/// The same play with buffers shorter by a factor, each a variable of its own of 32-bit floats.
pub(in crate::sync) fn scaled(play: &Play, scale: f64) -> Play {
    let mut play = play.clone();
    for (place, group) in play.layout.groups.iter_mut().enumerate() {
        let elements = ((group.bytes() / 4.0 / scale).round() as usize).max(1);
        group.pieces = vec![Piece { variable: place, start: 0, length: elements, stride: 0, count: 1 }];
        shrink(&mut group.textures, elements);
        group.elements = elements;
    }
    play
}

/// The same textures over fewer elements; those that would have none are left out.
fn shrink(textures: &mut Vec<Texture>, elements: usize) {
    let whole: usize = textures.iter().map(|texture| texture.elements).sum();
    let (mut before, mut begin) = (0, 0);
    for texture in textures.iter_mut() {
        before += texture.elements;
        let end = (before as u128 * elements as u128 / whole.max(1) as u128) as usize;
        texture.elements = end - begin;
        begin = end;
    }
    textures.retain(|texture| texture.elements > 0);
}

/// What one machine brings: ones where its rows touch a buffer.
pub(in crate::sync) fn gradients(play: &Play, machine: usize, seed: u64) -> Vec<Vec<f32>> {
    let groups = play.layout.groups.iter().enumerate();
    let gradient = |(place, group): (usize, &crate::sync::strategy::Group)| {
        if group.textures.is_empty() {
            return vec![1.0; group.elements];
        }
        let mut random = keyed(seed, Purpose::Synthesize, machine, place as u64);
        let mut values = vec![0.0; group.elements];
        let mut rest = &mut values[..];
        for texture in &group.textures {
            let (own, after) = rest.split_at_mut(texture.elements.min(rest.len()));
            rest = after;
            let run = (texture.run.round() as usize).clamp(1, own.len().max(1));
            let touched = |_: &&mut [f32]| texture.density >= 1.0 || random.random_bool(texture.density);
            own.chunks_mut(run).filter(touched).for_each(|row| row.fill(1.0));
        }
        values
    };
    groups.map(gradient).collect()
}
