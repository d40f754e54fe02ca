//! Integers to residues and back: matrix products with the digits.

use crypto_bigint::Word;

use super::{
    digits,
    plan::Plan,
    product::{Numbers, Scratch},
};

/// The stored residues of integers below `2^bits`, given in digits of `w` bits:
/// `sum_k d_k |2^(wk)|_m`. Every residue is below `2 m`.
#[inline(always)]
pub(super) fn enter<const L: usize>(plan: &Plan, digits: &[[u64; L]], out: &mut Numbers<L>) {
    plan.from_digits.multiply(digits, &mut out.channels);
    let channels = plan.channels_a.iter().chain(&plan.channels_b);
    for (channel, lanes) in channels.zip(&mut out.channels) {
        for l in 0..L {
            lanes[l] = channel.normalize(channel.redc(lanes[l]));
        }
    }
}

/// The integer of the product just computed, from its `rh` and `h`:
/// `sum rh_j B/b_j - h B`, in digits of `w` bits.
#[inline(always)]
pub(super) fn leave<const L: usize>(plan: &Plan, scratch: &Scratch<L>, digits: &mut [[u64; L]]) {
    plan.to_digits.multiply(&scratch.rh, digits);
    let mask = (1 << plan.w) - 1;
    let mut carry = [0; L];
    for lanes in digits.iter_mut() {
        for l in 0..L {
            let sum = lanes[l] + carry[l];
            lanes[l] = sum & mask;
            carry[l] = sum >> plan.w;
        }
    }
}

/// `x + y` modulo P for numbers below `c P` each: below `2 c P`, every residue below `4 m`.
pub(super) fn add<const L: usize>(plan: &Plan, x: &mut Numbers<L>, y: &Numbers<L>) {
    let channels = plan.channels_a.iter().chain(&plan.channels_b);
    for ((channel, x), y) in channels.zip(&mut x.channels).zip(&y.channels) {
        for l in 0..L {
            x[l] = channel.normalize(x[l]) + channel.normalize(y[l]);
        }
    }
}

/// Reduces `0 <= r < c P` to `r mod P`, in place and in constant time: subtracts
/// `2^k P` where it fits, for `2^k` from the first power of two that reaches `c` down to 1.
///
/// `r` has a spare word above P's for the shifted multiples.
pub(super) fn canonicalize(r: &mut [Word], p: &[Word], c: u64) {
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

/// One lane of digits as the integer's words, with one spare word for [`canonicalize`].
pub(super) fn lane_words<const L: usize>(
    plan: &Plan,
    digits: &[[u64; L]],
    lane: usize,
    words: &mut [Word],
) {
    digits::join(digits.iter().map(|lanes| lanes[lane]), plan.w, words);
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
