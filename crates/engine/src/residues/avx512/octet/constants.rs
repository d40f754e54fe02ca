//! The constants of a plan in whole registers.

use sunzi_program::{content, seal::Seal};

use crate::{
    instructions::vector::load,
    residues::{
        avx512::{spread::Octet, vector::ChannelVector},
        plan::{Bounds, Channel, Matrix, Plan},
    },
    row::Row,
};

/// Number of channels of a base: the lanes of a register. A shorter base leaves the last ones without a channel: all
/// constants are 0 there, and all residues.
pub(super) const CHANNELS: usize = 8;

/// The constants of the plan that products read.
#[derive(Clone)]
pub(crate) struct OctetPlan {
    /// The channels of A.
    pub(super) a: Base,
    /// The channels of B.
    pub(super) b: Base,
    /// [`Plan::to_rh`].
    pub(super) to_rh: Octet,
    /// [`Plan::b_to_a`], a row for each channel of B.
    pub(super) b_to_a: [Octet; CHANNELS],
    /// [`Plan::b_to_a`], the weights of the Cox quotient.
    pub(super) weights_of_h: Octet,
    /// The bounds, for checks.
    pub(super) bounds: Bounds,
    /// The seal of everything above.
    seal: Seal,
}

/// The channels of a base, one a lane.
#[derive(Clone)]
pub(super) struct Base {
    /// The moduli m.
    pub(super) m: Octet,
    /// [`Channel::inverse`].
    inverse: Octet,
    /// `|R|_m`.
    radix: Octet,
    /// `2 m`.
    pub(super) double: Octet,
    /// `2^w - m`.
    pub(super) distance: Octet,
}

content!(OctetPlan { a, b, to_rh, b_to_a, weights_of_h, bounds } without { seal });
content!(Base {
    m,
    inverse,
    radix,
    double,
    distance
});

impl OctetPlan {
    /// The constants of a plan with bases of at most [`CHANNELS`] channels.
    pub(super) fn new(plan: &Plan) -> Self {
        let n_b = plan.b.len();
        let mut plan = Self {
            a: Base::new(plan.channels_a(), plan.w),
            b: Base::new(plan.channels_b(), plan.w),
            to_rh: octet(plan.to_rh.iter().copied()),
            b_to_a: columns(&plan.b_to_a, n_b),
            weights_of_h: column(&plan.b_to_a, n_b),
            bounds: plan.bounds,
            seal: Seal::default(),
        };
        plan.seal = Seal::of(&plan);
        plan
    }

    /// Whether the constants are unchanged since they were made.
    pub(super) fn is_whole(&self) -> bool {
        self.seal.holds(self)
    }
}

impl Base {
    fn new(channels: &[Channel], w: u32) -> Self {
        let all = |constant: fn(&Channel) -> u64| octet(channels.iter().map(constant));
        Self {
            m: all(|channel| channel.m),
            inverse: all(|channel| channel.inverse),
            radix: all(|channel| channel.radix),
            double: all(|channel| 2 * channel.m),
            distance: octet(channels.iter().map(|channel| (1 << w) - channel.m)),
        }
    }

    /// The constants of reductions.
    #[inline]
    #[target_feature(enable = "avx512f")]
    pub(super) fn channels(&self) -> ChannelVector {
        ChannelVector {
            m: load(&self.m, 0),
            inverse: load(&self.inverse, 0),
            radix: load(&self.radix, 0),
        }
    }
}

/// The weights of one input, for all outputs.
fn column(matrix: &Matrix, input: usize) -> Octet {
    octet((matrix.weights().chunks_exact(matrix.columns())).map(|row| row[input]))
}

/// [`column()`] for the first inputs; zeros for inputs that there are not.
pub(super) fn columns(matrix: &Matrix, inputs: usize) -> [Octet; CHANNELS] {
    core::array::from_fn(|input| {
        if input < inputs {
            column(matrix, input)
        } else {
            octet([].into_iter())
        }
    })
}

/// Up to eight values, the rest zeros.
pub(super) fn octet(values: impl Iterator<Item = u64>) -> Octet {
    let mut row = Row([0; CHANNELS]);
    row.iter_mut()
        .zip(values)
        .for_each(|(lane, value)| *lane = value);
    row
}
