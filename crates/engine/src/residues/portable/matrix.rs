//! The product of a constant matrix with the numbers of a group: the expensive step of arithmetic
//! in residue number systems.

use crate::{
    residues::{plan::Matrix, portable::channel},
    row::{Row, all_at_most},
};

/// `out[r][l] := sum_k weight[r][k] x[k][l]` for every lane `l`, unreduced.
///
/// Requires `x.len() == columns`, `out.len() == rows`, lanes of `x` and weights below `2^32`, and
/// every sum below `2^64`. The plan's bounds ensure the ranges.
#[inline(always)]
pub(crate) fn multiply<const L: usize>(
    matrix: &Matrix,
    x: &[Row<u64, L>],
    out: &mut [Row<u64, L>],
) {
    debug_assert!(x.len() == matrix.columns() && out.len() == matrix.rows());
    debug_assert!(all_at_most(x, u32::MAX.into()));
    let (pairs, last) = out.as_chunks_mut::<2>();
    let mut rows = matrix.weights().chunks_exact(matrix.columns());
    for pair in pairs {
        let [Some(first), Some(second)] = [rows.next(), rows.next()] else {
            return;
        };
        *pair = multiply_rows([first, second], x);
    }
    if let ([single], Some(row)) = (last, rows.next()) {
        [*single] = multiply_rows([row], x);
    }
}

/// Number of inputs per pass over the accumulators. With two rows, a pass takes eight products, six
/// vector loads and two stores.
const STEP: usize = 4;

/// The sums of a few rows of the matrix. The inner loop runs over the lanes, so that the compiler
/// vectorizes it. The accumulators stay in the first-level cache.
#[inline(always)]
fn multiply_rows<const ROWS: usize, const L: usize>(
    rows: [&[u64]; ROWS],
    x: &[Row<u64, L>],
) -> [Row<u64, L>; ROWS] {
    let mut sums = [Row([0; L]); ROWS];
    let (steps, rest) = x.as_chunks::<STEP>();
    let mut column = 0;
    for inputs in steps {
        accumulate(
            &mut sums,
            inputs,
            rows.map(|row| {
                let mut weights = [0; STEP];
                weights.copy_from_slice(&row[column..column + STEP]);
                weights
            }),
        );
        column += STEP;
    }
    for input in rest {
        accumulate(&mut sums, &[*input], rows.map(|row| [row[column]]));
        column += 1;
    }
    sums
}

/// `sums[r][l] += sum_k weights[r][k] inputs[k][l]` for every lane `l`, with every sum below
/// `2^64`.
#[inline(always)]
fn accumulate<const ROWS: usize, const INPUTS: usize, const L: usize>(
    sums: &mut [Row<u64, L>; ROWS],
    inputs: &[Row<u64, L>; INPUTS],
    weights: [[u64; INPUTS]; ROWS],
) {
    for l in 0..L {
        for r in 0..ROWS {
            let mut sum = sums[r][l];
            for k in 0..INPUTS {
                sum = sum.wrapping_add(channel::multiply(inputs[k][l], weights[r][k]));
            }
            sums[r][l] = sum;
        }
    }
}
