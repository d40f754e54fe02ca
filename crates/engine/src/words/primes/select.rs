//! Look-ups by secret indices: all entries are read, and all but one are masked away.
#![cfg_attr(
    target_arch = "x86_64",
    expect(
        unsafe_code,
        reason = "vectors of AVX2, and masks that are hidden from the compiler"
    )
)]

use crate::words::{primes::number::mask, rows::Plain};

/// The entry with this index, in plain Rust.
pub(super) fn plain<const N: usize>(_: Plain, entries: &[[u64; N]], index: u64) -> [u64; N] {
    let mut selected = [0; N];
    for (place, entry) in (0u64..).zip(entries) {
        // All ones for the same number, as both are below 2^63. The compiler must not see that there are two values: it made
        // a branch of them.
        let mask = mask((place ^ index).wrapping_sub(1) >> 63);
        for (selected, limb) in selected.iter_mut().zip(entry) {
            *selected |= limb & mask;
        }
    }
    selected
}

#[cfg(target_arch = "x86_64")]
pub(super) use self::vectors::by_vectors;

#[cfg(target_arch = "x86_64")]
mod vectors {
    use core::arch::{
        asm,
        x86_64::{
            __m256i, _mm256_add_epi64, _mm256_and_si256, _mm256_cmpeq_epi64, _mm256_loadu_si256,
            _mm256_or_si256, _mm256_set1_epi64x, _mm256_setzero_si256, _mm256_storeu_si256,
        },
    };

    use crate::words::two_carries::TwoCarries;

    /// Number of words of a vector.
    const WIDTH: usize = 4;

    /// The entry with this index, by vectors, for entries of four to eight words: their first four and their last four.
    pub(in crate::words::primes) fn by_vectors<const N: usize>(
        _: TwoCarries,
        entries: &[[u64; N]],
        index: u64,
    ) -> [u64; N] {
        const { assert!(N >= WIDTH && N <= 2 * WIDTH) };
        // SAFETY: a value of `TwoCarries` exists, so AVX2 has been detected.
        unsafe { compiled(entries, index) }
    }

    #[target_feature(enable = "avx2")]
    fn compiled<const N: usize>(entries: &[[u64; N]], index: u64) -> [u64; N] {
        let index = _mm256_set1_epi64x(index.cast_signed());
        let one = _mm256_set1_epi64x(1);
        let mut place = _mm256_setzero_si256();
        let (mut first, mut last) = (place, place);
        for entry in entries {
            let mask = hidden(_mm256_cmpeq_epi64(place, index));
            first = _mm256_or_si256(first, _mm256_and_si256(mask, load(entry, 0)));
            if N > WIDTH {
                last = _mm256_or_si256(last, _mm256_and_si256(mask, load(entry, N - WIDTH)));
            }
            place = _mm256_add_epi64(place, one);
        }
        let mut selected = [0; N];
        if N > WIDTH {
            store(last, &mut selected, N - WIDTH);
        }
        store(first, &mut selected, 0);
        selected
    }

    /// The same mask, of which the compiler does not know that it comes from a comparison: it makes loads under a mask of that.
    #[inline]
    #[target_feature(enable = "avx2")]
    fn hidden(mut mask: __m256i) -> __m256i {
        // SAFETY: there is no instruction.
        unsafe {
            asm!("# {}", inout(ymm_reg) mask, options(pure, nomem, nostack, preserves_flags));
        }
        mask
    }

    /// Four words from `place` on.
    #[inline]
    #[target_feature(enable = "avx2")]
    fn load<const N: usize>(words: &[u64; N], place: usize) -> __m256i {
        let words = &words[place..][..WIDTH];
        // SAFETY: the slice has as many words.
        unsafe { _mm256_loadu_si256(words.as_ptr().cast()) }
    }

    #[inline]
    #[target_feature(enable = "avx2")]
    fn store<const N: usize>(vector: __m256i, words: &mut [u64; N], place: usize) {
        let words = &mut words[place..][..WIDTH];
        // SAFETY: as above.
        unsafe { _mm256_storeu_si256(words.as_mut_ptr().cast(), vector) };
    }
}
