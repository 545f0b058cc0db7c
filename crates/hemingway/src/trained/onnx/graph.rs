//! A graph under way. Numbers of fields are those of `onnx.proto`.

use super::protobuf::Message;

/// What a tensor holds, by ONNX's number for it.
#[derive(Clone, Copy)]
pub(super) enum Kind {
    /// Whole numbers.
    Int64 = 7,
    /// Numbers.
    Double = 11,
}

/// Nodes, constants and outputs; a value is known by its name.
pub(super) struct Graph {
    message: Message,
    nodes: usize,
}

impl Graph {
    /// A graph whose one input has any number of rows and this many columns.
    pub(super) fn of_rows(name: &str, columns: usize) -> Self {
        let columns = Message::default().int(1, columns as i64);
        let input = value(name, Kind::Double, vec![any_rows(), columns]);
        Self { message: Message::default().text(2, "linear-model").message(11, input), nodes: 0 }
    }

    /// A constant; without dimensions a single number.
    pub(super) fn doubles<'a>(&mut self, name: &'a str, shape: &[usize], values: &[f64]) -> &'a str {
        let bytes: Vec<u8> = values.iter().flat_map(|v| v.to_le_bytes()).collect();
        self.constant(name, Kind::Double, shape, &bytes);
        name
    }

    /// The constants `negative` and `positive`: whole numbers if they are such.
    pub(super) fn labels(&mut self, labels: [f64; 2]) -> Kind {
        let whole = labels.iter().all(|label| (*label as i64) as f64 == *label);
        for (name, label) in ["negative", "positive"].into_iter().zip(labels) {
            if whole {
                self.constant(name, Kind::Int64, &[], &(label as i64).to_le_bytes());
            } else {
                self.doubles(name, &[], &[label]);
            }
        }
        if whole { Kind::Int64 } else { Kind::Double }
    }

    /// An operation; its result has the name that is returned.
    pub(super) fn node(&mut self, operation: &str, inputs: &[&str]) -> String {
        let result = self.fresh(operation);
        self.add(operation, inputs, &result, None);
        result
    }

    /// An operation over the columns of each row.
    pub(super) fn reduce(&mut self, operation: &str, input: &str) -> String {
        let axes = Message::default().text(1, "axes").int(8, 1).int(20, 7);
        let keep = Message::default().text(1, "keepdims").int(3, 0).int(20, 2);
        let result = self.fresh(operation);
        self.add(operation, &[input], &result, Some([axes, keep]));
        result
    }

    /// An operation whose result, one a row, is an output of the graph.
    pub(super) fn output(&mut self, operation: &str, inputs: &[&str], name: &str, kind: Kind) {
        self.add(operation, inputs, name, None);
        self.push(12, value(name, kind, vec![any_rows()]));
    }

    /// The graph.
    pub(super) fn message(self) -> Message {
        self.message
    }

    fn fresh(&mut self, operation: &str) -> String {
        self.nodes += 1;
        format!("{}_{}", operation.to_lowercase(), self.nodes)
    }

    fn add(&mut self, operation: &str, inputs: &[&str], output: &str, attributes: Option<[Message; 2]>) {
        let mut node = Message::default();
        for input in inputs {
            node = node.text(1, input);
        }
        node = node.text(2, output).text(3, output).text(4, operation);
        for attribute in attributes.into_iter().flatten() {
            node = node.message(5, attribute);
        }
        self.push(1, node);
    }

    fn constant(&mut self, name: &str, kind: Kind, shape: &[usize], bytes: &[u8]) {
        let mut tensor = Message::default();
        for size in shape {
            tensor = tensor.int(1, *size as i64);
        }
        self.push(5, tensor.int(2, kind as i64).text(8, name).raw(9, bytes));
    }

    fn push(&mut self, field: u64, message: Message) {
        self.message = std::mem::take(&mut self.message).message(field, message);
    }
}

fn any_rows() -> Message {
    Message::default().text(2, "N")
}

/// What goes in or comes out.
fn value(name: &str, kind: Kind, dimensions: Vec<Message>) -> Message {
    let shape = dimensions.into_iter().fold(Message::default(), |shape, dimension| shape.message(1, dimension));
    let tensor = Message::default().int(1, kind as i64).message(2, shape);
    Message::default().text(1, name).message(2, Message::default().message(1, tensor))
}
