//! `sunzi bls`: BLS signatures on BLS12-381.
//!
//! To add a subject, write its file here and add it to the two lists below.

mod aggregate;
mod key;
mod lines;
mod sign;
mod suite;
mod verify;

use super::{Run, subcommands};
use crate::failure::Outcome;
use crate::options::CommonOptions;
use clap::Subcommand;

/// BLS signatures on BLS12-381, as Ethereum and drand have them
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    #[command(subcommand)]
    action: Action,
}

subcommands! {
    /// An action with its arguments.
    enum Action {
        Key => key,
        Sign => sign,
        Verify => verify,
        Aggregate => aggregate,
    }
}

impl Run for Args {
    fn run(&self, common: &CommonOptions) -> Outcome {
        self.action.run(common)
    }
}
