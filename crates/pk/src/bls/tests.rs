//! Keys, signatures and aggregates of both variants and all schemes, and golden signatures.

use super::verify::{VerifyError, VerifyRequest};
use super::{
    PreparedBls, PublicKey, Scheme, SecretKey, SignError, SignRequest, Signature, Suite, Variant,
};
use crate::ec::PointError;
use crate::ec::pairing::{DomainSeparationTag, PreparedPairing, ShortFactor};
use crate::system_rng;
use serde::Deserialize;
use sunzi_engine::{Backend, Engine};

fn pairing() -> PreparedPairing {
    PreparedPairing::bls12_381(&Engine::new(Backend::best()).unwrap()).unwrap()
}

fn bytes(hex: &str) -> Vec<u8> {
    let byte = |k: usize| u8::from_str_radix(&hex[2 * k..2 * k + 2], 16).unwrap();
    (0..hex.len() / 2).map(byte).collect()
}

#[derive(Deserialize)]
struct Golden {
    dst: String,
    items: Vec<Item>,
    cancelling_pair: Vec<Item>,
    aggregate_0_to_3: String,
    fast: Fast,
}

#[derive(Deserialize)]
struct Item {
    pk: String,
    msg: String,
    sig: String,
    expect: String,
}

#[derive(Deserialize)]
struct Fast {
    msg: String,
    pks: Vec<String>,
    sig: String,
}

fn keys(bls: &PreparedBls, hex: &[&str]) -> Vec<Result<PublicKey, PointError>> {
    let keys: Vec<_> = hex.iter().map(|hex| bytes(hex)).collect();
    let keys: Vec<_> = keys.iter().map(|key| &key[..]).collect();
    bls.key_validate_batch(&keys).unwrap()
}

fn signature(bls: &PreparedBls, hex: &str) -> Signature {
    let signatures = bls.decode_signature_batch(&[&bytes(hex)]).unwrap();
    signatures.into_iter().next().unwrap().unwrap()
}

fn golden() -> (Golden, PreparedBls) {
    let text = include_str!("../../../../vectors/pairings/signatures.json");
    let golden: Golden = serde_json::from_str(text).unwrap();
    let suite = Suite::new(Variant::MinPk, Scheme::ProofOfPossession);
    assert_eq!(suite.tag().as_bytes(), golden.dst.as_bytes());
    (golden, PreparedBls::new(&pairing(), suite))
}

/// Signatures of another implementation: each by itself, and together by random factors.
#[test]
fn golden_signatures() {
    let (golden, bls) = golden();
    let mut requests = Vec::new();
    let hex: Vec<_> = golden.items.iter().map(|item| &*item.pk).collect();
    let decoded = keys(&bls, &hex);
    let numbers: Vec<_> = golden
        .items
        .iter()
        .map(|item| (bytes(&item.msg), bytes(&item.sig)))
        .collect();
    let mut expected = Vec::new();
    for ((item, key), (message, signature)) in golden.items.iter().zip(&decoded).zip(&numbers) {
        if item.expect.starts_with("bad key") {
            assert_eq!(*key, Err(PointError::NotInSubgroup));
            continue;
        }
        let key = key.as_ref().unwrap();
        requests.push(VerifyRequest {
            key,
            message,
            signature,
        });
        expected.push(if item.expect == "valid" {
            Ok(())
        } else {
            Err(VerifyError::Mismatch)
        });
    }
    assert_eq!(bls.verify_batch(&requests), expected);
    let rng = &mut system_rng();
    assert_eq!(bls.verify_sets(rng, &requests[..3]), Ok(true));
    assert_eq!(bls.verify_sets(rng, &[]), Ok(true));
    for bad in 3..requests.len() {
        let with_bad = [requests[0], requests[bad], requests[1]];
        assert_eq!(bls.verify_sets(rng, &with_bad), Ok(false), "{bad}");
        assert_eq!(bls.find_bad(rng, &with_bad), Ok(vec![1]));
    }

    aggregates(&golden, &bls, &requests[..3]);
}

/// Aggregates of signatures of these requests, which are those of the first items.
fn aggregates(golden: &Golden, bls: &PreparedBls, requests: &[VerifyRequest<'_>]) {
    let signatures: Vec<_> = golden.items[..3]
        .iter()
        .map(|item| signature(bls, &item.sig))
        .collect();
    let aggregate = bls.aggregate(&signatures.iter().collect::<Vec<_>>());
    let aggregate = aggregate.unwrap();
    assert_eq!(bls.aggregate(&[]), Err(VerifyError::NoKeys));
    let (ks, ms): (Vec<_>, Vec<_>) = requests.iter().map(|r| (r.key, r.message)).unzip();
    assert_eq!(bls.aggregate_verify(&ks, &ms, &aggregate), Ok(()));
    let swapped = [ms[1], ms[0], ms[2]];
    let mismatch = Err(VerifyError::Mismatch);
    assert_eq!(bls.aggregate_verify(&ks, &swapped, &aggregate), mismatch);
    assert_eq!(
        bls.aggregate_verify(&[], &[], &aggregate),
        Err(VerifyError::NoKeys)
    );
}

/// A pair of wrong signatures that cancel passes with equal factors only.
#[test]
fn cancelling_signatures() {
    let (golden, bls) = golden();
    let rng = &mut system_rng();
    let hex: Vec<_> = golden
        .cancelling_pair
        .iter()
        .map(|item| &*item.pk)
        .collect();
    let decoded: Vec<_> = keys(&bls, &hex).into_iter().map(Result::unwrap).collect();
    let numbers = golden.cancelling_pair.iter();
    let numbers: Vec<_> = numbers
        .map(|item| (bytes(&item.msg), bytes(&item.sig)))
        .collect();
    let pair = decoded.iter().zip(&numbers);
    let pair = pair.map(|(key, (message, signature))| VerifyRequest {
        key,
        message,
        signature,
    });
    let pair: Vec<_> = pair.collect();
    assert_eq!(bls.verify_sets(rng, &pair), Ok(false));
    let checked = bls.checked(&pair).unwrap();
    let signatures: Vec<_> = checked.into_iter().map(Result::unwrap).collect();
    let factors = vec![ShortFactor::of_windows([5, 7]); 2];
    assert_eq!(bls.verify_with(&pair, &signatures, &factors), Ok(true));
}

/// Aggregates of signatures of one message and of several, and of no keys.
#[test]
fn golden_aggregates() {
    let (golden, bls) = golden();
    let mismatch = Err(VerifyError::Mismatch);
    let hex: Vec<_> = golden.fast.pks.iter().map(|pk| &**pk).collect();
    let decoded: Vec<_> = keys(&bls, &hex).into_iter().map(Result::unwrap).collect();
    let references: Vec<_> = decoded.iter().collect();
    // Of messages of 32 equal bytes, which are the numbers of the keys.
    let aggregate = signature(&bls, &golden.aggregate_0_to_3);
    let messages = [0, 1, 2, 3].map(|k| [k; 32]);
    let messages = messages.each_ref().map(|message| &message[..]);
    let verdict = bls.aggregate_verify(&references[..4], &messages, &aggregate);
    assert_eq!(verdict, Ok(()));
    let message = bytes(&golden.fast.msg);
    let fast = signature(&bls, &golden.fast.sig);
    assert_eq!(
        bls.fast_aggregate_verify(&references, &message, &fast),
        Ok(())
    );
    assert_eq!(
        bls.fast_aggregate_verify(&references[1..], &message, &fast),
        mismatch
    );
    let none = bls.fast_aggregate_verify(&[], &message, &fast);
    assert_eq!(none, Err(VerifyError::NoKeys));
    let infinity = signature(&bls, &format!("c0{}", "0".repeat(190)));
    let none = bls.fast_aggregate_verify(&[], &message, &infinity);
    assert_eq!(none, Err(VerifyError::NoKeys));
    assert_eq!(
        bls.eth_fast_aggregate_verify(&[], &message, &infinity),
        Ok(())
    );
    let none = bls.eth_fast_aggregate_verify(&[], &message, &fast);
    assert_eq!(none, Err(VerifyError::NoKeys));
}

/// Both variants and all schemes: signatures verify, also together, as aggregates and by a prepared key; those of another
/// key, message, scheme or tag do not. Proofs of possession verify, and are no signatures.
#[test]
fn every_suite() {
    let pairing = pairing();
    let rng = &mut system_rng();
    for variant in [Variant::MinPk, Variant::MinSig] {
        for &scheme in Scheme::ALL {
            let bls = PreparedBls::new(&pairing, Suite::new(variant, scheme));
            let secrets: Vec<_> = (0..4).map(|_| SecretKey::generate(rng).unwrap()).collect();
            let secrets: Vec<_> = secrets.iter().collect();
            let publics = bls.public_key_batch(&secrets);
            let publics: Vec<_> = publics.into_iter().map(Result::unwrap).collect();
            let messages: [&[u8]; 4] = [b"", b"one", b"two", b"three"];
            let requests = secrets.iter().zip(messages);
            let requests = requests.map(|(&key, message)| SignRequest { key, message });
            let signatures = bls.sign_batch(&requests.collect::<Vec<_>>());
            let signatures: Vec<_> = signatures.into_iter().map(Result::unwrap).collect();
            let encoded: Vec<_> = signatures.iter().map(Signature::to_bytes).collect();
            publics[1].prepare();
            let request = |key: usize, message: usize, signature: usize| VerifyRequest {
                key: &publics[key],
                message: messages[message],
                signature: &encoded[signature],
            };
            let right = [0, 1, 2, 3].map(|k| request(k, k, k));
            assert_eq!(bls.verify_batch(&right), vec![Ok(()); 4]);
            let wrong = [request(0, 1, 0), request(1, 0, 0), request(0, 0, 1)];
            let mismatch = Err(VerifyError::Mismatch);
            assert_eq!(bls.verify_batch(&wrong), vec![mismatch.clone(); 3]);
            assert_eq!(bls.verify_sets(rng, &right), Ok(true));
            let twice = [right, right].concat();
            assert_eq!(bls.verify_sets(rng, &twice), Ok(true));
            assert_eq!(bls.verify_sets(rng, &[right[0], wrong[0]]), Ok(false));

            let references: Vec<_> = signatures.iter().collect();
            let aggregate = bls.aggregate(&references).unwrap();
            let keys: Vec<_> = publics.iter().collect();
            assert_eq!(bls.aggregate_verify(&keys, &messages, &aggregate), Ok(()));
            let same = [messages[0], messages[0], messages[2], messages[3]];
            let expected = match scheme {
                Scheme::Basic => Err(VerifyError::RepeatedMessage),
                _ => mismatch.clone(),
            };
            assert_eq!(bls.aggregate_verify(&keys, &same, &aggregate), expected);

            let proof = bls.prove_batch(&secrets[..1]).remove(0).unwrap().to_bytes();
            let proofs = [(&publics[0], &proof[..]), (&publics[1], &proof)];
            let expected = [Ok(()), mismatch.clone()];
            assert_eq!(bls.verify_proof_batch(&proofs), expected);
            let as_signature = VerifyRequest {
                key: &publics[0],
                message: publics[0].to_bytes(),
                signature: &proof,
            };
            assert_eq!(bls.verify_batch(&[as_signature]), vec![mismatch.clone()]);

            let tag = DomainSeparationTag::new(b"another tag").unwrap();
            let other = PreparedBls::new(&pairing, bls.suite().clone().with_tag(tag));
            assert_eq!(other.verify_batch(&right[..1]), vec![mismatch]);
        }
    }
}

/// Signatures by few keys, of messages of which some are the same, are valid together, and not if two of one key are
/// exchanged.
#[test]
fn sets_of_few_keys() {
    const COUNT: usize = 21;
    let pairing = pairing();
    let rng = &mut system_rng();
    for variant in [Variant::MinPk, Variant::MinSig] {
        let bls = PreparedBls::new(&pairing, Suite::new(variant, Scheme::Basic));
        for keys in [1, 2] {
            let secrets: Vec<_> = (0..keys)
                .map(|_| SecretKey::generate(rng).unwrap())
                .collect();
            let publics = bls.public_key_batch(&secrets.iter().collect::<Vec<_>>());
            let publics: Vec<_> = publics.into_iter().map(Result::unwrap).collect();
            let messages: Vec<_> = (0..COUNT).map(|k| [k.min(17) as u8]).collect();
            let requests = messages.iter().zip(secrets.iter().cycle());
            let requests = requests.map(|(message, key)| SignRequest { key, message });
            let signatures = bls.sign_batch(&requests.collect::<Vec<_>>()).into_iter();
            let mut signatures: Vec<_> = signatures.map(|s| s.unwrap().to_bytes()).collect();
            let hold = |signatures: &[Vec<u8>], rng: &mut _| {
                let requests = messages.iter().zip(signatures).zip(publics.iter().cycle());
                let requests = requests.map(|((message, signature), key)| VerifyRequest {
                    key,
                    message,
                    signature,
                });
                bls.verify_sets(rng, &requests.collect::<Vec<_>>())
            };
            assert_eq!(hold(&signatures, rng), Ok(true));
            signatures.swap(2, 10);
            assert_eq!(hold(&signatures, rng), Ok(false));
        }
    }
}

/// Signatures of other keys are withheld, whether alone or among right ones, which leave.
#[test]
fn wrong_signatures_are_withheld() {
    let pairing = pairing();
    for variant in [Variant::MinPk, Variant::MinSig] {
        let bls = PreparedBls::new(&pairing, Suite::new(variant, Scheme::Basic));
        let secrets = [[1; 32], [2; 32], [3; 32]].map(|bytes| {
            let secret = SecretKey::from_bytes(&bytes);
            secret.unwrap()
        });
        let keys = secrets.each_ref();
        let requests = keys.map(|key| SignRequest {
            key,
            message: b"message",
        });
        let signatures = bls.sign_batch(&requests).into_iter().map(Result::unwrap);
        let [one, two, three] = signatures.collect::<Vec<_>>().try_into().unwrap();
        let publics = bls.public_key_batch(&keys);
        let messages = keys.map(|_| b"message"[..].into());
        let hashes = bls.map_each(bls.suite().tag(), &messages).unwrap();
        let leave = |signatures: &[&Signature]| {
            let elements = signatures.iter().map(|signature| Ok(signature.0.clone()));
            bls.withhold_wrong(
                &publics[..signatures.len()],
                &hashes,
                &elements.collect::<Vec<_>>(),
            )
        };
        let fault = Err(SignError::Fault);
        let right = [&one, &two, &three].map(|signature| Ok(signature.clone()));
        assert_eq!(leave(&[&one, &two, &three]), right);
        let [one_leaves, ..] = right;
        assert_eq!(
            leave(&[&one, &three, &two]),
            [one_leaves.clone(), fault.clone(), fault.clone()]
        );
        assert_eq!(leave(&[&two]), [fault]);
        assert_eq!(leave(&[&one]), [one_leaves]);
    }
}

/// `KeyGen` and EIP-2333: the first test case of the EIP.
#[test]
fn keys_of_material() {
    let seed = "c55257c360c07c72029aebc1b53c05ed0362ada38ead3e3e9efa3708e53495531f09a6987599d18264c1e1c92f2cf141630c7a3c4ab7c81b2f001698e7463b04";
    let decimal = |key: &SecretKey| {
        let number = crypto_bigint::BoxedUint::from_be_slice(&key.to_bytes(), 256).unwrap();
        number.to_string_radix_vartime(10)
    };
    let master = SecretKey::master(&bytes(seed)).unwrap();
    let expected = "6083874454709270928345386274498605044986640685124978867557563392430687146096";
    assert_eq!(decimal(&master), expected);
    let expected = "20397789859736650942317412262472558107875392172444076792671091975210932703118";
    assert_eq!(decimal(&master.child(0)), expected);
    let short = SecretKey::from_key_material(&[0; 31], b"");
    assert!(matches!(short, Err(super::SecretKeyError::Material(31))));
}

/// The invalid ones of 150 signatures: of the wrong message, no point, a neutral element, and two whose errors cancel.
#[test]
fn bad_ones_are_found() {
    let pairing = pairing();
    let rng = &mut system_rng();
    for variant in [Variant::MinPk, Variant::MinSig] {
        let bls = PreparedBls::new(&pairing, Suite::new(variant, Scheme::Basic));
        let secret = SecretKey::generate(rng).unwrap();
        let key = bls.public_key_batch(&[&secret]).remove(0).unwrap();
        key.prepare();
        let messages: Vec<_> = (0..150u32).map(u32::to_be_bytes).collect();
        let requests = messages.iter().map(|message| SignRequest {
            key: &secret,
            message,
        });
        let signatures = bls.sign_batch(&requests.collect::<Vec<_>>());
        let signatures: Vec<_> = signatures.into_iter().map(Result::unwrap).collect();
        let mut signatures: Vec<_> = signatures.iter().map(Signature::to_bytes).collect();
        let places = |signatures: &[Vec<u8>], rng: &mut _| {
            let requests = messages.iter().zip(signatures);
            let requests = requests.map(|(message, signature)| VerifyRequest {
                key: &key,
                message,
                signature,
            });
            bls.find_bad(rng, &requests.collect::<Vec<_>>())
        };
        assert_eq!(places(&signatures, rng), Ok(vec![]));
        signatures.swap(70, 71);
        assert_eq!(places(&signatures, rng), Ok(vec![70, 71]));
        signatures[3].pop();
        let length = signatures[149].len();
        signatures[149] = vec![0; length];
        signatures[149][0] = 0xc0;
        assert_eq!(places(&signatures, rng), Ok(vec![3, 70, 71, 149]));
        signatures.rotate_left(1);
        assert_eq!(places(&signatures, rng).unwrap().len(), 149);
    }
}
