//! Signing in batches (BIP 340, "Default signing").

use super::super::base::{Coordinates, are_multiples, base_multiples_to_check};
use super::super::confirmation::{Claim, confirmed};
use super::super::congruence::is_congruent;
use super::super::key::{PrivateKey, PublicKey};
use super::super::point::to_bytes;
use super::super::prepared::PreparedCurve;
use super::hash::{Tag, modulo};
use super::key::{BYTES, KeyError, SIGNATURE_BYTES, check_curve};
use super::verify::VerifyingKey;
use crate::verdict::are_equal;
use crate::wipe::wipe_stack;
use core::fmt;
use crypto_bigint::{BoxedUint, CtLt, CtSelect, Integer};
use std::sync::Arc;
use sunzi_engine::{Engine, EngineError, Job, ProgramKey, Programs};
use zeroize::Zeroizing;

/// A private key prepared for signing on an engine; cheap to clone. The numbers are wiped when the
/// last clone is dropped.
#[derive(Clone)]
pub struct SigningKey(Arc<SigningKeyData>);

/// Data of the key, shared by its clones.
struct SigningKeyData {
    /// d or n - d, whichever gives the point with an even y.
    d: Zeroizing<BoxedUint>,
    /// `n - d`: a second representation of d, with which signatures are checked.
    negative: Zeroizing<BoxedUint>,
    public: PublicKey,
    /// Its coordinate x: a second copy of the hashed one.
    x: [u8; BYTES],
    verifying: VerifyingKey,
}

impl SigningKey {
    /// Prepares a key for signing. `d G` must be the public key.
    ///
    /// # Errors
    /// [`KeyError::OtherCurve`], [`KeyError::Mismatch`], [`KeyError::Engine`].
    pub fn new(curve: &PreparedCurve, key: &PrivateKey) -> Result<Self, KeyError> {
        check_curve(curve)?;
        let verifying = VerifyingKey::new(curve, key.public_key())?;
        let order = curve.curve().order().as_ref();
        let [x, y] = key.public_key().coordinates();
        let (own, other) = (key.d(), Zeroizing::new(order.wrapping_sub(key.d())));
        // The public key decides which.
        let [d, negative] = [(own, &*other), (&*other, own)]
            .map(|(even, odd)| Zeroizing::new(BoxedUint::ct_select(even, odd, y.is_odd())));
        if are_multiples(curve.engine(), &[(curve, key.d(), &[&x, &y])])? != [true] {
            return Err(KeyError::Mismatch);
        }
        Ok(Self(Arc::new(SigningKeyData {
            d,
            negative,
            public: key.public_key().clone(),
            x: coordinate(&x),
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

/// The reason why a request got no signature.
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
/// Constant time. Each signature is checked before it is returned, in ways that share nothing with its computation
/// (`docs/curves.md`). With a second representation of the key, and the challenge hashed anew from another copy of the
/// public key, `k = s + e (n - d)` must hold in plain words, and `k G` must be the nonce's point by other digits, and
/// on the curve. If there are at least 128 signatures, all points of nonces are confirmed together, by a random
/// combination; if that is wrong they are checked one by one.
pub fn sign_batch(
    engine: &Engine,
    requests: &[SignRequest<'_>],
) -> Vec<Result<Signature, SignError>> {
    requests
        .chunks(engine.at_a_time())
        .flat_map(|chunk| {
            sign_chunk(engine, chunk).unwrap_or_else(|error| vec![Err(error.into()); chunk.len()])
        })
        .collect()
}

#[inline(never)]
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
    let challenges = challenges(&requests_of, &rs, |key| key.verifying_key().to_bytes());
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

/// The nonce of a signature, before its sign is known. The caller wipes the hashes' remnants on the stack.
fn nonce(request: &SignRequest<'_>) -> Zeroizing<BoxedUint> {
    let key = &request.key.0;
    let mut masked = Tag::Auxiliary.hash(&[&request.auxiliary]);
    // Hashes the signing number itself, so that no second copy can differ from it.
    let bytes = Zeroizing::new(to_bytes(&key.d, BYTES));
    for (masked, byte) in masked.iter_mut().zip(bytes.iter()) {
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
    let points = base_multiples_to_check(engine, Coordinates::Both, &numbers.collect::<Vec<_>>())?;
    let points = points.into_iter().map(|point| {
        let mut coordinates = point.into_iter();
        [(); 2].map(|()| coordinates.next().unwrap_or_default())
    });
    Ok(points.collect())
}

/// The challenges e of signatures with these r, and with a copy of the public keys, modulo the order.
fn challenges(
    requests: &[SignRequest<'_>],
    rs: &[[u8; BYTES]],
    public: impl Fn(&SigningKey) -> [u8; BYTES],
) -> Vec<Zeroizing<BoxedUint>> {
    let challenge = |(request, r): (&SignRequest<'_>, &[u8; BYTES])| {
        let public = public(request.key);
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

/// Whether signatures are right: the nonce is `s + e (n - d)`, with e hashed anew, from another copy of the public key,
/// and r and s belong to the nonce's point, which belongs to the nonce.
fn check(
    engine: &Engine,
    requests: &[SignRequest<'_>],
    (drawn, points): (&[Zeroizing<BoxedUint>], &[[Zeroizing<BoxedUint>; 2]]),
    (rs, ss): (&[[u8; BYTES]], &[Zeroizing<BoxedUint>]),
) -> Result<Vec<bool>, EngineError> {
    let challenges = challenges(requests, rs, |key| key.0.x);
    let mut right = vec![false; requests.len()];
    for i in 0..requests.len() {
        let (key, [x, y]) = (requests[i].key, &points[i]);
        let nonce = with_even_y(key.curve(), &drawn[i], y);
        let product = [&*challenges[i], &*key.0.negative];
        let order = key.curve().curve().order();
        let hold = [
            is_congruent(order, &[product], &[(1, &ss[i])], (1, &nonce)),
            are_equal(&coordinate(x), &rs[i]),
        ];
        right[i] = hold == [true; 2];
    }
    let claims = (0..requests.len()).map(|i| {
        let [x, y] = &points[i];
        (requests[i].key.curve(), &*drawn[i], [&**x, &**y])
    });
    let claims: Vec<Claim<'_>> = claims.collect();
    let mut confirmed = confirmed(engine, &claims)?;
    // The others one by one, by a check that is no weaker.
    let alone: Vec<_> = (0..requests.len()).filter(|&i| !confirmed[i]).collect();
    let numbers = alone.iter().map(|&i| {
        let (curve, k, coordinates) = &claims[i];
        (*curve, *k, &coordinates[..])
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
