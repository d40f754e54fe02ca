//! RNS Montgomery multiplication of one or two numbers, each spread over the lanes.

use core::arch::x86_64::{
    __m512i, _mm512_add_epi64, _mm512_reduce_add_epi64, _mm512_setzero_si512,
};
use core::ops::Range;

use crate::{
    instructions::vector::{WIDTH, flat, load, splat, store},
    residues::{
        avx512::{
            spread::{
                constants::{Block, ChannelOctet, Octet, SpreadMatrix, SpreadPlan},
                numbers::{SpreadModuli, SpreadNumbers, SpreadScratch},
            },
            vector::{self, Sum},
        },
        plan::Plan,
    },
    row::all_at_most,
};

/// The second operand of a product.
#[derive(Clone, Copy)]
pub(super) enum SpreadOperand<'a, const N: usize> {
    /// Other numbers: one product.
    Other(&'a SpreadNumbers<N>),
    /// The first operand itself: this many squarings in succession.
    Itself(u32),
}

/// `x := x y A^-1` modulo P for each of the N numbers, or repeatedly `x := x^2 A^-1`. Pre- and
/// postconditions are those of [`Kernels::montgomery`](crate::residues::lanes::Kernels::montgomery).
#[target_feature(enable = "avx512f,avx512ifma")]
pub(super) fn montgomery<const N: usize>(
    plan: &Plan,
    spread: &SpreadPlan,
    moduli: &SpreadModuli<N>,
    x: &mut SpreadNumbers<N>,
    y: SpreadOperand<'_, N>,
    scratch: &mut SpreadScratch<N>,
) {
    match (spread.a.len(), spread.b.len()) {
        (1, 1) => in_registers::<1, 4, N>(plan, spread, moduli, x, y, scratch),
        (2, 2) => in_registers::<2, 2, N>(plan, spread, moduli, x, y, scratch),
        (3, 3) => in_registers::<3, 2, N>(plan, spread, moduli, x, y, scratch),
        (4, 4) => in_registers::<4, 1, N>(plan, spread, moduli, x, y, scratch),
        (5, 5) => in_registers::<5, 1, N>(plan, spread, moduli, x, y, scratch),
        (6, 6) => in_registers::<6, 1, N>(plan, spread, moduli, x, y, scratch),
        _ => match y {
            SpreadOperand::Other(y) => in_memory(plan, spread, moduli, x, Some(y), scratch),
            SpreadOperand::Itself(times) => {
                for _ in 0..times {
                    in_memory(plan, spread, moduli, x, None, scratch);
                }
            }
        },
    }
}

/// [`montgomery`] for bases of R rows each, with R at most
/// [`BLOCK`](crate::residues::avx512::spread::constants::BLOCK), so that residues stay in registers between squarings.
/// S is the number of partial sums, as in [`sums`].
#[inline(never)]
#[target_feature(enable = "avx512f,avx512ifma")]
fn in_registers<const R: usize, const S: usize, const N: usize>(
    plan: &Plan,
    spread: &SpreadPlan,
    moduli: &SpreadModuli<N>,
    x: &mut SpreadNumbers<N>,
    y: SpreadOperand<'_, N>,
    scratch: &mut SpreadScratch<N>,
) {
    let (a, b) = (first_rows::<R, _>(&spread.a), first_rows::<R, _>(&spread.b));
    let to_rh = first_rows::<R, _>(&spread.to_rh);
    let a_to_b = &spread.a_to_b.blocks[0].weights;
    let b_to_a = &spread.b_to_a.blocks[0].weights;
    let (b_without_h, weights_of_h) = b_to_a.split_at(plan.b.len() * R);
    let weights_of_h = first_rows::<R, _>(weights_of_h);
    let mut h = [0; N];
    let (mut x_a, mut x_b) = load_rows::<R, N>(x);
    let ((mut y_a, mut y_b), times) = match y {
        SpreadOperand::Other(y) => (load_rows::<R, N>(y), 1),
        SpreadOperand::Itself(times) => ((x_a, x_b), times),
    };
    let bounds = &plan.bounds;
    for _ in 0..times {
        for n in 0..N {
            let to_quotient = first_rows::<R, _>(&moduli.to_quotient[n]);
            let qh = first_rows_mut::<R, _>(&mut scratch.qh[n]);
            for r in 0..R {
                let digit = quotient_digit(&a[r], x_a[n][r], y_a[n][r], &to_quotient[r]);
                store(&mut qh[r], 0, digit);
            }
            debug_assert!(all_at_most(qh, bounds.qh));
        }
        let sums_in_b = sums::<R, S, N>(a_to_b, &flat_each(&scratch.qh));
        for n in 0..N {
            let sums = &sums_in_b[n];
            let scaled_p = first_rows::<R, _>(&moduli.scaled_p[n]);
            let rh = first_rows_mut::<R, _>(&mut scratch.rh[n]);
            let mut cox = _mm512_setzero_si512();
            for r in 0..R {
                let (x, y) = (x_b[n][r], y_b[n][r]);
                let (product, rh_j) = residue_in_b(&b[r], x, y, sums[r], &scaled_p[r], &to_rh[r]);
                (x_b[n][r], y_b[n][r]) = (product, product);
                store(&mut rh[r], 0, rh_j);
                cox = _mm512_add_epi64(cox, rh_j);
            }
            debug_assert!(all_at_most(rh, bounds.rh));
            h[n] = cox_quotient(plan, cox);
        }
        let sums_in_a = sums::<R, S, N>(b_without_h, &flat_each(&scratch.rh));
        for n in 0..N {
            for r in 0..R {
                let sum = sums_in_a[n][r].plus(splat(h[n]), load(&weights_of_h[r], 0));
                x_a[n][r] = a[r].load().redc(sum);
                y_a[n][r] = x_a[n][r];
            }
        }
    }
    for n in 0..N {
        let (in_a, in_b) = x.of_mut(n).split_at_mut(R);
        for r in 0..R {
            store(&mut in_a[r], 0, x_a[n][r]);
            store(&mut in_b[r], 0, x_b[n][r]);
        }
        debug_assert!(all_at_most(in_a, bounds.x_a) && all_at_most(in_b, bounds.x_b));
    }
}

/// [`montgomery`] for one product in bases of any size, block by block. Squares x if `y` is `None`.
#[target_feature(enable = "avx512f,avx512ifma")]
fn in_memory<const N: usize>(
    plan: &Plan,
    spread: &SpreadPlan,
    moduli: &SpreadModuli<N>,
    x: &mut SpreadNumbers<N>,
    y: Option<&SpreadNumbers<N>>,
    scratch: &mut SpreadScratch<N>,
) {
    let rows_a = spread.a.len();
    let bounds = &plan.bounds;
    let mut x = x.split_mut(rows_a);
    let y = y.map(|y| y.split(rows_a));

    for n in 0..N {
        let x = &*x[n].0;
        let y = match y {
            Some(y) => y[n].0,
            None => x,
        };
        debug_assert!(all_at_most(x, bounds.x_a));
        let factors = x.iter().zip(y).zip(moduli.to_quotient[n].iter());
        let channels = spread.a.iter().zip(scratch.qh[n].iter_mut());
        for ((channels, qh), ((x, y), to_quotient)) in channels.zip(factors) {
            let digit = quotient_digit(channels, load(x, 0), load(y, 0), to_quotient);
            store(qh, 0, digit);
        }
        debug_assert!(all_at_most(&scratch.qh[n], bounds.qh));
    }

    let mut cox = [_mm512_setzero_si512(); N];
    for_each_block(
        &spread.a_to_b,
        &flat_each(&scratch.qh),
        #[inline(always)]
        |n, rows, sums| {
            let channels = &spread.b[rows.clone()];
            let to_rh = &spread.to_rh[rows.clone()];
            let scaled_p = &moduli.scaled_p[n][rows.clone()];
            let x = &mut x[n].1[rows.clone()];
            let rh = &mut scratch.rh[n][rows.clone()];
            for r in 0..sums.len() {
                let factor = load(&x[r], 0);
                let y = match y {
                    Some(y) => load(&y[n].1[rows.start + r], 0),
                    None => factor,
                };
                let (product, rh_j) =
                    residue_in_b(&channels[r], factor, y, sums[r], &scaled_p[r], &to_rh[r]);
                store(&mut x[r], 0, product);
                store(&mut rh[r], 0, rh_j);
                cox[n] = _mm512_add_epi64(cox[n], rh_j);
            }
        },
    );
    for n in 0..N {
        debug_assert!(all_at_most(x[n].1, bounds.x_b));
        debug_assert!(all_at_most(&scratch.rh[n][..spread.b.len()], bounds.rh));
        scratch.rh[n][plan.b.len() / WIDTH][plan.b.len() % WIDTH] = cox_quotient(plan, cox[n]);
    }

    for_each_block(
        &spread.b_to_a,
        &flat_each(&scratch.rh),
        #[inline(always)]
        |n, rows, sums| {
            let channels = &spread.a[rows.clone()];
            let x = &mut x[n].0[rows];
            for r in 0..sums.len() {
                store(&mut x[r], 0, channels[r].load().redc(sums[r]));
            }
        },
    );
}

/// `qh_i = |x y (-P^-1) (A/a_i)^-1|_{a_i}`, from `to_quotient`. Requires x and y of at most `x_a`;
/// ensures at most `qh` ([`Bounds`](crate::residues::plan::Plan::bounds)).
#[inline]
#[target_feature(enable = "avx512f,avx512ifma")]
fn quotient_digit(channels: &ChannelOctet, x: __m512i, y: __m512i, to_quotient: &Octet) -> __m512i {
    let channels = channels.load();
    channels.multiply(channels.multiply(x, y), load(to_quotient, 0))
}

/// The stored residue `x_j` of `(x y + q' P) A^-1`, and `rh_j`, from the sum of the first
/// extension, `q'` in base B. Requires x and y of at most `x_b`; ensures `x_j` of at most `x_b` and
/// `rh_j` of at most `rh`.
#[inline]
#[target_feature(enable = "avx512f,avx512ifma")]
fn residue_in_b(
    channels: &ChannelOctet,
    x: __m512i,
    y: __m512i,
    sum: Sum,
    scaled_p: &Octet,
    to_rh: &Octet,
) -> (__m512i, __m512i) {
    let channels = channels.load();
    let t = channels.redc(sum);
    let product = channels.redc(Sum::zero().plus(x, y).plus(t, load(scaled_p, 0)));
    (product, channels.multiply(product, load(to_rh, 0)))
}

/// The Cox quotient `h = floor(1/2 + sum rh_j / 2^w)`, from the partial sums of the `rh_j` in the
/// lanes of `cox`. Requires fewer than `2^12` terms below `2^52`.
#[inline]
#[target_feature(enable = "avx512f")]
pub(super) fn cox_quotient(plan: &Plan, cox: __m512i) -> u64 {
    let sum = _mm512_reduce_add_epi64(cox).cast_unsigned();
    let h = (sum + (1 << (plan.w - 1))) >> plan.w;
    debug_assert!(h <= plan.bounds.h);
    h
}

/// The first R rows. Requires at least R rows.
fn first_rows<const R: usize, T>(rows: &[T]) -> &[T; R] {
    rows.first_chunk().expect("a base has R rows")
}

/// [`first_rows`] for mutable rows.
fn first_rows_mut<const R: usize, T>(rows: &mut [T]) -> &mut [T; R] {
    rows.first_chunk_mut().expect("a base has R rows")
}

/// Loads the R rows of base A, and the R rows of base B, of each number.
#[inline]
#[target_feature(enable = "avx512f")]
fn load_rows<const R: usize, const N: usize>(
    x: &SpreadNumbers<N>,
) -> ([[__m512i; R]; N], [[__m512i; R]; N]) {
    let mut a = [[_mm512_setzero_si512(); R]; N];
    let mut b = a;
    for n in 0..N {
        let (in_a, in_b) = x.of(n).split_at(R);
        for r in 0..R {
            a[n][r] = load(&in_a[r], 0);
            b[n][r] = load(&in_b[r], 0);
        }
    }
    (a, b)
}

impl ChannelOctet {
    /// Loads the constants of the eight channels.
    #[inline]
    #[target_feature(enable = "avx512f")]
    pub(super) fn load(&self) -> vector::ChannelVector {
        vector::ChannelVector {
            m: load(&self.m, 0),
            inverse: load(&self.inverse, 0),
            radix: load(&self.radix, 0),
        }
    }
}

/// The lanes of each number's rows as one slice per number.
pub(super) fn flat_each<const N: usize, T>(rows: &[T; N]) -> [&[u64]; N]
where
    T: core::ops::Deref<Target = Vec<Octet>>,
{
    rows.each_ref().map(|rows| flat(rows))
}

/// Multiplies a matrix with the inputs `x_n` of each number. Calls `finish(n, rows, sums)` once for
/// each number n and block, with the sums `sum_i weight[i][r] x_n[i]` for each row r in `rows`.
/// Requires inputs below `2^52`, and at most `2^12` of them.
#[inline]
#[target_feature(enable = "avx512f,avx512ifma")]
pub(super) fn for_each_block<const N: usize>(
    weights: &SpreadMatrix,
    x: &[&[u64]; N],
    mut finish: impl FnMut(usize, Range<usize>, &[Sum]),
) {
    let mut first = 0;
    for Block { rows, weights } in &weights.blocks {
        match rows {
            1 => block::<1, 4, N>(weights, x, first, &mut finish),
            2 => block::<2, 2, N>(weights, x, first, &mut finish),
            3 => block::<3, 2, N>(weights, x, first, &mut finish),
            4 => block::<4, 1, N>(weights, x, first, &mut finish),
            5 => block::<5, 1, N>(weights, x, first, &mut finish),
            6 => block::<6, 1, N>(weights, x, first, &mut finish),
            _ => unreachable!("no block has more rows"),
        }
        first += rows;
    }
}

/// [`for_each_block`] for one block of R rows of outputs, the first of which is `first`.
#[inline]
#[target_feature(enable = "avx512f,avx512ifma")]
fn block<const R: usize, const S: usize, const N: usize>(
    weights: &[Octet],
    x: &[&[u64]; N],
    first: usize,
    finish: &mut impl FnMut(usize, Range<usize>, &[Sum]),
) {
    let sums = sums::<R, S, N>(weights, x);
    for n in 0..N {
        finish(n, first..first + R, &sums[n]);
    }
}

/// `sum_i weight[i][r] x_n[i]` for R rows and N numbers, which share each load of a weight.
///
/// Each sum is split into S partial sums, because at least eight accumulators are needed to hide
/// the latency of the multiplications. Requires inputs and weights below `2^52`, and at most `2^12`
/// inputs, which keep both parts of each sum below `2^64`.
#[inline]
#[target_feature(enable = "avx512f,avx512ifma")]
fn sums<const R: usize, const S: usize, const N: usize>(
    weights: &[Octet],
    x: &[&[u64]; N],
) -> [[Sum; R]; N] {
    let (weights, _) = weights.as_chunks::<R>();
    let inputs = weights.len();
    let (weights, last_weights) = weights.as_chunks::<S>();
    let (mut inputs_of, mut last_inputs_of) = ([[].as_slice(); N], [[].as_slice(); N]);
    for n in 0..N {
        (inputs_of[n], last_inputs_of[n]) = x[n][..inputs].as_chunks::<S>();
    }
    let mut sums = [[[Sum::zero(); R]; N]; S];
    for (i, weights) in weights.iter().enumerate() {
        for s in 0..S {
            let mut inputs = [_mm512_setzero_si512(); N];
            for n in 0..N {
                inputs[n] = splat(inputs_of[n][i][s]);
            }
            for r in 0..R {
                let weight = load(&weights[s][r], 0);
                for n in 0..N {
                    sums[s][n][r] = sums[s][n][r].plus(inputs[n], weight);
                }
            }
        }
    }
    for (i, weights) in last_weights.iter().enumerate() {
        for r in 0..R {
            for n in 0..N {
                let input = splat(last_inputs_of[n][i]);
                sums[0][n][r] = sums[0][n][r].plus(input, load(&weights[r], 0));
            }
        }
    }
    let mut total = sums[0];
    for s in 1..S {
        for n in 0..N {
            for r in 0..R {
                total[n][r] = total[n][r].join(sums[s][n][r]);
            }
        }
    }
    total
}
