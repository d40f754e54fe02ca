//! Multiples of any points by secret numbers.

use super::base::Coordinates;
use super::endomorphism::Endomorphism;
use super::multiply::{self, PointPart, Tables, variable_bits, variable_scalar};
use super::prepared::{AffineCurves, PreparedCurve};
use super::sharing::{MOST, Share, shares_of_at_most};
use crate::verdict::public;
use crate::wipe::wipe_stack;
use crypto_bigint::{BoxedUint, CtEq};
use std::sync::Arc;
use sunzi_engine::program::{Builder, Value, inverse};
use sunzi_engine::{Engine, EngineError, Job, Outcome, ProgramKey, Programs};
use zeroize::Zeroizing;

/// The largest number of multiples in a program that share an inversion, where groups of a batch in limbs share it, too.
const IN_LIMBS: usize = 4;

/// A secret number from 1 to the order less 1 as programs take it: whole, or split by the curve's endomorphism.
/// Wiped on drop.
#[derive(Clone)]
pub(super) struct SecretScalar(Vec<Zeroizing<BoxedUint>>);

impl SecretScalar {
    /// The number, which has the order's precision. Constant time.
    pub(super) fn new(curve: &PreparedCurve, number: &BoxedUint) -> Self {
        Self(match split(curve) {
            Some((endomorphism, bits)) => {
                let halves = endomorphism.split(number, bits);
                wipe_stack();
                halves.into()
            }
            None => vec![variable_scalar(number, curve.curve().order())],
        })
    }
}

impl SecretScalar {
    /// Whether both are the same. Constant time, except for the answer.
    pub(super) fn is(&self, other: &Self) -> bool {
        let pairs = self.0.iter().zip(&other.0);
        let differences = pairs.filter(|(x, y)| !public(x.ct_eq(y).into()));
        self.0.len() == other.0.len() && differences.count() == 0
    }
}

/// The endomorphism by which secret scalars of a curve are split, if they are, and the length of their halves.
fn split(curve: &PreparedCurve) -> Option<(&Endomorphism, u32)> {
    let endomorphism = curve.endomorphism()?;
    Some((endomorphism, endomorphism.secret_bits()?))
}

/// A multiple of a point.
pub(super) struct Multiple<'a> {
    pub(super) curve: &'a PreparedCurve,
    pub(super) scalar: &'a SecretScalar,
    /// The affine coordinates of a point of the base point's order, below p.
    pub(super) point: &'a [BoxedUint; 2],
}

/// The coordinates of the multiples, integers below p; `None` if the check fails. Constant time.
///
/// (X : Y : Z) must satisfy the curve's equation with a Z other than 0, and the integers that leave, read
/// again, be its coordinates. A function of its own in the executable, too: the verdict may decide branches in it.
#[inline(never)]
pub(super) fn variable_multiples(
    engine: &Engine,
    wanted: Coordinates,
    work: &[Multiple<'_>],
) -> Result<Vec<Option<Vec<Zeroizing<BoxedUint>>>>, EngineError> {
    let curves: Vec<_> = work.iter().map(|multiple| multiple.curve).collect();
    let affine = AffineCurves::of(curves.iter().copied());
    let most = if engine.has_batches_in_limbs() {
        IN_LIMBS
    } else {
        MOST
    };
    let shares = shares_of_at_most(most, &curves);
    let programs = shares.iter().map(|share| {
        program(
            share.curve,
            wanted,
            share.places.len(),
            affine.has(share.curve),
        )
    });
    let programs: Vec<_> = programs.collect::<Result<_, _>>()?;
    let jobs = shares.iter().zip(&programs).map(|(share, programs)| {
        let scalars = share.places.iter().flat_map(|&i| &work[i].scalar.0);
        let scalars = scalars.map(|scalar| &**scalar);
        Ok(Job {
            programs,
            modulus: share.curve.p(),
            constants: Some(match split(share.curve) {
                Some((endomorphism, _)) => share.curve.endomorphism_constants(endomorphism)?,
                None => share.curve.coefficients()?,
            }),
            inputs: share.places.iter().flat_map(|&i| work[i].point).collect(),
            scalars: scalars.chain([share.curve.p_less_two()]).collect(),
        })
    });
    let jobs: Vec<_> = jobs.collect::<Result<_, EngineError>>()?;
    let mut multiples: Vec<_> = work.iter().map(|_| None).collect();
    for (share, outcome) in shares.iter().zip(engine.execute(&jobs)?) {
        for (place, multiple) in share.places.iter().zip(checked(share, outcome)) {
            multiples[*place] = multiple;
        }
    }
    Ok(multiples)
}

/// The coordinates in a program's outcome that pass their check.
fn checked(
    share: &Share<'_, PreparedCurve>,
    outcome: Outcome,
) -> impl Iterator<Item = Option<Vec<Zeroizing<BoxedUint>>>> {
    let sharing = share.places.len();
    let (each, flags) = (
        outcome.integers.len() / sharing,
        outcome.flags.len() / sharing,
    );
    let mut integers = outcome.integers.into_iter();
    (0..sharing).map(move |k| {
        let coordinates: Vec<_> = integers.by_ref().take(each).collect();
        let (infinite, right) = outcome.flags[flags * k..][..flags].split_first()?;
        (!infinite && right.iter().all(|right| *right)).then_some(coordinates)
    })
}

/// `sharing` multiplications: the inputs x and y of each point, a [`SecretScalar`] for each, and p - 2. The outputs are the coordinates of
/// the multiples, integers below p. The flags for each: whether Z is 0; whether the multiple satisfies the
/// curve's equation; whether each output is its coordinate. Constant time.
fn program(
    curve: &PreparedCurve,
    wanted: Coordinates,
    sharing: usize,
    is_affine: bool,
) -> Result<Arc<Programs>, EngineError> {
    let kind = curve.model().kind;
    let (bits, p_bits) = (curve.p().class(), curve.curve().bits());
    let (is_split, scalar_bits) = match split(curve) {
        Some((_, bits)) => (true, bits),
        None => (false, variable_bits(curve.order_bits())),
    };
    let key = ProgramKey {
        bits,
        kind: "ec-multiples",
        parameters: vec![
            kind.number(),
            scalar_bits.into(),
            p_bits.into(),
            sharing as u64,
            wanted as u64,
            is_split.into(),
            is_affine.into(),
        ],
    };
    let names = if is_split { &["k1", "k2"][..] } else { &["k"] };
    curve.engine().programs(key, |builder| {
        let curve = kind.declare(builder);
        let beta = is_split.then(|| builder.own_constant(1));
        let mut tables = Tables::default();
        let scalars: Vec<Vec<_>> = (0..sharing)
            .map(|_| {
                let scalars = names.iter();
                let scalars = scalars.map(|name| builder.scalar(name, scalar_bits, true));
                scalars.collect()
            })
            .collect();
        let less_two = builder.scalar("p - 2", p_bits, false);
        let points: Vec<_> = scalars
            .into_iter()
            .map(|scalars| {
                let [x, y] = [(); 2].map(|()| builder.input_unreduced(bits));
                let point = PointPart {
                    q: [curve.map_x(builder, x), curve.map_y(builder, y)],
                    scalars,
                    beta,
                    prime_less_two: is_affine.then_some(less_two),
                };
                multiply::variable_base(builder, &curve.coefficients, &point, &mut tables)
            })
            .collect();
        let denominators: Vec<_> = points.iter().map(|point| point.z).collect();
        let inverses = inverse::shared(builder, &denominators, |builder, product| {
            inverse::fermat(builder, product, less_two)
        });
        for (point, inverse) in points.into_iter().zip(inverses) {
            builder.is_zero(point.z);
            let equation = curve.coefficients.equation(builder, point);
            builder.is_zero(equation);
            let x = builder.multiply(point.x, inverse);
            let x = curve.unmap_x(builder, x);
            let output = builder.output(x);
            let again = builder.output_again(output);
            let again = curve.map_x(builder, again);
            flag_equal(builder, again, [point.x, point.z]);
            if wanted == Coordinates::Both {
                let y = builder.multiply(point.y, inverse);
                let y = curve.unmap_y(builder, y);
                let output = builder.output(y);
                let again = builder.output_again(output);
                let again = curve.map_y(builder, again);
                flag_equal(builder, again, [point.y, point.z]);
            }
        }
    })
}

/// Flags whether `x Z = X`, for the x that has left and has been read again.
fn flag_equal(builder: &mut Builder, again: Value, [x, z]: [Value; 2]) {
    let product = builder.fitting_product(again, z);
    let difference = builder.subtract(product, x);
    builder.is_zero(difference);
}

#[cfg(test)]
mod tests {
    use super::*;
    use sunzi_engine::Backend;

    /// Reductions of a multiplication with one coordinate, as for a key agreement, with its share of the inversion, and with affine
    /// multiples of its point, with the inversion for these.
    #[test]
    fn counts() {
        let engine = Engine::new(Backend::PORTABLE).unwrap();
        for (name, most, affine) in [
            ("P-256", 2716, Some(2966)),
            ("brainpoolP256r1", 2716, Some(2966)),
            ("secp256k1", 1551, None),
            ("P-384", 3926, Some(4288)),
            ("P-521", 5280, Some(5758)),
        ] {
            let curve = PreparedCurve::new(&engine, &name.parse().unwrap()).unwrap();
            let affine = affine.map(|most| (IN_LIMBS, true, most));
            for (sharing, is_affine, most) in [(MOST, false, most)].into_iter().chain(affine) {
                let programs = program(&curve, Coordinates::X, sharing, is_affine).unwrap();
                let products = programs.program().counts().products / sharing as u64;
                println!("{name}, {is_affine}: {products}");
                assert!(products <= most, "{name}, {is_affine}: {products}");
            }
        }
    }
}
