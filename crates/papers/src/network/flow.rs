//! A product on its way through a network: the numbers at each layer, in integers.

use super::{Layer, Network};

/// The numbers of a layer for one product.
#[derive(Clone, Debug, PartialEq)]
pub struct LayerFlow {
    /// The digits that go in, one for each modulus of the base that the layer comes from.
    pub digits: Vec<i64>,
    /// The sum of the digits divided by their moduli: the neuron of the rank before it is rounded.
    pub ratio: f64,
    /// The rank h.
    pub rank: i64,
    /// For each modulus of the result, the sum of the digits times their weights.
    pub sums: Vec<i128>,
    /// The same with h times the correction, and in layer 1 with `z |A^-1|_b`: the number that is reduced.
    pub totals: Vec<i128>,
    /// The residues that come out.
    pub results: Vec<i64>,
}

/// The numbers of one product.
#[derive(Clone, Debug, PartialEq)]
pub struct Flow {
    /// `z = x y` in each channel, reduced, in A and then in B.
    pub products: Vec<i64>,
    /// The layers, from A to B and back.
    pub layers: [LayerFlow; 2],
}

impl Flow {
    /// The residues of the result, in A and then in B.
    pub fn result(&self) -> Vec<i64> {
        let [to_b, to_a] = &self.layers;
        [to_a.results.as_slice(), &to_b.results].concat()
    }
}

impl Network {
    /// The product of two numbers by their residues, in A and then in B, as [`Network::residues`] gives them: congruent to
    /// `x y / A` modulo P, and in (-P, P) if both are.
    ///
    /// The numbers are those of undivided digits: where a graph has digits in parts, its sums are others, congruent to
    /// these. A number that is half of an even modulus may be its negative there.
    ///
    /// # Panics
    /// If there are not [`Network::count`] residues for each base.
    pub fn flow(&self, x: &[i64], y: &[i64]) -> Flow {
        let n = self.count();
        assert!(
            x.len() == 2 * n && y.len() == 2 * n,
            "residues in both bases"
        );
        let [a, b] = &self.bases;
        let both = a.iter().chain(b).zip(x.iter().zip(y));
        let products: Vec<i64> = both
            .map(|(&m, (x, y))| self.kind.representative(x * y, m))
            .collect();
        let digits = self.times(&products[..n], &self.scale[..n], a);
        let more = products[n..].iter().zip(&self.scale[n..]);
        let more: Vec<i128> = more.map(|(&z, &k)| i128::from(z) * i128::from(k)).collect();
        let to_b = self.through(&self.layers[0], digits, &more, [a, b]);
        let digits = self.times(&to_b.results, &self.cofactor_inverses, b);
        let to_a = self.through(&self.layers[1], digits, &vec![0; n], [b, a]);
        Flow {
            products,
            layers: [to_b, to_a],
        }
    }

    /// Products with constants, reduced.
    fn times(&self, values: &[i64], constants: &[i64], moduli: &[i64]) -> Vec<i64> {
        let terms = values.iter().zip(constants).zip(moduli);
        terms
            .map(|((x, k), &m)| self.kind.representative(x * k, m))
            .collect()
    }

    /// Digits through a layer, from one base to the other.
    fn through(
        &self,
        layer: &Layer,
        digits: Vec<i64>,
        more: &[i128],
        [from, to]: [&[i64]; 2],
    ) -> LayerFlow {
        let ratio: f64 = digits
            .iter()
            .zip(from)
            .map(|(&d, &m)| d as f64 / m as f64)
            .sum();
        let rank = ratio.round() as i64;
        let sum = |column: usize| {
            let terms = layer.weights.iter().zip(&digits);
            let terms = terms.map(|(row, &d)| i128::from(row[column]) * i128::from(d));
            terms.sum::<i128>()
        };
        let sums: Vec<i128> = (0..to.len()).map(sum).collect();
        let totals: Vec<i128> = (sums.iter().zip(&layer.corrections).zip(more))
            .map(|((sum, &c), more)| sum + i128::from(rank) * i128::from(c) + more)
            .collect();
        let results = totals.iter().zip(to);
        let results = results
            .map(|(v, &m)| {
                let least = v.rem_euclid(i128::from(m)) as i64;
                self.kind.representative(least, m)
            })
            .collect();
        LayerFlow {
            digits,
            ratio,
            rank,
            sums,
            totals,
            results,
        }
    }
}
