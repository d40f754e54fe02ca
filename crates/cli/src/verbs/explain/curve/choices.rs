//! The arithmetic that can be chosen.

use clap::ValueEnum;

/// A reduction modulo p, as an option.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum Reduction {
    /// The sum of residues, exact, in 66-bit channels
    Sor,
    /// Montgomery's, with Kawamura's base extension
    Kbe,
    /// Montgomery's, with the hierarchical base extension
    Hbe,
}

/// An inversion modulo p, as an option.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum Inversion {
    /// Binary-ternary plus-minus
    Btmi,
    /// Binary plus-minus
    Bmi,
    /// The power p - 2
    Fermat,
}
