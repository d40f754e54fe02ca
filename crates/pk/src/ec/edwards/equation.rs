//! Equations `u G + v Q = R`, which verification tests, many at a time. Public.

use super::curve::Parameters;
use super::decode::{Affine, points_at};
use super::formulas::{Extended, Projective};
use super::multiply::{self, BaseWindows, HALF_WIDTH, WIDTH, declare_base_tables};
use super::multiply::{declare_joint_tables, declare_key_tables, key_bits, key_scalar};
use super::multiply::{point_bits, point_scalar};
use super::prepared::PreparedEdwardsCurve;
use super::short_multiple::ShortMultiple;
use crate::batch::shared;
use crate::ec::multiply::FixedBase;
use crate::ec::sharing::{scatter, shares};
use crypto_bigint::BoxedUint;
use std::sync::Arc;
use sunzi_engine::program::{Builder, Value, inverse};
use sunzi_engine::{Constants, Engine, EngineError, Job, Outcome, ProgramKey, Programs};

/// An equation `u G + v Q = R`.
pub(in crate::ec) struct Equation<'a> {
    pub(in crate::ec) curve: &'a PreparedEdwardsCurve,
    /// The scalar of the base point, below the order.
    pub(in crate::ec) u: &'a BoxedUint,
    /// The scalar of Q, below the order.
    pub(in crate::ec) v: &'a BoxedUint,
    pub(in crate::ec) q: &'a Affine,
    pub(in crate::ec) right: &'a Right,
    /// The constants of [`PreparedEdwardsCurve::key_constants`] for Q, if it has tables.
    pub(in crate::ec) tables: Option<&'a Arc<Constants>>,
}

/// The right side of an equation, and the sense in which it holds.
pub(in crate::ec) enum Right {
    /// The y of R, an integer below p, and whether x is odd: the sum has this encoding.
    Encoding { y: BoxedUint, is_odd: bool },
    /// The negative of R: the cofactor times `u G + v Q - R` is the neutral point.
    Negative(Affine),
}

/// Whether the equations hold.
///
/// An equation [that is worth it](is_worth_halving) is multiplied by the d of a [`ShortMultiple`] of v,
/// ```text
/// (d u mod L) G + c Q - d R = 0,
/// ```
/// which has half as many doublings. Multiplication by d, which is odd and below the order L of G, only takes the neutral
/// point to itself, as the number of points is L times a power of two: both equations hold, or neither, also if Q or R has
/// a part of small order, because `c = d v` modulo the number of points.
pub(in crate::ec) fn hold(
    engine: &Engine,
    equations: &[Equation<'_>],
) -> Result<Vec<bool>, EngineError> {
    let windows = BaseWindows::for_batch(equations.len());
    let halves = equations
        .iter()
        .map(|equation| is_worth_halving(equation, windows));
    hold_in_forms(engine, equations, &halves.collect::<Vec<_>>())
}

/// Whether an equation takes less time halved, if Q has no tables: where R is known, and in small batches also where it has to be
/// decoded.
///
/// Beside the equations as they are (Zen 3, AVX2), batches of 1,024 on edwards448, where R is known, are 1.25 times as fast;
/// on edwards25519, where it is not, lone equations are 1.08 times as fast, batches of 8 1.05 times, and batches of 1,024
/// equally fast: there the second program, the search and tables of two points take as long as 17% of the products.
fn is_worth_halving(equation: &Equation<'_>, windows: BaseWindows) -> bool {
    windows == BaseWindows::Narrow || matches!(equation.right, Right::Negative(_))
}

/// [`hold`], where it is said which equations are halved, unless Q has tables.
fn hold_in_forms(
    engine: &Engine,
    equations: &[Equation<'_>],
    halves: &[bool],
) -> Result<Vec<bool>, EngineError> {
    let forms = forms(engine, equations, halves)?;
    let work = forms.iter().enumerate();
    let work = work.filter_map(|(k, form)| Some((k, (&equations[k], form.as_ref()?))));
    let (places, work): (Vec<_>, Vec<_>) = work.unzip();
    let outcomes = run(engine, &work)?;
    let mut answers = vec![false; equations.len()];
    // It remains to decide whether x is odd.
    let mut left = Vec::new();
    let mut quotients = Vec::new();
    for ((place, (equation, form)), outcome) in places.into_iter().zip(work).zip(&outcomes) {
        answers[place] = outcome.flags.iter().all(|&flag| flag);
        if let (true, Form::Whole, Right::Encoding { is_odd, .. }) =
            (answers[place], form, equation.right)
        {
            left.push((place, *is_odd));
            quotients.push((equation.curve, [0, 1].map(|i| &*outcome.integers[i])));
        }
    }
    let xs = quotients_of(engine, &quotients)?;
    for ((place, is_odd), x) in left.into_iter().zip(&xs) {
        answers[place] = x.bit_vartime(0) == is_odd;
    }
    Ok(answers)
}

/// The form in which an equation is computed.
enum Form {
    /// The equation as it is.
    Whole,
    /// The equation times the d of a short multiple of v: c, the absolute value of d, `d u` modulo the order, and R or its negative, of which
    /// `|d|` times is added.
    Halved {
        c: BoxedUint,
        d: BoxedUint,
        u: BoxedUint,
        summand: Affine,
    },
}

/// The form of each equation, halved if it is said to be, Q has no tables and v has a short multiple; `None` if the right side is the encoding of no
/// point, so that the equation does not hold.
fn forms(
    engine: &Engine,
    equations: &[Equation<'_>],
    halves: &[bool],
) -> Result<Vec<Option<Form>>, EngineError> {
    let multiples = equations.iter().zip(halves).map(|(equation, is_halved)| {
        let curve = equation.curve.parameters();
        let find = || ShortMultiple::find(curve, equation.v);
        (*is_halved && equation.tables.is_none())
            .then(find)
            .flatten()
    });
    let multiples: Vec<_> = multiples.collect();
    let encoded: Vec<_> = equations
        .iter()
        .zip(&multiples)
        .filter_map(|(equation, multiple)| match (equation.right, multiple) {
            (Right::Encoding { y, is_odd }, Some(_)) => Some((equation.curve, y, *is_odd)),
            _ => None,
        })
        .collect();
    let mut points = points_at(engine, &encoded)?.into_iter();
    let form = |(equation, multiple): (&Equation<'_>, Option<ShortMultiple>)| {
        let Some(ShortMultiple {
            c,
            d,
            d_is_negative,
        }) = multiple
        else {
            return Some(Form::Whole);
        };
        let Equation {
            curve, u, right, ..
        } = equation;
        let (point, is_negative) = match right {
            Right::Encoding { is_odd, .. } => {
                // The encoding of a point with x = 0 says that x is even.
                let is_encoded = |point: &Affine| point.x.bit_vartime(0) == *is_odd;
                (points.next().flatten().filter(is_encoded)?, false)
            }
            Right::Negative(negative) => (negative.clone(), true),
        };
        let parameters = curve.parameters();
        let u = parameters.reduction.product(u.as_words(), d.as_words());
        let order = parameters.order.as_ref();
        let is_zero = bool::from(u.is_zero());
        Some(Form::Halved {
            u: if d_is_negative && !is_zero {
                order.wrapping_sub(&u)
            } else {
                u
            },
            summand: if d_is_negative == is_negative {
                point.negated(curve.curve())
            } else {
                point
            },
            c,
            d,
        })
    };
    Ok(equations.iter().zip(multiples).map(form).collect())
}

fn run(engine: &Engine, work: &[(&Equation<'_>, &Form)]) -> Result<Vec<Outcome>, EngineError> {
    let windows = BaseWindows::for_batch(work.len());
    let kind = |(equation, form): &(&Equation<'_>, &Form)| {
        let test = match (form, equation.right) {
            (Form::Whole, Right::Encoding { .. }) => Test::Encoding,
            (Form::Whole, Right::Negative(_)) => Test::Cofactored,
            (Form::Halved { .. }, Right::Encoding { .. }) => Test::Halved,
            (Form::Halved { .. }, Right::Negative(_)) => Test::HalvedCofactored,
        };
        (test, equation.tables.is_some())
    };
    let (programs, numbers) = shared(
        work,
        |work| (Arc::as_ptr(work.0.curve.p()), kind(work)),
        |work| {
            let (test, is_tabled) = kind(work);
            let curve = work.0.curve;
            let base = if is_tabled {
                Base::Tables(curve.fixed_base())
            } else {
                Base::Windows(windows)
            };
            program(curve, test, base)
        },
    )?;
    let scalars: Vec<_> = work
        .iter()
        .map(|(equation, form)| {
            let curve = equation.curve.parameters();
            let (u, v, bits) = (equation.u, equation.v, curve.order_bits());
            if equation.tables.is_some() {
                let u = equation.curve.fixed_base().scalar(u, curve.order.as_ref());
                return vec![(*u).clone(), key_scalar(v, bits)];
            }
            if let Form::Halved { c, d, u, .. } = form {
                let [c, d] = [c, d]
                    .map(|scalar| point_scalar(scalar, ShortMultiple::bits(curve), HALF_WIDTH));
                return vec![windows.scalar(u, curve), c, d];
            }
            vec![windows.scalar(u, curve), point_scalar(v, bits, WIDTH)]
        })
        .collect();
    let jobs = work.iter().zip(numbers.into_iter().zip(&scalars));
    let jobs = jobs.map(|((equation, form), (number, scalars))| {
        let Equation {
            curve,
            q,
            right,
            tables,
            ..
        } = equation;
        let mut inputs = match tables {
            Some(_) => Vec::new(),
            None => vec![&q.x, &q.y],
        };
        match (form, right) {
            (Form::Halved { summand, .. }, _) => inputs.extend([&summand.x, &summand.y]),
            (_, Right::Encoding { y, .. }) => inputs.push(y),
            (_, Right::Negative(Affine { x, y })) => inputs.extend([x, y]),
        }
        Ok(Job {
            programs: &programs[number],
            modulus: curve.p(),
            constants: Some(tables.map_or_else(|| curve.joint_constants(windows), Ok)?),
            inputs,
            scalars: scalars.iter().collect(),
        })
    });
    engine.execute(&jobs.collect::<Result<Vec<_>, EngineError>>()?)
}

/// The test that a program makes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Test {
    /// Whether the sum has a y.
    Encoding,
    /// Whether the cofactor times the sum is the cofactor times R.
    Cofactored,
    /// Whether the sum of the halved form is the neutral point.
    Halved,
    /// Whether the cofactor times this sum is the neutral point.
    HalvedCofactored,
}

/// How multiples of the base point are taken.
#[derive(Clone, Copy)]
enum Base {
    /// By [`multiply::joint`].
    Windows(BaseWindows),
    /// By [`multiply::tabled`], where Q has tables.
    Tables(FixedBase),
}

/// The equation with the inputs x and y of Q, and the public scalars u of [`BaseWindows::scalar`] and v
/// of [`multiply::point_scalar`]; if Q has tables, without these inputs, and with the scalars of [`multiply::tabled`].
///
/// For [`Test::Encoding`] with the input y; the flag is whether y is that of the sum, and the outputs
/// are two numbers whose quotient is x of the sum. For the other tests with x and y of a summand, which has a scalar, too,
/// if the form is halved; the flags are those of the neutral point: whether X is 0, and whether Y is Z.
fn program(
    curve: &PreparedEdwardsCurve,
    test: Test,
    base: Base,
) -> Result<Arc<Programs>, EngineError> {
    let prime = curve.curve().prime();
    let (is_tabled, width) = match base {
        Base::Windows(windows) => (false, windows.width()),
        Base::Tables(fixed) => (true, fixed.width()),
    };
    let key = ProgramKey {
        bits: curve.p().class(),
        kind: "edwards-equation",
        parameters: vec![prime as u64, test as u64, is_tabled.into(), width.into()],
    };
    curve.engine().programs(key, |builder| {
        build(builder, curve.parameters(), test, base);
    })
}

fn build(builder: &mut Builder, curve: &Parameters, test: Test, base: Base) {
    let (a, order_bits) = (curve.a, curve.order_bits());
    let d = builder.own_constant(1);
    let bits = builder.bits();
    let is_halved = matches!(test, Test::Halved | Test::HalvedCofactored);
    let sum = match base {
        Base::Tables(fixed) => {
            let base = declare_base_tables(builder, fixed, order_bits);
            let key = declare_key_tables(builder, order_bits);
            let u = builder.scalar("u", fixed.bits(order_bits), false);
            let v = builder.scalar("v", key_bits(order_bits), false);
            multiply::tabled(builder, a, (fixed, &base, u), (&key, v))
        }
        Base::Windows(windows) => {
            let tables = declare_joint_tables(builder, windows, order_bits);
            let (names, scalar_bits, width) = if is_halved {
                (&["c", "d"][..], ShortMultiple::bits(curve), HALF_WIDTH)
            } else {
                (&["v"][..], order_bits, WIDTH)
            };
            let points: Vec<_> = names
                .iter()
                .map(|_| [(); 2].map(|()| builder.input(bits)))
                .collect();
            let u = builder.scalar("u", windows.bits(order_bits), false);
            let scalars = names
                .iter()
                .map(|name| builder.scalar(name, point_bits(scalar_bits, width), false));
            let points: Vec<_> = points.into_iter().zip(scalars).collect();
            multiply::joint(builder, (a, d), (windows, &tables, u), (width, &points))
        }
    };
    match test {
        Test::Encoding => {
            // y = H/F, and x = E/G.
            let y = builder.input_unreduced(bits);
            let one = builder.one();
            let difference = builder.sum_of_products(&[(false, sum.h, one), (true, y, sum.f)]);
            builder.is_zero(difference);
            builder.output(sum.e);
            builder.output(sum.g);
        }
        Test::Halved => {
            builder.is_zero(sum.e);
            builder.equal(sum.h, sum.f);
        }
        Test::Cofactored | Test::HalvedCofactored => {
            let sum = sum.point(builder);
            let sum = if is_halved {
                let Extended { x, y, z, .. } = sum;
                Projective { x, y, z }
            } else {
                let negative = [(); 2].map(|()| builder.input(bits));
                a.add_affine(builder, d, &sum, negative)
            };
            let sum = a.double(builder, sum, curve.cofactor_bits);
            builder.is_zero(sum.x);
            builder.equal(sum.y, sum.z);
        }
    }
}

/// `x/z` modulo p for each `[x, z]`, below p; none of the z is 0.
fn quotients_of(
    engine: &Engine,
    numbers: &[(&PreparedEdwardsCurve, [&BoxedUint; 2])],
) -> Result<Vec<BoxedUint>, EngineError> {
    let curves: Vec<_> = numbers.iter().map(|(curve, _)| *curve).collect();
    let shares = shares(&curves);
    let programs = shares
        .iter()
        .map(|share| division(share.curve, share.places.len()));
    let programs: Vec<_> = programs.collect::<Result<_, _>>()?;
    let jobs = shares.iter().zip(&programs).map(|(share, programs)| Job {
        programs,
        modulus: share.curve.p(),
        constants: None,
        inputs: share
            .places
            .iter()
            .flat_map(|&place| numbers[place].1)
            .collect(),
        scalars: Vec::new(),
    });
    let outcomes = engine.execute(&jobs.collect::<Vec<_>>())?;
    let quotients = scatter(&shares, outcomes, numbers.len()).into_iter();
    Ok(quotients.map(|mut x| (*x.swap_remove(0)).clone()).collect())
}

/// `x/z` modulo p for `sharing` pairs of inputs x and z.
fn division(curve: &PreparedEdwardsCurve, sharing: usize) -> Result<Arc<Programs>, EngineError> {
    let prime = curve.curve().prime();
    let key = ProgramKey {
        bits: curve.p().class(),
        kind: "edwards-division",
        parameters: vec![prime as u64, sharing as u64],
    };
    curve.engine().programs(key, |builder| {
        let bits = builder.bits();
        let (xs, zs): (Vec<Value>, Vec<Value>) = (0..sharing)
            .map(|_| (builder.input_unreduced(bits), builder.input(bits)))
            .unzip();
        let inverses = inverse::shared(builder, &zs, |builder, product| {
            prime.invert(builder, product)
        });
        for (x, inverse) in xs.into_iter().zip(inverses) {
            let quotient = builder.multiply(x, inverse);
            builder.output(quotient);
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ec::EdwardsCurve;
    use crate::ec::point::Point;
    use crypto_bigint::Resize;
    use sunzi_engine::Backend;

    /// `k P`.
    fn multiple(curve: &Parameters, k: &BoxedUint, point: &Point) -> Point {
        let mut sum = curve.multiples(point, 1).remove(0);
        for bit in (0..k.bits_vartime()).rev() {
            sum = curve.double_times(&sum, 1);
            if k.bit_vartime(bit) {
                sum = curve.add_all(&[(&sum, point)]).remove(0);
            }
        }
        sum
    }

    fn affine(point: &Point) -> Affine {
        let [x, y] = [&point.x, &point.y].map(super::super::super::field::Element::retrieve);
        Affine { x, y }
    }

    /// All points of small order: multiples, by the order of the base point, of points that have each y from 2 on, until one has
    /// them all.
    fn points_of_small_order(curve: &PreparedEdwardsCurve) -> Vec<Point> {
        let parameters = curve.parameters();
        let precision = parameters.field.p().bits_precision();
        let count = 1 << parameters.cofactor_bits;
        for y in 2u64.. {
            let y = BoxedUint::from(y).resize_unchecked(precision);
            let points = points_at(curve.engine(), &[(curve, &y, true)]).unwrap();
            let [Some(Affine { x, y })] = &points[..] else {
                continue;
            };
            let [x, y] = [x, y].map(|number| parameters.field.element(number).unwrap());
            let point = multiple(parameters, parameters.order.as_ref(), &Point { x, y });
            let points = parameters.multiples(&point, count);
            if (1..count).all(|k| points[k] != points[0]) {
                return points;
            }
        }
        unreachable!("a point has the order of the whole group")
    }

    /// Equations with points of small order on both sides hold or not as by the definition, with cofactor and without, in
    /// the form that is computed and as they are.
    #[test]
    fn parts_of_small_order() {
        let engine = Engine::new(Backend::best()).unwrap();
        for &edwards in EdwardsCurve::ALL {
            let curve = PreparedEdwardsCurve::new(&engine, edwards).unwrap();
            let parameters = curve.parameters();
            let small = points_of_small_order(&curve);
            let one = BoxedUint::one_with_precision(parameters.order.bits_precision());
            let most = parameters.order.as_ref().wrapping_sub(&one);
            // Without a short multiple of v: 0 and 1. The others fill the range.
            let zero = one.wrapping_sub(&one);
            let mut scalars = vec![(most.clone(), one), (zero, most)];
            for _ in 0..10 {
                let (_, scalar) = &scalars[scalars.len() - 1];
                let next = |scalar: &BoxedUint| {
                    let factor = [0x9e37_79b9_7f4a_7c15];
                    parameters.reduction.product(scalar.as_words(), &factor)
                };
                let u = next(scalar);
                let v = next(&u);
                scalars.push((u, v));
            }
            let g = &parameters.generator;
            let mut cases = Vec::new();
            for (place, (u, v)) in scalars.iter().enumerate() {
                for (k, of_q) in small.iter().enumerate() {
                    let q = parameters.add_all(&[(&parameters.double_times(g, 7), of_q)]);
                    let terms = [multiple(parameters, u, g), multiple(parameters, v, &q[0])];
                    let right = parameters.add_all(&[(&terms[0], &terms[1])]);
                    let of_r = &small[(place + k) % small.len()];
                    let wrong = parameters.add_all(&[(&right[0], of_r)]).remove(0);
                    let other = parameters.add_all(&[(&right[0], g)]).remove(0);
                    let points = [right[0].clone(), wrong, other];
                    let [strict, cofactored] =
                        [[true, *of_r == small[0], false], [true, true, false]];
                    for (i, r) in points.iter().map(affine).enumerate() {
                        let is_odd = r.x.bit_vartime(0);
                        let negative = Right::Negative(r.negated(edwards));
                        let encoding = Right::Encoding { y: r.y, is_odd };
                        let q = affine(&q[0]);
                        cases.push((u, v, q.clone(), encoding, strict[i]));
                        cases.push((u, v, q, negative, cofactored[i]));
                    }
                }
            }
            let equations: Vec<_> = cases
                .iter()
                .map(|(u, v, q, right, _)| Equation {
                    curve: &curve,
                    u,
                    v,
                    q,
                    right,
                    tables: None,
                })
                .collect();
            let expected: Vec<_> = cases.iter().map(|case| case.4).collect();
            let forms = forms(&engine, &equations, &vec![true; cases.len()]).unwrap();
            let is_halved = |form: &&Option<Form>| matches!(form, Some(Form::Halved { .. }));
            let halved = forms.iter().filter(is_halved).count();
            println!(
                "{edwards:?}: {halved} of {} equations are halved",
                forms.len()
            );
            assert!(
                halved > forms.len() / 2 && halved < forms.len(),
                "{edwards:?}"
            );
            // Batches for wide and for narrow windows.
            for batch in [forms.len(), BaseWindows::LARGEST_NARROW] {
                let (equations, expected) = (&equations[..batch], &expected[..batch]);
                for halves in [true, false] {
                    let answers = hold_in_forms(&engine, equations, &vec![halves; batch]);
                    assert_eq!(answers.unwrap(), expected, "{edwards:?}, halved: {halves}");
                }
                assert_eq!(hold(&engine, equations).unwrap(), expected, "{edwards:?}");
            }
        }
    }

    /// Reductions of an equation, the decoding of Q and an inversion apart.
    #[test]
    fn counts() {
        let engine = Engine::new(Backend::PORTABLE).unwrap();
        let wide = Some(BaseWindows::Wide);
        let narrow = Some(BaseWindows::Narrow);
        for (curve, test, windows, most) in [
            (EdwardsCurve::Edwards25519, Test::Halved, wide, 1741),
            (EdwardsCurve::Edwards25519, Test::Halved, narrow, 1790),
            (
                EdwardsCurve::Edwards25519,
                Test::HalvedCofactored,
                wide,
                1765,
            ),
            (EdwardsCurve::Edwards448, Test::HalvedCofactored, wide, 2926),
            (
                EdwardsCurve::Edwards448,
                Test::HalvedCofactored,
                narrow,
                3010,
            ),
            (EdwardsCurve::Edwards25519, Test::Encoding, wide, 2429),
            (EdwardsCurve::Edwards25519, Test::Cofactored, wide, 2462),
            (EdwardsCurve::Edwards448, Test::Cofactored, wide, 4250),
            (EdwardsCurve::Edwards25519, Test::Encoding, None, 554),
            (EdwardsCurve::Edwards25519, Test::Cofactored, None, 587),
            (EdwardsCurve::Edwards448, Test::Cofactored, None, 993),
        ] {
            let curve = PreparedEdwardsCurve::new(&engine, curve).unwrap();
            let base = windows.map_or_else(|| Base::Tables(curve.fixed_base()), Base::Windows);
            let programs = program(&curve, test, base).unwrap();
            let products = programs.program().counts().products;
            println!("{curve:?} {test:?} {windows:?}: {products}");
            assert!(products <= most, "{curve:?}: {products}");
        }
    }
}
