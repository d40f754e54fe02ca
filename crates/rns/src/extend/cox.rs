//! The Cox: a small adder that finds the rank, the quotient of the Chinese remainder theorem.
//!
//! For `xh_i = |x_i (A/a_i)^-1|_{a_i}` it computes
//!
//! ```text
//! h = floor(sigma + sum trunc_t(xh_i) / 2^w),
//! ```
//!
//! where `2^w` is the least power of two that no modulus exceeds and `trunc_t` keeps the
//! `t` top bits of `w`. The true quotient is `floor(sum xh_i / a_i)`. With
//!
//! ```text
//! eps_i = 1 - a_i / 2^w,   delta = (2^(w-t) - 1) / min a_i,   E = sum (eps_i + delta),
//! ```
//!
//! the sum is never above `sum xh_i / a_i`, and at most `E` below it. So `h` is
//!
//! - exact for `X < (1 - sigma) A` if `E <= sigma`;
//! - exact or one too small for all `X < A` if `sigma = 0` and `E < 1`.
//!
//! Source: S. Kawamura, M. Koike, F. Sano, A. Shimbo, "Cox-Rower architecture for fast
//! parallel Montgomery multiplication", EUROCRYPT 2000, as given in L. Djath, K. Bigou,
//! A. Tisserand, "Hierarchical approach in RNS base extension for asymmetric
//! cryptography", ARITH 2019, slide "Base Extension". The conditions are derived in
//! `docs/base-extension.md`; the source does not state them.

use crypto_bigint::{BoxedUint, ConcatenatingMul, Resize};

use super::ExtensionError;
use crate::base::Base;
use crate::fixed::{Fixed, UNIT_BITS};
use crate::modulus::Modulus;

/// The Cox of one base: its widths, its offset, and the proved bound on its error.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cox {
    width: u32,
    kept_bits: u32,
    sigma: Fixed,
    fraction_bits: u32,
    error: Fixed,
}

impl Cox {
    /// A Cox that keeps the top `kept_bits` of `w` bits and starts at `sigma`.
    ///
    /// The condition of exactness is not required here, but by [`Cox::check`].
    ///
    /// # Errors
    /// [`ExtensionError::KeptBits`] unless `1 <= kept_bits <= w`;
    /// [`ExtensionError::Offset`] for `sigma >= 1`.
    pub fn new(base: &Base, kept_bits: u32, sigma: Fixed) -> Result<Self, ExtensionError> {
        let width = base.width();
        if kept_bits == 0 || kept_bits > width {
            return Err(ExtensionError::KeptBits {
                kept: kept_bits,
                width,
            });
        }
        if sigma >= Fixed::ONE {
            return Err(ExtensionError::Offset { sigma });
        }
        let n = base.len() as u128;
        let dropped = (1u128 << (width - kept_bits)) - 1;
        let smallest = base.moduli().iter().map(Modulus::value).min().unwrap_or(1);
        let delta = Fixed::ratio_up(dropped, smallest).unwrap_or(Fixed::ONE);
        Ok(Self {
            width,
            kept_bits,
            sigma,
            fraction_bits: kept_bits.max(sigma.fraction_bits()),
            error: epsilon_sum(base) + delta.times(n),
        })
    }

    /// The Cox with the fewest kept bits that passes [`Cox::check`].
    ///
    /// # Errors
    /// [`ExtensionError::Inexact`] if even all `w` bits are not enough;
    /// [`ExtensionError::Offset`] for `sigma >= 1`.
    pub fn with_fewest_bits(base: &Base, sigma: Fixed) -> Result<Self, ExtensionError> {
        let all = base.width();
        let enough =
            |&kept: &u32| Self::new(base, kept, sigma).is_ok_and(|cox| cox.check().is_ok());
        let cox = Self::new(base, (1..all).find(enough).unwrap_or(all), sigma)?;
        cox.check().map(|()| cox)
    }

    /// Checks the condition of exactness: `E <= sigma`, or `E < 1` for `sigma = 0`.
    ///
    /// # Errors
    /// [`ExtensionError::Inexact`] with `E`.
    pub fn check(&self) -> Result<(), ExtensionError> {
        check_error(self.error, self.sigma)
    }

    /// `w`, the width in bits: the least `w` for which no modulus exceeds `2^w`.
    pub fn width(&self) -> u32 {
        self.width
    }

    /// `t`, the number of kept bits.
    pub fn kept_bits(&self) -> u32 {
        self.kept_bits
    }

    /// `sigma`, the offset.
    pub fn sigma(&self) -> Fixed {
        self.sigma
    }

    /// `E`, an upper bound on `sum xh_i / a_i - sum trunc_t(xh_i) / 2^w`.
    pub fn error_bound(&self) -> Fixed {
        self.error
    }

    /// The adder before the first `xh_i`, when it holds `sigma`.
    pub fn start(&self) -> CoxSum {
        CoxSum::new(self.sigma, self.fraction_bits)
    }

    /// Adds `trunc_t(xh) / 2^w`, removes the integer part, 0 or 1, and returns it.
    pub fn step(&self, sum: &mut CoxSum, xh: u128) -> u128 {
        debug_assert!(xh >> self.width == 0);
        let top = xh >> (self.width - self.kept_bits);
        sum.add(top << (self.fraction_bits - self.kept_bits))
    }

    /// The rank `h` for all `xh_i`, `0 <= h <= n`.
    pub fn rank(&self, xh: &[u128]) -> u128 {
        let mut sum = self.start();
        xh.iter().map(|&xh| self.step(&mut sum, xh)).sum()
    }
}

/// The adder of a Cox between two steps: a fraction below 1.
#[derive(Clone, Debug)]
pub struct CoxSum {
    sum: u128,
    fraction_bits: u32,
}

impl CoxSum {
    pub(super) fn new(sigma: Fixed, fraction_bits: u32) -> Self {
        Self {
            sum: sigma.in_units(fraction_bits),
            fraction_bits,
        }
    }

    /// Adds a number of units `2^-fraction_bits`, removes the integer part and returns it.
    pub(super) fn add(&mut self, units: u128) -> u128 {
        let sum = self.sum + units;
        self.sum = sum & ((1 << self.fraction_bits) - 1);
        sum >> self.fraction_bits
    }
}

/// `sum eps_i = (n 2^w - sum a_i) / 2^w`, rounded up.
pub(super) fn epsilon_sum(base: &Base) -> Fixed {
    let power = 1u128 << base.width();
    base.moduli()
        .iter()
        .map(|m| Fixed::ratio_up(power - m.value(), power).unwrap_or(Fixed::ONE))
        .fold(Fixed::ZERO, |sum, eps| sum + eps)
}

/// Checks `E <= sigma`, or `E < 1` for `sigma = 0`.
pub(super) fn check_error(error: Fixed, sigma: Fixed) -> Result<(), ExtensionError> {
    let holds = if sigma == Fixed::ZERO {
        error < Fixed::ONE
    } else {
        error <= sigma
    };
    if holds {
        Ok(())
    } else {
        Err(ExtensionError::Inexact { error, sigma })
    }
}

/// `(1 - sigma) A`, rounded up: the upper bound of inputs.
pub(super) fn range(base: &Base, sigma: Fixed) -> BoxedUint {
    let complement = BoxedUint::from(Fixed::ONE.units() - sigma.units());
    let ceiling = BoxedUint::from(Fixed::ONE.units() - 1);
    let bits = base.product().bits_precision();
    let scaled = base
        .product()
        .concatenating_mul(&complement)
        .wrapping_add(&ceiling);
    // (1 - sigma) A <= A: the shifted value fits in the precision of A.
    scaled
        .unbounded_shr_vartime(UNIT_BITS)
        .resize_unchecked(bits)
}
