//! OpenSSL, through the crate `openssl`.

use crate::{Peer, PeerError, Power, Sign, Verify};
use openssl::bn::{BigNum, BigNumContext};
use openssl::md::Md;
use openssl::pkey::{PKey, Private, Public};
use openssl::pkey_ctx::PkeyCtx;
use openssl::rsa::Padding;
use openssl::sign::Verifier as StreamVerifier;
use std::io;
use std::path::Path;

/// The version of the OpenSSL that is compiled in, in OpenSSL's own words.
pub fn version() -> &'static str {
    openssl::version::version()
}

pub(crate) fn peer() -> Peer {
    // "OpenSSL 4.0.3 29 Sep 2026"
    let number = version().split(' ').nth(1).unwrap_or("of unknown version");
    Peer {
        name: format!("openssl {number}"),
        short: "openssl",
        signer: Some(signer),
        verifier: Some(verifier),
        power,
    }
}

/// A context that is made once and used for all signatures, which is OpenSSL's fastest way to sign.
struct Signer(PkeyCtx<Private>);

fn signer(pkcs8: &[u8]) -> Result<Box<dyn Sign>, PeerError> {
    let key = PKey::private_key_from_pkcs8(pkcs8)?;
    let mut ctx = PkeyCtx::new(&key)?;
    ctx.sign_init()?;
    ctx.set_rsa_padding(Padding::PKCS1)?;
    ctx.set_signature_md(Md::sha256())?;
    Ok(Box::new(Signer(ctx)))
}

impl Sign for Signer {
    fn sign(&mut self, digest: &[u8], signature: &mut [u8]) -> Result<(), PeerError> {
        self.0.sign(digest, Some(signature))?;
        Ok(())
    }
}

struct Verifier(PkeyCtx<Public>);

fn verifier(spki: &[u8]) -> Result<Box<dyn Verify>, PeerError> {
    let key = PKey::public_key_from_der(spki)?;
    let mut ctx = PkeyCtx::new(&key)?;
    ctx.verify_init()?;
    ctx.set_rsa_padding(Padding::PKCS1)?;
    ctx.set_signature_md(Md::sha256())?;
    Ok(Box::new(Verifier(ctx)))
}

impl Verify for Verifier {
    fn verify(&mut self, digest: &[u8], signature: &[u8]) -> Result<bool, PeerError> {
        Ok(self.0.verify(digest, signature)?)
    }
}

/// A power by `BN_mod_exp` with an exponent marked as secret, for which OpenSSL takes
/// `BN_mod_exp_mont_consttime`. It prepares the modulus each time, at less than a hundredth of the
/// cost.
struct ConstantTime {
    base: BigNum,
    exponent: BigNum,
    modulus: BigNum,
    result: BigNum,
    context: BigNumContext,
}

fn power(base: &[u8], exponent: &[u8], modulus: &[u8]) -> Result<Box<dyn Power>, PeerError> {
    let mut exponent = BigNum::from_slice(exponent)?;
    exponent.set_const_time();
    Ok(Box::new(ConstantTime {
        base: BigNum::from_slice(base)?,
        exponent,
        modulus: BigNum::from_slice(modulus)?,
        result: BigNum::new()?,
        context: BigNumContext::new()?,
    }))
}

impl Power for ConstantTime {
    fn compute(&mut self) -> Result<(), PeerError> {
        self.result
            .mod_exp(&self.base, &self.exponent, &self.modulus, &mut self.context)?;
        Ok(())
    }

    fn result(&self, length: usize) -> Result<Vec<u8>, PeerError> {
        let length = i32::try_from(length).unwrap_or(i32::MAX);
        Ok(self.result.to_vec_padded(length)?)
    }
}

/// Whether `signature_file` holds a PKCS#1 v1.5 signature of `file`, with SHA-256.
///
/// # Errors
/// [`PeerError::Io`] if a file cannot be read, [`PeerError::OpenSsl`] if the key is not one.
pub fn verify_file(pem: &[u8], file: &Path, signature_file: &Path) -> Result<bool, PeerError> {
    let key = PKey::public_key_from_pem(pem)?;
    let mut verifier = StreamVerifier::new(openssl::hash::MessageDigest::sha256(), &key)?;
    io::copy(&mut std::fs::File::open(file)?, &mut verifier)?;
    let signature = std::fs::read(signature_file)?;
    // OpenSSL reports a signature of the wrong length as an error; here it is a wrong signature.
    Ok(verifier.verify(&signature).unwrap_or(false))
}
