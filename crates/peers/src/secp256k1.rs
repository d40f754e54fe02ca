//! libsecp256k1, through the crate `secp256k1`: the curve secp256k1 only, and `BIP340`, Schnorr signatures on it.

use crate::interface::{
    Agree, CurveName, Curves, OnCurve, Peer, PeerError, SignMessage, VerifyMessage,
};
use openssl::pkey::PKey;
use openssl::sha::sha256;
use secp256k1::ecdh::shared_secret_point;
use secp256k1::ecdsa::{self, Signature};
use secp256k1::{Keypair, Message, PublicKey, SecretKey, XOnlyPublicKey, schnorr};

/// The name of Schnorr signatures on secp256k1.
const SCHNORR: &str = "BIP340";

/// The version in the crate `secp256k1-sys`, which does not report it.
const VERSION: &str = "0.8.0";

pub(crate) fn peer() -> Peer {
    Peer {
        name: format!("libsecp256k1 {VERSION}"),
        short: "libsecp",
        signer: None,
        verifier: None,
        power: None,
        curves: Some(Curves {
            signer,
            verifier,
            agreement,
        }),
        pairing_group: None,
        pairing: None,
        bls: None,
        groups: None,
    }
}

fn failed(step: &'static str) -> impl FnOnce(secp256k1::Error) -> PeerError {
    move |_| PeerError::Secp256k1(step)
}

fn secret(d: &[u8]) -> Result<SecretKey, PeerError> {
    let d = d
        .try_into()
        .map_err(|_| PeerError::Secp256k1("a private key of another length"))?;
    SecretKey::from_secret_bytes(d).map_err(failed("reading a private key"))
}

struct Signer(SecretKey);

fn signer(curve: CurveName<'_>, pkcs8: &[u8]) -> OnCurve<dyn SignMessage> {
    if !["secp256k1", SCHNORR].contains(&curve.name) {
        return Ok(None);
    }
    let key = PKey::private_key_from_pkcs8(pkcs8)?.ec_key()?;
    let d = secret(&key.private_key().to_vec_padded(32)?)?;
    Ok(Some(if curve.name == SCHNORR {
        Box::new(SchnorrSigner(Keypair::from_secret_key(&d)))
    } else {
        Box::new(Signer(d))
    }))
}

impl SignMessage for Signer {
    fn sign(&mut self, message: &[u8]) -> Result<Vec<u8>, PeerError> {
        let signature = ecdsa::sign(Message::from_digest(sha256(message)), &self.0);
        Ok(signature.serialize_der().to_vec())
    }
}

struct SchnorrSigner(Keypair);

impl SignMessage for SchnorrSigner {
    /// The signature with zeros for the auxiliary randomness.
    fn sign(&mut self, message: &[u8]) -> Result<Vec<u8>, PeerError> {
        let signature = schnorr::sign_with_aux_rand(message, &self.0, &[0; 32]);
        Ok(signature.to_byte_array().to_vec())
    }
}

struct Verifier(PublicKey);

fn verifier(curve: CurveName<'_>, spki: &[u8]) -> OnCurve<dyn VerifyMessage> {
    if !["secp256k1", SCHNORR].contains(&curve.name) {
        return Ok(None);
    }
    // The point is at the end of the file.
    let point = &spki[spki.len().saturating_sub(65)..];
    let key = PublicKey::from_slice(point).map_err(failed("reading a public key"))?;
    Ok(Some(if curve.name == SCHNORR {
        Box::new(SchnorrVerifier(key.x_only_public_key().0))
    } else {
        Box::new(Verifier(key))
    }))
}

struct SchnorrVerifier(XOnlyPublicKey);

impl VerifyMessage for SchnorrVerifier {
    fn verify(&mut self, message: &[u8], signature: &[u8]) -> Result<bool, PeerError> {
        let signature = signature.try_into();
        let signature =
            signature.map_err(|_| PeerError::Secp256k1("a signature of another length"))?;
        let signature = schnorr::Signature::from_byte_array(signature);
        Ok(schnorr::verify(&signature, message, &self.0).is_ok())
    }
}

impl VerifyMessage for Verifier {
    fn verify(&mut self, message: &[u8], signature: &[u8]) -> Result<bool, PeerError> {
        let message = Message::from_digest(sha256(message));
        let mut signature = Signature::from_der(signature).map_err(failed("a signature"))?;
        // The library refuses an s above half the order, which other libraries write.
        signature.normalize_s();
        Ok(signature.verify(message, &self.0).is_ok())
    }
}

struct Agreement(SecretKey);

fn agreement(curve: CurveName<'_>, d: &[u8]) -> OnCurve<dyn Agree> {
    if curve.name != "secp256k1" {
        return Ok(None);
    }
    Ok(Some(Box::new(Agreement(secret(d)?))))
}

impl Agree for Agreement {
    fn agree(&mut self, peer: &[u8]) -> Result<Vec<u8>, PeerError> {
        let peer = PublicKey::from_slice(peer).map_err(failed("reading a public key"))?;
        Ok(shared_secret_point(&peer, &self.0)[..32].to_vec())
    }
}
