//! Verification of signatures in batches (FIPS 186-5, section 6.4.2). All inputs are public.

use super::super::curve::Curve;
use super::super::key::{KeyError, PublicKey};
use super::super::model::{Kind, Products};
use super::super::multiply::{
    self, BASE_ENTRIES, BasePart, Doublings, PointPart, half_bits, joint_bits, joint_scalar,
};
use super::super::prepared::PreparedCurve;
use super::CHUNK;
use super::quotients::{Quotients, quotients};
use super::signature::{Encoding, Signature, SignatureError, integer_of};
use crate::Digest;
use core::fmt;
use crypto_bigint::{BoxedUint, Resize};
use std::sync::Arc;
use sunzi_engine::program::{Builder, odd_digits};
use sunzi_engine::{Engine, EngineError, Job, ProgramKey, Programs};
use zeroize::Zeroizing;

/// A public key prepared for verification on an engine; cheap to clone.
#[derive(Clone)]
pub struct VerifyingKey(Arc<Prepared>);

struct Prepared {
    curve: PreparedCurve,
    public: PublicKey,
    coordinates: [BoxedUint; 2],
}

impl VerifyingKey {
    /// Prepares a key for verification.
    ///
    /// # Errors
    /// [`KeyError::OtherCurve`].
    pub fn new(curve: &PreparedCurve, key: &PublicKey) -> Result<Self, KeyError> {
        curve.check(key)?;
        Ok(Self(Arc::new(Prepared {
            curve: curve.clone(),
            coordinates: key.coordinates(),
            public: key.clone(),
        })))
    }

    /// The key that was prepared.
    pub fn public_key(&self) -> &PublicKey {
        &self.0.public
    }

    /// The curve that it was prepared on.
    pub fn curve(&self) -> &PreparedCurve {
        &self.0.curve
    }
}

impl fmt::Debug for VerifyingKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("VerifyingKey").field(&self.0.public).finish()
    }
}

/// A signature to verify, with key and digest.
#[derive(Clone, Copy, Debug)]
pub struct VerifyRequest<'a> {
    /// Key of the supposed signer.
    pub key: &'a VerifyingKey,
    /// Digest of the message.
    pub digest: Digest,
    /// How the signature is written.
    pub encoding: Encoding,
    /// Which s are accepted.
    pub s: SRange,
    /// The signature.
    pub signature: &'a [u8],
}

/// Which values of s a verifier accepts. With a signature `(r, s)`, `(r, n - s)` is valid, too.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum SRange {
    /// All, as FIPS 186-5 has it.
    #[default]
    Any,
    /// Those up to half the order, as in Bitcoin: then nobody can change a signature into another
    /// valid one.
    Low,
}

/// Why a signature is refused.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum VerifyError {
    /// The bytes are no signature of this curve.
    #[error(transparent)]
    Signature(#[from] SignatureError),
    /// s is above half the order, and was asked to be low.
    #[error("s is above half the order of the base point, and is required to be low")]
    HighS,
    /// The signature belongs to another message or key, or is forged.
    #[error("the signature does not match")]
    Mismatch,
    /// No device of the engine could compute it: nothing is known about the signature.
    #[error("the engine failed: {0}")]
    Engine(#[from] EngineError),
}

/// One answer for each request, in the same order. A batch may mix keys and curves.
pub fn verify_batch(
    engine: &Engine,
    requests: &[VerifyRequest<'_>],
) -> Vec<Result<(), VerifyError>> {
    requests
        .chunks(CHUNK)
        .flat_map(|chunk| verify_chunk(engine, chunk))
        .collect()
}

fn verify_chunk(engine: &Engine, requests: &[VerifyRequest<'_>]) -> Vec<Result<(), VerifyError>> {
    let signatures: Vec<_> = requests
        .iter()
        .map(|request| {
            let curve = request.key.curve().curve();
            let signature = Signature::from_bytes(curve, request.encoding, request.signature)?;
            match request.s {
                SRange::Low if !signature.has_low_s(curve) => Err(VerifyError::HighS),
                SRange::Low | SRange::Any => Ok(signature),
            }
        })
        .collect();
    let read: Vec<_> = requests
        .iter()
        .zip(&signatures)
        .filter_map(|(request, signature)| Some((request, signature.as_ref().ok()?)))
        .collect();
    let mut answers = match matches(engine, &read) {
        Ok(answers) => answers.into_iter(),
        Err(error) => {
            let failed: Result<(), VerifyError> = Err(error.into());
            return signatures
                .into_iter()
                .map(|signature| signature.and(failed.clone()))
                .collect();
        }
    };
    signatures
        .into_iter()
        .map(|signature| {
            signature?;
            match answers.next() {
                Some(true) => Ok(()),
                _ => Err(VerifyError::Mismatch),
            }
        })
        .collect()
}

/// What a verification takes.
struct Inputs {
    /// u = e/s and v = r/s modulo n.
    quotients: [Zeroizing<BoxedUint>; 2],
    /// The numbers below p that are r modulo n; a single one stands twice. None where there is none.
    xs: Option<[BoxedUint; 2]>,
}

/// Whether the signatures match.
fn matches(
    engine: &Engine,
    requests: &[(&VerifyRequest<'_>, &Signature)],
) -> Result<Vec<bool>, EngineError> {
    let inputs = inputs(engine, requests)?;
    let possible: Vec<usize> = (0..requests.len())
        .filter(|&k| inputs[k].xs.is_some())
        .collect();
    let mut answers = vec![false; requests.len()];
    let mut undecided = Vec::new();
    let flags = run(engine, requests, &inputs, &possible, Doublings::Fast)?;
    for (&k, [infinity, equal]) in possible.iter().zip(flags) {
        if infinity {
            undecided.push(k);
        } else {
            answers[k] = equal;
        }
    }
    let flags = run(engine, requests, &inputs, &undecided, Doublings::Complete)?;
    for (&k, [infinity, equal]) in undecided.iter().zip(flags) {
        answers[k] = equal && !infinity;
    }
    Ok(answers)
}

fn inputs(
    engine: &Engine,
    requests: &[(&VerifyRequest<'_>, &Signature)],
) -> Result<Vec<Inputs>, EngineError> {
    let digest =
        |request: &VerifyRequest<'_>| integer_of(request.key.curve().curve(), &request.digest);
    let digests: Vec<_> = requests
        .iter()
        .map(|(request, _)| digest(request))
        .collect();
    let numbers: Vec<_> = requests
        .iter()
        .zip(&digests)
        .map(|((request, signature), e)| (request.key.curve(), vec![&signature.s, e, &signature.r]))
        .collect();
    let quotients = quotients(engine, Quotients::Both, &numbers)?;
    let inputs = requests
        .iter()
        .zip(quotients)
        .map(|((request, signature), quotients)| {
            let curve = request.key.curve().curve();
            let mut quotients = quotients.into_iter();
            Inputs {
                quotients: [(); 2].map(|()| quotients.next().unwrap_or_default()),
                xs: xs(curve, &signature.r),
            }
        });
    Ok(inputs.collect())
}

/// The numbers below p that are r modulo n. There is at most one other than r itself, as
/// `p < 2 n`.
fn xs(curve: &Curve, r: &BoxedUint) -> Option<[BoxedUint; 2]> {
    let (order, p) = (curve.order().as_ref(), curve.field().p());
    let precision = p.bits_precision().max(order.bits_precision()) + 64;
    let below_p = |x: &BoxedUint| {
        let below = x.cmp_vartime(p).is_lt();
        below.then(|| x.resize_unchecked(p.bits_precision()))
    };
    let other = order.resize_unchecked(precision).wrapping_add(r);
    let x = below_p(r)?;
    let other = below_p(&other).unwrap_or_else(|| x.clone());
    Some([x, other])
}

/// How a verification multiplies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Method {
    /// As [`Doublings`] says, with whole scalars.
    Whole(Doublings),
    /// With fast doublings, the scalar of Q split by the curve's endomorphism.
    Split,
}

impl Method {
    fn of(curve: &PreparedCurve, doublings: Doublings) -> Self {
        match doublings {
            Doublings::Fast if curve.endomorphism().is_some() => Self::Split,
            _ => Self::Whole(doublings),
        }
    }
}

/// The flags of the verification's program for some requests of a batch.
fn run(
    engine: &Engine,
    requests: &[(&VerifyRequest<'_>, &Signature)],
    inputs: &[Inputs],
    places: &[usize],
    doublings: Doublings,
) -> Result<Vec<[bool; 2]>, EngineError> {
    let scalars: Vec<Vec<_>> = places
        .iter()
        .map(|&k| scalars(requests[k].0.key.curve(), doublings, &inputs[k].quotients))
        .collect();
    let programs = |&k: &usize| program(requests[k].0.key.curve(), doublings);
    let programs: Vec<_> = places.iter().map(programs).collect::<Result<_, _>>()?;
    let jobs = (places.iter().zip(&programs).zip(&scalars)).map(|((&k, programs), scalars)| {
        let key = requests[k].0.key;
        let curve = key.curve();
        let constants = match Method::of(curve, doublings) {
            Method::Whole(_) => curve.joint_constants(),
            Method::Split => match curve.endomorphism() {
                Some(endomorphism) => curve.split_constants(endomorphism),
                None => curve.joint_constants(),
            },
        };
        let xs = inputs[k].xs.iter().flatten();
        Ok(Job {
            programs,
            modulus: curve.p(),
            constants: Some(constants?),
            inputs: key.0.coordinates.iter().chain(xs).collect(),
            scalars: scalars.iter().map(|scalar| &**scalar).collect(),
        })
    });
    let jobs: Vec<_> = jobs.collect::<Result<_, EngineError>>()?;
    let outcomes = engine.execute(&jobs)?;
    let flags = outcomes
        .iter()
        .map(|outcome| [outcome.flags[0], outcome.flags[1]]);
    Ok(flags.collect())
}

/// The scalars of the verification's program, for u and v.
fn scalars(
    curve: &PreparedCurve,
    doublings: Doublings,
    [u, v]: &[Zeroizing<BoxedUint>; 2],
) -> Vec<Zeroizing<BoxedUint>> {
    let order = curve.curve().order();
    match curve.endomorphism() {
        Some(endomorphism) if doublings == Doublings::Fast => {
            let bits = half_bits(endomorphism.bits());
            let halves = endomorphism.split_vartime(v, bits).map(Zeroizing::new);
            let u = odd_digits(u, order, 2 * bits);
            [u].into_iter().chain(halves).collect()
        }
        _ => [u, v].map(|scalar| joint_scalar(scalar, order)).into(),
    }
}

/// The end of a verification: the inputs x and y of the public key Q, r, and r' (r + n if that is
/// below p, else r); public scalars u, and v or its halves ([`scalars`]). Of the sum
/// `u G + v Q = (X : Y : Z)` two flags leave: whether Z is 0, and whether r or r' is X/Z.
///
/// With [`Doublings::Fast`] a Z that is 0 means that nothing is known.
fn program(curve: &PreparedCurve, doublings: Doublings) -> Result<Arc<Programs>, EngineError> {
    let (kind, method) = (curve.model().kind, Method::of(curve, doublings));
    let (number, scalar_bits) = match method {
        Method::Whole(Doublings::Fast) => (0, joint_bits(curve.order_bits())),
        Method::Whole(Doublings::Complete) => (1, joint_bits(curve.order_bits())),
        Method::Split => (2, curve.endomorphism().map_or(0, |e| half_bits(e.bits()))),
    };
    let bits = curve.p().class();
    let key = ProgramKey {
        bits,
        kind: "ecdsa-verify",
        parameters: vec![kind.number(), scalar_bits.into(), number],
    };
    curve.engine().programs(key, |builder| {
        build(builder, kind, scalar_bits, method);
    })
}

fn build(builder: &mut Builder, kind: Kind, scalar_bits: u32, method: Method) {
    let curve = kind.declare(builder);
    let mut table = || kind.declare_points(builder, BASE_ENTRIES, Products::Stored);
    let tables = match method {
        Method::Whole(_) => vec![table()],
        Method::Split => vec![table(), table()],
    };
    let beta = (method == Method::Split).then(|| builder.own_constant(1));
    let bits = builder.bits();
    let [x, y, r, r_plus_n] = [(); 4].map(|()| builder.input_unreduced(bits));
    let u = builder.scalar("u", tables.len() as u32 * scalar_bits, false);
    let names = match method {
        Method::Whole(_) => &["v"][..],
        Method::Split => &["v1", "v2"],
    };
    let vs = names
        .iter()
        .map(|name| builder.scalar(name, scalar_bits, false));
    let vs: Vec<_> = vs.collect();
    let base = BasePart {
        tables: &tables,
        scalar: u,
    };
    let point = PointPart {
        q: [curve.map_x(builder, x), curve.map_y(builder, y)],
        scalars: vs,
        beta,
    };
    let doublings = match method {
        Method::Whole(doublings) => doublings,
        Method::Split => Doublings::Fast,
    };
    let sum = multiply::joint(builder, &curve.coefficients, base, &point, doublings);
    builder.is_zero(sum.z);
    // (X - r Z) (X - r' Z) = 0.
    let differences = [r, r_plus_n].map(|r| {
        let r = curve.map_x(builder, r);
        let x = builder.multiply(r, sum.z);
        builder.subtract(sum.x, x)
    });
    let product = builder.fitting_product(differences[0], differences[1]);
    builder.is_zero(product);
}

#[cfg(test)]
mod tests {
    use super::*;
    use sunzi_engine::Backend;

    /// Reductions of a verification.
    #[test]
    fn counts() {
        let engine = Engine::new(Backend::PORTABLE).unwrap();
        for (name, most) in [
            ("P-256", 2767),
            ("brainpoolP256r1", 2767),
            ("secp256k1", 1659),
            ("P-384", 4080),
            ("P-521", 5494),
        ] {
            let curve = PreparedCurve::new(&engine, &name.parse().unwrap()).unwrap();
            let programs = program(&curve, Doublings::Fast).unwrap();
            let products = programs.program().counts().products;
            println!("{name}: {products}");
            assert!(products <= most, "{name}: {products}");
        }
    }
}
