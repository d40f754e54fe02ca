//! Elliptic curves over prime fields, in batches.
//!
//! A [`Curve`] is named or has parameters of your own, which are checked. [`PreparedCurve`] is a
//! curve on an engine; keys refer to it, and a batch may mix keys and curves. Module [`ecdsa`] signs
//! and verifies.

mod base;
mod curve;
pub mod ecdsa;
mod field;
mod formulas;
mod key;
mod model;
mod multiply;
mod named;
mod point;
mod prepared;
mod sharing;

pub use curve::{Curve, CurveError, MAX_BITS, MIN_BITS, MIN_EMBEDDING_DEGREE};
pub use key::{KeyError, PrivateKey, PublicKey};
pub use point::PointError;
pub use prepared::PreparedCurve;
