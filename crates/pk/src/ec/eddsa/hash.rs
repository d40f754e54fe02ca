//! The hashes of EdDSA: SHA-512 for Ed25519, SHAKE256 for Ed448 (RFC 8032, sections 5.1 and 5.2).

use super::super::edwards::curve::EdwardsCurve;
use super::scalars::integer;
use crypto_bigint::BoxedUint;
use sha2::{Digest, Sha512};
use sha3::Shake256;
use sha3::digest::{ExtendableOutput, Update, XofReader};
use std::borrow::Cow;
use sunzi_engine::hashing::{self, Message};
use zeroize::Zeroizing;

/// Number of bytes in a block of SHA-512.
const SHA512_BLOCK: usize = 128;
/// Number of bytes in a block of SHAKE256: its rate.
const SHAKE256_BLOCK: usize = 136;

/// Length of the longest context, in bytes.
pub const MAX_CONTEXT_BYTES: usize = 255;

/// The variant of a signature (RFC 8032, section 5): it determines the data signed besides the message. A signature is
/// valid for its variant and its context only.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Variant<'a> {
    /// Ed25519, or Ed448 with the empty context.
    #[default]
    Pure,
    /// Ed25519ctx or Ed448 with this context, which must not be empty for Ed25519ctx.
    Context(&'a [u8]),
    /// Ed25519ph or Ed448ph with this context, which may be empty. The message is hashed here.
    Prehashed(&'a [u8]),
}

/// The reason why a context is refused.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ContextError {
    /// It is too long.
    #[error("a context has at most {MAX_CONTEXT_BYTES} bytes, not {0}")]
    Long(usize),
    /// It is empty, which Ed25519ctx does not allow.
    #[error("the context of Ed25519ctx must not be empty: Ed25519 has none")]
    Empty,
}

impl<'a> Variant<'a> {
    fn context(self) -> &'a [u8] {
        match self {
            Self::Pure => &[],
            Self::Context(context) | Self::Prehashed(context) => context,
        }
    }

    /// Checks that the curve has this variant.
    ///
    /// # Errors
    /// [`ContextError`].
    pub(super) fn check(self, curve: EdwardsCurve) -> Result<(), ContextError> {
        let length = self.context().len();
        match (curve, self) {
            (EdwardsCurve::Edwards25519, Self::Context([])) => Err(ContextError::Empty),
            _ if length > MAX_CONTEXT_BYTES => Err(ContextError::Long(length)),
            _ => Ok(()),
        }
    }

    /// The prefix of all hashed data: `dom2` and `dom4` of RFC 8032, section 2. The context is at most 255 bytes long.
    fn domain(self, curve: EdwardsCurve) -> Vec<u8> {
        let prefix: &[u8] = match (curve, self) {
            (EdwardsCurve::Edwards25519, Self::Pure) => return Vec::new(),
            (EdwardsCurve::Edwards25519, _) => b"SigEd25519 no Ed25519 collisions",
            (EdwardsCurve::Edwards448, _) => b"SigEd448",
        };
        let prehashed = u8::from(matches!(self, Self::Prehashed(_)));
        let context = self.context();
        [prefix, &[prehashed, context.len() as u8], context].concat()
    }

    /// The data that is signed for a message: the message itself, or its digest of 64 bytes.
    pub(super) fn signed(self, curve: EdwardsCurve, message: &[u8]) -> Cow<'_, [u8]> {
        match (self, curve) {
            (Self::Prehashed(_), EdwardsCurve::Edwards25519) => {
                Cow::Owned(Sha512::digest(message).to_vec())
            }
            (Self::Prehashed(_), EdwardsCurve::Edwards448) => {
                let mut digest = vec![0; 64];
                shake256(&[message], &mut digest);
                Cow::Owned(digest)
            }
            (Self::Pure | Self::Context(_), _) => Cow::Borrowed(message),
        }
    }

    /// What is hashed for a nonce (RFC 8032, step 2 of sections 5.1.6 and 5.2.6). With fresh randomness it is what
    /// draft-irtf-cfrg-det-sigs-with-noise-05 has in section 3:
    ///
    /// ```text
    /// dom || noise || 0... || prefix || 0... || PH(M)
    /// ```
    ///
    /// There zeros fill the hash function's blocks, so that no block has the noise or the message beside the prefix.
    pub(super) fn nonce(
        self,
        curve: EdwardsCurve,
        noise: Option<&'a [u8]>,
        prefix: &'a [u8],
        signed: &'a [u8],
    ) -> Hashed<'a> {
        let domain = self.domain(curve);
        let parts = match noise {
            None => [prefix, signed, &[], &[], &[]],
            Some(noise) => {
                let first = filling(curve, domain.len() + noise.len());
                let second = filling(curve, prefix.len());
                [noise, first, prefix, second, signed]
            }
        };
        Hashed {
            curve,
            domain,
            parts,
        }
    }

    /// What is hashed for h: R, the public key, and what is signed.
    pub(super) fn challenge(self, curve: EdwardsCurve, parts: [&'a [u8]; 3]) -> Hashed<'a> {
        let [point, key, signed] = parts;
        Hashed {
            curve,
            domain: self.domain(curve),
            parts: [point, key, signed, &[], &[]],
        }
    }
}

/// Data to hash: the domain, and parts that follow it.
pub(super) struct Hashed<'a> {
    curve: EdwardsCurve,
    domain: Vec<u8>,
    parts: [&'a [u8]; 5],
}

impl Hashed<'_> {
    fn all_parts(&self) -> [&[u8]; 6] {
        let [first, second, third, fourth, fifth] = self.parts;
        [&self.domain, first, second, third, fourth, fifth]
    }
}

/// The hashes of all these data, each as an integer twice as long as a point; those of Ed25519 many at a time. If they are
/// secret, the caller must wipe the stack afterwards.
pub(super) fn hashes(all: &[Hashed<'_>]) -> Vec<Zeroizing<BoxedUint>> {
    let parts: Vec<_> = all.iter().map(Hashed::all_parts).collect();
    let of_25519 = |place: &usize| all[*place].curve == EdwardsCurve::Edwards25519;
    let places: Vec<usize> = (0..all.len()).filter(of_25519).collect();
    let messages = places
        .iter()
        .map(|&place| Message::<hashing::Sha512>::new(&parts[place]));
    let states = hashing::hash(&messages.collect::<Vec<_>>());
    let mut in_lanes = states.iter();
    let hashes = all
        .iter()
        .zip(&parts)
        .map(|(data, parts)| match data.curve {
            EdwardsCurve::Edwards25519 => {
                let state = in_lanes.next().expect("a state for each message");
                let digest = Zeroizing::new(hashing::digest::<hashing::Sha512>(state));
                integer(&digest[..])
            }
            EdwardsCurve::Edwards448 => integer(&hash(data.curve, parts)),
        });
    hashes.collect()
}

/// The zeros after this many bytes that fill a block of the curve's hash function.
fn filling(curve: EdwardsCurve, bytes: usize) -> &'static [u8] {
    const ZEROS: [u8; SHAKE256_BLOCK] = [0; SHAKE256_BLOCK];
    let block = match curve {
        EdwardsCurve::Edwards25519 => SHA512_BLOCK,
        EdwardsCurve::Edwards448 => SHAKE256_BLOCK,
    };
    &ZEROS[..bytes.next_multiple_of(block) - bytes]
}

/// The hash of these parts, twice as long as a point. If they are secret, the caller must wipe the stack afterwards.
pub(super) fn hash(curve: EdwardsCurve, parts: &[&[u8]]) -> Zeroizing<Vec<u8>> {
    let mut output = Zeroizing::new(vec![0; 2 * curve.encoded_bytes()]);
    match curve {
        EdwardsCurve::Edwards25519 => sha512(parts, &mut output),
        EdwardsCurve::Edwards448 => shake256(parts, &mut output),
    }
    output
}

/// SHA-512 in a stack frame of its own, which can be wiped afterwards.
#[inline(never)]
fn sha512(parts: &[&[u8]], output: &mut [u8]) {
    let mut hasher = Sha512::new();
    for part in parts {
        Update::update(&mut hasher, part);
    }
    output.copy_from_slice(&Zeroizing::new(<[u8; 64]>::from(hasher.finalize()))[..]);
}

/// SHAKE256, as [`sha512`].
#[inline(never)]
fn shake256(parts: &[&[u8]], output: &mut [u8]) {
    let mut hasher = Shake256::default();
    for part in parts {
        hasher.update(part);
    }
    hasher.finalize_xof().read(output);
}
