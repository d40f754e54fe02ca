//! Signing in batches (BIP 340, "Default signing").

use super::super::base::{Coordinates, base_multiples};
use super::super::confirmation::confirmed;
use super::super::key::{PrivateKey, PublicKey};
use super::super::point::to_bytes;
use super::super::prepared::PreparedCurve;
use super::hash::{Tag, modulo};
use super::verify::VerifyingKey;
use super::{BYTES, CHUNK, KeyError, check_curve};
use crate::wipe::wipe_stack;
use core::fmt;
use crypto_bigint::{BoxedUint, CtEq, CtLt, CtSelect, Integer};
use std::sync::Arc;
use sunzi_engine::{Engine, EngineError, Job, ProgramKey, Programs};
use zeroize::Zeroizing;

/// Length of a signature in bytes.
pub const SIGNATURE_BYTES: usize = 2 * BYTES;

/// A private key prepared for signing on an engine; cheap to clone. The numbers are wiped when the
/// last clone is dropped.
#[derive(Clone)]
pub struct SigningKey(Arc<Prepared>);

struct Prepared {
    /// d or n - d, whichever gives the point with an even y.
    d: Zeroizing<BoxedUint>,
    /// `n - d`: a second representation of d, with which signatures are checked.
    negative: Zeroizing<BoxedUint>,
    bytes: Zeroizing<[u8; BYTES]>,
    public: PublicKey,
    verifying: VerifyingKey,
}

impl SigningKey {
    /// Prepares a key for signing. `(n - d) G` must have the x of the public key.
    ///
    /// # Errors
    /// [`KeyError::OtherCurve`], [`KeyError::Mismatch`], [`KeyError::Engine`].
    pub fn new(curve: &PreparedCurve, key: &PrivateKey) -> Result<Self, KeyError> {
        check_curve(curve)?;
        let verifying = VerifyingKey::new(curve, key.public_key())?;
        let order = curve.curve().order().as_ref();
        let [x, y] = key.public_key().coordinates();
        let other = Zeroizing::new(order.wrapping_sub(key.d()));
        let own = Zeroizing::new(key.d().clone());
        // The public key says which.
        let (d, negative) = if y.bit_vartime(0) {
            (other, own)
        } else {
            (own, other)
        };
        let multiples = base_multiples(curve.engine(), Coordinates::X, &[(curve, &negative)])?;
        if *multiples[0][0] != x {
            return Err(KeyError::Mismatch);
        }
        let mut bytes = Zeroizing::new([0; BYTES]);
        bytes.copy_from_slice(&Zeroizing::new(to_bytes(&d, BYTES)));
        Ok(Self(Arc::new(Prepared {
            d,
            negative,
            bytes,
            public: key.public_key().clone(),
            verifying,
        })))
    }

    /// The public half. Its y may be odd.
    pub fn public_key(&self) -> &PublicKey {
        &self.0.public
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
        f.debug_tuple("SigningKey").field(&self.0.public).finish()
    }
}

/// A signature.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Signature([u8; SIGNATURE_BYTES]);

impl Signature {
    /// r and s, big-endian.
    pub fn as_bytes(&self) -> &[u8; SIGNATURE_BYTES] {
        &self.0
    }
}

/// A message to sign, with its key.
#[derive(Clone, Copy, Debug)]
pub struct SignRequest<'a> {
    /// Signing key.
    pub key: &'a SigningKey,
    /// The message, of any length. BIP 340 advises to sign a tagged hash of it.
    pub message: &'a [u8],
    /// Fresh randomness, or zeros; signatures are valid with any. With zeros a message always gets the
    /// same signature; randomness makes attacks harder that compare faulty or observed computations.
    pub auxiliary: [u8; BYTES],
}

/// Why a request got no signature.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SignError {
    /// The signature did not pass its check, and was destroyed: this machine computes wrongly.
    #[error("the signature failed its check and was withheld: this machine computes wrongly")]
    Fault,
    /// No device of the engine could compute it.
    #[error("the engine failed: {0}")]
    Engine(#[from] EngineError),
}

/// One answer for each request, in the same order.
///
/// Constant time. Each signature is checked before it is returned: from s, the challenge, hashed anew, and a
/// second representation of the key, `k = s + e (n - d)` is computed, and `k G` must have r as x and an
/// even y. A fault in the nonce's point, in s, in e, or in either representation of the key breaks this. Of at
/// least 128 signatures all points of nonces are confirmed together instead, by a random combination
/// (`docs/curves.md`), and k must be the nonce.
pub fn sign_batch(
    engine: &Engine,
    requests: &[SignRequest<'_>],
) -> Vec<Result<Signature, SignError>> {
    requests
        .chunks(CHUNK)
        .flat_map(|chunk| {
            sign_chunk(engine, chunk).unwrap_or_else(|error| vec![Err(error.into()); chunk.len()])
        })
        .collect()
}

fn sign_chunk(
    engine: &Engine,
    requests: &[SignRequest<'_>],
) -> Result<Vec<Result<Signature, SignError>>, EngineError> {
    let drawn: Vec<_> = requests.iter().map(nonce).collect();
    wipe_stack();
    // A nonce of 0, which no hash is known for, takes no part.
    let (places, drawn): (Vec<_>, Vec<_>) = drawn
        .into_iter()
        .enumerate()
        .filter(|(_, k)| !bool::from(k.is_zero()))
        .unzip();
    let requests_of = places.iter().map(|&place| requests[place]);
    let requests_of: Vec<_> = requests_of.collect();
    let points = multiples(engine, &requests_of, &drawn)?;
    let mut nonces = Vec::with_capacity(drawn.len());
    let mut rs = Vec::with_capacity(drawn.len());
    for ((request, k), [x, y]) in requests_of.iter().zip(&drawn).zip(&points) {
        nonces.push(with_even_y(request.key.curve(), k, y));
        rs.push(coordinate(x));
    }
    let challenges = challenges(&requests_of, &rs);
    let numbers = (0..requests_of.len()).map(|i| {
        let key = requests_of[i].key;
        (key.curve(), [&*nonces[i], &*challenges[i], &*key.0.d])
    });
    let ss = combined(engine, &numbers.collect::<Vec<_>>())?;

    let right = check(engine, &requests_of, (&drawn, &points), (&rs, &ss))?;
    let mut answers: Vec<_> = requests.iter().map(|_| Err(SignError::Fault)).collect();
    for (i, &place) in places.iter().enumerate() {
        answers[place] = released(right[i], &rs[i], &ss[i]);
    }
    Ok(answers)
}

/// The signature, if it is right. A function of its own in the executable, too: the one place where the
/// verdict may decide a branch.
#[inline(never)]
fn released(
    right: bool,
    r: &[u8; BYTES],
    s: &Zeroizing<BoxedUint>,
) -> Result<Signature, SignError> {
    if !right {
        return Err(SignError::Fault);
    }
    let mut signature = [0; SIGNATURE_BYTES];
    signature[..BYTES].copy_from_slice(r);
    signature[BYTES..].copy_from_slice(&coordinate(s));
    Ok(Signature(signature))
}

/// The nonce of a signature, before its sign is known. What hashes leave on the stack, the caller wipes.
fn nonce(request: &SignRequest<'_>) -> Zeroizing<BoxedUint> {
    let key = &request.key.0;
    let mut masked = Tag::Auxiliary.hash(&[&request.auxiliary]);
    for (masked, byte) in masked.iter_mut().zip(key.bytes.iter()) {
        *masked ^= byte;
    }
    let public = key.verifying.to_bytes();
    let hash = Tag::Nonce.hash(&[&*masked, &public, request.message]);
    modulo(&hash, request.key.curve().curve().order())
}

/// The coordinates of `k G`.
fn multiples(
    engine: &Engine,
    requests: &[SignRequest<'_>],
    ks: &[Zeroizing<BoxedUint>],
) -> Result<Vec<[Zeroizing<BoxedUint>; 2]>, EngineError> {
    let numbers = requests.iter().zip(ks);
    let numbers = numbers.map(|(request, k)| (request.key.curve(), &**k));
    let points = base_multiples(engine, Coordinates::Both, &numbers.collect::<Vec<_>>())?;
    let points = points.into_iter().map(|point| {
        let mut coordinates = point.into_iter();
        [(); 2].map(|()| coordinates.next().unwrap_or_default())
    });
    Ok(points.collect())
}

/// The challenges e of signatures with these r, modulo the order.
fn challenges(requests: &[SignRequest<'_>], rs: &[[u8; BYTES]]) -> Vec<Zeroizing<BoxedUint>> {
    let challenge = |(request, r): (&SignRequest<'_>, &[u8; BYTES])| {
        let public = request.key.verifying_key().to_bytes();
        let hash = Tag::Challenge.hash(&[r, &public, request.message]);
        modulo(&hash, request.key.curve().curve().order())
    };
    requests.iter().zip(rs).map(challenge).collect()
}

/// k, or its negative if the y of `k G` is odd.
fn with_even_y(curve: &PreparedCurve, k: &BoxedUint, y: &BoxedUint) -> Zeroizing<BoxedUint> {
    let opposite = Zeroizing::new(curve.curve().order().wrapping_sub(k));
    Zeroizing::new(BoxedUint::ct_select(k, &opposite, y.is_odd()))
}

/// Whether signatures are right: for `k = s + e (n - d)`, those whose points are confirmed together, if k is the
/// nonce and r is x; each other one if `k G` has r as x and an even y.
fn check(
    engine: &Engine,
    requests: &[SignRequest<'_>],
    (drawn, points): (&[Zeroizing<BoxedUint>], &[[Zeroizing<BoxedUint>; 2]]),
    (rs, ss): (&[[u8; BYTES]], &[Zeroizing<BoxedUint>]),
) -> Result<Vec<bool>, EngineError> {
    let challenges = challenges(requests, rs);
    let numbers = (0..requests.len()).map(|i| {
        let key = requests[i].key;
        (key.curve(), [&*ss[i], &*challenges[i], &*key.0.negative])
    });
    let ks = combined(engine, &numbers.collect::<Vec<_>>())?;
    let claims = (0..requests.len()).map(|i| {
        let [x, y] = &points[i];
        (requests[i].key.curve(), &*drawn[i], [&**x, &**y])
    });
    let confirmed = confirmed(engine, &claims.collect::<Vec<_>>())?;
    let mut right = vec![false; requests.len()];
    let mut alone = Vec::new();
    for i in 0..requests.len() {
        let [x, y] = &points[i];
        if confirmed[i] {
            let nonce = with_even_y(requests[i].key.curve(), &drawn[i], y);
            right[i] = bool::from(nonce.ct_eq(&ks[i])) && coordinate(x) == rs[i];
        } else if !bool::from(ks[i].is_zero()) {
            // A faulty one may be 0, which must not share an inversion.
            alone.push(i);
        }
    }
    let (some, some_ks): (Vec<_>, Vec<_>) =
        alone.iter().map(|&i| (requests[i], ks[i].clone())).unzip();
    for (&i, [x, y]) in alone.iter().zip(&multiples(engine, &some, &some_ks)?) {
        right[i] = coordinate(x) == rs[i] && !y.bit_vartime(0);
    }
    Ok(right)
}

/// A number below `2^256` in big-endian bytes.
fn coordinate(x: &BoxedUint) -> [u8; BYTES] {
    let mut bytes = [0; BYTES];
    bytes.copy_from_slice(&to_bytes(x, BYTES));
    bytes
}

/// `x + e y` modulo the order for numbers x, e and y below it. A fault may leave one that is not below
/// the order: it becomes 0, and fails the check.
fn combined(
    engine: &Engine,
    numbers: &[(&PreparedCurve, [&BoxedUint; 3])],
) -> Result<Vec<Zeroizing<BoxedUint>>, EngineError> {
    let programs = numbers.iter().map(|(curve, _)| program(curve));
    let programs: Vec<_> = programs.collect::<Result<_, _>>()?;
    let jobs = numbers
        .iter()
        .zip(&programs)
        .map(|((curve, inputs), programs)| Job {
            programs,
            modulus: curve.n(),
            constants: None,
            inputs: inputs.to_vec(),
            scalars: Vec::new(),
        });
    let outcomes = engine.execute(&jobs.collect::<Vec<_>>())?;
    let sums = numbers
        .iter()
        .zip(outcomes)
        .map(|((curve, _), mut outcome)| {
            let sum = outcome.integers.swap_remove(0);
            let zero = Zeroizing::new(BoxedUint::zero_with_precision(sum.bits_precision()));
            let below = sum.ct_lt(curve.curve().order().as_ref());
            Zeroizing::new(BoxedUint::ct_select(&zero, &sum, below))
        });
    Ok(sums.collect())
}

fn program(curve: &PreparedCurve) -> Result<Arc<Programs>, EngineError> {
    let bits = curve.n().class();
    let key = ProgramKey {
        bits,
        kind: "schnorr-combination",
        parameters: Vec::new(),
    };
    curve.engine().programs(key, |builder| {
        let x = builder.input_unreduced(bits);
        let e = builder.input(bits);
        let y = builder.input_unreduced(bits);
        let one = builder.montgomery_one();
        let sum = builder.sum_of_products(&[(false, y, e), (false, x, one)]);
        builder.output(sum);
    })
}
