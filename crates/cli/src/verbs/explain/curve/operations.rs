//! Operations on residues.

use serde::Serialize;
use sunzi_rns::Counts;

/// Numbers of operations on residues, by kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub(super) struct Operations {
    pub(super) emm: u64,
    pub(super) cmm: u64,
    pub(super) ema: u64,
    pub(super) cmr: u64,
}

impl From<Counts> for Operations {
    fn from(counts: Counts) -> Self {
        let Counts {
            emm, cmm, ema, cmr, ..
        } = counts;
        Self { emm, cmm, ema, cmr }
    }
}

impl core::fmt::Display for Operations {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        let Self { emm, cmm, ema, cmr } = self;
        write!(f, "{emm} EMM, {cmm} CMM, {ema} EMA, {cmr} CMR")
    }
}
