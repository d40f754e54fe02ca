//! Constant matrices for numbers that are spread over the lanes: a row of eight outputs is a vector, and each
//! input is broadcast.

use crate::{residues::float::vector::Vector, row::Row};
use sunzi_program::content;

/// Number of channels in a row.
pub(crate) const WIDTH: usize = 8;

/// Eight channels of one number.
pub(super) type Octet = Row<f64, WIDTH>;

/// The largest number of rows in a block: with the sums of two numbers they take 12 registers.
const MOST_ROWS: usize = 6;

/// A consumer of the sums of a product. A trait instead of a closure, so that it can be compiled into the
/// kernel ([`Vector`]).
pub(super) trait Sums<V, const N: usize> {
    /// Takes each number's sums of a row.
    fn take(&mut self, row: usize, sums: [V; N]);
}

/// A constant matrix of integers of at most 25 bits. Its rows, of eight outputs each, are in blocks of nearly the same
/// height; a block has the weights of all its rows for the first input, then for the second, so that a product reads
/// memory in order. As float32 the weights would take half the memory, but their conversion takes two instructions.
#[derive(Clone)]
pub(super) struct SpreadMatrix {
    inputs: usize,
    /// The number of rows in each block.
    heights: Vec<usize>,
    weights: Vec<Octet>,
}

content!(SpreadMatrix {
    inputs,
    heights,
    weights
});

impl SpreadMatrix {
    /// The matrix with the weights of each input in rows, all of one length.
    pub(super) fn from_columns(columns: &[Vec<Octet>]) -> Self {
        let (inputs, rows) = (columns.len(), columns[0].len());
        let heights = heights(rows);
        let mut weights = Vec::with_capacity(inputs * rows);
        let mut first = 0;
        for height in &heights {
            for column in columns {
                weights.extend_from_slice(&column[first..first + height]);
            }
            first += height;
        }
        Self {
            inputs,
            heights,
            weights,
        }
    }

    /// Number of rows.
    pub(super) fn rows(&self) -> usize {
        self.heights.iter().sum()
    }

    /// Hands the sums of weights times inputs to `sums`, row by row in order. The inputs are the first lanes of
    /// x and then those in `last`, each with a value for each number. Requires sums within 53 bits, which the
    /// plan has checked.
    #[inline(always)]
    pub(super) fn multiply<V: Vector<WIDTH>, const N: usize>(
        &self,
        x: [&[Octet]; N],
        last: &[[f64; N]],
        sums: &mut impl Sums<V, N>,
    ) {
        let mut weights = &*self.weights;
        let mut first = 0;
        for &height in &self.heights {
            let block;
            (block, weights) = weights.split_at(height * self.inputs);
            match height {
                1 => rows_of::<V, 1, N>(block, x, last, first, sums),
                2 => rows_of::<V, 2, N>(block, x, last, first, sums),
                3 => rows_of::<V, 3, N>(block, x, last, first, sums),
                4 => rows_of::<V, 4, N>(block, x, last, first, sums),
                5 => rows_of::<V, 5, N>(block, x, last, first, sums),
                _ => rows_of::<V, MOST_ROWS, N>(block, x, last, first, sums),
            }
            first += height;
        }
    }
}

/// The heights of the fewest blocks for this many rows, which differ by one at most.
fn heights(rows: usize) -> Vec<usize> {
    let mut heights = vec![0; rows.div_ceil(MOST_ROWS)];
    let mut left = rows;
    while left > 0 {
        for height in heights.iter_mut().take(left) {
            *height += 1;
        }
        left = left.saturating_sub(heights.len());
    }
    heights
}

/// The sums of a block of R rows, all at once if they fit in registers, or half of them at a time.
#[inline(always)]
fn rows_of<V: Vector<WIDTH>, const R: usize, const N: usize>(
    block: &[Octet],
    x: [&[Octet]; N],
    last: &[[f64; N]],
    first: usize,
    sums: &mut impl Sums<V, N>,
) {
    // Conditions that the compiler knows before it compiles: it leaves out what cannot be.
    if const { R * N <= 2 * V::SUMS } {
        part_of::<V, R, R, N>(block, 0, x, last, first, sums);
    } else if const { R == 4 } {
        part_of::<V, R, 2, N>(block, 0, x, last, first, sums);
        part_of::<V, R, 2, N>(block, 2, x, last, first, sums);
    } else if const { R == 5 } {
        part_of::<V, R, 3, N>(block, 0, x, last, first, sums);
        part_of::<V, R, 2, N>(block, 3, x, last, first, sums);
    } else {
        part_of::<V, R, 3, N>(block, 0, x, last, first, sums);
        part_of::<V, R, 3, N>(block, 3, x, last, first, sums);
    }
}

/// The sums of S rows of a block of R rows, from its row `from` on.
#[inline(always)]
fn part_of<V: Vector<WIDTH>, const R: usize, const S: usize, const N: usize>(
    block: &[Octet],
    from: usize,
    x: [&[Octet]; N],
    last: &[[f64; N]],
    first: usize,
    sums: &mut impl Sums<V, N>,
) {
    let (columns, _) = block.as_chunks::<R>();
    let (columns, of_last) = columns.split_at(columns.len() - last.len());
    let (octets, rest) = columns.as_chunks::<WIDTH>();
    let mut accumulators = [[V::splat(0.0); S]; N];
    for (k, columns) in octets.iter().enumerate() {
        for lane in 0..WIDTH {
            let mut inputs = [0.0; N];
            for n in 0..N {
                inputs[n] = x[n][k][lane];
            }
            add(&mut accumulators, &columns[lane], from, inputs);
        }
    }
    for (lane, column) in rest.iter().enumerate() {
        let mut inputs = [0.0; N];
        for n in 0..N {
            inputs[n] = x[n][octets.len()][lane];
        }
        add(&mut accumulators, column, from, inputs);
    }
    for (column, &inputs) in of_last.iter().zip(last) {
        add(&mut accumulators, column, from, inputs);
    }
    for s in 0..S {
        let mut row = [V::splat(0.0); N];
        for n in 0..N {
            row[n] = accumulators[n][s];
        }
        sums.take(first + from + s, row);
    }
}

/// Adds a column's weights times the input of each number.
#[inline(always)]
fn add<V: Vector<WIDTH>, const R: usize, const S: usize, const N: usize>(
    accumulators: &mut [[V; S]; N],
    column: &[Octet; R],
    from: usize,
    inputs: [f64; N],
) {
    for s in 0..S {
        let weight = V::load(&column[from + s]);
        for n in 0..N {
            accumulators[n][s] = V::splat(inputs[n]).mul_add(weight, accumulators[n][s]);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_are_the_fewest_and_nearly_equal() {
        for rows in 1..=300 {
            let heights = heights(rows);
            assert_eq!(heights.iter().sum::<usize>(), rows);
            assert_eq!(heights.len(), rows.div_ceil(MOST_ROWS));
            let (least, most) = (heights.iter().min(), heights.iter().max());
            let (least, most) = (*least.unwrap(), *most.unwrap());
            assert!(
                least > 0 && most <= MOST_ROWS && most - least <= 1,
                "{heights:?}"
            );
        }
    }
}
