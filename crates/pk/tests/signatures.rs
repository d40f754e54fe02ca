//! Signatures equal plain integer arithmetic, for keys of all sizes, mixed in one batch.

mod common;

use common::{Numbers, big, private};
use crypto_bigint::BoxedUint;
use crypto_primes::{Flavor, random_prime};
use num_bigint::BigUint;
use rand_core::{TryCryptoRng, TryRng};
use sunzi_engine::{Backend, Engine};
use sunzi_pk::rsa::{
    PrivateKey, SaltLen, Scheme, SignError, SignRequest, SigningKey, VerifyError, VerifyRequest,
    VerifyingKey, sign_batch, verify_batch,
};
use sunzi_pk::{Digest, Hash, system_rng};

fn engine() -> Engine {
    Engine::new(Backend::best()).unwrap()
}

fn sign(engine: &Engine, requests: &[SignRequest<'_>]) -> Vec<Result<Vec<u8>, SignError>> {
    sign_batch(engine, &mut system_rng(), requests)
}

/// A PKCS#1 v1.5 signature with SHA-256, from a second implementation of the encoding and m^d mod n
/// without the Chinese remainder theorem.
fn plain_pkcs1v15_sha256(key: &PrivateKey, digest: &Digest) -> Vec<u8> {
    let Numbers { n, d, .. } = Numbers::of(key);
    let size = key.public_key().size();
    let info = [
        0x30, 0x31, 0x30, 0x0d, 0x06, 0x09, 0x60, 0x86, 0x48, 0x01, 0x65, 0x03, 0x04, 0x02, 0x01,
        0x05, 0x00, 0x04, 0x20,
    ];
    let mut em = vec![0xff; size];
    em[..2].copy_from_slice(&[0, 1]);
    em[size - 52..].fill(0);
    em[size - 51..size - 32].copy_from_slice(&info);
    em[size - 32..].copy_from_slice(digest.as_bytes());
    let s = BigUint::from_bytes_be(&em).modpow(&d, &n).to_bytes_be();
    [vec![0; size - s.len()], s].concat()
}

/// Keys of all kinds: all sizes from the shortest, sizes that are no multiples of eight bits, p <
/// q, primes of unequal lengths, and the smallest and largest public exponents.
fn keys_of_every_shape() -> Vec<PrivateKey> {
    let mut keys: Vec<_> = [1024, 1536, 2047, 2048, 3072, 4096]
        .iter()
        .map(|bits| private(&format!("rsa{bits}.pkcs8.pem")))
        .collect();
    let Numbers { p, q, e, .. } = Numbers::of(&keys[0]);
    keys.push(Numbers::from_primes(&q, &p, e).key().unwrap().permit_1024());
    let prime = |bits, e: u64| -> BigUint {
        loop {
            let p: BoxedUint = random_prime(&mut system_rng(), Flavor::Any, bits);
            if (big(&p) - 1u32) % e != BigUint::ZERO {
                return big(&p);
            }
        }
    };
    // 2^33 - 9 is prime, as are the small exponents.
    for (p_bits, q_bits, e) in [
        (513, 513, 3),
        (700, 325, 17),
        (333, 750, 65_537),
        (520, 510, (1 << 33) - 9),
    ] {
        let numbers = Numbers::from_primes(&prime(p_bits, e), &prime(q_bits, e), e);
        keys.push(numbers.key().unwrap().permit_1024());
    }
    keys
}

#[test]
fn every_shape_of_key_in_one_batch_equals_plain_arithmetic() {
    let engine = engine();
    let keys = keys_of_every_shape();
    let signing: Vec<_> = keys
        .iter()
        .map(|k| SigningKey::new(&engine, k).unwrap())
        .collect();
    let messages: Vec<_> = (0..3 * keys.len())
        .map(|i| Hash::Sha256.digest(&[i as u8]))
        .collect();
    let requests: Vec<_> = messages
        .iter()
        .enumerate()
        .map(|(i, &digest)| SignRequest {
            key: &signing[i % keys.len()],
            scheme: Scheme::Pkcs1v15,
            digest,
        })
        .collect();
    for (i, signature) in sign(&engine, &requests).into_iter().enumerate() {
        let expected = plain_pkcs1v15_sha256(&keys[i % keys.len()], &messages[i]);
        assert_eq!(signature.unwrap(), expected, "request {i}");
    }
}

#[test]
fn the_largest_generated_size() {
    let engine = engine();
    let key = private("rsa8192.pkcs8.pem");
    let signing = SigningKey::new(&engine, &key).unwrap();
    let digest = Hash::Sha256.digest(b"");
    let request = SignRequest {
        key: &signing,
        scheme: Scheme::Pkcs1v15,
        digest,
    };
    let signature = sign(&engine, &[request]).remove(0).unwrap();
    assert_eq!(signature, plain_pkcs1v15_sha256(&key, &digest));
}

/// All schemes and hashes with three keys, in one batch. Each signature verifies with its own key,
/// scheme and hash only. The lengths of the keys cover the three cases of a PSS encoding's top
/// byte: it uses seven bits, six, or is absent.
#[test]
fn what_is_signed_verifies_and_nothing_else_does() {
    let engine = engine();
    let odd = PrivateKey::generate(1217, &mut system_rng()).unwrap();
    let keys = [
        private("rsa1536.pkcs8.pem"),
        private("rsa2047.pkcs8.pem"),
        odd.permit_1024(),
    ]
    .map(|key| SigningKey::new(&engine, &key).unwrap());
    let schemes = [
        Scheme::Pkcs1v15,
        Scheme::PSS,
        Scheme::pss(SaltLen::Bytes(0)),
        Scheme::pss(SaltLen::Bytes(20)),
    ];
    let mut requests = Vec::new();
    for key in &keys {
        for scheme in schemes {
            for &hash in Hash::ALL {
                requests.push(SignRequest {
                    key,
                    scheme,
                    digest: hash.digest(b"message"),
                });
            }
        }
    }
    let signatures: Vec<_> = sign(&engine, &requests)
        .into_iter()
        .collect::<Result<_, _>>()
        .unwrap();

    let mut verifications = Vec::new();
    let mut expected = Vec::new();
    for (request, signature) in requests.iter().zip(&signatures) {
        let right = VerifyRequest {
            key: request.key.verifying_key(),
            scheme: request.scheme,
            digest: request.digest,
            signature,
        };
        verifications.push(right);
        expected.push(Ok(()));
        let any = Scheme::pss(SaltLen::Any);
        verifications.push(VerifyRequest {
            scheme: any,
            ..right
        });
        let is_pss = request.scheme != Scheme::Pkcs1v15;
        expected.push(if is_pss {
            Ok(())
        } else {
            Err(VerifyError::Mismatch)
        });
        for scheme in schemes.into_iter().filter(|&s| s != request.scheme) {
            verifications.push(VerifyRequest { scheme, ..right });
            // No hash here has digests of 20 bytes as SHA-1 has, so this length is always wrong.
            expected.push(Err(VerifyError::Mismatch));
        }
        let other_message = request.digest.hash().digest(b"another message");
        verifications.push(VerifyRequest {
            digest: other_message,
            ..right
        });
        expected.push(Err(VerifyError::Mismatch));
        let other_hash = match request.digest.hash() {
            Hash::Sha256 => Hash::Sha3_256,
            _ => Hash::Sha256,
        };
        let other_hash = other_hash.digest(b"message");
        verifications.push(VerifyRequest {
            digest: other_hash,
            ..right
        });
        expected.push(Err(VerifyError::Mismatch));
    }
    assert_eq!(verify_batch(&engine, &verifications), expected);
}

#[test]
fn an_empty_batch() {
    assert_eq!(sign(&engine(), &[]), []);
    assert_eq!(verify_batch(&engine(), &[]), []);
}

#[test]
fn a_batch_of_one_key_larger_than_an_inversion_is_shared_by() {
    let engine = engine();
    let private = private("rsa1024.pkcs8.pem");
    let key = SigningKey::new(&engine, &private).unwrap();
    let clone = key.clone();
    let digests: Vec<_> = (0..300u32)
        .map(|i| Hash::Sha256.digest(&i.to_be_bytes()))
        .collect();
    let requests: Vec<_> = digests
        .iter()
        .enumerate()
        .map(|(i, &digest)| {
            let key = if i % 2 == 0 { &key } else { &clone };
            SignRequest {
                key,
                scheme: Scheme::Pkcs1v15,
                digest,
            }
        })
        .collect();
    for (digest, signature) in digests.iter().zip(sign(&engine, &requests)) {
        assert_eq!(signature.unwrap(), plain_pkcs1v15_sha256(&private, digest));
    }
}

#[test]
fn a_batch_of_many_thousands_keeps_its_order() {
    let engine = engine();
    let private = private("rsa1024.pkcs8.pem");
    let signing = SigningKey::new(&engine, &private).unwrap();
    let key = signing.verifying_key();
    let scheme = Scheme::Pkcs1v15;
    let digest = Hash::Sha256.digest(b"message");
    let signature = sign(
        &engine,
        &[SignRequest {
            key: &signing,
            scheme,
            digest,
        }],
    )
    .remove(0);
    let signature = signature.unwrap();
    let wrong = vec![0; signature.len()];
    let is_wrong = |i: usize| i % 1000 == 7;
    let requests: Vec<_> = (0..20_001)
        .map(|i| {
            let signature = if is_wrong(i) { &wrong } else { &signature };
            VerifyRequest {
                key,
                scheme,
                digest,
                signature,
            }
        })
        .collect();
    for (i, result) in verify_batch(&engine, &requests).into_iter().enumerate() {
        assert_eq!(result.is_err(), is_wrong(i), "request {i}");
    }
}

#[test]
fn signatures_of_the_wrong_length_or_out_of_range() {
    let engine = engine();
    let private = private("rsa2047.pkcs8.pem");
    let key = VerifyingKey::new(&engine, private.public_key()).unwrap();
    let digest = Hash::Sha256.digest(b"message");
    let n = private.public_key().n().to_be_bytes();
    let n = &n[n.len() - 256..];
    let mut below_n = n.to_vec();
    below_n[255] -= 1; // n is odd
    let cases = [
        (
            vec![],
            Err(VerifyError::Length {
                expected: 256,
                given: 0,
            }),
        ),
        (
            vec![1; 255],
            Err(VerifyError::Length {
                expected: 256,
                given: 255,
            }),
        ),
        (
            vec![0; 257],
            Err(VerifyError::Length {
                expected: 256,
                given: 257,
            }),
        ),
        (n.to_vec(), Err(VerifyError::OutOfRange)),
        (vec![0xff; 256], Err(VerifyError::OutOfRange)),
        (below_n, Err(VerifyError::Mismatch)),
        (vec![0; 256], Err(VerifyError::Mismatch)),
    ];
    for scheme in [Scheme::Pkcs1v15, Scheme::PSS] {
        let requests: Vec<_> = cases
            .iter()
            .map(|(signature, _)| VerifyRequest {
                key: &key,
                scheme,
                digest,
                signature,
            })
            .collect();
        let expected: Vec<_> = cases.iter().map(|(_, expected)| expected.clone()).collect();
        assert_eq!(verify_batch(&engine, &requests), expected);
    }
}

#[test]
fn a_signature_plus_the_modulus_is_refused() {
    let engine = engine();
    let private = private("rsa2047.pkcs8.pem");
    let signing = SigningKey::new(&engine, &private).unwrap();
    let digest = Hash::Sha256.digest(b"message");
    let scheme = Scheme::Pkcs1v15;
    let signature = sign(
        &engine,
        &[SignRequest {
            key: &signing,
            scheme,
            digest,
        }],
    )
    .remove(0);
    // n has 2047 bits, so the sum still fits in 256 bytes.
    let sum = BigUint::from_bytes_be(&signature.unwrap()) + big(private.public_key().n());
    let signature = &sum.to_bytes_be();
    let request = VerifyRequest {
        key: signing.verifying_key(),
        scheme,
        digest,
        signature,
    };
    assert_eq!(
        verify_batch(&engine, &[request]),
        [Err(VerifyError::OutOfRange)]
    );
}

#[test]
fn a_hash_and_salt_that_do_not_fit_the_key() {
    let engine = engine();
    let private = private("rsa1024.pkcs8.pem");
    let key = &SigningKey::new(&engine, &private).unwrap();
    let digest = Hash::Sha512.digest(b"message");
    let pss = |bytes| Scheme::pss(SaltLen::Bytes(bytes));
    let request = |scheme| SignRequest {
        key,
        scheme,
        digest,
    };
    let requests = [
        Scheme::Pkcs1v15,
        pss(62),
        Scheme::PSS,
        pss(63),
        pss(usize::MAX),
    ]
    .map(request);
    let results = sign(&engine, &requests);
    let too_short = SignError::KeyTooShort {
        bits: 1024,
        hash: Hash::Sha512,
    };
    assert!(results[0].is_ok() && results[1].is_ok());
    for result in &results[2..] {
        assert_eq!(result, &Err(too_short.clone()));
    }
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
        let byte = self.0.ok_or(NoRandomness)?;
        Ok(u32::from_ne_bytes([byte; 4]))
    }
    fn try_next_u64(&mut self) -> Result<u64, NoRandomness> {
        let byte = self.0.ok_or(NoRandomness)?;
        Ok(u64::from_ne_bytes([byte; 8]))
    }
    fn try_fill_bytes(&mut self, bytes: &mut [u8]) -> Result<(), NoRandomness> {
        bytes.fill(self.0.ok_or(NoRandomness)?);
        Ok(())
    }
}

impl TryCryptoRng for Broken {}

#[test]
fn a_broken_generator_ends_in_an_error() {
    let engine = engine();
    let private = private("rsa1024.pkcs8.pem");
    let digest = Hash::Sha256.digest(b"message");
    for scheme in [Scheme::Pkcs1v15, Scheme::PSS] {
        // A fresh key, which has no blinds in stock.
        let key = &SigningKey::new(&engine, &private).unwrap();
        // A failing generator; one of zeros, never in 1..n; and one of ones, never below n.
        for broken in [None, Some(0), Some(0xff)] {
            let requests = [SignRequest {
                key,
                scheme,
                digest,
            }];
            let results = sign_batch(&engine, &mut Broken(broken), &requests);
            assert_eq!(results, [Err(SignError::Random)]);
        }
        // A constant in range is a poor blind, but the signature is correct.
        let requests = [SignRequest {
            key,
            scheme,
            digest,
        }];
        let results = sign_batch(&engine, &mut Broken(Some(1)), &requests);
        let verifying = VerifyRequest {
            key: key.verifying_key(),
            scheme,
            digest,
            signature: results[0].as_ref().unwrap(),
        };
        assert_eq!(verify_batch(&engine, &[verifying]), [Ok(())]);
    }
}

#[test]
fn keys_cross_threads() {
    fn check<T: Send + Sync + Clone>() {}
    check::<SigningKey>();
    check::<VerifyingKey>();
    check::<PrivateKey>();
}
