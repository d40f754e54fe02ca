//! A network as a graph of operations: a Montgomery product, or a power as a loop of products.

use super::bounds::{bytes, shifted};
use super::onnx::{Attribute, Element, Graph, Node, Port, Size, Tensor};
use super::{Layer, Network, NumberType};

impl NumberType {
    /// The type of residues.
    fn element(self) -> Element {
        match self {
            Self::F64 => Element::Double,
            Self::F32 => Element::Float,
            Self::S8 => Element::Int32,
        }
    }
}

/// A graph while it is made: names are unique in it.
struct Maker<'a> {
    network: &'a Network,
    nodes: Vec<Node>,
    constants: Vec<Tensor>,
    made: usize,
}

/// Name of the residues of a base and of both, in names of constants.
const NAMES: [&str; 2] = ["a", "b"];

impl<'a> Maker<'a> {
    fn new(network: &'a Network) -> Self {
        Self {
            network,
            nodes: Vec::new(),
            constants: Vec::new(),
            made: 0,
        }
    }

    fn add(
        &mut self,
        operator: &'static str,
        inputs: &[&str],
        outputs: Vec<String>,
        attributes: Vec<Attribute>,
    ) {
        self.nodes.push(Node {
            operator,
            inputs: inputs.iter().map(|&name| name.into()).collect(),
            outputs,
            attributes,
        });
    }

    fn name(&mut self) -> String {
        self.made += 1;
        format!("v{}", self.made)
    }

    fn with(
        &mut self,
        operator: &'static str,
        inputs: &[&str],
        attributes: Vec<Attribute>,
    ) -> String {
        let name = self.name();
        self.add(operator, inputs, vec![name.clone()], attributes);
        name
    }

    fn op(&mut self, operator: &'static str, inputs: &[&str]) -> String {
        self.with(operator, inputs, Vec::new())
    }

    /// The halves, or other parts, of rows.
    fn split(&mut self, x: &str, sizes: &[usize]) -> Vec<String> {
        let texts: Vec<String> = sizes.iter().map(ToString::to_string).collect();
        let bytes = sizes.iter().flat_map(|&s| (s as u64).to_le_bytes());
        let sizes_name = self.constant(
            &format!("sizes_{}", texts.join("_")),
            Element::Int64,
            &[sizes.len()],
            bytes.collect(),
        );
        let names: Vec<String> = sizes.iter().map(|_| self.name()).collect();
        let axis = Attribute::Int("axis", 1);
        self.add("Split", &[x, &sizes_name], names.clone(), vec![axis]);
        names
    }

    fn concatenated(&mut self, parts: &[&str]) -> String {
        self.with("Concat", parts, vec![Attribute::Int("axis", 1)])
    }

    fn cast(&mut self, x: &str, element: Element) -> String {
        self.with("Cast", &[x], vec![Attribute::Int("to", element as u64)])
    }

    /// A constant, which is added once.
    fn constant(
        &mut self,
        name: &str,
        element: Element,
        sizes: &[usize],
        bytes: Vec<u8>,
    ) -> String {
        if self.constants.iter().all(|known| known.name != name) {
            self.constants.push(Tensor {
                name: name.into(),
                element,
                sizes: sizes.to_vec(),
                bytes,
            });
        }
        name.into()
    }

    /// A constant of the type of residues.
    fn numbers(&mut self, name: &str, values: &[i64]) -> String {
        let float: Vec<f64> = values.iter().map(|&v| v as f64).collect();
        match self.network.kind {
            NumberType::S8 => {
                let bytes = values.iter().flat_map(|&v| (v as i32).to_le_bytes());
                self.constant(name, Element::Int32, &[values.len()], bytes.collect())
            }
            _ => self.floats(name, &[values.len()], &float),
        }
    }

    /// A constant in floating point: in double precision for f64, else in single precision.
    fn floats(&mut self, name: &str, sizes: &[usize], values: &[f64]) -> String {
        if self.network.kind == NumberType::F64 {
            let bytes = values.iter().flat_map(|v| v.to_le_bytes()).collect();
            self.constant(name, Element::Double, sizes, bytes)
        } else {
            let bytes = values.iter().flat_map(|&v| (v as f32).to_le_bytes());
            self.constant(name, Element::Float, sizes, bytes.collect())
        }
    }

    /// `x mod m` in every channel of `A`, of `B`, or of both.
    fn reduced(&mut self, x: &str, name: &str, moduli: &[i64]) -> String {
        let m = self.numbers(&format!("m_{name}"), moduli);
        if self.network.kind == NumberType::S8 {
            return self.op("Mod", &[x, &m]);
        }
        let reciprocals: Vec<f64> = moduli.iter().map(|&m| 1.0 / m as f64).collect();
        let reciprocals = self.floats(
            &format!("reciprocal_m_{name}"),
            &[moduli.len()],
            &reciprocals,
        );
        let quotient = self.op("Mul", &[x, &reciprocals]);
        let rounded = self.op("Round", &[&quotient]);
        let multiple = self.op("Mul", &[&rounded, &m]);
        self.op("Sub", &[x, &multiple])
    }

    /// The residues of `x y / A mod P`, congruent.
    fn product(&mut self, x: &str, y: &str) -> String {
        let network = self.network;
        let n = network.count();
        let [a, b] = &network.bases;
        let both = network.bases.concat();
        let scale = self.numbers("scale", &network.scale);
        let xy = self.op("Mul", &[x, y]);
        let z = self.reduced(&xy, "ab", &both);
        let scaled = self.op("Mul", &[&z, &scale]);
        let halves = self.split(&scaled, &[n, n]);
        let digits = self.reduced(&halves[0], NAMES[0], a);
        let extended = self.layer(0, &digits);
        let sum = self.op("Add", &[&extended, &halves[1]]);
        let s_b = self.reduced(&sum, NAMES[1], b);
        let inverses = self.numbers("cofactor_inverses", &network.cofactor_inverses);
        let scaled = self.op("Mul", &[&s_b, &inverses]);
        let digits = self.reduced(&scaled, NAMES[1], b);
        let extended = self.layer(1, &digits);
        let s_a = self.reduced(&extended, NAMES[0], a);
        self.concatenated(&[&s_a, &s_b])
    }

    /// A layer without the reduction of its results.
    fn layer(&mut self, index: usize, digits: &str) -> String {
        let network = self.network;
        let layer = &network.layers[index];
        let corrections = self.numbers(&format!("corrections_{}", index + 1), &layer.corrections);
        let (sum, rank) = match network.kind {
            NumberType::S8 => self.byte_layer(index, layer, digits),
            _ => self.float_layer(index, layer, digits),
        };
        let correction = self.op("Mul", &[&rank, &corrections]);
        self.op("Add", &[&sum, &correction])
    }

    fn float_layer(&mut self, index: usize, layer: &Layer, digits: &str) -> (String, String) {
        let network = self.network;
        let n = network.count();
        let (from, to) = (&network.bases[index], &network.bases[1 - index]);
        let mut inputs = Vec::new();
        let mut rest = digits.to_string();
        let step = f64::from(1u32 << network.part_bits());
        for _ in 1..network.parts {
            let shift = self.floats("part_reciprocal", &[1], &[1.0 / step]);
            let unit = self.floats("part_unit", &[1], &[step]);
            let high = self.op("Mul", &[&rest, &shift]);
            let high = self.op("Round", &[&high]);
            let multiple = self.op("Mul", &[&high, &unit]);
            inputs.push(self.op("Sub", &[&rest, &multiple]));
            rest = high;
        }
        inputs.push(rest);
        let inputs: Vec<&str> = inputs.iter().map(String::as_str).collect();
        let input = match inputs[..] {
            [one] => one.to_string(),
            _ => self.concatenated(&inputs),
        };
        let mut weights = Vec::new();
        for part in 0..network.parts {
            for (row, m) in layer.weights.iter().zip(from) {
                let row = row.iter().zip(to);
                weights.extend(row.map(|(&w, &m)| shifted(network, w, part, m) as f64));
                // The neuron of the rank.
                weights.push(step.powi(part.cast_signed()) / *m as f64);
            }
        }
        let sizes = [inputs.len() * n, n + 1];
        let weights = self.floats(&format!("weights_{}", index + 1), &sizes, &weights);
        let outputs = self.op("MatMul", &[&input, &weights]);
        let [sums, rank]: [String; 2] =
            self.split(&outputs, &[n, 1]).try_into().unwrap_or_default();
        let rank = self.op("Round", &[&rank]);
        (sums, rank)
    }

    fn byte_layer(&mut self, index: usize, layer: &Layer, digits: &str) -> (String, String) {
        let network = self.network;
        let n = network.count();
        let (from, to) = (&network.bases[index], &network.bases[1 - index]);
        let unit = self.numbers("byte", &[256]);
        let half = self.numbers("half_byte", &[128]);
        let shifted = self.op("Add", &[digits, &half]);
        let high = self.op("Div", &[&shifted, &unit]);
        let multiple = self.op("Mul", &[&high, &unit]);
        let low = self.op("Sub", &[digits, &multiple]);
        let input = self.concatenated(&[&low, &high]);
        let input = self.cast(&input, Element::Int8);
        // A row for each byte of each digit; the low bytes of the weights, then the high ones.
        let mut weights = Vec::new();
        for shift in [1, 256] {
            for row in &layer.weights {
                for byte in [0, 1] {
                    let row = row.iter().zip(to);
                    weights.extend(row.map(|(w, m)| bytes(w * shift % m)[byte] as i8 as u8));
                }
            }
        }
        let name = format!("weights_{}", index + 1);
        let weights = self.constant(&name, Element::Int8, &[2 * n, 2 * n], weights);
        let sums = self.op("MatMulInteger", &[&input, &weights]);
        let halves = self.split(&sums, &[n, n]);
        let high = self.reduced(&halves[1], NAMES[1 - index], to);
        let high = self.op("Mul", &[&high, &unit]);
        let sum = self.op("Add", &[&halves[0], &high]);
        // The neuron of the rank, in single precision.
        let reciprocals: Vec<f64> = from.iter().map(|&m| 1.0 / m as f64).collect();
        let reciprocals = self.floats(&format!("rank_{}", index + 1), &[n, 1], &reciprocals);
        let digits = self.cast(digits, Element::Float);
        let rank = self.op("MatMul", &[&digits, &reciprocals]);
        let rank = self.op("Round", &[&rank]);
        let rank = self.cast(&rank, Element::Int32);
        (sum, rank)
    }
}

impl Network {
    fn port(&self, name: &str) -> Port {
        Port {
            name: name.into(),
            element: self.kind.element(),
            sizes: vec![Size::Named("batch"), Size::Fixed(2 * self.count())],
        }
    }

    /// The graph of `s = x y / A mod P`, congruent and in `(-P, P)`, for a batch of rows of residues.
    pub fn product_graph(&self) -> Graph {
        let mut maker = Maker::new(self);
        let product = maker.product("x", "y");
        maker.add("Identity", &[&product], vec!["s".into()], Vec::new());
        Graph {
            name: "montgomery_product",
            nodes: maker.nodes,
            constants: maker.constants,
            inputs: vec![self.port("x"), self.port("y")],
            outputs: vec![self.port("s")],
        }
    }

    /// The graph of `s = x^e mod P`, congruent and in `(-P, P)`, for a batch: the bits of e come as `bits`, in the shape
    /// (bits, batch, 1), the most significant first. Every bit takes a squaring and a product.
    pub fn power_graph(&self) -> Graph {
        let mut maker = Maker::new(self);
        let factor = self.range() % &self.modulus;
        let square = maker.numbers(
            "square",
            &self.residues(&(&factor * &factor % &self.modulus)),
        );
        let one = maker.numbers("one", &self.residues(&factor));
        let plain_one = maker.numbers("plain_one", &self.residues(&1u32.into()));
        // The body takes base and constants from the graph around it.
        let around = std::mem::take(&mut maker.nodes);
        let squared = maker.product("power", "power");
        let multiplied = maker.product(&squared, "base");
        let index = Attribute::Int("axis", 0);
        let bit = maker.with("Gather", &["bits", "turn"], vec![index]);
        let bit = maker.cast(&bit, Element::Bool);
        let next = vec!["next".to_string()];
        maker.add("Where", &[&bit, &multiplied, &squared], next, Vec::new());
        maker.add("Identity", &["go"], vec!["go_on".into()], Vec::new());
        let scalar = |name: &str, element| Port {
            name: name.into(),
            element,
            sizes: Vec::new(),
        };
        let body = Graph {
            name: "bit",
            nodes: std::mem::replace(&mut maker.nodes, around),
            constants: Vec::new(),
            inputs: vec![
                scalar("turn", Element::Int64),
                scalar("go", Element::Bool),
                self.port("power"),
            ],
            outputs: vec![scalar("go_on", Element::Bool), self.port("next")],
        };
        let base = maker.product("x", &square);
        maker.add("Identity", &[&base], vec!["base".into()], Vec::new());
        // As many rows as there are bases.
        let nothing = maker.op("Sub", &["x", "x"]);
        let first = maker.op("Add", &[&nothing, &one]);
        let shape = maker.op("Shape", &["bits"]);
        let zero = maker.constant("zero", Element::Int64, &[], 0i64.to_le_bytes().to_vec());
        let turns = maker.with("Gather", &[&shape, &zero], vec![Attribute::Int("axis", 0)]);
        let go = maker.constant("true", Element::Bool, &[], vec![1]);
        let body = Attribute::Graph("body", body);
        let power = maker.with("Loop", &[&turns, &go, &first], vec![body]);
        let plain = maker.product(&power, &plain_one);
        maker.add("Identity", &[&plain], vec!["s".into()], Vec::new());
        let bits = Port {
            name: "bits".into(),
            element: Element::Int8,
            sizes: vec![Size::Named("bits"), Size::Named("batch"), Size::Fixed(1)],
        };
        Graph {
            name: "power",
            nodes: maker.nodes,
            constants: maker.constants,
            inputs: vec![self.port("x"), bits],
            outputs: vec![self.port("s")],
        }
    }
}
