//! "Hierarchical Approach in RNS Base Extension for Asymmetric Cryptography" (L. Djath, K. Bigou,
//! A. Tisserand): Kawamura's base extension (KBE) and a hierarchical one (HBE).
//!
//! The extensions are those of [`sunzi_rns::extend`], which refuse bases on which they would be
//! wrong. [`literal`] has the quotients as printed, for any base.

pub mod claims;
mod counterexamples;
pub mod literal;
mod measure;
pub mod printed;

use crate::paper::Paper;

/// The paper.
pub static PAPER: Paper = Paper {
    name: "hierarchical-base-extension",
    label: "Hierarchical base extension",
    title: "Hierarchical Approach in RNS Base Extension for Asymmetric Cryptography",
    authors: "L. Djath, K. Bigou, A. Tisserand",
    published: "ARITH-26, 2019 (slides)",
    tested: "Kawamura's extension (KBE) and the hierarchical one (HBE): their operations, counted on five numbers \
        of moduli; their results on the eight sizes of the table and on a tiny base; what follows from the printed \
        table; cores of both at its eight points.",
    text: "The text is a transcription of slides, whose drawings are missing: the curves of the theoretical cost \
        are drawn from its formulas, and our cores are a design of our own.",
    explorer: &[
        ("extension", "base extension in rows"),
        ("product", "the Montgomery product"),
    ],
    claims: &claims::CLAIMS,
    counterexamples: &counterexamples::COUNTEREXAMPLES,
    steps: measure::STEPS,
    measure: measure::measure,
};
