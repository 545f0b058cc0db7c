//! Shapes of the initializers of an ONNX graph: just enough of protobuf to walk over fields and skip what they hold.

use super::{Dtype, Model, Variable};

/// What a field holds.
enum Value<'a> {
    Number(u64),
    Bytes(&'a [u8]),
}

/// The fields of a message, in order.
struct Fields<'a>(&'a [u8]);

impl<'a> Fields<'a> {
    fn varint(&mut self) -> Option<u64> {
        let mut value = 0u64;
        for place in 0..10 {
            let (byte, rest) = self.0.split_first()?;
            self.0 = rest;
            value |= u64::from(byte & 0x7f) << (7 * place);
            if byte & 0x80 == 0 {
                return Some(value);
            }
        }
        None
    }

    fn take(&mut self, count: usize) -> Option<&'a [u8]> {
        let (taken, rest) = self.0.split_at_checked(count)?;
        self.0 = rest;
        Some(taken)
    }

    /// The next field's number and value; `None` where the bytes are no message.
    fn field(&mut self) -> Option<(u64, Value<'a>)> {
        let key = self.varint()?;
        let value = match key & 7 {
            0 => Value::Number(self.varint()?),
            1 => Value::Bytes(self.take(8)?),
            2 => {
                let length = usize::try_from(self.varint()?).ok()?;
                Value::Bytes(self.take(length)?)
            }
            5 => Value::Bytes(self.take(4)?),
            _ => return None,
        };
        Some((key >> 3, value))
    }

    fn all(mut self) -> Result<Vec<(u64, Value<'a>)>, String> {
        let mut fields = Vec::new();
        while !self.0.is_empty() {
            fields.push(self.field().ok_or("is no ONNX file, or is cut short")?);
        }
        Ok(fields)
    }
}

/// The model: ModelProto.graph = 7, GraphProto.initializer = 5.
pub(super) fn read(bytes: &[u8], name: String) -> Result<Model, String> {
    let mut variables = Vec::new();
    for graph in messages(bytes, 7)? {
        for tensor in messages(graph, 5)? {
            variables.extend(initializer(tensor)?);
        }
    }
    match variables.is_empty() {
        true => Err("has no initializers of floats: it holds no weights, or keeps them as inputs".into()),
        false => Ok(Model { name, variables, step_ms: super::NO_TIME }),
    }
}

fn messages(bytes: &[u8], wanted: u64) -> Result<Vec<&[u8]>, String> {
    let found = Fields(bytes).all()?.into_iter().filter_map(|(field, value)| match value {
        Value::Bytes(bytes) if field == wanted => Some(bytes),
        _ => None,
    });
    Ok(found.collect())
}

/// TensorProto: dims = 1 (plain or packed), data_type = 2, name = 8. Integers are indices and shapes, not weights.
fn initializer(bytes: &[u8]) -> Result<Option<Variable>, String> {
    let (mut shape, mut kind, mut name) = (Vec::new(), 0, String::new());
    for (field, value) in Fields(bytes).all()? {
        match (field, value) {
            (1, Value::Number(length)) => shape.push(length),
            (1, Value::Bytes(packed)) => {
                let mut lengths = Fields(packed);
                while !lengths.0.is_empty() {
                    shape.push(lengths.varint().ok_or("has a tensor whose shape is cut short")?);
                }
            }
            (2, Value::Number(number)) => kind = number,
            (8, Value::Bytes(text)) => name = String::from_utf8_lossy(text).into_owned(),
            _ => {}
        }
    }
    let dtype = match kind {
        1 => Dtype::F32,
        10 => Dtype::F16,
        11 => Dtype::F64,
        16 => Dtype::Bf16,
        _ => return Ok(None),
    };
    let length = |length: u64| usize::try_from(length).map_err(|_| format!("variable `{name}`: length {length}"));
    let shape = shape.into_iter().map(length).collect::<Result<Vec<usize>, String>>()?;
    // Inputs that were left out are written as floats of no length: there is nothing to exchange.
    if shape.contains(&0) {
        return Ok(None);
    }
    Ok(Some(Variable { dtype, ..Variable::new(name, shape) }))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn framed(field: u8, bytes: &[u8]) -> Vec<u8> {
        [&[(field << 3) | 2, bytes.len() as u8][..], bytes].concat()
    }

    #[test]
    fn shapes_come_from_initializers_of_floats() {
        let weights = [&[0x08, 3, 0x08, 4, 0x10, 1][..], &framed(8, b"w"), &framed(9, &[0; 48])].concat();
        let packed = [&framed(1, &[0x80, 0x01])[..], &[0x10, 11], &framed(8, b"b")].concat();
        let indices = [&[0x08, 2, 0x10, 7][..], &framed(8, b"i")].concat();
        let empty = [&[0x08, 0, 0x10, 1][..], &framed(8, b"roi")].concat();
        let graph = [framed(5, &weights), framed(5, &packed), framed(5, &indices), framed(5, &empty)].concat();
        let file = [&[0x08, 7][..], &framed(7, &graph)].concat();
        let model = read(&file, "m".into()).unwrap();
        let found: Vec<_> = model.variables.iter().map(|v| (v.name.as_str(), v.shape.clone(), v.dtype)).collect();
        assert_eq!(found, [("w", vec![3, 4], Dtype::F32), ("b", vec![128], Dtype::F64)]);
        for cut in 1..file.len() {
            assert!(read(&file[..cut], "m".into()).is_err(), "cut at {cut}");
        }
        assert!(read(&[], "m".into()).unwrap_err().contains("no initializers"));
    }
}
