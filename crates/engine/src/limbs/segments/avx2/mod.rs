//! Columns in registers of AVX2, with products by fused multiplications of float64.
//!
//! x and y below `2^52` are floats without error. `p = x y + 2^(52 + BITS)`, rounded to nearest, has the high half of the
//! product in the lowest bits of its representation; `2^(52 + BITS) - p` is exact, and so is `x y` added to it, the low
//! half, from `-2^(BITS - 1)` to `2^(BITS - 1)`. Representations are added up as integers; those of the powers of two are
//! subtracted, all of a column's at once: the compiler adds up constants, but not in loops, where products of long numbers
//! subtract their sum.
#![expect(
    unsafe_code,
    reason = "instructions that the callers of segments have detected"
)]

mod product;

use core::arch::x86_64::{
    __m256d, __m256i, _mm_cvtsi32_si128, _mm256_add_epi64, _mm256_add_pd, _mm256_and_si256,
    _mm256_castpd_si256, _mm256_castsi256_pd, _mm256_fmadd_pd, _mm256_loadu_si256,
    _mm256_mul_epu32, _mm256_or_si256, _mm256_set1_epi64x, _mm256_set1_pd, _mm256_sll_epi64,
    _mm256_srl_epi64, _mm256_storeu_si256, _mm256_sub_epi64, _mm256_sub_pd, _mm256_xor_si256,
};

use self::product::Constants;
use super::{
    calls::{Calls, calls},
    columns::halves,
    word::{Lift, Word},
};
use crate::limbs::numbers::{Limb, WIDTH};

/// Four lanes, with limbs of B bits: 48 to 52.
#[derive(Clone, Copy)]
#[repr(transparent)]
pub(in crate::limbs) struct Four<const B: u32>(__m256i);

/// `2^52`, whose last bit has the weight 1.
const LOW: f64 = (1u64 << 52) as f64;

/// The bits of `2^(52 + bits)`.
const fn high_bits(bits: u32) -> u64 {
    ((1u128 << (52 + bits)) as f64).to_bits()
}

/// `2^52 + 2^51`: the last bit of its sums with numbers from `-2^51` to `2^51` has the weight 1, too.
const MIDDLE: f64 = (3u64 << 51) as f64;

// SAFETY, of all blocks: segments run only after detection of AVX2 and fused multiplications.
impl<const B: u32> Four<B> {
    /// `2^(52 + B)`, whose last bit has the weight `2^B`.
    const HIGH: f64 = f64::from_bits(high_bits(B));

    /// `x y + 2^(52 + B)`, rounded.
    #[inline(always)]
    fn rounded(x: __m256d, y: __m256d) -> __m256d {
        unsafe { _mm256_fmadd_pd(x, y, _mm256_set1_pd(Self::HIGH)) }
    }

    /// The low half of `x y` plus [`MIDDLE`], from their product as it is rounded.
    #[inline(always)]
    fn rest(x: __m256d, y: __m256d, rounded: __m256d) -> Self {
        let rest = unsafe {
            if B < 52 {
                // The sum of both constants is exact, too.
                let high = _mm256_sub_pd(_mm256_set1_pd(Self::HIGH + MIDDLE), rounded);
                _mm256_fmadd_pd(x, y, high)
            } else {
                let high = _mm256_sub_pd(_mm256_set1_pd(Self::HIGH), rounded);
                _mm256_add_pd(_mm256_fmadd_pd(x, y, high), _mm256_set1_pd(MIDDLE))
            }
        };
        Self(unsafe { _mm256_castpd_si256(rest) })
    }

    /// The registers of these words.
    #[inline(always)]
    fn registers<const N: usize>(words: &[Self; N]) -> &[__m256i; N] {
        // SAFETY: a word is a register, and nothing else.
        unsafe { &*words.as_ptr().cast() }
    }

    /// The limbs of a number as the kernels take them: five of 51 or 52 bits.
    #[inline(always)]
    fn five_limbs<const N: usize>(x: &[Self; N]) -> Option<&[__m256i; 5]> {
        match x.as_array() {
            Some(x) if B >= 51 => Some(Self::registers(x)),
            _ => None,
        }
    }

    /// Columns as they are in registers, if there are as many.
    #[inline(always)]
    fn columns<const M: usize, const D: usize>(columns: [__m256i; M]) -> Option<[Self; D]> {
        // SAFETY: as in `registers`.
        unsafe { (&raw const columns).cast::<[Self; M]>().read() }
            .as_array()
            .copied()
    }
}

// SAFETY, of all blocks: as above; rows have eight lanes of 64 bits, and there are two parts of four.
impl<const B: u32> Word for Four<B> {
    const BITS: u32 = B;
    const LANES: usize = 4;
    const NEAREST: bool = true;
    const FREE_FACTORS: bool = false;

    type Factor = __m256d;

    #[inline(always)]
    fn load(row: &[u64; WIDTH], part: usize) -> Self {
        let lanes = &row[4 * part..][..4];
        Self(unsafe { _mm256_loadu_si256(lanes.as_ptr().cast()) })
    }

    #[inline(always)]
    fn store(self, row: &mut Limb, part: usize) {
        let lanes = &mut row[4 * part..][..4];
        unsafe { _mm256_storeu_si256(lanes.as_mut_ptr().cast(), self.0) };
    }

    #[inline(always)]
    fn splat(value: u64) -> Self {
        Self(unsafe { _mm256_set1_epi64x(value.cast_signed()) })
    }

    #[inline(always)]
    fn factor(self) -> __m256d {
        let low = Self::splat(LOW.to_bits());
        unsafe {
            let float = _mm256_castsi256_pd(_mm256_or_si256(self.0, low.0));
            _mm256_sub_pd(float, _mm256_set1_pd(LOW))
        }
    }

    #[inline(always)]
    fn product<F: Lift<D>, const N: usize, const D: usize>(
        x: &[Self; N],
        y: &[Self; N],
    ) -> Option<[Self; D]> {
        let factors = [Self::five_limbs(x)?, Self::five_limbs(y)?];
        let constants = &const { Constants::of::<F, D>(B) };
        Self::columns(unsafe { product::product::<B>(constants, factors, None) })
    }

    #[inline(always)]
    fn product_added_to<const N: usize, const D: usize>(
        columns: &[Self; D],
        x: &[Self; N],
        y: &[Self; N],
    ) -> Option<[Self; D]> {
        let factors = [Self::five_limbs(x)?, Self::five_limbs(y)?];
        let mut before: [Self; 10] = *columns.as_array()?;
        for k in 0..10 {
            let (lows, highs) = halves(k, N);
            before[k] = before[k].before_halves(lows, highs);
        }
        let (constants, before) = (
            &const { Constants::new(B, &[0; 10]) },
            Self::registers(&before),
        );
        Self::columns(unsafe { product::product::<B>(constants, factors, Some(before)) })
    }

    #[inline(always)]
    fn square<F: Lift<D>, const N: usize, const D: usize>(x: &[Self; N]) -> Option<[Self; D]> {
        let x = Self::five_limbs(x)?;
        let constants = &const { Constants::of::<F, D>(B) };
        Self::columns(unsafe { product::square::<B>(constants, x) })
    }

    #[inline(always)]
    fn multiply_25519(x: &[Self; 5], y: &[Self; 5]) -> Option<[Self; 5]> {
        if B != 51 {
            return None;
        }
        let factors = [Self::registers(x), Self::registers(y)];
        Self::columns(unsafe { product::product_25519(factors) })
    }

    #[inline(always)]
    fn square_25519(x: &[Self; 5]) -> Option<[Self; 5]> {
        if B != 51 {
            return None;
        }
        Self::columns(unsafe { product::square_25519(Self::registers(x)) })
    }

    #[inline(always)]
    fn low(self, x: __m256d, y: __m256d) -> Self {
        self.before_halves(1, 0).plus_low(x, y)
    }

    #[inline(always)]
    fn before_halves(self, lows: usize, highs: usize) -> Self {
        let lows = MIDDLE.to_bits().wrapping_mul(lows as u64);
        let highs = Self::HIGH.to_bits().wrapping_mul(highs as u64);
        self.sub(Self::splat(lows.wrapping_add(highs)))
    }

    #[inline(always)]
    fn plus_low(self, x: __m256d, y: __m256d) -> Self {
        self.add(Self::rest(x, y, Self::rounded(x, y)))
    }

    #[inline(always)]
    fn high(self, x: __m256d, y: __m256d) -> Self {
        self.before_halves(0, 1).plus_high(x, y)
    }

    #[inline(always)]
    fn plus_high(self, x: __m256d, y: __m256d) -> Self {
        self.add(Self(unsafe { _mm256_castpd_si256(Self::rounded(x, y)) }))
    }

    #[inline(always)]
    fn plus_product(self, x: Self, c: u64) -> Self {
        let (low, high) = (Self::splat(c & 0xffff_ffff), Self::splat(c >> 32));
        let sum = self.add(Self(unsafe { _mm256_mul_epu32(x.0, low.0) }));
        if c >> 32 == 0 {
            return sum;
        }
        let high = Self(unsafe { _mm256_mul_epu32(x.0, high.0) });
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
        unsafe {
            let difference = _mm256_and_si256(_mm256_xor_si256(self.0, y.0), mask.0);
            Self(_mm256_xor_si256(self.0, difference))
        }
    }

    #[inline(always)]
    fn add(self, y: Self) -> Self {
        Self(unsafe { _mm256_add_epi64(self.0, y.0) })
    }

    #[inline(always)]
    fn sub(self, y: Self) -> Self {
        Self(unsafe { _mm256_sub_epi64(self.0, y.0) })
    }

    #[inline(always)]
    fn lowest<const COUNT: u32>(self) -> Self {
        Self(unsafe { _mm256_and_si256(self.0, _mm256_set1_epi64x((1 << COUNT) - 1)) })
    }

    #[inline(always)]
    fn shift_left<const COUNT: u32>(self) -> Self {
        // The compiler makes an immediate operand of the count.
        let count = COUNT.cast_signed();
        Self(unsafe { _mm256_sll_epi64(self.0, _mm_cvtsi32_si128(count)) })
    }

    #[inline(always)]
    fn shift_right<const COUNT: u32>(self) -> Self {
        let count = COUNT.cast_signed();
        Self(unsafe { _mm256_srl_epi64(self.0, _mm_cvtsi32_si128(count)) })
    }

    /// By an unsigned shift of lanes plus `2^63`.
    #[inline(always)]
    fn carry(self) -> Self {
        let positive = Self(unsafe { _mm256_xor_si256(self.0, _mm256_set1_epi64x(i64::MIN)) });
        positive.carry_positive().sub(Self::splat(1 << (63 - B)))
    }

    #[inline(always)]
    fn carry_positive(self) -> Self {
        let count = B.cast_signed();
        Self(unsafe { _mm256_srl_epi64(self.0, _mm_cvtsi32_si128(count)) })
    }

    #[inline(always)]
    fn limb(self) -> Self {
        Self(unsafe { _mm256_and_si256(self.0, _mm256_set1_epi64x((1 << B) - 1)) })
    }

    #[inline(always)]
    fn scaled(self, factor: u32) -> Self {
        let factor = Self::splat(factor.into());
        let low = Self(unsafe { _mm256_mul_epu32(self.0, factor.0) });
        let upper = self.shift_right::<32>();
        let high = Self(unsafe { _mm256_mul_epu32(upper.0, factor.0) });
        low.add(high.shift_left::<32>())
    }
}

impl<const B: u32> Calls for Four<B> {
    calls!("avx2,fma");
}
