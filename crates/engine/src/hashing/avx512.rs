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
    __m256i, __m512i, _mm256_loadu_si256, _mm256_storeu_si256, _mm512_add_epi32, _mm512_add_epi64,
    _mm512_castsi256_si512, _mm512_castsi512_si256, _mm512_extracti64x4_epi64, _mm512_inserti64x4,
    _mm512_loadu_si512, _mm512_permutex2var_epi64, _mm512_ror_epi32, _mm512_ror_epi64,
    _mm512_set_epi64, _mm512_set1_epi32, _mm512_set1_epi64, _mm512_shuffle_i64x2,
    _mm512_srli_epi32, _mm512_srli_epi64, _mm512_storeu_si512, _mm512_ternarylogic_epi64,
    _mm512_unpackhi_epi32, _mm512_unpackhi_epi64, _mm512_unpacklo_epi32, _mm512_unpacklo_epi64,
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

// SAFETY, of all blocks of the functions that follow: only the functions above call them, after detection of AVX-512F;
// loads and stores are of arrays of their size.

/// Sixty-four bytes.
#[inline(always)]
fn load(bytes: &[u8; 64]) -> __m512i {
    unsafe { _mm512_loadu_si512(bytes.as_ptr().cast()) }
}

/// A register of two halves.
#[inline(always)]
fn two_halves(low: &[u32; 8], high: &[u32; 8]) -> __m512i {
    unsafe {
        let low = _mm256_loadu_si256(low.as_ptr().cast());
        let high = _mm256_loadu_si256(high.as_ptr().cast());
        _mm512_inserti64x4::<1>(_mm512_castsi256_si512(low), high)
    }
}

#[inline(always)]
fn store_half(half: __m256i, words: &mut [u32; 8]) {
    unsafe { _mm256_storeu_si256(words.as_mut_ptr().cast(), half) };
}

/// Words of 32 bits with their bytes in reverse order.
#[inline(always)]
fn reverse_bytes_32(x: __m512i) -> __m512i {
    // Bytes 0 and 2 of each word of the one, bytes 1 and 3 of the other.
    unsafe {
        let mask = _mm512_set1_epi32(0x00ff_00ff);
        let (right, left) = (_mm512_ror_epi32::<8>(x), _mm512_ror_epi32::<24>(x));
        _mm512_ternarylogic_epi64::<0b1100_1010>(mask, left, right)
    }
}

/// Words of 64 bits with their bytes in reverse order.
#[inline(always)]
fn reverse_bytes_64(x: __m512i) -> __m512i {
    unsafe { _mm512_ror_epi64::<32>(reverse_bytes_32(x)) }
}

/// Quarters 0 and 2 of x, then those of y.
#[inline(always)]
fn even_quarters(x: __m512i, y: __m512i) -> __m512i {
    unsafe { _mm512_shuffle_i64x2::<0b10_00_10_00>(x, y) }
}

/// Quarters 1 and 3 of x, then those of y.
#[inline(always)]
fn odd_quarters(x: __m512i, y: __m512i) -> __m512i {
    unsafe { _mm512_shuffle_i64x2::<0b11_01_11_01>(x, y) }
}

/// Quarter 0 of x and of y and quarter 1 of both; then quarters 2 and 3 likewise.
#[inline(always)]
fn pairs_of_quarters(x: __m512i, y: __m512i) -> (__m512i, __m512i) {
    unsafe {
        let low = _mm512_set_epi64(11, 10, 3, 2, 9, 8, 1, 0);
        let high = _mm512_set_epi64(15, 14, 7, 6, 13, 12, 5, 4);
        (
            _mm512_permutex2var_epi64(x, low, y),
            _mm512_permutex2var_epi64(x, high, y),
        )
    }
}

/// Each four rows transposed, in each quarter of registers: row `4 i + j` of the result has, in quarter q, word `4 q + j` of
/// rows `4 i` to `4 i + 3`.
#[inline(always)]
fn quarters_32<const N: usize>(rows: [__m512i; N]) -> [__m512i; N] {
    let mut out = rows;
    for k in (0..N).step_by(4) {
        unsafe {
            let low = _mm512_unpacklo_epi32(rows[k], rows[k + 1]);
            let low_of_others = _mm512_unpacklo_epi32(rows[k + 2], rows[k + 3]);
            let high = _mm512_unpackhi_epi32(rows[k], rows[k + 1]);
            let high_of_others = _mm512_unpackhi_epi32(rows[k + 2], rows[k + 3]);
            out[k] = _mm512_unpacklo_epi64(low, low_of_others);
            out[k + 1] = _mm512_unpackhi_epi64(low, low_of_others);
            out[k + 2] = _mm512_unpacklo_epi64(high, high_of_others);
            out[k + 3] = _mm512_unpackhi_epi64(high, high_of_others);
        }
    }
    out
}

/// The quarters with the same number of four rows, in their order: for each number a row.
#[inline(always)]
fn transpose_quarters([x, y, z, w]: [__m512i; 4]) -> [__m512i; 4] {
    let (even, even_of_others) = (even_quarters(x, y), even_quarters(z, w));
    let (odd, odd_of_others) = (odd_quarters(x, y), odd_quarters(z, w));
    [
        even_quarters(even, even_of_others),
        even_quarters(odd, odd_of_others),
        odd_quarters(even, even_of_others),
        odd_quarters(odd, odd_of_others),
    ]
}

/// Rows of sixteen words, transposed.
#[inline(always)]
fn transpose_32(rows: [__m512i; 16]) -> [__m512i; 16] {
    let rows = quarters_32(rows);
    let mut out = rows;
    for k in 0..4 {
        let columns = transpose_quarters([rows[k], rows[4 + k], rows[8 + k], rows[12 + k]]);
        for quarter in 0..4 {
            out[4 * quarter + k] = columns[quarter];
        }
    }
    out
}

/// Rows of eight words, transposed.
#[inline(always)]
fn transpose_64(rows: [__m512i; 8]) -> [__m512i; 8] {
    let mut pairs = rows;
    for k in (0..8).step_by(2) {
        unsafe {
            pairs[k] = _mm512_unpacklo_epi64(rows[k], rows[k + 1]);
            pairs[k + 1] = _mm512_unpackhi_epi64(rows[k], rows[k + 1]);
        }
    }
    let mut out = rows;
    for k in 0..2 {
        let columns = transpose_quarters([pairs[k], pairs[2 + k], pairs[4 + k], pairs[6 + k]]);
        for quarter in 0..4 {
            out[2 * quarter + k] = columns[quarter];
        }
    }
    out
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
    const LANES: usize = 16;

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
    fn words(blocks: &[u8]) -> [Self; 16] {
        let blocks = blocks.as_chunks::<64>().0;
        let mut rows = [load(&blocks[0]); 16];
        for k in 1..16 {
            rows[k] = load(&blocks[k]);
        }
        let rows = transpose_32(rows);
        let mut words = [Self(rows[0]); 16];
        for k in 0..16 {
            words[k] = Self(reverse_bytes_32(rows[k]));
        }
        words
    }

    #[inline(always)]
    fn load_states(states: &[[u32; 8]]) -> [Self; 8] {
        // Row k has state k, or 4 more for the last four, and the one four further on.
        let mut rows = [two_halves(&states[0], &states[4]); 8];
        for k in 1..8 {
            let first = k + (k & 4);
            rows[k] = two_halves(&states[first], &states[first + 4]);
        }
        let rows = quarters_32(rows);
        let mut words = [Self(rows[0]); 8];
        for k in 0..4 {
            words[k] = Self(even_quarters(rows[k], rows[4 + k]));
            words[4 + k] = Self(odd_quarters(rows[k], rows[4 + k]));
        }
        words
    }

    #[inline(always)]
    fn store_states(words: [Self; 8], states: &mut [[u32; 8]]) {
        let mut rows = [words[0].0; 8];
        for k in 1..8 {
            rows[k] = words[k].0;
        }
        let rows = quarters_32(rows);
        for k in 0..4 {
            // A quarter has four words of a state: the first ones in one row, the others in another.
            let (low, high) = pairs_of_quarters(rows[k], rows[4 + k]);
            for (first, pair) in [(k, low), (8 + k, high)] {
                let (lower, higher) = unsafe {
                    (
                        _mm512_castsi512_si256(pair),
                        _mm512_extracti64x4_epi64::<1>(pair),
                    )
                };
                store_half(lower, &mut states[first]);
                store_half(higher, &mut states[first + 4]);
            }
        }
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
    const LANES: usize = 8;

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
    fn words(blocks: &[u8]) -> [Self; 16] {
        let halves = blocks.as_chunks::<64>().0;
        let (mut low, mut high) = ([load(&halves[0]); 8], [load(&halves[1]); 8]);
        for k in 1..8 {
            (low[k], high[k]) = (load(&halves[2 * k]), load(&halves[2 * k + 1]));
        }
        let (low, high) = (transpose_64(low), transpose_64(high));
        let mut words = [Self(low[0]); 16];
        for k in 0..8 {
            words[k] = Self(reverse_bytes_64(low[k]));
            words[8 + k] = Self(reverse_bytes_64(high[k]));
        }
        words
    }

    #[inline(always)]
    fn load_states(states: &[[u64; 8]]) -> [Self; 8] {
        let mut rows = [Self::load(&states[0]).0; 8];
        for k in 1..8 {
            rows[k] = Self::load(&states[k]).0;
        }
        let rows = transpose_64(rows);
        let mut words = [Self(rows[0]); 8];
        for k in 1..8 {
            words[k] = Self(rows[k]);
        }
        words
    }

    #[inline(always)]
    fn store_states(words: [Self; 8], states: &mut [[u64; 8]]) {
        let mut rows = [words[0].0; 8];
        for k in 1..8 {
            rows[k] = words[k].0;
        }
        let rows = transpose_64(rows);
        for k in 0..8 {
            Self(rows[k]).store(&mut states[k]);
        }
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
