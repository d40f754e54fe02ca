//! Random combinations of equations `u G + v Q = R`, for many of which a single test suffices. Public.

use super::curve::Parameters;
use super::decode::Affine;
use super::formulas::{Extended, Projective};
use super::multiply::{self, BaseWindows, WIDTH, declare_joint_tables, point_bits, point_scalar};
use super::prepared::PreparedEdwardsCurve;
use crypto_bigint::{BoxedUint, ConcatenatingMul};
use std::sync::Arc;
use sunzi_engine::program::Builder;
use sunzi_engine::{Engine, EngineError, Job, ProgramKey, Programs};

/// Number of bits of the coefficients.
pub(in crate::ec) const COEFFICIENT_BITS: u32 = 128;

/// The windows for the base point's scalar. Batches are large.
const WINDOWS: BaseWindows = BaseWindows::Wide;

/// An equation `u G + v Q - R = 0` with its coefficient z.
pub(in crate::ec) struct Term<'a> {
    /// The scalar u, below the order, as v is.
    pub(in crate::ec) u: &'a BoxedUint,
    pub(in crate::ec) v: &'a BoxedUint,
    pub(in crate::ec) q: &'a Affine,
    /// The negative of R.
    pub(in crate::ec) negative: &'a Affine,
    /// The coefficient z, at most [`COEFFICIENT_BITS`] long.
    pub(in crate::ec) z: BoxedUint,
}

/// Equations on one curve, tested together.
pub(in crate::ec) struct Combination<'a> {
    pub(in crate::ec) curve: &'a PreparedEdwardsCurve,
    pub(in crate::ec) terms: Vec<Term<'a>>,
}

impl Combination<'_> {
    /// The scalar of the base point, and those of the Q and R, in turn.
    fn scalars(&self) -> Vec<BoxedUint> {
        let curve = self.curve.parameters();
        let precision = curve.order.bits_precision();
        let reduced = |x: BoxedUint| curve.reduction.reduced(x.as_words());
        let mut sum = BoxedUint::zero_with_precision(precision + COEFFICIENT_BITS + 64);
        let mut scalars = vec![BoxedUint::zero()];
        for Term { u, v, z, .. } in &self.terms {
            sum = sum.wrapping_add(u.concatenating_mul(z));
            // Modulo the order: the cofactor removes the effect of another multiple of it.
            let v = reduced(v.concatenating_mul(z));
            scalars.push(point_scalar(&v, curve.order_bits(), WIDTH));
            scalars.push(point_scalar(z, COEFFICIENT_BITS, WIDTH));
        }
        scalars[0] = WINDOWS.scalar(&reduced(sum), curve);
        scalars
    }
}

/// Whether the cofactor times the sums of `z (u G + v Q - R)` are the neutral point. If an equation, times the
/// cofactor, does not hold, that is so for at most one z of all that are possible.
pub(in crate::ec) fn vanish(
    engine: &Engine,
    combinations: &[Combination<'_>],
) -> Result<Vec<bool>, EngineError> {
    let programs = combinations
        .iter()
        .map(|combination| program(combination.curve, combination.terms.len()));
    let programs: Vec<_> = programs.collect::<Result<_, _>>()?;
    let scalars: Vec<_> = combinations.iter().map(Combination::scalars).collect();
    let jobs = combinations.iter().zip(programs.iter().zip(&scalars));
    let jobs = jobs.map(|(combination, (programs, scalars))| {
        let terms = combination.terms.iter();
        Ok(Job {
            programs,
            modulus: combination.curve.p(),
            constants: Some(combination.curve.joint_constants(WINDOWS)?),
            inputs: terms
                .flat_map(|term| [&term.q.x, &term.q.y, &term.negative.x, &term.negative.y])
                .collect(),
            scalars: scalars.iter().collect(),
        })
    });
    let outcomes = engine.execute(&jobs.collect::<Result<Vec<_>, EngineError>>()?)?;
    let vanish = outcomes
        .iter()
        .map(|outcome| outcome.flags.iter().all(|&flag| flag));
    Ok(vanish.collect())
}

/// The sum of `count` terms: for each the inputs x and y of Q and of -R; the scalar of the base point, and
/// those of each Q and R. The flags are those of the neutral point: whether X is 0, and whether Y is Z.
fn program(curve: &PreparedEdwardsCurve, count: usize) -> Result<Arc<Programs>, EngineError> {
    let key = ProgramKey {
        bits: curve.p().class(),
        kind: "edwards-combination",
        parameters: vec![curve.curve().prime() as u64, count as u64],
    };
    curve.engine().programs(key, |builder| {
        build(builder, curve.parameters(), count);
    })
}

fn build(builder: &mut Builder, curve: &Parameters, count: usize) {
    let (a, order_bits) = (curve.a, curve.order_bits());
    let d = builder.own_constant(1);
    let tables = declare_joint_tables(builder, WINDOWS, order_bits);
    let bits = builder.bits();
    let u = builder.scalar("u", WINDOWS.bits(order_bits), false);
    let mut points = Vec::with_capacity(2 * count);
    for _ in 0..count {
        for (name, scalar_bits) in [("v z", order_bits), ("z", COEFFICIENT_BITS)] {
            let point = [(); 2].map(|()| builder.input(bits));
            let scalar = builder.scalar(name, point_bits(scalar_bits, WIDTH), false);
            points.push((point, scalar));
        }
    }
    let sum = multiply::joint(builder, (a, d), (WINDOWS, &tables, u), (WIDTH, &points));
    let Extended { x, y, z, .. } = sum.point(builder);
    let sum = Projective { x, y, z };
    let sum = a.double(builder, sum, curve.cofactor_bits);
    builder.is_zero(sum.x);
    builder.equal(sum.y, sum.z);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ec::EdwardsCurve;
    use sunzi_engine::Backend;

    /// Reductions for each of 16 equations, the decoding of Q and R apart.
    #[test]
    fn counts() {
        let engine = Engine::new(Backend::PORTABLE).unwrap();
        for (curve, most) in [
            (EdwardsCurve::Edwards25519, 988),
            (EdwardsCurve::Edwards448, 1391),
        ] {
            let curve = PreparedEdwardsCurve::new(&engine, curve).unwrap();
            let programs = program(&curve, 16).unwrap();
            let products = programs.program().counts().products.div_ceil(16);
            println!("{curve:?}: {products}");
            assert!(products <= most, "{curve:?}: {products}");
        }
    }
}
