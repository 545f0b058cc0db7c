//! A frame as a packet socket gives it: what the kernel knows of it (`virtio_net_hdr`), then Ethernet.

/// Length of what the kernel says of a frame.
pub(crate) const HEAD: usize = 10;
/// Room for the longest frame: 64 KiB of TCP, its headers, and some.
pub(crate) const MOST: usize = HEAD + 65_536 + 256;
/// What a segment occupies on a wire beside its bytes: preamble, check sum and gap.
const AROUND: u64 = 24;
/// Segments on a wire are no shorter.
const SHORTEST: u64 = 60;

/// An address of an interface.
pub(crate) type Mac = [u8; 6];

/// Looks at a frame with its head.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Frame<'a>(&'a [u8]);

impl<'a> Frame<'a> {
    /// `None` if it is too short to be one.
    pub(crate) fn new(bytes: &'a [u8]) -> Option<Self> {
        (bytes.len() >= HEAD + 14).then_some(Self(bytes))
    }

    /// Whom it is for.
    pub(crate) fn to(self) -> Mac {
        self.mac(HEAD)
    }

    /// Whom it is from.
    pub(crate) fn from(self) -> Mac {
        self.mac(HEAD + 6)
    }

    /// A large frame stands for many segments, each with headers of its own.
    pub(crate) fn segments(self) -> u64 {
        let (headers, size) = (u64::from(self.field(2)), u64::from(self.field(4)));
        let body = (self.0.len() - HEAD) as u64;
        match size {
            0 => 1,
            size => body.saturating_sub(headers).div_ceil(size).max(1),
        }
    }

    /// What it would occupy on a wire.
    pub(crate) fn wire_bytes(self) -> u64 {
        let (segments, headers) = (self.segments(), u64::from(self.field(2)));
        let body = (self.0.len() - HEAD) as u64 + (segments - 1) * headers;
        body.max(SHORTEST) + segments * AROUND
    }

    fn mac(self, at: usize) -> Mac {
        let mut mac = [0; 6];
        mac.copy_from_slice(&self.0[at..at + 6]);
        mac
    }

    /// A number of the head, in the machine's own order of bytes.
    fn field(self, at: usize) -> u16 {
        u16::from_ne_bytes([self.0[at], self.0[at + 1]])
    }
}

/// Whether it is for all, or for many.
pub(crate) fn is_group(mac: Mac) -> bool {
    mac[0] & 1 == 1
}

#[cfg(test)]
mod tests {
    use super::*;

    fn frame(headers: u16, size: u16, body: usize) -> Vec<u8> {
        let mut bytes = vec![0; HEAD + body];
        bytes[2..4].copy_from_slice(&headers.to_ne_bytes());
        bytes[4..6].copy_from_slice(&size.to_ne_bytes());
        bytes[HEAD..HEAD + 6].copy_from_slice(&[2, 0, 0, 0, 0, 1]);
        bytes[HEAD + 6..HEAD + 12].copy_from_slice(&[0xff; 6]);
        bytes
    }

    #[test]
    fn a_plain_frame_is_one_segment() {
        let bytes = frame(0, 0, 1514);
        let frame = Frame::new(&bytes).unwrap();
        assert_eq!((frame.segments(), frame.wire_bytes()), (1, 1538));
        assert_eq!((frame.to(), is_group(frame.to()), is_group(frame.from())), ([2, 0, 0, 0, 0, 1], false, true));
    }

    #[test]
    fn a_short_frame_is_padded() {
        let bytes = frame(0, 0, 42);
        assert_eq!(Frame::new(&bytes).unwrap().wire_bytes(), 84);
        assert!(Frame::new(&bytes[..20]).is_none());
    }

    #[test]
    fn a_large_frame_counts_the_headers_it_will_have() {
        // 10 segments of 1448 bytes after 66 of headers, and one of 520.
        let bytes = frame(66, 1448, 66 + 15_000);
        let frame = Frame::new(&bytes).unwrap();
        assert_eq!((frame.segments(), frame.wire_bytes()), (11, 15_000 + 11 * (66 + 24)));
    }
}
