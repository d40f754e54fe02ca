//! Products of numbers of l words of w bits, and their Montgomery reduction modulo P with the factor
//! `F = 2^(w l)`, row by row (Koç, Acar and Kaliski, "Analyzing and comparing Montgomery multiplication
//! algorithms", 1996, SOS). In constant time for a given l.

use crypto_bigint::{WideWord, Word};

use crate::words::{
    carries::{add, subtract_if_above},
    rows::Rows,
};

/// `t := x y`. Requires t of 2 l words.
#[inline]
pub(super) fn multiply(rows: impl Rows, x: &[Word], y: &[Word], t: &mut [Word]) {
    let l = x.len();
    t[..l].fill(0);
    for (i, &x) in x.iter().enumerate() {
        t[i + l] = rows.add(&mut t[i..i + l], x, y);
    }
}

/// `t := x^2`: the products of different words once, doubled, and the squares of words. Requires t of 2 l words.
#[inline]
pub(super) fn square(rows: impl Rows, x: &[Word], t: &mut [Word]) {
    let l = x.len();
    t.fill(0);
    for i in 0..l - 1 {
        t[i + l] = rows.add(&mut t[2 * i + 1..i + l], x[i], &x[i + 1..]);
    }
    let (mut shifted_out, mut carry) = (0, 0);
    for (&x, t) in x.iter().zip(t.as_chunks_mut::<2>().0) {
        let square = WideWord::from(x) * WideWord::from(x);
        let [low, high] = *t;
        let doubled = [low << 1 | shifted_out, high << 1 | low >> (Word::BITS - 1)];
        shifted_out = high >> (Word::BITS - 1);
        t[0] = add(doubled[0], square as Word, &mut carry);
        t[1] = add(doubled[1], (square >> Word::BITS) as Word, &mut carry);
    }
}

/// `out := t F^-1 mod P`: `(t + q P) / F`, less P if that is not below P. Requires `t < F P`. Ensures a result below P.
#[inline]
pub(super) fn reduce(
    rows: impl Rows,
    p: &[Word],
    negative_inverse: Word,
    t: &mut [Word],
    out: &mut [Word],
) {
    let l = p.len();
    let mut above = 0;
    for i in 0..l {
        let q = t[i].wrapping_mul(negative_inverse);
        let high = rows.add(&mut t[i..i + l], q, p);
        t[i + l] = add(t[i + l], high, &mut above);
    }
    out.copy_from_slice(&t[l..]);
    subtract_if_above(out, p, above);
}
