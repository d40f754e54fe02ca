//! Multiples of the base point by secret numbers.

use super::model::Products;
use super::multiply;
use super::prepared::PreparedCurve;
use super::sharing::{scatter, shares, verdicts};
use crypto_bigint::BoxedUint;
use std::sync::Arc;
use sunzi_engine::program::inverse;
use sunzi_engine::{Engine, EngineError, Job, ProgramKey, Programs};
use zeroize::Zeroizing;

/// Which coordinates are wanted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Coordinates {
    X,
    Both,
}

/// The coordinates of `k G`, integers below p, for secret k from 1 to the order less 1. Constant
/// time.
pub(super) fn base_multiples(
    engine: &Engine,
    wanted: Coordinates,
    numbers: &[(&PreparedCurve, &BoxedUint)],
) -> Result<Vec<Vec<Zeroizing<BoxedUint>>>, EngineError> {
    let curves: Vec<_> = numbers.iter().map(|(curve, _)| *curve).collect();
    let shares = shares(&curves);
    let programs = shares
        .iter()
        .map(|share| program(share.curve, wanted, share.places.len()));
    let programs: Vec<_> = programs.collect::<Result<_, _>>()?;
    let scalar = |(curve, k): &(&PreparedCurve, &BoxedUint)| {
        curve.fixed_base().scalar(k, curve.curve().order())
    };
    let scalars: Vec<_> = numbers.iter().map(scalar).collect();
    let jobs = shares.iter().zip(&programs).map(|(share, programs)| {
        let ks = share.places.iter().map(|&place| &*scalars[place]);
        Ok(Job {
            programs,
            modulus: share.curve.p(),
            constants: Some(share.curve.fixed_base_constants()?),
            inputs: Vec::new(),
            scalars: ks.chain([share.curve.p_less_two()]).collect(),
        })
    });
    let outcomes = engine.execute(&jobs.collect::<Result<Vec<_>, EngineError>>()?)?;
    Ok(scatter(&shares, outcomes, numbers.len()))
}

/// `k G` for `sharing` secret scalars k of [`multiply::FixedBase::scalar`], none of which is 0; the last
/// scalar is p - 2. The outputs are integers below p. Constant time.
fn program(
    curve: &PreparedCurve,
    wanted: Coordinates,
    sharing: usize,
) -> Result<Arc<Programs>, EngineError> {
    let kind = curve.model().kind;
    let (bits, p_bits) = (curve.p().class(), curve.curve().bits());
    let (fixed, order_bits) = (curve.fixed_base(), curve.order_bits());
    let key = ProgramKey {
        bits,
        kind: "ec-base-multiples",
        parameters: vec![
            kind.number(),
            fixed.width().into(),
            fixed.bits(order_bits).into(),
            p_bits.into(),
            sharing as u64,
            wanted as u64,
        ],
    };
    curve.engine().programs(key, |builder| {
        let curve = kind.declare(builder);
        let tables: Vec<_> = (0..fixed.windows(order_bits))
            .map(|_| kind.declare_points(builder, fixed.entries(), Products::Computed))
            .collect();
        let scalars: Vec<_> = (0..sharing)
            .map(|_| builder.scalar("k", fixed.bits(order_bits), true))
            .collect();
        let scalars = (fixed, &scalars[..]);
        let points = multiply::fixed_base(builder, &curve.coefficients, &tables, scalars);
        let less_two = builder.scalar("p - 2", p_bits, false);
        let denominators: Vec<_> = points.iter().map(|point| point.z).collect();
        let inverses = inverse::shared(builder, &denominators, |builder, product| {
            inverse::fermat(builder, product, less_two)
        });
        for (point, inverse) in points.into_iter().zip(inverses) {
            let x = builder.multiply(point.x, inverse);
            let x = curve.unmap_x(builder, x);
            builder.output(x);
            if wanted == Coordinates::Both {
                let y = builder.multiply(point.y, inverse);
                let y = curve.unmap_y(builder, y);
                builder.output(y);
            }
        }
    })
}

/// Whether the coordinates are those of `k G`, below p, for the secret k beside them: x, or x and y of each number.
/// Constant time in k.
///
/// What [`base_multiples`] computed is computed once more, by other digits ([`FixedBase::other_scalar`]) and another
/// program, without an inversion: `X = x Z` and `Y = y Z` must hold, with a Z other than 0. Both multiplications
/// read the same tables, but a table that has changed in memory is found: its entry is no point of the curve,
/// nor is then a sum with it, and the second multiple must satisfy the curve's equation.
pub(super) fn are_multiples(
    engine: &Engine,
    numbers: &[(&PreparedCurve, &BoxedUint, &[&BoxedUint])],
) -> Result<Vec<bool>, EngineError> {
    let wanted = match numbers.first() {
        Some((.., [_, _])) => Coordinates::Both,
        _ => Coordinates::X,
    };
    let curves: Vec<_> = numbers.iter().map(|(curve, ..)| *curve).collect();
    let shares = shares(&curves);
    let programs = shares
        .iter()
        .map(|share| check_program(share.curve, wanted, share.places.len()));
    let programs: Vec<_> = programs.collect::<Result<_, _>>()?;
    let scalars = numbers.iter().map(|(curve, k, _)| {
        let order = curve.curve().order();
        curve.fixed_base().other_scalar(k, order)
    });
    let scalars: Vec<_> = scalars.collect();
    let jobs = shares.iter().zip(&programs).map(|(share, programs)| {
        let coordinates = share.places.iter().flat_map(|&place| numbers[place].2);
        Ok(Job {
            programs,
            modulus: share.curve.p(),
            constants: Some(share.curve.fixed_base_constants()?),
            inputs: coordinates.copied().collect(),
            scalars: share.places.iter().map(|&place| &*scalars[place]).collect(),
        })
    });
    let outcomes = engine.execute(&jobs.collect::<Result<Vec<_>, EngineError>>()?)?;
    let mut right = verdicts(&shares, &outcomes, numbers.len());
    for (right, (curve, _, coordinates)) in right.iter_mut().zip(numbers) {
        // The program does not tell x from x + p.
        let p = curve.curve().field().p();
        *right &= coordinates.iter().all(|x| x.cmp_vartime(p).is_lt());
    }
    Ok(right)
}

/// The program of [`are_multiples`] for `sharing` numbers. The flags of each: whether Z is 0, whether the curve's
/// equation holds, and whether each coordinate is right.
fn check_program(
    curve: &PreparedCurve,
    wanted: Coordinates,
    sharing: usize,
) -> Result<Arc<Programs>, EngineError> {
    let kind = curve.model().kind;
    let bits = curve.p().class();
    let (fixed, order_bits) = (curve.fixed_base(), curve.order_bits());
    let key = ProgramKey {
        bits,
        kind: "ec-base-check",
        parameters: vec![
            kind.number(),
            fixed.width().into(),
            fixed.bits(order_bits).into(),
            sharing as u64,
            wanted as u64,
        ],
    };
    curve.engine().programs(key, |builder| {
        let curve = kind.declare(builder);
        let tables: Vec<_> = (0..fixed.windows(order_bits))
            .map(|_| kind.declare_points(builder, fixed.entries(), Products::Computed))
            .collect();
        let scalars: Vec<_> = (0..sharing)
            .map(|_| builder.scalar("k", fixed.bits(order_bits), true))
            .collect();
        let scalars = (fixed, &scalars[..]);
        for point in multiply::fixed_base(builder, &curve.coefficients, &tables, scalars) {
            let one = curve.coefficients.one;
            builder.is_zero(point.z);
            let equation = curve.coefficients.equation(builder, point);
            builder.is_zero(equation);
            let x = builder.input_unreduced(bits);
            let x = curve.map_x(builder, x);
            let difference = builder.sum_of_products(&[(false, x, point.z), (true, point.x, one)]);
            builder.is_zero(difference);
            if wanted == Coordinates::Both {
                let y = builder.input_unreduced(bits);
                let y = curve.map_y(builder, y);
                let products = [(false, y, point.z), (true, point.y, one)];
                let difference = builder.sum_of_products(&products);
                builder.is_zero(difference);
            }
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use sunzi_engine::Backend;

    /// Reductions of a multiplication, the inversion that 16 share included.
    #[test]
    fn counts() {
        let engine = Engine::new(Backend::PORTABLE).unwrap();
        for (name, most) in [
            ("P-256", 446),
            ("brainpoolP256r1", 446),
            ("secp256k1", 361),
            ("P-384", 676),
            ("P-521", 906),
        ] {
            let curve = PreparedCurve::new(&engine, &name.parse().unwrap()).unwrap();
            let programs = program(&curve, Coordinates::X, 16).unwrap();
            let products = programs.program().counts().products / 16;
            println!("{name}: {products}");
            assert!(products <= most, "{name}: {products}");
        }
    }
}
