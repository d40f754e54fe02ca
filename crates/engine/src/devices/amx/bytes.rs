//! The conversion from residues to bytes: a matrix of the bytes of cofactors.

use crypto_bigint::{BoxedUint, ConcatenatingMul, Word};
use sunzi_rns::Base;

use super::{
    matrix::{DIGITS, pair_of},
    tile::{ROWS, WeightRow},
};
use crate::{devices::row::Row, seal::content};

/// The weights of the conversion from digits and extras to the bytes of an integer,
/// `r = sum_d d f_d B/b_d - h B` modulo `2^(8 length)`, where `f_d` is the factor of digit d in its
/// own channel ([`digit_factors`](super::plan::digit_factors)). All weights are signed bytes.
#[derive(Clone)]
pub(super) struct ByteMatrix {
    /// The weights of the digits: for each 16 bytes, and each step of 64 digits, a tile.
    tiles: Vec<WeightRow>,
    /// Number of steps of 64 digits.
    steps: usize,
    /// Number of pairs of extras: the tail residues, and h beside an unused place.
    pairs: usize,
    /// The weights of the extras: for each byte a word per pair.
    extras: Vec<u32>,
    /// Number of bytes of the integer, a multiple of 16.
    pub(super) length: usize,
}

content!(ByteMatrix {
    tiles,
    steps,
    pairs,
    extras,
    length,
});

impl ByteMatrix {
    /// The matrix for integers of up to `bits + 127` bits and a sign. Requires a multiple of 128
    /// bits, and the factor of each digit of base B.
    pub(super) fn new(bits: u32, base: &Base, factors: &[i32], mains: usize) -> Self {
        let length = (bits / 8) as usize + ROWS;
        let tails = base.len() - mains;
        let cofactors: Vec<BoxedUint> = (0..base.len()).map(|j| base.cofactor(j)).collect();
        let columns: Vec<Vec<i8>> = (factors.iter().enumerate())
            .map(|(d, &factor)| {
                let channel = if d < 2 * mains { d / 2 } else { d - mains };
                balanced_bytes(factor, &cofactors[channel], length)
            })
            .collect();
        let minus_b = balanced_bytes(-1, base.product(), length);

        let steps = 2 * mains / DIGITS;
        let mut tiles: Vec<WeightRow> = vec![Row([0; DIGITS]); length * steps];
        let mut extras = Vec::new();
        for byte in 0..length {
            for (d, column) in columns[..2 * mains].iter().enumerate() {
                let tile = byte / ROWS * steps + d / DIGITS;
                tiles[tile * ROWS + byte % ROWS][d % DIGITS] = column[byte];
            }
            let pairs = columns[2 * mains..].chunks_exact(2);
            extras.extend(pairs.map(|p| pair_of(p[0][byte].into(), p[1][byte].into())));
            extras.push(pair_of(minus_b[byte].into(), 0));
        }
        Self {
            tiles,
            steps,
            pairs: tails / 2 + 1,
            extras,
            length,
        }
    }

    /// The tiles for bytes `16 index` to `16 index + 15`, one per step.
    pub(super) fn tiles(&self, index: usize) -> &[WeightRow] {
        let rows = self.steps * ROWS;
        &self.tiles[index * rows..(index + 1) * rows]
    }

    /// The weights of the extras for a byte, a word per pair.
    pub(super) fn extras(&self, byte: usize) -> &[u32] {
        &self.extras[byte * self.pairs..(byte + 1) * self.pairs]
    }
}

/// The signed bytes of `factor x` modulo `2^(8 length)`, least significant first.
fn balanced_bytes(factor: i32, x: &BoxedUint, length: usize) -> Vec<i8> {
    let product = x.concatenating_mul(BoxedUint::from(Word::from(factor.unsigned_abs())));
    let magnitude = product.to_le_bytes();
    let sign = factor.signum();
    let mut carry = 0;
    (0..length)
        .map(|k| {
            let sum = sign * i32::from(magnitude.get(k).copied().unwrap_or(0)) + carry;
            carry = (sum + 128) >> 8;
            (sum - (carry << 8)) as i8
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn signed_bytes_add_up() {
        for factor in [0, 1, -1, 77, -32_760] {
            let x = 0xfedc_ba98_7654_3210_u64;
            let bytes = balanced_bytes(factor, &BoxedUint::from(x), 15);
            let sum = bytes
                .iter()
                .rev()
                .fold(0i128, |sum, &byte| sum * 256 + i128::from(byte));
            assert_eq!(sum, i128::from(factor) * i128::from(x));
        }
    }
}
