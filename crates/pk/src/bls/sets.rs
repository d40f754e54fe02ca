//! Verification of many signatures together, by random factors. Public.
//!
//! If `e(g, s_i) = e(k_i, h_i)` for the signatures s, keys k and hashes h of all i, then
//! `e(g, sum of r_i s_i) = product of e(r_i k_i, h_i)` for any factors r. If one of the equations does not hold, that of the
//! sum does for one factor `r_i` at most, whatever the others are: with factors drawn from 2^72 different ones modulo the
//! prime n, after everything else is fixed, with a probability of at most 2^-72. All elements must be of the order n
//! for that: they have been found to be in their groups before.

use super::element::{Element, Image, PublicKey, Signature};
use super::prepared::{Equation, PreparedBls, Term};
use super::suite::Variant;
use super::verify::{VerifyError, VerifyRequest, term};
use crate::ec::pairing::{
    ShortFactor, sum_g1_images_short_batch_vartime, sum_g1_short_batch_vartime,
    sum_g2_images_short_batch_vartime, sum_g2_short_batch_vartime,
};
use rand_core::TryCryptoRng;
use std::collections::HashMap;
use sunzi_engine::EngineError;

/// A signature that is claimed to be right.
pub(super) struct Claim<'a> {
    pub(super) key: &'a PublicKey,
    /// The place of the message's hash in a list.
    pub(super) hash: usize,
    pub(super) signature: &'a Element,
}

impl PreparedBls {
    /// Whether all signatures are valid. A batch with an invalid one is accepted with a probability of at most 2^-72;
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
        let hashes = self.map_each(self.suite().tag(), &messages.collect::<Vec<_>>())?;
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
    /// keys are: what takes less time is done. A sum of hashes has its cofactor cleared once.
    pub(super) fn hold_together(
        &self,
        claims: &[Claim<'_>],
        hashes: &[Image],
        factors: &[ShortFactor],
    ) -> Result<bool, VerifyError> {
        /// Reductions of a pair in a Miller loop, and in either group of a short multiple among eight, and of a cofactor.
        const PAIR: usize = 2206;
        const MULTIPLE: [usize; 2] = [290, 540];
        const COFACTOR: [usize; 2] = [510, 1790];
        let signatures = claims.iter().zip(factors);
        let signatures = signatures.map(|(claim, factor)| (claim.signature, factor));
        let signature = self.short_sums(&[signatures.collect()])?.remove(0);
        let mut places: HashMap<&[u8], usize> = HashMap::new();
        let key_of_claim = claims.iter().map(|claim| {
            let next = places.len();
            *places.entry(claim.key.to_bytes()).or_insert(next)
        });
        let key_of_claim: Vec<_> = key_of_claim.collect();
        let [hash_group, key_group] = match self.suite().variant() {
            Variant::MinPk => [1, 0],
            Variant::MinSig => [0, 1],
        };
        let for_each = PAIR + COFACTOR[hash_group];
        let by_key = claims.len() * MULTIPLE[hash_group] + places.len() * for_each
            < claims.len() * MULTIPLE[key_group] + hashes.len() * for_each;
        // The places of the claims with the same key or hash.
        let count = if by_key { places.len() } else { hashes.len() };
        let mut groups: Vec<Vec<usize>> = vec![Vec::new(); count];
        for (place, claim) in claims.iter().enumerate() {
            let group = if by_key {
                key_of_claim[place]
            } else {
                claim.hash
            };
            groups[group].push(place);
        }
        let (sums, cleared) = if by_key {
            let list = |group: &Vec<usize>| {
                let images = group.iter().map(|&place| &hashes[claims[place].hash]);
                images
                    .zip(group.iter().map(|&place| &factors[place]))
                    .collect()
            };
            let lists: Vec<_> = groups.iter().map(list).collect();
            (self.short_sums_of_hashes(&lists)?, Vec::new())
        } else {
            let list = |group: &Vec<usize>| {
                let keys = group.iter().map(|&place| claims[place].key.element());
                keys.zip(group.iter().map(|&place| &factors[place]))
                    .collect()
            };
            let lists: Vec<_> = groups.iter().map(list).collect();
            (self.short_sums(&lists)?, self.clear(hashes)?)
        };
        let terms = groups
            .iter()
            .zip(&sums)
            .enumerate()
            .map(|(place, (group, sum))| {
                if by_key {
                    term(claims[group[0]].key, sum)
                } else {
                    Term {
                        key: sum,
                        lines: None,
                        hash: &cleared[place],
                    }
                }
            });
        let equation = Equation {
            terms: terms.collect(),
            signature: &signature,
        };
        Ok(self.hold(&[equation])? == [true])
    }

    /// The sum of each list of multiples of elements, all of one group.
    pub(super) fn short_sums(
        &self,
        lists: &[Vec<(&Element, &ShortFactor)>],
    ) -> Result<Vec<Element>, EngineError> {
        let in_g1 = lists.iter().map(|list| {
            let multiples = list.iter().filter_map(|&(element, factor)| match element {
                Element::G1(element) => Some((element, factor)),
                Element::G2(_) => None,
            });
            multiples.collect()
        });
        let in_g2 = lists.iter().map(|list| {
            let multiples = list.iter().filter_map(|&(element, factor)| match element {
                Element::G2(element) => Some((element, factor)),
                Element::G1(_) => None,
            });
            multiples.collect()
        });
        Ok(
            if let Some((Element::G1(_), _)) = lists.iter().flatten().next() {
                let sums = sum_g1_short_batch_vartime(self.pairing(), &in_g1.collect::<Vec<_>>())?;
                sums.into_iter().map(Element::G1).collect()
            } else {
                let sums = sum_g2_short_batch_vartime(self.pairing(), &in_g2.collect::<Vec<_>>())?;
                sums.into_iter().map(Element::G2).collect()
            },
        )
    }

    /// The sum of each list of multiples of hashes, all in one group.
    fn short_sums_of_hashes(
        &self,
        lists: &[Vec<(&Image, &ShortFactor)>],
    ) -> Result<Vec<Element>, EngineError> {
        let in_g1 = lists.iter().map(|list| {
            let multiples = list.iter().filter_map(|&(image, factor)| match image {
                Image::G1(image) => Some((image, factor)),
                Image::G2(_) => None,
            });
            multiples.collect()
        });
        let in_g2 = lists.iter().map(|list| {
            let multiples = list.iter().filter_map(|&(image, factor)| match image {
                Image::G2(image) => Some((image, factor)),
                Image::G1(_) => None,
            });
            multiples.collect()
        });
        Ok(
            if let Some((Image::G1(_), _)) = lists.iter().flatten().next() {
                let lists = in_g1.collect::<Vec<_>>();
                let sums = sum_g1_images_short_batch_vartime(self.pairing(), &lists)?;
                sums.into_iter().map(Element::G1).collect()
            } else {
                let lists = in_g2.collect::<Vec<_>>();
                let sums = sum_g2_images_short_batch_vartime(self.pairing(), &lists)?;
                sums.into_iter().map(Element::G2).collect()
            },
        )
    }
}
