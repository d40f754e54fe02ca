//! Blobs of Ethereum (EIP-4844): polynomials of degree below 4096, given by their values at the 4096th roots of 1. Public.
//!
//! The proof of a blob is that of an opening at a z which is a hash of blob and commitment
//! (`verify_blob_kzg_proof` of the consensus specification).

use super::error::{BLOB_BYTES, KzgError, SCALAR, VALUES};
use super::setup::PreparedKzg;
use super::verify::Decoded;
use crate::{Hash, Hasher};
use core::iter::repeat_n;
use crypto_bigint::modular::{FixedMontyForm, FixedMontyParams};
use crypto_bigint::{BoxedUint, Odd, U256};
use rand_core::TryCryptoRng;
use std::sync::LazyLock;

/// The tag of the hashes that give z.
const TAG: &[u8] = b"FSBLOBVERIFY_V1_";
/// The order of the groups, as the blobs' arithmetic takes it.
const ORDER: &str = "73eda753299d7d483339d80809a1d80553bda402fffe5bfeffffffff00000001";
/// A number of which the powers are all numbers modulo the order other than 0.
const GENERATOR: u8 = 7;

/// A number modulo the order.
type Scalar = FixedMontyForm<{ U256::LIMBS }>;

/// A blob with its commitment and proof, to verify.
#[derive(Clone, Copy, Debug)]
pub struct BlobRequest<'a> {
    /// The blob: 4096 numbers of 32 big-endian bytes, below the order.
    pub blob: &'a [u8],
    /// The commitment: a compressed element of G1, 48 bytes.
    pub commitment: &'a [u8],
    /// The proof: a compressed element of G1, 48 bytes.
    pub proof: &'a [u8],
}

impl PreparedKzg {
    /// One answer for each blob, in the same order.
    pub fn verify_blob_batch(&self, blobs: &[BlobRequest<'_>]) -> Vec<Result<(), KzgError>> {
        match self.openings(blobs) {
            Ok(openings) => self.verify_decoded(openings),
            Err(error) => blobs.iter().map(|_| Err(error.clone())).collect(),
        }
    }

    /// Whether all blobs are valid, as [`verify_together`](Self::verify_together) has it for openings.
    ///
    /// # Errors
    /// [`KzgError::Random`], [`KzgError::Engine`]: nothing is known about the blobs.
    pub fn verify_blobs_together<R: TryCryptoRng + ?Sized>(
        &self,
        rng: &mut R,
        blobs: &[BlobRequest<'_>],
    ) -> Result<bool, KzgError> {
        let openings = self.openings(blobs)?.into_iter();
        match openings.collect::<Result<Vec<_>, _>>() {
            Ok(openings) => self.hold_together(rng, &openings),
            Err(_) => Ok(false),
        }
    }

    /// The opening that stands for each blob.
    fn openings(
        &self,
        blobs: &[BlobRequest<'_>],
    ) -> Result<Vec<Result<Decoded, KzgError>>, KzgError> {
        let pairs = blobs.iter().map(|blob| (blob.commitment, blob.proof));
        let elements = self.decode_pairs(&pairs.collect::<Vec<_>>())?;
        let openings = blobs.iter().zip(elements).map(|(blob, elements)| {
            let [commitment, proof] = elements?;
            let values = values(blob.blob)?;
            let z = challenge(blob);
            let y = evaluate(&values, &z);
            let [z, y] = [z, y].map(|x| BoxedUint::from(&x.retrieve()));
            Ok(Decoded {
                commitment,
                z,
                y,
                proof,
            })
        });
        Ok(openings.collect())
    }
}

/// The roots of 1 in the order of blobs, and the parameters of arithmetic modulo the order.
struct Domain {
    parameters: FixedMontyParams<{ U256::LIMBS }>,
    roots: Vec<Scalar>,
}

/// The domain of blobs.
fn domain() -> &'static Domain {
    static DOMAIN: LazyLock<Domain> = LazyLock::new(|| {
        const VALID: &str = "the order is odd";
        let order: Odd<U256> = U256::from_be_hex(ORDER).to_odd().expect(VALID);
        let parameters = FixedMontyParams::new_vartime(order);
        let bits = VALUES.ilog2();
        let exponent = order.get().wrapping_sub(&U256::ONE).shr(bits);
        let root = Scalar::new(&U256::from(GENERATOR), &parameters).pow(&exponent);
        let mut power = Scalar::one(&parameters);
        let mut roots = vec![power; VALUES];
        for k in 0..VALUES as u32 {
            // Blobs have the roots in the order of the reversed bits of their exponents.
            roots[(k.reverse_bits() >> (u32::BITS - bits)) as usize] = power;
            power = power.mul(&root);
        }
        Domain { parameters, roots }
    });
    &DOMAIN
}

/// The numbers of a blob.
fn values(blob: &[u8]) -> Result<Vec<Scalar>, KzgError> {
    if blob.len() != BLOB_BYTES {
        return Err(KzgError::Length { found: blob.len() });
    }
    let parameters = &domain().parameters;
    let numbers = blob.chunks(SCALAR).map(|bytes| {
        let number = U256::from_be_slice(bytes);
        if number < *parameters.modulus().as_ref() {
            Ok(Scalar::new(&number, parameters))
        } else {
            Err(KzgError::Scalar("a value of the blob"))
        }
    });
    numbers.collect()
}

/// z of a blob (`compute_challenge`).
fn challenge(blob: &BlobRequest<'_>) -> Scalar {
    let degree = (VALUES as u128).to_be_bytes();
    let mut hasher = Hasher::new(Hash::Sha256);
    for part in [TAG, &degree, blob.blob, blob.commitment] {
        hasher.update(part);
    }
    let parameters = &domain().parameters;
    let hash = U256::from_be_slice(hasher.finish().as_bytes());
    // Reduced: the form takes numbers below the order only.
    let order = parameters.modulus().as_nz_ref();
    Scalar::new(&hash.rem_vartime(order), parameters)
}

/// The value at z of the polynomial with these values f at the roots w of 1, for N of them:
/// `(z^N - 1)/N` times the sum of `f w/(z - w)`, or f where z is w.
fn evaluate(values: &[Scalar], z: &Scalar) -> Scalar {
    let Domain { parameters, roots } = domain();
    if let Some(k) = roots.iter().position(|root| root == z) {
        return values[k];
    }
    // Each difference with the product of all before it: one inverse serves all (Montgomery's trick).
    let mut product = Scalar::one(parameters);
    let differences = roots.iter().map(|root| {
        let before = product;
        let difference = z.sub(root);
        product = product.mul(&difference);
        (difference, before)
    });
    let differences: Vec<_> = differences.collect();
    // No difference is 0.
    let inverse = Option::from(product.invert_vartime());
    let mut inverse: Scalar = inverse.unwrap_or_else(|| Scalar::zero(parameters));
    let mut sum = Scalar::zero(parameters);
    let members = differences.iter().zip(roots).zip(values).rev();
    for (((difference, before), root), value) in members {
        sum = sum.add(&value.mul(root).mul(&inverse.mul(before)));
        inverse = inverse.mul(difference);
    }
    let bits = VALUES.ilog2() as usize;
    let power = repeat_n((), bits).fold(*z, |power, ()| power.square());
    let factor = power.sub(&Scalar::one(parameters));
    let scaled = sum.mul(&factor);
    repeat_n((), bits).fold(scaled, |x, ()| x.div_by_2())
}
