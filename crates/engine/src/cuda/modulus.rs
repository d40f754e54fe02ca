//! A modulus in words of 32 bits, with its constants.

use std::sync::Arc;

use crypto_bigint::{BoxedUint, Odd, Word};
use sunzi_program::content;
use zeroize::Zeroizing;

use super::{code::write_words, matrix::Plan, shape::Shape};
use crate::{
    integers::times_power,
    kept::{Prepared, kept},
    program::public_length,
};

/// A modulus P of L words; wiped on drop.
pub(super) struct CardModulus {
    /// P, then F^2 mod P, each in L words.
    pub(super) rows: Zeroizing<Vec<u32>>,
    /// `-P^-1 mod 2^32`.
    pub(super) inverse: Zeroizing<u32>,
    /// Number of words of the integers that leave.
    pub(super) integer_words: usize,
    pub(super) shape: Shape,
    /// The plan, if numbers are residues.
    pub(super) plan: Option<Arc<Plan>>,
}

/// The constants of a modulus that programs use, in rows of L words; wiped on drop.
pub(super) struct CardConstants {
    pub(super) rows: Zeroizing<Vec<u32>>,
}

content!(CardModulus {
    rows, inverse, integer_words,
} without { shape, plan });
kept!(CardModulus);
content!(CardConstants { rows });
kept!(CardConstants);

impl CardModulus {
    /// Prepares a modulus of a size class for limbs. The time depends on its size only.
    pub(super) fn new(value: &Odd<BoxedUint>, bits: u32) -> Self {
        let (p, integer_words) = words_of(value);
        Self::with(&p, integer_words, Shape::of(&p, bits), None)
    }

    /// Prepares a modulus for residues; `None` if it is not coprime to base A. The time depends on its size only, and
    /// on whether it is.
    pub(super) fn of_residues(value: &Odd<BoxedUint>, plan: &Arc<Plan>) -> Option<Self> {
        let (p, integer_words) = words_of(value);
        if !plan.serves(&p) {
            return None;
        }
        let shape = Shape::alone(plan.geometry.limbs);
        Some(Self::with(&p, integer_words, shape, Some(Arc::clone(plan))))
    }

    fn with(p: &[Word], integer_words: usize, shape: Shape, plan: Option<Arc<Plan>>) -> Self {
        let words = shape.words();
        let one = Zeroizing::new(BoxedUint::one());
        let factor = plan
            .as_ref()
            .map_or_else(|| shape.factor(), |plan| plan.factor.clone());
        let factor_squared = times_power(&one, &factor, 2, p);
        let mut rows = Zeroizing::new(vec![0; 2 * words]);
        write_words(p, &mut rows[..words]);
        write_words(factor_squared.as_words(), &mut rows[words..]);
        Self {
            inverse: Zeroizing::new(negative_inverse(rows[0])),
            rows,
            integer_words,
            shape,
            plan,
        }
    }

    /// The Montgomery factor.
    fn factor(&self) -> BoxedUint {
        let of_plan = self.plan.as_ref().map(|plan| plan.factor.clone());
        of_plan.unwrap_or_else(|| self.shape.factor())
    }

    /// Each integer times F to the power of its form, modulo P.
    pub(super) fn constants(&self, integers: &[Zeroizing<BoxedUint>], forms: &[i32]) -> Prepared {
        let words = self.shape.words();
        let factor = self.factor();
        let p = read_words(&self.rows[..words], self.integer_words);
        let p = Zeroizing::new(p.collect::<Vec<_>>());
        let mut rows = Zeroizing::new(vec![0; integers.len() * words]);
        for ((integer, &form), row) in integers.iter().zip(forms).zip(rows.chunks_mut(words)) {
            write_words(times_power(integer, &factor, form, &p).as_words(), row);
        }
        Box::new(CardConstants { rows })
    }
}

/// The words of a modulus, and their number.
fn words_of(value: &Odd<BoxedUint>) -> (Zeroizing<Vec<Word>>, usize) {
    let words = public_length(value.as_ref()).div_ceil(Word::BITS) as usize;
    (Zeroizing::new(value.as_words()[..words].to_vec()), words)
}

/// The first words of an integer in words of 32 bits.
pub(super) fn read_words(words: &[u32], length: usize) -> impl Iterator<Item = Word> {
    let word = |pair: &[u32]| Word::from(pair[0]) | Word::from(pair[1]) << u32::BITS;
    words.chunks_exact(2).take(length).map(word)
}

/// `-p^-1 mod 2^32` for an odd p, by Newton's iteration, each step of which doubles the number of correct bits.
fn negative_inverse(p: u32) -> u32 {
    let mut inverse = p;
    for _ in 0..4 {
        inverse = inverse.wrapping_mul(2u32.wrapping_sub(p.wrapping_mul(inverse)));
    }
    inverse.wrapping_neg()
}
