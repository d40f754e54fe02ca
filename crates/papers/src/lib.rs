//! The papers behind Sunzi, one module for each: the paper's claims, the figures counted and timed here, and
//! a verdict on each claim that the code derives from the figures.
//!
//! | module | contents |
//! |---|---|
//! | [`claim`] | a claim, its [`claim::Verdict`], and the rules of the verdicts |
//! | [`figures`], [`table`], [`plot`] | measured figures, with their sources |
//! | [`paper`] | a paper with its claims and counterexamples, and a run of it |
//! | [`text`], [`page`], [`lines`] | the report for a terminal, as an HTML page, and as JSON Lines |
//! | [`timing`], [`integers`], [`random`], [`hardware`] | shared parts of the measurements |
//!
//! To add a paper, write its module with a `PAPER` and add it to [`PAPERS`].

pub mod binary_ternary_inversion;
pub mod claim;
pub mod cube_rsa;
pub mod figures;
pub mod frnn;
pub mod hardware;
pub mod hierarchical_base_extension;
pub mod integers;
pub mod lines;
pub mod page;
pub mod paper;
pub mod plot;
pub mod random;
pub mod sum_of_residues;
pub mod table;
pub mod text;
pub mod timing;

use paper::Paper;

/// All papers, in the order of the report.
pub static PAPERS: [&Paper; 5] = [
    &frnn::PAPER,
    &hierarchical_base_extension::PAPER,
    &sum_of_residues::PAPER,
    &cube_rsa::PAPER,
    &binary_ternary_inversion::PAPER,
];

/// The reason why a report could not be made.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PaperError {
    /// A power or a table of "Cube Based RSA" could not be computed.
    #[error(transparent)]
    CubeRsa(#[from] cube_rsa::CubeRsaError),
    /// A hypercube could not be made.
    #[error(transparent)]
    Hypercube(#[from] cube_rsa::hypercube::HypercubeError),
    /// A base could not be made.
    #[error(transparent)]
    Base(#[from] sunzi_rns::BaseError),
    /// A division could not be set up.
    #[error(transparent)]
    Division(#[from] sunzi_rns::division::DivisionError),
    /// A Montgomery product could not be set up.
    #[error(transparent)]
    Montgomery(#[from] sunzi_field::MontgomeryError),
    /// A sum of residues could not be set up.
    #[error(transparent)]
    SumOfResidues(#[from] sunzi_field::SumOfResiduesError),
    /// An inversion could not be set up, or a number has no inverse.
    #[error(transparent)]
    Inversion(#[from] sunzi_field::InversionError),
    /// A base extension could not be made.
    #[error(transparent)]
    Extension(#[from] sunzi_rns::ExtensionError),
}
