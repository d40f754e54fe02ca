//! Cofactors of BLS12-381's groups, cleared by multiples by `-x` (RFC 9380, section 8.8). Public.
//!
//! `-x` has six bits set: doublings follow each other, and Jacobian ones take the fewest products.

use super::doublings::Doublings;
use super::parameters::SEED;

/// A step on the way to a multiple of a point by `-x`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum CofactorStep {
    /// So many doublings by these formulas.
    Double(Doublings, u32),
    /// The addition of the point.
    Add,
}

/// The fewest doublings for which Jacobian ones pay, on the way there and back.
const FEWEST: u32 = 3;

/// The steps from a point to its multiple by `-x`.
pub(super) fn steps(doublings: Doublings) -> Vec<CofactorStep> {
    let mut steps = Vec::new();
    let mut times = 0;
    for bit in (0..SEED.ilog2()).rev() {
        times += 1;
        let adds = SEED >> bit & 1 == 1;
        if adds || bit == 0 {
            let formulas = if times < FEWEST {
                Doublings::Complete
            } else {
                doublings
            };
            steps.push(CofactorStep::Double(formulas, times));
            times = 0;
        }
        if adds {
            steps.push(CofactorStep::Add);
        }
    }
    steps
}
