//! Signing in batches (FIPS 186-5, section 6.4.1, with the nonces of RFC 6979).

use super::super::base::{Coordinates, are_multiples, base_multiples_to_check};
use super::super::confirmation::{Claim, LEAST, confirmed};
use super::super::congruence::is_congruent;
use super::super::key::{KeyError, PrivateKey, PublicKey};
use super::super::nonces::NonceKind;
use super::super::prepared::PreparedCurve;
use super::nonce::{self, Nonces, nonces};
use super::quotients::{Quotients, quotients};
use super::recover::{RecoverableSignature, RecoveryId};
use super::signature::{Signature, integer_of};
use super::verify::VerifyingKey;
use crate::Digest;
use crate::batch::{CHUNK, in_random_parts};
use crate::verdict::public;
use crate::wipe::wipe_stack;
use core::fmt;
use crypto_bigint::{BoxedUint, Resize};
use rand_core::TryCryptoRng;
use std::sync::Arc;
use sunzi_engine::{Engine, EngineError};
use zeroize::Zeroizing;

/// A private key prepared for signing on an engine; cheap to clone. The numbers are wiped when the
/// last clone is dropped.
#[derive(Clone)]
pub struct SigningKey(Arc<SigningKeyData>);

/// Data of the key, shared by its clones.
struct SigningKeyData {
    private: PrivateKey,
    /// `n - d`: a second representation of d, with which signatures are checked.
    negative: Zeroizing<BoxedUint>,
    nonces: Nonces,
    verifying: VerifyingKey,
}

impl SigningKey {
    /// Prepares a key for signing. `d G` must be the public key, by digits other than those that it was computed with.
    ///
    /// # Errors
    /// [`KeyError::OtherCurve`], [`KeyError::Mismatch`], [`KeyError::Engine`].
    pub fn new(curve: &PreparedCurve, key: &PrivateKey) -> Result<Self, KeyError> {
        let verifying = VerifyingKey::new(curve, key.public_key())?;
        let negative = Zeroizing::new(curve.curve().order().wrapping_sub(key.d()));
        let [x, y] = key.public_key().coordinates();
        if are_multiples(curve.engine(), &[(curve, key.d(), &[&x, &y])])? != [true] {
            return Err(KeyError::Mismatch);
        }
        Ok(Self(Arc::new(SigningKeyData {
            negative,
            nonces: Nonces::new(curve.curve(), key.to_bytes()),
            private: key.clone(),
            verifying,
        })))
    }

    /// The public half.
    pub fn public_key(&self) -> &PublicKey {
        self.0.private.public_key()
    }

    /// The public half, prepared for verification.
    pub fn verifying_key(&self) -> &VerifyingKey {
        &self.0.verifying
    }

    fn curve(&self) -> &PreparedCurve {
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

/// A digest to sign, with its key.
#[derive(Clone, Copy, Debug)]
pub struct SignRequest<'a> {
    /// Signing key.
    pub key: &'a SigningKey,
    /// Digest of the message.
    pub digest: Digest,
}

/// The reason why a request got no signature.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SignError {
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

/// One answer for each request, in the same order. A batch may mix keys and curves.
///
/// Constant time. Each signature is checked before it is returned, in ways that share nothing with its computation
/// (`docs/curves.md`). With a second representation of the key, `s k = e - r (n - d)` must hold in plain words, and `k
/// G` must be the nonce's point by other digits, and on the curve. If a curve has at least 128 signatures, all points
/// of nonces are confirmed together, by a random combination; if that is wrong they are checked one by one.
pub fn sign_batch<R: TryCryptoRng + ?Sized>(
    engine: &Engine,
    rng: &mut R,
    kind: NonceKind,
    requests: &[SignRequest<'_>],
) -> Vec<Result<Signature, SignError>> {
    let signatures = sign_parts(engine, rng, kind, requests, Coordinates::X);
    let signatures = signatures.into_iter();
    signatures.map(|signed| Ok(signed?.signature)).collect()
}

/// As [`sign_batch`], with the id of the point that each signature was made with, so that the public key can be
/// [recovered](super::recover_batch) from it.
pub fn sign_recoverable_batch<R: TryCryptoRng + ?Sized>(
    engine: &Engine,
    rng: &mut R,
    kind: NonceKind,
    requests: &[SignRequest<'_>],
) -> Vec<Result<RecoverableSignature, SignError>> {
    sign_parts(engine, rng, kind, requests, Coordinates::Both)
}

fn sign_parts<R: TryCryptoRng + ?Sized>(
    engine: &Engine,
    rng: &mut R,
    kind: NonceKind,
    requests: &[SignRequest<'_>],
    wanted: Coordinates,
) -> Vec<Result<RecoverableSignature, SignError>> {
    in_random_parts(
        engine,
        rng,
        CHUNK,
        requests,
        |rng, part| sign_chunk(engine, rng, kind, part, wanted),
        |rng, part| sign_chunk(engine, rng, kind, part, wanted),
    )
}

/// Number of bytes of fresh randomness for a hedged nonce.
const NOISE_BYTES: usize = 32;

/// The largest number of nonces that are tried for a signature. On a machine that computes rightly the first one gives
/// an r or s of 0 with a probability below `2^-150`.
const MOST_NONCES: usize = 4;

/// A signature that is being made.
struct Attempt<'a> {
    request: SignRequest<'a>,
    /// Its index in the batch.
    place: usize,
    /// Fresh randomness; `None` for deterministic nonces.
    noise: Option<Zeroizing<Vec<u8>>>,
    /// Number of nonces that gave an r or s of 0.
    skipped: usize,
}

impl Attempt<'_> {
    fn curve(&self) -> &PreparedCurve {
        self.request.key.curve()
    }

    fn nonce(&self) -> nonce::Request<'_> {
        let SignRequest { key, digest } = &self.request;
        nonce::Request {
            nonces: &key.0.nonces,
            digest,
            data: self.noise.as_ref().map_or(&[], |noise| noise),
            skipped: self.skipped,
        }
    }

    /// The integer that is signed.
    fn integer(&self) -> BoxedUint {
        integer_of(self.curve().curve(), &self.request.digest)
    }
}

fn sign_chunk<R: TryCryptoRng + ?Sized>(
    engine: &Engine,
    rng: &mut R,
    kind: NonceKind,
    requests: &[SignRequest<'_>],
    wanted: Coordinates,
) -> Vec<Result<RecoverableSignature, SignError>> {
    let mut results = vec![Err(SignError::Random); requests.len()];
    let mut attempts = Vec::with_capacity(requests.len());
    for (place, &request) in requests.iter().enumerate() {
        let Ok(noise) = kind.noise(rng, NOISE_BYTES) else {
            continue;
        };
        attempts.push(Attempt {
            request,
            place,
            noise,
            skipped: 0,
        });
    }
    // A single turn, unless an r or s is 0.
    while !attempts.is_empty() {
        let signatures = attempt(engine, &attempts, wanted).unwrap_or_else(|error| {
            let failed = || Some(Err(SignError::Engine(error.clone())));
            attempts.iter().map(|_| failed()).collect()
        });
        let mut again = Vec::new();
        for (mut attempt, signature) in attempts.into_iter().zip(signatures) {
            attempt.skipped += 1;
            match signature {
                Some(signature) => results[attempt.place] = signature,
                None if attempt.skipped < MOST_NONCES => again.push(attempt),
                None => results[attempt.place] = Err(SignError::Fault),
            }
        }
        attempts = again;
    }
    results
}

/// The result of each attempt; `None` if r or s is 0. The recovery id is right if both coordinates are wanted.
#[inline(never)]
fn attempt(
    engine: &Engine,
    attempts: &[Attempt<'_>],
    wanted: Coordinates,
) -> Result<Vec<Option<Result<RecoverableSignature, SignError>>>, EngineError> {
    let ks = nonces(&attempts.iter().map(Attempt::nonce).collect::<Vec<_>>());
    wipe_stack();
    // A confirmation of points together needs both coordinates.
    let wanted = match attempts.len() {
        LEAST.. => Coordinates::Both,
        _ => wanted,
    };
    let points = nonce_points(engine, attempts, &ks, wanted)?;
    let es: Vec<_> = attempts.iter().map(Attempt::integer).collect();
    // s = (e + r d)/k.
    let numbers: Vec<_> = (0..attempts.len())
        .map(|i| {
            let d = attempts[i].request.key.0.private.d();
            (attempts[i].curve(), vec![&*ks[i], &es[i], &points[i].r, d])
        })
        .collect();
    let ss = quotients(engine, Quotients::Sum, &numbers)?;
    let ss: Vec<_> = ss.iter().map(|quotients| &*quotients[0]).collect();

    let made: Vec<usize> = (0..attempts.len())
        .filter(|&i| !is_zero(&points[i].r) && !is_zero(ss[i]))
        .collect();
    let numbers: Vec<_> = made
        .iter()
        .map(|&i| Made {
            attempt: &attempts[i],
            k: &ks[i],
            point: &points[i],
            s: ss[i],
        })
        .collect();
    let checks = check(engine, &numbers, wanted)?;
    let mut answers: Vec<_> = attempts.iter().map(|_| None).collect();
    for (&i, right) in made.iter().zip(checks) {
        let curve = attempts[i].curve().curve();
        let signed = || RecoverableSignature {
            signature: Signature::new(curve, points[i].r.clone(), ss[i].clone()),
            id: points[i].id,
        };
        answers[i] = Some(right.then(signed).ok_or(SignError::Fault));
    }
    Ok(answers)
}

fn is_zero(x: &BoxedUint) -> bool {
    x.is_zero().into()
}

/// A point `k G`, and the numbers that a signature takes from it.
struct NoncePoint {
    /// x, and y if it is wanted.
    coordinates: Vec<Zeroizing<BoxedUint>>,
    /// x modulo n.
    r: BoxedUint,
    /// The recovery id. Without y, as if y were even.
    id: RecoveryId,
}

impl NoncePoint {
    fn new(curve: &PreparedCurve, coordinates: Vec<Zeroizing<BoxedUint>>) -> Self {
        let (r, id) = taken(curve, &coordinates);
        Self { coordinates, r, id }
    }
}

/// [`NoncePoint::r`] and [`NoncePoint::id`] of coordinates, which r reveals. A function of its own in the executable,
/// too: they may decide branches in it.
#[inline(never)]
fn taken(curve: &PreparedCurve, coordinates: &[Zeroizing<BoxedUint>]) -> (BoxedUint, RecoveryId) {
    let order = curve.curve().order();
    let x = &*coordinates[0];
    // Without a cofactor hardly any x is not below the order.
    let x_is_reduced = x.cmp_vartime(order.as_ref()).is_ge();
    let precision = order.bits_precision();
    let r = if x_is_reduced {
        x.rem_vartime(order.as_nz_ref()).resize_unchecked(precision)
    } else {
        x.resize_unchecked(precision)
    };
    let y_is_odd = (coordinates.get(1)).is_some_and(|y| y.bit_vartime(0));
    let id = RecoveryId {
        y_is_odd,
        x_is_reduced,
    };
    (r, id)
}

/// The points of nonces.
fn nonce_points(
    engine: &Engine,
    attempts: &[Attempt<'_>],
    ks: &[Zeroizing<BoxedUint>],
    wanted: Coordinates,
) -> Result<Vec<NoncePoint>, EngineError> {
    let numbers = attempts.iter().zip(ks);
    let numbers = numbers.map(|(attempt, k)| (attempt.curve(), &**k));
    let points = base_multiples_to_check(engine, wanted, &numbers.collect::<Vec<_>>())?;
    let points = attempts.iter().zip(points);
    let points = points.map(|(attempt, coordinates)| NoncePoint::new(attempt.curve(), coordinates));
    Ok(points.collect())
}

/// A signature that is to be checked.
struct Made<'a> {
    attempt: &'a Attempt<'a>,
    k: &'a BoxedUint,
    point: &'a NoncePoint,
    s: &'a BoxedUint,
}

impl<'a> Made<'a> {
    fn curve(&self) -> &'a PreparedCurve {
        self.attempt.curve()
    }

    /// The claim that the point is `k G`, if it has both coordinates.
    fn claim(&self) -> Claim<'a> {
        let coordinates = &self.point.coordinates;
        (self.curve(), self.k, [&coordinates[0], &coordinates[1]])
    }

    /// Whether `s k = e - r (n - d)` modulo the order, in plain words, with e and r derived anew from the digest and
    /// the point, and whether the nonces are made with the key's number. Constant time, except for the answer.
    fn fits(&self) -> bool {
        let SigningKeyData {
            private,
            negative,
            nonces,
            ..
        } = &*self.attempt.request.key.0;
        let curve = self.curve();
        let order = curve.curve().order();
        let (r, id) = taken(curve, &self.point.coordinates);
        let e = self.attempt.integer();
        let products = [[self.s, self.k], [&r, &**negative]];
        let hold = [
            is_congruent(order, &products, &[], (1, &e)),
            nonces.are_of(private.d()),
            public(r == self.point.r),
            public(id.y_is_odd == self.point.id.y_is_odd),
            public(id.x_is_reduced == self.point.id.x_is_reduced),
        ];
        hold == [true; 5]
    }
}

/// Whether signatures are right: s fits the nonce and both representations of the key, r and the id belong to the
/// nonce's point, and the point belongs to the nonce.
fn check(
    engine: &Engine,
    signatures: &[Made<'_>],
    wanted: Coordinates,
) -> Result<Vec<bool>, EngineError> {
    let mut right: Vec<_> = signatures.iter().map(Made::fits).collect();
    let mut confirmed = match wanted {
        Coordinates::X => vec![false; signatures.len()],
        Coordinates::Both => {
            let claims = signatures.iter().map(Made::claim);
            confirmed(engine, &claims.collect::<Vec<_>>())?
        }
    };
    // The others one by one, by a check that is no weaker.
    let alone: Vec<_> = (0..signatures.len()).filter(|&i| !confirmed[i]).collect();
    let coordinates = alone.iter().map(|&i| {
        let coordinates = signatures[i].point.coordinates.iter();
        coordinates.map(|coordinate| &**coordinate).collect()
    });
    let coordinates: Vec<Vec<_>> = coordinates.collect();
    let numbers = alone.iter().zip(&coordinates).map(|(&i, coordinates)| {
        let made = &signatures[i];
        (made.curve(), made.k, &coordinates[..])
    });
    let verdicts = are_multiples(engine, &numbers.collect::<Vec<_>>())?;
    for (&i, verdict) in alone.iter().zip(verdicts) {
        confirmed[i] = verdict;
    }
    for (right, confirmed) in right.iter_mut().zip(confirmed) {
        *right &= confirmed;
    }
    Ok(right)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::system_rng;
    use sunzi_engine::Backend;

    /// A key that has been damaged since its public half was computed does not sign.
    #[test]
    fn halves_of_two_keys() {
        let engine = Engine::new(Backend::PORTABLE).unwrap();
        for name in ["P-256", "brainpoolP256r1", "secp256k1"] {
            let curve = PreparedCurve::new(&engine, &name.parse().unwrap()).unwrap();
            let keys = [(); 2].map(|()| PrivateKey::generate(&curve, &mut system_rng()).unwrap());
            assert!(SigningKey::new(&curve, &keys[0]).is_ok());
            let damaged = PrivateKey::of_halves(keys[0].public_key(), &keys[1]);
            let refused = SigningKey::new(&curve, &damaged).unwrap_err();
            assert_eq!(refused, KeyError::Mismatch);
        }
    }
}
