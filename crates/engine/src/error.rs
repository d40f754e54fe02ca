//! What the engine refuses.

use crate::{Backend, MAX_BITS, MIN_BITS};

/// What the engine refuses.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum EngineError {
    /// The modulus is even.
    #[error("the modulus is even: RNS Montgomery multiplication needs an odd one")]
    EvenModulus,
    /// The modulus is too small or too large.
    #[error("the modulus has {0} bits: {MIN_BITS} to {MAX_BITS} are supported")]
    ModulusSize(u32),
    /// No backend has this name.
    #[error("there is no backend named {0:?}: choose one of {known}", known = Backend::names())]
    UnknownBackend(String),
    /// This processor lacks what the backend needs.
    #[error("backend {0} cannot run here: {1}")]
    BackendUnavailable(Backend, &'static str),
    /// No base satisfies the bounds of a plan; names the last condition that failed.
    #[error("no plan for {bits} bits: {condition}")]
    NoPlan {
        /// The size asked for.
        bits: u32,
        /// The bound that does not hold for the narrowest moduli tried.
        condition: String,
    },
}
