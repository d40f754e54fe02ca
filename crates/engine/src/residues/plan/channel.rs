//! One channel: its modulus, the constants of its reductions, and constant-time arithmetic for
//! setup.

use sunzi_program::content;

/// A channel as kernels need it: an odd modulus `m` and the constants of its Montgomery reduction
/// with radix `R = 2^rho`. Small, because kernels read all channels in every product.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Channel {
    /// The modulus `m`.
    pub(crate) m: u64,
    /// `m^-1` modulo R.
    pub(crate) inverse: u64,
    /// `|R|_m`.
    pub(crate) radix: u64,
}

content!(Channel { m, inverse, radix });
impl Channel {
    /// The channel of an odd modulus `m < 2^(rho - 1)`, for `rho = radix_bits < 64`.
    pub(crate) fn new(modulus: &sunzi_rns::Modulus, radix_bits: u32) -> Self {
        let m = modulus.value() as u64;
        debug_assert!(m % 2 == 1 && m >> (radix_bits - 1) == 0);
        Self {
            m,
            inverse: inverse_mod_word(m) & ((1 << radix_bits) - 1),
            radix: modulus.reduce(1 << radix_bits) as u64,
        }
    }
}

/// A channel's arithmetic for constants: in constant time, on one number at a time. The kernels of
/// the devices have functions of their own.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ChannelArithmetic {
    /// The modulus `m`.
    pub(crate) m: u64,
    /// `m^-1` modulo R.
    pub(crate) inverse: u64,
    /// `|R|_m`.
    pub(crate) radix: u64,
    /// `|R^2|_m`.
    pub(crate) radix_squared: u64,
    /// `rho`, the number of bits of a factor.
    radix_bits: u32,
}

content!(ChannelArithmetic {
    m,
    inverse,
    radix,
    radix_squared,
    radix_bits,
});

impl ChannelArithmetic {
    /// The arithmetic of the same modulus as [`Channel::new`].
    pub(crate) fn new(modulus: &sunzi_rns::Modulus, radix_bits: u32) -> Self {
        let Channel { m, inverse, radix } = Channel::new(modulus, radix_bits);
        Self {
            m,
            inverse,
            radix,
            radix_squared: modulus.mul(radix.into(), radix.into()) as u64,
            radix_bits,
        }
    }

    /// `redc(T)`, congruent to `T / R` modulo m and at most `T / R + m`. Requires `T < R^2`.
    fn redc(&self, t: u128) -> u64 {
        let mask = (1 << self.radix_bits) - 1;
        let low = t as u64 & mask;
        let q = low.wrapping_mul(self.inverse) & mask;
        let qm = (u128::from(q) * u128::from(self.m)) >> self.radix_bits;
        (t >> self.radix_bits) as u64 + self.m - qm as u64
    }

    /// `|T / R|_m`, canonical. Requires `T < R^2 - m R`, so that `redc(T) < R`.
    pub(crate) fn reduce_sum(&self, t: u128) -> u64 {
        self.multiply(self.redc(t), self.radix)
    }

    /// `|x y / R|_m`, canonical. Requires `x < R` and `y <= m`.
    pub(crate) fn multiply(&self, x: u64, y: u64) -> u64 {
        debug_assert!(x >> self.radix_bits == 0 && y <= self.m);
        self.canonical(self.redc(u128::from(x) * u128::from(y)))
    }

    /// `|x y|_m`, canonical. Requires `x < R` and `y <= m`.
    pub(crate) fn multiply_plain(&self, x: u64, y: u64) -> u64 {
        self.multiply(self.multiply(x, y), self.radix_squared)
    }

    /// `|-x|_m`, canonical. Requires `x < m`.
    pub(crate) fn negate(&self, x: u64) -> u64 {
        self.canonical(self.m - x)
    }

    /// The inverse in Montgomery form: `|y^-1 R|_m`, canonical, for `x = |y R|_m`; 0 for 0.
    /// Requires a prime m, as it computes `y^(m - 2)` (Fermat). Constant time.
    pub(crate) fn invert(&self, x: u64) -> u64 {
        let exponent = self.m - 2;
        let mut inverse = self.radix;
        for bit in (0..u64::BITS - exponent.leading_zeros()).rev() {
            inverse = self.multiply(inverse, inverse);
            if exponent >> bit & 1 == 1 {
                inverse = self.multiply(inverse, x);
            }
        }
        inverse
    }

    /// `|x|_m`. Requires `x <= 2 m`, the bound of `redc` of a product.
    fn canonical(&self, x: u64) -> u64 {
        debug_assert!(x <= 2 * self.m);
        [self.m, self.m].into_iter().fold(x, |x, m| {
            let less = x.wrapping_sub(m);
            // All ones if the difference is negative.
            let borrow = 0u64.wrapping_sub(less >> 63);
            less.wrapping_add(m & borrow)
        })
    }
}

/// `m^-1` modulo `2^64` for an odd `m`. Newton's iteration starts from m, which agrees with its
/// inverse in the lowest 3 bits, and doubles the number of correct bits in each step.
fn inverse_mod_word(m: u64) -> u64 {
    let mut inverse = m;
    for _ in 0..5 {
        inverse = inverse.wrapping_mul(2u64.wrapping_sub(m.wrapping_mul(inverse)));
    }
    inverse
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arithmetic_is_canonical() {
        for (m, radix_bits) in [
            ((1 << 28) - 57, 32),
            ((1 << 30) - 35, 32),
            ((1 << 49) - 81, 52),
        ] {
            let modulus = sunzi_rns::Modulus::new(m).unwrap();
            let channel = ChannelArithmetic::new(&modulus, radix_bits);
            let m = m as u64;
            for x in [0, 1, 2, m / 2, m - 1, m, (1 << radix_bits) - 1] {
                for y in [0, 1, m - 2, m - 1, m] {
                    let product = modulus.mul(modulus.reduce(x.into()), modulus.reduce(y.into()));
                    assert_eq!(u128::from(channel.multiply_plain(x, y)), product);
                    let scaled = channel.multiply(channel.multiply(x, y), channel.radix_squared);
                    assert_eq!(u128::from(scaled), product);
                }
            }
            for x in [1, 2, m / 2, m - 1] {
                assert_eq!(channel.negate(x) + x, m);
                let form = channel.multiply(x, channel.radix_squared);
                let inverse = channel.multiply(channel.invert(form), 1);
                assert_eq!(channel.multiply_plain(inverse, x), 1);
            }
            assert_eq!((channel.negate(0), channel.invert(0)), (0, 0));
        }
    }

    #[test]
    fn inverses_invert() {
        for m in [3u64, 0x3f_ffff_ffff_fff9, (1 << 31) - 1] {
            assert_eq!(inverse_mod_word(m).wrapping_mul(m), 1);
        }
    }
}
