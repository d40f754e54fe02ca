//! Errors of reports.

use crate::cube_rsa::CubeRsaError;
use crate::cube_rsa::hypercube::HypercubeError;

/// The reason why a report could not be made.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PaperError {
    /// A power or a table of "Cube Based RSA" could not be computed.
    #[error(transparent)]
    CubeRsa(#[from] CubeRsaError),
    /// A hypercube could not be made.
    #[error(transparent)]
    Hypercube(#[from] HypercubeError),
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
