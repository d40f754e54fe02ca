//! The map from Fp2 to G2 of RFC 9380: the simplified map of Shallue, van de Woestijne and Ulas to a curve
//! `y^2 = x^3 + A x + B` (section 6.6.2), the isogeny of degree 3 from there (appendix E.3), and the multiplication by the
//! cofactor (section 7). Public.
//!
//! Two programs: the first finds a point for each element u of the field. Its y must have the sign of u, which is the
//! parity of an integer: y leaves for that. The second maps the points by the isogeny, adds those of a message, and clears
//! the cofactor.

use super::cofactor::{CofactorStep, steps};
use super::doublings::{self, Doublings, Work};
use super::element::{G2Element, affine};
use super::isogenies;
use super::parameters::parameters;
use super::prepared::PreparedPairing;
use super::quadratic::Quadratic;
use super::tower::{Fp2, Tower, constant, sum};
use super::twist::{TripleB, Twisted};
use crate::ec::field::Field;
use crypto_bigint::BoxedUint;
use std::sync::Arc;
use sunzi_engine::program::{Builder, Recoding, Value, power};
use sunzi_engine::{EngineError, Job, Outcome, ProgramKey, Programs};

/// The A of the first curve is this times u.
const A: u32 = 240;
/// Its B is this times `1 + u`.
const B: u32 = 1012;

/// A point of the first curve: the numerator and the denominator of x, and y. Integers below p.
type Found = [[BoxedUint; 2]; 3];

/// A sum of the images of points of the first curve: a point of the curve of G2, of any order.
#[derive(Clone)]
pub(crate) struct G2Image(Vec<Found>);

impl G2Image {
    /// The number of points of the first curve that a message has.
    pub(super) const POINTS: usize = 2;

    /// The numbers of the points, as programs take them.
    pub(super) fn numbers(&self) -> impl Iterator<Item = &BoxedUint> {
        self.0.iter().flatten().flatten()
    }
}

/// The images of lists of elements of Fp2, integers below p.
pub(super) fn images(
    pairing: &PreparedPairing,
    lists: &[Vec<[BoxedUint; 2]>],
) -> Result<Vec<G2Image>, EngineError> {
    let elements: Vec<_> = lists.iter().flatten().collect();
    let mut found = find(pairing, &elements)?.into_iter();
    let images = lists
        .iter()
        .map(|list| G2Image(found.by_ref().take(list.len()).collect()));
    Ok(images.collect())
}

/// The elements of G2 to which the cofactor takes the images.
pub(crate) fn clear_g2_batch(
    pairing: &PreparedPairing,
    images: &[&G2Image],
) -> Result<Vec<G2Element>, EngineError> {
    let work = images.iter().map(|image| Work {
        count: image.0.len(),
        inputs: image.numbers().collect(),
        scalars: Vec::new(),
    });
    cleared(pairing, &work.collect::<Vec<_>>(), Start::Images)
}

/// The elements of G2 to which the cofactor takes points of the curve, or none of them for that at infinity.
pub(super) fn clear_points(
    pairing: &PreparedPairing,
    points: &[Option<[Quadratic; 2]>],
) -> Result<Vec<G2Element>, EngineError> {
    let finite = points.iter().flatten();
    let inputs: Vec<_> = finite.flatten().flat_map(Quadratic::integers).collect();
    let work = inputs.chunks(4).map(|inputs| Work {
        count: 1,
        inputs: inputs.iter().collect(),
        scalars: Vec::new(),
    });
    let mut elements = cleared(pairing, &work.collect::<Vec<_>>(), Start::Point)?.into_iter();
    let element = |point: &Option<_>| point.as_ref().and_then(|_| elements.next());
    let elements = points.iter().map(element);
    Ok(elements
        .map(|element| element.unwrap_or_else(G2Element::identity))
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

/// The elements of G2 to which the cofactor takes points of this kind.
fn cleared(
    pairing: &PreparedPairing,
    work: &[Work<'_>],
    start: Start,
) -> Result<Vec<G2Element>, EngineError> {
    let outcomes = doublings::outcomes(pairing, work, |count, doublings| {
        clear_program(pairing, start, count, doublings)
    })?;
    let points = affine(&outcomes);
    Ok(points.into_iter().map(G2Element::of).collect())
}

/// The point of the first curve for each u.
pub(super) fn find(
    pairing: &PreparedPairing,
    us: &[&[BoxedUint; 2]],
) -> Result<Vec<Found>, EngineError> {
    let programs = find_program(pairing)?;
    let is_zero = |u: &[BoxedUint; 2]| bool::from(u[0].is_zero() & u[1].is_zero());
    let flags: Vec<_> = us
        .iter()
        .map(|u| BoxedUint::from(u64::from(is_zero(u))))
        .collect();
    let jobs = us.iter().zip(&flags).map(|(u, flag)| Job {
        programs: &programs,
        modulus: pairing.p(),
        constants: None,
        inputs: u.iter().collect(),
        scalars: vec![flag],
    });
    let outcomes = pairing.engine().execute(&jobs.collect::<Vec<_>>())?;
    let found = outcomes.iter().zip(us);
    Ok(found.map(|(outcome, u)| with_sign(outcome, u)).collect())
}

/// The point that a program has found, with the sign of u.
fn with_sign(outcome: &Outcome, u: &[BoxedUint; 2]) -> Found {
    let integer = |k: usize| (*outcome.integers[k]).clone();
    let pair = |k: usize| [integer(k), integer(k + 1)];
    if outcome.flags != [true; 2] {
        return found_alone(u);
    }
    let [numerator, denominator, y] = [pair(0), pair(2), pair(4)];
    let y = if sign(&y) == sign(u) {
        y
    } else {
        y.map(|y| negative(&y))
    };
    [numerator, denominator, y]
}

/// The function `sgn0` (RFC 9380, section 4.1): the parity of the real part, or of the imaginary one if that is 0.
fn sign([re, im]: &[BoxedUint; 2]) -> bool {
    re.bit_vartime(0) || bool::from(re.is_zero()) && im.bit_vartime(0)
}

/// `-x` modulo p for an x below p.
pub(super) fn negative(x: &BoxedUint) -> BoxedUint {
    if bool::from(x.is_zero()) {
        x.clone()
    } else {
        parameters().field.p().wrapping_sub(x)
    }
}

/// The point for one u, by the definition: for the few u for which the program's way to a root fails, and to compare
/// with.
pub(super) fn found_alone(u: &[BoxedUint; 2]) -> Found {
    let field = &parameters().field;
    let zero = Quadratic::small(field, 0, 0);
    let given = Quadratic::of(field, [&u[0], &u[1]]).unwrap_or_else(|| zero.clone());
    let a = Quadratic::small(field, 0, A.into());
    let b = Quadratic::small(field, B.into(), B.into());
    let z = Quadratic::small(field, 2, 1).neg();
    let one = Quadratic::small(field, 1, 0);
    let zu2 = z.mul(&given.square());
    let tv = zu2.square().add(&zu2);
    // x = -B/A (1 + 1/tv), or B/(Z A) if tv is 0.
    let x = match tv.invert() {
        Some(inverse) => one.add(&inverse).mul(&b).neg(),
        None => b.mul(&z.invert().unwrap_or_else(|| one.clone())),
    };
    let x1 = x.mul(&a.invert().unwrap_or(one));
    let x2 = zu2.mul(&x1);
    let right = |x: &Quadratic| x.square().add(&a).mul(x).add(&b);
    let candidates = [x1, x2].map(|x| Some((x.clone(), square_root(field, &right(&x))?)));
    let (x, y) = candidates
        .into_iter()
        .flatten()
        .next()
        .unwrap_or((zero.clone(), zero));
    let y = if sign(&y.integers()) == sign(u) {
        y
    } else {
        y.neg()
    };
    let one = Quadratic::small(field, 1, 0);
    [x, one, y].map(|x| x.integers())
}

/// A root in Fp2 of one number.
pub(super) fn square_root(field: &Field, a: &Quadratic) -> Option<Quadratic> {
    let zero = field.small(0);
    let half = Field::invert(&field.small(2))?;
    let d = field.sqrt(&a.norm())?;
    let candidates = [a.re.add(&d).mul(&half), a.re.sub(&d).mul(&half)];
    let roots = candidates.into_iter().filter_map(|t| {
        let re = field.sqrt(&t)?;
        let im = match Field::invert(&re) {
            Some(inverse) => a.im.mul(&half).mul(&inverse),
            None => field.sqrt(&a.re.neg()).unwrap_or_else(|| zero.clone()),
        };
        Some(Quadratic { re, im })
    });
    roots.into_iter().find(|root| root.square() == *a)
}

/// For the input u: numerator and denominator of x, and y or -y, six numbers. Two flags are set if y is right, which may
/// fail only if y^2 is modulo p. The scalar is 1 for u = 0, where the denominator would be 0.
///
/// ```text
/// t = Z^2 u^4 + Z u^2    N = B (t + 1)    D = -A t, or A Z for u = 0
/// x1 = N/D    x2 = Z u^2 x1    g(x1) = V/D^3    V = N^3 + A N D^2 + B D^3    g(x2) = Z^3 u^6 g(x1)
/// ```
///
/// The root of g(x1) is `V/r` with `r^2 = V D^3`, that of g(x2) `Z^2 u^3 V/r` with `r^2 = Z V D^3`: exactly one of both
/// numbers is a square. The norm n of `V D^3` is a square modulo p if that is one itself, and the norm of Z is 5, which
/// is none: `d = n^((p + 1)/4)` is a root of n, or `sqrt(-5) d` one of 5 n. From the root of the norm to the
/// root r as in [`decode_g2_batch`](super::decode_g2_batch), and `1/r` from the norm of r, which is the root of the norm
/// or its negative. `c + e (a - c)` chooses, for an e of 1 or 0 that Euler's criterion gives.
fn find_program(pairing: &PreparedPairing) -> Result<Arc<Programs>, EngineError> {
    let bits = pairing.p().class();
    let key = ProgramKey {
        bits,
        kind: "pairing-swu-g2",
        parameters: Vec::new(),
    };
    pairing.engine().programs(key, |builder| {
        let u = Fp2::input(builder, bits);
        let is_zero = builder.scalar("u = 0", 1, false);
        let is_zero = builder.digits(is_zero, Recoding::BITS);
        let one = builder.montgomery_one();
        let uu = u.square(builder);
        let zu2 = times_z(builder, uu);
        let square = zu2.square(builder);
        let tv = square.add(builder, zu2);
        let tv_one = Fp2 {
            re: builder.add(tv.re, one),
            im: tv.im,
        };
        let numerator = times_b(builder, tv_one);
        let denominator = {
            let (re, im) = (builder.scale(tv.im, A), builder.scale(tv.re, A));
            let im = builder.negate(im);
            let (az_re, az_im) = (builder.scale(one, A), builder.scale(one, 2 * A));
            let az_im = builder.negate(az_im);
            Fp2 {
                re: builder.choose(re, az_re, is_zero, 0),
                im: builder.choose(im, az_im, is_zero, 0),
            }
        };
        let nn = numerator.square(builder);
        let dd = denominator.square(builder);
        let ddd = dd.multiply(builder, denominator);
        let add = times_a(builder, dd);
        let bddd = times_b(builder, ddd);
        let inner = nn.add(builder, add);
        let v = numerator.multiply(builder, inner);
        let v = v.add(builder, bddd);
        let square = v.multiply(builder, ddd);

        let Root {
            value,
            inverse,
            is_square,
            of,
        } = root(builder, square);
        let again = value.square(builder);
        builder.equal(again.re, of.re);
        builder.equal(again.im, of.im);

        // Z^2 u^3, or 1.
        let zu = times_z(builder, u);
        let factor = zu2.multiply(builder, zu);
        let factor = choose(builder, is_square, [Some(factor), None]);
        let y = factor.multiply(builder, v);
        let y = y.multiply(builder, inverse);
        let other = zu2.multiply(builder, numerator);
        let numerator = choose(builder, is_square, [Some(other), Some(numerator)]);
        for number in [numerator, denominator, y] {
            number.output(builder);
        }
    })
}

/// A root of a number, or of Z times this number.
struct Root {
    value: Fp2,
    /// The inverse of the root.
    inverse: Fp2,
    /// 1 if the number is a square, 0 if Z times it is one.
    is_square: Value,
    /// The number that the root is one of.
    of: Fp2,
}

fn root(builder: &mut Builder, x: Fp2) -> Root {
    let field = &parameters().field;
    let exponent = field.p().shr(2);
    let half_integer = field.p().shr(1).wrapping_add(BoxedUint::one());
    let half = constant(builder, &half_integer);
    let one = builder.montgomery_one();
    let (c, inverse_c) = {
        const ROOT: &str = "p is 3 modulo 4, and 5 no square";
        let c = field.sqrt(&field.small(5).neg()).expect(ROOT);
        let inverse = Field::invert(&c).expect(ROOT);
        let [c, inverse] = [c, inverse].map(|x| x.retrieve());
        (constant(builder, &c), constant(builder, &inverse))
    };
    // 1 or 0, for 1 or -1.
    let positive = |builder: &mut Builder, symbol: Value| {
        let sum = builder.add(symbol, one);
        builder.fitting_product(sum, half)
    };
    let norm = x.norm(builder);
    let e = power::public(builder, norm, norm, &exponent);
    let d = builder.fitting_product(norm, e);
    let symbol = builder.fitting_product(d, e);
    let is_square = positive(builder, symbol);
    let zx = times_z(builder, x);
    let of = choose(builder, is_square, [Some(zx), Some(x)]);
    // The root of the norm, and its inverse: d and e symbol, or c d and e symbol / c.
    let with_factor = |builder: &mut Builder, x: Value, factor: Value| {
        let rest = builder.subtract(one, factor);
        let product = builder.fitting_product(is_square, rest);
        let factor = builder.add(factor, product);
        builder.fitting_product(x, factor)
    };
    let d = with_factor(builder, d, c);
    let e = builder.fitting_product(e, symbol);
    let inverse_d = with_factor(builder, e, inverse_c);
    let double = builder.add(of.re, d);
    let t = builder.fitting_product(double, half);
    let y = power::public(builder, t, t, &exponent);
    let s = builder.fitting_product(t, y);
    let h = builder.fitting_product(of.im, half);
    let h = builder.fitting_product(h, y);
    let symbol = builder.fitting_product(s, y);
    let is_real = positive(builder, symbol);
    let minus_h = builder.negate(h);
    let value = choose(
        builder,
        is_real,
        [Some(Fp2 { re: minus_h, im: s }), Some(Fp2 { re: s, im: h })],
    );
    // The norm of the root is d or -d.
    let inverse_norm = builder.fitting_product(inverse_d, symbol);
    let inverse = value.inverse(builder, inverse_norm);
    Root {
        value,
        inverse,
        is_square,
        of,
    }
}

/// The second number for an e of 1, the first one for 0: `c + e (a - c)`. `None` is 1.
fn choose(builder: &mut Builder, e: Value, numbers: [Option<Fp2>; 2]) -> Fp2 {
    let [c, a] = numbers.map(|x| x.unwrap_or_else(|| Fp2::one(builder)));
    let difference = a.subtract(builder, c);
    let product = difference.times(builder, e);
    c.add(builder, product)
}

/// `Z x` for `Z = -(2 + u)`.
fn times_z(builder: &mut Builder, Fp2 { re, im }: Fp2) -> Fp2 {
    let (re2, im2) = (builder.scale(re, 2), builder.scale(im, 2));
    let sum = builder.add(re, im2);
    Fp2 {
        re: builder.subtract(im, re2),
        im: builder.negate(sum),
    }
}

/// `A x` for `A = 240 u`.
fn times_a(builder: &mut Builder, Fp2 { re, im }: Fp2) -> Fp2 {
    let minus_im = builder.negate(im);
    Fp2 {
        re: builder.scale(minus_im, A),
        im: builder.scale(re, A),
    }
}

/// `B x` for `B = 1012 (1 + u)`, so small that sums of its parts are factors; plans that fold need no room.
fn times_b(builder: &mut Builder, x: Fp2) -> Fp2 {
    let mut x = x.times_xi(builder, Tower::BLS12_381.xi);
    let limits = *builder.limits();
    let weights = [x.re, x.im].map(|x| builder.magnitude(x).map_or(0, |x| x.weight()));
    let sum = 2 * u64::from(B) * weights[0].max(weights[1]);
    if limits.folded.is_none() && sum * limits.product.weight() > limits.operands {
        let one = builder.montgomery_one();
        x = x.each(|x| builder.multiply(x, one));
    }
    x.scale(builder, B)
}

/// The element of G2 to which the cofactor takes a point: (X : Y : Z), six numbers, and the norm of Z. The point is given,
/// or the sum of the images of `count` points, each given by numerator and denominator of x, and y.
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
            Start::Images => "pairing-map-g2",
            Start::Point => "pairing-clear-g2",
        },
        parameters: vec![count as u64, doublings as u64],
    };
    pairing.engine().programs(key, |builder| {
        let point = match start {
            Start::Images => Isogeny::new(builder).images(builder, bits, count),
            Start::Point => {
                let point = [(); 2].map(|()| Fp2::input(builder, bits));
                Twisted::affine(builder, TripleB::Bls12_381, point)
            }
        };
        clear_cofactor(builder, point, doublings).output(builder);
    })
}

/// The isogeny from the first curve to that of G2.
pub(super) struct Isogeny([Vec<Fp2>; 4]);

impl Isogeny {
    /// The isogeny with its coefficients as constants of a program.
    pub(super) fn new(builder: &mut Builder) -> Self {
        let field = &parameters().field;
        Self(isogenies::G2.map(|polynomial| {
            let coefficient = |[re, im]: &[&str; 2]| {
                let [re, im] = [re, im].map(|hex| {
                    let number = BoxedUint::from_str_radix_vartime(hex, 16);
                    number.expect("the coefficients are hexadecimal")
                });
                let number = Quadratic::of(field, [&re, &im]);
                Fp2::constant(builder, &number.expect("coefficients are below p"))
            };
            polynomial.iter().map(coefficient).collect::<Vec<_>>()
        }))
    }

    /// The sum of the images of points that a program takes next, at least one: for each numerator and denominator of x,
    /// and y.
    pub(super) fn images(&self, builder: &mut Builder, bits: u32, count: usize) -> Twisted {
        let next = |builder: &mut Builder| {
            let numbers = [(); 3].map(|()| Fp2::input(builder, bits));
            image(builder, &self.0, numbers)
        };
        let first = next(builder);
        (1..count).fold(first, |sum, _| {
            let image = next(builder);
            sum.add(builder, image)
        })
    }
}

/// The image by the isogeny of a point with `x = n/d`. The polynomials have the degrees 3, 2, 3 and 3: with d of the
/// same degree their values are numbers, of which d cancels but once.
fn image(builder: &mut Builder, polynomials: &[Vec<Fp2>; 4], [n, d, y]: [Fp2; 3]) -> Twisted {
    let (nn, dd) = (n.square(builder), d.square(builder));
    let nd = n.multiply(builder, d);
    let cubic = [
        dd.multiply(builder, d),
        dd.multiply(builder, n),
        nn.multiply(builder, d),
        nn.multiply(builder, n),
    ];
    let quadratic = [dd, nd, nn];
    let mut value = |polynomial: &[Fp2], monomials: &[Fp2]| {
        let terms = polynomial.iter().zip(monomials);
        let terms: Vec<_> = terms.map(|(c, m)| (c.factor(builder), *m)).collect();
        sum(builder, &terms)
    };
    let [x_over, x_under, y_over, y_under] = polynomials;
    let x_over = value(x_over, &cubic);
    let x_under = value(x_under, &quadratic);
    let (y_over, y_under) = (value(y_over, &cubic), value(y_under, &cubic));
    // x = x_over / (d x_under), y = y y_over / y_under.
    let x_under = d.multiply(builder, x_under);
    let y_over = y.multiply(builder, y_over);
    Twisted {
        b3: TripleB::Bls12_381,
        x: x_over.multiply(builder, y_under),
        y: y_over.multiply(builder, x_under),
        z: x_under.multiply(builder, y_under),
    }
}

/// `h P` for a point of the curve, which is of order n (Budroni and Pintore, 2017; RFC 9380, appendix G.3):
/// `(x^2 - x - 1) P + (x - 1) psi(P) + psi^2(2 P)`. With `Q = -x P` that is `-x Q + Q - P - psi(Q + P) + psi^2(2 P)`.
pub(super) fn clear_cofactor(
    builder: &mut Builder,
    point: Twisted,
    doublings: Doublings,
) -> Twisted {
    let once = multiple(builder, point, doublings);
    let twice = multiple(builder, once, doublings);
    let sum = once.add(builder, point);
    let image = psi(builder, sum).negate(builder);
    let double = point.double(builder).point;
    let double = psi(builder, double);
    let double = psi(builder, double);
    let minus = point.negate(builder);
    [once, minus, image, double]
        .into_iter()
        .fold(twice, |sum, point| sum.add(builder, point))
}

/// `-x P`.
fn multiple(builder: &mut Builder, point: Twisted, doublings: Doublings) -> Twisted {
    steps(doublings)
        .into_iter()
        .fold(point, |sum, step| match step {
            CofactorStep::Add => sum.add(builder, point),
            CofactorStep::Double(doublings, times) => sum.double_by(builder, doublings, times),
        })
}

/// The endomorphism psi in homogeneous coordinates.
fn psi(builder: &mut Builder, Twisted { b3, x, y, z }: Twisted) -> Twisted {
    let [x, y] = super::g2_subgroup::psi(builder, &parameters().psi, [x, y]);
    let z = z.conjugate(builder);
    Twisted { b3, x, y, z }
}
