//! Signatures: damaged ones, ones with wrong padding, ones of other digests and other lengths. The verdict
//! must be OpenSSL's.

use crate::Tally;
use crate::mutation::{Random, damage};
use openssl::hash::MessageDigest;
use openssl::pkey::{PKey, Private};
use openssl::rsa::{Padding, Rsa};
use openssl::sign::{RsaPssSaltlen, Signer, Verifier};
use sunzi_engine::{Backend, Engine};
use sunzi_pk::Hash;
use sunzi_pk::rsa::{PrivateKey, SaltLen, Scheme, VerifyRequest, VerifyingKey, verify_batch};

const CASES: usize = 24_000;
/// Number of keys.
const KEYS: usize = 4;

struct Key {
    theirs: PKey<Private>,
    rsa: Rsa<Private>,
    ours: VerifyingKey,
    size: usize,
}

pub(crate) fn run(random: &mut Random, tally: &mut Tally) {
    let engine = Engine::new(Backend::best()).expect("it is present");
    let keys: Vec<Key> = (0..KEYS)
        .map(|k| {
            // Sizes whose encoded messages have all or one bit fewer than whole bytes.
            let rsa = Rsa::generate([1024, 1025, 1031, 1032][k]).expect("OpenSSL makes keys");
            let der = rsa.private_key_to_der().expect("it is written");
            let ours = PrivateKey::from_pem_or_der(&der, None).expect("Sunzi reads it");
            let ours = VerifyingKey::new(&engine, ours.public_key()).expect("the key is fit");
            Key {
                size: rsa.size() as usize,
                theirs: PKey::from_rsa(rsa.clone()).expect("it is a key"),
                rsa,
                ours,
            }
        })
        .collect();
    for number in 0..CASES {
        let key = random.choose(&keys);
        let message = random.bytes(number % 3);
        let is_pss = random.below(2) == 0;
        let mut signature = sign(key, &message, is_pss);
        match random.below(6) {
            // Undamaged.
            0 => {}
            1 => damage(random, &mut signature),
            2 | 3 => signature = padded_wrongly(random, key, &message, is_pss, &signature),
            4 => {
                let length = *random.choose(&[0, 1, key.size - 1, key.size, key.size + 1]);
                signature = random.edge_bytes(length);
            }
            // A signature by the other scheme.
            _ => signature = sign(key, &message, !is_pss),
        }
        let scheme = if is_pss {
            Scheme::pss(SaltLen::Any)
        } else {
            Scheme::Pkcs1v15
        };
        let request = VerifyRequest {
            key: &key.ours,
            scheme,
            digest: Hash::Sha256.digest(&message),
            signature: &signature,
        };
        tally.case(
            || {
                format!(
                    "{scheme:?}, {} bytes, message {message:x?}: {signature:x?}",
                    key.size
                )
            },
            || verify_batch(&engine, &[request]).remove(0).is_ok(),
            |ours| {
                let theirs = verify(key, &message, is_pss, &signature);
                if ours == theirs {
                    Ok(ours)
                } else {
                    Err(format!("accepted: {ours}, by OpenSSL: {theirs}"))
                }
            },
        );
    }
}

fn sign(key: &Key, message: &[u8], is_pss: bool) -> Vec<u8> {
    let mut signer = Signer::new(MessageDigest::sha256(), &key.theirs).expect("a signer");
    if is_pss {
        signer.set_rsa_padding(Padding::PKCS1_PSS).expect("PSS");
        let length = RsaPssSaltlen::DIGEST_LENGTH;
        signer.set_rsa_pss_saltlen(length).expect("a length");
    }
    signer.sign_oneshot_to_vec(message).expect("OpenSSL signs")
}

fn verify(key: &Key, message: &[u8], is_pss: bool, signature: &[u8]) -> bool {
    let mut verifier = Verifier::new(MessageDigest::sha256(), &key.theirs).expect("a verifier");
    if is_pss {
        verifier.set_rsa_padding(Padding::PKCS1_PSS).expect("PSS");
        // -2: any length.
        let any = RsaPssSaltlen::custom(-2);
        verifier.set_rsa_pss_saltlen(any).expect("a length");
    }
    verifier.verify_oneshot(signature, message).unwrap_or(false)
}

/// The signature of an encoded message with damage: the right one, opened with the public key,
/// changed, and signed without padding.
fn padded_wrongly(
    random: &mut Random,
    key: &Key,
    message: &[u8],
    is_pss: bool,
    signature: &[u8],
) -> Vec<u8> {
    let mut encoded = vec![0; key.size];
    let opened = key
        .rsa
        .public_decrypt(signature, &mut encoded, Padding::NONE);
    opened.expect("it is a signature");
    if random.below(2) == 0 || is_pss {
        let place = match random.below(3) {
            // The first bytes, and the last.
            0 => random.below(3),
            1 => key.size - 1 - random.below(3),
            _ => random.below(key.size),
        };
        encoded[place] ^= 1 << random.below(8);
    } else {
        // Bleichenbacher's forgery of 2006: padding cut short, before bytes that are not checked.
        let tail = encoded[key.size - 51..].to_vec();
        let padding = 2 + random.below(key.size - 54);
        encoded[padding] = 0;
        encoded[padding + 1..padding + 52].copy_from_slice(&tail);
        let rest = random.bytes(key.size - padding - 52);
        encoded[padding + 52..].copy_from_slice(&rest);
    }
    let mut forged = vec![0; key.size];
    match key
        .rsa
        .private_encrypt(&encoded, &mut forged, Padding::NONE)
    {
        Ok(_) => forged,
        // The integer is not below the modulus.
        Err(_) => sign(key, message, is_pss),
    }
}
