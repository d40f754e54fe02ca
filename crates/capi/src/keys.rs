//! Keys of any algorithm, and signatures.

use core::ffi::c_char;
use core::num::NonZeroU32;
use std::ffi::CString;
use std::sync::OnceLock;

use sunzi_pk::ec::{ecdsa, eddsa};
use sunzi_pk::keys::{self, Algorithms, SignRequest, SigningKey, VerifyRequest, VerifyingKey};
use sunzi_pk::rsa::blind::partial;
use sunzi_pk::{Hash, KdfLimits, rsa, system_rng};
use zeroize::Zeroizing;

use crate::batch::{Answer, answers, array, messages as copies, of_item, sum_up};
use crate::buffers::{Bytes, Output, write};
use crate::engine::{Engine, Place, borrowed, freed, text};
use crate::status::{Error, Status, answered, guarded};

/// A private key: RSA, a curve for ECDSA and ECDH, Ed25519, Ed448, X25519, X448.
pub struct PrivateKey {
    key: keys::PrivateKey,
    /// The name of the algorithm, with a terminating zero.
    algorithm: CString,
    algorithms: Algorithms,
    /// Prepared, if it can sign.
    pub(crate) signing: Result<SigningKey, String>,
    /// Prepared for partially blind signatures when it is first used for them.
    deriving: OnceLock<Result<partial::SigningKey, String>>,
}

/// A public key.
pub struct PublicKey {
    key: keys::PublicKey,
    /// The name of the algorithm, with a terminating zero.
    algorithm: CString,
    /// Prepared, if it can verify.
    pub(crate) verifying: Result<VerifyingKey, String>,
}

impl PrivateKey {
    pub(crate) fn new(algorithms: &Algorithms, key: keys::PrivateKey) -> Self {
        let signing = SigningKey::new(algorithms, &key);
        Self {
            algorithm: CString::new(key.public_key().algorithm()).unwrap_or_default(),
            key,
            algorithms: algorithms.clone(),
            signing: signing.map_err(|error| error.to_string()),
            deriving: OnceLock::new(),
        }
    }

    /// For partially blind signatures.
    pub(crate) fn deriving(&self) -> Result<&partial::SigningKey, Error> {
        let prepare = || match &self.key {
            keys::PrivateKey::Rsa(key) => partial::SigningKey::new(self.algorithms.engine(), key)
                .map_err(|error| error.to_string()),
            _ => Err("blind signatures need an RSA key".into()),
        };
        self.deriving.get_or_init(prepare).as_ref().map_err(refused)
    }
}

impl PublicKey {
    fn new(algorithms: &Algorithms, key: keys::PublicKey) -> Self {
        let verifying = VerifyingKey::new(algorithms, &key);
        Self {
            algorithm: CString::new(key.algorithm()).unwrap_or_default(),
            key,
            verifying: verifying.map_err(|error| error.to_string()),
        }
    }
}

pub(crate) fn refused(error: impl core::fmt::Display) -> Error {
    Error::new(Status::BadKey, error)
}

/// Reads a private key from PEM, DER or JSON (JWK). `passphrase` is for encrypted PKCS#8, and empty for
/// other files. A file that costs more to open than 10,000,000 rounds of PBKDF2 or 64 MiB of memory for scrypt, or
/// has an RSA modulus of more than 8,192 bits, is refused; sunzi_private_key_load_within permits more. The key is to
/// be freed by sunzi_private_key_free.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sunzi_private_key_load(
    engine: *const Engine,
    file: Bytes,
    passphrase: Bytes,
    key: *mut *mut PrivateKey,
) -> Status {
    // SAFETY: what the caller promises here is what is asked for there.
    unsafe { sunzi_private_key_load_within(engine, file, passphrase, 1, key) }
}

/// The same for a key whose file may cost `kdf_limit` times as much as usual, at least once; RSA moduli may have
/// 16,384 bits for any factor above 1.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sunzi_private_key_load_within(
    engine: *const Engine,
    file: Bytes,
    passphrase: Bytes,
    kdf_limit: u32,
    key: *mut *mut PrivateKey,
) -> Status {
    guarded(|| {
        // SAFETY: the caller's pointers are null, or a writable place, an engine and readable bytes.
        let (place, engine, file, passphrase) = unsafe {
            (
                Place::new(key, "key")?,
                borrowed(engine, "engine")?,
                file.copied("file")?,
                passphrase.copied("passphrase")?,
            )
        };
        let factor = NonZeroU32::new(kdf_limit)
            .ok_or_else(|| Error::argument("kdf_limit is 0: it must be positive"))?;
        let limits = KdfLimits::times(factor);
        let passphrase = Some(&passphrase[..]).filter(|passphrase| !passphrase.is_empty());
        let algorithms = &engine.algorithms;
        let read = keys::PrivateKey::from_pem_or_der(algorithms, &file, passphrase, limits);
        place.hand_over(PrivateKey::new(algorithms, read.map_err(refused)?));
        Ok(())
    })
}

/// Makes a key: `algorithm` is "RSA-2048", or the name of a curve, such as "P-256" or "Ed25519". The key is
/// to be freed by sunzi_private_key_free.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sunzi_private_key_generate(
    engine: *const Engine,
    algorithm: *const c_char,
    key: *mut *mut PrivateKey,
) -> Status {
    guarded(|| {
        // SAFETY: the caller's pointers are null, or a writable place, an engine and a string that ends with a zero.
        let (place, engine, name) = unsafe {
            (
                Place::new(key, "key")?,
                borrowed(engine, "engine")?,
                text(algorithm, "algorithm")?,
            )
        };
        let algorithms = &engine.algorithms;
        let made = keys::PrivateKey::generate(algorithms, &name, &mut system_rng());
        place.hand_over(PrivateKey::new(algorithms, made.map_err(refused)?));
        Ok(())
    })
}

/// Writes a key as PKCS#8 in DER, without encryption. If `file` has too little room, its length is set to
/// what is needed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sunzi_private_key_write(
    key: *const PrivateKey,
    file: *mut Output,
) -> Status {
    guarded(|| {
        // SAFETY: the caller's pointer is null or a key.
        let key = unsafe { borrowed(key, "key") }?;
        let der = key.key.to_pkcs8_der().map_err(refused)?;
        // SAFETY: the caller's buffer is as `Output` says.
        unsafe { write(file, "file", &der) }
    })
}

/// The public half of a key. It is to be freed by sunzi_public_key_free.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sunzi_private_key_public(
    key: *const PrivateKey,
    public_key: *mut *mut PublicKey,
) -> Status {
    guarded(|| {
        // SAFETY: the caller's pointers are null, or a writable place and a key.
        let (place, key) = unsafe {
            let place = Place::new(public_key, "public_key")?;
            (place, borrowed(key, "key")?)
        };
        place.hand_over(PublicKey::new(&key.algorithms, key.key.public_key()));
        Ok(())
    })
}

/// The algorithm of a key and its size, "RSA-2048", or the name of its curve, "P-256" or "Ed25519". It lives as long
/// as the key. Null for null.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sunzi_private_key_algorithm(key: *const PrivateKey) -> *const c_char {
    // SAFETY: the caller's pointer is null or a key.
    unsafe { key.as_ref() }.map_or(core::ptr::null(), |key| key.algorithm.as_ptr())
}

/// The length in bits of a key: that of RSA's modulus, or of the prime of the curve, 256 for P-256, 255 for Ed25519.
/// 0 for null.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sunzi_private_key_bits(key: *const PrivateKey) -> u32 {
    // SAFETY: the caller's pointer is null or a key.
    unsafe { key.as_ref() }.map_or(0, |key| key.key.public_key().bits())
}

/// The bytes of the longest signatures by a key with these options, which may be null: room enough for an output of
/// sunzi_sign. All signatures are as long, but those of ECDSA in DER. 0 for null, for keys that do not sign, and for
/// options that are wrong or another algorithm's; sunzi_error_message then says why.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sunzi_private_key_signature_size(
    key: *const PrivateKey,
    options: *const SignatureOptions,
) -> usize {
    // SAFETY: the caller's pointers are null, or a key and options.
    let most = || unsafe {
        let key = borrowed(key, "key")?;
        let prepared = key.signing.as_ref().map_err(refused)?;
        Options::new(options)?.most(prepared.public_key())
    };
    answered(most)
}

/// Wipes and frees a key. Null is allowed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sunzi_private_key_free(key: *mut PrivateKey) {
    // SAFETY: it is null, or comes from this library, and nobody uses it any more.
    unsafe { freed(key) }
}

/// Reads a public key from PEM, DER or JSON (JWK). It is to be freed by sunzi_public_key_free.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sunzi_public_key_load(
    engine: *const Engine,
    file: Bytes,
    key: *mut *mut PublicKey,
) -> Status {
    guarded(|| {
        // SAFETY: the caller's pointers are null, or a writable place, an engine and readable bytes.
        let (place, engine, file) = unsafe {
            (
                Place::new(key, "key")?,
                borrowed(engine, "engine")?,
                file.copied("file")?,
            )
        };
        let read = keys::PublicKey::from_pem_or_der(&file).map_err(refused)?;
        place.hand_over(PublicKey::new(&engine.algorithms, read));
        Ok(())
    })
}

/// Writes a key as SubjectPublicKeyInfo in DER. If `file` has too little room, its length is set to what
/// is needed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sunzi_public_key_write(
    key: *const PublicKey,
    file: *mut Output,
) -> Status {
    guarded(|| {
        // SAFETY: the caller's pointer is null or a key.
        let key = unsafe { borrowed(key, "key") }?;
        let der = key.key.to_spki_der().map_err(refused)?;
        // SAFETY: the caller's buffer is as `Output` says.
        unsafe { write(file, "file", &der) }
    })
}

/// The algorithm of a key and its size, "RSA-2048", or the name of its curve, "P-256" or "Ed25519". It lives as long
/// as the key. Null for null.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sunzi_public_key_algorithm(key: *const PublicKey) -> *const c_char {
    // SAFETY: the caller's pointer is null or a key.
    unsafe { key.as_ref() }.map_or(core::ptr::null(), |key| key.algorithm.as_ptr())
}

/// The length in bits of a key: that of RSA's modulus, or of the prime of the curve, 256 for P-256, 255 for Ed25519.
/// 0 for null.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sunzi_public_key_bits(key: *const PublicKey) -> u32 {
    // SAFETY: the caller's pointer is null or a key.
    unsafe { key.as_ref() }.map_or(0, |key| key.key.bits())
}

/// The same for the signatures that a public key verifies.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sunzi_public_key_signature_size(
    key: *const PublicKey,
    options: *const SignatureOptions,
) -> usize {
    // SAFETY: the caller's pointers are null, or a key and options.
    let most = || unsafe {
        let key = borrowed(key, "key")?;
        let prepared = key.verifying.as_ref().map_err(refused)?;
        Options::new(options)?.most(prepared.public_key())
    };
    answered(most)
}

/// Frees a key. Null is allowed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sunzi_public_key_free(key: *mut PublicKey) {
    // SAFETY: it is null, or comes from this library, and nobody uses it any more.
    unsafe { freed(key) }
}

/// The padding of RSA signatures.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Padding {
    /// PKCS#1 v1.5.
    Pkcs1v15 = 0,
    /// PSS, with a salt as long as the hash, and MGF1 over the same hash.
    Pss = 1,
}

/// The signatures of keys of secp256k1, and the rules by which those of Ed25519 are accepted.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scheme {
    /// As keys of other curves: ECDSA.
    Usual = 0,
    /// Schnorr signatures of BIP 340, over messages as they are. Keys of other algorithms are refused.
    Bip340 = 1,
    /// Ed25519, accepted by the strict reading of RFC 8032: canonical encodings, the equation without cofactor. Keys of
    /// other algorithms are refused, here and below; signatures are made as usual.
    Ed25519Rfc8032 = 2,
    /// Ed25519: canonical encodings, the equation with cofactor.
    Ed25519Cofactored = 3,
    /// Ed25519: ZIP 215, for consensus.
    Ed25519Zip215 = 4,
    /// Ed25519: verify_strict of ed25519-dalek, which refuses points of small order.
    Ed25519DalekStrict = 5,
}

impl Scheme {
    /// All schemes, each at the place of its number.
    const ALL: &'static [Self] = &[
        Self::Usual,
        Self::Bip340,
        Self::Ed25519Rfc8032,
        Self::Ed25519Cofactored,
        Self::Ed25519Zip215,
        Self::Ed25519DalekStrict,
    ];

    /// The rule for Ed25519, if it is one.
    fn rule(self) -> Option<eddsa::Rule> {
        match self {
            Self::Usual | Self::Bip340 => None,
            Self::Ed25519Rfc8032 => Some(eddsa::Rule::Rfc8032),
            Self::Ed25519Cofactored => Some(eddsa::Rule::Cofactored),
            Self::Ed25519Zip215 => Some(eddsa::Rule::Zip215),
            Self::Ed25519DalekStrict => Some(eddsa::Rule::DalekStrict),
        }
    }
}

/// Source of the nonces of signatures on curves.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Nonces {
    /// From key and message alone: a message always gets the same signature.
    Deterministic = 0,
    /// From key, message and fresh randomness, of BIP 340 unless the options have auxiliary bytes: attacks that compare
    /// computations of one message do not apply.
    Hedged = 1,
}

pub(crate) fn nonce_kind(nonces: u32) -> Result<keys::NonceKind, Error> {
    match nonces {
        0 => Ok(keys::NonceKind::Deterministic),
        1 => Ok(keys::NonceKind::Hedged),
        other => Err(Error::argument(format_args!(
            "nonces is {other}: no sunzi_nonces"
        ))),
    }
}

/// Options of signatures. All zero: the usual scheme of the key.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct SignatureOptions {
    /// The hash of the messages, such as "SHA-384", of RSA and ECDSA; null for SHA-256, with curves of
    /// more than 256 bits SHA-384, and of more than 384 bits SHA-512.
    pub hash: *const c_char,
    /// RSA: a sunzi_padding.
    pub padding: u32,
    /// ECDSA: 0 for signatures in DER, 1 for r and s one after the other.
    pub raw: u32,
    /// ECDSA: 1 if s is at most half the order of the curve, as Bitcoin asks for.
    pub low_s: u32,
    /// A sunzi_scheme.
    pub scheme: u32,
    /// BIP 340: 32 random bytes for all signatures of the call, or null for zeros, with which a message always
    /// gets the same signature, and with hedged nonces for fresh ones.
    pub auxiliary: *const u8,
}

/// Options, checked.
#[derive(Clone, Copy)]
pub(crate) struct Options {
    hash: Option<Hash>,
    padding: rsa::Scheme,
    encoding: ecdsa::Encoding,
    s: ecdsa::SRange,
    /// The scheme that is asked for by name.
    named: Option<Scheme>,
    /// The auxiliary bytes of BIP 340, if they are given.
    auxiliary: Option<[u8; 32]>,
}

impl Options {
    /// # Safety
    /// `options` is null or readable, its strings end with zeros, and `auxiliary` is null or has 32 bytes.
    pub(crate) unsafe fn new(options: *const SignatureOptions) -> Result<Self, Error> {
        // SAFETY: by this function's condition.
        let Some(&options) = (unsafe { options.as_ref() }) else {
            return Ok(Self {
                hash: None,
                padding: rsa::Scheme::Pkcs1v15,
                encoding: ecdsa::Encoding::Der,
                s: ecdsa::SRange::Any,
                named: None,
                auxiliary: None,
            });
        };
        let flag = |name: &str, value: u32| match value {
            0 => Ok(false),
            1 => Ok(true),
            _ => Err(Error::argument(format_args!(
                "{name} is {value}: 0 or 1 are possible"
            ))),
        };
        let hash = if options.hash.is_null() {
            None
        } else {
            // SAFETY: by this function's condition.
            let name = unsafe { text(options.hash, "hash") }?;
            Some(name.parse().map_err(Error::argument)?)
        };
        let mut schemes = Scheme::ALL.iter();
        let named = schemes.find(|&&scheme| scheme as u32 == options.scheme);
        let named = match named {
            Some(Scheme::Usual) => None,
            Some(&scheme) => Some(scheme),
            None => {
                return Err(Error::argument(format_args!(
                    "scheme is {}: 0 to {} are possible",
                    options.scheme,
                    Scheme::ALL.len() - 1
                )));
            }
        };
        let auxiliary = if matches!(named, Some(Scheme::Bip340)) {
            // SAFETY: by this function's condition.
            unsafe { options.auxiliary.cast::<[u8; 32]>().as_ref() }.copied()
        } else {
            None
        };
        Ok(Self {
            hash,
            padding: if flag("padding", options.padding)? {
                rsa::Scheme::PSS
            } else {
                rsa::Scheme::Pkcs1v15
            },
            encoding: if flag("raw", options.raw)? {
                ecdsa::Encoding::Raw
            } else {
                ecdsa::Encoding::Der
            },
            s: if flag("low_s", options.low_s)? {
                ecdsa::SRange::Low
            } else {
                ecdsa::SRange::Any
            },
            named,
            auxiliary,
        })
    }

    pub(crate) fn scheme(self, key: &keys::PublicKey) -> Result<keys::Scheme<'static>, Error> {
        let algorithm = key.algorithm();
        if let Some(rule) = self.named.and_then(Scheme::rule) {
            if algorithm != "Ed25519" {
                let words =
                    format_args!("keys of {algorithm} have no rule {rule}: it is Ed25519's");
                return Err(refused(words));
            }
            return Ok(keys::Scheme::EddsaBy(eddsa::Variant::Pure, rule));
        }
        if matches!(self.named, Some(Scheme::Bip340)) {
            if algorithm != "secp256k1" {
                let words = format_args!("keys of {algorithm} do not sign by BIP 340");
                return Err(refused(words));
            }
            let auxiliary = self.auxiliary;
            return Ok(keys::Scheme::Bip340 { auxiliary });
        }
        Ok(match keys::Scheme::of(key) {
            keys::Scheme::Rsa(_, usual) => {
                keys::Scheme::Rsa(self.padding, self.hash.unwrap_or(usual))
            }
            keys::Scheme::Ecdsa { hash, .. } => keys::Scheme::Ecdsa {
                hash: self.hash.unwrap_or(hash),
                encoding: self.encoding,
                s: self.s,
            },
            _ => keys::Scheme::Eddsa(eddsa::Variant::Pure),
        })
    }

    /// The bytes of the longest signatures by a key.
    fn most(self, key: &keys::PublicKey) -> Result<usize, Error> {
        let most = self.scheme(key)?.max_signature_bytes(key);
        most.ok_or_else(Error::internal)
    }
}

/// Signs `count` messages, message k with `keys[k]`, of any mix of algorithms. Signature k is written to
/// `signatures[k]`. `options` may be null. `statuses`, if it is not null, has room for `count` statuses. If
/// an item fails, the function returns SUNZI_STATUS_SOME_FAILED; the message is that of the first such
/// item. Each signature is checked before it leaves. Nonces are deterministic.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sunzi_sign(
    engine: *const Engine,
    count: usize,
    keys: *const *const PrivateKey,
    messages: *const Bytes,
    options: *const SignatureOptions,
    signatures: *mut Output,
    statuses: *mut Status,
) -> Status {
    let nonces = Nonces::Deterministic as u32;
    // SAFETY: what the caller promises here is what is asked for there.
    unsafe {
        sunzi_sign_with_nonces(
            engine, count, keys, messages, options, nonces, signatures, statuses,
        )
    }
}

/// The same with a choice of nonces for keys of curves: `nonces` is a sunzi_nonces.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sunzi_sign_with_nonces(
    engine: *const Engine,
    count: usize,
    keys: *const *const PrivateKey,
    messages: *const Bytes,
    options: *const SignatureOptions,
    nonces: u32,
    signatures: *mut Output,
    statuses: *mut Status,
) -> Status {
    guarded(|| {
        let nonces = nonce_kind(nonces)?;
        // SAFETY: the caller's pointers are null, or what they are said to be.
        let (engine, options, keys, messages) = unsafe {
            let engine = borrowed(engine, "engine")?;
            let options = Options::new(options)?;
            let keys = array(keys, count, "keys")?;
            let messages = copies(messages, count, "messages", "a message")?;
            (engine, options, keys, messages)
        };
        if signatures.is_null() && count > 0 {
            return Err(Error::argument("signatures is null"));
        }
        let request = |(&key, message): (&*const PrivateKey, _)| {
            // SAFETY: the caller's pointers are null or keys.
            let key = unsafe { borrowed(key, "a key") }?;
            let message = of_item(message)?;
            let prepared = key.signing.as_ref().map_err(refused);
            Ok(prepared.and_then(|key| {
                Ok(SignRequest {
                    key,
                    scheme: options.scheme(key.public_key())?,
                    content: message.into(),
                })
            }))
        };
        // A pointer that is null ends the batch; a key that cannot sign is an error of its item.
        let requests = keys.iter().zip(&messages).map(request);
        let requests: Vec<_> = requests.collect::<Result<_, _>>()?;
        let sign = |algorithms: &Algorithms, requests: &[_]| {
            keys::sign_batch(algorithms, &mut system_rng(), nonces, requests)
        };
        let failure = |error| Error::new(Status::Failed, error);
        let made = answers(engine, requests, sign, failure)?;
        let written = |(k, signature): (usize, Answer<Vec<u8>>)| {
            let signature = Zeroizing::new(signature?);
            // SAFETY: the caller's array has an `Output` for each item.
            unsafe { write(signatures.add(k), "a signature", &signature) }
        };
        let answers: Vec<_> = made.into_iter().enumerate().map(written).collect();
        // SAFETY: the caller's array has room for `count` statuses.
        unsafe { sum_up(&answers, statuses) }
    })
}

/// Verifies `count` signatures, signature k of message k with `keys[k]`, of any mix of algorithms. Returns
/// SUNZI_STATUS_OK if all are valid, SUNZI_STATUS_INVALID if one is not, and SUNZI_STATUS_SOME_FAILED if
/// nothing is known about one. `options` and `statuses` are as in sunzi_sign.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sunzi_verify(
    engine: *const Engine,
    count: usize,
    keys: *const *const PublicKey,
    messages: *const Bytes,
    signatures: *const Bytes,
    options: *const SignatureOptions,
    statuses: *mut Status,
) -> Status {
    guarded(|| {
        // SAFETY: the caller's pointers are null, or what they are said to be.
        let (engine, options, keys, messages, signatures) = unsafe {
            let engine = borrowed(engine, "engine")?;
            let options = Options::new(options)?;
            let keys = array(keys, count, "keys")?;
            let messages = copies(messages, count, "messages", "a message")?;
            let signatures = copies(signatures, count, "signatures", "a signature")?;
            (engine, options, keys, messages, signatures)
        };
        let request = |((&key, message), signature): ((&*const PublicKey, _), _)| {
            // SAFETY: the caller's pointers are null or keys.
            let key = unsafe { borrowed(key, "a key") }?;
            let (message, signature) = (of_item(message)?, of_item(signature)?);
            let prepared = key.verifying.as_ref().map_err(refused);
            Ok(prepared.and_then(|key| {
                Ok(VerifyRequest {
                    key,
                    scheme: options.scheme(key.public_key())?,
                    content: message.into(),
                    signature,
                })
            }))
        };
        // As in signing.
        let requests = keys.iter().zip(&messages).zip(&signatures).map(request);
        let requests: Vec<_> = requests.collect::<Result<_, _>>()?;
        let failure = |error: keys::VerifyError| {
            let undecided = error.is_undecided();
            let status = if undecided {
                Status::Failed
            } else {
                Status::Invalid
            };
            Error::new(status, error)
        };
        let answers = answers(engine, requests, keys::verify_batch, failure)?;
        // SAFETY: the caller's array has room for `count` statuses.
        unsafe { sum_up(&answers, statuses) }
    })
}
