//! Batches of modular arithmetic: numbers in limbs, one a lane, or in residues, over all lanes.
//!
//! A batch is a list of tasks: powers as [`Task`]s, each `factor * base^exponent mod modulus` with a modulus of its
//! own, or any [`program`] of field operations as [`Job`]s. The engine groups tasks of one size and program, gives
//! every number its place in the registers of a *device*, and runs a group through the program together. A device
//! holds numbers as limbs of 52 bits, one number a lane, which is fastest for batches, or as residues modulo many
//! small moduli, without carries, for single numbers, random bases, and redundancy that finds faults. The schedule
//! takes what is predicted to be faster, and [`Engine::explain`] says which.
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
//! let results = engine.run(&[task])?;
//! assert_eq!(results.len(), 1);
//! # Ok::<(), sunzi_engine::EngineError>(())
//! ```
//!
//! A program of one's own: the check `y^2 = x^3 + 7`.
//!
//! ```
//! use crypto_bigint::BoxedUint;
//! use sunzi_engine::{Backend, Engine, Job, ProgramKey};
//!
//! let engine = Engine::new(Backend::best())?;
//! let modulus = engine.modulus(&BoxedUint::from((1u128 << 127) - 1))?;
//! let key = ProgramKey { bits: modulus.class(), kind: "on-curve", parameters: vec![] };
//! let programs = engine.programs(key, |builder| {
//!     let bits = builder.bits();
//!     let (x, y) = (builder.input(bits), builder.input(bits));
//!     let square = builder.square(x);
//!     let cube = builder.multiply(square, x);
//!     let seven = builder.montgomery_one();
//!     let seven = builder.scale(seven, 7);
//!     let right = builder.add(cube, seven);
//!     let left = builder.square(y);
//!     builder.equal(left, right);
//! })?;
//! println!("{}", programs.program());
//! let (x, y) = (BoxedUint::from(1u64), BoxedUint::from(5u64));
//! let job = Job {
//!     programs: &programs,
//!     modulus: &modulus,
//!     constants: None,
//!     inputs: vec![&x, &y],
//!     scalars: vec![],
//! };
//! assert_eq!(engine.execute(&[job])?[0].flags, [false]);
//! # Ok::<(), sunzi_engine::EngineError>(())
//! ```

mod affine;
mod backend;
mod builder;
mod calibration;
mod choices;
#[cfg(all(target_os = "linux", target_pointer_width = "64"))]
mod cuda;
mod device;
mod engine;
mod error;
mod explain;
mod faults;
mod fixed_base;
mod group;
pub mod hashing;
mod instructions;
#[cfg(any(test, feature = "testing"))]
mod instrument;
mod integers;
mod interpreter;
mod job;
mod kept;
mod kept_programs;
mod layout;
#[cfg(target_arch = "x86_64")]
mod limbs;
mod lookup;
mod measure;
mod random;
mod registry;
mod residues;
mod row;
mod schedule;
mod task;
#[cfg(any(test, feature = "testing"))]
pub mod testing;
mod threads;
mod times;
mod words;

#[doc(inline)]
pub use sunzi_program as program;

pub use affine::AffinePoints;
pub use backend::Backend;
pub use builder::EngineBuilder;
pub use calibration::Calibration;
pub use device::{AffinePoint, DeviceError, Outcome};
pub use engine::Engine;
pub use error::EngineError;
pub use explain::{Explanation, Groups};
pub use faults::{FaultyWord, FoundFault};
pub use fixed_base::{FixedBase, Product};
pub use instructions::InstructionLimit;
pub use integers::inverse::inverse;
pub use job::{Constants, DeviceFailure, Job, Modulus, Prediction, ProgramKey, Programs};
pub use layout::{ForcedLayout, Layout};
pub use program::{MAX_BITS, MIN_BITS, public_length, size_class};
pub use task::{Exponent, Task};
pub use threads::{available_threads, on_calling_thread};

#[allow(
    clippy::doc_markdown,
    reason = "formulas in a page that is read as it is, too"
)]
#[doc = include_str!("../docs/engine/README.md")]
pub mod derivation {
    #[doc = include_str!("../docs/engine/conversion.md")]
    pub mod conversion {}

    #[doc = include_str!("../docs/engine/cuda.md")]
    pub mod cuda {}

    #[doc = include_str!("../docs/engine/devices.md")]
    pub mod devices {}

    #[doc = include_str!("../docs/engine/float.md")]
    pub mod float {}

    #[doc = include_str!("../docs/engine/fused52.md")]
    pub mod fused52 {}

    #[doc = include_str!("../docs/engine/lanes.md")]
    pub mod lanes {}

    #[doc = include_str!("../docs/engine/limbs.md")]
    pub mod limbs {}

    #[doc = include_str!("../docs/engine/magnitudes.md")]
    pub mod magnitudes {}

    #[doc = include_str!("../docs/engine/moduli.md")]
    pub mod moduli {}

    #[doc = include_str!("../docs/engine/programs.md")]
    pub mod programs {}

    #[doc = include_str!("../docs/engine/radix64.md")]
    pub mod radix64 {}

    #[doc = include_str!("../docs/engine/random-bases.md")]
    pub mod random_bases {}

    #[doc = include_str!("../docs/engine/redundancy.md")]
    pub mod redundancy {}

    #[doc = include_str!("../docs/engine/residues.md")]
    pub mod residues {}

    #[doc = include_str!("../docs/engine/schedule.md")]
    pub mod schedule {}

    #[doc = include_str!("../docs/engine/seals.md")]
    pub mod seals {}

    #[doc = include_str!("../docs/engine/spread.md")]
    pub mod spread {}
}
