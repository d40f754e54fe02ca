//! Requests for certificates.

use super::certificate::{CertificateKind, CertificateOptions, Statement};
use super::keys::read_line;
use super::time;
use core::fmt;
use serde::de::{Deserialize, Deserializer, Error, MapAccess, SeqAccess, Visitor};
use sunzi_pk::keys::PublicKey;

/// Length of the longest request, in bytes.
pub const MAX_REQUEST_BYTES: usize = 1 << 16;

/// A request for a certificate, which no policy has looked at.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Request {
    /// The key that the certificate is to be about.
    pub key: PublicKey,
    /// Comment of the line of the key.
    pub comment: String,
    /// What the certificate is to say.
    pub statement: Statement,
}

/// The members of a request in JSON.
#[derive(serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct Fields {
    key: String,
    key_id: String,
    #[serde(default)]
    serial: u64,
    principals: Vec<String>,
    r#type: Option<CertificateKind>,
    valid_after: Option<Time>,
    valid_before: Option<Time>,
    lifetime: Option<u64>,
    #[serde(default)]
    critical_options: Options,
    #[serde(default)]
    extensions: Options,
}

impl Request {
    /// Reads a JSON object: `key` (a line of OpenSSH), `key_id`, `principals` (a list), and, as far as wanted,
    /// `serial` (0 without it), `type` (`kind` without it), `valid_after` (`now` without it), either `valid_before` or
    /// `lifetime` in seconds, `critical_options` and `extensions` (objects of texts, or lists of names). Times are
    /// seconds since 1970, or texts such as `20261126Z` and `20261126153059Z`.
    ///
    /// # Errors
    /// The defect: also members that are unknown or double.
    pub fn from_json(line: &[u8], kind: Option<CertificateKind>, now: u64) -> Result<Self, String> {
        let fields = serde_json::from_slice(line);
        let fields: Fields = fields.map_err(|error| format!("it is no request: {error}"))?;
        let valid_after = fields.valid_after.map_or(now, |Time(seconds)| seconds);
        let valid_before = match (fields.valid_before, fields.lifetime) {
            (Some(Time(seconds)), None) => seconds,
            (None, Some(lifetime)) => valid_after.saturating_add(lifetime),
            (None, None) => return Err("it has neither valid_before nor lifetime".into()),
            (Some(_), Some(_)) => return Err("it has both valid_before and lifetime".into()),
        };
        let kind = fields.r#type.or(kind);
        let comment = fields.key.trim_ascii().splitn(3, ' ').nth(2);
        let comment = comment.unwrap_or_default().to_owned();
        if comment.contains(char::is_control) {
            return Err("the comment of its key has control characters".into());
        }
        Ok(Self {
            key: read_line(&fields.key).map_err(|error| format!("its key: {error}"))?,
            comment,
            statement: Statement {
                serial: fields.serial,
                kind: kind.ok_or("it has no type: user or host")?,
                key_id: fields.key_id,
                principals: fields.principals,
                valid_after,
                valid_before,
                critical_options: fields.critical_options.0,
                extensions: fields.extensions.0,
            },
        })
    }
}

/// Seconds since 1970.
struct Time(u64);

impl<'de> Deserialize<'de> for Time {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Reader;
        impl Visitor<'_> for Reader {
            type Value = Time;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("seconds since 1970, or a time in UTC such as \"20261126Z\"")
            }

            fn visit_u64<E>(self, seconds: u64) -> Result<Time, E> {
                Ok(Time(seconds))
            }

            fn visit_str<E: Error>(self, text: &str) -> Result<Time, E> {
                let wrong = || E::invalid_value(serde::de::Unexpected::Str(text), &self);
                time::seconds(text).map(Time).ok_or_else(wrong)
            }
        }
        deserializer.deserialize_any(Reader)
    }
}

/// Options in the order of their names.
#[derive(Default)]
struct Options(CertificateOptions);

impl<'de> Deserialize<'de> for Options {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Reader;
        impl<'de> Visitor<'de> for Reader {
            type Value = CertificateOptions;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object of texts, or a list of names")
            }

            fn visit_seq<A: SeqAccess<'de>>(
                self,
                mut names: A,
            ) -> Result<CertificateOptions, A::Error> {
                let mut options = Vec::new();
                while let Some(name) = names.next_element()? {
                    options.push((name, String::new()));
                }
                Ok(options)
            }

            fn visit_map<A: MapAccess<'de>>(
                self,
                mut members: A,
            ) -> Result<CertificateOptions, A::Error> {
                let mut options = Vec::new();
                while let Some(option) = members.next_entry()? {
                    options.push(option);
                }
                Ok(options)
            }
        }
        let mut options = deserializer.deserialize_any(Reader)?;
        options.sort();
        if options.windows(2).any(|pair| pair[0].0 == pair[1].0) {
            return Err(Error::custom("an option occurs twice"));
        }
        Ok(Self(options))
    }
}
