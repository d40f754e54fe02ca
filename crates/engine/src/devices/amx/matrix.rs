//! A constant matrix as the tiles want it.
//!
//! An output of a base extension is a sum of digits times weights modulo the output's modulus:
//! two byte digits for each main channel of the source base, multiplied by tiles, and *extras*,
//! 16-bit values multiplied by `vpdpwssd`: the residues of the source's tail channels, and the
//! Cox quotient. Outputs come in blocks of 16, and those of the tail channels, with the sums for
//! the Cox quotient, in one more tile, the *last*.

use core::arch::x86_64::__m512i;

use zeroize::{Zeroize, Zeroizing};

use super::{
    prime::{Prime, bytes},
    tile::{ROWS, WeightRow},
    vector::store,
};
use crate::devices::row::Row;

/// Byte digits in a row of a tile.
pub(super) const DIGITS: usize = 64;

/// What the outputs of a matrix are computed from: the digits and extras, by their ranges.
#[derive(Clone, Debug)]
pub(super) struct InputRanges {
    /// Byte digits, a multiple of 64.
    pub(super) digits: usize,
    /// The largest value and the least of each extra: 16-bit numbers, an even count.
    pub(super) extras: Vec<[i32; 2]>,
}

/// The weights of one output before they are packed.
#[derive(Default)]
pub(super) struct Weights {
    /// For each digit, within what [`bytes`] holds.
    pub(super) digits: Vec<i32>,
    /// For each extra, 16 bits.
    pub(super) extras: Vec<i32>,
}

impl Drop for Weights {
    fn drop(&mut self) {
        self.digits.zeroize();
        self.extras.zeroize();
    }
}

/// The range of a sum `T`, offset included.
#[derive(Clone, Copy, Debug)]
pub(super) struct Range {
    pub(super) least: i64,
    pub(super) most: i64,
}

impl Zeroize for Range {
    fn zeroize(&mut self) {
        self.least.zeroize();
        self.most.zeroize();
    }
}

/// A matrix packed into tiles; wiped on drop.
#[derive(Clone)]
pub(super) struct TileMatrix {
    /// Tiles side by side: 64 digits each.
    pub(super) steps: usize,
    /// For each block of 16 outputs and each step a tile of low bytes and a tile of high bytes.
    tiles: Zeroizing<Vec<WeightRow>>,
    /// For each block a tile of offsets, multiples of the modulus that make sums positive.
    offsets: Zeroizing<Vec<Row<u32, ROWS>>>,
    /// Pairs of extras.
    pub(super) pairs: usize,
    /// For each output the weights of the extras, two to a word.
    extras: Zeroizing<Vec<u32>>,
    /// For each step the last tile: low bytes of the tail outputs, high bytes of them, and the
    /// three bytes of the Cox weights where there are any.
    pub(super) last: Zeroizing<Vec<WeightRow>>,
    /// Offsets of the tail outputs.
    pub(super) last_offsets: Zeroizing<Vec<Row<u32, ROWS>>>,
    /// Ranges of all sums, block outputs first.
    pub(super) ranges: Zeroizing<Vec<Range>>,
}

impl TileMatrix {
    /// Packs the outputs for these primes, the last `tails` of which are tail channels, and
    /// checks that every sum stays within `[0, 2^16 m)` for main and `[0, 2^28)` for tail
    /// channels; or names the sum that does not.
    pub(super) fn new(
        source: &InputRanges,
        primes: &[Prime],
        tails: usize,
        mut output: impl FnMut(usize) -> Weights,
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
            last: Zeroizing::new(vec![zero; ROWS * steps]),
            last_offsets: Zeroizing::new(vec![Row([0; ROWS]); ROWS]),
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
            // The least multiple of the modulus that makes every sum positive; in constant time.
            let below = (-sums.least) as u32;
            let offset = below.wrapping_add(prime.neg(prime.reduce(below)));
            let range = Range {
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
                matrix.last_offsets[j - mains] = Row([offset; ROWS]);
            }
            for (step, digits) in weights.digits.chunks_exact(DIGITS).enumerate() {
                let (tiles, low, high) = if j < mains {
                    let first = (j / ROWS * steps + step) * 2 * ROWS + j % ROWS;
                    (&mut matrix.tiles, first, first + ROWS)
                } else {
                    let first = step * ROWS + j - mains;
                    (&mut matrix.last, first, first + tails)
                };
                for (column, &weight) in digits.iter().enumerate() {
                    [tiles[low][column], tiles[high][column]] = bytes(weight);
                }
            }
        }
        Ok(matrix)
    }

    /// Flips the lowest bit of a weight.
    #[cfg(any(test, feature = "testing"))]
    pub(super) fn flip(&mut self, place: usize) {
        let rows = self.tiles.len();
        self.tiles[place % rows][place / rows % DIGITS] ^= 1;
    }

    /// Writes rows of the last tile: a signed byte for each digit.
    pub(super) fn set_last_row(&mut self, row: usize, digits: &[i8]) {
        for (step, digits) in digits.chunks_exact(DIGITS).enumerate() {
            self.last[step * ROWS + row].copy_from_slice(digits);
        }
    }

    /// Blocks of 16 outputs.
    pub(super) fn blocks(&self) -> usize {
        self.offsets.len() / ROWS
    }

    /// The tiles of a block: for each step one of low and one of high bytes.
    pub(super) fn block(&self, index: usize) -> &[WeightRow] {
        let rows = 2 * ROWS * self.steps;
        &self.tiles[index * rows..(index + 1) * rows]
    }

    /// The offsets of a block.
    pub(super) fn offsets(&self, index: usize) -> &[Row<u32, ROWS>] {
        &self.offsets[index * ROWS..(index + 1) * ROWS]
    }

    /// The weights of the extras for so many outputs, two to a word.
    pub(super) fn extras(&self, first: usize, outputs: usize) -> &[u32] {
        &self.extras[first * self.pairs..(first + outputs) * self.pairs]
    }

    /// Asserts, in a checked build, that the sums of an output for 16 numbers are in their range.
    #[inline]
    #[target_feature(enable = "avx512f")]
    pub(super) fn check_range(&self, output: usize, sums: __m512i) {
        if cfg!(debug_assertions) {
            let mut lanes = Row([0u32; ROWS]);
            store(&mut lanes, sums);
            let Range { least, most } = self.ranges[output];
            let within = |&sum: &u32| (least..=most).contains(&i64::from(sum));
            assert!(
                lanes.iter().all(within),
                "a sum for channel {output} leaves its range"
            );
        }
    }

    /// The most that a reduced sum can be, given what it is reduced by.
    pub(super) fn largest_reduced(&self, output: usize, prime: Prime) -> u32 {
        let high = (self.ranges[output].most >> 16) as u32;
        high.max(prime.m - 1)
    }
}

impl InputRanges {
    /// The range of a sum with these weights, from what each sign can contribute.
    pub(super) fn range(&self, weights: &Weights) -> Range {
        let positive: i64 = weights.digits.iter().map(|&w| i64::from(w.max(0))).sum();
        let negative: i64 = weights.digits.iter().map(|&w| i64::from(w.min(0))).sum();
        let mut range = Range {
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

/// An upper bound of `|sum_d d g_d / m_d|`, where the digits and extras d of the source have
/// these weights in their own channels: of the distance of the integer `sum_d d g_d M/m_d` from
/// zero in units of M. In constant time.
pub(super) fn overshoot(weights: &[i32], primes: &[Prime], source: &InputRanges) -> u32 {
    let mains = source.digits / 2;
    let (mut positive, mut negative) = (1u64 << 32, 1u64 << 32);
    for (index, &weight) in weights.iter().enumerate() {
        let (prime, most) = if index < source.digits {
            (primes[index / 2], 255)
        } else {
            let tail = index - source.digits;
            (primes[mains + tail], source.extras[tail][1].cast_unsigned())
        };
        let share = prime.share() * u64::from(most);
        positive += share * u64::from(weight.max(0).cast_unsigned());
        negative += share * u64::from(weight.min(0).unsigned_abs());
    }
    (positive.max(negative) >> 32) as u32 + 1
}

/// Two signed 16-bit values in a word, the first in the low half.
pub(super) fn pair_of(low: i32, high: i32) -> u32 {
    debug_assert!(i16::try_from(low).is_ok() && i16::try_from(high).is_ok());
    u32::from(low as u16) | u32::from(high as u16) << 16
}
