//! The peers: what Sunzi is measured against and checked with.
//!
//! OpenSSL, AWS-LC (feature `aws-lc`) and GMP (feature `gmp`) are compiled from source, so that
//! every machine compares with the same versions, whatever it has installed. Nothing that a user
//! runs by default depends on this crate: it needs a C compiler, Perl, `make` (for GMP `m4`, too)
//! and some minutes to build.
//!
//! A [`Peer`] prepares one operation (its key, or its numbers, in its own representation) and
//! repeats it; that is also what a program would do that wants speed. Blinding, and a library's
//! own check of its signatures, stay on where they are on by default, which they are in OpenSSL
//! and in AWS-LC.

#[cfg(feature = "aws-lc")]
mod aws_lc;
#[cfg(feature = "gmp")]
mod gmp;
mod openssl;
#[cfg(test)]
mod tests;

pub use crate::openssl::{verify_file, version};
use std::io;

/// Why a peer could not do what was asked.
#[derive(Debug, thiserror::Error)]
pub enum PeerError {
    /// OpenSSL reports an error.
    #[error("OpenSSL: {0}")]
    OpenSsl(#[from] ::openssl::error::ErrorStack),
    /// AWS-LC reports an error, in the step named.
    #[error("AWS-LC: {0} failed")]
    AwsLc(&'static str),
    /// GMP would not take the numbers.
    #[error("GMP: {0}")]
    Gmp(&'static str),
    /// A file cannot be read.
    #[error(transparent)]
    Io(#[from] io::Error),
}

/// Signs SHA-256 digests with one RSA key, PKCS#1 v1.5.
pub trait Sign: Send {
    /// Signs a digest into `signature`, which has the length of the modulus.
    ///
    /// # Errors
    /// [`PeerError`], for a digest that is not 32 bytes long for example.
    fn sign(&mut self, digest: &[u8], signature: &mut [u8]) -> Result<(), PeerError>;
}

/// Verifies PKCS#1 v1.5 signatures of SHA-256 digests with one RSA key.
pub trait Verify: Send {
    /// Whether `signature` is a signature of the digest.
    ///
    /// # Errors
    /// [`PeerError`] if the library cannot tell, which OpenSSL also says of some malformed
    /// signatures.
    fn verify(&mut self, digest: &[u8], signature: &[u8]) -> Result<bool, PeerError>;
}

/// A modular power.
pub trait Power: Send {
    /// Computes it.
    ///
    /// # Errors
    /// [`PeerError`] if the library cannot, for want of memory.
    fn compute(&mut self) -> Result<(), PeerError>;

    /// What [`compute`](Self::compute) found, as a big-endian number of `length` bytes.
    ///
    /// # Errors
    /// [`PeerError`] if it is longer than that.
    fn result(&self, length: usize) -> Result<Vec<u8>, PeerError>;
}

/// Makes a signer from a PKCS#8 key in DER.
pub type MakeSigner = fn(pkcs8: &[u8]) -> Result<Box<dyn Sign>, PeerError>;
/// Makes a verifier from a `SubjectPublicKeyInfo` in DER.
pub type MakeVerifier = fn(spki: &[u8]) -> Result<Box<dyn Verify>, PeerError>;
/// Makes a power from a base below the modulus, an exponent above 0, and an odd modulus, all
/// big-endian.
pub type MakePower =
    fn(base: &[u8], exponent: &[u8], modulus: &[u8]) -> Result<Box<dyn Power>, PeerError>;

/// A library, and what it can do.
#[derive(Clone, Debug)]
pub struct Peer {
    /// Name and version, as the library that runs tells them: `openssl 4.0.3`.
    pub name: String,
    /// A word for it, for narrow columns.
    pub short: &'static str,
    /// How it signs, if it knows RSA.
    pub signer: Option<MakeSigner>,
    /// How it verifies, if it knows RSA.
    pub verifier: Option<MakeVerifier>,
    /// How it computes modular powers; in constant time, unless the name says otherwise.
    pub power: MakePower,
}

/// Every peer that is compiled in.
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
