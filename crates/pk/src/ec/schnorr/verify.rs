//! Verification in batches (BIP 340, "Verification"). All inputs are public.

use super::super::field::Element;
use super::super::joint::{Combination, End};
use super::super::key::PublicKey;
use super::super::key_tables::{Uses, tables_of};
use super::super::point::{Point, to_bytes};
use super::super::prepared::PreparedCurve;
use super::super::tabled;
use super::hash::{Tag, integer, modulo};
use super::key::{BYTES, KeyError, SIGNATURE_BYTES, check_curve};
use crate::batch::{CURVE_CHUNK, in_parts};
use core::fmt;
use crypto_bigint::BoxedUint;
use std::sync::Arc;
use sunzi_engine::{Constants, Engine, EngineError, Outcome};

/// A public key prepared for verification on an engine; cheap to clone.
#[derive(Clone)]
pub struct VerifyingKey(Arc<VerifyingKeyData>);

/// Data of the key, shared by its clones.
struct VerifyingKeyData {
    curve: PreparedCurve,
    bytes: [u8; BYTES],
    /// The point with an even y, and its coordinates.
    point: Point,
    coordinates: [BoxedUint; 2],
    uses: Uses,
}

impl VerifyingKey {
    /// The key with this coordinate x, big-endian.
    ///
    /// # Errors
    /// [`KeyError::OtherCurve`], [`KeyError::Length`], [`KeyError::NoSuchX`].
    pub fn from_bytes(curve: &PreparedCurve, bytes: &[u8]) -> Result<Self, KeyError> {
        check_curve(curve)?;
        let bytes: [u8; BYTES] = bytes
            .try_into()
            .map_err(|_| KeyError::Length(bytes.len()))?;
        let compressed = [&[2][..], &bytes].concat();
        let point = curve.curve().decode(&compressed);
        Ok(Self::of(
            curve,
            bytes,
            point.map_err(|_| KeyError::NoSuchX)?,
        ))
    }

    /// The key whose coordinate x is that of this one.
    ///
    /// # Errors
    /// [`KeyError::OtherCurve`].
    pub fn new(curve: &PreparedCurve, key: &PublicKey) -> Result<Self, KeyError> {
        check_curve(curve)?;
        if key.curve() != curve.curve() {
            return Err(KeyError::OtherCurve(key.curve().to_string()));
        }
        let [x, _] = key.coordinates();
        Self::from_bytes(curve, &to_bytes(&x, BYTES))
    }

    fn of(curve: &PreparedCurve, bytes: [u8; BYTES], point: Point) -> Self {
        Self(Arc::new(VerifyingKeyData {
            curve: curve.clone(),
            bytes,
            coordinates: [&point.x, &point.y].map(Element::retrieve),
            point,
            uses: Uses::default(),
        }))
    }

    /// The tables of a key that verifies `count` signatures of a batch, if it has any, or has them made now.
    fn tables(&self, count: usize) -> Result<Option<Arc<Constants>>, EngineError> {
        let data = &self.0;
        match data.uses.note(count) {
            Some(make) => data.curve.key_constants(&data.point, make),
            None => Ok(None),
        }
    }

    /// A number that other keys do not have.
    fn number(&self) -> usize {
        Arc::as_ptr(&self.0).addr()
    }

    /// The coordinate x, big-endian.
    pub fn to_bytes(&self) -> [u8; BYTES] {
        self.0.bytes
    }

    /// The curve that it was prepared on.
    pub fn curve(&self) -> &PreparedCurve {
        &self.0.curve
    }

    /// The point with an even y.
    pub(super) fn point(&self) -> &Point {
        &self.0.point
    }
}

impl fmt::Debug for VerifyingKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("VerifyingKey").field(&self.0.bytes).finish()
    }
}

/// A signature to verify, with key and message.
#[derive(Clone, Copy, Debug)]
pub struct VerifyRequest<'a> {
    /// Key of the supposed signer.
    pub key: &'a VerifyingKey,
    /// The message, of any length.
    pub message: &'a [u8],
    /// The signature.
    pub signature: &'a [u8],
}

/// The reason why a signature is refused.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum VerifyError {
    /// It has the wrong length.
    #[error("a Schnorr signature has {SIGNATURE_BYTES} bytes, not {0}")]
    Length(usize),
    /// The coordinate r is not below the curve's prime.
    #[error("the signature's r is not below the prime of secp256k1")]
    Coordinate,
    /// s is not below the order.
    #[error("the signature's s is not below the order of the base point")]
    OutOfRange,
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

/// One answer for each request, in the same order.
pub fn verify_batch(
    engine: &Engine,
    requests: &[VerifyRequest<'_>],
) -> Vec<Result<(), VerifyError>> {
    in_parts(engine, CURVE_CHUNK, requests, |part| {
        verify_chunk(engine, part).collect()
    })
}

/// A signature taken apart.
pub(super) struct Parts<'a> {
    pub(super) key: &'a VerifyingKey,
    /// r.
    pub(super) x: [BoxedUint; 1],
    pub(super) s: BoxedUint,
    /// `n - e` modulo n.
    pub(super) negative_challenge: BoxedUint,
}

impl<'a> Parts<'a> {
    pub(super) fn new(request: &VerifyRequest<'a>) -> Result<Self, VerifyError> {
        let VerifyRequest {
            key,
            message,
            signature,
        } = *request;
        let signature: &[u8; SIGNATURE_BYTES] = signature
            .try_into()
            .map_err(|_| VerifyError::Length(signature.len()))?;
        let (halves, _) = signature.as_chunks::<BYTES>();
        let [x, s] = [integer(&halves[0]), integer(&halves[1])];
        let curve = key.curve().curve();
        if x.cmp_vartime(curve.field().p()).is_ge() {
            return Err(VerifyError::Coordinate);
        }
        let order = curve.order();
        if s.cmp_vartime(order.as_ref()).is_ge() {
            return Err(VerifyError::OutOfRange);
        }
        let hash = Tag::Challenge.hash(&[&halves[0], &key.0.bytes, message]);
        let e = modulo(&hash, order);
        Ok(Self {
            key,
            x: [(*x).clone()],
            s: (*s).clone(),
            negative_challenge: e.neg_mod(order.as_nz_ref()),
        })
    }
}

/// The end of a verification, with r: whether `X = r Z`. Y and Z leave.
const END: End = End {
    kind: "schnorr-verify",
    inputs: 1,
    build: |builder, curve, inputs, sum| {
        let r = curve.map_x(builder, inputs[0]);
        let x = builder.multiply(r, sum.z);
        let difference = builder.subtract(sum.x, x);
        builder.is_zero(difference);
        let y = curve.unmap_y(builder, sum.y);
        builder.output(y);
        builder.output(sum.z);
    },
};

fn verify_chunk<'a>(
    engine: &Engine,
    requests: &[VerifyRequest<'a>],
) -> impl Iterator<Item = Result<(), VerifyError>> + use<'a> {
    let parts: Vec<_> = requests.iter().map(Parts::new).collect();
    let matches = single(engine, &parts.iter().flatten().collect::<Vec<_>>());
    answers(parts, matches)
}

/// Whether each signature matches, by its own equation.
pub(super) fn single(engine: &Engine, parts: &[&Parts<'_>]) -> Result<Vec<bool>, VerifyError> {
    let keys = parts.iter().map(|parts| (parts.key.number(), parts.key));
    let tables = tables_of(keys, VerifyingKey::tables)?;
    let work = parts.iter().map(|parts| {
        let combination = Combination {
            curve: parts.key.curve(),
            u: &parts.s,
            v: &parts.negative_challenge,
            q: &parts.key.0.coordinates,
            inputs: &parts.x,
        };
        (combination, tables.get(&parts.key.number()))
    });
    let outcomes = tabled::combinations(engine, &END, work.collect())?;
    Ok(matches(parts, &outcomes))
}

/// The answers: whether the readable signatures match, or the reason why it is not known.
pub(super) fn answers(
    parts: Vec<Result<Parts<'_>, VerifyError>>,
    matches: Result<Vec<bool>, VerifyError>,
) -> impl Iterator<Item = Result<(), VerifyError>> {
    let (mut matches, failed) = match matches {
        Ok(matches) => (matches.into_iter(), VerifyError::Mismatch),
        Err(error) => (Vec::new().into_iter(), error),
    };
    parts.into_iter().map(move |parts| {
        parts?;
        match matches.next() {
            Some(true) => Ok(()),
            _ => Err(failed.clone()),
        }
    })
}

/// Whether the sums are not at infinity, have x equal to r, and an even y.
fn matches(parts: &[&Parts<'_>], outcomes: &[Option<Outcome>]) -> Vec<bool> {
    let mut answers = vec![false; outcomes.len()];
    let Some(first) = parts.first() else {
        return answers;
    };
    // All keys are of one curve.
    let field = first.key.curve().curve().field();
    let equal = |outcome: &&Outcome| outcome.flags[0];
    let found = outcomes.iter().enumerate();
    let found = found.filter_map(|(place, outcome)| {
        let outcome = outcome.as_ref().filter(equal)?;
        let [y, z] = [0, 1].map(|k| field.element(&outcome.integers[k]));
        Some((place, y?, z?))
    });
    let found: Vec<_> = found.collect();
    let zs: Vec<_> = found.iter().map(|(_, _, z)| z.clone()).collect();
    for ((place, y, _), inverse) in found.iter().zip(field.invert_all(&zs)) {
        answers[*place] = !y.mul(&inverse).retrieve().bit_vartime(0);
    }
    answers
}
