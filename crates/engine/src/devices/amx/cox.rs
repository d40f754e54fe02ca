//! The Cox quotient h: the number of multiples of B by which the sum of the second extension
//! exceeds the integer r.
//!
//! `sum_d d f_d / b_d = r/B + h`, where `f_d` is the factor of digit d in its own channel. The sum
//! is computed with each `f_d / b_d` rounded, and h is the integer nearest to it.

use super::{
    matrix::{MatrixSource, pair_of},
    prime::{Prime, bytes},
};

/// Scale of the digits' weights: `2^23 f_d / b_d` is rounded to three signed bytes.
const DIGIT_BITS: u32 = 23;
/// Scale of the sum, and of the tail residues' weights: its unit is `2^-15`.
pub(super) const SUM_BITS: u32 = 15;
/// Number of bytes of a digit's weight, each of which has a row in the tail tile.
pub(super) const ROWS: usize = 3;

/// The rounded weights.
pub(super) struct CoxWeights {
    /// The low, the middle, and the high bytes of the digits' weights.
    pub(super) bytes: [Vec<i8>; ROWS],
    /// The weights of the tail residues, two per word.
    pub(super) tails: Vec<u32>,
}

impl CoxWeights {
    /// The weights for the factors `f_d` of the digits of a base with `mains` main channels.
    pub(super) fn new(factors: &[i32], primes: &[Prime], mains: usize) -> Self {
        let mut rows = [const { Vec::new() }; ROWS];
        for (index, &factor) in factors[..2 * mains].iter().enumerate() {
            let weight = scaled(factor, primes[index / 2], DIGIT_BITS);
            let high = (weight + 128) >> 8;
            let [middle, top] = bytes(high);
            let split = [(weight - (high << 8)) as i8, middle, top];
            for (row, byte) in rows.iter_mut().zip(split) {
                row.push(byte);
            }
        }
        let tails = factors[2 * mains..]
            .chunks_exact(2)
            .zip(primes[mains..].chunks_exact(2));
        let tails =
            tails.map(|(f, p)| pair_of(scaled(f[0], p[0], SUM_BITS), scaled(f[1], p[1], SUM_BITS)));
        Self {
            bytes: rows,
            tails: tails.collect(),
        }
    }

    /// The largest absolute error of the sum. Each weight is off by at most half a unit of
    /// its scale, and the sum of the low bytes is truncated to the unit of the sum.
    pub(super) fn rounding(&self, source: &MatrixSource) -> f64 {
        let tails = source.extras[..2 * self.tails.len()].iter();
        let most: i32 = tails.map(|range| range[1]).sum();
        let unit = f64::from(1 << SUM_BITS).recip();
        let digits = 255.0 * source.digits as f64 / 2.0 / f64::from(1 << DIGIT_BITS);
        digits + f64::from(most) * unit / 2.0 + unit
    }
}

/// `2^bits factor / m`, rounded to the nearest integer. Not constant time, as bases are public. Not
/// inlined, so that the test that searches kernels for divisions can tell this one apart.
#[inline(never)]
fn scaled(factor: i32, prime: Prime, bits: u32) -> i32 {
    let m = i64::from(prime.m);
    ((2 * (i64::from(factor) << bits) + m).div_euclid(2 * m)) as i32
}

#[cfg(test)]
mod tests {

    use super::*;

    /// Weights of both signs and all sizes fit in three bytes or 16 bits, and are off by at most
    /// half a unit.
    #[test]
    fn weights_are_the_nearest() {
        let primes: Vec<Prime> = [65_521, 59_921, 32_771, 2039, 1997]
            .map(|m| Prime::new(&sunzi_rns::Modulus::new(m).unwrap()))
            .into();
        let mains = 3;
        let near = |factor: i32, m: u32, weight: i64, bits: u32| {
            let error = weight * i64::from(m) - (i64::from(factor) << bits);
            assert!(2 * error.abs() <= i64::from(m), "{factor} of {m}: {weight}");
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
