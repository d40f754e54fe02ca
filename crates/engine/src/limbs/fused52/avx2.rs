//! Limbs in registers of AVX2.
#![expect(
    unsafe_code,
    reason = "instructions that the callers of kernels have detected"
)]

use core::arch::{
    asm,
    x86_64::{
        __m256d, __m256i, _mm_cvtsi32_si128, _mm256_add_epi64, _mm256_add_pd, _mm256_and_si256,
        _mm256_andnot_si256, _mm256_castpd_si256, _mm256_castsi256_pd, _mm256_cmpeq_epi64,
        _mm256_cmpgt_epi64, _mm256_fmadd_pd, _mm256_loadu_pd, _mm256_loadu_si256, _mm256_or_si256,
        _mm256_permute2x128_si256, _mm256_permutevar8x32_epi32, _mm256_set1_epi64x, _mm256_set1_pd,
        _mm256_setzero_si256, _mm256_sll_epi64, _mm256_slli_epi64, _mm256_srl_epi64,
        _mm256_srli_epi64, _mm256_storeu_pd, _mm256_storeu_si256, _mm256_sub_epi64, _mm256_sub_pd,
        _mm256_unpackhi_epi64, _mm256_unpacklo_epi64, _mm256_xor_si256,
    },
};

use crate::limbs::{
    fused52::vector::{HIGH, LOW, Lanes, MIDDLE},
    numbers::{Limb, WIDTH},
    plan::{LIMB_BITS, LIMB_MASK},
};

/// Eight lanes in two registers of AVX2. High halves are rounded to nearest.
#[derive(Clone, Copy)]
pub(super) struct Pair(pub(super) [__m256i; 2]);

/// Calls an instruction for each of the two registers.
macro_rules! both {
    ($register:ident => $value:expr) => {{
        let [first, second] = [0, 1];
        // SAFETY: kernels with these registers run only after detection of AVX2 and fused multiplications;
        // rows have eight lanes of 64 bits, four for each register.
        unsafe {
            [
                {
                    let $register = first;
                    $value
                },
                {
                    let $register = second;
                    $value
                },
            ]
        }
    }};
}

/// One product of a row (`define_row`): its halves are added to two sums. In assembly, because the compiler would put
/// off all additions, and then lack registers for the summands.
macro_rules! product {
    ($low:literal, $high:literal, $offset:literal) => {
        concat!(
            "vmovapd {p}, {power}\n",
            "vfmadd231pd {p}, {x}, [{y} + ",
            $offset,
            "]\n",
            "vsubpd {d}, {power}, {p}\n",
            "vfmadd231pd {d}, {x}, [{y} + ",
            $offset,
            "]\n",
            "vaddpd {d}, {d}, {middle}\n",
            "vpaddq {",
            $low,
            "}, {",
            $low,
            "}, {d}\n",
            "vpaddq {",
            $high,
            "}, {",
            $high,
            "}, {p}\n",
        )
    };
}

/// Defines `sums + x y` for a limb x and a block y of `$b` limbs, of which a register's lanes are given. The sums
/// belong to the columns from that of `x y_0` on.
macro_rules! define_row {
    ($name:ident, $b:literal, [$($s:ident)*], [$($product:expr),*]) => {
        #[inline]
        #[target_feature(enable = "avx2,fma")]
        fn $name(sums: [__m256i; $b + 1], x: __m256d, y: &[Limb; $b], register: usize) -> [__m256i; $b + 1] {
            let [$(mut $s),*] = sums;
            // Not `preserves_flags`: the products of numbers in floating point set the flags of exceptions in MXCSR.
            // SAFETY: it reads four lanes of each limb, from that of the register on.
            unsafe {
                asm!(
                    $($product,)*
                    $($s = inout(ymm_reg) $s,)*
                    x = in(ymm_reg) x,
                    y = in(reg) y.as_ptr().cast::<f64>().add(4 * register),
                    power = in(ymm_reg) _mm256_set1_pd(HIGH),
                    middle = in(ymm_reg) _mm256_set1_pd(MIDDLE),
                    p = out(ymm_reg) _,
                    d = out(ymm_reg) _,
                    options(pure, readonly, nostack),
                );
            }
            [$($s),*]
        }
    };
}

define_row!(row3, 3, [s0 s1 s2 s3], [
    product!("s0", "s1", "0"), product!("s1", "s2", "64"), product!("s2", "s3", "128")
]);
define_row!(row4, 4, [s0 s1 s2 s3 s4], [
    product!("s0", "s1", "0"), product!("s1", "s2", "64"), product!("s2", "s3", "128"),
    product!("s3", "s4", "192")
]);
define_row!(row5, 5, [s0 s1 s2 s3 s4 s5], [
    product!("s0", "s1", "0"), product!("s1", "s2", "64"), product!("s2", "s3", "128"),
    product!("s3", "s4", "192"), product!("s4", "s5", "256")
]);

/// Adds a row in one of the registers.
macro_rules! add_row {
    ($row:ident, $b:literal, $sums:ident, $x:expr, $y:ident, $register:ident) => {
        if let (Some(sums), Some(y)) = ($sums.first_chunk_mut::<{ $b + 1 }>(), $y.first_chunk()) {
            // By indices: a closure would be a function without the instructions.
            let mut own = [sums[0].0[$register]; $b + 1];
            for k in 1..=$b {
                own[k] = sums[k].0[$register];
            }
            // SAFETY: kernels with these registers run only after detection of AVX2 and fused multiplications.
            let new = unsafe { $row(own, $x, y, $register) };
            for k in 0..=$b {
                sums[k].0[$register] = new[k];
            }
        }
    };
}

impl Pair {
    /// Numbers `first` to `first + 3` of each row, in the row's lane.
    #[inline(always)]
    pub(super) fn transposed(rows: [&[u64; WIDTH]; WIDTH], first: usize) -> [Self; 4] {
        let mut out = [Self::splat(0); 4];
        for register in 0..2 {
            // By indices: a closure would be a function without the instructions.
            let mut quads = [Self::splat(0).0[0]; 4];
            for (k, quad) in quads.iter_mut().enumerate() {
                let numbers: &[u64] = &rows[4 * register + k][first..][..4];
                // SAFETY: kernels with these registers run only after detection of AVX2; the slice has four numbers.
                *quad = unsafe { _mm256_loadu_si256(numbers.as_ptr().cast()) };
            }
            let [a, b, c, d] = quads;
            // SAFETY: as above.
            unsafe {
                let (even, odd) = (_mm256_unpacklo_epi64(a, b), _mm256_unpackhi_epi64(a, b));
                let (even_above, odd_above) =
                    (_mm256_unpacklo_epi64(c, d), _mm256_unpackhi_epi64(c, d));
                out[0].0[register] = _mm256_permute2x128_si256::<0x20>(even, even_above);
                out[1].0[register] = _mm256_permute2x128_si256::<0x20>(odd, odd_above);
                out[2].0[register] = _mm256_permute2x128_si256::<0x31>(even, even_above);
                out[3].0[register] = _mm256_permute2x128_si256::<0x31>(odd, odd_above);
            }
        }
        out
    }

    /// [`Lanes::add_row`] in one of the registers.
    #[inline(always)]
    fn add_row_in<const B: usize>(sums: &mut [Self], x: __m256d, y: &[Limb; B], register: usize) {
        match B {
            5 => add_row!(row5, 5, sums, x, y, register),
            4 => add_row!(row4, 4, sums, x, y, register),
            _ => add_row!(row3, 3, sums, x, y, register),
        }
    }

    /// `x y + 2^104`, rounded.
    #[inline(always)]
    fn rounded(x: [__m256d; 2], y: [__m256d; 2]) -> [__m256d; 2] {
        both!(r => _mm256_fmadd_pd(x[r], y[r], _mm256_set1_pd(HIGH)))
    }

    /// The low half of `x y`, plus [`MIDDLE`].
    #[inline(always)]
    fn rest(x: [__m256d; 2], y: [__m256d; 2]) -> Self {
        let rounded = Self::rounded(x, y);
        Self(both!(r => {
            let high = _mm256_sub_pd(_mm256_set1_pd(HIGH), rounded[r]);
            let rest = _mm256_fmadd_pd(x[r], y[r], high);
            _mm256_castpd_si256(_mm256_add_pd(rest, _mm256_set1_pd(MIDDLE)))
        }))
    }

    /// All ones in the negative lanes, and zeros in the others.
    #[inline(always)]
    fn negative(self) -> Self {
        Self(both!(r => _mm256_cmpgt_epi64(_mm256_setzero_si256(), self.0[r])))
    }

    /// All ones in the lanes where both are the same, and zeros in the others.
    #[inline(always)]
    pub(super) fn equal(self, y: Self) -> Self {
        Self(both!(r => _mm256_cmpeq_epi64(self.0[r], y.0[r])))
    }

    /// The number of each lane's entry among blocks of four entries.
    #[inline(always)]
    pub(super) fn block(self) -> Self {
        Self(both!(r => _mm256_srli_epi64::<2>(self.0[r])))
    }

    /// The place of each lane's entry in its block of four entries, for [`pick`](Self::pick): that of both its halves.
    #[inline(always)]
    pub(super) fn place_in_block(self) -> Self {
        Self(both!(r => {
            let place = _mm256_and_si256(self.0[r], _mm256_set1_epi64x(3));
            let low = _mm256_slli_epi64::<1>(place);
            let both = _mm256_or_si256(low, _mm256_slli_epi64::<32>(low));
            _mm256_or_si256(both, _mm256_set1_epi64x(1 << 32))
        }))
    }

    /// In each lane the entry of a block at this place.
    #[inline(always)]
    pub(super) fn pick(entries: &[u64; 4], places: Self) -> Self {
        Self(both!(r => {
            let entries = _mm256_loadu_si256(entries.as_ptr().cast());
            _mm256_permutevar8x32_epi32(entries, places.0[r])
        }))
    }

    #[inline(always)]
    pub(super) fn or(self, y: Self) -> Self {
        Self(both!(r => _mm256_or_si256(self.0[r], y.0[r])))
    }
}

impl Lanes for Pair {
    const LOW_BIAS: u64 = MIDDLE.to_bits();

    type Factor = [__m256d; 2];

    #[inline(always)]
    fn splat(value: u64) -> Self {
        Self(both!(_r => _mm256_set1_epi64x(value.cast_signed())))
    }

    #[inline(always)]
    fn load(row: &Limb) -> Self {
        Self(both!(r => _mm256_loadu_si256(row.as_ptr().add(4 * r).cast())))
    }

    #[inline(always)]
    fn store(self, row: &mut Limb) {
        let _: [(); 2] = both!(r => {
            _mm256_storeu_si256(row.as_mut_ptr().add(4 * r).cast(), self.0[r]);
        });
    }

    #[inline(always)]
    fn load_factor(row: &Limb) -> [__m256d; 2] {
        both!(r => _mm256_loadu_pd(row.as_ptr().add(4 * r).cast()))
    }

    #[inline(always)]
    fn store_factor(factor: [__m256d; 2], row: &mut Limb) {
        let _: [(); 2] = both!(r => {
            _mm256_storeu_pd(row.as_mut_ptr().add(4 * r).cast(), factor[r]);
        });
    }

    #[inline(always)]
    fn add(self, y: Self) -> Self {
        Self(both!(r => _mm256_add_epi64(self.0[r], y.0[r])))
    }

    #[inline(always)]
    fn sub(self, y: Self) -> Self {
        Self(both!(r => _mm256_sub_epi64(self.0[r], y.0[r])))
    }

    #[inline(always)]
    fn and(self, y: Self) -> Self {
        Self(both!(r => _mm256_and_si256(self.0[r], y.0[r])))
    }

    #[inline(always)]
    fn xor(self, y: Self) -> Self {
        Self(both!(r => _mm256_xor_si256(self.0[r], y.0[r])))
    }

    #[inline(always)]
    fn shift_left(self, count: u32) -> Self {
        let count = count.cast_signed();
        Self(both!(r => _mm256_sll_epi64(self.0[r], _mm_cvtsi32_si128(count))))
    }

    #[inline(always)]
    fn shift_right<const COUNT: u32>(self) -> Self {
        let count = COUNT.cast_signed();
        Self(both!(r => _mm256_srl_epi64(self.0[r], _mm_cvtsi32_si128(count))))
    }

    /// The carry, by an unsigned shift of lanes plus `2^63`.
    #[inline(always)]
    fn carry(self) -> Self {
        let above = self.xor(Self::splat(1 << 63)).shift_right::<LIMB_BITS>();
        above.sub(Self::splat(1 << (63 - LIMB_BITS)))
    }

    #[inline(always)]
    fn or_zero(self) -> Self {
        let negative = self.negative();
        Self(both!(r => _mm256_andnot_si256(negative.0[r], self.0[r])))
    }

    #[inline(always)]
    fn factor(self) -> [__m256d; 2] {
        let bits = self
            .and(Self::splat(LIMB_MASK))
            .xor(Self::splat(LOW.to_bits()));
        both!(r => _mm256_sub_pd(_mm256_castsi256_pd(bits.0[r]), _mm256_set1_pd(LOW)))
    }

    #[inline(always)]
    fn low(sum: Self, x: [__m256d; 2], y: [__m256d; 2]) -> Self {
        sum.add(Self::rest(x, y))
    }

    #[inline(always)]
    fn high(sum: Self, x: [__m256d; 2], y: [__m256d; 2]) -> Self {
        let rounded = Self::rounded(x, y);
        sum.add(Self(both!(r => _mm256_castpd_si256(rounded[r]))))
    }

    /// The high half, one less where the low half is negative.
    #[inline(always)]
    fn floor(x: [__m256d; 2], y: [__m256d; 2]) -> Self {
        let low = Self::rest(x, y).sub(Self::splat(Self::LOW_BIAS));
        let high = Self::high(Self::splat(0), x, y).sub(Self::splat(Self::HIGH_BIAS));
        high.add(low.negative())
    }

    /// The digit: the low half plus `2^51` modulo `2^52` is the digit with its highest bit flipped.
    #[inline(always)]
    fn digit(self, y: [__m256d; 2]) -> [__m256d; 2] {
        let rest = Self::rest(self.factor(), y);
        rest.xor(Self::splat(1 << (LIMB_BITS - 1))).factor()
    }

    #[inline(always)]
    fn add_row<const B: usize>(sums: &mut [Self], x: [__m256d; 2], y: &[Limb; B]) {
        Self::add_row_in(sums, x[0], y, 0);
        Self::add_row_in(sums, x[1], y, 1);
    }

    /// Adds a block in one register after the other, so that the sums of only one are in use.
    #[inline(always)]
    fn add_block<const B: usize>(sums: &mut [[Self; B]; 2], x: &[Limb; B], y: &[Limb; B]) {
        let sums = sums.as_flattened_mut();
        for register in 0..2 {
            for i in 0..B {
                let x = Self::load_factor(&x[i])[register];
                Self::add_row_in(&mut sums[i..=i + B], x, y, register);
            }
        }
    }
}
