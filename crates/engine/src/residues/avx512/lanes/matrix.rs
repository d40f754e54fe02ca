//! The product of a constant matrix with the numbers of a group.

use core::arch::x86_64::_mm512_setzero_si512;

use crate::{
    instructions::vector::{WIDTH, load, splat, store},
    residues::{
        avx512::vector::{ChannelVector, Sum},
        plan::{Channel, Matrix},
    },
    row::{Row, all_at_most},
};

/// Number of matrix rows that share each load of an input.
pub(super) const ROWS: usize = 4;
/// Number of registers that share each load of a weight. With four rows there are sixteen
/// accumulators, enough to hide the latency of the multiplications.
pub(super) const REGISTERS: usize = 2;

/// `out[r] := redc(sum_k weight[r][k] x[k])` in the channel of each row r, lane by lane.
///
/// Requires `x.len() == columns`, `out.len() == rows == channels.len()`, lanes of `x` below `2^52`,
/// and at most `2^12` columns. The plan's bounds ensure results below `2^52`.
#[inline]
#[target_feature(enable = "avx512f,avx512ifma")]
pub(super) fn multiply<const L: usize>(
    matrix: &Matrix,
    channels: &[Channel],
    x: &[Row<u64, L>],
    out: &mut [Row<u64, L>],
) {
    debug_assert!(x.len() == matrix.columns() && out.len() == matrix.rows());
    debug_assert!(channels.len() == matrix.rows() && all_at_most(x, (1 << 52) - 1));
    let columns = matrix.columns();
    let (blocks, rest) = out.as_chunks_mut::<ROWS>();
    let (block_channels, rest_channels) = channels.as_chunks::<ROWS>();
    let (block_weights, rest_weights) = matrix.weights().split_at(blocks.len() * ROWS * columns);
    let blocks = blocks.iter_mut().zip(block_channels);
    for ((out, channels), weights) in blocks.zip(block_weights.chunks_exact(ROWS * columns)) {
        multiply_rows(weights, channels, x, out);
    }
    let rest = rest.iter_mut().zip(rest_channels);
    for ((out, channel), weights) in rest.zip(rest_weights.chunks_exact(columns)) {
        multiply_rows(
            weights,
            core::array::from_ref(channel),
            x,
            core::array::from_mut(out),
        );
    }
}

/// [`multiply`] for R rows of the matrix.
#[inline]
#[target_feature(enable = "avx512f,avx512ifma")]
fn multiply_rows<const R: usize, const L: usize>(
    weights: &[u64],
    channels: &[Channel; R],
    x: &[Row<u64, L>],
    out: &mut [Row<u64, L>; R],
) {
    const { assert!(L.is_multiple_of(REGISTERS * WIDTH)) };
    for register in (0..L / WIDTH).step_by(REGISTERS) {
        let sums = sums::<R, REGISTERS, L>(weights, x, register);
        for r in 0..R {
            let constants = ChannelVector::new(&channels[r]);
            for v in 0..REGISTERS {
                store(&mut out[r], register + v, constants.redc(sums[r][v]));
            }
        }
    }
}

/// `sum_k weight[r][k] x[k]` for R rows of weights, which are stored one after the other, and for V
/// registers of lanes from `register` on.
///
/// Requires lanes and weights below `2^52`, and at most `2^12` columns, which keep both parts of
/// each sum below `2^64`.
#[inline]
#[target_feature(enable = "avx512f,avx512ifma")]
pub(super) fn sums<const R: usize, const V: usize, const L: usize>(
    weights: &[u64],
    x: &[Row<u64, L>],
    register: usize,
) -> [[Sum; V]; R] {
    let columns = x.len();
    debug_assert!(columns <= 1 << 12 && weights.len() == R * columns);
    let mut rows = [weights; R];
    for (r, row) in rows.iter_mut().enumerate() {
        *row = &weights[r * columns..(r + 1) * columns];
    }
    let mut sums = [[Sum::zero(); V]; R];
    for (k, input) in x.iter().enumerate() {
        // A loop instead of `from_fn`: library functions are compiled without the target features,
        // so that closures passed to them would not be inlined.
        let mut inputs = [_mm512_setzero_si512(); V];
        for v in 0..V {
            inputs[v] = load(input, register + v);
        }
        for r in 0..R {
            let weight = splat(rows[r][k]);
            for v in 0..V {
                sums[r][v] = sums[r][v].plus(inputs[v], weight);
            }
        }
    }
    sums
}
