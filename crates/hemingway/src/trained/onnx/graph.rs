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
        let kind = kind_of(&labels);
        for (name, label) in ["negative", "positive"].into_iter().zip(labels) {
            self.label_constant(name, kind, &[], &[label]);
        }
        kind
    }

    /// A constant that holds all labels: whole numbers if they are such.
    pub(super) fn label_list(&mut self, name: &str, labels: &[f64]) -> Kind {
        let kind = kind_of(labels);
        self.label_constant(name, kind, &[labels.len()], labels);
        kind
    }

    fn label_constant(&mut self, name: &str, kind: Kind, shape: &[usize], labels: &[f64]) {
        let bytes = |label: &f64| match kind {
            Kind::Int64 => (*label as i64).to_le_bytes(),
            Kind::Double => label.to_le_bytes(),
        };
        self.constant(name, kind, shape, &labels.iter().flat_map(bytes).collect::<Vec<u8>>());
    }

    /// An operation; its result has the name that is returned.
    pub(super) fn node(&mut self, operation: &str, inputs: &[&str]) -> String {
        let result = self.fresh(operation);
        self.add(operation, inputs, &result, &[]);
        result
    }

    /// An operation over the columns of each row; what remains may be kept as a column.
    pub(super) fn reduce(&mut self, operation: &str, input: &str, keep: bool) -> String {
        let axes = Message::default().text(1, "axes").int(8, 1).int(20, 7);
        let result = self.fresh(operation);
        self.add(operation, &[input], &result, &[axes, number("keepdims", i64::from(keep))]);
        result
    }

    /// The column of the largest entry of each row, the first of equals.
    pub(super) fn argmax(&mut self, input: &str) -> String {
        let result = self.fresh("ArgMax");
        self.add("ArgMax", &[input], &result, &[number("axis", 1), number("keepdims", 0)]);
        result
    }

    /// The softmax of each row, an output of the graph.
    pub(super) fn softmax(&mut self, input: &str, name: &str, columns: usize) {
        self.add("Softmax", &[input], name, &[number("axis", 1)]);
        self.push_columns(name, columns);
    }

    /// An operation whose result, one a row, is an output of the graph.
    pub(super) fn output(&mut self, operation: &str, inputs: &[&str], name: &str, kind: Kind) {
        self.add(operation, inputs, name, &[]);
        self.push(12, value(name, kind, vec![any_rows()]));
    }

    /// An operation whose result, so many numbers a row, is an output of the graph.
    pub(super) fn outputs(&mut self, operation: &str, inputs: &[&str], name: &str, columns: usize) {
        self.add(operation, inputs, name, &[]);
        self.push_columns(name, columns);
    }

    fn push_columns(&mut self, name: &str, columns: usize) {
        let columns = Message::default().int(1, columns as i64);
        self.push(12, value(name, Kind::Double, vec![any_rows(), columns]));
    }

    /// The graph.
    pub(super) fn message(self) -> Message {
        self.message
    }

    fn fresh(&mut self, operation: &str) -> String {
        self.nodes += 1;
        format!("{}_{}", operation.to_lowercase(), self.nodes)
    }

    fn add(&mut self, operation: &str, inputs: &[&str], output: &str, attributes: &[Message]) {
        let mut node = Message::default();
        for input in inputs {
            node = node.text(1, input);
        }
        node = node.text(2, output).text(3, output).text(4, operation);
        for attribute in attributes {
            node = node.message(5, attribute.clone());
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

/// Whole numbers, if all of them are.
fn kind_of(labels: &[f64]) -> Kind {
    let whole = labels.iter().all(|label| (*label as i64) as f64 == *label);
    if whole { Kind::Int64 } else { Kind::Double }
}

/// An attribute that is a whole number.
fn number(name: &str, value: i64) -> Message {
    Message::default().text(1, name).int(3, value).int(20, 2)
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
