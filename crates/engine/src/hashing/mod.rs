//! SHA-2 of many messages at a time, one a vector lane (FIPS 180-4).
//!
//! Signatures of a batch hash thousands of short messages, each in one or two blocks. Their compressions do not depend on
//! each other: with AVX-512, SHA-256 compresses sixteen blocks at a time and SHA-512 eight, in a third and a seventh of
//! the time that they take one after the other. Without these instructions, for the rest of a batch, and for long
//! messages the crate `sha2` compresses.
//!
//! ```
//! use sunzi_engine::hashing::{Message, Sha512, hash};
//!
//! let parts: [&[u8]; 2] = [b"a", b"bc"];
//! let messages = [Message::<Sha512>::new(&parts), Message::new(&parts[..1])];
//! let digests = hash(&messages);
//! assert_eq!(digests[0][0], 0xddaf_35a1_9361_7aba);
//! ```

#[cfg(target_arch = "x86_64")]
mod avx2;
#[cfg(target_arch = "x86_64")]
mod avx512;
#[cfg(target_arch = "x86_64")]
mod constants;
#[cfg(target_arch = "x86_64")]
mod lanes;
#[cfg(test)]
mod tests;

use smallvec::SmallVec;
use zeroize::Zeroizing;

use self::sealed::Core;

/// SHA-256: words of 32 bits, blocks of 64 bytes.
#[derive(Clone, Copy, Debug)]
pub struct Sha256;

/// SHA-384: as SHA-512, with another beginning and a shorter digest.
#[derive(Clone, Copy, Debug)]
pub struct Sha384;

/// SHA-512: words of 64 bits, blocks of 128 bytes.
#[derive(Clone, Copy, Debug)]
pub struct Sha512;

/// A hash function that computes in lanes.
pub trait Function: Core {}

impl Function for Sha256 {}
impl Function for Sha384 {}
impl Function for Sha512 {}

/// The eight words of a hash function's state.
pub type State<F> = [<F as Core>::Word; 8];

/// The bytes of a digest.
pub type DigestOf<F> = <F as Core>::Digest;

mod sealed {
    use zeroize::Zeroize;

    /// What a hash function is made of.
    pub trait Core: Sized {
        /// A word of the state.
        type Word: Copy + Default + PartialEq + core::fmt::Debug + Zeroize + 'static;

        /// Number of bytes of a block, at most 128.
        const BLOCK: usize;
        /// Number of bytes at the end of the last block that have the length of the message.
        const LENGTH: usize;
        /// The state before the first block.
        const START: [Self::Word; 8];

        /// The bytes of a digest.
        type Digest: AsRef<[u8]> + AsMut<[u8]> + Copy + Zeroize + 'static;

        /// A digest whose bytes are all the same.
        fn filled(byte: u8) -> Self::Digest;

        /// The digest of a state at the end of a message.
        fn digest(state: &[Self::Word; 8]) -> Self::Digest;

        /// Compresses one block into a state.
        fn compress(state: &mut [Self::Word; 8], block: &[u8]);

        /// Compresses a block into each of the first states, at most as many as a vector has lanes, and returns how many
        /// these are: none if there are no such vectors, or so few states that it does not pay. Blocks lie one after the
        /// other.
        fn compress_in_lanes(states: &mut [[Self::Word; 8]], blocks: &[u8]) -> usize;

        /// The largest number of lanes of a vector.
        const MOST_LANES: usize;
    }
}

impl Core for Sha256 {
    type Word = u32;
    type Digest = [u8; 32];

    const BLOCK: usize = 64;
    const LENGTH: usize = 8;
    const START: [u32; 8] = [
        0x6a09_e667,
        0xbb67_ae85,
        0x3c6e_f372,
        0xa54f_f53a,
        0x510e_527f,
        0x9b05_688c,
        0x1f83_d9ab,
        0x5be0_cd19,
    ];
    const MOST_LANES: usize = 16;

    fn filled(byte: u8) -> [u8; 32] {
        [byte; 32]
    }

    fn digest(state: &[u32; 8]) -> [u8; 32] {
        let mut bytes = [0; 32];
        for (bytes, word) in bytes.as_chunks_mut::<4>().0.iter_mut().zip(state) {
            *bytes = word.to_be_bytes();
        }
        bytes
    }

    fn compress(state: &mut [u32; 8], block: &[u8]) {
        let (blocks, _) = block.as_chunks();
        sha2::block_api::compress256(state, blocks);
    }

    fn compress_in_lanes(states: &mut [[u32; 8]], blocks: &[u8]) -> usize {
        /// From so many states on, a vector is faster than one compression after the other by the instructions for SHA.
        const LEAST: usize = 8;
        #[cfg(target_arch = "x86_64")]
        if states.len() >= LEAST
            && let Some(proof) = crate::instructions::Avx512::detect()
        {
            return avx512::compress_256(proof, states, blocks);
        }
        let _ = (states, blocks, LEAST);
        0
    }
}

impl Core for Sha512 {
    type Word = u64;
    type Digest = [u8; 64];

    const BLOCK: usize = 128;
    const LENGTH: usize = 16;
    const START: [u64; 8] = [
        0x6a09_e667_f3bc_c908,
        0xbb67_ae85_84ca_a73b,
        0x3c6e_f372_fe94_f82b,
        0xa54f_f53a_5f1d_36f1,
        0x510e_527f_ade6_82d1,
        0x9b05_688c_2b3e_6c1f,
        0x1f83_d9ab_fb41_bd6b,
        0x5be0_cd19_137e_2179,
    ];
    const MOST_LANES: usize = 8;

    fn filled(byte: u8) -> [u8; 64] {
        [byte; 64]
    }

    fn digest(state: &[u64; 8]) -> [u8; 64] {
        let mut bytes = [0; 64];
        for (bytes, word) in bytes.as_chunks_mut::<8>().0.iter_mut().zip(state) {
            *bytes = word.to_be_bytes();
        }
        bytes
    }

    fn compress(state: &mut [u64; 8], block: &[u8]) {
        let (blocks, _) = block.as_chunks();
        sha2::block_api::compress512(state, blocks);
    }

    fn compress_in_lanes(states: &mut [[u64; 8]], blocks: &[u8]) -> usize {
        /// From so many states on, a vector is faster.
        const LEAST: usize = 2;
        #[cfg(target_arch = "x86_64")]
        if states.len() >= LEAST {
            use crate::instructions::{Avx2, Avx512};
            if let Some(proof) = Avx512::detect() {
                return avx512::compress_512(proof, states, blocks);
            }
            if let Some(proof) = Avx2::detect() {
                return avx2::compress_512(proof, states, blocks);
            }
        }
        let _ = (states, blocks, LEAST);
        0
    }
}

impl Core for Sha384 {
    type Word = u64;
    type Digest = [u8; 48];

    const BLOCK: usize = Sha512::BLOCK;
    const LENGTH: usize = Sha512::LENGTH;
    const START: [u64; 8] = [
        0xcbbb_9d5d_c105_9ed8,
        0x629a_292a_367c_d507,
        0x9159_015a_3070_dd17,
        0x152f_ecd8_f70e_5939,
        0x6733_2667_ffc0_0b31,
        0x8eb4_4a87_6858_1511,
        0xdb0c_2e0d_64f9_8fa7,
        0x47b5_481d_befa_4fa4,
    ];
    const MOST_LANES: usize = Sha512::MOST_LANES;

    fn filled(byte: u8) -> [u8; 48] {
        [byte; 48]
    }

    fn digest(state: &[u64; 8]) -> [u8; 48] {
        let mut digest = [0; 48];
        digest.copy_from_slice(&Sha512::digest(state)[..48]);
        digest
    }

    fn compress(state: &mut [u64; 8], block: &[u8]) {
        Sha512::compress(state, block);
    }

    fn compress_in_lanes(states: &mut [[u64; 8]], blocks: &[u8]) -> usize {
        Sha512::compress_in_lanes(states, blocks)
    }
}

/// A message in parts, or the rest of one.
#[derive(Clone, Copy, Debug)]
pub struct Message<'a, F: Function> {
    state: State<F>,
    /// Number of bytes before the parts: whole blocks.
    absorbed: u64,
    parts: &'a [&'a [u8]],
}

impl<'a, F: Function> Message<'a, F> {
    /// A message whose bytes are those of the parts, one after the other.
    pub fn new(parts: &'a [&'a [u8]]) -> Self {
        Self::after(F::START, 0, parts)
    }

    /// The rest of a message of which this many blocks have been compressed, which gave this state.
    pub fn after(state: State<F>, blocks: u64, parts: &'a [&'a [u8]]) -> Self {
        Self {
            state,
            absorbed: blocks * F::BLOCK as u64,
            parts,
        }
    }

    /// Number of bytes of the parts.
    fn length(&self) -> usize {
        self.parts.iter().map(|part| part.len()).sum()
    }

    /// Writes block `index` of the parts, which have this many bytes, with the padding.
    fn write(&self, length: usize, index: usize, block: &mut [u8]) {
        // Bytes of the parts before the block, and the rest of the block.
        let (mut before, mut rest) = (index * F::BLOCK, block);
        for part in self.parts {
            let left = &part[before.min(part.len())..];
            before -= part.len() - left.len();
            let (now, later) = rest.split_at_mut(left.len().min(rest.len()));
            // Most parts are digests or keys of 32 bytes: a copy in registers, without a call.
            if let (Some(now), Some(left)) = (now.as_mut_array::<32>(), left.first_chunk()) {
                *now = *left;
            } else {
                now.copy_from_slice(&left[..now.len()]);
            }
            rest = later;
        }
        rest.fill(0);
        if let Some(end) = length.checked_sub(index * F::BLOCK)
            && let Some(mark) = rest.first_mut()
            && end < F::BLOCK
        {
            *mark = 0x80;
        }
        if index + 1 == blocks::<F>(length) {
            let bits = u128::from(self.absorbed + length as u64) * 8;
            let bytes = bits.to_be_bytes();
            // There is room, as the blocks were counted with it.
            let place = rest.len() - F::LENGTH;
            rest[place..].copy_from_slice(&bytes[bytes.len() - F::LENGTH..]);
        }
    }
}

/// Number of blocks of so many bytes, with the padding.
fn blocks<F: Function>(length: usize) -> usize {
    (length + 1 + F::LENGTH).div_ceil(F::BLOCK)
}

/// The states at the end of all messages, in their order; wiped on drop. The time depends on the lengths of the parts
/// alone. Blocks are wiped; the caller wipes what is left on the stack.
pub fn hash<F: Function>(messages: &[Message<'_, F>]) -> Zeroizing<Vec<State<F>>> {
    let states = messages.iter().map(|message| message.state);
    let mut states = Zeroizing::new(states.collect::<Vec<_>>());
    let lengths: Vec<usize> = messages.iter().map(Message::length).collect();
    let blocks: Vec<usize> = lengths.iter().map(|&length| blocks::<F>(length)).collect();
    // Messages of a vector are of about the same length.
    let mut order: Vec<usize> = (0..messages.len()).collect();
    if blocks.iter().any(|&count| count != blocks[0]) {
        order.sort_by_key(|&place| blocks[place]);
    }
    let mut lanes = Zeroizing::new(vec![[F::Word::default(); 8]; F::MOST_LANES]);
    let mut bytes = Zeroizing::new(vec![0; F::MOST_LANES * F::BLOCK]);
    for places in order.chunks(F::MOST_LANES) {
        let longest = places.iter().map(|&place| blocks[place]).max();
        for index in 0..longest.unwrap_or(0) {
            let active = places.iter().filter(|&&place| index < blocks[place]);
            let active: SmallVec<[usize; 16]> = active.copied().collect();
            for (lane, &place) in active.iter().enumerate() {
                lanes[lane] = states[place];
                let block = &mut bytes[lane * F::BLOCK..][..F::BLOCK];
                messages[place].write(lengths[place], index, block);
            }
            let count = active.len();
            compress::<F>(&mut lanes[..count], &bytes[..count * F::BLOCK]);
            for (lane, &place) in lanes.iter().zip(&active) {
                states[place] = *lane;
            }
        }
    }
    states
}

/// Compresses a block into each state. Blocks lie one after the other, as many as states.
pub fn compress<F: Function>(mut states: &mut [State<F>], mut blocks: &[u8]) {
    while !states.is_empty() {
        match F::compress_in_lanes(states, blocks) {
            0 => {
                for (state, block) in states.iter_mut().zip(blocks.chunks_exact(F::BLOCK)) {
                    F::compress(state, block);
                }
                return;
            }
            done => {
                states = &mut states[done..];
                blocks = &blocks[done * F::BLOCK..];
            }
        }
    }
}

/// The digest of a state at the end of a message: its words, big-endian.
pub fn digest<F: Function>(state: &State<F>) -> F::Digest {
    F::digest(state)
}
