//! BLS signatures: keys, signatures and verdicts equal those of blst.

use blst::{BLST_ERROR, min_pk, min_sig};
use sunzi_engine::{Backend, Engine};
use sunzi_pk::bls::{
    PreparedBls, Scheme, SecretKey, SignRequest, Suite, Variant, VerifyError, VerifyRequest,
};
use sunzi_pk::ec::PointError;
use sunzi_pk::ec::pairing::{DomainSeparationTag, PreparedPairing};
use sunzi_pk::{Hash, system_rng};

/// Number of signatures in each variant in every run.
const SIGNATURES: usize = 20;
/// The same where the tests that take minutes run.
const MANY_SIGNATURES: usize = 50_000;
/// Number of encodings with damage of each kind, of keys and of signatures in each variant, compressed and
/// uncompressed, in every run.
const DAMAGED: usize = 20;
/// The same where the tests that take minutes run.
const MANY_DAMAGED: usize = 10_000;

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

/// An encoding of a compressed point, in the subgroup or outside; none if the uncompressed one is asked for and it is no
/// point.
type Encode = fn(compressed: &[u8]) -> Option<Vec<u8>>;

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
    /// The uncompressed encoding of the point of a compressed key.
    serialize_key: Encode,
    /// The uncompressed encoding of the point of a compressed signature.
    serialize_signature: Encode,
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
            serialize_key: |bytes| {
                let key = $module::PublicKey::uncompress(bytes).ok()?;
                Some(key.serialize().to_vec())
            },
            serialize_signature: |bytes| {
                let signature = $module::Signature::uncompress(bytes).ok()?;
                Some(signature.serialize().to_vec())
            },
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

/// The number of kinds of damage that [`damaged`] makes.
const KINDS_OF_DAMAGE: usize = 8;

/// An encoding with damage of this kind, modulo their number: of a compressed point, as it is or made uncompressed by
/// `encode`, which also takes points outside the subgroup.
fn damaged(compressed: &[u8], encode: Encode, kind: usize, random: &mut RandomBytes) -> Vec<u8> {
    let mut bytes = encode(compressed).unwrap();
    match kind % KINDS_OF_DAMAGE {
        // Some of these are points outside the subgroup if they are compressed.
        0..3 => {
            let place = random.below(8 * bytes.len());
            bytes[place / 8] ^= 1 << (place % 8);
        }
        // Another flag, or the point with the other y.
        3 => match random.below(4) {
            3 => {
                let mut other = compressed.to_vec();
                other[0] ^= 0x20;
                bytes = encode(&other).unwrap();
            }
            flag => bytes[0] ^= 0x20 << flag,
        },
        4 => {
            let place = 1 + random.below(bytes.len() - 1);
            bytes[place] = random.word() as u8;
        }
        5 => bytes.truncate(random.below(bytes.len())),
        // A random x. If it is that of a point, this is hardly ever in the subgroup.
        6 => {
            let mut other = random.bytes(compressed.len());
            let larger = other[0] & 0x20;
            // Coordinates of 381 bits.
            other.chunks_mut(48).for_each(|number| number[0] &= 0x1f);
            other[0] |= 0x80 | larger;
            bytes = encode(&other).unwrap_or_else(|| random.bytes(bytes.len()));
        }
        // The point at infinity, right or with a changed bit.
        _ => {
            let flags = bytes[0] & 0x80 | 0x40;
            bytes.fill(0);
            bytes[0] = flags;
            if random.below(2) == 0 {
                let place = random.below(8 * bytes.len());
                bytes[place / 8] ^= 1 << (place % 8);
            }
        }
    }
    bytes
}

/// Encodings of keys and signatures, compressed and uncompressed, with changed bits, of random points and of random bytes
/// are accepted where blst accepts them: `count` of keys and of signatures, in each variant and form. Some of each
/// are accepted, and some are outside the subgroup.
fn compare_damaged(count: usize) {
    let pairing = pairing();
    let random = &mut RandomBytes(2);
    for blst in variants() {
        let bls = PreparedBls::new(&pairing, Suite::new(blst.variant, Scheme::Basic));
        let Theirs {
            public, signature, ..
        } = (blst.sign)(&[5; 32], b"message", b"tag");
        let as_it_is: Encode = |compressed| Some(compressed.to_vec());
        for [of_key, of_signature] in [
            [as_it_is, as_it_is],
            [blst.serialize_key, blst.serialize_signature],
        ] {
            let mut all = |right: &[u8], encode: Encode| -> Vec<Vec<u8>> {
                let one = |kind| damaged(right, encode, kind, random);
                (0..count).map(one).collect()
            };
            let (keys, signatures) = (all(&public, of_key), all(&signature, of_signature));
            let references: Vec<_> = keys.iter().map(|bytes| &bytes[..]).collect();
            let answers = bls.key_validate_batch(&references).unwrap();
            let errors: Vec<_> = answers.into_iter().map(Result::err).collect();
            compare_verdicts(&keys, &errors, blst.is_key);
            let references: Vec<_> = signatures.iter().map(|bytes| &bytes[..]).collect();
            let answers = bls.decode_signature_batch(&references).unwrap();
            let errors: Vec<_> = answers.into_iter().map(Result::err).collect();
            compare_verdicts(&signatures, &errors, blst.is_signature);
        }
    }
}

/// Asserts that encodings for which there is no error are those that blst accepts.
fn compare_verdicts(
    encodings: &[Vec<u8>],
    errors: &[Option<PointError>],
    accepts: fn(&[u8]) -> bool,
) {
    let (mut accepted, mut outside) = (0, 0);
    for (bytes, error) in encodings.iter().zip(errors) {
        assert_eq!(error.is_none(), accepts(bytes), "{bytes:02x?}: {error:?}");
        accepted += usize::from(error.is_none());
        outside += usize::from(*error == Some(PointError::NotInSubgroup));
    }
    println!(
        "{} encodings: {accepted} accepted, {outside} outside the subgroup",
        encodings.len()
    );
    assert!(accepted > 0 && outside > 0, "{accepted}, {outside}");
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
    compare_signatures(SIGNATURES);
}

#[test]
fn damaged_encodings() {
    compare_damaged(KINDS_OF_DAMAGE * DAMAGED);
}

#[test]
#[ignore = "takes minutes: a hundred thousand signatures, of which some are in every run"]
fn many_signatures() {
    compare_signatures(MANY_SIGNATURES);
}

#[test]
#[ignore = "takes minutes: 640,000 encodings, of which some are in every run"]
fn many_damaged_encodings() {
    compare_damaged(KINDS_OF_DAMAGE * MANY_DAMAGED);
}
