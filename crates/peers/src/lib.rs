//! OpenSSL as a peer: what Sunzi is measured against and checked with.
//!
//! The library is compiled from source (feature `vendored` of the `openssl` crate), so that
//! every machine compares with the same version, whatever it has installed. Nothing that a
//! user runs by default depends on this crate: it needs a C compiler, Perl, `make`, and some
//! minutes to build.

use openssl::bn::{BigNum, BigNumContext};
use openssl::error::ErrorStack;
use openssl::md::Md;
use openssl::pkey::{PKey, Private, Public};
use openssl::pkey_ctx::PkeyCtx;
use openssl::rsa::Padding;
use openssl::sign::Verifier as StreamVerifier;
use std::io;
use std::path::Path;

/// Why a peer could not do what was asked.
#[derive(Debug, thiserror::Error)]
pub enum PeerError {
    /// OpenSSL reports an error.
    #[error("OpenSSL: {0}")]
    OpenSsl(#[from] ErrorStack),
    /// A file cannot be read.
    #[error(transparent)]
    Io(#[from] io::Error),
}

/// The version of the OpenSSL that is compiled in, as OpenSSL says it.
pub fn version() -> &'static str {
    openssl::version::version()
}

/// Signs SHA-256 digests with one RSA key, PKCS#1 v1.5.
///
/// The context is made once and used for every signature: OpenSSL's fastest way. Blinding
/// and OpenSSL's own check of the CRT result stay on, as they are by default.
pub struct Signer {
    ctx: PkeyCtx<Private>,
}

impl Signer {
    /// A signer for an unencrypted private key in PEM.
    ///
    /// # Errors
    /// [`PeerError::OpenSsl`] if the key is not an RSA private key in PEM.
    pub fn from_pem(pem: &[u8]) -> Result<Self, PeerError> {
        let key = PKey::private_key_from_pem(pem)?;
        let mut ctx = PkeyCtx::new(&key)?;
        ctx.sign_init()?;
        ctx.set_rsa_padding(Padding::PKCS1)?;
        ctx.set_signature_md(Md::sha256())?;
        Ok(Self { ctx })
    }

    /// Signs a SHA-256 digest into `signature`, which has the length of the modulus.
    ///
    /// # Errors
    /// [`PeerError::OpenSsl`], for a digest that is not 32 bytes long for example.
    pub fn sign(&mut self, digest: &[u8], signature: &mut [u8]) -> Result<usize, PeerError> {
        Ok(self.ctx.sign(digest, Some(signature))?)
    }
}

/// Verifies PKCS#1 v1.5 signatures of SHA-256 digests with one RSA key.
pub struct Verifier {
    ctx: PkeyCtx<Public>,
}

impl Verifier {
    /// A verifier for a public key in PEM (SPKI).
    ///
    /// # Errors
    /// [`PeerError::OpenSsl`] if the key is not an RSA public key in PEM.
    pub fn from_pem(pem: &[u8]) -> Result<Self, PeerError> {
        let key = PKey::public_key_from_pem(pem)?;
        let mut ctx = PkeyCtx::new(&key)?;
        ctx.verify_init()?;
        ctx.set_rsa_padding(Padding::PKCS1)?;
        ctx.set_signature_md(Md::sha256())?;
        Ok(Self { ctx })
    }

    /// Whether `signature` is a signature of the digest.
    ///
    /// # Errors
    /// [`PeerError::OpenSsl`] if OpenSSL cannot tell, which it also says of some malformed
    /// signatures.
    pub fn verify(&mut self, digest: &[u8], signature: &[u8]) -> Result<bool, PeerError> {
        Ok(self.ctx.verify(digest, signature)?)
    }
}

/// A modular power, computed in constant time.
pub struct Power {
    base: BigNum,
    exponent: BigNum,
    modulus: BigNum,
    result: BigNum,
    context: BigNumContext,
}

impl Power {
    /// `base^exponent mod modulus`, from big-endian numbers.
    ///
    /// # Errors
    /// [`PeerError::OpenSsl`] if there is no memory.
    pub fn new(base: &[u8], exponent: &[u8], modulus: &[u8]) -> Result<Self, PeerError> {
        let mut exponent = BigNum::from_slice(exponent)?;
        // Makes OpenSSL take its constant-time path, as for a private key.
        exponent.set_const_time();
        Ok(Self {
            base: BigNum::from_slice(base)?,
            exponent,
            modulus: BigNum::from_slice(modulus)?,
            result: BigNum::new()?,
            context: BigNumContext::new()?,
        })
    }

    /// Computes the power, and whether it equals a big-endian number.
    ///
    /// # Errors
    /// [`PeerError::OpenSsl`] if OpenSSL cannot compute it.
    pub fn equals(&mut self, expected: &[u8]) -> Result<bool, PeerError> {
        self.result
            .mod_exp(&self.base, &self.exponent, &self.modulus, &mut self.context)?;
        let length = i32::try_from(expected.len()).unwrap_or(i32::MAX);
        Ok(self.result.to_vec_padded(length)? == expected)
    }
}

/// Whether `signature_file` holds a PKCS#1 v1.5 signature, with SHA-256, of `file`.
///
/// # Errors
/// [`PeerError::Io`] if a file cannot be read, [`PeerError::OpenSsl`] if the key is not one.
pub fn verify_file(pem: &[u8], file: &Path, signature_file: &Path) -> Result<bool, PeerError> {
    let key = PKey::public_key_from_pem(pem)?;
    let mut verifier = StreamVerifier::new(openssl::hash::MessageDigest::sha256(), &key)?;
    io::copy(&mut std::fs::File::open(file)?, &mut verifier)?;
    let signature = std::fs::read(signature_file)?;
    // OpenSSL reports a signature of the wrong length as an error, not as an answer.
    Ok(verifier.verify(&signature).unwrap_or(false))
}

#[cfg(test)]
mod tests {
    use super::*;
    use openssl::rsa::Rsa;
    use openssl::sha::sha256;

    #[test]
    fn signs_and_verifies() {
        let key = PKey::from_rsa(Rsa::generate(2048).unwrap()).unwrap();
        let mut signer = Signer::from_pem(&key.private_key_to_pem_pkcs8().unwrap()).unwrap();
        let public = key.public_key_to_pem().unwrap();
        let mut verifier = Verifier::from_pem(&public).unwrap();
        let mut signature = [0; 256];
        // Twice each: one context serves many operations.
        for message in [b"one", b"two"] {
            let digest = sha256(message);
            assert_eq!(signer.sign(&digest, &mut signature).unwrap(), 256);
            assert!(verifier.verify(&digest, &signature).unwrap());
            assert!(
                !verifier
                    .verify(&sha256(b"other"), &signature)
                    .unwrap_or(false)
            );
        }
        assert!(version().starts_with("OpenSSL "));
    }
}
