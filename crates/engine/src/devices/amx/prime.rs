//! A modulus of a channel, and arithmetic modulo it for the making of constants.

use sunzi_rns::Modulus;

/// A prime below `2^16` with what its reductions need.
#[derive(Clone, Copy, Debug)]
pub(super) struct Prime {
    pub(super) m: u32,
    /// `floor(2^shift / m)`, below `2^32`.
    reciprocal: u64,
    /// 31 more than the bits of m.
    shift: u32,
}

impl Prime {
    /// A channel's modulus. Not inlined, so that this division, of a public number, can be told
    /// apart from those in kernels.
    #[inline(never)]
    pub(super) fn new(modulus: &Modulus) -> Self {
        let m = modulus.value() as u32;
        debug_assert!(m < 1 << 16);
        let shift = 31 + u32::BITS - m.leading_zeros();
        Self {
            m,
            reciprocal: (1u64 << shift) / u64::from(m),
            shift,
        }
    }

    /// `|x|_m`, in constant time (Barrett): the quotient's estimate is at most one too small.
    pub(super) fn reduce(self, x: u32) -> u32 {
        let q = (u64::from(x) * self.reciprocal) >> self.shift;
        let rest = x.wrapping_sub((q as u32).wrapping_mul(self.m));
        debug_assert!(rest < 2 * self.m);
        let below = rest.wrapping_sub(self.m);
        // All ones where the difference borrowed.
        let borrow = 0u32.wrapping_sub(below >> 31);
        below.wrapping_add(self.m & borrow)
    }

    /// `2^32 / m`, rounded up, which m does not divide.
    pub(super) fn share(self) -> u64 {
        (self.reciprocal >> (self.shift - u32::BITS)) + 1
    }

    /// `|x y|_m` for `x, y < 2^16`.
    pub(super) fn mul(self, x: u32, y: u32) -> u32 {
        self.reduce(x * y)
    }

    /// `|-x|_m` for `x < m`.
    pub(super) fn neg(self, x: u32) -> u32 {
        self.reduce(self.m - x)
    }

    /// `|x^-1|_m` for an x that m does not divide (Fermat); in constant time.
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

    /// `|m^-1|_R` for `R = 2^16`, by Newton's iteration from 3 correct bits.
    pub(super) fn inverse_mod_radix(self) -> u32 {
        let step =
            |inverse: u32| inverse.wrapping_mul(2u32.wrapping_sub(self.m.wrapping_mul(inverse)));
        (0..3).fold(self.m, |inverse, _| step(inverse)) & 0xffff
    }

    /// `|2^e|_m`.
    pub(super) fn power_of_two(self, e: u32) -> u32 {
        (0..e).fold(1, |power, _| self.reduce(2 * power))
    }

    /// The representative of `x < m` nearest to zero, which 16 signed bits can hold.
    pub(super) fn nearest(self, x: u32) -> i32 {
        self.representative(x, (self.m / 2).cast_signed())
    }

    /// The representative of `x < m` nearest to zero among those that two signed bytes can hold:
    /// `-2^15 - 2^7` to `2^15 - 2^7 - 1`.
    pub(super) fn balance(self, x: u32) -> i32 {
        self.representative(x, (self.m / 2).cast_signed().min(LARGEST_IN_BYTES))
    }

    /// x, or `x - m` where x exceeds `largest`; in constant time.
    fn representative(self, x: u32, largest: i32) -> i32 {
        let x = x.cast_signed();
        // All ones where x is too large.
        let above = (largest - x) >> 31;
        x - (self.m.cast_signed() & above)
    }
}

/// The largest value that two signed bytes can hold.
const LARGEST_IN_BYTES: i32 = (1 << 15) - (1 << 7) - 1;

/// The two signed bytes of a balanced value: `low + 2^8 high`.
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
        Prime::new(&Modulus::new(m).unwrap())
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
