//! A plan in rows of eight channels.

use sunzi_program::{content, seal::Seal};

use crate::{
    residues::float::{
        channel::Channel,
        matrix::FloatMatrix,
        spread::matrix::{Octet, SpreadMatrix, WIDTH},
    },
    row::Row,
};

/// The parts of a plan from which its form in rows is made.
pub(crate) struct Parts<'a> {
    /// Channels of base A.
    pub(crate) in_a: &'a [Channel],
    /// Channels of base B.
    pub(crate) in_b: &'a [Channel],
    /// Extension from A to B.
    pub(crate) a_to_b: &'a FloatMatrix,
    /// Extension from B to A.
    pub(crate) b_to_a: &'a FloatMatrix,
    /// Conversion from digits to residues.
    pub(crate) from_digits: &'a FloatMatrix,
    /// Conversion from digits of `B/b_j` to digits of an integer.
    pub(crate) to_digits: &'a FloatMatrix,
    /// Factors that turn stored residues into digits of `B/b_j`.
    pub(crate) to_digit: &'a [f64],
    /// Factors of the terms of the Cox quotient.
    pub(crate) cox: &'a [f64],
}

/// The values in rows of eight, filled up with zeros.
pub(super) fn octets(values: &[f64]) -> Vec<Octet> {
    let row = |values: &[f64]| {
        Row(core::array::from_fn(|l| {
            values.get(l).copied().unwrap_or(0.0)
        }))
    };
    values.chunks(WIDTH).map(row).collect()
}

/// A plan in rows of eight channels. Channels that fill up a last row have zero weights, so that their
/// residues stay zero.
#[derive(Clone)]
pub(crate) struct SpreadPlan {
    /// Number of rows of base A, and of base B.
    pub(super) rows: [usize; 2],
    /// The channels' moduli and their inverses; 1 in channels that fill up a row.
    pub(super) channels: Vec<[Octet; 2]>,
    pub(super) a_to_b: SpreadMatrix,
    /// The extension from B to A. Its last two inputs are the halves of the Cox quotient.
    pub(super) b_to_a: SpreadMatrix,
    pub(super) from_digits: SpreadMatrix,
    pub(super) to_digits: SpreadMatrix,
    /// The factors that make digits of `B/b_j` of stored residues.
    pub(super) to_digit: Vec<Octet>,
    /// The factors of the terms of the Cox quotient.
    pub(super) cox: Vec<Octet>,
    /// The seal of everything above.
    seal: Seal,
}

content!(SpreadPlan {
    rows, channels, a_to_b, b_to_a, from_digits, to_digits, to_digit, cox,
} without { seal });

impl SpreadPlan {
    /// The spread form of a plan.
    pub(crate) fn new(plan: &Parts<'_>) -> Self {
        let channels = |channels: &[Channel]| -> Vec<[Octet; 2]> {
            let constants = |f: fn(&Channel) -> f64| {
                let mut values: Vec<f64> = channels.iter().map(f).collect();
                values.resize(channels.len().next_multiple_of(WIDTH), 1.0);
                octets(&values)
            };
            let (m, inverse) = (constants(|c| c.m), constants(|c| c.inverse));
            m.into_iter()
                .zip(inverse)
                .map(|(m, inverse)| [m, inverse])
                .collect()
        };
        let (in_a, in_b) = (channels(plan.in_a), channels(plan.in_b));
        let matrix = |columns: Vec<Vec<f64>>| {
            let columns: Vec<Vec<Octet>> = columns.iter().map(|column| octets(column)).collect();
            SpreadMatrix::from_columns(&columns)
        };
        let n_a = plan.in_a.len();
        let from_digits = plan.from_digits.to_columns().into_iter().map(|column| {
            let (in_a, in_b) = column.split_at(n_a);
            [octets(in_a), octets(in_b)].concat()
        });
        let mut plan = Self {
            rows: [in_a.len(), in_b.len()],
            a_to_b: matrix(plan.a_to_b.to_columns()),
            b_to_a: matrix(plan.b_to_a.to_columns()),
            from_digits: SpreadMatrix::from_columns(&from_digits.collect::<Vec<_>>()),
            to_digits: matrix(plan.to_digits.to_columns()),
            to_digit: octets(plan.to_digit),
            cox: octets(plan.cox),
            channels: [in_a, in_b].concat(),
            seal: Seal::default(),
        };
        plan.seal = Seal::of(&plan);
        plan
    }

    /// Whether the plan is unchanged since it was made.
    pub(crate) fn is_whole(&self) -> bool {
        self.seal.holds(self)
    }

    /// The channels of base A, and of base B.
    pub(super) fn split_channels(&self) -> (&[[Octet; 2]], &[[Octet; 2]]) {
        self.channels.split_at(self.rows[0])
    }
}
