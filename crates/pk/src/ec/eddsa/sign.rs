//! Signing in batches (RFC 8032, sections 5.1.6 and 5.2.6).

use super::super::congruence::is_congruent;
use super::super::edwards::base::{are_multiples, base_multiples_to_check};
use super::super::edwards::decode::encode;
use super::super::edwards::prepared::PreparedEdwardsCurve;
use super::super::nonces::{NoRandomness, NonceKind};
use super::hash::{ContextError, Hashed, Variant, hashes};
use super::key::{Expanded, KeyError, PrivateKey, PublicKey, multiple};
use super::scalars::{combined, reduced};
use super::verify::VerifyingKey;
use crate::batch::{CURVE_CHUNK, in_random_parts};
use crate::verdict::{are_equal, public};
use crate::wipe::wipe_stack;
use core::fmt;
use crypto_bigint::BoxedUint;
use rand_core::TryCryptoRng;
use std::borrow::Cow;
use std::sync::Arc;
use sunzi_engine::{Engine, EngineError};
use zeroize::Zeroizing;

/// A private key prepared for signing on an engine; cheap to clone. The numbers are wiped when the
/// last clone is dropped.
#[derive(Clone)]
pub struct SigningKey(Arc<SigningKeyData>);

/// Data of the key, shared by its clones.
struct SigningKeyData {
    public: PublicKey,
    expanded: Expanded,
    /// The order less the scalar: a second representation of it, with which signatures are checked.
    negative: Zeroizing<BoxedUint>,
    /// A second copy of the prefix with which nonces are hashed.
    prefix: Zeroizing<Vec<u8>>,
    verifying: VerifyingKey,
}

impl SigningKey {
    /// Prepares a key for signing. The negative of the scalar, times the base point, must be the
    /// negative of the public key, so that both representations of the scalar are known to be right when
    /// they are made.
    ///
    /// # Errors
    /// [`KeyError::OtherCurve`], [`KeyError::Mismatch`], [`KeyError::Engine`].
    pub fn new(curve: &PreparedEdwardsCurve, key: &PrivateKey) -> Result<Self, KeyError> {
        let public = key.public_key();
        public.check(curve)?;
        let expanded = Expanded::new(curve, key.as_bytes());
        let order = curve.parameters().order.as_ref();
        let negative = Zeroizing::new(order.wrapping_sub(&*expanded.scalar));
        // The scalar is 0 for a hash of 0 only, or by a fault.
        if expanded.scalar.is_zero().into() {
            return Err(KeyError::Mismatch);
        }
        let mut opposite = multiple(curve, &negative)?;
        // -(x, y) is (-x, y), and the top bit is whether x is odd.
        if let Some(last) = opposite.last_mut() {
            *last ^= 0x80;
        }
        if opposite != public.as_bytes() {
            return Err(KeyError::Mismatch);
        }
        Ok(Self(Arc::new(SigningKeyData {
            verifying: VerifyingKey::new(curve, public)?,
            public: public.clone(),
            prefix: expanded.prefix.clone(),
            expanded,
            negative,
        })))
    }

    /// The public half.
    pub fn public_key(&self) -> &PublicKey {
        &self.0.public
    }

    /// The public half, prepared for verification.
    pub fn verifying_key(&self) -> &VerifyingKey {
        &self.0.verifying
    }

    fn curve(&self) -> &PreparedEdwardsCurve {
        self.0.verifying.curve()
    }
}

impl fmt::Debug for SigningKey {
    /// Shows the public half only.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("SigningKey")
            .field(self.public_key())
            .finish()
    }
}

/// A signature: 64 bytes of Ed25519, 114 of Ed448.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Signature(Vec<u8>);

impl Signature {
    /// The bytes: the point R and the number S (RFC 8032, section 3.3).
    pub fn as_bytes(&self) -> &[u8] {
        &self.0
    }
}

/// A message to sign, with its key.
#[derive(Clone, Copy, Debug)]
pub struct SignRequest<'a> {
    /// Signing key.
    pub key: &'a SigningKey,
    /// The variant, and with it the data signed besides the message.
    pub variant: Variant<'a>,
    /// The message.
    pub message: &'a [u8],
}

/// The reason why a request got no signature.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SignError {
    /// The context is too long, or missing.
    #[error(transparent)]
    Context(#[from] ContextError),
    /// The random number generator failed.
    #[error("the random number generator failed")]
    Random,
    /// The signature did not pass its check, and was destroyed: this machine computes wrongly.
    #[error("the signature failed its check and was withheld: this machine computes wrongly")]
    Fault,
    /// No device of the engine could compute it.
    #[error("the engine failed: {0}")]
    Engine(#[from] EngineError),
}

/// One answer for each request, in the same order. A batch may mix keys, curves and variants. With
/// [`NonceKind::Deterministic`] a message always gets the same signature; with [`NonceKind::Hedged`] the nonce is a
/// hash of fresh randomness, too, 32 bytes for Ed25519 and 57 for Ed448, as
/// draft-irtf-cfrg-det-sigs-with-noise-05 has it in section 3.
///
/// Constant time. Each signature is checked before it is returned, in ways that share nothing with its computation
/// (`docs/curves.md`): with a second representation of the key, `r = S + h (L - a)`, in plain words; r is congruent to
/// its hash; h is hashed anew, with another copy of the public key; and R is `r G` by other digits, and on the curve.
pub fn sign_batch<R: TryCryptoRng + ?Sized>(
    engine: &Engine,
    rng: &mut R,
    kind: NonceKind,
    requests: &[SignRequest<'_>],
) -> Vec<Result<Signature, SignError>> {
    in_random_parts(
        engine,
        rng,
        CURVE_CHUNK,
        requests,
        |rng, part| sign_chunk(engine, rng, kind, part),
        |rng, part| sign_chunk(engine, rng, kind, part),
    )
}

#[inline(never)]
fn sign_chunk<R: TryCryptoRng + ?Sized>(
    engine: &Engine,
    rng: &mut R,
    kind: NonceKind,
    requests: &[SignRequest<'_>],
) -> Vec<Result<Signature, SignError>> {
    let mut refusals = Vec::with_capacity(requests.len());
    let mut works = Vec::with_capacity(requests.len());
    for request in requests {
        let work = Work::new(rng, kind, request);
        refusals.push(work.map(|work| works.push(work)));
    }
    let hashes = hashes(&works.iter().map(Work::nonce).collect::<Vec<_>>());
    wipe_stack();
    let mut signatures = match sign(engine, &works, &hashes) {
        Ok(signatures) => signatures,
        Err(error) => vec![Err(error.into()); works.len()],
    }
    .into_iter();
    refusals
        .into_iter()
        .map(|refusal| {
            refusal?;
            signatures.next().unwrap_or(Err(SignError::Fault))
        })
        .collect()
}

/// A signature to make.
struct Work<'a> {
    key: &'a SigningKey,
    variant: Variant<'a>,
    /// Fresh randomness; `None` for deterministic nonces.
    noise: Option<Zeroizing<Vec<u8>>>,
    /// The message, or its digest.
    signed: Cow<'a, [u8]>,
}

impl<'a> Work<'a> {
    fn new<R: TryCryptoRng + ?Sized>(
        rng: &mut R,
        kind: NonceKind,
        request: &SignRequest<'a>,
    ) -> Result<Self, SignError> {
        let SignRequest {
            key,
            variant,
            message,
        } = *request;
        let curve = key.curve().curve();
        variant.check(curve)?;
        // As long as the prefix.
        let noise = kind.noise(rng, curve.encoded_bytes());
        Ok(Self {
            key,
            variant,
            noise: noise.map_err(|NoRandomness| SignError::Random)?,
            signed: variant.signed(curve, message),
        })
    }

    /// What is hashed for the nonce.
    fn nonce(&self) -> Hashed<'_> {
        let (curve, prefix) = (self.key.curve().curve(), &self.key.0.expanded.prefix);
        let noise = self.noise.as_ref().map(|noise| &noise[..]);
        self.variant.nonce(curve, noise, prefix, &self.signed)
    }

    /// Whether the prefix with which nonces are hashed is unchanged since the key was prepared. Constant time, except
    /// for the answer.
    fn has_right_prefix(&self) -> bool {
        are_equal(&self.key.0.expanded.prefix, &self.key.0.prefix)
    }
}

/// The signatures with nonces of these hashes.
fn sign(
    engine: &Engine,
    works: &[Work<'_>],
    hashes: &[Zeroizing<BoxedUint>],
) -> Result<Vec<Result<Signature, SignError>>, EngineError> {
    let numbers = works.iter().zip(hashes);
    let nonces: Vec<_> = numbers
        .map(|(work, hash)| reduced(work.key.curve(), hash))
        .collect();
    let numbers = works.iter().zip(&nonces);
    let numbers = numbers.map(|(work, nonce)| (work.key.curve(), &**nonce));
    let coordinates = base_multiples_to_check(engine, &numbers.collect::<Vec<_>>())?;
    let points = encoded(works, &coordinates);
    // S = r + h a.
    let challenges = challenges(works, &points, |key| key.public_key());
    let ss = (0..works.len()).map(|k| {
        let scalar = &works[k].key.0.expanded.scalar;
        combined(works[k].key.curve(), [&nonces[k], &challenges[k], scalar])
    });
    let ss: Vec<_> = ss.collect();
    wipe_stack();

    let made = Made {
        hashes,
        nonces: &nonces,
        coordinates: &coordinates,
        points: &points,
        ss: &ss,
    };
    let right = check(engine, works, &made)?;
    let signatures = (0..works.len()).map(|k| {
        if !right[k] {
            return Err(SignError::Fault);
        }
        let (work, s, point) = (&works[k], &ss[k], &points[k]);
        let mut bytes = point.clone();
        bytes.extend_from_slice(&s.to_le_bytes());
        bytes.resize(2 * work.key.curve().curve().encoded_bytes(), 0);
        Ok(Signature(bytes))
    });
    Ok(signatures.collect())
}

/// Signatures that are to be checked.
struct Made<'a> {
    /// The hashes from which the nonces are derived.
    hashes: &'a [Zeroizing<BoxedUint>],
    nonces: &'a [Zeroizing<BoxedUint>],
    coordinates: &'a [Vec<Zeroizing<BoxedUint>>],
    /// The encodings of the nonces' points.
    points: &'a [Vec<u8>],
    ss: &'a [Zeroizing<BoxedUint>],
}

/// Whether signatures are right: r is the nonce's hash and `S + h (L - a)`, with h hashed anew, and R is
/// `r G`.
fn check(engine: &Engine, works: &[Work<'_>], made: &Made<'_>) -> Result<Vec<bool>, EngineError> {
    let challenges = challenges(works, made.points, |key| key.verifying_key().public_key());
    let points = encoded(works, made.coordinates);
    let numbers = (0..works.len()).map(|k| {
        let [x, y] = [0, 1].map(|i| &*made.coordinates[k][i]);
        (works[k].key.curve(), &*made.nonces[k], [x, y])
    });
    let are_multiples = are_multiples(engine, &numbers.collect::<Vec<_>>())?;
    let verdicts = (0..works.len()).map(|k| {
        let key = &works[k].key.0;
        let order = &works[k].key.curve().parameters().order;
        let (nonce, s) = (&made.nonces[k], &made.ss[k]);
        let product = [&*challenges[k], &*key.negative];
        // r = S + h (L - a), and twice that r is its hash: one equation, which an error of either breaks, and errors of
        // both with a probability of 1 - 1/L.
        let hold = [
            is_congruent(
                order,
                &[product],
                &[(1, s), (2, &made.hashes[k])],
                (3, nonce),
            ),
            // r = 0 would make S = h a, which is the key. By a fault it could be 0 on both sides.
            !public(nonce.is_zero().into()),
            works[k].has_right_prefix(),
            are_multiples[k],
            are_equal(&points[k], &made.points[k]),
        ];
        hold == [true; 5]
    });
    Ok(verdicts.collect())
}

/// The encodings of points.
fn encoded(works: &[Work<'_>], coordinates: &[Vec<Zeroizing<BoxedUint>>]) -> Vec<Vec<u8>> {
    let encoded = works.iter().zip(coordinates);
    let encoded =
        encoded.map(|(work, point)| encode(work.key.curve().curve(), &point[0], &point[1]));
    encoded.collect()
}

/// The hashes h of points R, of copies of the public keys, and of what is signed.
fn challenges(
    works: &[Work<'_>],
    points: &[Vec<u8>],
    public: impl Fn(&SigningKey) -> &PublicKey,
) -> Vec<Zeroizing<BoxedUint>> {
    let hashed = works.iter().zip(points).map(|(work, point)| {
        let parts = [point, public(work.key).as_bytes(), &work.signed];
        work.variant.challenge(work.key.curve().curve(), parts)
    });
    hashes(&hashed.collect::<Vec<_>>())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ec::EdwardsCurve;
    use crate::system_rng;
    use sunzi_engine::Backend;

    /// A key that has been damaged since its public half was computed does not sign.
    #[test]
    fn halves_of_two_keys() {
        let engine = Engine::new(Backend::PORTABLE).unwrap();
        for &curve in EdwardsCurve::ALL {
            let curve = PreparedEdwardsCurve::new(&engine, curve).unwrap();
            let keys = [(); 2].map(|()| PrivateKey::generate(&curve, &mut system_rng()).unwrap());
            assert!(SigningKey::new(&curve, &keys[0]).is_ok());
            let damaged = PrivateKey::of_halves(keys[0].public_key(), &keys[1]);
            let refused = SigningKey::new(&curve, &damaged).unwrap_err();
            assert_eq!(refused, KeyError::Mismatch);
        }
    }

    /// A changed bit in the memory of a key: in the prefix of nonces, either copy of the public key, or either
    /// representation of the scalar.
    #[test]
    fn changed_memory_of_a_key() {
        let engine = Engine::new(Backend::PORTABLE).unwrap();
        for &curve in EdwardsCurve::ALL {
            let curve = PreparedEdwardsCurve::new(&engine, curve).unwrap();
            let private = PrivateKey::generate(&curve, &mut system_rng()).unwrap();
            let right = SigningKey::new(&curve, &private).unwrap();
            let sign = |key: &SigningKey| {
                let request = SignRequest {
                    key,
                    variant: Variant::Pure,
                    message: b"a message",
                };
                let kind = NonceKind::Deterministic;
                sign_batch(&engine, &mut system_rng(), kind, &[request]).remove(0)
            };
            assert!(sign(&right).is_ok());
            let changes: [fn(&mut SigningKeyData); 5] = [
                |key| key.expanded.prefix[3] ^= 4,
                |key| key.prefix[3] ^= 4,
                |key| key.public.flip(40),
                |key| key.expanded.scalar.as_mut_words()[1] ^= 1 << 9,
                |key| key.negative.as_mut_words()[2] ^= 1 << 9,
            ];
            for (number, change) in changes.iter().enumerate() {
                let mut key = SigningKey::new(&curve, &private).unwrap();
                change(Arc::get_mut(&mut key.0).unwrap());
                assert_eq!(sign(&key), Err(SignError::Fault), "{curve:?}, {number}");
            }
        }
    }
}
