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
    tested: "Its algorithms as printed, on tiny and on its own moduli; what follows from Table 1; the operations of \
        Table 1 and the estimate for a signature, timed here on one thread beside integers.",
    text: "The text is a transcription, in which section 3, equations (6) to (12), Figure 1 and Table 2 are missing. \
        The network and the function F of Algorithm 1 are reconstructions, and what rests on them is not judged \
        by them. That the printed RNS times are those of an empty loop is an inference from their size.",
    explorer: &[
        ("residues", "residues and orthogonal bases"),
        ("extension", "base extension"),
        ("network", "the network"),
    ],
    claims: &claims::CLAIMS,
    counterexamples: &counterexamples::COUNTEREXAMPLES,
    steps: measure::STEPS,
    measure: measure::measure,
};
