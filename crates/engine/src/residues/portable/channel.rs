//! Arithmetic of one channel in a lane: Montgomery reduction with radix `R = 2^32`.

use crate::residues::plan::Channel;

/// The mask of the low 32 bits of a lane, which a multiplication reads.
const LOW: u64 = 0xffff_ffff;

/// `redc(T)`, congruent to `T / R` modulo `m`.
///
/// Accepts any `T < 2^64`. With `T = H R + L` the result is in `[H + 1, H + m]`, and thus at most
/// `T / 2^32 + m`.
///
/// For `q = |L m^-1|_R` the low halves of `T` and `q m` agree, so that
/// `(T - q m) / R + m = H - floor(q m / R) + m`.
#[inline(always)]
pub(crate) fn redc(channel: &Channel, t: u64) -> u64 {
    let q = multiply(t, channel.inverse);
    let qm = multiply(q, channel.m);
    (t >> 32) + channel.m - (qm >> 32)
}

/// A representative of the same residue, at most `x m / 2^32 + m < 2 m`. Requires `x < 2^32`.
#[inline(always)]
pub(crate) fn normalize(channel: &Channel, x: u64) -> u64 {
    redc(channel, multiply(x, channel.radix))
}

/// The product of the low 32 bits of two lanes, a single `vpmuludq` in vector code. The masks tell
/// the compiler that 32 bits suffice; only `redc` passes operands with more.
#[inline(always)]
pub(crate) fn multiply(x: u64, y: u64) -> u64 {
    (x & LOW) * (y & LOW)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn redc_divides_by_the_radix_within_its_bound() {
        for m in [(1 << 28) - 57, (1 << 30) - 35, 3] {
            let channel = Channel::new(&sunzi_rns::Modulus::new(m.into()).unwrap(), 32);
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
                let reduced = redc(&channel, t);
                assert_eq!(
                    (u128::from(reduced) << 32) % u128::from(m),
                    u128::from(t % m)
                );
                assert!(reduced > t >> 32 && reduced <= (t >> 32) + m);
            }
            for x in [0, 1, m - 1, m, LOW] {
                let normal = normalize(&channel, x);
                assert_eq!(normal % m, x % m);
                assert!(normal < 2 * m);
            }
        }
    }
}
