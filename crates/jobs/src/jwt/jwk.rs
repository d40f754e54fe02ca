//! JSON Web Keys (RFC 7517) with the members that say what they are for.

use super::error::KeysError;
use super::method::Method;
use crate::json::{Json, Object};
use base64ct::{Base64UrlUnpadded, Encoding};
use serde::Deserialize;
use serde_json::value::RawValue;
use sunzi_pk::keys::{Algorithms, KeyError, PrivateKey, PublicKey};
use sunzi_pk::{Hash, KdfLimits, MAX_FILE_BYTES};
use zeroize::Zeroizing;

/// The shortest RSA key, in bits (RFC 7518, sections 3.3 and 3.5).
const MIN_RSA_BITS: u32 = 2048;

/// A key of a set, whose numbers have not been looked at.
pub(super) struct Jwk<'a> {
    text: &'a str,
    pub(super) kid: Option<String>,
    pub(super) alg: Option<String>,
    /// The reason why it may not do what it is wanted for, if it has one.
    unfit: Option<String>,
    symmetric: bool,
}

/// What a key is wanted for.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Purpose {
    Sign,
    Verify,
}

/// The keys of a set; a file with one key is a set of it.
pub(super) fn read_set(file: &[u8], purpose: Purpose) -> Result<Vec<Jwk<'_>>, KeysError> {
    #[derive(Deserialize)]
    struct Set<'a> {
        #[serde(borrow)]
        keys: Option<Vec<&'a RawValue>>,
    }
    if file.len() > MAX_FILE_BYTES {
        return Err(KeysError::TooLong(file.len()));
    }
    Object::read(file).map_err(KeysError::NotJson)?;
    let malformed = |_| KeysError::NotJson("its keys are no list".into());
    let set: Set<'_> = serde_json::from_slice(file).map_err(malformed)?;
    let texts = match &set.keys {
        Some(keys) => keys.iter().map(|key| key.get()).collect(),
        None => {
            vec![core::str::from_utf8(file).map_err(|_| KeysError::NotJson("no UTF-8".into()))?]
        }
    };
    texts
        .into_iter()
        .map(|text| Jwk::read(text, purpose))
        .collect()
}

impl<'a> Jwk<'a> {
    fn read(text: &'a str, purpose: Purpose) -> Result<Self, KeysError> {
        let object = Object::read(text.as_bytes()).map_err(KeysError::NotJson)?;
        let member = |name: &'static str| {
            object.text(name, || {
                KeysError::NotJson(format!("the {name} of a key is no text"))
            })
        };
        Ok(Self {
            text,
            kid: member("kid")?.map(Into::into),
            alg: member("alg")?.map(Into::into),
            unfit: unfit(&object, member("use")?, purpose),
            symmetric: member("kty")? == Some("oct"),
        })
    }

    fn check(&self) -> Result<(), String> {
        self.unfit.clone().map_or(Ok(()), Err)
    }

    /// The symmetric key, if it is one.
    pub(super) fn symmetric(&self) -> Option<Result<Zeroizing<Vec<u8>>, String>> {
        #[derive(Deserialize)]
        struct Oct<'a> {
            k: &'a str,
        }
        self.symmetric.then(|| {
            self.check()?;
            let oct: Oct<'_> = serde_json::from_str(self.text).map_err(|_| "it has no k")?;
            let key = Base64UrlUnpadded::decode_vec(oct.k).map(Zeroizing::new);
            key.map_err(|_| "its k is not base64url without padding".into())
        })
    }

    /// The public key, or the public half of a private one.
    pub(super) fn public(&self, algorithms: &Algorithms) -> Result<PublicKey, String> {
        self.check()?;
        let key = match PublicKey::from_pem_or_der(self.text.as_bytes()) {
            Err(KeyError::PrivateKeyGiven) => self.private(algorithms)?.public_key(),
            other => other.map_err(|error| error.to_string())?,
        };
        check_size(&key)?;
        Ok(key)
    }

    /// The private key.
    pub(super) fn private(&self, algorithms: &Algorithms) -> Result<PrivateKey, String> {
        self.check()?;
        let text = self.text.as_bytes();
        let key = PrivateKey::from_pem_or_der(algorithms, text, None, KdfLimits::default());
        key.map_err(|error| error.to_string())
    }
}

/// Checks the size of an RSA key.
pub(super) fn check_size(key: &PublicKey) -> Result<(), String> {
    if matches!(key, PublicKey::Rsa(_)) && key.bits() < MIN_RSA_BITS {
        return Err(format!(
            "it has {} bits, and RFC 7518 asks for {MIN_RSA_BITS}",
            key.bits()
        ));
    }
    Ok(())
}

/// Checks the length of a symmetric key: as long as the hash at least (RFC 7518, section 3.2).
pub(super) fn check_symmetric(hash: Hash, key: &[u8]) -> Result<(), String> {
    if key.len() < hash.digest_len() {
        return Err(format!(
            "it has {} bytes, and RFC 7518 asks for {}",
            key.len(),
            hash.digest_len()
        ));
    }
    Ok(())
}

/// The reason why `use` or `key_ops` forbid the purpose.
fn unfit(object: &Object<'_>, intended: Option<&str>, purpose: Purpose) -> Option<String> {
    if intended.is_some_and(|intended| intended != "sig") {
        return Some("its use is not sig".into());
    }
    let operation = match purpose {
        Purpose::Sign => "sign",
        Purpose::Verify => "verify",
    };
    let permits = match object.get("key_ops") {
        None => true,
        Some(Json::Array(list)) => list.iter().any(|entry| match entry {
            // Who may sign may verify.
            Json::Text(text) => text == operation || text == "sign",
            _ => false,
        }),
        Some(_) => false,
    };
    (!permits).then(|| format!("its key_ops do not have {operation}"))
}

/// The method that an algorithm's name means for a key, or none.
pub(super) fn method_of(alg: &str, public: Option<&PublicKey>) -> Option<Method> {
    match public {
        Some(key) => sunzi_pk::keys::Scheme::of_jws(alg, key).map(Method::Scheme),
        None => Method::hmac(alg).map(Method::Hmac),
    }
}

/// The only algorithm of a key, if its kind leaves no choice.
pub(super) fn only_algorithm(key: Option<&PublicKey>) -> Option<&'static str> {
    match key? {
        PublicKey::Ec(key) => match key.curve().name()? {
            "P-256" => Some("ES256"),
            "P-384" => Some("ES384"),
            "P-521" => Some("ES512"),
            "secp256k1" => Some("ES256K"),
            _ => None,
        },
        PublicKey::Edwards(_) => Some("EdDSA"),
        _ => None,
    }
}
