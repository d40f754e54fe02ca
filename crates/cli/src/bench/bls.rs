//! The jobs in G2 of BLS12-381 and with BLS signatures.

use super::bls_peers::{self, BlsBatch};
use super::job::BlsOperation;
use super::report::Report;
use super::turns::Contestant;
use super::{Bench, Job, random};
use crate::failure::Failure;
use core::fmt::Display;
use sunzi_engine::Engine;
use sunzi_pk::bls::{
    PreparedBls, PublicKey, Scheme, SecretKey, SignRequest, Suite, Variant, VerifyRequest,
};
use sunzi_pk::ec::pairing::{
    G2Element, G2MultiplyRequest, PreparedPairing, hash_to_g2_batch, multiply_g2_batch,
};
use sunzi_pk::{Hash, system_rng};

/// Length of the scalars in bits: a bit less than the order has.
const SCALAR_BITS: u32 = 254;
/// Length of the messages in bytes.
const MESSAGE: usize = 32;

/// An engine with the pairing, and with the suite of the operation prepared for it.
struct EngineWithSuite {
    engine: Engine,
    bls: PreparedBls,
}

/// Operands of the operations, those that the measured one needs.
struct Operands {
    scalars: Vec<crypto_bigint::BoxedUint>,
    g2: Vec<G2Element>,
    secrets: Vec<SecretKey>,
    keys: Vec<PublicKey>,
    messages: Vec<Vec<u8>>,
    signatures: Vec<Vec<u8>>,
}

impl BlsOperation {
    /// The suite of the signatures, or of the hashes.
    fn suite(self) -> Suite {
        match self {
            // drand's quicknet.
            Self::VerifyRounds | Self::RoundsTogether => Suite::new(Variant::MinSig, Scheme::Basic),
            _ => Suite::new(Variant::MinPk, Scheme::ProofOfPossession),
        }
    }

    /// The number of keys for this number of signatures.
    fn keys(self, signatures: usize) -> usize {
        match self {
            Self::Verify | Self::VerifyTogether | Self::Sign => signatures,
            Self::VerifyRounds | Self::RoundsTogether => 1,
            Self::Hash | Self::Multiply => 0,
        }
    }
}

impl EngineWithSuite {
    fn new(engine: Engine, operation: BlsOperation) -> Result<Self, Failure> {
        let pairing = done(PreparedPairing::bls12_381(&engine))?;
        let bls = PreparedBls::new(&pairing, operation.suite());
        Ok(Self { engine, bls })
    }

    /// Random operands.
    fn operands(&self, operation: BlsOperation, count: usize) -> Result<Operands, Failure> {
        let scalars = || (0..count).map(|_| random(SCALAR_BITS + 1, SCALAR_BITS));
        let g2 = match operation {
            BlsOperation::Multiply => {
                let scalars: Vec<_> = scalars().collect::<Result<_, _>>()?;
                let generators = vec![G2Element::generator(); count];
                self.multiples(&scalars, &generators)?
            }
            _ => Vec::new(),
        };
        let keys = operation.keys(count);
        let secrets = (0..keys).map(|_| SecretKey::generate(&mut system_rng()));
        let secrets: Vec<_> = done(secrets.collect::<Result<_, _>>())?;
        let publics = self
            .bls
            .public_key_batch(&secrets.iter().collect::<Vec<_>>());
        let publics: Vec<_> = done(publics.into_iter().collect::<Result<_, _>>())?;
        let message = |i: usize| {
            let mut message = Hash::Sha256.digest(&i.to_be_bytes()).as_bytes().to_vec();
            message.truncate(MESSAGE);
            message
        };
        let messages: Vec<_> = (0..count).map(message).collect();
        publics.iter().for_each(PublicKey::prepare);
        let mut operands = Operands {
            scalars: scalars().collect::<Result<_, _>>()?,
            g2,
            secrets,
            keys: publics,
            messages,
            signatures: Vec::new(),
        };
        if keys > 0 {
            operands.signatures = self.sign(&operands, count)?;
        }
        Ok(operands)
    }

    fn multiples(
        &self,
        scalars: &[crypto_bigint::BoxedUint],
        elements: &[G2Element],
    ) -> Result<Vec<G2Element>, Failure> {
        let requests = scalars.iter().zip(elements);
        let requests = requests.map(|(scalar, element)| G2MultiplyRequest { scalar, element });
        let multiples = multiply_g2_batch(self.bls.pairing(), &requests.collect::<Vec<_>>());
        done(multiples.into_iter().collect())
    }

    fn sign(&self, operands: &Operands, batch: usize) -> Result<Vec<Vec<u8>>, Failure> {
        let requests = operands.messages[..batch].iter();
        let requests = requests.zip(operands.secrets.iter().cycle());
        let requests = requests.map(|(message, key)| SignRequest { key, message });
        let signatures = self.bls.sign_batch(&requests.collect::<Vec<_>>());
        let signatures = signatures
            .into_iter()
            .map(|signature| Ok(done(signature)?.to_bytes()));
        signatures.collect()
    }

    /// The operation for the first operands: its results as bytes, none of verifications, which must be valid.
    fn run(
        &self,
        operation: BlsOperation,
        operands: &Operands,
        batch: usize,
    ) -> Result<Vec<Vec<u8>>, Failure> {
        let pairing = self.bls.pairing();
        let requests = || {
            let keys = operands.keys.iter().cycle();
            let parts = operands.messages[..batch]
                .iter()
                .zip(&operands.signatures)
                .zip(keys);
            let requests = parts.map(|((message, signature), key)| VerifyRequest {
                key,
                message,
                signature,
            });
            requests.collect::<Vec<_>>()
        };
        match operation {
            BlsOperation::Hash => {
                let messages = operands.messages[..batch].iter();
                let messages: Vec<_> = messages.map(|message| &message[..]).collect();
                let tag = self.bls.suite().tag();
                Ok(encodings(&done(hash_to_g2_batch(pairing, tag, &messages))?))
            }
            BlsOperation::Multiply => {
                let (scalars, elements) = (&operands.scalars[..batch], &operands.g2[..batch]);
                Ok(encodings(&self.multiples(scalars, elements)?))
            }
            BlsOperation::Sign => self.sign(operands, batch),
            BlsOperation::Verify | BlsOperation::VerifyRounds => {
                let verdicts = self.bls.verify_batch(&requests());
                done(verdicts.into_iter().collect::<Result<(), _>>())?;
                Ok(Vec::new())
            }
            BlsOperation::VerifyTogether | BlsOperation::RoundsTogether => {
                if done(self.bls.verify_sets(&mut system_rng(), &requests()))? {
                    Ok(Vec::new())
                } else {
                    Err(Failure::new("a signature is refused"))
                }
            }
        }
    }
}

/// Uncompressed encodings.
fn encodings(elements: &[G2Element]) -> Vec<Vec<u8>> {
    let elements = elements.iter();
    elements.map(|element| element.to_bytes(false)).collect()
}

fn done<T>(result: Result<T, impl Display>) -> Result<T, Failure> {
    result.map_err(Failure::from_error)
}

impl Bench<'_> {
    /// Measures operations in G2 or BLS signatures.
    pub(super) fn with_bls(
        &self,
        job: Job,
        operation: BlsOperation,
        report: &mut Report,
    ) -> Result<(), Failure> {
        report.show_activity(&format_args!("{job}: elements"));
        let engines = self.new_engines()?.into_iter();
        let engines = engines.map(|engine| EngineWithSuite::new(engine, operation));
        let engines = engines.collect::<Result<Vec<_>, _>>()?;
        let Some(first) = engines.first() else {
            return Err(Failure::new("no backend can run on this processor"));
        };
        let operands = first.operands(operation, self.largest_batch())?;
        let batch_of_all = BlsBatch {
            operation,
            tag: first.bls.suite().tag().as_bytes().to_vec(),
            scalars: operands
                .scalars
                .iter()
                .map(|k| k.to_be_bytes().into_vec())
                .collect(),
            g2: encodings(&operands.g2),
            secrets: operands.secrets.iter().map(SecretKey::to_bytes).collect(),
            keys: operands
                .keys
                .iter()
                .map(|key| key.to_bytes().to_vec())
                .collect(),
            messages: operands.messages.clone(),
            signatures: operands.signatures.clone(),
            threads: self.threads,
        };
        for &batch in &self.batches {
            let results = first.run(operation, &operands, batch)?;
            let ours = engines.iter().map(|prepared| {
                let operands = &operands;
                Contestant {
                    name: prepared.engine.backend().to_string(),
                    unit: batch,
                    repeat: Box::new(move |repetitions| {
                        (0..repetitions)
                            .try_for_each(|_| prepared.run(operation, operands, batch).map(drop))
                    }),
                }
            });
            let mut contestants: Vec<_> = ours.collect();
            contestants.extend(bls_peers::with_bls(&batch_of_all, batch, &results)?);
            self.turns(job, batch, contestants, report)?;
        }
        Ok(())
    }
}
