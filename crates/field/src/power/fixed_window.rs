//! Fixed-window exponentiation in constant time.
//!
//! ```text
//! E = sum e_j 2^(k j),  0 <= e_j < 2^k        windows of k bits, the highest first
//! R = 1;  for each window: R = R^(2^k) X^(e_j)
//! ```
//!
//! In: an element in Montgomery form; an exponent of any value. Out: `X^E mod P` in
//! Montgomery form, below `3P` (1 for `E = 0`, also for `X = 0`). Cost for an exponent of `l` bits
//! of precision: `k ceil(l/k)` squarings, `ceil(l/k)` products, and `2^k - 2` products for the
//! table of `X^0, ..., X^(2^k - 1)`. The window size `k` is the one with the smallest sum.
//!
//! Constant time: the sequence of operations depends on the precision of the exponent only
//! (its number of words, leading zeros included); a window of value 0 multiplies by 1; and a table
//! entry is found by reading all entries under a mask.
//!
//! Source: A. Menezes, P. van Oorschot, S. Vanstone, "Handbook of Applied Cryptography",
//! algorithm 14.82, without its skipped windows.

use alloc::vec::Vec;

use crypto_bigint::BoxedUint;
use sunzi_rns::{Base, BaseExtension, Channel, Residues};
use zeroize::Zeroizing;

use crate::montgomery::{Element, Montgomery};

/// The largest size of a window, in bits.
const MAX_WINDOW: u32 = 6;

impl<E: BaseExtension> Montgomery<E> {
    /// `X^E mod P`, in a time that depends on the precision of the exponent only.
    #[must_use]
    pub fn pow(&self, channel: &impl Channel, x: &Element, exponent: &BoxedUint) -> Element {
        let precision = exponent.bits_precision();
        let window = window_bits(precision);
        let table = PowerTable::new(self, channel, x, window);
        let mut result = self.one();
        for j in (0..precision.div_ceil(window)).rev() {
            for _ in 0..window {
                result = self.mul(channel, &result, &result);
            }
            let power = table.entry(channel, window_value(exponent, j * window, window));
            result = self.mul(channel, &result, &power);
        }
        result
    }
}

/// The window size `k`, in bits, with the smallest number of products for this precision.
fn window_bits(precision: u32) -> u32 {
    let operations = |k: &u32| (k + 1) * precision.div_ceil(*k) + (1 << k);
    (1..=MAX_WINDOW).min_by_key(operations).unwrap_or(1)
}

/// The value of the window of the exponent that starts at this bit position, which is public.
fn window_value(exponent: &BoxedUint, position: u32, window: u32) -> u128 {
    let words = exponent.as_words();
    let index = (position / 64) as usize;
    let word = |i: usize| words.get(i).map_or(0, |&word| u128::from(word));
    let pair = word(index) | (word(index + 1) << 64);
    (pair >> (position % 64)) & ((1 << window) - 1)
}

/// The table of `X^0, ..., X^(2^k - 1)`, in which the residues of one channel are adjacent.
struct PowerTable<'a> {
    bases: [&'a Base; 2],
    /// For base A, then for B: the residues, as `[channel][power]`.
    columns: [Vec<Zeroizing<Vec<u128>>>; 2],
    bound: u32,
}

impl<'a> PowerTable<'a> {
    fn new<E: BaseExtension>(
        field: &'a Montgomery<E>,
        channel: &impl Channel,
        x: &Element,
        window: u32,
    ) -> Self {
        let mut powers = Vec::with_capacity(1 << window);
        powers.push(field.one());
        powers.push(x.clone());
        for i in 2..1 << window {
            powers.push(field.mul(channel, &powers[i - 1], x));
        }
        let column = |base: &Base, residues: fn(&Element) -> &Residues| {
            let words = |i: usize| powers.iter().map(|x| residues(x).values()[i]).collect();
            (0..base.len()).map(|i| Zeroizing::new(words(i))).collect()
        };
        let bases = [field.base_a(), field.base_b()];
        let columns = [column(bases[0], |x| &x.a), column(bases[1], |x| &x.b)];
        let bound = powers.iter().map(Element::bound).max().unwrap_or(1);
        Self {
            bases,
            columns,
            bound,
        }
    }

    /// `X^exponent`, found in constant time. Cost: `2n` table words.
    fn entry(&self, channel: &impl Channel, exponent: u128) -> Element {
        let [a, b] = [0, 1].map(|side: usize| {
            let words = self.columns[side]
                .iter()
                .map(|powers| channel.table(powers, exponent));
            Residues::new(self.bases[side], words.collect())
                .expect("the entries of the table are residues in this base")
        });
        Element {
            a,
            b,
            bound: self.bound,
        }
    }
}
