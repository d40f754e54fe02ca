//! Limbs in registers of AVX-512F.
#![expect(
    unsafe_code,
    reason = "instructions that the callers of kernels have detected"
)]

use core::arch::x86_64::{
    __m512d, __m512i, _MM_FROUND_NO_EXC, _MM_FROUND_TO_ZERO, _mm_cvtsi32_si128, _mm512_add_epi64,
    _mm512_and_si512, _mm512_castpd_si512, _mm512_castsi512_pd, _mm512_fmadd_pd,
    _mm512_fmadd_round_pd, _mm512_loadu_pd, _mm512_loadu_si512, _mm512_max_epi64,
    _mm512_set1_epi64, _mm512_set1_pd, _mm512_setzero_si512, _mm512_sll_epi64, _mm512_srai_epi64,
    _mm512_srli_epi64, _mm512_storeu_pd, _mm512_storeu_si512, _mm512_sub_epi64, _mm512_sub_pd,
    _mm512_xor_si512,
};

use crate::limbs::{
    fused52::vector::{HIGH, LOW, Lanes},
    numbers::Limb,
    plan::{LIMB_BITS, LIMB_MASK},
};

/// Eight lanes in a register of AVX-512F. High halves are rounded downwards.
#[derive(Clone, Copy)]
pub(super) struct Register(__m512i);

/// The rounding of high halves.
const DOWN: i32 = _MM_FROUND_TO_ZERO | _MM_FROUND_NO_EXC;

impl Register {
    /// `x y + 2^104`, rounded downwards.
    #[inline(always)]
    fn rounded(x: __m512d, y: __m512d) -> __m512d {
        // SAFETY: kernels with this type run only after detection of AVX-512F.
        unsafe { _mm512_fmadd_round_pd::<DOWN>(x, y, _mm512_set1_pd(HIGH)) }
    }

    /// The low half of `x y`, plus `2^52`.
    #[inline(always)]
    fn rest(x: __m512d, y: __m512d) -> __m512d {
        let rounded = Self::rounded(x, y);
        // SAFETY: as in `rounded`.
        unsafe { _mm512_fmadd_pd(x, y, _mm512_sub_pd(_mm512_set1_pd(HIGH + LOW), rounded)) }
    }
}

// SAFETY, of all blocks: as in `Register::rounded`; rows have eight lanes of 64 bits.
impl Lanes for Register {
    const LOW_BIAS: u64 = LOW.to_bits();

    type Factor = __m512d;

    #[inline(always)]
    fn splat(value: u64) -> Self {
        Self(unsafe { _mm512_set1_epi64(value.cast_signed()) })
    }

    #[inline(always)]
    fn load(row: &Limb) -> Self {
        Self(unsafe { _mm512_loadu_si512(row.as_ptr().cast()) })
    }

    #[inline(always)]
    fn store(self, row: &mut Limb) {
        unsafe { _mm512_storeu_si512(row.as_mut_ptr().cast(), self.0) };
    }

    #[inline(always)]
    fn load_factor(row: &Limb) -> __m512d {
        unsafe { _mm512_loadu_pd(row.as_ptr().cast()) }
    }

    #[inline(always)]
    fn store_factor(factor: __m512d, row: &mut Limb) {
        unsafe { _mm512_storeu_pd(row.as_mut_ptr().cast(), factor) };
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
    fn and(self, y: Self) -> Self {
        Self(unsafe { _mm512_and_si512(self.0, y.0) })
    }

    #[inline(always)]
    fn xor(self, y: Self) -> Self {
        Self(unsafe { _mm512_xor_si512(self.0, y.0) })
    }

    #[inline(always)]
    fn shift_left(self, count: u32) -> Self {
        Self(unsafe { _mm512_sll_epi64(self.0, _mm_cvtsi32_si128(count.cast_signed())) })
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
    fn or_zero(self) -> Self {
        Self(unsafe { _mm512_max_epi64(self.0, _mm512_setzero_si512()) })
    }

    #[inline(always)]
    fn factor(self) -> __m512d {
        let bits = self
            .and(Self::splat(LIMB_MASK))
            .xor(Self::splat(LOW.to_bits()));
        unsafe { _mm512_sub_pd(_mm512_castsi512_pd(bits.0), _mm512_set1_pd(LOW)) }
    }

    #[inline(always)]
    fn low(sum: Self, x: __m512d, y: __m512d) -> Self {
        sum.add(Self(unsafe { _mm512_castpd_si512(Self::rest(x, y)) }))
    }

    #[inline(always)]
    fn high(sum: Self, x: __m512d, y: __m512d) -> Self {
        sum.add(Self(unsafe { _mm512_castpd_si512(Self::rounded(x, y)) }))
    }

    #[inline(always)]
    fn floor(x: __m512d, y: __m512d) -> Self {
        Self::high(Self::splat(0), x, y).sub(Self::splat(Self::HIGH_BIAS))
    }

    #[inline(always)]
    fn digit(self, y: __m512d) -> __m512d {
        let rest = Self::rest(self.factor(), y);
        unsafe { _mm512_sub_pd(rest, _mm512_set1_pd(LOW)) }
    }
}
