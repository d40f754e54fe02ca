//! Subgroup checks: whether points are multiples of the base point, on curves of Barreto, Lynn and Scott, which have
//! other points. Public.
//!
//! With a cube root of unity beta modulo p, `phi(X, Y) = (beta X, Y)` satisfies `phi^2 + phi + 1 = 0` on
//! all points of `Y^2 = X^3 + b`. If `phi(P) = -x^2 P`, then `(x^4 - x^2 + 1) P = n P` is the point at infinity,
//! so that P is one of the n multiples of the base point, of which there is one subgroup only, as n^2 does not
//! divide the number of points. For these multiples phi is a multiplication, by one of the two roots of
//! `l^2 + l + 1` modulo n, and beta is the one for which that is `-x^2`. (Scott, "A note on group membership
//! tests for G1, G2 and GT on BLS pairing-friendly curves", 2021, section 4.)

use super::Family;
use crate::ec::field::Element;
use crate::ec::formulas::{Homogeneous, Jacobian, JacobianEntry, powers};
use crate::ec::model::CurveValues;
use crate::ec::point::Point;
use crate::ec::prepared::PreparedCurve;
use crypto_bigint::BoxedUint;
use std::sync::Arc;
use sunzi_engine::program::Builder;
use sunzi_engine::{Engine, EngineError, Job, ProgramKey, Programs};

/// Whether each point is a multiple of the base point.
pub(in crate::ec) fn in_subgroup(
    engine: &Engine,
    curve: &PreparedCurve,
    points: &[&Point],
) -> Result<Vec<bool>, EngineError> {
    let Some(Family::BarretoLynnScott { seed, .. }) = curve.curve().family() else {
        return Ok(vec![true; points.len()]);
    };
    let programs = program(curve, seed)?;
    let coordinates = points.iter().map(|point| [&point.x, &point.y]);
    let coordinates = coordinates.map(|coordinates| coordinates.map(Element::retrieve));
    let coordinates: Vec<[BoxedUint; 2]> = coordinates.collect();
    let jobs = coordinates.iter().map(|coordinates| {
        Ok(Job {
            programs: &programs,
            modulus: curve.p(),
            constants: Some(curve.subgroup_constants()?),
            inputs: coordinates.iter().collect(),
            scalars: Vec::new(),
        })
    });
    let outcomes = engine.execute(&jobs.collect::<Result<Vec<_>, EngineError>>()?)?;
    let flags = outcomes.iter();
    Ok(flags
        .map(|outcome| outcome.flags == [false, true, true])
        .collect())
}

/// `seed^2 P = (X : Y : Z)`: whether Z is 0, whether `X = beta x Z`, and whether `Y = -y Z`.
///
/// In Jacobian coordinates: Z is 0 where a multiple on the way is at infinity, or is P or -P when P is added. For points of the
/// prime order n, which is above `seed^2`, none is; other points are to be refused.
fn program(curve: &PreparedCurve, seed: u64) -> Result<Arc<Programs>, EngineError> {
    let kind = curve.model().kind;
    let bits = curve.p().class();
    let key = ProgramKey {
        bits,
        kind: "ec-subgroup",
        parameters: vec![kind.number(), seed],
    };
    curve.engine().programs(key, |builder| {
        let curve = kind.declare(builder);
        let beta = builder.own_constant(1);
        let [x, y] = [(); 2].map(|()| builder.input_unreduced(bits));
        let [x, y] = [curve.map_x(builder, x), curve.map_y(builder, y)];
        let (z, sign) = (None, None);
        let once = multiple(builder, &curve, seed, &JacobianEntry { x, y, z, sign });
        let once = JacobianEntry {
            x: once.x,
            y: once.y,
            z: Some(powers(builder, once.z)),
            sign,
        };
        let twice = multiple(builder, &curve, seed, &once);
        let Homogeneous { x: a, y: b, z } = twice.to_homogeneous(builder);
        builder.is_zero(z);
        let image = builder.fitting_product(x, beta);
        let right = builder.fitting_product(image, z);
        builder.equal(a, right);
        let product = builder.fitting_product(y, z);
        let sum = builder.add(b, product);
        builder.is_zero(sum);
    })
}

/// `k P` for a constant k that is not 0, by doubling and adding.
fn multiple(builder: &mut Builder, curve: &CurveValues, k: u64, point: &JacobianEntry) -> Jacobian {
    let curve = &curve.coefficients;
    let mut sum = Jacobian::add_to(builder, None, point, curve.one);
    for bit in (0..k.ilog2()).rev() {
        sum = curve.double_jacobian(builder, sum, 1);
        if k >> bit & 1 == 1 {
            sum = Jacobian::add_to(builder, Some(sum), point, curve.one);
        }
    }
    sum
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ec::Curve;
    use sunzi_engine::Backend;

    /// Multiples of the base point are in the subgroup. Other points of the curve, among them points of small
    /// order, are not; n times a point decides. Reductions are counted.
    #[test]
    fn multiples_and_others() {
        let curve: Curve = "BLS12-381-G1".parse().unwrap();
        let field = curve.field();
        let cofactor = BoxedUint::from_be_hex("396c8c005555e1568c00aaab0000aaab", 128).unwrap();
        let n = curve.order().as_ref();
        // A point of the curve of order 3: x = 0, y = 2.
        let mut points = vec![
            curve
                .point(&BoxedUint::zero(), &BoxedUint::from(2u32))
                .unwrap(),
        ];
        for x in 1..25 {
            let x = field.small(x);
            let Some(y) = field.sqrt(&curve.right_side(&x)) else {
                continue;
            };
            let point = Point { x, y };
            // Anywhere, in the subgroup, and in that of the cofactor.
            points.extend(curve.multiply_vartime(&cofactor, &point));
            points.extend(curve.multiply_vartime(n, &point));
            points.push(point);
        }
        // Of order 11, a divisor of the cofactor.
        let eleventh = cofactor
            .div_rem_vartime(&BoxedUint::from(11u32).to_nz().unwrap())
            .0;
        let of_eleven = points.iter().filter_map(|point| {
            let multiple = curve.multiply_vartime(n, point)?;
            curve.multiply_vartime(&eleventh, &multiple)
        });
        let of_eleven: Vec<_> = of_eleven.take(3).collect();
        points.extend(of_eleven);
        let expected: Vec<bool> = points
            .iter()
            .map(|point| curve.multiply_vartime(n, point).is_none())
            .collect();
        for right in [true, false] {
            assert!(expected.iter().filter(|e| **e == right).count() > 5);
        }
        let references: Vec<_> = points.iter().collect();
        for backend in [Backend::best(), Backend::PORTABLE] {
            let engine = Engine::new(backend).unwrap();
            let prepared = PreparedCurve::new(&engine, &curve).unwrap();
            let found = in_subgroup(&engine, &prepared, &references).unwrap();
            assert_eq!(found, expected);
            let alone: Vec<_> = points.iter().map(|p| curve.has_in_subgroup(p)).collect();
            assert_eq!(alone, expected);
            let programs = program(&prepared, 0xd201_0000_0001_0000).unwrap();
            let products = programs.program().counts().products;
            println!("{products}");
            assert!(products <= 890, "{products}");
        }
    }
}
