//! Two processes hold a bed, and each takes it down when the other is gone: the keeper waits for the switch's end, and the
//! switch's life line is a pipe that the keeper's end, of whatever kind, closes.

use std::io::{Read, Write};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Sender, channel};
use std::thread;

use anyhow::{Context, Result, ensure};

use crate::layout::Layout;
use crate::{bed, ip, switch};

/// Brings a bed up, says `ready`, and takes it down when asked to (SIGTERM, SIGINT, SIGHUP), when the switch ends, or,
/// attached, when standard input does.
pub fn keep(layout: &Layout, attached: bool) -> Result<()> {
    layout.check()?;
    ip::check_rights()?;
    let (end, ended) = channel();
    let asked = end.clone();
    let ask = move || {
        // Whoever waits has heard another reason already.
        let _ = asked.send(());
    };
    ctrlc::set_handler(ask).context("cannot wait for signals")?;
    bed::clear(&layout.name).context("cannot remove what an earlier testbed left")?;
    let kept = stand(layout, attached, end);
    if kept.is_ok() {
        // Nobody left to say is as good as asked.
        let _ = ended.recv();
    }
    bed::clear(&layout.name)?;
    // The switch is in a namespace of the bed, and gone with it.
    kept?.wait().map(drop).context("cannot wait for the switch")
}

fn stand(layout: &Layout, attached: bool, end: Sender<()>) -> Result<Child> {
    ip::make(layout)?;
    let mut switch = Command::new(std::env::current_exe()?)
        .arg("switch")
        .arg(serde_json::to_string(layout)?)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .context("cannot start the switch")?;
    let mut output = switch.stdout.take().context("the switch has no output")?;
    let mut word = [0; 6];
    let ready = output.read_exact(&mut word).is_ok() && &word == b"ready\n";
    ensure!(ready, "the switch did not start");
    bed::stands(layout)?;
    say_ready()?;
    let over = end.clone();
    // The switch closes its output when it ends, and says nothing before.
    thread::spawn(move || drop((output.read(&mut [0]), over.send(()))));
    if attached {
        thread::spawn(move || drop((std::io::stdin().read_to_end(&mut Vec::new()), end.send(()))));
    }
    Ok(switch)
}

/// Carries frames until the keeper is gone, and then clears up in its place.
pub fn serve(layout: &Layout) -> Result<()> {
    let served = switch::serve(layout, &std::io::stdin(), say_ready);
    // A keeper that lives does this itself when it sees the switch end.
    bed::clear(&layout.name)?;
    served
}

fn say_ready() -> Result<()> {
    let mut out = std::io::stdout();
    writeln!(out, "ready").and_then(|()| out.flush()).context("nobody listens")
}
