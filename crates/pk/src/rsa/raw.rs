//! RSA's bare operations, `x^d mod n` and `x^e mod n` (RFC 8017, section 5: RSASP1 and RSADP, RSAVP1 and RSAEP), for
//! protocols with a padding of their own.
//!
//! Without padding RSA is no signature and no encryption: products of answers are answers to products, and numbers that
//! can be guessed are found. Use a scheme of [`Scheme`](super::Scheme) or [`EncryptionScheme`](super::EncryptionScheme)
//! if one serves.

use super::private::{self, Fault, NoRandomness, PrivateOperation};
use super::restriction::RestrictionError;
use super::sign::SigningKey;
use super::verify::VerifyingKey;
use crate::batch::fail_all;
use crate::integer::resized;
use core::fmt;
use crypto_bigint::{BoxedUint, CtLt};
use rand_core::TryCryptoRng;
use sunzi_engine::{Engine, EngineError, Job};
use zeroize::Zeroizing;

/// A number to raise to a key's private exponent.
#[derive(Clone, Copy)]
pub struct PrivateRequest<'a> {
    /// The key.
    pub key: &'a SigningKey,
    /// The number, below the modulus.
    pub number: &'a BoxedUint,
}

/// A number to raise to a key's public exponent.
#[derive(Clone, Copy)]
pub struct PublicRequest<'a> {
    /// The key.
    pub key: &'a VerifyingKey,
    /// The number, below the modulus.
    pub number: &'a BoxedUint,
}

impl fmt::Debug for PrivateRequest<'_> {
    /// Shows everything but the number.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PrivateRequest")
            .field("key", &self.key)
            .finish_non_exhaustive()
    }
}

impl fmt::Debug for PublicRequest<'_> {
    /// Shows everything but the number.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PublicRequest")
            .field("key", &self.key)
            .finish_non_exhaustive()
    }
}

/// The reason why a number has no power.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum RawError {
    /// The number is not below the modulus.
    #[error("the number is not below the modulus")]
    OutOfRange,
    /// The key is restricted to RSASSA-PSS.
    #[error(transparent)]
    Restricted(#[from] RestrictionError),
    /// The random number generator failed.
    #[error("the random number generator failed")]
    Random,
    /// The power was computed wrongly and has been withheld, as it would give the key away.
    #[error("the power was computed wrongly and has been withheld: this machine computes wrongly")]
    Fault,
    /// No device of the engine could compute it.
    #[error("the engine failed: {0}")]
    Engine(#[from] EngineError),
}

impl From<Fault> for RawError {
    fn from(_: Fault) -> Self {
        Self::Fault
    }
}

impl From<NoRandomness> for RawError {
    fn from(_: NoRandomness) -> Self {
        Self::Random
    }
}

/// The purpose that keys restricted to PSS do not serve.
const PURPOSE: &str = "compute without padding";

/// The number in the precision of the modulus n, if it is below n.
fn below(number: &BoxedUint, n: &BoxedUint) -> Result<Zeroizing<BoxedUint>, RawError> {
    if number.ct_lt(n).to_bool() {
        Ok(resized(number, n.bits_precision()))
    } else {
        Err(RawError::OutOfRange)
    }
}

/// `x^d mod n` of these numbers x, in constant time, blinded, and each verified before it is returned, as
/// [`sign_batch`](super::sign_batch) does it. A batch may mix keys.
///
/// # Errors
/// For each item [`RawError::OutOfRange`], [`RawError::Restricted`], [`RawError::Random`], [`RawError::Fault`], [`RawError::Engine`].
pub fn private_batch<R: TryCryptoRng + ?Sized>(
    engine: &Engine,
    rng: &mut R,
    requests: &[PrivateRequest<'_>],
) -> Vec<Result<Zeroizing<BoxedUint>, RawError>> {
    let mut results = Vec::with_capacity(requests.len());
    for chunk in requests.chunks(engine.at_a_time()) {
        let operations: Vec<_> = chunk
            .iter()
            .map(|request| {
                let key = request.key.public_key();
                key.check_unrestricted(PURPOSE)?;
                let x = below(request.number, key.n())?;
                Ok(PrivateOperation::new(request.key.prepared(), x))
            })
            .collect();
        let powers = private::run::<_, RawError>(engine, rng, &operations).into_iter();
        let number = |(request, power): (&PrivateRequest<'_>, Result<Zeroizing<Vec<u8>>, _>)| {
            let precision = request.key.public_key().n().bits_precision();
            power.map(|power| Zeroizing::new(BoxedUint::from_be_slice_truncated(&power, precision)))
        };
        results.extend(chunk.iter().zip(powers).map(number));
    }
    results
}

/// `x^e mod n` of these numbers x, in a time that does not depend on them. A batch may mix keys.
///
/// # Errors
/// For each item [`RawError::OutOfRange`], [`RawError::Restricted`], [`RawError::Engine`].
pub fn public_batch(
    engine: &Engine,
    requests: &[PublicRequest<'_>],
) -> Vec<Result<Zeroizing<BoxedUint>, RawError>> {
    requests
        .chunks(engine.at_a_time())
        .flat_map(|chunk| public_chunk(engine, chunk))
        .collect()
}

fn public_chunk(
    engine: &Engine,
    requests: &[PublicRequest<'_>],
) -> Vec<Result<Zeroizing<BoxedUint>, RawError>> {
    let numbers: Vec<_> = requests
        .iter()
        .map(|request| {
            let key = request.key.public_key();
            key.check_unrestricted(PURPOSE)?;
            below(request.number, key.n())
        })
        .collect();
    let jobs: Vec<Job<'_>> = requests
        .iter()
        .zip(&numbers)
        .filter_map(|(request, x)| x.as_ref().ok().map(|x| request.key.raise(x)))
        .collect();
    let mut powers = match engine.execute(&jobs) {
        Ok(powers) => powers.into_iter(),
        Err(error) => return fail_all(&numbers, &error.into()),
    };
    numbers
        .iter()
        .map(|x| {
            x.as_ref().map_err(RawError::clone)?;
            let power = powers.next().expect("the engine answers every job");
            Ok(power.integers[0].clone())
        })
        .collect()
}
