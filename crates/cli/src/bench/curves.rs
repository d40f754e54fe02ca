//! The jobs on curves: ECDSA and ECDH, from messages and points to signatures, verdicts and secrets.

use super::job::CurveOperation;
use super::peers::{self, CurveBatch};
use super::report::Report;
use super::turns::Contestant;
use super::{Bench, Job};
use crate::failure::Failure;
use getrandom::SysRng;
use rayon::prelude::*;
use sunzi_engine::Engine;
use sunzi_pk::ec::ecdh::{AgreeRequest, AgreementKey, agree_batch};
use sunzi_pk::ec::ecdsa::{
    Encoding, NonceKind, SRange, SignRequest, SigningKey, VerifyRequest, sign_batch, verify_batch,
};
use sunzi_pk::ec::{Curve, PreparedCurve, PrivateKey, PublicKey};
use sunzi_pk::{Digest, Hash, system_rng};

/// Length of the messages in bytes.
const MESSAGE: usize = 64;

/// An engine with the keys prepared for it.
struct Prepared {
    engine: Engine,
    signing: Vec<SigningKey>,
    agreement: Vec<AgreementKey>,
}

impl Prepared {
    fn new(engine: Engine, curve: &Curve, keys: &[PrivateKey]) -> Result<Self, Failure> {
        let curve = PreparedCurve::new(&engine, curve).map_err(Failure::from_error)?;
        let signing = keys.iter().map(|key| SigningKey::new(&curve, key));
        let agreement = keys.iter().map(|key| AgreementKey::new(&curve, key));
        Ok(Self {
            signing: signing
                .collect::<Result<_, _>>()
                .map_err(Failure::from_error)?,
            agreement: agreement
                .collect::<Result<_, _>>()
                .map_err(Failure::from_error)?,
            engine,
        })
    }

    /// Does the operation for a batch.
    fn run(&self, operation: CurveOperation, batch: &CurveBatch<'_>) -> Result<(), Failure> {
        match operation {
            CurveOperation::Sign => self.sign(batch.hash, batch.messages).map(drop),
            CurveOperation::Verify => self.verify(batch.hash, batch.messages, batch.signatures),
            CurveOperation::Agree => self.agree(batch.points).map(drop),
        }
    }

    /// Signatures of the messages in DER, with the keys taken cyclically.
    fn sign(&self, hash: Hash, messages: &[Vec<u8>]) -> Result<Vec<Vec<u8>>, Failure> {
        let digests = digests(hash, messages);
        let requests: Vec<_> = digests
            .into_iter()
            .zip(self.signing.iter().cycle())
            .map(|(digest, key)| SignRequest { key, digest })
            .collect();
        let kind = NonceKind::Deterministic;
        let signatures = sign_batch(&self.engine, &mut SysRng, kind, &requests).into_iter();
        signatures
            .map(|signature| Ok(signature?.to_bytes(Encoding::Der)))
            .collect::<Result<_, sunzi_pk::ec::ecdsa::SignError>>()
            .map_err(Failure::from_error)
    }

    /// Verifies signatures, with the keys taken cyclically.
    fn verify(
        &self,
        hash: Hash,
        messages: &[Vec<u8>],
        signatures: &[Vec<u8>],
    ) -> Result<(), Failure> {
        let requests: Vec<_> = digests(hash, messages)
            .into_iter()
            .zip(signatures)
            .zip(self.signing.iter().cycle())
            .map(|((digest, signature), key)| VerifyRequest {
                key: key.verifying_key(),
                digest,
                encoding: Encoding::Der,
                s: SRange::Any,
                signature,
            })
            .collect();
        verify_batch(&self.engine, &requests)
            .into_iter()
            .collect::<Result<_, _>>()
            .map_err(Failure::from_error)
    }

    /// Shared secrets with the owners of the points, with the keys taken cyclically.
    fn agree(&self, points: &[Vec<u8>]) -> Result<Vec<Vec<u8>>, Failure> {
        let curve = self.agreement[0].public_key().curve();
        let peers: Vec<_> = points
            .par_iter()
            .map(|point| PublicKey::from_sec1_bytes(curve, point))
            .collect::<Result<_, _>>()
            .map_err(Failure::from_error)?;
        let requests: Vec<_> = peers
            .iter()
            .zip(self.agreement.iter().cycle())
            .map(|(peer, key)| AgreeRequest { key, peer })
            .collect();
        let secrets = agree_batch(&self.engine, &requests).into_iter();
        secrets
            .map(|secret| Ok(secret?.as_bytes().to_vec()))
            .collect::<Result<_, sunzi_pk::ec::ecdh::AgreeError>>()
            .map_err(Failure::from_error)
    }
}

fn digests(hash: Hash, messages: &[Vec<u8>]) -> Vec<Digest> {
    messages
        .par_iter()
        .map(|message| hash.digest(message))
        .collect()
}

/// The hash that keeps the strength of a curve.
fn hash(curve: &Curve) -> Hash {
    match curve.bits() {
        0..=256 => Hash::Sha256,
        257..=384 => Hash::Sha384,
        _ => Hash::Sha512,
    }
}

impl Bench<'_> {
    /// Measures an operation on a curve.
    pub(super) fn on_curve(
        &self,
        job: Job,
        (operation, name): (CurveOperation, &'static str),
        report: &mut Report,
    ) -> Result<(), Failure> {
        report.show_activity(&format_args!("{job}: keys"));
        let curve: Curve = name.parse().map_err(Failure::from_error)?;
        let engines = self.backends.iter().map(|&backend| Engine::new(backend));
        let engines = engines.collect::<Result<Vec<_>, _>>();
        let engines = engines.map_err(Failure::from_error)?;
        let Some(first) = engines.first() else {
            return Err(Failure::new("no backend can run on this processor"));
        };
        let prepared = PreparedCurve::new(first, &curve).map_err(Failure::from_error)?;
        let new = |_| PrivateKey::generate(&prepared, &mut system_rng());
        let keys = (0..self.keys_needed()).map(new);
        let keys = keys.collect::<Result<Vec<_>, _>>();
        let keys = keys.map_err(Failure::from_error)?;
        let engines = engines
            .into_iter()
            .map(|engine| Prepared::new(engine, &curve, &keys))
            .collect::<Result<Vec<_>, _>>()?;

        let hash = hash(&curve);
        let count = self.largest_batch();
        let messages: Vec<_> = (0..count)
            .map(|k| format!("{k:0MESSAGE$}").into_bytes())
            .collect();
        let signatures = engines[0].sign(hash, &messages)?;
        let points = points(&prepared, count)?;
        let secrets = match operation {
            CurveOperation::Agree => engines[0].agree(&points)?,
            CurveOperation::Sign | CurveOperation::Verify => Vec::new(),
        };
        for &batch in &self.batches {
            let work = CurveBatch {
                curve: &curve,
                keys: &keys,
                hash,
                messages: &messages[..batch],
                signatures: &signatures[..batch],
                points: &points[..batch],
                secrets: &secrets[..batch.min(secrets.len())],
                threads: self.threads,
            };
            let mut contestants: Vec<_> = engines
                .iter()
                .map(|prepared| Contestant {
                    name: prepared.engine.backend().to_string(),
                    unit: batch,
                    repeat: Box::new(move |repetitions| {
                        (0..repetitions).try_for_each(|_| prepared.run(operation, &work))
                    }),
                })
                .collect();
            contestants.extend(match operation {
                CurveOperation::Sign => {
                    let check = |message: &Vec<u8>, signature: &Vec<u8>| {
                        let (message, signature) = (message.clone(), signature.clone());
                        engines[0].verify(hash, &[message], &[signature]).is_ok()
                    };
                    peers::signing_on_curve(&work, &check)?
                }
                CurveOperation::Verify => peers::verifying_on_curve(&work)?,
                CurveOperation::Agree => peers::agreeing(&work)?,
            });
            self.turns(job, batch, contestants, report)?;
        }
        Ok(())
    }
}

/// Encodings of random points.
fn points(curve: &PreparedCurve, count: usize) -> Result<Vec<Vec<u8>>, Failure> {
    (0..count)
        .map(|_| {
            let key = PrivateKey::generate(curve, &mut system_rng());
            let key = key.map_err(Failure::from_error)?;
            Ok(key.public_key().to_sec1_bytes(false))
        })
        .collect()
}
