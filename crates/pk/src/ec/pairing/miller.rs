//! Miller loops: products of the lines by which pairings are computed, for one or two pairs of points. Public.
//!
//! The loop doubles and adds the point Q of G2 by the 64 bits of `-x`, and multiplies a number f of Fp12 by each tangent
//! and each chord at the point P of G1. As Q has the order n, no step meets the point at infinity. The result of the
//! optimal ate pairing is the conjugate of f, because x is negative. Pairs of a product share the squarings of f.
//!
//! For BN254 the loop goes by signed digits of `6 t + 2`, and ends with chords through `psi(Q)` and `-psi(psi(Q))`
//! (Vercauteren, 2010).

use super::element::{G2Element, PreparedG2};
use super::g2_subgroup::psi;
use super::kind::PairingCurve;
use super::lines::LINE_NUMBERS;
use super::parameters::{Construction, Parameters};
use super::prepared::PreparedPairing;
use super::quadratic::Quadratic;
use super::steps::Step;
use super::tower::{Fp2, Fp12, Line, Sparse, sum};
use super::twist::{Doubled, TripleB, Twisted};
use crate::ec::field::Element;
use crate::ec::point::Point;
use crypto_bigint::BoxedUint;
use std::sync::Arc;
use sunzi_engine::program::{Builder, OwnTable, Value};
use sunzi_engine::{Constants, EngineError, Job, Outcome, ProgramKey, Programs};

/// The most pairs that one loop takes.
pub(super) const PAIRS: usize = 2;

/// A pair of points other than those at infinity.
#[derive(Clone, Copy)]
pub(super) struct Pair<'a, C: PairingCurve> {
    pub(super) p: &'a Point,
    pub(super) q: Second<'a, C>,
}

/// The second point of a pair.
#[derive(Clone, Copy)]
pub(super) enum Second<'a, C: PairingCurve> {
    /// A point: x and y.
    Point(&'a [Quadratic; 2]),
    /// A prepared point.
    Lines(&'a PreparedG2<C>),
}

/// The value of a Miller loop, or a product of such values.
#[derive(Clone)]
pub(super) struct MillerValue {
    /// The twelve numbers, real and imaginary parts of the coefficients of `w^0` to `w^5`.
    pub(super) numbers: Vec<BoxedUint>,
    /// The norm over Fp.
    pub(super) norm: Element,
}

/// The kinds of a loop's points of G2, in order: whether each is prepared.
type Kinds = [bool];

/// The values of Miller loops, one for each group of one or two pairs, in the same order.
pub(super) fn miller<C: PairingCurve>(
    pairing: &PreparedPairing<C>,
    groups: &[&[Pair<'_, C>]],
) -> Result<Vec<MillerValue>, EngineError> {
    let field = &C::parameters().field;
    // The inverses of all y of points with a prepared one.
    let fixed = groups.iter().flat_map(|group| group.iter());
    let fixed = fixed.filter(|pair| matches!(pair.q, Second::Lines(_)));
    let ys: Vec<_> = fixed.map(|pair| pair.p.y.clone()).collect();
    let mut inverses = field.invert_all(&ys).into_iter();
    let mut kept = KeptConstants(Vec::new());
    let mut work = Vec::with_capacity(groups.len());
    for group in groups {
        let kinds = group.iter().map(|pair| matches!(pair.q, Second::Lines(_)));
        let kinds: Vec<_> = kinds.collect();
        let mut inputs = Vec::new();
        let mut lines = Vec::new();
        for pair in *group {
            match pair.q {
                Second::Point([x, y]) => {
                    inputs.extend([&pair.p.x, &pair.p.y].map(Element::retrieve));
                    inputs.extend(x.integers().into_iter().chain(y.integers()));
                }
                Second::Lines(prepared) => {
                    let inverse = inverses.next().unwrap_or_else(|| field.small(0));
                    inputs.push(pair.p.x.mul(&inverse).neg().retrieve());
                    inputs.push(inverse.retrieve());
                    lines.push(prepared);
                }
            }
        }
        let constants = kept.of(pairing, &lines)?;
        work.push((program(pairing, &kinds)?, constants, inputs));
    }
    let jobs = work.iter().map(|(programs, constants, inputs)| Job {
        programs,
        modulus: pairing.p(),
        constants: constants.as_ref(),
        inputs: inputs.iter().collect(),
        scalars: Vec::new(),
    });
    let outcomes = pairing.engine().execute(&jobs.collect::<Vec<_>>())?;
    let value = |outcome| value(C::parameters(), outcome);
    Ok(outcomes.iter().map(value).collect())
}

/// The value that a program puts out: its numbers and its norm.
fn value(parameters: &Parameters, outcome: &Outcome) -> MillerValue {
    let field = &parameters.field;
    let mut numbers: Vec<_> = outcome.integers.iter().map(|x| (**x).clone()).collect();
    let norm = numbers.pop().and_then(|norm| field.element(&norm));
    MillerValue {
        numbers,
        norm: norm.unwrap_or_else(|| field.small(0)),
    }
}

/// The products of pairs of values, in the same order.
pub(super) fn multiply<C: PairingCurve>(
    pairing: &PreparedPairing<C>,
    pairs: &[[&MillerValue; 2]],
) -> Result<Vec<MillerValue>, EngineError> {
    let bits = pairing.p().class();
    let key = ProgramKey {
        bits,
        kind: "pairing-multiply",
        parameters: vec![C::NUMBER],
    };
    let programs = pairing.engine().programs(key, |builder| {
        let tower = C::parameters().tower;
        let [x, y] = [(); 2].map(|()| Fp12::input(builder, tower, bits));
        let product = x.multiply(builder, y);
        product.output(builder);
    })?;
    let jobs = pairs.iter().map(|[x, y]| Job {
        programs: &programs,
        modulus: pairing.p(),
        constants: None,
        inputs: x.numbers.iter().chain(&y.numbers).collect(),
        scalars: Vec::new(),
    });
    let outcomes = pairing.engine().execute(&jobs.collect::<Vec<_>>())?;
    let products = outcomes.iter().zip(pairs).map(|(outcome, [x, y])| {
        let numbers = outcome.integers.iter().map(|x| (**x).clone());
        MillerValue {
            numbers: numbers.collect(),
            norm: x.norm.mul(&y.norm),
        }
    });
    Ok(products.collect())
}

/// The constants of prepared points that the jobs of a batch have had so far, by the points: of any number of points, where
/// [`PreparedPairing::lines_of`] keeps those of a few.
struct KeptConstants<'a, C: PairingCurve>(Vec<(Vec<&'a PreparedG2<C>>, Arc<Constants>)>);

impl<'a, C: PairingCurve> KeptConstants<'a, C> {
    /// The lines of these points as constants of a job, none for no points.
    fn of(
        &mut self,
        pairing: &PreparedPairing<C>,
        points: &[&'a PreparedG2<C>],
    ) -> Result<Option<Arc<Constants>>, EngineError> {
        if points.is_empty() {
            return Ok(None);
        }
        let known = self.0.iter().rev().find(|(known, _)| {
            let mut both = known.iter().zip(points);
            known.len() == points.len() && both.all(|(x, y)| x.is(y))
        });
        if let Some((_, constants)) = known {
            return Ok(Some(Arc::clone(constants)));
        }
        let constants = pairing.lines_of(points)?;
        self.0.push((points.to_vec(), Arc::clone(&constants)));
        Ok(Some(constants))
    }
}

/// A pair of points in a program.
enum Member {
    /// Q as it is: P, with what lines take of it, Q, and its multiple so far.
    Point {
        x: Value,
        minus_x: Value,
        y: Value,
        minus_y: Value,
        q: [Fp2; 2],
        multiple: Twisted,
    },
    /// Prepared lines: `-x/y` and `1/y` of P, and the line to be taken next.
    Lines {
        ratio: Value,
        inverse: Value,
        lines: OwnTable,
        next: usize,
    },
}

/// The loop's product, or its conjugate, twelve numbers, and its norm over Fp.
fn program<C: PairingCurve>(
    pairing: &PreparedPairing<C>,
    kinds: &Kinds,
) -> Result<Arc<Programs>, EngineError> {
    let bits = pairing.p().class();
    let parameters = C::parameters();
    let numbers = kinds.iter().map(|&kind| u64::from(kind));
    let key = ProgramKey {
        bits,
        kind: "pairing-miller",
        parameters: [C::NUMBER].into_iter().chain(numbers).collect(),
    };
    pairing.engine().programs(key, |builder| {
        let product = product_of_lines(builder, parameters, bits, kinds);
        let norm = product.norm(builder);
        let value = match parameters.construction {
            Construction::BarretoLynnScott => product.conjugate(builder),
            Construction::BarretoNaehrig => product,
        };
        value.output(builder);
        builder.output(norm);
    })
}

/// The product of all lines of these pairs.
fn product_of_lines(
    builder: &mut Builder,
    parameters: &Parameters,
    bits: u32,
    kinds: &Kinds,
) -> Fp12 {
    let b3 = TripleB::of(builder, parameters);
    let members = kinds.iter().map(|&is_prepared| {
        if is_prepared {
            Member::lines(builder, bits, parameters.steps.len())
        } else {
            Member::point(builder, b3, bits)
        }
    });
    let mut members: Vec<_> = members.collect();
    let mut product: Option<Sparse> = None;
    for &step in &parameters.steps {
        if step == Step::Double {
            product = product.map(|f| {
                let f = f.dense(builder);
                Sparse::of_fp12(f.square(builder))
            });
        }
        for member in &mut members {
            let line = member.line(builder, parameters, step);
            product = Some(match product {
                None => Sparse::of(builder, parameters.tower, &line),
                Some(f) => f.times_line(builder, &line),
            });
        }
    }
    match product {
        Some(product) => product.dense(builder),
        None => unreachable!("a loop has pairs"),
    }
}

impl Member {
    /// A pair with a prepared point, which has so many lines.
    fn lines(builder: &mut Builder, bits: u32, lines: usize) -> Self {
        let [ratio, inverse] = [(); 2].map(|()| builder.input(bits));
        Self::Lines {
            ratio,
            inverse,
            lines: builder.own_table(lines * LINE_NUMBERS, 1),
            next: 0,
        }
    }

    /// A pair with a point as it is.
    fn point(builder: &mut Builder, b3: TripleB, bits: u32) -> Self {
        let [x, y] = [(); 2].map(|()| builder.input(bits));
        let q = [(); 2].map(|()| Fp2::input(builder, bits));
        Self::Point {
            x,
            minus_x: builder.negate(x),
            y,
            minus_y: builder.negate(y),
            q,
            multiple: Twisted::affine(builder, b3, q),
        }
    }

    /// The line of the next step, at P.
    fn line(&mut self, builder: &mut Builder, parameters: &Parameters, step: Step) -> Line {
        match self {
            Self::Point {
                x,
                minus_x,
                y,
                minus_y,
                q,
                multiple,
            } => {
                let (line, next) = match addend(builder, parameters, step, *q) {
                    Some(addend) => add(builder, *multiple, addend, [*minus_x, *y]),
                    None => tangent(builder, *multiple, [*x, *minus_y]),
                };
                *multiple = next;
                line
            }
            Self::Lines {
                ratio,
                inverse,
                lines,
                next,
            } => {
                let first = *next * LINE_NUMBERS;
                *next += 1;
                let mut number = |k: usize| Fp2 {
                    re: builder.load_own(*lines, first + k),
                    im: builder.load_own(*lines, first + k + 1),
                };
                let (slope, constant) = (number(0), number(2));
                Line {
                    constant: constant.times(builder, *inverse),
                    of_x: slope.times(builder, *ratio),
                    of_y: None,
                }
            }
        }
    }
}

/// The point that a step adds to a multiple of Q; none where it doubles.
fn addend(
    builder: &mut Builder,
    parameters: &Parameters,
    step: Step,
    q: [Fp2; 2],
) -> Option<[Fp2; 2]> {
    let negative = |builder: &mut Builder, [x, y]: [Fp2; 2]| [x, y.negate(builder)];
    match step {
        Step::Double => None,
        Step::Add => Some(q),
        Step::Subtract => Some(negative(builder, q)),
        Step::AddImage => Some(psi(builder, &parameters.psi, q)),
        Step::SubtractSecondImage => {
            let image = psi(builder, &parameters.psi, q);
            let image = psi(builder, &parameters.psi, image);
            Some(negative(builder, image))
        }
    }
}

/// The tangent at T, at a point (x, y) of which x and -y are given, and 2 T. 20 R, 34 T.
///
/// `(3 b Z^2 - Y^2) + 3 X^2 x w^2 - 2 Y Z y w^3`
fn tangent(builder: &mut Builder, t: Twisted, [x, minus_y]: [Value; 2]) -> (Line, Twisted) {
    let Doubled { point, yy, yz, e } = t.double(builder);
    let xx = t.x.square(builder);
    let (xx, yz) = (xx.scale(builder, 3), yz.scale(builder, 2));
    let line = Line {
        constant: e.subtract(builder, yy),
        of_x: xx.times(builder, x),
        of_y: Some(yz.times(builder, minus_y)),
    };
    (line, point)
}

/// The line through T and Q, at a point (x, y) of which -x and y are given, and T + Q, for different points other than
/// that at infinity. 26 R, 52 T.
///
/// ```text
/// s = Y - yQ Z    m = X - xQ Z    E = m^3    G = X m^2    H = E + Z s^2 - 2 G
/// X3 = m H    Y3 = s (G - H) - E Y    Z3 = Z E    (s xQ - m yQ) - s x w^2 + m y w^3
/// ```
fn add(
    builder: &mut Builder,
    t: Twisted,
    [xq, yq]: [Fp2; 2],
    [minus_x, y]: [Value; 2],
) -> (Line, Twisted) {
    let z = t.z.factor(builder);
    let products = [(z, yq), (z, xq)].map(|term| sum(builder, &[term]));
    let s = t.y.subtract(builder, products[0]);
    let m = t.x.subtract(builder, products[1]);
    let (ss, mm) = (s.square(builder), m.square(builder));
    let mm = mm.factor(builder);
    let cube = sum(builder, &[(mm, m)]);
    let g = sum(builder, &[(mm, t.x)]);
    let zss = sum(builder, &[(z, ss)]);
    let h = cube.add(builder, zss);
    let g2 = g.scale(builder, 2);
    let h = h.subtract(builder, g2);
    let difference = g.subtract(builder, h);
    let minus_y = t.y.negate(builder);
    let [s_factor, m_factor, cube_factor] = [s, m, cube].map(|x| x.factor(builder));
    let point = Twisted {
        b3: t.b3,
        x: sum(builder, &[(m_factor, h)]),
        y: sum(builder, &[(s_factor, difference), (cube_factor, minus_y)]),
        z: sum(builder, &[(cube_factor, t.z)]),
    };
    let minus_yq = yq.negate(builder);
    let line = Line {
        constant: sum(builder, &[(s_factor, xq), (m_factor, minus_yq)]),
        of_x: s.times(builder, minus_x),
        of_y: Some(m.times(builder, y)),
    };
    (line, point)
}

/// An element as the second of a pair; none if it is neutral, where the pairing is 1.
pub(super) fn second<C: PairingCurve>(element: &G2Element<C>) -> Option<Second<'_, C>> {
    element.point().map(Second::Point)
}
