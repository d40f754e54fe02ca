//! The claims that are checked (RFC 7519, section 4.1), and the rules for them.

use super::error::Refusal;
use crate::json::{Json, Object};

/// What is asked of tokens besides their signatures.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Rules {
    /// The time in seconds since 1970, with which `exp` and `nbf` are compared.
    pub now: u64,
    /// The seconds by which clocks may differ.
    pub leeway: u64,
    /// The audiences of which `aud` must name one; if there is none here, tokens with an `aud` are refused (RFC 7519,
    /// section 4.1.3).
    pub audiences: Vec<String>,
    /// Whether any `aud` is accepted.
    pub any_audience: bool,
    /// The issuers of which `iss` must be one; if there is none here, `iss` is not looked at.
    pub issuers: Vec<String>,
    /// The claims that must be there.
    pub required: Vec<String>,
    /// The `typ` that the header must have, with or without `application/`.
    pub typ: Option<String>,
    /// The algorithms that are permitted, of those that the keys have. Keys of RSA and symmetric ones that name no
    /// algorithm themselves need this.
    pub algorithms: Option<Vec<String>>,
    /// Whether the payload may be anything, and is not looked at: a JSON Web Signature, not a token.
    pub any_payload: bool,
}

impl Rules {
    /// The usual rules at this time, in seconds since 1970.
    pub fn at(now: u64) -> Self {
        Self {
            now,
            ..Self::default()
        }
    }

    /// Checks the claims.
    pub(super) fn check(&self, payload: &[u8]) -> Result<(), Refusal> {
        let claims = Object::read(payload).map_err(|reason| Refusal::NotJson {
            part: "payload",
            reason,
        })?;
        let (exp, nbf) = (time(&claims, "exp")?, time(&claims, "nbf")?);
        time(&claims, "iat")?;
        let iss = claims.text("iss", || Refusal::WrongType("iss"))?;
        let audiences = audiences(&claims)?;
        // All are below 2^53, or so far away that rounding means nothing.
        let (now, leeway) = (self.now as f64, self.leeway as f64);
        if let Some(exp) = exp.filter(|exp| now >= exp + leeway) {
            return Err(Refusal::Expired((now - exp) as u64));
        }
        if let Some(nbf) = nbf.filter(|nbf| now + leeway < *nbf) {
            return Err(Refusal::NotYetValid((nbf - now).ceil() as u64));
        }
        for name in &self.required {
            if claims.get(name).is_none() {
                return Err(Refusal::Missing(name.clone()));
            }
        }
        if !self.issuers.is_empty() {
            let iss = iss.ok_or_else(|| Refusal::Missing("iss".into()))?;
            if !self.issuers.iter().any(|issuer| issuer == iss) {
                return Err(Refusal::Issuer);
            }
        }
        match audiences {
            _ if self.any_audience => Ok(()),
            None if self.audiences.is_empty() => Ok(()),
            None => Err(Refusal::Missing("aud".into())),
            Some(_) if self.audiences.is_empty() => Err(Refusal::AudienceNotNamed),
            Some(given) => {
                let is_asked = |given: &&str| self.audiences.iter().any(|asked| asked == given);
                let found = given.iter().any(is_asked);
                found.then_some(()).ok_or(Refusal::Audience)
            }
        }
    }
}

/// A time, in seconds since 1970.
fn time(claims: &Object<'_>, name: &'static str) -> Result<Option<f64>, Refusal> {
    match claims.get(name) {
        None => Ok(None),
        Some(Json::Number(seconds)) => Ok(Some(*seconds)),
        Some(_) => Err(Refusal::WrongType(name)),
    }
}

/// The audiences of the claim `aud`: a text, or a list of texts.
fn audiences<'a>(claims: &'a Object<'_>) -> Result<Option<Vec<&'a str>>, Refusal> {
    let text = |value: &'a Json<'_>| match value {
        Json::Text(text) => Ok(&**text),
        _ => Err(Refusal::WrongType("aud")),
    };
    match claims.get("aud") {
        None => Ok(None),
        Some(Json::Array(list)) => list.iter().map(text).collect::<Result<_, _>>().map(Some),
        Some(value) => Ok(Some(vec![text(value)?])),
    }
}
