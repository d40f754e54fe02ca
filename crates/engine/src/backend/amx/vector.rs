//! Sixteen numbers by two channels of 16-bit residues in a register.
//!
//! Every function here is compiled with AVX-512 F, BW and VNNI and only ever inlined into kernels
//! that are too.

use core::arch::{
    asm,
    x86_64::{
        __m512i, _mm512_add_epi16, _mm512_add_epi32, _mm512_cmplt_epu16_mask, _mm512_loadu_si512,
        _mm512_mask_add_epi16, _mm512_mask_blend_epi16, _mm512_mask_sub_epi16, _mm512_mulhi_epu16,
        _mm512_mullo_epi16, _mm512_set1_epi16, _mm512_set1_epi32, _mm512_slli_epi32,
        _mm512_srli_epi32, _mm512_storeu_si512, _mm512_sub_epi16,
    },
};

use crate::backend::row::Row;

/// A register's worth of memory.
#[inline]
#[target_feature(enable = "avx512f")]
pub(super) fn load<T, const L: usize>(row: &Row<T, L>) -> __m512i {
    const { assert!(size_of::<Row<T, L>>() == 64) };
    // SAFETY: a row is as large as a register; any bits are a register.
    unsafe { _mm512_loadu_si512((&raw const *row).cast()) }
}

/// Stores a register to a row of integers.
#[inline]
#[target_feature(enable = "avx512f")]
pub(super) fn store<T: super::Integer, const L: usize>(row: &mut Row<T, L>, value: __m512i) {
    const { assert!(size_of::<Row<T, L>>() == 64) };
    // SAFETY: a row is as large as a register, and any bits are integers.
    unsafe { _mm512_storeu_si512((&raw mut *row).cast(), value) }
}

/// The same pair of 16-bit values for every number.
#[inline]
#[target_feature(enable = "avx512f")]
pub(super) fn splat(pair: u32) -> __m512i {
    _mm512_set1_epi32(pair.cast_signed())
}

/// `T = low + 2^16 high` for two channels of every number.
#[derive(Clone, Copy)]
pub(super) struct Wide {
    pub(super) low: __m512i,
    pub(super) high: __m512i,
}

impl Wide {
    /// `x y`.
    #[inline]
    #[target_feature(enable = "avx512f,avx512bw")]
    pub(super) fn product(x: __m512i, y: __m512i) -> Self {
        Self {
            low: _mm512_mullo_epi16(x, y),
            high: _mm512_mulhi_epu16(x, y),
        }
    }

    /// From a register of 32-bit sums for each of the two channels.
    #[inline]
    #[target_feature(enable = "avx512f,avx512bw")]
    pub(super) fn interleave(even: __m512i, odd: __m512i) -> Self {
        const ODD: u32 = 0xaaaa_aaaa;
        Self {
            low: _mm512_mask_blend_epi16(ODD, even, _mm512_slli_epi32::<16>(odd)),
            high: _mm512_mask_blend_epi16(ODD, _mm512_srli_epi32::<16>(even), odd),
        }
    }
}

/// The constants of two channels.
#[derive(Clone, Copy)]
pub(super) struct Channels {
    m: __m512i,
    inverse: __m512i,
}

impl Channels {
    /// The moduli and their inverses modulo `2^16`, the even channel's in the low half.
    #[inline]
    #[target_feature(enable = "avx512f")]
    pub(super) fn new([m, inverse]: [u32; 2]) -> Self {
        Self {
            m: splat(m),
            inverse: splat(inverse),
        }
    }

    /// `redc(T)`, congruent to `T / R` modulo m with `R = 2^16`, at most
    /// `max(floor(T / R), m - 1)`: with `q = |T m^-1|_R` it is
    /// `floor(T / R) - floor(q m / R)`, plus m if that is negative.
    #[inline]
    #[target_feature(enable = "avx512f,avx512bw")]
    pub(super) fn redc(self, t: Wide) -> __m512i {
        let q = _mm512_mullo_epi16(t.low, self.inverse);
        let qm = _mm512_mulhi_epu16(q, self.m);
        let difference = _mm512_sub_epi16(t.high, qm);
        let negative = _mm512_cmplt_epu16_mask(t.high, qm);
        _mm512_mask_add_epi16(difference, negative, difference, self.m)
    }

    /// `redc(x y)`, at most `max(x y / R, m - 1)`.
    #[inline]
    #[target_feature(enable = "avx512f,avx512bw")]
    pub(super) fn multiply(self, x: __m512i, y: __m512i) -> __m512i {
        self.redc(Wide::product(x, y))
    }

    /// `redc(x y + T)` for any `x, y < 2^16` and `T < 2^16 m`, where the sum may exceed `2^32`:
    /// the low halves' carry goes to the high half of `x y`, which has room for it. With r the
    /// reduction of T and the low half of `x y`, `r < m`, the value `r + floor(x y / R) + 1` may
    /// exceed `2^16` once; then m is subtracted, which leaves it below `2^16`.
    #[inline]
    #[target_feature(enable = "avx512f,avx512bw")]
    pub(super) fn multiply_add(self, x: __m512i, y: __m512i, t: Wide) -> __m512i {
        let ones = _mm512_set1_epi16(-1);
        let product = Wide::product(x, y);
        let low = _mm512_add_epi16(product.low, t.low);
        let carry = _mm512_cmplt_epu16_mask(low, t.low);
        let high = _mm512_mask_sub_epi16(product.high, carry, product.high, ones);
        let reduced = self.redc(Wide { low, high: t.high });
        let sum = _mm512_add_epi16(reduced, high);
        let exceeds = _mm512_cmplt_epu16_mask(sum, reduced);
        _mm512_mask_sub_epi16(sum, exceeds, sum, self.m)
    }
}

/// `low + 2^8 high`, modulo `2^32`: a sum of products from its two byte columns.
#[inline]
#[target_feature(enable = "avx512f")]
pub(super) fn join(low: __m512i, high: __m512i) -> __m512i {
    _mm512_add_epi32(low, _mm512_slli_epi32::<8>(high))
}

/// `sum + x_0 w_0 + x_1 w_1` modulo `2^32`, for signed 16-bit pairs `x` of every number and one
/// pair of weights.
#[inline]
#[target_feature(enable = "avx512f,avx512vnni")]
pub(super) fn add_pair(mut sum: __m512i, x: __m512i, weights: u32) -> __m512i {
    // The compiler makes a multiplication and an addition of the intrinsic.
    // SAFETY: the instruction changes `sum` only, and is there.
    unsafe {
        asm!(
            "vpdpwssd {sum}, {x}, {weights}",
            sum = inout(zmm_reg) sum,
            x = in(zmm_reg) x,
            weights = in(zmm_reg) splat(weights),
            options(pure, nomem, nostack, preserves_flags),
        );
    }
    sum
}
