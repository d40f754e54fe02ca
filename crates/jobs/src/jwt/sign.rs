//! Signing many tokens with one key.

use super::error::{KeysError, SignError};
use super::jwk::{self, Purpose, check_size, check_symmetric, method_of, only_algorithm, read_set};
use super::method::{Method, authenticate};
use crate::json::{Json, Object};
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use core::fmt;
use rand_core::TryCryptoRng;
use rayon::prelude::*;
use serde::Serialize;
use std::borrow::Cow;
use sunzi_pk::keys::{self, Algorithms, NonceKind, PrivateKey, Scheme, SignRequest, SigningKey};
use zeroize::Zeroizing;

/// A key with the header of its tokens.
pub struct Signer {
    /// The header in base64url, with the dot.
    header: String,
    algorithm: String,
    key: Material,
    any_payload: bool,
    lifetime: Option<Lifetime>,
}

enum Material {
    Private(Box<SigningKey>, Scheme<'static>),
    Symmetric(Zeroizing<Vec<u8>>, sunzi_pk::Hash),
}

#[derive(Clone, Copy, Debug)]
struct Lifetime {
    issued: u64,
    expires: u64,
}

impl fmt::Debug for Signer {
    /// Shows no key.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            header, lifetime, ..
        } = self;
        f.debug_struct("Signer")
            .field("header", header)
            .field("lifetime", lifetime)
            .finish_non_exhaustive()
    }
}

impl Signer {
    /// A private key that signs by `alg`, which may be left out where the key has no choice. `kid` and `typ` go into
    /// the headers.
    ///
    /// # Errors
    /// [`KeysError::Key`], [`KeysError::Algorithm`], [`KeysError::NotBound`].
    pub fn new(
        algorithms: &Algorithms,
        key: &PrivateKey,
        alg: Option<&str>,
        kid: Option<&str>,
        typ: Option<&str>,
    ) -> Result<Self, KeysError> {
        let public = key.public_key();
        check_size(&public).map_err(KeysError::Key)?;
        let alg = alg.or(only_algorithm(Some(&public)));
        let alg = alg.ok_or(KeysError::NotBound)?;
        let Some(Method::Scheme(scheme)) = method_of(alg, Some(&public)) else {
            return Err(KeysError::Algorithm(alg.into()));
        };
        let key = SigningKey::new(algorithms, key);
        let key = key.map_err(|error| KeysError::Key(error.to_string()))?;
        Ok(Self::of(
            Material::Private(Box::new(key), scheme),
            alg,
            kid,
            typ,
        ))
    }

    /// The key with this identifier of a JSON Web Key Set, or the only key of it. A key that names its `alg` signs by
    /// that alone.
    ///
    /// # Errors
    /// Those of [`new`](Self::new) and of [`Keys::from_json`](super::Keys::from_json); [`KeysError::NotOne`],
    /// [`KeysError::Unknown`], [`KeysError::Ambiguous`].
    pub fn from_json(
        algorithms: &Algorithms,
        file: &[u8],
        kid: Option<&str>,
        alg: Option<&str>,
        typ: Option<&str>,
    ) -> Result<Self, KeysError> {
        let mut set = read_set(file, Purpose::Sign)?;
        if let Some(kid) = kid {
            set.retain(|jwk| jwk.kid.as_deref() == Some(kid));
        }
        let jwk = match (&set[..], kid) {
            ([jwk], _) => jwk,
            ([], Some(kid)) => return Err(KeysError::Unknown(kid.into())),
            (_, Some(kid)) => return Err(KeysError::Ambiguous(kid.into())),
            (keys, None) => return Err(KeysError::NotOne(keys.len())),
        };
        let alg = match (alg, jwk.alg.as_deref()) {
            (Some(asked), Some(own)) if asked != own => {
                return Err(KeysError::Algorithm(asked.into()));
            }
            (asked, own) => asked.or(own),
        };
        let kid = jwk.kid.as_deref();
        match jwk.symmetric() {
            None => {
                let key = jwk.private(algorithms).map_err(KeysError::Key)?;
                Self::new(algorithms, &key, alg, kid, typ)
            }
            Some(key) => {
                let key = key.map_err(KeysError::Key)?;
                let alg = alg.ok_or(KeysError::NotBound)?;
                let Some(Method::Hmac(hash)) = jwk::method_of(alg, None) else {
                    return Err(KeysError::Algorithm(alg.into()));
                };
                check_symmetric(hash, &key).map_err(KeysError::Key)?;
                Ok(Self::of(Material::Symmetric(key, hash), alg, kid, typ))
            }
        }
    }

    fn of(key: Material, alg: &str, kid: Option<&str>, typ: Option<&str>) -> Self {
        #[derive(Serialize)]
        struct Header<'a> {
            alg: &'a str,
            #[serde(skip_serializing_if = "Option::is_none")]
            typ: Option<&'a str>,
            #[serde(skip_serializing_if = "Option::is_none")]
            kid: Option<&'a str>,
        }
        // Texts alone: writing them to memory does not fail.
        let header = serde_json::to_vec(&Header { alg, typ, kid }).unwrap_or_default();
        Self {
            header: URL_SAFE_NO_PAD.encode(header) + ".",
            algorithm: alg.into(),
            key,
            any_payload: false,
            lifetime: None,
        }
    }

    /// Adds the claims `iat` and `exp` to the tokens: issued at this time, in seconds since 1970, and valid for so many
    /// seconds. Claims that have one of the two are then refused.
    #[must_use]
    pub fn with_lifetime(mut self, issued: u64, seconds: u64) -> Self {
        let expires = issued.saturating_add(seconds);
        self.lifetime = Some(Lifetime { issued, expires });
        self
    }

    /// Signs any payload, not only claims: the result is a JSON Web Signature.
    #[must_use]
    pub fn with_any_payload(mut self) -> Self {
        self.any_payload = true;
        self
    }

    /// The name of its algorithm: `ES256`.
    pub fn algorithm(&self) -> &str {
        &self.algorithm
    }

    /// What is signed: the header, a dot, and the claims.
    fn input(&self, claims: &[u8]) -> Result<String, SignError> {
        let claims = if self.any_payload {
            Cow::Borrowed(claims)
        } else {
            self.completed(claims)?
        };
        let mut input = String::with_capacity(self.header.len() + 2 * claims.len() + 128);
        input.push_str(&self.header);
        URL_SAFE_NO_PAD.encode_string(claims, &mut input);
        Ok(input)
    }

    /// The claims, with those that are added. Their text stays as it is.
    fn completed<'a>(&self, claims: &'a [u8]) -> Result<Cow<'a, [u8]>, SignError> {
        let claims = claims.trim_ascii();
        let object = Object::read(claims).map_err(SignError::NotJson)?;
        for name in ["exp", "nbf", "iat"] {
            if !matches!(object.get(name), None | Some(Json::Number(_))) {
                return Err(SignError::WrongType(name));
            }
        }
        let Some(Lifetime { issued, expires }) = self.lifetime else {
            return Ok(Cow::Borrowed(claims));
        };
        for name in ["iat", "exp"] {
            if object.get(name).is_some() {
                return Err(SignError::Present(name));
            }
        }
        let comma = if object.is_empty() { "" } else { "," };
        let added = format!("{{\"iat\":{issued},\"exp\":{expires}{comma}");
        Ok(Cow::Owned([added.as_bytes(), &claims[1..]].concat()))
    }
}

/// Claims that a thread encodes at a time.
const SHARE: usize = 64;

/// A token for each of the claims, which are JSON objects, in the same order. All threads of the rayon pool compute.
///
/// Constant time, as [`keys::sign_batch`].
pub fn sign_batch<R: TryCryptoRng + ?Sized>(
    algorithms: &Algorithms,
    rng: &mut R,
    nonces: NonceKind,
    signer: &Signer,
    claims: &[&[u8]],
) -> Vec<Result<String, SignError>> {
    let inputs = claims.par_iter().with_min_len(SHARE);
    let inputs: Vec<_> = inputs.map(|claims| signer.input(claims)).collect();
    match &signer.key {
        Material::Symmetric(key, hash) => {
            let sign = |input: String| {
                let code = authenticate(*hash, key, input.as_bytes());
                finished(input, &code)
            };
            let inputs = inputs.into_par_iter().with_min_len(SHARE);
            inputs.map(|input| input.map(sign)).collect()
        }
        Material::Private(key, scheme) => {
            let requests = inputs.iter().flatten().map(|input| SignRequest {
                key,
                scheme: *scheme,
                content: input.as_bytes().into(),
            });
            let requests: Vec<_> = requests.collect();
            let signatures = keys::sign_batch(algorithms, rng, nonces, &requests);
            let mut signatures = signatures.into_iter();
            let sign = |input: Result<String, SignError>| {
                let input = input?;
                let missing = || keys::SignError::OtherScheme(signer.algorithm.clone());
                let signature = signatures.next().ok_or_else(missing)??;
                Ok(finished(input, &signature))
            };
            inputs.into_iter().map(sign).collect()
        }
    }
}

fn finished(mut input: String, signature: &[u8]) -> String {
    input.push('.');
    URL_SAFE_NO_PAD.encode_string(signature, &mut input);
    input
}
