//! `sunzi explain`: drawings of how a result is computed.
//!
//! To add a subject, write its file here and add it to the two lists below.

mod hypercube;

use super::{Run, subcommands};
use crate::failure::Outcome;
use crate::options::CommonOptions;
use clap::Subcommand;

/// Draw how something is computed
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    #[command(subcommand)]
    subject: Subject,
}

subcommands! {
    /// A subject with its arguments.
    enum Subject {
        Hypercube => hypercube,
    }
}

impl Run for Args {
    fn run(&self, common: &CommonOptions) -> Outcome {
        self.subject.run(common)
    }
}
