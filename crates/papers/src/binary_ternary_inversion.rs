//! "Binary-Ternary Plus-Minus Modular Inversion in RNS" (K. Bigou, A. Tisserand): inversion by
//! divisions by 2, 3, 4, 6 and 12 (BTMI), beside the earlier one by 2 and 4 (BMI).
//!
//! The inversions are those of [`sunzi_field::inversion`]; [`literal`] has the updates of small
//! residues as printed, and the Cox with any precision and offset. [`printed`] has the costs.

pub mod claims;
mod counterexamples;
pub mod literal;
mod measure;
pub mod printed;

use crate::paper::Paper;

/// The paper.
pub static PAPER: Paper = Paper {
    name: "binary-ternary-inversion",
    label: "Binary-ternary inversion",
    title: "Binary-Ternary Plus-Minus Modular Inversion in RNS",
    authors: "K. Bigou, A. Tisserand",
    published: "IEEE Transactions on Computers 65 (2016)",
    tested: "Both inversions, by divisions by 2, 3, 4, 6 and 12 (BTMI) and by 2 and 4 (BMI), on random operands \
        modulo four NIST primes: their loops, operations and results; the small residues, the Cox and Table I as \
        printed; cores of both, simulated and synthesized.",
    text: "The text is a transcription, whose Figures 1 to 5 are missing.",
    explorer: &[("inversion", "an inversion step by step")],
    claims: &claims::CLAIMS,
    counterexamples: &counterexamples::COUNTEREXAMPLES,
    steps: measure::STEPS,
    measure: measure::measure,
};
