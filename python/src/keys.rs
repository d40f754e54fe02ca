//! Keys of any algorithm, and what they do in batches.

use core::convert::Infallible;
use std::num::NonZeroU32;
use std::ops::Range;
use std::sync::OnceLock;

use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::pybacked::PyBackedBytes;
use pyo3::types::{PyBytes, PyList};
use sunzi_pk::ec::{ecdsa, eddsa};
use sunzi_pk::keys::{
    self, AgreeRequest, AgreementKey, Algorithms, Content, KeyError, Scheme, SignRequest,
    SigningKey, VerifyRequest, VerifyingKey,
};
use sunzi_pk::rsa::blind::partial;
use sunzi_pk::{Hash, KdfLimits, batch, rsa, system_rng};
use zeroize::Zeroizing;

use crate::arguments::{
    Bits, Count, KdfLimit, Keys, SaltLength, Threads, keys_of, ordered, type_name,
};
use crate::batch::{Errors, Run};
use crate::engine::Engine;

/// A key that is prepared for a purpose when it is first used for it.
type Lazy<Key> = OnceLock<Result<Key, KeyError>>;

/// A function and its arguments, by which a key is made again.
type Pickled<'py> = (Bound<'py, PyAny>, (Bound<'py, PyBytes>,));

/// A public key of any algorithm, from `load_public_key` or `PrivateKey.public_key`. Equal keys have equal hashes.
/// It can be pickled.
#[pyclass(frozen, module = "sunzi")]
pub(crate) struct PublicKey {
    key: keys::PublicKey,
    algorithms: Algorithms,
    verifying: Lazy<VerifyingKey>,
    encryption: Lazy<rsa::EncryptionKey>,
}

/// A private key of any algorithm, from `load_private_key` or `generate_key`. Keys are equal if their public halves
/// are. It can be pickled, as plain DER: mind where that goes.
#[pyclass(frozen, module = "sunzi")]
pub(crate) struct PrivateKey {
    key: keys::PrivateKey,
    algorithms: Algorithms,
    signing: Lazy<SigningKey>,
    /// For partially blind signatures.
    deriving: OnceLock<Result<partial::SigningKey, String>>,
    agreement: Lazy<AgreementKey>,
    decryption: Lazy<rsa::DecryptionKey>,
}

pub(crate) fn refused(error: impl ToString) -> PyErr {
    PyValueError::new_err(error.to_string())
}

/// Length of Ed448 and X448 in bits.
const LONGEST_OTHER_CURVE: u32 = 448;

/// Seconds that a multiple of a point takes on one thread of a slow processor.
fn curve_seconds(bits: u32) -> f64 {
    6e-11 * f64::from(bits).powi(3)
}

impl PublicKey {
    fn new(key: keys::PublicKey, algorithms: Algorithms) -> Self {
        Self {
            key,
            algorithms,
            verifying: Lazy::new(),
            encryption: Lazy::new(),
        }
    }

    pub(crate) fn verifying(&self) -> Result<&VerifyingKey, String> {
        let key = self
            .verifying
            .get_or_init(|| VerifyingKey::new(&self.algorithms, &self.key));
        key.as_ref().map_err(ToString::to_string)
    }

    /// For blind signatures.
    pub(crate) fn verifying_rsa(&self) -> Result<&rsa::VerifyingKey, String> {
        let key = self.verifying()?.rsa();
        key.ok_or_else(|| no_blind_signatures(&self.key))
    }

    /// Seconds that an operation with the key takes on one thread of a slow processor.
    pub(crate) fn seconds(&self) -> f64 {
        match &self.key {
            keys::PublicKey::Rsa(key) => 2e-11 * f64::from(key.bits()).powi(2),
            keys::PublicKey::Ec(key) => curve_seconds(key.curve().bits()),
            _ => curve_seconds(LONGEST_OTHER_CURVE),
        }
    }

    pub(crate) fn engine(&self) -> &sunzi_engine::Engine {
        self.algorithms.engine()
    }

    fn encryption(&self) -> Result<&rsa::EncryptionKey, String> {
        let prepare = || match &self.key {
            keys::PublicKey::Rsa(key) => {
                Ok(rsa::EncryptionKey::new(self.algorithms.engine(), key)?)
            }
            key => Err(KeyError::Purpose {
                algorithm: key.algorithm(),
                purpose: "encrypt",
            }),
        };
        self.encryption
            .get_or_init(prepare)
            .as_ref()
            .map_err(ToString::to_string)
    }
}

impl PrivateKey {
    fn new(key: keys::PrivateKey, algorithms: Algorithms) -> Self {
        Self {
            key,
            algorithms,
            signing: Lazy::new(),
            deriving: OnceLock::new(),
            agreement: Lazy::new(),
            decryption: Lazy::new(),
        }
    }

    pub(crate) fn signing(&self) -> Result<&SigningKey, String> {
        let key = self
            .signing
            .get_or_init(|| SigningKey::new(&self.algorithms, &self.key));
        key.as_ref().map_err(ToString::to_string)
    }

    /// For blind signatures.
    pub(crate) fn signing_rsa(&self) -> Result<&rsa::SigningKey, String> {
        let key = self.signing()?.rsa();
        key.ok_or_else(|| no_blind_signatures(&self.key.public_key()))
    }

    /// For partially blind signatures.
    pub(crate) fn deriving(&self) -> Result<&partial::SigningKey, String> {
        let prepare = || match &self.key {
            keys::PrivateKey::Rsa(key) => {
                partial::SigningKey::new(self.engine(), key).map_err(|error| error.to_string())
            }
            key => Err(no_blind_signatures(&key.public_key())),
        };
        self.deriving
            .get_or_init(prepare)
            .as_ref()
            .map_err(String::clone)
    }

    /// Seconds that an operation with the key takes on one thread of a slow processor.
    pub(crate) fn seconds(&self) -> f64 {
        match &self.key {
            keys::PrivateKey::Rsa(key) => 6e-14 * f64::from(key.public_key().bits()).powi(3),
            keys::PrivateKey::Ec(key) => curve_seconds(key.curve().bits()),
            _ => curve_seconds(LONGEST_OTHER_CURVE),
        }
    }

    pub(crate) fn engine(&self) -> &sunzi_engine::Engine {
        self.algorithms.engine()
    }

    fn agreement(&self) -> Result<&AgreementKey, String> {
        let key = self
            .agreement
            .get_or_init(|| AgreementKey::new(&self.algorithms, &self.key));
        key.as_ref().map_err(ToString::to_string)
    }

    fn decryption(&self) -> Result<&rsa::DecryptionKey, String> {
        let prepare = || match &self.key {
            keys::PrivateKey::Rsa(key) => {
                Ok(rsa::DecryptionKey::new(self.algorithms.engine(), key)?)
            }
            key => Err(KeyError::Purpose {
                algorithm: key.public_key().algorithm(),
                purpose: "decrypt",
            }),
        };
        self.decryption
            .get_or_init(prepare)
            .as_ref()
            .map_err(ToString::to_string)
    }
}

fn hash_of(key: &keys::PublicKey) -> PyResult<u64> {
    use std::hash::{DefaultHasher, Hash, Hasher};
    let mut hasher = DefaultHasher::new();
    key.to_spki_der().map_err(refused)?.hash(&mut hasher);
    Ok(hasher.finish())
}

/// Bits of the modulus, or of the curve's prime.
fn size_of_key(key: &keys::PublicKey) -> u32 {
    match key {
        keys::PublicKey::Rsa(key) => key.bits(),
        keys::PublicKey::Ec(key) => key.curve().bits(),
        other if other.algorithm().ends_with("25519") => 255,
        _ => LONGEST_OTHER_CURVE,
    }
}

/// Name of the curve; none for RSA.
fn curve_of(key: &keys::PublicKey) -> Option<String> {
    match key {
        keys::PublicKey::Rsa(_) => None,
        key => Some(key.algorithm()),
    }
}

fn no_blind_signatures(key: &keys::PublicKey) -> String {
    let algorithm = key.algorithm();
    format!("a key of {algorithm} has no blind signatures: one of RSA has")
}

#[pymethods]
impl PublicKey {
    /// The public key in PEM, DER or JSON (JWK). See `sunzi.load_public_key`.
    #[staticmethod]
    fn load(engine: &Engine, data: &[u8]) -> PyResult<Self> {
        let key = keys::PublicKey::from_pem_or_der(data).map_err(refused)?;
        Ok(Self::new(key, engine.algorithms.clone()))
    }

    /// Algorithm and size, such as "RSA-2048", or the name of the curve.
    #[getter]
    fn algorithm(&self) -> String {
        self.key.algorithm()
    }

    /// Bits of the modulus of RSA, or of the prime of the curve.
    #[getter]
    fn key_size(&self) -> u32 {
        size_of_key(&self.key)
    }

    /// Name of the curve, such as "P-256" or "Ed25519"; none for RSA.
    #[getter]
    fn curve(&self) -> Option<String> {
        curve_of(&self.key)
    }

    /// The key as `SubjectPublicKeyInfo` in DER.
    fn to_der<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        Ok(PyBytes::new(py, &self.key.to_spki_der().map_err(refused)?))
    }

    /// The key as `SubjectPublicKeyInfo` in PEM.
    fn to_pem(&self) -> PyResult<String> {
        self.key.to_spki_pem().map_err(refused)
    }

    /// The key as a JSON Web Key (RFC 7517).
    fn to_jwk(&self) -> PyResult<String> {
        self.key.to_jwk().map_err(refused)
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<Pickled<'py>> {
        let load = py.import("sunzi")?.getattr("load_public_key")?;
        Ok((load, (self.to_der(py)?,)))
    }

    fn __eq__(&self, other: &Self) -> bool {
        self.key == other.key
    }

    fn __hash__(&self) -> PyResult<u64> {
        hash_of(&self.key)
    }

    fn __repr__(&self) -> String {
        format!("<sunzi.PublicKey {}>", self.key.algorithm())
    }
}

#[pymethods]
impl PrivateKey {
    /// The private key in PEM, DER or JSON (JWK). See `sunzi.load_private_key`.
    #[staticmethod]
    #[pyo3(signature = (engine, data, password = None, kdf_limit = None))]
    fn load(
        py: Python<'_>,
        engine: &Engine,
        data: &[u8],
        password: Option<&[u8]>,
        kdf_limit: Option<KdfLimit>,
    ) -> PyResult<Self> {
        let algorithms = engine.algorithms.clone();
        let factor = kdf_limit.and_then(|factor| NonZeroU32::new(factor.0));
        let limits = KdfLimits::times(factor.unwrap_or(NonZeroU32::MIN));
        let key =
            py.detach(|| keys::PrivateKey::from_pem_or_der(&algorithms, data, password, limits));
        Ok(Self::new(key.map_err(refused)?, algorithms))
    }

    /// New keys. See `sunzi.generate_keys`.
    #[staticmethod]
    #[pyo3(signature = (engine, algorithm, count, *, threads = None, progress = None))]
    fn generate<'py>(
        py: Python<'py>,
        engine: &Engine,
        algorithm: &str,
        count: Count,
        threads: Option<Threads>,
        progress: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Vec<Self>> {
        let algorithms = &engine.algorithms;
        let made = Run::new(threads, progress).search(py, |watch| {
            let rng = &mut system_rng();
            keys::PrivateKey::generate_batch(algorithms, algorithm, rng, count.0, watch)
        })?;
        let made = made.map_err(refused)?.into_iter();
        Ok(made.map(|key| Self::new(key, algorithms.clone())).collect())
    }

    /// New keys of safe primes. See `sunzi.blind.generate_safe_keys`.
    #[staticmethod]
    #[pyo3(signature = (engine, bits, count, *, threads = None, progress = None))]
    fn generate_safe<'py>(
        py: Python<'py>,
        engine: &Engine,
        bits: Bits,
        count: Count,
        threads: Option<Threads>,
        progress: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Vec<Self>> {
        let algorithms = &engine.algorithms;
        let made = Run::new(threads, progress).search(py, |watch| {
            let (engine, rng) = (algorithms.engine(), &mut system_rng());
            rsa::PrivateKey::generate_safe_batch(engine, rng, bits.0, count.0, watch)
        })?;
        let made = made.map_err(refused)?.into_iter();
        let made = made.map(|key| keys::PrivateKey::Rsa(Box::new(key)));
        Ok(made.map(|key| Self::new(key, algorithms.clone())).collect())
    }

    /// Algorithm and size, such as "RSA-2048", or the name of the curve.
    #[getter]
    fn algorithm(&self) -> String {
        self.key.public_key().algorithm()
    }

    /// Bits of the modulus of RSA, or of the prime of the curve.
    #[getter]
    fn key_size(&self) -> u32 {
        size_of_key(&self.key.public_key())
    }

    /// Name of the curve, such as "P-256" or "Ed25519"; none for RSA.
    #[getter]
    fn curve(&self) -> Option<String> {
        curve_of(&self.key.public_key())
    }

    /// The public half.
    fn public_key(&self) -> PublicKey {
        PublicKey::new(self.key.public_key(), self.algorithms.clone())
    }

    /// The key as PKCS#8 in DER, not encrypted.
    fn to_der<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        Ok(PyBytes::new(py, &self.key.to_pkcs8_der().map_err(refused)?))
    }

    /// The key as PKCS#8 in PEM, encrypted if there is a password.
    #[pyo3(signature = (password = None))]
    fn to_pem(&self, py: Python<'_>, password: Option<&[u8]>) -> PyResult<String> {
        let pem = match password {
            None => self.key.to_pkcs8_pem(),
            Some(password) => {
                py.detach(|| self.key.to_encrypted_pkcs8_pem(&mut system_rng(), password))
            }
        };
        Ok(pem.map_err(refused)?.to_string())
    }

    /// The key as a JSON Web Key (RFC 7517), not encrypted.
    fn to_jwk(&self) -> PyResult<String> {
        Ok(self.key.to_jwk().map_err(refused)?.to_string())
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<Pickled<'py>> {
        let load = py.import("sunzi")?.getattr("load_private_key")?;
        Ok((load, (self.to_der(py)?,)))
    }

    /// The public halves are compared: equal ones have one private key.
    fn __eq__(&self, other: &Self) -> bool {
        self.key.public_key() == other.key.public_key()
    }

    fn __hash__(&self) -> PyResult<u64> {
        hash_of(&self.key.public_key())
    }

    fn __repr__(&self) -> String {
        format!("<sunzi.PrivateKey {}>", self.algorithm())
    }
}

/// Options of signatures, in Python's words.
#[derive(Clone)]
struct SchemeWords {
    padding: Option<String>,
    hash: Option<String>,
    salt_length: Option<usize>,
    encoding: Option<String>,
    low_s: bool,
    context: Vec<u8>,
    scheme: Option<String>,
    auxiliary: Option<[u8; 32]>,
    nonces: Option<String>,
}

/// A scheme that an option names.
#[derive(Clone, Copy)]
enum NamedScheme {
    Bip340,
    /// EdDSA, where signatures of Ed25519 are accepted by this rule.
    Ed25519(eddsa::Rule),
}

/// An option's value as it is compared: in small letters, without punctuation.
fn plain(value: &str) -> String {
    let letters = value.chars().filter(char::is_ascii_alphanumeric);
    letters.collect::<String>().to_ascii_lowercase()
}

fn auxiliary_bytes(bytes: &[u8]) -> PyResult<[u8; 32]> {
    bytes.try_into().map_err(|_| {
        refused(format!(
            "auxiliary has {} bytes: 32 are needed",
            bytes.len()
        ))
    })
}

impl SchemeWords {
    /// The scheme that is asked for by its name, if one is.
    fn named(&self) -> Result<Option<NamedScheme>, String> {
        let Some(name) = self.scheme.as_deref() else {
            return Ok(None);
        };
        if plain(name) == "bip340" {
            return Ok(Some(NamedScheme::Bip340));
        }
        let mut rules = eddsa::Rule::ALL.iter();
        let rule = rules.find(|rule| plain(rule.name()) == plain(name));
        rule.map(|&rule| Some(NamedScheme::Ed25519(rule))).ok_or_else(|| {
            format!(
                "scheme is {name:?}: \"bip340\" is possible, for Ed25519 \"rfc8032\", \"cofactored\", \"zip215\" and \
                 \"dalek-strict\", or none for the usual one"
            )
        })
    }

    /// Checks that no option is given but these.
    fn only(&self, permitted: &[&str], what: &str) -> Result<(), String> {
        let given = [
            ("padding", self.padding.is_some()),
            ("hash", self.hash.is_some()),
            ("salt_length", self.salt_length.is_some()),
            ("encoding", self.encoding.is_some()),
            ("low_s", self.low_s),
            ("context", !self.context.is_empty()),
            ("auxiliary", self.auxiliary.is_some()),
            ("nonces", self.nonces.is_some()),
        ];
        let wrong = given
            .iter()
            .find(|(name, given)| *given && !permitted.contains(name));
        wrong.map_or(Ok(()), |(name, _)| {
            Err(format!("{name} does not apply to {what}"))
        })
    }

    /// The scheme for a key.
    fn of(&self, key: &keys::PublicKey) -> Result<Scheme<'_>, String> {
        let algorithm = key.algorithm();
        let what = format!("keys of {algorithm}");
        let named = self.named()?;
        if let Some(NamedScheme::Ed25519(rule)) = named {
            if algorithm != "Ed25519" {
                return Err(format!("{what} have no rule {rule}: it is Ed25519's"));
            }
            self.only(&["context", "nonces"], &what)?;
            return Ok(Scheme::EddsaBy(self.variant(), rule));
        }
        if let Some(NamedScheme::Bip340) = named {
            if algorithm != "secp256k1" {
                return Err(format!("{what} do not sign by BIP 340"));
            }
            self.only(&["auxiliary", "nonces"], "signatures of BIP 340")?;
            return Ok(Scheme::Bip340 {
                auxiliary: self.auxiliary,
            });
        }
        let hash = self.hash.as_deref().map(hash).transpose()?;
        Ok(match Scheme::of(key) {
            Scheme::Rsa(_, usual) => {
                self.only(&["padding", "hash", "salt_length"], &what)?;
                Scheme::Rsa(self.rsa()?, hash.unwrap_or(usual))
            }
            Scheme::Ecdsa { hash: usual, .. } => {
                self.only(&["hash", "encoding", "low_s", "nonces"], &what)?;
                Scheme::Ecdsa {
                    hash: hash.unwrap_or(usual),
                    encoding: self.encoding()?,
                    s: if self.low_s {
                        ecdsa::SRange::Low
                    } else {
                        ecdsa::SRange::Any
                    },
                }
            }
            Scheme::Eddsa(_) => {
                self.only(&["context", "nonces"], &what)?;
                Scheme::Eddsa(self.variant())
            }
            other => other,
        })
    }

    fn variant(&self) -> eddsa::Variant<'_> {
        if self.context.is_empty() {
            eddsa::Variant::Pure
        } else {
            eddsa::Variant::Context(&self.context)
        }
    }

    fn rsa(&self) -> Result<rsa::Scheme, String> {
        let Some(padding) = &self.padding else {
            return match self.salt_length {
                None => Ok(rsa::Scheme::Pkcs1v15),
                Some(_) => Err("salt_length is for the padding \"pss\"".into()),
            };
        };
        match (&*plain(padding), self.salt_length) {
            ("pkcs1v15", None) => Ok(rsa::Scheme::Pkcs1v15),
            ("pss", None) => Ok(rsa::Scheme::PSS),
            ("pss", Some(bytes)) => Ok(rsa::Scheme::pss(rsa::SaltLen::Bytes(bytes))),
            ("pkcs1v15", Some(_)) => Err("salt_length is for the padding \"pss\"".into()),
            _ => Err(format!(
                "padding is {padding:?}: \"pkcs1v15\" and \"pss\" are possible"
            )),
        }
    }

    fn nonces(&self) -> PyResult<keys::NonceKind> {
        match self.nonces.as_deref() {
            None => Ok(keys::NonceKind::Deterministic),
            Some(name) if plain(name) == "deterministic" => Ok(keys::NonceKind::Deterministic),
            Some(name) if plain(name) == "hedged" => Ok(keys::NonceKind::Hedged),
            Some(other) => Err(refused(format!(
                "nonces is {other:?}: \"deterministic\" and \"hedged\" are possible"
            ))),
        }
    }

    fn encoding(&self) -> Result<ecdsa::Encoding, String> {
        let Some(encoding) = &self.encoding else {
            return Ok(ecdsa::Encoding::Der);
        };
        match &*plain(encoding) {
            "der" => Ok(ecdsa::Encoding::Der),
            "raw" => Ok(ecdsa::Encoding::Raw),
            _ => Err(format!(
                "encoding is {encoding:?}: \"der\" and \"raw\" are possible"
            )),
        }
    }
}

fn hash(name: &str) -> Result<Hash, String> {
    name.parse::<Hash>().map_err(|error| error.to_string())
}

/// The bytes-like items of an iterable, copied, so that they cannot change while they are used.
pub(crate) fn byte_strings(
    items: &Bound<'_, PyAny>,
    what: &str,
) -> PyResult<Vec<Zeroizing<Vec<u8>>>> {
    if items.is_instance_of::<PyBytes>() {
        return Err(PyTypeError::new_err(format!(
            "{what} must be a list of bytes, not bytes"
        )));
    }
    let bytes = |(index, item): (usize, PyResult<Bound<'_, PyAny>>)| {
        let item = item?;
        let buffer = pyo3::buffer::PyBuffer::<u8>::get(&item).map_err(|_| {
            let name = type_name(&item);
            PyTypeError::new_err(format!("item {index} of {what} must be bytes, not {name}"))
        })?;
        buffer.to_vec(items.py()).map(Zeroizing::new)
    };
    ordered(items, what)?.enumerate().map(bytes).collect()
}

/// The results of a batch as a list: `bytes`, or errors in the way that was asked for.
pub(crate) fn listed(
    py: Python<'_>,
    errors: Errors,
    results: Vec<Result<Zeroizing<Vec<u8>>, String>>,
) -> PyResult<Bound<'_, PyList>> {
    errors.listed(py, results, |bytes| Ok(PyBytes::new(py, &bytes).into_any()))
}

/// Answers to the items of a range. Items whose request is refused have its error.
pub(crate) fn answered<Request, Answer>(
    range: Range<usize>,
    request: impl FnMut(usize) -> Result<Request, String>,
    compute: impl FnOnce(&[Request]) -> Vec<Result<Answer, String>>,
) -> Vec<Result<Answer, String>> {
    let computed = batch::answered(
        range.map(request),
        |requests| Ok::<_, Infallible>(compute(requests)),
        || String::from("the batch was not computed"),
    );
    computed.unwrap_or_else(|never| match never {})
}

pub(crate) fn in_words<T, E: ToString>(results: Vec<Result<T, E>>) -> Vec<Result<T, String>> {
    results
        .into_iter()
        .map(|result| result.map_err(|error| error.to_string()))
        .collect()
}

/// The signatures of the messages, by one key or a key for each, of any mix of algorithms.
///
/// `padding` and `salt_length` are for RSA: "pkcs1v15" (the default) or "pss", and the bytes of its salt (by default
/// those of the hash). `encoding` and `low_s` are for ECDSA: "der" (the default) or "raw", and whether s is at most
/// half the order. `context` is for EdDSA. `hash` is that of RSA (by default SHA-256) and ECDSA (by default the one
/// that suits the curve). Names are taken in small and capital letters: "PSS", "sha256", "SHA-256".
/// `nonces` is for keys of curves: "deterministic" (the default; a message always gets the same signature), or "hedged"
/// with fresh randomness, so that no two computations of one message can be compared by an attacker.
/// With the `scheme` "bip340" keys of secp256k1 make Schnorr signatures of messages as they are; `auxiliary` has 32
/// random bytes for all signatures of the call, instead of those that "hedged" draws for each, or of zeros.
/// With the `scheme` "rfc8032", "cofactored", "zip215" or "dalek-strict" signatures of Ed25519 are verified by that rule
/// (docs/ed25519-rules.md); they are made as always.
///
/// Every signature is checked before it leaves. Raises `ValueError` for an option that does not apply to a key; with
/// errors="return" it is in the place of the signature.
#[pyfunction]
#[pyo3(signature = (keys, messages, *, padding = None, hash = None, salt_length = None, encoding = None, low_s = false, context = None, scheme = None, auxiliary = None, nonces = None, errors = "raise", threads = None, progress = None))]
pub(crate) fn sign_many<'py>(
    py: Python<'py>,
    keys: Keys<Py<PrivateKey>>,
    messages: &Bound<'py, PyAny>,
    padding: Option<String>,
    hash: Option<String>,
    salt_length: Option<SaltLength>,
    encoding: Option<String>,
    low_s: bool,
    context: Option<PyBackedBytes>,
    scheme: Option<String>,
    auxiliary: Option<PyBackedBytes>,
    nonces: Option<String>,
    errors: &str,
    threads: Option<Threads>,
    progress: Option<Bound<'py, PyAny>>,
) -> PyResult<Bound<'py, PyList>> {
    let run = Run::new(threads, progress);
    let errors = Errors::new(errors)?;
    let words = SchemeWords {
        padding,
        hash,
        salt_length: salt_length.map(|bytes| bytes.0),
        encoding,
        low_s,
        context: context.map_or_else(Vec::new, |context| context.to_vec()),
        scheme,
        auxiliary: auxiliary.as_deref().map(auxiliary_bytes).transpose()?,
        nonces,
    };
    let nonces = words.nonces()?;
    let messages = byte_strings(messages, "messages")?;
    keys.check(messages.len())?;
    let seconds = |item: usize| keys.get(item).get().seconds();
    let signatures = run.in_parts(py, messages.len(), seconds, |range| {
        let algorithms = &keys.get(range.start).get().algorithms;
        let request = |item: usize| {
            let key = keys.get(item).get().signing()?;
            Ok(SignRequest {
                key,
                scheme: words.of(key.public_key())?,
                content: Content::Message(&messages[item]),
            })
        };
        Ok(answered(range, request, |requests| {
            let signatures = keys::sign_batch(algorithms, &mut system_rng(), nonces, requests);
            in_words(signatures)
        }))
    })?;
    let signatures = signatures
        .into_iter()
        .map(|signature| signature.map(Zeroizing::new));
    listed(py, errors, signatures.collect())
}

/// Whether each signature is valid for its message and key. Arguments as in `sign_many`.
///
/// A signature that cannot be one is invalid, and no error. Raises `ValueError` for an option that does not apply to
/// a key.
#[pyfunction]
#[pyo3(signature = (keys, messages, signatures, *, padding = None, hash = None, salt_length = None, encoding = None, low_s = false, context = None, scheme = None, threads = None, progress = None))]
pub(crate) fn verify_many<'py>(
    py: Python<'py>,
    keys: Keys<Py<PublicKey>>,
    messages: &Bound<'py, PyAny>,
    signatures: &Bound<'py, PyAny>,
    padding: Option<String>,
    hash: Option<String>,
    salt_length: Option<SaltLength>,
    encoding: Option<String>,
    low_s: bool,
    context: Option<PyBackedBytes>,
    scheme: Option<String>,
    threads: Option<Threads>,
    progress: Option<Bound<'py, PyAny>>,
) -> PyResult<Vec<bool>> {
    let run = Run::new(threads, progress);
    let words = SchemeWords {
        padding,
        hash,
        salt_length: salt_length.map(|bytes| bytes.0),
        encoding,
        low_s,
        context: context.map_or_else(Vec::new, |context| context.to_vec()),
        scheme,
        auxiliary: None,
        nonces: None,
    };
    let messages = byte_strings(messages, "messages")?;
    let signatures = byte_strings(signatures, "signatures")?;
    if signatures.len() != messages.len() {
        return Err(PyValueError::new_err(format!(
            "there are {} messages and {} signatures",
            messages.len(),
            signatures.len()
        )));
    }
    keys.check(messages.len())?;
    let seconds = |item: usize| keys.get(item).get().seconds();
    let verdicts = run.in_parts(py, messages.len(), seconds, |range| {
        let algorithms = &keys.get(range.start).get().algorithms;
        let request = |item: usize| {
            let key = keys.get(item).get().verifying()?;
            Ok(VerifyRequest {
                key,
                scheme: words.of(key.public_key())?,
                content: Content::Message(&messages[item]),
                signature: &signatures[item],
            })
        };
        Ok(answered(range, request, |requests| {
            let verdict = |verdict: Result<(), keys::VerifyError>| match verdict {
                Ok(()) => Ok(true),
                // Not an answer, and not "invalid" either.
                Err(error) if error.is_undecided() => Err(error.to_string()),
                Err(_) => Ok(false),
            };
            let verdicts = keys::verify_batch(algorithms, requests).into_iter();
            verdicts.map(verdict).collect()
        }))
    })?;
    raise_undecided(py, verdicts)
}

/// The verdicts on the items of a batch. The first item without one is raised.
pub(crate) fn raise_undecided(
    py: Python<'_>,
    verdicts: Vec<Result<bool, String>>,
) -> PyResult<Vec<bool>> {
    let verdict = |(item, verdict): (usize, Result<bool, String>)| match verdict {
        Ok(verdict) => Ok(verdict),
        Err(error) => {
            Errors::Raise.of_item(py, item, PyValueError::new_err(error))?;
            Ok(false)
        }
    };
    verdicts.into_iter().enumerate().map(verdict).collect()
}

/// The encryption scheme in Python's words.
fn encryption<'a>(
    padding: &str,
    hash_name: Option<&str>,
    label: &'a [u8],
) -> PyResult<rsa::EncryptionScheme<'a>> {
    match &*plain(padding) {
        "oaep" => {
            let hash = hash(hash_name.unwrap_or("SHA-256"))
                .map_err(refused)?
                .into();
            let mgf1 = hash;
            Ok(rsa::EncryptionScheme::Oaep { hash, mgf1, label })
        }
        "pkcs1v15" if hash_name.is_some() => Err(refused("hash is for the padding \"oaep\"")),
        "pkcs1v15" if label.is_empty() => Ok(rsa::EncryptionScheme::Pkcs1v15),
        "pkcs1v15" => Err(refused("label is for the padding \"oaep\"")),
        _ => Err(refused(format!(
            "padding is {padding:?}: \"oaep\" and \"pkcs1v15\" are possible"
        ))),
    }
}

/// The messages encrypted with RSA, by one key or a key for each.
///
/// `padding` is "oaep" (the default) or "pkcs1v15"; `hash` (by default SHA-256) and `label` are for "oaep".
#[pyfunction]
#[pyo3(signature = (keys, messages, *, padding = "oaep", hash = None, label = None, errors = "raise", threads = None, progress = None))]
pub(crate) fn encrypt_many<'py>(
    py: Python<'py>,
    keys: Keys<Py<PublicKey>>,
    messages: &Bound<'py, PyAny>,
    padding: &str,
    hash: Option<&str>,
    label: Option<&[u8]>,
    errors: &str,
    threads: Option<Threads>,
    progress: Option<Bound<'py, PyAny>>,
) -> PyResult<Bound<'py, PyList>> {
    let run = Run::new(threads, progress);
    let errors = Errors::new(errors)?;
    let scheme = encryption(padding, hash, label.unwrap_or_default())?;
    let messages = byte_strings(messages, "messages")?;
    keys.check(messages.len())?;
    let seconds = |item: usize| keys.get(item).get().seconds();
    let ciphertexts = run.in_parts(py, messages.len(), seconds, |range| {
        let engine = keys.get(range.start).get().algorithms.engine();
        let request = |item: usize| {
            let key = keys.get(item).get().encryption()?;
            let message = &messages[item][..];
            Ok(rsa::EncryptRequest {
                key,
                scheme,
                message,
            })
        };
        Ok(answered(range, request, |requests| {
            in_words(rsa::encrypt_batch(engine, &mut system_rng(), requests))
        }))
    })?;
    let ciphertexts = ciphertexts
        .into_iter()
        .map(|bytes| bytes.map(Zeroizing::new));
    listed(py, errors, ciphertexts.collect())
}

/// The plaintexts of what `encrypt_many` encrypted. Arguments as there.
///
/// With the padding "pkcs1v15" a wrong ciphertext gives a random message instead of an error (implicit rejection).
#[pyfunction]
#[pyo3(signature = (keys, ciphertexts, *, padding = "oaep", hash = None, label = None, errors = "raise", threads = None, progress = None))]
pub(crate) fn decrypt_many<'py>(
    py: Python<'py>,
    keys: Keys<Py<PrivateKey>>,
    ciphertexts: &Bound<'py, PyAny>,
    padding: &str,
    hash: Option<&str>,
    label: Option<&[u8]>,
    errors: &str,
    threads: Option<Threads>,
    progress: Option<Bound<'py, PyAny>>,
) -> PyResult<Bound<'py, PyList>> {
    let run = Run::new(threads, progress);
    let errors = Errors::new(errors)?;
    let scheme = encryption(padding, hash, label.unwrap_or_default())?;
    let ciphertexts = byte_strings(ciphertexts, "ciphertexts")?;
    keys.check(ciphertexts.len())?;
    let seconds = |item: usize| keys.get(item).get().seconds();
    let messages = run.in_parts(py, ciphertexts.len(), seconds, |range| {
        let engine = keys.get(range.start).get().algorithms.engine();
        let request = |item: usize| {
            let key = keys.get(item).get().decryption()?;
            let ciphertext = &ciphertexts[item][..];
            Ok(rsa::DecryptRequest {
                key,
                scheme,
                ciphertext,
            })
        };
        Ok(answered(range, request, |requests| {
            in_words(rsa::decrypt_batch(engine, &mut system_rng(), requests))
        }))
    })?;
    listed(py, errors, messages)
}

/// The shared secrets of private keys and their peers' public keys (ECDH, X25519, X448). Derive keys
/// from them by a key derivation function: they are no uniformly random bytes.
#[pyfunction]
#[pyo3(signature = (keys, peers, *, errors = "raise", threads = None, progress = None))]
pub(crate) fn agree_many<'py>(
    py: Python<'py>,
    keys: Keys<Py<PrivateKey>>,
    peers: &Bound<'py, PyAny>,
    errors: &str,
    threads: Option<Threads>,
    progress: Option<Bound<'py, PyAny>>,
) -> PyResult<Bound<'py, PyList>> {
    let run = Run::new(threads, progress);
    let errors = Errors::new(errors)?;
    let peers = keys_of::<PublicKey>(peers, "peers")?;
    keys.check(peers.len())?;
    let seconds = |item: usize| keys.get(item).get().seconds();
    let secrets = run.in_parts(py, peers.len(), seconds, |range| {
        let algorithms = &keys.get(range.start).get().algorithms;
        let request = |item: usize| {
            let key = keys.get(item).get().agreement()?;
            let peer = &peers[item].get().key;
            Ok(AgreeRequest { key, peer })
        };
        Ok(answered(range, request, |requests| {
            in_words(keys::agree_batch(algorithms, requests))
        }))
    })?;
    listed(py, errors, secrets)
}
