//! Helper functions on the words of integers, among them a multiply-add of wide integers.

use alloc::vec::Vec;

use crypto_bigint::{BoxedUint, NonZero, Word};

/// Adds `x factor` to `acc`, for `factor < 2^factor_bits`.
///
/// The sum must fit in `acc`, which must have at least `ceil(factor_bits / BITS) - 1` more
/// words than `x`. The time depends on the lengths and on `factor_bits` only.
pub(crate) fn mul_add(acc: &mut [Word], x: &[Word], factor: u128, factor_bits: u32) {
    debug_assert!(factor_bits >= u128::BITS || factor >> factor_bits == 0);
    for digit in 0..factor_bits.div_ceil(Word::BITS) {
        let factor = u128::from((factor >> (digit * Word::BITS)) as Word);
        let (low, high) = acc[digit as usize..].split_at_mut(x.len());
        let mut carry = 0;
        for (word, &x) in low.iter_mut().zip(x) {
            // At most (2^BITS - 1)^2 + 2 (2^BITS - 1) = 2^(2 BITS) - 1.
            let sum = u128::from(x) * factor + u128::from(*word) + carry;
            *word = sum as Word;
            carry = sum >> Word::BITS;
        }
        for word in high {
            let sum = u128::from(*word) + carry;
            *word = sum as Word;
            carry = sum >> Word::BITS;
        }
        debug_assert!(carry == 0, "the sum does not fit");
    }
}

/// The low 128 bits of an integer.
pub(crate) fn low_u128(x: &BoxedUint) -> u128 {
    let words = x.as_words().iter().take((u128::BITS / Word::BITS) as usize);
    words
        .rev()
        .fold(0, |acc, &word| acc << Word::BITS | u128::from(word))
}

/// `x mod 2^bits`, in a precision of `bits` rounded up to whole words.
pub(crate) fn low_bits(x: &BoxedUint, bits: u32) -> BoxedUint {
    let mut words: Vec<Word> = x.as_words().to_vec();
    words.resize(bits.div_ceil(Word::BITS) as usize, 0);
    if let (Some(top), 1..) = (words.last_mut(), bits % Word::BITS) {
        *top &= (1 << (bits % Word::BITS)) - 1;
    }
    BoxedUint::from(words)
}

/// `2^exponent`.
pub(crate) fn power_of_two(exponent: u32) -> BoxedUint {
    BoxedUint::one_with_precision(exponent + 1).unbounded_shl_vartime(exponent)
}

/// `(floor(x / divisor), x mod divisor)` for constants, or `(0, x)` if the divisor is 0.
pub(crate) fn div_rem_vartime(x: &BoxedUint, divisor: &BoxedUint) -> (BoxedUint, BoxedUint) {
    match NonZero::new(divisor.clone()).into_option() {
        Some(divisor) => x.div_rem_vartime(&divisor),
        None => (BoxedUint::zero(), x.clone()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn low_bits_of_every_length() {
        let x = BoxedUint::from(u128::MAX - 5);
        for bits in 1..=128 {
            let expected = (u128::MAX - 5) & (u128::MAX >> (128 - bits));
            assert_eq!(low_bits(&x, bits), BoxedUint::from(expected));
            assert_eq!(low_u128(&low_bits(&x, bits)), expected);
        }
        assert_eq!(low_bits(&x, 300), x);
        assert_eq!(low_u128(&low_bits(&power_of_two(200), 200)), 0);
    }
}
