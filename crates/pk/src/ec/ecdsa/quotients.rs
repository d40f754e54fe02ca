//! Quotients modulo the order, for signing and for verification.

use super::super::prepared::PreparedCurve;
use super::super::sharing::{scatter, shares};
use crypto_bigint::{BoxedUint, CtLt};
use std::sync::Arc;
use sunzi_engine::program::{Builder, Value, inverse};
use sunzi_engine::{Engine, EngineError, Job, ProgramKey, Programs};
use zeroize::{Zeroize, Zeroizing};

/// The quotients modulo n that are computed, from e, r, x and, for some, d.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Quotients {
    /// `e/x` and `r/x`.
    Both,
    /// `(e + r d)/x`.
    Sum,
}

/// Quotients modulo n for `sharing` signatures: for each the inputs x (not 0), e, r and, unless both
/// quotients are asked for, d, all below `2^bits`; the scalar is n - 2. Constant time.
fn program(
    curve: &PreparedCurve,
    wanted: Quotients,
    sharing: usize,
) -> Result<Arc<Programs>, EngineError> {
    let (bits, n_bits) = (curve.n().class(), curve.order_bits());
    let key = ProgramKey {
        bits,
        kind: "ecdsa-quotients",
        parameters: vec![wanted as u64, sharing as u64, n_bits.into()],
    };
    curve.engine().programs(key, |builder| {
        let mut divisors = Vec::with_capacity(sharing);
        let mut dividends = Vec::with_capacity(sharing);
        for _ in 0..sharing {
            divisors.push(builder.input(bits));
            dividends.push(dividend(builder, wanted, bits));
        }
        let less_two = builder.scalar("n - 2", n_bits, false);
        let inverses = inverse::shared(builder, &divisors, |builder, product| {
            inverse::fermat(builder, product, less_two)
        });
        for (dividends, inverse) in dividends.into_iter().zip(inverses) {
            for dividend in dividends {
                let quotient = builder.multiply(dividend, inverse);
                builder.output(quotient);
            }
        }
    })
}

/// The dividends, without Montgomery factor.
fn dividend(builder: &mut Builder, wanted: Quotients, bits: u32) -> Vec<Value> {
    let [e, r] = [(); 2].map(|()| builder.input_unreduced(bits));
    if wanted == Quotients::Both {
        return vec![e, r];
    }
    let d = builder.input(bits);
    let one = builder.montgomery_one();
    vec![builder.sum_of_products(&[(false, r, d), (false, e, one)])]
}

/// The [`Quotients`] of each number: x, e, r and, unless both quotients are wanted, d, modulo the
/// order of its curve, and below it. A fault may leave numbers that are not: they become 0, which is
/// neither half of a signature nor a nonce.
#[inline(never)]
pub(super) fn quotients(
    engine: &Engine,
    wanted: Quotients,
    numbers: &[(&PreparedCurve, Vec<&BoxedUint>)],
) -> Result<Vec<Vec<Zeroizing<BoxedUint>>>, EngineError> {
    let curves: Vec<_> = numbers.iter().map(|(curve, _)| *curve).collect();
    let shares = shares(&curves);
    let programs = shares
        .iter()
        .map(|share| program(share.curve, wanted, share.places.len()));
    let programs: Vec<_> = programs.collect::<Result<_, _>>()?;
    let jobs = shares.iter().zip(&programs).map(|(share, programs)| Job {
        programs,
        modulus: share.curve.n(),
        constants: None,
        inputs: share
            .places
            .iter()
            .flat_map(|&place| numbers[place].1.iter().copied())
            .collect(),
        scalars: vec![share.curve.n_less_two()],
    });
    let outcomes = engine.execute(&jobs.collect::<Vec<_>>())?;
    let mut results = scatter(&shares, outcomes, numbers.len());
    for ((curve, _), quotients) in numbers.iter().zip(&mut results) {
        for quotient in quotients {
            if !quotient.ct_lt(curve.curve().order()).to_bool() {
                quotient.zeroize();
            }
        }
    }
    Ok(results)
}
