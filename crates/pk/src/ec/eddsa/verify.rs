//! Verification of signatures in batches (RFC 8032, sections 5.1.7 and 5.2.7), as OpenSSL does it. All
//! inputs are public.

use super::super::edwards::curve::EdwardsCurve;
use super::super::edwards::decode::{self, Affine, decode};
use super::super::edwards::equation::{Equation, Right, hold};
use super::super::edwards::prepared::PreparedEdwardsCurve;
use super::super::key_tables::{Uses, tables_of};
use super::hash::{ContextError, Variant, hashes};
use super::key::{KeyError, PublicKey};
use super::scalars::integer;
use crate::batch::{CURVE_CHUNK, in_parts};
use core::fmt;
use crypto_bigint::{BoxedUint, Resize};
use std::borrow::Cow;
use std::sync::Arc;
use sunzi_engine::{Constants, Engine, EngineError};

/// A public key prepared for verification on an engine; cheap to clone.
#[derive(Clone)]
pub struct VerifyingKey(Arc<VerifyingKeyData>);

/// Data of the key, shared by its clones.
struct VerifyingKeyData {
    curve: PreparedEdwardsCurve,
    public: PublicKey,
    /// The negative of the key's point.
    negative: Affine,
    uses: Uses,
}

impl VerifyingKey {
    /// Prepares a key for verification, as [`prepare_batch`](Self::prepare_batch) does.
    ///
    /// # Errors
    /// [`KeyError::OtherCurve`], [`KeyError::NoPoint`], [`KeyError::Engine`].
    pub fn new(curve: &PreparedEdwardsCurve, key: &PublicKey) -> Result<Self, KeyError> {
        let mut keys = Self::prepare_batch(curve.engine(), &[(curve, key)]);
        keys.swap_remove(0)
    }

    /// Prepares many keys for verification: one answer for each, in the same order. Points are decoded
    /// as OpenSSL decodes them.
    ///
    /// Ed25519: y may be p or more, and is reduced; where x is 0 the sign may be set, and has no effect.
    /// RFC 8032 refuses both. Points of small order are taken. Ed448: y must be below p, and x must not
    /// be 0.
    pub fn prepare_batch(
        engine: &Engine,
        keys: &[(&PreparedEdwardsCurve, &PublicKey)],
    ) -> Vec<Result<Self, KeyError>> {
        let checked: Vec<_> = keys.iter().map(|(curve, key)| key.check(curve)).collect();
        let fitting = keys
            .iter()
            .zip(&checked)
            .filter(|(_, checked)| checked.is_ok());
        let encoded: Vec<_> = fitting
            .map(|((curve, key), _)| (*curve, key.as_bytes()))
            .collect();
        let mut points = match decode(engine, &encoded) {
            Ok(points) => points.into_iter(),
            Err(error) => {
                let refused = checked.into_iter().map(|checked| match checked {
                    Err(refused) => Err(refused),
                    Ok(()) => Err(error.clone().into()),
                });
                return refused.collect();
            }
        };
        let prepare = |(&(curve, key), checked): (&(&PreparedEdwardsCurve, &PublicKey), _)| {
            let () = checked?;
            let point = points.next().flatten();
            let point = point.ok_or(KeyError::NoPoint(key.curve()))?;
            Ok(Self(Arc::new(VerifyingKeyData {
                curve: curve.clone(),
                public: key.clone(),
                negative: point.negated(key.curve()),
                uses: Uses::default(),
            })))
        };
        keys.iter().zip(checked).map(prepare).collect()
    }

    /// The key that was prepared.
    pub fn public_key(&self) -> &PublicKey {
        &self.0.public
    }

    /// The curve that it was prepared on.
    pub fn curve(&self) -> &PreparedEdwardsCurve {
        &self.0.curve
    }

    /// The negative of its point.
    pub(super) fn negative(&self) -> &Affine {
        &self.0.negative
    }

    /// The tables of a key that verifies `count` signatures of a batch, if it has any, or has them made now.
    fn tables(&self, count: usize) -> Result<Option<Arc<Constants>>, EngineError> {
        let data = &self.0;
        match data.uses.note(count) {
            Some(make) => {
                let Affine { x, y } = data.negative.clone();
                data.curve.key_constants(&[x, y], make)
            }
            None => Ok(None),
        }
    }

    /// A number that other keys do not have.
    fn number(&self) -> usize {
        Arc::as_ptr(&self.0).addr()
    }
}

impl fmt::Debug for VerifyingKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("VerifyingKey").field(&self.0.public).finish()
    }
}

/// A signature to verify, with key and message.
#[derive(Clone, Copy, Debug)]
pub struct VerifyRequest<'a> {
    /// Key of the supposed signer.
    pub key: &'a VerifyingKey,
    /// The variant, and with it the data signed besides the message.
    pub variant: Variant<'a>,
    /// The message.
    pub message: &'a [u8],
    /// The signature.
    pub signature: &'a [u8],
}

/// The reason why a signature is refused.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum VerifyError {
    /// The context is too long, or missing.
    #[error(transparent)]
    Context(#[from] ContextError),
    /// The signature has the wrong length.
    #[error("a signature of this curve has {expected} bytes, not {given}")]
    Length {
        /// Twice the length of a point in bytes.
        expected: usize,
        /// Length given.
        given: usize,
    },
    /// S is not below the order of the base point.
    #[error("S is not below the order of the base point")]
    OutOfRange,
    /// R is no point of the curve.
    #[error("R is no point of the curve")]
    NoPoint,
    /// The encoding of A, the key, or of R is not canonical, as the rule demands.
    #[error("{0} is not in its canonical encoding")]
    NotCanonical(&'static str),
    /// A, the key, or R is a point of small order, which the rule refuses.
    #[error("{0} is a point of small order")]
    SmallOrder(&'static str),
    /// The signature belongs to another message or key, or is forged.
    #[error("the signature does not match")]
    Mismatch,
    /// The random number generator failed: nothing is known about the signature.
    #[error("the random number generator failed")]
    Random,
    /// No device of the engine could compute it: nothing is known about the signature.
    #[error("the engine failed: {0}")]
    Engine(#[from] EngineError),
}

/// One answer for each request, in the same order. A batch may mix keys, curves and variants.
///
/// A signature is accepted if OpenSSL accepts it, where S is below the order L and h is the hash modulo L.
///
/// - Ed25519: R is the encoding, byte for byte, of `S B - h A`. This is the equation without cofactor: R
///   and A may have parts of small order, but these must match, too.
/// - Ed448: `4 (S B - h A - R)` is the neutral point, where R is read as [`VerifyingKey`] reads keys.
///   This is the equation with cofactor.
pub fn verify_batch(
    engine: &Engine,
    requests: &[VerifyRequest<'_>],
) -> Vec<Result<(), VerifyError>> {
    in_parts(engine, CURVE_CHUNK, requests, |part| {
        verify_chunk(engine, part)
    })
}

fn verify_chunk(engine: &Engine, requests: &[VerifyRequest<'_>]) -> Vec<Result<(), VerifyError>> {
    let parts = Parts::of_all(requests);
    matches(engine, &parts).unwrap_or_else(|error| failed(&parts, &error))
}

/// The answers after a failure of the engine.
pub(super) fn failed(
    parts: &[Result<Parts<'_>, VerifyError>],
    error: &EngineError,
) -> Vec<Result<(), VerifyError>> {
    let answer = |parts: &Result<Parts<'_>, VerifyError>| match parts {
        Ok(_) => Err(error.clone().into()),
        Err(refused) => Err(refused.clone()),
    };
    parts.iter().map(answer).collect()
}

/// The rule by which signatures are accepted.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Acceptance {
    /// OpenSSL's rule: [`verify_batch`].
    OpenSsl,
    /// The equation with cofactor, on every curve.
    Cofactored,
}

/// A signature taken apart.
pub(super) struct Parts<'a> {
    pub(super) key: &'a VerifyingKey,
    /// The encoding of R.
    point: &'a [u8],
    pub(super) s: BoxedUint,
    /// The hash modulo the order.
    pub(super) h: BoxedUint,
}

/// A signature with what is hashed for it.
struct Opened<'a> {
    key: &'a VerifyingKey,
    variant: Variant<'a>,
    point: &'a [u8],
    s: BoxedUint,
    signed: Cow<'a, [u8]>,
}

impl<'a> Opened<'a> {
    fn new(request: &VerifyRequest<'a>) -> Result<Self, VerifyError> {
        let VerifyRequest {
            key,
            variant,
            message,
            signature,
        } = *request;
        let curve = key.curve().curve();
        variant.check(curve)?;
        let (expected, given) = (2 * curve.encoded_bytes(), signature.len());
        if given != expected {
            return Err(VerifyError::Length { expected, given });
        }
        let (point, s) = signature.split_at(expected / 2);
        let order = &key.curve().parameters().order;
        let s = integer(s);
        if s.cmp_vartime(order.as_ref()).is_ge() {
            return Err(VerifyError::OutOfRange);
        }
        Ok(Self {
            key,
            variant,
            point,
            s: (&*s).resize_unchecked(order.bits_precision()),
            signed: variant.signed(curve, message),
        })
    }
}

impl<'a> Parts<'a> {
    /// The parts of all signatures, or why one has none.
    pub(super) fn of_all(requests: &[VerifyRequest<'a>]) -> Vec<Result<Self, VerifyError>> {
        let opened: Vec<_> = requests.iter().map(Opened::new).collect();
        let hashed = opened.iter().flatten().map(|opened| {
            let key = opened.key.public_key().as_bytes();
            let curve = opened.key.curve().curve();
            opened
                .variant
                .challenge(curve, [opened.point, key, &opened.signed])
        });
        let mut hashes = hashes(&hashed.collect::<Vec<_>>()).into_iter();
        let parts = opened.into_iter().map(|opened| {
            let Opened { key, point, s, .. } = opened?;
            let hash = hashes.next().expect("a hash for each signature");
            let reduction = &key.curve().parameters().reduction;
            let h = reduction.reduced(hash.as_words());
            Ok(Self { key, point, s, h })
        });
        parts.collect()
    }
}

/// The answer for each signature.
fn matches(
    engine: &Engine,
    parts: &[Result<Parts<'_>, VerifyError>],
) -> Result<Vec<Result<(), VerifyError>>, EngineError> {
    let signatures = read(engine, parts, Acceptance::OpenSsl)?;
    let keys = signatures.iter().flatten();
    let keys = keys.map(|(parts, _)| (parts.key.number(), parts.key));
    let tables = tables_of(keys, VerifyingKey::tables)?;
    let equation = |signature| {
        let equation = equation(signature);
        let tables = tables.get(&signature.0.key.number());
        Equation { tables, ..equation }
    };
    let equations: Vec<_> = signatures.iter().flatten().map(equation).collect();
    let mut answers = hold(engine, &equations)?.into_iter();
    let answers = signatures.iter().map(|signature| match signature {
        Err(refused) => Err(refused.clone()),
        Ok(_) if answers.next() == Some(true) => Ok(()),
        Ok(_) => Err(VerifyError::Mismatch),
    });
    Ok(answers.collect())
}

/// A signature, and the right side of its equation.
pub(super) type Read<'a> = (&'a Parts<'a>, Right);

/// The equation of a signature.
pub(super) fn equation<'a>((parts, right): &'a Read<'_>) -> Equation<'a> {
    Equation {
        curve: parts.key.curve(),
        u: &parts.s,
        v: &parts.h,
        q: parts.key.negative(),
        right,
        tables: None,
    }
}

/// The right sides of the equations; an error if no sum has such an encoding.
pub(super) fn read<'a>(
    engine: &Engine,
    signatures: &'a [Result<Parts<'a>, VerifyError>],
    acceptance: Acceptance,
) -> Result<Vec<Result<Read<'a>, VerifyError>>, EngineError> {
    let cofactored = |parts: &&Parts<'_>| {
        acceptance == Acceptance::Cofactored
            || parts.key.curve().curve() == EdwardsCurve::Edwards448
    };
    let encoded: Vec<_> = signatures
        .iter()
        .flatten()
        .filter(cofactored)
        .map(|parts| (parts.key.curve(), parts.point))
        .collect();
    let mut decoded = decode(engine, &encoded)?.into_iter();
    let read = signatures.iter().map(|parts| {
        let parts = parts.as_ref().map_err(VerifyError::clone)?;
        let curve = parts.key.curve().curve();
        if cofactored(&parts) {
            let point = decoded.next().flatten().ok_or(VerifyError::NoPoint)?;
            return Ok((parts, Right::Negative(point.negated(curve))));
        }
        let (y, is_odd) = decode::read(curve, parts.point).ok_or(VerifyError::NoPoint)?;
        // No encoding of a sum has such a y.
        if y >= *curve.parameters().field.p() {
            return Err(VerifyError::Mismatch);
        }
        Ok((parts, Right::Encoding { y, is_odd }))
    });
    Ok(read.collect())
}

#[cfg(test)]
mod tests {
    use super::super::PrivateKey;
    use super::super::sign::{SignRequest, SigningKey, sign_batch};
    use super::*;
    use crate::ec::NonceKind;
    use crate::ec::key_tables::USES_BEFORE_TABLES;
    use crate::system_rng;
    use sunzi_engine::Backend;

    fn verdicts(
        engine: &Engine,
        key: &VerifyingKey,
        claims: &[(Vec<u8>, Vec<u8>)],
    ) -> Vec<Result<(), VerifyError>> {
        let requests = claims.iter().map(|(message, signature)| VerifyRequest {
            key,
            variant: Variant::Pure,
            message,
            signature,
        });
        verify_batch(engine, &requests.collect::<Vec<_>>())
    }

    /// By tables of the key signatures get the verdicts that they get without: right and wrong ones, and ones by keys of
    /// small order, whose multiples depend on more than the scalar modulo the order of the base point.
    #[test]
    fn by_tables_of_the_key() {
        let engine = Engine::new(Backend::best()).unwrap();
        for &curve in EdwardsCurve::ALL {
            let prepared = PreparedEdwardsCurve::new(&engine, curve).unwrap();
            let private = PrivateKey::generate(&prepared, &mut system_rng()).unwrap();
            let signing = SigningKey::new(&prepared, &private).unwrap();
            let messages: Vec<_> = (0..50u8).map(|k| vec![k; 3]).collect();
            let requests = messages.iter().map(|message| SignRequest {
                key: &signing,
                variant: Variant::Pure,
                message,
            });
            let requests: Vec<_> = requests.collect();
            let nonces = NonceKind::Deterministic;
            let signatures = sign_batch(&engine, &mut system_rng(), nonces, &requests);
            let mut claims: Vec<_> = (messages.into_iter().zip(signatures))
                .map(|(message, signature)| (message, signature.unwrap().as_bytes().to_vec()))
                .collect();
            claims[3].0.push(0);
            claims[9].1[1] ^= 1;
            claims[30].1[curve.encoded_bytes()] ^= 1;
            let mut keys = vec![private.public_key().clone()];
            // A point with y = 0, of order 4, and for Ed25519 (0, -1), of order 2, which Ed448 refuses.
            let order_4 = vec![0; curve.encoded_bytes()];
            keys.push(PublicKey::from_bytes(curve, &order_4).unwrap());
            if curve == EdwardsCurve::Edwards25519 {
                let p = prepared.parameters().field.p();
                let [zero, one] = [0u64, 1].map(BoxedUint::from);
                let order_2 = decode::encode(curve, &zero, &p.wrapping_sub(&one));
                keys.push(PublicKey::from_bytes(curve, &order_2).unwrap());
            }
            for (place, key) in keys.iter().enumerate() {
                let [plain, tabled] = [(); 2].map(|()| VerifyingKey::new(&prepared, key).unwrap());
                let expected = verdicts(&engine, &plain, &claims);
                let Affine { x, y } = plain.negative().clone();
                let coordinates = [x, y];
                let kept = || prepared.key_constants(&coordinates, false).unwrap();
                assert!(kept().is_none());
                tabled.0.uses.note(USES_BEFORE_TABLES - 1);
                assert_eq!(verdicts(&engine, &tabled, &claims), expected, "{key:?}");
                assert!(kept().is_some());
                if place == 0 {
                    let valid = expected.iter().filter(|verdict| verdict.is_ok()).count();
                    assert_eq!(valid, 47, "{key:?}");
                }
            }
        }
    }
}
