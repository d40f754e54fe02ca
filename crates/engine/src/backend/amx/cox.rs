//! The Cox quotient: how many multiples of B the sum of a second extension exceeds its integer by.
//!
//! `sum_d d g_d / b_d = r/B + h` with the weights `g_d` of the digits in their own channels. The
//! sum is computed with `g_d / b_d` rounded, and h is the integer nearest to it.

use super::{
    matrix::{Source, pair_of},
    prime::{Prime, bytes},
};

/// Digits' weights are scaled by `2^23`, in three signed bytes.
const DIGIT_BITS: u32 = 23;
/// The sum is scaled by `2^15`, and tail residues' weights with it.
pub(super) const SUM_BITS: u32 = 15;
/// Rows of bytes.
pub(super) const ROWS: usize = 3;

/// The rounded weights.
pub(super) struct CoxWeights {
    /// Of the digits: the low, middle and high bytes.
    pub(super) bytes: [Vec<i8>; ROWS],
    /// Of the tail residues, two to a word.
    pub(super) tails: Vec<u32>,
}

impl CoxWeights {
    /// From the weights `g_d` of all digits of a base with so many main channels.
    pub(super) fn new(digits: &[i32], primes: &[Prime], mains: usize) -> Self {
        let mut rows = [const { Vec::new() }; ROWS];
        for (index, &g) in digits[..2 * mains].iter().enumerate() {
            let weight = scaled(g, primes[index / 2], DIGIT_BITS);
            let high = (weight + 128) >> 8;
            let [middle, top] = bytes(high);
            let split = [(weight - (high << 8)) as i8, middle, top];
            for (row, byte) in rows.iter_mut().zip(split) {
                row.push(byte);
            }
        }
        let tails = digits[2 * mains..]
            .chunks_exact(2)
            .zip(primes[mains..].chunks_exact(2));
        let tails =
            tails.map(|(g, p)| pair_of(scaled(g[0], p[0], SUM_BITS), scaled(g[1], p[1], SUM_BITS)));
        Self {
            bytes: rows,
            tails: tails.collect(),
        }
    }

    /// How far the sum may be from the exact one: each weight is off by up to half a unit, and
    /// the low byte's sum is cut off at the sum's unit.
    pub(super) fn rounding(&self, source: &Source) -> f64 {
        let tails = source.extras[..2 * self.tails.len()].iter();
        let most: i32 = tails.map(|range| range[1]).sum();
        let unit = f64::from(1 << SUM_BITS).recip();
        let digits = 255.0 * source.digits as f64 / 2.0 / f64::from(1 << DIGIT_BITS);
        digits + f64::from(most) * unit / 2.0 + unit
    }
}

/// `2^bits g / m`, rounded to the nearest integer.
fn scaled(g: i32, prime: Prime, bits: u32) -> i32 {
    let m = i64::from(prime.m);
    ((2 * (i64::from(g) << bits) + m).div_euclid(2 * m)) as i32
}
