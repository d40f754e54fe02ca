//! Redundant channels: the references for a number's residues there, and the faulty channel that differences
//! identify.

use sunzi_rns::{Base, Modulus};
use zeroize::Zeroizing;

use crate::{
    faults::FaultyWord,
    residues::plan::{LaneFormat, Matrix, Plan, digits_of_a_result, invert_prime, powers, scaled},
};
use sunzi_program::content;

/// The references that the stored residues of a number in redundant channels are compared with. Empty without
/// redundancy.
#[derive(Clone)]
pub(crate) struct Checks {
    /// The extension from B, a row of `n_b + 1` weights for each redundant channel:
    /// `|R g_k B/b_j|_{r_k}`, and `|-R g_k B|_{r_k}` for the Cox quotient h.
    pub(crate) b: Matrix,
    /// The extension from the digits of an integer that leaves, d of them, and its sign: `|R g_k
    /// 2^(wi)|_{r_k}`, and `|-R g_k 2^(wd)|_{r_k}` for the sign.
    pub(crate) digits: Matrix,
    /// Per redundant channel: `|A B^-1|_{r_k}`.
    to_multiple: Vec<u64>,
}

content!(Checks {
    b,
    digits,
    to_multiple
});

impl Checks {
    pub(super) fn new(
        [a, b]: [&Base; 2],
        redundant: &[Modulus],
        format: LaneFormat,
        w: u32,
        digits: usize,
    ) -> Self {
        let (mut b_rows, mut digit_rows, mut to_multiple) = (Vec::new(), Vec::new(), Vec::new());
        for r_k in redundant {
            let (a_product, b_product) = (a.product_mod(r_k), b.product_mod(r_k));
            let radix = format.radix(r_k);
            // R g_k = R^2 A^-1
            let factor = r_k.mul(r_k.mul(radix, radix), invert_prime(r_k, a_product));
            let mut row = scaled(r_k, &b.cofactors_mod(r_k), factor);
            row.push(r_k.neg(r_k.mul(b_product, factor)) as u64);
            b_rows.push(row);
            let mut row = powers(r_k, factor, w, digits as u32 + 1);
            if let Some(sign) = row.last_mut() {
                *sign = r_k.neg((*sign).into()) as u64;
            }
            digit_rows.push(row);
            to_multiple.push(r_k.mul(a_product, invert_prime(r_k, b_product)) as u64);
        }
        Self {
            b: Matrix::from_rows(&b_rows),
            digits: Matrix::from_rows(&digit_rows),
            to_multiple,
        }
    }
}

/// Checks that the sums of [`Checks::digits`] fit: digits and weights are below `2^w`, and the reduction of a
/// sum must be below R.
///
/// # Errors
/// The condition, if it does not hold.
pub(super) fn check_digits(bits: u32, w: u32, c: u64, format: LaneFormat) -> Result<(), String> {
    let terms = digits_of_a_result(bits, w, c) as u128 + 1;
    let (reduced, radix_bits) = (
        (terms << (2 * w - format.radix_bits)) + (1 << w),
        format.radix_bits,
    );
    if reduced >> radix_bits == 0 {
        Ok(())
    } else {
        Err(format!(
            "with {w}-bit moduli a sum of digits reaches {reduced}, and must be below 2^{radix_bits}"
        ))
    }
}

impl Plan {
    /// The word of the channel at this place among [`Plan::channels`].
    fn channel_at(&self, place: usize) -> FaultyWord {
        let (n_a, n_b) = (self.a.len(), self.b.len());
        let (part, index) = match place {
            _ if place < n_a => ("base A", place),
            _ if place < n_a + n_b => ("base B", place - n_a),
            _ => ("the redundant channels", place - n_a - n_b),
        };
        FaultyWord {
            part,
            index,
            modulus: self.channels[place].m,
        }
    }

    /// The faulty channel, from the canonical differences in each redundant channel between the extension from B and
    /// the stored residues. `None` with fewer than two redundant channels, if no single channel explains the
    /// differences, or if several do.
    ///
    /// A wrong residue of a channel of A or B with the modulus m makes the differences `|z g_k B/m|_{r_k}`
    /// for one integer z, `0 < |z| < m` (`Bounds::check_redundancy`), and so differs in every redundant
    /// channel; a wrong residue of a redundant channel differs in this channel only. Constant time except for
    /// the result.
    pub(crate) fn locate(&self, differences: &[u64]) -> Option<FaultyWord> {
        let (own, r) = (self.a.len() + self.b.len(), self.redundant.len());
        let wrong = differences.iter().filter(|&&difference| difference != 0);
        let wrong = wrong.count();
        if r >= 2 && wrong == 1 {
            let channel = differences.iter().position(|&difference| difference != 0);
            return channel.map(|k| self.channel_at(own + k));
        }
        if r < 2 || wrong < r {
            return None;
        }
        let explains = |&place: &usize| self.is_multiple(differences, self.channels[place].m);
        let found: Vec<usize> = (0..own).filter(explains).collect();
        match found[..] {
            [place] => Some(self.channel_at(place)),
            _ => None,
        }
    }

    /// Whether the differences are `|z g_k B/m|_{r_k}` for one integer z with `|z| < m`. Requires
    /// an m below all redundant moduli.
    fn is_multiple(&self, differences: &[u64], m: u64) -> bool {
        let channels = &self.arithmetic[self.a.len() + self.b.len()..];
        // As g_k = R A^-1, z = (difference A B^-1 R^-1) m.
        let multiples = channels
            .iter()
            .zip(differences)
            .zip(&self.checks.to_multiple);
        let multiples = multiples.map(|((channel, &difference), &factor)| {
            channel.multiply_plain(channel.multiply(difference, factor), m)
        });
        let multiples: Zeroizing<Vec<u64>> = Zeroizing::new(multiples.collect());
        let (first, above) = (multiples[0], channels[0].m - multiples[0]);
        let others = || channels.iter().zip(&*multiples).skip(1);
        // z is either `first`, or it is negative: `-above`.
        let positive = others().fold(first < m, |all, (channel, &multiple)| {
            all & (channel.multiply_plain(first, 1) == multiple)
        });
        let negative = others().fold(above < m, |all, (channel, &multiple)| {
            all & (channel.negate(channel.multiply_plain(above, 1)) == multiple)
        });
        positive | negative
    }
}
