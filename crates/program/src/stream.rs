//! Scalars of a program, and the streams of digits that they are taken apart into.

use crate::{Recoding, content};

/// An integer of each member that is taken apart into digits.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ScalarInfo {
    /// What it is called when the program is printed.
    pub name: String,
    /// Its largest length in bits.
    pub bits: u32,
    /// Whether look-ups by its digits read every entry.
    pub secret: bool,
}

/// How a scalar is taken apart.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StreamInfo {
    /// Which of the member's scalars.
    pub scalar: u32,
    /// The recoding.
    pub recoding: Recoding,
    /// Digits in it.
    pub length: usize,
    /// Digits are below this.
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
