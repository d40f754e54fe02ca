//! The present time, which tests and checks of the past take from an option.

use crate::failure::Failure;
use std::time::{SystemTime, UNIX_EPOCH};

/// The option for the time.
#[derive(Debug, clap::Args)]
pub(crate) struct NowOption {
    /// Take this time, in seconds since 1970, for the present one
    #[arg(long, value_name = "SECONDS")]
    now: Option<u64>,
}

impl NowOption {
    /// The time given, or that of the system's clock.
    pub(crate) fn seconds(&self) -> Result<u64, Failure> {
        let clock = || SystemTime::now().duration_since(UNIX_EPOCH).ok();
        let now = self.now.or_else(|| Some(clock()?.as_secs()));
        now.ok_or_else(|| Failure::new("the clock shows a time before 1970: give --now"))
    }
}
