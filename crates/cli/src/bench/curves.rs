//! The jobs on curves: ECDSA, EdDSA, Schnorr signatures and key agreement, from messages and points to signatures, verdicts and
//! secrets.

use super::job::{CurveOperation, EDWARDS, MONTGOMERY, SCHNORR};
use super::peers::{self, CurveBatch, CurveKeys};
use super::report::Report;
use super::turns::Contestant;
use super::{Bench, Job};
use crate::failure::Failure;
use core::fmt::Display;
use getrandom::SysRng;
use rayon::prelude::*;
use std::sync::Arc;
use sunzi_engine::{Engine, Programs};
use sunzi_pk::ec::{
    self, Curve, EdwardsCurve, MontgomeryCurve, PreparedCurve, PreparedEdwardsCurve,
    PreparedMontgomeryCurve, ecdh, ecdsa, eddsa, schnorr, xdh,
};
use sunzi_pk::{Hash, system_rng};
use zeroize::Zeroizing;

/// Length of the messages in bytes.
const MESSAGE: usize = 64;

/// Private keys of a curve.
enum Keys {
    Weierstrass(Curve, Vec<ec::PrivateKey>),
    /// For Schnorr signatures, on secp256k1.
    Schnorr(Curve, Vec<ec::PrivateKey>),
    Edwards(EdwardsCurve, Vec<eddsa::PrivateKey>),
    Montgomery(MontgomeryCurve, Vec<xdh::PrivateKey>),
}

impl Keys {
    /// New keys, made on this engine.
    fn new(engine: &Engine, name: &str, count: usize) -> Result<Self, Failure> {
        let rng = &mut system_rng();
        if EDWARDS.contains(&name) {
            let curve = match name {
                "Ed25519" => EdwardsCurve::Edwards25519,
                _ => EdwardsCurve::Edwards448,
            };
            let prepared = done(PreparedEdwardsCurve::new(engine, curve))?;
            let keys = (0..count).map(|_| eddsa::PrivateKey::generate(&prepared, rng));
            return Ok(Self::Edwards(curve, all(keys)?));
        }
        if MONTGOMERY.contains(&name) {
            let curve = match name {
                "X25519" => MontgomeryCurve::Curve25519,
                _ => MontgomeryCurve::Curve448,
            };
            let prepared = done(PreparedMontgomeryCurve::new(engine, curve))?;
            let keys = (0..count).map(|_| xdh::PrivateKey::generate(&prepared, rng));
            return Ok(Self::Montgomery(curve, all(keys)?));
        }
        let is_schnorr = name == SCHNORR;
        let curve = if is_schnorr { "secp256k1" } else { name };
        let curve: Curve = done(curve.parse())?;
        let prepared = done(PreparedCurve::new(engine, &curve))?;
        let keys = (0..count).map(|_| ec::PrivateKey::generate(&prepared, rng));
        let keys = all(keys)?;
        Ok(if is_schnorr {
            Self::Schnorr(curve, keys)
        } else {
            Self::Weierstrass(curve, keys)
        })
    }

    /// The keys as peers read them.
    fn for_peers(&self, name: &'static str) -> Result<CurveKeys, Failure> {
        let bytes = |bytes: &[u8]| Zeroizing::new(bytes.to_vec());
        Ok(match self {
            Self::Weierstrass(curve, keys) | Self::Schnorr(curve, keys) => CurveKeys {
                curve: name,
                bits: curve.bits(),
                private: all(keys.iter().map(ec::PrivateKey::to_pkcs8_der))?,
                numbers: keys.iter().map(ec::PrivateKey::to_bytes).collect(),
                public: all(keys.iter().map(|key| key.public_key().to_spki_der()))?,
            },
            Self::Edwards(curve, keys) => CurveKeys {
                curve: name,
                bits: 8 * curve.encoded_bytes() as u32,
                private: keys.iter().map(eddsa::PrivateKey::to_pkcs8_der).collect(),
                numbers: keys.iter().map(|key| bytes(key.as_bytes())).collect(),
                public: keys
                    .iter()
                    .map(|key| key.public_key().to_spki_der())
                    .collect(),
            },
            Self::Montgomery(curve, keys) => CurveKeys {
                curve: name,
                bits: 8 * curve.encoded_bytes() as u32,
                private: keys.iter().map(xdh::PrivateKey::to_pkcs8_der).collect(),
                numbers: keys.iter().map(|key| bytes(key.as_bytes())).collect(),
                public: keys
                    .iter()
                    .map(|key| key.public_key().to_spki_der())
                    .collect(),
            },
        })
    }

    /// The public keys as points or encoded u, where they agree.
    fn points(&self) -> Vec<Vec<u8>> {
        match self {
            Self::Weierstrass(_, keys) => keys
                .iter()
                .map(|key| key.public_key().to_sec1_bytes(false))
                .collect(),
            Self::Montgomery(_, keys) => keys
                .iter()
                .map(|key| key.public_key().as_bytes().to_vec())
                .collect(),
            Self::Schnorr(..) | Self::Edwards(..) => Vec::new(),
        }
    }
}

/// An engine with keys prepared for it.
struct EngineWithKeys {
    engine: Engine,
    keys: PreparedKeys,
}

enum PreparedKeys {
    Weierstrass {
        curve: Curve,
        hash: Hash,
        signing: Vec<ecdsa::SigningKey>,
        agreement: Vec<ecdh::AgreementKey>,
    },
    Schnorr(Vec<schnorr::SigningKey>),
    Edwards(Vec<eddsa::SigningKey>),
    Montgomery(MontgomeryCurve, Vec<xdh::AgreementKey>),
}

impl EngineWithKeys {
    fn new(engine: Engine, keys: &Keys) -> Result<Self, Failure> {
        let keys = match keys {
            Keys::Weierstrass(curve, keys) => {
                let prepared = done(PreparedCurve::new(&engine, curve))?;
                let signing = keys
                    .iter()
                    .map(|key| ecdsa::SigningKey::new(&prepared, key));
                let agreement = keys
                    .iter()
                    .map(|key| ecdh::AgreementKey::new(&prepared, key));
                PreparedKeys::Weierstrass {
                    curve: curve.clone(),
                    hash: hash(curve),
                    signing: all(signing)?,
                    agreement: all(agreement)?,
                }
            }
            Keys::Schnorr(curve, keys) => {
                let prepared = done(PreparedCurve::new(&engine, curve))?;
                let signing = keys
                    .iter()
                    .map(|key| schnorr::SigningKey::new(&prepared, key));
                PreparedKeys::Schnorr(all(signing)?)
            }
            Keys::Edwards(curve, keys) => {
                let prepared = done(PreparedEdwardsCurve::new(&engine, *curve))?;
                let signing = keys
                    .iter()
                    .map(|key| eddsa::SigningKey::new(&prepared, key));
                PreparedKeys::Edwards(all(signing)?)
            }
            Keys::Montgomery(curve, keys) => {
                let prepared = done(PreparedMontgomeryCurve::new(&engine, *curve))?;
                let agreement = keys
                    .iter()
                    .map(|key| xdh::AgreementKey::new(&prepared, key));
                PreparedKeys::Montgomery(*curve, all(agreement)?)
            }
        };
        Ok(Self { engine, keys })
    }

    /// Does the operation for a batch.
    fn run(&self, operation: CurveOperation, batch: &CurveBatch<'_>) -> Result<(), Failure> {
        match operation {
            CurveOperation::Sign => self.sign(batch.messages).map(drop),
            CurveOperation::Verify => self.verify(batch.messages, batch.signatures),
            CurveOperation::Agree => self.agree(batch.points).map(drop),
            // Jobs with group elements have no keys.
            CurveOperation::Multiply | CurveOperation::Sum | CurveOperation::Decode => Ok(()),
        }
    }

    /// Signatures of the messages, of ECDSA in DER, with the keys taken cyclically.
    fn sign(&self, messages: &[Vec<u8>]) -> Result<Vec<Vec<u8>>, Failure> {
        match &self.keys {
            PreparedKeys::Weierstrass { hash, signing, .. } => {
                let digests = messages.par_iter().map(|message| hash.digest(message));
                let digests: Vec<_> = digests.collect();
                let requests: Vec<_> = digests
                    .into_iter()
                    .zip(signing.iter().cycle())
                    .map(|(digest, key)| ecdsa::SignRequest { key, digest })
                    .collect();
                let kind = ecdsa::NonceKind::Deterministic;
                let signatures = ecdsa::sign_batch(&self.engine, &mut SysRng, kind, &requests);
                let signatures = all(signatures)?.into_iter();
                Ok(signatures
                    .map(|signature| signature.to_bytes(ecdsa::Encoding::Der))
                    .collect())
            }
            PreparedKeys::Schnorr(signing) => {
                let requests: Vec<_> = messages
                    .iter()
                    .zip(signing.iter().cycle())
                    .map(|(message, key)| schnorr::SignRequest {
                        key,
                        message,
                        auxiliary: [0; 32],
                    })
                    .collect();
                let signatures = all(schnorr::sign_batch(&self.engine, &requests))?.into_iter();
                Ok(signatures
                    .map(|signature| signature.as_bytes().to_vec())
                    .collect())
            }
            PreparedKeys::Edwards(signing) => {
                let requests: Vec<_> = messages
                    .iter()
                    .zip(signing.iter().cycle())
                    .map(|(message, key)| eddsa::SignRequest {
                        key,
                        variant: eddsa::Variant::Pure,
                        message,
                    })
                    .collect();
                let nonces = eddsa::NonceKind::Deterministic;
                let signatures = eddsa::sign_batch(&self.engine, &mut SysRng, nonces, &requests);
                let signatures = all(signatures)?.into_iter();
                Ok(signatures
                    .map(|signature| signature.as_bytes().to_vec())
                    .collect())
            }
            PreparedKeys::Montgomery(..) => Ok(Vec::new()),
        }
    }

    /// Verifies signatures, with the keys taken cyclically.
    fn verify(&self, messages: &[Vec<u8>], signatures: &[Vec<u8>]) -> Result<(), Failure> {
        match &self.keys {
            PreparedKeys::Weierstrass { hash, signing, .. } => {
                let digests = messages.par_iter().map(|message| hash.digest(message));
                let digests: Vec<_> = digests.collect();
                let requests: Vec<_> = digests
                    .into_iter()
                    .zip(signatures)
                    .zip(signing.iter().cycle())
                    .map(|((digest, signature), key)| ecdsa::VerifyRequest {
                        key: key.verifying_key(),
                        digest,
                        encoding: ecdsa::Encoding::Der,
                        s: ecdsa::SRange::Any,
                        signature,
                    })
                    .collect();
                all(ecdsa::verify_batch(&self.engine, &requests)).map(drop)
            }
            PreparedKeys::Schnorr(signing) => {
                let requests: Vec<_> = messages
                    .iter()
                    .zip(signatures)
                    .zip(signing.iter().cycle())
                    .map(|((message, signature), key)| schnorr::VerifyRequest {
                        key: key.verifying_key(),
                        message,
                        signature,
                    })
                    .collect();
                all(schnorr::verify_batch(&self.engine, &requests)).map(drop)
            }
            PreparedKeys::Edwards(signing) => {
                let requests: Vec<_> = messages
                    .iter()
                    .zip(signatures)
                    .zip(signing.iter().cycle())
                    .map(|((message, signature), key)| eddsa::VerifyRequest {
                        key: key.verifying_key(),
                        variant: eddsa::Variant::Pure,
                        message,
                        signature,
                    })
                    .collect();
                all(eddsa::verify_batch(&self.engine, &requests)).map(drop)
            }
            PreparedKeys::Montgomery(..) => Ok(()),
        }
    }

    /// Shared secrets with the owners of the points, with the keys taken cyclically.
    fn agree(&self, points: &[Vec<u8>]) -> Result<Vec<Vec<u8>>, Failure> {
        match &self.keys {
            PreparedKeys::Weierstrass {
                curve, agreement, ..
            } => {
                let peers = points.par_iter();
                let peers = peers.map(|point| ec::PublicKey::from_sec1_bytes(curve, point));
                let peers: Vec<_> = done(peers.collect::<Result<_, _>>())?;
                let requests: Vec<_> = peers
                    .iter()
                    .zip(agreement.iter().cycle())
                    .map(|(peer, key)| ecdh::AgreeRequest { key, peer })
                    .collect();
                let secrets = all(ecdh::agree_batch(&self.engine, &requests))?.into_iter();
                Ok(secrets.map(|secret| secret.as_bytes().to_vec()).collect())
            }
            PreparedKeys::Montgomery(curve, agreement) => {
                let peers = points.iter();
                let peers = all(peers.map(|point| xdh::PublicKey::from_bytes(*curve, point)))?;
                let requests: Vec<_> = peers
                    .iter()
                    .zip(agreement.iter().cycle())
                    .map(|(peer, key)| xdh::AgreeRequest { key, peer })
                    .collect();
                let secrets = all(xdh::agree_batch(&self.engine, &requests))?.into_iter();
                Ok(secrets.map(|secret| secret.as_bytes().to_vec()).collect())
            }
            PreparedKeys::Schnorr(_) | PreparedKeys::Edwards(_) => Ok(Vec::new()),
        }
    }
}

/// The programs by which an engine signs, verifies or agrees on a curve, in the order of their last use; none for other
/// operations. It does one operation, with a new key that another engine has made.
pub(crate) fn programs_on_curve(
    engine: Engine,
    (operation, name): (CurveOperation, &'static str),
) -> Result<Vec<Arc<Programs>>, Failure> {
    let other = done(Engine::new(engine.backend()))?;
    let keys = Keys::new(&other, name, 1)?;
    let signer = EngineWithKeys::new(other, &keys)?;
    let prepared = EngineWithKeys::new(engine, &keys)?;
    let messages = [vec![0; MESSAGE]];
    let signatures = match operation {
        CurveOperation::Verify => signer.sign(&messages)?,
        _ => Vec::new(),
    };
    let points = keys.points();
    let run = || match operation {
        CurveOperation::Sign => prepared.sign(&messages).map(drop),
        CurveOperation::Verify => prepared.verify(&messages, &signatures),
        CurveOperation::Agree => prepared.agree(&points).map(drop),
        CurveOperation::Multiply | CurveOperation::Sum | CurveOperation::Decode => Ok(()),
    };
    let (done, programs) = prepared.engine.programs_used_by(run);
    done.map(|()| programs)
}

fn done<T>(result: Result<T, impl Display>) -> Result<T, Failure> {
    result.map_err(Failure::from_error)
}

fn all<T, E: Display>(results: impl IntoIterator<Item = Result<T, E>>) -> Result<Vec<T>, Failure> {
    done(results.into_iter().collect())
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
        let engines = self.new_engines()?;
        let Some(first) = engines.first() else {
            return Err(Failure::new("no backend can run on this processor"));
        };
        let count = self.largest_batch();
        let keys = Keys::new(first, name, self.keys_needed())?;
        let others = match operation {
            CurveOperation::Agree => Keys::new(first, name, count)?.points(),
            _ => Vec::new(),
        };
        let for_peers = keys.for_peers(name)?;
        let engines = engines.into_iter();
        let engines = engines.map(|engine| EngineWithKeys::new(engine, &keys));
        let engines = engines.collect::<Result<Vec<_>, _>>()?;

        let messages: Vec<_> = (0..count)
            .map(|k| format!("{k:0MESSAGE$}").into_bytes())
            .collect();
        let signatures = match operation {
            CurveOperation::Sign | CurveOperation::Verify => engines[0].sign(&messages)?,
            _ => Vec::new(),
        };
        let secrets = engines[0].agree(&others)?;
        let of = |all: &'_ [Vec<u8>], batch: usize| batch.min(all.len());
        for &batch in &self.batches {
            let work = CurveBatch {
                keys: &for_peers,
                messages: &messages[..batch],
                signatures: &signatures[..of(&signatures, batch)],
                points: &others[..of(&others, batch)],
                secrets: &secrets[..of(&secrets, batch)],
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
                        engines[0].verify(&[message], &[signature]).is_ok()
                    };
                    peers::signing_on_curve(&work, &check)?
                }
                CurveOperation::Verify => peers::verifying_on_curve(&work)?,
                CurveOperation::Agree => peers::agreeing(&work)?,
                CurveOperation::Multiply | CurveOperation::Sum | CurveOperation::Decode => {
                    Vec::new()
                }
            });
            self.turns(job, batch, contestants, report)?;
        }
        Ok(())
    }
}
