//! Elliptic curves over prime fields, in batches.
//!
//! A [`Curve`] is named or has parameters of your own, which are checked. [`PreparedCurve`] is a curve on an engine;
//! keys refer to it, and a batch may mix keys and curves. Modules [`ecdsa`] and [`schnorr`] (secp256k1) sign and
//! verify, and [`ecdh`] agrees on shared secrets. Twisted Edwards and Montgomery curves have types of their own, for
//! [`eddsa`] and [`xdh`]. `docs/curves.md` in the repository describes the computations.
//!
//! These functions are for batches. For a lone operation the schedule chooses the device with the least predicted time,
//! but on P-256, Ed25519 and X25519 a conventional library takes less; from some 8 verifications or 64 signatures
//! together on it takes more, on processors with AVX-512 IFMA. `sunzi bench` prints the sizes for a processor.
//!
//! ```
//! use sunzi_engine::{Backend, Engine};
//! use sunzi_pk::ec::ecdsa::{Encoding, NonceKind, SRange, SignRequest, SigningKey};
//! use sunzi_pk::ec::ecdsa::{VerifyRequest, sign_batch, verify_batch};
//! use sunzi_pk::ec::{PreparedCurve, PrivateKey};
//! use sunzi_pk::{Hash, system_rng};
//!
//! let engine = Engine::new(Backend::best())?;
//! let curve = PreparedCurve::new(&engine, &"P-256".parse()?)?;
//! let private = PrivateKey::generate(&curve, &mut system_rng())?;
//! let signing = SigningKey::new(&curve, &private)?;
//!
//! let digest = Hash::Sha256.digest(b"a message");
//! let requests = [SignRequest { key: &signing, digest }];
//! let rng = &mut system_rng();
//! let signatures = sign_batch(&engine, rng, NonceKind::Deterministic, &requests);
//! let signature = signatures[0].as_ref().expect("the machine computes rightly");
//!
//! let requests = [VerifyRequest {
//!     key: signing.verifying_key(),
//!     digest,
//!     encoding: Encoding::Der,
//!     s: SRange::Any,
//!     signature: &signature.to_bytes(Encoding::Der),
//! }];
//! assert_eq!(verify_batch(&engine, &requests), [Ok(())]);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod base;
mod confirmation;
mod congruence;
mod curve;
mod double_and_add;
pub mod ecdh;
pub mod ecdsa;
pub mod eddsa;
mod edwards;
mod encoding;
mod endomorphism;
mod field;
mod formulas;
mod group;
mod joint;
mod key;
mod key_tables;
mod model;
mod multi_scalar;
mod multiply;
mod named;
mod nonces;
pub mod pairing;
mod point;
mod points;
mod prepared;
mod rfc8410;
mod roots;
pub mod schnorr;
mod secret;
mod sharing;
mod tabled;
#[cfg(test)]
mod tests;
mod variable;
pub mod xdh;

pub use curve::{Curve, CurveError, MAX_BITS, MIN_BITS, MIN_EMBEDDING_DEGREE};
pub use double_and_add::double_and_add;
pub use edwards::curve::{EdwardsCurve, UnknownEdwardsCurve};
pub use edwards::prepared::{PreparedEdwardsCurve, PreparedEdwardsCurves};
pub use group::{
    CombineRequest, ElementFormat, GroupElement, GroupError, MultiplyRequest, SumRequest,
    add_batch_vartime, combine_batch_vartime, decode_batch, multi_scalar_batch_vartime,
    multiply_batch,
};
pub use key::{KeyError, PrivateKey, PublicKey};
pub use nonces::NonceKind;
pub use point::PointError;
pub use prepared::{PreparedCurve, PreparedCurves};
pub use xdh::curve::{
    MontgomeryCurve, PreparedMontgomeryCurve, PreparedMontgomeryCurves, UnknownMontgomeryCurve,
};
