//! Columns of eight numbers, one a lane, and what kernels do with them.

use core::arch::x86_64::{
    __m512i, _mm512_add_epi64, _mm512_and_si512, _mm512_madd52hi_epu64, _mm512_madd52lo_epu64,
    _mm512_set1_epi64, _mm512_slli_epi64, _mm512_srai_epi64, _mm512_srli_epi64, _mm512_sub_epi64,
};

use crate::limbs::plan::LIMB_BITS;

/// A column of a number: a signed integer of 64 bits. Kernels are written once over it: for registers, and in tests for
/// intervals, which prove that no column overflows.
pub(in super::super) trait Word: Copy {
    fn splat(value: u64) -> Self;

    /// `self +` the low 52 bits of `x y`; of x and y the lowest 52 bits count.
    fn low(self, x: Self, y: Self) -> Self;

    /// `self + floor(x y / 2^52)`; of x and y the lowest 52 bits count.
    fn high(self, x: Self, y: Self) -> Self;

    /// `self + x y`, which is below `2^52`. Requires x and y from 0 on.
    fn plus_product(self, x: Self, y: Self) -> Self;

    fn add(self, y: Self) -> Self;

    fn sub(self, y: Self) -> Self;

    /// The lowest COUNT bits.
    fn lowest<const COUNT: u32>(self) -> Self;

    /// `self 2^COUNT`.
    fn shift_left<const COUNT: u32>(self) -> Self;

    /// `floor(self / 2^COUNT)`. Requires a number from 0 on.
    fn shift_right<const COUNT: u32>(self) -> Self;

    /// `floor(self / 2^52)`.
    fn carry(self) -> Self;
}

/// A register of AVX-512: eight lanes.
#[derive(Clone, Copy)]
pub(super) struct Register(pub(super) __m512i);

// SAFETY, of all blocks: the segments run only after detection of AVX-512F and IFMA.
impl Word for Register {
    #[inline(always)]
    fn splat(value: u64) -> Self {
        Self(unsafe { _mm512_set1_epi64(value.cast_signed()) })
    }

    #[inline(always)]
    fn low(self, x: Self, y: Self) -> Self {
        Self(unsafe { _mm512_madd52lo_epu64(self.0, x.0, y.0) })
    }

    #[inline(always)]
    fn high(self, x: Self, y: Self) -> Self {
        Self(unsafe { _mm512_madd52hi_epu64(self.0, x.0, y.0) })
    }

    #[inline(always)]
    fn plus_product(self, x: Self, y: Self) -> Self {
        self.low(x, y)
    }

    #[inline(always)]
    fn add(self, y: Self) -> Self {
        Self(unsafe { _mm512_add_epi64(self.0, y.0) })
    }

    #[inline(always)]
    fn sub(self, y: Self) -> Self {
        Self(unsafe { _mm512_sub_epi64(self.0, y.0) })
    }

    #[inline(always)]
    fn lowest<const COUNT: u32>(self) -> Self {
        Self(unsafe { _mm512_and_si512(self.0, _mm512_set1_epi64((1 << COUNT) - 1)) })
    }

    #[inline(always)]
    fn shift_left<const COUNT: u32>(self) -> Self {
        Self(unsafe { _mm512_slli_epi64::<COUNT>(self.0) })
    }

    #[inline(always)]
    fn shift_right<const COUNT: u32>(self) -> Self {
        Self(unsafe { _mm512_srli_epi64::<COUNT>(self.0) })
    }

    #[inline(always)]
    fn carry(self) -> Self {
        Self(unsafe { _mm512_srai_epi64::<LIMB_BITS>(self.0) })
    }
}
