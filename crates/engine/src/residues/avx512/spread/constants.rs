//! The spread form of a plan: its constants with the channels along the lanes.

use crate::{
    instructions::vector::WIDTH,
    residues::plan::{ChannelArithmetic, Matrix, Plan},
    row::Row,
};
use sunzi_program::{content, seal::Seal};

/// A row of eight channels: their residues, or one constant of each.
pub(in crate::residues::avx512) type Octet = Row<u64, WIDTH>;

/// The constants of a plan, eight channels per row. The last row of a base is padded with channels
/// whose constants are all zero. There `redc(T)` is `floor(T / 2^52)`, and all weights are zero, so
/// that residues are and stay zero.
#[derive(Clone)]
pub(crate) struct SpreadPlan {
    /// `|R^2|` of the channels of A in whole rows, then of those of B. They are stored apart from the other constants,
    /// which every product reads.
    pub(super) radix_squared: Vec<Octet>,
    /// The channels of A.
    pub(super) a: Vec<ChannelOctet>,
    /// The channels of B.
    pub(super) b: Vec<ChannelOctet>,
    /// [`Plan::to_rh`], for each channel of B.
    pub(super) to_rh: Vec<Octet>,
    /// [`Plan::a_to_b`]. The inputs are the `qh_i`, the outputs the channels of B.
    pub(super) a_to_b: SpreadMatrix,
    /// [`Plan::b_to_a`]. The inputs are the `rh_j` and h, the outputs the channels of A.
    pub(super) b_to_a: SpreadMatrix,
    /// [`Plan::from_digits`]. The outputs are the channels of A, padded to whole rows, then those
    /// of B.
    pub(super) from_digits: SpreadMatrix,
    /// [`Plan::to_digits`]. The outputs are digits.
    pub(super) to_digits: SpreadMatrix,
    /// The seal of everything above.
    seal: Seal,
}

content!(SpreadPlan {
    radix_squared, a, b, to_rh, a_to_b, b_to_a, from_digits, to_digits,
} without { seal });
content!(ChannelOctet { m, inverse, radix });
content!(SpreadMatrix { rows, blocks });
content!(Block { rows, weights });
/// The constants of eight channels.
#[derive(Clone)]
pub(super) struct ChannelOctet {
    pub(super) m: Octet,
    pub(super) inverse: Octet,
    pub(super) radix: Octet,
}

/// A constant matrix in the order in which the kernels read it: blocks of rows of eight outputs.
#[derive(Clone)]
pub(super) struct SpreadMatrix {
    /// Number of rows of outputs.
    pub(super) rows: usize,
    /// The blocks, in the order of their outputs.
    pub(super) blocks: Vec<Block>,
}

/// The weights for up to [`BLOCK`] rows of outputs, input by input: for each input a row of eight
/// weights per row of outputs.
#[derive(Clone)]
pub(super) struct Block {
    /// Number of rows of outputs.
    pub(super) rows: usize,
    pub(super) weights: Vec<Octet>,
}

/// The largest number of rows of outputs that are summed up together. Six rows take twelve accumulators for
/// one number, and 24 for two.
pub(super) const BLOCK: usize = 6;

impl SpreadPlan {
    pub(super) fn new(plan: &Plan) -> Self {
        let split = plan.a.len();
        let squares = |channels: &[ChannelArithmetic]| {
            let squares = channels.iter().map(|channel| channel.radix_squared);
            octets(&squares.collect::<Vec<_>>())
        };
        let (in_a, in_b) = plan.arithmetic.split_at(split);
        let mut plan = Self {
            radix_squared: [squares(in_a), squares(in_b)].concat(),
            a: channel_octets(&plan.arithmetic[..split]),
            b: channel_octets(&plan.arithmetic[split..]),
            to_rh: octets(&plan.to_rh),
            a_to_b: SpreadMatrix::new(&plan.a_to_b, octets),
            b_to_a: SpreadMatrix::new(&plan.b_to_a, octets),
            from_digits: SpreadMatrix::new(&plan.from_digits, |outputs| {
                let mut rows = octets(&outputs[..split]);
                rows.extend(octets(&outputs[split..]));
                rows
            }),
            to_digits: SpreadMatrix::new(&plan.to_digits, octets),
            seal: Seal::default(),
        };
        plan.seal = Seal::of(&plan);
        plan
    }

    /// Whether the plan is unchanged since it was made.
    pub(crate) fn is_whole(&self) -> bool {
        self.seal.holds(self)
    }
}

impl SpreadMatrix {
    /// The matrix in blocks. `arrange` lays out one input's weights for all outputs in rows.
    fn new(matrix: &Matrix, arrange: impl Fn(&[u64]) -> Vec<Octet>) -> Self {
        let inputs = matrix.columns();
        let by_input = (0..inputs).map(|input| {
            let outputs: Vec<u64> = matrix
                .weights()
                .chunks_exact(inputs)
                .map(|row| row[input])
                .collect();
            arrange(&outputs)
        });
        let by_input: Vec<Vec<Octet>> = by_input.collect();
        let rows = by_input[0].len();
        // Blocks of about equal size.
        let size = rows.div_ceil(rows.div_ceil(BLOCK));
        let blocks = (0..rows).step_by(size).map(|first| {
            let last = rows.min(first + size);
            Block {
                rows: last - first,
                weights: by_input
                    .iter()
                    .flat_map(|rows| &rows[first..last])
                    .copied()
                    .collect(),
            }
        });
        Self {
            rows,
            blocks: blocks.collect(),
        }
    }
}

/// Number of rows for this many channels.
pub(super) fn rows_of(channels: usize) -> usize {
    channels.div_ceil(WIDTH)
}

/// The values in rows of eight, the last row padded with zeros.
pub(super) fn octets(values: &[u64]) -> Vec<Octet> {
    values
        .chunks(WIDTH)
        .map(|chunk| Row(core::array::from_fn(|l| chunk.get(l).copied().unwrap_or(0))))
        .collect()
}

/// The channels' constants in rows of eight, the last row padded with zeros.
fn channel_octets(channels: &[ChannelArithmetic]) -> Vec<ChannelOctet> {
    let all = |constant: fn(&ChannelArithmetic) -> u64| {
        octets(&channels.iter().map(constant).collect::<Vec<_>>())
    };
    let [m, inverse, radix] = [
        all(|channel| channel.m),
        all(|channel| channel.inverse),
        all(|channel| channel.radix),
    ];
    (0..m.len())
        .map(|row| ChannelOctet {
            m: m[row],
            inverse: inverse[row],
            radix: radix[row],
        })
        .collect()
}
