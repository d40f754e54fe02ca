//! Sizes of numbers in limbs, and the constants of a modulus.

use std::sync::LazyLock;

use crypto_bigint::{BoxedUint, NonZero, Odd, Resize, Word};
use zeroize::Zeroizing;

use crate::{
    integers::{canonical, digits, each_times_power, times_power},
    kept::{Kept, kept},
    program::{Limits, MAX_BITS, Magnitude, Part, public_length, recode::bits_at},
};
use sunzi_program::{
    content,
    seal::{Checksum, Content},
};

/// The width of a limb in bits.
pub(crate) const LIMB_BITS: u32 = 52;
/// All bits of a limb.
pub(crate) const LIMB_MASK: u64 = (1 << LIMB_BITS) - 1;

/// The numbers of limbs in a block that kernels are compiled for.
const BLOCKS: [usize; 3] = [5, 4, 3];

/// The least number of bits by which `F = 2^(52 n)` exceeds the moduli. They are the room for sums of a few
/// products of small multiples of products.
const LEAST_SLACK: u32 = 6;

/// The least number of such bits if numbers are folded. Products of two products need two.
const LEAST_FOLDED_SLACK: u32 = 4;

/// The number of limbs of folded numbers, which are one block. They are folded if that saves limbs.
const FOLDED_LIMBS: usize = 5;

/// The limbs of numbers of a size class.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct LimbPlan {
    /// The size class in bits: moduli are below `2^bits`.
    pub(crate) bits: u32,
    /// Number of limbs n, a multiple of `block`. The Montgomery factor is `F = 2^(52 n)`, if there is one.
    pub(crate) limbs: usize,
    /// Number of limbs in a block: kernels multiply blocks by blocks.
    pub(crate) block: usize,
    /// Number of bits of a limb, but for the highest, which may have 52.
    pub(crate) limb_bits: u32,
}

impl LimbPlan {
    /// The plan for a size class: the fewest limbs that are whole blocks, in the largest blocks.
    pub(crate) fn new(bits: u32) -> Self {
        let least = if bits + LEAST_FOLDED_SLACK <= FOLDED_LIMBS as u32 * LIMB_BITS {
            (bits + LEAST_FOLDED_SLACK).div_ceil(LIMB_BITS) as usize
        } else {
            (bits + LEAST_SLACK).div_ceil(LIMB_BITS) as usize
        };
        let plan = |block: usize| Self {
            bits,
            limbs: least.next_multiple_of(block),
            block,
            limb_bits: LIMB_BITS,
        };
        let plans = BLOCKS.map(plan);
        let first = plans[0];
        plans.into_iter().fold(
            first,
            |best, plan| {
                if plan.limbs < best.limbs { plan } else { best }
            },
        )
    }

    /// Number of bits by which F exceeds the moduli, in the plan for all moduli of the size.
    fn slack(self) -> u32 {
        Self::new(self.bits).limbs as u32 * LIMB_BITS - self.bits
    }

    /// Whether linear combinations that would not fit are folded: those of five limbs, of which the largest moduli
    /// leave at most [`LEAST_SLACK`] bits.
    pub(crate) fn folds(self) -> bool {
        self.slack() < LEAST_SLACK || (self.limbs == FOLDED_LIMBS && self.slack() == LEAST_SLACK)
    }

    /// The limits of programs.
    ///
    /// Numbers are never negative. A product of a sum of products `T` is `(T + q P)/F` with
    /// `0 <= q < F`. `T <= W 2^bits P` with `W = F / 2^bits` gives a result below 2 P; and a number
    /// of at most `W 2^bits` is at most F. A folded number is below 2 P, too
    /// ([`Kernels::combine`](crate::limbs::kernels::Kernels::combine)).
    pub(crate) fn limits(self) -> Limits {
        let product = Magnitude::interval(0, PRODUCT_MULTIPLE);
        Limits {
            product,
            operands: 1 << self.slack().min(MAX_SLACK),
            signed: false,
            folded: self.folds().then_some(product),
        }
    }

    /// The number of products that can be added up in columns before these are carried. One product and the
    /// reduction put up to 4 n values into a column, each further product 2 n.
    pub(crate) fn products_at_once(self) -> usize {
        COLUMN_CAPACITY / (2 * self.limbs) - 1
    }

    /// The Montgomery factor F of products modulo numbers of a form.
    fn factor(self, form: Form) -> BoxedUint {
        if form.is_direct() {
            BoxedUint::one()
        } else {
            self.capacity()
        }
    }

    /// `2^(52 n)`, which limbs are below.
    fn capacity(self) -> BoxedUint {
        let bits = self.limbs as u32 * LIMB_BITS;
        BoxedUint::one_with_precision(bits + 1).shl(bits)
    }

    /// Whether a number is within a magnitude of P, up to rounding errors.
    #[cfg(any(test, feature = "testing", debug_assertions))]
    pub(crate) fn is_within(self, limbs: &[u64], p: &[u64], magnitude: &Magnitude) -> bool {
        const ERROR: f64 = 1e-9;
        // The size in units of 2^bits.
        let size = |limbs: &[u64]| -> f64 {
            let weights =
                (0..).map(|k: i32| self.limb_bits.cast_signed() * k - self.bits.cast_signed());
            let terms = limbs.iter().zip(weights);
            terms
                .map(|(&limb, weight)| limb as f64 * f64::from(weight).exp2())
                .sum()
        };
        let (x, p, pieces) = (size(limbs), size(p), magnitude.pieces as f64);
        let (low, high) = (magnitude.low as f64 * p, magnitude.high as f64 * p);
        let error = ERROR * (low.abs() + high.abs() + pieces);
        x >= low - pieces - error && x <= high + pieces + error
    }

    /// The limbs of an integer below F in little-endian words.
    pub(crate) fn split(self, words: &[Word]) -> Zeroizing<Vec<u64>> {
        // All at once, because a vector that grows leaves its old memory unwiped.
        let mut limbs = digits::split(words, self.limb_bits, self.limbs);
        let highest = self.limbs - 1;
        limbs[highest] = bits_at(words, highest * self.limb_bits as usize, LIMB_BITS);
        Zeroizing::new(limbs)
    }
}

/// The largest number of values below `2^52` whose sum fits a lane, with some left for carries.
const COLUMN_CAPACITY: usize = 4096 - 16;
// A column of a sum of two products of the largest moduli fits.
const _: () = assert!(4 * (MAX_BITS.div_ceil(LIMB_BITS) as usize + 1) <= COLUMN_CAPACITY);

/// Products are below this many times P.
pub(crate) const PRODUCT_MULTIPLE: i64 = 2;

/// The largest slack that counts: larger magnitudes than `2^40` do not occur in programs.
const MAX_SLACK: u32 = 40;

/// The lowest bit of the highest limb from which folding estimates quotients.
pub(crate) const ESTIMATE_SHIFT: u32 = 12;

/// The form of a modulus: some primes have products of their own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Form {
    General,
    /// The prime of P-256.
    P256,
    /// `2^255 - 19`, the prime of Curve25519: products have no Montgomery factor.
    P25519,
    /// `2^256 - 2^32 - 977`, the prime of secp256k1: products have no Montgomery factor.
    Secp256k1,
    /// `2^384 - 2^128 - 2^96 + 2^32 - 1`, the prime of P-384: products have no Montgomery factor.
    P384,
    /// `2^448 - 2^224 - 1`, the prime of Curve448: products have no Montgomery factor.
    P448,
    /// `2^521 - 1`, the prime of P-521: products have no Montgomery factor.
    P521,
    /// The prime of BLS12-381's coordinates: products are those of any modulus.
    Bls12381,
}

/// A prime with a form of its own.
struct SpecialPrime {
    form: Form,
    /// The curve, or the prime itself where curves share it.
    name: &'static str,
    /// The size class in bits.
    bits: u32,
    /// The prime in hexadecimal digits, as many as its words have.
    hex: &'static str,
}

/// All primes with a form of their own.
const SPECIAL_PRIMES: [SpecialPrime; 7] = [
    SpecialPrime {
        form: Form::P256,
        name: "P-256",
        bits: 256,
        hex: "ffffffff00000001000000000000000000000000ffffffffffffffffffffffff",
    },
    SpecialPrime {
        form: Form::P25519,
        name: "2^255 - 19",
        bits: 256,
        hex: "7fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffed",
    },
    SpecialPrime {
        form: Form::Secp256k1,
        name: "secp256k1",
        bits: 256,
        hex: "fffffffffffffffffffffffffffffffffffffffffffffffffffffffefffffc2f",
    },
    SpecialPrime {
        form: Form::P384,
        name: "P-384",
        bits: 384,
        hex: "ffffffffffffffffffffffffffffffffffffffffffffffffffffffff\
              fffffffeffffffff0000000000000000ffffffff",
    },
    SpecialPrime {
        form: Form::P448,
        name: "2^448 - 2^224 - 1",
        bits: 448,
        hex: "fffffffffffffffffffffffffffffffffffffffffffffffffffffffe\
              ffffffffffffffffffffffffffffffffffffffffffffffffffffffff",
    },
    SpecialPrime {
        form: Form::P521,
        name: "P-521",
        bits: 576,
        hex: "1ff\
              ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff\
              ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff",
    },
    SpecialPrime {
        form: Form::Bls12381,
        name: "BLS12-381",
        bits: 384,
        hex: "1a0111ea397fe69a4b1ba7b6434bacd764774b84f38512bf\
              6730d2a0f6b0f6241eabfffeb153ffffb9feffffffffaaab",
    },
];

impl Form {
    /// The form of a modulus in a plan.
    pub(super) fn of(p: &BoxedUint, plan: LimbPlan) -> Self {
        /// The integers of [`SPECIAL_PRIMES`].
        static PRIMES: LazyLock<[BoxedUint; SPECIAL_PRIMES.len()]> = LazyLock::new(|| {
            SPECIAL_PRIMES.map(|special| {
                let prime = BoxedUint::from_str_radix_vartime(special.hex, 16);
                prime.expect("the digits are hexadecimal")
            })
        });
        let mut special = SPECIAL_PRIMES.iter().zip(&*PRIMES);
        let found = special.find(|(special, prime)| special.bits == plan.bits && *prime == p);
        found.map_or(Self::General, |(special, _)| special.form)
    }

    /// The primes of a size class that have a form of their own, with their names.
    pub(super) fn primes(bits: u32) -> impl Iterator<Item = (Self, &'static str)> {
        let of_size = move |special: &&SpecialPrime| special.bits == bits;
        (SPECIAL_PRIMES.iter().filter(of_size)).map(|special| (special.form, special.name))
    }

    /// Whether products have no Montgomery factor.
    fn is_direct(self) -> bool {
        !matches!(self, Self::General | Self::P256 | Self::Bls12381)
    }

    /// The number of limbs of the form's numbers, if these have fewer bits than others.
    fn short_limbs(self) -> Option<usize> {
        match self {
            Self::General | Self::P256 | Self::P25519 | Self::Secp256k1 | Self::Bls12381 => None,
            Self::P384 => Some(8),
            Self::P448 => Some(9),
            Self::P521 => Some(11),
        }
    }

    /// A power of two that integers below `2^bits` may exceed by far, and what it is modulo the prime. Numbers of forms with
    /// limbs of their own are always below 2 P.
    pub(crate) fn wrap(self, limb_bits: u32) -> Option<(u32, u64)> {
        match self {
            Self::P25519 if limb_bits == 51 => Some((255, 19)),
            Self::P521 => Some((521, 1)),
            _ => None,
        }
    }
}

/// An odd modulus P with its constants; wiped on drop.
pub(crate) struct LimbModulus {
    pub(crate) plan: LimbPlan,
    /// P in limbs. If numbers are folded, P is a multiple of the given modulus that fills the plan's bits.
    pub(crate) limbs: Zeroizing<Vec<u64>>,
    /// The form of P, which is public: secret moduli are of no special form.
    pub(crate) form: Form,
    /// `2^(52 n) - P` in limbs.
    pub(crate) complement: Zeroizing<Vec<u64>>,
    /// `-P^-1 mod 2^52`.
    pub(crate) negative_inverse: Zeroizing<u64>,
    /// `floor(2^52 2^e / P)`, where `2^e` is the weight of bit [`ESTIMATE_SHIFT`] of the highest limb; 0 if
    /// numbers are not folded.
    pub(crate) reciprocal: Zeroizing<u64>,
    /// `F^2 mod P` in limbs.
    pub(crate) factor_squared: Zeroizing<Vec<u64>>,
    /// P in whole words.
    words: Zeroizing<Vec<Word>>,
    /// The given modulus, if P is a multiple of it.
    divisor: Option<Zeroizing<NonZero<BoxedUint>>>,
}

content!(LimbPlan {
    bits,
    limbs,
    block,
    limb_bits
});
content!(LimbModulus {
    plan,
    limbs,
    form,
    complement,
    negative_inverse,
    reciprocal,
    factor_squared,
    words,
    divisor,
});
kept!(LimbModulus);

impl Content for Form {
    fn add_to(&self, sum: &mut Checksum) {
        sum.word(*self as u64);
    }
}

impl LimbModulus {
    /// Prepares a modulus of at most `bits` bits, for a device that has products of these forms, with limbs of so many
    /// bits. The time depends on its size only.
    pub(crate) fn new(value: &Odd<BoxedUint>, bits: u32, forms: &[(Form, u32)]) -> Self {
        let mut plan = LimbPlan::new(bits);
        let given = public_length(value.as_ref());
        let (p, divisor) = if plan.folds() && given + SMALLER_BITS <= bits {
            let multiple = filling_multiple(value, bits);
            (multiple, Some(Zeroizing::new(value.as_nz_ref().clone())))
        } else {
            (Zeroizing::new(value.as_ref().clone()), None)
        };
        let count = p.bits_precision().div_ceil(Word::BITS) as usize;
        let words = Zeroizing::new(p.as_words()[..count].to_vec());
        let of_p = Form::of(&p, plan);
        let form = match forms.iter().find(|(form, _)| *form == of_p) {
            Some(&(form, limb_bits)) => {
                plan.limb_bits = limb_bits;
                plan.limbs = form.short_limbs().unwrap_or(plan.limbs);
                form
            }
            None => Form::General,
        };
        let limbs = plan.split(&words);
        let one = BoxedUint::one();
        let factor_squared = times_power(&one, &plan.factor(form), 2, &words);
        let complement = Zeroizing::new(plan.capacity().wrapping_sub(&*p));
        Self {
            plan,
            form,
            complement: plan.split(complement.as_words()),
            negative_inverse: Zeroizing::new(negative_inverse(limbs[0])),
            reciprocal: Zeroizing::new(if plan.folds() {
                reciprocal(&p, plan)
            } else {
                0
            }),
            factor_squared: plan.split(factor_squared.as_words()),
            limbs,
            words,
            divisor,
        }
    }

    /// Each integer times F to the power of its form, modulo P, in limbs.
    pub(crate) fn constants(
        &self,
        integers: &[Zeroizing<BoxedUint>],
        forms: &[i32],
    ) -> LimbConstants {
        let factor = self.plan.factor(self.form);
        let count = self.plan.limbs;
        let stride = integers.len() + LimbConstants::READ_AHEAD;
        let whole_block = count.next_multiple_of(LimbConstants::BLOCK) - count;
        let mut limbs = Zeroizing::new(Vec::with_capacity(count * integers.len() + whole_block));
        let mut by_limb = Zeroizing::new(vec![0; count * stride]);
        let mut number = 0;
        each_times_power(integers, forms, &factor, &self.words, |words| {
            let split = self.plan.split(words);
            limbs.extend_from_slice(&split);
            for (k, &limb) in split.iter().enumerate() {
                by_limb[k * stride + number] = limb;
            }
            number += 1;
        });
        limbs.extend(core::iter::repeat_n(0, whole_block));
        LimbConstants {
            limbs,
            by_limb,
            count,
            stride,
        }
    }

    /// The canonical integer of a number of at most `2 P` in limbs.
    pub(crate) fn leave(&self, limbs: impl Iterator<Item = u64>) -> Zeroizing<BoxedUint> {
        /// The largest number of words that are joined on the stack: 576 bits, or half as many on 32-bit processors.
        const SHORT: usize = 9;
        let count = self.words.len();
        let mut short = Zeroizing::new([0; SHORT + 1]);
        let mut long = Zeroizing::new(Vec::new());
        let words = if count <= SHORT {
            &mut short[..=count]
        } else {
            long.resize(count + 1, 0);
            &mut long[..]
        };
        // The highest limb may have more bits than a digit.
        let limb_bits = self.plan.limb_bits;
        let mut above = 0;
        let digits = limbs.chain([0]).map(|limb| {
            let sum = limb + above;
            above = sum >> limb_bits;
            sum & ((1 << limb_bits) - 1)
        });
        digits::join(digits, limb_bits, words);
        canonical::subtract_up_to(words, &self.words, PRODUCT_MULTIPLE as u32);
        let canonical = Zeroizing::new(BoxedUint::from_words(words[..count].iter().copied()));
        match &self.divisor {
            None => canonical,
            Some(divisor) => {
                let rest = Zeroizing::new(canonical.rem(divisor));
                Zeroizing::new((&*rest).resize_unchecked(divisor.bits_precision()))
            }
        }
    }

    /// The given modulus.
    pub(crate) fn given(&self) -> Odd<BoxedUint> {
        let given = match &self.divisor {
            None => BoxedUint::from_words(self.words.iter().copied()),
            Some(divisor) => BoxedUint::clone(divisor),
        };
        Odd::new(given).expect("moduli are odd")
    }

    /// Whether P is the given modulus, and not a multiple of it.
    pub(crate) fn is_whole(&self) -> bool {
        self.divisor.is_none()
    }
}

/// The number of bits by which a modulus may be shorter than the plan's bits. If numbers are folded, a
/// shorter modulus is replaced by a multiple, lest the reciprocal exceed a limb.
const SMALLER_BITS: u32 = 16;

/// The largest odd multiple of a modulus below `2^bits`.
fn filling_multiple(value: &Odd<BoxedUint>, bits: u32) -> Zeroizing<BoxedUint> {
    let most = Zeroizing::new(BoxedUint::max(bits));
    let value = Zeroizing::new(value.as_ref().resize_unchecked(bits));
    let mut quotient = quotient(&most, &value);
    // Made odd: one less if it is even.
    quotient.as_mut_words()[0] = (quotient.as_words()[0] - 1) | 1;
    Zeroizing::new(quotient.wrapping_mul(&*value).resize_unchecked(bits))
}

/// The value of [`LimbModulus::reciprocal`].
fn reciprocal(p: &BoxedUint, plan: LimbPlan) -> u64 {
    let bits = (plan.limbs as u32 - 1) * LIMB_BITS + ESTIMATE_SHIFT + LIMB_BITS;
    let power = BoxedUint::one_with_precision(bits + 1).shl(bits);
    let p = Zeroizing::new(p.resize_unchecked(power.bits_precision()));
    quotient(&power, &p).as_words()[0]
}

/// `floor(x / p)` for a modulus p of as many words as x.
fn quotient(x: &BoxedUint, p: &BoxedUint) -> Zeroizing<BoxedUint> {
    let divisor = NonZero::new(p.clone()).into_option();
    let divisor = Zeroizing::new(divisor.expect("a modulus is odd"));
    Zeroizing::new(x.div_rem(&divisor).0)
}

/// The constants of one modulus that programs use; wiped on drop.
pub(crate) struct LimbConstants {
    /// The limbs of one constant after the other, for look-ups of one constant, and zeros after the last one up to whole
    /// [blocks](Self::block).
    limbs: Zeroizing<Vec<u64>>,
    /// The lowest limb of each constant, then the second, for look-ups that read many constants.
    by_limb: Zeroizing<Vec<u64>>,
    /// Number of limbs of a constant.
    count: usize,
    /// Number of limbs in a row of `by_limb`: of all constants, and [`READ_AHEAD`](Self::READ_AHEAD) more.
    stride: usize,
}

impl Kept for LimbConstants {
    fn add_part(&self, part: Part, sum: &mut Checksum) {
        let Self {
            limbs,
            by_limb,
            count,
            stride,
        } = self;
        match part {
            Part::Single => {
                let single = limbs.len().min(Part::SINGLE * count);
                limbs[..single].add_to(sum);
                count.add_to(sum);
            }
            Part::Public => limbs.add_to(sum),
            Part::Secret => {
                by_limb.add_to(sum);
                stride.add_to(sum);
            }
        }
    }
}

impl LimbConstants {
    /// The number of limbs that may be read beyond the last constant.
    pub(crate) const READ_AHEAD: usize = 16;

    /// Number of limbs of a [block](Self::block).
    const BLOCK: usize = 8;

    /// Eight limbs of constant `number`, from limb `8 block` on, of which those beyond its own are others.
    pub(crate) fn block(&self, number: usize, block: usize) -> &[u64; Self::BLOCK] {
        let first = number * self.count + block * Self::BLOCK;
        let block = self.limbs[first..].first_chunk();
        block.expect("the last constant is followed by zeros up to whole blocks")
    }

    /// Limb k of the constants from number `first` on.
    pub(crate) fn limbs_from(&self, k: usize, first: usize) -> &[u64] {
        &self.by_limb[k * self.stride..][first..self.stride]
    }
}

/// `-p^-1 mod 2^52` for an odd p, by Newton's iteration `y := y (2 - p y)`, each step of which doubles the
/// number of correct bits. `p` itself is its inverse modulo 8.
fn negative_inverse(p: u64) -> u64 {
    let mut inverse = p;
    for _ in 0..5 {
        let error = 2u64.wrapping_sub(p.wrapping_mul(inverse));
        inverse = inverse.wrapping_mul(error);
    }
    inverse.wrapping_neg() & LIMB_MASK
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::program::{MAX_BITS, MIN_BITS, size_class};

    /// Every size class has whole blocks, room for the limits, and few limbs more than necessary.
    #[test]
    fn sizes_of_all_classes() {
        for bits in (MIN_BITS..=MAX_BITS)
            .step_by(64)
            .chain([254])
            .map(size_class)
        {
            let plan = LimbPlan::new(bits);
            let room = plan.limbs as u32 * LIMB_BITS;
            let slack = if plan.folds() {
                LEAST_FOLDED_SLACK
            } else {
                LEAST_SLACK
            };
            assert!(room >= bits + slack && plan.limbs.is_multiple_of(plan.block));
            assert!(room < bits + LEAST_SLACK + 3 * LIMB_BITS, "{plan:?}");
            let limits = plan.limits();
            assert!(!plan.folds() || plan.limbs == FOLDED_LIMBS);
            let square = limits.product.weight().pow(2);
            assert!(square <= limits.operands, "{plan:?}");
        }
        let limbs = [254, 256, 384, 1024, 1536, 2048, 3072, 4096];
        let limbs = limbs.map(|bits| LimbPlan::new(bits).limbs);
        assert_eq!(limbs, [5, 5, 8, 20, 30, 40, 60, 80]);
        let folds = [254, 256, 384].map(|bits| LimbPlan::new(bits).folds());
        assert_eq!(folds, [true, true, false]);
    }

    #[test]
    fn special_primes() {
        for prime in SPECIAL_PRIMES {
            let power = |exponent: u32| BoxedUint::one_with_precision(prime.bits).shl(exponent);
            let less = |x: BoxedUint, y: BoxedUint| x.wrapping_sub(&y);
            let expected = match prime.form {
                Form::General => unreachable!("it is no special form"),
                Form::P256 => {
                    let upper = less(BoxedUint::zero_with_precision(256), power(224));
                    let lower = less(power(96), BoxedUint::one());
                    upper.wrapping_add(power(192)).wrapping_add(&lower)
                }
                Form::P25519 => less(power(255), BoxedUint::from(19u8)),
                Form::Secp256k1 => less(BoxedUint::zero_with_precision(256), power(32))
                    .wrapping_sub(BoxedUint::from(977u16)),
                Form::P384 => {
                    let upper = less(BoxedUint::zero_with_precision(384), power(128));
                    let lower = less(power(32), BoxedUint::one());
                    less(upper, power(96)).wrapping_add(&lower)
                }
                Form::P448 => {
                    let upper = less(BoxedUint::zero_with_precision(448), power(224));
                    less(upper, BoxedUint::one())
                }
                Form::P521 => less(power(521), BoxedUint::one()),
                Form::Bls12381 => {
                    // With x = -0xd201000000010000: ((x - 1)^2 (x^4 - x^2 + 1)) / 3 + x.
                    let x = BoxedUint::from(0xd201_0000_0001_0000u64).resize_unchecked(448);
                    let one = BoxedUint::one_with_precision(448);
                    let square = x.wrapping_mul(&x);
                    let r = square
                        .wrapping_mul(&square)
                        .wrapping_sub(&square)
                        .wrapping_add(&one);
                    let next = x.wrapping_add(&one);
                    let product = next.wrapping_mul(&next).wrapping_mul(&r);
                    let three = NonZero::new(BoxedUint::from(3u64).resize_unchecked(448)).unwrap();
                    let third = product.div_rem(&three).0;
                    third.wrapping_sub(&x).resize_unchecked(prime.bits)
                }
            };
            let expected = Odd::new(expected).unwrap();
            let modulus = LimbModulus::new(&expected, prime.bits, &[(prime.form, LIMB_BITS)]);
            assert_eq!(modulus.form, prime.form);
        }
    }

    #[test]
    fn inverses() {
        for p in [1, 3, 5, 0xf_ffff_ffff_ffff, 0x8_0000_0000_0001, 12_345_677] {
            let product = p * u128::from(negative_inverse(p as u64));
            assert_eq!(product & u128::from(LIMB_MASK), u128::from(LIMB_MASK));
        }
    }
}
