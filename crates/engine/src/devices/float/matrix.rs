//! Constant matrices of centred weights, and their products with the numbers of a group.

use super::vector::Vector;
use crate::devices::row::Row;

/// Number of rows whose sums are computed together.
const ROWS: usize = 6;

/// A constant matrix of integers of at most 25 bits, in blocks of six rows: the weights of one
/// column beside each other.
#[derive(Clone)]
pub(super) struct FloatMatrix {
    rows: usize,
    columns: usize,
    /// The last block is filled up with zeros.
    blocks: Vec<[f64; ROWS]>,
}

impl FloatMatrix {
    /// The matrix with these rows, all of one length.
    pub(super) fn from_rows(rows: &[Vec<f64>]) -> Self {
        let columns = rows.first().map_or(0, Vec::len);
        debug_assert!(rows.iter().all(|row| row.len() == columns));
        let blocks = rows.chunks(ROWS).flat_map(|rows| {
            (0..columns).map(|k| core::array::from_fn(|r| rows.get(r).map_or(0.0, |row| row[k])))
        });
        Self {
            rows: rows.len(),
            columns,
            blocks: blocks.collect(),
        }
    }

    /// Number of rows.
    pub(super) fn rows(&self) -> usize {
        self.rows
    }

    /// Number of columns.
    pub(super) fn columns(&self) -> usize {
        self.columns
    }

    /// Calls `each` with every row's index and its sum `sum_k weight[row][k] x[k]`, in order.
    /// Requires `x.len() == columns`, and sums within 53 bits, which the plan has checked.
    #[inline(always)]
    pub(super) fn multiply<V: Vector<L>, const L: usize>(
        &self,
        x: &[Row<f64, L>],
        mut each: impl FnMut(usize, V),
    ) {
        debug_assert!(x.len() == self.columns);
        let blocks = self.blocks.chunks_exact(self.columns);
        for (first, weights) in (0..).step_by(ROWS).zip(blocks) {
            let rows = (self.rows - first).min(ROWS);
            let mut done = 0;
            if V::SUMS >= 6 && rows == 6 {
                let sums = sums::<V, 6, L>(weights, 0, x);
                for (r, sum) in sums.into_iter().enumerate() {
                    each(first + r, sum);
                }
                done = 6;
            }
            while rows - done >= 3 {
                let sums = sums::<V, 3, L>(weights, done, x);
                for (r, sum) in sums.into_iter().enumerate() {
                    each(first + done + r, sum);
                }
                done += 3;
            }
            while done < rows {
                let [sum] = sums::<V, 1, L>(weights, done, x);
                each(first + done, sum);
                done += 1;
            }
        }
    }

    /// `out := ` the sums for one number.
    pub(super) fn multiply_one(&self, x: &[f64], out: &mut [f64]) {
        let blocks = self.blocks.chunks_exact(self.columns);
        for (out, weights) in out.chunks_mut(ROWS).zip(blocks) {
            let mut sums = [0.0; ROWS];
            for (weights, x) in weights.iter().zip(x) {
                for (sum, weight) in sums.iter_mut().zip(weights) {
                    *sum += weight * x;
                }
            }
            let rows = out.len();
            out.copy_from_slice(&sums[..rows]);
        }
    }

    /// Flips one bit of one weight: a fault, for tests.
    #[cfg(any(test, feature = "testing"))]
    pub(super) fn flip(&mut self, place: u64) {
        let rest = place / self.rows as u64;
        let row = (place % self.rows as u64) as usize;
        let column = (rest % self.columns as u64) as usize;
        let bit = rest / self.columns as u64 % 20;
        let weight = &mut self.blocks[row / ROWS * self.columns + column][row % ROWS];
        *weight = (*weight as i64 ^ 1 << bit) as f64;
    }
}

/// The sums of O rows of a block, from row `first` on.
#[inline(always)]
fn sums<V: Vector<L>, const O: usize, const L: usize>(
    weights: &[[f64; ROWS]],
    first: usize,
    x: &[Row<f64, L>],
) -> [V; O] {
    let mut sums = [V::splat(0.0); O];
    for (weights, x) in weights.iter().zip(x) {
        let x = V::load(x);
        for (sum, &weight) in sums.iter_mut().zip(&weights[first..first + O]) {
            *sum = x.mul_add(V::splat(weight), *sum);
        }
    }
    sums
}
