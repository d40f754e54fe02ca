//! `sunzi papers`: the tables and figures of a paper, beside the numbers counted and timed here.
//!
//! To add a paper, write its file here and add it to the two lists below.

mod cube_rsa;

use super::{Run, subcommands};
use crate::failure::Outcome;
use crate::options::CommonOptions;
use clap::Subcommand;

/// Reproduce the tables and figures of a paper
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    #[command(subcommand)]
    paper: Paper,
}

subcommands! {
    /// A paper with its arguments.
    enum Paper {
        CubeRsa => cube_rsa,
    }
}

impl Run for Args {
    fn run(&self, common: &CommonOptions) -> Outcome {
        self.paper.run(common)
    }
}
