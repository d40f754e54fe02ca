//! Multiples of the base point by secret numbers.

use super::model::Products;
use super::multiply;
use super::prepared::PreparedCurve;
use super::sharing::{scatter, shares};
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
