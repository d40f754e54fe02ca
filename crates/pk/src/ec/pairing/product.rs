//! Pairings, and products of pairings that are compared with 1, in batches. Public.

use super::element::{G2Element, GtElement, PreparedG2};
use super::final_exponentiation::{is_one, powers};
use super::kind::{Bls12_381, PairingCurve};
use super::miller::{MillerValue, PAIRS, Pair, Second, miller, multiply, second};
use super::prepared::PreparedPairing;
use crate::ec::group::{GroupElement, GroupError};
use sunzi_engine::EngineError;

/// The second argument of a pairing.
#[derive(Clone, Copy, Debug)]
pub enum G2Argument<'a, C: PairingCurve = Bls12_381> {
    /// An element.
    Element(&'a G2Element<C>),
    /// A prepared element.
    Prepared(&'a PreparedG2<C>),
}

/// A pairing e(P, Q) to compute.
#[derive(Clone, Copy, Debug)]
pub struct PairingRequest<'a, C: PairingCurve = Bls12_381> {
    /// P, of G1 of the curve.
    pub g1: &'a GroupElement,
    /// Q.
    pub g2: G2Argument<'a, C>,
}

impl<'a, C: PairingCurve> PairingRequest<'a, C> {
    /// e(P, Q) for a Q that is not prepared.
    pub fn new(g1: &'a GroupElement, g2: &'a G2Element<C>) -> Self {
        let g2 = G2Argument::Element(g2);
        Self { g1, g2 }
    }

    /// e(P, Q) for a prepared Q.
    pub fn prepared(g1: &'a GroupElement, g2: &'a PreparedG2<C>) -> Self {
        let g2 = G2Argument::Prepared(g2);
        Self { g1, g2 }
    }

    /// The pair of points; none if either is at infinity.
    fn pair(&self) -> Option<Pair<'a, C>> {
        let p = self.g1.point()?;
        let q = match self.g2 {
            G2Argument::Element(element) => second(element)?,
            G2Argument::Prepared(prepared) if prepared.element().is_identity() => return None,
            G2Argument::Prepared(prepared) => Second::Lines(prepared),
        };
        Some(Pair { p, q })
    }
}

/// The values of pairings, one for each request, in the same order: powers of the Miller loops of the optimal ate
/// pairing, as blst, arkworks and others have them, `3 (p^12 - 1)/n` for BLS12-381 and
/// `2 t (6 t^2 + 3 t + 1) (p^12 - 1)/n` for BN254. A pairing with a neutral element is 1.
///
/// # Errors
/// [`GroupError::OtherCurve`] if an element is not of G1 of the curve, [`GroupError::Engine`].
pub fn pairing_batch<C: PairingCurve>(
    pairing: &PreparedPairing<C>,
    requests: &[PairingRequest<'_, C>],
) -> Result<Vec<GtElement<C>>, GroupError> {
    check(pairing, requests)?;
    let pairs: Vec<_> = requests.iter().map(PairingRequest::pair).collect();
    let groups: Vec<_> = pairs.iter().flatten().map(core::slice::from_ref).collect();
    let values = miller(pairing, &groups)?;
    let mut powers = powers(pairing, &values)?.into_iter();
    let value = |pair: &Option<Pair<'_, C>>| match pair {
        Some(_) => powers.next().map_or_else(GtElement::one, GtElement::of),
        None => GtElement::one(),
    };
    Ok(pairs.iter().map(value).collect())
}

/// Whether the product of the pairings of each entry is 1, in the same order. Pairings with a neutral element are 1, and
/// so is the product of no pairings.
///
/// # Errors
/// [`GroupError::OtherCurve`] if an element is not of G1 of the curve, [`GroupError::Engine`].
pub fn pairing_product_is_one_batch<C: PairingCurve>(
    pairing: &PreparedPairing<C>,
    products: &[&[PairingRequest<'_, C>]],
) -> Result<Vec<bool>, GroupError> {
    for requests in products {
        check(pairing, requests)?;
    }
    let pairs = products
        .iter()
        .map(|requests| requests.iter().filter_map(PairingRequest::pair).collect());
    Ok(products_are_one(pairing, &pairs.collect::<Vec<_>>())?)
}

fn check<C: PairingCurve>(
    pairing: &PreparedPairing<C>,
    requests: &[PairingRequest<'_, C>],
) -> Result<(), GroupError> {
    let curve = pairing.g1().curve();
    requests
        .iter()
        .try_for_each(|request| request.g1.check(curve))
}

/// The value of a product of Miller loops; none of no loops, whose product is 1.
#[derive(Clone)]
pub(crate) struct MillerProduct(Option<MillerValue>);

/// The product of the Miller loops of each entry, whose elements of G1 are of the curve.
pub(crate) fn products<C: PairingCurve>(
    pairing: &PreparedPairing<C>,
    products: &[&[PairingRequest<'_, C>]],
) -> Result<Vec<MillerProduct>, EngineError> {
    let pairs = products
        .iter()
        .map(|requests| requests.iter().filter_map(PairingRequest::pair).collect());
    let values = miller_products(pairing, &pairs.collect::<Vec<_>>())?;
    Ok(values.into_iter().map(MillerProduct).collect())
}

/// The product of the values of each entry.
pub(crate) fn multiply_values<C: PairingCurve>(
    pairing: &PreparedPairing<C>,
    groups: &[&[MillerProduct]],
) -> Result<Vec<MillerProduct>, EngineError> {
    let values = groups.iter().map(|group| {
        let values = group.iter().filter_map(|product| product.0.clone());
        values.collect()
    });
    let products = multiply_all(pairing, values.collect())?;
    Ok(products.into_iter().map(MillerProduct).collect())
}

/// Whether the final exponentiation of each value is 1.
pub(crate) fn are_one<C: PairingCurve>(
    pairing: &PreparedPairing<C>,
    products: &[MillerProduct],
) -> Result<Vec<bool>, EngineError> {
    let values: Vec<_> = products.iter().map(|product| product.0.clone()).collect();
    values_are_one(pairing, &values)
}

/// Whether the product of the pairings of each entry is 1.
pub(super) fn products_are_one<C: PairingCurve>(
    pairing: &PreparedPairing<C>,
    products: &[Vec<Pair<'_, C>>],
) -> Result<Vec<bool>, EngineError> {
    values_are_one(pairing, &miller_products(pairing, products)?)
}

/// Whether the final exponentiation of each value is 1; that of none is.
fn values_are_one<C: PairingCurve>(
    pairing: &PreparedPairing<C>,
    values: &[Option<MillerValue>],
) -> Result<Vec<bool>, EngineError> {
    let flat: Vec<_> = values.iter().flatten().cloned().collect();
    let mut verdicts = is_one(pairing, &flat)?.into_iter();
    let verdict = |value: &Option<MillerValue>| match value {
        Some(_) => verdicts.next() == Some(true),
        None => true,
    };
    Ok(values.iter().map(verdict).collect())
}

/// The products of the Miller loops of each entry; none of no pairs.
pub(super) fn miller_products<C: PairingCurve>(
    pairing: &PreparedPairing<C>,
    products: &[Vec<Pair<'_, C>>],
) -> Result<Vec<Option<MillerValue>>, EngineError> {
    let groups = products.iter().flat_map(|pairs| pairs.chunks(PAIRS));
    let mut values = miller(pairing, &groups.collect::<Vec<_>>())?.into_iter();
    let products = products
        .iter()
        .map(|pairs| values.by_ref().take(pairs.len().div_ceil(PAIRS)).collect());
    multiply_all(pairing, products.collect())
}

/// The product of the values of each entry; none of no values.
fn multiply_all<C: PairingCurve>(
    pairing: &PreparedPairing<C>,
    mut products: Vec<Vec<MillerValue>>,
) -> Result<Vec<Option<MillerValue>>, EngineError> {
    // Halves the number of factors of each product, until none has more than one.
    while products.iter().any(|factors| factors.len() > 1) {
        let pairs = products.iter().flat_map(|factors| factors.chunks_exact(2));
        let pairs = pairs.map(|factors| [&factors[0], &factors[1]]);
        let mut halves = multiply(pairing, &pairs.collect::<Vec<_>>())?.into_iter();
        products = products
            .iter()
            .map(|factors| {
                let mut next: Vec<_> = halves.by_ref().take(factors.len() / 2).collect();
                next.extend(factors.chunks_exact(2).remainder().iter().cloned());
                next
            })
            .collect();
    }
    let values = products.into_iter().map(|mut factors| factors.pop());
    Ok(values.collect())
}
