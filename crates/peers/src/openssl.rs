//! OpenSSL, through the crate `openssl`.

use crate::interface::{
    Agree, CurveName, Curves, OnCurve, Peer, PeerError, Power, Sign, SignMessage, Verify,
    VerifyMessage, sha,
};
use openssl::bn::{BigNum, BigNumContext};
use openssl::derive::Deriver;
use openssl::ec::{EcGroup, EcPoint};
use openssl::hash::{MessageDigest, hash};
use openssl::md::Md;
use openssl::nid::Nid;
use openssl::pkey::{Id, PKey, Private, Public};
use openssl::pkey_ctx::PkeyCtx;
use openssl::rsa::Padding;
use openssl::sign::{Signer as StreamSigner, Verifier as StreamVerifier};
use std::io;
use std::path::Path;

/// The version of the OpenSSL that is compiled in, as OpenSSL reports it.
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
        power: Some(power),
        curves: Some(Curves {
            signer: curve_signer,
            verifier: curve_verifier,
            agreement,
        }),
        pairing_group: None,
        pairing: None,
        bls: None,
        groups: None,
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

/// The curve in OpenSSL; `None` if OpenSSL was compiled without it.
fn group(curve: CurveName<'_>) -> Option<EcGroup> {
    EcGroup::from_curve_name(match curve.name {
        "P-192" => Nid::X9_62_PRIME192V1,
        "P-224" => Nid::SECP224R1,
        "P-256" => Nid::X9_62_PRIME256V1,
        "P-384" => Nid::SECP384R1,
        "P-521" => Nid::SECP521R1,
        "secp160k1" => Nid::SECP160K1,
        "secp160r1" => Nid::SECP160R1,
        "secp160r2" => Nid::SECP160R2,
        "secp192k1" => Nid::SECP192K1,
        "secp224k1" => Nid::SECP224K1,
        "secp256k1" => Nid::SECP256K1,
        "brainpoolP256r1" => Nid::BRAINPOOL_P256R1,
        "brainpoolP320r1" => Nid::BRAINPOOL_P320R1,
        "brainpoolP384r1" => Nid::BRAINPOOL_P384R1,
        "brainpoolP512r1" => Nid::BRAINPOOL_P512R1,
        _ => return None,
    })
    .ok()
}

/// Hashes messages, and signs or verifies with a context that is made once.
struct WithHash<T> {
    context: PkeyCtx<T>,
    hash: MessageDigest,
}

/// A key of Ed25519 or Ed448, with which OpenSSL makes a context for each message.
struct Edwards<T>(PKey<T>);

fn is_edwards(curve: CurveName<'_>) -> bool {
    matches!(curve.name, "Ed25519" | "Ed448")
}

impl SignMessage for Edwards<Private> {
    fn sign(&mut self, message: &[u8]) -> Result<Vec<u8>, PeerError> {
        Ok(StreamSigner::new_without_digest(&self.0)?.sign_oneshot_to_vec(message)?)
    }
}

impl VerifyMessage for Edwards<Public> {
    fn verify(&mut self, message: &[u8], signature: &[u8]) -> Result<bool, PeerError> {
        let mut verifier = StreamVerifier::new_without_digest(&self.0)?;
        Ok(verifier.verify_oneshot(signature, message)?)
    }
}

fn curve_signer(curve: CurveName<'_>, pkcs8: &[u8]) -> OnCurve<dyn SignMessage> {
    if is_edwards(curve) {
        return Ok(Some(Box::new(Edwards(PKey::private_key_from_pkcs8(
            pkcs8,
        )?))));
    }
    if group(curve).is_none() {
        return Ok(None);
    }
    let key = PKey::private_key_from_pkcs8(pkcs8)?;
    let mut context = PkeyCtx::new(&key)?;
    context.sign_init()?;
    let hash = sha(curve.bits);
    Ok(Some(Box::new(WithHash { context, hash })))
}

impl SignMessage for WithHash<Private> {
    fn sign(&mut self, message: &[u8]) -> Result<Vec<u8>, PeerError> {
        let digest = hash(self.hash, message)?;
        let mut signature = Vec::new();
        self.context.sign_to_vec(&digest, &mut signature)?;
        Ok(signature)
    }
}

fn curve_verifier(curve: CurveName<'_>, spki: &[u8]) -> OnCurve<dyn VerifyMessage> {
    if is_edwards(curve) {
        return Ok(Some(Box::new(Edwards(PKey::public_key_from_der(spki)?))));
    }
    if group(curve).is_none() {
        return Ok(None);
    }
    let key = PKey::public_key_from_der(spki)?;
    let mut context = PkeyCtx::new(&key)?;
    context.verify_init()?;
    let hash = sha(curve.bits);
    Ok(Some(Box::new(WithHash { context, hash })))
}

impl VerifyMessage for WithHash<Public> {
    fn verify(&mut self, message: &[u8], signature: &[u8]) -> Result<bool, PeerError> {
        let digest = hash(self.hash, message)?;
        Ok(self.context.verify(&digest, signature)?)
    }
}

/// ECDH by OpenSSL's own method: the point is decoded, which checks that it is on the curve, and multiplied in constant
/// time. `EVP_PKEY_derive_set_peer` would also multiply the point by the order, to check a condition that always holds
/// on curves with the cofactor 1.
struct Agreement {
    group: EcGroup,
    d: BigNum,
    context: BigNumContext,
}

/// A key of X25519 or X448.
struct Montgomery(PKey<Private>, Id);

impl Agree for Montgomery {
    fn agree(&mut self, peer: &[u8]) -> Result<Vec<u8>, PeerError> {
        let peer = PKey::public_key_from_raw_bytes(peer, self.1)?;
        let mut deriver = Deriver::new(&self.0)?;
        deriver.set_peer(&peer)?;
        Ok(deriver.derive_to_vec()?)
    }
}

fn agreement(curve: CurveName<'_>, d: &[u8]) -> OnCurve<dyn Agree> {
    let id = match curve.name {
        "X25519" => Some(Id::X25519),
        "X448" => Some(Id::X448),
        _ => None,
    };
    if let Some(id) = id {
        let key = PKey::private_key_from_raw_bytes(d, id)?;
        return Ok(Some(Box::new(Montgomery(key, id))));
    }
    let Some(group) = group(curve) else {
        return Ok(None);
    };
    let mut d = BigNum::from_slice(d)?;
    d.set_const_time();
    Ok(Some(Box::new(Agreement {
        group,
        d,
        context: BigNumContext::new()?,
    })))
}

impl Agree for Agreement {
    fn agree(&mut self, peer: &[u8]) -> Result<Vec<u8>, PeerError> {
        let Self { group, d, context } = self;
        let peer = EcPoint::from_bytes(group, peer, context)?;
        let mut common = EcPoint::new(group)?;
        common.mul2(group, &peer, d, context)?;
        let (mut x, mut y) = (BigNum::new()?, BigNum::new()?);
        common.affine_coordinates(group, &mut x, &mut y, context)?;
        let length = i32::try_from(group.degree().div_ceil(8)).unwrap_or(i32::MAX);
        Ok(x.to_vec_padded(length)?)
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
