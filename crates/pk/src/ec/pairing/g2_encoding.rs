//! Elements of G2 and the encodings of Zcash (draft-irtf-cfrg-pairing-friendly-curves-11, appendix C). Public.
//!
//! As those of G1, with coordinates of which the imaginary part comes first.

use super::element::G2Element;
use super::encoding::{Flags, coordinate};
use super::parameters::{B3, parameters};
use super::points::{elements, is_on_curve, right_side};
use super::prepared::PreparedPairing;
use super::quadratic::Quadratic;
use super::tower::{Fp2, constant, sum};
use crate::ec::point::{PointError, is_larger, to_bytes};
use core::ops::Range;
use crypto_bigint::BoxedUint;
use std::sync::Arc;
use sunzi_engine::program::{Builder, Value, power};
use sunzi_engine::{EngineError, Job, Outcome, ProgramKey, Programs};

/// Length of a compressed encoding of G2 in bytes.
pub const G2_COMPRESSED_BYTES: usize = 96;

/// An encoding taken apart.
enum Encoded {
    Infinity,
    /// The coordinates x and y.
    Point([Quadratic; 2]),
    /// x, and whether y is the larger of both.
    X(Quadratic, bool),
}

impl G2Element {
    /// The encoding of Zcash: 96 bytes compressed, 192 uncompressed.
    pub fn to_bytes(&self, compressed: bool) -> Vec<u8> {
        let length = parameters().field.bytes();
        let coordinates = if compressed { 1 } else { 2 };
        let mut bytes = Vec::with_capacity(2 * coordinates * length);
        match self.point() {
            Some(point) => {
                for coordinate in &point[..coordinates] {
                    let [re, im] = coordinate.integers();
                    bytes.extend(to_bytes(&im, length));
                    bytes.extend(to_bytes(&re, length));
                }
            }
            None => bytes.resize(2 * coordinates * length, 0),
        }
        let flags = Flags {
            compressed,
            infinity: self.is_identity(),
            larger: compressed && self.point().is_some_and(|[_, y]| is_larger_root(y)),
        };
        flags.put(&mut bytes);
        bytes
    }
}

/// Whether y is larger than `-y`, by the imaginary parts, or the real ones if those are 0.
fn is_larger_root(y: &Quadratic) -> bool {
    if bool::from(y.im.is_zero()) {
        is_larger(&y.re)
    } else {
        is_larger(&y.im)
    }
}

/// Elements of G2 from their encodings, compressed or uncompressed, one answer for each, in the same order. Roots and
/// subgroup checks are computed in batches. The point at infinity is an element; use that excludes it must
/// refuse it.
///
/// # Errors
/// [`EngineError`] where no device of the engine could compute it: nothing is known about the encodings.
pub fn decode_g2_batch(
    pairing: &PreparedPairing,
    encodings: &[&[u8]],
) -> Result<Vec<Result<G2Element, PointError>>, EngineError> {
    let read: Vec<_> = encodings.iter().map(|bytes| read(bytes)).collect();
    let xs = read.iter().filter_map(|encoded| match encoded {
        Ok(Encoded::X(x, _)) => Some(x),
        _ => None,
    });
    let mut roots = roots(pairing, &xs.collect::<Vec<_>>())?.into_iter();
    let points = read.into_iter().map(|encoded| match encoded? {
        Encoded::Infinity => Ok(None),
        Encoded::Point(point) => Ok(Some(point)),
        Encoded::X(x, larger) => {
            let y = roots.next().flatten().ok_or(PointError::NoSuchX)?;
            let y = if is_larger_root(&y) == larger {
                y
            } else {
                y.neg()
            };
            Ok(Some([x, y]))
        }
    });
    elements(pairing, points.collect())
}

/// Takes an encoding apart. A point that it has whole is found to be on the curve.
fn read(bytes: &[u8]) -> Result<Encoded, PointError> {
    let field = &parameters().field;
    let length = field.bytes();
    let (flags, bytes) = Flags::take(bytes, 2 * length)?;
    if flags.infinity {
        return Ok(Encoded::Infinity);
    }
    let numbers: Vec<_> = bytes.chunks(length).map(coordinate).collect();
    let coordinate = |name, k: usize| {
        let coordinate = Quadratic::of(field, [&numbers[2 * k + 1], &numbers[2 * k]]);
        coordinate.ok_or(PointError::Coordinate(name))
    };
    let x = coordinate('x', 0)?;
    if flags.compressed {
        return Ok(Encoded::X(x, flags.larger));
    }
    let y = coordinate('y', 1)?;
    let point = [x, y];
    if is_on_curve(parameters(), &point) {
        Ok(Encoded::Point(point))
    } else {
        Err(PointError::NotOnCurve)
    }
}

/// A y for each x with which it is a point of the curve; `None` if there is none.
fn roots(
    pairing: &PreparedPairing,
    xs: &[&Quadratic],
) -> Result<Vec<Option<Quadratic>>, EngineError> {
    let programs = program(pairing)?;
    let inputs: Vec<_> = xs.iter().map(|x| x.integers()).collect();
    let jobs = inputs.iter().map(|inputs| Job {
        programs: &programs,
        modulus: pairing.p(),
        constants: None,
        inputs: inputs.iter().collect(),
        scalars: Vec::new(),
    });
    let outcomes = pairing.engine().execute(&jobs.collect::<Vec<_>>())?;
    let outcomes = outcomes.iter().zip(xs);
    Ok(outcomes.map(|(outcome, x)| root(outcome, x)).collect())
}

/// The root that a program has found for x.
fn root(outcome: &Outcome, x: &Quadratic) -> Option<Quadratic> {
    let field = &parameters().field;
    if outcome.flags[IS_REAL] {
        // y^2 is modulo p: it has a root there, or its negative has, times u.
        let square = right_side(parameters(), x).re;
        let zero = field.small(0);
        let real = field.sqrt(&square).map(|root| [root, zero.clone()]);
        let root = real.or_else(|| Some([zero, field.sqrt(&square.neg())?]));
        return root.map(|[re, im]| Quadratic { re, im });
    }
    let integers: Vec<&BoxedUint> = outcome.integers.iter().map(|x| &**x).collect();
    let first = Quadratic::of(field, [integers[0], integers[1]])?;
    if outcome.flags[FIRST] == [true; 2] {
        Some(first)
    } else if outcome.flags[SECOND] == [true; 2] {
        Some(Quadratic {
            re: first.im.neg(),
            im: first.re,
        })
    } else {
        None
    }
}

/// The flag that `x^3 + 4 (1 + u)` is modulo p.
const IS_REAL: usize = 0;
/// Two flags that the output is a root.
const FIRST: Range<usize> = 1..3;
/// Two flags that u times the output is one.
const SECOND: Range<usize> = 3..5;

/// For the input x, and `a + b u = x^3 + 4 (1 + u)`: numbers s and h of which `s + h u` or `-h + s u` is the
/// root, if there is one and b is not 0. With flags for these cases.
///
/// `n = a^2 + b^2` has the root `d = n^((p + 1)/4)`, as the norm of a square is one, and p is 3 modulo 4. Of
/// `t = (a + d)/2` and `(a - d)/2` one is a square, as their product is `-b^2/4`; its root is the real part, and b
/// over twice that the imaginary part. With `y = t^((p - 3)/4)`, `s = t y` and `h = b y/2`: if t is a square,
/// `s^2 = t` and `y = 1/s`; if it is not, `s^2 = -t`, `y = -1/s`, and `h^2 = (a - d)/2`.
fn program(pairing: &PreparedPairing) -> Result<Arc<Programs>, EngineError> {
    let bits = pairing.p().class();
    let key = ProgramKey {
        bits,
        kind: "pairing-g2-root",
        parameters: Vec::new(),
    };
    pairing.engine().programs(key, |builder| {
        let x = Fp2::input(builder, bits);
        let square = x.square(builder).factor(builder);
        let cube = sum(builder, &[(square, x)]);
        let b = builder.montgomery_one();
        let b = builder.scale(b, B3 / 3);
        let a = cube.add(builder, Fp2 { re: b, im: b });
        let [s, h] = root_candidate(builder, a);
        builder.output(s);
        builder.output(h);
        builder.is_zero(a.im);
        // (s + h u)^2 = s^2 - h^2 + 2 s h u.
        let candidate = Fp2 { re: s, im: h };
        let square = candidate.square(builder);
        builder.equal(square.re, a.re);
        builder.equal(square.im, a.im);
        for [x, y] in [[square.re, a.re], [square.im, a.im]] {
            let sum = builder.add(x, y);
            builder.is_zero(sum);
        }
    })
}

/// s and h of [`program`].
fn root_candidate(builder: &mut Builder, a: Fp2) -> [Value; 2] {
    let field = &parameters().field;
    let exponent = field.p().shr(2);
    let half = field.p().shr(1).wrapping_add(BoxedUint::one());
    let half = constant(builder, &half);
    let norm = a.norm(builder);
    let e = power::public(builder, norm, norm, &exponent);
    let d = builder.fitting_product(norm, e);
    let double = builder.add(a.re, d);
    let t = builder.fitting_product(double, half);
    let y = power::public(builder, t, t, &exponent);
    let s = builder.fitting_product(t, y);
    let h = builder.fitting_product(a.im, half);
    [s, builder.fitting_product(h, y)]
}
