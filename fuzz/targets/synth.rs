//! Recipes of made data; each is made, but only a few rows and columns of it.
#![no_main]

use hemingway::data::synth::Recipe;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|recipe: &str| {
    if Recipe::parse(recipe).is_err() {
        return;
    }
    // What is said last holds.
    if let Ok(small) = Recipe::parse(&format!("{recipe},rows=9,columns=5")) {
        hemingway_fuzz::look_at(&small.make());
    }
});
