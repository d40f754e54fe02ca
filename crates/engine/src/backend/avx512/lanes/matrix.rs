//! The product of a constant matrix with a batch.

use crate::backend::avx512::vector::{Constants, Sum, WIDTH, load, splat, store};
use crate::backend::{
    plan::{Channel, Matrix},
    row::{Row, all_at_most},
};

/// Rows of the matrix that share each load of an input.
const ROWS: usize = 4;

/// `out[r] = redc(sum_k weight[r][k] x[k])` in the channel of each row.
///
/// Requires `x.len() == columns`, `out.len() == rows == channels.len()`, and lanes below
/// `2^52`; the plan's bounds keep the results below `2^52` too.
#[inline]
#[target_feature(enable = "avx512f,avx512ifma")]
pub(super) fn multiply<'a, const L: usize>(
    matrix: &Matrix,
    channels: impl Iterator<Item = &'a Channel>,
    x: &[Row<u64, L>],
    out: &mut [Row<u64, L>],
) {
    debug_assert!(x.len() == matrix.columns() && out.len() == matrix.rows());
    debug_assert!(all_at_most(x, (1 << 52) - 1));
    let columns = matrix.columns();
    let mut channels = channels.map(|channel| Constants::new(channel));
    let (blocks, rest) = out.as_chunks_mut::<ROWS>();
    let (in_blocks, in_rest) = matrix.weights().split_at(blocks.len() * ROWS * columns);
    for (block, weights) in blocks
        .iter_mut()
        .zip(in_blocks.chunks_exact(ROWS * columns))
    {
        multiply_rows(weights, &mut channels, x, block);
    }
    for (row, weights) in rest.iter_mut().zip(in_rest.chunks_exact(columns)) {
        multiply_rows(weights, &mut channels, x, core::array::from_mut(row));
    }
}

/// A few rows, all lanes.
#[inline]
#[target_feature(enable = "avx512f,avx512ifma")]
fn multiply_rows<const R: usize, const L: usize>(
    weights: &[u64],
    channels: &mut impl Iterator<Item = Constants>,
    x: &[Row<u64, L>],
    out: &mut [Row<u64, L>; R],
) {
    let constants: [Option<Constants>; R] = core::array::from_fn(|_| channels.next());
    let mut register = 0;
    // Two registers at a time: with four rows, sixteen accumulators, which hide the latency
    // of the multiplications. The narrowest group has one.
    while register + 2 <= L / WIDTH {
        finish(
            &constants,
            sums::<R, 2, L>(weights, x, register),
            register,
            out,
        );
        register += 2;
    }
    if register < L / WIDTH {
        finish(
            &constants,
            sums::<R, 1, L>(weights, x, register),
            register,
            out,
        );
    }
}

#[inline]
#[target_feature(enable = "avx512f,avx512ifma")]
fn finish<const R: usize, const V: usize, const L: usize>(
    constants: &[Option<Constants>; R],
    sums: [[Sum; V]; R],
    register: usize,
    out: &mut [Row<u64, L>; R],
) {
    for ((constants, sums), row) in constants.iter().zip(sums).zip(out) {
        if let Some(constants) = constants {
            for (v, sum) in sums.into_iter().enumerate() {
                store(row, register + v, constants.redc(sum));
            }
        }
    }
}

/// `sum_k weight[r][k] x[k]` for R rows of weights, one after the other, and V registers of
/// the lanes from `register` on. At most `2^12` columns keep both halves below `2^64`.
#[inline]
#[target_feature(enable = "avx512f,avx512ifma")]
pub(super) fn sums<const R: usize, const V: usize, const L: usize>(
    weights: &[u64],
    x: &[Row<u64, L>],
    register: usize,
) -> [[Sum; V]; R] {
    let columns = x.len();
    debug_assert!(columns <= 1 << 12 && weights.len() == R * columns);
    let rows: [&[u64]; R] = core::array::from_fn(|r| &weights[r * columns..(r + 1) * columns]);
    let mut sums = [[Sum::zero(); V]; R];
    for (k, inputs) in x.iter().enumerate() {
        let inputs: [_; V] = core::array::from_fn(|v| load(inputs, register + v));
        for r in 0..R {
            let weight = splat(rows[r][k]);
            for v in 0..V {
                sums[r][v] = sums[r][v].plus(inputs[v], weight);
            }
        }
    }
    sums
}
