//! The final reduction of a result, from `(-c P, c P)` to `[0, P)`, on machine words.

use cmov::Cmov;
use crypto_bigint::{BoxedUint, Limb, NonZero, Reciprocal, U64, Word};
use zeroize::Zeroizing;

/// The result of [`canonicalize`], in as many words as P has. The preconditions are the same.
pub(crate) fn from_words(mut r: Zeroizing<Vec<Word>>, p: &[Word], c: u64) -> Zeroizing<BoxedUint> {
    canonicalize(&mut r, p, c);
    Zeroizing::new(BoxedUint::from_words(r[..p.len()].iter().copied()))
}

/// Whether a canonical integer is zero. Constant time for a given number of words.
pub(crate) fn is_zero(words: &[Word]) -> bool {
    words.iter().fold(0, |all, word| all | word) == 0
}

/// The largest overshoot `c` for which the proof of [`canonicalize`] holds.
const LARGEST_OVERSHOOT: u64 = 1 << 28;

/// Number of leading bits of P from which the quotient is estimated.
const LEADING_BITS: u32 = 31;

/// Replaces r by `r mod P`. The time depends only on the number of bits of P.
///
/// Requires `-c P < r < c P` and `c <= 2^28`; r in two's complement, with one word more than P; P
/// of at least 64 bits, with a top word other than zero. Ensures `0 <= r < P`.
///
/// The first pass subtracts `qhat P`, where `qhat` is an estimate of the quotient that is exact or
/// one too small. A single conditional subtraction of P then completes the reduction. For P of L
/// bits and `s = L - 31`, let
/// ```text
/// D = floor(P / 2^s) + 1     P = (D - e) 2^s, 0 < e <= 1, 2^30 <= D - e < 2^31
/// u = floor(r / 2^s)         r = (u + f) 2^s, 0 <= f < 1
/// qhat = floor((u - c - 1) / D)
/// ```
/// The error before the floor is
/// ```text
/// r/P - (u - c - 1)/D = (f D + (c + 1)(D - e) + e u) / (D (D - e)).
/// ```
/// `|r| < c P` implies `-c (D - e) - 1 < u < c (D - e)`. The numerator is therefore above
/// `(c + 1)(D - e) - c (D - e) - 1 = D - e - 1 > 0` and below `D + (c + 1) D + c D`. Hence the
/// error is positive and below `(2 c + 2)/(D - e) <= (2 c + 2)/2^30 < 1` (about `2^-5` for
/// `c = 2^24`).
pub(crate) fn canonicalize(r: &mut [Word], p: &[Word], c: u64) {
    debug_assert!(r.len() == p.len() + 1 && c <= LARGEST_OVERSHOOT);
    let quotient = estimate_quotient(r, p, c);
    subtract_multiple(r, p, quotient);
    let mut less_p = Zeroizing::new(r.to_vec());
    subtract_multiple(&mut less_p, p, 1);
    let negative = less_p[p.len()] >> (Word::BITS - 1);
    // The compiler cannot look into this conditional move. It would turn a mask into a branch around the
    // loop.
    for (word, &less) in r.iter_mut().zip(less_p.iter()) {
        word.cmovz(&less, negative as u8);
    }
    debug_assert!(r[p.len()] == 0);
}

/// The difference `x - y - borrow`, and its borrow.
fn less(x: Word, y: Word, borrow: Word) -> (Word, Word) {
    let (difference, under) = x.overflowing_sub(y);
    let (difference, under_again) = difference.overflowing_sub(borrow);
    (difference, Word::from(under) | Word::from(under_again))
}

/// Replaces r by `r mod P` for `r <= count P`, by `count` conditional subtractions: for small counts. Requires one word
/// more than P. The time depends on the lengths and `count` only.
pub(crate) fn subtract_up_to(r: &mut [Word], p: &[Word], count: u32) {
    debug_assert!(r.len() == p.len() + 1);
    for _ in 0..count {
        let mut borrow = 0;
        for (i, &word) in r.iter().enumerate() {
            (_, borrow) = less(word, p.get(i).copied().unwrap_or(0), borrow);
        }
        // Whether r is at least P.
        let keep = borrow as u8;
        let mut borrow = 0;
        for (i, word) in r.iter_mut().enumerate() {
            let difference;
            (difference, borrow) = less(*word, p.get(i).copied().unwrap_or(0), borrow);
            word.cmovz(&difference, keep);
        }
    }
    debug_assert!(r[p.len()] == 0);
}

/// The estimate `qhat` of the quotient `floor(r / P)` ([`canonicalize`]): exact or one too small.
fn estimate_quotient(r: &[Word], p: &[Word], c: u64) -> i64 {
    let leading_zeros = p.last().map_or(0, |word| word.leading_zeros()) as usize;
    let bits = p.len() * Word::BITS as usize - leading_zeros;
    debug_assert!(leading_zeros < Word::BITS as usize && bits >= 64);
    let shift = bits - LEADING_BITS as usize;

    let divisor = bits_from(p, shift) as u32 + 1;
    let u = bits_from(r, shift).cast_signed();
    // Adding (c + 2) D makes the dividend positive and below 2^62. The division is then one of unsigned
    // numbers, which the divisor's reciprocal does in constant time.
    let offset = c.cast_signed() + 2;
    let dividend = u - (offset - 1) + offset * i64::from(divisor);
    debug_assert!((0..1 << 62).contains(&dividend));
    let reciprocal = Reciprocal::new(NonZero::<Limb>::new_unwrap(Limb::from_u32(divisor)));
    let (quotient, _) =
        U64::from_u64(dividend.cast_unsigned()).div_rem_limb_with_reciprocal(&reciprocal);
    u64::from(quotient).cast_signed() - offset
}

/// The 64 bits of the integer that start at bit `position`, which must lie in one of the words.
/// Bits beyond the last word are zero.
fn bits_from(words: &[Word], position: usize) -> u64 {
    let word_bits = Word::BITS as usize;
    let (index, shift) = (position / word_bits, position % word_bits);
    let reached = words[index..].iter().take(64 / word_bits + 1);
    let window = reached.rev().fold(0u128, |window, &word| {
        (window << word_bits) | u128::from(word)
    });
    (window >> shift) as u64
}

/// `r := r - quotient p` in two's complement, modulo the range of r. Requires
/// `|quotient| < 2^62`.
fn subtract_multiple(r: &mut [Word], p: &[Word], quotient: i64) {
    let mut carry = 0i128;
    for (i, word) in r.iter_mut().enumerate() {
        let p_i = p.get(i).copied().unwrap_or(0);
        // |carry| <= |quotient| + 1
        let difference = i128::from(*word) - i128::from(quotient) * i128::from(p_i) + carry;
        *word = difference as Word;
        carry = difference >> Word::BITS;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use num_bigint::{BigInt, BigUint};

    fn words(value: &BigInt, count: usize) -> Vec<Word> {
        let modulus = BigInt::from(1) << (count * Word::BITS as usize);
        let value = (value + &modulus) % &modulus;
        let mut words: Vec<Word> = value.to_biguint().unwrap().iter_u64_digits().collect();
        words.resize(count, 0);
        words
    }

    #[test]
    fn small_multiples() {
        let one = BigInt::from(1);
        for bits in [64, 65, 255, 256, 1024] {
            let moduli: [BigInt; 2] = [(&one << bits) - 59, (&one << (bits - 1)) + 1];
            for p in moduli {
                let length = p.bits().div_ceil(64) as usize;
                for multiple in 0..=2 {
                    let multiple: BigInt = &p * multiple;
                    for r in [&multiple - 1, multiple.clone(), &multiple + 1] {
                        if r < BigInt::ZERO || r > &p * 2 {
                            continue;
                        }
                        let mut r_words = words(&r, length + 1);
                        subtract_up_to(&mut r_words, &words(&p, length), 2);
                        assert_eq!(r_words, words(&(&r % &p), length + 1), "{r} mod {p}");
                    }
                }
            }
        }
    }

    fn check(p: &BigInt, r: &BigInt, c: u64) {
        let p_words = words(p, p.bits().div_ceil(64) as usize);
        let mut r_words = words(r, p_words.len() + 1);
        let quotient = estimate_quotient(&r_words, &p_words, c);
        canonicalize(&mut r_words, &p_words, c);
        let remainder = ((r % p) + p) % p;
        assert_eq!(r_words, words(&remainder, r_words.len()), "{r} mod {p}");
        let exact = (r - remainder) / p;
        let error = exact - quotient;
        assert!(error == BigInt::from(0) || error == BigInt::from(1));
    }

    /// Moduli with extreme leading bits: close to a power of two, all ones, and the values at
    /// which the divisor of the estimate changes. The top words have from one to all of their
    /// bits.
    fn moduli() -> Vec<BigInt> {
        let mut moduli = Vec::new();
        for bits in [64u64, 65, 66, 95, 127, 128, 129, 191, 192, 193, 1024, 1025] {
            let top = BigInt::from(1) << (bits - 1);
            let unit = BigInt::from(1) << (bits - u64::from(LEADING_BITS));
            moduli.extend([
                &top + 1,
                &top + 12_345,
                &top + &unit - 1,
                &top + &unit + 1,
                &top * 2 - &unit - 1,
                &top * 2 - &unit + 1,
                &top * 2 - 1,
                &top + &top / 2 + 1,
            ]);
        }
        moduli
    }

    #[test]
    fn every_multiple_for_every_small_overshoot() {
        for p in moduli() {
            let rests = [BigInt::from(0), BigInt::from(1), &p / 2, &p - 1];
            for multiple in -45..45 {
                for rest in &rests {
                    let r: BigInt = &p * multiple + rest;
                    // The least c for which |r| < c P, and larger ones.
                    let least = r.magnitude() / p.magnitude() + 1u32;
                    let least = u64::try_from(&least).unwrap();
                    for c in [least, least + 1, 46] {
                        check(&p, &r, c);
                    }
                }
            }
        }
    }

    #[test]
    fn the_ends_of_the_range_for_every_size_of_overshoot() {
        for p in moduli() {
            for bits in 0..=LARGEST_OVERSHOOT.ilog2() {
                for c in [(1u64 << bits) - 1, 1 << bits, (1 << bits) + 1] {
                    let c = c.clamp(1, LARGEST_OVERSHOOT);
                    let end: BigInt = &p * c;
                    let near = [
                        &end - 1,
                        &end - &p,
                        &end - &p - 1,
                        &end - &p + 1,
                        &end / 2,
                        &end / 2 + 1,
                    ];
                    for r in near {
                        check(&p, &-&r, c);
                        check(&p, &r, c);
                    }
                }
            }
        }
    }

    #[test]
    fn zero_is_zero_in_every_word() {
        assert!(is_zero(&[]) && is_zero(&[0]) && is_zero(&[0, 0, 0]));
        assert!(!is_zero(&[1]) && !is_zero(&[0, 1]) && !is_zero(&[0, 0, 1 << (Word::BITS - 1)]));
    }

    #[test]
    fn random_values() {
        let mut state = BigUint::from(0x9e37_79b9_7f4a_7c15u64);
        let prime = (BigUint::from(1u32) << 1279) - 1u32;
        for p in moduli() {
            for c in [1u64, 27, 1 << 24] {
                for _ in 0..20 {
                    state = state.modpow(&BigUint::from(5u32), &prime);
                    let range: BigInt = &p * c * 2 - 1;
                    let r = BigInt::from(state.clone()) % &range - (&p * c - 1);
                    check(&p, &r, c);
                }
            }
        }
    }
}
