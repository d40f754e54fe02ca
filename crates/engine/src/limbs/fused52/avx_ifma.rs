//! Limbs in registers of AVX-IFMA, whose products are those of integers.
#![expect(
    unsafe_code,
    reason = "instructions that the callers of kernels have detected"
)]

use crate::{
    instructions::avx_ifma,
    limbs::{
        fused52::{avx2::Pair, vector::Lanes},
        numbers::Limb,
    },
};

/// Eight lanes in two registers, with halves of products that are rounded downwards, and without a bias.
#[derive(Clone, Copy)]
pub(super) struct Integers(Pair);

impl Integers {
    /// [`Lanes::add_row`] in one of the registers.
    #[inline(always)]
    fn add_row_in<const B: usize>(sums: &mut [Self], x: Self, y: &[Limb; B], register: usize) {
        let x = x.0.0[register];
        for j in 0..B {
            let y = Pair::load(&y[j]).0[register];
            let (low, high) = (sums[j].0.0[register], sums[j + 1].0.0[register]);
            // SAFETY: kernels with these registers run only after detection of AVX-IFMA.
            unsafe {
                sums[j].0.0[register] = avx_ifma::plus_low(low, x, y);
                sums[j + 1].0.0[register] = avx_ifma::plus_high(high, x, y);
            }
        }
    }
}

impl Lanes for Integers {
    const LOW_BIAS: u64 = 0;
    const HIGH_BIAS: u64 = 0;

    /// A limb, of which products take the lowest 52 bits.
    type Factor = Self;

    #[inline(always)]
    fn splat(value: u64) -> Self {
        Self(Pair::splat(value))
    }

    #[inline(always)]
    fn load(row: &Limb) -> Self {
        Self(Pair::load(row))
    }

    #[inline(always)]
    fn store(self, row: &mut Limb) {
        self.0.store(row);
    }

    #[inline(always)]
    fn load_factor(row: &Limb) -> Self {
        Self::load(row)
    }

    #[inline(always)]
    fn store_factor(factor: Self, row: &mut Limb) {
        factor.store(row);
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
    fn and(self, y: Self) -> Self {
        Self(self.0.and(y.0))
    }

    #[inline(always)]
    fn xor(self, y: Self) -> Self {
        Self(self.0.xor(y.0))
    }

    #[inline(always)]
    fn shift_left(self, count: u32) -> Self {
        Self(self.0.shift_left(count))
    }

    #[inline(always)]
    fn shift_right<const COUNT: u32>(self) -> Self {
        Self(self.0.shift_right::<COUNT>())
    }

    #[inline(always)]
    fn carry(self) -> Self {
        Self(self.0.carry())
    }

    #[inline(always)]
    fn or_zero(self) -> Self {
        Self(self.0.or_zero())
    }

    #[inline(always)]
    fn factor(self) -> Self {
        self
    }

    #[inline(always)]
    fn low(mut sum: Self, x: Self, y: Self) -> Self {
        for register in 0..2 {
            let (part, x, y) = (sum.0.0[register], x.0.0[register], y.0.0[register]);
            // SAFETY: as in `add_row_in`.
            sum.0.0[register] = unsafe { avx_ifma::plus_low(part, x, y) };
        }
        sum
    }

    #[inline(always)]
    fn high(mut sum: Self, x: Self, y: Self) -> Self {
        for register in 0..2 {
            let (part, x, y) = (sum.0.0[register], x.0.0[register], y.0.0[register]);
            // SAFETY: as in `add_row_in`.
            sum.0.0[register] = unsafe { avx_ifma::plus_high(part, x, y) };
        }
        sum
    }

    #[inline(always)]
    fn floor(x: Self, y: Self) -> Self {
        Self::high(Self::splat(0), x, y)
    }

    #[inline(always)]
    fn digit(self, y: Self) -> Self {
        Self::low(Self::splat(0), self, y)
    }

    #[inline(always)]
    fn add_row<const B: usize>(sums: &mut [Self], x: Self, y: &[Limb; B]) {
        for register in 0..2 {
            Self::add_row_in(sums, x, y, register);
        }
    }

    /// Adds a block in one register after the other, so that the sums of only one are in use.
    #[inline(always)]
    fn add_block<const B: usize>(sums: &mut [[Self; B]; 2], x: &[Limb; B], y: &[Limb; B]) {
        let sums = sums.as_flattened_mut();
        for register in 0..2 {
            for i in 0..B {
                Self::add_row_in(&mut sums[i..=i + B], Self::load(&x[i]), y, register);
            }
        }
    }
}
