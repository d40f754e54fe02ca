//! Verifying keys, as they are and prepared on an engine.

use crate::ec::pairing::{
    G2Element, MillerProduct, PairingRequest, PreparedG2, PreparedPairing, products,
};
use crate::ec::{GroupElement, GroupError};
use core::fmt;
use std::sync::Arc;

/// A verifying key of a circuit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VerifyingKey {
    /// alpha, of G1 of BLS12-381.
    pub alpha: GroupElement,
    /// beta.
    pub beta: G2Element,
    /// gamma.
    pub gamma: G2Element,
    /// delta.
    pub delta: G2Element,
    /// `K_0`, and an element of G1 for each public input.
    pub inputs: Vec<GroupElement>,
}

/// A verifying key prepared on an engine; cheap to clone. Takes milliseconds to make.
#[derive(Clone)]
pub struct PreparedVerifyingKey(Arc<PreparedKeyData>);

struct PreparedKeyData {
    pairing: PreparedPairing,
    key: VerifyingKey,
    minus_gamma: PreparedG2,
    minus_delta: PreparedG2,
    beta: PreparedG2,
    /// The Miller loop of e(-alpha, beta).
    constant: MillerProduct,
}

impl PreparedVerifyingKey {
    /// Prepares a key.
    ///
    /// # Errors
    /// [`GroupError::OtherCurve`] if an element is not of G1 of BLS12-381, [`GroupError::Engine`].
    pub fn new(pairing: &PreparedPairing, key: &VerifyingKey) -> Result<Self, GroupError> {
        let elements = key.inputs.iter().chain([&key.alpha]);
        for element in elements {
            element.check(pairing.g1().curve())?;
        }
        let minus_alpha = key.alpha.negated();
        let request = PairingRequest::new(&minus_alpha, &key.beta);
        let constant = products(pairing, &[&[request]])?.remove(0);
        Ok(Self(Arc::new(PreparedKeyData {
            minus_gamma: PreparedG2::new(&key.gamma.negated()),
            minus_delta: PreparedG2::new(&key.delta.negated()),
            beta: PreparedG2::new(&key.beta),
            constant,
            key: key.clone(),
            pairing: pairing.clone(),
        })))
    }

    /// The key.
    pub fn key(&self) -> &VerifyingKey {
        &self.0.key
    }

    /// The pairing.
    pub fn pairing(&self) -> &PreparedPairing {
        &self.0.pairing
    }

    pub(super) fn minus_gamma(&self) -> &PreparedG2 {
        &self.0.minus_gamma
    }

    pub(super) fn minus_delta(&self) -> &PreparedG2 {
        &self.0.minus_delta
    }

    pub(super) fn beta(&self) -> &PreparedG2 {
        &self.0.beta
    }

    pub(super) fn constant(&self) -> &MillerProduct {
        &self.0.constant
    }
}

impl fmt::Debug for PreparedVerifyingKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("PreparedVerifyingKey")
            .field(self.key())
            .finish()
    }
}
