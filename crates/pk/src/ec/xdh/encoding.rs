//! Key files (RFC 8410), in PEM or DER: PKCS#8, also encrypted, and `SubjectPublicKeyInfo`; JSON Web Keys.

use super::super::rfc8410::{
    Refusal, encrypted_pem, key_files, private_der, private_key, public_der, public_key,
};
use super::key::{KeyError, PrivateKey, PublicKey};
use crate::ec::{MontgomeryCurve, PreparedMontgomeryCurves};
use crate::key_file::{KdfLimits, LABEL_PKCS8, LABEL_SPKI, jwk, private_pem, public_pem};
use der::asn1::ObjectIdentifier;
use rand_core::CryptoRng;
use zeroize::Zeroizing;

key_files!(MontgomeryCurve, PreparedMontgomeryCurves);
