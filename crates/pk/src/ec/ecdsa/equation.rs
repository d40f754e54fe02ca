//! The equation between the halves of a signature and its nonce, for signatures whose nonces are known.

use super::super::prepared::PreparedCurve;
use super::super::sharing::shares;
use crypto_bigint::BoxedUint;
use std::sync::Arc;
use sunzi_engine::{Engine, EngineError, Job, ProgramKey, Programs};

/// The numbers of [`hold`], as long as the order or shorter.
pub(super) struct Equation<'a> {
    pub(super) s: &'a BoxedUint,
    pub(super) k: &'a BoxedUint,
    pub(super) e: &'a BoxedUint,
    pub(super) r: &'a BoxedUint,
    /// `n - d`.
    pub(super) negative: &'a BoxedUint,
}

/// Whether `s k + r (n - d) - e` is 0 modulo n. Constant time, but for the answer.
pub(super) fn hold(
    engine: &Engine,
    equations: &[(&PreparedCurve, Equation<'_>)],
) -> Result<Vec<bool>, EngineError> {
    let curves: Vec<_> = equations.iter().map(|(curve, _)| *curve).collect();
    let shares = shares(&curves);
    let programs = shares
        .iter()
        .map(|share| program(share.curve, share.places.len()));
    let programs: Vec<_> = programs.collect::<Result<_, _>>()?;
    let jobs = shares.iter().zip(&programs).map(|(share, programs)| {
        let numbers = |&place: &usize| {
            let (
                _,
                Equation {
                    s,
                    k,
                    e,
                    r,
                    negative,
                },
            ) = &equations[place];
            [*s, *k, *e, *r, *negative]
        };
        Job {
            programs,
            modulus: share.curve.n(),
            constants: None,
            inputs: share.places.iter().flat_map(numbers).collect(),
            scalars: Vec::new(),
        }
    });
    let outcomes = engine.execute(&jobs.collect::<Vec<_>>())?;
    let mut hold = vec![false; equations.len()];
    for (share, outcome) in shares.iter().zip(outcomes) {
        for (&place, flag) in share.places.iter().zip(outcome.flags) {
            hold[place] = flag;
        }
    }
    Ok(hold)
}

/// The flags of `sharing` equations, for the numbers of [`Equation`] each, in the order of its fields.
fn program(curve: &PreparedCurve, sharing: usize) -> Result<Arc<Programs>, EngineError> {
    let bits = curve.n().class();
    let key = ProgramKey {
        bits,
        kind: "ecdsa-equation",
        parameters: vec![sharing as u64],
    };
    curve.engine().programs(key, |builder| {
        let one = builder.montgomery_one();
        for _ in 0..sharing {
            let s = builder.input_unreduced(bits);
            let k = builder.input(bits);
            let [e, r] = [(); 2].map(|()| builder.input_unreduced(bits));
            let negative = builder.input(bits);
            let products = [(false, s, k), (false, r, negative), (true, e, one)];
            let difference = builder.sum_of_products(&products);
            builder.is_zero(difference);
        }
    })
}
