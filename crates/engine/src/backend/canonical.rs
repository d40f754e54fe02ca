//! The last reduction, from `[0, c P)` to `[0, P)`, on words.

use crypto_bigint::{BoxedUint, Word};
use zeroize::Zeroizing;

use super::{digits, plan::Plan};

/// The integer below `c P` with these digits of `plan.w` bits, reduced below P.
pub(crate) fn from_digits(
    digits: impl Iterator<Item = u64>,
    plan: &Plan,
    modulus: &[Word],
) -> BoxedUint {
    let mut words = Zeroizing::new(vec![0; modulus.len() + 1]);
    digits::join(digits, plan.w, &mut words);
    canonicalize(&mut words, modulus, plan.bounds.c);
    BoxedUint::from_words(words[..modulus.len()].iter().copied())
}

/// Reduces `0 <= r < c P` to `r mod P`, in place and in constant time: subtracts
/// `2^k P` where it fits, for `2^k` from the first power of two that reaches `c` down to 1.
///
/// `r` has a spare word above P's for the shifted multiples.
fn canonicalize(r: &mut [Word], p: &[Word], c: u64) {
    let doublings = u64::BITS - c.leading_zeros();
    for k in (0..doublings).rev() {
        subtract_if_not_below(r, p, k);
    }
    debug_assert!(r[p.len()..].iter().all(|&word| word == 0));
}

/// `r := r - 2^k p` if that is not negative, for `k < 64`; without a branch on the values.
fn subtract_if_not_below(r: &mut [Word], p: &[Word], k: u32) {
    let multiple = |i: usize| {
        let low = p.get(i).map_or(0, |&word| word << k);
        // `>> 1 >> (BITS - 1 - k)` is `>> (BITS - k)` that also holds for k = 0.
        let high = if i == 0 {
            0
        } else {
            p.get(i - 1).map_or(0, |&word| word)
        };
        low | (high >> 1 >> (Word::BITS - 1 - k))
    };
    let borrow = (0..r.len()).fold(0, |borrow, i| subtract_word(r[i], multiple(i), borrow).1);
    // All ones if the difference is not negative.
    let keep = borrow.wrapping_sub(1);
    let mut borrow = 0;
    for i in 0..r.len() {
        (r[i], borrow) = subtract_word(r[i], multiple(i) & keep, borrow);
    }
}

/// `x - y - borrow` and the new borrow, 0 or 1.
fn subtract_word(x: Word, y: Word, borrow: Word) -> (Word, Word) {
    let (difference, first) = x.overflowing_sub(y);
    let (difference, second) = difference.overflowing_sub(borrow);
    (difference, Word::from(first) | Word::from(second))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_remainder_of_small_multiples() {
        let p = [Word::MAX - 4, 1 << 62];
        let modulus = u128::from(p[1]) << 64 | u128::from(p[0]);
        for multiple in 0..45u128 {
            for rest in [0, 1, 2, modulus / 2, modulus - 1] {
                // multiple * modulus + rest in three words.
                let low =
                    (modulus & u128::from(Word::MAX)) * multiple + (rest & u128::from(Word::MAX));
                let high = (modulus >> 64) * multiple + (rest >> 64) + (low >> 64);
                let mut r = [low as Word, high as Word, (high >> 64) as Word];
                canonicalize(&mut r, &p, 45);
                assert_eq!(u128::from(r[1]) << 64 | u128::from(r[0]), rest);
                assert_eq!(r[2], 0);
            }
        }
    }
}
