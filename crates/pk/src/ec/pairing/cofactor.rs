//! Cofactors of BLS12-381's groups, cleared by multiples by `-x` (RFC 9380, section 8.8). Public.
//!
//! `-x` has six bits set: doublings follow each other, and Jacobian ones take the fewest products. They do not keep the point at
//! infinity, which a multiple of a point of small order may be on the way: it becomes (0, 0, 0), which all formulas keep. Such
//! sums are computed once more with formulas that have no exceptions.

use super::parameters::SEED;
use super::prepared::PreparedPairing;
use crypto_bigint::BoxedUint;
use std::sync::Arc;
use sunzi_engine::{EngineError, Job, Outcome, Programs};

/// The formulas by which points are doubled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Doublings {
    /// Jacobian ones where several follow each other.
    Jacobian,
    /// Ones without exceptions.
    Complete,
}

/// A step on the way to a multiple of a point by `-x`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum CofactorStep {
    /// So many doublings without exceptions.
    Double(u32),
    /// So many Jacobian doublings.
    DoubleJacobian(u32),
    /// The addition of the point.
    Add,
}

impl Doublings {
    /// The fewest doublings for which Jacobian ones pay, on the way there and back.
    const FEWEST: u32 = 3;

    /// The steps from a point to its multiple by `-x`.
    pub(super) fn steps(self) -> Vec<CofactorStep> {
        let mut steps = Vec::new();
        let mut doublings = 0;
        for bit in (0..SEED.ilog2()).rev() {
            doublings += 1;
            let adds = SEED >> bit & 1 == 1;
            if adds || bit == 0 {
                steps.push(match self {
                    Self::Jacobian if doublings >= Self::FEWEST => {
                        CofactorStep::DoubleJacobian(doublings)
                    }
                    _ => CofactorStep::Double(doublings),
                });
                doublings = 0;
            }
            if adds {
                steps.push(CofactorStep::Add);
            }
        }
        steps
    }
}

/// The outcomes of programs, each for its number of points and their numbers: by Jacobian doublings, or without exceptions where these
/// have failed.
pub(super) fn outcomes(
    pairing: &PreparedPairing,
    work: &[(usize, Vec<&BoxedUint>)],
    program: impl Fn(usize, Doublings) -> Result<Arc<Programs>, EngineError>,
) -> Result<Vec<Outcome>, EngineError> {
    let run = |places: &[usize], doublings: Doublings| {
        let programs = places
            .iter()
            .map(|&place| program(work[place].0, doublings));
        let programs: Vec<_> = programs.collect::<Result<_, _>>()?;
        let jobs = places.iter().zip(&programs).map(|(&place, programs)| Job {
            programs,
            modulus: pairing.p(),
            constants: None,
            inputs: work[place].1.clone(),
            scalars: Vec::new(),
        });
        pairing.engine().execute(&jobs.collect::<Vec<_>>())
    };
    let all: Vec<_> = (0..work.len()).collect();
    let mut outcomes = run(&all, Doublings::Jacobian)?;
    let has_failed = |outcome: &Outcome| {
        let mut integers = outcome.integers.iter();
        integers.all(|integer| bool::from(integer.is_zero()))
    };
    let failed = all
        .into_iter()
        .filter(|&place| has_failed(&outcomes[place]));
    let failed: Vec<_> = failed.collect();
    if !failed.is_empty() {
        let again = run(&failed, Doublings::Complete)?;
        for (place, outcome) in failed.into_iter().zip(again) {
            outcomes[place] = outcome;
        }
    }
    Ok(outcomes)
}
