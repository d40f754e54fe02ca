//! The messages of blind signatures (RFC 9474). The input is a blinded message that the signer signs, which
//! num-bigint checks; and it changes what the client gets back, which must be refused then.

#![no_main]

use crypto_bigint::BoxedUint;
use libfuzzer_sys::fuzz_target;
use num_bigint::BigUint;
use std::sync::LazyLock;
use sunzi_engine::{Backend, Engine};
use sunzi_pk::rsa::blind::{
    BlindError, BlindRequest, BlindSignRequest, FinalizeRequest, Variant, blind_batch,
    blind_sign_batch, finalize_batch, unprepared,
};
use sunzi_pk::rsa::{PrivateKey, SigningKey};
use sunzi_pk::system_rng;

/// Length of the modulus in bytes.
const SIZE: usize = 128;
const MESSAGE: &[u8] = b"a message with a prefix of 32 random bytes";

/// What the client of a variant keeps and gets, without changes.
struct Exchange {
    variant: Variant,
    inverse: Vec<u8>,
    answer: Vec<u8>,
    signature: BigUint,
}

struct Prepared {
    engine: Engine,
    key: SigningKey,
    modulus: BigUint,
    exchanges: Vec<Exchange>,
}

static PREPARED: LazyLock<Prepared> = LazyLock::new(|| {
    let file = include_bytes!("../../crates/pk/tests/fixtures/rsa1024.pkcs8.pem");
    let key = PrivateKey::from_pem_or_der(file, None).expect("the fixture is a key");
    let engine = Engine::new(Backend::best()).expect("it is present");
    let key = SigningKey::new(&engine, &key.permit_1024()).expect("short keys are permitted");
    let modulus = big(key.verifying_key().public_key().n());
    let exchanges = Variant::ALL.map(|variant| {
        let request = BlindRequest {
            key: key.verifying_key(),
            variant,
            message: MESSAGE,
        };
        let blinded = blind_batch(&engine, &mut system_rng(), &[request]).remove(0);
        let blinded = blinded.expect("the key is long enough");
        let answer = sign(&engine, &key, &blinded.message).expect("it is in range");
        let [inverse, result] = [&blinded.inverse, &answer].map(|x| BigUint::from_bytes_be(x));
        Exchange {
            variant,
            inverse: blinded.inverse.to_vec(),
            answer,
            signature: inverse * result % &modulus,
        }
    });
    Prepared {
        engine,
        key,
        modulus,
        exchanges: exchanges.into(),
    }
});

fn sign(engine: &Engine, key: &SigningKey, blinded: &[u8]) -> Result<Vec<u8>, BlindError> {
    let request = BlindSignRequest { key, blinded };
    blind_sign_batch(engine, &mut system_rng(), &[request]).remove(0)
}

fuzz_target!(|input: &[u8]| {
    let Prepared {
        engine,
        key,
        modulus,
        exchanges,
    } = &*PREPARED;
    let [choice, input @ ..] = input else {
        return;
    };
    let integer = BigUint::from_bytes_be(input);
    match sign(engine, key, input) {
        Ok(signature) => {
            assert!(input.len() == SIZE && integer < *modulus);
            let exponent = BigUint::from(key.verifying_key().public_key().e());
            let power = BigUint::from_bytes_be(&signature).modpow(&exponent, modulus);
            assert_eq!(power, integer);
        }
        Err(BlindError::Length { given, .. }) => assert!(given == input.len() && given != SIZE),
        Err(error) => assert!(matches!(error, BlindError::OutOfRange(_)) && integer >= *modulus),
    }

    // The input is added to the inverse, the answer and the message, bit by bit.
    let exchange = &exchanges[usize::from(choice & 3)];
    let mut rest = input;
    let mut changed = |bytes: &[u8]| {
        let (changes, after) = rest.split_at(rest.len().min(bytes.len()));
        rest = after;
        let changes = changes.iter().chain(std::iter::repeat(&0));
        let changed = bytes.iter().zip(changes).map(|(x, y)| x ^ y);
        changed.collect::<Vec<u8>>()
    };
    let numbers = [&exchange.inverse, &exchange.answer].map(|bytes| changed(bytes));
    let message = changed(MESSAGE);
    let [inverse, answer] = numbers.each_ref().map(|x| BigUint::from_bytes_be(x));
    let in_range = inverse < *modulus && answer < *modulus;
    let right = inverse * answer % modulus == exchange.signature && message == MESSAGE;
    let request = FinalizeRequest {
        key: key.verifying_key(),
        variant: exchange.variant,
        message: &message,
        inverse: &numbers[0],
        blind_signature: &numbers[1],
    };
    let finalized = finalize_batch(engine, &[request]).remove(0);
    match &finalized {
        Ok(signature) => assert_eq!(BigUint::from_bytes_be(signature), exchange.signature),
        Err(BlindError::InvalidSignature) => assert!(!right),
        Err(error) => assert!(matches!(error, BlindError::OutOfRange(_)) && !in_range),
    }
    assert_eq!(finalized.is_ok(), right && in_range);
    let short = FinalizeRequest {
        blind_signature: input,
        ..request
    };
    let finalized = finalize_batch(engine, &[short]).remove(0);
    assert!(input.len() == SIZE || matches!(finalized, Err(BlindError::Length { .. })));
    if let Some(inside) = unprepared(exchange.variant, input) {
        assert!(input.ends_with(inside));
    }
});

fn big(x: &BoxedUint) -> BigUint {
    BigUint::from_bytes_be(&x.to_be_bytes())
}
