//! Columns in registers of AVX-512 IFMA.
#![expect(
    unsafe_code,
    reason = "instructions that the callers of segments have detected"
)]

use core::arch::x86_64::{
    __m512i, _mm_cvtsi32_si128, _mm512_add_epi64, _mm512_and_si512, _mm512_loadu_si512,
    _mm512_madd52hi_epu64, _mm512_madd52lo_epu64, _mm512_set1_epi64, _mm512_sll_epi64,
    _mm512_slli_epi64, _mm512_srai_epi64, _mm512_srl_epi64, _mm512_srli_epi64, _mm512_storeu_si512,
    _mm512_sub_epi64, _mm512_ternarylogic_epi64,
};

use super::{
    calls::{Calls, calls},
    prime::Prime,
    word::Word,
};
use crate::limbs::{
    numbers::{Limb, WIDTH},
    plan::LIMB_BITS,
};

/// Eight lanes, with limbs of B bits: 52, or 50 or 48.
///
/// A multiplication takes the lowest 52 bits of its factors and halves the product at bit 52. Factors of shorter limbs are
/// multiplied by `2^((52 - B) / 2)` each, so that high halves are those at bit B, and low ones come times `2^(52 - B)`.
#[derive(Clone, Copy)]
pub(in crate::limbs) struct Eight<const B: u32>(__m512i);

impl<const B: u32> Eight<B> {
    /// Number of bits by which a product of two limbs is shorter than the instruction has it.
    const SHORTER: u32 = {
        assert!(B <= LIMB_BITS && B.is_multiple_of(2));
        LIMB_BITS - B
    };
}

// SAFETY, of all blocks: segments run only after detection of AVX-512F and IFMA; rows have eight lanes of 64 bits.
impl<const B: u32> Word for Eight<B> {
    const BITS: u32 = B;
    const LANES: usize = 8;
    const NEAREST: bool = false;
    const FREE_FACTORS: bool = Self::SHORTER == 0;
    const IN_ONE_PIECE: bool = true;

    type Factor = Self;

    #[inline(always)]
    fn load(row: &[u64; WIDTH], _: usize) -> Self {
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
        if Self::SHORTER == 0 {
            return self;
        }
        // The compiler makes an immediate operand of the count.
        let count = (Self::SHORTER / 2).cast_signed();
        Self(unsafe { _mm512_sll_epi64(self.0, _mm_cvtsi32_si128(count)) })
    }

    #[inline(always)]
    fn limb_as_factor(self) -> Self {
        if Self::SHORTER == 0 {
            // Multiplications take the lowest 52 bits.
            self
        } else {
            self.limb()
        }
    }

    #[inline(always)]
    fn low(self, x: Self, y: Self) -> Self {
        self.end_lows(self.begin_lows().plus_low(x, y))
    }

    #[inline(always)]
    fn begin_lows(self) -> Self {
        if Self::SHORTER == 0 {
            self
        } else {
            Self::splat(0)
        }
    }

    #[inline(always)]
    fn plus_low(self, x: Self, y: Self) -> Self {
        Self(unsafe { _mm512_madd52lo_epu64(self.0, x.0, y.0) })
    }

    #[inline(always)]
    fn end_lows(self, lows: Self) -> Self {
        if Self::SHORTER == 0 {
            return lows;
        }
        let count = Self::SHORTER.cast_signed();
        let lows = unsafe { _mm512_srl_epi64(lows.0, _mm_cvtsi32_si128(count)) };
        self.add(Self(lows))
    }

    #[inline(always)]
    fn high(self, x: Self, y: Self) -> Self {
        Self(unsafe { _mm512_madd52hi_epu64(self.0, x.0, y.0) })
    }

    #[inline(always)]
    fn plus_product(self, x: Self, c: u64) -> Self {
        self.plus_low(x, Self::splat(c))
    }

    #[inline(always)]
    fn plus_power<const EXPONENT: u32, const REST: u32>(sums: [Self; 2], x: Self) -> [Self; 2] {
        let [low, high] = sums;
        let (x, power) = (x.factor(), Self::splat(1 << EXPONENT).factor());
        [low.low(x, power), high.high(x, power)]
    }

    #[inline(always)]
    fn blend(self, y: Self, mask: Self) -> Self {
        Self(unsafe { _mm512_ternarylogic_epi64::<0b1100_1010>(mask.0, y.0, self.0) })
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
        Self(unsafe { _mm512_srai_epi64::<B>(self.0) })
    }

    #[inline(always)]
    fn limb(self) -> Self {
        self.lowest::<B>()
    }

    #[inline(always)]
    fn scaled(self, factor: u32) -> Self {
        let (x, factor) = (self.factor(), Self::splat(factor.into()).factor());
        let high = Self::splat(0).high(x, factor);
        high.shift_left::<B>().low(x, factor)
    }
}

impl<const B: u32> Calls for Eight<B> {
    calls!("avx512f,avx512ifma");
}
