//! Base extension as a network in the sense of machine learning: an RNS Montgomery product, `S = X Y / A mod P`, as two
//! layers of fixed weights with reductions between them, which any runtime for networks can run.
//!
//! ```text
//! z   = |x y|_m                                       in both bases, A and B
//! d   = |z (-P^-1 (A/a)^-1)|_a                        digits of Q, in A
//! s_b = |sum d_i |P a_i^-1|_b - h P + z |A^-1|_b|_b   layer 1;  h = round(sum d_i / a_i)
//! d'  = |s_b (B/b)^-1|_b
//! s_a = |sum d'_i |B/b_i|_a - h' B|_a                 layer 2;  h' = round(sum d'_i / b_i)
//! ```
//!
//! A layer is one matrix product. Its last column has the reciprocals of the moduli, so that the rank is a neuron like
//! the others. Numbers are integers in `(-P, P)`, given by residues: with `A, B >= 16 P` results are in that range
//! again ([`bounds`] has the proof), so products can follow one another without end.
//!
//! | module | contents |
//! |---|---|
//! | [`bounds`] | largest sums, which a type of numbers must hold exactly |
//! | [`flow`] | the numbers of one product at each layer |
//! | [`graph`] | the network as a graph of operations: a product, or a whole power |
//! | [`onnx`] | the file format |
//!
//! The layers of the paper, which take residues instead of digits and weights of N bits, are
//! [`sunzi_rns::extend::frnn::Frnn`].

pub mod bounds;
mod error;
pub mod flow;
pub mod graph;
mod moduli;
pub mod onnx;

use core::fmt;

use moduli::{cofactor, inverse, moduli, product, remainder};
use sunzi_rns::Base;
use sunzi_rns::extend::frnn::Frnn;

pub use bounds::Bounds;
pub use error::NetworkError;
pub use num_bigint::BigUint;

/// Sizes of P in bits that are taken.
pub const SIZES: core::ops::RangeInclusive<u64> = 8..=16_384;

/// Type of numbers in which a network computes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NumberType {
    /// Double precision: integers up to 2^53.
    F64,
    /// Single precision: integers up to 2^24. Digits go into the layers in parts if need be.
    F32,
    /// Products of signed bytes, summed in 32 bits: digits and weights in two bytes each.
    S8,
}

impl NumberType {
    /// All types, those with the largest range first.
    pub const ALL: [Self; 3] = [Self::F64, Self::S8, Self::F32];

    /// Its name in options and metadata.
    pub fn name(self) -> &'static str {
        match self {
            Self::F64 => "f64",
            Self::F32 => "f32",
            Self::S8 => "s8",
        }
    }

    /// Integers of magnitude up to this power of two are exact.
    pub fn exact_bits(self) -> u32 {
        match self {
            Self::F64 => 53,
            Self::F32 => 24,
            Self::S8 => 31,
        }
    }

    /// Widths of channels that are tried, and numbers of parts of a digit.
    fn forms(self) -> Vec<(u32, u32)> {
        match self {
            Self::F64 => (18..=26).rev().map(|width| (width, 1)).collect(),
            Self::F32 => (8..=12)
                .rev()
                .flat_map(|width| [(width, 1), (width, 2), (width, 3)])
                .collect(),
            Self::S8 => vec![(14, 2)],
        }
    }

    /// The representative of a residue that weights and constants have: centred, or for bytes the least.
    fn representative(self, x: i64, m: i64) -> i64 {
        let least = x.rem_euclid(m);
        if self != Self::S8 && least > m / 2 {
            least - m
        } else {
            least
        }
    }
}

impl fmt::Display for NumberType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// What a file computes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// `x y / A mod P`.
    Product,
    /// `x^e mod P`, as a loop over the bits of e.
    Power,
}

impl Form {
    /// Its name in metadata.
    pub fn name(self) -> &'static str {
        match self {
            Self::Product => "product",
            Self::Power => "power",
        }
    }
}

/// The description in each file.
const ABOUT: &str = "Residues in base A, then in base B, a row for each number. Numbers are integers in (-P, P); \
    results are congruent modulo P and in the same range. Products are x y / A. See the metadata.";

/// A layer of fixed weights.
#[derive(Clone, Debug, PartialEq)]
pub struct Layer {
    /// A row for each digit, a column for each modulus of the result.
    pub weights: Vec<Vec<i64>>,
    /// The number that a rank of 1 adds, for each modulus of the result.
    pub corrections: Vec<i64>,
}

/// A network for one modulus.
#[derive(Clone, Debug)]
pub struct Network {
    /// P.
    pub modulus: BigUint,
    /// The type of numbers.
    pub kind: NumberType,
    /// Width of a channel in bits.
    pub width: u32,
    /// Parts of a digit, which go into the layers one after the other.
    pub parts: u32,
    /// The moduli of A and of B.
    pub bases: [Vec<i64>; 2],
    /// `-P^-1 (A/a)^-1` in A, then `A^-1` in B.
    pub scale: Vec<i64>,
    /// `(B/b)^-1` in B.
    pub cofactor_inverses: Vec<i64>,
    /// The layers, from A to B and back.
    pub layers: [Layer; 2],
    /// What its numbers reach.
    pub bounds: Bounds,
}

impl Network {
    /// The network with the fewest weights that is exact in this type, or that of a given width.
    ///
    /// # Errors
    /// If the modulus has a size that is not taken, or if no form fits the type: the reason is that of the form with the
    /// widest channels.
    pub fn new(
        modulus: &BigUint,
        kind: NumberType,
        width: Option<u32>,
    ) -> Result<Self, NetworkError> {
        if !SIZES.contains(&modulus.bits()) {
            return Err(NetworkError::Size(modulus.bits()));
        }
        Self::fitting(modulus, kind, width).map_err(|reason| {
            let fits = |other: &NumberType| Self::fitting(modulus, *other, None).is_ok();
            let others = NumberType::ALL.into_iter();
            let others = others.filter(|other| *other != kind || width.is_some());
            match reason {
                NetworkError::Width { .. } => reason,
                reason => NetworkError::Type {
                    reason: Box::new(reason),
                    others: others.filter(fits).collect(),
                },
            }
        })
    }

    fn fitting(
        modulus: &BigUint,
        kind: NumberType,
        width: Option<u32>,
    ) -> Result<Self, NetworkError> {
        let mut best: Option<Self> = None;
        let mut reason = None;
        let forms = kind.forms();
        for &(w, parts) in &forms {
            if width.is_some_and(|width| width != w) {
                continue;
            }
            match Self::of_form(modulus, kind, w, parts) {
                Ok(network) => {
                    if best.as_ref().is_none_or(|b| network.cost() < b.cost()) {
                        best = Some(network);
                    }
                    if parts == 1 {
                        // Narrower channels take more weights.
                        break;
                    }
                }
                Err(error) if reason.is_none() || w == forms[0].0 => reason = Some(error),
                Err(_) => {}
            }
        }
        let widths = || forms.iter().map(|(width, _)| *width);
        best.ok_or_else(|| {
            reason.unwrap_or(NetworkError::Width {
                kind,
                width: width.unwrap_or_default(),
                least: widths().min().unwrap_or_default(),
                most: widths().max().unwrap_or_default(),
            })
        })
    }

    fn of_form(
        modulus: &BigUint,
        kind: NumberType,
        width: u32,
        parts: u32,
    ) -> Result<Self, NetworkError> {
        let bases = moduli(modulus, width).ok_or(NetworkError::Moduli(width))?;
        let [a, b] = &bases;
        let of = |x: i64, m: i64| kind.representative(x, m);
        let p = |m: i64| remainder(modulus, m);
        let scale_a = a.iter().map(|&m| {
            let cofactor = cofactor(a, m);
            of(-inverse(p(m) * cofactor % m, m), m)
        });
        let scale_b = b.iter().map(|&m| of(inverse(product(a, m), m), m));
        let first = Layer {
            weights: a
                .iter()
                .map(|&a| b.iter().map(|&m| of(p(m) * inverse(a % m, m), m)).collect())
                .collect(),
            corrections: b.iter().map(|&m| of(-p(m), m)).collect(),
        };
        let range_b: Vec<i64> = a.iter().map(|&m| product(b, m)).collect();
        let of_row = |b_i: i64| {
            let columns = a.iter().zip(&range_b);
            columns
                .map(|(&m, range)| of(range * inverse(b_i % m, m) % m, m))
                .collect()
        };
        let second = Layer {
            weights: b.iter().map(|&b_i| of_row(b_i)).collect(),
            corrections: a
                .iter()
                .zip(&range_b)
                .map(|(&m, &range)| of(-range, m))
                .collect(),
        };
        let mut network = Self {
            modulus: modulus.clone(),
            kind,
            width,
            parts,
            scale: scale_a.chain(scale_b).collect(),
            cofactor_inverses: b
                .iter()
                .map(|&m| of(inverse(cofactor(b, m), m), m))
                .collect(),
            layers: [first, second],
            bounds: Bounds::default(),
            bases: bases.clone(),
        };
        network.bounds = bounds::of(&network)?;
        Ok(network)
    }

    /// Number of moduli in each base.
    pub fn count(&self) -> usize {
        self.bases[0].len()
    }

    /// Weights of a layer.
    pub fn cost(&self) -> usize {
        let (n, parts) = (self.count(), self.parts as usize);
        match self.kind {
            // Digits and weights in two bytes each.
            NumberType::S8 => 4 * n * n,
            _ => parts * n * (n + 1),
        }
    }

    /// Bits of a part of a digit but the last.
    pub fn part_bits(&self) -> u32 {
        self.width.div_ceil(self.parts)
    }

    /// The product of the moduli of A: products are `X Y / A`.
    pub fn range(&self) -> BigUint {
        self.bases[0]
            .iter()
            .map(|&m| BigUint::from(m as u64))
            .product()
    }

    /// An integer below P as residues in A, then in B.
    pub fn residues(&self, x: &BigUint) -> Vec<i64> {
        let all = self.bases.iter().flatten();
        all.map(|&m| self.kind.representative(remainder(x, m), m))
            .collect()
    }

    /// The layers as the paper has them, from A to B, as comma-separated values: residues come in instead of digits, and
    /// the neuron of the rank has weights of N bits ([`Frnn::to_csv`]).
    ///
    /// # Panics
    /// Never: the moduli of a network are coprime.
    pub fn published(&self) -> String {
        let [a, b] = [0, 1].map(|i| {
            let moduli: Vec<u128> = self.bases[i].iter().map(|&m| m as u128).collect();
            Base::new(&moduli).expect("coprime moduli")
        });
        Frnn::new(&a, &b).to_csv()
    }

    /// The graph in this form.
    pub fn graph(&self, form: Form) -> onnx::Graph {
        match form {
            Form::Product => self.product_graph(),
            Form::Power => self.power_graph(),
        }
    }

    /// An ONNX file.
    pub fn file(&self, form: Form) -> Vec<u8> {
        self.graph(form).file(ABOUT, &self.metadata(form))
    }

    /// The metadata of a file, names with texts.
    pub fn metadata(&self, form: Form) -> Vec<(&'static str, String)> {
        let list = |base: &[i64]| {
            let moduli: Vec<String> = base.iter().map(ToString::to_string).collect();
            moduli.join(",")
        };
        vec![
            ("form", form.name().into()),
            ("modulus", format!("{:#x}", self.modulus)),
            ("type", self.kind.name().into()),
            ("width", self.width.to_string()),
            ("parts", self.parts.to_string()),
            ("base_a", list(&self.bases[0])),
            ("base_b", list(&self.bases[1])),
            ("range", "-modulus < x < modulus".into()),
            ("largest_sum", self.bounds.largest.to_string()),
            ("limit", self.bounds.limit.to_string()),
            ("rank_error", format!("{:.6}", self.bounds.rank_error)),
        ]
    }
}

impl fmt::Display for Network {
    /// Shows sizes, layers and bounds.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let n = self.count();
        let Bounds {
            largest,
            limit,
            rank_error,
        } = self.bounds;
        let bits = self.modulus.bits();
        writeln!(f, "modulus   {bits} bits; numbers are in (-P, P)")?;
        let width = self.width;
        writeln!(f, "bases     A and B, {n} moduli of {width} bits each")?;
        let [inputs, outputs] = match self.kind {
            NumberType::S8 => [2 * n, 2 * n],
            _ => [self.parts as usize * n, n + 1],
        };
        let weights = self.cost();
        writeln!(
            f,
            "layers    A to B and B to A, {inputs} x {outputs} each: {weights} weights"
        )?;
        match self.kind {
            NumberType::S8 => writeln!(f, "          digits and weights in two signed bytes")?,
            _ if self.parts > 1 => {
                let (parts, bits) = (self.parts, self.part_bits());
                writeln!(f, "          digits in {parts} parts of {bits} bits")?;
            }
            _ => {}
        }
        writeln!(
            f,
            "sums      up to {largest}; {} is exact up to {limit}",
            self.kind
        )?;
        write!(
            f,
            "ranks     wrong by at most {rank_error:.6} before they are rounded"
        )
    }
}

/// The integer in this text, in hexadecimal after 0x or else in decimal.
///
/// # Errors
/// If it is none.
pub fn integer(text: &str) -> Result<BigUint, &'static str> {
    let number = match text.strip_prefix("0x") {
        Some(digits) => BigUint::parse_bytes(digits.as_bytes(), 16),
        None => BigUint::parse_bytes(text.as_bytes(), 10),
    };
    number.ok_or("it must be a number, in hexadecimal after 0x or else in decimal")
}

#[cfg(test)]
mod tests;
