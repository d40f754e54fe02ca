//! AWS-LC: signatures through the crate `aws-lc-rs`, and modular powers through `aws-lc-sys`, as there is no
//! safe interface for them.

use crate::interface::{
    Agree, CurveName, Curves, OnCurve, Peer, PeerError, Power, Sign, SignMessage, Verify,
    VerifyMessage,
};
use aws_lc_rs::agreement::{self, ECDH_P256, ECDH_P384, ECDH_P521, UnparsedPublicKey, X25519};
use aws_lc_rs::digest::{Digest, SHA256};
use aws_lc_rs::rand::SystemRandom;
use aws_lc_rs::rsa::KeyPair;
use aws_lc_rs::signature::{
    ECDSA_P256_SHA256_ASN1, ECDSA_P256_SHA256_ASN1_SIGNING, ECDSA_P256K1_SHA256_ASN1,
    ECDSA_P256K1_SHA256_ASN1_SIGNING, ECDSA_P384_SHA384_ASN1, ECDSA_P384_SHA384_ASN1_SIGNING,
    ECDSA_P521_SHA512_ASN1, ECDSA_P521_SHA512_ASN1_SIGNING, ED25519, EcdsaKeyPair, Ed25519KeyPair,
    ParsedPublicKey, RSA_PKCS1_2048_8192_SHA256, RSA_PKCS1_SHA256, VerificationAlgorithm,
};

pub(crate) fn peer() -> Peer {
    Peer {
        name: format!("aws-lc {}", bignum::version()),
        short: "aws-lc",
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

fn digest(bytes: &[u8]) -> Result<Digest, PeerError> {
    Digest::import_less_safe(bytes, &SHA256).map_err(|_| PeerError::AwsLc("taking a digest"))
}

struct Signer(KeyPair);

fn signer(pkcs8: &[u8]) -> Result<Box<dyn Sign>, PeerError> {
    let key = KeyPair::from_pkcs8(pkcs8).map_err(|_| PeerError::AwsLc("reading a private key"))?;
    Ok(Box::new(Signer(key)))
}

impl Sign for Signer {
    fn sign(&mut self, bytes: &[u8], signature: &mut [u8]) -> Result<(), PeerError> {
        if signature.len() != self.0.public_modulus_len() {
            return Err(PeerError::AwsLc("signing into a buffer of another length"));
        }
        self.0
            .sign_digest(&RSA_PKCS1_SHA256, &digest(bytes)?, signature)
            .map_err(|_| PeerError::AwsLc("signing"))
    }
}

struct Verifier(ParsedPublicKey);

fn verifier(spki: &[u8]) -> Result<Box<dyn Verify>, PeerError> {
    let key = ParsedPublicKey::new(&RSA_PKCS1_2048_8192_SHA256, spki)
        .map_err(|_| PeerError::AwsLc("reading a public key"))?;
    Ok(Box::new(Verifier(key)))
}

impl Verify for Verifier {
    fn verify(&mut self, bytes: &[u8], signature: &[u8]) -> Result<bool, PeerError> {
        Ok(self.0.verify_digest_sig(&digest(bytes)?, signature).is_ok())
    }
}

struct CurveSigner(EcdsaKeyPair, SystemRandom);

struct EdwardsSigner(Ed25519KeyPair);

impl SignMessage for EdwardsSigner {
    fn sign(&mut self, message: &[u8]) -> Result<Vec<u8>, PeerError> {
        Ok(self.0.sign(message).as_ref().to_vec())
    }
}

fn curve_signer(curve: CurveName<'_>, pkcs8: &[u8]) -> OnCurve<dyn SignMessage> {
    if curve.name == "Ed25519" {
        let key = Ed25519KeyPair::from_pkcs8_maybe_unchecked(pkcs8);
        let key = key.map_err(|_| PeerError::AwsLc("reading a private key"))?;
        return Ok(Some(Box::new(EdwardsSigner(key))));
    }
    let algorithm = match curve.name {
        "P-256" => &ECDSA_P256_SHA256_ASN1_SIGNING,
        "P-384" => &ECDSA_P384_SHA384_ASN1_SIGNING,
        "P-521" => &ECDSA_P521_SHA512_ASN1_SIGNING,
        "secp256k1" => &ECDSA_P256K1_SHA256_ASN1_SIGNING,
        _ => return Ok(None),
    };
    let key = EcdsaKeyPair::from_pkcs8(algorithm, pkcs8);
    let key = key.map_err(|_| PeerError::AwsLc("reading a private key"))?;
    Ok(Some(Box::new(CurveSigner(key, SystemRandom::new()))))
}

impl SignMessage for CurveSigner {
    fn sign(&mut self, message: &[u8]) -> Result<Vec<u8>, PeerError> {
        let signature = self.0.sign(&self.1, message);
        let signature = signature.map_err(|_| PeerError::AwsLc("signing"))?;
        Ok(signature.as_ref().to_vec())
    }
}

struct CurveVerifier(ParsedPublicKey);

fn curve_verifier(curve: CurveName<'_>, spki: &[u8]) -> OnCurve<dyn VerifyMessage> {
    let algorithm: &'static dyn VerificationAlgorithm = match curve.name {
        "Ed25519" => &ED25519,
        "P-256" => &ECDSA_P256_SHA256_ASN1,
        "P-384" => &ECDSA_P384_SHA384_ASN1,
        "P-521" => &ECDSA_P521_SHA512_ASN1,
        "secp256k1" => &ECDSA_P256K1_SHA256_ASN1,
        _ => return Ok(None),
    };
    let key = ParsedPublicKey::new(algorithm, spki);
    let key = key.map_err(|_| PeerError::AwsLc("reading a public key"))?;
    Ok(Some(Box::new(CurveVerifier(key))))
}

impl VerifyMessage for CurveVerifier {
    fn verify(&mut self, message: &[u8], signature: &[u8]) -> Result<bool, PeerError> {
        Ok(self.0.verify_sig(message, signature).is_ok())
    }
}

struct Agreement(agreement::PrivateKey);

fn agreement(curve: CurveName<'_>, d: &[u8]) -> OnCurve<dyn Agree> {
    let algorithm = match curve.name {
        "P-256" => &ECDH_P256,
        "P-384" => &ECDH_P384,
        "P-521" => &ECDH_P521,
        "X25519" => &X25519,
        _ => return Ok(None),
    };
    let key = agreement::PrivateKey::from_private_key(algorithm, d);
    let key = key.map_err(|_| PeerError::AwsLc("reading a private key"))?;
    Ok(Some(Box::new(Agreement(key))))
}

impl Agree for Agreement {
    fn agree(&mut self, peer: &[u8]) -> Result<Vec<u8>, PeerError> {
        let peer = UnparsedPublicKey::new(self.0.algorithm(), peer);
        let failed = PeerError::AwsLc("agreeing");
        agreement::agree(&self.0, peer, failed, |secret| Ok(secret.to_vec()))
    }
}

fn power(base: &[u8], exponent: &[u8], modulus: &[u8]) -> Result<Box<dyn Power>, PeerError> {
    Ok(Box::new(bignum::ConstantTime::new(
        base, exponent, modulus,
    )?))
}

/// AWS-LC's functions on big integers and its version: the only unsafe code of this crate.
#[expect(
    unsafe_code,
    reason = "there is no safe interface to AWS-LC's modular powers"
)]
mod bignum {
    use crate::{PeerError, Power};
    use aws_lc_sys::{
        BIGNUM, BN_CTX, BN_CTX_free, BN_CTX_new, BN_MONT_CTX, BN_MONT_CTX_free,
        BN_MONT_CTX_new_for_modulus, BN_bin2bn, BN_bn2bin_padded, BN_clear_free,
        BN_mod_exp_mont_consttime, BN_new, OpenSSL_version,
    };
    use core::ffi::CStr;
    use core::ptr::{self, NonNull};

    /// The version of the linked AWS-LC.
    pub(super) fn version() -> String {
        // SAFETY: the function takes any number (0 stands for the version) and returns a string
        // that ends with a zero byte and is never freed.
        let text = unsafe { CStr::from_ptr(OpenSSL_version(0)) };
        // "AWS-LC 5.12.0"
        let text = text.to_string_lossy();
        text.split(' ').next_back().unwrap_or_default().to_owned()
    }

    /// An object of AWS-LC that is freed when this value is dropped. Nothing else points to it.
    struct Owned<T> {
        object: NonNull<T>,
        free: unsafe extern "C" fn(*mut T),
    }

    impl<T> Owned<T> {
        /// Takes over `object`, which must be freed by `free` and by nothing else.
        fn new(object: *mut T, free: unsafe extern "C" fn(*mut T)) -> Result<Self, PeerError> {
            let object = NonNull::new(object).ok_or(PeerError::AwsLc("making an object"))?;
            Ok(Self { object, free })
        }

        fn get(&self) -> *mut T {
            self.object.as_ptr()
        }
    }

    impl<T> Drop for Owned<T> {
        fn drop(&mut self) {
            // SAFETY: `free` is the function for objects from this constructor, and this value is
            // the only owner.
            unsafe { (self.free)(self.object.as_ptr()) }
        }
    }

    fn number(big_endian: &[u8]) -> Result<Owned<BIGNUM>, PeerError> {
        // SAFETY: pointer and length are those of one slice; a null third argument asks for a new
        // number, which `BN_clear_free` frees.
        let number = unsafe { BN_bin2bn(big_endian.as_ptr(), big_endian.len(), ptr::null_mut()) };
        Owned::new(number, BN_clear_free)
    }

    /// A power by `BN_mod_exp_mont_consttime`, with a prepared modulus.
    pub(super) struct ConstantTime {
        base: Owned<BIGNUM>,
        exponent: Owned<BIGNUM>,
        modulus: Owned<BIGNUM>,
        montgomery: Owned<BN_MONT_CTX>,
        context: Owned<BN_CTX>,
        result: Owned<BIGNUM>,
    }

    // SAFETY: the objects belong to this value alone, are not tied to the thread that made them,
    // and are changed through `&mut self` only.
    unsafe impl Send for ConstantTime {}

    impl ConstantTime {
        pub(super) fn new(base: &[u8], exponent: &[u8], modulus: &[u8]) -> Result<Self, PeerError> {
            let modulus = number(modulus)?;
            // SAFETY: no arguments; `BN_CTX_free` frees what is returned.
            let context = Owned::new(unsafe { BN_CTX_new() }, BN_CTX_free)?;
            // SAFETY: both pointers are to live objects of the right type. The function copies
            // the modulus, refuses even ones with null, and `BN_MONT_CTX_free` frees its result.
            let montgomery = unsafe { BN_MONT_CTX_new_for_modulus(modulus.get(), context.get()) };
            Ok(Self {
                base: number(base)?,
                exponent: number(exponent)?,
                modulus,
                montgomery: Owned::new(montgomery, BN_MONT_CTX_free)?,
                context,
                // SAFETY: no arguments; `BN_clear_free` frees what is returned.
                result: Owned::new(unsafe { BN_new() }, BN_clear_free)?,
            })
        }
    }

    impl Power for ConstantTime {
        fn compute(&mut self) -> Result<(), PeerError> {
            // SAFETY: all pointers are to live objects of the right types that this value owns;
            // only `result` and `context` are written, and `&mut self` makes that exclusive.
            let done = unsafe {
                BN_mod_exp_mont_consttime(
                    self.result.get(),
                    self.base.get(),
                    self.exponent.get(),
                    self.modulus.get(),
                    self.context.get(),
                    self.montgomery.get(),
                )
            };
            if done == 1 {
                Ok(())
            } else {
                Err(PeerError::AwsLc("a modular power"))
            }
        }

        fn result(&self, length: usize) -> Result<Vec<u8>, PeerError> {
            let mut bytes = vec![0; length];
            // SAFETY: the function writes exactly `length` bytes, the length of `bytes`, or
            // returns 0 if the number is longer.
            let done = unsafe { BN_bn2bin_padded(bytes.as_mut_ptr(), length, self.result.get()) };
            if done == 1 {
                Ok(bytes)
            } else {
                Err(PeerError::AwsLc("writing a number"))
            }
        }
    }
}
