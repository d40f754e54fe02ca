//! Congruences modulo the order, checked in plain words: with no program, plan or constant of the engine, which
//! computed the numbers.

use crate::verdict::public;
use crypto_bigint::{BoxedUint, Odd, WideWord, Word};
use zeroize::Zeroize;

/// The largest number of words of a sum: a hash of Ed448 times a scalar takes 22 words of 64 bits, and the order 7
/// more.
const MOST_WORDS: usize = 4096 / Word::BITS as usize;

/// Whether `sum of x_i y_i + sum of f_j a_j - f b` is 0 modulo n, for the products of x and y, small public factors f
/// of numbers that are added, and of one that is subtracted. Constant time, except for the answer: the time depends on
/// the numbers' precision.
///
/// b must be at most `2 n`; a larger one, which only a fault can leave, is congruent to nothing. The sum and `2 f n` is a
/// number t of l words. Montgomery's reduction by `W = 2^(w l)`, word by word, gives `(t + q n) / W` with `q < W`,
/// congruent to `t / W` modulo n, and at most n as `t < W`: t is a multiple of n if and only if that is 0 or n.
#[inline(never)]
pub(super) fn is_congruent(
    n: &Odd<BoxedUint>,
    products: &[[&BoxedUint; 2]],
    added: &[(u8, &BoxedUint)],
    (factor, subtracted): (u8, &BoxedUint),
) -> bool {
    let n = n.as_ref().as_words();
    let lengths = products
        .iter()
        .map(|[x, y]| x.as_words().len() + y.as_words().len());
    let lengths = lengths.chain(added.iter().map(|(_, x)| x.as_words().len()));
    let longest = lengths
        .chain([n.len(), subtracted.as_words().len()])
        .max()
        .unwrap_or(0);
    // Each term is a small multiple of a number below the longest's power of two: their sum takes a word more.
    let length = longest + 1;
    let mut words = [0; MOST_WORDS];
    let Some(sum) = words.get_mut(..length + n.len() + 1) else {
        return false;
    };
    add_rows(sum, n, 1, |_, _| 2 * Word::from(factor));
    let negative = subtract(sum, factor.into(), subtracted.as_words());
    for (factor, x) in added {
        add_rows(sum, x.as_words(), 1, |_, _| (*factor).into());
    }
    for [x, y] in products {
        let x = x.as_words();
        add_rows(sum, y.as_words(), x.len(), |k, _| x[k]);
    }
    let inverse = negative_inverse(n[0]);
    add_rows(sum, n, length, |_, word| word.wrapping_mul(inverse));
    let (low, high) = sum[length..].split_at(n.len());
    let from_zero = low.iter().fold(0, |any, &word| any | word);
    let from_n = low.iter().zip(n).fold(0, |any, (x, y)| any | (x ^ y));
    let rest = negative | high.iter().fold(0, |any, &word| any | word);
    let wrong = rest | (is_not_zero(from_zero) & is_not_zero(from_n));
    sum.zeroize();
    public(wrong == 0)
}

/// `sum := sum + (sum of factor_k W^k) x` for the factors of this many rows, one after the other. Each may depend on
/// the word k of the sum, to which no later row adds. Requires that the result fits.
#[inline]
pub(super) fn add_rows(
    sum: &mut [Word],
    x: &[Word],
    rows: usize,
    factor: impl Fn(usize, Word) -> Word,
) {
    // Four words, which most numbers have, stay in registers.
    if let Some(x) = x.as_array::<4>() {
        rows_of(sum, x, rows, factor, add_row::<4>);
    } else {
        rows_of(sum, x, rows, factor, |sum, factor, x: &[Word]| {
            let row = sum.iter_mut().zip(x);
            row.fold(0, |carry, (sum, &word)| {
                add_product(sum, factor, word, carry)
            })
        });
    }
}

/// [`add_rows`] by a function that adds a row, and returns its carry.
#[inline]
fn rows_of<X: AsRef<[Word]> + ?Sized>(
    sum: &mut [Word],
    x: &X,
    rows: usize,
    factor: impl Fn(usize, Word) -> Word,
    add_row: impl Fn(&mut [Word], Word, &X) -> Word,
) {
    let length = x.as_ref().len();
    // The carry of the previous rows into the last word of this row.
    let mut over = false;
    for k in 0..rows {
        let factor = factor(k, sum[k]);
        let (row, rest) = sum[k..].split_at_mut(length);
        let carry = add_row(row, factor, x);
        let (total, first) = rest[0].overflowing_add(carry);
        let (total, second) = total.overflowing_add(Word::from(over));
        rest[0] = total;
        over = first | second;
    }
    for sum in &mut sum[rows + length..] {
        let (total, carry) = sum.overflowing_add(Word::from(over));
        *sum = total;
        over = carry;
    }
}

#[inline]
fn add_row<const N: usize>(sum: &mut [Word], factor: Word, x: &[Word; N]) -> Word {
    let mut carry = 0;
    if let Some(sum) = sum.as_mut_array::<N>() {
        for k in 0..N {
            carry = add_product(&mut sum[k], factor, x[k], carry);
        }
    }
    carry
}

/// `sum := sum + x y + carry` in a word. Returns the word above, the next carry.
#[inline]
fn add_product(sum: &mut Word, x: Word, y: Word, carry: Word) -> Word {
    // At most (W - 1)^2 + 2 (W - 1) = W^2 - 1 for words below W.
    let total =
        WideWord::from(x) * WideWord::from(y) + WideWord::from(*sum) + WideWord::from(carry);
    *sum = total as Word;
    (total >> Word::BITS) as Word
}

/// `sum := sum - factor x`. Returns whether it is negative.
fn subtract(sum: &mut [Word], factor: Word, x: &[Word]) -> Word {
    // The amount still to be subtracted, below W.
    let mut borrow = 0;
    let words = x.iter().copied().chain(core::iter::repeat(0));
    for (sum, word) in sum.iter_mut().zip(words) {
        let product = WideWord::from(factor) * WideWord::from(word) + WideWord::from(borrow);
        let (difference, under) = sum.overflowing_sub(product as Word);
        *sum = difference;
        borrow = (product >> Word::BITS) as Word + Word::from(under);
    }
    borrow
}

/// 1 for a word other than 0.
fn is_not_zero(word: Word) -> Word {
    (word | word.wrapping_neg()) >> (Word::BITS - 1)
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

    /// Checks the number that makes the sum congruent, and each number beside it.
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
            let minus = boxed(minus, bits + 64);
            is_congruent(&order, &products, &[(1, &plus_boxed)], (1, &minus))
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
        let triple = |x: &BigUint| is_congruent(&order, &[], &[(3, &y_boxed)], (3, &reduced(x)));
        let one_more = (y + 1u32) % n;
        assert!(triple(y) && (triple(&one_more) == (*n == BigUint::from(3u32))));
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
