//! The private operations, with fixed keys and requests that give the same results in the absence of faults.

use sunzi_engine::Engine;
use sunzi_pk::bls::{self, PreparedBls, SecretKey};
use sunzi_pk::ec::eddsa::{self, Variant};
use sunzi_pk::ec::pairing::PreparedPairing;
use sunzi_pk::ec::{
    self, EdwardsCurve, MontgomeryCurve, NonceKind, PreparedCurve, PreparedEdwardsCurve,
    PreparedMontgomeryCurve, ecdh, ecdsa, schnorr, xdh,
};
use sunzi_pk::rsa::{
    DecryptRequest, DecryptionKey, EncryptRequest, EncryptionKey, EncryptionScheme, PrivateKey,
    Scheme as Padding, SignRequest, SigningKey, decrypt_batch, encrypt_batch, sign_batch,
};
use sunzi_pk::{Digest, Hash, system_rng};

/// The result of a request, or `None` if it was withheld.
pub(crate) type Answer = Option<Vec<u8>>;

/// A private operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Scheme {
    Ecdsa(&'static str),
    Bip340,
    Eddsa(EdwardsCurve),
    Ecdh(&'static str),
    X25519,
    RsaSign,
    RsaDecrypt,
    Bls(bls::Variant),
}

impl Scheme {
    pub(crate) const ALL: [Self; 12] = [
        Self::Ecdsa("P-256"),
        Self::Ecdsa("P-384"),
        Self::Ecdsa("secp256k1"),
        Self::Bip340,
        Self::Eddsa(EdwardsCurve::Edwards25519),
        Self::Eddsa(EdwardsCurve::Edwards448),
        Self::Ecdh("P-256"),
        Self::X25519,
        Self::RsaSign,
        Self::RsaDecrypt,
        Self::Bls(bls::Variant::MinPk),
        Self::Bls(bls::Variant::MinSig),
    ];

    pub(crate) fn name(self) -> String {
        match self {
            Self::Ecdsa(curve) => format!("ECDSA-{curve}"),
            Self::Bip340 => String::from("BIP340"),
            Self::Eddsa(EdwardsCurve::Edwards25519) => String::from("Ed25519"),
            Self::Eddsa(_) => String::from("Ed448"),
            Self::Ecdh(curve) => format!("ECDH-{curve}"),
            Self::X25519 => String::from("X25519"),
            Self::RsaSign => String::from("RSA-2048"),
            Self::RsaDecrypt => String::from("RSA-2048-decrypt"),
            Self::Bls(bls::Variant::MinPk) => String::from("BLS-G2"),
            Self::Bls(bls::Variant::MinSig) => String::from("BLS-G1"),
        }
    }
}

/// The inputs of requests.
pub(crate) struct Inputs {
    messages: Vec<Vec<u8>>,
    digests: Vec<Digest>,
    /// Ciphertexts of the messages for [`rsa_key`].
    ciphertexts: Vec<Vec<u8>>,
    ecdh_peers: Vec<ec::PublicKey>,
    xdh_peers: Vec<xdh::PublicKey>,
}

impl Inputs {
    /// Inputs for batches of up to `count` requests.
    pub(crate) fn new(engine: &Engine, count: usize) -> Self {
        let messages = (0..count).map(|k| format!("message {k}").into_bytes());
        let messages: Vec<_> = messages.collect();
        let digests = messages.iter().map(|message| Hash::Sha256.digest(message));
        let key = EncryptionKey::new(engine, rsa_key().public_key()).unwrap();
        let request = |message: &'_ Vec<u8>| -> Vec<u8> {
            let request = EncryptRequest {
                key: &key,
                scheme: EncryptionScheme::OAEP,
                message,
            };
            let mut ciphertexts = encrypt_batch(engine, &mut system_rng(), &[request]);
            ciphertexts.remove(0).unwrap()
        };
        let curve = PreparedCurve::new(engine, &"P-256".parse().unwrap()).unwrap();
        let ecdh_peer = |k: usize| {
            let mut d = [0x3c; 32];
            d[1..9].copy_from_slice(&k.to_le_bytes());
            let key = ec::PrivateKey::from_bytes(&curve, &d).unwrap();
            key.public_key().clone()
        };
        let xdh_peer = |k: usize| {
            let mut u = [0x3c; 32];
            u[..8].copy_from_slice(&k.to_le_bytes());
            xdh::PublicKey::from_bytes(MontgomeryCurve::Curve25519, &u).unwrap()
        };
        Self {
            digests: digests.collect(),
            ciphertexts: messages.iter().map(request).collect(),
            ecdh_peers: (0..count).map(ecdh_peer).collect(),
            xdh_peers: (0..count).map(xdh_peer).collect(),
            messages,
        }
    }
}

fn rsa_key() -> PrivateKey {
    let file = include_bytes!("../../crates/pk/tests/fixtures/rsa2048.pkcs8.pem");
    PrivateKey::from_pem_or_der(file, None).unwrap()
}

/// A fixed private number.
fn number<const BYTES: usize>() -> [u8; BYTES] {
    core::array::from_fn(|k| 0x5a ^ (17 * k) as u8)
}

/// A key that is prepared on an engine.
pub(crate) enum Key {
    Ecdsa(ecdsa::SigningKey),
    Bip340(schnorr::SigningKey),
    Eddsa(eddsa::SigningKey),
    Ecdh(ecdh::AgreementKey),
    X25519(xdh::AgreementKey),
    RsaSign(SigningKey),
    RsaDecrypt(DecryptionKey),
    Bls(PreparedBls, SecretKey),
}

impl Key {
    pub(crate) fn new(engine: &Engine, scheme: Scheme) -> Self {
        let on_curve = |name: &str| {
            let curve = PreparedCurve::new(engine, &name.parse().unwrap()).unwrap();
            let key = match curve.curve().order().bits_precision() {
                384 => ec::PrivateKey::from_bytes(&curve, &number::<48>()),
                _ => ec::PrivateKey::from_bytes(&curve, &number::<32>()),
            };
            (curve, key.unwrap())
        };
        match scheme {
            Scheme::Ecdsa(name) => {
                let (curve, key) = on_curve(name);
                Self::Ecdsa(ecdsa::SigningKey::new(&curve, &key).unwrap())
            }
            Scheme::Bip340 => {
                let (curve, key) = on_curve("secp256k1");
                Self::Bip340(schnorr::SigningKey::new(&curve, &key).unwrap())
            }
            Scheme::Eddsa(curve) => {
                let curve = PreparedEdwardsCurve::new(engine, curve).unwrap();
                let bytes = &number::<57>()[..curve.curve().encoded_bytes()];
                let key = eddsa::PrivateKey::from_bytes(&curve, bytes).unwrap();
                Self::Eddsa(eddsa::SigningKey::new(&curve, &key).unwrap())
            }
            Scheme::Ecdh(name) => {
                let (curve, key) = on_curve(name);
                Self::Ecdh(ecdh::AgreementKey::new(&curve, &key).unwrap())
            }
            Scheme::X25519 => {
                let curve = MontgomeryCurve::Curve25519;
                let curve = PreparedMontgomeryCurve::new(engine, curve).unwrap();
                let key = xdh::PrivateKey::from_bytes(&curve, &number::<32>()).unwrap();
                Self::X25519(xdh::AgreementKey::new(&curve, &key).unwrap())
            }
            Scheme::RsaSign => Self::RsaSign(SigningKey::new(engine, &rsa_key()).unwrap()),
            Scheme::RsaDecrypt => Self::RsaDecrypt(DecryptionKey::new(engine, &rsa_key()).unwrap()),
            Scheme::Bls(variant) => {
                let pairing = PreparedPairing::bls12_381(engine).unwrap();
                let suite = bls::Suite::new(variant, bls::Scheme::Basic);
                // Below the order, whose first byte is 0x73.
                let key = SecretKey::from_bytes(&number::<32>()).unwrap();
                Self::Bls(PreparedBls::new(&pairing, suite), key)
            }
        }
    }

    /// Answers the first `count` requests.
    pub(crate) fn run(&self, engine: &Engine, inputs: &Inputs, count: usize) -> Vec<Answer> {
        let rng = &mut system_rng();
        let kind = NonceKind::Deterministic;
        let digests = inputs.digests[..count].iter();
        let messages = inputs.messages[..count].iter();
        match self {
            Self::Ecdsa(key) => {
                let request = |&digest| ecdsa::SignRequest { key, digest };
                let requests: Vec<_> = digests.map(request).collect();
                let signatures = ecdsa::sign_batch(engine, rng, kind, &requests).into_iter();
                let bytes = |signature: ecdsa::Signature| signature.to_bytes(ecdsa::Encoding::Der);
                signatures
                    .map(|signature| signature.ok().map(bytes))
                    .collect()
            }
            Self::Bip340(key) => {
                let request = |message| schnorr::SignRequest {
                    key,
                    message,
                    auxiliary: [0; 32],
                };
                let requests: Vec<_> = messages.map(|message| request(&message[..])).collect();
                let signatures = schnorr::sign_batch(engine, &requests).into_iter();
                let bytes = |signature: schnorr::Signature| signature.as_bytes().to_vec();
                signatures
                    .map(|signature| signature.ok().map(bytes))
                    .collect()
            }
            Self::Eddsa(key) => {
                let request = |message| eddsa::SignRequest {
                    key,
                    variant: Variant::Pure,
                    message,
                };
                let requests: Vec<_> = messages.map(|message| request(&message[..])).collect();
                let signatures = eddsa::sign_batch(engine, rng, kind, &requests).into_iter();
                let bytes = |signature: eddsa::Signature| signature.as_bytes().to_vec();
                signatures
                    .map(|signature| signature.ok().map(bytes))
                    .collect()
            }
            Self::Ecdh(key) => {
                let request = |peer| ecdh::AgreeRequest { key, peer };
                let requests: Vec<_> = inputs.ecdh_peers[..count].iter().map(request).collect();
                let secrets = ecdh::agree_batch(engine, &requests).into_iter();
                secrets
                    .map(|secret| Some(secret.ok()?.as_bytes().to_vec()))
                    .collect()
            }
            Self::X25519(key) => {
                let request = |peer| xdh::AgreeRequest { key, peer };
                let requests: Vec<_> = inputs.xdh_peers[..count].iter().map(request).collect();
                let secrets = xdh::agree_batch(engine, &requests).into_iter();
                secrets
                    .map(|secret| Some(secret.ok()?.as_bytes().to_vec()))
                    .collect()
            }
            Self::RsaSign(key) => {
                let request = |&digest| SignRequest {
                    key,
                    scheme: Padding::Pkcs1v15,
                    digest,
                };
                let requests: Vec<_> = digests.map(request).collect();
                let signatures = sign_batch(engine, rng, &requests);
                signatures.into_iter().map(Result::ok).collect()
            }
            Self::Bls(suite, key) => {
                let request = |message| bls::SignRequest { key, message };
                let requests: Vec<_> = messages.map(|message| request(&message[..])).collect();
                let signatures = suite.sign_batch(&requests).into_iter();
                signatures
                    .map(|signature| Some(signature.ok()?.to_bytes()))
                    .collect()
            }
            Self::RsaDecrypt(key) => {
                let request = |ciphertext| DecryptRequest {
                    key,
                    scheme: EncryptionScheme::OAEP,
                    ciphertext,
                };
                let ciphertexts = inputs.ciphertexts[..count].iter();
                let requests: Vec<_> = ciphertexts.map(|text| request(&text[..])).collect();
                let messages = decrypt_batch(engine, rng, &requests).into_iter();
                messages
                    .map(|message| Some(message.ok()?.to_vec()))
                    .collect()
            }
        }
    }

    /// Whether a result that is not the expected one is an ECDSA signature that is as right, with another nonce.
    pub(crate) fn is_as_right(
        &self,
        engine: &Engine,
        inputs: &Inputs,
        index: usize,
        bytes: &[u8],
    ) -> bool {
        let Self::Ecdsa(key) = self else { return false };
        let request = ecdsa::VerifyRequest {
            key: key.verifying_key(),
            digest: inputs.digests[index],
            encoding: ecdsa::Encoding::Der,
            s: ecdsa::SRange::default(),
            signature: bytes,
        };
        ecdsa::verify_batch(engine, &[request])[0].is_ok()
    }
}
