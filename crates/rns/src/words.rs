//! Small helpers on the words of integers.

use crypto_bigint::{BoxedUint, Word};

/// The low 128 bits of an integer.
pub(crate) fn low_u128(x: &BoxedUint) -> u128 {
    let words = x.as_words().iter().take((u128::BITS / Word::BITS) as usize);
    words
        .rev()
        .fold(0, |acc, &word| acc << Word::BITS | u128::from(word))
}
