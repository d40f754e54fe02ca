//! Numbers in limbs, and what operations on them take.

use crypto_bigint::Word;
use zeroize::Zeroize;

use super::plan::{Form, LIMB_BITS, LimbPlan};
use crate::{devices::row::Row, program::recode::bits_at};

/// Lanes of a vector of numbers.
pub(in crate::devices) const WIDTH: usize = 8;

/// One limb of eight numbers, one a lane.
pub(in crate::devices) type Limb = Row<u64, WIDTH>;

/// The numbers of a group, one a lane of V vectors, in limbs below `2^52`: all limbs of the first
/// vector, then those of the next. Wiped on drop.
#[derive(Default)]
pub(in crate::devices) struct LimbNumbers {
    pub(in crate::devices) limbs: Vec<Limb>,
}

impl LimbNumbers {
    /// The number 0 in every lane.
    pub(in crate::devices) fn zero(plan: LimbPlan, vectors: usize) -> Self {
        Self {
            limbs: vec![Row([0; WIDTH]); plan.limbs * vectors],
        }
    }

    /// Sets each number to its own limbs.
    pub(in crate::devices) fn transpose(&mut self, plan: LimbPlan, limbs: &[&[u64]]) {
        let vectors = self.limbs.chunks_exact_mut(plan.limbs);
        for (rows, limbs) in vectors.zip(limbs.chunks_exact(WIDTH)) {
            for (k, row) in rows.iter_mut().enumerate() {
                *row = Row(core::array::from_fn(|lane| limbs[lane][k]));
            }
        }
    }

    /// Sets each number to an integer below F in little-endian words. The time depends on the lengths only.
    pub(in crate::devices) fn split(&mut self, plan: LimbPlan, words: &[&[Word]]) {
        let vectors = self.limbs.chunks_exact_mut(plan.limbs);
        for (rows, words) in vectors.zip(words.chunks_exact(WIDTH)) {
            for (k, row) in rows.iter_mut().enumerate() {
                let first = k * LIMB_BITS as usize;
                *row = Row(core::array::from_fn(|lane| {
                    bits_at(words[lane], first, LIMB_BITS)
                }));
            }
        }
    }
}

impl Drop for LimbNumbers {
    fn drop(&mut self) {
        self.limbs.zeroize();
    }
}

/// What is multiplied.
#[derive(Clone, Copy)]
pub(in crate::devices) enum Factors<'a> {
    /// A number by itself.
    Square(&'a LimbNumbers),
    /// The sum of the products of these pairs, none of which is negative.
    Products(&'a [(bool, &'a LimbNumbers, &'a LimbNumbers)]),
}

impl Factors<'_> {
    /// Whether the condition holds for all of them.
    pub(in crate::devices) fn all(self, condition: impl Fn(&LimbNumbers) -> bool) -> bool {
        let holds = |(negative, x, y): &(bool, &LimbNumbers, &LimbNumbers)| {
            !negative && condition(x) && condition(y)
        };
        match self {
            Self::Square(x) => condition(x),
            Self::Products(pairs) => pairs.iter().all(holds),
        }
    }
}

/// The moduli of a group.
#[derive(Clone, Copy)]
pub(in crate::devices) struct Moduli<'a> {
    pub(in crate::devices) plan: LimbPlan,
    /// P in limbs.
    pub(in crate::devices) limbs: &'a [Limb],
    /// The form that all P have.
    pub(in crate::devices) form: Form,
    /// `-P^-1 mod 2^52`.
    pub(in crate::devices) negative_inverses: &'a [Limb],
    /// c of a P that is a power of two less c.
    pub(in crate::devices) offsets: &'a [Limb],
}

/// The moduli of a group, for [`Kernels::combine`](super::Kernels::combine).
#[derive(Clone, Copy)]
pub(in crate::devices) struct Folding<'a> {
    pub(in crate::devices) plan: LimbPlan,
    /// P in limbs.
    pub(in crate::devices) p: &'a [Limb],
    /// `F - P` in limbs.
    pub(in crate::devices) complements: &'a [Limb],
    /// The reciprocal of P.
    pub(in crate::devices) reciprocals: &'a [Limb],
}
