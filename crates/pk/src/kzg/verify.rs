//! Verification of openings, each by itself or all together by random factors. Public.

use super::error::{ELEMENT, KzgError, SCALAR};
use super::setup::PreparedKzg;
use crate::ec::pairing::{PairingRequest, pairing_product_is_one_batch};
use crate::ec::{
    CombineRequest, ElementFormat, GroupElement, SumRequest, add_batch_vartime,
    combine_batch_vartime, decode_batch, multi_scalar_batch_vartime,
};
use crypto_bigint::{BoxedUint, Resize};
use rand_core::TryCryptoRng;
use sunzi_engine::EngineError;

/// Length of random factors in bits.
const FACTOR_BITS: u32 = 128;

/// An opening to verify, as EIP-4844 encodes it: f(z) = y for the committed polynomial f.
#[derive(Clone, Copy, Debug)]
pub struct Opening<'a> {
    /// The commitment: a compressed element of G1, 48 bytes.
    pub commitment: &'a [u8],
    /// z: 32 big-endian bytes, below the order.
    pub z: &'a [u8],
    /// y: 32 big-endian bytes, below the order.
    pub y: &'a [u8],
    /// The proof: a compressed element of G1, 48 bytes.
    pub proof: &'a [u8],
}

/// An opening with all its parts decoded.
#[derive(Clone)]
pub(super) struct Decoded {
    pub(super) commitment: GroupElement,
    pub(super) z: BoxedUint,
    pub(super) y: BoxedUint,
    pub(super) proof: GroupElement,
}

impl PreparedKzg {
    /// One answer for each opening, in the same order.
    pub fn verify_batch(&self, openings: &[Opening<'_>]) -> Vec<Result<(), KzgError>> {
        match self.decode(openings) {
            Ok(decoded) => self.verify_decoded(decoded),
            Err(error) => openings.iter().map(|_| Err(error.clone())).collect(),
        }
    }

    /// Whether all openings are valid. A batch with an invalid one is accepted with a probability of at most 2^-127; the
    /// factors are drawn from `rng`, which must be unpredictable to whoever made the proofs. No openings are valid.
    ///
    /// # Errors
    /// [`KzgError::Random`], [`KzgError::Engine`]: nothing is known about the openings.
    pub fn verify_together<R: TryCryptoRng + ?Sized>(
        &self,
        rng: &mut R,
        openings: &[Opening<'_>],
    ) -> Result<bool, KzgError> {
        let decoded = self.decode(openings)?.into_iter();
        match decoded.collect::<Result<Vec<_>, _>>() {
            Ok(decoded) => self.hold_together(rng, &decoded),
            Err(_) => Ok(false),
        }
    }

    /// The parts of openings.
    fn decode(&self, openings: &[Opening<'_>]) -> Result<Vec<Result<Decoded, KzgError>>, KzgError> {
        let pairs = openings.iter().map(|o| (o.commitment, o.proof));
        let elements = self.decode_pairs(&pairs.collect::<Vec<_>>())?;
        let decoded = openings.iter().zip(elements).map(|(opening, elements)| {
            let [commitment, proof] = elements?;
            Ok(Decoded {
                commitment,
                z: self.scalar("z", opening.z)?,
                y: self.scalar("y", opening.y)?,
                proof,
            })
        });
        Ok(decoded.collect())
    }

    /// Commitments with their proofs from compressed encodings.
    pub(super) fn decode_pairs(
        &self,
        pairs: &[(&[u8], &[u8])],
    ) -> Result<Vec<Result<[GroupElement; 2], KzgError>>, EngineError> {
        let encodings: Vec<_> = pairs.iter().flat_map(|&(c, p)| [c, p]).collect();
        let elements = decode_batch(self.pairing().g1(), ElementFormat::Zcash, &encodings)?;
        let pairs = pairs.iter().zip(elements.chunks(2));
        let pairs = pairs.map(|((commitment, proof), elements)| {
            // Uncompressed elements are no part of the protocol.
            if let Some(bytes) = [commitment, proof].iter().find(|x| x.len() != ELEMENT) {
                return Err(KzgError::ElementLength(bytes.len()));
            }
            Ok([
                elements[0].clone().map_err(KzgError::Commitment)?,
                elements[1].clone().map_err(KzgError::Proof)?,
            ])
        });
        Ok(pairs.collect())
    }

    /// A scalar of 32 big-endian bytes.
    pub(super) fn scalar(&self, name: &'static str, bytes: &[u8]) -> Result<BoxedUint, KzgError> {
        let number = match bytes.len() {
            SCALAR => BoxedUint::from_be_slice(bytes, 8 * SCALAR as u32).ok(),
            _ => None,
        };
        let order = self.pairing().g1().curve().order().as_ref();
        let number = number.filter(|number| number.cmp_vartime(order).is_lt());
        number.ok_or(KzgError::Scalar(name))
    }

    /// The verdict on each opening that has been decoded.
    pub(super) fn verify_decoded(
        &self,
        decoded: Vec<Result<Decoded, KzgError>>,
    ) -> Vec<Result<(), KzgError>> {
        let valid: Vec<_> = decoded.iter().flatten().collect();
        let (mut verdicts, failed) = match self.hold(&valid) {
            Ok(verdicts) => (verdicts.into_iter(), KzgError::Mismatch),
            Err(error) => (Vec::new().into_iter(), error),
        };
        let verdict = |decoded: Result<Decoded, KzgError>| {
            decoded?;
            match verdicts.next() {
                Some(true) => Ok(()),
                _ => Err(failed.clone()),
            }
        };
        decoded.into_iter().map(verdict).collect()
    }

    /// Whether each opening is right.
    fn hold(&self, openings: &[&Decoded]) -> Result<Vec<bool>, KzgError> {
        let curve = self.pairing().g1();
        let order = curve.curve().order().as_ref();
        let minus_ys = openings
            .iter()
            .map(|opening| order.wrapping_sub(&opening.y));
        let minus_ys: Vec<_> = minus_ys.collect();
        let requests = openings.iter().zip(&minus_ys);
        let requests = requests.map(|(opening, minus_y)| CombineRequest {
            curve,
            u: minus_y,
            v: &opening.z,
            element: &opening.proof,
        });
        let combined =
            combine_batch_vartime(self.pairing().engine(), &requests.collect::<Vec<_>>());
        let combined: Vec<_> = combined.into_iter().collect::<Result<_, _>>()?;
        let pairs = openings.iter().zip(&combined);
        let pairs = pairs.map(|(opening, combined)| (&opening.commitment, combined));
        let left = add_batch_vartime(curve.curve(), &pairs.collect::<Vec<_>>())?;
        let products = openings.iter().zip(&left);
        let products = products.map(|(opening, left)| self.product(left, &opening.proof));
        let products: Vec<_> = products.collect();
        let products: Vec<_> = products.iter().map(|product| &product[..]).collect();
        Ok(pairing_product_is_one_batch(self.pairing(), &products)?)
    }

    /// The product that is 1 if an opening is right.
    fn product<'a>(
        &'a self,
        left: &'a GroupElement,
        proof: &'a GroupElement,
    ) -> [PairingRequest<'a>; 2] {
        [
            PairingRequest::prepared(left, self.minus_generator()),
            PairingRequest::prepared(proof, self.tau()),
        ]
    }

    /// Whether the sum of all openings' equations, each times a random factor, holds.
    pub(super) fn hold_together<R: TryCryptoRng + ?Sized>(
        &self,
        rng: &mut R,
        openings: &[Decoded],
    ) -> Result<bool, KzgError> {
        let curve = self.pairing().g1();
        let order = curve.curve().order();
        let precision = order.as_ref().bits_precision();
        let factors = openings.iter().map(|_| {
            let mut bytes = [0; FACTOR_BITS as usize / 8];
            rng.try_fill_bytes(&mut bytes).ok()?;
            bytes[0] |= 1;
            let factor = BoxedUint::from_le_slice(&bytes, FACTOR_BITS).ok()?;
            Some(factor.resize_unchecked(precision))
        });
        let factors: Option<Vec<_>> = factors.collect();
        let factors = factors.ok_or(KzgError::Random)?;
        let order = order.as_nz_ref();
        let zs = openings.iter().zip(&factors);
        let zs: Vec<_> = zs.map(|(o, factor)| o.z.mul_mod(factor, order)).collect();
        let zero = BoxedUint::zero_with_precision(precision);
        let y = openings
            .iter()
            .zip(&factors)
            .fold(zero, |sum, (o, factor)| {
                sum.add_mod(&o.y.mul_mod(factor, order), order)
            });
        let minus_y = y.neg_mod(order);
        let generator = GroupElement::generator(curve.curve());
        let with = |scalars: &'_ [BoxedUint], part: fn(&Decoded) -> &GroupElement| {
            let terms = scalars.iter().zip(openings);
            terms
                .map(move |(k, opening)| (k.clone(), part(opening).clone()))
                .collect::<Vec<_>>()
        };
        let proofs = with(&factors, |opening| &opening.proof);
        let mut left = with(&factors, |opening| &opening.commitment);
        left.extend(with(&zs, |opening| &opening.proof));
        left.push((minus_y, generator));
        let terms = [left, proofs];
        let terms = terms.each_ref().map(|terms| {
            let terms = terms.iter().map(|(scalar, element)| (scalar, element));
            terms.collect::<Vec<_>>()
        });
        let requests = terms.each_ref().map(|terms| SumRequest { curve, terms });
        let sums = multi_scalar_batch_vartime(self.pairing().engine(), &requests);
        let sums: Vec<_> = sums.into_iter().collect::<Result<_, _>>()?;
        let product = self.product(&sums[0], &sums[1]);
        Ok(pairing_product_is_one_batch(self.pairing(), &[&product])? == [true])
    }
}
