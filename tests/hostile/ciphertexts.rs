//! Ciphertexts: right ones, damaged ones, ones with wrong padding, ones of other lengths. The answer must be
//! OpenSSL's, synthetic messages of PKCS#1 v1.5 included.

use crate::Tally;
use crate::mutation::{Random, damage};
use openssl::encrypt::Decrypter;
use openssl::hash::MessageDigest;
use openssl::pkey::{PKey, Private};
use openssl::rsa::{Padding, Rsa};
use sunzi_engine::{Backend, Engine};
use sunzi_pk::rsa::{DecryptRequest, DecryptionKey, EncryptionScheme, PrivateKey, decrypt_batch};
use sunzi_pk::system_rng;

const CASES: usize = 8_000;

pub(crate) fn run(random: &mut Random, tally: &mut Tally) {
    let engine = Engine::new(Backend::best()).expect("it is present");
    let rsa = Rsa::generate(1024).expect("OpenSSL makes keys");
    let der = rsa.private_key_to_der().expect("it is written");
    let ours = PrivateKey::from_pem_or_der(&der, None).expect("Sunzi reads it");
    let ours = DecryptionKey::new(&engine, &ours.permit_1024()).expect("short keys are permitted");
    let theirs = PKey::from_rsa(rsa.clone()).expect("it is a key");
    let size = rsa.size() as usize;
    for _ in 0..CASES {
        let is_oaep = random.below(2) == 0;
        let ciphertext = made(random, &rsa, size, is_oaep);
        let scheme = if is_oaep {
            EncryptionScheme::OAEP
        } else {
            EncryptionScheme::Pkcs1v15
        };
        let request = DecryptRequest {
            key: &ours,
            scheme,
            ciphertext: &ciphertext,
        };
        tally.case(
            || format!("{scheme:?}: {ciphertext:x?}"),
            || {
                let answer = decrypt_batch(&engine, &mut system_rng(), &[request]).remove(0);
                answer.ok().map(|message| message.to_vec())
            },
            |ours| {
                let theirs = their_message(&theirs, is_oaep, &ciphertext, size);
                if ours == theirs {
                    Ok(ours.is_some())
                } else {
                    Err(format!("{ours:x?}, by OpenSSL: {theirs:x?}"))
                }
            },
        );
    }
}

fn made(random: &mut Random, rsa: &Rsa<Private>, size: usize, is_oaep: bool) -> Vec<u8> {
    let mut ciphertext = vec![0; size];
    if random.below(2) == 0 {
        let longest = if is_oaep { 20 } else { size - 11 };
        let length = random.below(longest + 1);
        let message = random.edge_bytes(length);
        let mut padded = vec![0, 2];
        while padded.len() < size - message.len() - 1 {
            padded.push(random.next() as u8 | 1);
        }
        padded.push(0);
        padded.extend(message);
        // Padding that is cut, shifted or of another kind.
        if random.below(2) == 0 {
            let place = random.below(12);
            padded[place] = *random.choose(&[0, 1, 2, 3]);
        }
        if rsa
            .public_encrypt(&padded, &mut ciphertext, Padding::NONE)
            .is_err()
        {
            ciphertext.fill(1);
        }
        return ciphertext;
    }
    // OpenSSL's OAEP with SHA-1 is another scheme's ciphertext for the present one.
    let kind = *random.choose(&[Padding::PKCS1, Padding::PKCS1_OAEP]);
    let length = random.below(30);
    let message = random.bytes(length);
    let encrypted = rsa.public_encrypt(&message, &mut ciphertext, kind);
    encrypted.expect("the message is short");
    match random.below(4) {
        0 => {}
        1 => damage(random, &mut ciphertext),
        2 => {
            let length = *random.choose(&[0, 1, size - 1, size, size + 1]);
            ciphertext = random.edge_bytes(length);
        }
        _ => ciphertext[1..].fill(random.next() as u8),
    }
    ciphertext
}

/// OpenSSL's message, or `None` if it refuses the ciphertext. It takes shorter ciphertexts as
/// integers; RFC 8017 does not.
fn their_message(
    key: &PKey<Private>,
    is_oaep: bool,
    ciphertext: &[u8],
    size: usize,
) -> Option<Vec<u8>> {
    if ciphertext.len() != size {
        return None;
    }
    let mut decrypter = Decrypter::new(key).ok()?;
    if is_oaep {
        decrypter.set_rsa_padding(Padding::PKCS1_OAEP).ok()?;
        decrypter.set_rsa_oaep_md(MessageDigest::sha256()).ok()?;
        decrypter.set_rsa_mgf1_md(MessageDigest::sha256()).ok()?;
    } else {
        decrypter.set_rsa_padding(Padding::PKCS1).ok()?;
    }
    let mut message = vec![0; decrypter.decrypt_len(ciphertext).ok()?];
    let length = decrypter.decrypt(ciphertext, &mut message).ok()?;
    message.truncate(length);
    Some(message)
}
