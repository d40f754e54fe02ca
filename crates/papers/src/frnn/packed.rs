//! Residues modulo numbers of 15 bits in words of 32 bits, in loops that the compiler vectorizes: the possible speed of
//! residues on this processor, beside the readable code of `sunzi-rns` with words of 128 bits.

use crypto_bigint::BoxedUint;
use sunzi_rns::{Base, Residues};

/// The number of fractional bits of the inverses.
const SHIFT: u32 = 45;

/// A base of moduli below `2^15`.
#[derive(Clone, Debug)]
pub struct PackedBase {
    base: Base,
    moduli: Vec<u32>,
    /// `floor(2^45 / p)`, below `2^32` since `p > 2^13`.
    inverses: Vec<u32>,
}

impl PackedBase {
    /// The moduli of this base, which must be between `2^13` and `2^15`.
    pub fn new(base: &Base) -> Self {
        let moduli: Vec<u32> = base.moduli().iter().map(|p| p.value() as u32).collect();
        debug_assert!(moduli.iter().all(|p| (1 << 13..1 << 15).contains(p)));
        Self {
            base: base.clone(),
            inverses: moduli
                .iter()
                .map(|&p| ((1u64 << SHIFT) / u64::from(p)) as u32)
                .collect(),
            moduli,
        }
    }

    /// The residues of a number.
    pub fn residues(&self, number: &BoxedUint) -> Vec<u32> {
        let residues = Residues::reduced(&self.base, number);
        residues.values().iter().map(|&x| x as u32).collect()
    }

    /// `z_i = |x_i + y_i|`.
    pub fn add(&self, x: &[u32], y: &[u32], z: &mut [u32]) {
        for (((z, x), y), p) in z.iter_mut().zip(x).zip(y).zip(&self.moduli) {
            *z = reduced_once(x + y, *p);
        }
    }

    /// `z_i = |x_i - y_i|`.
    pub fn sub(&self, x: &[u32], y: &[u32], z: &mut [u32]) {
        for (((z, x), y), p) in z.iter_mut().zip(x).zip(y).zip(&self.moduli) {
            *z = reduced_once(x + p - y, *p);
        }
    }

    /// `z_i = |x_i y_i|`.
    pub fn mul(&self, x: &[u32], y: &[u32], z: &mut [u32]) {
        let moduli = self.moduli.iter().zip(&self.inverses);
        for (((z, x), y), (p, inverse)) in z.iter_mut().zip(x).zip(y).zip(moduli) {
            let product = x * y;
            // product < 2^30, so the quotient is right or one too small.
            let quotient = (u64::from(product) * u64::from(*inverse)) >> SHIFT;
            *z = reduced_once(product - quotient as u32 * p, *p);
        }
    }
}

/// `|t|_p` for `t < 2p`, without a branch: `t - p` wraps to a large number if `t < p`.
fn reduced_once(t: u32, p: u32) -> u32 {
    t.min(t.wrapping_sub(p))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::frnn::operations::base;
    use crate::random::Random;

    #[test]
    fn packed_residues_agree_with_the_readable_code() {
        let base = base(285).unwrap();
        let packed = PackedBase::new(&base);
        let largest = BoxedUint::from(0u64).wrapping_sub(BoxedUint::one());
        let mut random = Random(1);
        for (x, y) in [
            (
                random.below_power_of_two(4000),
                random.below_power_of_two(4000),
            ),
            (base.product().wrapping_sub(BoxedUint::one()), largest),
            (
                BoxedUint::from(0u64),
                base.product().wrapping_sub(BoxedUint::one()),
            ),
        ] {
            let [rx, ry] = [&x, &y].map(|x| Residues::reduced(&base, x));
            let [px, py] = [&x, &y].map(|x| packed.residues(x));
            let mut found = vec![0; 285];
            let check = |found: &[u32], expected: &Residues| {
                assert!(
                    expected.values().iter().eq(found
                        .iter()
                        .map(|&x| u128::from(x))
                        .collect::<Vec<_>>()
                        .iter())
                );
            };
            packed.add(&px, &py, &mut found);
            check(&found, &(&rx + &ry));
            packed.sub(&px, &py, &mut found);
            check(&found, &(&rx - &ry));
            packed.mul(&px, &py, &mut found);
            check(&found, &(&rx * &ry));
        }
    }
}
