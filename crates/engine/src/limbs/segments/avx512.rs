//! Columns in registers of AVX-512F, with products by fused multiplications of float64, as with AVX2, but for high halves,
//! which are rounded down: low halves are from 0 on.
#![expect(
    unsafe_code,
    reason = "instructions that the callers of segments have detected"
)]

use core::arch::x86_64::{
    __m512d, __m512i, _MM_FROUND_NO_EXC, _MM_FROUND_TO_ZERO, _mm_cvtsi32_si128, _mm512_add_epi64,
    _mm512_and_si512, _mm512_castpd_si512, _mm512_castsi512_pd, _mm512_fmadd_pd,
    _mm512_fmadd_round_pd, _mm512_loadu_si512, _mm512_mul_epu32, _mm512_or_si512,
    _mm512_set1_epi64, _mm512_set1_pd, _mm512_sll_epi64, _mm512_sra_epi64, _mm512_srl_epi64,
    _mm512_storeu_si512, _mm512_sub_epi64, _mm512_sub_pd, _mm512_ternarylogic_epi64,
};

use super::{
    calls::{Calls, calls},
    word::Word,
};
use crate::limbs::numbers::{Limb, WIDTH};

/// Eight lanes, with limbs of B bits: 48 to 52.
#[derive(Clone, Copy)]
pub(in crate::limbs) struct Eight<const B: u32>(__m512i);

/// `2^52`, whose last bit has the weight 1.
const LOW: f64 = (1u64 << 52) as f64;

// SAFETY, of all blocks: segments run only after detection of AVX-512F.
impl<const B: u32> Eight<B> {
    /// `2^(52 + B)`, whose last bit has the weight `2^B`.
    const HIGH: f64 = (1u128 << (52 + B)) as f64;

    /// `x y + 2^(52 + B)`, rounded down.
    #[inline(always)]
    fn rounded(x: __m512d, y: __m512d) -> __m512d {
        const DOWN: i32 = _MM_FROUND_TO_ZERO | _MM_FROUND_NO_EXC;
        unsafe { _mm512_fmadd_round_pd::<DOWN>(x, y, _mm512_set1_pd(Self::HIGH)) }
    }
}

// SAFETY, of all blocks: as above; rows have eight lanes of 64 bits.
impl<const B: u32> Word for Eight<B> {
    const BITS: u32 = B;
    const LANES: usize = 8;
    const NEAREST: bool = false;
    const FREE_FACTORS: bool = false;

    type Factor = __m512d;

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
    fn factor(self) -> __m512d {
        let low = Self::splat(LOW.to_bits());
        unsafe {
            let float = _mm512_castsi512_pd(_mm512_or_si512(self.0, low.0));
            _mm512_sub_pd(float, _mm512_set1_pd(LOW))
        }
    }

    #[inline(always)]
    fn low(self, x: __m512d, y: __m512d) -> Self {
        let rounded = Self::rounded(x, y);
        // The sum of both constants is exact, too.
        let rest = unsafe {
            let high = _mm512_sub_pd(_mm512_set1_pd(Self::HIGH + LOW), rounded);
            Self(_mm512_castpd_si512(_mm512_fmadd_pd(x, y, high)))
        };
        self.add(rest).sub(Self::splat(LOW.to_bits()))
    }

    #[inline(always)]
    fn high(self, x: __m512d, y: __m512d) -> Self {
        let rounded = Self(unsafe { _mm512_castpd_si512(Self::rounded(x, y)) });
        self.add(rounded).sub(Self::splat(Self::HIGH.to_bits()))
    }

    #[inline(always)]
    fn plus_product(self, x: Self, c: u64) -> Self {
        let (low, high) = (Self::splat(c & 0xffff_ffff), Self::splat(c >> 32));
        let sum = self.add(Self(unsafe { _mm512_mul_epu32(x.0, low.0) }));
        if c >> 32 == 0 {
            return sum;
        }
        let high = Self(unsafe { _mm512_mul_epu32(x.0, high.0) });
        sum.add(high.shift_left::<32>())
    }

    #[inline(always)]
    fn plus_power<const EXPONENT: u32, const REST: u32>(sums: [Self; 2], x: Self) -> [Self; 2] {
        let [low, high] = sums;
        let shifted = x.shift_left::<EXPONENT>().limb();
        [low.add(shifted), high.add(x.shift_right::<REST>())]
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
        // The compiler makes an immediate operand of the count.
        let count = COUNT.cast_signed();
        Self(unsafe { _mm512_sll_epi64(self.0, _mm_cvtsi32_si128(count)) })
    }

    #[inline(always)]
    fn shift_right<const COUNT: u32>(self) -> Self {
        let count = COUNT.cast_signed();
        Self(unsafe { _mm512_srl_epi64(self.0, _mm_cvtsi32_si128(count)) })
    }

    #[inline(always)]
    fn carry(self) -> Self {
        let count = B.cast_signed();
        Self(unsafe { _mm512_sra_epi64(self.0, _mm_cvtsi32_si128(count)) })
    }

    #[inline(always)]
    fn limb(self) -> Self {
        Self(unsafe { _mm512_and_si512(self.0, _mm512_set1_epi64((1 << B) - 1)) })
    }

    #[inline(always)]
    fn scaled(self, factor: u32) -> Self {
        let factor = Self::splat(factor.into());
        let upper = self.shift_right::<32>();
        let low = Self(unsafe { _mm512_mul_epu32(self.0, factor.0) });
        let high = Self(unsafe { _mm512_mul_epu32(upper.0, factor.0) });
        low.add(high.shift_left::<32>())
    }
}

impl<const B: u32> Calls for Eight<B> {
    calls!("avx512f");
}
