//! Reduction modulo the order of a base point, in plain words. Constant time.

use crate::ec::congruence::add_rows;
use crypto_bigint::{BoxedUint, Choice, CtSelect, Odd, Word};

/// The order n, and `floor(2^T / n)` for numbers below `2^T`, by which they are reduced without a division (Barrett,
/// "Implementing the Rivest Shamir and Adleman public key encryption algorithm on a standard digital signal processor",
/// 1987).
pub(in crate::ec) struct Reduction {
    order: Vec<Word>,
    reciprocal: Vec<Word>,
    /// T, in words.
    words: usize,
}

/// The most words of a product: of a number twice as long as an order of 448 bits, and a word, with its reciprocal.
const MOST_WORDS: usize = 1536 / Word::BITS as usize;

impl Reduction {
    /// The reduction of numbers with up to twice as many words as the order, and one more: hashes of signatures are as long.
    ///
    /// # Panics
    /// If the order is longer than 447 bits, or twice the order has more words than the order: those of this crate's curves have 253 and
    /// 446 bits.
    pub(super) fn new(order: &Odd<BoxedUint>) -> Self {
        let bits = order.as_ref().bits_vartime();
        assert!(bits < 448, "an order of {bits} bits");
        assert!(
            !bits.is_multiple_of(Word::BITS),
            "no room for twice the order"
        );
        let order_words = bits.div_ceil(Word::BITS) as usize;
        let words = 2 * order_words + 1;
        let mut power = vec![0; words + 1];
        power[words] = 1;
        let (quotient, _) = BoxedUint::from_words(power).div_rem_vartime(order.as_nz_ref());
        let reciprocal_words = (words as u32 * Word::BITS - bits + 1).div_ceil(Word::BITS);
        Self {
            order: order.as_ref().as_words()[..order_words].to_vec(),
            reciprocal: quotient.as_words()[..reciprocal_words as usize].to_vec(),
            words,
        }
    }

    /// x modulo the order, with as many words. The time depends on the number of words of x only. If x is secret, the caller must
    /// wipe the result and, afterwards, the stack.
    ///
    /// With n the order and m its reciprocal, `floor(x m / 2^T)` is `floor(x/n)` or 1 less: x/n is larger than
    /// `x m / 2^T` by less than `x / 2^T < 1`. The remainder is thus below 2 n, which has no more words than n.
    ///
    /// # Panics
    /// If x has more words than numbers that are reduced have.
    pub(in crate::ec) fn reduced(&self, x: &[Word]) -> BoxedUint {
        assert!(x.len() <= self.words, "x has at most {} words", self.words);
        let count = self.order.len();
        let product = product(x, &self.reciprocal);
        // Of the quotient and its multiple, the words that the remainder has determine it.
        let quotient = &product[self.words..][..count];
        let multiple = self::product(quotient, &self.order);
        let word = |i: usize| x.get(i).copied().unwrap_or(0);
        let mut rest: Vec<_> = (0..count).map(word).collect();
        subtract(&mut rest, &multiple[..count]);
        let mut less = [0; MOST_WORDS];
        let less = &mut less[..count];
        less.copy_from_slice(&rest);
        let is_below = Choice::from(u8::from(subtract(less, &self.order)));
        for (rest, less) in rest.iter_mut().zip(less) {
            *rest = less.ct_select(rest, is_below);
        }
        BoxedUint::from(rest)
    }

    /// `x y` modulo the order, as [`reduced`](Self::reduced) gives it.
    ///
    /// # Panics
    /// If the product has more words than numbers that are reduced have.
    pub(super) fn product(&self, x: &[Word], y: &[Word]) -> BoxedUint {
        self.reduced(&product(x, y)[..x.len() + y.len()])
    }

    /// `a + x y` modulo the order, as [`reduced`](Self::reduced) gives it.
    ///
    /// # Panics
    /// If the product, with a word more, has more words than numbers that are reduced have, or a has.
    pub(in crate::ec) fn sum(&self, a: &[Word], x: &[Word], y: &[Word]) -> BoxedUint {
        let mut sum = product(x, y);
        let sum = &mut sum[..=x.len() + y.len()];
        let mut carry = false;
        for (i, sum) in sum.iter_mut().enumerate() {
            let (total, over) = sum.overflowing_add(a.get(i).copied().unwrap_or(0));
            let (total, over_again) = total.overflowing_add(Word::from(carry));
            (*sum, carry) = (total, over | over_again);
        }
        self.reduced(sum)
    }
}

/// `x y`, with zeros above.
fn product(x: &[Word], y: &[Word]) -> [Word; MOST_WORDS] {
    let mut product = [0; MOST_WORDS];
    add_rows(&mut product[..x.len() + y.len()], y, x.len(), |k, _| x[k]);
    product
}

/// `x - y` modulo 2 to their length, in the place of x. Returns whether it is negative.
fn subtract(x: &mut [Word], y: &[Word]) -> bool {
    let mut borrow = false;
    for (x, &y) in x.iter_mut().zip(y) {
        let (difference, under) = x.overflowing_sub(y);
        let (difference, under_again) = difference.overflowing_sub(Word::from(borrow));
        borrow = under | under_again;
        *x = difference;
    }
    borrow
}

#[cfg(test)]
mod tests {
    use super::super::curve::EdwardsCurve;
    use super::*;
    use crypto_bigint::Resize;

    /// The largest numbers, multiples of the order and their neighbours, and numbers of every length.
    #[test]
    fn remainders() {
        for &curve in EdwardsCurve::ALL {
            let order = &curve.parameters().order;
            let reduction = Reduction::new(order);
            let n = order.as_ref().as_words();
            let largest = vec![Word::MAX; reduction.words];
            let mut numbers = vec![Vec::new(), largest.clone()];
            for i in 0..reduction.words {
                numbers.push(largest[..i].to_vec());
                let mut power = vec![0; reduction.words];
                power[i] = 1;
                numbers.push(power);
            }
            let factors = [1, 2, 3, Word::MAX].map(|first| vec![first; reduction.words - n.len()]);
            for factor in factors {
                let multiple =
                    BoxedUint::from_words(product(n, &factor)[..reduction.words].to_vec());
                let one = BoxedUint::one_with_precision(multiple.bits_precision());
                for number in [
                    multiple.wrapping_sub(&one),
                    multiple.wrapping_add(&one),
                    multiple,
                ] {
                    numbers.push(number.as_words().to_vec());
                }
            }
            for number in numbers {
                let mut words = number.clone();
                words.resize(reduction.words, 0);
                let expected = BoxedUint::from_words(words).rem_vartime(order.as_nz_ref());
                let reduced = reduction.reduced(&number);
                assert_eq!(reduced.as_words().len(), n.len());
                assert_eq!(
                    reduced,
                    expected.resize_unchecked(reduced.bits_precision()),
                    "{number:?}"
                );
            }
            let most = order.as_ref().wrapping_sub(BoxedUint::one());
            let sum = reduction.sum(most.as_words(), most.as_words(), most.as_words());
            // n - 1 is -1.
            assert_eq!(sum, BoxedUint::zero_with_precision(sum.bits_precision()));
        }
    }
}
