//! Links in use, message by message: each link serves its messages one after the other, in the order in which they were
//! sent.

use super::Links;

/// When each link is free again, in seconds.
#[derive(Debug, Clone)]
pub struct Traffic {
    free: Vec<f64>,
}

impl Traffic {
    /// On links that are idle.
    pub fn new(links: usize) -> Self {
        Self { free: vec![0.0; links] }
    }

    /// Sends a message at `now` and says when its last byte, and the time of its ends for it, is through. Links pass bytes
    /// on as they come: a message may begin on the next before it has left the last.
    pub fn book(&mut self, links: &Links, (from, to): (usize, usize), bytes: f64, now: f64) -> f64 {
        let (mut begin, mut end) = (self.occupy(links.processor(from), now, links.message()), 0.0_f64);
        for link in links.path(from, to) {
            let seconds = bytes / links.capacity(link);
            begin = self.free[link].max(begin);
            self.free[link] = begin + seconds;
            end = end.max(begin + seconds);
        }
        self.occupy(links.processor(to), end + links.latency(from, to), links.message())
    }

    fn occupy(&mut self, link: usize, from: f64, seconds: f64) -> f64 {
        if seconds == 0.0 {
            return from;
        }
        self.free[link] = self.free[link].max(from) + seconds;
        self.free[link]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sync::links::tests::cluster;

    #[test]
    fn messages_queue_on_the_links_they_share() {
        let links = Links::of(&cluster(4, false), 4);
        let mut traffic = Traffic::new(links.count());
        // 1 GB/s, 100 µs of latency, 10 µs for a message at each end.
        let alone = traffic.book(&links, (0, 1), 1e6, 0.0);
        assert!((alone - 1.12e-3).abs() < 1e-12);
        let elsewhere = traffic.book(&links, (2, 3), 1e6, 0.0);
        assert!((elsewhere - 1.12e-3).abs() < 1e-12);
        let behind = traffic.book(&links, (2, 1), 1e6, 0.0);
        assert!((behind - 2.12e-3).abs() < 2e-5, "{behind}");
    }
}
