//! Columns in registers of AVX-512 IFMA and of AVX-IFMA.
#![expect(
    unsafe_code,
    reason = "instructions that the callers of segments have detected"
)]

use core::arch::x86_64::{
    __m256i, __m512i, _mm_cvtsi32_si128, _mm256_add_epi64, _mm256_and_si256, _mm256_loadu_si256,
    _mm256_set1_epi64x, _mm256_sll_epi64, _mm256_srl_epi64, _mm256_storeu_si256, _mm256_sub_epi64,
    _mm256_xor_si256, _mm512_add_epi64, _mm512_and_si512, _mm512_loadu_si512,
    _mm512_madd52hi_epu64, _mm512_madd52lo_epu64, _mm512_set1_epi64, _mm512_sll_epi64,
    _mm512_sra_epi64, _mm512_srl_epi64, _mm512_storeu_si512, _mm512_sub_epi64,
    _mm512_ternarylogic_epi64,
};

use super::{
    calls::{Calls, calls},
    word::Word,
};
use crate::{
    instructions::avx_ifma::{self, for_avx_ifma},
    limbs::{
        numbers::{Limb, WIDTH},
        plan::LIMB_BITS,
    },
};

/// A register with lanes of 64 bits, and a processor's instructions on it.
pub(in crate::limbs) trait Register: Copy {
    /// Number of lanes.
    const LANES: usize;

    /// Lanes `LANES part` and on of a row.
    fn load(row: &[u64; WIDTH], part: usize) -> Self;

    /// Stores these lanes of a row.
    fn store(self, row: &mut Limb, part: usize);

    fn splat(value: u64) -> Self;

    /// `self +` the lowest 52 bits of `x y`, of factors' lowest 52 bits.
    fn plus_low(self, x: Self, y: Self) -> Self;

    /// `self + floor(x y / 2^52)`, of factors' lowest 52 bits.
    fn plus_high(self, x: Self, y: Self) -> Self;

    fn add(self, y: Self) -> Self;

    fn sub(self, y: Self) -> Self;

    fn and(self, y: Self) -> Self;

    /// y where the mask has ones, `self` where it has zeros.
    fn blend(self, y: Self, mask: Self) -> Self;

    /// `self 2^count`. The compiler makes an immediate operand of a count that it knows.
    fn shift_left(self, count: u32) -> Self;

    /// `floor(self / 2^count)` of lanes from 0 on.
    fn shift_right(self, count: u32) -> Self;

    /// `floor(self / 2^count)` of signed lanes.
    fn shift_right_signed(self, count: u32) -> Self;
}

/// The count of a shift.
#[inline(always)]
fn count(count: u32) -> core::arch::x86_64::__m128i {
    // SAFETY: SSE2 is part of x86-64.
    unsafe { _mm_cvtsi32_si128(count.cast_signed()) }
}

// SAFETY, of all blocks: segments run only after detection of AVX-512F and IFMA; rows have eight lanes of 64 bits.
impl Register for __m512i {
    const LANES: usize = 8;

    #[inline(always)]
    fn load(row: &[u64; WIDTH], _: usize) -> Self {
        unsafe { _mm512_loadu_si512(row.as_ptr().cast()) }
    }

    #[inline(always)]
    fn store(self, row: &mut Limb, _: usize) {
        unsafe { _mm512_storeu_si512(row.as_mut_ptr().cast(), self) };
    }

    #[inline(always)]
    fn splat(value: u64) -> Self {
        unsafe { _mm512_set1_epi64(value.cast_signed()) }
    }

    #[inline(always)]
    fn plus_low(self, x: Self, y: Self) -> Self {
        unsafe { _mm512_madd52lo_epu64(self, x, y) }
    }

    #[inline(always)]
    fn plus_high(self, x: Self, y: Self) -> Self {
        unsafe { _mm512_madd52hi_epu64(self, x, y) }
    }

    #[inline(always)]
    fn add(self, y: Self) -> Self {
        unsafe { _mm512_add_epi64(self, y) }
    }

    #[inline(always)]
    fn sub(self, y: Self) -> Self {
        unsafe { _mm512_sub_epi64(self, y) }
    }

    #[inline(always)]
    fn and(self, y: Self) -> Self {
        unsafe { _mm512_and_si512(self, y) }
    }

    #[inline(always)]
    fn blend(self, y: Self, mask: Self) -> Self {
        unsafe { _mm512_ternarylogic_epi64::<0b1100_1010>(mask, y, self) }
    }

    #[inline(always)]
    fn shift_left(self, by: u32) -> Self {
        unsafe { _mm512_sll_epi64(self, count(by)) }
    }

    #[inline(always)]
    fn shift_right(self, by: u32) -> Self {
        unsafe { _mm512_srl_epi64(self, count(by)) }
    }

    #[inline(always)]
    fn shift_right_signed(self, by: u32) -> Self {
        unsafe { _mm512_sra_epi64(self, count(by)) }
    }
}

// SAFETY, of all blocks: segments run only after detection of AVX2 and AVX-IFMA; rows have eight lanes of 64 bits, and
// there are two parts of four.
impl Register for __m256i {
    const LANES: usize = 4;

    #[inline(always)]
    fn load(row: &[u64; WIDTH], part: usize) -> Self {
        let lanes = &row[4 * part..][..4];
        unsafe { _mm256_loadu_si256(lanes.as_ptr().cast()) }
    }

    #[inline(always)]
    fn store(self, row: &mut Limb, part: usize) {
        let lanes = &mut row[4 * part..][..4];
        unsafe { _mm256_storeu_si256(lanes.as_mut_ptr().cast(), self) };
    }

    #[inline(always)]
    fn splat(value: u64) -> Self {
        unsafe { _mm256_set1_epi64x(value.cast_signed()) }
    }

    #[inline(always)]
    fn plus_low(self, x: Self, y: Self) -> Self {
        unsafe { avx_ifma::plus_low(self, x, y) }
    }

    #[inline(always)]
    fn plus_high(self, x: Self, y: Self) -> Self {
        unsafe { avx_ifma::plus_high(self, x, y) }
    }

    #[inline(always)]
    fn add(self, y: Self) -> Self {
        unsafe { _mm256_add_epi64(self, y) }
    }

    #[inline(always)]
    fn sub(self, y: Self) -> Self {
        unsafe { _mm256_sub_epi64(self, y) }
    }

    #[inline(always)]
    fn and(self, y: Self) -> Self {
        unsafe { _mm256_and_si256(self, y) }
    }

    #[inline(always)]
    fn blend(self, y: Self, mask: Self) -> Self {
        unsafe {
            let difference = _mm256_and_si256(_mm256_xor_si256(self, y), mask);
            _mm256_xor_si256(self, difference)
        }
    }

    #[inline(always)]
    fn shift_left(self, by: u32) -> Self {
        unsafe { _mm256_sll_epi64(self, count(by)) }
    }

    #[inline(always)]
    fn shift_right(self, by: u32) -> Self {
        unsafe { _mm256_srl_epi64(self, count(by)) }
    }

    /// By an unsigned shift of lanes plus `2^63`.
    #[inline(always)]
    fn shift_right_signed(self, by: u32) -> Self {
        let positive = unsafe { _mm256_xor_si256(self, Self::splat(1 << 63)) };
        positive.shift_right(by).sub(Self::splat(1 << (63 - by)))
    }
}

/// Lanes of a register, with limbs of B bits: 52, or 50 or 48.
///
/// A multiplication takes the lowest 52 bits of its factors and halves the product at bit 52. Factors of shorter limbs are
/// multiplied by `2^((52 - B) / 2)` each, so that high halves are those at bit B, and low ones come times `2^(52 - B)`.
#[derive(Clone, Copy)]
pub(in crate::limbs) struct Integers<R, const B: u32>(R);

/// Words of AVX-512 IFMA.
pub(in crate::limbs) type Eight<const B: u32> = Integers<__m512i, B>;

/// Words of AVX-IFMA.
pub(in crate::limbs) type Four<const B: u32> = Integers<__m256i, B>;

impl<R, const B: u32> Integers<R, B> {
    /// Number of bits by which a product of two limbs is shorter than the instruction has it.
    const SHORTER: u32 = {
        assert!(B <= LIMB_BITS && B.is_multiple_of(2));
        LIMB_BITS - B
    };
}

impl<R: Register, const B: u32> Word for Integers<R, B> {
    const BITS: u32 = B;
    const LANES: usize = R::LANES;
    const NEAREST: bool = false;
    const FREE_FACTORS: bool = Self::SHORTER == 0;
    const IN_ONE_PIECE: bool = true;

    type Factor = Self;

    #[inline(always)]
    fn load(row: &[u64; WIDTH], part: usize) -> Self {
        Self(R::load(row, part))
    }

    #[inline(always)]
    fn store(self, row: &mut Limb, part: usize) {
        self.0.store(row, part);
    }

    #[inline(always)]
    fn splat(value: u64) -> Self {
        Self(R::splat(value))
    }

    #[inline(always)]
    fn factor(self) -> Self {
        if Self::SHORTER == 0 {
            return self;
        }
        Self(self.0.shift_left(Self::SHORTER / 2))
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
        Self(self.0.plus_low(x.0, y.0))
    }

    #[inline(always)]
    fn end_lows(self, lows: Self) -> Self {
        if Self::SHORTER == 0 {
            return lows;
        }
        self.add(Self(lows.0.shift_right(Self::SHORTER)))
    }

    #[inline(always)]
    fn high(self, x: Self, y: Self) -> Self {
        Self(self.0.plus_high(x.0, y.0))
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
        Self(self.0.blend(y.0, mask.0))
    }

    #[inline(always)]
    fn add(self, y: Self) -> Self {
        Self(self.0.add(y.0))
    }

    #[inline(always)]
    fn sub(self, y: Self) -> Self {
        Self(self.0.sub(y.0))
    }

    #[inline(always)]
    fn lowest<const COUNT: u32>(self) -> Self {
        Self(self.0.and(R::splat((1 << COUNT) - 1)))
    }

    #[inline(always)]
    fn shift_left<const COUNT: u32>(self) -> Self {
        Self(self.0.shift_left(COUNT))
    }

    #[inline(always)]
    fn shift_right<const COUNT: u32>(self) -> Self {
        Self(self.0.shift_right(COUNT))
    }

    #[inline(always)]
    fn carry(self) -> Self {
        Self(self.0.shift_right_signed(B))
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

impl<const B: u32> Calls for Four<B> {
    for_avx_ifma!(calls!());
}
