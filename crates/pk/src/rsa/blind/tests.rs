//! Blind signatures against the test vectors of RFC 9474, appendix A, byte for byte.

use super::*;
use crate::rsa::private::tests::{engine, private_key};
use crate::rsa::{PrivateKey, PublicKey, VerifyingKey};
use crate::system_rng;
use crypto_bigint::Odd;
use serde::Deserialize;

/// A vector, with numbers in hexadecimal.
#[derive(Deserialize)]
struct Vector {
    name: String,
    p: String,
    q: String,
    n: String,
    e: String,
    d: String,
    msg: String,
    msg_prefix: String,
    input_msg: String,
    salt: String,
    inv: String,
    blinded_msg: String,
    blind_sig: String,
    sig: String,
}

fn vectors() -> Vec<Vector> {
    serde_json::from_str(include_str!("../../../tests/fixtures/rfc9474.json")).unwrap()
}

pub(super) fn bytes(text: &str) -> Vec<u8> {
    let digits = text.trim_start_matches("0x").as_bytes().chunks(2);
    let byte = |digits| u8::from_str_radix(core::str::from_utf8(digits).unwrap(), 16).unwrap();
    digits.map(byte).collect()
}

pub(super) fn number(text: &str) -> BoxedUint {
    BoxedUint::from_be_slice_vartime(&bytes(text))
}

fn key(vector: &Vector) -> PrivateKey {
    let [n, d, p, q] = [&vector.n, &vector.d, &vector.p, &vector.q].map(|x| number(x));
    assert_eq!(number(&vector.e), BoxedUint::from(65_537u32));
    PrivateKey::from_components(&n, 65_537, &d, &p, &q).unwrap()
}

#[test]
fn the_vectors_of_rfc_9474() {
    let engine = engine();
    let vectors = vectors();
    assert_eq!(vectors.len(), 4);
    for vector in &vectors {
        let variant: Variant = vector.name.parse().unwrap();
        assert_eq!(variant.salt_len(), bytes(&vector.salt).len());
        assert_eq!(variant.is_randomized(), !vector.msg_prefix.is_empty());
        let message = bytes(&vector.input_msg);
        assert_eq!(
            message,
            [bytes(&vector.msg_prefix), bytes(&vector.msg)].concat()
        );
        assert_eq!(unprepared(variant, &message), Some(&bytes(&vector.msg)[..]));

        let signing = SigningKey::new(&engine, &key(vector)).unwrap();
        let key = signing.verifying_key();
        let request = BlindRequest {
            key,
            variant,
            message: &message,
        };
        let encoded = encode(&request, &bytes(&vector.salt)).unwrap();
        let n = key.public_key().odd_n();
        let inverse = BoxedUint::from_be_slice(&bytes(&vector.inv), 4096).unwrap();
        let r: Option<BoxedUint> = inverse.invert_odd_mod(n).into();
        let blinds = [Blind {
            r: Zeroizing::new(r.unwrap()),
            inverse: Zeroizing::new(inverse),
        }];
        let blinded = blind(&engine, &[request], &[Ok(encoded)], &blinds).remove(0);
        let blinded = blinded.unwrap();
        assert_eq!(blinded.message, bytes(&vector.blinded_msg), "{variant}");
        assert_eq!(*blinded.inverse, bytes(&vector.inv));

        let request = BlindSignRequest {
            key: &signing,
            blinded: &blinded.message,
        };
        let answer = blind_sign_batch(&engine, &mut system_rng(), &[request]).remove(0);
        let answer = answer.unwrap();
        assert_eq!(answer, bytes(&vector.blind_sig), "{variant}");

        let request = FinalizeRequest {
            key,
            variant,
            message: &message,
            inverse: &blinded.inverse,
            blind_signature: &answer,
        };
        let signature = finalize_batch(&engine, &[request]).remove(0);
        assert_eq!(signature, Ok(bytes(&vector.sig)), "{variant}");
    }
}

/// All variants and two keys in one batch; bad items harm no neighbour.
#[test]
fn a_mixed_batch() {
    let (engine, rng) = (engine(), &mut system_rng());
    let keys = [private_key(), key(&vectors()[0])];
    let keys = keys.map(|key| SigningKey::new(&engine, &key).unwrap());
    let items: Vec<_> = (0..16)
        .map(|i| (&keys[i % 2], Variant::ALL[i / 2 % 4], i))
        .collect();
    let messages: Vec<_> = items
        .iter()
        .map(|(_, variant, i)| prepare(*variant, rng, format!("token {i}").as_bytes()).unwrap())
        .collect();
    let requests: Vec<_> = items
        .iter()
        .zip(&messages)
        .map(|(&(key, variant, _), message)| BlindRequest {
            key: key.verifying_key(),
            variant,
            message,
        })
        .collect();
    let blinded = blind_batch(&engine, rng, &requests);
    let blinded: Vec<_> = blinded.into_iter().map(Result::unwrap).collect();
    let others = blind_batch(&engine, rng, &requests);
    assert!(
        blinded
            .iter()
            .zip(&others)
            .all(|(x, y)| x.message != y.as_ref().unwrap().message)
    );

    let mut to_sign: Vec<_> = items
        .iter()
        .zip(&blinded)
        .map(|(&(key, ..), blinded)| BlindSignRequest {
            key,
            blinded: &blinded.message,
        })
        .collect();
    let all_ones = vec![0xff; 128];
    to_sign[2].blinded = &all_ones;
    to_sign[5].blinded = b"short";
    let answers = blind_sign_batch(&engine, rng, &to_sign);
    assert_eq!(
        answers[2],
        Err(BlindError::OutOfRange("the blinded message"))
    );
    assert!(matches!(
        answers[5],
        Err(BlindError::Length { given: 5, .. })
    ));
    let mut answers: Vec<_> = answers.into_iter().map(Result::unwrap_or_default).collect();
    answers[8][20] ^= 1;

    let to_finalize: Vec<_> = requests
        .iter()
        .zip(&blinded)
        .zip(&answers)
        .map(|((request, blinded), answer)| FinalizeRequest {
            key: request.key,
            variant: request.variant,
            message: request.message,
            inverse: &blinded.inverse,
            blind_signature: answer,
        })
        .collect();
    for (i, signature) in finalize_batch(&engine, &to_finalize)
        .into_iter()
        .enumerate()
    {
        match i {
            2 | 5 => assert!(matches!(
                signature,
                Err(BlindError::Length { given: 0, .. })
            )),
            8 => assert_eq!(signature, Err(BlindError::InvalidSignature)),
            _ => assert!(signature.is_ok(), "{i}: {signature:?}"),
        }
    }
}

/// A modulus with a prime that the client has found: the blinded message is a multiple of it.
#[test]
fn a_message_that_shares_a_prime_with_the_modulus() {
    let engine = engine();
    let keys = [private_key().public_key().clone(), {
        // 2^1024 + 9 or so is no product of two primes, but an odd number.
        let n = BoxedUint::one_with_precision(1088).shl(1024);
        PublicKey::new(&n.wrapping_add(BoxedUint::from(9u32)), 3).unwrap()
    }];
    let keys = keys.map(|key| VerifyingKey::new(&engine, &key).unwrap());
    let odd = |x: u32| BoxedUint::from_be_slice_truncated(&x.to_be_bytes(), 1088);
    let mut results = vec![
        Ok((&keys[1], odd(5), ())),
        Ok((&keys[0], odd(15), ())),
        Ok((&keys[1], keys[1].public_key().n().clone(), ())),
        Err(BlindError::Random),
        Ok((&keys[1], odd(1), ())),
    ];
    results[1].as_mut().unwrap().1 = BoxedUint::from_be_slice_truncated(&[15], 1024);
    refuse_common_primes(&mut results);
    let n: Odd<BoxedUint> = keys[1].public_key().odd_n().clone();
    assert!(results[1].is_ok() && results[4].is_ok());
    assert_eq!(
        results[0].is_ok(),
        bool::from(odd(5).gcd_vartime(n.as_ref()).is_one())
    );
    assert_eq!(results[2].as_ref().unwrap_err(), &BlindError::NotCoprime);
    assert_eq!(results[3].as_ref().unwrap_err(), &BlindError::Random);
}

#[test]
fn names() {
    for variant in Variant::ALL {
        assert_eq!(variant.name().parse(), Ok(variant));
    }
    let unknown: Result<Variant, _> = "RSABSSA-SHA256".parse();
    assert!(matches!(unknown, Err(BlindError::UnknownVariant(_))));
}
