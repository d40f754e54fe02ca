//! "Improved Sum of Residues Modular Multiplication Algorithm" (M. A. Mehrabi): reduction modulo a
//! prime in one base, with a correction that is said to make it exact.
//!
//! The reductions, as published and exact, are those of [`sunzi_field::sum_of_residues`], which
//! refuses what is out of their range. [`literal`] has the equations one by one, for any number.

pub mod claims;
mod counterexamples;
pub mod literal;
mod measure;
pub mod printed;

use crate::paper::Paper;

/// The paper.
pub static PAPER: Paper = Paper {
    name: "sum-of-residues",
    label: "Sum of residues",
    title: "Improved Sum of Residues Modular Multiplication Algorithm",
    authors: "M. A. Mehrabi",
    published: "Cryptography 3 (2019)",
    claims: &claims::CLAIMS,
    counterexamples: &counterexamples::COUNTEREXAMPLES,
    steps: measure::STEPS,
    measure: measure::measure,
};
