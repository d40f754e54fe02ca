//! A modular product as a network of fixed weights, with the numbers that flow through it, and the layers of the paper.

use crate::input::{self, Reason, Refusal};
use crate::integer;
use crypto_bigint::BoxedUint;
use serde::{Deserialize, Serialize};
use sunzi_papers::network::flow::{Flow, LayerFlow};
use sunzi_papers::network::{Network as Weights, NumberType};
use sunzi_rns::extend::frnn::Frnn;
use sunzi_rns::{Base, BaseError, BaseExtension, Residues};

/// The largest `P`, in bits, and the largest number of moduli of a base: what can be drawn.
const MAX_BITS: u32 = 96;
const MAX_MODULI: usize = 8;

/// The inputs of the network of a product, as typed.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub struct NetworkInput {
    p: String,
    /// `f64`, `f32` or `s8`.
    kind: String,
    /// The width of a channel in bits; empty for the one with the fewest weights.
    width: String,
    x: String,
    y: String,
}

/// A row of the table of a step.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Row {
    /// The step, from 0, in which it appears.
    pub step: usize,
    /// Its symbol.
    pub name: &'static str,
    /// Its numbers in A; empty if there are none.
    pub a: Vec<String>,
    /// Its numbers in B; empty if there are none.
    pub b: Vec<String>,
}

/// A step, in words.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Step {
    /// The operation of the step.
    pub title: &'static str,
    /// The reason for the step, with the numbers.
    pub text: String,
}

/// A layer for drawing.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Layer {
    /// The moduli that its digits come from.
    pub from: Vec<String>,
    /// The moduli that its results are for.
    pub to: Vec<String>,
    /// The digits.
    pub digits: Vec<String>,
    /// A row of weights for each digit, a column for each result.
    pub weights: Vec<Vec<String>>,
    /// The weights for drawing: parts of the largest, from -1 to 1.
    pub strengths: Vec<Vec<f64>>,
    /// The numbers that a rank of 1 adds to the results.
    pub corrections: Vec<String>,
    /// The neuron of the rank before it is rounded.
    pub ratio: f64,
    /// The rank.
    pub rank: String,
    /// The sums before they are reduced.
    pub totals: Vec<String>,
    /// The results.
    pub results: Vec<String>,
}

/// The network of a product at work.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Network {
    /// `P`.
    pub p: String,
    /// The moduli of A.
    pub a: Vec<String>,
    /// The moduli of B.
    pub b: Vec<String>,
    /// The width of a channel, in bits.
    pub width: u32,
    /// The parts of a digit.
    pub parts: u32,
    /// The largest integer of any step.
    pub largest: String,
    /// The largest integer up to which the type is exact.
    pub limit: String,
    /// The largest error of a rank before it is rounded.
    pub rank_error: f64,
    /// The number of weights of a layer.
    pub cost: usize,
    /// The layers.
    pub layers: Vec<Layer>,
    /// The numbers of each step.
    pub rows: Vec<Row>,
    /// The steps.
    pub steps: Vec<Step>,
    /// The result, with its sign.
    pub result: String,
    /// Whether the result times A is X Y modulo P, by plain integers.
    pub confirmed: bool,
    /// The result, in a sentence.
    pub summary: String,
}

impl Network {
    /// The view of these inputs.
    ///
    /// # Errors
    /// A [`Refusal`] for a `P` without a network of this type, and for X or Y that are not below `P`.
    pub fn new(input: &NetworkInput) -> Result<Self, Refusal> {
        let kind = NumberType::ALL
            .into_iter()
            .find(|kind| kind.name() == input.kind)
            .ok_or_else(|| Refusal::new("kind", Reason::Choice(input.kind.clone())))?;
        let p = input::number(&input.p, &[]).map_err(Refusal::of("p"))?;
        if p.bits_vartime() > MAX_BITS {
            return Err(Refusal::new("p", Reason::Large { most: MAX_BITS }));
        }
        let width = match input.width.trim() {
            "" => None,
            text => Some(input::small(text, 1, 64).map_err(Refusal::of("width"))?),
        };
        let network = Weights::new(&big(&p), kind, width)
            .map_err(Refusal::of(if width.is_some() { "width" } else { "p" }))?;
        if network.count() > MAX_MODULI {
            let (given, most) = (network.count(), MAX_MODULI);
            return Err(Refusal::new("width", Reason::ManyModuli { given, most }));
        }
        let factor = |name: &'static str, text: &str| {
            let value = input::number(text, &[("P", &p)]).map_err(Refusal::of(name))?;
            if value >= p {
                let what = if name == "x" { "X" } else { "Y" };
                let limit = format!("P = {}", integer::decimal(&p));
                return Err(Refusal::new(name, Reason::NotBelow { what, limit }));
            }
            Ok(value)
        };
        let (x, y) = (factor("x", &input.x)?, factor("y", &input.y)?);
        Self::at_work(&network, &p, &x, &y)
    }

    fn at_work(
        network: &Weights,
        p: &BoxedUint,
        x: &BoxedUint,
        y: &BoxedUint,
    ) -> Result<Self, Refusal> {
        let [x_residues, y_residues] = [x, y].map(|value| network.residues(&big(value)));
        let flow = network.flow(&x_residues, &y_residues);
        let [a, b] = &network.bases;
        let s = signed(b, &flow.layers[0].results).map_err(Refusal::of("p"))?;
        let also = signed(a, &flow.layers[1].results).map_err(Refusal::of("p"))?;
        let confirmed = s == also && is_product(&s, &range(a), x, y, p);
        let (negative, magnitude) = &s;
        let result = format!(
            "{}{}",
            if *negative { "\u{2212}" } else { "" },
            integer::decimal(magnitude)
        );
        Ok(Self {
            p: integer::decimal(p),
            a: texts(a),
            b: texts(b),
            width: network.width,
            parts: network.parts,
            largest: network.bounds.largest.to_string(),
            limit: network.bounds.limit.to_string(),
            rank_error: network.bounds.rank_error,
            cost: network.cost(),
            layers: (0..2).map(|index| layer(network, &flow, index)).collect(),
            rows: rows(network, &flow, [&x_residues, &y_residues]),
            steps: steps(&flow, &result),
            summary: format!(
                "S = {result}, and S A = X Y modulo P. {} weights in each layer; the largest sum that can occur is {}, and \
                 {} is exact up to {}.",
                network.cost(),
                network.bounds.largest,
                network.kind,
                network.bounds.limit,
            ),
            result,
            confirmed,
        })
    }
}

fn big(x: &BoxedUint) -> sunzi_papers::network::BigUint {
    sunzi_papers::network::BigUint::from_bytes_be(&x.to_be_bytes())
}

fn texts<T: ToString>(values: &[T]) -> Vec<String> {
    values.iter().map(ToString::to_string).collect()
}

/// The product of moduli.
fn range(moduli: &[i64]) -> BoxedUint {
    let moduli = moduli.iter().map(|m| BoxedUint::from(m.unsigned_abs()));
    moduli.fold(BoxedUint::one(), |range, m| integer::mul(&range, &m))
}

/// The integer of least magnitude with these residues. One modulus alone is no base of the library.
fn signed(moduli: &[i64], residues: &[i64]) -> Result<(bool, BoxedUint), BaseError> {
    let least = residues.iter().zip(moduli);
    let least: Vec<u64> = least
        .map(|(x, m)| x.rem_euclid(*m).unsigned_abs())
        .collect();
    let value = if let [value] = least[..] {
        BoxedUint::from(value)
    } else {
        let wide: Vec<u128> = moduli.iter().map(|m| m.unsigned_abs().into()).collect();
        let values = least.into_iter().map(u128::from).collect();
        let residues = Residues::new(&Base::new(&wide)?, values);
        residues.map_or_else(|_| BoxedUint::zero(), |x| x.to_uint())
    };
    let negated = integer::sub(&range(moduli), &value).unwrap_or_default();
    Ok(if negated < value {
        (true, negated)
    } else {
        (false, value)
    })
}

/// Whether `S A = X Y` modulo `P`.
fn is_product(
    (negative, s): &(bool, BoxedUint),
    range: &BoxedUint,
    x: &BoxedUint,
    y: &BoxedUint,
    p: &BoxedUint,
) -> bool {
    let modulo = |value: &BoxedUint| integer::div_rem(value, p).unwrap_or_default().1;
    let s = modulo(s);
    let s = if *negative {
        modulo(&integer::sub(p, &s).unwrap_or_default())
    } else {
        s
    };
    modulo(&integer::mul(&s, range)) == modulo(&integer::mul(x, y))
}

fn layer(network: &Weights, flow: &Flow, index: usize) -> Layer {
    let LayerFlow {
        digits,
        ratio,
        rank,
        totals,
        results,
        ..
    } = &flow.layers[index];
    let weights = &network.layers[index].weights;
    let largest = weights.iter().flatten().map(|w| w.unsigned_abs()).max();
    let largest = largest.unwrap_or(1).max(1) as f64;
    Layer {
        from: texts(&network.bases[index]),
        to: texts(&network.bases[1 - index]),
        digits: texts(digits),
        weights: weights.iter().map(|row| texts(row)).collect(),
        strengths: (weights.iter())
            .map(|row| row.iter().map(|&w| w as f64 / largest).collect())
            .collect(),
        corrections: texts(&network.layers[index].corrections),
        ratio: *ratio,
        rank: rank.to_string(),
        totals: texts(totals),
        results: texts(results),
    }
}

fn rows(network: &Weights, flow: &Flow, [x, y]: [&[i64]; 2]) -> Vec<Row> {
    let n = network.count();
    let both = |step, name, values: &[i64]| Row {
        step,
        name,
        a: texts(&values[..n]),
        b: texts(&values[n..]),
    };
    let in_a = |step, name, values: Vec<String>| Row {
        step,
        name,
        a: values,
        b: Vec::new(),
    };
    let in_b = |step, name, values: Vec<String>| Row {
        step,
        name,
        a: Vec::new(),
        b: values,
    };
    let [to_b, to_a] = &flow.layers;
    vec![
        both(0, "x", x),
        both(0, "y", y),
        both(1, "z", &flow.products),
        in_a(2, "d", texts(&to_b.digits)),
        in_b(3, "sums, layer 1", texts(&to_b.totals)),
        in_b(4, "s", texts(&to_b.results)),
        in_b(5, "d\u{2032}", texts(&to_a.digits)),
        in_a(6, "sums, layer 2", texts(&to_a.totals)),
        in_a(7, "s", texts(&to_a.results)),
    ]
}

fn steps(flow: &Flow, result: &str) -> Vec<Step> {
    let [to_b, to_a] = &flow.layers;
    let step = |title, text| Step { title, text };
    vec![
        step(
            "Residues come in",
            "X and Y, integers between \u{2212}P and P, as residues in A and in B: those nearest to 0, or for bytes the least."
                .into(),
        ),
        step(
            "Multiply and reduce",
            "z = |x y| in each channel. The function of these neurons is reduction: v \u{2212} round(v / m) m.".into(),
        ),
        step(
            "Digits of Q",
            "In A, z times a constant gives the digits d of Q, for which X Y + Q P is a multiple of A.".into(),
        ),
        step(
            "Layer 1: weights and rank",
            format!(
                "Each result is a sum of digits times weights. One more neuron adds up d / a = {:.4}; its function is rounding, \
                 and gives the rank h = {}. Then h times a correction is added, and z / A.",
                to_b.ratio, to_b.rank
            ),
        ),
        step(
            "Reduce in B",
            format!("The sums are reduced: the residues of S = {result} in B."),
        ),
        step(
            "Digits of S",
            "In B, a product with a constant gives the digits d\u{2032} of S.".into(),
        ),
        step(
            "Layer 2: weights and rank",
            format!(
                "The way back to A by the same kind of layer. The neuron of the rank adds up {:.4}: h\u{2032} = {}.",
                to_a.ratio, to_a.rank
            ),
        ),
        step(
            "Reduce in A",
            format!("S = {result} is now held like X and Y. It is between \u{2212}P and P, and can go in again."),
        ),
    ]
}

/// The inputs of the layers of the paper, as typed.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub struct PublishedInput {
    source: String,
    target: String,
    x: String,
}

/// A neuron of the paper's second layer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Neuron {
    /// The modulus of the result.
    pub modulus: String,
    /// The weights of the residues.
    pub weights: Vec<String>,
    /// The weight of the rank.
    pub correction: String,
    /// The sum.
    pub sum: String,
    /// The residue that comes out.
    pub result: String,
    /// Whether it is the residue of X.
    pub right: bool,
}

/// The layers of the paper at work.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Published {
    /// The moduli of the source.
    pub source: Vec<String>,
    /// X.
    pub x: String,
    /// The residues that go in.
    pub residues: Vec<String>,
    /// The weights of the neuron of the rank.
    pub rank_weights: Vec<String>,
    /// N, the bits of these weights.
    pub bits: u32,
    /// The rank.
    pub rank: String,
    /// The neurons of the second layer.
    pub neurons: Vec<Neuron>,
    /// Whether the library's own extension returns the same.
    pub confirmed: bool,
    /// The result, in a sentence.
    pub summary: String,
}

impl Published {
    /// The view of these inputs.
    ///
    /// # Errors
    /// A [`Refusal`] for a base that is refused, and for `X` that is not below the range of the source.
    pub fn new(input: &PublishedInput) -> Result<Self, Refusal> {
        let source = input::base(&input.source, MAX_MODULI).map_err(Refusal::of("source"))?;
        let target = input::base(&input.target, MAX_MODULI).map_err(Refusal::of("target"))?;
        let range = source.product();
        let x = input::number(&input.x, &[("A", range)]).map_err(Refusal::of("x"))?;
        let residues = Residues::from_uint(&source, &x).map_err(Refusal::of("x"))?;
        let frnn = Frnn::new(&source, &target);
        let values = residues.values();
        let terms = values.iter().zip(frnn.rank_layer());
        let sum = terms.fold(BoxedUint::zero(), |sum, (&value, weight)| {
            integer::add(&sum, &integer::mul(&BoxedUint::from(value), weight))
        });
        let unit = integer::shl(&BoxedUint::one(), frnn.rank_bits());
        let rank = integer::div_rem(&sum, &unit).unwrap_or_default().0;
        let extended = frnn.extend(&residues);
        let expected = Residues::reduced(&target, &x);
        let neurons = (target.moduli().iter().zip(frnn.residue_layer()).enumerate()).map(
            |(k, (modulus, row))| {
                let (weights, correction) = row.split_at(values.len());
                let inputs = values
                    .iter()
                    .map(|&value| BoxedUint::from(value))
                    .chain([rank.clone()]);
                let sum = inputs
                    .zip(row)
                    .fold(BoxedUint::zero(), |sum, (value, &weight)| {
                        integer::add(&sum, &integer::mul(&value, &BoxedUint::from(weight)))
                    });
                let result = integer::div_rem(&sum, &BoxedUint::from(modulus.value()))
                    .unwrap_or_default()
                    .1;
                Neuron {
                    modulus: modulus.value().to_string(),
                    weights: texts(weights),
                    correction: correction.first().map_or_else(String::new, u128::to_string),
                    sum: integer::decimal(&sum),
                    right: integer::to_u128(&result) == Some(expected.values()[k]),
                    result: integer::decimal(&result),
                }
            },
        );
        let neurons: Vec<Neuron> = neurons.collect();
        let confirmed = (neurons.iter().zip(extended.values()))
            .all(|(neuron, value)| neuron.result == value.to_string());
        Ok(Self {
            source: source
                .moduli()
                .iter()
                .map(|m| m.value().to_string())
                .collect(),
            residues: texts(values),
            rank_weights: frnn.rank_layer().iter().map(integer::decimal).collect(),
            bits: frnn.rank_bits(),
            rank: integer::decimal(&rank),
            summary: format!(
                "The rank of X = {} is {}. Its neuron has weights of N = {} bits, where those of the residues have as many \
                 as a modulus.",
                integer::decimal(&x),
                integer::decimal(&rank),
                frnn.rank_bits()
            ),
            x: integer::decimal(&x),
            neurons,
            confirmed,
        })
    }
}
