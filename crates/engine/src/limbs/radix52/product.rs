//! Modular products of eight numbers, one a lane: columns of products of limbs, with the Montgomery
//! reduction of each column as soon as it is complete (product scanning, Koç, Acar and Kaliski,
//! "Analyzing and comparing Montgomery multiplication algorithms", 1996, FIPS).
//!
//! Limbs come in blocks of B, and so do columns: block c of the columns takes all products of a
//! block I of one operand and a block `c - I` of the other. Its `2 B` sums stay in registers
//! together with one block, so that `2 B^2` multiplications take `2 B` loads.

use core::arch::x86_64::{
    __m512i, _mm512_add_epi64, _mm512_and_si512, _mm512_madd52hi_epu64, _mm512_madd52lo_epu64,
    _mm512_setzero_si512, _mm512_slli_epi64, _mm512_srli_epi64,
};

use crate::{
    instructions::vector::{is_zero, load, splat, store},
    limbs::{
        numbers::{Factors, Limb, Moduli},
        plan::{LIMB_BITS, LIMB_MASK, LimbPlan},
        radix52::{
            columns::{self, COLUMNS},
            small,
        },
    },
};

/// B limbs of eight numbers.
type Block<const B: usize> = [Limb; B];

/// [`Kernels::montgomery`](crate::limbs::kernels::Kernels::montgomery).
#[target_feature(enable = "avx512f,avx512ifma")]
pub(super) fn montgomery(moduli: Moduli<'_>, factors: Factors<'_>, out: &mut [Limb]) {
    let LimbPlan { limbs, block, .. } = moduli.plan;
    let few = match factors {
        Factors::Square(_) => true,
        Factors::Products(factors) => factors.len() <= moduli.plan.products_at_once(),
    };
    match limbs {
        5 if few => small::general5(moduli, factors, out),
        8 if few => small::general8(moduli, factors, out),
        _ => {
            for (vector, out) in out.chunks_exact_mut(limbs).enumerate() {
                match block {
                    _ if few && limbs.is_multiple_of(COLUMNS) => {
                        columns::montgomery(moduli, factors, vector, out);
                    }
                    5 => blocks::<5>(moduli, factors, vector, out),
                    4 => blocks::<4>(moduli, factors, vector, out),
                    _ => blocks::<3>(moduli, factors, vector, out),
                }
            }
        }
    }
}

/// [`montgomery`], by blocks of B limbs.
///
/// Column k of `T + q P` is `sum of lo(x_i y_j) over i + j = k, and hi(x_i y_j) over
/// i + j = k - 1`, and the same for q and P. For k < n the digit `q_k = -S_k P^-1 mod 2^52` makes
/// the sum `S_k`, with the carry from below, a multiple of `2^52`: as `lo(q_k p_0)` is
/// `-S_k mod 2^52`, the carry is `floor((S_k + 2^52 - 1) / 2^52)`.
#[target_feature(enable = "avx512f,avx512ifma")]
fn blocks<const B: usize>(
    moduli: Moduli<'_>,
    factors: Factors<'_>,
    vector: usize,
    out: &mut [Limb],
) {
    let first = vector * moduli.plan.limbs;
    let (p, _) = moduli.limbs[first..][..moduli.plan.limbs].as_chunks::<B>();
    let (out, _) = out.as_chunks_mut::<B>();
    let blocks = p.len();
    debug_assert!(out.len() == blocks);
    let negative_inverse = load(&moduli.negative_inverses[vector], 0);
    let (mask, zero) = (splat(LIMB_MASK), _mm512_setzero_si512());
    let at_once = moduli.plan.products_at_once();
    // The columns of the previous block that are in this block, and the carry above them.
    let (mut carried, mut above) = ([zero; B], zero);
    for c in 0..2 * blocks {
        // Pairs of block I of one operand and block c - I of the other.
        let pairs = (c + 1).saturating_sub(blocks)..blocks.min(c + 1);
        let mut columns = Columns::<B>::zero();
        columns.low[1][0] = above;
        above = zero;
        match factors {
            Factors::Square(x) => {
                let (x, _) = x.limbs[first..].as_chunks::<B>();
                for i in pairs.start..c.div_ceil(2) {
                    columns = columns.plus(&x[i], &x[c - i]);
                }
                columns = match c % 2 {
                    0 => columns.plus_square(&x[c / 2]),
                    _ => columns.double(),
                };
            }
            Factors::Products(factors) => {
                for some in factors.chunks(at_once) {
                    for (_, x, y) in some {
                        let (x, y) = (
                            x.limbs[first..].as_chunks::<B>().0,
                            y.limbs[first..].as_chunks::<B>().0,
                        );
                        for i in pairs.clone() {
                            columns = columns.plus(&x[i], &y[c - i]);
                        }
                    }
                    if factors.len() > at_once {
                        let carry;
                        (columns, carry) = columns.settle();
                        above = _mm512_add_epi64(above, carry);
                    }
                }
            }
        }
        for k in 0..B {
            columns.low[0][k] = _mm512_add_epi64(columns.low[0][k], carried[k]);
        }
        // The digits of q are stored where the result will be: block I of the result comes after the last use
        // of block I of q.
        for i in pairs.start..c.min(blocks) {
            columns = columns.plus(&out[i], &p[c - i]);
        }
        let mut carry = zero;
        if let Some(out) = out.get_mut(c) {
            for k in 0..B {
                let sum = _mm512_add_epi64(columns.total(k), carry);
                let q = _mm512_madd52lo_epu64(zero, sum, negative_inverse);
                carry = _mm512_srli_epi64::<LIMB_BITS>(_mm512_add_epi64(sum, mask));
                columns = columns.plus_limb(q, k, &p[0]);
                store(&mut out[k], 0, q);
            }
        } else {
            let out = &mut out[c - blocks];
            for k in 0..B {
                let sum = _mm512_add_epi64(columns.total(k), carry);
                carry = _mm512_srli_epi64::<LIMB_BITS>(sum);
                store(&mut out[k], 0, _mm512_and_si512(sum, mask));
            }
        }
        for k in 0..B {
            carried[k] = columns.total(B + k);
        }
        carried[0] = _mm512_add_epi64(carried[0], carry);
    }
    // The result is below F.
    debug_assert!(carried.into_iter().all(|x| is_zero(x)));
}

/// The sums of `2 B` columns. The low half of a product of limbs i and j counts in column `i + j`,
/// its high half in the next.
#[derive(Clone, Copy)]
struct Columns<const B: usize> {
    /// Low halves for column k and for column `B + k`.
    low: [[__m512i; B]; 2],
    /// High halves for column `k + 1` and for column `B + k + 1`.
    high: [[__m512i; B]; 2],
}

impl<const B: usize> Columns<B> {
    #[inline]
    #[target_feature(enable = "avx512f")]
    fn zero() -> Self {
        let zero = _mm512_setzero_si512();
        Self {
            low: [[zero; B]; 2],
            high: [[zero; B]; 2],
        }
    }

    /// Adds `x y`, of which the low 52 bits count, to column k.
    #[inline]
    #[target_feature(enable = "avx512f,avx512ifma")]
    fn plus_product(&mut self, k: usize, x: __m512i, y: __m512i) {
        let (half, k) = (k / B, k % B);
        self.low[half][k] = _mm512_madd52lo_epu64(self.low[half][k], x, y);
        self.high[half][k] = _mm512_madd52hi_epu64(self.high[half][k], x, y);
    }

    /// All products of two blocks.
    #[inline]
    #[target_feature(enable = "avx512f,avx512ifma")]
    fn plus(mut self, x: &Block<B>, y: &Block<B>) -> Self {
        let mut limbs = [_mm512_setzero_si512(); B];
        for i in 0..B {
            limbs[i] = load(&x[i], 0);
        }
        for j in 0..B {
            let y = load(&y[j], 0);
            for i in 0..B {
                self.plus_product(i + j, limbs[i], y);
            }
        }
        self
    }

    /// Twice these columns, and the square of a block.
    #[inline]
    #[target_feature(enable = "avx512f,avx512ifma")]
    fn plus_square(mut self, x: &Block<B>) -> Self {
        let mut limbs = [_mm512_setzero_si512(); B];
        for i in 0..B {
            limbs[i] = load(&x[i], 0);
        }
        for j in 1..B {
            for i in 0..j {
                self.plus_product(i + j, limbs[i], limbs[j]);
            }
        }
        self = self.double();
        for i in 0..B {
            self.plus_product(2 * i, limbs[i], limbs[i]);
        }
        self
    }

    /// The products of one limb, number k of its block, with a block of which the lowest low half
    /// is accounted for.
    #[inline]
    #[target_feature(enable = "avx512f,avx512ifma")]
    fn plus_limb(mut self, x: __m512i, k: usize, y: &Block<B>) -> Self {
        for j in 0..B {
            let y = load(&y[j], 0);
            let (half, k) = ((j + k) / B, (j + k) % B);
            if j > 0 {
                self.low[half][k] = _mm512_madd52lo_epu64(self.low[half][k], x, y);
            }
            self.high[half][k] = _mm512_madd52hi_epu64(self.high[half][k], x, y);
        }
        self
    }

    /// Twice these columns.
    #[inline]
    #[target_feature(enable = "avx512f")]
    fn double(mut self) -> Self {
        for half in 0..2 {
            for k in 0..B {
                self.low[half][k] = _mm512_slli_epi64::<1>(self.low[half][k]);
                self.high[half][k] = _mm512_slli_epi64::<1>(self.high[half][k]);
            }
        }
        self
    }

    /// The same sum with columns below `2^52`, and the carry out of the last.
    #[inline]
    #[target_feature(enable = "avx512f")]
    fn settle(self) -> (Self, __m512i) {
        let (mask, mut carry) = (splat(LIMB_MASK), _mm512_setzero_si512());
        let mut settled = Self::zero();
        for k in 0..2 * B {
            let sum = _mm512_add_epi64(self.total(k), carry);
            carry = _mm512_srli_epi64::<LIMB_BITS>(sum);
            settled.low[k / B][k % B] = _mm512_and_si512(sum, mask);
        }
        (settled, carry)
    }

    /// The sum of column k.
    #[inline]
    #[target_feature(enable = "avx512f")]
    fn total(&self, k: usize) -> __m512i {
        let low = self.low[k / B][k % B];
        match k.checked_sub(1) {
            Some(below) => _mm512_add_epi64(low, self.high[below / B][below % B]),
            None => low,
        }
    }
}
