//! Long messages in pieces: MPI libraries keep what is short themselves (up to 64 KiB over TCP), so that a rank with much to send goes on
//! with what has come instead of waiting until the last byte has left, and nobody is asked first whether there is room.

use std::collections::HashMap;

use hemingway::{Error, Result};

/// Bytes of a piece.
pub(crate) const PIECE: usize = 60_000;
/// Bytes of a message that is sent whole: MPI counts them in 31 bits.
pub(crate) const LONGEST: usize = 1 << 30;
/// With what a piece ends.
const MORE: u8 = 0;
const LAST: u8 = 1;

/// A message that ends with this foot, in pieces of at most so many bytes.
pub(crate) fn cut(body: &[u8], foot: &[u8], most: usize) -> Vec<Vec<u8>> {
    let bytes = body.len() + foot.len();
    let count = bytes.div_ceil(most).max(1);
    let piece = |place: usize| {
        let (start, end) = (place * most, bytes.min((place + 1).saturating_mul(most)));
        let mut own = Vec::with_capacity(end - start + 1);
        own.extend_from_slice(&body[start.min(body.len())..end.min(body.len())]);
        own.extend_from_slice(&foot[start.saturating_sub(body.len())..end.saturating_sub(body.len())]);
        own.push(if place + 1 == count { LAST } else { MORE });
        own
    };
    (0..count).map(piece).collect()
}

/// What has come of messages whose last piece has not, by sender. Pieces of one sender follow each other.
#[derive(Debug, Default)]
pub(crate) struct Begun(HashMap<usize, Vec<u8>>);

impl Begun {
    /// The message whose last piece this is.
    pub(crate) fn whole(&mut self, mut piece: Vec<u8>, from: usize) -> Result<Option<Vec<u8>>> {
        let end = piece.pop().ok_or_else(|| cut_short(from))?;
        let whole = match self.0.remove(&from) {
            Some(mut begun) => {
                begun.extend_from_slice(&piece);
                begun
            }
            None => piece,
        };
        if end == LAST {
            return Ok(Some(whole));
        }
        self.0.insert(from, whole);
        Ok(None)
    }
}

pub(crate) fn cut_short(from: usize) -> Error {
    Error::Engine(format!("rank {from} has sent a message that is cut short"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_are_one_message_again() {
        let body: Vec<u8> = (0..100).collect();
        for (length, most, count) in [(0, 7, 1), (5, 7, 1), (6, 7, 2), (100, 7, 15), (100, 1000, 1)] {
            let pieces = cut(&body[..length], &[7, 8], most);
            assert_eq!(pieces.len(), count, "{length} bytes");
            let mut begun = Begun::default();
            let mut whole = None;
            for piece in pieces {
                assert!(whole.is_none() && piece.len() <= most + 1);
                assert!(begun.whole(vec![1, LAST], 4).unwrap().is_some(), "another's are apart");
                whole = begun.whole(piece, 3).unwrap();
            }
            assert_eq!(whole.unwrap(), [&body[..length], &[7, 8]].concat());
            assert!(begun.whole(Vec::new(), 3).is_err());
        }
    }
}
