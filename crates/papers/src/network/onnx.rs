//! ONNX files, as far as networks of residues need them: a graph with its constants, encoded by hand, since the format
//! (protocol buffers) takes two kinds of fields here.
//!
//! Field numbers are those of `onnx.proto`, IR version 9, operator set 18.

/// IR version of the files.
const IR_VERSION: u64 = 9;
/// Operator set of the files.
const OPERATOR_SET: u64 = 18;

/// Type of a tensor's elements, with its number in the format.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Element {
    /// IEEE single precision.
    Float = 1,
    /// Signed bytes.
    Int8 = 3,
    /// Signed integers of 32 bits.
    Int32 = 6,
    /// Signed integers of 64 bits.
    Int64 = 7,
    /// Truth values.
    Bool = 9,
    /// IEEE double precision.
    Double = 11,
}

/// A constant of a graph.
#[derive(Clone, Debug, PartialEq)]
pub struct Tensor {
    /// Name by which operations take it.
    pub name: String,
    /// Type of the elements.
    pub element: Element,
    /// Sizes, from the outermost; none for a scalar.
    pub sizes: Vec<usize>,
    /// The elements, little-endian.
    pub bytes: Vec<u8>,
}

/// A size of an input or output: a number, or a name for sizes that calls decide.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Size {
    /// A fixed size.
    Fixed(usize),
    /// A size with this name.
    Named(&'static str),
}

/// An input or output of a graph.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Port {
    /// Its name.
    pub name: String,
    /// Type of the elements.
    pub element: Element,
    /// Sizes, from the outermost.
    pub sizes: Vec<Size>,
}

/// A value that an operation is given besides its inputs.
#[derive(Clone, Debug, PartialEq)]
pub enum Attribute {
    /// An integer: an axis, or a type to cast to.
    Int(&'static str, u64),
    /// A graph: the body of a loop.
    Graph(&'static str, Graph),
}

/// An operation.
#[derive(Clone, Debug, PartialEq)]
pub struct Node {
    /// Operator, for instance `MatMul`.
    pub operator: &'static str,
    /// Names of its inputs.
    pub inputs: Vec<String>,
    /// Names of its outputs.
    pub outputs: Vec<String>,
    /// Its attributes.
    pub attributes: Vec<Attribute>,
}

/// A graph: operations in an order in which they can run.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Graph {
    /// Its name.
    pub name: &'static str,
    /// The operations.
    pub nodes: Vec<Node>,
    /// The constants.
    pub constants: Vec<Tensor>,
    /// The inputs.
    pub inputs: Vec<Port>,
    /// The outputs.
    pub outputs: Vec<Port>,
}

/// A message of protocol buffers.
#[derive(Default)]
struct Message(Vec<u8>);

impl Message {
    fn varint(&mut self, mut value: u64) {
        while value >= 0x80 {
            self.0.push(value as u8 | 0x80);
            value >>= 7;
        }
        self.0.push(value as u8);
    }

    fn number(mut self, field: u64, value: u64) -> Self {
        self.varint(field << 3);
        self.varint(value);
        self
    }

    fn bytes(mut self, field: u64, bytes: &[u8]) -> Self {
        self.varint(field << 3 | 2);
        self.varint(bytes.len() as u64);
        self.0.extend_from_slice(bytes);
        self
    }

    fn text(self, field: u64, text: &str) -> Self {
        self.bytes(field, text.as_bytes())
    }

    fn messages(self, field: u64, messages: impl IntoIterator<Item = Self>) -> Self {
        let all = messages.into_iter();
        all.fold(self, |whole, part| whole.bytes(field, &part.0))
    }
}

impl Tensor {
    fn message(&self) -> Message {
        let sizes = self.sizes.iter();
        sizes
            .fold(Message::default(), |m, &size| m.number(1, size as u64))
            .number(2, self.element as u64)
            .text(8, &self.name)
            .bytes(9, &self.bytes)
    }
}

impl Port {
    fn message(&self) -> Message {
        let sizes = self.sizes.iter().map(|size| match size {
            Size::Fixed(size) => Message::default().number(1, *size as u64),
            Size::Named(name) => Message::default().text(2, name),
        });
        let shape = Message::default().messages(1, sizes);
        let tensor = Message::default().number(1, self.element as u64);
        let kind = Message::default().messages(1, [tensor.messages(2, [shape])]);
        Message::default().text(1, &self.name).messages(2, [kind])
    }
}

impl Attribute {
    fn message(&self) -> Message {
        match self {
            Self::Int(name, value) => Message::default()
                .text(1, name)
                .number(3, *value)
                .number(20, 2),
            Self::Graph(name, graph) => Message::default()
                .text(1, name)
                .messages(6, [graph.message()])
                .number(20, 5),
        }
    }
}

impl Node {
    fn message(&self) -> Message {
        let names = |message: Message, field, names: &[String]| {
            let names = names.iter();
            names.fold(message, |m, name| m.text(field, name))
        };
        let message = names(Message::default(), 1, &self.inputs);
        names(message, 2, &self.outputs)
            .text(4, self.operator)
            .messages(5, self.attributes.iter().map(Attribute::message))
    }
}

impl Graph {
    fn message(&self) -> Message {
        Message::default()
            .messages(1, self.nodes.iter().map(Node::message))
            .text(2, self.name)
            .messages(5, self.constants.iter().map(Tensor::message))
            .messages(11, self.inputs.iter().map(Port::message))
            .messages(12, self.outputs.iter().map(Port::message))
    }

    /// Number of operations, with those of loops' bodies counted once.
    pub fn operations(&self) -> usize {
        let attributes = self.nodes.iter().flat_map(|node| &node.attributes);
        let bodies = attributes.map(|attribute| match attribute {
            Attribute::Int(..) => 0,
            Attribute::Graph(_, body) => body.operations(),
        });
        self.nodes.len() + bodies.sum::<usize>()
    }

    /// The file: this graph with a description and metadata, names with texts.
    pub fn file(&self, about: &str, metadata: &[(&str, String)]) -> Vec<u8> {
        let operators = Message::default().text(1, "").number(2, OPERATOR_SET);
        let properties = metadata
            .iter()
            .map(|(key, value)| Message::default().text(1, key).text(2, value));
        Message::default()
            .number(1, IR_VERSION)
            .text(2, "sunzi")
            .text(6, about)
            .messages(7, [self.message()])
            .messages(8, [operators])
            .messages(14, properties)
            .0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_are_those_of_protocol_buffers() {
        let message = Message::default().number(1, 300).text(2, "ab");
        assert_eq!(message.0, [0x08, 0xac, 0x02, 0x12, 2, b'a', b'b']);
        let tensor = Tensor {
            name: "m".into(),
            element: Element::Int8,
            sizes: vec![2],
            bytes: vec![1, 2],
        };
        let expected = [8, 2, 16, 3, 0x42, 1, b'm', 0x4a, 2, 1, 2];
        assert_eq!(tensor.message().0, expected);
    }
}
