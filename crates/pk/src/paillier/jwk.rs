//! Keys in JSON, in the format of the Python package `phe` (`pheutil`): a JSON Web Key of the type `DAJ`, with numbers
//! in base64url. A base of short randomness is a further member, `hs`, which `phe` ignores.

use super::key::{KeyError, MAX_BITS, PrivateKey, PublicKey};
use base64ct::{Base64UrlUnpadded, Encoding};
use crypto_bigint::BoxedUint;
use serde::{Deserialize, Serialize};
use zeroize::Zeroizing;

/// The type of both keys.
const TYPE: &str = "DAJ";
/// The algorithm: Paillier with g = n + 1.
const ALGORITHM: &str = "PAI-GN1";
/// Length of the longest text that is read, in bytes: ten times that of the largest key.
const MAX_BYTES: usize = 1 << 16;

#[derive(Serialize, Deserialize)]
struct PublicJson<'a> {
    kty: &'a str,
    alg: &'a str,
    #[serde(borrow)]
    key_ops: Vec<&'a str>,
    n: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    hs: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    kid: Option<std::borrow::Cow<'a, str>>,
}

/// The numbers are parts of the text, so that there is no other copy.
#[derive(Serialize, Deserialize)]
struct PrivateJson<'a> {
    kty: &'a str,
    #[serde(borrow)]
    key_ops: Vec<&'a str>,
    p: &'a str,
    q: &'a str,
    #[serde(rename = "pub")]
    public: PublicJson<'a>,
    #[serde(skip_serializing_if = "Option::is_none")]
    kid: Option<std::borrow::Cow<'a, str>>,
}

/// A number in base64url, without leading zero bytes. Constant time, except for its length.
fn encode(number: &BoxedUint) -> Zeroizing<String> {
    let bytes = Zeroizing::new(number.to_be_bytes());
    let length = number.bits().div_ceil(8) as usize;
    Zeroizing::new(Base64UrlUnpadded::encode_string(
        &bytes[bytes.len() - length..],
    ))
}

fn decode(name: &str, text: &str) -> Result<Zeroizing<BoxedUint>, KeyError> {
    let wrong = |what: &str| KeyError::Json(format!("{name} {what}"));
    // Some writers pad.
    let text = text.trim_end_matches('=');
    let bytes = Base64UrlUnpadded::decode_vec(text).map_err(|_| wrong("is not in base64url"))?;
    let bytes = Zeroizing::new(bytes);
    if bytes.len() > 2 * MAX_BITS as usize / 8 {
        return Err(wrong("is longer than any number of a key"));
    }
    let bits = (8 * bytes.len() as u32).next_multiple_of(64).max(64);
    let number = BoxedUint::from_be_slice(&bytes, bits);
    Ok(Zeroizing::new(
        number.expect("the precision holds all bytes"),
    ))
}

/// Parses a text; the message of the error does not quote it.
fn parse<'a, T: Deserialize<'a>>(text: &'a str) -> Result<T, KeyError> {
    if text.len() > MAX_BYTES {
        let length = text.len();
        let text = format!("it has {length} bytes, and at most {MAX_BYTES} are read");
        return Err(KeyError::Json(text));
    }
    serde_json::from_str(text).map_err(|error| {
        let (line, column) = (error.line(), error.column());
        KeyError::Json(format!(
            "line {line}, column {column} is not what a key has there"
        ))
    })
}

fn check(what: &str, given: &str, expected: &str) -> Result<(), KeyError> {
    if given == expected {
        Ok(())
    } else {
        Err(KeyError::Json(format!("{what} is not {expected}")))
    }
}

impl PublicJson<'_> {
    fn key(&self) -> Result<PublicKey, KeyError> {
        check("kty", self.kty, TYPE)?;
        check("alg", self.alg, ALGORITHM)?;
        let key = PublicKey::new(&*decode("n", self.n)?)?;
        match self.hs {
            Some(base) => key.with_short_base(&*decode("hs", base)?),
            None => Ok(key),
        }
    }
}

impl PublicKey {
    /// The key in JSON, as `phe` reads it, with this name (`kid`).
    ///
    /// # Panics
    /// Never: a key has nothing that JSON cannot hold.
    pub fn to_jwk(&self, name: Option<&str>) -> String {
        let (n, base) = (encode(self.n()), self.short_base().map(encode));
        let json = PublicJson {
            kty: TYPE,
            alg: ALGORITHM,
            key_ops: vec!["encrypt"],
            n: &n,
            hs: base.as_ref().map(|base| base.as_str()),
            kid: name.map(Into::into),
        };
        serde_json::to_string(&json).expect("a key has nothing that JSON cannot hold")
    }

    /// Reads a key in JSON, as `phe` writes it.
    ///
    /// # Errors
    /// [`KeyError::Json`], and those of [`PublicKey::new`].
    pub fn from_jwk(text: &str) -> Result<Self, KeyError> {
        parse::<PublicJson<'_>>(text)?.key()
    }
}

impl PrivateKey {
    /// The key in JSON, as `phe` reads it, with this name (`kid`). It is not encrypted.
    ///
    /// # Panics
    /// Never: a key has nothing that JSON cannot hold.
    pub fn to_jwk(&self, name: Option<&str>) -> Zeroizing<String> {
        let public = self.public_key();
        let (n, base) = (encode(public.n()), public.short_base().map(encode));
        let [p, q] = self.primes().map(encode);
        let json = PrivateJson {
            kty: TYPE,
            key_ops: vec!["decrypt"],
            p: &p,
            q: &q,
            public: PublicJson {
                kty: TYPE,
                alg: ALGORITHM,
                key_ops: vec!["encrypt"],
                n: &n,
                hs: base.as_ref().map(|base| base.as_str()),
                kid: name.map(Into::into),
            },
            kid: name.map(Into::into),
        };
        // Longer than any key, so that no part of one is left behind in memory that was outgrown.
        let mut text = Zeroizing::new(Vec::with_capacity(
            (1 << 14) + 4 * name.map_or(0, |name| 6 * name.len()),
        ));
        serde_json::to_writer(&mut *text, &json).expect("a key has nothing that JSON cannot hold");
        let text = core::mem::take(&mut *text);
        Zeroizing::new(String::from_utf8(text).expect("JSON is text"))
    }

    /// Reads a key in JSON, as `phe` writes it. Its public half must be the product of the primes.
    ///
    /// # Errors
    /// [`KeyError::Json`], and those of [`PrivateKey::from_primes`].
    pub fn from_jwk(text: &str) -> Result<Self, KeyError> {
        let json: PrivateJson<'_> = parse(text)?;
        check("kty", json.kty, TYPE)?;
        let public = json.public.key()?;
        let (p, q) = (decode("p", json.p)?, decode("q", json.q)?);
        let key = Self::from_primes(&p, &q)?;
        if key.public_key().n() != public.n() {
            return Err(KeyError::Json(String::from(
                "n is not the product of p and q",
            )));
        }
        Ok(key.with_public(public))
    }
}
