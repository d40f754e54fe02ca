//! Constant matrices of centred weights.

use sunzi_program::content;

/// Number of rows whose sums are computed together.
const ROWS: usize = 6;

/// A constant matrix of integers of at most 25 bits, in blocks of six rows: the weights of one column beside
/// each other.
#[derive(Clone)]
pub(super) struct FloatMatrix {
    rows: usize,
    columns: usize,
    /// The blocks, the last of which is filled up with zeros.
    blocks: Vec<[f64; ROWS]>,
}

content!(FloatMatrix {
    rows,
    columns,
    blocks
});

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
