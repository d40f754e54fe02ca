//! Modular products of numbers of few limbs, whose columns all stay in registers.

use core::arch::x86_64::{
    __m512i, _mm512_add_epi64, _mm512_and_si512, _mm512_madd52hi_epu64, _mm512_madd52lo_epu64,
    _mm512_setzero_si512, _mm512_slli_epi64, _mm512_srli_epi64,
};

use super::{
    numbers::Limb,
    plan::{LIMB_BITS, LIMB_MASK},
    product::{Factors, Moduli},
};
use crate::devices::avx512::vector::{load, splat, store};

/// Repeats a block for each number of a list, which the block finds as a constant. The compiler
/// would not unroll a loop of this length, and then keep the columns in memory.
macro_rules! for_each {
    ($name:ident in [$($number:literal)*] $body:block) => {
        $({
            const $name: usize = $number;
            $body
        })*
    };
}

/// Defines [`montgomery`](super::product::montgomery) for numbers of n limbs, of which the list has
/// the indices.
macro_rules! define {
    ($name:ident, $n:literal, $indices:tt) => {
        #[target_feature(enable = "avx512f,avx512ifma")]
        pub(super) fn $name(
            moduli: Moduli<'_>,
            factors: Factors<'_>,
            vector: usize,
            out: &mut [Limb],
        ) {
            const N: usize = $n;
            let first = vector * N;
            let zero = _mm512_setzero_si512();
            let number = |limbs: &[Limb]| -> [__m512i; N] {
                let limbs = &limbs[first..][..N];
                core::array::from_fn(|k| load(&limbs[k], 0))
            };
            let mut columns = [zero; 2 * N];
            match factors {
                Factors::Square(x) => {
                    let x = number(&x.limbs);
                    for_each!(J in $indices {
                        for_each!(I in $indices {
                            if I < J {
                                columns[I + J] = low(columns[I + J], x[I], x[J]);
                                columns[I + J + 1] = high(columns[I + J + 1], x[I], x[J]);
                            }
                        });
                    });
                    for_each!(I in $indices {
                        let double = _mm512_slli_epi64::<1>(columns[2 * I]);
                        columns[2 * I] = low(double, x[I], x[I]);
                        let double = _mm512_slli_epi64::<1>(columns[2 * I + 1]);
                        columns[2 * I + 1] = high(double, x[I], x[I]);
                    });
                }
                Factors::Products(factors) => {
                    for (_, x, y) in factors {
                        let (x, y) = (number(&x.limbs), number(&y.limbs));
                        for_each!(J in $indices {
                            for_each!(I in $indices {
                                columns[I + J] = low(columns[I + J], x[I], y[J]);
                                columns[I + J + 1] = high(columns[I + J + 1], x[I], y[J]);
                            });
                        });
                    }
                }
            }
            let p = number(moduli.limbs);
            let (mask, inverse) = (splat(LIMB_MASK), load(&moduli.negative_inverses[vector], 0));
            for_each!(J in $indices {
                let q = low(zero, columns[J], inverse);
                // lo(q p_0) completes the column to a multiple of 2^52.
                let carry = _mm512_srli_epi64::<LIMB_BITS>(_mm512_add_epi64(columns[J], mask));
                columns[J + 1] = _mm512_add_epi64(columns[J + 1], carry);
                for_each!(I in $indices {
                    if I > 0 {
                        columns[I + J] = low(columns[I + J], q, p[I]);
                    }
                    columns[I + J + 1] = high(columns[I + J + 1], q, p[I]);
                });
            });
            let mut carry = zero;
            for_each!(K in $indices {
                let sum = _mm512_add_epi64(columns[N + K], carry);
                carry = _mm512_srli_epi64::<LIMB_BITS>(sum);
                store(&mut out[K], 0, _mm512_and_si512(sum, mask));
            });
            debug_assert!(super::product::is_zero(carry));
        }
    };
}

define!(montgomery5, 5, [0 1 2 3 4]);
define!(montgomery8, 8, [0 1 2 3 4 5 6 7]);

/// `sum +` the low 52 bits of `x y`.
#[inline]
#[target_feature(enable = "avx512f,avx512ifma")]
fn low(sum: __m512i, x: __m512i, y: __m512i) -> __m512i {
    _mm512_madd52lo_epu64(sum, x, y)
}

/// `sum +` the bits of `x y` from the 52nd on.
#[inline]
#[target_feature(enable = "avx512f,avx512ifma")]
fn high(sum: __m512i, x: __m512i, y: __m512i) -> __m512i {
    _mm512_madd52hi_epu64(sum, x, y)
}
