//! The constant matrices of a plan.

use sunzi_program::content;

/// A constant matrix of residues or digits: non-negative weights below `2^w`, stored by rows.
#[derive(Clone)]
pub(crate) struct Matrix {
    columns: usize,
    weights: Vec<u64>,
}

content!(Matrix { columns, weights });

impl Matrix {
    /// The matrix with these rows, all of one length.
    pub(crate) fn from_rows(rows: &[Vec<u64>]) -> Self {
        let columns = rows.first().map_or(0, Vec::len);
        debug_assert!(rows.iter().all(|row| row.len() == columns));
        Self {
            columns,
            weights: rows.concat(),
        }
    }

    /// The matrix with these columns, all of one length.
    pub(crate) fn from_columns(columns: &[Vec<u64>]) -> Self {
        let rows = columns.first().map_or(0, Vec::len);
        let weights = (0..rows)
            .flat_map(|row| columns.iter().map(move |column| column[row]))
            .collect();
        Self {
            columns: columns.len(),
            weights,
        }
    }

    /// Number of rows.
    pub(crate) fn rows(&self) -> usize {
        self.weights.len() / self.columns
    }

    /// Number of columns.
    pub(crate) fn columns(&self) -> usize {
        self.columns
    }

    /// Flips one bit of one weight: a fault, for tests.
    #[cfg(any(test, feature = "testing"))]
    pub(crate) fn flip(&mut self, place: usize, bit: u32) {
        let place = place % self.weights.len();
        self.weights[place] ^= 1 << bit;
    }

    /// The weights, row by row.
    pub(crate) fn weights(&self) -> &[u64] {
        &self.weights
    }
}
