//! `sunzi jwt`: JSON Web Tokens, a line each.
//!
//! To add a subject, write its file here and add it to the two lists below.

mod sign;
mod verify;

use super::{Run, subcommands};
use crate::failure::{Failure, Outcome};
use crate::options::CommonOptions;
use clap::Subcommand;
use std::time::{SystemTime, UNIX_EPOCH};

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

/// The option for the time.
#[derive(Debug, clap::Args)]
struct NowOption {
    /// Take this time, in seconds since 1970, for the present one
    #[arg(long, value_name = "SECONDS")]
    now: Option<u64>,
}

impl NowOption {
    /// The time given, or that of the system's clock.
    fn seconds(&self) -> Result<u64, Failure> {
        let clock = || SystemTime::now().duration_since(UNIX_EPOCH).ok();
        let now = self.now.or_else(|| Some(clock()?.as_secs()));
        now.ok_or_else(|| Failure::new("the clock shows a time before 1970: give --now"))
    }
}
