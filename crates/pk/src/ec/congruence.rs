//! Congruences modulo the order, checked in plain words: with no program, plan or constant of the engine, which
//! computed the numbers.

use crypto_bigint::{BoxedUint, Odd, WideWord, Word};
use zeroize::Zeroizing;

/// The most words of a sum: a hash of Ed448 times a scalar takes 22 of 64 bits, and the order 7 more.
const MOST_WORDS: usize = 64;

/// Whether `sum of x_i y_i + plus - minus` is 0 modulo n. Constant time, but for the answer: the time depends on
/// the numbers' precision.
///
/// `minus` must be at most `2 n`; a larger one, which only a fault can leave, is congruent to nothing. The sum and
/// `2 n - minus` is a number t of l words. Montgomery's reduction by `W = 2^(w l)`, word by word, gives
/// `(t + q n) / W` with `q < W`, congruent to `t / W` modulo n, and at most n as `t < W`: t is a multiple of n if
/// and only if that is 0 or n.
pub(super) fn is_congruent(
    n: &Odd<BoxedUint>,
    products: &[[&BoxedUint; 2]],
    plus: Option<&BoxedUint>,
    minus: &BoxedUint,
) -> bool {
    let n = n.as_ref().as_words();
    let lengths = products
        .iter()
        .map(|[x, y]| x.as_words().len() + y.as_words().len());
    let lengths = lengths.chain(plus.map(|x| x.as_words().len()));
    let longest = lengths.chain([n.len(), minus.as_words().len()]).max();
    // Each product, plus, and 2 n are below the longest's power of two: their sum takes a word more.
    let length = longest.unwrap_or(0) + 1;
    let mut sum = Zeroizing::new([0; MOST_WORDS]);
    let Some(sum) = sum.get_mut(..length + n.len() + 1) else {
        return false;
    };
    add(sum, n);
    add(sum, n);
    let negative = subtract(sum, minus.as_words());
    if let Some(plus) = plus {
        add(sum, plus.as_words());
    }
    for [x, y] in products {
        for (k, &word) in x.as_words().iter().enumerate() {
            add_multiple(&mut sum[k..], word, y.as_words());
        }
    }
    let inverse = negative_inverse(n[0]);
    for k in 0..length {
        let quotient = sum[k].wrapping_mul(inverse);
        add_multiple(&mut sum[k..], quotient, n);
    }
    let (low, high) = sum[length..].split_at(n.len());
    let is_zero = low.iter().fold(0, |any, &word| any | word);
    let is_n = low.iter().zip(n).fold(0, |any, (x, y)| any | (x ^ y));
    let rest = negative | high.iter().fold(0, |any, &word| any | word);
    (rest == 0) & ((is_zero == 0) | (is_n == 0))
}

/// `sum := sum + x`. Requires that it fits.
fn add(sum: &mut [Word], x: &[Word]) {
    add_multiple(sum, 1, x);
}

/// `sum := sum + factor x`. Requires that it fits.
fn add_multiple(sum: &mut [Word], factor: Word, x: &[Word]) {
    let mut carry: WideWord = 0;
    let (low, high) = sum.split_at_mut(x.len());
    for (sum, &word) in low.iter_mut().zip(x) {
        // At most (W - 1)^2 + 2 (W - 1) = W^2 - 1 for words below W.
        let total = WideWord::from(factor) * WideWord::from(word) + WideWord::from(*sum) + carry;
        *sum = total as Word;
        carry = total >> Word::BITS;
    }
    let mut carry = carry as Word;
    for sum in high {
        let (total, over) = sum.overflowing_add(carry);
        *sum = total;
        carry = Word::from(over);
    }
}

/// `sum := sum - x`, and 1 if it is negative.
fn subtract(sum: &mut [Word], x: &[Word]) -> Word {
    let mut borrow = 0;
    let words = x.iter().copied().chain(core::iter::repeat(0));
    for (sum, word) in sum.iter_mut().zip(words) {
        let (difference, under) = sum.overflowing_sub(word);
        let (difference, under_again) = difference.overflowing_sub(borrow);
        *sum = difference;
        borrow = Word::from(under | under_again);
    }
    borrow
}

/// `-n^-1` modulo the word, for an odd n, by Newton's iteration, which doubles the number of right bits. n is its
/// own inverse modulo 8.
fn negative_inverse(n: Word) -> Word {
    let mut inverse = n;
    for _ in 0..5 {
        let error: Word = Word::wrapping_sub(2, n.wrapping_mul(inverse));
        inverse = inverse.wrapping_mul(error);
    }
    inverse.wrapping_neg()
}

#[cfg(test)]
mod tests {
    use super::*;
    use num_bigint::BigUint;
    use proptest::prelude::*;

    fn boxed(x: &BigUint, bits: u32) -> BoxedUint {
        let mut bytes = x.to_bytes_le();
        bytes.resize(bits as usize / 8, 0);
        BoxedUint::from_le_slice(&bytes, bits).unwrap()
    }

    /// What makes the sum congruent, and each number beside it.
    fn compare(n: &BigUint, bits: u32, [x, y, z, a, plus]: &[BigUint; 5]) {
        let order = Odd::new(boxed(n, bits)).unwrap();
        let reduced = |x: &BigUint| boxed(&(x % n), bits);
        let right = (x * y + z * a + plus) % n;
        // A factor that is longer than the order, as hashes are.
        let long = boxed(x, 2 * bits);
        let [y_boxed, z_boxed, a_boxed] = [y, z, a].map(reduced);
        let sum = (x * (y % n) + (z % n) * (a % n) + plus) % n;
        assert_eq!(sum, right);
        let plus_boxed = boxed(plus, 2 * bits);
        let holds = |minus: &BigUint| {
            let products = [[&long, &y_boxed], [&z_boxed, &a_boxed]];
            is_congruent(
                &order,
                &products,
                Some(&plus_boxed),
                &boxed(minus, bits + 64),
            )
        };
        assert!(holds(&right) && holds(&(&right + n)));
        assert!(!holds(&((&right + 1u32) % n)), "one more");
        assert!(!holds(&((&right + n - 1u32) % n)), "one less");
        for bit in [0, 1, 63, 64, u64::from(bits) - 1] {
            let other = &right ^ (BigUint::from(1u32) << bit);
            assert_eq!(
                holds(&other),
                other <= n * 2u32 && &other % n == right,
                "bit {bit}"
            );
        }
        assert!(!holds(&(&right + n * 3u32)), "more than 2 n");
    }

    #[test]
    fn boundaries() {
        for (bits, n) in [
            (64, BigUint::from(3u32)),
            (64, BigUint::from(u64::MAX - 58)),
            (256, (BigUint::from(1u32) << 256) - 189u32),
            (576, (BigUint::from(1u32) << 521) - 1u32),
        ] {
            let most = (BigUint::from(1u32) << (2 * bits)) - 1u32;
            let zero = BigUint::ZERO;
            let last = &n - 1u32;
            compare(
                &n,
                bits,
                &[&most, &last, &last, &last, &most].map(Clone::clone),
            );
            compare(
                &n,
                bits,
                &[&zero, &zero, &zero, &zero, &zero].map(Clone::clone),
            );
            compare(&n, bits, &[&n, &last, &zero, &last, &n].map(Clone::clone));
        }
    }

    proptest! {
        #[test]
        fn random(words in prop::collection::vec(any::<u64>(), 1..9), numbers in any::<[[u64; 8]; 5]>()) {
            let big = |words: &[u64]| {
                BigUint::from_bytes_le(&words.iter().flat_map(|word| word.to_le_bytes()).collect::<Vec<_>>())
            };
            let bits = 64 * words.len() as u32;
            let n = big(&words) | BigUint::from(5u32);
            let limit = BigUint::from(1u32) << (2 * bits);
            let numbers = numbers.map(|words| big(&words) % &limit);
            compare(&n, bits, &numbers);
        }
    }
}
