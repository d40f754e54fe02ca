//! Base extension by a finite-ring network (FRNN): two layers of fixed weights.
//!
//! ```text
//! rank layer      r   = floor(sum x_i g_i / 2^N)                  g_i = floor(2^N k_i / p_i)
//! residue layer   x_b = |sum x_i |B_i|_b + r |-P|_b|_b            B_i = P_i k_i
//! ```
//!
//! with `k_i = |P_i^-1|_{p_i}`, `P_i = P/p_i`. The inputs are the residues themselves, not the
//! `xh_i`. The layers are matrices of constants, which can be read, printed and exported.
//!
//! In: any `X < P`. Out: residues of `X`, exact for `N >= ceil(log2(P rho))`, the precision
//! of the [`Characteristic`].
//!
//! Cost from `n` to `n'` moduli: `n` plain products of a residue and `N` bits,
//! `n' (n + 1)` CMM, `n'` CMR (of the rank), `n' (n + 1)` EMA.
//!
//! Source: A. Tchernykh et al., "Cryptographic primitives optimization based on the
//! concepts of the residue number system and finite ring neural network", OLA 2021,
//! section 4, equations (11) to (13). The sum "to n-1" in its text must go to `n`. Equation
//! (13), on the orthogonal bases of a base with one more modulus, is in
//! [`Base::with_modulus`].

use alloc::{
    format,
    string::{String, ToString},
    vec,
    vec::Vec,
};
use core::fmt;

use crypto_bigint::BoxedUint;

use super::BaseExtension;
use crate::base::Base;
use crate::channel::Channel;
use crate::modulus::Modulus;
use crate::order::Characteristic;
use crate::residues::Residues;

/// The finite-ring network from one base to another.
#[derive(Clone, Debug)]
pub struct Frnn {
    characteristic: Characteristic,
    target: Base,
    /// One row for each target modulus `b`: `|B_i|_b` for every `i`, then `|-P|_b`.
    residue_layer: Vec<Vec<u128>>,
}

impl Frnn {
    /// The network from `source` to `target`, which may be any two bases.
    pub fn new(source: &Base, target: &Base) -> Self {
        let row = |b: &Modulus| {
            let inverses = source.cofactor_inverses().iter().map(|&k| b.reduce(k));
            let cofactors = source.cofactors_mod(b).into_iter();
            let mut row: Vec<u128> = cofactors.zip(inverses).map(|(c, k)| b.mul(c, k)).collect();
            row.push(b.neg(source.product_mod(b)));
            row
        };
        Self {
            characteristic: Characteristic::new(source),
            target: target.clone(),
            residue_layer: target.moduli().iter().map(row).collect(),
        }
    }

    /// The weights `g_i` of the rank layer, 1 x n; the rank is `sum x_i g_i / 2^N`, rounded
    /// down, with `N` = [`Frnn::rank_bits`].
    pub fn rank_layer(&self) -> &[BoxedUint] {
        self.characteristic.weights()
    }

    /// `N`, the precision of the rank layer in bits.
    pub fn rank_bits(&self) -> u32 {
        self.characteristic.bits()
    }

    /// The weights of the residue layer, n' x (n + 1): row `k` multiplies
    /// `(x_1, ..., x_n, r)` modulo the target modulus `b_k`.
    pub fn residue_layer(&self) -> &[Vec<u128>] {
        &self.residue_layer
    }

    /// Both layers as comma-separated values, in decimal.
    ///
    /// The columns are `layer,modulus,x_1,...,x_n,r`. The first row is the rank layer, with
    /// modulus `2^N` (the result is the quotient, not the remainder) and an empty last
    /// field; then one row for each target modulus.
    pub fn to_csv(&self) -> String {
        let inputs = (1..=self.source().len()).map(|i| format!("x_{i}"));
        let weights = self.rank_layer().iter();
        let weights = weights.map(|g| g.to_string_radix_vartime(10));
        let mut lines = vec![
            csv_line("layer", "modulus", inputs.chain(["r".into()])),
            csv_line(
                "rank",
                &format!("2^{}", self.rank_bits()),
                weights.chain([String::new()]),
            ),
        ];
        for (b, row) in self.target.moduli().iter().zip(&self.residue_layer) {
            let weights = row.iter().map(ToString::to_string);
            lines.push(csv_line("residue", &b.value().to_string(), weights));
        }
        lines.push(String::new());
        lines.join("\n")
    }
}

fn csv_line(layer: &str, modulus: &str, fields: impl Iterator<Item = String>) -> String {
    let line: Vec<String> = [layer.into(), modulus.into()]
        .into_iter()
        .chain(fields)
        .collect();
    line.join(",")
}

impl fmt::Display for Frnn {
    /// Shows both layers, in decimal, with one row of weights in each line.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (n, bits) = (self.source().len(), self.rank_bits());
        writeln!(f, "rank layer, 1 x {n}: r = floor(g x / 2^{bits})")?;
        write!(f, "  g:")?;
        for g in self.rank_layer() {
            write!(f, " {}", g.to_string_radix_vartime(10))?;
        }
        let outputs = self.target.len();
        write!(
            f,
            "\nresidue layer, {outputs} x {}: x_b = w (x, r) mod b",
            n + 1
        )?;
        for (b, row) in self.target.moduli().iter().zip(&self.residue_layer) {
            write!(f, "\n  {}:", b.value())?;
            for weight in row {
                write!(f, " {weight}")?;
            }
        }
        Ok(())
    }
}

impl BaseExtension for Frnn {
    fn source(&self) -> &Base {
        self.characteristic.base()
    }

    fn target(&self) -> &Base {
        &self.target
    }

    fn input_bound(&self) -> &BoxedUint {
        self.source().product()
    }

    fn max_excess(&self) -> u32 {
        0
    }

    fn extend_on(&self, channel: &impl Channel, x: &Residues) -> Residues {
        let rank = self.characteristic.rank_on(channel, x);
        Residues::from_fn(&self.target, |(k, b)| {
            let weights = &self.residue_layer[k];
            let inputs = self.source().moduli().iter().zip(x.values()).zip(weights);
            let sum = inputs.fold(0, |acc, ((p, &x), &weight)| {
                channel.add(b, acc, channel.mul_constant_from(b, x, p, weight))
            });
            let rank = channel.reduce(b, rank);
            channel.add(
                b,
                sum,
                channel.mul_constant(b, rank, weights[x.values().len()]),
            )
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::channel::{Counting, Counts};
    use crate::test_support::every_number;

    #[test]
    fn every_number_of_tiny_bases() {
        let target = Base::new(&[2, 9, 61]).unwrap();
        for moduli in [&[2, 3][..], &[5, 3], &[4, 15, 7], &[16, 3, 5, 7]] {
            let source = Base::new(moduli).unwrap();
            let network = Frnn::new(&source, &target);
            for (x, residues) in every_number(&source).iter().enumerate() {
                let expected = Residues::reduced(&target, &BoxedUint::from(x as u64));
                assert_eq!(network.extend(residues), expected);
            }
        }
    }

    #[test]
    fn layers_are_printed_and_exported() {
        // P = 15: k = |5^-1|_3, |3^-1|_5 = 2, 2; N = ceil(log2(15 * 6)) = 7;
        // g = floor(128 * 2 / 3), floor(128 * 2 / 5); B = 10, 6.
        let network = Frnn::new(&Base::new(&[3, 5]).unwrap(), &Base::new(&[7, 4]).unwrap());
        let expected = "rank layer, 1 x 2: r = floor(g x / 2^7)\n  g: 85 51\n\
                        residue layer, 2 x 3: x_b = w (x, r) mod b\n  7: 3 6 6\n  4: 2 2 1";
        assert_eq!(network.to_string(), expected);
        let expected = "layer,modulus,x_1,x_2,r\nrank,2^7,85,51,\nresidue,7,3,6,6\n\
                        residue,4,2,2,1\n";
        assert_eq!(network.to_csv(), expected);
    }

    #[test]
    fn counts_are_those_of_the_formula() {
        let source = Base::pseudo_mersenne(20, 7).unwrap();
        let target = Base::pseudo_mersenne(17, 4).unwrap();
        let channel = Counting::default();
        Frnn::new(&source, &target).extend_on(&channel, &Residues::one(&source));
        let expected = Counts {
            products: 7,
            cmm: 4 * 8,
            cmr: 4,
            ema: 4 * 8,
            ..Counts::default()
        };
        assert_eq!(channel.counts(), expected);
    }
}
