//! The Cox quotient: how many multiples of B the sum of a second extension exceeds its integer by.
//!
//! `sum_d d g_d / b_d = r/B + h` with the weights `g_d` of the digits in their own channels. The
//! sum is computed with `g_d / b_d` rounded, and h is the integer nearest to it.

use super::{
    matrix::{InputRanges, pair_of},
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
    pub(super) fn rounding(&self, source: &InputRanges) -> f64 {
        let tails = source.extras[..2 * self.tails.len()].iter();
        let most: i32 = tails.map(|range| range[1]).sum();
        let unit = f64::from(1 << SUM_BITS).recip();
        let digits = 255.0 * source.digits as f64 / 2.0 / f64::from(1 << DIGIT_BITS);
        digits + f64::from(most) * unit / 2.0 + unit
    }
}

/// `2^bits g / m`, rounded to the nearest integer. Not in constant time: base B is public. Not
/// inlined, so that this division can be told apart from those in kernels.
#[inline(never)]
fn scaled(g: i32, prime: Prime, bits: u32) -> i32 {
    let m = i64::from(prime.m);
    ((2 * (i64::from(g) << bits) + m).div_euclid(2 * m)) as i32
}

#[cfg(test)]
mod tests {
    use sunzi_rns::Modulus;

    use super::*;

    /// Weights of either sign and every size: three bytes or 16 bits, and off by half a unit at
    /// most.
    #[test]
    fn weights_are_the_nearest() {
        let primes: Vec<Prime> = [65_521, 59_921, 32_771, 2039, 1997]
            .map(|m| Prime::new(&Modulus::new(m).unwrap()))
            .into();
        let mains = 3;
        let near = |g: i32, m: u32, weight: i64, bits: u32| {
            let error = weight * i64::from(m) - (i64::from(g) << bits);
            assert!(2 * error.abs() <= i64::from(m), "{g} of {m}: {weight}");
        };
        for x in (0..1 << 16).step_by(13) {
            let digit = |index: usize, x: u32| primes[index].balance(primes[index].reduce(x));
            let digits: Vec<i32> = (0..2 * mains)
                .map(|d| digit(d / 2, x + d as u32))
                .chain([3, 4].map(|tail| digit(tail, x)))
                .collect();
            let weights = CoxWeights::new(&digits, &primes[..], mains);
            for d in 0..2 * mains {
                let [low, middle, high] = [0, 1, 2].map(|row| i64::from(weights.bytes[row][d]));
                let weight = low + (middle << 8) + (high << 16);
                near(digits[d], primes[d / 2].m, weight, DIGIT_BITS);
            }
            let [tails] = weights.tails[..] else {
                panic!("two tail channels")
            };
            for (tail, weight) in [tails as i16, (tails >> 16) as i16].into_iter().enumerate() {
                near(
                    digits[2 * mains + tail],
                    primes[mains + tail].m,
                    weight.into(),
                    SUM_BITS,
                );
            }
        }
    }
}
