//! Pairings prepared on an engine.

use crate::ec::prepared::PreparedCurve;
use core::fmt;
use std::sync::Arc;
use sunzi_engine::{Engine, EngineError, Modulus};

/// The pairing of BLS12-381 prepared on an engine; cheap to clone.
#[derive(Clone)]
pub struct PreparedPairing(Arc<PreparedPairingData>);

/// Data of the pairing, shared by its clones.
struct PreparedPairingData {
    engine: Engine,
    g1: PreparedCurve,
}

impl PreparedPairing {
    /// Prepares the pairing of BLS12-381 on an engine.
    ///
    /// # Errors
    /// [`EngineError::NoPlan`] if the engine has no plan for 384 bits.
    ///
    /// # Panics
    /// Never: the curve is there.
    pub fn bls12_381(engine: &Engine) -> Result<Self, EngineError> {
        let curve = "BLS12-381-G1".parse();
        let curve = curve.expect("the curve has this name");
        Ok(Self(Arc::new(PreparedPairingData {
            engine: engine.clone(),
            g1: PreparedCurve::new(engine, &curve)?,
        })))
    }

    /// The curve of G1.
    pub fn g1(&self) -> &PreparedCurve {
        &self.0.g1
    }

    /// The engine.
    pub(crate) fn engine(&self) -> &Engine {
        &self.0.engine
    }

    /// The prime of the field.
    pub(super) fn p(&self) -> &Arc<Modulus> {
        self.g1().p()
    }
}

impl fmt::Debug for PreparedPairing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("PreparedPairing").field(self.g1()).finish()
    }
}
