//! Conversion between integers in words and integers in digits of `w` bits. Integers enter and
//! leave the matrix products in digits.

use crypto_bigint::Word;

use crate::program::recode::bits_at;

/// The lowest `count` digits of `w` bits of an integer in little-endian words. Requires `w` at
/// most `Word::BITS`, and at most 63. The time depends only on `count` and the number of words.
pub(crate) fn split(words: &[Word], w: u32, count: usize) -> Vec<u64> {
    (0..count)
        .map(|k| bits_at(words, k * w as usize, w))
        .collect()
}

/// Converts an integer from digits of `w` bits to little-endian words, both in two's complement
/// and least significant first. Digits must be below `2^w`, and the words must have room for the
/// integer. The time depends only on the number of digits and of words.
pub(crate) fn join(digits: impl Iterator<Item = u64>, w: u32, words: &mut [Word]) {
    let word_bits = Word::BITS;
    let (mut window, mut filled, mut top_digit) = (0u128, 0, 0);
    let mut slots = words.iter_mut();
    for digit in digits {
        debug_assert!(digit >> w == 0);
        window |= u128::from(digit) << filled;
        filled += w;
        top_digit = digit;
        while filled >= word_bits {
            if let Some(slot) = slots.next() {
                *slot = window as Word;
            }
            window >>= word_bits;
            filled -= word_bits;
        }
    }
    // All ones for a negative integer.
    let sign = 0u128.wrapping_sub((u128::from(top_digit) >> (w - 1)) & 1);
    window |= sign << filled;
    for slot in slots {
        *slot = window as Word;
        window = (window >> word_bits) | (sign << word_bits);
    }
}

/// The lowest n digits of `-X` in two's complement, `2^(w n) - X`, for an X of n digits of `w`
/// bits. For constants.
pub(crate) fn negate(digits: &[u64], w: u32) -> Vec<u64> {
    let mask = (1 << w) - 1;
    let mut carry = 1;
    digits
        .iter()
        .map(|&digit| {
            let sum = (digit ^ mask) + carry;
            carry = sum >> w;
            sum & mask
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn split_and_join_are_inverse() {
        let words = [0x0123_4567_89ab_cdef, Word::MAX, 0, 0x8000_0000_0000_0001];
        for w in 20..=30 {
            let digits = split(&words, w, 256usize.div_ceil(w as usize));
            let mut back = [0; 4];
            join(digits.iter().copied(), w, &mut back);
            assert_eq!(back, words);
            let mut wider = [Word::MAX; 6];
            join(digits.iter().copied(), w, &mut wider);
            // Digits that end at the integer's top bit take that bit as its sign.
            let sign = if 256 % w == 0 { Word::MAX } else { 0 };
            assert_eq!((&wider[..4], &wider[4..]), (&words[..], &[sign; 2][..]));
            let negative = [words[0], words[1], words[2], Word::MAX << 10];
            let mut digits = split(&negative, w, 256usize.div_ceil(w as usize));
            if let Some(top) = digits.last_mut() {
                // Sign extension beyond bit 256.
                *top |= ((1 << w) - 1) & !((1 << (256 - 256 / w * w)) - 1);
            }
            join(digits.iter().copied(), w, &mut wider);
            assert_eq!(
                wider,
                [
                    negative[0],
                    negative[1],
                    negative[2],
                    negative[3],
                    Word::MAX,
                    Word::MAX
                ]
            );
        }
    }

    #[test]
    fn negation_sums_to_a_power_of_two() {
        let digits = split(&[77, 5], 28, 5);
        let negated = negate(&digits, 28);
        let mut carry = 0;
        for (x, y) in digits.iter().zip(&negated) {
            let sum = x + y + carry;
            assert_eq!(sum & ((1 << 28) - 1), 0);
            carry = sum >> 28;
        }
        assert_eq!(carry, 1);
    }
}
