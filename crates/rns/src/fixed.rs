//! Fixed-point numbers in units of `2^-60`, for error bounds, which are rounded up, and Cox
//! offsets, which are exact.

use core::fmt;
use core::ops::Add;

/// Number of fractional bits: the unit is `2^-UNIT_BITS`.
pub(crate) const UNIT_BITS: u32 = 60;

/// A non-negative number below `2^68`, a multiple of `2^-60`.
///
/// Bounds are rounded up when they are computed. So if the condition "bound <= limit" holds
/// here, it holds for the exact numbers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Fixed(u128);

impl Fixed {
    /// 0.
    pub const ZERO: Self = Self(0);
    /// 1/2.
    pub const HALF: Self = Self(1 << (UNIT_BITS - 1));
    /// 1.
    pub const ONE: Self = Self(1 << UNIT_BITS);

    /// `numerator / denominator`, rounded up to a multiple of the unit. `None` unless
    /// `numerator < 2^68` and `denominator > 0`.
    pub const fn ratio_up(numerator: u128, denominator: u128) -> Option<Self> {
        if denominator == 0 || numerator >> (u128::BITS - UNIT_BITS) != 0 {
            return None;
        }
        Some(Self((numerator << UNIT_BITS).div_ceil(denominator)))
    }

    /// `count` times this number, or the largest `Fixed` if that is too large.
    #[must_use]
    pub const fn times(self, count: u128) -> Self {
        Self(self.0.saturating_mul(count))
    }

    /// The number of units `2^-60`.
    pub const fn units(self) -> u128 {
        self.0
    }

    /// Number of fractional bits required: the least `f` for which the number is a multiple of `2^-f`.
    pub const fn fraction_bits(self) -> u32 {
        if self.0 == 0 {
            0
        } else {
            UNIT_BITS.saturating_sub(self.0.trailing_zeros())
        }
    }

    /// The number in units `2^-bits`, for `bits >= fraction_bits()`, a number below 1 and
    /// `bits <= 66`.
    pub(crate) const fn in_units(self, bits: u32) -> u128 {
        debug_assert!(bits >= self.fraction_bits() && bits <= 66 && self.0 < Self::ONE.0);
        if bits >= UNIT_BITS {
            self.0 << (bits - UNIT_BITS)
        } else {
            self.0 >> (UNIT_BITS - bits)
        }
    }
}

impl Add for Fixed {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        Self(self.0.saturating_add(other.0))
    }
}

impl fmt::Display for Fixed {
    /// Decimal with six decimal places, rounded up.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        const PLACES: u128 = 1_000_000;
        let fraction = (self.0 & (Self::ONE.0 - 1)) * PLACES;
        let micros = (self.0 >> UNIT_BITS) * PLACES + fraction.div_ceil(Self::ONE.0);
        write!(f, "{}.{:06}", micros / PLACES, micros % PLACES)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::string::ToString;

    #[test]
    fn ratios_are_rounded_up() {
        let third = Fixed::ratio_up(1, 3).unwrap();
        assert!(third.times(3) > Fixed::ONE && third.units() == Fixed::ONE.units() / 3 + 1);
        assert_eq!(Fixed::ratio_up(1, 2), Some(Fixed::HALF));
        assert_eq!(Fixed::ratio_up(1, 0), None);
        assert_eq!(Fixed::ratio_up(1 << 68, 1), None);
    }

    #[test]
    fn display_rounds_up() {
        assert_eq!(Fixed::HALF.to_string(), "0.500000");
        assert_eq!(Fixed::ratio_up(1, 3).unwrap().to_string(), "0.333334");
        assert_eq!(
            (Fixed::ONE + Fixed::ratio_up(1, 1 << 60).unwrap()).to_string(),
            "1.000001"
        );
    }

    #[test]
    fn fraction_bits_and_units_agree() {
        assert_eq!(Fixed::ZERO.fraction_bits(), 0);
        assert_eq!(Fixed::HALF.fraction_bits(), 1);
        let three_eighths = Fixed::ratio_up(3, 8).unwrap();
        assert_eq!(
            (three_eighths.fraction_bits(), three_eighths.in_units(5)),
            (3, 12)
        );
        assert_eq!(three_eighths.in_units(66), 3 << 63);
    }
}
