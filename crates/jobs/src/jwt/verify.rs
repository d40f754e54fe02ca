//! Verification of many tokens: headers are read and keys are found, the signatures are a batch, and then the claims
//! of what is signed are checked.

use super::claims::Rules;
use super::error::{MAX_TOKEN_BYTES, Refusal};
use super::header::{Choice, choose};
use super::keys::{Keys, Material};
use super::method::{Method, is_authentic};
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use rayon::prelude::*;
use sunzi_pk::keys::{self, Algorithms, Scheme, VerifyRequest, VerifyingKey};

/// Tokens that a thread reads at a time.
const SHARE: usize = 64;

/// Headers that a thread remembers: the tokens of one signer have the same.
const REMEMBERED: usize = 8;

/// A token that was accepted.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Verified {
    /// The payload: the claims, a JSON object in UTF-8, unless [any payload](Rules::any_payload) was asked for.
    pub payload: Vec<u8>,
}

/// A token taken apart, whose signature is still to be verified unless HMAC has done so.
struct Opened<'a> {
    signed: &'a [u8],
    payload: Vec<u8>,
    signature: Vec<u8>,
    key: Option<(&'a VerifyingKey, Scheme<'static>)>,
}

/// The payload of each token, or why it is refused, in the same order. All threads of the rayon pool compute.
pub fn verify_batch(
    algorithms: &Algorithms,
    keys: &Keys,
    rules: &Rules,
    tokens: &[&[u8]],
) -> Vec<Result<Verified, Refusal>> {
    let opened: Vec<_> = tokens
        .par_chunks(SHARE)
        .flat_map_iter(|tokens| open(keys, rules, tokens))
        .collect();
    let requests: Vec<_> = opened.iter().flatten().filter_map(request).collect();
    let mut verdicts = keys::verify_batch(algorithms, &requests).into_iter();
    drop(requests);
    let signed = opened.into_iter().map(|token| {
        let token = token?;
        if token.key.is_some() {
            // A token without a verdict is not accepted.
            match verdicts.next() {
                Some(Ok(())) => {}
                Some(Err(error)) if error.is_undecided() => {
                    return Err(Refusal::Undecided(error.into()));
                }
                Some(Err(_)) | None => return Err(Refusal::Signature),
            }
        }
        Ok(token.payload)
    });
    let signed: Vec<_> = signed.collect();
    let accepted = signed.into_par_iter().with_min_len(SHARE).map(|payload| {
        let payload = payload?;
        if !rules.any_payload {
            rules.check(&payload)?;
        }
        Ok(Verified { payload })
    });
    accepted.collect()
}

fn request<'a>(token: &'a Opened<'_>) -> Option<VerifyRequest<'a>> {
    let (key, scheme) = token.key?;
    Some(VerifyRequest {
        key,
        scheme,
        content: token.signed.into(),
        signature: &token.signature,
    })
}

/// Opens tokens one after the other.
fn open<'a>(
    keys: &'a Keys,
    rules: &Rules,
    tokens: &[&'a [u8]],
) -> Vec<Result<Opened<'a>, Refusal>> {
    let mut remembered: Vec<(&[u8], Result<Choice, Refusal>)> = Vec::new();
    let open = |token: &&'a [u8]| {
        let [header, payload, signature] = split(token)?;
        let known = remembered.iter().find(|(known, _)| *known == header);
        let choice = if let Some((_, choice)) = known {
            choice.clone()
        } else {
            let choice = decoded("header", header).and_then(|json| choose(&json, keys, rules));
            if remembered.len() == REMEMBERED {
                drop(remembered.remove(0));
            }
            remembered.push((header, choice.clone()));
            choice
        };
        let Choice { key, method } = choice?;
        let opened = Opened {
            signed: &token[..header.len() + 1 + payload.len()],
            payload: decoded("payload", payload)?,
            signature: decoded("signature", signature)?,
            key: None,
        };
        match (keys.material(key)?, method) {
            (Material::Public(key), Method::Scheme(scheme)) => Ok(Opened {
                key: Some((key, scheme)),
                ..opened
            }),
            (Material::Symmetric(key), Method::Hmac(hash))
                if is_authentic(hash, key, opened.signed, &opened.signature) =>
            {
                Ok(opened)
            }
            _ => Err(Refusal::Signature),
        }
    };
    tokens.iter().map(open).collect()
}

/// Header, payload and signature.
fn split(token: &[u8]) -> Result<[&[u8]; 3], Refusal> {
    if token.len() > MAX_TOKEN_BYTES {
        return Err(Refusal::TooLong(token.len()));
    }
    let mut parts = token.split(|&byte| byte == b'.');
    match (parts.next(), parts.next(), parts.next(), parts.next()) {
        (Some(header), Some(payload), Some(signature), None) => Ok([header, payload, signature]),
        _ => Err(Refusal::NotCompact),
    }
}

fn decoded(part: &'static str, text: &[u8]) -> Result<Vec<u8>, Refusal> {
    let decoded = URL_SAFE_NO_PAD.decode(text);
    decoded.map_err(|_| Refusal::NotBase64(part))
}
