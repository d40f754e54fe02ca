//! Reduction of public numbers modulo the order of a base point.

use crypto_bigint::{BoxedUint, Odd, Word};

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
const MOST_WORDS: usize = 24;

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

    /// x modulo the order, with as many words. Not in constant time.
    ///
    /// With n the order and m its reciprocal, `floor(x m / 2^T)` is `floor(x/n)` or 1 less: x/n is larger than
    /// `x m / 2^T` by less than `x / 2^T < 1`. The remainder is thus below 2 n, which has no more words than n.
    ///
    /// # Panics
    /// If x has more words than numbers that are reduced have.
    pub(in crate::ec) fn reduced_vartime(&self, x: &[Word]) -> BoxedUint {
        assert!(x.len() <= self.words, "x has at most {} words", self.words);
        let count = self.order.len();
        let product = product(x, &self.reciprocal);
        let quotient = &product[self.words..][..count + 2];
        let multiple = self::product(quotient, &self.order);
        let word = |i: usize| x.get(i).copied().unwrap_or(0);
        let mut rest: Vec<_> = (0..count).map(word).collect();
        subtract(&mut rest, &multiple[..count]);
        if rest.iter().rev().ge(self.order.iter().rev()) {
            subtract(&mut rest, &self.order);
        }
        debug_assert!(rest.iter().rev().lt(self.order.iter().rev()));
        BoxedUint::from_words(rest)
    }

    /// `x y` modulo the order, with as many words. Not in constant time.
    ///
    /// # Panics
    /// If the product has more words than numbers that are reduced have.
    pub(super) fn product_vartime(&self, x: &[Word], y: &[Word]) -> BoxedUint {
        self.reduced_vartime(&product(x, y)[..x.len() + y.len()])
    }
}

/// `x y`, with zeros above.
fn product(x: &[Word], y: &[Word]) -> [Word; MOST_WORDS] {
    let mut product = [0; MOST_WORDS];
    for (i, &x) in x.iter().enumerate() {
        let mut carry = 0;
        for (place, &y) in product[i..].iter_mut().zip(y) {
            let sum = u128::from(x) * u128::from(y) + u128::from(*place) + carry;
            *place = sum as Word;
            carry = sum >> Word::BITS;
        }
        product[i + y.len()] = carry as Word;
    }
    product
}

/// `x - y` modulo 2 to their length, in the place of x.
fn subtract(x: &mut [Word], y: &[Word]) {
    let mut borrow = false;
    for (x, &y) in x.iter_mut().zip(y) {
        let (difference, under) = x.overflowing_sub(y);
        let (difference, under_again) = difference.overflowing_sub(Word::from(borrow));
        borrow = under | under_again;
        *x = difference;
    }
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
                let reduced = reduction.reduced_vartime(&number);
                assert_eq!(reduced.as_words().len(), n.len());
                assert_eq!(
                    reduced,
                    expected.resize_unchecked(reduced.bits_precision()),
                    "{number:?}"
                );
            }
        }
    }
}
