//! Recovery of public keys from signatures in batches (SEC 1, section 4.1.6). All inputs are public.

use super::super::curve::Curve;
use super::super::field::{Element, Field};
use super::super::joint::{Combination, End, combinations};
use super::super::key::PublicKey;
use super::super::point::to_bytes;
use super::super::prepared::PreparedCurve;
use super::quotients::{Quotients, quotients};
use super::signature::{Encoding, Signature, SignatureError, integer_of};
use crate::Digest;
use crypto_bigint::{BoxedUint, Resize};
use sunzi_engine::{Engine, EngineError};

/// The id of the nonce's point: which of up to four points with the r of a signature it was.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct RecoveryId {
    /// Whether y is odd.
    pub y_is_odd: bool,
    /// Whether x is r + n, and not r.
    pub x_is_reduced: bool,
}

impl RecoveryId {
    /// The id of a byte from 0 to 3: bit 0 is whether y is odd, bit 1 whether x is r + n. (Ethereum and Bitcoin add
    /// constants to it, which the caller subtracts.)
    pub fn from_byte(byte: u8) -> Option<Self> {
        (byte < 4).then_some(Self {
            y_is_odd: byte & 1 == 1,
            x_is_reduced: byte & 2 == 2,
        })
    }

    /// The byte, from 0 to 3.
    pub fn to_byte(self) -> u8 {
        u8::from(self.y_is_odd) | u8::from(self.x_is_reduced) << 1
    }

    /// The id for n - s in place of s, to which the opposite point belongs.
    #[must_use]
    pub fn with_opposite_s(self) -> Self {
        Self {
            y_is_odd: !self.y_is_odd,
            ..self
        }
    }
}

/// A signature, and the id of the point that it was made with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RecoverableSignature {
    /// The signature.
    pub signature: Signature,
    /// The id.
    pub id: RecoveryId,
}

impl RecoverableSignature {
    /// The signature whose s is at most half the order, and its id.
    #[must_use]
    pub fn with_low_s(self, curve: &Curve) -> Self {
        if self.signature.has_low_s(curve) {
            return self;
        }
        Self {
            signature: self.signature.with_low_s(curve),
            id: self.id.with_opposite_s(),
        }
    }
}

/// A signature whose public key is sought.
#[derive(Clone, Copy, Debug)]
pub struct RecoverRequest<'a> {
    /// The key's curve.
    pub curve: &'a PreparedCurve,
    /// Digest of the message.
    pub digest: Digest,
    /// The encoding of the signature.
    pub encoding: Encoding,
    /// The signature.
    pub signature: &'a [u8],
    /// The id of the point that it was made with.
    pub id: RecoveryId,
}

/// The reason why no public key is recovered.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum RecoverError {
    /// The bytes are no signature of this curve.
    #[error(transparent)]
    Signature(#[from] SignatureError),
    /// The signature's r, or r + n if the id says so, is no coordinate x of the curve.
    #[error("no point of the curve belongs to this r and recovery id")]
    NoPoint,
    /// The key would be the point at infinity.
    #[error("the signature belongs to no public key")]
    NoKey,
    /// No device of the engine could compute it.
    #[error("the engine failed: {0}")]
    Engine(#[from] EngineError),
}

/// The public key for which each signature is valid, in the same order. A batch may mix curves.
pub fn recover_batch(
    engine: &Engine,
    requests: &[RecoverRequest<'_>],
) -> Vec<Result<PublicKey, RecoverError>> {
    requests
        .chunks(engine.at_a_time())
        .flat_map(|chunk| {
            recover_chunk(engine, chunk)
                .unwrap_or_else(|error| vec![Err(error.into()); chunk.len()])
        })
        .collect()
}

/// A signature taken apart, with the coordinates of its point.
struct Parts<'a> {
    curve: &'a PreparedCurve,
    signature: Signature,
    e: BoxedUint,
    point: [BoxedUint; 2],
}

impl<'a> Parts<'a> {
    fn new(request: &RecoverRequest<'a>) -> Result<Self, RecoverError> {
        let curve = request.curve.curve();
        let signature = Signature::from_bytes(curve, request.encoding, request.signature)?;
        let (p, order) = (curve.field().p(), curve.order().as_ref());
        let precision = p.bits_precision().max(order.bits_precision()) + 64;
        let mut x = (&signature.r).resize_unchecked(precision);
        if request.id.x_is_reduced {
            x = x.wrapping_add(order.resize_unchecked(precision));
        }
        if x.cmp_vartime(p).is_ge() {
            return Err(RecoverError::NoPoint);
        }
        let tag = 2 + u8::from(request.id.y_is_odd);
        let compressed = [&[tag][..], &to_bytes(&x, curve.field().bytes())].concat();
        let point = curve.decode(&compressed);
        let point = point.map_err(|_| RecoverError::NoPoint)?;
        Ok(Self {
            curve: request.curve,
            e: integer_of(curve, &request.digest),
            point: [point.x.retrieve(), point.y.retrieve()],
            signature,
        })
    }
}

/// The end of a recovery: X and Y, and Z, with x = X/Z and y = Y/Z.
const END: End = End {
    kind: "ecdsa-recover",
    inputs: 0,
    build: |builder, curve, _, sum| {
        let x = curve.unmap_x(builder, sum.x);
        let y = curve.unmap_y(builder, sum.y);
        builder.output(x);
        builder.output(y);
        builder.output(sum.z);
    },
};

/// `Q = (s/r) R - (e/r) G`.
fn recover_chunk(
    engine: &Engine,
    requests: &[RecoverRequest<'_>],
) -> Result<Vec<Result<PublicKey, RecoverError>>, EngineError> {
    let parts: Vec<_> = requests.iter().map(Parts::new).collect();
    let read: Vec<_> = parts.iter().flatten().collect();
    let numbers: Vec<_> = read
        .iter()
        .map(|parts| {
            let Signature { r, s, .. } = &parts.signature;
            (parts.curve, vec![r, &parts.e, s])
        })
        .collect();
    let quotients = quotients(engine, Quotients::Both, &numbers)?;
    let scalars: Vec<_> = read
        .iter()
        .zip(&quotients)
        .map(|(parts, quotients)| {
            let order = parts.curve.curve().order().as_nz_ref();
            (quotients[0].neg_mod(order), &quotients[1])
        })
        .collect();
    let work: Vec<_> = read
        .iter()
        .zip(&scalars)
        .map(|(parts, (u, v))| Combination {
            curve: parts.curve,
            u,
            v,
            q: &parts.point,
            inputs: &[],
        })
        .collect();
    let outcomes = combinations(engine, &END, &work)?;
    let keys: Vec<_> = outcomes
        .into_iter()
        .zip(&read)
        .map(|(outcome, parts)| {
            let curve = parts.curve.curve();
            let field = curve.field();
            let [x, y, z] = match &outcome.ok_or(RecoverError::NoKey)?.integers[..] {
                [x, y, z] => [x, y, z].map(|number| field.element(number)),
                _ => [None, None, None],
            };
            let inverse = z.and_then(|z| Field::invert(&z));
            let coordinate = |number: Option<Element>| {
                let quotient = number?.mul(inverse.as_ref()?);
                Some(quotient.retrieve())
            };
            let (x, y) = coordinate(x)
                .zip(coordinate(y))
                .ok_or(RecoverError::NoKey)?;
            PublicKey::new(curve, &x, &y).map_err(|_| RecoverError::NoKey)
        })
        .collect();
    let mut keys = keys.into_iter();
    let keys = parts.into_iter().map(|parts| {
        parts?;
        keys.next().unwrap_or(Err(RecoverError::NoKey))
    });
    Ok(keys.collect())
}
