//! Encryption compared with that of OpenSSL, which is built from source: each side decrypts what
//! the other encrypted, and both give the same synthetic messages for wrong PKCS#1 v1.5
//! ciphertexts.

mod keys;

use keys::{KEYS, Pair};
use openssl::encrypt::{Decrypter, Encrypter};
use openssl::hash::MessageDigest;
use openssl::rsa::Padding;
use sunzi_engine::{Backend, Engine};
use sunzi_pk::hash::PaddingHash;
use sunzi_pk::rsa::{
    DecryptRequest, DecryptionKey, EncryptRequest, EncryptionKey, EncryptionScheme, decrypt_batch,
    encrypt_batch,
};
use sunzi_pk::{Hash, system_rng};

const fn oaep(hash: PaddingHash, mgf1: PaddingHash, label: &[u8]) -> EncryptionScheme<'_> {
    EncryptionScheme::Oaep { hash, mgf1, label }
}

const SHA1: PaddingHash = PaddingHash::Sha1;
const SHA256: PaddingHash = PaddingHash::Strong(Hash::Sha256);
const SHA512: PaddingHash = PaddingHash::Strong(Hash::Sha512);
const SCHEMES: [EncryptionScheme<'_>; 9] = [
    EncryptionScheme::Pkcs1v15,
    EncryptionScheme::OAEP,
    oaep(SHA256, SHA256, b"a label"),
    oaep(SHA1, SHA1, b""),
    oaep(SHA256, SHA1, b""),
    oaep(SHA512, SHA512, b"\0"),
    oaep(PaddingHash::Strong(Hash::Sha224), SHA512, b""),
    oaep(
        PaddingHash::Strong(Hash::Sha512_224),
        PaddingHash::Strong(Hash::Sha512_256),
        b"",
    ),
    oaep(
        PaddingHash::Strong(Hash::Sha384),
        PaddingHash::Strong(Hash::Sha3_256),
        b"other",
    ),
];

fn message_digest(hash: PaddingHash) -> MessageDigest {
    MessageDigest::from_name(hash.name()).unwrap()
}

/// OpenSSL's encryption of a message.
fn their_ciphertext(pair: &Pair, scheme: EncryptionScheme<'_>, message: &[u8]) -> Vec<u8> {
    let mut encrypter = Encrypter::new(&pair.theirs).unwrap();
    match scheme {
        EncryptionScheme::Pkcs1v15 => encrypter.set_rsa_padding(Padding::PKCS1).unwrap(),
        EncryptionScheme::Oaep { hash, mgf1, label } => {
            encrypter.set_rsa_padding(Padding::PKCS1_OAEP).unwrap();
            encrypter.set_rsa_oaep_md(message_digest(hash)).unwrap();
            encrypter.set_rsa_mgf1_md(message_digest(mgf1)).unwrap();
            if !label.is_empty() {
                encrypter.set_rsa_oaep_label(label).unwrap();
            }
        }
        _ => unreachable!("a scheme that SCHEMES does not list"),
    }
    let mut ciphertext = vec![0; encrypter.encrypt_len(message).unwrap()];
    let len = encrypter.encrypt(message, &mut ciphertext).unwrap();
    ciphertext.truncate(len);
    ciphertext
}

/// OpenSSL's decryption of a ciphertext, or `None` if it is refused.
fn their_message(pair: &Pair, scheme: EncryptionScheme<'_>, ciphertext: &[u8]) -> Option<Vec<u8>> {
    let mut decrypter = Decrypter::new(&pair.theirs).unwrap();
    match scheme {
        EncryptionScheme::Pkcs1v15 => decrypter.set_rsa_padding(Padding::PKCS1).unwrap(),
        EncryptionScheme::Oaep { hash, mgf1, label } => {
            decrypter.set_rsa_padding(Padding::PKCS1_OAEP).unwrap();
            decrypter.set_rsa_oaep_md(message_digest(hash)).unwrap();
            decrypter.set_rsa_mgf1_md(message_digest(mgf1)).unwrap();
            if !label.is_empty() {
                decrypter.set_rsa_oaep_label(label).unwrap();
            }
        }
        _ => unreachable!("a scheme that SCHEMES does not list"),
    }
    let mut message = vec![0; decrypter.decrypt_len(ciphertext).unwrap()];
    let len = decrypter.decrypt(ciphertext, &mut message).ok()?;
    message.truncate(len);
    Some(message)
}

/// The engines that this processor can run. Others are named in the output.
fn engines() -> impl Iterator<Item = Engine> {
    Backend::ALL.iter().filter_map(|&backend| {
        Engine::new(backend)
            .inspect_err(|reason| println!("{reason}: skipped"))
            .ok()
    })
}

/// Sunzi's decryption of all ciphertexts, in one batch; `which` has the indices of their keys.
fn our_messages(
    engine: &Engine,
    which: impl Iterator<Item = usize>,
    schemes: impl Iterator<Item = EncryptionScheme<'static>>,
    ciphertexts: &[Vec<u8>],
) -> Vec<Option<Vec<u8>>> {
    let keys: Vec<_> = KEYS
        .iter()
        .map(|pair| DecryptionKey::new(engine, &pair.ours).unwrap())
        .collect();
    let requests: Vec<_> = which
        .zip(schemes)
        .zip(ciphertexts)
        .map(|((key, scheme), ciphertext)| DecryptRequest {
            key: &keys[key],
            scheme,
            ciphertext,
        })
        .collect();
    assert_eq!(requests.len(), ciphertexts.len());
    decrypt_batch(engine, &mut system_rng(), &requests)
        .into_iter()
        .map(|message| message.ok().map(|message| message.to_vec()))
        .collect()
}

#[test]
fn each_side_decrypts_what_the_other_encrypted() {
    let mut cases = Vec::new();
    for scheme in SCHEMES {
        for (key, pair) in KEYS.iter().enumerate() {
            let max = scheme.max_message(pair.ours.public_key()).unwrap();
            for len in [0, 1, 32, max] {
                let message: Vec<_> = (0..len).map(|i| (i * 31 % 256) as u8).collect();
                cases.push((key, scheme, message));
            }
        }
    }
    let theirs: Vec<_> = cases
        .iter()
        .map(|(key, scheme, message)| their_ciphertext(&KEYS[*key], *scheme, message))
        .collect();
    let expected: Vec<_> = cases.iter().map(|(_, _, m)| Some(m.clone())).collect();
    for engine in engines() {
        let which = cases.iter().map(|&(key, _, _)| key);
        let schemes = cases.iter().map(|&(_, scheme, _)| scheme);
        assert_eq!(our_messages(&engine, which, schemes, &theirs), expected);

        let keys: Vec<_> = KEYS
            .iter()
            .map(|pair| EncryptionKey::new(&engine, pair.ours.public_key()).unwrap())
            .collect();
        let requests: Vec<_> = cases
            .iter()
            .map(|(key, scheme, message)| EncryptRequest {
                key: &keys[*key],
                scheme: *scheme,
                message,
            })
            .collect();
        let ours = encrypt_batch(&engine, &mut system_rng(), &requests);
        for ((key, scheme, message), ciphertext) in cases.iter().zip(ours) {
            let theirs = their_message(&KEYS[*key], *scheme, &ciphertext.unwrap());
            assert_eq!(theirs.as_ref(), Some(message), "{scheme:?}");
        }
    }
}

/// Encodings of `size` bytes with all kinds of defects, and correct ones with the shortest and
/// longest paddings.
fn encodings(size: usize) -> Vec<Vec<u8>> {
    let encoding = |padding: usize| {
        let message = vec![7; size - 3 - padding];
        [&[0, 2], &vec![0x5a; padding][..], &[0], &message].concat()
    };
    let with = |position: usize, value: u8| {
        let mut em = encoding(size - 35);
        em[position] = value;
        em
    };
    let no_separator = [&[0, 2], &vec![1; size - 2][..]].concat();
    let paddings = (0..=12).chain([size - 35, size - 4, size - 3]);
    paddings
        .map(encoding)
        .chain((0..12).map(|position| with(position, 0)))
        .chain((1..=12).map(|value| with(1, value)))
        .chain([no_separator, vec![0; size]])
        // Many more wrong encodings, without the byte 02, to compare many lengths of synthetic messages.
        .chain((0..=255).map(|i| [&[0, 3, i], &vec![9; size - 3][..]].concat()))
        .collect()
}

#[test]
fn both_give_the_same_synthetic_messages() {
    assert!(openssl::version::number() >= 0x3020_0000);
    let mut which = Vec::new();
    let mut ciphertexts = Vec::new();
    let mut theirs = Vec::new();
    for (key, pair) in KEYS.iter().enumerate() {
        let rsa = pair.theirs.rsa().unwrap();
        for em in encodings(pair.ours.public_key().size()) {
            let mut ciphertext = vec![0; em.len()];
            rsa.public_encrypt(&em, &mut ciphertext, Padding::NONE)
                .unwrap();
            let message = their_message(pair, EncryptionScheme::Pkcs1v15, &ciphertext);
            theirs.push(message);
            ciphertexts.push(ciphertext);
            which.push(key);
        }
    }
    assert!(theirs.iter().all(Option::is_some), "never an error");
    let schemes = || core::iter::repeat(EncryptionScheme::Pkcs1v15);
    for engine in engines() {
        let ours = our_messages(&engine, which.iter().copied(), schemes(), &ciphertexts);
        assert_eq!(ours, theirs);
        println!(
            "backend {}: {} messages equal",
            engine.backend(),
            ours.len()
        );
    }
}
