//! Leak-resistant bases: two bases drawn at random from one pool of moduli.
//!
//! Montgomery multiplication in residues works on two bases. If they are a random split of one
//! pool of moduli, drawn anew for each operation, the values in a channel change from one
//! operation to the next although the numbers are the same: an attacker must average a side
//! channel over `C(2n, n)` representations.
//!
//! A bound that must hold for all splits is checked once, for the worst one:
//! [`smallest_product`] is a lower bound on the product of every base of a split.
//!
//! Source: J.-C. Bajard, L. Imbert, P.-Y. Liardet, Y. Teglia, "Leak resistant arithmetic",
//! CHES 2004.

use alloc::vec::Vec;

use crypto_bigint::BoxedUint;
use rand_core::CryptoRng;

use crate::base::{Base, BaseError, product};
use crate::modulus::Modulus;

/// The reason why a pool of moduli cannot be split.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "{first} of {moduli} moduli for the first base: both bases need at least two, so 2 to {}",
    moduli.saturating_sub(2)
)]
pub struct SplitError {
    /// Number of moduli asked for in the first base.
    pub first: usize,
    /// Number of moduli in the pool.
    pub moduli: usize,
}

/// A random split of the moduli of `pool` into a base of `first` of them and a base of the rest.
/// All splits are equally likely. Both bases keep the order of the pool.
///
/// The time depends on the split, which may be secret: it can leak the split, but not the
/// numbers that are computed with it.
///
/// # Errors
/// [`SplitError`] if a base would have fewer than two moduli.
pub fn random_split(
    pool: &Base,
    first: usize,
    rng: &mut impl CryptoRng,
) -> Result<(Base, Base), SplitError> {
    let moduli = pool.len();
    let error = SplitError { first, moduli };
    if first < 2 || moduli.saturating_sub(first) < 2 {
        return Err(error);
    }
    // Selection sampling: a modulus is taken for the first base with the probability (moduli that
    // the base still lacks) / (moduli that are left).
    let mut parts = [
        Vec::with_capacity(first),
        Vec::with_capacity(moduli - first),
    ];
    for (i, m) in pool.moduli().iter().enumerate() {
        let lacking = (first - parts[0].len()) as u64;
        let chosen = uniform_below((moduli - i) as u64, rng) < lacking;
        parts[usize::from(!chosen)].push(m.value());
    }
    // Two or more moduli of a base are a base.
    let [first, second] = parts.map(|moduli| Base::new(&moduli).map_err(|_: BaseError| error));
    Ok((first?, second?))
}

/// The product of the `count` smallest moduli of a base, or of all if it has fewer. No `count` of
/// its moduli have a smaller product.
pub fn smallest_product(base: &Base, count: usize) -> BoxedUint {
    let mut moduli: Vec<u128> = base.moduli().iter().map(Modulus::value).collect();
    moduli.sort_unstable();
    product(moduli.into_iter().take(count))
}

/// A uniform number below `bound > 0`. Draws from the largest multiple of `bound` in 64 bits upwards are
/// rejected.
fn uniform_below(bound: u64, rng: &mut impl CryptoRng) -> u64 {
    let excess = (u64::MAX % bound + 1) % bound;
    loop {
        let drawn = rng.next_u64();
        if drawn <= u64::MAX - excess {
            return drawn % bound;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use core::convert::Infallible;
    use rand_core::{TryCryptoRng, TryRng};
    use std::collections::BTreeMap;

    /// The generator `SplitMix64`, which is good enough for a test of uniformity and reproducible.
    struct Generator(u64);

    impl TryRng for Generator {
        type Error = Infallible;
        fn try_next_u32(&mut self) -> Result<u32, Infallible> {
            self.try_next_u64().map(|x| x as u32)
        }
        fn try_next_u64(&mut self) -> Result<u64, Infallible> {
            self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
            let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
            let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
            Ok(z ^ (z >> 31))
        }
        fn try_fill_bytes(&mut self, bytes: &mut [u8]) -> Result<(), Infallible> {
            for chunk in bytes.chunks_mut(8) {
                let word = self.try_next_u64()?.to_le_bytes();
                chunk.copy_from_slice(&word[..chunk.len()]);
            }
            Ok(())
        }
    }

    impl TryCryptoRng for Generator {}

    #[test]
    fn every_split_is_drawn_equally_often() {
        let pool = Base::new(&[3, 5, 7, 11, 13]).unwrap();
        let mut drawn: BTreeMap<Vec<u128>, u32> = BTreeMap::new();
        let mut rng = Generator(1);
        for _ in 0..20_000 {
            let (first, second) = random_split(&pool, 2, &mut rng).unwrap();
            assert_eq!((first.len(), second.len()), (2, 3));
            let values = |b: &Base| b.moduli().iter().map(Modulus::value).collect::<Vec<_>>();
            let (chosen, rest) = (values(&first), values(&second));
            assert!(rest.iter().all(|m| !chosen.contains(m)));
            *drawn.entry(chosen).or_default() += 1;
        }
        // C(5, 2) = 10 splits, 2000 each; the standard deviation is 42.
        assert_eq!(drawn.len(), 10);
        assert!(
            drawn.values().all(|count| (1_790..=2_210).contains(count)),
            "{drawn:?}"
        );
    }

    #[test]
    fn splits_with_fewer_than_two_moduli_are_refused() {
        let pool = Base::new(&[3, 5, 7, 11]).unwrap();
        for first in [0, 1, 3, 4, 5, usize::MAX] {
            let error = random_split(&pool, first, &mut Generator(1)).unwrap_err();
            assert_eq!(error, SplitError { first, moduli: 4 });
        }
        assert!(random_split(&pool, 2, &mut Generator(1)).is_ok());
    }

    #[test]
    fn no_split_has_a_smaller_product() {
        let pool = Base::new(&[31, 3, 29, 5, 7, 11]).unwrap();
        let bound = smallest_product(&pool, 3);
        assert_eq!(bound, BoxedUint::from(105u64));
        let mut rng = Generator(7);
        for _ in 0..100 {
            let (first, second) = random_split(&pool, 3, &mut rng).unwrap();
            assert!(*first.product() >= bound && *second.product() >= bound);
        }
    }
}
