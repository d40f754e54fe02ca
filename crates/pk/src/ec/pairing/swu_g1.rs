//! The map from Fp to G1 of RFC 9380: the simplified map of Shallue, van de Woestijne and Ulas to a curve
//! `y^2 = x^3 + A x + B` (section 6.6.2), the isogeny of degree 11 from there (appendix E.2), and the multiplication by
//! `1 - x`, which clears the cofactor (section 8.8.1). Public.
//!
//! Two programs, as for G2.

use super::cofactor::{CofactorStep, steps};
use super::doublings::{self, Doublings, Work};
use super::isogenies;
use super::parameters::{B3, parameters};
use super::prepared::PreparedPairing;
use super::swu_g2::negative;
use super::tower::constant;
use crate::ec::field::{Element, Field};
use crate::ec::formulas::{CoefficientA, Coefficients, Factor, Homogeneous, Jacobian};
use crate::ec::group::GroupElement;
use crate::ec::point::Point;
use crypto_bigint::BoxedUint;
use std::sync::Arc;
use sunzi_engine::program::{Builder, Recoding, Value, power};
use sunzi_engine::{EngineError, Job, ProgramKey, Programs};

/// Z, which is no square.
const Z: u32 = 11;

/// A point of the first curve: the numerator and the denominator of x, and y. Integers below p.
type Found = [BoxedUint; 3];

/// A sum of the images of points of the first curve: a point of the curve of G1, of any order.
#[derive(Clone)]
pub(crate) struct G1Image(Vec<Found>);

impl G1Image {
    /// The number of points of the first curve that a message has.
    pub(super) const POINTS: usize = 2;

    /// The numbers of the points, as programs take them.
    pub(super) fn numbers(&self) -> impl Iterator<Item = &BoxedUint> {
        self.0.iter().flatten()
    }
}

/// The images of lists of numbers below p.
pub(super) fn images(
    pairing: &PreparedPairing,
    lists: &[Vec<[BoxedUint; 1]>],
) -> Result<Vec<G1Image>, EngineError> {
    let numbers: Vec<_> = lists.iter().flatten().flatten().collect();
    let mut found = find(pairing, &numbers)?.into_iter();
    let images = lists
        .iter()
        .map(|list| G1Image(found.by_ref().take(list.len()).collect()));
    Ok(images.collect())
}

/// The elements of G1 to which the cofactor takes the images.
pub(crate) fn clear_g1_batch(
    pairing: &PreparedPairing,
    images: &[&G1Image],
) -> Result<Vec<GroupElement>, EngineError> {
    let work = images.iter().map(|image| Work {
        count: image.0.len(),
        inputs: image.numbers().collect(),
        scalars: Vec::new(),
    });
    cleared(pairing, &work.collect::<Vec<_>>(), Start::Images)
}

/// The elements of G1 to which the cofactor takes points of the curve, or none of them for that at infinity.
pub(super) fn clear_points(
    pairing: &PreparedPairing,
    points: &[Option<Point>],
) -> Result<Vec<GroupElement>, EngineError> {
    let finite = points.iter().flatten();
    let inputs: Vec<_> = finite
        .map(|point| [&point.x, &point.y].map(Element::retrieve))
        .collect();
    let work = inputs.iter().map(|inputs| Work {
        count: 1,
        inputs: inputs.iter().collect(),
        scalars: Vec::new(),
    });
    let mut elements = cleared(pairing, &work.collect::<Vec<_>>(), Start::Point)?.into_iter();
    let element = |point: &Option<_>| point.as_ref().and_then(|_| elements.next());
    let identity = || GroupElement::identity(pairing.g1().curve());
    let elements = points.iter().map(element);
    Ok(elements
        .map(|element| element.unwrap_or_else(identity))
        .collect())
}

/// The kind of the points whose cofactor is cleared.
#[derive(Clone, Copy)]
enum Start {
    /// A sum of images of points of the first curve.
    Images,
    /// A point.
    Point,
}

/// The elements of G1 to which the cofactor takes points of this kind.
fn cleared(
    pairing: &PreparedPairing,
    work: &[Work<'_>],
    start: Start,
) -> Result<Vec<GroupElement>, EngineError> {
    let outcomes = doublings::outcomes(pairing, work, |count, doublings| {
        clear_program(pairing, start, count, doublings)
    })?;
    let integers = outcomes.iter().map(|outcome| &outcome.integers[..]);
    let curve = pairing.g1().curve();
    let points = curve.affine_all(&integers.collect::<Vec<_>>());
    let elements = points
        .into_iter()
        .map(|point| GroupElement::of(curve, point));
    Ok(elements.collect())
}

/// The point of the first curve for each u, with the sign of u.
fn find(pairing: &PreparedPairing, us: &[&BoxedUint]) -> Result<Vec<Found>, EngineError> {
    let programs = find_program(pairing)?;
    let field = &parameters().field;
    // Z^2 u^4 + Z u^2 = 0 for u = 0, and for u^2 = -1/Z.
    let root = Field::invert(&field.small(Z.into()).neg());
    let root = root.and_then(|square| field.sqrt(&square));
    let exceptional = root.map(|root| [root.retrieve(), root.neg().retrieve()]);
    let is_exceptional = |u: &BoxedUint| {
        let mut roots = exceptional.iter().flatten();
        bool::from(u.is_zero()) || roots.any(|root| root == u)
    };
    let flags = us
        .iter()
        .map(|u| BoxedUint::from(u64::from(is_exceptional(u))));
    let flags: Vec<_> = flags.collect();
    let jobs = us.iter().zip(&flags).map(|(u, flag)| Job {
        programs: &programs,
        modulus: pairing.p(),
        constants: None,
        inputs: vec![*u],
        scalars: vec![flag],
    });
    let outcomes = pairing.engine().execute(&jobs.collect::<Vec<_>>())?;
    let found = outcomes.iter().zip(us).map(|(outcome, u)| {
        let [numerator, denominator, y] = [0, 1, 2].map(|k| (*outcome.integers[k]).clone());
        let y = if y.bit_vartime(0) == u.bit_vartime(0) {
            y
        } else {
            negative(&y)
        };
        [numerator, denominator, y]
    });
    Ok(found.collect())
}

/// For the input u: numerator and denominator of x, and y or -y. The scalar is 1 where the denominator would be 0.
///
/// ```text
/// t = Z^2 u^4 + Z u^2    N = B (t + 1)    D = -A t, or A Z for t = 0
/// x1 = N/D    x2 = Z u^2 x1    g(x1) = V/D^3    V = N^3 + A N D^2 + B D^3    g(x2) = Z^3 u^6 g(x1)
/// w = (V D^9)^((p - 3)/4)    y = V D^3 w
/// ```
///
/// `y^2 = g(x1)` if that is a square, else `y^2 = -g(x1)` and `Z u^3 sqrt(-Z) y` is a root of g(x2).
fn find_program(pairing: &PreparedPairing) -> Result<Arc<Programs>, EngineError> {
    let bits = pairing.p().class();
    let key = ProgramKey {
        bits,
        kind: "pairing-swu-g1",
        parameters: Vec::new(),
    };
    pairing.engine().programs(key, |builder| {
        let field = &parameters().field;
        let u = builder.input(bits);
        let is_exceptional = builder.scalar("Z^2 u^4 + Z u^2 = 0", 1, false);
        let is_exceptional = builder.digits(is_exceptional, Recoding::BITS);
        let one = builder.montgomery_one();
        let [a, b] = [isogenies::G1_A, isogenies::G1_B].map(|hex| constant(builder, &integer(hex)));
        let root = field.sqrt(&field.small(Z.into()).neg());
        let root = constant(
            builder,
            &root.expect("Z is no square, nor is -1").retrieve(),
        );
        let half = field.p().shr(1).wrapping_add(BoxedUint::one());
        let half = constant(builder, &half);

        let uu = builder.fitting_product(u, u);
        let zu2 = builder.scale(uu, Z);
        let square = builder.fitting_product(zu2, zu2);
        let tv = builder.add(square, zu2);
        let tv_one = builder.add(tv, one);
        let n = builder.fitting_product(b, tv_one);
        let minus_tv = builder.negate(tv);
        let z = builder.scale(one, Z);
        let rest = builder.choose(minus_tv, z, is_exceptional, 0);
        let d = builder.fitting_product(a, rest);
        let (nn, dd) = (builder.fitting_product(n, n), builder.fitting_product(d, d));
        let ddd = builder.fitting_product(dd, d);
        let add = builder.fitting_product(a, dd);
        let inner = builder.add(nn, add);
        let v = builder.fitting_sum(&[(false, n, inner), (false, b, ddd)]);
        let d6 = builder.fitting_product(ddd, ddd);
        let vd3 = builder.fitting_product(v, ddd);
        let vd9 = builder.fitting_product(vd3, d6);
        let w = power::public(builder, vd9, vd9, &field.p().shr(2));
        let y = builder.fitting_product(vd3, w);
        // Euler's criterion: w^2 V D^9 is 1 or -1.
        let yw = builder.fitting_product(y, w);
        let symbol = builder.fitting_product(yw, d6);
        let sum = builder.add(symbol, one);
        let is_square = builder.fitting_product(sum, half);
        let choose = |builder: &mut Builder, no: Value, yes: Value| {
            let difference = builder.subtract(yes, no);
            let product = builder.fitting_product(difference, is_square);
            builder.add(no, product)
        };
        let zu3 = builder.fitting_product(zu2, u);
        let other = builder.fitting_product(zu3, root);
        let factor = choose(builder, other, one);
        let y = builder.fitting_product(y, factor);
        let factor = choose(builder, zu2, one);
        let n = builder.fitting_product(n, factor);
        for number in [n, d, y] {
            builder.output(number);
        }
    })
}

fn integer(hex: &str) -> BoxedUint {
    let integer = BoxedUint::from_str_radix_vartime(hex, 16);
    integer.expect("constants are hexadecimal")
}

/// The element of G1 to which the cofactor takes a point: (X : Y : Z). The point is given, or the sum of the images of
/// `count` points, each given by numerator and denominator of x, and y.
fn clear_program(
    pairing: &PreparedPairing,
    start: Start,
    count: usize,
    doublings: Doublings,
) -> Result<Arc<Programs>, EngineError> {
    let bits = pairing.p().class();
    let key = ProgramKey {
        bits,
        kind: match start {
            Start::Images => "pairing-map-g1",
            Start::Point => "pairing-clear-g1",
        },
        parameters: vec![count as u64, doublings as u64],
    };
    pairing.engine().programs(key, |builder| {
        let curve = coefficients(builder);
        let point = match start {
            Start::Images => Isogeny::new(builder).images(builder, &curve, bits, count),
            Start::Point => {
                let [x, y] = [(); 2].map(|()| builder.input(bits));
                let z = curve.one;
                Homogeneous { x, y, z }
            }
        };
        let Homogeneous { x, y, z } = clear_cofactor(builder, &curve, point, doublings);
        for coordinate in [x, y, z] {
            builder.output(coordinate);
        }
    })
}

/// The isogeny from the first curve to that of G1.
pub(super) struct Isogeny([Vec<Value>; 4]);

impl Isogeny {
    /// The isogeny with its coefficients as constants of a program.
    pub(super) fn new(builder: &mut Builder) -> Self {
        Self(isogenies::G1.map(|polynomial| {
            let coefficients = polynomial.iter();
            let coefficients = coefficients.map(|hex| constant(builder, &integer(hex)));
            coefficients.collect::<Vec<_>>()
        }))
    }

    /// The sum of the images of points that a program takes next, at least one: for each numerator and denominator of x,
    /// and y.
    pub(super) fn images(
        &self,
        builder: &mut Builder,
        curve: &Coefficients,
        bits: u32,
        count: usize,
    ) -> Homogeneous {
        let next = |builder: &mut Builder| {
            let numbers = [(); 3].map(|()| builder.input(bits));
            image(builder, &self.0, numbers)
        };
        let first = next(builder);
        (1..count).fold(first, |sum, _| {
            let image = next(builder);
            curve.add_points(builder, sum, image)
        })
    }
}

/// The coefficients of the curve of G1.
pub(super) fn coefficients(builder: &mut Builder) -> Coefficients {
    Coefficients {
        a: CoefficientA::Zero,
        b3: Factor::Small(B3),
        one: builder.montgomery_one(),
    }
}

/// `(1 - x) P`.
pub(super) fn clear_cofactor(
    builder: &mut Builder,
    curve: &Coefficients,
    point: Homogeneous,
    doublings: Doublings,
) -> Homogeneous {
    let mut multiple = point;
    for step in steps(doublings) {
        multiple = match step {
            CofactorStep::Add => curve.add_points(builder, multiple, point),
            CofactorStep::Double(doublings, times) => {
                double_by(builder, curve, multiple, (doublings, times))
            }
        };
    }
    curve.add_points(builder, multiple, point)
}

/// `2^times P`. By Jacobian doublings 6 R for each, 3 R for the way there, and 3 R back; the point at infinity becomes
/// (0, 0, 0).
pub(super) fn double_by(
    builder: &mut Builder,
    curve: &Coefficients,
    point: Homogeneous,
    (doublings, times): (Doublings, u32),
) -> Homogeneous {
    match doublings {
        Doublings::Complete => (0..times).fold(point, |point, _| curve.double(builder, point)),
        Doublings::Jacobian => {
            let Homogeneous { x, y, z } = point;
            let zz = builder.fitting_product(z, z);
            let jacobian = Jacobian {
                x: builder.fitting_product(x, z),
                y: builder.fitting_product(y, zz),
                z,
            };
            let jacobian = curve.double_jacobian(builder, jacobian, times);
            jacobian.to_homogeneous(builder)
        }
    }
}

/// The image by the isogeny of a point with `x = n/d`. The polynomials have the degrees 11, 10, 15 and 15. All are made of the
/// monomials `n^k d^(15-k)`: of their quotients d cancels.
fn image(
    builder: &mut Builder,
    polynomials: &[Vec<Value>; 4],
    [n, d, y]: [Value; 3],
) -> Homogeneous {
    let longest = polynomials.iter().map(Vec::len).max().unwrap_or(1);
    let [n_powers, d_powers] = [n, d].map(|x| {
        let mut powers = vec![x];
        while powers.len() + 1 < longest {
            let last = powers[powers.len() - 1];
            powers.push(builder.fitting_product(last, x));
        }
        powers
    });
    let monomials = (0..longest).map(|k| {
        let n_power = k.checked_sub(1).map(|k| n_powers[k]);
        let d_power = (longest - 1 - k).checked_sub(1).map(|k| d_powers[k]);
        match (n_power, d_power) {
            (Some(n), Some(d)) => builder.fitting_product(n, d),
            (n, d) => n.or(d).unwrap_or_else(|| builder.montgomery_one()),
        }
    });
    let monomials: Vec<_> = monomials.collect();
    let [x_over, x_under, y_over, y_under] = polynomials.each_ref().map(|polynomial| {
        let terms = polynomial.iter().zip(&monomials);
        let terms: Vec<_> = terms.map(|(&c, &monomial)| (false, c, monomial)).collect();
        builder.fitting_sum(&terms)
    });
    // x = x_over / x_under, y = y y_over / y_under.
    let y_over = builder.fitting_product(y, y_over);
    Homogeneous {
        x: builder.fitting_product(x_over, y_under),
        y: builder.fitting_product(y_over, x_under),
        z: builder.fitting_product(x_under, y_under),
    }
}
