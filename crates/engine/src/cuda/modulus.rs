//! A modulus in words of 32 bits, with its constants.

use crypto_bigint::{BoxedUint, Odd, Word};
use sunzi_program::content;
use zeroize::Zeroizing;

use super::{code::write_words, shape::Shape};
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
}

/// The constants of a modulus that programs use, in rows of L words; wiped on drop.
pub(super) struct CardConstants {
    pub(super) rows: Zeroizing<Vec<u32>>,
}

content!(CardModulus {
    rows, inverse, integer_words,
} without { shape });
kept!(CardModulus);
content!(CardConstants { rows });
kept!(CardConstants);

impl CardModulus {
    /// Prepares a modulus of a size class. The time depends on its size only.
    pub(super) fn new(value: &Odd<BoxedUint>, bits: u32) -> Self {
        let length = public_length(value.as_ref());
        let integer_words = length.div_ceil(Word::BITS) as usize;
        let p = Zeroizing::new(value.as_words()[..integer_words].to_vec());
        let shape = Shape::of(&p, bits);
        let words = shape.words();
        let one = Zeroizing::new(BoxedUint::one());
        let factor_squared = times_power(&one, &shape.factor(), 2, &p);
        let mut rows = Zeroizing::new(vec![0; 2 * words]);
        write_words(&p, &mut rows[..words]);
        write_words(factor_squared.as_words(), &mut rows[words..]);
        Self {
            inverse: Zeroizing::new(negative_inverse(rows[0])),
            rows,
            integer_words,
            shape,
        }
    }

    /// Each integer times F to the power of its form, modulo P.
    pub(super) fn constants(&self, integers: &[Zeroizing<BoxedUint>], forms: &[i32]) -> Prepared {
        let words = self.shape.words();
        let factor = self.shape.factor();
        let p = read_words(&self.rows[..words], self.integer_words);
        let p = Zeroizing::new(p.collect::<Vec<_>>());
        let mut rows = Zeroizing::new(vec![0; integers.len() * words]);
        for ((integer, &form), row) in integers.iter().zip(forms).zip(rows.chunks_mut(words)) {
            write_words(times_power(integer, &factor, form, &p).as_words(), row);
        }
        Box::new(CardConstants { rows })
    }
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
