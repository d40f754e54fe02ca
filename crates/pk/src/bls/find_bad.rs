//! The invalid ones among signatures that are mostly valid, by sums of ever fewer of them. Public.
//!
//! Each equation is multiplied by a random factor once: claim i has the value `m_i`, of the Miller loop of `r_i k_i` and
//! the hash `h_i`, and the multiple `r_i s_i`. A tree has the products and the sums of eight neighbours, of eight such
//! groups, and so on. A group is valid if the final exponentiation of its product times the Miller loop of its sum is 1:
//! the groups of invalid ones are taken apart. Eight, and not two as in "bisection", because the vectors of a batch hold
//! eight numbers, of which one takes as long as all.

use super::element::Element;
use super::prepared::{PreparedBls, Term, pairings};
use super::verify::{VerifyError, VerifyRequest};
use crate::batch::CHUNK;
use crate::ec::pairing::{MillerProduct, ShortFactor, are_one, multiply_values, products};
use rand_core::TryCryptoRng;

/// The number of members of a group.
const FAN_OUT: usize = 8;
/// The most requests that are verified each by itself at once: a tree would take as long.
const FEW: usize = 2 * FAN_OUT;

/// The groups of one size, from the first claim on.
struct Level {
    values: Vec<MillerProduct>,
    sums: Vec<Element>,
}

impl PreparedBls {
    /// The places of the requests whose signatures are not valid. One that is not valid is missed with a probability of
    /// at most 2^-72, by random factors as in [`verify_sets`](Self::verify_sets).
    ///
    /// Of a thousand signatures with few invalid ones this takes less than half the time of
    /// [`verify_batch`](Self::verify_batch); with many invalid ones, somewhat more.
    ///
    /// # Errors
    /// [`VerifyError::Random`], [`VerifyError::Engine`]: nothing is known about the signatures.
    pub fn find_bad<R: TryCryptoRng + ?Sized>(
        &self,
        rng: &mut R,
        requests: &[VerifyRequest<'_>],
    ) -> Result<Vec<usize>, VerifyError> {
        let mut bad = Vec::new();
        for (chunk, requests) in requests.chunks(CHUNK).enumerate() {
            let found = if requests.len() <= FEW {
                self.find_one_by_one(requests)?
            } else {
                self.find_by_tree(rng, requests)?
            };
            bad.extend(found.into_iter().map(|place| chunk * CHUNK + place));
        }
        Ok(bad)
    }

    fn find_one_by_one(&self, requests: &[VerifyRequest<'_>]) -> Result<Vec<usize>, VerifyError> {
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

    fn find_by_tree<R: TryCryptoRng + ?Sized>(
        &self,
        rng: &mut R,
        requests: &[VerifyRequest<'_>],
    ) -> Result<Vec<usize>, VerifyError> {
        let (mut bad, mut places, mut signatures) = (Vec::new(), Vec::new(), Vec::new());
        for (place, signature) in self.checked(requests)?.into_iter().enumerate() {
            match signature {
                Ok(signature) => {
                    places.push(place);
                    signatures.push(signature.0);
                }
                Err(_) => bad.push(place),
            }
        }
        let factors = places.iter().map(|_| ShortFactor::random(rng));
        let factors: Option<Vec<_>> = factors.collect();
        let factors = factors.ok_or(VerifyError::Random)?;
        let decoded: Vec<_> = places.iter().map(|&place| &requests[place]).collect();
        let leaves = self.leaves(&decoded, &signatures, &factors)?;
        let levels = self.levels(leaves)?;
        // From the largest groups on, those that are not valid.
        let largest = levels.last().map_or(0, |level| level.sums.len());
        let mut suspects: Vec<_> = (0..largest).collect();
        for (height, level) in levels.iter().enumerate().rev() {
            suspects = self.invalid(level, &suspects)?;
            if height > 0 {
                let below = levels[height - 1].sums.len();
                let members = suspects
                    .iter()
                    .flat_map(|&k| FAN_OUT * k..below.min(FAN_OUT * (k + 1)));
                suspects = members.collect();
            }
        }
        bad.extend(suspects.into_iter().map(|k| places[k]));
        bad.sort_unstable();
        Ok(bad)
    }

    /// The values and the multiples of single signatures. What is in G1 is multiplied, keys or hashes.
    fn leaves(
        &self,
        requests: &[&VerifyRequest<'_>],
        signatures: &[Element],
        factors: &[ShortFactor],
    ) -> Result<Level, VerifyError> {
        let messages = requests.iter().map(|r| self.signed(r.key, r.message));
        let hashes = self.hash_each(self.suite().tag(), &messages.collect::<Vec<_>>())?;
        let pairs = requests.iter().zip(hashes.each());
        let pairs: Vec<_> = pairs.map(|(request, hash)| (request.key, hash)).collect();
        let in_g1 = pairs.iter().map(|(key, hash)| match key.element() {
            Element::G1(_) => key.element(),
            Element::G2(_) => hash,
        });
        let in_g1 = in_g1.zip(factors).map(|multiple| vec![multiple]);
        let multiples = self.short_sums(&in_g1.collect::<Vec<_>>())?;
        let terms =
            pairs
                .iter()
                .zip(&multiples)
                .map(|((key, hash), multiple)| match key.element() {
                    Element::G1(_) => Term {
                        key: multiple,
                        lines: None,
                        hash,
                    },
                    Element::G2(_) => super::verify::term(key, multiple),
                });
        let pairings = pairings(terms);
        let pairings: Vec<_> = pairings.iter().map(Option::as_slice).collect();
        let values = products(self.pairing(), &pairings)?;
        let signatures = signatures.iter().zip(factors);
        let signatures = signatures.map(|multiple| vec![multiple]);
        let sums = self.short_sums(&signatures.collect::<Vec<_>>())?;
        Ok(Level { values, sums })
    }

    /// The groups of all sizes, the smallest first, up to a size of which there are few.
    fn levels(&self, leaves: Level) -> Result<Vec<Level>, VerifyError> {
        let mut levels = vec![leaves];
        while let Some(level) = levels.last().filter(|level| level.sums.len() > FAN_OUT) {
            let groups: Vec<_> = level.values.chunks(FAN_OUT).collect();
            let values = multiply_values(self.pairing(), &groups)?;
            let elements: Vec<_> = level.sums.iter().collect();
            let sums = self.sums(&elements.chunks(FAN_OUT).collect::<Vec<_>>())?;
            levels.push(Level { values, sums });
        }
        Ok(levels)
    }

    /// The groups among these that are not valid.
    fn invalid(&self, level: &Level, groups: &[usize]) -> Result<Vec<usize>, VerifyError> {
        let sums = groups.iter().map(|&k| &level.sums[k]);
        let pairings = self.right_sides(sums);
        let pairings: Vec<_> = pairings.iter().map(Option::as_slice).collect();
        let right_sides = products(self.pairing(), &pairings)?;
        let both = groups.iter().zip(right_sides);
        let both = both.map(|(&k, right)| [level.values[k].clone(), right]);
        let both: Vec<_> = both.collect();
        let both: Vec<_> = both.iter().map(|pair| &pair[..]).collect();
        let values = multiply_values(self.pairing(), &both)?;
        let verdicts = are_one(self.pairing(), &values)?.into_iter().zip(groups);
        let invalid = verdicts.filter_map(|(is_one, &k)| (!is_one).then_some(k));
        Ok(invalid.collect())
    }
}
