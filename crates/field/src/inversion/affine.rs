//! The affine form of residues, in which a division by 2, 3, 4, 6 or 12 modulo `P` costs one
//! product and one addition in each channel, and `|X|_4` and `|X|_3` are computed with a Cox.
//!
//! ```text
//! X^_i = |(X + C0) (M/m_i)^-1|_{m_i},    C0 = 12P
//! q    = floor(1/2 + sum trunc_t(X^_i) / 2^w)
//! |X|_k = |sum X^_i |M/m_i|_k - q |M|_k|_k,    k = 4 or 12
//! div_D(X)^ = X^ / D + f_D(X) P1 / D + (D - 1) C1 / D     = ((X + f_D(X) P) / D)^
//! ```
//!
//! with `C1 = C0 (M/m_i)^-1` and `P1 = P (M/m_i)^-1` in every channel, and
//! `f_D(X) = -X P^-1 mod D`, taken in `[-D/2 + 1, D/2]`, or in `[-1, 1]` for `D = 3`.
//!
//! In and out: numbers in `(-2P/3, P]`. For these `q` is exact if
//!
//! ```text
//! E <= 1/2 + (C0 - 2P/3) / M      E: the Cox is too low by at most E
//! (C0 + P) / M + 1/2 < 1
//! ```
//!
//! Source: K. Bigou and A. Tisserand, "Binary-Ternary Plus-Minus Modular Inversion in RNS",
//! IEEE Transactions on Computers 65 (2016), section IV.C, equations (1) and (2), and IV.D,
//! equation (3). Differences: the Cox starts at 1/2, which the paper does not state but which is
//! necessary; its precision `t` comes from the condition above, not from experiments (`t = 5` is
//! unsafe for P-521 with 22 moduli of 24 bits, although random tests pass); the weights
//! `|M/m_i|_k` are stored, so the moduli need not be 1 modulo 12, only coprime to 12.

use alloc::vec::Vec;

use crypto_bigint::{BoxedUint, ConcatenatingMul, NonZero, Resize};
use sunzi_rns::extend::cox::Cox;
use sunzi_rns::{Base, Channel, Fixed, Plain, Residues};

use super::error::InversionError;
use super::update;

/// The offset `C0`, as a multiple of `P`.
const OFFSET: u64 = 12;

/// The number of binary digits of the limit on `E`.
const LIMIT_BITS: u32 = 60;

/// A number `X` in affine form, with its residue modulo 4 or 12.
#[derive(Clone, Debug)]
pub(super) struct AffineNumber {
    /// The affine form `X^`.
    hat: Vec<u128>,
    /// `|X|_k`.
    pub(super) small: u32,
}

/// The kind of dividend: one number, or the sum or difference of two affine forms. A sum contains
/// one `C1` too many and a difference one too few; the division corrects this.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Dividend {
    Single,
    Sum,
    Difference,
}

/// The constants of the affine form modulo `P` in one base.
#[derive(Clone, Debug)]
pub(super) struct Affine {
    base: Base,
    p: NonZero<BoxedUint>,
    /// The modulus `k` of the small residues: 4 or 12.
    divisors: u32,
    cox: Cox,
    /// `|M/m_i|_k` for each channel.
    weights: Vec<u128>,
    /// `|M|_k`.
    range_small: u128,
    /// `|P|_k`.
    p_small: u32,
    /// The residues of `C0`.
    c0: Residues,
    /// `C1` in each channel.
    c1: Vec<u128>,
    /// `|M/m_i|_{m_i}` for each channel.
    cofactors: Vec<u128>,
    /// The residues of `P`.
    p_residues: Residues,
    divisions: Vec<Division>,
    /// 0, 1 and `P`, the start values of the algorithms.
    start: [AffineNumber; 3],
    /// -1 in affine form.
    minus_one: Vec<u128>,
}

/// The constants of a division by `D`.
#[derive(Clone, Debug)]
struct Division {
    divisor: u32,
    /// `D^-1` in each channel.
    inverse: Vec<u128>,
    /// `[dividend][f - lowest f]`: `(f P1 + (D - 1) C1) / D`, with one `C1` less for a sum
    /// and one more for a difference.
    constants: [Vec<Vec<u128>>; 3],
}

impl Affine {
    /// The affine form with the smallest number of bits in the Cox that is exact.
    pub(super) fn new(base: &Base, p: &BoxedUint, divisors: u32) -> Result<Self, InversionError> {
        let p = check(base, p, divisors)?;
        let limit = error_limit(base, &p);
        let needed = fewest_bits(base, limit);
        // If no number of bits is enough, the error is that of the best Cox.
        let kept = needed.unwrap_or(base.width());
        Self::with_kept_bits(base, &p, divisors, kept)
    }

    /// The affine form with `t` bits in the Cox.
    pub(super) fn with_kept_bits(
        base: &Base,
        p: &BoxedUint,
        divisors: u32,
        kept: u32,
    ) -> Result<Self, InversionError> {
        let p = check(base, p, divisors)?;
        let cox = Cox::new(base, kept, Fixed::HALF)?;
        let (error, limit) = (cox.error_bound(), error_limit(base, &p));
        if error > limit {
            let needed = fewest_bits(base, limit);
            return Err(InversionError::CoxPrecision {
                kept,
                error,
                limit,
                needed,
            });
        }
        Ok(Self::unchecked(base, &p, divisors, cox))
    }

    fn unchecked(base: &Base, p: &NonZero<BoxedUint>, divisors: u32, cox: Cox) -> Self {
        let c0 = Residues::reduced(base, &p.concatenating_mul(BoxedUint::from(OFFSET)));
        let p_residues = Residues::reduced(base, p);
        let c1 = c0.crt_digits(&Plain).to_vec();
        let p1 = p_residues.crt_digits(&Plain).to_vec();
        let small = |x: &BoxedUint| rem_small(x, divisors);
        let used: &[u32] = if divisors == 4 {
            &[2, 4]
        } else {
            &[2, 3, 4, 6, 12]
        };
        let one = Residues::one(base);
        let number = |x: &Residues, small| AffineNumber {
            hat: hat(&Plain, &c0, x),
            small,
        };
        Self {
            weights: (0..base.len())
                .map(|i| small(&base.cofactor(i)).into())
                .collect(),
            range_small: small(base.product()).into(),
            p_small: small(p),
            cofactors: (0..base.len())
                .map(|i| base.moduli()[i].reduce_uint(&base.cofactor(i)))
                .collect(),
            divisions: used
                .iter()
                .map(|&d| Division::new(base, d, &p1, &c1))
                .collect(),
            start: [
                number(&Residues::zero(base), 0),
                number(&one, 1),
                number(&p_residues, small(p)),
            ],
            minus_one: hat(&Plain, &c0, &-&one),
            base: base.clone(),
            p: p.clone(),
            divisors,
            cox,
            c0,
            c1,
            p_residues,
        }
    }

    /// The base.
    pub(super) fn base(&self) -> &Base {
        &self.base
    }

    /// `P`.
    pub(super) fn p(&self) -> &NonZero<BoxedUint> {
        &self.p
    }

    /// The number of bits kept in the Cox, `t`.
    pub(super) fn kept_bits(&self) -> u32 {
        self.cox.kept_bits()
    }

    /// 0, 1 and `P`, the start values of the algorithms.
    pub(super) fn start(&self) -> [AffineNumber; 3] {
        self.start.clone()
    }

    /// `X` in affine form. In: `0 <= X <= P`. Cost: `n` EMA and `n` EMM.
    pub(super) fn enter(&self, channel: &impl Channel, x: &Residues) -> AffineNumber {
        let hat = hat(channel, &self.c0, x);
        AffineNumber {
            small: self.small(&hat),
            hat,
        }
    }

    /// The residues of `X + P`, or of `-X + P` if `negative`. In: `-2P/3 < X < P`. Cost: `2n` EMA
    /// and `n` EMM.
    pub(super) fn leave(
        &self,
        channel: &impl Channel,
        x: &AffineNumber,
        negative: bool,
    ) -> Residues {
        let channels = self.base.moduli().iter().enumerate();
        let values = channels.map(|(i, m)| {
            let (c1, hat) = (self.c1[i], x.hat[i]);
            let (minuend, subtrahend) = if negative { (c1, hat) } else { (hat, c1) };
            let difference = channel.sub(m, minuend, subtrahend);
            let signed = channel.mul(m, difference, self.cofactors[i]);
            channel.add(m, signed, self.p_residues.values()[i])
        });
        Residues::new(&self.base, values.collect())
            .expect("channel operations return values below the modulus")
    }

    /// `X` if it is 1 or -1, else 0.
    pub(super) fn unit_vartime(&self, x: &AffineNumber) -> i32 {
        i32::from(x.hat == self.start[1].hat) - i32::from(x.hat == self.minus_one)
    }

    /// `|X|_k`, `|X + Y|_k` or `|X - Y|_k`.
    pub(super) fn small_of(&self, x: &AffineNumber, y: &AffineNumber, dividend: Dividend) -> u32 {
        match dividend {
            Dividend::Single => x.small,
            Dividend::Sum => (x.small + y.small) % self.divisors,
            Dividend::Difference => (x.small + self.divisors - y.small) % self.divisors,
        }
    }

    /// `f_D(X)`, for which `X + f_D(X) P` is a multiple of `D`, from `|X|_k`.
    pub(super) fn multiple(&self, divisor: u32, small: u32) -> i32 {
        // The units modulo 4 and 12 are their own inverses, so P^-1 = P.
        let f = (self.divisors * self.divisors - small * self.p_small) % divisor;
        let top = divisor / 2;
        if f > top {
            f.cast_signed() - divisor.cast_signed()
        } else {
            f.cast_signed()
        }
    }

    /// `X / D mod P`. Cost: `n` EMM and `n` EMA.
    pub(super) fn divide(
        &self,
        channel: &impl Channel,
        x: &AffineNumber,
        divisor: u32,
    ) -> AffineNumber {
        let hat = self.divide_hat(channel, &x.hat, divisor, x.small, Dividend::Single);
        let small = self.small(&hat);
        debug_assert!(self.divisors == 4 || self.update_agrees(x.small, divisor, small));
        AffineNumber { hat, small }
    }

    /// Whether the rules of [`update`] give the same residues of the quotient.
    fn update_agrees(&self, dividend: u32, divisor: u32, quotient: u32) -> bool {
        let (f, p) = (self.multiple(divisor, dividend), self.p_small);
        match divisor {
            2 => update::update3_2(dividend % 3, f, p) == quotient % 3,
            3 => update::update4(dividend % 4, f, p) == quotient % 4,
            4 => update::update3_4(dividend % 3, f, p) == quotient % 3,
            _ => true,
        }
    }

    /// `(X + Y) / D` or `(X - Y) / D` modulo `P`. Cost: `n` EMM and `2n` EMA.
    pub(super) fn divide_pair(
        &self,
        channel: &impl Channel,
        x: &AffineNumber,
        y: &AffineNumber,
        dividend: Dividend,
        divisor: u32,
    ) -> AffineNumber {
        let channels = self.base.moduli().iter().zip(&x.hat).zip(&y.hat);
        let combined: Vec<u128> = channels
            .map(|((m, &x), &y)| match dividend {
                Dividend::Difference => channel.sub(m, x, y),
                Dividend::Sum | Dividend::Single => channel.add(m, x, y),
            })
            .collect();
        let small = self.small_of(x, y, dividend);
        let hat = self.divide_hat(channel, &combined, divisor, small, dividend);
        AffineNumber {
            small: self.small(&hat),
            hat,
        }
    }

    fn divide_hat(
        &self,
        channel: &impl Channel,
        hat: &[u128],
        divisor: u32,
        small: u32,
        dividend: Dividend,
    ) -> Vec<u128> {
        let division = self
            .divisions
            .iter()
            .find(|division| division.divisor == divisor)
            .expect("the divisors of the algorithm have their constants");
        let f = self.multiple(divisor, small);
        let index = (f - lowest_multiple(divisor)).cast_unsigned() as usize;
        let constants = &division.constants[dividend as usize][index];
        let channels = self
            .base
            .moduli()
            .iter()
            .zip(hat)
            .zip(&division.inverse)
            .zip(constants);
        channels
            .map(|(((m, &x), &inverse), &constant)| {
                channel.add(m, channel.mul(m, x, inverse), constant)
            })
            .collect()
    }

    /// `|X|_k`. A checked build compares it with the residue of the integer.
    fn small(&self, hat: &[u128]) -> u32 {
        let small = self.small_with_rank(hat, self.cox.rank(hat));
        debug_assert_eq!(small, self.small_exact(hat), "the Cox is wrong");
        small
    }

    fn small_with_rank(&self, hat: &[u128], rank: u128) -> u32 {
        let k = u128::from(self.divisors);
        let sum: u128 = hat
            .iter()
            .zip(&self.weights)
            .map(|(x, weight)| x * weight)
            .sum();
        let multiple = rank * self.range_small % k;
        ((sum + k - multiple) % k) as u32
    }

    /// `|X|_k` computed from the integer `X + C0`.
    fn small_exact(&self, hat: &[u128]) -> u32 {
        let channels = self.base.moduli().iter().zip(hat).zip(&self.cofactors);
        let values = channels
            .map(|((m, &x), &cofactor)| m.mul(x, cofactor))
            .collect();
        Residues::new(&self.base, values).map_or(0, |x| rem_small(&x.to_uint(), self.divisors))
    }
}

impl Division {
    fn new(base: &Base, divisor: u32, p1: &[u128], c1: &[u128]) -> Self {
        let inverse: Vec<u128> = base
            .moduli()
            .iter()
            .map(|m| {
                m.invert_vartime(m.reduce(divisor.into()))
                    .expect("the moduli are coprime to the divisors")
            })
            .collect();
        let constants = [divisor - 1, divisor - 2, divisor].map(|c1_count| {
            (0..divisor)
                .map(|index| {
                    let f = lowest_multiple(divisor) + index.cast_signed();
                    let channels = base.moduli().iter().enumerate();
                    let values = channels.map(|(i, m)| {
                        let p_term = m.mul(m.reduce(f.unsigned_abs().into()), p1[i]);
                        let signed = if f < 0 { m.neg(p_term) } else { p_term };
                        let c_term = m.mul(m.reduce(c1_count.into()), c1[i]);
                        m.mul(m.add(signed, c_term), inverse[i])
                    });
                    values.collect()
                })
                .collect()
        });
        Self {
            divisor,
            inverse,
            constants,
        }
    }
}

/// The affine form `|(X + C0) (M/m_i)^-1|_{m_i}` in each channel. Cost: `n` EMA and `n` EMM.
fn hat(channel: &impl Channel, c0: &Residues, x: &Residues) -> Vec<u128> {
    let base = c0.base();
    let sum = x.add(channel, c0);
    let channels = base
        .moduli()
        .iter()
        .zip(sum.values())
        .zip(base.cofactor_inverses());
    channels
        .map(|((m, &x), &inverse)| channel.mul(m, x, inverse))
        .collect()
}

/// The smallest `f_D`: `-D/2 + 1`, or -1 for `D = 3`.
fn lowest_multiple(divisor: u32) -> i32 {
    1 - divisor.div_ceil(2).cast_signed()
}

/// Checks the conditions that do not depend on the Cox.
fn check(base: &Base, p: &BoxedUint, divisors: u32) -> Result<NonZero<BoxedUint>, InversionError> {
    let coprime = |small: u32| small % 2 == 1 && (divisors == 4 || !small.is_multiple_of(3));
    if p < &BoxedUint::from(3u64) || !coprime(rem_small(p, divisors)) {
        return Err(InversionError::Prime { divisors });
    }
    for modulus in base.moduli() {
        let modulus = modulus.value();
        if !coprime((modulus % u128::from(divisors)) as u32) {
            return Err(InversionError::Modulus { modulus, divisors });
        }
    }
    let range = p.concatenating_mul(BoxedUint::from(2 * (OFFSET + 1)));
    if *base.product() <= range {
        let (m_bits, p_bits) = (base.product().bits_vartime(), p.bits_vartime());
        return Err(InversionError::Range { m_bits, p_bits });
    }
    Option::from(NonZero::new(p.clone())).ok_or(InversionError::Prime { divisors })
}

/// The limit `1/2 + (C0 - 2P/3) / M` on the error of the Cox, rounded down. `C0 - 2P/3 = 34P/3` is
/// below `M/2`.
fn error_limit(base: &Base, p: &BoxedUint) -> Fixed {
    let scaled = p
        .concatenating_mul(BoxedUint::from(3 * OFFSET - 2))
        .concatenating_mul(BoxedUint::from(1u64 << LIMIT_BITS));
    let divisor = base.product().concatenating_mul(BoxedUint::from(3u64));
    let quotient = Option::<NonZero<BoxedUint>>::from(NonZero::new(divisor))
        .map_or_else(BoxedUint::zero, |divisor| {
            scaled.div_rem_vartime(&divisor).0
        });
    let units = u128::from(quotient.as_words()[0]);
    // The ratio is a multiple of 2^-60, so nothing is rounded up.
    Fixed::HALF + Fixed::ratio_up(units, 1 << LIMIT_BITS).unwrap_or(Fixed::ZERO)
}

/// The smallest `t` for which the error of the Cox is at most `limit`.
fn fewest_bits(base: &Base, limit: Fixed) -> Option<u32> {
    let enough =
        |&kept: &u32| Cox::new(base, kept, Fixed::HALF).is_ok_and(|cox| cox.error_bound() <= limit);
    (1..=base.width()).find(enough)
}

/// `|x|_k` for a small `k`.
fn rem_small(x: &BoxedUint, k: u32) -> u32 {
    let wide = x.clone().resize_unchecked(x.bits_precision().max(64));
    let remainder = wide.as_words().iter().rev().fold(0u128, |acc, &word| {
        ((acc << 64) | u128::from(word)) % u128::from(k)
    });
    remainder as u32
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::vec;

    /// The `count` largest pairwise coprime numbers of `width` bits that are 1 modulo 12.
    fn one_modulo_12(width: u32, count: usize) -> Base {
        let mut moduli: Vec<u128> = vec![];
        let top = (1u128 << width) - 1;
        for m in (0..=top).rev().filter(|m| m % 12 == 1) {
            if moduli.iter().all(|&other| num_integer::gcd(m, other) == 1) {
                moduli.push(m);
            }
            if moduli.len() == count {
                break;
            }
        }
        Base::new(&moduli).unwrap()
    }

    #[test]
    fn the_t_5_operand() {
        let p = BoxedUint::one_with_precision(576)
            .unbounded_shl_vartime(521)
            .wrapping_sub(BoxedUint::one());
        let p = NonZero::new(p).unwrap();
        let a = BoxedUint::from_str_radix_vartime(
            "45caf7310f3673d0031ad15e65859f5e3c31829202800e317376bdb79a48f69bb6e0804fb46a9dfa0bc3\
             fa17125174e3d3478e08d6d161d1e61c7d93ab32e0d1e",
            16,
        )
        .unwrap();
        let base = one_modulo_12(24, 22);
        let x = Residues::from_uint(&base, &a).unwrap();
        let smalls = |kept| {
            let cox = Cox::new(&base, kept, Fixed::HALF).unwrap();
            let affine = Affine::unchecked(&base, &p, 12, cox);
            let hat = hat(&Plain, &affine.c0, &x);
            let small = affine.small_with_rank(&hat, affine.cox.rank(&hat));
            (small % 4, small % 3, affine.small_exact(&hat))
        };
        assert_eq!((rem_small(&a, 4), rem_small(&a, 3)), (2, 2));
        assert_eq!(smalls(6), (2, 2, 2));
        assert_eq!(smalls(5), (3, 0, 2));
        // So t = 5 is refused, and the condition requires t = 6.
        let refused = Affine::with_kept_bits(&base, &p, 12, 5).unwrap_err();
        assert!(matches!(
            refused,
            InversionError::CoxPrecision {
                kept: 5,
                needed: Some(6),
                ..
            }
        ));
        assert_eq!(Affine::new(&base, &p, 12).unwrap().kept_bits(), 6);
    }

    #[test]
    fn every_multiple_and_every_update_for_every_class_of_p() {
        let base = Base::new(&[61, 59, 55]).unwrap();
        for p in [73u32, 77, 79, 83] {
            let affine = Affine::new(&base, &BoxedUint::from(p), 12).unwrap();
            let p = p.cast_signed();
            for x in -2 * p / 3 + 1..p {
                let small = x.rem_euclid(12).cast_unsigned();
                for divisor in [2u32, 3, 4, 6, 12] {
                    let d = divisor.cast_signed();
                    let f = affine.multiple(divisor, small);
                    let (low, high) = if d == 3 { (-1, 1) } else { (1 - d / 2, d / 2) };
                    assert!((low..=high).contains(&f));
                    assert_eq!((x + f * p) % d, 0);
                    let quotient = (x + f * p) / d;
                    assert!(-2 * p < 3 * quotient && quotient < p);
                    let quotient_small = quotient.rem_euclid(12).cast_unsigned();
                    assert!(affine.update_agrees(small, divisor, quotient_small));
                }
            }
        }
    }
}
