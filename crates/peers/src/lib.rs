//! The peers: libraries that Sunzi is compared with, in benchmarks and tests.
//!
//! OpenSSL, AWS-LC (feature `aws-lc`) and GMP (feature `gmp`) are compiled from source, so that all
//! machines compare with the same versions. The build takes minutes and needs a C compiler, Perl
//! and `make`, and `m4` for GMP. Nothing that users run by default depends on this crate.
//!
//! A [`Peer`] prepares an operation once (it converts the key or the numbers to its own
//! representation) and then repeats it, as a program that needs speed would. Blinding, and a
//! library's own check of its signatures, stay on if they are on by default, as they are in OpenSSL
//! and AWS-LC.

#[cfg(feature = "aws-lc")]
mod aws_lc;
#[cfg(feature = "gmp")]
mod gmp;
mod openssl;
#[cfg(test)]
mod tests;

pub use crate::openssl::{verify_file, version};
use std::io;

/// Why a peer's operation failed.
#[derive(Debug, thiserror::Error)]
pub enum PeerError {
    /// OpenSSL reported an error.
    #[error("OpenSSL: {0}")]
    OpenSsl(#[from] ::openssl::error::ErrorStack),
    /// AWS-LC reported an error in the named step.
    #[error("AWS-LC: {0} failed")]
    AwsLc(&'static str),
    /// GMP cannot compute with these numbers.
    #[error("GMP: {0}")]
    Gmp(&'static str),
    /// A file could not be read.
    #[error(transparent)]
    Io(#[from] io::Error),
}

/// An RSA key that signs SHA-256 digests, with PKCS#1 v1.5.
pub trait Sign: Send {
    /// Writes the signature of a digest to `signature`, which must be as long as the modulus.
    ///
    /// # Errors
    /// [`PeerError`], for instance if the digest does not have 32 bytes.
    fn sign(&mut self, digest: &[u8], signature: &mut [u8]) -> Result<(), PeerError>;
}

/// An RSA key that verifies signatures of SHA-256 digests, with PKCS#1 v1.5.
pub trait Verify: Send {
    /// Whether `signature` is a signature of the digest.
    ///
    /// # Errors
    /// [`PeerError`] if the library reports an error, as OpenSSL does for some malformed
    /// signatures.
    fn verify(&mut self, digest: &[u8], signature: &[u8]) -> Result<bool, PeerError>;
}

/// A modular power.
pub trait Power: Send {
    /// Computes the power, and keeps it.
    ///
    /// # Errors
    /// [`PeerError`] if the library fails, for instance because memory is exhausted.
    fn compute(&mut self) -> Result<(), PeerError>;

    /// The power that [`compute`](Self::compute) found, in `length` big-endian bytes.
    ///
    /// # Errors
    /// [`PeerError`] if it has more bytes.
    fn result(&self, length: usize) -> Result<Vec<u8>, PeerError>;
}

/// Constructor of a signer, from a PKCS#8 key in DER.
pub type MakeSigner = fn(pkcs8: &[u8]) -> Result<Box<dyn Sign>, PeerError>;
/// Constructor of a verifier, from a `SubjectPublicKeyInfo` in DER.
pub type MakeVerifier = fn(spki: &[u8]) -> Result<Box<dyn Verify>, PeerError>;
/// Constructor of a power, from a base below the modulus, an exponent above 0, and an odd modulus,
/// all big-endian.
pub type MakePower =
    fn(base: &[u8], exponent: &[u8], modulus: &[u8]) -> Result<Box<dyn Power>, PeerError>;

/// A library and the operations that it offers.
#[derive(Clone, Debug)]
pub struct Peer {
    /// Name and version, as reported by the library at run time: `openssl 4.0.3`.
    pub name: String,
    /// One-word name for narrow columns.
    pub short: &'static str,
    /// Constructor of signers, if the library has RSA.
    pub signer: Option<MakeSigner>,
    /// Constructor of verifiers, if the library has RSA.
    pub verifier: Option<MakeVerifier>,
    /// Constructor of modular powers. They take constant time, unless the name says otherwise.
    pub power: MakePower,
}

/// All peers that are compiled in.
pub fn all() -> Vec<Peer> {
    #[cfg(feature = "gmp")]
    let gmp = gmp::peers();
    #[cfg(not(feature = "gmp"))]
    let gmp: [Peer; 0] = [];
    let rsa = [
        crate::openssl::peer(),
        #[cfg(feature = "aws-lc")]
        aws_lc::peer(),
    ];
    rsa.into_iter().chain(gmp).collect()
}
