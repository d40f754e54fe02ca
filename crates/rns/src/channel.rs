//! The operations of a channel, which is the arithmetic modulo one modulus of a base.
//!
//! Every algorithm of this crate computes through the trait [`Channel`]. [`Plain`] only
//! computes. [`Counting`] computes the same and counts the operations in the units of the
//! papers, so that cost formulas are checked against the code that runs, not against a
//! second copy of it. The computation of constants, when an object is built, is not
//! counted.

use alloc::{vec, vec::Vec};
use core::cell::Cell;
use core::ops::{Add, Sub};

use crypto_bigint::{BoxedUint, Word};
use zeroize::Zeroizing;

use crate::modulus::Modulus;
use crate::words::mul_add;

/// A kind of operation of a channel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operation {
    /// EMM: product of two values, reduced.
    Multiplication,
    /// EMA: addition or subtraction, reduced.
    Addition,
    /// CMM: product with a precomputed constant, reduced.
    ConstantMultiplication,
    /// CMR: reduction of a number that is wider than the channel.
    Reduction,
    /// Product that is not reduced.
    Product,
    /// Word read from a precomputed table, at an index that is not constant.
    TableWord,
}

/// Number of operations of each kind.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// EMM: products of two values, reduced.
    pub emm: u64,
    /// EMA: additions and subtractions, reduced.
    pub ema: u64,
    /// CMM: products with a precomputed constant, reduced.
    pub cmm: u64,
    /// CMR: reductions of a number that is wider than the channel.
    pub cmr: u64,
    /// Products that are not reduced.
    pub products: u64,
    /// Words read from precomputed tables.
    pub table_words: u64,
}

impl Counts {
    fn map(self, other: Self, f: impl Fn(u64, u64) -> u64) -> Self {
        Self {
            emm: f(self.emm, other.emm),
            ema: f(self.ema, other.ema),
            cmm: f(self.cmm, other.cmm),
            cmr: f(self.cmr, other.cmr),
            products: f(self.products, other.products),
            table_words: f(self.table_words, other.table_words),
        }
    }
}

impl Add for Counts {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        self.map(other, u64::saturating_add)
    }
}

impl Sub for Counts {
    type Output = Self;
    fn sub(self, other: Self) -> Self {
        self.map(other, u64::saturating_sub)
    }
}

/// Arithmetic in channels. Implementations differ in [`tally`](Channel::tally) only.
///
/// Every operation runs in time that depends on the moduli and on the sizes of constants
/// and tables, never on the values.
pub trait Channel {
    /// Counts `times` operations of a kind, or ignores them.
    fn tally(&self, operation: Operation, times: u64);

    /// `|a + b|_m` for `a, b < m`: one EMA.
    fn add(&self, m: &Modulus, a: u128, b: u128) -> u128 {
        self.tally(Operation::Addition, 1);
        m.add(a, b)
    }

    /// `|a - b|_m` for `a, b < m`: one EMA.
    fn sub(&self, m: &Modulus, a: u128, b: u128) -> u128 {
        self.tally(Operation::Addition, 1);
        m.sub(a, b)
    }

    /// `|a b|_m` for `a, b < m`: one EMM.
    fn mul(&self, m: &Modulus, a: u128, b: u128) -> u128 {
        self.tally(Operation::Multiplication, 1);
        m.mul(a, b)
    }

    /// `|a c|_m` for `a < m` and a precomputed constant `c < m`: one CMM.
    fn mul_constant(&self, m: &Modulus, a: u128, constant: u128) -> u128 {
        self.tally(Operation::ConstantMultiplication, 1);
        m.mul(a, constant)
    }

    /// `|a c|_m` for a residue `a` of the channel `from` and a precomputed constant
    /// `c < m`: one CMM. This is the step of base extensions.
    fn mul_constant_from(&self, m: &Modulus, a: u128, from: &Modulus, constant: u128) -> u128 {
        self.tally(Operation::ConstantMultiplication, 1);
        m.mul_from(a, from, constant)
    }

    /// `|x|_m` for any `x`: one CMR.
    fn reduce(&self, m: &Modulus, x: u128) -> u128 {
        self.tally(Operation::Reduction, 1);
        m.reduce(x)
    }

    /// `|x|_m` for an integer of any size: one CMR.
    fn reduce_uint(&self, m: &Modulus, x: &BoxedUint) -> u128 {
        self.tally(Operation::Reduction, 1);
        m.reduce_uint(x)
    }

    /// `sum x_i g_i`, not reduced, for `x_i < 2^x_bits` and precomputed constants `g_i` of
    /// equal precision: one plain product for each.
    ///
    /// The precision of the result is that of the constants and 128 bits more, which is
    /// enough for `sum x_i < 2^128`.
    ///
    /// # Panics
    /// If the constants have different precisions.
    fn weighted_sum(&self, x: &[u128], x_bits: u32, g: &[BoxedUint]) -> Zeroizing<BoxedUint> {
        self.tally(Operation::Product, x.len() as u64);
        let precision = g.first().map_or(0, BoxedUint::bits_precision);
        let mut sum: Vec<Word> = vec![0; ((precision + u128::BITS) / Word::BITS) as usize];
        for (&x, g) in x.iter().zip(g) {
            assert_eq!(
                g.bits_precision(),
                precision,
                "constants of different precisions"
            );
            mul_add(&mut sum, g.as_words(), x, x_bits);
        }
        Zeroizing::new(BoxedUint::from(sum))
    }

    /// `table[index]`: one table word. Every word is read and masked, so that the address
    /// does not depend on the index.
    ///
    /// For `index < table.len()`; 0 beyond.
    fn table(&self, table: &[u128], index: u128) -> u128 {
        debug_assert!(index < table.len() as u128);
        self.tally(Operation::TableWord, 1);
        let mut word = 0;
        for (i, &entry) in table.iter().enumerate() {
            let difference = i as u128 ^ index;
            let differs = (difference | difference.wrapping_neg()) >> 127;
            word |= entry & differs.wrapping_sub(1);
        }
        word
    }
}

/// Channels that only compute: they count nothing.
#[derive(Clone, Copy, Debug, Default)]
pub struct Plain;

impl Channel for Plain {
    #[inline]
    fn tally(&self, _: Operation, _: u64) {}
}

/// Channels that also count their operations.
///
/// ```
/// use sunzi_rns::{Base, Channel, Counting, Modulus};
///
/// let m = Modulus::new(7)?;
/// let counting = Counting::default();
/// assert_eq!(counting.add(&m, counting.mul(&m, 3, 4), 6), 4);
/// let counts = counting.counts();
/// assert_eq!((counts.emm, counts.ema), (1, 1));
/// # Ok::<(), sunzi_rns::ModulusError>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct Counting {
    counts: Cell<Counts>,
}

impl Counting {
    /// The operations since the start, or since [`Counting::take`].
    pub fn counts(&self) -> Counts {
        self.counts.get()
    }

    /// The operations counted so far; counting restarts at zero.
    pub fn take(&self) -> Counts {
        self.counts.take()
    }
}

impl Channel for Counting {
    fn tally(&self, operation: Operation, times: u64) {
        let mut counts = self.counts.get();
        let count = match operation {
            Operation::Multiplication => &mut counts.emm,
            Operation::Addition => &mut counts.ema,
            Operation::ConstantMultiplication => &mut counts.cmm,
            Operation::Reduction => &mut counts.cmr,
            Operation::Product => &mut counts.products,
            Operation::TableWord => &mut counts.table_words,
        };
        *count = count.saturating_add(times);
        self.counts.set(counts);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crypto_bigint::ConcatenatingMul;

    #[test]
    fn every_operation_has_its_counter() {
        let counting = Counting::default();
        let (m, from) = (Modulus::new(5).unwrap(), Modulus::new(11).unwrap());
        assert_eq!(counting.mul(&m, 3, 4), 2);
        assert_eq!(counting.add(&m, 3, 4), 2);
        assert_eq!(counting.sub(&m, 3, 4), 4);
        assert_eq!(counting.mul_constant(&m, 3, 4), 2);
        assert_eq!(counting.mul_constant_from(&m, 10, &from, 4), 0);
        assert_eq!(counting.reduce(&m, u128::MAX), u128::MAX % 5);
        assert_eq!(counting.reduce_uint(&m, &BoxedUint::from(12u64)), 2);
        let sum = counting.weighted_sum(&[3], 2, &[BoxedUint::from(12u64)]);
        assert_eq!(*sum, BoxedUint::from(36u64));
        assert_eq!(counting.table(&[9, 8, 7], 2), 7);
        let once = counting.take();
        let expected = Counts {
            emm: 1,
            ema: 2,
            cmm: 2,
            cmr: 2,
            products: 1,
            table_words: 1,
        };
        assert_eq!(once, expected);
        assert_eq!(counting.counts(), Counts::default());
        assert_eq!(expected + expected - expected, expected);
    }

    #[test]
    fn weighted_sums_agree_with_the_library() {
        let one = BoxedUint::one_with_precision(192);
        let weights = [0u128, 1, 1 << 100, u128::MAX, 12_345]
            .map(|low| one.wrapping_neg().wrapping_sub(BoxedUint::from(low)));
        for (x, bits) in [
            ((1u128 << 66) - 1, 66),
            (0, 1),
            (u128::from(u64::MAX), 64),
            (3, 128),
        ] {
            let inputs = [x, x / 2, x, 0, x];
            let mut expected = BoxedUint::zero_with_precision(320);
            for (&x, weight) in inputs.iter().zip(&weights) {
                expected.wrapping_add_assign(weight.concatenating_mul(BoxedUint::from(x)));
            }
            assert_eq!(*Plain.weighted_sum(&inputs, bits, &weights), expected);
        }
    }

    #[test]
    fn tables_are_read_at_every_index() {
        let table = [5, 0, u128::MAX, 1 << 100];
        for (i, &word) in table.iter().enumerate() {
            assert_eq!(Plain.table(&table, i as u128), word);
        }
    }
}
