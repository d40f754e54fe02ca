//! The parameters of a curve, as they are printed.

use crypto_bigint::BoxedUint;
use serde::Serialize;

/// A curve's numbers.
#[derive(Debug, Serialize)]
pub(super) struct Parameters {
    pub(super) equation: &'static str,
    pub(super) p: String,
    pub(super) a: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) b: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) d: Option<String>,
    pub(super) base_point: Vec<String>,
    pub(super) order: String,
}

/// A number in hexadecimal.
pub(super) fn hex(x: &BoxedUint) -> String {
    let digits = x.to_string_radix_vartime(16);
    format!("0x{digits}")
}
