//! Sums `u G + v Q` for public scalars in batches, where Q has tables as G has: of a key that verifies many signatures.

use super::joint::{self, Combination, End};
use super::model::PointTable;
use super::multiply;
use super::prepared::PreparedCurve;
use crate::batch::shared;
use std::sync::Arc;
use sunzi_engine::{Constants, Engine, EngineError, Job, Outcome, ProgramKey, Programs};

/// The flags and integers of the end of each combination; `None` for a sum at infinity. Some points have tables: the
/// constants of [`PreparedCurve::key_constants`]. Where nothing is known by these, [`joint::combinations`] decides.
pub(super) fn combinations(
    engine: &Engine,
    end: &End,
    work: Vec<(Combination<'_>, Option<&Arc<Constants>>)>,
) -> Result<Vec<Option<Outcome>>, EngineError> {
    let (tabled, mut others): (Vec<_>, Vec<_>) =
        (work.into_iter().enumerate()).partition(|(_, (_, tables))| tables.is_some());
    let mut outcomes = vec![None; tabled.len() + others.len()];
    let by_tables = by_tables(engine, end, &tabled)?;
    for (job, outcome) in tabled.into_iter().zip(by_tables) {
        match outcome {
            Some(outcome) => outcomes[job.0] = Some(outcome),
            None => others.push(job),
        }
    }
    let (places, others): (Vec<_>, Vec<_>) = (others
        .into_iter()
        .map(|(place, (combination, _))| (place, combination)))
    .unzip();
    for (place, outcome) in places
        .into_iter()
        .zip(joint::combinations(engine, end, &others)?)
    {
        outcomes[place] = outcome;
    }
    Ok(outcomes)
}

/// A place among the combinations, the combination, and the tables if there are any.
type Placed<'a> = (usize, (Combination<'a>, Option<&'a Arc<Constants>>));

/// The flags and integers of combinations of points that have tables; `None` where nothing is known.
fn by_tables(
    engine: &Engine,
    end: &End,
    work: &[Placed<'_>],
) -> Result<Vec<Option<Outcome>>, EngineError> {
    let scalars = work
        .iter()
        .map(|(_, (Combination { curve, u, v, .. }, _))| {
            let (fixed, order) = (curve.fixed_base(), curve.curve().order());
            [u, v].map(|scalar| fixed.scalar(scalar, order))
        });
    let scalars: Vec<_> = scalars.collect();
    let (programs, numbers) = shared(
        work,
        |(_, (combination, _))| Arc::as_ptr(combination.curve.p()),
        |(_, (combination, _))| program(combination.curve, end),
    )?;
    let jobs = work.iter().zip(numbers).zip(&scalars);
    let jobs = jobs.map(|(((_, (combination, tables)), number), scalars)| Job {
        programs: &programs[number],
        modulus: combination.curve.p(),
        constants: *tables,
        inputs: combination.inputs.iter().collect(),
        scalars: scalars.iter().map(|scalar| &**scalar).collect(),
    });
    let outcomes = engine.execute(&jobs.collect::<Vec<_>>())?;
    let known = outcomes.into_iter().map(|mut outcome| {
        let unknown = outcome.flags.remove(0);
        (!unknown).then_some(outcome)
    });
    Ok(known.collect())
}

/// The program that computes `u G + v Q = (X : Y : Z)` by additions alone, and ends as `end` says. The first flag is
/// whether Z is 0, which means that nothing is known.
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
