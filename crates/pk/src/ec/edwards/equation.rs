//! Equations `u G + v Q = R`, which verification tests, many at a time. Public.

use super::curve::Parameters;
use super::decode::Affine;
use super::multiply::{self, BaseWindows, PointTable};
use super::multiply::{
    declare_base_tables, declare_key_tables, key_bits, key_scalar, point_bits, point_scalar,
};
use super::prepared::PreparedEdwardsCurve;
use crate::batch::shared;
use crate::ec::multiply::FixedBase;
use crate::ec::sharing::{scatter, shares};
use crypto_bigint::BoxedUint;
use std::sync::Arc;
use sunzi_engine::program::{Builder, Value, inverse};
use sunzi_engine::{Constants, Engine, EngineError, Job, Outcome, ProgramKey, Programs};

/// An equation `u G + v Q = R`.
pub(in crate::ec) struct Equation<'a> {
    pub(in crate::ec) curve: &'a PreparedEdwardsCurve,
    /// The scalar of the base point, below the order.
    pub(in crate::ec) u: &'a BoxedUint,
    /// The scalar of Q, below the order.
    pub(in crate::ec) v: &'a BoxedUint,
    pub(in crate::ec) q: &'a Affine,
    pub(in crate::ec) right: &'a Right,
    /// The constants of [`PreparedEdwardsCurve::key_constants`] for Q, if it has tables.
    pub(in crate::ec) tables: Option<&'a Arc<Constants>>,
}

/// The right side of an equation, and the sense in which it holds.
pub(in crate::ec) enum Right {
    /// The y of R, an integer below p, and whether x is odd: the sum has this encoding.
    Encoding { y: BoxedUint, is_odd: bool },
    /// The negative of R: the cofactor times `u G + v Q - R` is the neutral point.
    Negative(Affine),
}

impl Right {
    fn is_encoding(&self) -> bool {
        matches!(self, Self::Encoding { .. })
    }
}

/// Whether the equations hold.
pub(in crate::ec) fn hold(
    engine: &Engine,
    equations: &[Equation<'_>],
) -> Result<Vec<bool>, EngineError> {
    let outcomes = run(engine, equations)?;
    let mut answers: Vec<_> = outcomes
        .iter()
        .map(|outcome| outcome.flags.iter().all(|&flag| flag))
        .collect();
    // It remains to decide whether x is odd.
    let left: Vec<usize> = (0..equations.len())
        .filter(|&k| answers[k] && equations[k].right.is_encoding())
        .collect();
    let quotients: Vec<_> = left
        .iter()
        .map(|&k| {
            let [x, z] = [0, 1].map(|i| &*outcomes[k].integers[i]);
            (equations[k].curve, [x, z])
        })
        .collect();
    let xs = quotients_of(engine, &quotients)?;
    for (&k, x) in left.iter().zip(&xs) {
        if let Right::Encoding { is_odd, .. } = equations[k].right {
            answers[k] = x.bit_vartime(0) == *is_odd;
        }
    }
    Ok(answers)
}

fn run(engine: &Engine, equations: &[Equation<'_>]) -> Result<Vec<Outcome>, EngineError> {
    let windows = BaseWindows::for_batch(equations.len());
    let kind = |equation: &&Equation<'_>| (equation.right.is_encoding(), equation.tables.is_some());
    let (programs, numbers) = shared(
        equations,
        |equation| (Arc::as_ptr(equation.curve.p()), kind(equation)),
        |equation| {
            let (is_encoding, is_tabled) = kind(equation);
            let base = if is_tabled {
                Base::Tables(equation.curve.fixed_base())
            } else {
                Base::Windows(windows)
            };
            program(equation.curve, is_encoding, base)
        },
    )?;
    let scalars: Vec<_> = equations
        .iter()
        .map(|equation| {
            let curve = equation.curve.parameters();
            let (u, v, bits) = (equation.u, equation.v, curve.order_bits());
            if equation.tables.is_some() {
                let u = equation.curve.fixed_base().scalar(u, curve.order.as_ref());
                return [(*u).clone(), key_scalar(v, bits)];
            }
            [windows.scalar(u, curve), point_scalar(v, bits)]
        })
        .collect();
    let jobs = equations.iter().zip(numbers.into_iter().zip(&scalars));
    let jobs = jobs.map(|(equation, (number, scalars))| {
        let Equation {
            curve,
            q,
            right,
            tables,
            ..
        } = equation;
        let mut inputs = match tables {
            Some(_) => Vec::new(),
            None => vec![&q.x, &q.y],
        };
        match right {
            Right::Encoding { y, .. } => inputs.push(y),
            Right::Negative(Affine { x, y }) => inputs.extend([x, y]),
        }
        Ok(Job {
            programs: &programs[number],
            modulus: curve.p(),
            constants: Some(tables.map_or_else(|| curve.joint_constants(windows), Ok)?),
            inputs,
            scalars: scalars.iter().collect(),
        })
    });
    engine.execute(&jobs.collect::<Result<Vec<_>, EngineError>>()?)
}

/// How multiples of the base point are taken.
#[derive(Clone, Copy)]
enum Base {
    /// By [`multiply::joint`].
    Windows(BaseWindows),
    /// By [`multiply::tabled`], where Q has tables.
    Tables(FixedBase),
}

/// The equation with the inputs x and y of Q, and the public scalars u of [`BaseWindows::scalar`] and v
/// of [`multiply::point_scalar`]; if Q has tables, without these inputs, and with the scalars of [`multiply::tabled`].
///
/// For [`Right::Encoding`] with the input y; the flag is whether y is that of the sum, and the outputs
/// are two numbers whose quotient is x of the sum. For [`Right::Negative`] with its x and y; the flags are those of the neutral
/// point: whether X is 0, and whether Y is Z.
fn program(
    curve: &PreparedEdwardsCurve,
    is_encoding: bool,
    base: Base,
) -> Result<Arc<Programs>, EngineError> {
    let prime = curve.curve().prime();
    let (is_tabled, width) = match base {
        Base::Windows(windows) => (false, windows.width()),
        Base::Tables(fixed) => (true, fixed.width()),
    };
    let key = ProgramKey {
        bits: curve.p().class(),
        kind: "edwards-equation",
        parameters: vec![
            prime as u64,
            is_encoding.into(),
            is_tabled.into(),
            width.into(),
        ],
    };
    curve.engine().programs(key, |builder| {
        build(builder, curve.parameters(), is_encoding, base);
    })
}

fn build(builder: &mut Builder, curve: &Parameters, is_encoding: bool, base: Base) {
    let (a, order_bits) = (curve.a, curve.order_bits());
    let d = builder.own_constant(1);
    let bits = builder.bits();
    let sum = match base {
        Base::Tables(fixed) => {
            let base = declare_base_tables(builder, fixed, order_bits);
            let key = declare_key_tables(builder, order_bits);
            let u = builder.scalar("u", fixed.bits(order_bits), false);
            let v = builder.scalar("v", key_bits(order_bits), false);
            multiply::tabled(builder, a, (fixed, &base, u), (&key, v))
        }
        Base::Windows(windows) => {
            let table = PointTable::declare(builder, windows.entries());
            let q = [(); 2].map(|()| builder.input(bits));
            let u = builder.scalar("u", windows.bits(order_bits), false);
            let v = builder.scalar("v", point_bits(order_bits), false);
            multiply::joint(builder, (a, d), (windows, &table, u), &[(q, v)])
        }
    };
    if is_encoding {
        // y = H/F, and x = E/G.
        let y = builder.input_unreduced(bits);
        let one = builder.one();
        let difference = builder.sum_of_products(&[(false, sum.h, one), (true, y, sum.f)]);
        builder.is_zero(difference);
        builder.output(sum.e);
        builder.output(sum.g);
        return;
    }
    let sum = sum.point(builder);
    let negative = [(); 2].map(|()| builder.input(bits));
    let mut difference = a.add_affine(builder, d, &sum, negative);
    for _ in 0..curve.cofactor_bits {
        difference = a.double(builder, difference);
    }
    builder.is_zero(difference.x);
    builder.equal(difference.y, difference.z);
}

/// `x/z` modulo p for each `[x, z]`, below p; none of the z is 0.
fn quotients_of(
    engine: &Engine,
    numbers: &[(&PreparedEdwardsCurve, [&BoxedUint; 2])],
) -> Result<Vec<BoxedUint>, EngineError> {
    let curves: Vec<_> = numbers.iter().map(|(curve, _)| *curve).collect();
    let shares = shares(&curves);
    let programs = shares
        .iter()
        .map(|share| division(share.curve, share.places.len()));
    let programs: Vec<_> = programs.collect::<Result<_, _>>()?;
    let jobs = shares.iter().zip(&programs).map(|(share, programs)| Job {
        programs,
        modulus: share.curve.p(),
        constants: None,
        inputs: share
            .places
            .iter()
            .flat_map(|&place| numbers[place].1)
            .collect(),
        scalars: Vec::new(),
    });
    let outcomes = engine.execute(&jobs.collect::<Vec<_>>())?;
    let quotients = scatter(&shares, outcomes, numbers.len()).into_iter();
    Ok(quotients.map(|mut x| (*x.swap_remove(0)).clone()).collect())
}

/// `x/z` modulo p for `sharing` pairs of inputs x and z.
fn division(curve: &PreparedEdwardsCurve, sharing: usize) -> Result<Arc<Programs>, EngineError> {
    let prime = curve.curve().prime();
    let key = ProgramKey {
        bits: curve.p().class(),
        kind: "edwards-division",
        parameters: vec![prime as u64, sharing as u64],
    };
    curve.engine().programs(key, |builder| {
        let bits = builder.bits();
        let (xs, zs): (Vec<Value>, Vec<Value>) = (0..sharing)
            .map(|_| (builder.input_unreduced(bits), builder.input(bits)))
            .unzip();
        let inverses = inverse::shared(builder, &zs, |builder, product| {
            prime.invert(builder, product)
        });
        for (x, inverse) in xs.into_iter().zip(inverses) {
            let quotient = builder.multiply(x, inverse);
            builder.output(quotient);
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ec::EdwardsCurve;
    use sunzi_engine::Backend;

    /// Reductions of an equation, the decoding of Q and an inversion apart.
    #[test]
    fn counts() {
        let engine = Engine::new(Backend::PORTABLE).unwrap();
        let wide = Some(BaseWindows::Wide);
        let narrow = Some(BaseWindows::Narrow);
        for (curve, is_encoding, windows, most) in [
            (EdwardsCurve::Edwards25519, true, wide, 2415),
            (EdwardsCurve::Edwards25519, true, narrow, 2458),
            (EdwardsCurve::Edwards25519, false, wide, 2448),
            (EdwardsCurve::Edwards448, true, wide, 4197),
            (EdwardsCurve::Edwards448, true, narrow, 4267),
            (EdwardsCurve::Edwards448, false, wide, 4223),
            (EdwardsCurve::Edwards25519, true, None, 554),
            (EdwardsCurve::Edwards25519, false, None, 587),
            (EdwardsCurve::Edwards448, true, None, 967),
            (EdwardsCurve::Edwards448, false, None, 993),
        ] {
            let curve = PreparedEdwardsCurve::new(&engine, curve).unwrap();
            let base = windows.map_or_else(|| Base::Tables(curve.fixed_base()), Base::Windows);
            let programs = program(&curve, is_encoding, base).unwrap();
            let products = programs.program().counts().products;
            println!("{curve:?} {is_encoding} {windows:?}: {products}");
            assert!(products <= most, "{curve:?}: {products}");
        }
    }
}
