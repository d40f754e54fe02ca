//! Out of the residues: the matrix of the cofactors' bytes.

use crypto_bigint::{BoxedUint, ConcatenatingMul, Word};
use sunzi_rns::Base;

use super::{
    matrix::{DIGITS, pair_of},
    tile::{ROWS, WeightRow},
};
use crate::devices::row::Row;

/// The weights by which digits and extras make the bytes of an integer `r`, modulo a power of
/// two: `r = sum_d d g_d B/b_d - h B`.
#[derive(Clone)]
pub(super) struct ByteMatrix {
    /// For each 16 bytes and each step a tile.
    tiles: Vec<WeightRow>,
    steps: usize,
    /// Pairs of extras: tail residues, and h with an empty place.
    pairs: usize,
    /// For each byte the weights of the extras, two to a word.
    extras: Vec<u32>,
    /// Bytes of the integer, a multiple of 16.
    pub(super) length: usize,
}

impl ByteMatrix {
    /// For integers of `bits` bits, a multiple of 128, and up to 127 more with their sign.
    pub(super) fn new(bits: u32, base: &Base, digits: &[i32], mains: usize) -> Self {
        let length = (bits / 8) as usize + ROWS;
        let tails = base.len() - mains;
        let cofactors: Vec<BoxedUint> = (0..base.len()).map(|j| base.cofactor(j)).collect();
        let columns: Vec<Vec<i8>> = (digits.iter().enumerate())
            .map(|(d, &g)| {
                let channel = if d < 2 * mains { d / 2 } else { d - mains };
                balanced_bytes(g, &cofactors[channel], length)
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

    /// The tiles of 16 bytes, one a step.
    pub(super) fn tiles(&self, index: usize) -> &[WeightRow] {
        let rows = self.steps * ROWS;
        &self.tiles[index * rows..(index + 1) * rows]
    }

    /// The weights of the extras for a byte.
    pub(super) fn extras(&self, byte: usize) -> &[u32] {
        &self.extras[byte * self.pairs..(byte + 1) * self.pairs]
    }
}

/// `g x` modulo `2^(8 length)` in signed bytes.
fn balanced_bytes(g: i32, x: &BoxedUint, length: usize) -> Vec<i8> {
    let product = x.concatenating_mul(BoxedUint::from(Word::from(g.unsigned_abs())));
    let magnitude = product.to_le_bytes();
    let sign = g.signum();
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
        for g in [0, 1, -1, 77, -32_760] {
            let x = 0xfedc_ba98_7654_3210_u64;
            let bytes = balanced_bytes(g, &BoxedUint::from(x), 15);
            let sum = bytes
                .iter()
                .rev()
                .fold(0i128, |sum, &byte| sum * 256 + i128::from(byte));
            assert_eq!(sum, i128::from(g) * i128::from(x));
        }
    }
}
