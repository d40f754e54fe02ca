//! Keys that are prepared when they are first used.

use std::sync::{Arc, OnceLock};

use crate::ec::{PreparedCurve, schnorr};

/// A key of a curve that is prepared for Schnorr signatures when it is first used for them: most never are.
pub(super) struct Lazy<Key, Prepared> {
    pub(super) curve: PreparedCurve,
    pub(super) key: Key,
    prepared: OnceLock<Result<Prepared, schnorr::KeyError>>,
}

impl<Key, Prepared> Lazy<Key, Prepared> {
    pub(super) fn new(curve: PreparedCurve, key: Key) -> Arc<Self> {
        Arc::new(Self {
            curve,
            key,
            prepared: OnceLock::new(),
        })
    }

    /// The prepared key.
    pub(super) fn get(
        &self,
        prepare: impl FnOnce(&PreparedCurve, &Key) -> Result<Prepared, schnorr::KeyError>,
    ) -> Result<&Prepared, schnorr::KeyError> {
        let prepared = self
            .prepared
            .get_or_init(|| prepare(&self.curve, &self.key));
        prepared.as_ref().map_err(schnorr::KeyError::clone)
    }
}
