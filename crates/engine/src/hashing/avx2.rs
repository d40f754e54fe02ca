//! SHA-512 of four messages in registers of AVX2.
#![expect(
    unsafe_code,
    reason = "instructions that a value of `Avx2` proves to be there"
)]
#![expect(
    clippy::inline_always,
    reason = "a compression must be compiled whole for the instruction set"
)]

use core::arch::x86_64::{
    __m256i, _mm_cvtsi32_si128, _mm256_add_epi64, _mm256_and_si256, _mm256_loadu_si256,
    _mm256_or_si256, _mm256_set1_epi64x, _mm256_sll_epi64, _mm256_srli_epi64, _mm256_storeu_si256,
    _mm256_xor_si256,
};

use super::{
    constants::K,
    lanes::{self, Lanes},
};
use crate::instructions::Avx2;

/// Compresses a block into each of up to four states of SHA-512, and returns how many.
pub(super) fn compress_512(_: Avx2, states: &mut [[u64; 8]], blocks: &[u8]) -> usize {
    #[target_feature(enable = "avx2")]
    fn compiled(states: &mut [[u64; 8]], blocks: &[u8]) -> usize {
        lanes::compress::<Words64, 4>(states, blocks)
    }
    // SAFETY: the proof exists, so AVX2 has been detected.
    unsafe { compiled(states, blocks) }
}

/// Four words of 64 bits.
#[derive(Clone, Copy)]
struct Words64(__m256i);

// SAFETY, of all blocks: only the function above calls these, after detection of AVX2; slices have all lanes' words.
impl Words64 {
    #[inline(always)]
    fn rotate<const COUNT: i32>(self) -> Self {
        // The compiler makes an immediate operand of the count.
        let left = unsafe { _mm256_sll_epi64(self.0, _mm_cvtsi32_si128(64 - COUNT)) };
        Self(unsafe { _mm256_or_si256(_mm256_srli_epi64::<COUNT>(self.0), left) })
    }

    #[inline(always)]
    fn xor([x, y, z]: [Self; 3]) -> Self {
        Self(unsafe { _mm256_xor_si256(_mm256_xor_si256(x.0, y.0), z.0) })
    }
}

// SAFETY, of all blocks: as above.
impl Lanes for Words64 {
    type Word = u64;

    const ROUNDS: usize = 80;
    const LANES: usize = 4;

    #[inline(always)]
    fn load(words: &[u64]) -> Self {
        let words: &[u64; 4] = words.as_array().expect("a word for each lane");
        Self(unsafe { _mm256_loadu_si256(words.as_ptr().cast()) })
    }

    #[inline(always)]
    fn store(self, words: &mut [u64]) {
        let words: &mut [u64; 4] = words.as_mut_array().expect("a word for each lane");
        unsafe { _mm256_storeu_si256(words.as_mut_ptr().cast(), self.0) };
    }

    #[inline(always)]
    fn constant(round: usize) -> Self {
        Self(unsafe { _mm256_set1_epi64x(K[round].cast_signed()) })
    }

    #[inline(always)]
    fn word(bytes: &[u8]) -> u64 {
        u64::from_be_bytes(*bytes.as_array().expect("a word"))
    }

    #[inline(always)]
    fn add(self, y: Self) -> Self {
        Self(unsafe { _mm256_add_epi64(self.0, y.0) })
    }

    #[inline(always)]
    fn choose(self, y: Self, z: Self) -> Self {
        let difference = unsafe { _mm256_and_si256(_mm256_xor_si256(y.0, z.0), self.0) };
        Self(unsafe { _mm256_xor_si256(z.0, difference) })
    }

    #[inline(always)]
    fn majority(self, y: Self, z: Self) -> Self {
        let both = unsafe { _mm256_and_si256(self.0, y.0) };
        let either = unsafe { _mm256_and_si256(_mm256_or_si256(self.0, y.0), z.0) };
        Self(unsafe { _mm256_or_si256(both, either) })
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
        let shifted = Self(unsafe { _mm256_srli_epi64::<7>(self.0) });
        Self::xor([self.rotate::<1>(), self.rotate::<8>(), shifted])
    }

    #[inline(always)]
    fn lower_sigma_1(self) -> Self {
        let shifted = Self(unsafe { _mm256_srli_epi64::<6>(self.0) });
        Self::xor([self.rotate::<19>(), self.rotate::<61>(), shifted])
    }
}
