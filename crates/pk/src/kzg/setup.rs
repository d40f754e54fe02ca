//! The setup: an element of G2, with its lines.

use crate::ec::pairing::{G2Element, PreparedG2, PreparedPairing, decode_g2_batch};
use core::fmt;
use std::sync::Arc;
use sunzi_engine::EngineError;

/// `t G2` of Ethereum's ceremony of 2023: the second element of `g2_monomial` in the consensus specification's
/// `trusted_setup_4096.json`.
const ETHEREUM: &str = "b5bfd7dd8cdeb128843bc287230af38926187075cbfbefa81009a2ce615ac53d\
    2914e5870cb452d2afaaab24f3499f72185cbfee53492714734429b7b38608e2\
    3926c911cceceac9a36851477ba4c60b087041de621000edc98edada20c1def2";

/// A setup prepared on an engine; cheap to clone. Takes milliseconds to make.
#[derive(Clone)]
pub struct PreparedKzg(Arc<PreparedKzgData>);

struct PreparedKzgData {
    pairing: PreparedPairing,
    minus_generator: PreparedG2,
    tau: PreparedG2,
}

impl PreparedKzg {
    /// Prepares a setup, of which `tau` is `t G2`.
    pub fn new(pairing: &PreparedPairing, tau: &G2Element) -> Self {
        Self(Arc::new(PreparedKzgData {
            pairing: pairing.clone(),
            minus_generator: PreparedG2::new(&G2Element::generator().negated()),
            tau: PreparedG2::new(tau),
        }))
    }

    /// Prepares Ethereum's setup.
    ///
    /// # Errors
    /// [`EngineError`] where no device of the engine could read it.
    ///
    /// # Panics
    /// Never: the element is valid.
    pub fn ethereum(pairing: &PreparedPairing) -> Result<Self, EngineError> {
        let digits = ETHEREUM.as_bytes().chunks(2);
        let byte = |digits: &[u8]| {
            let digits = digits.iter().map(|&digit| char::from(digit).to_digit(16));
            digits.fold(0, |byte, digit| 16 * byte + digit.unwrap_or(0) as u8)
        };
        let bytes: Vec<_> = digits.map(byte).collect();
        let element = decode_g2_batch(pairing, &[&bytes])?.remove(0);
        Ok(Self::new(pairing, &element.expect("the element is valid")))
    }

    /// The pairing.
    pub fn pairing(&self) -> &PreparedPairing {
        &self.0.pairing
    }

    pub(super) fn minus_generator(&self) -> &PreparedG2 {
        &self.0.minus_generator
    }

    pub(super) fn tau(&self) -> &PreparedG2 {
        &self.0.tau
    }
}

impl fmt::Debug for PreparedKzg {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("PreparedKzg").field(self.tau()).finish()
    }
}
