//! Batches of modular exponentiations in residue number systems.
//!
//! A batch is a list of [`Task`]s, each `factor * base^exponent mod modulus` with a modulus
//! of its own. The engine groups the tasks by size, gives every number a lane, and walks all
//! lanes of a group through the exponentiation together: the expensive step, a base
//! extension, is then the product of one constant matrix with the whole group, whatever
//! the moduli are.
//!
//! ```
//! use crypto_bigint::BoxedUint;
//! use sunzi_engine::{Backend, Engine, Exponent, Task};
//!
//! let engine = Engine::new(Backend::best())?;
//! let modulus = engine.modulus(&BoxedUint::from((1u128 << 127) - 1))?;
//! let base = BoxedUint::from(3u64);
//! let exponent = BoxedUint::from(65_537u64);
//! let task = Task::power(&modulus, &base, Exponent::Public(&exponent));
//! let results = engine.run(&[task]);
//! assert_eq!(results.len(), 1);
//! # Ok::<(), sunzi_engine::EngineError>(())
//! ```

mod backend;
mod engine;
mod error;
mod explain;
mod task;

pub use backend::{Backend, Layout};
pub use engine::{Engine, MAX_BITS, MIN_BITS, Modulus};
pub use error::EngineError;
pub use explain::{Explanation, Groups};
pub use task::{Exponent, Task};
