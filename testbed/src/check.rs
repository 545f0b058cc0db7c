//! Whether links are as they were asked for: a ping-pong and a stream over each.

use std::io::{Read, Write};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use serde::{Deserialize, Serialize};

use crate::ip;
use crate::layout::{Layout, Rate};

const PORT: u16 = 7777;
const PINGS: usize = 50;
/// How long a stream flows, and how much of it is not counted: it has to find the rate first.
const STREAM: Duration = Duration::from_millis(500);
const WARM: Duration = Duration::from_millis(150);

/// What one link is like.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Measured {
    /// Half a round trip, in seconds; the median.
    pub latency: f64,
    /// Bits in a second that reach the program at the other end.
    pub rate: f64,
}

/// A link as asked for and as found.
#[derive(Debug, Clone, Serialize)]
pub struct Finding {
    /// One end.
    pub from: usize,
    /// The other.
    pub to: usize,
    /// Seconds, as asked for.
    pub asked_latency: f64,
    /// Bits in a second, as asked for.
    pub asked_rate: f64,
    /// As found.
    #[serde(flatten)]
    pub measured: Measured,
    /// Whether they agree.
    pub good: bool,
}

/// Measures every link of a bed, `program` being `testbed` itself.
pub fn check(program: &Path, layout: &Layout, mut seen: impl FnMut(&Finding)) -> Result<Vec<Finding>> {
    let mut findings = Vec::new();
    for to in 1..layout.hosts {
        let _server = Server::start(program, layout, to)?;
        for from in 0..to {
            let finding = judge(layout, from, to, link(program, layout, from, to)?);
            seen(&finding);
            findings.push(finding);
        }
    }
    Ok(findings)
}

/// TCP's headers and acknowledgements take their part of the rate, waking up a part of the latency; a lossy link's rate
/// is TCP's affair.
fn judge(layout: &Layout, from: usize, to: usize, measured: Measured) -> Finding {
    let (latency, Rate(rate)) = (layout.line(from, to).latency.as_secs_f64(), layout.narrowest(from, to));
    let late = measured.latency - latency;
    let as_latency = (-0.05 * latency..=0.25 * latency + 200e-6).contains(&late);
    let as_rate = (0.75..=1.0).contains(&(measured.rate / rate)) || layout.lost(from, to) > 0.0;
    Finding { from, to, asked_latency: latency, asked_rate: rate, measured, good: as_latency && as_rate }
}

fn link(program: &Path, layout: &Layout, from: usize, to: usize) -> Result<Measured> {
    let mut command = ip::inside(&ip::host(&layout.name, from));
    let run = command.arg(program).arg("measure").arg(ip::data_address(to)).stderr(Stdio::inherit()).output()?;
    ensure!(run.status.success(), "host {from} could not measure its link to host {to}");
    serde_json::from_slice(&run.stdout).context("a measurement cannot be read")
}

/// Answers on one host until it is dropped.
struct Server(Child);

impl Server {
    fn start(program: &Path, layout: &Layout, host: usize) -> Result<Self> {
        let mut command: Command = ip::inside(&ip::host(&layout.name, host));
        command.arg(program).arg("echo").arg(ip::data_address(host)).stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut server = Self(command.spawn().context("cannot start a server")?);
        let output = server.0.stdout.as_mut().context("a server has no output")?;
        ensure!(output.read_exact(&mut [0]).is_ok(), "host {host} cannot listen");
        Ok(server)
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        drop(self.0.stdin.take());
        let _ = self.0.wait();
    }
}

/// Sends back every byte, or counts a stream; ends when standard input does.
pub fn echo(address: &str) -> Result<()> {
    let listener = TcpListener::bind((address, PORT)).with_context(|| format!("cannot listen at {address}"))?;
    let mut out = std::io::stdout();
    out.write_all(b"!").and_then(|()| out.flush())?;
    std::thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            // Whoever measures says what went wrong.
            let _ = answer(stream);
        }
    });
    std::io::stdin().read_to_end(&mut Vec::new()).map(drop).context("cannot wait")
}

fn answer(mut stream: TcpStream) -> Result<()> {
    stream.set_nodelay(true)?;
    let mut kind = [0];
    stream.read_exact(&mut kind)?;
    if kind == *b"p" {
        while stream.read(&mut kind)? > 0 {
            stream.write_all(&kind)?;
        }
        return Ok(());
    }
    let (began, mut buffer) = (Instant::now(), vec![0; 1 << 16]);
    let (mut counted, mut since, mut last) = (0u64, None::<Instant>, began);
    loop {
        let count = stream.read(&mut buffer)?;
        if count == 0 {
            break;
        }
        last = Instant::now();
        match since {
            Some(_) => counted += count as u64,
            None if began.elapsed() > WARM => since = Some(last),
            None => {}
        }
    }
    let nanos = since.map_or(0, |since| (last - since).as_nanos() as u64);
    stream.write_all(&[counted.to_le_bytes(), nanos.to_le_bytes()].concat())?;
    Ok(())
}

/// Measures the way to a server at this address.
pub fn measure(address: &str) -> Result<Measured> {
    Ok(Measured { latency: ping(address)?, rate: stream(address)? })
}

fn connect(address: &str) -> Result<TcpStream> {
    let stream = TcpStream::connect((address, PORT)).with_context(|| format!("{address} does not answer"))?;
    stream.set_nodelay(true)?;
    Ok(stream)
}

fn ping(address: &str) -> Result<f64> {
    let mut stream = connect(address)?;
    stream.write_all(b"p")?;
    let mut times = Vec::new();
    for _ in 0..PINGS {
        let began = Instant::now();
        stream.write_all(b".")?;
        stream.read_exact(&mut [0])?;
        times.push(began.elapsed().as_secs_f64());
    }
    times.sort_by(f64::total_cmp);
    Ok(times[PINGS / 2] / 2.0)
}

fn stream(address: &str) -> Result<f64> {
    let mut stream = connect(address)?;
    stream.write_all(b"s")?;
    let (began, bytes) = (Instant::now(), vec![0; 1 << 16]);
    while began.elapsed() < STREAM {
        stream.write_all(&bytes)?;
    }
    stream.shutdown(Shutdown::Write)?;
    let mut answer = [0; 16];
    stream.read_exact(&mut answer).context("the stream was not answered")?;
    let number = |at: usize| answer[at..at + 8].iter().rev().fold(0u64, |all, byte| all << 8 | u64::from(*byte));
    let (counted, nanos) = (number(0), number(8));
    ensure!(nanos > 0, "the stream ended before it could be timed");
    Ok(8e9 * counted as f64 / nanos as f64)
}
