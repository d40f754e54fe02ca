//! The policy of an authority: which certificates it issues.

use super::certificate::{CertificateKind, CertificateOptions, Statement};
use super::pattern::{is_pattern, matches};
use super::request::Request;
use serde::Deserialize;
use std::net::IpAddr;
use sunzi_pk::keys::PublicKey;

/// Principals in a certificate, as many as OpenSSH takes.
const MAX_PRINCIPALS: usize = 256;
/// Length of a key id, a principal, or the name of an option, in bytes.
const MAX_NAME: usize = 1024;

/// What an authority certifies. A member that is left out permits nothing.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Policy {
    /// Kinds of certificates.
    types: Vec<CertificateKind>,
    /// Patterns of names, with `*` and `?`. A name that has such characters itself is not permitted by any.
    principals: Vec<String>,
    /// Longest time between `valid_after` and `valid_before`, in seconds.
    max_validity: u64,
    /// Length of the shortest RSA modulus, in bits.
    #[serde(default = "default_rsa_bits")]
    min_rsa_bits: u32,
    /// Names of critical options.
    #[serde(default)]
    critical_options: Vec<String>,
    /// Names of critical options without which there is no certificate for a user.
    #[serde(default)]
    required_options: Vec<String>,
    /// Names of extensions.
    #[serde(default)]
    extensions: Vec<String>,
}

fn default_rsa_bits() -> u32 {
    2048
}

impl Policy {
    /// Reads a JSON object: `types` (a list of `user` and `host`), `principals` (a list of patterns), `max_validity` in
    /// seconds, and, as far as wanted, `min_rsa_bits` (2048 without it), `critical_options`, `required_options` and
    /// `extensions` (lists of names; none is permitted without them).
    ///
    /// # Errors
    /// The defect: also members that are unknown or double.
    pub fn from_json(file: &[u8]) -> Result<Self, String> {
        serde_json::from_slice(file).map_err(|error| format!("it is no policy: {error}"))
    }

    /// The kind of certificates, if the policy permits one only.
    pub fn only_kind(&self) -> Option<CertificateKind> {
        match self.types[..] {
            [kind] => Some(kind),
            _ => None,
        }
    }

    /// Checks a request at a time, in seconds since 1970.
    ///
    /// # Errors
    /// What is outside the policy, or makes no sense in a certificate.
    pub fn check(&self, request: &Request, now: u64) -> Result<(), String> {
        let Request { key, statement, .. } = request;
        let Statement {
            kind,
            key_id,
            valid_after,
            valid_before,
            ..
        } = statement;
        if !self.types.contains(kind) {
            return Err(format!(
                "the policy permits no {} certificates",
                kind.name()
            ));
        }
        if matches!(key, PublicKey::Rsa(_)) && key.bits() < self.min_rsa_bits {
            return Err(format!(
                "its key has {} bits: the policy asks for {}",
                key.bits(),
                self.min_rsa_bits
            ));
        }
        check_name("key_id", key_id)?;
        self.check_principals(&statement.principals)?;
        let lifetime = valid_before
            .checked_sub(*valid_after)
            .filter(|&time| time > 0);
        let lifetime = lifetime.ok_or("its validity ends before it begins")?;
        if lifetime > self.max_validity {
            return Err(format!(
                "it is valid for {lifetime} seconds: the policy permits {}",
                self.max_validity
            ));
        }
        if *valid_before <= now {
            return Err("its validity has ended".into());
        }
        self.check_options(statement)
    }

    fn check_principals(&self, principals: &[String]) -> Result<(), String> {
        if principals.is_empty() {
            return Err("it has no principals, and would be for everybody".into());
        }
        if principals.len() > MAX_PRINCIPALS {
            let given = principals.len();
            return Err(format!(
                "it has {given} principals: OpenSSH takes {MAX_PRINCIPALS}"
            ));
        }
        for principal in principals {
            check_name("principal", principal)?;
            let permits = |pattern: &String| matches(pattern, principal);
            // Clients may take a name of a host with such characters for a pattern.
            if is_pattern(principal) || !self.principals.iter().any(permits) {
                return Err(format!(
                    "the policy does not permit the principal {principal:?}"
                ));
            }
        }
        Ok(())
    }

    fn check_options(&self, statement: &Statement) -> Result<(), String> {
        let Statement {
            critical_options,
            extensions,
            ..
        } = statement;
        if statement.kind == CertificateKind::Host {
            if !critical_options.is_empty() || !extensions.is_empty() {
                return Err("certificates of hosts have no options".into());
            }
            return Ok(());
        }
        for (what, options, permitted) in [
            ("critical option", critical_options, &self.critical_options),
            ("extension", extensions, &self.extensions),
        ] {
            for (name, _) in options {
                check_name(what, name)?;
                if !permitted.contains(name) {
                    return Err(format!("the policy does not permit the {what} {name:?}"));
                }
            }
        }
        let has = |name: &String| critical_options.iter().any(|(given, _)| given == name);
        if let Some(missing) = self.required_options.iter().find(|name| !has(name)) {
            return Err(format!(
                "the policy asks for the critical option {missing:?}"
            ));
        }
        check_values(critical_options)
    }
}

/// Checks a text that logs and terminals will show.
fn check_name(what: &str, name: &str) -> Result<(), String> {
    if name.is_empty() || name.len() > MAX_NAME {
        return Err(format!(
            "its {what} is empty or has more than {MAX_NAME} bytes"
        ));
    }
    if name.contains(char::is_control) || name.contains(char::is_whitespace) && what != "key_id" {
        return Err(format!(
            "its {what} {name:?} has blanks or control characters"
        ));
    }
    Ok(())
}

/// Checks the values of the critical options that OpenSSH knows.
fn check_values(options: &CertificateOptions) -> Result<(), String> {
    for (name, value) in options {
        let right = match &name[..] {
            "force-command" => !value.is_empty() && !value.contains(['\0', '\n']),
            "source-address" => value.split(',').all(is_network),
            "verify-required" => value.is_empty(),
            _ => true,
        };
        if !right {
            return Err(format!("its {name} {value:?} is malformed"));
        }
    }
    Ok(())
}

/// Whether a text is an address, or a network as an address and the length of its prefix.
fn is_network(text: &str) -> bool {
    let (address, length) = text
        .split_once('/')
        .map_or((text, None), |(a, l)| (a, Some(l)));
    let Ok(address) = address.parse::<IpAddr>() else {
        return false;
    };
    let most = if address.is_ipv4() { 32 } else { 128 };
    length.is_none_or(|length| length.parse::<u8>().is_ok_and(|length| length <= most))
}
