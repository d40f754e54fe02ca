//! The constants of one channel.

use sunzi_rns::Modulus;

/// An odd modulus `m` and the constants of its Montgomery reduction with radix `R = 2^rho`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Channel {
    /// `m`.
    pub(crate) m: u64,
    /// `m^-1` modulo R.
    pub(crate) inverse: u64,
    /// `|R|_m`.
    pub(crate) radix: u64,
}

impl Channel {
    /// The constants for `rho = radix_bits < 64`.
    pub(crate) fn new(modulus: &Modulus, radix_bits: u32) -> Self {
        let m = modulus.value() as u64;
        debug_assert!(m % 2 == 1 && m >> (radix_bits - 1) == 0);
        let inverse = inverse_mod_word(m) & ((1 << radix_bits) - 1);
        Self {
            m,
            inverse,
            radix: (1 << radix_bits) % m,
        }
    }
}

/// `m^-1` modulo `2^64` for odd `m`, by Newton's iteration from 3 correct bits.
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
    fn inverses_invert() {
        for m in [3u64, 0x3f_ffff_ffff_fff9, (1 << 31) - 1] {
            assert_eq!(inverse_mod_word(m).wrapping_mul(m), 1);
        }
    }
}
