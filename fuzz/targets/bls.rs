//! BLS keys, signatures and verdicts, compared with blst: encodings are accepted where blst accepts them, what is accepted
//! is written as it was read, and verdicts are equal, one by one and together.

#![no_main]

use blst::{BLST_ERROR, min_pk, min_sig};
use libfuzzer_sys::fuzz_target;
use std::sync::LazyLock;
use sunzi_engine::{Backend, Engine};
use sunzi_pk::bls::{PreparedBls, Scheme, Suite, Variant, VerifyRequest};
use sunzi_pk::ec::pairing::PreparedPairing;
use sunzi_pk::system_rng;

static SUITES: LazyLock<[PreparedBls; 2]> = LazyLock::new(|| {
    let engine = Engine::new(Backend::best()).expect("it is present");
    let pairing = PreparedPairing::bls12_381(&engine).expect("384 bits are served");
    [Variant::MinPk, Variant::MinSig]
        .map(|variant| PreparedBls::new(&pairing, Suite::new(variant, Scheme::Basic)))
});

/// What blst says of a key, of a signature, and of both with a message.
struct Theirs {
    is_key: bool,
    is_signature: bool,
    is_valid: bool,
}

macro_rules! theirs {
    ($module:ident, $key:expr, $message:expr, $signature:expr, $tag:expr) => {{
        let key = $module::PublicKey::key_validate($key);
        let signature = $module::Signature::sig_validate($signature, false);
        let is_valid = match (&key, &signature) {
            (Ok(key), Ok(signature)) => {
                signature.verify(false, $message, $tag, &[], key, false)
                    == BLST_ERROR::BLST_SUCCESS
            }
            _ => false,
        };
        Theirs {
            is_key: key.is_ok(),
            is_signature: signature.is_ok(),
            is_valid,
        }
    }};
}

/// A key, a message of a byte or none, and a signature: encodings with changes, or bytes of the input as they are.
fn parts(input: &[u8], widths: [usize; 2]) -> Option<[Vec<u8>; 3]> {
    let [choice, rest @ ..] = input else {
        return None;
    };
    let seed = [*rest.first()?; 32];
    let message = rest.get(1..2).unwrap_or_default().to_vec();
    let changes = rest.get(2..).unwrap_or_default();
    let (key, signature) = if widths[0] == 48 {
        let secret = min_pk::SecretKey::key_gen(&seed, &[]).expect("the seed is long enough");
        let tag = SUITES[0].suite().tag().as_bytes();
        let signature = secret.sign(&message, tag, &[]).to_bytes().to_vec();
        (secret.sk_to_pk().to_bytes().to_vec(), signature)
    } else {
        let secret = min_sig::SecretKey::key_gen(&seed, &[]).expect("the seed is long enough");
        let tag = SUITES[1].suite().tag().as_bytes();
        let signature = secret.sign(&message, tag, &[]).to_bytes().to_vec();
        (secret.sk_to_pk().to_bytes().to_vec(), signature)
    };
    let changed = |right: Vec<u8>, bit: u8| -> Vec<u8> {
        match (choice >> bit) & 3 {
            0 => right,
            // Pairs of a place and bits.
            1 => {
                let mut bytes = right;
                for pair in changes.chunks_exact(2).take(4) {
                    let place = usize::from(pair[0]) % bytes.len();
                    bytes[place] ^= pair[1];
                }
                bytes
            }
            2 => {
                let mut bytes = changes.to_vec();
                bytes.resize(right.len(), 0);
                bytes
            }
            _ => changes.to_vec(),
        }
    };
    Some([changed(key, 1), message, changed(signature, 3)])
}

fuzz_target!(|input: &[u8]| {
    let which = usize::from(input.first().copied().unwrap_or_default() & 1);
    let suite = &SUITES[which];
    let widths = [[48, 96], [96, 48]][which];
    let Some([key, message, signature]) = parts(input, widths) else {
        return;
    };
    let tag = suite.suite().tag().as_bytes();
    let theirs = match which {
        0 => theirs!(min_pk, &key, &message, &signature, tag),
        _ => theirs!(min_sig, &key, &message, &signature, tag),
    };
    let keys = suite.key_validate_batch(&[&key]).expect("the engine computes");
    assert_eq!(keys[0].is_ok(), theirs.is_key, "{:?}", keys[0]);
    let signatures = suite
        .decode_signature_batch(&[&signature])
        .expect("the engine computes");
    assert_eq!(signatures[0].is_ok(), theirs.is_signature, "{:?}", signatures[0]);
    if let Ok(read) = &signatures[0] {
        assert!(read.to_bytes() == signature || signature.len() == 2 * widths[1]);
    }
    let Ok(public) = &keys[0] else { return };
    assert!(public.to_bytes() == key || key.len() == 2 * widths[0]);
    let request = VerifyRequest {
        key: public,
        message: &message,
        signature: &signature,
    };
    let valid = suite.verify_batch(&[request, request]);
    assert!(valid.iter().all(|valid| valid.is_ok() == theirs.is_valid), "{valid:?}");
    let together = suite.verify_sets(&mut system_rng(), &[request, request]);
    assert_eq!(together, Ok(theirs.is_valid));
});
