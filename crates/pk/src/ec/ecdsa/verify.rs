//! Verification of signatures in batches (FIPS 186-5, section 6.4.2). All inputs are public.

use super::super::curve::Curve;
use super::super::joint::{Combination, End};
use super::super::key::{KeyError, PublicKey};
use super::super::key_tables::{Uses, tables_of};
use super::super::prepared::PreparedCurve;
use super::super::tabled;
use super::quotients::{Quotients, quotients};
use super::signature::{Encoding, Signature, SignatureError, integer_of};
use crate::Digest;
use crate::batch::{CURVE_CHUNK, in_parts};
use core::fmt;
use crypto_bigint::{BoxedUint, Resize};
use std::sync::Arc;
use sunzi_engine::{Constants, Engine, EngineError};
use zeroize::Zeroizing;

/// A public key prepared for verification on an engine; cheap to clone.
#[derive(Clone)]
pub struct VerifyingKey(Arc<VerifyingKeyData>);

/// Data of the key, shared by its clones.
struct VerifyingKeyData {
    curve: PreparedCurve,
    public: PublicKey,
    coordinates: [BoxedUint; 2],
    uses: Uses,
}

impl VerifyingKey {
    /// Prepares a key for verification.
    ///
    /// # Errors
    /// [`KeyError::OtherCurve`].
    pub fn new(curve: &PreparedCurve, key: &PublicKey) -> Result<Self, KeyError> {
        curve.check(key)?;
        Ok(Self(Arc::new(VerifyingKeyData {
            curve: curve.clone(),
            coordinates: key.coordinates(),
            public: key.clone(),
            uses: Uses::default(),
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

    /// The tables of a key that verifies `count` signatures of a batch, if it has any, or has them made now.
    fn tables(&self, count: usize) -> Result<Option<Arc<Constants>>, EngineError> {
        let data = &self.0;
        match data.uses.note(count) {
            Some(make) => data.curve.key_constants(data.public.point(), make),
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

/// A signature to verify, with key and digest.
#[derive(Clone, Copy, Debug)]
pub struct VerifyRequest<'a> {
    /// Key of the supposed signer.
    pub key: &'a VerifyingKey,
    /// Digest of the message.
    pub digest: Digest,
    /// The encoding of the signature.
    pub encoding: Encoding,
    /// The accepted values of s.
    pub s: SRange,
    /// The signature.
    pub signature: &'a [u8],
}

/// The values of s that a verifier accepts. With a signature `(r, s)`, `(r, n - s)` is valid, too.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum SRange {
    /// All values, as in FIPS 186-5.
    #[default]
    Any,
    /// Values up to half the order, as in Bitcoin: then nobody can change a signature into another valid one.
    Low,
}

/// The reason why a signature is refused.
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
    in_parts(engine, CURVE_CHUNK, requests, |part| {
        verify_chunk(engine, part)
    })
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

/// The inputs of a verification.
struct Inputs {
    /// u = e/s and v = r/s modulo n.
    quotients: [Zeroizing<BoxedUint>; 2],
    /// The numbers below p that are r modulo n; a single one stands twice. `None` if there is none.
    xs: Option<[BoxedUint; 2]>,
}

/// The end of a verification, with r and r' (r + n if that is below p, else r): whether r or r' is X/Z.
const END: End = End {
    kind: "ecdsa-verify",
    inputs: 2,
    build: |builder, curve, inputs, sum| {
        // (X - r Z) (X - r' Z) = 0.
        let differences: Vec<_> = inputs
            .iter()
            .map(|&r| {
                let r = curve.map_x(builder, r);
                let x = builder.multiply(r, sum.z);
                builder.subtract(sum.x, x)
            })
            .collect();
        let product = builder.fitting_product(differences[0], differences[1]);
        builder.is_zero(product);
    },
};

/// Whether the signatures match.
fn matches(
    engine: &Engine,
    requests: &[(&VerifyRequest<'_>, &Signature)],
) -> Result<Vec<bool>, EngineError> {
    let inputs = inputs(engine, requests)?;
    let possible = requests.iter().zip(&inputs).enumerate();
    let (places, work): (Vec<_>, Vec<_>) = possible
        .filter_map(|(place, ((request, _), inputs))| {
            let [u, v] = &inputs.quotients;
            let combination = Combination {
                curve: request.key.curve(),
                u,
                v,
                q: &request.key.0.coordinates,
                inputs: inputs.xs.as_ref()?,
            };
            Some((place, combination))
        })
        .unzip();
    let keys = requests
        .iter()
        .map(|(request, _)| (request.key.number(), request.key));
    let tables = tables_of(keys, VerifyingKey::tables)?;
    let of_key = |place: usize| tables.get(&requests[place].0.key.number());
    let work = places.iter().zip(work);
    let work = work.map(|(&place, combination)| (combination, of_key(place)));
    let outcomes = tabled::combinations(engine, &END, work.collect())?;
    let mut answers = vec![false; requests.len()];
    for (place, outcome) in places.into_iter().zip(outcomes) {
        answers[place] = outcome.is_some_and(|outcome| outcome.flags[0]);
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

#[cfg(test)]
mod tests {
    use super::super::super::joint::{Method, program};
    use super::super::super::key_tables::{MANY, USES_BEFORE_TABLES};
    use super::super::super::multiply::Formulas;
    use super::super::super::prepared::AffineCurves;
    use super::super::super::tabled;
    use super::super::sign::{SignRequest, SigningKey, sign_batch};
    use super::*;
    use crate::ec::{NonceKind, PrivateKey};
    use crate::{Hash, system_rng};
    use sunzi_engine::Backend;

    fn verdicts(
        engine: &Engine,
        key: &VerifyingKey,
        claims: &[(Digest, Vec<u8>)],
    ) -> Vec<Result<(), VerifyError>> {
        let requests = claims.iter().map(|(digest, signature)| VerifyRequest {
            key,
            digest: *digest,
            encoding: Encoding::Raw,
            s: SRange::Any,
            signature,
        });
        verify_batch(engine, &requests.collect::<Vec<_>>())
    }

    /// Signatures by a key that has tables get the verdicts that they get without: right ones, wrong ones, digests of 0,
    /// and forgeries whose sum is at infinity.
    #[test]
    fn by_tables_of_the_key() {
        let engine = Engine::new(Backend::best()).unwrap();
        for name in ["P-256", "secp256k1", "brainpoolP256r1", "P-384", "P-521"] {
            let curve = PreparedCurve::new(&engine, &name.parse().unwrap()).unwrap();
            let private = PrivateKey::generate(&curve, &mut system_rng()).unwrap();
            let signing = SigningKey::new(&curve, &private).unwrap();
            let zero = Digest::new(Hash::Sha256, &[0; 32]).unwrap();
            let digests = (0..50u8).map(|k| match k % 10 {
                0 => zero,
                _ => Hash::Sha256.digest(&[k]),
            });
            let digests: Vec<_> = digests.collect();
            let requests = digests.iter().map(|&digest| SignRequest {
                key: &signing,
                digest,
            });
            let requests: Vec<_> = requests.collect();
            let nonces = NonceKind::Hedged;
            let signatures = sign_batch(&engine, &mut system_rng(), nonces, &requests);
            let mut claims: Vec<_> = (digests.into_iter().zip(signatures))
                .map(|(digest, signature)| (digest, signature.unwrap().to_bytes(Encoding::Raw)))
                .collect();
            for wrong in [3, 13, 30, 40] {
                claims[wrong].0 = Hash::Sha256.digest(b"another");
            }
            claims[7].1[5] ^= 1;
            // r = 1 and e = -d, so that u G + v Q = (e + r d)/s G = 0.
            let order = curve.curve().order().as_ref();
            let d = BoxedUint::from_be_slice(&private.to_bytes(), order.bits_precision()).unwrap();
            if order.bits_vartime() == 256 {
                let minus_d = super::super::super::point::to_bytes(&order.wrapping_sub(&d), 32);
                let one = to_one(&claims[0].1);
                claims.push((Digest::new(Hash::Sha256, &minus_d).unwrap(), one));
            }
            let [plain, tabled] =
                [(); 2].map(|()| VerifyingKey::new(&curve, private.public_key()).unwrap());
            let expected = verdicts(&engine, &plain, &claims);
            let point = private.public_key().point();
            assert!(
                curve.key_constants(point, false).unwrap().is_none(),
                "{name}"
            );
            tabled.0.uses.note(USES_BEFORE_TABLES - 1);
            assert_eq!(verdicts(&engine, &tabled, &claims), expected, "{name}");
            assert!(
                curve.key_constants(point, false).unwrap().is_some(),
                "{name}"
            );
            let valid = expected.iter().filter(|verdict| verdict.is_ok()).count();
            assert_eq!(valid, 45, "{name}");
        }
    }

    /// The signature with 1 as r.
    fn to_one(signature: &[u8]) -> Vec<u8> {
        let mut changed = signature.to_vec();
        let half = changed.len() / 2;
        changed[..half].fill(0);
        changed[half - 1] = 1;
        changed
    }

    /// Tables are made after some uses, and kept for few keys.
    #[test]
    fn tables_of_few_keys() {
        let engine = Engine::new(Backend::best()).unwrap();
        let curve = PreparedCurve::new(&engine, &"P-256".parse().unwrap()).unwrap();
        let make = || PrivateKey::generate(&curve, &mut system_rng()).unwrap();
        let keys: Vec<_> = (0..10)
            .map(|_| VerifyingKey::new(&curve, make().public_key()).unwrap())
            .collect();
        let first = &keys[0];
        assert!(first.tables(USES_BEFORE_TABLES - MANY).unwrap().is_none());
        assert!(first.tables(MANY - 1).unwrap().is_none());
        assert!(first.tables(MANY).unwrap().is_some());
        assert!(first.tables(MANY - 1).unwrap().is_none());
        for key in &keys[1..] {
            assert!(key.tables(USES_BEFORE_TABLES).unwrap().is_some());
        }
        let has_tables = |key: &VerifyingKey| key.tables(MANY).unwrap().is_some();
        assert!(!has_tables(first) && !has_tables(&keys[1]));
        assert!(keys[2..].iter().all(has_tables));
    }

    /// Reductions of a verification, and of one with affine multiples, with the inversion that groups share.
    #[test]
    fn counts() {
        let engine = Engine::new(Backend::PORTABLE).unwrap();
        for (name, most, affine) in [
            ("P-256", 2950, Some(3138)),
            ("brainpoolP256r1", 2950, Some(3138)),
            ("secp256k1", 1837, None),
            ("P-384", 4280, Some(4550)),
            ("P-521", 5764, Some(6118)),
        ] {
            let curve = PreparedCurve::new(&engine, &name.parse().unwrap()).unwrap();
            let fast = Method::of(&curve, Formulas::Fast, &AffineCurves::of([].into_iter()));
            let affine = affine.map(|most| (Method::Affine, most));
            for (method, most) in [(fast, most)].into_iter().chain(affine) {
                let programs = program(&curve, &END, method).unwrap();
                let products = programs.program().counts().products;
                println!("{name}, {method:?}: {products}");
                assert!(products <= most, "{name}, {method:?}: {products}");
            }
        }
    }

    /// Reductions of a verification by tables of the key.
    #[test]
    fn counts_by_tables() {
        let engine = Engine::new(Backend::PORTABLE).unwrap();
        for (name, most) in [
            ("P-256", 859),
            ("brainpoolP256r1", 859),
            ("secp256k1", 859),
            ("P-384", 1299),
            ("P-521", 1739),
        ] {
            let curve = PreparedCurve::new(&engine, &name.parse().unwrap()).unwrap();
            let programs = tabled::program(&curve, &END).unwrap();
            let products = programs.program().counts().products;
            println!("{name}: {products}");
            assert!(products <= most, "{name}: {products}");
        }
    }
}
