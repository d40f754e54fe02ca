//! A plan's constants with the channels along the lanes.

use crate::backend::{
    avx512::vector::WIDTH,
    plan::{Channel, Matrix, Plan},
    row::Row,
};

/// Eight channels, or the constants of eight channels.
pub(super) type Octet = Row<u64, WIDTH>;

/// The constants of a plan, eight channels a row. The last row of a base is filled up with
/// channels that repeat its last modulus and that no matrix reads.
pub(crate) struct Layout {
    pub(super) a: Vec<ChannelOctet>,
    pub(super) b: Vec<ChannelOctet>,
    /// Per channel of B: from a stored residue to `rh_j`.
    pub(super) to_rh: Vec<Octet>,
    /// All ones in the channels that belong to base B.
    pub(super) b_mask: Vec<Octet>,
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
pub(super) struct ChannelOctet {
    pub(super) m: Octet,
    pub(super) inverse: Octet,
    pub(super) radix: Octet,
}

/// A matrix by inputs: the weights of one input for all outputs lie together.
pub(super) struct Weights {
    /// Rows per input.
    pub(super) rows: usize,
    pub(super) weights: Vec<Octet>,
}

impl Layout {
    pub(super) fn new(plan: &Plan) -> Self {
        let ones = vec![u64::MAX; plan.b.len()];
        let split = plan.a.len();
        Self {
            a: channel_octets(plan.channels_a()),
            b: channel_octets(plan.channels_b()),
            to_rh: octets(&plan.to_rh),
            b_mask: octets(&ones),
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
        let weights: Vec<Octet> = by_input.flatten().collect();
        Self {
            rows: weights.len() / inputs,
            weights,
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
    channels
        .chunks(WIDTH)
        .map(|chunk| {
            let octet = |constant: fn(&Channel) -> u64| {
                Row(core::array::from_fn(|l| {
                    constant(&chunk[l.min(chunk.len() - 1)])
                }))
            };
            ChannelOctet {
                m: octet(|channel| channel.m),
                inverse: octet(|channel| channel.inverse),
                radix: octet(|channel| channel.radix),
            }
        })
        .collect()
}
