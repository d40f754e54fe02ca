//! Integers times powers of a Montgomery factor.

use crypto_bigint::{BoxedUint, ConcatenatingMul, NonZero, WideWord, Word};
use zeroize::Zeroizing;

use super::canonical;

/// `integer factor^form mod P`, for a modulus P in words. The time depends only on the sizes and
/// the form.
pub(crate) fn times_power(
    integer: &BoxedUint,
    factor: &BoxedUint,
    form: i32,
    p: &[Word],
) -> Zeroizing<BoxedUint> {
    let p = Zeroizing::new(BoxedUint::from_words(p.iter().copied()));
    let Some(p) = NonZero::new((*p).clone()).into_option().map(Zeroizing::new) else {
        return Zeroizing::new(BoxedUint::zero());
    };
    let mut product = remainder(integer, &p);
    for _ in 0..form {
        let scaled = Zeroizing::new(product.concatenating_mul(factor));
        product = remainder(&scaled, &p);
    }
    product
}

/// Calls `take` with each integer times a factor to the power of its form, modulo P, in words. Many integers are multiplied without
/// divisions. The time depends only on their number, the sizes and the forms.
pub(crate) fn each_times_power(
    integers: &[Zeroizing<BoxedUint>],
    forms: &[i32],
    factor: &BoxedUint,
    p: &[Word],
    mut take: impl FnMut(&[Word]),
) {
    /// The fewest integers for which a multiplier pays.
    const MANY: usize = 16;
    let mut multiplier = (integers.len() >= MANY).then(|| Multiplier::new(factor, p));
    for (integer, &form) in integers.iter().zip(forms) {
        match &mut multiplier {
            Some(multiplier) if form == 1 && integer.as_words().len() <= p.len() => {
                take(multiplier.multiply(integer.as_words()));
            }
            _ => take(times_power(integer, factor, form, p).as_words()),
        }
    }
}

/// `x mod P`, in constant time. (`BoxedUint::rem` would leave the quotient unwiped, which tells as
/// much as P.)
#[inline(never)]
pub(crate) fn remainder(x: &BoxedUint, p: &NonZero<BoxedUint>) -> Zeroizing<BoxedUint> {
    let (quotient, remainder) = x.div_rem(p);
    drop(Zeroizing::new(quotient));
    Zeroizing::new(remainder)
}

/// A factor by which many integers are multiplied modulo P: each by one product and its Montgomery reduction, without a division.
/// Wiped on drop.
struct Multiplier<'a> {
    p: &'a [Word],
    negative_inverse: Zeroizing<Word>,
    /// The factor times `2^(w l)` modulo P, for P of l words of w bits.
    factor: Zeroizing<Vec<Word>>,
    /// The last product, in one word more than P has.
    product: Zeroizing<Vec<Word>>,
}

impl<'a> Multiplier<'a> {
    /// A factor modulo an odd P.
    fn new(factor: &BoxedUint, p: &'a [Word]) -> Self {
        let mut power = vec![0; p.len() + 1];
        power[p.len()] = 1;
        let factor = times_power(factor, &BoxedUint::from_words(power), 1, p);
        Self {
            p,
            negative_inverse: Zeroizing::new(negative_inverse(p[0])),
            factor: Zeroizing::new(factor.as_words()[..p.len()].to_vec()),
            product: Zeroizing::new(vec![0; p.len() + 1]),
        }
    }

    /// `factor x mod P`, for an x of at most as many words as P. The time depends on the number of words only.
    fn multiply(&mut self, x: &[Word]) -> &[Word] {
        let l = self.p.len();
        debug_assert!(x.len() <= l);
        self.product.fill(0);
        for i in 0..l {
            // (product + x_i factor + q P) / 2^w, below 2 P as the factor is below P.
            let x = x.get(i).copied().unwrap_or(0);
            let sum = WideWord::from(self.product[0])
                + WideWord::from(x) * WideWord::from(self.factor[0]);
            let q = (sum as Word).wrapping_mul(*self.negative_inverse);
            let mut carry = sum >> Word::BITS;
            let reduced =
                WideWord::from(sum as Word) + WideWord::from(q) * WideWord::from(self.p[0]);
            let mut carry_of_p = reduced >> Word::BITS;
            for j in 1..l {
                let sum = WideWord::from(self.product[j])
                    + WideWord::from(x) * WideWord::from(self.factor[j])
                    + carry;
                carry = sum >> Word::BITS;
                let sum = WideWord::from(sum as Word)
                    + WideWord::from(q) * WideWord::from(self.p[j])
                    + carry_of_p;
                carry_of_p = sum >> Word::BITS;
                self.product[j - 1] = sum as Word;
            }
            let sum = WideWord::from(self.product[l]) + carry + carry_of_p;
            self.product[l - 1] = sum as Word;
            self.product[l] = (sum >> Word::BITS) as Word;
        }
        canonical::subtract_up_to(&mut self.product, self.p, 2);
        &self.product[..l]
    }
}

/// `-p^-1 mod 2^w` for an odd p, by Newton's iteration `y := y (2 - p y)`, each step of which doubles the
/// number of correct bits. `p` itself is its inverse modulo 8.
pub(crate) fn negative_inverse(p: Word) -> Word {
    let mut inverse = p;
    for _ in 0..5 {
        let error: Word = Word::wrapping_sub(2, p.wrapping_mul(inverse));
        inverse = inverse.wrapping_mul(error);
    }
    inverse.wrapping_neg()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn inverses() {
        for p in [1, 3, 5, Word::MAX, Word::MAX / 2, 12_345_677] {
            assert_eq!(p.wrapping_mul(negative_inverse(p)), Word::MAX);
        }
    }

    /// Products by a multiplier are those by division, also of integers that are not below P.
    #[test]
    fn multipliers() {
        const P: [Word; 3] = [Word::MAX - 188, 7, 1 << 5];
        let factors = [[0, 0, 0], [1, 0, 0], [Word::MAX, 3, 9], [Word::MAX; 3]];
        for factor in factors.map(|words| BoxedUint::from_words(words.to_vec())) {
            let mut multiplier = Multiplier::new(&factor, &P);
            for x in [&[0][..], &[1], &[5, Word::MAX], &P, &[Word::MAX; 3]] {
                let integer = BoxedUint::from_words(x.to_vec());
                let right = times_power(&integer, &factor, 1, &P);
                assert_eq!(multiplier.multiply(x), &right.as_words()[..3]);
            }
        }
    }

    /// Few and many integers, of all forms, and longer than P, are the same as one at a time.
    #[test]
    fn each_of_few_and_many() {
        const P: [Word; 2] = [Word::MAX - 188, 11];
        let factor = BoxedUint::from_words([3, 1 << 7, 5]);
        let integer = |k: Word| {
            let length = 1 + k as usize % 4;
            Zeroizing::new(BoxedUint::from_words(vec![Word::MAX - k; length]))
        };
        for count in [1, 15, 16, 30] {
            let integers: Vec<_> = (0..count).map(integer).collect();
            let forms: Vec<i32> = (0..3).cycle().take(integers.len()).collect();
            let mut scaled = Vec::new();
            each_times_power(&integers, &forms, &factor, &P, |words| {
                scaled.push(words[..P.len()].to_vec());
            });
            let right = integers.iter().zip(&forms).map(|(integer, &form)| {
                let right = times_power(integer, &factor, form, &P);
                right.as_words()[..P.len()].to_vec()
            });
            assert_eq!(scaled, right.collect::<Vec<_>>());
        }
    }
}
