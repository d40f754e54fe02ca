//! "Cube Based RSA Analysis and Optimization" (M. Damrudi, K. Jadidy Aval).
//!
//! The paper's method, CRSA, spreads one modular power over a [`hypercube`] of processing elements.
//! [`tables`] has its Table 1 (numbers of multiplications) and Table 2 (times) beside the numbers
//! of the same methods counted and timed here on the same integers; [`figures`] has its Figure 4
//! (throughput and efficiency) from the simulation; [`drawing`] draws the data-flow graph.
//! [`distributed`] has what was measured with the elements as processes of a distributed engine.
//! [`competitors`] has the methods of the tables, and [`arithmetic`] the modular arithmetic that all
//! of them use.

pub mod arithmetic;
pub mod claims;
pub mod competitors;
mod counterexamples;
pub mod distributed;
pub mod drawing;
mod error;
pub mod figures;
pub mod hypercube;
mod measure;
pub mod tables;

pub use error::CubeRsaError;

use crate::paper::Paper;

/// The paper.
pub static PAPER: Paper = Paper {
    name: "cube-rsa",
    label: "Cube RSA",
    title: "Cube Based RSA Analysis and Optimization",
    authors: "M. Damrudi, K. Jadidy Aval",
    published: "undated",
    tested: "The method (CRSA) and those it is compared with, on one arithmetic: modular products counted and powers \
        computed; pipelines of one and of several coordinators, simulated; the elements as actors of Ray, \
        and the time that a message may take; Tables 1 and 2.",
    text: "The text is a transcription, whose figures are missing and in which exponents and signs of formulas may \
        be lost. The graph of the cubes is a reconstruction from the numbers that the text gives: that \
        exponent, work and left-out hold says that there is such a graph.",
    explorer: &[("cube", "the hypercube at work")],
    claims: &claims::CLAIMS,
    counterexamples: &counterexamples::COUNTEREXAMPLES,
    steps: measure::STEPS,
    measure: measure::measure,
};
