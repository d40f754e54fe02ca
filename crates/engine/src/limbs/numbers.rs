//! Numbers in limbs, and the parameters of operations on them.

use crypto_bigint::Word;
use zeroize::Zeroize;

use crate::{
    limbs::plan::{Form, LIMB_BITS, LimbPlan},
    program::recode::bits_at,
    row::Row,
};

/// Number of lanes in a vector of numbers.
pub(crate) const WIDTH: usize = 8;

/// One limb of eight numbers, one number per lane.
pub(crate) type Limb = Row<u64, WIDTH>;

/// The numbers of a group, one a lane of V vectors, in limbs below `2^52`: all limbs of the first
/// vector, then those of the next. Wiped on drop.
#[derive(Default)]
pub(crate) struct LimbNumbers {
    pub(crate) limbs: Vec<Limb>,
}

impl LimbNumbers {
    /// The number 0 in every lane.
    pub(crate) fn zero(plan: LimbPlan, vectors: usize) -> Self {
        Self {
            limbs: vec![Row([0; WIDTH]); plan.limbs * vectors],
        }
    }

    /// Sets each number to its own limbs.
    pub(crate) fn transpose(&mut self, plan: LimbPlan, limbs: &[&[u64]]) {
        let vectors = self.limbs.chunks_exact_mut(plan.limbs);
        for (rows, limbs) in vectors.zip(limbs.chunks_exact(WIDTH)) {
            for (k, row) in rows.iter_mut().enumerate() {
                *row = Row(core::array::from_fn(|lane| limbs[lane][k]));
            }
        }
    }

    /// Sets each number to an integer below `2^bits` in little-endian words, modulo primes of a form. The time depends on
    /// the lengths only.
    pub(crate) fn split(&mut self, plan: LimbPlan, form: Form, words: &[&[Word]]) {
        let LimbPlan {
            limbs, limb_bits, ..
        } = plan;
        let wrap = form.wrap(limb_bits);
        let vectors = self.limbs.chunks_exact_mut(limbs);
        for (rows, words) in vectors.zip(words.chunks_exact(WIDTH)) {
            // Word i of each lane's integer: the lanes are shifted together, and each word is read once.
            let words_at = |i: usize| {
                Row::<Word, WIDTH>(core::array::from_fn(|lane| {
                    words[lane].get(i).copied().unwrap_or(0)
                }))
            };
            let (mut index, mut low, mut high) = (0, words_at(0), words_at(1));
            for (k, row) in rows.iter_mut().enumerate() {
                let first = k as u32 * limb_bits;
                let bits = match wrap {
                    _ if k + 1 < limbs => limb_bits,
                    Some((exponent, _)) => exponent - first,
                    None => LIMB_BITS,
                };
                let (word, shift) = ((first / Word::BITS) as usize, first % Word::BITS);
                if word > index {
                    debug_assert_eq!(word, index + 1, "a limb is shorter than a word");
                    (index, low, high) = (word, high, words_at(word + 1));
                }
                let mask = (1 << bits) - 1;
                *row = Row(core::array::from_fn(|lane| {
                    // The bits of the higher word above the lower one's: none for a shift of 0.
                    (low[lane] >> shift | high[lane] << 1 << (Word::BITS - 1 - shift)) & mask
                }));
            }
            let Some((exponent, rest)) = wrap else {
                continue;
            };
            for lane in 0..WIDTH {
                let above = bits_at(words[lane], exponent as usize, plan.bits - exponent);
                let mut carry = rest * above;
                for row in &mut rows[..limbs - 1] {
                    let sum = row[lane] + carry;
                    row[lane] = sum & ((1 << limb_bits) - 1);
                    carry = sum >> limb_bits;
                }
                rows[limbs - 1][lane] += carry;
            }
        }
    }
}

impl Drop for LimbNumbers {
    fn drop(&mut self) {
        self.limbs.zeroize();
    }
}

/// The factors of a product.
#[derive(Clone, Copy)]
pub(crate) enum Factors<'a> {
    /// A number by itself.
    Square(&'a LimbNumbers),
    /// The sum of the products of these pairs, none of which is negative.
    Products(&'a [(bool, &'a LimbNumbers, &'a LimbNumbers)]),
}

impl Factors<'_> {
    /// Whether the condition holds for all factors.
    pub(crate) fn all(self, condition: impl Fn(&LimbNumbers) -> bool) -> bool {
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
pub(crate) struct Moduli<'a> {
    pub(crate) plan: LimbPlan,
    /// P in limbs.
    pub(crate) limbs: &'a [Limb],
    /// The form that all P have.
    pub(crate) form: Form,
    /// `-P^-1 mod 2^52` of each lane.
    pub(crate) negative_inverses: &'a [Limb],
}

/// The moduli of a group, for [`Kernels::combine`](crate::limbs::kernels::Kernels::combine).
#[derive(Clone, Copy)]
pub(crate) struct Folding<'a> {
    pub(crate) plan: LimbPlan,
    /// The form that all P have.
    pub(crate) form: Form,
    /// P in limbs.
    pub(crate) p: &'a [Limb],
    /// `2^(52 n) - P` in limbs.
    pub(crate) complements: &'a [Limb],
    /// The reciprocal of P.
    pub(crate) reciprocals: &'a [Limb],
}

/// Flips the bit of a limb that `place` selects.
#[cfg(any(test, feature = "testing"))]
pub(super) fn flip(limbs: &mut [Limb], place: u64) {
    let (row, lane, bit) = crate::row::split_place(place, limbs.len(), WIDTH, LIMB_BITS + 1);
    limbs[row][lane] ^= 1 << bit;
}
