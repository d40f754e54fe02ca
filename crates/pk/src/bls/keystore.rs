//! Encrypted files of BLS secret keys (EIP-2335, version 4).
//!
//! A file is JSON: the public key, the path that the key was derived by, and the secret key encrypted by AES-128 in
//! counter mode, with a key that scrypt or PBKDF2 derives from a password. A checksum tells a wrong password.

use super::element::PublicKey;
use super::secret_key::{SecretKey, SecretKeyError};
use crate::{Hash, Hasher, KdfLimits, KeyFileError};
use aes::Aes128;
use core::fmt;
use ctr::Ctr128BE;
use ctr::cipher::{KeyIvInit, StreamCipher};
use hmac::Hmac;
use rand_core::TryCryptoRng;
use serde::{Deserialize, Serialize};
use sha2::Sha256;
use unicode_normalization::UnicodeNormalization;
use zeroize::Zeroizing;

/// The version of files.
const VERSION: u64 = 4;
/// Length of a derived key in bytes: half of it encrypts, and half goes into the checksum.
const DERIVED_BYTES: usize = 32;
/// The largest length of a salt in bytes.
const MAX_SALT: usize = 1024;
/// The largest length of a file in bytes.
pub const MAX_KEYSTORE_BYTES: usize = 64 << 10;

/// The derivation of keys from passwords in new files.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KeystoreKdf {
    /// scrypt with `n = 2^18`, `r = 8` and `p = 1`: 256 MiB of memory.
    Scrypt,
    /// PBKDF2 with HMAC-SHA-256 and 262,144 rounds.
    Pbkdf2,
}

/// The reason why a file is refused.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum KeystoreError {
    /// The file is no JSON, or lacks fields.
    #[error("this is no keystore: {0}")]
    Json(String),
    /// The file is too long.
    #[error("the keystore has {0} bytes: at most {MAX_KEYSTORE_BYTES} are read")]
    Length(usize),
    /// The version is another.
    #[error("the keystore is of version {0}: version {VERSION} is read")]
    Version(u64),
    /// An algorithm is unknown.
    #[error("the algorithm {0:?} is not that of a keystore")]
    Algorithm(String),
    /// A field has no valid content.
    #[error("the field {0} of the keystore is not valid")]
    Field(&'static str),
    /// The derivation of the key is not possible, or takes more time or memory than is permitted.
    #[error("{0}")]
    Kdf(#[from] KeyFileError),
    /// The password is wrong, or the file is damaged.
    #[error("the password is wrong, or the keystore is damaged")]
    Password,
    /// What was encrypted is no secret key.
    #[error("the keystore's secret is no key: {0}")]
    Secret(#[from] SecretKeyError),
    /// The random number generator failed.
    #[error("the random number generator failed")]
    Random,
}

/// An encrypted secret key; not secret itself.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Keystore {
    crypto: Crypto,
    #[serde(default)]
    description: String,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pubkey: String,
    #[serde(default)]
    path: String,
    uuid: String,
    version: u64,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Crypto {
    kdf: Module<KdfParameters>,
    checksum: Module<Nothing>,
    cipher: Module<CipherParameters>,
}

/// A step of the encryption: the name of a function, its parameters, and its result in hexadecimal.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Module<P> {
    function: String,
    params: P,
    message: String,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Nothing {}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct CipherParameters {
    iv: String,
}

/// The parameters of scrypt, or those of PBKDF2.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
enum KdfParameters {
    Scrypt {
        dklen: u64,
        n: u64,
        p: u32,
        r: u32,
        salt: String,
    },
    Pbkdf2 {
        dklen: u64,
        c: u32,
        prf: String,
        salt: String,
    },
}

/// Bytes of hexadecimal digits.
fn bytes(field: &'static str, text: &str) -> Result<Vec<u8>, KeystoreError> {
    base16ct::mixed::decode_vec(text.as_bytes()).map_err(|_| KeystoreError::Field(field))
}

/// So many bytes of hexadecimal digits.
fn array<const N: usize>(field: &'static str, text: &str) -> Result<[u8; N], KeystoreError> {
    let bytes = bytes(field, text)?;
    bytes.try_into().map_err(|_| KeystoreError::Field(field))
}

/// A password as it is hashed: normalized (NFKD), without control characters.
fn normalized(password: &str) -> Zeroizing<Vec<u8>> {
    // A text that grows would leave its old memory unwiped: there is room for any decomposition.
    let mut text = Zeroizing::new(String::with_capacity(18 * password.len() + 4));
    text.extend(password.nfkd().filter(|c| !c.is_control()));
    Zeroizing::new(text.as_bytes().to_vec())
}

impl KdfParameters {
    /// Parameters for a new file.
    fn new(kdf: KeystoreKdf, salt: String) -> Self {
        let dklen = DERIVED_BYTES as u64;
        match kdf {
            KeystoreKdf::Scrypt => Self::Scrypt {
                dklen,
                n: 1 << 18,
                p: 1,
                r: 8,
                salt,
            },
            KeystoreKdf::Pbkdf2 => Self::Pbkdf2 {
                dklen,
                c: 1 << 18,
                prf: String::from("hmac-sha256"),
                salt,
            },
        }
    }

    fn name(&self) -> &'static str {
        match self {
            Self::Scrypt { .. } => "scrypt",
            Self::Pbkdf2 { .. } => "pbkdf2",
        }
    }

    /// The key of a password.
    fn derive(
        &self,
        password: &str,
        limits: KdfLimits,
    ) -> Result<Zeroizing<[u8; DERIVED_BYTES]>, KeystoreError> {
        let password = normalized(password);
        let mut derived = Zeroizing::new([0; DERIVED_BYTES]);
        let (Self::Scrypt { dklen, salt, .. } | Self::Pbkdf2 { dklen, salt, .. }) = self;
        if *dklen != DERIVED_BYTES as u64 {
            return Err(KeystoreError::Field("dklen"));
        }
        let salt = bytes("salt", salt)?;
        if salt.len() > MAX_SALT {
            return Err(KeystoreError::Field("salt"));
        }
        match self {
            Self::Scrypt { n, p, r, .. } => {
                limits.check_scrypt(*n, u64::from(*r), u64::from(*p))?;
                let parameters = scrypt::Params::new(n.ilog2() as u8, *r, *p);
                let parameters = parameters.map_err(|_| KeystoreError::Field("params"))?;
                let length = scrypt::scrypt(&password, &salt, &parameters, &mut *derived);
                length.map_err(|_| KeystoreError::Field("dklen"))?;
            }
            Self::Pbkdf2 { c, prf, .. } => {
                if prf != "hmac-sha256" {
                    return Err(KeystoreError::Algorithm(prf.clone()));
                }
                limits.check_pbkdf2(u64::from(*c))?;
                let length = pbkdf2::pbkdf2::<Hmac<Sha256>>(&password, &salt, *c, &mut *derived);
                length.map_err(|_| KeystoreError::Field("dklen"))?;
            }
        }
        Ok(derived)
    }
}

/// The checksum of an encrypted secret.
fn checksum(derived: &[u8; DERIVED_BYTES], encrypted: &[u8]) -> Vec<u8> {
    let mut hasher = Hasher::new(Hash::Sha256);
    hasher.update(&derived[DERIVED_BYTES / 2..]);
    hasher.update(encrypted);
    hasher.finish().as_bytes().to_vec()
}

/// Encrypts or decrypts.
fn apply_cipher(derived: &[u8; DERIVED_BYTES], iv: [u8; 16], bytes: &mut [u8]) {
    let mut key = Zeroizing::new([0; DERIVED_BYTES / 2]);
    key.copy_from_slice(&derived[..DERIVED_BYTES / 2]);
    let mut cipher = Ctr128BE::<Aes128>::new((&*key).into(), &iv.into());
    cipher.apply_keystream(bytes);
}

/// Random bytes.
fn random<const N: usize, R: TryCryptoRng + ?Sized>(rng: &mut R) -> Result<[u8; N], KeystoreError> {
    let mut bytes = [0; N];
    let drawn = rng.try_fill_bytes(&mut bytes);
    drawn.map_err(|_| KeystoreError::Random)?;
    Ok(bytes)
}

/// A random identifier (RFC 9562, version 4).
fn identifier<R: TryCryptoRng + ?Sized>(rng: &mut R) -> Result<String, KeystoreError> {
    let mut bytes: [u8; 16] = random(rng)?;
    bytes[6] = bytes[6] & 0x0f | 0x40;
    bytes[8] = bytes[8] & 0x3f | 0x80;
    let digits = base16ct::lower::encode_string(&bytes);
    let parts = [0..8, 8..12, 12..16, 16..20, 20..32].map(|range| &digits[range]);
    Ok(parts.join("-"))
}

impl Keystore {
    /// Reads a file.
    ///
    /// # Errors
    /// [`KeystoreError::Length`], [`KeystoreError::Json`], [`KeystoreError::Version`], [`KeystoreError::Algorithm`].
    pub fn from_json(json: &[u8]) -> Result<Self, KeystoreError> {
        if json.len() > MAX_KEYSTORE_BYTES {
            return Err(KeystoreError::Length(json.len()));
        }
        let read = serde_json::from_slice(json);
        let keystore: Self = read.map_err(|error| KeystoreError::Json(error.to_string()))?;
        if keystore.version != VERSION {
            return Err(KeystoreError::Version(keystore.version));
        }
        let Crypto {
            kdf,
            checksum,
            cipher,
        } = &keystore.crypto;
        for (function, expected) in [
            (&kdf.function, kdf.params.name()),
            (&checksum.function, "sha256"),
            (&cipher.function, "aes-128-ctr"),
        ] {
            if function != expected {
                return Err(KeystoreError::Algorithm(function.clone()));
            }
        }
        Ok(keystore)
    }

    /// Encrypts a secret key. `path` tells how it was derived, and may be empty.
    ///
    /// # Errors
    /// [`KeystoreError::Random`].
    pub fn seal<R: TryCryptoRng + ?Sized>(
        secret: &SecretKey,
        public: &PublicKey,
        path: &str,
        password: &str,
        kdf: KeystoreKdf,
        rng: &mut R,
    ) -> Result<Self, KeystoreError> {
        let salt: [u8; DERIVED_BYTES] = random(rng)?;
        let iv: [u8; 16] = random(rng)?;
        let parameters = KdfParameters::new(kdf, base16ct::lower::encode_string(&salt));
        let derived = parameters.derive(password, KdfLimits::keystores())?;
        let mut encrypted = secret.to_bytes();
        apply_cipher(&derived, iv, &mut encrypted);
        let checksum = checksum(&derived, &encrypted);
        let module = |function: &str, message: &[u8]| {
            (function.to_owned(), base16ct::lower::encode_string(message))
        };
        let (function, message) = module("aes-128-ctr", &encrypted);
        let cipher = Module {
            function,
            params: CipherParameters {
                iv: base16ct::lower::encode_string(&iv),
            },
            message,
        };
        let (function, message) = module("sha256", &checksum);
        let checksum = Module {
            function,
            params: Nothing {},
            message,
        };
        let kdf = Module {
            function: parameters.name().to_owned(),
            params: parameters,
            message: String::new(),
        };
        Ok(Self {
            crypto: Crypto {
                kdf,
                checksum,
                cipher,
            },
            description: String::new(),
            pubkey: base16ct::lower::encode_string(public.to_bytes()),
            path: path.to_owned(),
            uuid: identifier(rng)?,
            version: VERSION,
        })
    }

    /// The secret key.
    ///
    /// # Errors
    /// [`KeystoreError::Field`], [`KeystoreError::Algorithm`], [`KeystoreError::Kdf`], [`KeystoreError::Password`],
    /// [`KeystoreError::Secret`].
    pub fn open(&self, password: &str, limits: KdfLimits) -> Result<SecretKey, KeystoreError> {
        let cipher = &self.crypto.cipher;
        let iv = array("iv", &cipher.params.iv)?;
        let expected: [u8; 32] = array("checksum", &self.crypto.checksum.message)?;
        let mut secret = Zeroizing::new(bytes("cipher", &cipher.message)?);
        let derived = self.crypto.kdf.params.derive(password, limits)?;
        let differences = checksum(&derived, &secret).into_iter().zip(expected);
        if differences.fold(0, |all, (x, y)| all | (x ^ y)) != 0 {
            return Err(KeystoreError::Password);
        }
        apply_cipher(&derived, iv, &mut secret);
        Ok(SecretKey::from_bytes(&secret)?)
    }

    /// The file.
    ///
    /// # Panics
    /// Never: the fields are numbers and texts.
    pub fn to_json(&self) -> String {
        serde_json::to_string_pretty(self).expect("numbers and texts are JSON")
    }

    /// The public key that the file names, in hexadecimal; empty if it names none. Compare it with that of the secret
    /// key.
    pub fn public_key(&self) -> &str {
        &self.pubkey
    }

    /// The path that the key was derived by; empty if it was not.
    pub fn path(&self) -> &str {
        &self.path
    }

    /// The description.
    pub fn description(&self) -> &str {
        &self.description
    }

    /// The file's identifier.
    pub fn uuid(&self) -> &str {
        &self.uuid
    }
}

impl fmt::Display for Keystore {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.to_json())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::system_rng;
    use sunzi_engine::{Backend, Engine};

    /// The password of EIP-2335's test cases, and what is hashed of it.
    const PASSWORD: &str = "𝔱𝔢𝔰𝔱𝔭𝔞𝔰𝔰𝔴𝔬𝔯𝔡🔑";
    const SECRET: &str = "000000000019d6689c085ae165831e934ff763ae46a2a6c172b3f1b60a8ce26f";
    const PUBLIC: &str = "9612d7a727c9d0a22e185a1c768478dfe919cada9266988cb32359c11f2b7b27\
                          f4ae4040902382ae2910c15e2b420d07";

    fn cases() -> [String; 2] {
        [
            include_str!("../../../../vectors/pairings/keystore_scrypt.json"),
            include_str!("../../../../vectors/pairings/keystore_pbkdf2.json"),
        ]
        .map(String::from)
    }

    fn hex(bytes: &[u8]) -> String {
        base16ct::lower::encode_string(bytes)
    }

    #[test]
    fn passwords_are_normalized() {
        let expected = "7465737470617373776f7264f09f9491";
        assert_eq!(hex(&normalized(PASSWORD)), expected);
        let with_controls = PASSWORD.replace('🔑', "\u{7}\u{7f}\u{9c}🔑\n");
        assert_eq!(hex(&normalized(&with_controls)), expected);
        assert_eq!(&normalized("é\u{2126}")[..], "e\u{301}\u{3a9}".as_bytes());
    }

    /// Both test cases of the EIP; a wrong password; less memory or rounds than they take.
    #[test]
    fn cases_of_the_eip() {
        for json in cases() {
            let keystore = Keystore::from_json(json.as_bytes()).unwrap();
            let secret = keystore.open(PASSWORD, KdfLimits::keystores()).unwrap();
            assert_eq!(hex(&secret.to_bytes()), SECRET);
            assert_eq!(keystore.public_key(), PUBLIC);
            let refused = keystore.open(PASSWORD, KdfLimits::new(1000, 1 << 20, 1));
            assert!(matches!(refused, Err(KeystoreError::Kdf(_))));
            let again = Keystore::from_json(keystore.to_json().as_bytes()).unwrap();
            assert_eq!(again, keystore);
            let wrong = keystore.open("wrong", KdfLimits::keystores());
            assert!(matches!(wrong, Err(KeystoreError::Password)));
        }
    }

    /// What is written can be read, and names its key.
    #[test]
    fn round_trip() {
        let engine = Engine::new(Backend::best()).unwrap();
        let pairing = crate::ec::pairing::PreparedPairing::bls12_381(&engine).unwrap();
        let suite = crate::bls::Suite::new(
            crate::bls::Variant::MinPk,
            crate::bls::Scheme::ProofOfPossession,
        );
        let bls = crate::bls::PreparedBls::new(&pairing, suite);
        let secret = SecretKey::generate(&mut system_rng()).unwrap();
        let public = bls.public_key_batch(&[&secret]).remove(0).unwrap();
        let kdf = KeystoreKdf::Pbkdf2;
        let path = "m/12381/3600/0/0/0";
        let keystore =
            Keystore::seal(&secret, &public, path, "päss", kdf, &mut system_rng()).unwrap();
        let read = Keystore::from_json(keystore.to_json().as_bytes()).unwrap();
        assert_eq!((read.path(), read.description()), (path, ""));
        assert_eq!(read.public_key(), hex(public.to_bytes()));
        assert_eq!(read.uuid().len(), 36);
        let opened = read.open("pa\u{308}ss", KdfLimits::default()).unwrap();
        assert_eq!(opened.to_bytes(), secret.to_bytes());
    }

    /// Files that are refused, and why; none takes time or memory.
    #[test]
    fn refused_files() {
        let [scrypt, pbkdf2] = cases();
        let read = |json: &str| Keystore::from_json(json.as_bytes());
        assert!(matches!(read("{}"), Err(KeystoreError::Json(_))));
        assert!(matches!(read("{"), Err(KeystoreError::Json(_))));
        let long = " ".repeat(MAX_KEYSTORE_BYTES + 1);
        assert!(matches!(read(&long), Err(KeystoreError::Length(_))));
        let version = scrypt.replace("\"version\": 4", "\"version\": 3");
        assert_eq!(read(&version), Err(KeystoreError::Version(3)));
        for (old, new) in [
            ("\"scrypt\",", "\"pbkdf2\","),
            ("\"sha256\"", "\"sha512\""),
            ("aes-128-ctr", "aes-128-cbc"),
        ] {
            let changed = scrypt.replace(old, new);
            assert!(
                matches!(read(&changed), Err(KeystoreError::Algorithm(_))),
                "{new}"
            );
        }
        let open = |json: &str, old: &str, new: &str| {
            assert!(json.contains(old), "{old}");
            let keystore = read(&json.replace(old, new)).unwrap();
            keystore.open(PASSWORD, KdfLimits::keystores()).err()
        };
        let field = |name| Some(KeystoreError::Field(name));
        for (json, old, new) in [
            (&scrypt, "\"n\": 262144", "\"n\": 262143"),
            (&scrypt, "\"n\": 262144", "\"n\": 0"),
            (&scrypt, "\"n\": 262144", "\"n\": 524288"),
            (&scrypt, "\"n\": 262144", "\"n\": 9223372036854775808"),
            (&scrypt, "\"r\": 8", "\"r\": 4294967295"),
            (&scrypt, "\"r\": 8", "\"r\": 0"),
            (&scrypt, "\"p\": 1", "\"p\": 4000000000"),
            (&pbkdf2, "\"c\": 262144", "\"c\": 0"),
            (&pbkdf2, "\"c\": 262144", "\"c\": 4294967295"),
        ] {
            let error = open(json, old, new);
            assert!(
                matches!(error, Some(KeystoreError::Kdf(_))),
                "{new}: {error:?}"
            );
        }
        assert_eq!(
            open(&scrypt, "\"dklen\": 32", "\"dklen\": 16"),
            field("dklen")
        );
        let prf = open(&pbkdf2, "hmac-sha256", "hmac-sha512");
        assert!(matches!(prf, Some(KeystoreError::Algorithm(_))));
        assert_eq!(open(&pbkdf2, "\"iv\": \"26", "\"iv\": \""), field("iv"));
        assert_eq!(open(&pbkdf2, "\"iv\": \"26", "\"iv\": \"2x"), field("iv"));
        assert_eq!(
            open(&pbkdf2, "\"message\": \"ce", "\"message\": \"cf"),
            Some(KeystoreError::Password)
        );
    }
}
