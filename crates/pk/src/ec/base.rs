//! Multiples of the base point by secret numbers.

use super::formulas::Homogeneous;
use super::model::{CurveValues, PointTable};
use super::multiply;
use super::prepared::PreparedCurve;
use super::sharing::{CHECKED_TOGETHER, scatter, shares, shares_of_at_most, verdicts};
use crate::verdict::public;
use crypto_bigint::{BoxedUint, CtLt};
use std::sync::Arc;
use sunzi_engine::program::{Builder, inverse};
use sunzi_engine::{Engine, EngineError, Job, Outcome, ProgramKey, Programs};
use zeroize::Zeroizing;

/// The coordinates that are wanted.
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
    multiples(wanted, numbers, |jobs| engine.execute(jobs))
}

/// [`base_multiples`] without comparing seals, for signatures, which check their points: by [`are_multiples`], or
/// together ([`confirmation`](super::confirmation)).
pub(super) fn base_multiples_to_check(
    engine: &Engine,
    wanted: Coordinates,
    numbers: &[(&PreparedCurve, &BoxedUint)],
) -> Result<Vec<Vec<Zeroizing<BoxedUint>>>, EngineError> {
    multiples(wanted, numbers, |jobs| engine.execute_unsealed(jobs))
}

fn multiples(
    wanted: Coordinates,
    numbers: &[(&PreparedCurve, &BoxedUint)],
    execute: impl FnOnce(&[Job<'_>]) -> Result<Vec<Outcome>, EngineError>,
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
    let outcomes = execute(&jobs.collect::<Result<Vec<_>, EngineError>>()?)?;
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
        let (curve, points) = points(builder, curve, sharing);
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

/// `k G` for `sharing` secret scalars of [`multiply::FixedBase`], and the constants of the curve: the common beginning
/// of both programs.
fn points(
    builder: &mut Builder,
    curve: &PreparedCurve,
    sharing: usize,
) -> (CurveValues, Vec<Homogeneous>) {
    let kind = curve.model().kind;
    let (fixed, order_bits) = (curve.fixed_base(), curve.order_bits());
    let curve = kind.declare(builder);
    let tables: Vec<_> = (0..fixed.windows(order_bits))
        .map(|_| PointTable::declare(builder, fixed.entries()))
        .collect();
    let scalars: Vec<_> = (0..sharing)
        .map(|_| builder.scalar("k", fixed.bits(order_bits), true))
        .collect();
    let windows = (fixed, order_bits);
    let points = multiply::fixed_base(builder, &curve.coefficients, &tables, windows, &scalars);
    (curve, points)
}

/// Whether the coordinates are those of `k G`, below p, for the secret k beside them: x, or x and y of each number.
/// Constant time in k.
///
/// The result of [`base_multiples`] is computed once more, by other digits
/// ([`other_scalar`](multiply::FixedBase::other_scalar)) and another program, without an inversion: `X = x Z` and `Y =
/// y Z` must hold, with a Z other than 0. Both multiplications read the same tables, but a table that has changed in
/// memory is found: its entry is no point of the curve, nor is then a sum with it, and the second multiple must satisfy
/// the curve's equation. So must it with coefficients that have changed, which no right multiple does. Seals of constants
/// are therefore not compared: those of a lone number's tables take as long to read as its look-ups.
pub(super) fn are_multiples(
    engine: &Engine,
    numbers: &[(&PreparedCurve, &BoxedUint, &[&BoxedUint])],
) -> Result<Vec<bool>, EngineError> {
    let wanted = match numbers.first() {
        Some((.., [_, _])) => Coordinates::Both,
        _ => Coordinates::X,
    };
    let curves: Vec<_> = numbers.iter().map(|(curve, ..)| *curve).collect();
    let shares = shares_of_at_most(CHECKED_TOGETHER, &curves);
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
    let jobs = jobs.collect::<Result<Vec<_>, EngineError>>()?;
    let outcomes = engine.execute_without_seals_of_constants(&jobs)?;
    let mut right = verdicts(&shares, &outcomes, numbers.len());
    for (right, (curve, _, coordinates)) in right.iter_mut().zip(numbers) {
        // The program does not distinguish x from x + p.
        let p = curve.curve().field().p();
        *right &= coordinates.iter().all(|x| public(x.ct_lt(p).to_bool()));
    }
    Ok(right)
}

/// The program of [`are_multiples`] for `sharing` numbers. The flags of each: whether Z is 0, and whether the curve's
/// equation holds and each coordinate is right. These are one sum, with factors 1, 2 and 4: several errors cancel with
/// a probability of 1 in p.
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
        let (curve, points) = points(builder, curve, sharing);
        for point in points {
            builder.is_zero(point.z);
            // 4 times the curve's equation, X - x Z, and 2 (Y - y Z).
            let one = curve.coefficients.one;
            let equation = curve.coefficients.equation(builder, point);
            let equation = builder.scale(equation, 4);
            let x = builder.input_unreduced(bits);
            let (mut claimed, mut right) = (curve.map_x(builder, x), point.x);
            if wanted == Coordinates::Both {
                let y = builder.input_unreduced(bits);
                let y = curve.map_y(builder, y);
                for (sum, y) in [(&mut claimed, y), (&mut right, point.y)] {
                    let twice = builder.scale(y, 2);
                    *sum = builder.add(*sum, twice);
                }
            }
            let terms = [
                (false, equation, one),
                (false, right, one),
                (true, claimed, point.z),
            ];
            let sum = builder.fitting_sum(&terms);
            builder.is_zero(sum);
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crypto_bigint::Resize;
    use sunzi_engine::Backend;

    /// The multiples of some numbers pass, and none passes with another coordinate or number.
    #[test]
    fn right_multiples_and_wrong_ones() {
        let engine = Engine::new(Backend::best()).unwrap();
        for name in [
            "P-256",
            "secp256k1",
            "brainpoolP384r1",
            "P-521",
            "secp160k1",
        ] {
            let curve = PreparedCurve::new(&engine, &name.parse().unwrap()).unwrap();
            let (order, p) = (curve.curve().order().as_ref(), curve.curve().field().p());
            let numbers = [1u64, 2, 3, 1 << 40, u64::MAX].map(BoxedUint::from);
            let numbers = numbers.map(|k| k.resize_unchecked(order.bits_precision()));
            let opposites = numbers.each_ref().map(|k| order.wrapping_sub(k));
            let ks: Vec<_> = numbers.iter().chain(&opposites).collect();
            let claims: Vec<_> = ks.iter().map(|k| (&curve, *k)).collect();
            let points = base_multiples(&engine, Coordinates::Both, &claims).unwrap();
            let right = |place: usize, k: &BoxedUint, change: &dyn Fn(&mut [BoxedUint; 2])| {
                let mut point = [0, 1].map(|i| (*points[place][i]).clone());
                change(&mut point);
                let [x, y] = &point;
                let both = are_multiples(&engine, &[(&curve, k, &[x, y])]).unwrap()[0];
                let alone = are_multiples(&engine, &[(&curve, k, &[x])]).unwrap()[0];
                (both, alone)
            };
            for (place, k) in ks.iter().enumerate() {
                assert_eq!(right(place, k, &|_| ()), (true, true), "{name}: {place}");
                let other = ks[(place + 1) % ks.len()];
                assert_eq!(
                    right(place, other, &|_| ()),
                    (false, false),
                    "{name}: {place}"
                );
                let opposite = right(place, k, &|[_, y]| *y = p.wrapping_sub(&*y));
                assert_eq!(opposite, (false, true), "{name}: {place}");
                let changed = right(place, k, &|[x, _]| x.as_mut_words()[0] ^= 4);
                assert_eq!(changed, (false, false), "{name}: {place}");
                let beyond = right(place, k, &|[x, _]| *x = x.wrapping_add(p));
                assert_eq!(beyond, (false, false), "{name}: {place}");
            }
        }
    }

    /// A table in which a bit of every entry of a window has changed: each multiple is wrong in both multiplications,
    /// and none passes.
    #[test]
    fn a_changed_table() {
        let engine = Engine::new(Backend::best()).unwrap();
        for name in ["P-256", "secp256k1", "brainpoolP384r1"] {
            for (window, coordinate) in [(0, 0), (0, 1), (7, 0), (20, 1)] {
                let curve = PreparedCurve::new(&engine, &name.parse().unwrap()).unwrap();
                let entries = curve.fixed_base().entries();
                let first = curve.model().constants().len() + (2 * window + coordinate) * entries;
                curve.change_fixed_base(|numbers| {
                    for (number, _) in &mut numbers[first..first + entries] {
                        number.as_mut_words()[1] ^= 1 << 17;
                    }
                });
                let order = curve.curve().order().as_ref();
                for k in [3u64, 1 << 50, u64::MAX - 5] {
                    let k = BoxedUint::from(k).resize_unchecked(order.bits_precision());
                    let points = base_multiples(&engine, Coordinates::Both, &[(&curve, &k)]);
                    let [x, y] = [0, 1].map(|i| &*points.as_ref().unwrap()[0][i]);
                    let alone = are_multiples(&engine, &[(&curve, &k, &[x])]).unwrap();
                    assert_eq!(alone, [false], "{name}, {window}");
                    let both = are_multiples(&engine, &[(&curve, &k, &[x, y])]).unwrap();
                    assert_eq!(both, [false], "{name}, {window}");
                }
            }
        }
    }

    /// Reductions of a multiplication, the inversion that 16 share included.
    #[test]
    fn counts() {
        let engine = Engine::new(Backend::PORTABLE).unwrap();
        for (name, most) in [
            ("P-256", 448),
            ("brainpoolP256r1", 448),
            ("secp256k1", 446),
            ("P-384", 678),
            ("P-521", 908),
        ] {
            let curve = PreparedCurve::new(&engine, &name.parse().unwrap()).unwrap();
            let programs = program(&curve, Coordinates::X, 16).unwrap();
            let products = programs.program().counts().products / 16;
            println!("{name}: {products}");
            assert!(products <= most, "{name}: {products}");
        }
    }
}
