//! `sunzi explain`: how a result is computed, drawn or printed.
//!
//! To add a subject, write its file here and add it to the two lists below.

mod curve;
mod hypercube;
mod network;
mod program;

use super::{Run, subcommands};
use crate::failure::Outcome;
use crate::options::CommonOptions;
use clap::Subcommand;

/// Show how something is computed
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    #[command(subcommand)]
    subject: Subject,
}

subcommands! {
    /// A subject with its arguments.
    enum Subject {
        Program => program,
        Curve => curve,
        Hypercube => hypercube,
        Network => network,
    }
}

impl Run for Args {
    fn run(&self, common: &CommonOptions) -> Outcome {
        self.subject.run(common)
    }
}
