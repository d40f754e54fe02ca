//! Allowed signers files (`ssh-keygen(1)`, ALLOWED SIGNERS).

use super::error::KeyError;
use super::keys::{CERTIFICATE, read_line};
use super::pattern::matches_list;
use super::time;
use sunzi_pk::keys::PublicKey;

/// A line: a key, who it belongs to, and for what and when it may sign.
#[derive(Clone, Debug)]
pub(super) struct Line {
    /// A list of patterns.
    principals: String,
    namespaces: Option<String>,
    /// In seconds since 1970.
    valid_after: Option<u64>,
    valid_before: Option<u64>,
}

/// Why a line does not allow a signature.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Unfit {
    Identity,
    Namespace,
    Time,
}

impl Line {
    /// Checks whether the line allows a signature by somebody, or anybody, in a namespace at a time.
    pub(super) fn check(
        &self,
        identity: Option<&str>,
        namespace: &str,
        now: u64,
    ) -> Result<(), Unfit> {
        if identity.is_some_and(|identity| !matches_list(&self.principals, identity)) {
            return Err(Unfit::Identity);
        }
        let namespaces = self.namespaces.as_deref();
        if namespaces.is_some_and(|list| !matches_list(list, namespace)) {
            return Err(Unfit::Namespace);
        }
        if self.valid_after.is_some_and(|time| now < time)
            || self.valid_before.is_some_and(|time| now > time)
        {
            return Err(Unfit::Time);
        }
        Ok(())
    }
}

/// The lines of a file with their keys, but for those about certificates and about kinds of keys that are not known.
pub(super) fn read(file: &[u8]) -> Result<Vec<(PublicKey, Line)>, KeyError> {
    let mut lines = Vec::new();
    for (number, line) in (1..).zip(file.split(|&byte| byte == b'\n')) {
        let wrong = |reason: &str| KeyError::Line {
            line: number,
            reason: reason.into(),
        };
        let line = core::str::from_utf8(line).map_err(|_| wrong("it is no UTF-8"))?;
        let line = line.trim_ascii();
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        lines.extend(read_allowed(line).map_err(|reason| wrong(&reason))?);
    }
    Ok(lines)
}

fn read_allowed(line: &str) -> Result<Option<(PublicKey, Line)>, String> {
    let (principals, rest) = word(line)?;
    let mut allowed = Line {
        principals: principals.replace('"', ""),
        namespaces: None,
        valid_after: None,
        valid_before: None,
    };
    let mut key = rest;
    let mut authority = false;
    if !is_key(rest) {
        let (options, rest) = word(rest)?;
        key = rest;
        for option in split_options(options) {
            let (name, value) = option.split_once('=').unwrap_or((option, ""));
            let value = value
                .strip_prefix('"')
                .and_then(|value| value.strip_suffix('"'));
            let time = || value.and_then(time::seconds);
            match &name.to_ascii_lowercase()[..] {
                "cert-authority" => authority = true,
                "namespaces" => {
                    allowed.namespaces = Some(value.ok_or("namespaces is not quoted")?.into());
                }
                "valid-after" => {
                    allowed.valid_after = Some(time().ok_or(NO_TIME)?);
                }
                "valid-before" => {
                    allowed.valid_before = Some(time().ok_or(NO_TIME)?);
                }
                _ => return Err(format!("the option {name:?} is unknown")),
            }
        }
    }
    if !is_key(key) {
        return Err("it has no key after the principals".into());
    }
    let kind = key.split_ascii_whitespace().next().unwrap_or_default();
    let known = ["ssh-rsa", "ssh-ed25519"].contains(&kind) || kind.starts_with("ecdsa-sha2-");
    if authority || kind.ends_with(CERTIFICATE) || !known {
        return Ok(None);
    }
    Ok(Some((read_line(key)?, allowed)))
}

const NO_TIME: &str =
    "a time is not quoted, or not in UTC: write \"20261231Z\" or \"20261231235959Z\"";

/// Whether a text begins with the kind of a key.
fn is_key(text: &str) -> bool {
    ["ssh-", "ecdsa-", "sk-"]
        .iter()
        .any(|kind| text.starts_with(kind))
}

/// The first word, which may have blanks between quotes, and the rest.
fn word(text: &str) -> Result<(&str, &str), String> {
    let mut quoted = false;
    let end = text.find(|character: char| {
        quoted ^= character == '"';
        !quoted && character.is_ascii_whitespace()
    });
    let end = end.ok_or("it ends before its key")?;
    let (word, rest) = text.split_at(end);
    Ok((word, rest.trim_ascii_start()))
}

/// The options between commas, which may have commas between quotes.
fn split_options(text: &str) -> impl Iterator<Item = &str> {
    let mut quoted = false;
    text.split(move |character| {
        quoted ^= character == '"';
        !quoted && character == ','
    })
}
