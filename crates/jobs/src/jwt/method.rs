//! Methods of signing: a scheme of public keys, or HMAC.

use hmac::{Hmac, KeyInit, Mac};
use sha2::{Sha256, Sha384, Sha512};
use sunzi_pk::Hash;
use sunzi_pk::keys::Scheme;

/// How a token is signed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Method {
    Scheme(Scheme<'static>),
    /// HMAC with this hash: SHA-256, SHA-384 or SHA-512.
    Hmac(Hash),
}

impl Method {
    /// The hash of HMAC under this name (RFC 7518, section 3.2).
    pub(super) fn hmac(alg: &str) -> Option<Hash> {
        match alg {
            "HS256" => Some(Hash::Sha256),
            "HS384" => Some(Hash::Sha384),
            "HS512" => Some(Hash::Sha512),
            _ => None,
        }
    }
}

/// The code of a text. A key of any length is possible here.
pub(super) fn authenticate(hash: Hash, key: &[u8], text: &[u8]) -> Vec<u8> {
    fn code<M: Mac + KeyInit>(key: &[u8], text: &[u8]) -> Option<Vec<u8>> {
        let mut mac = <M as KeyInit>::new_from_slice(key).ok()?;
        mac.update(text);
        Some(mac.finalize().into_bytes().to_vec())
    }
    let code = match hash {
        Hash::Sha384 => code::<Hmac<Sha384>>(key, text),
        Hash::Sha512 => code::<Hmac<Sha512>>(key, text),
        _ => code::<Hmac<Sha256>>(key, text),
    };
    code.unwrap_or_default()
}

/// Whether a code is that of the text; constant time, but for the answer.
pub(super) fn is_authentic(hash: Hash, key: &[u8], text: &[u8], code: &[u8]) -> bool {
    fn verify<M: Mac + KeyInit>(key: &[u8], text: &[u8], code: &[u8]) -> bool {
        let Ok(mut mac) = <M as KeyInit>::new_from_slice(key) else {
            return false;
        };
        mac.update(text);
        mac.verify_slice(code).is_ok()
    }
    match hash {
        Hash::Sha384 => verify::<Hmac<Sha384>>(key, text, code),
        Hash::Sha512 => verify::<Hmac<Sha512>>(key, text, code),
        _ => verify::<Hmac<Sha256>>(key, text, code),
    }
}
