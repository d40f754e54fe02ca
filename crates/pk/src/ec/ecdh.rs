//! Key agreement by Diffie and Hellman's method on curves (SP 800-56A, revision 3, section 5.7.1.2,
//! "ECC CDH"), in batches.
//!
//! Two parties that know each other's public keys compute the same point, `d Q` of one's private
//! number and the other's public point. Its x coordinate is the shared secret. It is no uniformly
//! random string: derive keys from it by a key derivation function (SP 800-56C, or HKDF of RFC 5869).
//!
//! All curves of this crate have the cofactor 1, so that the multiplication by the cofactor of
//! ECC CDH changes nothing, and a [`PublicKey`], which is a point of the curve other than that at
//! infinity, passes the full validation of section 5.6.2.3.3: it has the order of the base point.
//!
//! ```
//! use sunzi_engine::{Backend, Engine};
//! use sunzi_pk::ec::ecdh::{AgreeRequest, AgreementKey, agree_batch};
//! use sunzi_pk::ec::{PreparedCurve, PrivateKey};
//! use sunzi_pk::system_rng;
//!
//! let engine = Engine::new(Backend::best())?;
//! let curve = PreparedCurve::new(&engine, &"P-256".parse()?)?;
//! let alice = PrivateKey::generate(&curve, &mut system_rng())?;
//! let bob = PrivateKey::generate(&curve, &mut system_rng())?;
//! let keys = [AgreementKey::new(&curve, &alice)?, AgreementKey::new(&curve, &bob)?];
//!
//! let requests = [
//!     AgreeRequest { key: &keys[0], peer: bob.public_key() },
//!     AgreeRequest { key: &keys[1], peer: alice.public_key() },
//! ];
//! let secrets = agree_batch(&engine, &requests);
//! let secrets = secrets.into_iter().collect::<Result<Vec<_>, _>>()?;
//! assert_eq!(secrets[0].as_bytes(), secrets[1].as_bytes());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

use super::key::{KeyError, PrivateKey, PublicKey};
use super::model::CurveValues;
use super::multiply::{self, variable_bits, variable_scalar};
use super::point::to_bytes;
use super::prepared::PreparedCurve;
use super::sharing::{Share, shares};
use core::fmt;
use crypto_bigint::BoxedUint;
use std::sync::Arc;
use sunzi_engine::program::{Builder, Value, inverse};
use sunzi_engine::{Engine, EngineError, Job, Outcome, ProgramKey, Programs};
use zeroize::Zeroizing;

/// How many requests are in the engine at a time: far more than fill it, and few enough that a
/// batch of millions needs memory for its results only.
const CHUNK: usize = 8192;

/// A private key prepared for key agreement on an engine; cheap to clone. The numbers are wiped when
/// the last clone is dropped.
#[derive(Clone)]
pub struct AgreementKey(Arc<Prepared>);

struct Prepared {
    curve: PreparedCurve,
    public: PublicKey,
    /// The digits of d, for [`multiply::variable_base`].
    scalar: Zeroizing<BoxedUint>,
}

impl AgreementKey {
    /// Prepares a key for key agreement.
    ///
    /// # Errors
    /// [`KeyError::OtherCurve`].
    pub fn new(curve: &PreparedCurve, key: &PrivateKey) -> Result<Self, KeyError> {
        curve.check(key.public_key())?;
        Ok(Self(Arc::new(Prepared {
            curve: curve.clone(),
            public: key.public_key().clone(),
            scalar: variable_scalar(key.d(), curve.curve().order()),
        })))
    }

    /// The public half.
    pub fn public_key(&self) -> &PublicKey {
        &self.0.public
    }
}

impl fmt::Debug for AgreementKey {
    /// Shows the public half only.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("AgreementKey").field(&self.0.public).finish()
    }
}

/// A private key, and the public key of the other party.
#[derive(Clone, Copy, Debug)]
pub struct AgreeRequest<'a> {
    /// Private key.
    pub key: &'a AgreementKey,
    /// Public key of the other party.
    pub peer: &'a PublicKey,
}

/// The x coordinate of the common point, big-endian, as long as the curve's prime; wiped on drop.
pub struct SharedSecret(Zeroizing<Vec<u8>>);

impl SharedSecret {
    /// The bytes, of which keys are to be derived.
    pub fn as_bytes(&self) -> &[u8] {
        &self.0
    }
}

impl fmt::Debug for SharedSecret {
    /// Does not show the secret.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SharedSecret").finish_non_exhaustive()
    }
}

/// Why a request got no shared secret.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum AgreeError {
    /// The public key is of another curve than the private one.
    #[error("the other party's key is of {peer}, and the private key of {key}")]
    OtherCurve {
        /// The private key's curve.
        key: String,
        /// The other party's curve.
        peer: String,
    },
    /// The result did not pass its check, and was destroyed: this machine computes wrongly.
    #[error("the shared secret failed its check and was withheld: this machine computes wrongly")]
    Fault,
    /// No device of the engine could compute it.
    #[error("the engine failed: {0}")]
    Engine(#[from] EngineError),
}

/// One answer for each request, in the same order. A batch may mix keys and curves.
///
/// Constant time in the private keys. Before a secret leaves, the point is found to satisfy the
/// curve's equation, and the integer that leaves, read again, to be its x coordinate. A fault in the
/// arithmetic, or one that moves the peer's point to a weaker curve, breaks one of both; one that
/// changes the private number to another one is not found.
pub fn agree_batch(
    engine: &Engine,
    requests: &[AgreeRequest<'_>],
) -> Vec<Result<SharedSecret, AgreeError>> {
    let chunks = requests.chunks(CHUNK);
    chunks
        .flat_map(|chunk| agree_chunk(engine, chunk))
        .collect()
}

fn agree_chunk(
    engine: &Engine,
    requests: &[AgreeRequest<'_>],
) -> Vec<Result<SharedSecret, AgreeError>> {
    let same_curve = |request: &AgreeRequest<'_>| {
        let (key, peer) = (request.key.public_key().curve(), request.peer.curve());
        if key == peer {
            return Ok(());
        }
        Err(AgreeError::OtherCurve {
            key: key.to_string(),
            peer: peer.to_string(),
        })
    };
    let possible: Vec<_> = requests.iter().map(same_curve).collect();
    let work: Vec<_> = requests
        .iter()
        .zip(&possible)
        .filter_map(|(request, possible)| possible.is_ok().then_some(*request))
        .collect();
    let mut secrets = match secrets(engine, &work) {
        Ok(secrets) => secrets.into_iter(),
        Err(error) => {
            let failed = || Err(AgreeError::Engine(error.clone()));
            let answers = possible.into_iter();
            return answers
                .map(|possible| possible.and_then(|()| failed()))
                .collect();
        }
    };
    let answers = possible.into_iter();
    answers
        .map(|possible| {
            possible?;
            secrets.next().flatten().ok_or(AgreeError::Fault)
        })
        .collect()
}

/// The shared secrets of requests on equal curves, none where the check fails.
fn secrets(
    engine: &Engine,
    requests: &[AgreeRequest<'_>],
) -> Result<Vec<Option<SharedSecret>>, EngineError> {
    let curves: Vec<_> = requests
        .iter()
        .map(|request| &request.key.0.curve)
        .collect();
    let shares = shares(&curves);
    let programs = shares
        .iter()
        .map(|share| program(share.curve, share.places.len()));
    let programs: Vec<_> = programs.collect::<Result<_, _>>()?;
    let peers: Vec<_> = requests
        .iter()
        .map(|request| request.peer.coordinates())
        .collect();
    let jobs = shares.iter().zip(&programs).map(|(share, programs)| {
        let scalars = share.places.iter().map(|&i| &*requests[i].key.0.scalar);
        Ok(Job {
            programs,
            modulus: share.curve.p(),
            constants: Some(share.curve.coefficients()?),
            inputs: share.places.iter().flat_map(|&i| &peers[i]).collect(),
            scalars: scalars.chain([share.curve.p_less_two()]).collect(),
        })
    });
    let jobs: Vec<_> = jobs.collect::<Result<_, EngineError>>()?;
    let mut secrets: Vec<_> = requests.iter().map(|_| None).collect();
    for (share, outcome) in shares.iter().zip(engine.execute(&jobs)?) {
        for (place, secret) in share.places.iter().zip(checked(share, &outcome)) {
            secrets[*place] = secret;
        }
    }
    Ok(secrets)
}

/// Flags of a multiplication in [`program`].
const FLAGS: usize = 3;

/// The secrets of a program's outcome that pass their check.
fn checked(share: &Share<'_>, outcome: &Outcome) -> Vec<Option<SharedSecret>> {
    let bytes = share.curve.curve().field().bytes();
    let flags = outcome.flags.chunks(FLAGS);
    let answers = outcome.integers.iter().zip(flags);
    answers
        .map(|(x, flags)| {
            let right = flags == [false, true, true];
            right.then(|| SharedSecret(Zeroizing::new(to_bytes(x, bytes))))
        })
        .collect()
}

/// `sharing` multiplications: the inputs x and y of each point, a secret scalar k of
/// [`variable_scalar`] for each, and p - 2. The outputs are the x coordinates of the multiples,
/// integers below p. Three flags for each: whether Z is 0; whether the multiple satisfies the curve's
/// equation; whether the output is its x. Constant time.
fn program(curve: &PreparedCurve, sharing: usize) -> Result<Arc<Programs>, EngineError> {
    let kind = curve.model().kind;
    let (bits, p_bits) = (curve.p().class(), curve.curve().bits());
    let scalar_bits = variable_bits(curve.order_bits());
    let key = ProgramKey {
        bits,
        kind: "ec-agree",
        parameters: vec![
            kind.number(),
            scalar_bits.into(),
            p_bits.into(),
            sharing as u64,
        ],
    };
    curve.engine().programs(key, |builder| {
        let curve = kind.declare(builder);
        let mut tables = Vec::new();
        let points: Vec<_> = (0..sharing)
            .map(|_| {
                let [x, y] = [(); 2].map(|()| builder.input_unreduced(bits));
                let q = [curve.map_x(builder, x), curve.map_y(builder, y)];
                let k = builder.scalar("k", scalar_bits, true);
                multiply::variable_base(builder, &curve.coefficients, q, k, &mut tables)
            })
            .collect();
        let less_two = builder.scalar("p - 2", p_bits, false);
        let denominators: Vec<_> = points.iter().map(|point| point.z).collect();
        let inverses = inverse::shared(builder, &denominators, |builder, product| {
            inverse::fermat(builder, product, less_two)
        });
        for (point, inverse) in points.into_iter().zip(inverses) {
            let x = builder.multiply(point.x, inverse);
            let x = curve.unmap_x(builder, x);
            let output = builder.output(x);
            builder.is_zero(point.z);
            let equation = curve.coefficients.equation(builder, point);
            builder.is_zero(equation);
            let difference = x_differs(builder, &curve, output, [point.x, point.z]);
            builder.is_zero(difference);
        }
    })
}

/// `x Z - X` for the integer x that has left, which is 0 if it is the x coordinate of (X : Y : Z).
fn x_differs(builder: &mut Builder, curve: &CurveValues, output: u32, [x, z]: [Value; 2]) -> Value {
    let left = builder.output_again(output);
    let left = curve.map_x(builder, left);
    let product = builder.fitting_product(left, z);
    builder.subtract(product, x)
}

#[cfg(test)]
mod tests {
    use super::*;
    use sunzi_engine::Backend;

    /// Reductions of a key agreement, the inversion that 16 share included.
    #[test]
    fn counts() {
        let engine = Engine::new(Backend::PORTABLE).unwrap();
        for (name, most) in [
            ("P-256", 2560),
            ("brainpoolP256r1", 2560),
            ("secp256k1", 2319),
            ("P-384", 3720),
            ("P-521", 5018),
        ] {
            let curve = PreparedCurve::new(&engine, &name.parse().unwrap()).unwrap();
            let programs = program(&curve, 16).unwrap();
            let products = programs.program().counts().products / 16;
            println!("{name}: {products}");
            assert!(products <= most, "{name}: {products}");
        }
    }
}
