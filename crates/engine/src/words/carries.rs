//! Sums and differences of numbers in words, with carries; in constant time for a given number of words.

use core::hint::black_box;

use crypto_bigint::Word;

/// `x + y` with carries in and out, 0 or 1.
#[inline]
pub(super) fn add(x: Word, y: Word, carry: &mut Word) -> Word {
    let (sum, first) = x.overflowing_add(y);
    let (sum, second) = sum.overflowing_add(*carry);
    *carry = Word::from(first) | Word::from(second);
    sum
}

/// `x - y` with borrows in and out, 0 or 1.
#[inline]
pub(super) fn subtract(x: Word, y: Word, borrow: &mut Word) -> Word {
    let (difference, first) = x.overflowing_sub(y);
    let (difference, second) = difference.overflowing_sub(*borrow);
    *borrow = Word::from(first) | Word::from(second);
    difference
}

/// All ones for 1, and zero for 0. The compiler does not see that there are only two values.
#[inline]
pub(super) fn mask(bit: Word) -> Word {
    black_box(bit.wrapping_neg())
}

/// `x := x + y`. Returns the carry, 0 or 1.
#[inline]
pub(super) fn add_words(x: &mut [Word], y: &[Word]) -> Word {
    let mut carry = 0;
    for (x, &y) in x.iter_mut().zip(y) {
        *x = add(*x, y, &mut carry);
    }
    carry
}

/// `x := x - y`. Returns the borrow: 1 if the difference is negative.
#[inline]
pub(super) fn subtract_words(x: &mut [Word], y: &[Word]) -> Word {
    let mut borrow = 0;
    for (x, &y) in x.iter_mut().zip(y) {
        *x = subtract(*x, y, &mut borrow);
    }
    borrow
}

/// `x := x + bit P` modulo F.
#[inline]
pub(super) fn add_if(x: &mut [Word], p: &[Word], bit: Word) {
    let mask = mask(bit);
    let mut carry = 0;
    for (x, &p) in x.iter_mut().zip(p) {
        *x = add(*x, p & mask, &mut carry);
    }
}

/// `x := x + above F`, less P if the sum is not below P. Requires a sum below 2 P.
#[inline]
pub(super) fn subtract_if_above(x: &mut [Word], p: &[Word], above: Word) {
    let negative = subtract_words(x, p);
    add_if(x, p, negative & (above ^ 1));
}
