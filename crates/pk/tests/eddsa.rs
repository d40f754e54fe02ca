//! EdDSA: the vectors of RFC 8032, its edge cases, and mixed batches on all backends.

use num_bigint::BigUint;
use rand_core::{TryCryptoRng, TryRng};
use serde_json::Value;
use sha2::{Digest, Sha512};
use sha3::Shake256;
use sha3::digest::{ExtendableOutput, Update};
use std::path::Path;
use sunzi_engine::{Backend, Engine};
use sunzi_pk::ec::eddsa::{
    ContextError, KeyError, NonceKind, PrivateKey, PublicKey, SignError, SignRequest, SigningKey,
    Variant, VerifyError, VerifyRequest, VerifyingKey, sign_batch, verify_batch,
    verify_cofactored_batch,
};
use sunzi_pk::ec::{EdwardsCurve, PreparedEdwardsCurve};
use sunzi_pk::system_rng;

/// The engines that this processor can run. The others are named in the output.
fn engines() -> impl Iterator<Item = Engine> {
    Backend::ALL.iter().filter_map(|&backend| {
        Engine::new(backend)
            .inspect_err(|reason| println!("SKIPPED: {reason}"))
            .ok()
    })
}

fn bytes(digits: &str) -> Vec<u8> {
    (0..digits.len() / 2)
        .map(|k| u8::from_str_radix(&digits[2 * k..2 * k + 2], 16).unwrap())
        .collect()
}

/// The curves, prepared.
fn curves(engine: &Engine) -> [PreparedEdwardsCurve; 2] {
    [EdwardsCurve::Edwards25519, EdwardsCurve::Edwards448]
        .map(|curve| PreparedEdwardsCurve::new(engine, curve).unwrap())
}

/// The vectors of RFC 8032, section 7: private key, public key, message, context, signature.
struct Vector {
    curve: usize,
    prehashed: bool,
    numbers: [Vec<u8>; 5],
}

impl Vector {
    fn all() -> Vec<Self> {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/rfc8032.json");
        let vectors: Vec<Value> = serde_json::from_slice(&std::fs::read(path).unwrap()).unwrap();
        let vectors = vectors.iter().map(|vector| {
            let text = |name: &str| vector[name].as_str().unwrap();
            let algorithm = text("algorithm");
            Self {
                curve: usize::from(algorithm.starts_with("Ed448")),
                prehashed: algorithm.ends_with("ph"),
                numbers: ["private", "public", "message", "context", "signature"]
                    .map(|name| bytes(text(name))),
            }
        });
        vectors.collect()
    }

    fn variant(&self) -> Variant<'_> {
        let context = &self.numbers[3];
        match (self.prehashed, &context[..]) {
            (true, context) => Variant::Prehashed(context),
            (false, []) => Variant::Pure,
            (false, context) => Variant::Context(context),
        }
    }
}

/// Every vector of RFC 8032 is signed byte for byte, and verified, in one batch of both curves.
#[test]
fn rfc8032() {
    let vectors = Vector::all();
    assert_eq!(vectors.len(), 21);
    for engine in engines() {
        let curves = curves(&engine);
        let keys: Vec<_> = vectors
            .iter()
            .map(|vector| {
                let curve = &curves[vector.curve];
                let key = PrivateKey::from_bytes(curve, &vector.numbers[0]).unwrap();
                assert_eq!(key.public_key().as_bytes(), vector.numbers[1]);
                assert_eq!(key.as_bytes(), vector.numbers[0]);
                SigningKey::new(curve, &key).unwrap()
            })
            .collect();
        let requests: Vec<_> = vectors
            .iter()
            .zip(&keys)
            .map(|(vector, key)| SignRequest {
                key,
                variant: vector.variant(),
                message: &vector.numbers[2],
            })
            .collect();
        let signatures = sign_batch(
            &engine,
            &mut system_rng(),
            NonceKind::Deterministic,
            &requests,
        );
        for (vector, signature) in vectors.iter().zip(&signatures) {
            assert_eq!(signature.as_ref().unwrap().as_bytes(), vector.numbers[4]);
        }
        let requests: Vec<_> = vectors
            .iter()
            .zip(&keys)
            .map(|(vector, key)| VerifyRequest {
                key: key.verifying_key(),
                variant: vector.variant(),
                message: &vector.numbers[2],
                signature: &vector.numbers[4],
            })
            .collect();
        for (result, signed) in verify_batch(&engine, &requests).iter().zip(&requests) {
            assert_eq!(*result, Ok(()));
            // Valid for no other variant.
            let others = [
                Variant::Pure,
                Variant::Context(b"another"),
                Variant::Prehashed(b""),
            ];
            for variant in others.into_iter().filter(|other| *other != signed.variant) {
                let request = VerifyRequest { variant, ..*signed };
                let refused = verify_batch(&engine, &[request]);
                assert_eq!(refused, [Err(VerifyError::Mismatch)]);
            }
        }
    }
}

/// Keys and signatures with parts of small order, other encodings, and S out of range.
#[test]
fn edge_cases() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../vectors/curves/ed25519_edge_vectors.json");
    let vectors: Vec<Value> = serde_json::from_slice(&std::fs::read(path).unwrap()).unwrap();
    for engine in engines() {
        let [curve, _] = curves(&engine);
        let text = |vector: &Value, name: &str| bytes(vector[name].as_str().unwrap());
        let keys: Vec<_> = vectors
            .iter()
            .map(|vector| {
                let key = PublicKey::from_bytes(EdwardsCurve::Edwards25519, &text(vector, "pub"))
                    .unwrap();
                VerifyingKey::new(&curve, &key)
            })
            .collect();
        let parts: Vec<_> = vectors
            .iter()
            .map(|vector| [text(vector, "msg"), text(vector, "sig")])
            .collect();
        let requests: Vec<_> = keys
            .iter()
            .zip(&parts)
            .filter_map(|(key, [message, signature])| {
                Some(VerifyRequest {
                    key: key.as_ref().ok()?,
                    variant: Variant::Pure,
                    message,
                    signature,
                })
            })
            .collect();
        let mut results = verify_batch(&engine, &requests).into_iter();
        let mut valid = 0;
        for (vector, key) in vectors.iter().zip(&keys) {
            let accepted = key.is_ok() && results.next().unwrap().is_ok();
            valid += usize::from(accepted);
            let expected = vector.get("cofactorless").or(vector.get("openssl"));
            assert_eq!(Some(accepted), expected.unwrap().as_bool(), "{vector}");
        }
        println!("{} vectors, {valid} valid", vectors.len());
    }
}

/// Damaged requests are refused, each with its reason, and their neighbours are not harmed.
#[test]
fn refusals() {
    let engine = Engine::new(Backend::best()).unwrap();
    for curve in curves(&engine) {
        let private = PrivateKey::generate(&curve, &mut system_rng()).unwrap();
        let key = SigningKey::new(&curve, &private).unwrap();
        let long = vec![7; 256];
        let sign = |variant| {
            let message = b"a message";
            let request = SignRequest {
                key: &key,
                variant,
                message,
            };
            sign_batch(
                &engine,
                &mut system_rng(),
                NonceKind::Deterministic,
                &[request],
            )
            .remove(0)
        };
        let too_long = ContextError::Long(256);
        for variant in [Variant::Context(&long), Variant::Prehashed(&long)] {
            assert_eq!(sign(variant), Err(SignError::Context(too_long.clone())));
        }
        let is_25519 = curve.curve() == EdwardsCurve::Edwards25519;
        let empty = sign(Variant::Context(b""));
        let expected = if is_25519 {
            Err(SignError::Context(ContextError::Empty))
        } else {
            sign(Variant::Pure)
        };
        assert_eq!(empty, expected);

        let signature = sign(Variant::Pure).unwrap().as_bytes().to_vec();
        let half = signature.len() / 2;
        let changed = |change: &dyn Fn(&mut Vec<u8>)| {
            let mut changed = signature.clone();
            change(&mut changed);
            changed
        };
        let given = signature.len() - 1;
        let expected = signature.len();
        let damaged: [(Vec<u8>, VerifyError); 5] = [
            (
                changed(&|bytes| bytes.truncate(given)),
                VerifyError::Length { expected, given },
            ),
            (
                changed(&|bytes| bytes[half..].fill(0xff)),
                VerifyError::OutOfRange,
            ),
            (changed(&|bytes| bytes[half] ^= 1), VerifyError::Mismatch),
            (
                changed(&|bytes| bytes[half - 1] ^= 0x80),
                VerifyError::Mismatch,
            ),
            (
                changed(&|bytes| bytes[..half].fill(0xff)),
                if is_25519 {
                    VerifyError::Mismatch
                } else {
                    VerifyError::NoPoint
                },
            ),
        ];
        let request = |signature| VerifyRequest {
            key: key.verifying_key(),
            variant: Variant::Pure,
            message: b"a message",
            signature,
        };
        let requests: Vec<_> = damaged
            .iter()
            .flat_map(|(damaged, _)| [request(damaged), request(&signature)])
            .collect();
        let results = verify_batch(&engine, &requests);
        for ((_, reason), results) in damaged.iter().zip(results.chunks(2)) {
            assert_eq!(results, [Err(reason.clone()), Ok(())]);
        }
    }
}

/// Keys of the wrong length, of another curve, and points of none.
#[test]
fn refused_keys() {
    let engine = Engine::new(Backend::best()).unwrap();
    let curves = curves(&engine);
    for (curve, other) in [(&curves[0], &curves[1]), (&curves[1], &curves[0])] {
        let given = curve.curve().encoded_bytes() + 1;
        let length = KeyError::Length {
            curve: curve.curve(),
            given,
        };
        let long = vec![1; given];
        let refused = PublicKey::from_bytes(curve.curve(), &long).unwrap_err();
        assert_eq!(refused, length);
        let refused = PrivateKey::from_bytes(curve, &long).unwrap_err();
        assert_eq!(refused, length);
        let key = PrivateKey::generate(curve, &mut system_rng()).unwrap();
        let refused = SigningKey::new(other, &key).unwrap_err();
        assert!(matches!(refused, KeyError::OtherCurve { .. }), "{refused}");
        // y = 2 and y = 7 on edwards25519; half of all y have no x.
        let no_point = (2..40u8).filter(|&y| {
            let mut bytes = vec![0; given - 1];
            bytes[0] = y;
            let public = PublicKey::from_bytes(curve.curve(), &bytes).unwrap();
            let key = VerifyingKey::new(curve, &public);
            let refused = key.is_err();
            assert_eq!(key.err(), refused.then(|| KeyError::NoPoint(curve.curve())));
            refused
        });
        assert!((5..35).contains(&no_point.count()));
    }
}

/// Batches of many keys of both curves, of all sizes around those of groups.
#[test]
fn mixed_batches() {
    for engine in engines() {
        let curves = curves(&engine);
        let keys: Vec<_> = (0..4u8)
            .map(|k| {
                let curve = &curves[usize::from(k % 2)];
                let private = vec![k; curve.curve().encoded_bytes()];
                let private = PrivateKey::from_bytes(curve, &private).unwrap();
                SigningKey::new(curve, &private).unwrap()
            })
            .collect();
        let messages: Vec<Vec<u8>> = (0..70).map(|k| vec![k as u8; 3 * k]).collect();
        for size in [0, 1, 2, 7, 9, 33, 70] {
            let requests: Vec<_> = messages[..size]
                .iter()
                .enumerate()
                .map(|(k, message)| SignRequest {
                    key: &keys[k % 3 + k % 2],
                    variant: Variant::Pure,
                    message,
                })
                .collect();
            let signatures = sign_batch(
                &engine,
                &mut system_rng(),
                NonceKind::Deterministic,
                &requests,
            );
            let signatures: Vec<_> = signatures.into_iter().map(Result::unwrap).collect();
            let verify: Vec<_> = requests
                .iter()
                .zip(&signatures)
                .enumerate()
                .map(|(k, (request, signature))| VerifyRequest {
                    key: request.key.verifying_key(),
                    variant: request.variant,
                    message: if k % 5 == 4 {
                        b"another"
                    } else {
                        request.message
                    },
                    signature: signature.as_bytes(),
                })
                .collect();
            let results = verify_batch(&engine, &verify);
            for (k, result) in results.into_iter().enumerate() {
                assert_eq!(result.is_ok(), k % 5 != 4, "{k} of {size}");
            }
        }
    }
}

/// The equation with cofactor, one by one and in combinations, of which some have wrong signatures.
#[test]
fn cofactored_batches() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../vectors/curves/ed25519_edge_vectors.json");
    let vectors: Vec<Value> = serde_json::from_slice(&std::fs::read(path).unwrap()).unwrap();
    let text = |vector: &Value, name: &str| bytes(vector[name].as_str().unwrap());
    let edges: Vec<_> = vectors
        .iter()
        .filter_map(|vector| {
            let valid = vector.get("cofactored")?.as_bool().unwrap();
            let [public, message, signature] = ["pub", "msg", "sig"].map(|name| text(vector, name));
            Some((public, message, signature, valid))
        })
        .collect();
    assert_eq!(edges.len(), 32);
    for engine in engines() {
        let curves = curves(&engine);
        let key = |place: usize, bytes: &[u8]| {
            let curve = &curves[place];
            let key = PublicKey::from_bytes(curve.curve(), bytes).unwrap();
            VerifyingKey::new(curve, &key).unwrap()
        };
        let mut requests: Vec<(VerifyingKey, Vec<u8>, Vec<u8>, bool)> = edges
            .iter()
            .map(|(public, message, signature, valid)| {
                (key(0, public), message.clone(), signature.clone(), *valid)
            })
            .collect();
        let pure = Vector::all();
        for vector in pure
            .iter()
            .filter(|vector| vector.variant() == Variant::Pure)
        {
            let [_, public, message, _, signature] = vector.numbers.clone();
            requests.push((key(vector.curve, &public), message, signature, true));
        }
        let edges_and_others = requests.len();
        // So many that 16 are in a combination, most of which have right signatures only.
        for k in edges_and_others..700 {
            let mut again = requests[32 + k % (edges_and_others - 32)].clone();
            if k % 300 == 0 {
                again.1.push(1);
                again.3 = false;
            }
            requests.push(again);
        }
        assert_eq!(requests.len(), 700);
        let work: Vec<_> = requests
            .iter()
            .map(|(key, message, signature, _)| VerifyRequest {
                key,
                variant: Variant::Pure,
                message,
                signature,
            })
            .collect();
        let results = verify_cofactored_batch(&engine, &mut system_rng(), &work);
        for ((_, message, _, valid), result) in requests.iter().zip(&results) {
            let expected = valid.then_some(()).ok_or(VerifyError::Mismatch);
            assert_eq!(*result, expected, "{message:02x?}");
        }
        // One by one, and those that are no signatures.
        let short = VerifyRequest {
            signature: &work[0].signature[1..],
            ..work[0]
        };
        for (k, request) in work[..34].iter().enumerate() {
            let few = verify_cofactored_batch(&engine, &mut system_rng(), &[short, *request]);
            assert!(matches!(few[0], Err(VerifyError::Length { .. })));
            assert_eq!(few[1], results[k]);
        }
    }
}

/// A generator that counts, or fails.
struct Counting(Option<u8>);

#[derive(Debug)]
struct NoRandomness;

impl core::fmt::Display for NoRandomness {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.write_str("no randomness")
    }
}

impl core::error::Error for NoRandomness {}

impl TryRng for Counting {
    type Error = NoRandomness;
    fn try_next_u32(&mut self) -> Result<u32, NoRandomness> {
        let mut bytes = [0; 4];
        self.try_fill_bytes(&mut bytes)?;
        Ok(u32::from_le_bytes(bytes))
    }
    fn try_next_u64(&mut self) -> Result<u64, NoRandomness> {
        let mut bytes = [0; 8];
        self.try_fill_bytes(&mut bytes)?;
        Ok(u64::from_le_bytes(bytes))
    }
    fn try_fill_bytes(&mut self, bytes: &mut [u8]) -> Result<(), NoRandomness> {
        let next = self.0.as_mut().ok_or(NoRandomness)?;
        for byte in bytes {
            *byte = *next;
            *next = next.wrapping_add(1);
        }
        Ok(())
    }
}

impl TryCryptoRng for Counting {}

/// The hash function of Ed448, or that of Ed25519.
fn hash(is_448: bool, parts: &[&[u8]]) -> Vec<u8> {
    let input = parts.concat();
    if is_448 {
        let mut hasher = Shake256::default();
        hasher.update(&input);
        hasher.finalize_boxed(114).into_vec()
    } else {
        Sha512::digest(&input).to_vec()
    }
}

/// The private number of RFC 8032, sections 5.1.5 and 5.2.5, and the prefix.
fn expanded(is_448: bool, private: &[u8]) -> [Vec<u8>; 2] {
    let mut scalar = hash(is_448, &[private]);
    let prefix = scalar.split_off(private.len());
    if is_448 {
        scalar[0] &= 0xfc;
        scalar[55] |= 128;
        scalar[56] = 0;
    } else {
        scalar[0] &= 0xf8;
        scalar[31] = scalar[31] & 127 | 64;
    }
    [scalar, prefix]
}

/// Hedged nonces are those of draft-irtf-cfrg-det-sigs-with-noise-05, section 3: the nonce `S - h a` of signatures is
/// compared with the hash. Some contexts fill the first block of the hash function, or all but a byte of it.
#[test]
fn hedged_nonces() {
    let engine = Engine::new(Backend::best()).unwrap();
    let curves = curves(&engine);
    let orders = [
        &b"1000000000000000000000000000000014def9dea2f79cd65812631a5cf5d3ed"[..],
        b"3fffffffffffffffffffffffffffffffffffffffffffffffffffffff\
          7cca23e9c44edb49aed63690216cc2728dc58f552378c292ab5844f3",
    ];
    let contexts: [&[u8]; 4] = [&[5; 62], &[5; 61], &[5; 69], &[5; 70]];
    for (is_448, variant) in [
        (false, Variant::Pure),
        (false, Variant::Context(contexts[0])),
        (false, Variant::Prehashed(contexts[1])),
        (true, Variant::Pure),
        (true, Variant::Context(contexts[2])),
        (true, Variant::Prehashed(contexts[3])),
    ] {
        let (place, block) = if is_448 { (1, 136) } else { (0, 128) };
        let (curve, order) = (&curves[place], orders[place]);
        let order = BigUint::parse_bytes(order, 16).unwrap();
        let bytes = curve.curve().encoded_bytes();
        let private = PrivateKey::generate(curve, &mut system_rng()).unwrap();
        let key = SigningKey::new(curve, &private).unwrap();
        let message = b"a message";
        let request = SignRequest {
            key: &key,
            variant,
            message,
        };
        let mut rng = Counting(Some(7));
        let signature = sign_batch(&engine, &mut rng, NonceKind::Hedged, &[request]).remove(0);
        let signature = signature.unwrap();
        let (r, s) = signature.as_bytes().split_at(bytes);

        let (flag, context) = match variant {
            Variant::Context(context) => (0, context),
            Variant::Prehashed(context) => (1, context),
            _ => (0, &[][..]),
        };
        let name: &[u8] = match (is_448, variant) {
            (true, _) => b"SigEd448",
            (false, Variant::Pure) => &[],
            (false, _) => b"SigEd25519 no Ed25519 collisions",
        };
        let domain = if name.is_empty() {
            Vec::new()
        } else {
            [name, &[flag, context.len() as u8], context].concat()
        };
        let signed = match flag {
            0 => message.to_vec(),
            _ => hash(is_448, &[message])[..64].to_vec(),
        };
        let [scalar, prefix] = expanded(is_448, private.as_bytes());
        let number = |bytes: &[u8]| BigUint::from_bytes_le(bytes) % &order;
        let public = private.public_key().as_bytes();
        let h = number(&hash(is_448, &[&domain, r, public, &signed]));
        let nonce = (number(s) + (&order - h * number(&scalar) % &order)) % &order;

        let mut hashed = domain;
        hashed.extend((7..).take(bytes));
        hashed.resize(hashed.len().next_multiple_of(block), 0);
        hashed.extend(prefix);
        hashed.resize(hashed.len().next_multiple_of(block), 0);
        hashed.extend(&signed);
        assert_eq!(nonce, number(&hash(is_448, &[&hashed])), "{variant:?}");

        let verify = VerifyRequest {
            key: key.verifying_key(),
            variant,
            message,
            signature: signature.as_bytes(),
        };
        assert_eq!(verify_batch(&engine, &[verify]), [Ok(())]);
        // Each signature has randomness of its own.
        let two = sign_batch(&engine, &mut rng, NonceKind::Hedged, &[request; 2]);
        assert!(two[0] != two[1] && two.iter().all(Result::is_ok));
        // Deterministic nonces take none.
        let failing = &mut Counting(None);
        let hedged = sign_batch(&engine, failing, NonceKind::Hedged, &[request]);
        assert_eq!(hedged, [Err(SignError::Random)]);
        let two = sign_batch(&engine, failing, NonceKind::Deterministic, &[request; 2]);
        assert!(two[0] == two[1] && two.iter().all(Result::is_ok));
    }
}
