//! The numbers of an RSA key, as its JSON Web Key has them.

use serde::Deserialize;

/// The members of a private JSON Web Key, in base64url. They are parts of its text.
#[derive(Deserialize)]
pub(crate) struct RsaNumbers<'a> {
    pub(crate) n: &'a str,
    pub(crate) e: &'a str,
    pub(crate) d: &'a str,
    pub(crate) p: &'a str,
    pub(crate) q: &'a str,
    pub(crate) dp: &'a str,
    pub(crate) dq: &'a str,
    pub(crate) qi: &'a str,
}
