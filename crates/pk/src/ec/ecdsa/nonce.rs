//! Nonces from key and digest (RFC 6979), by `HMAC_DRBG`. Its states that depend on the key alone are kept.
//!
//! With SHA-256 and an order of 256 bits a nonce takes 15 compressions. HMAC's two blocks with the key are
//! compressed once for each K, the first block with the private key once for each signing key, and K and V are made
//! anew after a candidate only if another one is asked for.

mod lanes;

pub(super) use lanes::{Request, nonces};

use super::super::curve::Curve;
use super::signature::leftmost_bits;
use crate::verdict::public;
use crate::{Digest, Hash};
use crypto_bigint::{BoxedUint, CtLt, CtSelect, U576, Word};
use hmac::digest::{Output, block_api::EagerHash};
use hmac::{Hmac, KeyInit, Mac};
use std::sync::OnceLock;
use zeroize::{Zeroize, Zeroizing};

/// The number of hash functions that nonces can be made with.
const HASHES: usize = Hash::ALL.len();

/// A private key as it makes nonces; wiped on drop.
pub(super) struct Nonces {
    order: Order,
    /// The private number, big-endian, as long as the order.
    key: Zeroizing<Vec<u8>>,
    /// For each hash function, by its number, the state that depends on the key alone.
    starts: [OnceLock<Box<dyn Start>>; HASHES],
}

/// The order of a base point, n.
struct Order {
    value: U576,
    bits: u32,
    /// Number of words of numbers modulo n.
    words: usize,
}

impl Nonces {
    /// The nonces of a private key, big-endian and as long as the order.
    pub(super) fn new(curve: &Curve, key: Zeroizing<Vec<u8>>) -> Self {
        let order = curve.order().as_ref();
        let bytes = order.to_be_bytes();
        Self {
            order: Order {
                value: leftmost_bits(&bytes, 8 * bytes.len() as u32),
                bits: order.bits_vartime(),
                words: order.as_words().len(),
            },
            key,
            starts: [const { OnceLock::new() }; HASHES],
        }
    }

    /// Whether the nonces are made with this private number. Constant time, except for the answer.
    ///
    /// The order and [`starts`](Self::starts) are not compared: a bit that changes there gives another nonce, unrelated
    /// to the right one, and a signature that is as valid.
    pub(super) fn are_of(&self, d: &BoxedUint) -> bool {
        let bytes = self.key.rchunks(size_of::<Word>());
        let words = bytes.map(|bytes| {
            bytes
                .iter()
                .fold(0, |word, &byte| word << 8 | Word::from(byte))
        });
        let differences = words.zip(d.as_words()).fold(0, |any, (x, y)| any | (x ^ y));
        public(differences == 0)
    }

    /// The nonce for a digest, with further data that may be fresh randomness (RFC 6979, sections 3.2 and 3.6): a
    /// number from 1 to the order less 1, as precise as the order. It is the one after `skipped` others, which
    /// gave no signature.
    ///
    /// The time depends on the number of candidates that are not below the order, which reveals nothing about the
    /// chosen one.
    ///
    /// The caller wipes the generator's remnants on the stack.
    #[inline(never)]
    pub(super) fn get(&self, digest: &Digest, data: &[u8], skipped: usize) -> Zeroizing<BoxedUint> {
        let hash = digest.hash();
        let start = self.starts[hash as usize].get_or_init(|| start(hash, &self.key));
        let reduced = self.order.reduced(digest).to_be_bytes();
        let seed = Seed {
            key: &self.key,
            digest: &reduced.as_ref()[U576::BYTES - self.key.len()..],
            data,
        };
        let mut words = Zeroizing::new([0; U576::LIMBS]);
        start.generate(&self.order, &seed, skipped, &mut words);
        self.order.integer(&words)
    }
}

impl Order {
    /// The first bits of a digest modulo the order.
    fn reduced(&self, digest: &Digest) -> U576 {
        let first = leftmost_bits(digest.as_bytes(), self.bits);
        let reduced = first.wrapping_sub(&self.value);
        U576::ct_select(&reduced, &first, first.ct_lt(&self.value))
    }

    /// Number of bytes of a candidate.
    fn bytes(&self) -> usize {
        self.bits.div_ceil(8) as usize
    }

    /// Writes the words of the candidate with these bytes, and returns whether it is from 1 to the order less 1 (step h).
    /// Constant time.
    fn take_candidate(&self, bytes: &[u8], nonce: &mut [Word; U576::LIMBS]) -> bool {
        let candidate = leftmost_bits(bytes, self.bits);
        nonce.copy_from_slice(candidate.as_words());
        (!candidate.is_zero() & candidate.ct_lt(&self.value)).to_bool()
    }

    /// A number below the order as an integer of the order's precision.
    fn integer(&self, words: &[Word; U576::LIMBS]) -> Zeroizing<BoxedUint> {
        let words = words[..self.words].iter().copied();
        Zeroizing::new(BoxedUint::from_words(words))
    }
}

/// The start of generators with this hash function.
fn start(hash: Hash, key: &[u8]) -> Box<dyn Start> {
    match hash {
        Hash::Sha224 => absorb::<sha2::Sha224>(key),
        Hash::Sha256 => absorb::<sha2::Sha256>(key),
        Hash::Sha384 => absorb::<sha2::Sha384>(key),
        Hash::Sha512 => absorb::<sha2::Sha512>(key),
        Hash::Sha512_224 => absorb::<sha2::Sha512_224>(key),
        Hash::Sha512_256 => absorb::<sha2::Sha512_256>(key),
        Hash::Sha3_224 => absorb::<sha3::Sha3_224>(key),
        Hash::Sha3_256 => absorb::<sha3::Sha3_256>(key),
        Hash::Sha3_384 => absorb::<sha3::Sha3_384>(key),
        Hash::Sha3_512 => absorb::<sha3::Sha3_512>(key),
    }
}

/// HMAC whose key is `K = 00 00 ...`, and which has absorbed `V = 01 01 ...`, 00 and the private key (steps b to d,
/// as far as no digest is needed).
fn absorb<D: EagerHash<Core: Send + Sync> + 'static>(key: &[u8]) -> Box<dyn Start> {
    let mut mac = keyed::<D>(&Output::<Hmac<D>>::default());
    mac.update(&first_value::<D>());
    mac.update(&[0]);
    mac.update(key);
    Box::new(Absorbed::<D>(mac))
}

/// `01 01 ...` (step b).
fn first_value<D: EagerHash>() -> Output<Hmac<D>> {
    let mut value = Output::<Hmac<D>>::default();
    value.fill(1);
    value
}

/// HMAC with a key, which has absorbed nothing.
fn keyed<D: EagerHash>(key: &[u8]) -> Hmac<D> {
    Hmac::new_from_slice(key).expect("HMAC takes keys of any length")
}

/// The inputs of a nonce.
struct Seed<'a> {
    key: &'a [u8],
    /// The first bits of the digest modulo the order, as long as the key.
    digest: &'a [u8],
    data: &'a [u8],
}

/// [`Absorbed`] with any hash function.
trait Start: Send + Sync {
    /// The words of the nonce after `skipped` others.
    fn generate(
        &self,
        order: &Order,
        seed: &Seed<'_>,
        skipped: usize,
        nonce: &mut [Word; U576::LIMBS],
    );
}

/// HMAC under way, as [`absorb`] leaves it; wiped on drop, as its hash functions are.
struct Absorbed<D: EagerHash>(Hmac<D>);

impl<D: EagerHash<Core: Send + Sync>> Start for Absorbed<D> {
    /// Generates in a stack frame of its own.
    #[inline(never)]
    fn generate(
        &self,
        order: &Order,
        seed: &Seed<'_>,
        skipped: usize,
        nonce: &mut [Word; U576::LIMBS],
    ) {
        let mut mac = self.0.clone();
        mac.update(seed.digest);
        mac.update(seed.data);
        let mut generator = Generator::<D>::new(mac);
        generator.renew(&[&[1], seed.key, seed.digest, seed.data]);
        let mut left = skipped;
        loop {
            if generator.take_candidate(order, nonce) {
                if left == 0 {
                    return;
                }
                left -= 1;
            }
            generator.renew(&[&[0]]);
        }
    }
}

/// The state of `HMAC_DRBG`; wiped on drop.
struct Generator<D: EagerHash> {
    /// HMAC with the key K, which has absorbed nothing.
    mac: Hmac<D>,
    /// V.
    value: Output<Hmac<D>>,
}

impl<D: EagerHash> Generator<D> {
    /// A generator whose K is the result of this HMAC, and whose V is the first value's HMAC (steps d and e).
    fn new(mac: Hmac<D>) -> Self {
        let mut generator = Self {
            mac: Self::keyed_by(mac),
            value: first_value::<D>(),
        };
        generator.step();
        generator
    }

    /// HMAC whose key is the result of another one.
    fn keyed_by(mac: Hmac<D>) -> Hmac<D> {
        let mut key = mac.finalize().into_bytes();
        let mac = keyed(&key);
        key.zeroize();
        mac
    }

    /// `K = HMAC_K(V || parts)` and `V = HMAC_K(V)` (steps f and g, and those of h after a refused candidate).
    fn renew(&mut self, parts: &[&[u8]]) {
        let mut mac = self.mac.clone();
        mac.update(&self.value);
        for part in parts {
            mac.update(part);
        }
        self.mac = Self::keyed_by(mac);
        self.step();
    }

    /// `V = HMAC_K(V)`.
    fn step(&mut self) {
        let mut mac = self.mac.clone();
        mac.update(&self.value);
        self.value = mac.finalize().into_bytes();
    }

    /// [`Order::take_candidate`] of the next candidate.
    fn take_candidate(&mut self, order: &Order, nonce: &mut [Word; U576::LIMBS]) -> bool {
        let mut bytes = Zeroizing::new([0; U576::BYTES]);
        let bytes = &mut bytes[..order.bytes()];
        for part in bytes.chunks_mut(self.value.len()) {
            self.step();
            part.copy_from_slice(&self.value[..part.len()]);
        }
        order.take_candidate(bytes, nonce)
    }
}

impl<D: EagerHash> Drop for Generator<D> {
    fn drop(&mut self) {
        self.value.zeroize();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::system_rng;
    use rand_core::Rng;
    use rfc6979::KGenerator;

    /// The nonces of the crate `rfc6979`.
    fn expected(
        curve: &Curve,
        [key, data]: [&[u8]; 2],
        digest: &Digest,
        skipped: usize,
    ) -> Vec<u8> {
        let order = curve.order().to_be_bytes();
        let order = leftmost_bits(&order, 8 * order.len() as u32);
        let mut nonce = vec![0; curve.order_bytes()];
        macro_rules! fill {
            ($hash:ty) => {{
                let digest = digest.as_bytes();
                let mut generator = KGenerator::<$hash, U576>::new(key, digest, data, &order);
                for _ in 0..=skipped {
                    generator.fill_next_k(&mut nonce);
                }
            }};
        }
        match digest.hash() {
            Hash::Sha224 => fill!(sha2::Sha224),
            Hash::Sha256 => fill!(sha2::Sha256),
            Hash::Sha384 => fill!(sha2::Sha384),
            Hash::Sha512 => fill!(sha2::Sha512),
            Hash::Sha512_224 => fill!(sha2::Sha512_224),
            Hash::Sha512_256 => fill!(sha2::Sha512_256),
            Hash::Sha3_224 => fill!(sha3::Sha3_224),
            Hash::Sha3_256 => fill!(sha3::Sha3_256),
            Hash::Sha3_384 => fill!(sha3::Sha3_384),
            Hash::Sha3_512 => fill!(sha3::Sha3_512),
        }
        nonce
    }

    /// On every curve with every hash function, with and without further data, the first nonces and later ones equal
    /// another implementation's; digests of ones are not below the order. A third of Brainpool's candidates is refused.
    #[test]
    fn as_another_implementation() {
        let mut rng = system_rng();
        for name in Curve::ALL_NAMES {
            let curve: Curve = name.parse().unwrap();
            for _ in 0..4 {
                let mut key = vec![0; curve.order_bytes()];
                rng.fill_bytes(&mut key);
                // Makes the key smaller than every order.
                key[0] = 0;
                key[1] >>= 1;
                let nonces = Nonces::new(&curve, Zeroizing::new(key.clone()));
                for &hash in Hash::ALL {
                    let mut bytes = [
                        [0; crate::hash::MAX_DIGEST],
                        [0xff; crate::hash::MAX_DIGEST],
                    ];
                    rng.fill_bytes(&mut bytes[0]);
                    let mut data = [0; 32];
                    rng.fill_bytes(&mut data);
                    for bytes in &bytes {
                        let digest = Digest::new(hash, &bytes[..hash.digest_len()]).unwrap();
                        for (data, skipped) in [(&[][..], 0), (&data, 0), (&[], 1), (&data, 2)] {
                            let nonce = nonces.get(&digest, data, skipped);
                            let expected = expected(&curve, [&key, data], &digest, skipped);
                            let precision = curve.order().bits_precision();
                            assert_eq!(nonce.bits_precision(), precision);
                            let expected = BoxedUint::from_be_slice(&expected, precision).unwrap();
                            assert_eq!(*nonce, expected, "{name} with {hash}");
                        }
                    }
                }
            }
        }
    }
}
