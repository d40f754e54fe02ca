//! Sums `u G + v Q` for public scalars in batches, where Q has tables as G has: of a key that verifies many signatures.

use super::joint::{self, Combination, End};
use super::model::PointTable;
use super::multiply;
use super::prepared::PreparedCurve;
use crate::batch::shared;
use std::sync::Arc;
use sunzi_engine::{Constants, Engine, EngineError, Job, Outcome, ProgramKey, Programs};

/// The flags and integers of the end of each combination; `None` for a sum at infinity. Some points have tables: the
/// constants of [`PreparedCurve::key_constants`].
pub(super) fn combinations(
    engine: &Engine,
    end: &End,
    work: Vec<(Combination<'_>, Option<&Arc<Constants>>)>,
) -> Result<Vec<Option<Outcome>>, EngineError> {
    let (mut tabled, mut others) = ((Vec::new(), Vec::new()), (Vec::new(), Vec::new()));
    let mut outcomes = vec![None; work.len()];
    for (place, (combination, tables)) in work.into_iter().enumerate() {
        if let Some(constants) = tables {
            tabled.0.push(place);
            tabled.1.push((combination, constants));
        } else {
            others.0.push(place);
            others.1.push(combination);
        }
    }
    let [by_tables, by_doublings] = [
        by_tables(engine, end, &tabled.1)?,
        joint::combinations(engine, end, &others.1)?,
    ];
    for (places, found) in [(tabled.0, by_tables), (others.0, by_doublings)] {
        for (place, outcome) in places.into_iter().zip(found) {
            outcomes[place] = outcome;
        }
    }
    Ok(outcomes)
}

/// [`combinations`] of points that have tables.
fn by_tables(
    engine: &Engine,
    end: &End,
    work: &[(Combination<'_>, &Arc<Constants>)],
) -> Result<Vec<Option<Outcome>>, EngineError> {
    let scalars = work.iter().map(|(Combination { curve, u, v, .. }, _)| {
        let (fixed, order) = (curve.fixed_base(), curve.curve().order());
        [u, v].map(|scalar| fixed.scalar(scalar, order))
    });
    let scalars: Vec<_> = scalars.collect();
    let (programs, numbers) = shared(
        work,
        |(combination, _)| Arc::as_ptr(combination.curve.p()),
        |(combination, _)| program(combination.curve, end),
    )?;
    let jobs = work.iter().zip(numbers).zip(&scalars);
    let jobs = jobs.map(|(((combination, constants), number), scalars)| Job {
        programs: &programs[number],
        modulus: combination.curve.p(),
        constants: Some(constants),
        inputs: combination.inputs.iter().collect(),
        scalars: scalars.iter().map(|scalar| &**scalar).collect(),
    });
    let outcomes = engine.execute(&jobs.collect::<Vec<_>>())?;
    let finite = outcomes.into_iter().map(|mut outcome| {
        let infinite = outcome.flags.remove(0);
        (!infinite).then_some(outcome)
    });
    Ok(finite.collect())
}

/// The program that computes `u G + v Q = (X : Y : Z)` by additions alone, and ends as `end` says. The first flag is
/// whether Z is 0: the sum is at infinity.
pub(super) fn program(curve: &PreparedCurve, end: &End) -> Result<Arc<Programs>, EngineError> {
    let kind = curve.model().kind;
    let (fixed, order_bits) = (curve.fixed_base(), curve.order_bits());
    let bits = fixed.bits(order_bits);
    let key = ProgramKey {
        bits: curve.p().class(),
        kind: end.kind,
        parameters: vec![kind.number(), bits.into(), 3, fixed.width().into()],
    };
    curve.engine().programs(key, |builder| {
        let curve = kind.declare(builder);
        let mut tables = || -> Vec<_> {
            let windows = 0..fixed.windows(order_bits);
            windows
                .map(|_| PointTable::declare(builder, fixed.entries()))
                .collect()
        };
        let (base, point) = (tables(), tables());
        let class = builder.bits();
        let inputs = (0..end.inputs).map(|_| builder.input_unreduced(class));
        let inputs: Vec<_> = inputs.collect();
        let [u, v] = ["u", "v"].map(|name| builder.scalar(name, bits, false));
        let points = [(&base[..], u), (&point[..], v)];
        let sum = multiply::fixed_sum(builder, &curve.coefficients, fixed, &points);
        builder.is_zero(sum.z);
        (end.build)(builder, &curve, &inputs, sum);
    })
}
