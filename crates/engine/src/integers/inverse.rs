//! Inverses modulo odd numbers by division steps, in constant time (Bernstein and Yang, "Fast constant-time gcd computation and
//! modular inversion", 2019, with delta from a half on, as Wuille has proposed).
//!
//! A *division step* takes (delta, f, g), with an odd f, to
//! - `(1 - delta, g, (g - f)/2)` if delta is positive and g odd,
//! - `(1 + delta, f, (g + (g mod 2) f)/2)` otherwise.
//!
//! From `(1/2, P, x)` the number g comes to 0, and f to the greatest common divisor or its negative. [`AT_ONCE`] steps depend
//! on the lowest words of f and g alone: they are done on these, and give a matrix by which f and g, and the numbers d and e with
//! `d x = f` and `e x = g` modulo P, are multiplied.

use core::{array, hint::black_box};

use crypto_bigint::{BoxedUint, Odd, Word};
use zeroize::{Zeroize, Zeroizing};

use super::{digits, negative_inverse, remainder};
use crate::program::recode::bits_at;

/// Number of steps whose matrix is made at once, and bits of a limb.
const AT_ONCE: u32 = 2 * HALF;

/// Half of them.
const HALF: u32 = 30;

/// The bits of a limb.
const MASK: i64 = (1 << AT_ONCE) - 1;

/// The most bits of a modulus, in whole words.
pub(crate) const MOST_BITS: u32 = 576;

/// The predicted time of an inverse modulo a number of this size, in nanoseconds; `None` for one that is too large. A Xeon core
/// (Emerald Rapids) has been measured.
pub(crate) fn predicted_ns(bits: u32) -> Option<f64> {
    (bits <= MOST_BITS).then_some(8.0 * f64::from(bits))
}

/// A number in limbs of [`AT_ONCE`] bits, the lowest first; the highest has the sign. Wiped on drop.
#[derive(Clone)]
struct Signed<const L: usize>([i64; L]);

impl<const L: usize> Drop for Signed<L> {
    fn drop(&mut self) {
        self.0.zeroize();
    }
}

impl<const L: usize> Signed<L> {
    /// A number in words.
    fn new(words: &[Word]) -> Self {
        Self(array::from_fn(|limb| {
            bits_at(words, limb * AT_ONCE as usize, AT_ONCE).cast_signed()
        }))
    }

    /// Writes the words of a number that is not negative.
    fn leave(&self, words: &mut [Word]) {
        let limbs = self.0.iter().map(|&limb| limb.cast_unsigned());
        digits::join(limbs, AT_ONCE, words);
    }

    /// All ones if it is negative, and zero if not. The compiler does not see that there are two values.
    fn sign(&self) -> i64 {
        black_box(self.0[L - 1] >> 63)
    }

    /// Adds P where the mask is all ones, then negates where `negative` is; ends with limbs of [`AT_ONCE`] bits.
    fn add_and_negate(&mut self, p: &Self, mask: i64, negative: i64) {
        let mut carry = 0;
        for (limb, &p) in self.0.iter_mut().zip(&p.0) {
            let sum = ((*limb + (p & mask)) ^ negative) - negative + carry;
            *limb = sum & MASK;
            carry = sum >> AT_ONCE;
        }
        // The highest limb keeps its sign.
        self.0[L - 1] += carry << AT_ONCE;
    }
}

/// The matrix of division steps, times a power of two: the new f is `u f + v g` and the new g `q f + r g`, divided by it.
struct Matrix {
    u: i64,
    v: i64,
    q: i64,
    r: i64,
}

/// [`HALF`] division steps on the lowest bits of f and g. `delta` is twice that of the text above. The rows of the matrix,
/// each number times `2^HALF`, are packed: the first number of a row plus `2^32` times the second.
fn half(delta: &mut i64, f: &mut i64, g: &mut i64, [u, q]: &mut [i64; 2]) {
    for _ in 0..HALF {
        // All ones for an odd g, and for a positive delta. The compiler must not see that there are two values.
        let odd = black_box((*g & 1).wrapping_neg());
        let swap = black_box((-*delta) >> 63) & odd;
        // Plus, or minus in the other branch.
        let signed = |x: i64| (x & odd ^ swap).wrapping_sub(swap);
        let (old_g, old_q) = (*g, *q);
        *g = g.wrapping_add(signed(*f)) >> 1;
        *q = q.wrapping_add(signed(*u));
        *f ^= (*f ^ old_g) & swap;
        *u = (*u ^ (*u ^ old_q) & swap).wrapping_mul(2);
        *delta = (*delta ^ swap) - swap + 2;
    }
}

/// The matrix of [`AT_ONCE`] division steps, times `2^AT_ONCE`. The absolute values of a row sum up to at most `2^AT_ONCE`.
fn division_steps(delta: &mut i64, mut f: i64, mut g: i64) -> Matrix {
    // Absolute values in a row of half as many steps sum up to at most 2^HALF: the two numbers of a row fit into a word.
    let mut half = || {
        let mut rows = [1, 1 << 32];
        half(delta, &mut f, &mut g, &mut rows);
        let [[u, v], [q, r]] = rows.map(|row| {
            let low = i64::from(row as i32);
            [low, (row - low) >> 32]
        });
        Matrix { u, v, q, r }
    };
    let (first, second) = (half(), half());
    let row = |x: i64, y: i64| [x * first.u + y * first.q, x * first.v + y * first.r];
    let ([u, v], [q, r]) = (row(second.u, second.v), row(second.q, second.r));
    Matrix { u, v, q, r }
}

/// `(u x + v y) / 2^AT_ONCE` and `(q x + r y) / 2^AT_ONCE` with multiples of P that make both integers, if there is a P: of the
/// low limbs of what is divided `inverse` makes the multiples, for `inverse = P^-1` modulo `2^AT_ONCE`.
///
/// Without P both are integers. With it x and y must be between -2 P and P, and the results are.
fn multiply<const L: usize>(
    Matrix { u, v, q, r }: &Matrix,
    x: &mut Signed<L>,
    y: &mut Signed<L>,
    p: Option<(&Signed<L>, i64)>,
) {
    let product = |x: i64, y: i64| i128::from(x) * i128::from(y);
    let rows = |x: i64, y: i64| {
        [
            product(*u, x) + product(*v, y),
            product(*q, x) + product(*r, y),
        ]
    };
    // Lifts: the factor of a negative x or y is added to the multiple, so that results are above -2 P.
    let multiples = p.map(|(p, inverse)| {
        let (x_sign, y_sign) = (x.sign(), y.sign());
        let lifts = [(u & x_sign) + (v & y_sign), (q & x_sign) + (r & y_sign)];
        let lows = rows(x.0[0], y.0[0]);
        let multiple = |lift: i64, low: i128| {
            lift - ((low as i64).wrapping_mul(inverse).wrapping_add(lift) & MASK)
        };
        (
            p,
            [multiple(lifts[0], lows[0]), multiple(lifts[1], lows[1])],
        )
    });
    let mut sums = [0_i128; 2];
    for limb in 0..L {
        let [mut first, mut second] = rows(x.0[limb], y.0[limb]);
        if let Some((p, multiples)) = &multiples {
            first += product(multiples[0], p.0[limb]);
            second += product(multiples[1], p.0[limb]);
        }
        sums[0] += first;
        sums[1] += second;
        if limb == 0 {
            debug_assert!(sums.iter().all(|&sum| sum as i64 & MASK == 0));
        } else {
            x.0[limb - 1] = sums[0] as i64 & MASK;
            y.0[limb - 1] = sums[1] as i64 & MASK;
        }
        sums = sums.map(|sum| sum >> AT_ONCE);
    }
    x.0[L - 1] = sums[0] as i64;
    y.0[L - 1] = sums[1] as i64;
}

/// The number of division steps after which g is 0 for f and g below `2^bits` (Wuille's bound for steps from a half on).
fn steps(bits: u32) -> u32 {
    (45_907 * bits + 30_179) / 19_929
}

/// [`invert`] with so many limbs.
fn invert_limbs<const L: usize>(x: &mut [Word], p: &[Word]) -> bool {
    let bits = Word::BITS * p.len() as u32;
    debug_assert!(L as u32 * AT_ONCE >= bits + 2);
    let modulus = Signed::<L>::new(p);
    let inverse = Zeroizing::new(negative_inverse(p[0]).wrapping_neg().cast_signed());
    let (mut f, mut g) = (modulus.clone(), Signed::<L>::new(x));
    let (mut d, mut e) = (Signed([0; L]), Signed([0; L]));
    e.0[0] = 1;
    let mut delta = 1;
    for _ in 0..steps(bits).div_ceil(AT_ONCE) {
        let matrix = division_steps(&mut delta, f.0[0], g.0[0]);
        multiply(&matrix, &mut f, &mut g, None);
        multiply(&matrix, &mut d, &mut e, Some((&modulus, *inverse)));
    }
    debug_assert!(g.0.iter().all(|&limb| limb == 0));
    // d x = f, which is 1 or -1, modulo P: into [0, P) by P if it is negative, the sign of f, and P again.
    let negative = d.sign();
    d.add_and_negate(&modulus, negative, f.sign());
    let negative = d.sign();
    d.add_and_negate(&modulus, negative, 0);
    d.leave(x);
    let negative = f.sign();
    f.add_and_negate(&modulus, 0, negative);
    let [lowest, others @ ..] = &f.0[..] else {
        return false;
    };
    others.iter().fold(lowest ^ 1, |bits, limb| bits | limb) == 0
}

/// `x := x^-1` modulo an odd P. Constant time in both; their sizes are public.
///
/// Requires `x < P`, as many words for x as for P, and at most [`MOST_BITS`] in them. Ensures a result below P, which is 0 for 0;
/// returns whether it is the inverse, as it is if x and P have no common divisor.
pub(crate) fn invert(x: &mut [Word], p: &[Word]) -> bool {
    let bits = Word::BITS * p.len() as u32;
    debug_assert!(x.len() == p.len() && bits <= MOST_BITS);
    match bits {
        0..=256 => invert_limbs::<5>(x, p),
        257..=384 => invert_limbs::<7>(x, p),
        _ => invert_limbs::<10>(x, p),
    }
}

/// The inverse of x modulo an odd number; `None` if they have a common divisor. Constant time: only their sizes are revealed, and
/// whether there is an inverse.
pub fn inverse(x: &BoxedUint, modulus: &Odd<BoxedUint>) -> Option<Zeroizing<BoxedUint>> {
    let p = modulus.as_ref().as_words();
    let x = remainder(x, modulus.as_nz_ref());
    if Word::BITS * p.len() as u32 > MOST_BITS {
        return Option::from(x.invert_odd_mod(modulus)).map(Zeroizing::new);
    }
    let mut words = Zeroizing::new(vec![0; p.len()]);
    for (word, &of_x) in words.iter_mut().zip(x.as_words()) {
        *word = of_x;
    }
    let inverse = |words: &[Word]| Zeroizing::new(BoxedUint::from_words(words.iter().copied()));
    invert(&mut words, p).then(|| inverse(&words))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// The numbers of words of moduli.
    const LENGTHS: usize = (MOST_BITS / Word::BITS) as usize;

    /// Asserts that an inverse is that of the library of big integers, if there is one.
    fn check(x: &[Word], p: &[Word]) {
        let mut words = x.to_vec();
        let is_inverse = invert(&mut words, p);
        let [x, p, found] = [x, p, &words].map(|words| BoxedUint::from_words(words.to_vec()));
        let modulus = Odd::new(p.clone()).unwrap();
        assert!(found < p);
        let right = Option::<BoxedUint>::from(x.invert_odd_mod(&modulus));
        assert_eq!(is_inverse, right.is_some(), "{x} modulo {p}");
        assert_eq!(inverse(&x, &modulus).as_deref(), right.as_ref());
        match right {
            Some(right) => assert_eq!(found, right, "the inverse of {x} modulo {p}"),
            None if bool::from(x.is_zero()) => assert!(bool::from(found.is_zero())),
            None => {}
        }
    }

    /// Numbers modulo small odd numbers, also those that have no inverse.
    #[test]
    fn all_of_small_moduli() {
        for p in (3..300).step_by(2) {
            for length in [1, 4, 6, LENGTHS] {
                for x in 0..p {
                    let [mut words, mut modulus] = [(); 2].map(|()| vec![0; length]);
                    (words[0], modulus[0]) = (x, p);
                    check(&words, &modulus);
                }
            }
        }
    }

    /// Numbers near 0, P/2 and P, and powers of two, modulo the largest and the smallest numbers of each length.
    #[test]
    fn extreme_numbers() {
        for length in 1..=LENGTHS {
            let mut least = vec![0; length];
            least[0] = 1;
            least[length - 1] |= 1 << (Word::BITS - 1);
            let mut greatest = vec![Word::MAX; length];
            greatest[0] -= 188;
            for p in [least, greatest, vec![Word::MAX; length]] {
                let modulus = BoxedUint::from_words(p.clone());
                let mut numbers = vec![BoxedUint::zero_with_precision(modulus.bits_precision())];
                for small in 1..20_u32 {
                    let small = BoxedUint::from(small);
                    let half = modulus.shr_vartime(1).unwrap();
                    numbers.push(modulus.wrapping_sub(&small));
                    numbers.push(half.wrapping_add(&small));
                    numbers.push(half.wrapping_sub(&small));
                    numbers.push(numbers[0].wrapping_add(&small));
                }
                for bit in 0..modulus.bits_vartime() - 1 {
                    let one = BoxedUint::one_with_precision(modulus.bits_precision());
                    numbers.push(one.shl_vartime(bit).unwrap());
                }
                for x in numbers {
                    let mut words = x.as_words().to_vec();
                    words.resize(length, 0);
                    if x < modulus {
                        check(&words, &p);
                    }
                }
            }
        }
    }

    proptest! {
        #[test]
        fn random_numbers(words in proptest::collection::vec(any::<[Word; 2]>(), 1..=LENGTHS)) {
            let [x, mut p] = [0, 1].map(|k| words.iter().map(|pair| pair[k]).collect::<Vec<_>>());
            p[0] |= 1;
            let x = BoxedUint::from_words(x);
            let modulus = Odd::new(BoxedUint::from_words(p.clone())).unwrap();
            check(x.rem_vartime(modulus.as_nz_ref()).as_words(), &p);
        }
    }
}
