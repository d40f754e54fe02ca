//! The arithmetic of one channel.

use sunzi_program::content;
use sunzi_rns::Modulus;

use crate::residues::float::vector::TO_INTEGER;

/// One channel.
#[derive(Clone, Copy, Debug)]
pub(super) struct Channel {
    /// The modulus m, a prime.
    pub(super) m: f64,
    /// `1 / m`, rounded.
    pub(super) inverse: f64,
}

content!(Channel { m, inverse });
impl Channel {
    pub(super) fn new(modulus: &Modulus) -> Self {
        let m = modulus.value() as f64;
        Self {
            m,
            inverse: 1.0 / m,
        }
    }

    /// The largest absolute value of a reduced number. The quotient of a reduction is off by at
    /// most 1/2 and `2^-23`, and the rest is an integer.
    pub(super) fn bound(self) -> f64 {
        (self.m / 2.0).floor() + 2.0 * self.m * (-24f64).exp2()
    }

    /// A centred residue of an integer of at most `2^53 - m` in absolute value.
    pub(super) fn reduce(self, x: f64) -> f64 {
        let quotient = (x * self.inverse + TO_INTEGER) - TO_INTEGER;
        x - quotient * self.m
    }
}
