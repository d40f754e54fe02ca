//! Constant matrices of centred weights, and their products with the numbers of a group.

use super::vector::Vector;
use crate::{
    devices::row::Row,
    seal::{content, lists},
};

/// Number of rows whose sums are computed together.
const ROWS: usize = 6;

/// What becomes of the sums of a product. A trait and no closure, so that it can be compiled into
/// the kernel ([`Vector`]).
pub(super) trait Sums<V> {
    /// Takes the sum of a row.
    fn take(&mut self, row: usize, sum: V);
}

/// A constant matrix of integers of at most 25 bits, in blocks of six rows: the weights of one
/// column beside each other.
#[derive(Clone)]
pub(super) struct FloatMatrix {
    rows: usize,
    columns: usize,
    /// The last block is filled up with zeros.
    blocks: Vec<[f64; ROWS]>,
}

content!(FloatMatrix {
    rows,
    columns,
    blocks
});
lists!([f64; ROWS]);

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

    /// The largest absolute value of a sum of values of at most these absolute values.
    pub(super) fn largest_sum(&self, bounds: &[f64]) -> f64 {
        debug_assert!(bounds.len() == self.columns);
        let sum = |row: usize| -> f64 {
            let weights = self.blocks[row / ROWS * self.columns..].iter();
            let terms = weights.zip(bounds);
            terms
                .map(|(weights, bound)| weights[row % ROWS].abs() * bound)
                .sum()
        };
        (0..self.rows).map(sum).fold(0.0, f64::max)
    }

    /// The columns.
    pub(super) fn to_columns(&self) -> Vec<Vec<f64>> {
        let weight =
            |row: usize, column: usize| self.blocks[row / ROWS * self.columns + column][row % ROWS];
        (0..self.columns)
            .map(|column| (0..self.rows).map(|row| weight(row, column)).collect())
            .collect()
    }

    /// The memory of the weights in bytes.
    pub(super) fn bytes(&self) -> usize {
        size_of_val(&*self.blocks)
    }

    /// Number of rows.
    pub(super) fn rows(&self) -> usize {
        self.rows
    }

    /// Number of columns.
    pub(super) fn columns(&self) -> usize {
        self.columns
    }

    /// Hands every row's sum `sum_k weight[row][k] x[k]` to `sums`, in order. Requires
    /// `x.len() == columns`, and sums within 53 bits, which the plan has checked.
    #[inline(always)]
    pub(super) fn multiply<V: Vector<L>, const L: usize>(
        &self,
        x: &[Row<f64, L>],
        sums: &mut impl Sums<V>,
    ) {
        debug_assert!(x.len() == self.columns);
        let blocks = self.blocks.chunks_exact(self.columns);
        for (first, weights) in (0..).step_by(ROWS).zip(blocks) {
            let rows = (self.rows - first).min(ROWS);
            let mut done = 0;
            if V::SUMS >= 6 && rows == 6 {
                let block = block::<V, 6, L>(weights, 0, x);
                for (r, &sum) in block.iter().enumerate() {
                    sums.take(first + r, sum);
                }
                done = 6;
            }
            while rows - done >= 3 {
                let block = block::<V, 3, L>(weights, done, x);
                for (r, &sum) in block.iter().enumerate() {
                    sums.take(first + done + r, sum);
                }
                done += 3;
            }
            while done < rows {
                let [sum] = block::<V, 1, L>(weights, done, x);
                sums.take(first + done, sum);
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
fn block<V: Vector<L>, const O: usize, const L: usize>(
    weights: &[[f64; ROWS]],
    first: usize,
    x: &[Row<f64, L>],
) -> [V; O] {
    let mut sums = [V::splat(0.0); O];
    for (weights, x) in weights.iter().zip(x) {
        let x = V::load(x);
        for o in 0..O {
            sums[o] = x.mul_add(V::splat(weights[first + o]), sums[o]);
        }
    }
    sums
}
