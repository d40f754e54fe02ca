//! A constant matrix packed into tiles.
//!
//! Each output of a base extension is a sum of digits times weights modulo the output's modulus.
//! The digits are the two bytes of each main channel of the source base; tiles multiply them.
//! *Extras* are 16-bit values, which `vpdpwssd` multiplies: the residues of the source's tail
//! channels, and the Cox quotient.
//!
//! The outputs of main channels form blocks of 16. The outputs of tail channels, and the sums for
//! the Cox quotient, share one more tile per step, the *tail tile*.

use core::arch::x86_64::__m512i;

use zeroize::{Zeroize, Zeroizing};

use super::{
    prime::{Prime, bytes},
    tile::{ROWS, WeightRow},
    vector::store,
};
use crate::{
    devices::row::Row,
    seal::{content, lists},
};

/// Number of digits, a byte each, in a row of a tile of weights.
pub(super) const DIGITS: usize = 64;

/// The inputs of a matrix: the number of its digits, and the ranges of its extras.
#[derive(Clone, Debug)]
pub(super) struct MatrixSource {
    /// Number of digits, each from 0 to 255; a multiple of 64.
    pub(super) digits: usize,
    /// The least and the largest value of each extra, both within 16 signed bits. Their number is
    /// even.
    pub(super) extras: Vec<[i32; 2]>,
}

/// The weights of one output before they are packed; wiped on drop.
#[derive(Default)]
pub(super) struct OutputWeights {
    /// The weight of each digit, within the range of [`bytes`].
    pub(super) digits: Vec<i32>,
    /// The weight of each extra, within 16 signed bits.
    pub(super) extras: Vec<i32>,
}

impl Drop for OutputWeights {
    fn drop(&mut self) {
        self.digits.zeroize();
        self.extras.zeroize();
    }
}

/// The inclusive range of a sum of products. The ranges of a matrix include its offsets.
#[derive(Clone, Copy, Debug)]
pub(super) struct SumRange {
    pub(super) least: i64,
    pub(super) most: i64,
}

impl Zeroize for SumRange {
    fn zeroize(&mut self) {
        self.least.zeroize();
        self.most.zeroize();
    }
}

/// A matrix packed into tiles; wiped on drop.
#[derive(Clone)]
pub(super) struct TileMatrix {
    /// Number of steps: tiles of 64 digits in each row of the matrix.
    pub(super) steps: usize,
    /// The weights of the blocks: for each block of 16 outputs, and each step, a tile of low bytes
    /// and a tile of high bytes.
    tiles: Zeroizing<Vec<WeightRow>>,
    /// The offsets of the blocks, a tile each: multiples of the moduli that make all sums
    /// non-negative.
    offsets: Zeroizing<Vec<Row<u32, ROWS>>>,
    /// Number of pairs of extras.
    pub(super) pairs: usize,
    /// The weights of the extras: for each output a word per pair.
    extras: Zeroizing<Vec<u32>>,
    /// The tail tiles, one per step. Their rows are the low bytes of each tail output, the high
    /// bytes of each, and, in the second extension, the three bytes of the Cox weights.
    pub(super) tail_tiles: Zeroizing<Vec<WeightRow>>,
    /// The offsets of the tail outputs, a tile.
    pub(super) tail_offsets: Zeroizing<Vec<Row<u32, ROWS>>>,
    /// The ranges of all sums, those of main channels first.
    pub(super) ranges: Zeroizing<Vec<SumRange>>,
}

content!(TileMatrix {
    steps, tiles, offsets, pairs, extras, tail_tiles, tail_offsets,
} without { ranges });
lists!(WeightRow, Row<u32, ROWS>);

impl TileMatrix {
    /// Packs the weights of the outputs for these primes, the last `tails` of which are tail
    /// channels. Ensures that every sum is within `[0, 2^16 m)` for a main channel, and within
    /// `[0, 2^28)` for a tail channel. The weights may be secret: apart from a refusal, the time
    /// does not depend on them.
    ///
    /// # Errors
    /// The sum that leaves its range.
    pub(super) fn new(
        source: &MatrixSource,
        primes: &[Prime],
        tails: usize,
        mut output: impl FnMut(usize) -> OutputWeights,
    ) -> Result<Self, String> {
        let steps = source.digits / DIGITS;
        let mains = primes.len() - tails;
        let pairs = source.extras.len() / 2;
        let zero: WeightRow = Row([0; DIGITS]);
        let mut matrix = Self {
            steps,
            tiles: Zeroizing::new(vec![zero; mains * 2 * steps]),
            offsets: Zeroizing::new(Vec::with_capacity(mains)),
            pairs,
            extras: Zeroizing::new(Vec::with_capacity(primes.len() * pairs)),
            tail_tiles: Zeroizing::new(vec![zero; ROWS * steps]),
            tail_offsets: Zeroizing::new(vec![Row([0; ROWS]); ROWS]),
            ranges: Zeroizing::new(Vec::with_capacity(primes.len())),
        };
        for (j, prime) in primes.iter().enumerate() {
            let weights = output(j);
            debug_assert!(weights.digits.len() == source.digits);
            debug_assert!(weights.extras.len() == source.extras.len());
            let sums = source.range(&weights);
            let limit = if j < mains {
                i64::from(prime.m) << 16
            } else {
                1 << 28
            };
            // The least multiple of the modulus that makes every sum non-negative, in constant
            // time.
            let below = (-sums.least) as u32;
            let offset = below.wrapping_add(prime.neg(prime.reduce(below)));
            let range = SumRange {
                least: sums.least + i64::from(offset),
                most: sums.most + i64::from(offset),
            };
            if range.least < 0 || range.most >= limit || -sums.least > i64::from(u32::MAX) {
                return Err(format!(
                    "sums for the channel {} reach from {} to {}, and must stay from 0 to {}",
                    prime.m,
                    range.least,
                    range.most,
                    limit - 1
                ));
            }
            matrix.ranges.push(range);
            matrix.extras.extend(
                weights
                    .extras
                    .chunks_exact(2)
                    .map(|pair| pair_of(pair[0], pair[1])),
            );
            if j < mains {
                matrix.offsets.push(Row([offset; ROWS]));
            } else {
                matrix.tail_offsets[j - mains] = Row([offset; ROWS]);
            }
            for (step, digits) in weights.digits.chunks_exact(DIGITS).enumerate() {
                let (tiles, low, high) = if j < mains {
                    let first = (j / ROWS * steps + step) * 2 * ROWS + j % ROWS;
                    (&mut matrix.tiles, first, first + ROWS)
                } else {
                    let first = step * ROWS + j - mains;
                    (&mut matrix.tail_tiles, first, first + tails)
                };
                for (column, &weight) in digits.iter().enumerate() {
                    [tiles[low][column], tiles[high][column]] = bytes(weight);
                }
            }
        }
        Ok(matrix)
    }

    /// Flips the lowest bit of a weight: a fault, for tests.
    #[cfg(any(test, feature = "testing"))]
    pub(super) fn flip(&mut self, place: usize) {
        let rows = self.tiles.len();
        self.tiles[place % rows][place / rows % DIGITS] ^= 1;
    }

    /// Sets a row of the tail tiles: a signed byte for each digit.
    pub(super) fn set_tail_tile_row(&mut self, row: usize, digits: &[i8]) {
        for (step, digits) in digits.chunks_exact(DIGITS).enumerate() {
            self.tail_tiles[step * ROWS + row].copy_from_slice(digits);
        }
    }

    /// Number of blocks of 16 outputs.
    pub(super) fn blocks(&self) -> usize {
        self.offsets.len() / ROWS
    }

    /// The tiles of a block: for each step a tile of low and a tile of high bytes.
    pub(super) fn block(&self, index: usize) -> &[WeightRow] {
        let rows = 2 * ROWS * self.steps;
        &self.tiles[index * rows..(index + 1) * rows]
    }

    /// The offsets of a block, 16 rows.
    pub(super) fn offsets(&self, index: usize) -> &[Row<u32, ROWS>] {
        &self.offsets[index * ROWS..(index + 1) * ROWS]
    }

    /// The weights of the extras for `outputs` outputs from `first` on, a word per pair.
    pub(super) fn extras(&self, first: usize, outputs: usize) -> &[u32] {
        &self.extras[first * self.pairs..(first + outputs) * self.pairs]
    }

    /// In builds with debug assertions, asserts that an output's sums for 16 numbers are within
    /// their range.
    #[inline]
    #[target_feature(enable = "avx512f")]
    pub(super) fn assert_in_range(&self, output: usize, sums: __m512i) {
        if cfg!(debug_assertions) {
            let mut lanes = Row([0u32; ROWS]);
            store(&mut lanes, sums);
            let SumRange { least, most } = self.ranges[output];
            let within = |&sum: &u32| (least..=most).contains(&i64::from(sum));
            assert!(
                lanes.iter().all(within),
                "a sum for channel {output} leaves its range"
            );
        }
    }

    /// The largest value of `redc` of an output's sum, where `prime` is the output's modulus.
    pub(super) fn largest_reduced(&self, output: usize, prime: Prime) -> u32 {
        let high = (self.ranges[output].most >> 16) as u32;
        high.max(prime.m - 1)
    }
}

impl MatrixSource {
    /// The exact range of the sum with these weights, without an offset. In constant time.
    pub(super) fn range(&self, weights: &OutputWeights) -> SumRange {
        let positive: i64 = weights.digits.iter().map(|&w| i64::from(w.max(0))).sum();
        let negative: i64 = weights.digits.iter().map(|&w| i64::from(w.min(0))).sum();
        let mut range = SumRange {
            least: 255 * negative,
            most: 255 * positive,
        };
        for (&w, &[least, most]) in weights.extras.iter().zip(&self.extras) {
            let ends = [
                i64::from(w) * i64::from(least),
                i64::from(w) * i64::from(most),
            ];
            range.least += ends[0].min(ends[1]);
            range.most += ends[0].max(ends[1]);
        }
        range
    }
}

/// A bound c with `|sum_d d f_d M/m_d| < (c - 1) M`, where the sum is over the digits and tail
/// residues d of the source, `f_d` is the factor of d in its own channel
/// ([`digit_factors`](super::plan::digit_factors)), and M is the product of the primes. In constant
/// time.
pub(super) fn overshoot(factors: &[i32], primes: &[Prime], source: &MatrixSource) -> u32 {
    let mains = source.digits / 2;
    let (mut positive, mut negative) = (1u64 << 32, 1u64 << 32);
    for (index, &factor) in factors.iter().enumerate() {
        let (prime, most) = if index < source.digits {
            (primes[index / 2], 255)
        } else {
            let tail = index - source.digits;
            (primes[mains + tail], source.extras[tail][1].cast_unsigned())
        };
        let share = prime.share() * u64::from(most);
        positive += share * u64::from(factor.max(0).cast_unsigned());
        negative += share * u64::from(factor.min(0).unsigned_abs());
    }
    (positive.max(negative) >> 32) as u32 + 1
}

/// Two signed 16-bit values packed into a word, the first in the low half.
pub(super) fn pair_of(low: i32, high: i32) -> u32 {
    debug_assert!(i16::try_from(low).is_ok() && i16::try_from(high).is_ok());
    u32::from(low as u16) | u32::from(high as u16) << 16
}
