//! Conversion between integers and residues, in both directions.
//!
//! Into residues: `x_i = |X|_{m_i}`, channel by channel.
//!
//! Back: the Chinese remainder theorem gives
//!
//! ```text
//! S = sum xh_i M/m_i,   xh_i = |x_i (M/m_i)^-1|_{m_i},   X = S mod M,   0 <= S < n M.
//! ```
//!
//! `S` is built without the cofactors `M/m_i`, from `S_0 = 0`, `M_0 = 1` and
//!
//! ```text
//! S_k = S_{k-1} m_k + xh_k M_{k-1},   M_k = M_{k-1} m_k,
//! ```
//!
//! so that `S_k / M_k = sum_{i<=k} xh_i / m_i < k`. Then `ceil(log2 n)` conditional
//! subtractions of `2^j M` remove the multiple of `M`. The time of both directions depends on
//! the base and on the precision of the integer, not on its value.
//! `docs/bases.md`, included in [`base`](crate::base), has the proof.

use alloc::{vec, vec::Vec};

use crypto_bigint::{BoxedUint, CtAssign, Resize, Word};
use zeroize::Zeroizing;

use crate::base::Base;
use crate::residues::Residues;
use crate::words::mul_add;

/// The reason why an integer has no residues in a base.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ConvertError {
    /// `X >= M`, so that the residues would be those of `X mod M`.
    #[error(
        "the number is not below the dynamic range of the base, which has {range_bits} bits \
         (the number: at most {bits}): reduce it first, or take a base with more or wider moduli"
    )]
    OutOfRange {
        /// Precision of the number, in bits.
        bits: u32,
        /// Length of the dynamic range, in bits.
        range_bits: u32,
    },
}

impl Residues {
    /// The residues of `X < M`, in constant time unless `X` is refused.
    ///
    /// # Errors
    /// [`ConvertError::OutOfRange`] for `X >= M`.
    pub fn from_uint(base: &Base, x: &BoxedUint) -> Result<Self, ConvertError> {
        if x >= base.product() {
            let range_bits = base.product().bits_vartime();
            return Err(ConvertError::OutOfRange {
                bits: x.bits_precision(),
                range_bits,
            });
        }
        Ok(Self::reduced(base, x))
    }

    /// The integer `X`, `0 <= X < M`, in constant time. Its precision is that of
    /// [`Base::product`].
    pub fn to_uint(&self) -> BoxedUint {
        let base = self.base();
        let doublings = usize::BITS - (base.len() - 1).leading_zeros();
        // S_k < k M_k, and M_k has at most the sum of the widths of k moduli.
        let mut bits = doublings;
        let mut sum: Zeroizing<Vec<Word>> = Zeroizing::new(vec![0]);
        let mut product: Vec<Word> = vec![1];
        let channels = base.moduli().iter().zip(self.values());
        for ((m, &x), &inverse) in channels.zip(base.cofactor_inverses()) {
            bits += m.bits();
            let words = bits.div_ceil(Word::BITS) as usize;
            let digit = m.mul(x, inverse);
            let mut next_sum = Zeroizing::new(vec![0; words]);
            mul_add(&mut next_sum, &sum, m.value(), m.bits());
            mul_add(&mut next_sum, &product, digit, m.bits());
            let mut next_product = vec![0; words];
            mul_add(&mut next_product, &product, m.value(), m.bits());
            (sum, product) = (next_sum, next_product);
        }
        let mut sum = Zeroizing::new(BoxedUint::from(core::mem::take(&mut *sum)));
        let product = BoxedUint::from(product);
        for doubling in (0..doublings).rev() {
            // Before this step S < 2^(doubling + 1) M, after it S < 2^doubling M.
            let multiple = product.unbounded_shl_vartime(doubling);
            let (difference, borrow) = sum.underflowing_sub(&multiple);
            sum.ct_assign(&Zeroizing::new(difference), !borrow);
        }
        debug_assert!(*sum < product);
        (&*sum).resize_unchecked(base.product().bits_precision())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_support::{big, boxed};
    use alloc::collections::BTreeSet;
    use num_bigint::BigUint;
    use proptest::prelude::*;

    #[test]
    fn every_number_of_tiny_bases() {
        for moduli in [&[2, 3][..], &[4, 3, 5], &[3, 5, 7, 8], &[31, 2]] {
            let base = Base::new(moduli).unwrap();
            let range: u128 = moduli.iter().product();
            for x in 0..range {
                let residues = Residues::from_uint(&base, &BoxedUint::from(x)).unwrap();
                assert_eq!(residues.to_uint(), BoxedUint::from(x));
            }
            assert!(Residues::from_uint(&base, &BoxedUint::from(range)).is_err());
        }
    }

    #[test]
    fn the_dynamic_range_is_the_first_number_refused() {
        let base = Base::new(&[255, 256, 257]).unwrap();
        let m = base.product().clone();
        let error = Residues::from_uint(&base, &m).unwrap_err();
        assert_eq!(
            error,
            ConvertError::OutOfRange {
                bits: 64,
                range_bits: 24
            }
        );
        let last = m.wrapping_sub(BoxedUint::one());
        assert_eq!(Residues::from_uint(&base, &last).unwrap().to_uint(), last);
    }

    /// Bases with more than 16,384 bits: one of the narrowest moduli for which this is possible, one of the
    /// widest.
    fn wide_bases() -> [Base; 2] {
        let narrow = Base::descending_primes(15, 1200, &BTreeSet::new()).unwrap();
        let wide = Base::descending_primes(66, 250, &BTreeSet::new()).unwrap();
        [narrow, wide]
    }

    #[test]
    fn sixteen_thousand_bits_both_ways() {
        for base in wide_bases() {
            let m = big(base.product());
            assert!(m.bits() > 16_384);
            let ones = (BigUint::from(1u8) << 16_384) - 1u8;
            for x in [BigUint::ZERO, BigUint::from(1u8), ones, &m / 2u8, &m - 1u8] {
                let residues = Residues::from_uint(&base, &boxed(&x)).unwrap();
                for (&r, modulus) in residues.values().iter().zip(base.moduli()) {
                    assert_eq!(BigUint::from(r), &x % modulus.value());
                }
                assert_eq!(big(&residues.to_uint()), x);
            }
        }
    }

    proptest! {
        #[test]
        fn agrees_with_num_bigint(
            bits in 8u32..=66,
            count in 2usize..=12,
            bytes in prop::collection::vec(any::<u8>(), 0..120),
        ) {
            let Ok(base) = Base::pseudo_mersenne(bits, count) else { return Ok(()) };
            let x = BigUint::from_bytes_le(&bytes) % big(base.product());
            let residues = Residues::from_uint(&base, &boxed(&x)).unwrap();
            for (&r, m) in residues.values().iter().zip(base.moduli()) {
                prop_assert_eq!(BigUint::from(r), &x % m.value());
            }
            prop_assert_eq!(big(&residues.to_uint()), x);
        }
    }
}
