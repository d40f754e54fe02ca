//! Programs whose doublings may fail, and the same programs without exceptions. Public.
//!
//! Jacobian doublings take the fewest products where several follow each other. They do not keep the point at
//! infinity, which a multiple of a point of small order, or a sum of many points, may be on the way: it becomes
//! (0, 0, 0), which all formulas keep. Such results are computed once more.

use super::prepared::PreparedPairing;
use crypto_bigint::BoxedUint;
use std::sync::Arc;
use sunzi_engine::{EngineError, Job, Outcome, Programs};

/// The formulas by which points are doubled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Doublings {
    /// Jacobian ones.
    Jacobian,
    /// Ones without exceptions.
    Complete,
}

/// The operands of a program.
pub(super) struct Work<'a> {
    /// The number of points, by which the program is chosen.
    pub(super) count: usize,
    /// The numbers of the points.
    pub(super) inputs: Vec<&'a BoxedUint>,
    /// The factors of the points, if they have any.
    pub(super) scalars: Vec<&'a BoxedUint>,
}

/// The outcomes of programs, each for its number of points: by Jacobian doublings, or without exceptions where these have
/// failed.
pub(super) fn outcomes(
    pairing: &PreparedPairing,
    work: &[Work<'_>],
    program: impl Fn(usize, Doublings) -> Result<Arc<Programs>, EngineError>,
) -> Result<Vec<Outcome>, EngineError> {
    let run = |places: &[usize], doublings: Doublings| {
        let programs = places
            .iter()
            .map(|&place| program(work[place].count, doublings));
        let programs: Vec<_> = programs.collect::<Result<_, _>>()?;
        let jobs = places.iter().zip(&programs).map(|(&place, programs)| Job {
            programs,
            modulus: pairing.p(),
            constants: None,
            inputs: work[place].inputs.clone(),
            scalars: work[place].scalars.clone(),
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
