//! One channel on many lanes: reduction without division.

use sunzi_rns::Modulus;

/// The constants of one channel: an odd modulus `m < 2^31`.
#[derive(Clone, Copy)]
pub(super) struct Channel {
    m: u64,
    /// `m^-1` modulo `2^32`.
    inverse: u64,
    /// `|R|_m`, `R = 2^32`.
    radix: u64,
}

/// The low half, as the 32 x 32 -> 64-bit multiplication of a lane takes it.
const LOW: u64 = 0xffff_ffff;

impl Channel {
    pub(super) fn new(modulus: &Modulus) -> Self {
        let m = modulus.value() as u64;
        debug_assert!(m % 2 == 1 && m >> 31 == 0);
        Self {
            m,
            inverse: inverse_mod_radix(m),
            radix: (1 << 32) % m,
        }
    }

    /// `redc(T)`, congruent to `T / R` modulo `m`: with `T = H R + L` and
    /// `q = |L m^-1|_R`, the low halves of `T` and `q m` agree, so
    /// `(T - q m) / R + m = H - floor(q m / R) + m`.
    ///
    /// Any `T < 2^64`; the result is in `[H + 1, H + m]`, in particular at most
    /// `T / 2^32 + m`.
    #[inline(always)]
    pub(super) fn redc(&self, t: u64) -> u64 {
        let q = multiply(t, self.inverse);
        let qm = multiply(q, self.m);
        (t >> 32) + self.m - (qm >> 32)
    }

    /// The same residue, at most `x m / 2^32 + m < 2 m`, for `x < 2^32`.
    #[inline(always)]
    pub(super) fn normalize(&self, x: u64) -> u64 {
        self.redc(multiply(x, self.radix))
    }
}

/// The product of the low 32 bits of two lanes: one `vpmuludq` where there are vectors. All
/// operands but `redc`'s own are below `2^32`; the mask says so to the compiler.
#[inline(always)]
pub(super) fn multiply(x: u64, y: u64) -> u64 {
    (x & LOW) * (y & LOW)
}

/// `m^-1` modulo `2^32` for odd `m`, by Newton's iteration from 3 correct bits.
fn inverse_mod_radix(m: u64) -> u64 {
    let mut inverse = m;
    for _ in 0..4 {
        inverse = inverse.wrapping_mul(2u64.wrapping_sub(m.wrapping_mul(inverse)));
    }
    inverse & LOW
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn redc_divides_by_the_radix_within_its_bound() {
        for m in [(1 << 28) - 57, (1 << 30) - 35, 3] {
            let channel = Channel::new(&Modulus::new(m.into()).unwrap());
            for t in [
                0,
                1,
                m,
                m - 1,
                m * m,
                LOW,
                LOW + 1,
                u64::MAX,
                u64::MAX - LOW,
                1 << 63,
            ] {
                let reduced = channel.redc(t);
                assert_eq!(
                    (u128::from(reduced) << 32) % u128::from(m),
                    u128::from(t % m)
                );
                assert!(reduced > t >> 32 && reduced <= (t >> 32) + m);
            }
            for x in [0, 1, m - 1, m, LOW] {
                let normal = channel.normalize(x);
                assert_eq!(normal % m, x % m);
                assert!(normal < 2 * m);
            }
        }
    }
}
