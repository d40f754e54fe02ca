//! "Improved Sum of Residues Modular Multiplication Algorithm" (M. A. Mehrabi): reduction modulo a
//! prime in one base, with a correction that is said to make it exact.
//!
//! The reductions, as published and exact, are those of [`sunzi_field::sum_of_residues`], which refuse
//! numbers out of their range. [`literal`] has the equations one by one, for any number.

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
    tested: "The algorithm as published and with one exact comparison more, on random products, special numbers and \
        chains, for secp256k1 and edwards25519; each equation as printed; Tables 1, 2, 4 and 5; cores of its three \
        architectures.",
    text: "The text is a transcription, whose block diagrams (Figures 1 to 6) are missing.",
    explorer: &[("sum", "the sum of residues")],
    claims: &claims::CLAIMS,
    counterexamples: &counterexamples::COUNTEREXAMPLES,
    steps: measure::STEPS,
    measure: measure::measure,
};
