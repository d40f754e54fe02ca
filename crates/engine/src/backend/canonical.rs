//! The last reduction, from `[0, c P)` to `[0, P)`, on words.

use cmov::Cmov;
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
    let mut difference = Zeroizing::new(vec![0; r.len()]);
    for k in (0..doublings).rev() {
        let borrow = subtract_multiple(r, p, k, &mut difference);
        // A conditional move that the compiler cannot see through: of a mask it would make a
        // branch around the loop.
        for (word, &less) in r.iter_mut().zip(difference.iter()) {
            word.cmovz(&less, borrow as u8);
        }
    }
    debug_assert!(r[p.len()..].iter().all(|&word| word == 0));
}

/// `difference := r - 2^k p` for `k < 64`, and 1 if that is negative.
fn subtract_multiple(r: &[Word], p: &[Word], k: u32, difference: &mut [Word]) -> Word {
    let (mut below, mut borrow) = (0, 0);
    for (i, (out, &word)) in difference.iter_mut().zip(r).enumerate() {
        let p_i = p.get(i).copied().unwrap_or(0);
        // `>> 1 >> (BITS - 1 - k)` is `>> (BITS - k)` that also holds for k = 0.
        let multiple = (p_i << k) | (below >> 1 >> (Word::BITS - 1 - k));
        (*out, borrow) = subtract_word(word, multiple, borrow);
        below = p_i;
    }
    borrow
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
