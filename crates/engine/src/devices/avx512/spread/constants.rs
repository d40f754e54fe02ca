//! A plan's constants with the channels along the lanes.

use crate::{
    devices::{avx512::vector::WIDTH, row::Row},
    plan::{Channel, Matrix, Plan},
};

/// Eight channels, or the constants of eight channels.
pub(super) type Octet = Row<u64, WIDTH>;

/// The constants of a plan, eight channels a row. The last row of a base is filled up with
/// channels whose constants are all zero: `redc` is `floor(T / 2^52)` there, so that every
/// residue is and stays zero.
#[derive(Clone)]
pub(crate) struct SpreadPlan {
    pub(super) a: Vec<ChannelOctet>,
    pub(super) b: Vec<ChannelOctet>,
    /// Per channel of B: from a stored residue to `rh_j`.
    pub(super) to_rh: Vec<Octet>,
    /// [`Plan::a_to_b`], an input's weights for all channels of B after the other.
    pub(super) a_to_b: Weights,
    /// [`Plan::b_to_a`]; its last input is h.
    pub(super) b_to_a: Weights,
    /// [`Plan::from_digits`], for the channels of A in whole rows, then those of B.
    pub(super) from_digits: Weights,
    /// [`Plan::to_digits`]; the outputs are digits, not channels.
    pub(super) to_digits: Weights,
}

/// The constants of eight channels.
#[derive(Clone)]
pub(super) struct ChannelOctet {
    pub(super) m: Octet,
    pub(super) inverse: Octet,
    pub(super) radix: Octet,
    pub(super) radix_squared: Octet,
}

/// A matrix by inputs, in blocks of output rows.
#[derive(Clone)]
pub(super) struct Weights {
    /// Rows of outputs.
    pub(super) rows: usize,
    pub(super) blocks: Vec<Block>,
}

/// Up to [`BLOCK`] rows of outputs: the weights of one input for all of them lie together.
#[derive(Clone)]
pub(super) struct Block {
    pub(super) rows: usize,
    pub(super) weights: Vec<Octet>,
}

/// Rows of outputs that are summed up together: twelve accumulators for one number, 24 for two.
pub(super) const BLOCK: usize = 6;

impl SpreadPlan {
    pub(super) fn new(plan: &Plan) -> Self {
        let split = plan.a.len();
        Self {
            a: channel_octets(plan.channels_a()),
            b: channel_octets(plan.channels_b()),
            to_rh: octets(&plan.to_rh),
            a_to_b: Weights::new(&plan.a_to_b, octets),
            b_to_a: Weights::new(&plan.b_to_a, octets),
            from_digits: Weights::new(&plan.from_digits, |outputs| {
                let mut rows = octets(&outputs[..split]);
                rows.extend(octets(&outputs[split..]));
                rows
            }),
            to_digits: Weights::new(&plan.to_digits, octets),
        }
    }
}

impl Weights {
    /// Transposes the matrix; `arrange` lays out the weights of one input.
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

/// How many rows hold so many channels.
pub(super) fn rows_of(channels: usize) -> usize {
    channels.div_ceil(WIDTH)
}

/// Values in rows of eight, the last filled up with zeros.
pub(super) fn octets(values: &[u64]) -> Vec<Octet> {
    values
        .chunks(WIDTH)
        .map(|chunk| Row(core::array::from_fn(|l| chunk.get(l).copied().unwrap_or(0))))
        .collect()
}

fn channel_octets(channels: &[Channel]) -> Vec<ChannelOctet> {
    let all =
        |constant: fn(&Channel) -> u64| octets(&channels.iter().map(constant).collect::<Vec<_>>());
    let [m, inverse, radix, radix_squared] = [
        all(|channel| channel.m),
        all(|channel| channel.inverse),
        all(|channel| channel.radix),
        all(|channel| channel.radix_squared),
    ];
    (0..m.len())
        .map(|row| ChannelOctet {
            m: m[row],
            inverse: inverse[row],
            radix: radix[row],
            radix_squared: radix_squared[row],
        })
        .collect()
}
