//! The options that name a suite of BLS signatures.

use crate::failure::Failure;
use crate::options::CommonOptions;
use clap::ValueEnum;
use sunzi_pk::bls::{PreparedBls, Scheme, Suite, Variant};
use sunzi_pk::ec::pairing::{DomainSeparationTag, PreparedPairing};

/// The group of the signatures; keys are in the other one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Group {
    /// Signatures of 48 bytes, keys of 96
    G1,
    /// Signatures of 96 bytes, keys of 48
    G2,
}

/// A suite of the draft draft-irtf-cfrg-bls-signature, or one with a tag of its own.
#[derive(Debug, clap::Args)]
pub(super) struct SuiteOptions {
    /// Group of the signatures; keys are in the other one
    #[arg(long, value_enum, default_value_t = Group::G2)]
    signatures_in: Group,
    /// Scheme: basic, message-augmentation or proof-of-possession
    #[arg(long, value_name = "NAME", default_value = "proof-of-possession")]
    scheme: Scheme,
    /// Domain separation tag that messages are hashed with, instead of the scheme's own
    #[arg(long, value_name = "TEXT")]
    dst: Option<String>,
}

impl SuiteOptions {
    /// The suite on the chosen backend.
    pub(super) fn prepare(&self, common: &CommonOptions) -> Result<PreparedBls, Failure> {
        let variant = match self.signatures_in {
            Group::G1 => Variant::MinSig,
            Group::G2 => Variant::MinPk,
        };
        let mut suite = Suite::new(variant, self.scheme);
        if let Some(tag) = &self.dst {
            let tag = DomainSeparationTag::new(tag.as_bytes());
            let tag = tag.map_err(|error| Failure::new(format!("--dst: {error}")))?;
            suite = suite.with_tag(tag);
        }
        let engine = common.engine()?;
        let pairing = PreparedPairing::bls12_381(&engine).map_err(Failure::from_error)?;
        Ok(PreparedBls::new(&pairing, suite))
    }
}
