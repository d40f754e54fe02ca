//! The papers behind Sunzi, one module for each: the paper's claims, the figures counted and timed here, and
//! a verdict on each claim that the code derives from the figures.
//!
//! | module | contents |
//! |---|---|
//! | [`claim`] | a claim, its [`claim::Verdict`], and the rules of the verdicts |
//! | [`figures`], [`table`], [`plot`] | measured figures, with their sources |
//! | [`network`] | a Montgomery product as a network of fixed weights, in ONNX |
//! | [`paper`] | a paper with its claims and counterexamples, and a run of it |
//! | [`run`] | one call for all of it: what is asked for is measured, printed and written |
//! | [`text`], [`page`], [`lines`] | the report for a terminal, as an HTML page, and as JSON Lines |
//! | [`timing`], [`integers`], [`random`], [`hardware`] | shared parts of the measurements |
//!
//! To add a paper, write its module with a `PAPER` and add it to [`PAPERS`].

pub mod binary_ternary_inversion;
pub mod claim;
pub mod cube_rsa;
mod error;
pub mod figures;
pub mod frnn;
pub mod hardware;
pub mod hierarchical_base_extension;
pub mod integers;
pub mod lines;
pub mod network;
pub mod page;
pub mod paper;
pub mod plot;
pub mod random;
pub mod run;
pub mod sum_of_residues;
pub mod table;
pub mod text;
pub mod timing;

pub use error::PaperError;

use paper::Paper;

/// All papers, in the order of the report.
pub static PAPERS: [&Paper; 5] = [
    &frnn::PAPER,
    &hierarchical_base_extension::PAPER,
    &sum_of_residues::PAPER,
    &cube_rsa::PAPER,
    &binary_ternary_inversion::PAPER,
];
