//! Pairings prepared on an engine.

use super::kind::{Bls12_381, Bn254, PairingCurve};
use crate::ec::prepared::PreparedCurve;
use core::fmt;
use core::marker::PhantomData;
use std::sync::Arc;
use sunzi_engine::{Engine, EngineError, Modulus};

/// The pairing of a curve prepared on an engine; cheap to clone.
#[derive(Clone)]
pub struct PreparedPairing<C: PairingCurve = Bls12_381>(Arc<PreparedPairingData>, PhantomData<C>);

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
    pub fn bls12_381(engine: &Engine) -> Result<Self, EngineError> {
        Self::new(engine)
    }
}

impl PreparedPairing<Bn254> {
    /// Prepares the pairing of BN254 on an engine.
    ///
    /// # Errors
    /// [`EngineError::NoPlan`] if the engine has no plan for 254 bits.
    pub fn bn254(engine: &Engine) -> Result<Self, EngineError> {
        Self::new(engine)
    }
}

impl<C: PairingCurve> PreparedPairing<C> {
    /// Prepares the pairing of a curve on an engine.
    ///
    /// # Errors
    /// [`EngineError::NoPlan`] if the engine has no plan for the size of the curve's prime.
    ///
    /// # Panics
    /// Never: the curve is there.
    pub fn new(engine: &Engine) -> Result<Self, EngineError> {
        let curve = C::G1.parse();
        let curve = curve.expect("the curve has this name");
        let data = PreparedPairingData {
            engine: engine.clone(),
            g1: PreparedCurve::new(engine, &curve)?,
        };
        Ok(Self(Arc::new(data), PhantomData))
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

impl<C: PairingCurve> fmt::Debug for PreparedPairing<C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("PreparedPairing").field(self.g1()).finish()
    }
}
