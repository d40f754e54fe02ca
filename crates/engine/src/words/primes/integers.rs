//! Integers that enter, integers that leave, and constants.

use crypto_bigint::{BoxedUint, Word};
use zeroize::Zeroizing;

use crate::{
    integers::{canonical, digits, each_times_power},
    kept::{Prepared, kept},
    program::recode::bits_at,
    words::primes::{
        arithmetic::Arithmetic,
        prime::{BITS, Integer, LIMBS, Limbs, Prime, WORDS},
    },
};
use sunzi_program::content;

/// The number that is an integer below `2^256`.
pub(super) fn entered<F: Prime>(words: &[Word]) -> Limbs {
    let highest = LIMBS as u32 - 1;
    let limb = |k| bits_at(words, (k * F::BITS) as usize, F::BITS);
    let top = bits_at(
        words,
        (highest * F::BITS) as usize,
        BITS - highest * F::BITS,
    );
    F::carry([limb(0), limb(1), limb(2), limb(3), top])
}

/// The words of a number below `2^(256 + w)`, for words of w bits.
pub(super) fn joined<F: Prime>(limbs: &Limbs) -> [Word; WORDS + 1] {
    let mut above = 0;
    let digits = limbs.iter().chain([&0]).map(|limb| {
        let sum = limb + above;
        above = sum >> F::BITS;
        sum & ((1 << F::BITS) - 1)
    });
    let mut words = [0; WORDS + 1];
    digits::join(digits, F::BITS, &mut words);
    words
}

/// The words of the prime.
pub(super) fn prime<F: Prime>() -> [Word; WORDS] {
    let [p0, p1, p2, p3, _] = joined::<F>(&F::P);
    [p0, p1, p2, p3]
}

/// The canonical integer that a number below 3 P is modulo F, from its words.
pub(super) fn canonical<F: Prime>(mut words: Zeroizing<[Word; WORDS + 1]>) -> Integer {
    canonical::subtract_up_to(&mut *words, &prime::<F>(), 3);
    let mut integer = Zeroizing::new([0; WORDS]);
    integer.copy_from_slice(&words[..WORDS]);
    integer
}

/// The constants of a modulus that programs use, one after the other; wiped on drop.
pub(super) struct PrimeConstants {
    /// Their limbs or words.
    words: Zeroizing<Vec<u64>>,
}

content!(PrimeConstants { words });
kept!(PrimeConstants);

impl PrimeConstants {
    /// The constants, by their numbers.
    pub(super) fn all<A: Arithmetic>(&self) -> &[A::Number] {
        A::numbers(&self.words)
    }
}

/// The constants of a modulus: each integer times the Montgomery factor to the power of its form.
pub(super) fn constants<A: Arithmetic>(
    integers: &[Zeroizing<BoxedUint>],
    forms: &[i32],
) -> Prepared {
    let p = &joined::<A::Prime>(&A::Prime::P)[..WORDS];
    let factor = BoxedUint::one_with_precision(A::FACTOR_BITS + 1).shl(A::FACTOR_BITS);
    let length = A::ONE.as_ref().len();
    let mut words = Zeroizing::new(Vec::with_capacity(length * integers.len()));
    each_times_power(integers, forms, &factor, p, |scaled| {
        words.extend_from_slice(A::entered(scaled).as_ref());
    });
    Box::new(PrimeConstants { words })
}
