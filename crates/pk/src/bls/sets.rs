//! Verification of many signatures together, by random factors. Public.
//!
//! If `e(g, s_i) = e(k_i, h_i)` for the signatures s, keys k and hashes h of all i, then
//! `e(g, sum of r_i s_i) = product of e(r_i k_i, h_i)` for any factors r. If one of the equations does not hold, that of the
//! sum does for one factor `r_i` at most, whatever the others are: with factors drawn from 2^70 different ones modulo the
//! prime n, after everything else is fixed, with a probability of at most 2^-70. All elements must be of the order n
//! for that: they have been found to be in their groups before.

use super::element::{Element, PublicKey, Signature};
use super::prepared::{Equation, PreparedBls, Term};
use super::suite::Variant;
use super::verify::{VerifyError, VerifyRequest, term};
use crate::ec::pairing::{
    ShortFactor, multiply_g1_short_batch_vartime, multiply_g2_short_batch_vartime,
};
use rand_core::TryCryptoRng;
use std::collections::HashMap;

/// A signature that is claimed to be right.
pub(super) struct Claim<'a> {
    pub(super) key: &'a PublicKey,
    /// The place of the message's hash in a list.
    pub(super) hash: usize,
    pub(super) signature: &'a Element,
}

impl PreparedBls {
    /// Whether all signatures are valid. A batch with an invalid one is accepted with a probability of at most 2^-70;
    /// the factors are drawn from `rng`, which must be unpredictable to whoever made the signatures: the operating
    /// system's ([`system_rng`](crate::system_rng)). No requests are valid.
    ///
    /// Takes less time than [`verify_batch`](Self::verify_batch), above all where keys or messages repeat: there is one
    /// final exponentiation, and a pairing for each different key or message. [`find_bad`](Self::find_bad) names the
    /// invalid ones.
    ///
    /// # Errors
    /// [`VerifyError::Random`], [`VerifyError::Engine`]: nothing is known about the signatures.
    pub fn verify_sets<R: TryCryptoRng + ?Sized>(
        &self,
        rng: &mut R,
        requests: &[VerifyRequest<'_>],
    ) -> Result<bool, VerifyError> {
        let checked = self.checked(requests)?;
        let decoded: Option<Vec<_>> = checked.into_iter().map(Result::ok).collect();
        let Some(signatures) = decoded else {
            return Ok(false);
        };
        if signatures.is_empty() {
            return Ok(true);
        }
        let factors = signatures.iter().map(|_| ShortFactor::random(rng));
        let factors: Option<Vec<_>> = factors.collect();
        self.verify_with(requests, &signatures, &factors.ok_or(VerifyError::Random)?)
    }

    /// [`verify_sets`](Self::verify_sets) with these factors.
    pub(super) fn verify_with(
        &self,
        requests: &[VerifyRequest<'_>],
        signatures: &[Signature],
        factors: &[ShortFactor],
    ) -> Result<bool, VerifyError> {
        let messages = requests.iter().map(|r| self.signed(r.key, r.message));
        let hashes = self.hash_each(self.suite().tag(), &messages.collect::<Vec<_>>())?;
        let claims = requests.iter().zip(signatures).zip(&hashes.of_message);
        let claims = claims.map(|((request, signature), &hash)| Claim {
            key: request.key,
            hash,
            signature: &signature.0,
        });
        self.hold_together(&claims.collect::<Vec<_>>(), &hashes.hashes, factors)
    }

    /// Whether the sum of all claims' equations, each times its factor, holds. Requires at least one claim, and a claim for
    /// each of the hashes.
    ///
    /// Claims with the same key share a pairing if multiples of hashes are added, those with the same hash if multiples of
    /// keys are: what takes less time is done.
    pub(super) fn hold_together(
        &self,
        claims: &[Claim<'_>],
        hashes: &[Element],
        factors: &[ShortFactor],
    ) -> Result<bool, VerifyError> {
        /// Reductions of a pair in a Miller loop, and of a short multiple in either group.
        const PAIR: usize = 2206;
        const MULTIPLE: [usize; 2] = [481, 961];
        let signatures: Vec<_> = claims.iter().map(|claim| claim.signature).collect();
        let multiples = self.multiples(&signatures, factors)?;
        let signature = self.sum(&multiples.iter().collect::<Vec<_>>())?;
        let mut places: HashMap<&[u8], usize> = HashMap::new();
        let key_of_claim = claims.iter().map(|claim| {
            let next = places.len();
            *places.entry(claim.key.to_bytes()).or_insert(next)
        });
        let key_of_claim: Vec<_> = key_of_claim.collect();
        let [of_hash, of_key] = match self.suite().variant() {
            Variant::MinPk => [MULTIPLE[1], MULTIPLE[0]],
            Variant::MinSig => MULTIPLE,
        };
        let by_key = claims.len() * of_hash + places.len() * PAIR
            < claims.len() * of_key + hashes.len() * PAIR;
        let multiplied = claims.iter().map(|claim| {
            if by_key {
                &hashes[claim.hash]
            } else {
                claim.key.element()
            }
        });
        let multiples = self.multiples(&multiplied.collect::<Vec<_>>(), factors)?;
        let count = if by_key { places.len() } else { hashes.len() };
        // The first claim of each group, and the multiples to add.
        let mut groups: Vec<(usize, Vec<&Element>)> = vec![(0, Vec::new()); count];
        for (k, multiple) in multiples.iter().enumerate() {
            let group = if by_key {
                &mut groups[key_of_claim[k]]
            } else {
                &mut groups[claims[k].hash]
            };
            if group.1.is_empty() {
                group.0 = k;
            }
            group.1.push(multiple);
        }
        let lists: Vec<_> = groups.iter().map(|(_, list)| &list[..]).collect();
        let sums = self.sums(&lists)?;
        let terms = groups.iter().zip(&sums).map(|(&(first, _), sum)| {
            let claim = &claims[first];
            if by_key {
                term(claim.key, sum)
            } else {
                Term {
                    key: sum,
                    lines: None,
                    hash: &hashes[claim.hash],
                }
            }
        });
        let equation = Equation {
            terms: terms.collect(),
            signature: &signature,
        };
        Ok(self.hold(&[equation])? == [true])
    }

    /// Multiples of elements of one group.
    pub(super) fn multiples(
        &self,
        elements: &[&Element],
        factors: &[ShortFactor],
    ) -> Result<Vec<Element>, VerifyError> {
        let pairs = || elements.iter().zip(factors);
        let in_g1 = pairs().filter_map(|(element, factor)| match element {
            Element::G1(element) => Some((element, factor)),
            Element::G2(_) => None,
        });
        let in_g2 = pairs().filter_map(|(element, factor)| match element {
            Element::G2(element) => Some((element, factor)),
            Element::G1(_) => None,
        });
        let (in_g1, in_g2): (Vec<_>, Vec<_>) = (in_g1.collect(), in_g2.collect());
        let g1 = multiply_g1_short_batch_vartime(self.pairing(), &in_g1)?;
        let g2 = multiply_g2_short_batch_vartime(self.pairing(), &in_g2)?;
        let g1 = g1.into_iter().map(Element::G1);
        Ok(g1.chain(g2.into_iter().map(Element::G2)).collect())
    }
}
