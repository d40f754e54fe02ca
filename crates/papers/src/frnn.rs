//! "Cryptographic Primitives Optimization Based on the Concepts of the Residue Number System and
//! Finite Ring Neural Network" (A. Tchernykh, M. Babenko and others): arithmetic in residues, and a
//! network of fixed weights (FRNN) for base extension.
//!
//! [`operations`] has the six operations of the paper's Table 1 and the conversions, to be timed
//! beside integers, in the readable code of `sunzi-rns` and in [`packed`] form; [`literal`] has the algorithms as printed.

pub mod claims;
mod counterexamples;
pub mod literal;
mod measure;
pub mod operations;
pub mod packed;
pub mod printed;

use crate::paper::Paper;

/// The paper.
pub static PAPER: Paper = Paper {
    name: "frnn",
    label: "RNS and FRNN",
    title: "Cryptographic Primitives Optimization Based on the Concepts of the Residue Number System \
        and Finite Ring Neural Network",
    authors: "A. Tchernykh, M. Babenko, B. Pulido-Gaytan, E. Shiryaev, E. Golimblevskaia, \
        A. Avetisyan, N. V. Hung, J. M. Cortes-Mendoza",
    published: "OLA 2021, CCIS 1443",
    claims: &claims::CLAIMS,
    counterexamples: &counterexamples::COUNTEREXAMPLES,
    steps: measure::STEPS,
    measure: measure::measure,
};
