//! Sums `u G + v Q` for public scalars in batches, for verification.

use super::formulas::Homogeneous;
use super::model::{CurveValues, PointTable};
use super::multiply::{
    self, BASE_ENTRIES, BasePart, Formulas, PointPart, half_bits, joint_bits, joint_scalar,
    variable_bits, variable_scalar,
};
use super::prepared::{AffineCurves, PreparedCurve};
use crate::batch::shared;
use crypto_bigint::BoxedUint;
use std::sync::Arc;
use sunzi_engine::program::{Builder, Value, odd_digits};
use sunzi_engine::{Engine, EngineError, Job, Outcome, ProgramKey, Programs};
use zeroize::Zeroizing;

/// A sum `u G + v Q`, and the numbers that the end of the program takes.
pub(super) struct Combination<'a> {
    pub(super) curve: &'a PreparedCurve,
    /// The scalar of G, below the order.
    pub(super) u: &'a BoxedUint,
    /// The scalar of Q, below the order.
    pub(super) v: &'a BoxedUint,
    /// The affine coordinates of Q, below p.
    pub(super) q: &'a [BoxedUint; 2],
    /// The inputs of the end, [`End::inputs`] of them, below p.
    pub(super) inputs: &'a [BoxedUint],
}

/// The end of a program: the computation on the sum.
pub(super) struct End {
    /// The kind of program.
    pub(super) kind: &'static str,
    /// Number of integers that it takes.
    pub(super) inputs: usize,
    /// Appends the end, for the integers as they are and the sum `(X : Y : Z)`, which is not at infinity.
    pub(super) build: fn(&mut Builder, &CurveValues, &[Value], Homogeneous),
}

/// The method of a program's multiplication.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Method {
    /// Whole scalars, with these formulas.
    Whole(Formulas),
    /// Whole scalars, with fast formulas and affine multiples of Q.
    Affine,
    /// With fast formulas, the scalar of Q split by the curve's endomorphism.
    Split,
}

impl Method {
    /// The method in a batch with these curves of affine multiples.
    pub(super) fn of(curve: &PreparedCurve, formulas: Formulas, affine: &AffineCurves) -> Self {
        match formulas {
            Formulas::Fast if curve.endomorphism().is_some() => Self::Split,
            Formulas::Fast if affine.has(curve) => Self::Affine,
            _ => Self::Whole(formulas),
        }
    }
}

/// The flags and integers of the end of each combination; `None` for a sum at infinity.
///
/// Fast programs come first. If Z is 0 in the end, the sum is at infinity, or one on the way was, or it met a summand that
/// was equal or opposite: then programs without exceptions decide.
pub(super) fn combinations(
    engine: &Engine,
    end: &End,
    work: &[Combination<'_>],
) -> Result<Vec<Option<Outcome>>, EngineError> {
    let mut outcomes: Vec<Option<Outcome>> = work.iter().map(|_| None).collect();
    let mut places: Vec<usize> = (0..work.len()).collect();
    for formulas in [Formulas::Fast, Formulas::Complete] {
        let mut undecided = Vec::new();
        for (place, mut outcome) in places
            .iter()
            .zip(run(engine, end, work, &places, formulas)?)
        {
            if outcome.flags.remove(0) {
                undecided.push(*place);
            } else {
                outcomes[*place] = Some(outcome);
            }
        }
        places = undecided;
    }
    Ok(outcomes)
}

fn run(
    engine: &Engine,
    end: &End,
    work: &[Combination<'_>],
    places: &[usize],
    formulas: Formulas,
) -> Result<Vec<Outcome>, EngineError> {
    let scalars: Vec<_> = places
        .iter()
        .map(|&k| scalars(&work[k], formulas))
        .collect();
    let affine = AffineCurves::of(places.iter().map(|&k| work[k].curve));
    let method = |curve| Method::of(curve, formulas, &affine);
    let (programs, numbers) = shared(
        places,
        |&&k| Arc::as_ptr(work[k].curve.p()),
        |&&k| program(work[k].curve, end, method(work[k].curve)),
    )?;
    let jobs = (places.iter().zip(numbers).zip(&scalars)).map(|((&k, number), scalars)| {
        let Combination {
            curve, q, inputs, ..
        } = work[k];
        let constants = match curve.endomorphism() {
            Some(endomorphism) if formulas == Formulas::Fast => curve.split_constants(endomorphism),
            _ => curve.joint_constants(),
        };
        Ok(Job {
            programs: &programs[number],
            modulus: curve.p(),
            constants: Some(constants?),
            inputs: q.iter().chain(inputs).collect(),
            scalars: (scalars.iter().map(|scalar| &**scalar))
                .chain((method(curve) == Method::Affine).then(|| curve.p_less_two()))
                .collect(),
        })
    });
    engine.execute(&jobs.collect::<Result<Vec<_>, EngineError>>()?)
}

/// The scalars of the program: for u, and v or its halves.
fn scalars(work: &Combination<'_>, formulas: Formulas) -> Vec<Zeroizing<BoxedUint>> {
    let Combination { curve, u, v, .. } = work;
    let order = curve.curve().order();
    match curve.endomorphism() {
        Some(endomorphism) if formulas == Formulas::Fast => {
            let bits = half_bits(endomorphism.bits());
            let halves = endomorphism.split_vartime(v, bits).map(Zeroizing::new);
            let u = odd_digits(u, order, 2 * bits);
            [u].into_iter().chain(halves).collect()
        }
        _ => vec![joint_scalar(u, order), variable_scalar(v, order)],
    }
}

/// The program that computes `u G + v Q = (X : Y : Z)` and ends as `end` says. Its inputs are the
/// coordinates x and y of Q and those of `end`; its scalars are public ([`scalars`]), and the last one p - 2 for affine
/// multiples. The first flag is whether Z is 0; with [`Formulas::Fast`] this means that nothing is known.
pub(super) fn program(
    curve: &PreparedCurve,
    end: &End,
    method: Method,
) -> Result<Arc<Programs>, EngineError> {
    let number = match method {
        Method::Whole(Formulas::Fast) => 0,
        Method::Whole(Formulas::Complete) => 1,
        Method::Split => 2,
        Method::Affine => 3,
    };
    let half_bits = curve.endomorphism().map_or(0, |e| half_bits(e.bits()));
    // The lengths of G's scalar, and of each of Q's.
    let (base_bits, point_bits) = match method {
        Method::Whole(_) | Method::Affine => (
            joint_bits(curve.order_bits()),
            variable_bits(curve.order_bits()),
        ),
        Method::Split => (2 * half_bits, half_bits),
    };
    let (kind, p_bits) = (curve.model().kind, curve.curve().bits());
    let key = ProgramKey {
        bits: curve.p().class(),
        kind: end.kind,
        parameters: vec![kind.number(), point_bits.into(), p_bits.into(), number],
    };
    curve.engine().programs(key, |builder| {
        let curve = kind.declare(builder);
        let mut table = || PointTable::declare(builder, BASE_ENTRIES);
        let (tables, formulas, names) = match method {
            Method::Whole(formulas) => (vec![table()], formulas, &["v"][..]),
            Method::Affine => (vec![table()], Formulas::Fast, &["v"][..]),
            Method::Split => (vec![table(), table()], Formulas::Fast, &["v1", "v2"][..]),
        };
        let beta = (method == Method::Split).then(|| builder.own_constant(1));
        let bits = builder.bits();
        let [x, y] = [(); 2].map(|()| builder.input_unreduced(bits));
        let inputs = (0..end.inputs).map(|_| builder.input_unreduced(bits));
        let inputs: Vec<_> = inputs.collect();
        let u = builder.scalar("u", base_bits, false);
        let scalars = names
            .iter()
            .map(|name| builder.scalar(name, point_bits, false));
        let scalars: Vec<_> = scalars.collect();
        let base = BasePart {
            tables: &tables,
            scalar: u,
        };
        let point = PointPart {
            q: [curve.map_x(builder, x), curve.map_y(builder, y)],
            scalars,
            beta,
            prime_less_two: (method == Method::Affine)
                .then(|| builder.scalar("p - 2", p_bits, false)),
        };
        let sum = multiply::joint(builder, &curve.coefficients, base, &point, formulas);
        builder.is_zero(sum.z);
        (end.build)(builder, &curve, &inputs, sum);
    })
}
