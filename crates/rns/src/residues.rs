//! Integers held as residues, with the arithmetic that needs no carries.
//!
//! `X + Y`, `X - Y`, `-X` and `X Y` are computed on each residue separately, modulo the
//! dynamic range `M`. The operators `+`, `-`, `*` work on references. The methods with the
//! same meaning take a [`Channel`], so that operations can be counted.

use alloc::{vec, vec::Vec};
use core::fmt;
use core::ops::{Add, Mul, Neg, Sub};

use crypto_bigint::BoxedUint;
use zeroize::{Zeroize, ZeroizeOnDrop, Zeroizing};

use crate::base::Base;
use crate::channel::{Channel, Plain};
use crate::modulus::{Modulus, ModulusError};

/// The reason why numbers are not the residues of an integer in a base.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ResiduesError {
    /// The number of residues is not the number of moduli.
    #[error("{found} residues for a base of {expected} moduli: there must be one for each")]
    Length {
        /// Number of moduli of the base.
        expected: usize,
        /// Number of residues.
        found: usize,
    },
    /// A residue is not below its modulus.
    #[error("residue number {index} is {value}, and must be below its modulus {modulus}")]
    NotReduced {
        /// Position in the base, from 0.
        index: usize,
        /// The residue.
        value: u128,
        /// The modulus.
        modulus: u128,
    },
}

/// An integer in `[0, M)`, held as its residues in a base. Wiped on drop.
///
/// Equality is decided in constant time. Operations on two values need both to be in the
/// same base. `Debug` shows the residues and the moduli: do not use it on secrets.
#[derive(Clone)]
pub struct Residues {
    base: Base,
    /// `values[i] < m_i`.
    values: Vec<u128>,
}

impl Residues {
    /// The integer with these residues, one for each modulus in the order of the base.
    ///
    /// # Errors
    /// [`ResiduesError`] if the number of residues is wrong, or one is not below its modulus.
    pub fn new(base: &Base, values: Vec<u128>) -> Result<Self, ResiduesError> {
        if values.len() != base.len() {
            return Err(ResiduesError::Length {
                expected: base.len(),
                found: values.len(),
            });
        }
        for (index, (&value, m)) in values.iter().zip(base.moduli()).enumerate() {
            if value >= m.value() {
                return Err(ResiduesError::NotReduced {
                    index,
                    value,
                    modulus: m.value(),
                });
            }
        }
        Ok(Self {
            base: base.clone(),
            values,
        })
    }

    /// The integer with the residues `f(i, m_i)`, which must be below `m_i`.
    pub(crate) fn from_fn(base: &Base, f: impl FnMut((usize, &Modulus)) -> u128) -> Self {
        let values: Vec<u128> = base.moduli().iter().enumerate().map(f).collect();
        debug_assert!(
            values
                .iter()
                .zip(base.moduli())
                .all(|(&x, m)| x < m.value())
        );
        Self {
            base: base.clone(),
            values,
        }
    }

    /// The number 0.
    pub fn zero(base: &Base) -> Self {
        Self {
            base: base.clone(),
            values: vec![0; base.len()],
        }
    }

    /// The number 1.
    pub fn one(base: &Base) -> Self {
        Self::from_fn(base, |_| 1)
    }

    /// `|X|_M` for a number of any size. ([`Residues::from_uint`] refuses `X >= M`.)
    ///
    /// The time depends on the base and the precision of `x` only.
    pub fn reduced(base: &Base, x: &BoxedUint) -> Self {
        Self::from_fn(base, |(_, m)| m.reduce_uint(x))
    }

    /// The base of the residues.
    pub fn base(&self) -> &Base {
        &self.base
    }

    /// The residues, in the order of the base.
    pub fn values(&self) -> &[u128] {
        &self.values
    }

    /// The residues, for changes; each must be below its modulus afterwards.
    pub(crate) fn values_mut(&mut self) -> &mut [u128] {
        &mut self.values
    }

    /// `|X + Y|_M`: `n` EMA.
    ///
    /// # Panics
    /// If the bases differ.
    #[must_use]
    pub fn add(&self, channel: &impl Channel, other: &Self) -> Self {
        self.zip(other, |m, x, y| channel.add(m, x, y))
    }

    /// `|X - Y|_M`: `n` EMA.
    ///
    /// # Panics
    /// If the bases differ.
    #[must_use]
    pub fn sub(&self, channel: &impl Channel, other: &Self) -> Self {
        self.zip(other, |m, x, y| channel.sub(m, x, y))
    }

    /// `|-X|_M`: `n` EMA.
    #[must_use]
    pub fn neg(&self, channel: &impl Channel) -> Self {
        Self::from_fn(&self.base, |(i, m)| channel.sub(m, 0, self.values[i]))
    }

    /// `|X Y|_M`: `n` EMM.
    ///
    /// # Panics
    /// If the bases differ.
    #[must_use]
    pub fn mul(&self, channel: &impl Channel, other: &Self) -> Self {
        self.zip(other, |m, x, y| channel.mul(m, x, y))
    }

    /// `|X C|_M` for a precomputed constant: `n` CMM.
    ///
    /// # Panics
    /// If the bases differ.
    #[must_use]
    pub fn mul_constant(&self, channel: &impl Channel, constant: &Self) -> Self {
        self.zip(constant, |m, x, c| channel.mul_constant(m, x, c))
    }

    /// `xh_i = |x_i (M/m_i)^-1|_{m_i}`, for which `X = sum xh_i M/m_i - h M` with
    /// `0 <= h < n`: `n` CMM. Every base extension with a rank starts here.
    pub fn crt_digits(&self, channel: &impl Channel) -> Zeroizing<Vec<u128>> {
        self.crt_digits_of(channel, &self.base)
    }

    /// The [`crt_digits`](Residues::crt_digits) in a base that is a prefix of this one.
    pub(crate) fn crt_digits_of(
        &self,
        channel: &impl Channel,
        prefix: &Base,
    ) -> Zeroizing<Vec<u128>> {
        let channels = prefix
            .moduli()
            .iter()
            .zip(&self.values)
            .zip(prefix.cofactor_inverses());
        let digits = channels.map(|((m, &x), &inverse)| channel.mul_constant(m, x, inverse));
        Zeroizing::new(digits.collect())
    }

    /// `|X^-1|_M`, by the extended Euclidean algorithm in every channel. For constants,
    /// not for secrets.
    ///
    /// # Errors
    /// [`ModulusError::NotInvertible`], with the modulus that shares a factor with `X`.
    pub fn invert_vartime(&self) -> Result<Self, ModulusError> {
        let inverses = self.base.moduli().iter().zip(&self.values);
        let values = inverses
            .map(|(m, &x)| m.invert_vartime(x))
            .collect::<Result<_, _>>()?;
        Ok(Self {
            base: self.base.clone(),
            values,
        })
    }

    /// `X / D` for a divisor `D` of `X` with `gcd(D, M) = 1`: `n` CMM after the inversion
    /// of `D`. The time depends on `D`, not on `X`.
    ///
    /// If `D` does not divide `X`, the result is the integer `|X D^-1|_M`, which has no
    /// meaning as a quotient. To divide many numbers by one, invert once
    /// ([`Residues::invert_vartime`]) and use [`Residues::mul_constant`].
    ///
    /// # Errors
    /// [`ModulusError::NotInvertible`], with a modulus that shares a factor with `D`.
    pub fn div_exact_vartime(
        &self,
        channel: &impl Channel,
        divisor: &BoxedUint,
    ) -> Result<Self, ModulusError> {
        let inverse = Self::reduced(&self.base, divisor).invert_vartime()?;
        Ok(self.mul_constant(channel, &inverse))
    }

    /// Panics, with both sizes, unless `self` is in this base.
    #[track_caller]
    pub(crate) fn assert_in(&self, base: &Base) {
        assert!(
            &self.base == base,
            "residues in a base of {} moduli, where one of {} other moduli is expected",
            self.base.len(),
            base.len()
        );
    }

    #[track_caller]
    fn zip(&self, other: &Self, f: impl Fn(&Modulus, u128, u128) -> u128) -> Self {
        other.assert_in(&self.base);
        Self::from_fn(&self.base, |(i, m)| f(m, self.values[i], other.values[i]))
    }
}

impl fmt::Debug for Residues {
    /// `{modulus: residue, ...}`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let moduli = self.base.moduli().iter().map(Modulus::value);
        f.debug_map().entries(moduli.zip(&self.values)).finish()
    }
}

impl PartialEq for Residues {
    fn eq(&self, other: &Self) -> bool {
        self.base == other.base
            && self
                .values
                .iter()
                .zip(&other.values)
                .fold(0, |acc, (x, y)| acc | (x ^ y))
                == 0
    }
}

impl Eq for Residues {}

impl Zeroize for Residues {
    fn zeroize(&mut self) {
        self.values.as_mut_slice().zeroize();
    }
}

impl Drop for Residues {
    fn drop(&mut self) {
        self.zeroize();
    }
}

impl ZeroizeOnDrop for Residues {}

impl Add for &Residues {
    type Output = Residues;
    fn add(self, other: Self) -> Residues {
        self.add(&Plain, other)
    }
}

impl Sub for &Residues {
    type Output = Residues;
    fn sub(self, other: Self) -> Residues {
        self.sub(&Plain, other)
    }
}

impl Mul for &Residues {
    type Output = Residues;
    fn mul(self, other: Self) -> Residues {
        self.mul(&Plain, other)
    }
}

impl Neg for &Residues {
    type Output = Residues;
    fn neg(self) -> Residues {
        self.neg(&Plain)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::channel::Counting;

    fn small(base: &Base, x: u64) -> Residues {
        Residues::reduced(base, &BoxedUint::from(x))
    }

    #[test]
    fn every_pair_in_a_tiny_base() {
        let base = Base::new(&[2, 3, 5]).unwrap();
        for x in 0..30 {
            let rx = small(&base, x);
            assert_eq!(-&rx, small(&base, (30 - x) % 30));
            for y in 0..30 {
                let ry = small(&base, y);
                assert_eq!(&rx + &ry, small(&base, x + y));
                assert_eq!(&rx - &ry, small(&base, 30 + x - y));
                assert_eq!(&rx * &ry, small(&base, x * y));
                assert_eq!(rx == ry, x == y);
            }
        }
    }

    #[test]
    fn every_exact_division_by_a_coprime() {
        let base = Base::new(&[4, 3, 5]).unwrap();
        for d in 1..120 {
            let coprime = num_integer::gcd(d, 60) == 1;
            for x in (0..60u64).filter(|x| x % d == 0) {
                let quotient = small(&base, x).div_exact_vartime(&Plain, &BoxedUint::from(d));
                match quotient {
                    Ok(quotient) => assert_eq!((quotient, coprime), (small(&base, x / d), true)),
                    Err(_) => assert!(!coprime),
                }
            }
        }
    }

    #[test]
    fn costs() {
        let base = Base::new(&[7, 11, 13]).unwrap();
        let (x, y) = (small(&base, 30), small(&base, 50));
        let channel = Counting::default();
        let _ = x.add(&channel, &y).sub(&channel, &y).neg(&channel);
        assert_eq!(channel.take().ema, 9);
        let _ = x.mul(&channel, &y);
        assert_eq!(channel.take().emm, 3);
        let _ = x
            .div_exact_vartime(&channel, &BoxedUint::from(5u64))
            .unwrap();
        assert_eq!(channel.take().cmm, 3);
    }

    #[test]
    fn wrong_residues_are_refused() {
        let base = Base::new(&[7, 11]).unwrap();
        let error = Residues::new(&base, vec![1]).unwrap_err();
        assert_eq!(
            error,
            ResiduesError::Length {
                expected: 2,
                found: 1
            }
        );
        let error = Residues::new(&base, vec![6, 11]).unwrap_err();
        assert_eq!(
            error,
            ResiduesError::NotReduced {
                index: 1,
                value: 11,
                modulus: 11
            }
        );
        let shared = small(&base, 5)
            .div_exact_vartime(&Plain, &BoxedUint::from(22u64))
            .unwrap_err();
        assert_eq!(
            shared,
            ModulusError::NotInvertible {
                value: 0,
                modulus: 11,
                gcd: 11
            }
        );
    }

    #[test]
    #[should_panic(expected = "residues in a base of 3 moduli")]
    fn bases_do_not_mix() {
        let (a, b) = (
            Base::new(&[7, 11]).unwrap(),
            Base::new(&[7, 11, 13]).unwrap(),
        );
        let _ = &small(&a, 1) + &small(&b, 1);
    }
}
