//! Partially blind signatures against the test vectors of the draft, byte for byte.

use super::super::tests::{bytes, number};
use super::super::{BlindRequest as PlainRequest, blind, encode};
use super::*;
use crate::rsa::blinding::Blind;
use crate::rsa::private::tests::{engine, private_key};
use crate::rsa::sign::SignError;
use crate::system_rng;
use serde::Deserialize;

/// A vector, with numbers in hexadecimal.
#[derive(Deserialize)]
struct Vector {
    msg: String,
    info: String,
    p: String,
    q: String,
    d: String,
    e: String,
    n: String,
    eprime: String,
    r: String,
    salt: String,
    blind_msg: String,
    blind_sig: String,
    sig: String,
}

fn vectors() -> Vec<Vector> {
    let text = include_str!("../../../../../../vectors/partially_blind_rsa.json");
    serde_json::from_str(text).unwrap()
}

fn key(vector: &Vector) -> PrivateKey {
    let [n, d, p, q] = [&vector.n, &vector.d, &vector.p, &vector.q].map(|x| number(x));
    assert_eq!(number(&vector.e), BoxedUint::from(65_537u32));
    PrivateKey::from_components(&n, 65_537, &d, &p, &q).unwrap()
}

fn signing_key(engine: &Engine) -> SigningKey {
    SigningKey::new(engine, &key(&vectors()[0])).unwrap()
}

#[test]
fn the_vectors_of_the_draft() {
    let engine = engine();
    let vectors = vectors();
    assert_eq!(vectors.len(), 4);
    for vector in &vectors {
        let server = SigningKey::new(&engine, &key(vector)).unwrap();
        let (info, message) = (bytes(&vector.info), bytes(&vector.msg));
        let variant = Variant::PssDeterministic;
        let key = derive_public_key(&engine, server.verifying_key(), &info).unwrap();
        assert_eq!(*key.exponent(), number(&vector.eprime));
        assert_eq!(key.info(), info);

        // As `blind_batch` does it, with the salt and the blind of the vector.
        let framed = key.framed(&message);
        let request = PlainRequest {
            key: &key.key,
            variant,
            message: &framed,
        };
        let encoded = encode(&request, &bytes(&vector.salt)).unwrap();
        let r = BoxedUint::from_be_slice(&bytes(&vector.r), 2048).unwrap();
        let inverse: Option<BoxedUint> = r.invert_odd_mod(key.public_key().odd_n()).into();
        let blinds = [Blind {
            r: Zeroizing::new(r),
            inverse: Zeroizing::new(inverse.unwrap()),
        }];
        let blinded = blind(&engine, &[request], &[Ok(encoded)], &blinds).remove(0);
        let blinded = blinded.unwrap();
        assert_eq!(blinded.message, bytes(&vector.blind_msg));

        let signer = derive_key_pair(&engine, &server, &info).unwrap();
        let request = BlindSignRequest {
            key: &signer,
            blinded: &blinded.message,
        };
        let answer = blind_sign_batch(&engine, &mut system_rng(), &[request]).remove(0);
        let answer = answer.unwrap();
        assert_eq!(answer, bytes(&vector.blind_sig));

        let request = FinalizeRequest {
            key: &key,
            variant,
            message: &message,
            inverse: &blinded.inverse,
            blind_signature: &answer,
        };
        let signature = finalize_batch(&engine, &[request]).remove(0);
        assert_eq!(signature, Ok(bytes(&vector.sig)));

        let request = VerifyRequest {
            key: signer.public_key(),
            variant,
            message: &message,
            signature: &bytes(&vector.sig),
        };
        assert_eq!(verify_batch(&engine, &[request]), [Ok(())]);
    }
}

/// Two pieces of metadata and all variants in one batch; bad items harm no neighbour, and a signature with one piece is
/// invalid with the other.
#[test]
fn a_mixed_batch() {
    let (engine, rng) = (engine(), &mut system_rng());
    let server = signing_key(&engine);
    let infos: [&[u8]; 2] = [b"Monday", b"Tuesday"];
    let signers = infos.map(|info| derive_key_pair(&engine, &server, info).unwrap());
    let keys = infos.map(|info| derive_public_key(&engine, server.verifying_key(), info).unwrap());
    let requests: Vec<_> = (0..8)
        .map(|i| BlindRequest {
            key: &keys[i % 2],
            variant: Variant::ALL[i / 2],
            message: b"a prepared message",
        })
        .collect();
    let blinded = blind_batch(&engine, rng, &requests);
    let blinded: Vec<_> = blinded.into_iter().map(Result::unwrap).collect();
    let mut to_sign: Vec<_> = blinded
        .iter()
        .enumerate()
        .map(|(i, blinded)| BlindSignRequest {
            key: &signers[i % 2],
            blinded: &blinded.message,
        })
        .collect();
    to_sign[1].blinded = b"short";
    to_sign[3].blinded = &[0xff; 256];
    // With the other day's key.
    to_sign[4].key = &signers[1];
    let answers = blind_sign_batch(&engine, rng, &to_sign);
    assert!(matches!(
        answers[1],
        Err(BlindError::Length { given: 5, .. })
    ));
    assert_eq!(
        answers[3],
        Err(BlindError::OutOfRange("the blinded message"))
    );
    let answers: Vec<_> = answers.into_iter().map(Result::unwrap_or_default).collect();
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
    let signatures = finalize_batch(&engine, &to_finalize);
    for (i, signature) in signatures.iter().enumerate() {
        match i {
            1 | 3 => assert!(matches!(
                signature,
                Err(BlindError::Length { given: 0, .. })
            )),
            4 => assert_eq!(signature, &Err(BlindError::InvalidSignature)),
            _ => assert!(signature.is_ok(), "{i}: {signature:?}"),
        }
    }
    let signature = signatures[0].as_ref().unwrap();
    let to_verify = keys.each_ref().map(|key| VerifyRequest {
        key,
        variant: Variant::ALL[0],
        message: b"a prepared message",
        signature,
    });
    assert_eq!(
        verify_batch(&engine, &to_verify),
        [Ok(()), Err(VerifyError::Mismatch)]
    );
}

/// A signature by a key of which one half is wrong is withheld; the others of the batch are returned.
#[test]
fn a_wrong_half_is_withheld_and_its_neighbours_are_not() {
    let engine = engine();
    let server = signing_key(&engine);
    let good = derive_key_pair(&engine, &server, b"info").unwrap();
    let vector = &vectors()[0];
    let one = BoxedUint::one();
    for wrong in 0..2 {
        let exponents = [&vector.p, &vector.q].map(|prime| {
            let order = number(prime).wrapping_sub(&one);
            let e = resized(good.public.exponent(), order.bits_precision());
            let inverse: Option<BoxedUint> = e.invert_mod(&nonzero(&order)).into();
            Zeroizing::new(inverse.unwrap())
        });
        let mut exponents = exponents;
        exponents[wrong].as_mut_words()[0] ^= 2;
        let prepared = server.0.prepared.prepared();
        let prepared = prepared.with_exponents(&engine, good.public.key.clone(), exponents);
        let bad = DerivedSigningKey {
            key: rsa::SigningKey::of_prepared(prepared.unwrap()),
            public: good.public.clone(),
        };
        let blinded = [1; 256];
        let requests = [&good, &bad, &good].map(|key| BlindSignRequest {
            key,
            blinded: &blinded,
        });
        let results = blind_sign_batch(&engine, &mut system_rng(), &requests);
        assert_eq!(results[1], Err(BlindError::Sign(SignError::Fault)));
        assert!(results[0].is_ok());
        assert_eq!(results[0], results[2]);
    }
}

#[test]
fn keys_that_are_refused() {
    let engine = engine();
    let refused = |key: &PrivateKey| SigningKey::new(&engine, key).unwrap_err();
    assert_eq!(refused(&private_key()), BlindError::UnsafePrime('p'));
    let file = include_bytes!("../../../../tests/fixtures/rsa1536.pkcs8.pem");
    let other = PrivateKey::from_pem_or_der(file, None).unwrap();
    assert_eq!(refused(&other), BlindError::ModulusLength(192));
    let verifying = VerifyingKey::new(&engine, other.public_key()).unwrap();
    assert_eq!(
        derive_public_key(&engine, &verifying, b"").unwrap_err(),
        BlindError::ModulusLength(192)
    );
}

#[test]
fn names() {
    for of in Variant::ALL {
        assert_eq!(variant(name(of)), Some(of));
        assert_eq!(name(of).replace("PBSSA", "BSSA"), of.name());
    }
    assert_eq!(variant("RSABSSA-SHA384-PSS-Randomized"), None);
}
