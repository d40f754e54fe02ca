//! The curves of all algorithms, on one engine.

use sunzi_engine::Engine;

use crate::ec::{PreparedCurves, PreparedEdwardsCurves, PreparedMontgomeryCurves};

/// An engine, with the curves of all algorithms prepared on it when they are first used. Cheap to clone.
#[derive(Clone, Debug)]
pub struct Algorithms {
    curves: PreparedCurves,
    edwards: PreparedEdwardsCurves,
    montgomery: PreparedMontgomeryCurves,
}

impl Algorithms {
    /// All algorithms on this engine.
    pub fn new(engine: &Engine) -> Self {
        Self {
            curves: PreparedCurves::new(engine),
            edwards: PreparedEdwardsCurves::new(engine),
            montgomery: PreparedMontgomeryCurves::new(engine),
        }
    }

    /// The engine.
    pub fn engine(&self) -> &Engine {
        self.curves.engine()
    }

    /// The curves for ECDSA and ECDH.
    pub fn curves(&self) -> &PreparedCurves {
        &self.curves
    }

    /// The curves for EdDSA.
    pub fn edwards(&self) -> &PreparedEdwardsCurves {
        &self.edwards
    }

    /// The curves for X25519 and X448.
    pub fn montgomery(&self) -> &PreparedMontgomeryCurves {
        &self.montgomery
    }
}
