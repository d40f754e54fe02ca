//! No result of a private operation leaves after a single fault, wherever it strikes: a bit of a
//! residue, a digit, a weight of a matrix, an entry of a table, or a constant of a modulus, at any
//! operation of any program, on any device in any layout. What a fault breaks is an error of its
//! own request: the others of the batch have their results.
//!
//! `SUNZI_FAULTS` sets the number of faults; `make faults` runs a million. `SUNZI_FAULTS_ONLY` names the
//! operations that they strike, separated by commas: `sign,decrypt`.

mod common;

use std::{
    collections::BTreeMap,
    fmt, iter,
    num::NonZero,
    panic::{self, AssertUnwindSafe},
    sync::Mutex,
    thread,
};

use common::private;
use sunzi_engine::testing::{CountingEngine, Fault, FaultKind, Faulty, failing, layouts};
use sunzi_engine::{Backend, Engine};
use sunzi_pk::bls::{self, PreparedBls};
use sunzi_pk::ec::pairing::PreparedPairing;
use sunzi_pk::ec::{
    self, EdwardsCurve, MontgomeryCurve, PreparedCurve, PreparedEdwardsCurve,
    PreparedMontgomeryCurve, ecdh, ecdsa, eddsa, xdh,
};
use sunzi_pk::rsa::{
    DecryptError, DecryptRequest, DecryptionKey, EncryptRequest, EncryptionKey, EncryptionScheme,
    KeyPrograms, PrivateKey, Scheme, SignError, SignRequest, SigningKey, VerifyError,
    VerifyRequest, VerifyingKey, decrypt_batch, encrypt_batch, sign_batch, verify_batch,
};
use sunzi_pk::{Digest, Hash, system_rng};

/// The faults of a run without `SUNZI_FAULTS`.
const FAULTS: usize = 2_000;
/// Faults that one thread injects before it takes other ones.
const AT_ONCE: usize = 1000;

/// Files with RSA keys: of primes of the same length, of such that differ by a bit, and of unequal odd lengths.
const RSA_KEYS: [&str; 3] = [
    "rsa1024.pkcs8.pem",
    "rsa2047.pkcs8.pem",
    "rsa1128.unequal.pkcs8.pem",
];

/// An RSA key, and what requests to it yield without a fault.
struct RsaWork {
    key: PrivateKey,
    signatures: Vec<Vec<u8>>,
    ciphertexts: Vec<Vec<u8>>,
}

impl RsaWork {
    fn new(engine: &Engine, file: &str, digests: &[Digest], messages: &[Vec<u8>]) -> Self {
        let key = private(file);
        let signing = SigningKey::new(engine, &key).unwrap();
        let signatures = sign(engine, &signing, digests).into_iter();
        let encryption = EncryptionKey::new(engine, key.public_key()).unwrap();
        let requests: Vec<_> = (messages.iter().enumerate())
            .map(|(k, message)| EncryptRequest {
                key: &encryption,
                scheme: scheme(k),
                message,
            })
            .collect();
        let ciphertexts = encrypt_batch(engine, &mut system_rng(), &requests).into_iter();
        Self {
            signatures: signatures.map(Result::unwrap).collect(),
            ciphertexts: ciphertexts.map(Result::unwrap).collect(),
            key,
        }
    }
}

/// Requests, and what they yield without a fault.
struct Work {
    rsa: [RsaWork; RSA_KEYS.len()],
    digests: Vec<Digest>,
    messages: Vec<Vec<u8>>,
    ecdsa_signatures: Vec<Vec<u8>>,
    eddsa_signatures: Vec<Vec<u8>>,
    xdh_peers: Vec<xdh::PublicKey>,
    xdh_secrets: Vec<Vec<u8>>,
    ecdh_peers: Vec<ec::PublicKey>,
    ecdh_secrets: Vec<Vec<u8>>,
    /// Of each of [`BLS_VARIANTS`].
    bls_signatures: [Vec<Vec<u8>>; 2],
}

impl Work {
    /// Requests of each kind for the largest batch, answered by `portable` without an instrument.
    fn new(count: usize) -> Self {
        let engine = Engine::new(Backend::PORTABLE).unwrap();
        let message = |k: usize| format!("message {k}").into_bytes();
        let messages: Vec<Vec<u8>> = (0..count).map(message).collect();
        let digest = |message: &Vec<u8>| Hash::Sha256.digest(message);
        let digests: Vec<Digest> = messages.iter().map(digest).collect();
        let rsa = RSA_KEYS.map(|file| RsaWork::new(&engine, file, &digests, &messages));
        let ecdsa_signatures = ecdsa_sign(&engine, &ecdsa_key(&engine), &digests).into_iter();
        let eddsa_signatures = eddsa_sign(&engine, &eddsa_key(&engine), &messages).into_iter();
        let xdh_peers: Vec<_> = (0..count).map(xdh_peer).collect();
        let xdh_secrets = xdh_agree(&engine, &xdh_key(&engine), &xdh_peers).into_iter();
        let ecdh_peers = ecdh_peers(&engine, count);
        let ecdh_secrets = ecdh_agree(&engine, &ecdh_key(&engine), &ecdh_peers).into_iter();
        let bls_signatures = bls_suites(&engine).map(|suite| {
            let signatures = bls_sign(&suite, &messages[..BLS_REQUESTS]).into_iter();
            signatures.map(Result::unwrap).collect()
        });
        Self {
            eddsa_signatures: eddsa_signatures.map(Result::unwrap).collect(),
            xdh_secrets: xdh_secrets.map(Result::unwrap).collect(),
            xdh_peers,
            ecdh_secrets: ecdh_secrets.map(Result::unwrap).collect(),
            ecdh_peers,
            bls_signatures,
            ecdsa_signatures: ecdsa_signatures.map(Result::unwrap).collect(),
            rsa,
            digests,
            messages,
        }
    }
}

/// The encryption scheme of request k: a batch has both.
fn scheme(k: usize) -> EncryptionScheme<'static> {
    [EncryptionScheme::OAEP, EncryptionScheme::Pkcs1v15][k % 2]
}

fn sign(engine: &Engine, key: &SigningKey, digests: &[Digest]) -> Vec<Result<Vec<u8>, SignError>> {
    let requests: Vec<_> = digests
        .iter()
        .map(|&digest| SignRequest {
            key,
            scheme: Scheme::Pkcs1v15,
            digest,
        })
        .collect();
    sign_batch(engine, &mut system_rng(), &requests)
}

/// A curve that every device serves.
fn curve(engine: &Engine) -> PreparedCurve {
    PreparedCurve::new(engine, &"P-384".parse().unwrap()).unwrap()
}

fn ec_key(curve: &PreparedCurve) -> ec::PrivateKey {
    ec::PrivateKey::from_bytes(curve, &[0x5a; 48]).unwrap()
}

fn ecdsa_key(engine: &Engine) -> ecdsa::SigningKey {
    let curve = curve(engine);
    ecdsa::SigningKey::new(&curve, &ec_key(&curve)).unwrap()
}

fn ecdh_key(engine: &Engine) -> ecdh::AgreementKey {
    let curve = curve(engine);
    ecdh::AgreementKey::new(&curve, &ec_key(&curve)).unwrap()
}

/// Public keys.
fn ecdh_peers(engine: &Engine, count: usize) -> Vec<ec::PublicKey> {
    let curve = curve(engine);
    let peer = |k: usize| {
        let mut d = [0x3c; 48];
        d[1] = k as u8;
        let key = ec::PrivateKey::from_bytes(&curve, &d).unwrap();
        key.public_key().clone()
    };
    (0..count).map(peer).collect()
}

fn ecdh_agree(
    engine: &Engine,
    key: &ecdh::AgreementKey,
    peers: &[ec::PublicKey],
) -> Vec<Result<Vec<u8>, ecdh::AgreeError>> {
    let request = |peer| ecdh::AgreeRequest { key, peer };
    let requests: Vec<_> = peers.iter().map(request).collect();
    let secrets = ecdh::agree_batch(engine, &requests).into_iter();
    secrets
        .map(|secret| Ok(secret?.as_bytes().to_vec()))
        .collect()
}

fn ecdsa_sign(
    engine: &Engine,
    key: &ecdsa::SigningKey,
    digests: &[Digest],
) -> Vec<Result<Vec<u8>, ecdsa::SignError>> {
    let requests: Vec<_> = digests
        .iter()
        .map(|&digest| ecdsa::SignRequest { key, digest })
        .collect();
    let kind = ecdsa::NonceKind::Deterministic;
    let signatures = ecdsa::sign_batch(engine, &mut system_rng(), kind, &requests).into_iter();
    signatures
        .map(|signature| Ok(signature?.to_bytes(ecdsa::Encoding::Der)))
        .collect()
}

/// A key on the Edwards curve that every device serves.
fn eddsa_key(engine: &Engine) -> eddsa::SigningKey {
    let curve = PreparedEdwardsCurve::new(engine, EdwardsCurve::Edwards448).unwrap();
    let private = eddsa::PrivateKey::from_bytes(&curve, &[0x5a; 57]).unwrap();
    eddsa::SigningKey::new(&curve, &private).unwrap()
}

fn eddsa_sign(
    engine: &Engine,
    key: &eddsa::SigningKey,
    messages: &[Vec<u8>],
) -> Vec<Result<Vec<u8>, eddsa::SignError>> {
    let requests: Vec<_> = messages
        .iter()
        .map(|message| eddsa::SignRequest {
            key,
            variant: eddsa::Variant::Pure,
            message,
        })
        .collect();
    let nonces = eddsa::NonceKind::Deterministic;
    let signatures = eddsa::sign_batch(engine, &mut system_rng(), nonces, &requests).into_iter();
    signatures
        .map(|signature| Ok(signature?.as_bytes().to_vec()))
        .collect()
}

/// The groups of BLS keys and signatures.
const BLS_VARIANTS: [bls::Variant; 2] = [bls::Variant::MinPk, bls::Variant::MinSig];
/// BLS signatures in a batch.
const BLS_REQUESTS: usize = 2;

fn bls_suites(engine: &Engine) -> [PreparedBls; 2] {
    let pairing = PreparedPairing::bls12_381(engine).unwrap();
    BLS_VARIANTS
        .map(|variant| PreparedBls::new(&pairing, bls::Suite::new(variant, bls::Scheme::Basic)))
}

/// Signatures by a key whose public key is computed with them.
fn bls_sign(suite: &PreparedBls, messages: &[Vec<u8>]) -> Vec<Result<Vec<u8>, bls::SignError>> {
    let key = bls::SecretKey::from_bytes(&[0x5a; 32]).unwrap();
    let requests = messages
        .iter()
        .map(|message| bls::SignRequest { key: &key, message });
    let signatures = suite.sign_batch(&requests.collect::<Vec<_>>()).into_iter();
    signatures
        .map(|signature| Ok(signature?.to_bytes()))
        .collect()
}

/// A key on the Montgomery curve that every device serves.
fn xdh_key(engine: &Engine) -> xdh::AgreementKey {
    let curve = PreparedMontgomeryCurve::new(engine, MontgomeryCurve::Curve448).unwrap();
    let private = xdh::PrivateKey::from_bytes(&curve, &[0x5a; 56]).unwrap();
    xdh::AgreementKey::new(&curve, &private).unwrap()
}

/// Some u, of points of the curve and of its twist.
fn xdh_peer(k: usize) -> xdh::PublicKey {
    let mut bytes = [0x3c; 56];
    bytes[..8].copy_from_slice(&k.to_le_bytes());
    xdh::PublicKey::from_bytes(MontgomeryCurve::Curve448, &bytes).unwrap()
}

fn xdh_agree(
    engine: &Engine,
    key: &xdh::AgreementKey,
    peers: &[xdh::PublicKey],
) -> Vec<Result<Vec<u8>, xdh::AgreeError>> {
    let requests: Vec<_> = peers
        .iter()
        .map(|peer| xdh::AgreeRequest { key, peer })
        .collect();
    let secrets = xdh::agree_batch(engine, &requests).into_iter();
    secrets
        .map(|secret| Ok(secret?.as_bytes().to_vec()))
        .collect()
}

/// An engine that breaks, with a key for each private operation.
struct Subject<'a> {
    layout: Backend,
    faulty: Faulty,
    ecdsa: ecdsa::SigningKey,
    eddsa: eddsa::SigningKey,
    xdh: xdh::AgreementKey,
    ecdh: ecdh::AgreementKey,
    /// Of each of [`BLS_VARIANTS`].
    bls: [PreparedBls; 2],
    /// Of each of [`RSA_KEYS`].
    rsa: [(SigningKey, DecryptionKey); RSA_KEYS.len()],
    work: &'a Work,
    /// Requests of a batch: with one number for each prime they fill a group.
    requests: usize,
    /// Of each private operation, the operations of its programs at which each kind of fault can
    /// strike.
    targets: [BTreeMap<usize, Vec<u64>>; OPERATIONS.len()],
}

/// The private operations.
const OPERATIONS: [&str; 13] = [
    "sign",
    "decrypt",
    "sign by ECDSA",
    "sign by Ed448",
    "agree by X448",
    "agree by ECDH",
    "sign many by ECDSA",
    "sign by RSA-2047",
    "decrypt by RSA-2047",
    "sign by unequal primes",
    "decrypt by unequal primes",
    "sign by BLS in G2",
    "sign by BLS in G1",
];
const ECDSA: usize = 2;
const EDDSA: usize = 3;
const XDH: usize = 4;
const ECDH: usize = 5;
/// Signatures by BLS, in the order of [`BLS_VARIANTS`].
const BLS_G2: usize = 11;
const BLS_G1: usize = 12;
/// The operation with many requests.
const SIGN_MANY: usize = 6;
/// So many that their nonces' points are confirmed together.
const MANY: usize = 128;
/// Operations that take long: one fault in so many strikes one of them.
const SELDOM: usize = 50;
const LONG: [usize; 5] = [SIGN_MANY, 7, 8, BLS_G2, BLS_G1];

/// An operation with one of [`RSA_KEYS`].
#[derive(Clone, Copy, PartialEq, Eq)]
enum Rsa {
    Sign(usize),
    Decrypt(usize),
}

/// The operation with an RSA key; none for those on curves.
fn rsa(operation: usize) -> Option<Rsa> {
    Some(match operation {
        0 => Rsa::Sign(0),
        1 => Rsa::Decrypt(0),
        7 => Rsa::Sign(1),
        8 => Rsa::Decrypt(1),
        9 => Rsa::Sign(2),
        10 => Rsa::Decrypt(2),
        _ => return None,
    })
}

/// The operations that faults are to strike: those that are named, or all.
fn chosen() -> Vec<usize> {
    let all = 0..OPERATIONS.len();
    let Ok(names) = std::env::var("SUNZI_FAULTS_ONLY") else {
        return all.collect();
    };
    let number = |name: &str| {
        let found = OPERATIONS.iter().position(|operation| *operation == name);
        found.unwrap_or_else(|| panic!("SUNZI_FAULTS_ONLY: {name:?} is none of {OPERATIONS:?}"))
    };
    names.split(',').map(number).collect()
}

/// The operation that a fault strikes, and a number that counts the faults in this operation.
fn operation(chosen: &[usize], index: usize) -> (usize, usize) {
    let (long, short): (Vec<_>, Vec<_>) = chosen.iter().partition(|k| LONG.contains(k));
    let (own, turn): (&[usize], usize) = match index % SELDOM {
        _ if short.is_empty() => (&long, index),
        0 if !long.is_empty() => (&long, index / SELDOM),
        _ => (&short, index),
    };
    (own[turn % own.len()], turn / own.len())
}
/// The most requests on a curve in a batch: of more, several share an inversion, and a fault.
const CURVE_REQUESTS: usize = 30;

/// The most requests that a single fault may break: numbers of one inversion.
fn most_broken(operation: usize) -> usize {
    match operation {
        SIGN_MANY => 4,
        // Points of hashes share an inversion, and one public key is everybody's.
        BLS_G2 | BLS_G1 => BLS_REQUESTS,
        _ => 1,
    }
}

/// Whether faults of this kind are found in an operation. In ECDH those of digits are not: another
/// private number then gives a point that is as right for it.
fn is_found(operation: usize, kind: FaultKind) -> bool {
    operation != ECDH || kind != FaultKind::Digit
}

impl<'a> Subject<'a> {
    fn new(backend: Backend, work: &'a Work) -> Self {
        let faulty = Faulty::new(backend).unwrap();
        let mut subject = Self {
            layout: backend,
            rsa: work.rsa.each_ref().map(|RsaWork { key, .. }| {
                let signing = SigningKey::new(&faulty.engine, key).unwrap();
                (signing, DecryptionKey::new(&faulty.engine, key).unwrap())
            }),
            requests: requests_of(backend),
            ecdsa: ecdsa_key(&faulty.engine),
            eddsa: eddsa_key(&faulty.engine),
            xdh: xdh_key(&faulty.engine),
            ecdh: ecdh_key(&faulty.engine),
            bls: bls_suites(&faulty.engine),
            targets: Default::default(),
            work,
            faulty,
        };
        for operation in 0..OPERATIONS.len() {
            let kinds = subject.faulty.targets(|| {
                let outcomes = subject.run(operation);
                assert_eq!(subject.withheld(operation, &outcomes, &"no fault"), 0);
            });
            for (index, kinds) in (0u64..).zip(kinds) {
                for (k, kind) in FaultKind::ALL.iter().enumerate() {
                    if kinds.contains(kind) && is_found(operation, *kind) {
                        let targets = &mut subject.targets[operation];
                        targets.entry(k).or_default().push(index);
                    }
                }
            }
        }
        subject
    }

    /// Runs a batch: its results, or the texts of their errors.
    fn run(&self, operation: usize) -> Vec<Result<Vec<u8>, String>> {
        let (engine, work) = (&self.faulty.engine, self.work);
        let digests = &work.digests[..self.requests_for(operation)];
        match rsa(operation) {
            Some(Rsa::Sign(key)) => {
                let outcomes = sign(engine, &self.rsa[key].0, digests).into_iter();
                return outcomes.map(in_words).collect();
            }
            Some(Rsa::Decrypt(key)) => return self.decrypt(key),
            None => {}
        }
        match operation {
            BLS_G2 | BLS_G1 => {
                let messages = &work.messages[..digests.len()];
                let outcomes = bls_sign(&self.bls[operation - BLS_G2], messages).into_iter();
                outcomes.map(in_words).collect()
            }
            EDDSA => {
                let messages = &work.messages[..digests.len()];
                let outcomes = eddsa_sign(engine, &self.eddsa, messages).into_iter();
                outcomes.map(in_words).collect()
            }
            XDH => {
                let peers = &work.xdh_peers[..digests.len()];
                let outcomes = xdh_agree(engine, &self.xdh, peers).into_iter();
                outcomes.map(in_words).collect()
            }
            ECDH => {
                let peers = &work.ecdh_peers[..digests.len()];
                let outcomes = ecdh_agree(engine, &self.ecdh, peers).into_iter();
                outcomes.map(in_words).collect()
            }
            _ => {
                let outcomes = ecdsa_sign(engine, &self.ecdsa, digests).into_iter();
                outcomes.map(in_words).collect()
            }
        }
    }

    /// Decrypts a batch by one of [`RSA_KEYS`].
    fn decrypt(&self, key: usize) -> Vec<Result<Vec<u8>, String>> {
        let ciphertexts = &self.work.rsa[key].ciphertexts[..self.requests];
        let requests: Vec<_> = (ciphertexts.iter().enumerate())
            .map(|(k, ciphertext)| DecryptRequest {
                key: &self.rsa[key].1,
                scheme: scheme(k),
                ciphertext,
            })
            .collect();
        let outcomes = decrypt_batch(&self.faulty.engine, &mut system_rng(), &requests).into_iter();
        outcomes
            .map(|outcome| Ok(in_words(outcome)?.to_vec()))
            .collect()
    }

    /// Requests of a batch.
    fn requests_for(&self, operation: usize) -> usize {
        match operation {
            ECDSA..=ECDH => self.requests.min(CURVE_REQUESTS),
            SIGN_MANY => MANY,
            BLS_G2 | BLS_G1 => BLS_REQUESTS,
            _ => self.requests,
        }
    }

    /// The number of requests of a batch with the error that a fault is. All others must have the right
    /// result.
    fn withheld(
        &self,
        operation: usize,
        outcomes: &[Result<Vec<u8>, String>],
        fault: &dyn fmt::Debug,
    ) -> usize {
        let work = self.work;
        let (right, error) = match (operation, rsa(operation)) {
            (_, Some(Rsa::Sign(key))) => (&work.rsa[key].signatures, SignError::Fault.to_string()),
            (_, Some(Rsa::Decrypt(_))) => (&work.messages, DecryptError::Fault.to_string()),
            (BLS_G2 | BLS_G1, _) => (
                &work.bls_signatures[operation - BLS_G2],
                bls::SignError::Fault.to_string(),
            ),
            (EDDSA, _) => (&work.eddsa_signatures, eddsa::SignError::Fault.to_string()),
            (XDH, _) => (&work.xdh_secrets, xdh::AgreeError::Fault.to_string()),
            (ECDH, _) => (&work.ecdh_secrets, ecdh::AgreeError::Fault.to_string()),
            _ => (&work.ecdsa_signatures, ecdsa::SignError::Fault.to_string()),
        };
        assert_eq!(outcomes.len(), self.requests_for(operation));
        for (outcome, right) in outcomes.iter().zip(right) {
            match outcome {
                Ok(result) => assert_eq!(
                    result, right,
                    "{}: {} after {fault:?}: a wrong result has left",
                    self.layout, OPERATIONS[operation]
                ),
                Err(text) => assert_eq!(
                    *text, error,
                    "{}: {} after {fault:?}: another error than the fault's",
                    self.layout, OPERATIONS[operation]
                ),
            }
        }
        outcomes.iter().filter(|outcome| outcome.is_err()).count()
    }

    /// Injects the fault with this number at a place that `random` draws, and counts what becomes of it. The
    /// kinds that can strike the operation take turns. Returns the kind, or none if there is no such kind.
    fn strike(
        &self,
        operation: usize,
        turn: usize,
        random: &mut Random,
        tally: &mut Tally,
    ) -> Option<usize> {
        let targets = &self.targets[operation];
        let (&kind, targets) = targets.iter().nth(turn % targets.len().max(1))?;
        let target = targets[random.next() as usize % targets.len()];
        self.strike_at(operation, kind, target, random.next(), tally);
        Some(kind)
    }

    /// Injects a fault of this kind at this place.
    fn strike_at(&self, operation: usize, kind: usize, target: u64, place: u64, tally: &mut Tally) {
        let fault = Fault {
            operation: target,
            kind: FaultKind::ALL[kind],
            place,
        };
        self.faulty.set_fault(fault);
        // In a checked build a kernel may notice before the result is checked.
        let outcomes = match panic::catch_unwind(AssertUnwindSafe(|| self.run(operation))) {
            Ok(outcomes) => outcomes,
            Err(_) if cfg!(debug_assertions) && self.faulty.has_struck() => {
                tally.asserted += 1;
                return;
            }
            Err(panic) => {
                println!("{} after {fault:?}:", OPERATIONS[operation]);
                panic::resume_unwind(panic);
            }
        };
        let withheld = self.withheld(operation, &outcomes, &fault);
        assert!(self.faulty.has_struck(), "{fault:?}");
        // Weights belong to all numbers of a group, and so do constants that all have in common.
        let shared = matches!(fault.kind, FaultKind::Weight | FaultKind::Constant);
        let most = most_broken(operation);
        assert!(shared || withheld <= most, "{fault:?}: {withheld} errors");
        match withheld {
            0 => tally.harmless += 1,
            _ => tally.withheld += 1,
        }
    }
}

/// A result, or its error in words.
fn in_words<T>(outcome: Result<T, impl ToString>) -> Result<T, String> {
    outcome.map_err(|error| error.to_string())
}

/// Requests of a batch on this backend's layout.
fn requests_of(backend: Backend) -> usize {
    let layout = backend.layout().expect("layouts are forced").to_string();
    let width = layout.trim_start_matches(|c: char| c.is_ascii_lowercase());
    // Two at least, so that there is a neighbour.
    (width.parse::<usize>().unwrap() / 2).max(2)
}

/// A generator of random numbers, the same ones in each run.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self
            .0
            .wrapping_mul(0x5851_f42d_4c95_7f2d)
            .wrapping_add(0x1405_7b7e_f767_814f);
        self.0 ^ self.0 >> 33
    }
}

/// Outcomes of faults.
#[derive(Clone, Copy, Debug, Default)]
struct Tally {
    /// Changed nothing, or were undone by a later reduction: all results are right.
    harmless: usize,
    /// Made results wrong, which were withheld.
    withheld: usize,
    /// Stopped by an assertion of a checked build.
    asserted: usize,
}

impl Tally {
    fn faults(&self) -> usize {
        self.harmless + self.withheld + self.asserted
    }

    fn add(&mut self, other: &Self) {
        self.harmless += other.harmless;
        self.withheld += other.withheld;
        self.asserted += other.asserted;
    }
}

impl fmt::Display for Tally {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let faults = self.faults();
        let Self {
            harmless,
            withheld,
            asserted,
        } = self;
        write!(
            f,
            "{faults} faults: {harmless} harmless, {withheld} withheld"
        )?;
        if cfg!(debug_assertions) {
            write!(f, ", {asserted} asserted")?;
        }
        Ok(())
    }
}

/// Faults at the first and at the last operations of each private operation, where points and numbers are
/// special, and where there are few places for random faults to strike: the ends of a ladder, the reduction
/// of a hash to a nonce. A run without `SUNZI_FAULTS` strikes fewer of them.
#[test]
fn no_result_leaves_after_a_fault_at_the_ends() {
    const PLACES: usize = 2;
    // Of integers that enter and leave also the highest bits, which make them larger than they may be: the
    // bits of a fault's place from the 16th on, modulo those of the integer's words.
    const WORDS: u64 = 64 * 16 * 3 * 7;
    let ends_of_an_operation: usize = if given_faults().is_some() { 16 } else { 4 };
    let highest = |k: u64| (k % 2) | ((WORDS - 1 - k / 2) << 16);
    let layout: Backend = "portable:lanes4".parse().unwrap();
    let work = Work::new(MANY);
    quietly(|| {
        let mut tallies = [Tally::default(); OPERATIONS.len()];
        one_thread().install(|| {
            let subject = Subject::new(layout, &work);
            let mut random = Random(1);
            for (operation, tally) in tallies.iter_mut().enumerate() {
                let ends = match operation {
                    BLS_G2 | BLS_G1 => ends_of_an_operation.div_ceil(8),
                    _ if LONG.contains(&operation) => ends_of_an_operation / 4,
                    _ => ends_of_an_operation,
                };
                for (&kind, targets) in &subject.targets[operation] {
                    let ends = ends.min(targets.len() / 2);
                    let (first, rest) = targets.split_at(ends);
                    for &target in first.iter().chain(&rest[rest.len() - ends..]) {
                        let places = (0..PLACES).map(|_| random.next());
                        let mut places: Vec<u64> = places.collect();
                        if FaultKind::ALL[kind] == FaultKind::Digit {
                            places.extend((0..8).map(highest));
                        }
                        for place in places {
                            subject.strike_at(operation, kind, target, place, tally);
                        }
                    }
                }
            }
        });
        for (name, tally) in OPERATIONS.iter().zip(&tallies) {
            println!("{name}: {tally}");
            assert!(tally.withheld + tally.asserted > tally.faults() / 10);
        }
    });
}

/// The number of faults that `SUNZI_FAULTS` asks for.
fn given_faults() -> Option<usize> {
    let faults = std::env::var("SUNZI_FAULTS").ok()?;
    Some(faults.parse().expect("SUNZI_FAULTS is a number of faults"))
}

/// A thread to work on, so that the order of operations is always the same.
fn one_thread() -> rayon::ThreadPool {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build();
    pool.unwrap()
}

/// Silences the messages of assertions that faults trip.
fn quietly(test: impl FnOnce() + panic::UnwindSafe) {
    let hook = panic::take_hook();
    panic::set_hook(Box::new(|_| {}));
    let outcome = panic::catch_unwind(test);
    panic::set_hook(hook);
    if let Err(panic) = outcome {
        let message = panic.downcast_ref::<String>().map(String::as_str);
        let message = message.or_else(|| panic.downcast_ref::<&str>().copied());
        panic!("{}", message.unwrap_or("a panic without a message"));
    }
}

/// Faults at random places, as many in each layout of each device.
#[test]
fn no_result_leaves_after_a_fault() {
    let faults = given_faults().unwrap_or(FAULTS);
    let (layouts, missing) = layouts();
    for error in missing {
        println!("SKIPPED: {error}");
    }
    let chosen = chosen();
    let work = Work::new(MANY);
    let own = faults.div_ceil(layouts.len());
    let parts = layouts.iter().flat_map(|&layout| {
        (0..own)
            .step_by(AT_ONCE)
            .map(move |first| (layout, first, AT_ONCE.min(own - first)))
    });
    let parts = Mutex::new(parts);
    let tallies: Mutex<BTreeMap<(String, usize, usize), Tally>> = Mutex::default();
    let inject = || {
        let pool = one_thread();
        let next = || parts.lock().unwrap().next();
        for (layout, first, count) in iter::from_fn(next) {
            pool.install(|| {
                let subject = Subject::new(layout, &work);
                let mut random = Random(first as u64);
                for index in first..first + count {
                    let (operation, turn) = operation(&chosen, index);
                    let mut tally = Tally::default();
                    let struck = subject.strike(operation, turn, &mut random, &mut tally);
                    let Some(kind) = struck else { continue };
                    let key = (layout.to_string(), operation, kind);
                    tallies.lock().unwrap().entry(key).or_default().add(&tally);
                }
            });
        }
    };
    quietly(AssertUnwindSafe(|| {
        thread::scope(|scope| {
            let threads = thread::available_parallelism().map_or(1, NonZero::get);
            let workers: Vec<_> = (0..threads).map(|_| scope.spawn(inject)).collect();
            for worker in workers {
                if let Err(panic) = worker.join() {
                    panic::resume_unwind(panic);
                }
            }
        });
    }));

    let tallies = tallies.into_inner().unwrap();
    let sum = |matches: &dyn Fn(&(String, usize, usize)) -> bool| {
        let mut sum = Tally::default();
        let own = tallies.iter().filter(|(key, _)| matches(key));
        own.for_each(|(_, tally)| sum.add(tally));
        sum
    };
    for layout in &layouts {
        let name = layout.to_string();
        let tally = sum(&|key| key.0 == name);
        println!("{name}: {tally}");
        assert!(tally.withheld + tally.asserted > tally.faults() / 10);
    }
    for (k, kind) in FaultKind::ALL.iter().enumerate() {
        println!("{kind:?}: {}", sum(&|key| key.2 == k));
    }
    for (k, operation) in OPERATIONS.iter().enumerate() {
        println!("{operation}: {}", sum(&|key| key.1 == k));
    }
    let all = sum(&|_| true);
    println!("all: {all}");
    assert!(all.faults() >= faults * 9 / 10);
}

/// With redundant channels every signature is there and right after a fault that they cover: what the
/// fault broke has been computed again.
#[test]
fn redundant_channels_repair_signatures() {
    let key = private("rsa1024.pkcs8.pem");
    let digest = |k: u8| Hash::Sha256.digest(&[k]);
    let digests: Vec<Digest> = (0..8).map(digest).collect();
    let plain = Engine::new(Backend::PORTABLE).unwrap();
    let right = sign(&plain, &SigningKey::new(&plain, &key).unwrap(), &digests);
    let kinds = FaultKind::ALL
        .iter()
        .filter(|&&kind| kind != FaultKind::Digit);
    let strike = |layout: &str| {
        let faulty = match Faulty::with_redundancy(layout.parse().unwrap(), 2) {
            Ok(faulty) => faulty,
            Err(error) => return println!("SKIPPED: {error}"),
        };
        let engine = &faulty.engine;
        let signing = SigningKey::new(engine, &key).unwrap();
        let targets = faulty.targets(|| assert_eq!(sign(engine, &signing, &digests), right));
        let mut random = Random(7);
        let mut asserted = 0;
        for &kind in kinds.clone() {
            let operations = (0u64..).zip(&targets);
            let own = operations.filter(|(_, kinds)| kinds.contains(&kind));
            let own: Vec<u64> = own.map(|(operation, _)| operation).collect();
            for _ in 0..24 {
                let fault = Fault {
                    operation: own[random.next() as usize % own.len()],
                    kind,
                    place: random.next(),
                };
                faulty.set_fault(fault);
                let run = || sign(engine, &signing, &digests);
                match panic::catch_unwind(AssertUnwindSafe(run)) {
                    Ok(signatures) => assert_eq!(signatures, right, "{layout}: {fault:?}"),
                    Err(_) if cfg!(debug_assertions) => asserted += 1,
                    Err(panic) => panic::resume_unwind(panic),
                }
            }
        }
        let found = engine.take_faults();
        let count = found.len();
        println!("{layout}: {count} numbers found wrong after 96 faults, {asserted} asserted");
        assert!(count > 24 && found.iter().all(|fault| fault.is_repaired));
    };
    quietly(AssertUnwindSafe(|| {
        for layout in ["portable:lanes8", "portable:lanes32", "avx512:lanes16"] {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build();
            pool.unwrap().install(|| strike(layout));
        }
    }));
}

/// A device that is lost in the middle of a batch gives its work to another one, and the failure is
/// reported; where there is no other, every request has the error.
#[test]
fn a_lost_device() {
    let key = private("rsa1024.pkcs8.pem");
    let sign = |engine: &Engine| {
        let key = SigningKey::new(engine, &key).unwrap();
        let requests: Vec<_> = (0..100u8)
            .map(|i| SignRequest {
                key: &key,
                scheme: Scheme::Pkcs1v15,
                digest: Hash::Sha256.digest(&[i]),
            })
            .collect();
        sign_batch(engine, &mut system_rng(), &requests)
    };
    let right = sign(&Engine::new(Backend::PORTABLE).unwrap());
    for runs in [0, 1, 3] {
        let engine = failing(Backend::PORTABLE, runs, true).unwrap();
        assert_eq!(sign(&engine), right, "lost after {runs} groups");
        let failures = engine.take_failures();
        assert!(
            failures
                .iter()
                .all(|failure| failure.reason.contains("lost"))
        );
        let numbers: usize = failures.iter().map(|failure| failure.numbers).sum();
        assert!(numbers > 0, "{failures:?}");
        assert_eq!(engine.take_failures(), []);
    }
    let engine = failing(Backend::PORTABLE, 0, false).unwrap();
    for signature in sign(&engine) {
        let error = signature.unwrap_err();
        assert!(matches!(error, SignError::Engine(_)), "{error}");
        assert!(error.to_string().contains("lost"), "{error}");
    }
    let verifying = VerifyingKey::new(&engine, key.public_key()).unwrap();
    let request = VerifyRequest {
        key: &verifying,
        scheme: Scheme::Pkcs1v15,
        digest: Hash::Sha256.digest(&[0]),
        signature: right[0].as_ref().unwrap(),
    };
    let verdict = verify_batch(&engine, &[request]).remove(0);
    assert!(
        matches!(verdict, Err(VerifyError::Engine(_))),
        "{verdict:?}"
    );
}

/// A device executes for one signature what the texts of its programs say.
#[test]
fn counts_of_a_signature() {
    let key = private("rsa1024.pkcs8.pem");
    for layout in ["portable:lanes4", "avx512:spread1"] {
        let counting = match CountingEngine::new(layout.parse().unwrap()) {
            Ok(counting) => counting,
            Err(error) => {
                println!("SKIPPED: {error}");
                continue;
            }
        };
        let engine = &counting.engine;
        let programs = KeyPrograms::new(engine, key.bits(), key.public_key().e()).unwrap();
        // On one thread, so that p and q are not shared out.
        let one_thread = rayon::ThreadPoolBuilder::new().num_threads(1).build();
        let signing = SigningKey::new(engine, &key).unwrap();
        let digest = Hash::Sha256.digest(b"message");
        let before = counting.counts();
        let signatures = one_thread
            .unwrap()
            .install(|| sign(engine, &signing, &[digest]));
        assert!(signatures[0].is_ok());
        let counts = counting.counts().since(&before);
        let (prime, modulus) = (programs.prime.program(), programs.modulus.program());
        // In lanes p and q are one group, and one after the other they are two.
        let groups = if layout.contains("lanes") { 1 } else { 2 };
        let expected = groups * prime.counts().products + modulus.counts().products;
        assert_eq!(counts.products, expected, "{layout}");
        let expected = groups * prime.counts().read + modulus.counts().read;
        assert_eq!(counts.read, expected, "{layout}");
    }
}
