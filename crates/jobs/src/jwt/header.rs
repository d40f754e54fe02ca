//! The header of a token: its algorithm, its key, its type, and what it demands.

use super::claims::Rules;
use super::error::Refusal;
use super::keys::Keys;
use super::method::Method;
use crate::json::Object;

/// The key and the method that a header asks for, where both are permitted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Choice {
    /// Place of the key in the set.
    pub(super) key: usize,
    pub(super) method: Method,
}

/// Reads a header, and finds its key.
///
/// # Errors
/// The refusal of every token with this header.
pub(super) fn choose(header: &[u8], keys: &Keys, rules: &Rules) -> Result<Choice, Refusal> {
    let object = Object::read(header).map_err(|reason| Refusal::NotJson {
        part: "header",
        reason,
    })?;
    let text = |name| object.text(name, || Refusal::WrongType(name));
    let alg = text("alg")?.ok_or(Refusal::NoAlgorithm)?;
    let kid = text("kid")?;
    let typ = text("typ")?;
    if alg.eq_ignore_ascii_case("none") {
        return Err(Refusal::Unsecured);
    }
    // Also an empty list, and one of what is no extension: both are errors (RFC 7515, section 4.1.11).
    if object.get("crit").is_some() {
        return Err(Refusal::Critical);
    }
    if let Some(asked) = &rules.typ {
        let given = typ.map(plain_type);
        if !given.is_some_and(|given| given.eq_ignore_ascii_case(plain_type(asked))) {
            return Err(Refusal::OtherType(asked.clone()));
        }
    }
    if let Some(permitted) = &rules.algorithms
        && !permitted.iter().any(|permitted| permitted == alg)
    {
        return Err(Refusal::NotPermitted(alg.into()));
    }
    let key = keys.find(kid)?;
    let method = keys.method(key, alg, rules.algorithms.is_some())?;
    Ok(Choice { key, method })
}

/// A media type without the prefix that may be left out (RFC 7515, section 4.1.9).
fn plain_type(typ: &str) -> &str {
    let prefix = "application/";
    match typ.get(..prefix.len()) {
        Some(start) if start.eq_ignore_ascii_case(prefix) => &typ[prefix.len()..],
        _ => typ,
    }
}
