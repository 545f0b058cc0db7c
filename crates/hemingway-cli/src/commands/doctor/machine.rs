//! The machine itself: its clock and its memory.

use std::hint::black_box;
use std::time::Instant;

/// Pieces of equal work by which the clock is judged.
const PIECES: usize = 400;

/// The smallest step the clock makes.
pub(super) fn clock_tick() -> f64 {
    let steps = (0..1000).map(|_| {
        let began = Instant::now();
        loop {
            let step = began.elapsed();
            if !step.is_zero() {
                return step.as_secs_f64();
            }
        }
    });
    steps.fold(f64::INFINITY, f64::min)
}

/// How much longer than the median the slowest twentieth of equal pieces of work takes, as a share.
pub(super) fn clock_noise() -> f64 {
    let piece = |_| {
        let began = Instant::now();
        black_box((0..20_000u32).fold(1.0f64, |sum, i| black_box(sum + f64::from(i).sqrt())));
        began.elapsed().as_secs_f64()
    };
    let mut times: Vec<f64> = (0..PIECES).map(piece).collect();
    times.sort_by(f64::total_cmp);
    times[PIECES * 19 / 20] / times[PIECES / 2] - 1.0
}

/// All of its memory, where the system says.
pub(super) fn memory_gb() -> Option<f64> {
    let text = std::fs::read_to_string("/proc/meminfo").ok()?;
    let line = text.lines().find_map(|line| line.strip_prefix("MemTotal:"))?;
    let kibibytes: f64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kibibytes * 1024.0 / 1e9)
}
