//! Descriptions of keys, without secrets.

use crate::failure::{Failure, Outcome, Status};
use crate::io::key_files;
use crate::io::one_line::OneLine;
use crate::io::output::Output;
use crate::options::CommonOptions;
use crate::options::curve::KeyCurve;
use serde::Serialize;
use std::path::Path;
use sunzi_pk::keys::PublicKey;

/// The description of a key, without secrets.
#[derive(Debug, Serialize)]
pub(super) struct KeyDescription<'a> {
    file: std::borrow::Cow<'a, str>,
    kind: &'static str,
    algorithm: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    curve: Option<String>,
    bits: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    public_exponent: Option<u64>,
    /// Restriction of the key, in words.
    #[serde(skip_serializing_if = "Option::is_none")]
    restriction: Option<String>,
    /// The SHA-256 of the `SubjectPublicKeyInfo` in DER.
    fingerprint: String,
}

impl<'a> KeyDescription<'a> {
    pub(super) fn new(
        file: &'a Path,
        kind: &'static str,
        key: &PublicKey,
    ) -> Result<Self, Failure> {
        let of_curve = |curve: KeyCurve| {
            let name = Some(curve.to_string());
            (curve.algorithm(), name, curve.bits(), None)
        };
        let (algorithm, curve, bits, public_exponent) = match key {
            PublicKey::Rsa(key) => ("RSA", None, key.bits(), Some(key.e())),
            PublicKey::Ec(key) => of_curve(KeyCurve::Ec(key.curve().clone())),
            PublicKey::Edwards(key) => of_curve(KeyCurve::Edwards(key.curve())),
            PublicKey::Montgomery(key) => of_curve(KeyCurve::Montgomery(key.curve())),
            other => {
                let algorithm = other.algorithm();
                return Err(Failure::new(format!("keys of {algorithm} are not known")));
            }
        };
        Ok(Self {
            file: file.to_string_lossy(),
            kind,
            algorithm,
            curve,
            bits,
            public_exponent,
            restriction: match key {
                PublicKey::Rsa(key) => key.restriction().map(|pss| pss.to_string()),
                _ => None,
            },
            fingerprint: key_files::fingerprint(key)?,
        })
    }

    pub(super) fn print(&self, common: &CommonOptions) -> Outcome {
        let mut output = Output::new();
        if common.json {
            output.json(self)?;
        } else {
            let exponent = self
                .public_exponent
                .map_or(String::new(), |e| format!(", public exponent {e}"));
            let restriction = self
                .restriction
                .iter()
                .map(|pss| format!(", for {pss} alone"));
            let restriction: String = restriction.collect();
            output.line(format_args!(
                "{}: {} {} key, {} bits{exponent}{restriction}, fingerprint {}",
                OneLine(&self.file),
                self.curve.as_deref().unwrap_or(self.algorithm),
                self.kind,
                self.bits,
                self.fingerprint
            ))?;
        }
        output.flush()?;
        Ok(Status::Done)
    }
}
