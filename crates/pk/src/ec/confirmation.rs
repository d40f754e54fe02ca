//! Many multiples of the base point checked together, by a random combination (Bellare, Garay and Rabin, "Fast
//! batch verification for modular exponentiation and digital signatures", 1998, section 2).

use super::base::{Coordinates, base_multiples};
use super::field::Element;
use super::formulas::Homogeneous;
use super::multi_scalar::{Place, Sum, Term, sums};
use super::point::Point;
use super::prepared::PreparedCurve;
use super::sharing::Identity;
use crypto_bigint::BoxedUint;
use getrandom::SysRng;
use rand_core::TryRng;
use std::borrow::Cow;
use std::collections::HashMap;
use std::sync::Arc;
use sunzi_engine::{Engine, EngineError, Job, ProgramKey, Programs};
use zeroize::Zeroizing;

/// The least number of points of a curve that are checked together: fewer take as long as one by one.
pub(super) const LEAST: usize = 128;
/// Number of bits of the weights.
const WEIGHT_BITS: u32 = 16;
/// Number of points in a job that tests whether they are on the curve.
const TOGETHER: usize = 16;

/// The claim that a point is `k G`: the curve, the secret k from 1 to the order less 1, and the coordinates x and y.
pub(super) type Claim<'a> = (&'a PreparedCurve, &'a BoxedUint, [&'a BoxedUint; 2]);

/// Whether each claim is confirmed. Unconfirmed does not mean wrong: another claim of the curve may be wrong, or they
/// are too few.
///
/// All points P of a curve with their k are confirmed together: each is on the curve, and the sum of `z P` is
/// `(sum of z k) G`, with random weights z from 1 to `2^16 - 1`. On the curve a wrong point is `k G + E` with an
/// E other than infinity, whose order is the prime n. A single one is always found, as z is not 0 modulo n; of
/// several, whatever their E, with a probability of `1 - 2^-15` at least: they cancel for at most one value of the
/// last z, and none has a probability above `2^-15`.
///
/// Constant time in k; the time depends on the points, which are public, and on z.
#[inline(never)]
pub(super) fn confirmed(engine: &Engine, claims: &[Claim<'_>]) -> Result<Vec<bool>, EngineError> {
    let mut curves: HashMap<usize, Vec<usize>> = HashMap::new();
    for (place, (curve, ..)) in claims.iter().enumerate() {
        curves.entry(curve.id()).or_default().push(place);
    }
    let mut confirmed = vec![false; claims.len()];
    for places in curves.into_values() {
        let own: Vec<_> = places.iter().map(|&place| claims[place]).collect();
        let curve = own[0].0;
        if own.len() >= LEAST && !curve.curve().has_cofactor() && are_right(engine, curve, &own)? {
            for place in places {
                confirmed[place] = true;
            }
        }
    }
    Ok(confirmed)
}

/// Whether all claims, which are of this curve, are right.
fn are_right(
    engine: &Engine,
    curve: &PreparedCurve,
    claims: &[Claim<'_>],
) -> Result<bool, EngineError> {
    let p = curve.curve().field().p();
    let mut coordinates = claims.iter().flat_map(|(.., point)| point);
    // A fault may leave coordinates that are not below p.
    if coordinates.any(|x| x.cmp_vartime(p).is_ge()) || !are_on_curve(engine, curve, claims)? {
        return Ok(false);
    }
    let mut weights = vec![[0; WEIGHT_BITS as usize / 8]; claims.len()];
    // Without randomness nothing is confirmed.
    if SysRng.try_fill_bytes(weights.as_flattened_mut()).is_err() {
        return Ok(false);
    }
    let weights = weights
        .into_iter()
        .map(|bytes| u16::from_le_bytes(bytes).max(1));

    let order = curve.curve().order();
    let words = order.as_ref().as_words().len() + 1;
    let mut combined = Zeroizing::new(BoxedUint::zero_with_precision(64 * words as u32));
    let mut terms = Vec::with_capacity(claims.len());
    for (weight, (_, k, point)) in weights.zip(claims) {
        add_multiple(combined.as_mut_words(), k.as_words(), weight);
        terms.push(Term {
            scalar: Cow::Owned(BoxedUint::from(u64::from(weight))),
            point: Place::Integers(*point),
        });
    }
    let combined = Zeroizing::new(combined.rem(order.as_nz_ref()));
    let sum = sum_of_points(engine, curve, terms)?;
    let Some(sum) = sum.filter(|_| !bool::from(combined.is_zero())) else {
        return Ok(false);
    };
    let right = base_multiples(engine, Coordinates::Both, &[(curve, &combined)])?;
    let sum = [sum.x, sum.y].map(|coordinate| Element::retrieve(&coordinate));
    Ok(sum
        .iter()
        .zip(&right[0])
        .all(|(sum, right)| *sum == **right))
}

/// The sum of weighted points, unless it is at infinity. It knows points and weights only: its time may depend on both, as
/// signatures tell the points, or are destroyed.
#[inline(never)]
fn sum_of_points(
    engine: &Engine,
    curve: &PreparedCurve,
    terms: Vec<Term<'_>>,
) -> Result<Option<Point>, EngineError> {
    let sum = Sum {
        curve,
        bits: WEIGHT_BITS,
        terms,
    };
    Ok(sums(engine, &[sum])?.swap_remove(0))
}

/// Adds `weight k` to a sum of at most `2^48` such products, which has a word more than k. Constant time.
fn add_multiple(sum: &mut [u64], k: &[u64], weight: u16) {
    let mut carry = 0;
    let words = k.iter().copied().chain(core::iter::repeat(0));
    for (sum, word) in sum.iter_mut().zip(words) {
        let total = u128::from(word) * u128::from(weight) + u128::from(*sum) + carry;
        *sum = total as u64;
        carry = total >> 64;
    }
}

/// Whether the points of claims, whose coordinates are below p, are on the curve.
fn are_on_curve(
    engine: &Engine,
    curve: &PreparedCurve,
    claims: &[Claim<'_>],
) -> Result<bool, EngineError> {
    let programs = program(curve)?;
    let chunks = claims.chunks(TOGETHER);
    let jobs = chunks.map(|claims| {
        let repeated = core::iter::repeat(&claims[0]);
        let claims = claims.iter().chain(repeated).take(TOGETHER);
        Ok(Job {
            programs: &programs,
            modulus: curve.p(),
            constants: Some(curve.coefficients()?),
            inputs: claims.flat_map(|(.., point)| *point).collect(),
            scalars: Vec::new(),
        })
    });
    let outcomes = engine.execute(&jobs.collect::<Result<Vec<_>, EngineError>>()?)?;
    Ok(outcomes
        .iter()
        .flat_map(|outcome| &outcome.flags)
        .all(|&flag| flag))
}

/// Whether points with these coordinates are on the curve: a flag for each.
fn program(curve: &PreparedCurve) -> Result<Arc<Programs>, EngineError> {
    let kind = curve.model().kind;
    let bits = curve.p().class();
    let key = ProgramKey {
        bits,
        kind: "ec-on-curve",
        parameters: vec![kind.number()],
    };
    curve.engine().programs(key, |builder| {
        let curve = kind.declare(builder);
        let one = curve.coefficients.one;
        for _ in 0..TOGETHER {
            let [x, y] = [(); 2].map(|()| builder.input_unreduced(bits));
            let point = Homogeneous {
                x: curve.map_x(builder, x),
                y: curve.map_y(builder, y),
                z: one,
            };
            let difference = curve.coefficients.equation(builder, point);
            builder.is_zero(difference);
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crypto_bigint::Resize;
    use sunzi_engine::Backend;

    struct Claims {
        curve: PreparedCurve,
        ks: Vec<BoxedUint>,
        points: Vec<[BoxedUint; 2]>,
    }

    impl Claims {
        /// Right claims, for k from 1 on and from n - 1 down.
        fn new(engine: &Engine, name: &str, count: usize) -> Self {
            let curve = PreparedCurve::new(engine, &name.parse().unwrap()).unwrap();
            let order = curve.curve().order();
            let ks = (0..count as u64).map(|k| {
                let small = BoxedUint::from(k / 2 + 1);
                let small = small.resize_unchecked(order.bits_precision());
                if k % 2 == 0 {
                    small
                } else {
                    order.wrapping_sub(&small)
                }
            });
            let ks: Vec<_> = ks.collect();
            let numbers: Vec<_> = ks.iter().map(|k| (&curve, k)).collect();
            let points = base_multiples(engine, Coordinates::Both, &numbers).unwrap();
            let points = points
                .iter()
                .map(|point| [0, 1].map(|i| (*point[i]).clone()));
            Self {
                points: points.collect(),
                ks,
                curve,
            }
        }

        fn get(&self) -> impl Iterator<Item = Claim<'_>> {
            let claims = self.ks.iter().zip(&self.points);
            claims.map(|(k, [x, y])| (&self.curve, k, [x, y]))
        }
    }

    fn all_confirmed(engine: &Engine, claims: &Claims) -> bool {
        let confirmed = confirmed(engine, &claims.get().collect::<Vec<_>>()).unwrap();
        assert!(confirmed.iter().all(|&one| one == confirmed[0]));
        confirmed[0]
    }

    /// Right points of each kind of curve are confirmed. None is if one of them belongs to another number, is opposite,
    /// off the curve or not below p, or if two are wrong by opposite points.
    #[test]
    fn right_points_and_wrong_ones() {
        let engine = Engine::new(Backend::best()).unwrap();
        for name in [
            "P-256",
            "secp256k1",
            "brainpoolP256r1",
            "P-521",
            "secp160k1",
        ] {
            // So many that their sum is by programs, and by pairs of affine points.
            for count in [LEAST + 3, 2 * LEAST + 3] {
                right_and_wrong(&engine, name, count);
            }
        }
    }

    fn right_and_wrong(engine: &Engine, name: &str, count: usize) {
        let right = || Claims::new(engine, name, count);
        assert!(all_confirmed(engine, &right()), "{name}");
        let wrong: [fn(&mut Claims); 5] = [
            |claims| claims.points.swap(0, LEAST),
            |claims| {
                let p = claims.curve.curve().field().p().clone();
                let y = &mut claims.points[7][1];
                *y = p.wrapping_sub(&*y);
            },
            |claims| claims.points[LEAST + 2][0].as_mut_words()[0] ^= 2,
            |claims| {
                let p = claims.curve.curve().field().p().clone();
                claims.points[1][0] = p;
            },
            // G and 2 G in place of each other, with the errors G and -G.
            |claims| claims.points.swap(0, 2),
        ];
        for (number, change) in wrong.iter().enumerate() {
            let mut claims = right();
            change(&mut claims);
            assert!(!all_confirmed(engine, &claims), "{name}, {number}");
        }
    }

    /// Curves do not depend on each other, and few points are not confirmed.
    #[test]
    fn curves_in_one_batch() {
        let engine = Engine::new(Backend::best()).unwrap();
        let mut wrong = Claims::new(&engine, "P-384", LEAST);
        wrong.points.swap(0, 1);
        let claims = [
            Claims::new(&engine, "P-256", LEAST),
            wrong,
            Claims::new(&engine, "secp256k1", LEAST - 1),
            Claims::new(&engine, "bls12-381", LEAST),
            Claims::new(&engine, "P-521", LEAST),
        ];
        let mut mixed = Vec::new();
        let mut expected = Vec::new();
        let mut all: Vec<_> = claims.iter().map(Claims::get).collect();
        for _ in 0..LEAST {
            for (own, right) in all.iter_mut().zip([true, false, false, false, true]) {
                if let Some(claim) = own.next() {
                    mixed.push(claim);
                    expected.push(right);
                }
            }
        }
        assert_eq!(confirmed(&engine, &mixed).unwrap(), expected);
    }
}
