//! What was asked for: hosts, and what every link is like.

use std::fmt;
use std::str::FromStr;
use std::time::Duration;

use anyhow::{Context, Error, Result, bail, ensure};
use serde::{Deserialize, Serialize};

/// Addresses end in one byte, of which the bridge has 254.
const MOST_HOSTS: usize = 200;

/// Hosts and links.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Layout {
    /// Tells beds apart that stand at the same time.
    pub name: String,
    /// How many hosts there are.
    pub hosts: usize,
    /// One way, of every link.
    pub latency: Duration,
    /// Of every link and of every host's own port, in each direction.
    pub rate: Rate,
    /// Links that differ: both ends, in both directions.
    pub links: Vec<(usize, usize, Part)>,
    /// Hosts that are slow: what their latency adds to every link of theirs, and the rate of their port.
    pub slow: Vec<(usize, Part)>,
    /// Hosts that lose frames: with what probability, sending and receiving.
    pub loss: Vec<(usize, f64)>,
}

/// Bits in a second.
#[derive(Debug, Clone, Copy, PartialEq, PartialOrd, Serialize, Deserialize)]
pub struct Rate(pub f64);

/// A latency, a rate, or both.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
pub struct Part {
    /// One way.
    pub latency: Option<Duration>,
    /// In each direction.
    pub rate: Option<Rate>,
}

/// One direction between two hosts.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Line {
    /// One way.
    pub latency: Duration,
    /// Of the line itself; ports may be slower.
    pub rate: Rate,
}

impl Layout {
    /// Equal links between so many hosts.
    pub fn even(name: &str, hosts: usize, latency: Duration, rate: Rate) -> Self {
        Self { name: name.into(), hosts, latency, rate, links: Vec::new(), slow: Vec::new(), loss: Vec::new() }
    }

    /// Refuses what cannot be built.
    pub fn check(&self) -> Result<()> {
        ensure!((1..=MOST_HOSTS).contains(&self.hosts), "--hosts {}: from 1 to {MOST_HOSTS}", self.hosts);
        let plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit();
        ensure!(
            !self.name.is_empty() && self.name.len() <= 12 && self.name.chars().all(plain),
            "--name `{}`: 1 to 12 small letters and digits",
            self.name
        );
        let links = self.links.iter().flat_map(|(a, b, _)| [("--link", *a), ("--link", *b)]);
        let slow = self.slow.iter().map(|(host, _)| ("--slow", *host));
        let loss = self.loss.iter().map(|(host, _)| ("--loss", *host));
        for (flag, host) in links.chain(slow).chain(loss) {
            ensure!(host < self.hosts, "{flag}: there is no host {host}; they count from 0 to {}", self.hosts - 1);
        }
        match self.links.iter().find(|(a, b, _)| a == b) {
            Some((a, _, _)) => bail!("--link {a}-{a}: a link has two ends"),
            None => Ok(()),
        }
    }

    /// What lies between two hosts; of several overrides the last one holds.
    pub fn line(&self, from: usize, to: usize) -> Line {
        let mut line = Line { latency: self.latency, rate: self.rate };
        for (a, b, part) in &self.links {
            if (*a, *b) == (from, to) || (*b, *a) == (from, to) {
                line.latency = part.latency.unwrap_or(line.latency);
                line.rate = part.rate.unwrap_or(line.rate);
            }
        }
        for (host, part) in &self.slow {
            if *host == from || *host == to {
                line.latency += part.latency.unwrap_or_default();
            }
        }
        line
    }

    /// The rate of a host's own port.
    pub fn port(&self, host: usize) -> Rate {
        let mut own = self.slow.iter().filter(|(slow, _)| *slow == host).filter_map(|(_, part)| part.rate);
        // A link may be faster than the rest: it is no use if the ports at its ends are not.
        let fastest =
            self.links.iter().filter(|(a, b, _)| *a == host || *b == host).filter_map(|(_, _, part)| part.rate);
        own.next_back().unwrap_or_else(|| fastest.fold(self.rate, |most, rate| if rate > most { rate } else { most }))
    }

    /// What a stream between two hosts can reach: the slowest of its line and both ports.
    pub fn narrowest(&self, from: usize, to: usize) -> Rate {
        let rates = [self.port(from), self.line(from, to).rate, self.port(to)];
        Rate(rates.iter().map(|rate| rate.0).fold(f64::INFINITY, f64::min))
    }

    /// The probability that a frame between two hosts is lost.
    pub fn lost(&self, from: usize, to: usize) -> f64 {
        let kept = |host: usize| 1.0 - self.loss.iter().filter(|(h, _)| *h == host).map(|(_, p)| *p).sum::<f64>();
        1.0 - kept(from) * kept(to)
    }
}

impl FromStr for Rate {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        let units = [("gbit", 1e9), ("mbit", 1e6), ("kbit", 1e3)];
        let found = units.iter().find_map(|(unit, bits)| Some((text.strip_suffix(unit)?, bits)));
        let (number, bits) = found.with_context(|| format!("`{text}`: write a rate such as 1gbit or 100mbit"))?;
        let rate = number.trim().parse::<f64>().ok().map(|number| number * bits);
        let good = rate.filter(|rate| rate.is_finite() && *rate > 0.0);
        good.map(Rate).with_context(|| format!("`{text}`: a rate is a number above 0, such as 1gbit"))
    }
}

impl fmt::Display for Rate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            bits if bits >= 1e9 => write!(f, "{} Gbit/s", hundredths(bits / 1e9)),
            bits if bits >= 1e6 => write!(f, "{} Mbit/s", hundredths(bits / 1e6)),
            bits => write!(f, "{} kbit/s", hundredths(bits / 1e3)),
        }
    }
}

fn hundredths(value: f64) -> f64 {
    (value * 100.0).round() / 100.0
}

impl FromStr for Part {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        let mut part = Self::default();
        for piece in text.split(',') {
            match humantime::parse_duration(piece) {
                Ok(latency) => part.latency = Some(latency),
                Err(_) => part.rate = Some(piece.parse().with_context(|| "nor is it a time such as 500us or 5ms")?),
            }
        }
        Ok(part)
    }
}

/// `A-B:5ms,100mbit`.
pub fn link(text: &str) -> Result<(usize, usize, Part)> {
    let wrong = || format!("`{text}`: write A-B:LATENCY,RATE, such as 0-3:5ms,100mbit");
    let (ends, part) = text.split_once(':').with_context(wrong)?;
    let (a, b) = ends.split_once('-').with_context(wrong)?;
    Ok((a.parse().with_context(wrong)?, b.parse().with_context(wrong)?, part.parse()?))
}

/// `HOST:5ms,100mbit`.
pub fn slow(text: &str) -> Result<(usize, Part)> {
    let wrong = || format!("`{text}`: write HOST:LATENCY,RATE, such as 2:5ms,100mbit");
    let (host, part) = text.split_once(':').with_context(wrong)?;
    Ok((host.parse().with_context(wrong)?, part.parse()?))
}

/// `HOST:0.1%`.
pub fn loss(text: &str) -> Result<(usize, f64)> {
    let wrong = || format!("`{text}`: write HOST:SHARE from 0% to 100%, such as 3:0.1%");
    let (host, share) = text.split_once(':').with_context(wrong)?;
    let percent: f64 = share.strip_suffix('%').with_context(wrong)?.parse().with_context(wrong)?;
    ensure!((0.0..=100.0).contains(&percent), wrong());
    Ok((host.parse().with_context(wrong)?, percent / 100.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn four() -> Layout {
        Layout::even("t", 4, Duration::from_micros(500), Rate(1e9))
    }

    #[test]
    fn what_is_written_is_understood() {
        let both = Part { latency: Some(Duration::from_millis(5)), rate: Some(Rate(1e8)) };
        assert_eq!(link("0-3:5ms,100mbit").unwrap(), (0, 3, both));
        assert_eq!(slow("2:100mbit,5ms").unwrap(), (2, both));
        assert_eq!(slow("2:0.5gbit").unwrap(), (2, Part { latency: None, rate: Some(Rate(5e8)) }));
        assert_eq!(loss("3:0.1%").unwrap(), (3, 0.001));
        for wrong in ["0:5ms", "0-3", "a-b:5ms", "0-3:fast", "0-3:-1gbit", "0-3:1gbot"] {
            assert!(link(wrong).is_err(), "{wrong}");
        }
        assert!(loss("3:0.1").is_err() && loss("3:101%").is_err());
    }

    #[test]
    fn links_differ_both_ways_and_slow_hosts_on_all_their_links() {
        let layout = Layout {
            links: vec![link("0-3:5ms,2gbit").unwrap()],
            slow: vec![slow("1:1ms,10mbit").unwrap()],
            loss: vec![(2, 0.5)],
            ..four()
        };
        assert!(layout.check().is_ok());
        assert_eq!(layout.line(3, 0), Line { latency: Duration::from_millis(5), rate: Rate(2e9) });
        assert_eq!(layout.narrowest(0, 3), Rate(2e9));
        assert_eq!(layout.narrowest(2, 3), Rate(1e9));
        assert_eq!(layout.line(1, 2).latency, Duration::from_micros(1500));
        assert_eq!(layout.narrowest(2, 1), Rate(1e7));
        assert_eq!((layout.lost(0, 1), layout.lost(2, 1)), (0.0, 0.5));
    }

    #[test]
    fn the_impossible_is_refused_by_name() {
        let said = |layout: Layout| layout.check().unwrap_err().to_string();
        assert!(said(Layout { hosts: 0, ..four() }).contains("--hosts 0"));
        assert!(said(Layout { loss: vec![(4, 0.1)], ..four() }).contains("no host 4"));
        assert!(said(Layout { links: vec![(1, 1, Part::default())], ..four() }).contains("two ends"));
        assert!(said(Layout { name: "../x".into(), ..four() }).contains("--name"));
    }
}
