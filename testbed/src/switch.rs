//! A learning switch in user space: reads the frames of every host's data interface, and delivers each when the
//! [`Fabric`] says.

use std::collections::HashMap;
use std::fs::File;
use std::io::{ErrorKind, Read, Write};
use std::os::fd::AsFd;
use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use crate::frame::{self, Frame, Mac};
use crate::layout::Layout;
use crate::shape::{Fabric, Nanos};
use crate::{ip, sys};

/// Above ordinary processes, below what the kernel runs itself.
const PRIORITY: i32 = 10;

/// The switch of one bed.
struct Switch {
    layout: Layout,
    ports: Vec<File>,
    known: HashMap<Mac, usize>,
    fabric: Fabric<Vec<u8>>,
    dice: ChaCha8Rng,
    began: Instant,
    /// Buffers of frames that are through.
    spare: Vec<Vec<u8>>,
}

/// Carries frames until the life line ends. `ready` is called when the first frame could be carried.
pub fn serve(layout: &Layout, life_line: &impl AsFd, ready: impl FnOnce() -> Result<()>) -> Result<()> {
    let mut switch = Switch::new(layout)?;
    if let Err(error) = sys::hurry(PRIORITY) {
        eprintln!("testbed: no real-time priority ({error}): latencies will scatter under load");
    }
    ready()?;
    switch.run(life_line)
}

impl Switch {
    fn new(layout: &Layout) -> Result<Self> {
        let front = ip::front(&layout.name);
        let path = ip::path(&front);
        let namespace = File::open(&path).with_context(|| format!("cannot open {}", path.display()))?;
        sys::enter(&namespace).with_context(|| format!("cannot enter the namespace {front}"))?;
        let open = |host| {
            let name = ip::data_port(host);
            let index = ip::index(&name)?;
            sys::packets(index).with_context(|| format!("cannot read the frames of {name}"))
        };
        Ok(Self {
            ports: (0..layout.hosts).map(open).collect::<Result<_>>()?,
            known: HashMap::new(),
            fabric: Fabric::new(layout),
            dice: ChaCha8Rng::seed_from_u64(0),
            began: Instant::now(),
            spare: Vec::new(),
            layout: layout.clone(),
        })
    }

    fn now(&self) -> Nanos {
        self.began.elapsed().as_nanos() as Nanos
    }

    fn run(&mut self, life_line: &impl AsFd) -> Result<()> {
        loop {
            self.deliver();
            let most = self.fabric.next().map(|at| Duration::from_nanos(at.saturating_sub(self.now())));
            let on: Vec<_> = self.ports.iter().map(AsFd::as_fd).chain([life_line.as_fd()]).collect();
            let readable = sys::wait(&on, most).context("cannot wait for frames")?;
            if readable.last() == Some(&true) {
                return Ok(());
            }
            for host in (0..self.ports.len()).filter(|host| readable[*host]) {
                self.take(host)?;
            }
        }
    }

    /// Hands over what is due.
    fn deliver(&mut self) {
        while let Some((to, frame)) = self.fabric.delivered(self.now()) {
            // An interface that is going down loses its frames, as it would on a wire.
            let _ = self.ports[to].write(&frame);
            self.spare.push(frame);
        }
    }

    /// Reads all frames that a host has sent.
    fn take(&mut self, from: usize) -> Result<()> {
        loop {
            let mut buffer = self.spare.pop().unwrap_or_default();
            buffer.resize(frame::MOST, 0);
            match self.ports[from].read(&mut buffer) {
                Ok(length) => {
                    buffer.truncate(length);
                    self.forward(from, buffer);
                }
                Err(error) if matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::NetworkDown) => return Ok(()),
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => return Err(error).with_context(|| format!("cannot read the frames of host {from}")),
            }
        }
    }

    fn forward(&mut self, from: usize, bytes: Vec<u8>) {
        let Some(frame) = Frame::new(&bytes) else { return };
        let (size, segments, to) = (frame.wire_bytes(), frame.segments(), frame.to());
        if !frame::is_group(frame.from()) {
            self.known.insert(frame.from(), from);
        }
        match self.known.get(&to).copied() {
            Some(host) if host == from => {}
            Some(host) => self.offer(from, host, size, segments, bytes),
            None => {
                for host in (0..self.ports.len()).filter(|host| *host != from) {
                    self.offer(from, host, size, segments, bytes.clone());
                }
            }
        }
    }

    fn offer(&mut self, from: usize, to: usize, size: u64, segments: u64, bytes: Vec<u8>) {
        let lost = self.layout.lost(from, to);
        if lost > 0.0 && !self.dice.random_bool((1.0 - lost).powi(segments as i32)) {
            return;
        }
        let now = self.now();
        self.fabric.offer(now, from, to, size, bytes);
    }
}
