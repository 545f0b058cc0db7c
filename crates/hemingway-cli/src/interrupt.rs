//! Ctrl-C: the first one asks training to stop after its round, the second ends the program at once.

use std::sync::atomic::{AtomicBool, Ordering};

use crate::commands::exit;
use crate::output;

static REQUESTED: AtomicBool = AtomicBool::new(false);
static LISTENING: AtomicBool = AtomicBool::new(false);
static ASKING: AtomicBool = AtomicBool::new(false);

/// Listens from now on. Before, Ctrl-C ends the program as usual: there is nothing yet to keep.
pub(crate) fn listen() -> anyhow::Result<&'static AtomicBool> {
    if LISTENING.swap(true, Ordering::Relaxed) {
        return Ok(&REQUESTED);
    }
    ctrlc::set_handler(|| {
        if ASKING.load(Ordering::Relaxed) || REQUESTED.swap(true, Ordering::Relaxed) {
            std::process::exit(exit::INTERRUPTED.into());
        }
        output::talk("\nstopping after this round and keeping the best model (Ctrl-C again to stop at once)");
    })?;
    Ok(&REQUESTED)
}

/// Stops training as if Ctrl-C had been pressed.
pub(crate) fn request() {
    REQUESTED.store(true, Ordering::Relaxed);
}

/// Runs `question`, during which Ctrl-C ends the program at once: the journal is complete, no round is under way.
pub(crate) fn while_asking<T>(question: impl FnOnce() -> T) -> T {
    ASKING.store(true, Ordering::Relaxed);
    let answer = question();
    ASKING.store(false, Ordering::Relaxed);
    answer
}
