//! Powers modulo `P`.
#![doc = include_str!("../docs/exponentiation.md")]

pub mod fixed_window;
