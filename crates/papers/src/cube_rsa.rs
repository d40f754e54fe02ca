//! "Cube Based RSA Analysis and Optimization" (M. Damrudi, K. Jadidy Aval).
//!
//! The paper's method, CRSA, spreads one modular power over a [`hypercube`] of processing elements.
//! [`tables`] has its Table 1 (numbers of multiplications) and Table 2 (times) beside the numbers
//! of the same methods counted and timed here on the same integers; [`figures`] has its Figure 4
//! (throughput and efficiency) from the simulation; [`drawing`] draws the data-flow graph.
//! [`competitors`] has the methods of the tables, and [`arithmetic`] the modular arithmetic that all
//! of them use.

pub mod arithmetic;
pub mod claims;
pub mod competitors;
mod counterexamples;
pub mod drawing;
pub mod figures;
pub mod hypercube;
mod measure;
pub mod tables;

use crate::paper::Paper;
use hypercube::HypercubeError;

/// The paper.
pub static PAPER: Paper = Paper {
    name: "cube-rsa",
    label: "Cube RSA",
    title: "Cube Based RSA Analysis and Optimization",
    authors: "M. Damrudi, K. Jadidy Aval",
    published: "undated",
    tested: "The method (CRSA) and those it is compared with, on one arithmetic: modular products counted and powers \
        computed; pipelines of one and of several coordinators, simulated; Tables 1 and 2.",
    text: "The text is a transcription, whose figures are missing and in which exponents and signs of formulas may \
        be lost. The graph of the cubes is a reconstruction from the numbers that the text gives: that \
        exponent, work and left-out hold says that there is such a graph.",
    claims: &claims::CLAIMS,
    counterexamples: &counterexamples::COUNTEREXAMPLES,
    steps: measure::STEPS,
    measure: measure::measure,
};

/// The reason why a table or a figure could not be made.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CubeRsaError {
    /// A power could not be computed.
    #[error(transparent)]
    Hypercube(#[from] HypercubeError),
    /// Two methods give different powers.
    #[error("{method} gives another power than the binary method, for an exponent of {bits} bits")]
    Disagreement {
        /// The method that differs from the binary method.
        method: String,
        /// The size of the exponent, in bits.
        bits: u32,
    },
    /// The number of processors to share the work is 0 or too large.
    #[error("{processors} processors: there must be 1 to {most}")]
    Processors {
        /// The number asked for.
        processors: usize,
        /// The largest number allowed.
        most: usize,
    },
    /// The operating system refused to start a thread.
    #[error("cannot start a thread: {0}")]
    Thread(String),
    /// The exponent is too large for a loop of `e` products.
    #[error("a loop of e products for e of {bits} bits: at most {most} bits are counted out")]
    Repeated {
        /// The size of the exponent, in bits.
        bits: u32,
        /// The largest size allowed, in bits.
        most: u32,
    },
    /// An odd exponent of 0 bits was asked for.
    #[error("an exponent of 0 bits: it must have at least 1")]
    NoBits,
    /// There is no modulus of this size, in bits.
    #[error("there is no modulus of {0} bits here: there are 512, 1024, 2048 and 4096")]
    NoModulus(u32),
}
