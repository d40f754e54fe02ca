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
    claims: &claims::CLAIMS,
    counterexamples: &counterexamples::COUNTEREXAMPLES,
    steps: measure::STEPS,
    measure: measure::measure,
};
