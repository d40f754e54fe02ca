//! Verification of many signatures together, by random factors. Public.
//!
//! If `e(g, s_i) = e(k_i, h_i)` for the signatures s, keys k and hashes h of all i, then
//! `e(g, sum of r_i s_i) = product of e(r_i k_i, h_i)` for any factors r. If one of the equations does not hold, that of the
//! sum does for one factor `r_i` at most, whatever the others are: with factors drawn from 2^70 different ones modulo the
//! prime n, after everything else is fixed, with a probability of at most 2^-70. All elements must be of the order n
//! for that: they have been found to be in their groups before.

use super::element::{Element, Signature};
use super::prepared::{Equation, PreparedBls, Term};
use super::verify::{VerifyError, VerifyRequest};
use crate::ec::pairing::{
    ShortFactor, multiply_g1_short_batch_vartime, multiply_g2_short_batch_vartime,
};
use rand_core::TryCryptoRng;
use std::collections::HashMap;

impl PreparedBls {
    /// Whether all signatures are valid. A batch with an invalid one is accepted with a probability of at most 2^-70;
    /// the factors are drawn from `rng`, which must be unpredictable to whoever made the signatures: the operating
    /// system's ([`system_rng`](crate::system_rng)). No requests are valid.
    ///
    /// Takes about half the time of [`verify_batch`](Self::verify_batch), and less where keys (of the variant with short
    /// signatures) or messages (of the other one) repeat. [`find_bad`](Self::find_bad) names the invalid ones.
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

    /// The places of the requests whose signatures are not valid, each verified by itself.
    ///
    /// # Errors
    /// [`VerifyError::Engine`]: nothing is known about the signatures.
    pub fn find_bad(&self, requests: &[VerifyRequest<'_>]) -> Result<Vec<usize>, VerifyError> {
        let mut bad = Vec::new();
        for (place, answer) in self.verify_batch(requests).into_iter().enumerate() {
            match answer {
                Ok(()) => {}
                Err(VerifyError::Engine(error)) => return Err(error.into()),
                Err(_) => bad.push(place),
            }
        }
        Ok(bad)
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
        let of_request: Vec<_> = hashes.each().collect();
        let signatures: Vec<_> = signatures.iter().map(|signature| &signature.0).collect();
        let multiples = self.multiples(&signatures, factors)?;
        let signature = self.sum(&multiples.iter().collect::<Vec<_>>())?;
        // The element of G1 of each pairing is multiplied; those with the same element of G2 are added.
        let in_g1 = |key: &Element| matches!(key, Element::G1(_));
        let keys_in_g1 = requests.iter().any(|request| in_g1(request.key.element()));
        let multiplied: Vec<&Element> = if keys_in_g1 {
            requests
                .iter()
                .map(|request| request.key.element())
                .collect()
        } else {
            of_request.clone()
        };
        let multiples = self.multiples(&multiplied, factors)?;
        let mut places: HashMap<&[u8], usize> = HashMap::new();
        let mut groups: Vec<(usize, Vec<&Element>)> = Vec::new();
        for (k, (request, multiple)) in requests.iter().zip(&multiples).enumerate() {
            let place = if keys_in_g1 {
                // Hashes of equal messages are one element.
                let place = hashes.of_message[k];
                groups
                    .iter()
                    .position(|(first, _)| hashes.of_message[*first] == place)
            } else {
                let next = groups.len();
                let place = *places.entry(request.key.to_bytes()).or_insert(next);
                (place < next).then_some(place)
            };
            match place {
                Some(place) => groups[place].1.push(multiple),
                None => groups.push((k, vec![multiple])),
            }
        }
        let lists: Vec<_> = groups.iter().map(|(_, list)| &list[..]).collect();
        let sums = self.sums(&lists)?;
        let terms = groups.iter().zip(&sums).map(|((first, _), sum)| {
            if keys_in_g1 {
                Term {
                    key: sum,
                    lines: None,
                    hash: of_request[*first],
                }
            } else {
                let key = requests[*first].key;
                Term {
                    key: key.element(),
                    lines: key.lines(),
                    hash: sum,
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
    fn multiples(
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
