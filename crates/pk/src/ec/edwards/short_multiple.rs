//! Short multiples of a scalar, by which an equation of a signature needs half the doublings (Antipa, Brown, Gallant,
//! Lambert, Struik and Vanstone, "Accelerated verification of ECDSA signatures", 2005, section 4; Pornin, "Optimized
//! lattice basis reduction in dimension 2, and fast Schnorr and EdDSA signature verification", 2020). Public.

use super::curve::Parameters;
use crypto_bigint::{BoxedUint, Resize, Word};

/// Numbers with `c = d v` modulo the number of points, c and `|d|` of about half its length, and d odd.
#[derive(Clone, Debug)]
pub(super) struct ShortMultiple {
    pub(super) c: BoxedUint,
    /// The absolute value of d.
    pub(super) d: BoxedUint,
    pub(super) d_is_negative: bool,
}

impl ShortMultiple {
    /// The most bits that c and d have on a curve: 5 more than half of the number of points has.
    pub(super) fn bits(curve: &Parameters) -> u32 {
        curve.points.bits_vartime().div_ceil(2) + 5
    }

    /// A short multiple of the scalar v, below the curve's order, modulo the number n of its points, whose c and d have at
    /// most [`bits`](Self::bits); `None` where the search ends without one, and if n has no length that it knows. It is
    /// tested before it leaves.
    ///
    /// The search is Euclid's algorithm for n and v: with `r = s n + t v` for each remainder r, the first r below
    /// `2^(bits - 1)` whose t is odd is c, and t is d. Of two neighbouring t at least one is odd. There is none if that t is
    /// too long: for random v once in some thousands.
    pub(super) fn find(curve: &Parameters, v: &BoxedUint) -> Option<Self> {
        let (n, bits) = (&curve.points, Self::bits(curve));
        let found = match n.bits_vartime().div_ceil(Word::BITS) {
            4 => search::<4>(n, v, bits),
            7 => search::<7>(n, v, bits),
            _ => None,
        };
        found.filter(|found| found.is_multiple_of(curve, v))
    }

    /// Whether d is odd, and `c = d v` modulo the order and modulo the cofactor.
    fn is_multiple_of(&self, curve: &Parameters, v: &BoxedUint) -> bool {
        let [c, d, v] = [&self.c, &self.d, v].map(BoxedUint::as_words);
        let mut product = curve.reduction.product(d, v);
        let mut low = d[0].wrapping_mul(v[0]);
        if self.d_is_negative {
            product = curve.order.as_ref().wrapping_sub(&product);
            low = low.wrapping_neg();
        }
        let above = Word::BITS - curve.cofactor_bits;
        let is_odd = d[0] & 1 == 1;
        is_odd && product == curve.reduction.reduced(c) && low << above == c[0] << above
    }
}

/// Number of bits of the quotients' matrix: products of its numbers with words, and their differences, have room in
/// twice a word.
const MATRIX_BITS: u32 = Word::BITS / 2;

/// Steps of Euclid's algorithm with numbers of N words (Lehmer, 1938): as many as the first words of two remainders
/// determine (Collins' condition; Jebelean, 1995), and then these at once with all words.
fn search<const N: usize>(n: &BoxedUint, v: &BoxedUint, bits: u32) -> Option<ShortMultiple> {
    let mut remainders = [words::<N>(n), words(v)];
    let mut factors = [[0; N], [0; N]];
    factors[1][0] = 1;
    let mut d_is_negative = false;
    loop {
        let shift = bit_length(&remainders[0]).checked_sub(Word::BITS)?;
        let [mut r, mut next] = remainders.each_ref().map(|words| word_at(words, shift));
        // One bit less, as the first words determine a remainder up to a factor of 2.
        let limit = (bits - 1).checked_sub(shift);
        let mut matrix = [[1, 0], [0, 1]];
        let [mut t_is_odd, mut next_t_is_odd] = factors.each_ref().map(|words| words[0] & 1 == 1);
        let mut is_odd_step = false;
        let ends = |next: Word, next_t_is_odd| {
            next_t_is_odd && limit.is_some_and(|limit| Word::BITS - next.leading_zeros() <= limit)
        };
        while !ends(next, next_t_is_odd) && next != 0 {
            let (quotient, rest) = (r / next, r % next);
            let [[x0, y0], [x1, y1]] = matrix;
            if quotient >> MATRIX_BITS != 0 {
                break;
            }
            let (x2, y2) = (x0 + quotient * x1, y0 + quotient * y1);
            if y2 >> MATRIX_BITS != 0 || rest < y2 || next - rest < y1 + y2 {
                break;
            }
            matrix = [[x1, y1], [x2, y2]];
            (r, next) = (next, rest);
            let odd = t_is_odd ^ (next_t_is_odd && quotient & 1 == 1);
            (t_is_odd, next_t_is_odd) = (next_t_is_odd, odd);
            is_odd_step = !is_odd_step;
        }
        let is_found = ends(next, next_t_is_odd);
        if !is_found && matrix == [[1, 0], [0, 1]] {
            return None;
        }
        let [first, second] = matrix;
        let [old, new] = remainders;
        remainders = if is_odd_step {
            [
                difference(first[1], &new, first[0], &old),
                difference(second[0], &old, second[1], &new),
            ]
        } else {
            [
                difference(first[0], &old, first[1], &new),
                difference(second[1], &new, second[0], &old),
            ]
        };
        // The signs of the factors alternate.
        let [old, new] = factors;
        factors = matrix.map(|[x, y]| sum(x, &old, y, &new));
        d_is_negative ^= is_odd_step;
        if is_found {
            break;
        }
    }
    let [_, c] = remainders;
    let [_, d] = factors;
    if bit_length(&c) > bits || bit_length(&d) > bits {
        return None;
    }
    let [c, d] = [c, d].map(|words| BoxedUint::from_words(words).resize_unchecked(bits));
    Some(ShortMultiple {
        c,
        d,
        d_is_negative,
    })
}

/// A number's words, with zeros above.
fn words<const N: usize>(number: &BoxedUint) -> [Word; N] {
    core::array::from_fn(|i| number.as_words().get(i).copied().unwrap_or(0))
}

/// A number's length in bits.
fn bit_length(words: &[Word]) -> u32 {
    let above = words.iter().rev().take_while(|&&word| word == 0).count();
    let used = words.len() - above;
    let top = used.checked_sub(1).map_or(0, |i| words[i]);
    (used as u32 * Word::BITS) - if used > 0 { top.leading_zeros() } else { 0 }
}

/// The word from a bit on.
fn word_at(words: &[Word], bit: u32) -> Word {
    let (index, shift) = ((bit / Word::BITS) as usize, bit % Word::BITS);
    let word = |i: usize| words.get(i).copied().unwrap_or(0);
    let above = word(index + 1).checked_shl(Word::BITS - shift).unwrap_or(0);
    word(index) >> shift | above
}

/// `x a - y b`, which is not negative and has N words, for x and y of [`MATRIX_BITS`].
fn difference<const N: usize>(x: Word, a: &[Word; N], y: Word, b: &[Word; N]) -> [Word; N] {
    let mut carry = 0i128;
    let words = core::array::from_fn(|i| {
        carry += i128::from(x) * i128::from(a[i]) - i128::from(y) * i128::from(b[i]);
        let word = carry as Word;
        carry >>= Word::BITS;
        word
    });
    debug_assert_eq!(carry, 0);
    words
}

/// `x a + y b`, which has N words, for x and y of [`MATRIX_BITS`].
fn sum<const N: usize>(x: Word, a: &[Word; N], y: Word, b: &[Word; N]) -> [Word; N] {
    let mut carry = 0u128;
    let words = core::array::from_fn(|i| {
        carry += u128::from(x) * u128::from(a[i]) + u128::from(y) * u128::from(b[i]);
        let word = carry as Word;
        carry >>= Word::BITS;
        word
    });
    debug_assert_eq!(carry, 0);
    words
}

#[cfg(test)]
mod tests {
    use super::super::curve::EdwardsCurve;
    use super::*;
    use num_bigint::BigUint;

    fn big(number: &BoxedUint) -> BigUint {
        BigUint::from_bytes_le(&number.to_le_bytes())
    }

    /// Scalars in a sequence that fills the order's range.
    fn scalars(curve: EdwardsCurve, count: usize) -> Vec<BoxedUint> {
        let reduction = &curve.parameters().reduction;
        let order = curve.parameters().order.as_ref();
        let mut scalar = order.wrapping_sub(BoxedUint::one_with_precision(order.bits_precision()));
        let mut scalars = Vec::new();
        for _ in 0..count {
            scalar = reduction.product(scalar.as_words(), &[0x9e37_79b9_7f4a_7c15]);
            scalars.push(scalar.clone());
        }
        scalars
    }

    /// Each multiple is one, short and odd; of 2,000 scalars hardly any has none.
    #[test]
    fn multiples() {
        for &curve in EdwardsCurve::ALL {
            let n = &curve.parameters().points;
            let bits = ShortMultiple::bits(curve.parameters());
            let mut none = 0;
            for v in scalars(curve, 2000) {
                let Some(multiple) = ShortMultiple::find(curve.parameters(), &v) else {
                    none += 1;
                    continue;
                };
                let ShortMultiple {
                    c,
                    d,
                    d_is_negative,
                } = multiple;
                let [n, c, d] = [n, &c, &d].map(big);
                assert!(c.bits() <= bits.into() && d.bits() <= bits.into() && d.bit(0));
                let product = &d * big(&v) % &n;
                let product = if d_is_negative { &n - product } else { product };
                assert_eq!(product, c, "{v:?}");
            }
            println!("{curve:?}: {none} of 2000 scalars without a short multiple");
            assert!(none <= 10);
        }
    }

    /// Small scalars have no short multiple that the search finds, and numbers that are none are refused.
    #[test]
    fn refusals() {
        for &curve in EdwardsCurve::ALL {
            let parameters = curve.parameters();
            let n = &parameters.points;
            for v in [0u64, 1, 2, u64::MAX] {
                let v = BoxedUint::from(v).resize_unchecked(n.bits_precision());
                assert!(ShortMultiple::find(parameters, &v).is_none());
            }
            let v = &scalars(curve, 9)[8];
            let right = ShortMultiple::find(parameters, v).unwrap();
            assert!(right.is_multiple_of(parameters, v));
            let one = BoxedUint::one_with_precision(right.c.bits_precision());
            let order = parameters.order.as_ref();
            let more = |number: &BoxedUint, summand: &BoxedUint| {
                let precision = n.bits_precision();
                number.resize_unchecked(precision).wrapping_add(summand)
            };
            let twice = |number: &BoxedUint| more(number, &more(number, &BoxedUint::zero()));
            let wrong = [
                (more(&right.c, &one), right.d.clone(), right.d_is_negative),
                (more(&right.c, order), right.d.clone(), right.d_is_negative),
                (right.c.clone(), more(&right.d, &one), right.d_is_negative),
                (twice(&right.c), twice(&right.d), right.d_is_negative),
                (right.c.clone(), right.d.clone(), !right.d_is_negative),
            ];
            for (c, d, d_is_negative) in wrong {
                let wrong = ShortMultiple {
                    c,
                    d,
                    d_is_negative,
                };
                assert!(!wrong.is_multiple_of(parameters, v), "{wrong:?}");
            }
        }
    }
}
