//! The modulus of a channel, with constant-time arithmetic for setup.

use crate::seal::content;

/// A prime below `2^16`, with the constants of its Barrett reduction.
#[derive(Clone, Copy, Debug)]
pub(super) struct Prime {
    /// The prime `m`.
    pub(super) m: u32,
    /// `floor(2^shift / m)`, below `2^32`.
    reciprocal: u64,
    /// The number of bits of m, plus 31.
    shift: u32,
}

content!(Prime {
    m,
    reciprocal,
    shift
});

impl Prime {
    /// The prime of a channel. Not inlined, so that the test that searches kernels for divisions
    /// can tell this division of public numbers apart.
    #[inline(never)]
    pub(super) fn new(modulus: &sunzi_rns::Modulus) -> Self {
        let m = modulus.value() as u32;
        debug_assert!(m < 1 << 16);
        let shift = 31 + u32::BITS - m.leading_zeros();
        Self {
            m,
            reciprocal: (1u64 << shift) / u64::from(m),
            shift,
        }
    }

    /// `|x|_m`, in constant time. Barrett's estimate of the quotient is at most one too small.
    pub(super) fn reduce(self, x: u32) -> u32 {
        let q = (u64::from(x) * self.reciprocal) >> self.shift;
        let rest = x.wrapping_sub((q as u32).wrapping_mul(self.m));
        debug_assert!(rest < 2 * self.m);
        let below = rest.wrapping_sub(self.m);
        // All ones if the difference is negative.
        let borrow = 0u32.wrapping_sub(below >> 31);
        below.wrapping_add(self.m & borrow)
    }

    /// `ceil(2^32 / m)`. An odd m does not divide `2^32`.
    pub(super) fn share(self) -> u64 {
        (self.reciprocal >> (self.shift - u32::BITS)) + 1
    }

    /// `|x y|_m`. Requires `x, y < 2^16`.
    pub(super) fn mul(self, x: u32, y: u32) -> u32 {
        self.reduce(x * y)
    }

    /// `|-x|_m`. Requires `x < m`.
    pub(super) fn neg(self, x: u32) -> u32 {
        self.reduce(self.m - x)
    }

    /// `|x^-1|_m` by Fermat's theorem, in constant time. Requires an `x < 2^16` that m does not
    /// divide.
    pub(super) fn invert(self, x: u32) -> u32 {
        let exponent = self.m - 2;
        let mut inverse = 1;
        for bit in (0..u32::BITS - exponent.leading_zeros()).rev() {
            inverse = self.mul(inverse, inverse);
            if exponent >> bit & 1 == 1 {
                inverse = self.mul(inverse, x);
            }
        }
        inverse
    }

    /// `|m^-1|_R` for `R = 2^16`, by Newton's iteration, which starts with 3 correct bits.
    pub(super) fn inverse_mod_radix(self) -> u32 {
        let step =
            |inverse: u32| inverse.wrapping_mul(2u32.wrapping_sub(self.m.wrapping_mul(inverse)));
        (0..3).fold(self.m, |inverse, _| step(inverse)) & 0xffff
    }

    /// `|2^e|_m`.
    pub(super) fn power_of_two(self, e: u32) -> u32 {
        (0..e).fold(1, |power, _| self.reduce(2 * power))
    }

    /// The representative of x nearest to zero, which fits in 16 signed bits. Requires `x < m`.
    pub(super) fn nearest(self, x: u32) -> i32 {
        self.representative(x, (self.m / 2).cast_signed())
    }

    /// The representative of x nearest to zero among those that fit in two signed bytes
    /// ([`bytes`]): from `-2^15 - 2^7` to `2^15 - 2^7 - 1`. Requires `x < m`.
    pub(super) fn balance(self, x: u32) -> i32 {
        self.representative(x, (self.m / 2).cast_signed().min(LARGEST_IN_BYTES))
    }

    /// `x - m` if x exceeds `largest`, else x. In constant time.
    fn representative(self, x: u32, largest: i32) -> i32 {
        let x = x.cast_signed();
        // All ones if x is too large.
        let above = (largest - x) >> 31;
        x - (self.m.cast_signed() & above)
    }
}

/// The largest value of two signed bytes, `127 + 2^8 127`.
const LARGEST_IN_BYTES: i32 = (1 << 15) - (1 << 7) - 1;

/// The two signed bytes `[low, high]` of a value `low + 2^8 high`. Requires a value from
/// `-2^15 - 2^7` to `2^15 - 2^7 - 1`.
pub(super) fn bytes(value: i32) -> [i8; 2] {
    let high = (value + 128) >> 8;
    let low = value - (high << 8);
    debug_assert!(i8::try_from(high).is_ok() && i8::try_from(low).is_ok());
    [low as i8, high as i8]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn prime(m: u128) -> Prime {
        Prime::new(&sunzi_rns::Modulus::new(m).unwrap())
    }

    #[test]
    fn reduction_at_its_edges() {
        for m in [1009, 2039, 32_771, 65_519, 65_521] {
            let p = prime(m);
            let m = m as u32;
            let multiples = (0..=u32::MAX / m).step_by(97).map(|k| k * m);
            for multiple in multiples.chain([u32::MAX / m * m]) {
                for x in [
                    multiple.wrapping_sub(1),
                    multiple,
                    multiple.saturating_add(1),
                ] {
                    assert_eq!(p.reduce(x), x % m);
                }
            }
            assert_eq!(p.reduce(u32::MAX), u32::MAX % m);
            assert_eq!(p.share(), (1u64 << 32).div_ceil(u64::from(m)));
            assert_eq!((p.inverse_mod_radix() * m) & 0xffff, 1);
            for x in 0..m {
                assert_eq!((x + p.neg(x)) % m, 0);
                let balanced = p.balance(x);
                assert_eq!(balanced.rem_euclid(m.cast_signed()).cast_unsigned(), x);
                let [low, high] = bytes(balanced);
                assert_eq!(i32::from(low) + 256 * i32::from(high), balanced);
                let nearest = p.nearest(x);
                assert_eq!(nearest.rem_euclid(m.cast_signed()).cast_unsigned(), x);
                assert!(i16::try_from(nearest).is_ok());
            }
            for x in (1..m).step_by(31) {
                assert_eq!(p.mul(x, p.invert(x)), 1);
            }
            assert_eq!(u64::from(p.power_of_two(40)), (1u64 << 40) % u64::from(m));
        }
    }
}
