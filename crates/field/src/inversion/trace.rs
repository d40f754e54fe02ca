//! The course of a plus-minus inversion, step by step, for readers and for tests.

use alloc::vec::Vec;
use sunzi_rns::{Plain, Residues};

use super::affine::{Affine, AffineNumber};
use super::error::InversionError;
use super::plus_minus::Inverse;

/// The operation of a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operation {
    /// The start: `V1 = 1, V3 = A, U1 = 0, U3 = P`.
    Start,
    /// A run of the inner loop: `V3` is a multiple of `divisor`, and `V3` and `V1` are divided by it modulo `P`.
    Divide {
        /// 4 or 2 for BMI, the largest of 12, 6, 4, 3, 2 for BTMI.
        divisor: u32,
    },
    /// A run of the outer loop: `V3 + U3` or `V3 - U3` is a multiple of `divisor`; it and `V1 + U1` or `V1 - U1` are
    /// divided by it modulo `P`, and become `V3` and `V1`.
    Combine {
        /// Whether it is the sum, not the difference.
        sum: bool,
        /// 4 for BMI, 12 or 6 for BTMI.
        divisor: u32,
        /// Whether `U3` and `U1` take the old `V3` and `V1`, as `v > u`.
        replaced: bool,
    },
}

/// The state after a step.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Step {
    /// The operation of the step.
    pub operation: Operation,
    /// `V3` and `U3` modulo 4 for BMI, modulo 12 for BTMI, as read from the residues: they decide on the next step.
    pub small: [u32; 2],
    /// `v` and `u`, the bits divided away, in half bits.
    pub half_bits: [u32; 2],
    /// The residues of `V3 + P` and `U3 + P`, which are in `(P/3, 2P]`.
    pub remainders: [Residues; 2],
    /// The residues of `V1 + P` and `U1 + P`, which are in `(P/3, 2P)`.
    pub cofactors: [Residues; 2],
}

/// The course of an inversion.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Trace {
    /// The start, and the state after each step.
    pub steps: Vec<Step>,
    /// The inverse, or [`InversionError::NotInvertible`].
    pub result: Result<Inverse, InversionError>,
}

/// The variables of an inversion.
pub(super) struct State<'a> {
    /// `V3` and `U3`.
    pub(super) remainders: [&'a AffineNumber; 2],
    /// `V1` and `U1`.
    pub(super) cofactors: [&'a AffineNumber; 2],
    /// `v` and `u`, in half bits.
    pub(super) half_bits: [u32; 2],
}

/// The step of these variables. Its conversions are not counted.
pub(super) fn step(affine: &Affine, operation: Operation, state: &State<'_>) -> Step {
    let plus_p = |x: &AffineNumber| affine.leave(&Plain, x, false);
    Step {
        operation,
        small: state.remainders.map(|x| x.small),
        half_bits: state.half_bits,
        remainders: state.remainders.map(plus_p),
        cofactors: state.cofactors.map(plus_p),
    }
}
