//! RNS Montgomery multiplication of a few numbers, each spread over the lanes.

use core::arch::x86_64::{
    _mm512_add_epi64, _mm512_and_si512, _mm512_reduce_add_epi64, _mm512_setzero_si512,
};

use super::{
    Constants, Numbers, Scratch,
    layout::{ChannelOctet, Layout, Octet, Weights},
};
use crate::backend::{
    avx512::vector::{self, Sum, WIDTH, load, splat, store},
    plan::Plan,
    row::all_at_most,
};

/// Rows of outputs that are summed up together. Twelve accumulators for one number, 24 for
/// two; eight already hide the latency of the multiplications.
const BLOCK: usize = 6;

/// `x := x y A^-1` modulo P for each of the N numbers; `x := x^2 A^-1` without a `y`. What
/// [`Kernels::montgomery`](crate::backend::lanes::Kernels::montgomery) promises.
#[target_feature(enable = "avx512f,avx512ifma")]
pub(super) fn montgomery<const N: usize>(
    plan: &Plan,
    layout: &Layout,
    constants: &Constants<N>,
    x: &mut Numbers<N>,
    y: Option<&Numbers<N>>,
    scratch: &mut Scratch<N>,
) {
    let (rows_a, rows_b) = (layout.a.len(), layout.b.len());
    let bounds = &plan.bounds;

    // qh_i = |x y (-P^-1) (A/a_i)^-1|_{a_i}
    for n in 0..N {
        let (x, _) = x.of(n).split_at(rows_a);
        let y = y.map_or(x, |y| y.of(n));
        let (quotient, qh) = (&constants.quotient[n], &mut scratch.qh[n]);
        debug_assert!(all_at_most(x, bounds.x_a));
        for (r, channels) in layout.a.iter().enumerate() {
            let channels = channels.load();
            let s = channels.multiply(load(&x[r], 0), load(&y[r], 0));
            store(&mut qh[r], 0, channels.multiply(s, load(&quotient[r], 0)));
        }
        debug_assert!(all_at_most(qh, bounds.qh));
    }

    // t_j = q' in base B;  x_j = |(x y + q' P) A^-1|_{b_j};  rh_j = |x_j (B/b_j)^-1|_{b_j}
    let mut cox = [_mm512_setzero_si512(); N];
    for_each_row(
        &layout.a_to_b,
        &each(&scratch.qh),
        #[inline(always)]
        |r, sums| {
            let channels = layout.b[r].load();
            for n in 0..N {
                let x = &mut x.of_mut(n)[rows_a + r];
                let factor = load(x, 0);
                let y = y.map_or(factor, |y| load(&y.of(n)[rows_a + r], 0));
                let t = channels.redc(sums[n]);
                let scaled_p = load(&constants.scaled_p[n][r], 0);
                let product = channels.redc(Sum::zero().plus(factor, y).plus(t, scaled_p));
                store(x, 0, product);
                let rh = channels.multiply(product, load(&layout.to_rh[r], 0));
                store(&mut scratch.rh[n][r], 0, rh);
                let rh = _mm512_and_si512(rh, load(&layout.b_mask[r], 0));
                cox[n] = _mm512_add_epi64(cox[n], rh);
            }
        },
    );

    // Cox: h = floor(1/2 + sum rh_j / 2^w), at most 2^12 terms below 2^52; the input behind
    // the last channel of B.
    for n in 0..N {
        debug_assert!(all_at_most(&x.of(n)[rows_a..], bounds.x_b));
        debug_assert!(all_at_most(&scratch.rh[n][..rows_b], bounds.rh));
        let sum = _mm512_reduce_add_epi64(cox[n]).cast_unsigned();
        let h = (sum + (1 << (plan.w - 1))) >> plan.w;
        debug_assert!(h <= bounds.h);
        scratch.rh[n][plan.b.len() / WIDTH][plan.b.len() % WIDTH] = h;
    }

    // x_i = |sum rh_j B/b_j - h B|_{a_i}
    for_each_row(
        &layout.b_to_a,
        &each(&scratch.rh),
        #[inline(always)]
        |r, sums| {
            let channels = layout.a[r].load();
            for n in 0..N {
                store(&mut x.of_mut(n)[r], 0, channels.redc(sums[n]));
            }
        },
    );
}

impl ChannelOctet {
    /// The constants of the eight channels.
    #[inline]
    #[target_feature(enable = "avx512f")]
    pub(super) fn load(&self) -> vector::Constants {
        vector::Constants {
            m: load(&self.m, 0),
            inverse: load(&self.inverse, 0),
            radix: load(&self.radix, 0),
        }
    }
}

/// The numbers' rows as slices.
pub(super) fn each<const N: usize, T>(rows: &[T; N]) -> [&[Octet]; N]
where
    T: core::ops::Deref<Target = Vec<Octet>>,
{
    rows.each_ref().map(|rows| rows.as_slice())
}

/// `finish(r, sum_i weight[i][r] x[i])` for every row r of outputs; the sums of the N numbers
/// share each load of a weight.
#[inline]
#[target_feature(enable = "avx512f,avx512ifma")]
pub(super) fn for_each_row<const N: usize>(
    weights: &Weights,
    x: &[&[Octet]; N],
    mut finish: impl FnMut(usize, [Sum; N]),
) {
    let mut row = 0;
    while row + BLOCK <= weights.rows {
        block::<BLOCK, N>(weights, row, x, &mut finish);
        row += BLOCK;
    }
    match weights.rows - row {
        1 => block::<1, N>(weights, row, x, &mut finish),
        2 => block::<2, N>(weights, row, x, &mut finish),
        3 => block::<3, N>(weights, row, x, &mut finish),
        4 => block::<4, N>(weights, row, x, &mut finish),
        5 => block::<5, N>(weights, row, x, &mut finish),
        _ => {}
    }
}

/// R rows of outputs, from `first` on.
#[inline]
#[target_feature(enable = "avx512f,avx512ifma")]
fn block<const R: usize, const N: usize>(
    weights: &Weights,
    first: usize,
    x: &[&[Octet]; N],
    finish: &mut impl FnMut(usize, [Sum; N]),
) {
    let mut sums = [[Sum::zero(); N]; R];
    let by_octet = weights.weights.chunks(WIDTH * weights.rows);
    for (octet, by_input) in by_octet.enumerate() {
        let mut octets = [&x[0][octet]; N];
        for n in 1..N {
            octets[n] = &x[n][octet];
        }
        for (lane, rows) in (0..WIDTH).zip(by_input.chunks_exact(weights.rows)) {
            let Some(rows) = rows[first..].first_chunk::<R>() else {
                return;
            };
            // Written out: closures given to library functions would not be inlined, for
            // those are compiled without the instructions.
            let mut inputs = [_mm512_setzero_si512(); N];
            for n in 0..N {
                inputs[n] = splat(octets[n][lane]);
            }
            for r in 0..R {
                let weight = load(&rows[r], 0);
                for n in 0..N {
                    sums[r][n] = sums[r][n].plus(inputs[n], weight);
                }
            }
        }
    }
    for (r, sums) in sums.into_iter().enumerate() {
        finish(first + r, sums);
    }
}
