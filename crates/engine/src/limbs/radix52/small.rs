//! Modular products of numbers of few limbs, whose columns all stay in registers.

use core::arch::x86_64::{
    __m512i, _mm512_add_epi64, _mm512_and_si512, _mm512_madd52hi_epu64, _mm512_madd52lo_epu64,
    _mm512_setzero_si512, _mm512_slli_epi64, _mm512_srai_epi64, _mm512_srli_epi64,
};

use crate::{
    instructions::vector::{is_zero, load, splat, store},
    limbs::{
        numbers::{Factors, Limb, Moduli},
        plan::{LIMB_BITS, LIMB_MASK},
    },
};

/// Makes the columns 0 to n - 1 vanish by adding q P, for any P. They have `2^52 - 1` added, as in
/// [`columns::montgomery`](crate::limbs::radix52::columns::montgomery): then the carry is the part of a column from bit 52
/// on. The two halves that complete column `j + 1`, for which its digit waits, are computed beside each other.
macro_rules! general {
    ($columns:ident, $moduli:ident, $vector:ident, $number:ident, $indices:tt) => {
        let p = $number($moduli.limbs);
        let inverse = load(&$moduli.negative_inverses[$vector], 0);
        for_each!(J in $indices {
            let q = low(inverse, $columns[J], inverse);
            // `lo(q_j p_0)` is accounted for.
            let carry = high(_mm512_srli_epi64::<LIMB_BITS>($columns[J]), q, p[0]);
            let next = low($columns[J + 1], q, p[1]);
            $columns[J + 1] = _mm512_add_epi64(next, carry);
            for_each!(I in $indices {
                if I > 1 {
                    $columns[I + J] = low($columns[I + J], q, p[I]);
                }
            });
            for_each!(I in $indices {
                if I > 0 {
                    $columns[I + J + 1] = high($columns[I + J + 1], q, p[I]);
                }
            });
        });
    };
}

/// Defines [`montgomery`](crate::limbs::radix52::product::montgomery) for numbers of n limbs, whose indices are in the
/// list. The middle columns take up to 2 n halves of a product, each four cycles after the one before it. So that they do not
/// take longer than all multiplications do, columns `first + 1` to `first + apart` have a sum of their own for high halves.
macro_rules! define {
    ($name:ident, $n:literal, $indices:tt, $first:literal, $apart:literal) => {
        #[target_feature(enable = "avx512f,avx512ifma")]
        pub(super) fn $name(moduli: Moduli<'_>, factors: Factors<'_>, out: &mut [Limb]) {
            const N: usize = $n;
            let (vectors, _) = out.as_chunks_mut::<N>();
            for (vector, out) in vectors.iter_mut().enumerate() {
                let first = vector * N;
                let (zero, mask) = (_mm512_setzero_si512(), splat(LIMB_MASK));
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
                        for_each!(K in $indices {
                            columns[K] = _mm512_add_epi64(columns[K], mask);
                        });
                    }
                    Factors::Products(factors) => {
                        for_each!(K in $indices {
                            columns[K] = mask;
                        });
                        let mut apart = [zero; $apart];
                        for (_, x, y) in factors {
                            let (x, y) = (number(&x.limbs), number(&y.limbs));
                            for_each!(J in $indices {
                                for_each!(I in $indices {
                                    columns[I + J] = low(columns[I + J], x[I], y[J]);
                                });
                                for_each!(I in $indices {
                                    const K: usize = (I + J).wrapping_sub($first);
                                    if K < $apart {
                                        apart[K % $apart] = high(apart[K % $apart], x[I], y[J]);
                                    } else {
                                        columns[I + J + 1] = high(columns[I + J + 1], x[I], y[J]);
                                    }
                                });
                            });
                        }
                        for k in 0..$apart {
                            let column = &mut columns[$first + 1 + k];
                            *column = _mm512_add_epi64(*column, apart[k]);
                        }
                    }
                }
                general!(columns, moduli, vector, number, $indices);
                let mut carry = zero;
                for_each!(K in $indices {
                    let sum = _mm512_add_epi64(columns[N + K], carry);
                    carry = _mm512_srai_epi64::<LIMB_BITS>(sum);
                    store(&mut out[K], 0, _mm512_and_si512(sum, mask));
                });
                debug_assert!(is_zero(carry));
            }
        }
    };
}

define!(general5, 5, [0 1 2 3 4], 0, 9);
define!(general8, 8, [0 1 2 3 4 5 6 7], 4, 6);

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
