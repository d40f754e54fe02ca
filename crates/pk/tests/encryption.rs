//! Encryption and decryption equal plain integer arithmetic, for all kinds of keys, mixed in one
//! batch; and wrong inputs are refused.

mod common;

use common::{Numbers, private};
use num_bigint::BigUint;
use rand_core::{TryCryptoRng, TryRng};
use std::collections::HashSet;
use sunzi_engine::{Backend, Engine};
use sunzi_pk::hash::PaddingHash;
use sunzi_pk::rsa::{
    DecryptError, DecryptRequest, DecryptionKey, EncryptError, EncryptRequest, EncryptionKey,
    EncryptionScheme, KeyError, PrivateKey, decrypt_batch, encrypt_batch,
};
use sunzi_pk::{Hash, system_rng};

const OAEP_SHA1: EncryptionScheme<'_> = EncryptionScheme::Oaep {
    hash: PaddingHash::Sha1,
    mgf1: PaddingHash::Sha1,
    label: b"a label",
};
const OAEP_MIXED: EncryptionScheme<'_> = EncryptionScheme::Oaep {
    hash: PaddingHash::Strong(Hash::Sha384),
    mgf1: PaddingHash::Sha1,
    label: b"",
};
const SCHEMES: [EncryptionScheme<'_>; 4] = [
    EncryptionScheme::OAEP,
    OAEP_SHA1,
    OAEP_MIXED,
    EncryptionScheme::Pkcs1v15,
];

/// A key pair prepared for encryption and decryption.
struct Pair {
    private: PrivateKey,
    encryption: EncryptionKey,
    decryption: DecryptionKey,
}

impl Pair {
    fn new(engine: &Engine, private: PrivateKey) -> Self {
        Self {
            encryption: EncryptionKey::new(engine, private.public_key()).unwrap(),
            decryption: DecryptionKey::new(engine, &private).unwrap(),
            private,
        }
    }

    fn encrypt<'a>(
        &'a self,
        scheme: EncryptionScheme<'a>,
        message: &'a [u8],
    ) -> EncryptRequest<'a> {
        let key = &self.encryption;
        EncryptRequest {
            key,
            scheme,
            message,
        }
    }

    fn decrypt<'a>(
        &'a self,
        scheme: EncryptionScheme<'a>,
        ciphertext: &'a [u8],
    ) -> DecryptRequest<'a> {
        let key = &self.decryption;
        DecryptRequest {
            key,
            scheme,
            ciphertext,
        }
    }

    /// em^e mod n in plain integer arithmetic.
    fn raw(&self, em: &[u8]) -> Vec<u8> {
        let Numbers { n, e, .. } = Numbers::of(&self.private);
        let c = BigUint::from_bytes_be(em).modpow(&e.into(), &n);
        assert!(c < n);
        let c = c.to_bytes_be();
        [vec![0; self.private.public_key().size() - c.len()], c].concat()
    }

    /// c^d mod n in plain integer arithmetic.
    fn unraw(&self, c: &[u8]) -> Vec<u8> {
        let Numbers { n, d, .. } = Numbers::of(&self.private);
        let em = BigUint::from_bytes_be(c).modpow(&d, &n).to_bytes_be();
        [vec![0; c.len() - em.len()], em].concat()
    }
}

fn engine() -> Engine {
    Engine::new(Backend::best()).unwrap()
}

fn encrypt(engine: &Engine, requests: &[EncryptRequest<'_>]) -> Vec<Vec<u8>> {
    let ciphertexts = encrypt_batch(engine, &mut system_rng(), requests);
    ciphertexts.into_iter().collect::<Result<_, _>>().unwrap()
}

fn decrypt(engine: &Engine, requests: &[DecryptRequest<'_>]) -> Vec<Result<Vec<u8>, DecryptError>> {
    decrypt_batch(engine, &mut system_rng(), requests)
        .into_iter()
        .map(|message| message.map(|message| message.to_vec()))
        .collect()
}

/// Keys of all sizes, one of which is not a multiple of eight bits, a key with p < q, all schemes,
/// and the shortest and longest messages: one batch to encrypt and one to decrypt.
#[test]
fn what_is_encrypted_decrypts_in_one_mixed_batch() {
    let engine = engine();
    let Numbers { p, q, e, .. } = Numbers::of(&private("rsa1024.pkcs8.pem"));
    let mut keys: Vec<_> = [1024, 1536, 2047, 2048, 3072, 4096]
        .iter()
        .map(|bits| private(&format!("rsa{bits}.pkcs8.pem")))
        .collect();
    keys.push(Numbers::from_primes(&q, &p, e).key().unwrap().permit_1024());
    let odd = PrivateKey::generate(1217, &mut system_rng()).unwrap();
    keys.push(odd.permit_1024());
    let pairs: Vec<_> = keys.into_iter().map(|k| Pair::new(&engine, k)).collect();

    let mut cases = Vec::new();
    for pair in &pairs {
        for scheme in SCHEMES {
            let max = scheme.max_message(pair.private.public_key()).unwrap();
            for len in [0, 1, 16, max - 1, max] {
                let message: Vec<u8> = (0..len).map(|i| (i % 5) as u8).collect();
                cases.push((pair, scheme, message));
            }
        }
    }
    let requests: Vec<_> = cases
        .iter()
        .map(|(pair, scheme, message)| pair.encrypt(*scheme, message))
        .collect();
    let ciphertexts = encrypt(&engine, &requests);
    let requests: Vec<_> = cases
        .iter()
        .zip(&ciphertexts)
        .map(|((pair, scheme, _), c)| pair.decrypt(*scheme, c))
        .collect();
    let messages = decrypt(&engine, &requests);
    for (i, ((pair, scheme, message), c)) in cases.iter().zip(&ciphertexts).enumerate() {
        assert_eq!(c.len(), pair.private.public_key().size());
        assert_eq!(
            messages[i].as_ref(),
            Ok(message),
            "{:?} {scheme:?}",
            pair.private
        );
        let em = pair.unraw(c);
        match scheme {
            EncryptionScheme::Oaep { .. } => assert_eq!(em[0], 0),
            EncryptionScheme::Pkcs1v15 => {
                let (start, rest) = em.split_at(em.len() - message.len());
                assert_eq!((&start[..2], start.last()), (&[0, 2][..], Some(&0)));
                assert!(!start[2..start.len() - 1].contains(&0));
                assert_eq!(rest, message);
            }
            _ => unreachable!("a scheme that is not tested here"),
        }
    }
    let distinct: HashSet<_> = ciphertexts.iter().collect();
    assert_eq!(
        distinct.len(),
        ciphertexts.len(),
        "seeds and paddings are fresh"
    );
}

#[test]
fn what_does_not_belong_together_does_not_decrypt() {
    let engine = engine();
    let right = Pair::new(&engine, private("rsa1536.pkcs8.pem"));
    let other = PrivateKey::generate(1536, &mut system_rng()).unwrap();
    let other = Pair::new(&engine, other.permit_1024());
    let ciphertexts = encrypt(
        &engine,
        &SCHEMES.map(|scheme| right.encrypt(scheme, b"message")),
    );
    for (i, c) in ciphertexts.iter().enumerate() {
        for (j, scheme) in SCHEMES.into_iter().enumerate() {
            let by_right = decrypt(&engine, &[right.decrypt(scheme, c)]).remove(0);
            let by_other = decrypt(&engine, &[other.decrypt(scheme, c)]).remove(0);
            let is_rejected = |result: Result<Vec<u8>, _>| match scheme {
                EncryptionScheme::Oaep { .. } => result == Err(DecryptError::Undecryptable),
                EncryptionScheme::Pkcs1v15 => result.unwrap() != b"message",
                _ => unreachable!("a scheme that is not tested here"),
            };
            if i == j {
                assert_eq!(by_right.unwrap(), b"message");
            } else {
                assert!(is_rejected(by_right), "{i} as {j}");
            }
            // The ciphertext is out of range if the other key's modulus is smaller.
            assert!(
                by_other == Err(DecryptError::OutOfRange) || is_rejected(by_other),
                "{i}, {j}"
            );
        }
    }
}

/// A ciphertext with any bit changed does not decrypt, and does not affect the others of its batch.
#[test]
fn changed_ciphertexts_among_right_ones() {
    let engine = engine();
    let pair = Pair::new(&engine, private("rsa1024.pkcs8.pem"));
    for scheme in [OAEP_SHA1, EncryptionScheme::Pkcs1v15] {
        let right = encrypt(&engine, &[pair.encrypt(scheme, b"message")]).remove(0);
        // A change in the first bytes may make the integer larger than the modulus.
        let changed: Vec<_> = (128..1024)
            .step_by(7)
            .map(|bit| {
                let mut changed = right.clone();
                changed[bit / 8] ^= 1 << (bit % 8);
                changed
            })
            .collect();
        let requests: Vec<_> = changed
            .iter()
            .flat_map(|changed| [changed, &right].map(|c| pair.decrypt(scheme, c)))
            .collect();
        let results = decrypt(&engine, &requests);
        assert_eq!(results, decrypt(&engine, &requests), "deterministic");
        for results in results.chunks_exact(2) {
            match scheme {
                EncryptionScheme::Oaep { .. } => {
                    assert_eq!(results[0], Err(DecryptError::Undecryptable));
                }
                EncryptionScheme::Pkcs1v15 => assert_ne!(results[0], Ok(b"message".to_vec())),
                _ => unreachable!("a scheme that is not tested here"),
            }
            assert_eq!(results[1], Ok(b"message".to_vec()));
        }
    }
}

#[test]
fn messages_and_keys_that_are_too_long_or_too_short() {
    let engine = engine();
    let pair = Pair::new(&engine, private("rsa1024.pkcs8.pem"));
    let key = pair.private.public_key();
    for (scheme, max) in [
        (EncryptionScheme::OAEP, 62),
        (OAEP_SHA1, 86),
        (OAEP_MIXED, 30),
        (EncryptionScheme::Pkcs1v15, 117),
    ] {
        assert_eq!(scheme.max_message(key), Some(max));
        let (fits, too_long) = (vec![1; max], vec![1; max + 1]);
        let requests = [&too_long, &fits].map(|message| pair.encrypt(scheme, message));
        let results = encrypt_batch(&engine, &mut system_rng(), &requests);
        let given = max + 1;
        let expected = EncryptError::MessageTooLong { max, given };
        assert_eq!(results[0], Err(expected));
        assert!(results[1].is_ok());
    }
    let scheme = EncryptionScheme::oaep(Hash::Sha512);
    assert_eq!(scheme.max_message(key), None);
    let results = encrypt_batch(&engine, &mut system_rng(), &[pair.encrypt(scheme, b"")]);
    assert_eq!(results, [Err(EncryptError::KeyTooShort(1024))]);
    let results = decrypt(&engine, &[pair.decrypt(scheme, &[0; 128])]);
    assert_eq!(results, [Err(DecryptError::KeyTooShort(1024))]);

    let file = common::fixture("rsa1024.pkcs8.pem");
    let private = PrivateKey::from_pem_or_der(&file, None).unwrap();
    let refused = EncryptionKey::new(&engine, private.public_key()).unwrap_err();
    assert_eq!(refused, KeyError::TooShortToEncrypt(1024));
    let refused = DecryptionKey::new(&engine, &private).unwrap_err();
    assert_eq!(refused, KeyError::TooShortToDecrypt(1024));
}

#[test]
fn ciphertexts_of_the_wrong_length_or_out_of_range() {
    let engine = engine();
    let pair = Pair::new(&engine, private("rsa2047.pkcs8.pem"));
    let n = pair.private.public_key().n().to_be_bytes();
    let mut below_n = n.to_vec();
    below_n[255] -= 1; // n is odd
    let length = |given| {
        let expected = 256;
        Err(DecryptError::Length { expected, given })
    };
    for scheme in SCHEMES {
        let refused = [
            (vec![], length(0)),
            (vec![1; 255], length(255)),
            (vec![0; 257], length(257)),
            (n.to_vec(), Err(DecryptError::OutOfRange)),
            (vec![0xff; 256], Err(DecryptError::OutOfRange)),
        ];
        let requests: Vec<_> = refused
            .iter()
            .map(|(c, _)| pair.decrypt(scheme, c))
            .collect();
        let expected: Vec<_> = refused.iter().map(|(_, error)| error.clone()).collect();
        assert_eq!(decrypt(&engine, &requests), expected);

        // 0, 1 and n - 1 equal their own powers, which are not encodings of messages.
        let one = [&[0; 255][..], &[1]].concat();
        let fixed = [vec![0; 256], one, below_n.clone()];
        let requests: Vec<_> = fixed.iter().map(|c| pair.decrypt(scheme, c)).collect();
        for result in decrypt(&engine, &requests) {
            match scheme {
                EncryptionScheme::Oaep { .. } => {
                    assert_eq!(result, Err(DecryptError::Undecryptable));
                }
                EncryptionScheme::Pkcs1v15 => assert!(result.is_ok()),
                _ => unreachable!("a scheme that is not tested here"),
            }
        }
    }
}

/// PKCS#1 v1.5 ciphertexts with all kinds of defects, made without this crate, decrypt to messages
/// whose lengths do not show that there was a defect.
#[test]
fn implicit_rejection_hides_what_was_wrong() {
    let engine = engine();
    let pair = Pair::new(&engine, private("rsa1024.pkcs8.pem"));
    let right = |message: &[u8]| {
        let padding = vec![0x5a; 125 - message.len()];
        [&[0, 2], &padding[..], &[0], message].concat()
    };
    let good = right(b"message");
    let with = |position: usize, value: u8| {
        let mut em = good.clone();
        em[position] = value;
        em
    };
    let ems: Vec<_> = [
        with(0, 1),
        with(1, 1),
        with(1, 0),
        with(120, 1),
        vec![0; 128],
    ]
    .into_iter()
    .chain((2..10).map(|position| with(position, 0)))
    .collect();
    let ciphertexts: Vec<_> = ems.iter().map(|em| pair.raw(em)).collect();
    let scheme = EncryptionScheme::Pkcs1v15;
    let requests: Vec<_> = ciphertexts
        .iter()
        .map(|c| pair.decrypt(scheme, c))
        .collect();
    let made_up: HashSet<_> = decrypt(&engine, &requests)
        .into_iter()
        .map(Result::unwrap)
        .collect();
    assert_eq!(made_up.len(), ems.len());
    assert!(made_up.iter().all(|message| message.len() <= 117));
    let lengths: HashSet<_> = made_up.iter().map(Vec::len).collect();
    assert!(lengths.len() > ems.len() / 2);

    let c = pair.raw(&good);
    assert_eq!(
        decrypt(&engine, &[pair.decrypt(scheme, &c)]),
        [Ok(b"message".to_vec())]
    );
    let shortest_padding = right(&[7; 117]);
    let c = pair.raw(&shortest_padding);
    assert_eq!(
        decrypt(&engine, &[pair.decrypt(scheme, &c)]),
        [Ok(vec![7; 117])]
    );
}

#[test]
fn empty_batches() {
    assert_eq!(encrypt(&engine(), &[]), Vec::<Vec<u8>>::new());
    assert_eq!(decrypt(&engine(), &[]), []);
}

/// A generator that always yields the same byte, or always fails.
struct Broken(Option<u8>);

#[derive(Debug)]
struct NoRandomness;

impl core::fmt::Display for NoRandomness {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.write_str("no randomness")
    }
}

impl core::error::Error for NoRandomness {}

impl TryRng for Broken {
    type Error = NoRandomness;
    fn try_next_u32(&mut self) -> Result<u32, NoRandomness> {
        self.0
            .map(|b| u32::from_ne_bytes([b; 4]))
            .ok_or(NoRandomness)
    }
    fn try_next_u64(&mut self) -> Result<u64, NoRandomness> {
        self.0
            .map(|b| u64::from_ne_bytes([b; 8]))
            .ok_or(NoRandomness)
    }
    fn try_fill_bytes(&mut self, bytes: &mut [u8]) -> Result<(), NoRandomness> {
        bytes.fill(self.0.ok_or(NoRandomness)?);
        Ok(())
    }
}

impl TryCryptoRng for Broken {}

#[test]
fn a_broken_generator_is_an_error() {
    let engine = engine();
    let pair = Pair::new(&engine, private("rsa1024.pkcs8.pem"));
    for scheme in [OAEP_SHA1, EncryptionScheme::Pkcs1v15] {
        let request = pair.encrypt(scheme, b"message");
        let results = encrypt_batch(&engine, &mut Broken(None), &[request]);
        assert_eq!(results, [Err(EncryptError::Random)]);
        let c = encrypt(&engine, &[request]).remove(0);
        for broken in [None, Some(0), Some(255)] {
            let request = pair.decrypt(scheme, &c);
            let results = decrypt_batch(&engine, &mut Broken(broken), &[request]);
            assert_eq!(results, [Err(DecryptError::Random)]);
        }
    }
    // Padding bytes must not be zero, so a generator of zeros is useless.
    let request = pair.encrypt(EncryptionScheme::Pkcs1v15, b"message");
    let results = encrypt_batch(&engine, &mut Broken(Some(0)), &[request]);
    assert_eq!(results, [Err(EncryptError::Random)]);
}

#[test]
fn nothing_secret_is_shown() {
    let engine = engine();
    let pair = Pair::new(&engine, private("rsa1024.pkcs8.pem"));
    let request = pair.encrypt(EncryptionScheme::OAEP, &[171; 33]);
    let shown = format!("{request:?} {:?}", pair.decryption);
    assert!(shown.contains("message_len: 33"), "{shown}");
    assert!(
        !shown.contains("171") && !shown.contains("ab, ab"),
        "{shown}"
    );
}
