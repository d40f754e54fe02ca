//! KZG openings of polynomials on BLS12-381 in batches, and Ethereum's blobs (EIP-4844).
//!
//! A commitment C to a polynomial f is `f(t) G` for a number t that nobody knows, of which `t G2` is public. An opening at z
//! is `y = f(z)` with a proof, the commitment to `(f(X) - y)/(X - z)` (Kate, Zaverucha and Goldberg, 2010). It is valid if
//! `e(C - y G + z proof, -G2) e(proof, t G2) = 1`: both elements of G2 are prepared.
//!
//! ```
//! use sunzi_engine::{Backend, Engine};
//! use sunzi_pk::ec::pairing::PreparedPairing;
//! use sunzi_pk::kzg::{Opening, PreparedKzg};
//!
//! let pairing = PreparedPairing::bls12_381(&Engine::new(Backend::best())?)?;
//! let kzg = PreparedKzg::ethereum(&pairing)?;
//! // The polynomial 0 is 0 everywhere.
//! let infinity = [&[0xc0][..], &[0; 47]].concat();
//! let (commitment, proof) = (&infinity, &infinity);
//! let opening = Opening { commitment, z: &[5; 32], y: &[0; 32], proof };
//! assert_eq!(kzg.verify_batch(&[opening]), [Ok(())]);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod blob;
mod error;
mod setup;
#[cfg(test)]
mod tests;
mod verify;

pub use blob::BlobRequest;
pub use error::{BLOB_BYTES, KzgError};
pub use setup::PreparedKzg;
pub use verify::Opening;
