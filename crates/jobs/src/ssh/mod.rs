//! SSH: signatures of files in the format SSHSIG, which `ssh-keygen -Y` makes and verifies, and certificates of OpenSSH,
//! issued under a policy; many at a time.
//!
//! Keys are those of RSA, P-256, P-384, P-521 and Ed25519. Signatures by SHA-1 (`ssh-rsa`) are neither made nor
//! accepted.
//!
//! ```
//! use sunzi_engine::{Backend, Engine};
//! use sunzi_jobs::ssh::{Signature, Signer, Verifier, armor, sign_batch, verify_batch};
//! use sunzi_pk::keys::{Algorithms, NonceKind, PrivateKey, SigningKey};
//! use sunzi_pk::{Hash, system_rng};
//!
//! let algorithms = Algorithms::new(&Engine::new(Backend::best())?);
//! let private = PrivateKey::generate(&algorithms, "Ed25519", &mut system_rng())?;
//! let signer = Signer::new(SigningKey::new(&algorithms, &private)?, "file", Hash::Sha512)?;
//! let digests = [Hash::Sha512.digest(b"one"), Hash::Sha512.digest(b"two")];
//! let nonces = NonceKind::Deterministic;
//! let signatures = sign_batch(&algorithms, &mut system_rng(), nonces, &signer, &digests);
//! let file = armor(&signatures[1].clone()?);
//! assert!(file.starts_with("-----BEGIN SSH SIGNATURE-----\n"));
//!
//! let verifier = Verifier::of_key(&algorithms, &private.public_key(), "file")?;
//! let signature = Signature::read(file.as_bytes())?;
//! let claim = verifier.claim(&signature)?;
//! let claims = [(claim.clone(), digests[1]), (claim, digests[0])];
//! let verdicts = verify_batch(&algorithms, &claims);
//! assert!(verdicts[0].is_ok() && verdicts[1].is_err());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod allowed;
mod certificate;
mod certify;
mod error;
mod keys;
mod pattern;
mod policy;
mod request;
mod sign;
mod signature;
mod time;
mod verify;

pub use certificate::{Certificate, CertificateKind, CertificateOptions, Statement};
pub use certify::{Authority, Checker, certify_batch, check_batch};
pub use error::{KeyError, MAX_SIGNATURE_BYTES, Refusal, SignError};
pub use policy::Policy;
pub use request::{MAX_REQUEST_BYTES, Request};
pub use sign::{Signer, armor, sign_batch};
pub use signature::Signature;
pub use verify::{Claim, Verifier, verify_batch};
