//! BLS signatures: keys, signatures and verdicts equal those of blst.

use blst::{BLST_ERROR, min_pk, min_sig};
use sunzi_engine::{Backend, Engine};
use sunzi_pk::bls::{
    PreparedBls, Scheme, SecretKey, SignRequest, Suite, Variant, VerifyError, VerifyRequest,
};
use sunzi_pk::ec::pairing::{DomainSeparationTag, PreparedPairing};
use sunzi_pk::{Hash, system_rng};

/// Reproducible pseudo-random bytes (`SplitMix64`).
struct RandomBytes(u64);

impl RandomBytes {
    fn word(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    fn bytes(&mut self, length: usize) -> Vec<u8> {
        (0..length).map(|_| self.word() as u8).collect()
    }

    fn below(&mut self, limit: usize) -> usize {
        (self.word() % limit as u64) as usize
    }
}

/// A key of blst with what it computes.
struct Theirs {
    secret: Vec<u8>,
    public: Vec<u8>,
    signature: Vec<u8>,
}

/// Whether a signature of a message is right, for a public key and a tag.
type Verify = fn(public: &[u8], message: &[u8], signature: &[u8], tag: &[u8]) -> bool;

/// Functions of blst for a variant.
struct Blst {
    variant: Variant,
    /// The key of key material, and a signature with this tag.
    sign: fn(material: &[u8], message: &[u8], tag: &[u8]) -> Theirs,
    /// Whether a signature is valid, with all checks.
    verify: Verify,
    /// Whether an encoding is a key.
    is_key: fn(&[u8]) -> bool,
    /// Whether an encoding is a signature.
    is_signature: fn(&[u8]) -> bool,
}

macro_rules! variant {
    ($variant:ident, $module:ident) => {
        Blst {
            variant: Variant::$variant,
            sign: |material, message, tag| {
                let secret = $module::SecretKey::key_gen(material, &[]).unwrap();
                Theirs {
                    secret: secret.to_bytes().to_vec(),
                    public: secret.sk_to_pk().to_bytes().to_vec(),
                    signature: secret.sign(message, tag, &[]).to_bytes().to_vec(),
                }
            },
            verify: |public, message, signature, tag| {
                let Ok(public) = $module::PublicKey::from_bytes(public) else {
                    return false;
                };
                let Ok(signature) = $module::Signature::from_bytes(signature) else {
                    return false;
                };
                let verdict = signature.verify(true, message, tag, &[], &public, true);
                verdict == BLST_ERROR::BLST_SUCCESS
            },
            is_key: |bytes| $module::PublicKey::key_validate(bytes).is_ok(),
            is_signature: |bytes| $module::Signature::sig_validate(bytes, false).is_ok(),
        }
    };
}

fn variants() -> [Blst; 2] {
    [variant!(MinPk, min_pk), variant!(MinSig, min_sig)]
}

fn pairing() -> PreparedPairing {
    PreparedPairing::bls12_381(&Engine::new(Backend::best()).unwrap()).unwrap()
}

/// Keys of random material, their public keys and their signatures of messages of many lengths, byte for byte, with tags
/// of many lengths.
fn compare_signatures(count: usize) {
    let pairing = pairing();
    let random = &mut RandomBytes(1);
    for blst in variants() {
        for tag_length in [1, 43, 255, 256, 300] {
            let tag = random.bytes(tag_length);
            let suite = Suite::new(blst.variant, Scheme::Basic);
            let suite = suite.with_tag(DomainSeparationTag::new(&tag).unwrap());
            let bls = PreparedBls::new(&pairing, suite);
            let each = count.div_ceil(5);
            let numbers = (0..each).map(|k| {
                let length = 32 + random.below(40);
                (random.bytes(length), random.bytes(k * 7 % 200))
            });
            let numbers: Vec<_> = numbers.collect();
            let theirs = numbers.iter();
            let theirs = theirs.map(|(material, message)| (blst.sign)(material, message, &tag));
            let theirs: Vec<_> = theirs.collect();
            let secrets = numbers.iter();
            let secrets = secrets.map(|(ikm, _)| SecretKey::from_key_material(ikm, b"").unwrap());
            let secrets: Vec<_> = secrets.collect();
            let publics = bls.public_key_batch(&secrets.iter().collect::<Vec<_>>());
            let publics: Vec<_> = publics.into_iter().map(Result::unwrap).collect();
            let requests = secrets.iter().zip(&numbers);
            let requests = requests.map(|(key, (_, message))| SignRequest { key, message });
            let signatures = bls.sign_batch(&requests.collect::<Vec<_>>());
            for (k, theirs) in theirs.iter().enumerate() {
                assert_eq!(*secrets[k].to_bytes(), theirs.secret);
                assert_eq!(publics[k].to_bytes(), theirs.public);
                let signature = signatures[k].as_ref().unwrap();
                assert_eq!(signature.to_bytes(), theirs.signature);
            }
            // Each second signature is that of the next message.
            let place = |k: usize| {
                if k.is_multiple_of(2) {
                    k
                } else {
                    (k + 1) % each
                }
            };
            let requests = (0..each).map(|k| VerifyRequest {
                key: &publics[k],
                message: &numbers[k].1,
                signature: &theirs[place(k)].signature,
            });
            let requests: Vec<_> = requests.collect();
            for (k, answer) in bls.verify_batch(&requests).iter().enumerate() {
                let VerifyRequest {
                    message, signature, ..
                } = requests[k];
                let expected = (blst.verify)(&theirs[k].public, message, signature, &tag);
                assert_eq!(answer.is_ok(), expected, "{k}");
                assert_eq!(expected, k % 2 == 0 || each == 1);
            }
        }
    }
}

/// Encodings of keys and signatures with changed bits, of random points and of random bytes are accepted where blst accepts
/// them.
fn compare_damaged(count: usize) {
    let pairing = pairing();
    let random = &mut RandomBytes(2);
    for blst in variants() {
        let bls = PreparedBls::new(&pairing, Suite::new(blst.variant, Scheme::Basic));
        let Theirs {
            public, signature, ..
        } = (blst.sign)(&[5; 32], b"message", b"tag");
        let mut damaged = |right: &[u8]| -> Vec<Vec<u8>> {
            let one = |k: usize| {
                let mut bytes = right.to_vec();
                match k % 8 {
                    // Some of these are points outside the subgroup.
                    0..3 => {
                        let place = random.below(8 * bytes.len());
                        bytes[place / 8] ^= 1 << (place % 8);
                    }
                    3 => bytes[0] ^= 0x20 << random.below(3),
                    4 => {
                        let place = 1 + random.below(bytes.len() - 1);
                        bytes[place] = random.word() as u8;
                    }
                    5 => bytes.truncate(random.below(bytes.len())),
                    6 => {
                        let first = bytes[0];
                        bytes = random.bytes(bytes.len());
                        bytes[0] = first & 0xe0 | bytes[0] & 0x1f;
                    }
                    _ => {
                        bytes.fill(0);
                        bytes[0] = 0xc0;
                        if random.below(2) == 0 {
                            let place = random.below(8 * bytes.len());
                            bytes[place / 8] ^= 1 << (place % 8);
                        }
                    }
                }
                bytes
            };
            (0..count).map(one).collect()
        };
        let (keys, signatures) = (damaged(&public), damaged(&signature));
        let references: Vec<_> = keys.iter().map(|bytes| &bytes[..]).collect();
        let answers = bls.key_validate_batch(&references).unwrap();
        for (bytes, answer) in keys.iter().zip(&answers) {
            assert_eq!(
                answer.is_ok(),
                (blst.is_key)(bytes),
                "{bytes:02x?}: {answer:?}"
            );
        }
        let references: Vec<_> = signatures.iter().map(|bytes| &bytes[..]).collect();
        let answers = bls.decode_signature_batch(&references).unwrap();
        for (bytes, answer) in signatures.iter().zip(&answers) {
            let expected = (blst.is_signature)(bytes);
            assert_eq!(answer.is_ok(), expected, "{bytes:02x?}: {answer:?}");
        }
    }
}

/// The bytes of hexadecimal digits.
fn bytes(hex: &str) -> Vec<u8> {
    let byte = |k: usize| u8::from_str_radix(&hex[2 * k..2 * k + 2], 16).unwrap();
    (0..hex.len() / 2).map(byte).collect()
}

/// A round of drand's quicknet, whose signatures are in G1 and whose messages are hashes of the number of the round.
#[test]
fn a_round_of_drand() {
    const KEY: &str = "83cf0f2896adee7eb8b5f01fcad3912212c437e0073e911fb90022d3e760183c\
        8c4b450b6a0a6c3ac6a5776a2d1064510d1fec758c921cc22b0e17e63aaf4bcb\
        5ed66304de9cf809bd274ca73bab4af5a6e9c76a4bc09e76eae8991ef5ece45a";
    const ROUND: u64 = 1000;
    const SIGNATURE: &str = "b44679b9a59af2ec876b1a6b1ad52ea9b1615fc3982b19576350f93447cb1125\
        e342b73a8dd2bacbe47e4b6b63ed5e39";
    let bls = PreparedBls::new(&pairing(), Suite::new(Variant::MinSig, Scheme::Basic));
    let keys = bls.key_validate_batch(&[&bytes(KEY)]).unwrap();
    let key = keys[0].as_ref().unwrap();
    key.prepare();
    let signature = &bytes(SIGNATURE);
    let messages = [ROUND, ROUND + 1].map(|round| Hash::Sha256.digest(&round.to_be_bytes()));
    let requests = messages.each_ref().map(|message| VerifyRequest {
        key,
        message: message.as_bytes(),
        signature,
    });
    let valid = bls.verify_batch(&requests);
    assert_eq!(valid, [Ok(()), Err(VerifyError::Mismatch)]);
    let rng = &mut system_rng();
    assert_eq!(bls.verify_sets(rng, &requests[..1]), Ok(true));
    assert_eq!(bls.verify_sets(rng, &requests), Ok(false));
}

#[test]
fn signatures() {
    compare_signatures(20);
}

#[test]
fn damaged_encodings() {
    compare_damaged(160);
}

#[test]
#[ignore = "takes minutes: thousands of signatures, of which some are in every run"]
fn many_signatures() {
    compare_signatures(50_000);
}

#[test]
#[ignore = "takes minutes: thousands of encodings, of which some are in every run"]
fn many_damaged_encodings() {
    // Ten thousand of each kind, of which those with a changed bit are three.
    compare_damaged(80_000);
}
