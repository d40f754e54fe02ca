//! Vectors of float64, one number a lane, on each instruction set.
//!
//! All values are integers of at most 53 bits, so that every operation is exact, except for the
//! quotients of reductions and the sum of the Cox, whose errors are bounded (`plan.rs`). Results do
//! not depend on whether a multiplication and an addition are fused.
//!
//! There are no closures: they would be compiled without the instructions of the kernel around them.

use core::ops::Deref;

use crate::row::Row;

/// The summand that rounds: adding this number and subtracting it again rounds to the nearest integer, for
/// numbers below `2^51` in absolute value.
pub(super) const TO_INTEGER: f64 = 6_755_399_441_055_744.0;

/// A vector of L lanes, in as many registers as L lanes need.
pub(super) trait Vector<const L: usize>: Copy {
    /// Number of sums that fit in registers at a time: six or three.
    const SUMS: usize;

    /// The value in every lane.
    fn splat(value: f64) -> Self;

    fn load(lanes: &[f64; L]) -> Self;

    fn store(self, lanes: &mut [f64; L]);

    /// In each lane the entry, a float32 in bits, whose mask is all ones, or 0 if there is none. All entries are read.
    fn select<E: Deref<Target = [u32; L]>>(entries: &[E], masks: &[Row<u32, L>]) -> Self;

    /// `self y + z`.
    fn mul_add(self, y: Self, z: Self) -> Self;

    /// `z - self y`.
    fn neg_mul_add(self, y: Self, z: Self) -> Self;

    fn mul(self, y: Self) -> Self;

    fn add(self, y: Self) -> Self;

    fn sub(self, y: Self) -> Self;

    /// A residue of the same class of at most `m/2 + m 2^-23` in absolute value
    /// ([`Channel::bound`](crate::residues::float::channel::Channel::bound)). Requires lanes of at most
    /// `2^53 - m` in absolute value.
    ///
    /// The quotient is wrong by less than `2^-23`, besides its rounding to an integer.
    #[inline(always)]
    fn reduce(self, channel: ChannelVector<Self>) -> Self {
        let shift = Self::splat(TO_INTEGER);
        let quotient = self.mul_add(channel.inverse, shift).sub(shift);
        quotient.neg_mul_add(channel.m, self)
    }
}

/// The constants of a channel in every lane.
#[derive(Clone, Copy)]
pub(super) struct ChannelVector<V> {
    pub(super) m: V,
    /// `1 / m`, rounded.
    pub(super) inverse: V,
}

/// Lanes without intrinsics, for any processor.
#[derive(Clone, Copy)]
pub(super) struct Plain<const L: usize>([f64; L]);

impl<const L: usize> Vector<L> for Plain<L> {
    const SUMS: usize = 3;

    #[inline(always)]
    fn splat(value: f64) -> Self {
        Self([value; L])
    }

    #[inline(always)]
    fn load(lanes: &[f64; L]) -> Self {
        Self(*lanes)
    }

    #[inline(always)]
    fn store(self, lanes: &mut [f64; L]) {
        *lanes = self.0;
    }

    #[inline(always)]
    fn select<E: Deref<Target = [u32; L]>>(entries: &[E], masks: &[Row<u32, L>]) -> Self {
        let mut selected = [0; L];
        for (entry, mask) in entries.iter().zip(masks) {
            for l in 0..L {
                selected[l] |= entry[l] & mask[l];
            }
        }
        Self(selected.map(|bits| f32::from_bits(bits).into()))
    }

    #[inline(always)]
    fn mul_add(self, y: Self, z: Self) -> Self {
        // Fused only if every processor of the target can: elsewhere it is a call.
        if !cfg!(any(target_feature = "fma", target_arch = "aarch64")) {
            return self.mul(y).add(z);
        }
        let mut result = self;
        for l in 0..L {
            result.0[l] = self.0[l].mul_add(y.0[l], z.0[l]);
        }
        result
    }

    #[inline(always)]
    fn neg_mul_add(self, y: Self, z: Self) -> Self {
        Self::splat(0.0).sub(self).mul_add(y, z)
    }

    #[inline(always)]
    fn mul(self, y: Self) -> Self {
        let mut result = self;
        for l in 0..L {
            result.0[l] *= y.0[l];
        }
        result
    }

    #[inline(always)]
    fn add(self, y: Self) -> Self {
        let mut result = self;
        for l in 0..L {
            result.0[l] += y.0[l];
        }
        result
    }

    #[inline(always)]
    fn sub(self, y: Self) -> Self {
        let mut result = self;
        for l in 0..L {
            result.0[l] -= y.0[l];
        }
        result
    }
}

/// Lanes in N registers of x86-64.
#[cfg(target_arch = "x86_64")]
#[derive(Clone, Copy)]
pub(super) struct Registers<R, const N: usize>([R; N]);

/// Implements [`Vector`] for N registers, without loops over them: the compiler would unroll each of thousands.
#[cfg(target_arch = "x86_64")]
macro_rules! registers {
    (
        $register:ty, $lanes:literal, $n:literal: [$($k:literal),+], $sums:literal;
        $splat:path, $load:path, $widen:path, $load_f32:path, $store:path, $fmadd:path, $fnmadd:path, $mul:path, $add:path,
        $sub:path;
        $zero_f32:path, $and:path, $or:path
    ) => {
        #[expect(
            unsafe_code,
            reason = "instructions that the callers of kernels have detected"
        )]
        impl Vector<{ $n * $lanes }> for Registers<$register, $n> {
            const SUMS: usize = $sums;

            #[inline(always)]
            fn splat(value: f64) -> Self {
                // SAFETY: kernels with this type run only after detection (`InstructionSet`).
                Self([unsafe { $splat(value) }; $n])
            }

            #[inline(always)]
            fn load(lanes: &[f64; $n * $lanes]) -> Self {
                // SAFETY: as in `splat`; register k reads the lanes from k times its width on, all of which the
                // array has.
                Self([$(unsafe { $load(lanes.as_ptr().add($k * $lanes)) }),+])
            }

            #[inline(always)]
            fn store(self, lanes: &mut [f64; $n * $lanes]) {
                // SAFETY: as in `load`, for writes.
                $(unsafe { $store(lanes.as_mut_ptr().add($k * $lanes), self.0[$k]) };)+
            }

            #[inline(always)]
            fn select<E: Deref<Target = [u32; $n * $lanes]>>(
                entries: &[E],
                masks: &[Row<u32, { $n * $lanes }>],
            ) -> Self {
                // SAFETY: as in `splat`.
                let mut selected = [unsafe { $zero_f32() }; $n];
                for (entry, mask) in entries.iter().zip(masks) {
                    let (entry, mask) = (entry.as_ptr().cast::<f32>(), mask.as_ptr().cast::<f32>());
                    $(
                        // SAFETY: as in `load`; all bits are those of a float32.
                        selected[$k] = unsafe {
                            let entry = $load_f32(entry.add($k * $lanes));
                            $or(selected[$k], $and(entry, $load_f32(mask.add($k * $lanes))))
                        };
                    )+
                }
                // SAFETY: as in `splat`.
                Self([$(unsafe { $widen(selected[$k]) }),+])
            }

            #[inline(always)]
            fn mul_add(self, y: Self, z: Self) -> Self {
                // SAFETY: as in `splat`.
                Self([$(unsafe { $fmadd(self.0[$k], y.0[$k], z.0[$k]) }),+])
            }

            #[inline(always)]
            fn neg_mul_add(self, y: Self, z: Self) -> Self {
                // SAFETY: as in `splat`.
                Self([$(unsafe { $fnmadd(self.0[$k], y.0[$k], z.0[$k]) }),+])
            }

            #[inline(always)]
            fn mul(self, y: Self) -> Self {
                // SAFETY: as in `splat`.
                Self([$(unsafe { $mul(self.0[$k], y.0[$k]) }),+])
            }

            #[inline(always)]
            fn add(self, y: Self) -> Self {
                // SAFETY: as in `splat`.
                Self([$(unsafe { $add(self.0[$k], y.0[$k]) }),+])
            }

            #[inline(always)]
            fn sub(self, y: Self) -> Self {
                // SAFETY: as in `splat`.
                Self([$(unsafe { $sub(self.0[$k], y.0[$k]) }),+])
            }
        }
    };
}

#[cfg(target_arch = "x86_64")]
mod x86 {
    use core::arch::x86_64::{
        __m256d, __m512d, _mm_and_ps, _mm_loadu_ps, _mm_or_ps, _mm_setzero_ps, _mm256_add_pd,
        _mm256_and_ps, _mm256_cvtps_pd, _mm256_fmadd_pd, _mm256_fnmadd_pd, _mm256_loadu_pd,
        _mm256_loadu_ps, _mm256_mul_pd, _mm256_or_ps, _mm256_set1_pd, _mm256_setzero_ps,
        _mm256_storeu_pd, _mm256_sub_pd, _mm512_add_pd, _mm512_cvtps_pd, _mm512_fmadd_pd,
        _mm512_fnmadd_pd, _mm512_loadu_pd, _mm512_mul_pd, _mm512_set1_pd, _mm512_storeu_pd,
        _mm512_sub_pd,
    };

    use core::ops::Deref;

    use super::{Registers, Vector};
    use crate::row::Row;

    registers! {
        __m512d, 8, 1: [0], 6;
        _mm512_set1_pd, _mm512_loadu_pd, _mm512_cvtps_pd, _mm256_loadu_ps, _mm512_storeu_pd,
        _mm512_fmadd_pd, _mm512_fnmadd_pd,
        _mm512_mul_pd, _mm512_add_pd, _mm512_sub_pd;
        _mm256_setzero_ps, _mm256_and_ps, _mm256_or_ps
    }

    registers! {
        __m256d, 4, 2: [0, 1], 3;
        _mm256_set1_pd, _mm256_loadu_pd, _mm256_cvtps_pd, _mm_loadu_ps, _mm256_storeu_pd,
        _mm256_fmadd_pd, _mm256_fnmadd_pd,
        _mm256_mul_pd, _mm256_add_pd, _mm256_sub_pd;
        _mm_setzero_ps, _mm_and_ps, _mm_or_ps
    }
}
