//! Multiples by short random factors, for equations that are added up. Public.

use super::element::G2Element;
use super::parameters::SEED;
use super::prepared::PreparedPairing;
use super::{g1_multiply, g2_multiply};
use crate::ec::group::GroupElement;
use crypto_bigint::{BoxedUint, NonZero, Resize};
use rand_core::TryCryptoRng;
use sunzi_engine::EngineError;

/// Length of each half of a factor in bits.
const BITS: u32 = 35;

/// A factor `k_1 - x^2 k_2` for odd numbers k below 2^35 in absolute value: one of 2^70 that differ modulo the order,
/// none of which is 0. In both groups it takes half the doublings of other factors of that length.
#[derive(Clone, Debug)]
pub(crate) struct ShortFactor([BoxedUint; 2]);

impl ShortFactor {
    /// A random factor; none if the generator fails.
    pub(crate) fn random<R: TryCryptoRng + ?Sized>(rng: &mut R) -> Option<Self> {
        let mut half = || {
            let number = rng.try_next_u64().ok()?;
            Some(BoxedUint::from(number >> (u64::BITS - BITS)))
        };
        Some(Self([half()?, half()?]))
    }

    /// The factor modulo the order.
    pub(crate) fn number(&self, order: &NonZero<BoxedUint>) -> BoxedUint {
        let precision = order.bits_precision();
        let big = |x: u64| BoxedUint::from(x).resize_unchecked(precision);
        let [first, second] = self.0.each_ref().map(|window| {
            // 2 window - 2^35 + 1.
            let double = window.resize_unchecked(precision).shl(1);
            double.sub_mod(&big((1 << BITS) - 1), order)
        });
        let square = big(SEED).mul_mod(&big(SEED), order);
        first.sub_mod(&square.mul_mod(&second, order), order)
    }

    /// The factor with these windows, `(k + 2^35 - 1)/2` for each half k.
    #[cfg(test)]
    pub(crate) fn of_windows(halves: [u64; 2]) -> Self {
        Self(halves.map(BoxedUint::from))
    }
}

/// Multiples of elements of G1, in the same order.
pub(crate) fn multiply_g1_short_batch_vartime(
    pairing: &PreparedPairing,
    work: &[(&GroupElement, &ShortFactor)],
) -> Result<Vec<GroupElement>, EngineError> {
    let finite = work
        .iter()
        .filter_map(|(element, factor)| Some((element.point()?, &factor.0)));
    let multiples = g1_multiply::public_multiples(pairing, BITS, &finite.collect::<Vec<_>>())?;
    let mut multiples = multiples.into_iter();
    let multiple = |(element, _): &(&GroupElement, &ShortFactor)| {
        let point = element.point().and_then(|_| multiples.next().flatten());
        GroupElement::of(pairing.g1().curve(), point)
    };
    Ok(work.iter().map(multiple).collect())
}

/// Multiples of elements of G2, in the same order.
pub(crate) fn multiply_g2_short_batch_vartime(
    pairing: &PreparedPairing,
    work: &[(&G2Element, &ShortFactor)],
) -> Result<Vec<G2Element>, EngineError> {
    let finite = work
        .iter()
        .filter_map(|(element, factor)| Some((element.point()?, &factor.0)));
    let multiples = g2_multiply::public_multiples(pairing, BITS, &finite.collect::<Vec<_>>())?;
    let mut multiples = multiples.into_iter();
    let multiple = |(element, _): &(&G2Element, &ShortFactor)| {
        let point = element.point().and_then(|_| multiples.next().flatten());
        G2Element::of(point)
    };
    Ok(work.iter().map(multiple).collect())
}
