//! `sunzi jwt`: JSON Web Tokens, a line each.
//!
//! To add a subject, write its file here and add it to the two lists below.

mod sign;
mod verify;

use super::{Run, subcommands};
use crate::failure::Outcome;
use crate::options::CommonOptions;
use clap::Subcommand;

/// JSON Web Tokens (RFC 7519) by the million, a line each
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    #[command(subcommand)]
    action: Action,
}

subcommands! {
    /// An action with its arguments.
    enum Action {
        Sign => sign,
        Verify => verify,
    }
}

impl Run for Args {
    fn run(&self, common: &CommonOptions) -> Outcome {
        self.action.run(common)
    }
}
