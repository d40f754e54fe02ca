//! Scalars of a program, and the streams of digits that they are taken apart into.

use crate::{Recoding, content};

/// An integer of each member that is taken apart into digits.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ScalarInfo {
    /// The scalar's name when the program is printed.
    pub name: String,
    /// Its largest length in bits.
    pub bits: u32,
    /// Whether look-ups by its digits read every entry.
    pub secret: bool,
}

/// The recoding of a scalar into digits.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StreamInfo {
    /// The index of the member's scalar.
    pub scalar: u32,
    /// The recoding.
    pub recoding: Recoding,
    /// Number of digits.
    pub length: usize,
    /// The bound of the digits: all are below it.
    pub entries: usize,
    /// Whether the scalar is secret.
    pub secret: bool,
}

content!(ScalarInfo { bits, secret } without { name });
content!(StreamInfo {
    scalar,
    recoding,
    length,
    entries,
    secret
});
