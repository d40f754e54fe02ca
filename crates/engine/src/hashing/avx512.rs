//! SHA-2 in registers of AVX-512: sixteen messages with SHA-256, eight with SHA-512.
#![expect(
    unsafe_code,
    reason = "instructions that a value of `Avx512` proves to be there"
)]
#![expect(
    clippy::inline_always,
    reason = "a compression must be compiled whole for the instruction set"
)]

use core::arch::x86_64::{
    __m512i, _mm512_add_epi32, _mm512_add_epi64, _mm512_loadu_si512, _mm512_ror_epi32,
    _mm512_ror_epi64, _mm512_set1_epi32, _mm512_set1_epi64, _mm512_srli_epi32, _mm512_srli_epi64,
    _mm512_storeu_si512, _mm512_ternarylogic_epi64,
};

use super::{
    constants::K,
    lanes::{self, Lanes},
};
use crate::instructions::Avx512;

/// Compresses a block into each of up to sixteen states of SHA-256, and returns how many.
pub(super) fn compress_256(_: Avx512, states: &mut [[u32; 8]], blocks: &[u8]) -> usize {
    #[target_feature(enable = "avx512f")]
    fn compiled(states: &mut [[u32; 8]], blocks: &[u8]) -> usize {
        lanes::compress::<Words32, 16>(states, blocks)
    }
    // SAFETY: the proof exists, so AVX-512F has been detected.
    unsafe { compiled(states, blocks) }
}

/// Compresses a block into each of up to eight states of SHA-512, and returns how many.
pub(super) fn compress_512(_: Avx512, states: &mut [[u64; 8]], blocks: &[u8]) -> usize {
    #[target_feature(enable = "avx512f")]
    fn compiled(states: &mut [[u64; 8]], blocks: &[u8]) -> usize {
        lanes::compress::<Words64, 8>(states, blocks)
    }
    // SAFETY: as in `compress_256`.
    unsafe { compiled(states, blocks) }
}

/// Sixteen words of 32 bits.
#[derive(Clone, Copy)]
struct Words32(__m512i);

// SAFETY, of all blocks: only the functions above call these, after detection of AVX-512F; slices have all lanes' words.
impl Words32 {
    #[inline(always)]
    fn rotate<const COUNT: i32>(self) -> Self {
        Self(unsafe { _mm512_ror_epi32::<COUNT>(self.0) })
    }

    #[inline(always)]
    fn xor([x, y, z]: [Self; 3]) -> Self {
        Self(unsafe { _mm512_ternarylogic_epi64::<0b1001_0110>(x.0, y.0, z.0) })
    }
}

// SAFETY, of all blocks: as above.
impl Lanes for Words32 {
    type Word = u32;

    const ROUNDS: usize = 64;

    #[inline(always)]
    fn load(words: &[u32]) -> Self {
        let words: &[u32; 16] = words.as_array().expect("a word for each lane");
        Self(unsafe { _mm512_loadu_si512(words.as_ptr().cast()) })
    }

    #[inline(always)]
    fn store(self, words: &mut [u32]) {
        let words: &mut [u32; 16] = words.as_mut_array().expect("a word for each lane");
        unsafe { _mm512_storeu_si512(words.as_mut_ptr().cast(), self.0) };
    }

    #[inline(always)]
    fn constant(round: usize) -> Self {
        let word: u32 = (K[round] >> 32) as u32;
        Self(unsafe { _mm512_set1_epi32(word.cast_signed()) })
    }

    #[inline(always)]
    fn word(bytes: &[u8]) -> u32 {
        u32::from_be_bytes(*bytes.as_array().expect("a word"))
    }

    #[inline(always)]
    fn add(self, y: Self) -> Self {
        Self(unsafe { _mm512_add_epi32(self.0, y.0) })
    }

    #[inline(always)]
    fn choose(self, y: Self, z: Self) -> Self {
        Self(unsafe { _mm512_ternarylogic_epi64::<0b1100_1010>(self.0, y.0, z.0) })
    }

    #[inline(always)]
    fn majority(self, y: Self, z: Self) -> Self {
        Self(unsafe { _mm512_ternarylogic_epi64::<0b1110_1000>(self.0, y.0, z.0) })
    }

    #[inline(always)]
    fn upper_sigma_0(self) -> Self {
        Self::xor([self.rotate::<2>(), self.rotate::<13>(), self.rotate::<22>()])
    }

    #[inline(always)]
    fn upper_sigma_1(self) -> Self {
        Self::xor([self.rotate::<6>(), self.rotate::<11>(), self.rotate::<25>()])
    }

    #[inline(always)]
    fn lower_sigma_0(self) -> Self {
        let shifted = Self(unsafe { _mm512_srli_epi32::<3>(self.0) });
        Self::xor([self.rotate::<7>(), self.rotate::<18>(), shifted])
    }

    #[inline(always)]
    fn lower_sigma_1(self) -> Self {
        let shifted = Self(unsafe { _mm512_srli_epi32::<10>(self.0) });
        Self::xor([self.rotate::<17>(), self.rotate::<19>(), shifted])
    }
}

/// Eight words of 64 bits.
#[derive(Clone, Copy)]
struct Words64(__m512i);

// SAFETY, of all blocks: only the functions above call these, after detection of AVX-512F; slices have all lanes' words.
impl Words64 {
    #[inline(always)]
    fn rotate<const COUNT: i32>(self) -> Self {
        Self(unsafe { _mm512_ror_epi64::<COUNT>(self.0) })
    }

    #[inline(always)]
    fn xor([x, y, z]: [Self; 3]) -> Self {
        Self(unsafe { _mm512_ternarylogic_epi64::<0b1001_0110>(x.0, y.0, z.0) })
    }
}

// SAFETY, of all blocks: as above.
impl Lanes for Words64 {
    type Word = u64;

    const ROUNDS: usize = 80;

    #[inline(always)]
    fn load(words: &[u64]) -> Self {
        let words: &[u64; 8] = words.as_array().expect("a word for each lane");
        Self(unsafe { _mm512_loadu_si512(words.as_ptr().cast()) })
    }

    #[inline(always)]
    fn store(self, words: &mut [u64]) {
        let words: &mut [u64; 8] = words.as_mut_array().expect("a word for each lane");
        unsafe { _mm512_storeu_si512(words.as_mut_ptr().cast(), self.0) };
    }

    #[inline(always)]
    fn constant(round: usize) -> Self {
        let word: u64 = K[round];
        Self(unsafe { _mm512_set1_epi64(word.cast_signed()) })
    }

    #[inline(always)]
    fn word(bytes: &[u8]) -> u64 {
        u64::from_be_bytes(*bytes.as_array().expect("a word"))
    }

    #[inline(always)]
    fn add(self, y: Self) -> Self {
        Self(unsafe { _mm512_add_epi64(self.0, y.0) })
    }

    #[inline(always)]
    fn choose(self, y: Self, z: Self) -> Self {
        Self(unsafe { _mm512_ternarylogic_epi64::<0b1100_1010>(self.0, y.0, z.0) })
    }

    #[inline(always)]
    fn majority(self, y: Self, z: Self) -> Self {
        Self(unsafe { _mm512_ternarylogic_epi64::<0b1110_1000>(self.0, y.0, z.0) })
    }

    #[inline(always)]
    fn upper_sigma_0(self) -> Self {
        Self::xor([
            self.rotate::<28>(),
            self.rotate::<34>(),
            self.rotate::<39>(),
        ])
    }

    #[inline(always)]
    fn upper_sigma_1(self) -> Self {
        Self::xor([
            self.rotate::<14>(),
            self.rotate::<18>(),
            self.rotate::<41>(),
        ])
    }

    #[inline(always)]
    fn lower_sigma_0(self) -> Self {
        let shifted = Self(unsafe { _mm512_srli_epi64::<7>(self.0) });
        Self::xor([self.rotate::<1>(), self.rotate::<8>(), shifted])
    }

    #[inline(always)]
    fn lower_sigma_1(self) -> Self {
        let shifted = Self(unsafe { _mm512_srli_epi64::<6>(self.0) });
        Self::xor([self.rotate::<19>(), self.rotate::<61>(), shifted])
    }
}
