//! Pairings prepared on an engine.

use super::element::PreparedG2;
use super::kind::{Bls12_381, Bn254, PairingCurve};
use crate::ec::prepared::PreparedCurve;
use core::fmt;
use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use sunzi_engine::{Constants, Engine, EngineError, Modulus};

/// The pairing of a curve prepared on an engine; cheap to clone.
#[derive(Clone)]
pub struct PreparedPairing<C: PairingCurve = Bls12_381>(Arc<PreparedPairingData<C>>);

/// Data of the pairing, shared by its clones.
struct PreparedPairingData<C: PairingCurve> {
    engine: Engine,
    g1: PreparedCurve,
    /// The lines of prepared elements that jobs have had last, as constants.
    lines: Mutex<VecDeque<Lines<C>>>,
}

/// The lines of some prepared elements, in this order, as constants of a job.
struct Lines<C: PairingCurve> {
    elements: Vec<PreparedG2<C>>,
    constants: Arc<Constants>,
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
            lines: Mutex::default(),
        };
        Ok(Self(Arc::new(data)))
    }

    /// Number of lists of elements whose lines are kept: a few keys that many signatures are verified with. An element has 272
    /// numbers on BLS12-381, and is in memory as long as it is in a list.
    const KEPT: usize = 16;

    /// The lines of these elements as constants of a job.
    pub(super) fn lines_of(
        &self,
        elements: &[&PreparedG2<C>],
    ) -> Result<Arc<Constants>, EngineError> {
        let are_these = |lines: &Lines<C>| {
            let mut pairs = lines.elements.iter().zip(elements);
            lines.elements.len() == elements.len() && pairs.all(|(x, y)| x.is(y))
        };
        {
            let mut kept = self.kept();
            if let Some(lines) = kept
                .iter()
                .position(are_these)
                .and_then(|place| kept.remove(place))
            {
                let constants = Arc::clone(&lines.constants);
                kept.push_front(lines);
                return Ok(constants);
            }
        }
        let numbers = elements.iter().flat_map(|element| element.numbers());
        let numbers: Vec<_> = numbers.map(|number| (number, 1)).collect();
        let constants = self.engine().constants(self.p(), &numbers)?;
        let mut kept = self.kept();
        kept.truncate(Self::KEPT - 1);
        kept.push_front(Lines {
            elements: elements.iter().map(|&element| element.clone()).collect(),
            constants: Arc::clone(&constants),
        });
        Ok(constants)
    }

    fn kept(&self) -> MutexGuard<'_, VecDeque<Lines<C>>> {
        // A panic of another thread leaves the lists as they are.
        self.0.lines.lock().unwrap_or_else(PoisonError::into_inner)
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
