//! Just enough of protobuf to write: numbers and what has a length. A crate for it would be larger than its use here.

/// A message under way; fields in the order in which they are added.
#[derive(Clone, Default)]
pub(super) struct Message(Vec<u8>);

impl Message {
    /// A field that is a number.
    pub(super) fn int(mut self, field: u64, value: i64) -> Self {
        self.varint(field << 3);
        self.varint(value.cast_unsigned());
        self
    }

    /// A field that is text.
    pub(super) fn text(self, field: u64, text: &str) -> Self {
        self.raw(field, text.as_bytes())
    }

    /// A field that is a message.
    pub(super) fn message(self, field: u64, message: Self) -> Self {
        self.raw(field, &message.0)
    }

    /// A field that is bytes.
    pub(super) fn raw(mut self, field: u64, bytes: &[u8]) -> Self {
        self.varint((field << 3) | 2);
        self.varint(bytes.len() as u64);
        self.0.extend_from_slice(bytes);
        self
    }

    /// The message as it is sent.
    pub(super) fn bytes(self) -> Vec<u8> {
        self.0
    }

    /// Seven bits a byte, the lowest first; the eighth says that more follow.
    fn varint(&mut self, mut value: u64) {
        while value > 0x7f {
            self.0.push(value as u8 | 0x80);
            value >>= 7;
        }
        self.0.push(value as u8);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The examples of protobuf's own description of its encoding.
    #[test]
    fn fields_are_encoded_as_described() {
        assert_eq!(Message::default().int(1, 150).bytes(), [0x08, 0x96, 0x01]);
        let text = Message::default().text(2, "testing");
        assert_eq!(text.bytes(), [&[0x12, 0x07][..], b"testing"].concat());
        let inner = Message::default().int(1, 150);
        assert_eq!(Message::default().message(3, inner).bytes(), [0x1a, 0x03, 0x08, 0x96, 0x01]);
        let minus = Message::default().int(1, -2).bytes();
        assert_eq!(minus, [0x08, 0xfe, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01]);
    }
}
