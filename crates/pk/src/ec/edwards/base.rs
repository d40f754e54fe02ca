//! Multiples of the base point by secret numbers.

use super::curve::Parameters;
use super::formulas::Projective;
use super::multiply;
use super::prepared::PreparedEdwardsCurve;
use crate::ec::multiply::FixedBase;
use crate::ec::sharing::{CHECKED_TOGETHER, scatter, shares, shares_of_at_most, verdicts};
use crate::verdict::public;
use crypto_bigint::{BoxedUint, CtLt};
use std::sync::Arc;
use sunzi_engine::program::{Builder, Value, inverse};
use sunzi_engine::{Engine, EngineError, Job, Outcome, ProgramKey, Programs};
use zeroize::Zeroizing;

/// The coordinates x and y of `k G`, integers below p, for secret k below the order. Constant time.
pub(in crate::ec) fn base_multiples(
    engine: &Engine,
    numbers: &[(&PreparedEdwardsCurve, &BoxedUint)],
) -> Result<Vec<Vec<Zeroizing<BoxedUint>>>, EngineError> {
    multiples(numbers, |jobs| engine.execute(jobs))
}

/// [`base_multiples`] without comparing seals, for signatures, which check their points by [`are_multiples`].
pub(in crate::ec) fn base_multiples_to_check(
    engine: &Engine,
    numbers: &[(&PreparedEdwardsCurve, &BoxedUint)],
) -> Result<Vec<Vec<Zeroizing<BoxedUint>>>, EngineError> {
    multiples(numbers, |jobs| engine.execute_unsealed(jobs))
}

fn multiples(
    numbers: &[(&PreparedEdwardsCurve, &BoxedUint)],
    execute: impl FnOnce(&[Job<'_>]) -> Result<Vec<Outcome>, EngineError>,
) -> Result<Vec<Vec<Zeroizing<BoxedUint>>>, EngineError> {
    let curves: Vec<_> = numbers.iter().map(|(curve, _)| *curve).collect();
    let fixed = |curve: &PreparedEdwardsCurve| curve.fixed_base().for_batch(numbers.len());
    let shares = shares(&curves);
    let programs = shares.iter().map(|share| {
        let (curve, sharing) = (share.curve, share.places.len());
        program(curve, fixed(curve), sharing)
    });
    let programs: Vec<_> = programs.collect::<Result<_, _>>()?;
    let scalar = |(curve, k): &(&PreparedEdwardsCurve, &BoxedUint)| {
        let order = curve.parameters().order.as_ref();
        fixed(curve).scalar(k, order)
    };
    let scalars: Vec<_> = numbers.iter().map(scalar).collect();
    let jobs = shares.iter().zip(&programs).map(|(share, programs)| {
        Ok(Job {
            programs,
            modulus: share.curve.p(),
            constants: Some(share.curve.fixed_base_constants(fixed(share.curve))?),
            inputs: Vec::new(),
            scalars: share.places.iter().map(|&place| &*scalars[place]).collect(),
        })
    });
    let outcomes = execute(&jobs.collect::<Result<Vec<_>, EngineError>>()?)?;
    Ok(scatter(&shares, outcomes, numbers.len()))
}

/// `k G` for `sharing` secret scalars k of `FixedBase::scalar`: the outputs are x and y of
/// each. Constant time.
fn program(
    curve: &PreparedEdwardsCurve,
    fixed: FixedBase,
    sharing: usize,
) -> Result<Arc<Programs>, EngineError> {
    let prime = curve.curve().prime();
    let key = ProgramKey {
        bits: curve.p().class(),
        kind: "edwards-base-multiples",
        parameters: vec![prime as u64, fixed.width().into(), sharing as u64],
    };
    curve.engine().programs(key, |builder| {
        let (_, points) = points(builder, curve, fixed, sharing);
        let denominators: Vec<_> = points.iter().map(|point| point.z).collect();
        let inverses = inverse::shared(builder, &denominators, |builder, product| {
            prime.invert(builder, product)
        });
        for (point, inverse) in points.into_iter().zip(inverses) {
            let inverse = builder.reduced_integer(inverse);
            for coordinate in [point.x, point.y] {
                let coordinate = builder.multiply(coordinate, inverse);
                builder.output(coordinate);
            }
        }
    })
}

/// `k G` for `sharing` secret scalars of `FixedBase`, and the coefficient d, which the check needs: the common
/// beginning of both programs.
fn points(
    builder: &mut Builder,
    curve: &PreparedEdwardsCurve,
    fixed: FixedBase,
    sharing: usize,
) -> (Value, Vec<Projective>) {
    let &Parameters { a, .. } = curve.parameters();
    let order_bits = curve.parameters().order_bits();
    let d = builder.own_constant(1);
    let tables = multiply::declare_base_tables(builder, fixed, order_bits);
    let scalars: Vec<_> = (0..sharing)
        .map(|_| builder.scalar("k", fixed.bits(order_bits), true))
        .collect();
    let points = multiply::fixed_base(builder, a, &tables, (fixed, &scalars));
    (d, points)
}

/// Whether the coordinates are those of `k G`, below p, for the secret k beside them. Constant time in k.
///
/// The result of [`base_multiples`] is computed once more, by other digits
/// ([`FixedBase::other_scalar`]) and another program, without an
/// inversion: `X = x Z` and `Y = y Z` must hold, with a Z other than 0. Both multiplications read the same tables, but
/// a table that has changed in memory is found: its entry is no point of the curve, nor is then a sum with it, and the
/// second multiple must satisfy the curve's equation. So must it with a coefficient that has changed, which no right
/// multiple does. Seals of constants are therefore not compared: those of a lone number's tables take as long to read as its
/// look-ups.
pub(in crate::ec) fn are_multiples(
    engine: &Engine,
    numbers: &[(&PreparedEdwardsCurve, &BoxedUint, [&BoxedUint; 2])],
) -> Result<Vec<bool>, EngineError> {
    let curves: Vec<_> = numbers.iter().map(|(curve, ..)| *curve).collect();
    let fixed = |curve: &PreparedEdwardsCurve| curve.fixed_base().for_batch(numbers.len());
    let shares = shares_of_at_most(CHECKED_TOGETHER, &curves);
    let programs = shares.iter().map(|share| {
        let (curve, sharing) = (share.curve, share.places.len());
        check_program(curve, fixed(curve), sharing)
    });
    let programs: Vec<_> = programs.collect::<Result<_, _>>()?;
    let scalars = numbers.iter().map(|(curve, k, _)| {
        let order = curve.parameters().order.as_ref();
        fixed(curve).other_scalar(k, order)
    });
    let scalars: Vec<_> = scalars.collect();
    let jobs = shares.iter().zip(&programs).map(|(share, programs)| {
        let coordinates = share.places.iter().flat_map(|&place| numbers[place].2);
        Ok(Job {
            programs,
            modulus: share.curve.p(),
            constants: Some(share.curve.fixed_base_constants(fixed(share.curve))?),
            inputs: coordinates.collect(),
            scalars: share.places.iter().map(|&place| &*scalars[place]).collect(),
        })
    });
    let jobs = jobs.collect::<Result<Vec<_>, EngineError>>()?;
    let outcomes = engine.execute_without_seals_of_constants(&jobs)?;
    let mut right = verdicts(&shares, &outcomes, numbers.len());
    for (right, (curve, _, coordinates)) in right.iter_mut().zip(numbers) {
        // The program does not distinguish x from x + p.
        let p = curve.parameters().field.p();
        *right &= coordinates.iter().all(|x| public(x.ct_lt(p).to_bool()));
    }
    Ok(right)
}

/// The program of [`are_multiples`] for `sharing` numbers. The flags of each: whether Z is 0, and whether the curve's
/// equation holds and each coordinate is right. These are one sum, with factors 1, 2 and 4: several errors cancel with
/// a probability of 1 in p.
fn check_program(
    curve: &PreparedEdwardsCurve,
    fixed: FixedBase,
    sharing: usize,
) -> Result<Arc<Programs>, EngineError> {
    let bits = curve.p().class();
    let &Parameters { a, .. } = curve.parameters();
    let key = ProgramKey {
        bits,
        kind: "edwards-base-check",
        parameters: vec![
            curve.curve().prime() as u64,
            fixed.width().into(),
            sharing as u64,
        ],
    };
    curve.engine().programs(key, |builder| {
        let (d, points) = points(builder, curve, fixed, sharing);
        let one = builder.montgomery_one();
        for point in points {
            builder.is_zero(point.z);
            // 4 times the curve's equation, X - x Z, and 2 (Y - y Z).
            let equation = a.equation(builder, d, &point);
            let equation = builder.scale(equation, 4);
            let [x, y] = [(); 2].map(|()| builder.input(bits));
            let [claimed, right] = [[x, y], [point.x, point.y]].map(|[x, y]| {
                let twice = builder.scale(y, 2);
                builder.add(x, twice)
            });
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
    use crate::ec::EdwardsCurve;
    use crypto_bigint::Resize;
    use sunzi_engine::Backend;

    /// A table in which a bit of every entry of a window has changed, and a changed coefficient: no multiple passes, of a few
    /// numbers or of many.
    #[test]
    fn a_changed_table() {
        let engine = Engine::new(Backend::best()).unwrap();
        let coefficient = [None];
        // T of the first window's entries is not read: it is the product of x and y.
        let tables = [(0, 0), (0, 1), (7, 1), (20, 2)].map(Some);
        for &curve in EdwardsCurve::ALL {
            for place in coefficient.into_iter().chain(tables) {
                for count in [1, 5] {
                    let curve = PreparedEdwardsCurve::new(&engine, curve).unwrap();
                    let fixed = curve.fixed_base().for_batch(count);
                    let entries = fixed.entries();
                    curve.change_fixed_base(fixed, |numbers| {
                        let changed = match place {
                            Some((window, number)) => {
                                let first = 1 + (3 * window + number) * entries;
                                &mut numbers[first..first + entries]
                            }
                            None => &mut numbers[..1],
                        };
                        for (number, _) in changed {
                            number.as_mut_words()[1] ^= 1 << 17;
                        }
                    });
                    let order = curve.parameters().order.as_ref();
                    let scalars = [3u64, 1 << 50, u64::MAX - 5, 7, 8].map(BoxedUint::from);
                    let scalars = scalars.map(|k| k.resize_unchecked(order.bits_precision()));
                    let numbers: Vec<_> = scalars[..count].iter().map(|k| (&curve, k)).collect();
                    let points = base_multiples(&engine, &numbers).unwrap();
                    let claimed = numbers.iter().zip(&points);
                    let claimed = claimed.map(|(&(curve, k), xy)| (curve, k, [&*xy[0], &*xy[1]]));
                    let claimed: Vec<_> = claimed.collect();
                    let right = are_multiples(&engine, &claimed).unwrap();
                    assert_eq!(right, vec![false; count], "{:?}, {place:?}", curve.curve());
                }
            }
        }
    }

    /// Reductions of a multiplication, its share of an inversion by 16 apart.
    #[test]
    fn counts() {
        let engine = Engine::new(Backend::PORTABLE).unwrap();
        for (curve, most) in [
            (EdwardsCurve::Edwards25519, 297),
            (EdwardsCurve::Edwards448, 521),
        ] {
            let curve = PreparedEdwardsCurve::new(&engine, curve).unwrap();
            let programs = program(&curve, curve.fixed_base(), 16).unwrap();
            let inversion = match curve.curve().prime() {
                super::super::chains::Prime::P25519 => 265,
                super::super::chains::Prime::P448 => 461,
            };
            // One inversion, and three products for each number but the first.
            let products = (programs.program().counts().products - inversion - 3 * 15) / 16;
            println!("{curve:?}: {products}");
            assert!(products <= most, "{curve:?}: {products}");
        }
    }
}
