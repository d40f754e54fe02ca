//! Keys and signatures compared with those of OpenSSL, which is built from source: deterministic
//! signatures and key files are equal byte for byte, and each side accepts the other's salted
//! signatures.

mod keys;

use keys::{KEYS, Pair};
use openssl::hash::MessageDigest;
use openssl::pkey::PKey;
use openssl::rsa::Padding;
use openssl::sign::{RsaPssSaltlen, Signer, Verifier};
use openssl::symm::Cipher;
use sunzi_engine::{Backend, Engine};
use sunzi_pk::rsa::{
    PrivateKey, PublicKey, SaltLen, Scheme, SignRequest, SigningKey, VerifyRequest, sign_batch,
    verify_batch,
};
use sunzi_pk::{Hash, system_rng};

const HASHES: [Hash; 3] = [Hash::Sha256, Hash::Sha384, Hash::Sha512];
const PASSPHRASE: &[u8] = b"a passphrase";

fn engine() -> Engine {
    Engine::new(Backend::best()).unwrap()
}

fn message_digest(hash: Hash) -> MessageDigest {
    match hash {
        Hash::Sha256 => MessageDigest::sha256(),
        Hash::Sha384 => MessageDigest::sha384(),
        Hash::Sha512 => MessageDigest::sha512(),
        other => panic!("{other} is not compared here"),
    }
}

/// Messages of lengths around the block lengths of the hashes, and a long one.
fn messages() -> impl Iterator<Item = Vec<u8>> {
    [0, 1, 55, 56, 63, 64, 65, 111, 112, 127, 128, 129, 10_000]
        .into_iter()
        .map(|len| (0..len).map(|i: u32| (i * 31 + len) as u8).collect())
}

/// Every message with every key and hash. The keys alternate, so that batches are mixed.
fn cases() -> Vec<(&'static Pair, Hash, Vec<u8>)> {
    messages()
        .flat_map(|message| {
            HASHES.into_iter().flat_map(move |hash| {
                let message = message.clone();
                KEYS.iter().map(move |pair| (pair, hash, message.clone()))
            })
        })
        .collect()
}

fn prepared(engine: &Engine) -> Vec<SigningKey> {
    KEYS.iter()
        .map(|pair| SigningKey::new(engine, &pair.ours).unwrap())
        .collect()
}

/// Sunzi's signatures of all cases, computed in one batch.
fn our_signatures(engine: &Engine, keys: &[SigningKey], scheme: Scheme) -> Vec<Vec<u8>> {
    let requests: Vec<_> = cases()
        .iter()
        .zip(keys.iter().cycle())
        .map(|((_, hash, message), key)| SignRequest {
            key,
            scheme,
            digest: hash.digest(message),
        })
        .collect();
    let signatures = sign_batch(engine, &mut system_rng(), &requests);
    signatures.into_iter().collect::<Result<_, _>>().unwrap()
}

/// Whether Sunzi accepts these signatures of all cases, in one batch.
fn we_accept(keys: &[SigningKey], engine: &Engine, scheme: Scheme, signatures: &[Vec<u8>]) -> bool {
    let cases = cases();
    assert_eq!(cases.len(), signatures.len());
    let requests: Vec<_> = cases
        .iter()
        .zip(keys.iter().cycle())
        .zip(signatures)
        .map(|(((_, hash, message), key), signature)| VerifyRequest {
            key: key.verifying_key(),
            scheme,
            digest: hash.digest(message),
            signature,
        })
        .collect();
    verify_batch(engine, &requests).iter().all(Result::is_ok)
}

#[test]
fn pkcs1v15_signatures_are_identical() {
    let engine = engine();
    let keys = prepared(&engine);
    let ours = our_signatures(&engine, &keys, Scheme::Pkcs1v15);
    let theirs: Vec<_> = cases()
        .iter()
        .map(|(pair, hash, message)| {
            let mut signer = Signer::new(message_digest(*hash), &pair.theirs).unwrap();
            signer.set_rsa_padding(Padding::PKCS1).unwrap();
            signer.sign_oneshot_to_vec(message).unwrap()
        })
        .collect();
    assert_eq!(ours, theirs);
    assert!(we_accept(&keys, &engine, Scheme::Pkcs1v15, &theirs));
}

#[test]
fn pss_signatures_verify_on_the_other_side() {
    let engine = engine();
    let keys = prepared(&engine);
    let salt_lens: [(SaltLen, fn() -> RsaPssSaltlen); 3] = [
        (SaltLen::Hash, || RsaPssSaltlen::DIGEST_LENGTH),
        (SaltLen::Bytes(0), || RsaPssSaltlen::custom(0)),
        (SaltLen::Bytes(11), || RsaPssSaltlen::custom(11)),
    ];
    for (salt_len, theirs) in salt_lens {
        let scheme = Scheme::pss(salt_len);
        for ((pair, hash, message), signature) in
            cases().iter().zip(our_signatures(&engine, &keys, scheme))
        {
            let mut verifier = Verifier::new(message_digest(*hash), &pair.theirs).unwrap();
            verifier.set_rsa_padding(Padding::PKCS1_PSS).unwrap();
            verifier.set_rsa_pss_saltlen(theirs()).unwrap();
            assert!(verifier.verify_oneshot(&signature, message).unwrap());
        }
        let signatures = openssl_pss(theirs);
        assert!(we_accept(&keys, &engine, scheme, &signatures));
        assert!(we_accept(
            &keys,
            &engine,
            Scheme::pss(SaltLen::Any),
            &signatures
        ));
    }
    let longest = openssl_pss(|| RsaPssSaltlen::MAXIMUM_LENGTH);
    assert!(we_accept(
        &keys,
        &engine,
        Scheme::pss(SaltLen::Any),
        &longest
    ));
    assert!(!we_accept(&keys, &engine, Scheme::PSS, &longest));
}

fn openssl_pss(salt_len: fn() -> RsaPssSaltlen) -> Vec<Vec<u8>> {
    cases()
        .iter()
        .map(|(pair, hash, message)| {
            let mut signer = Signer::new(message_digest(*hash), &pair.theirs).unwrap();
            signer.set_rsa_padding(Padding::PKCS1_PSS).unwrap();
            signer.set_rsa_pss_saltlen(salt_len()).unwrap();
            signer.sign_oneshot_to_vec(message).unwrap()
        })
        .collect()
}

#[test]
fn private_keys_go_both_ways() {
    for Pair { ours, theirs } in KEYS.iter() {
        let rsa = theirs.rsa().unwrap();
        for file in [
            rsa.private_key_to_der().unwrap(),
            rsa.private_key_to_pem().unwrap(),
            theirs.private_key_to_pkcs8().unwrap(),
            theirs.private_key_to_pem_pkcs8().unwrap(),
        ] {
            let read = PrivateKey::from_pem_or_der(&file, None).unwrap();
            assert_eq!(read.to_pkcs1_der(), ours.to_pkcs1_der());
        }
        for cipher in [
            Cipher::aes_128_cbc(),
            Cipher::aes_256_cbc(),
            Cipher::des_ede3_cbc(),
        ] {
            let file = theirs
                .private_key_to_pem_pkcs8_passphrase(cipher, PASSPHRASE)
                .unwrap();
            let read = PrivateKey::from_pem_or_der(&file, Some(PASSPHRASE)).unwrap();
            assert_eq!(read.to_pkcs1_der(), ours.to_pkcs1_der());
        }

        assert_eq!(*ours.to_pkcs1_der(), rsa.private_key_to_der().unwrap());
        assert_eq!(
            ours.to_pkcs1_pem().as_bytes(),
            rsa.private_key_to_pem().unwrap()
        );
        assert_eq!(*ours.to_pkcs8_der(), theirs.private_key_to_pkcs8().unwrap());
        assert_eq!(
            ours.to_pkcs8_pem().as_bytes(),
            theirs.private_key_to_pem_pkcs8().unwrap()
        );
        let encrypted = ours
            .to_encrypted_pkcs8_pem(&mut system_rng(), PASSPHRASE)
            .unwrap();
        let read = PKey::private_key_from_pem_passphrase(encrypted.as_bytes(), PASSPHRASE).unwrap();
        assert!(read.rsa().unwrap().check_key().unwrap());
        assert_eq!(
            read.private_key_to_der().unwrap(),
            theirs.private_key_to_der().unwrap()
        );
    }
}

#[test]
fn public_keys_go_both_ways() {
    for Pair { ours, theirs } in KEYS.iter() {
        let ours = ours.public_key();
        let rsa = theirs.rsa().unwrap();
        let spki = theirs.public_key_to_der().unwrap();
        let pkcs1 = rsa.public_key_to_der_pkcs1().unwrap();
        assert_eq!(ours.to_spki_der(), spki);
        assert_eq!(ours.to_pkcs1_der(), pkcs1);
        assert_eq!(
            ours.to_spki_pem().as_bytes(),
            theirs.public_key_to_pem().unwrap()
        );
        assert_eq!(
            ours.to_pkcs1_pem().as_bytes(),
            rsa.public_key_to_pem_pkcs1().unwrap()
        );
        for file in [spki, pkcs1, theirs.public_key_to_pem().unwrap()] {
            assert_eq!(PublicKey::from_pem_or_der(&file).unwrap(), *ours);
        }
    }
}

#[test]
fn a_key_made_here_passes_openssls_own_check() {
    let rsa = KEYS.last().unwrap().theirs.rsa().unwrap();
    assert!(rsa.check_key().unwrap());
}
