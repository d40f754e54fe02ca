//! Nonces of a batch, hashed many at a time: `HMAC_DRBG` for SHA-2, in step for all.

use super::{Nonces, Order};
use crate::wipe::Wiped;
use crate::{Digest, Hash};
use crypto_bigint::{BoxedUint, U576};
use sunzi_engine::hashing::{self, Function, Message, State};
use zeroize::Zeroizing;

/// The nonce of a key for a digest, as [`Nonces::get`] takes it.
pub(in super::super) struct Request<'a> {
    pub(in super::super) nonces: &'a Nonces,
    pub(in super::super) digest: &'a Digest,
    pub(in super::super) data: &'a [u8],
    pub(in super::super) skipped: usize,
}

impl Request<'_> {
    /// The nonce by itself.
    fn alone(&self) -> Zeroizing<BoxedUint> {
        self.nonces.get(self.digest, self.data, self.skipped)
    }

    fn order(&self) -> &Order {
        &self.nonces.order
    }
}

/// The nonces that are asked for, each the one that [`Nonces::get`] gives. The caller wipes what is left on the stack.
///
/// The time depends on the number of candidates that are not below the order, which reveals nothing about the chosen ones.
pub(in super::super) fn nonces(requests: &[Request<'_>]) -> Vec<Zeroizing<BoxedUint>> {
    /// From so many nonces with one hash function on, hashing them together pays.
    const LEAST: usize = 8;
    let mut nonces: Vec<Option<Zeroizing<BoxedUint>>> = vec![None; requests.len()];
    for &hash in Hash::ALL {
        let with_hash = |place: &usize| requests[*place].digest.hash() == hash;
        let places: Vec<usize> = (0..requests.len()).filter(with_hash).collect();
        if places.len() < LEAST {
            continue;
        }
        let of_hash: Vec<_> = places.iter().map(|&place| &requests[place]).collect();
        let firsts = match hash {
            Hash::Sha256 => first_candidates::<hashing::Sha256>(&of_hash),
            Hash::Sha384 => first_candidates::<hashing::Sha384>(&of_hash),
            Hash::Sha512 => first_candidates::<hashing::Sha512>(&of_hash),
            _ => continue,
        };
        for (&place, nonce) in places.iter().zip(firsts) {
            nonces[place] = nonce;
        }
    }
    let nonces = nonces.into_iter().zip(requests);
    let nonces = nonces.map(|(nonce, request)| nonce.unwrap_or_else(|| request.alone()));
    nonces.collect()
}

/// The first candidate of each nonce (RFC 6979, section 3.2), if it is wanted and from 1 to the order less 1.
fn first_candidates<F: Function>(requests: &[&Request<'_>]) -> Vec<Option<Zeroizing<BoxedUint>>> {
    let digests = requests.iter().map(|request| {
        let reduced = request.order().reduced(request.digest);
        reduced.to_be_bytes()
    });
    let digests: Vec<_> = digests.collect();
    let seeds = requests.iter().zip(&digests).map(|(request, digest)| {
        let key = &request.nonces.key;
        let digest = &digest.as_ref()[U576::BYTES - key.len()..];
        [&key[..], digest, request.data]
    });
    let seeds: Vec<[&[u8]; 3]> = seeds.collect();
    let mut generators = Generators::<F>::new(requests.len());
    for separator in [0, 1] {
        generators.renew(separator, &seeds);
    }
    // Candidates of some orders are longer than a digest.
    let longest = requests.iter().map(|request| request.order().bytes()).max();
    let mut bytes = Wiped::new(vec![[0; U576::BYTES]; requests.len()]);
    for first in (0..longest.unwrap_or(0)).step_by(size_of::<F::Digest>()) {
        generators.step();
        for (bytes, value) in bytes.iter_mut().zip(&*generators.values) {
            for (byte, &random) in bytes[first..].iter_mut().zip(value.as_ref()) {
                *byte = random;
            }
        }
    }
    let candidates = requests.iter().zip(&*bytes).map(|(request, bytes)| {
        let order = request.order();
        let mut words = Zeroizing::new([0; U576::LIMBS]);
        let is_nonce = order.take_candidate(&bytes[..order.bytes()], &mut words);
        (is_nonce && request.skipped == 0).then(|| order.integer(&words))
    });
    candidates.collect()
}

/// The states of `HMAC_DRBG` of several nonces.
struct Generators<F: Function> {
    /// HMAC with each generator's K, which has absorbed nothing: the states of the inner and of the outer hash.
    keyed: [Zeroizing<Vec<State<F>>>; 2],
    /// V of each generator.
    values: Digests<F>,
}

/// Digests; wiped on drop.
type Digests<F> = Wiped<hashing::DigestOf<F>>;

impl<F: Function> Generators<F> {
    /// Generators with `K = 00 00 ...` and `V = 01 01 ...` (steps b and c).
    fn new(count: usize) -> Self {
        // The states are the same for all.
        let of_one = keyed::<F>(&[F::filled(0)]);
        Self {
            keyed: of_one.map(|states| Zeroizing::new(vec![states[0]; count])),
            values: Wiped::new(vec![F::filled(1); count]),
        }
    }

    /// `K = HMAC_K(V || separator || seed)` and `V = HMAC_K(V)` (steps d to g).
    fn renew(&mut self, separator: u8, seeds: &[[&[u8]; 3]]) {
        let separator = [separator];
        let parts = self.values.iter().zip(seeds);
        let parts = parts
            .map(|(value, &[key, digest, data])| [value.as_ref(), &separator, key, digest, data]);
        let keys = self.hmac(&parts.collect::<Vec<_>>());
        self.keyed = keyed::<F>(&keys);
        self.step();
    }

    /// `V = HMAC_K(V)`.
    fn step(&mut self) {
        let parts = self.values.iter().map(|value| [value.as_ref()]);
        self.values = self.hmac(&parts.collect::<Vec<_>>());
    }

    /// `HMAC_K` of the parts.
    fn hmac<const N: usize>(&self, parts: &[[&[u8]; N]]) -> Digests<F> {
        let [inner, outer] = &self.keyed;
        let messages = inner.iter().zip(parts);
        let messages = messages.map(|(&state, parts)| Message::<F>::after(state, 1, parts));
        let inner = digests::<F>(&messages.collect::<Vec<_>>());
        let parts: Vec<[&[u8]; 1]> = inner.iter().map(|digest| [digest.as_ref()]).collect();
        let messages = outer.iter().zip(&parts);
        let messages = messages.map(|(&state, parts)| Message::<F>::after(state, 1, parts));
        digests::<F>(&messages.collect::<Vec<_>>())
    }
}

/// The digests of messages.
fn digests<F: Function>(messages: &[Message<'_, F>]) -> Digests<F> {
    let states = hashing::hash(messages);
    Wiped::new(states.iter().map(hashing::digest::<F>).collect())
}

/// HMAC with these keys, each as long as a digest (RFC 2104): the states of the inner and of the outer hash.
fn keyed<F: Function>(keys: &[F::Digest]) -> [Zeroizing<Vec<State<F>>>; 2] {
    const PADS: [u8; 2] = [0x36, 0x5c];
    PADS.map(|pad| {
        let pads = u64::from_ne_bytes([pad; 8]);
        // A vector of blocks at a time, the end of which stays as it is.
        let mut blocks = Zeroizing::new(vec![pad; F::MOST_LANES * F::BLOCK]);
        let mut states = Zeroizing::new(vec![F::START; keys.len()]);
        let vectors = states.chunks_mut(F::MOST_LANES);
        for (states, keys) in vectors.zip(keys.chunks(F::MOST_LANES)) {
            for (block, key) in blocks.chunks_exact_mut(F::BLOCK).zip(keys) {
                let (words, _) = block.as_chunks_mut();
                let (key, _) = key.as_ref().as_chunks();
                for (word, key) in words.iter_mut().zip(key) {
                    *word = (pads ^ u64::from_ne_bytes(*key)).to_ne_bytes();
                }
            }
            hashing::compress::<F>(states, &blocks[..keys.len() * F::BLOCK]);
        }
        states
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ec::Curve;
    use crate::system_rng;
    use rand_core::Rng;

    /// Nonces of all curves, with hash functions that are computed in lanes and others, of batches that mix them, with
    /// and without further data, are those that each takes by itself.
    #[test]
    fn as_one_by_one() {
        let mut rng = system_rng();
        let hashes = [Hash::Sha256, Hash::Sha384, Hash::Sha512, Hash::Sha3_256];
        let keys = Curve::ALL_NAMES.iter().map(|name| {
            let curve: Curve = name.parse().unwrap();
            let mut key = Zeroizing::new(vec![0; curve.order_bytes()]);
            rng.fill_bytes(&mut key);
            // Smaller than every order.
            (key[0], key[1]) = (0, key[1] >> 1);
            Nonces::new(&curve, key)
        });
        let keys: Vec<_> = keys.collect();
        let data = [5; 32];
        let digests = hashes.map(|hash| {
            let mut bytes = [[0; 64], [0xff; 64], [0; 64]];
            rng.fill_bytes(&mut bytes[0]);
            bytes.map(|bytes| Digest::new(hash, &bytes[..hash.digest_len()]).unwrap())
        });
        let mut requests = Vec::new();
        for nonces in &keys {
            for (k, digest) in digests.iter().flatten().enumerate() {
                requests.push(Request {
                    nonces,
                    digest,
                    data: if k % 2 == 0 { &[] } else { &data },
                    skipped: usize::from(k % 5 == 0),
                });
            }
        }
        for count in [1, 7, 8, 100, requests.len()] {
            let made = nonces(&requests[..count]);
            for (request, nonce) in requests.iter().zip(made) {
                assert_eq!(nonce, request.alone());
            }
        }
    }
}
