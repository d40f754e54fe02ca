//! Columns in registers of AVX-512 IFMA.
#![expect(
    unsafe_code,
    reason = "instructions that the callers of segments have detected"
)]

use core::arch::x86_64::{
    __m512i, _mm512_add_epi64, _mm512_and_si512, _mm512_loadu_si512, _mm512_madd52hi_epu64,
    _mm512_madd52lo_epu64, _mm512_set1_epi64, _mm512_slli_epi64, _mm512_srai_epi64,
    _mm512_srli_epi64, _mm512_storeu_si512, _mm512_sub_epi64,
};

use super::word::Word;
use crate::limbs::{numbers::Limb, plan::LIMB_BITS};

/// Eight lanes. A multiplication takes the lowest 52 bits of its factors.
#[derive(Clone, Copy)]
pub(in crate::limbs) struct Eight(__m512i);

// SAFETY, of all blocks: segments run only after detection of AVX-512F and IFMA; rows have eight lanes of 64 bits.
impl Word for Eight {
    const BITS: u32 = LIMB_BITS;
    const LANES: usize = 8;
    const NEAREST: bool = false;
    const FREE_FACTORS: bool = true;

    type Factor = Self;

    #[inline(always)]
    fn load(row: &Limb, _: usize) -> Self {
        Self(unsafe { _mm512_loadu_si512(row.as_ptr().cast()) })
    }

    #[inline(always)]
    fn store(self, row: &mut Limb, _: usize) {
        unsafe { _mm512_storeu_si512(row.as_mut_ptr().cast(), self.0) };
    }

    #[inline(always)]
    fn splat(value: u64) -> Self {
        Self(unsafe { _mm512_set1_epi64(value.cast_signed()) })
    }

    #[inline(always)]
    fn factor(self) -> Self {
        self
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
    fn plus_product(self, x: Self, c: u64) -> Self {
        self.low(x, Self::splat(c))
    }

    #[inline(always)]
    fn plus_power<const EXPONENT: u32, const REST: u32>(sums: [Self; 2], x: Self) -> [Self; 2] {
        let [low, high] = sums;
        let power = Self::splat(1 << EXPONENT);
        [low.low(x, power), high.high(x, power)]
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

    #[inline(always)]
    fn limb(self) -> Self {
        self.lowest::<LIMB_BITS>()
    }

    #[inline(always)]
    fn scaled(self, factor: u32) -> Self {
        let (factor, zero) = (Self::splat(factor.into()), Self::splat(0));
        let high = zero.high(self, factor);
        high.shift_left::<LIMB_BITS>().low(self, factor)
    }
}
