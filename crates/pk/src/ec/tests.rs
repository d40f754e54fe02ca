//! The group law and scalar multiplication on small subgroups: of about a hundred points, with every pair, and every
//! scalar with every point; and of about a thousand, with every point and every scalar.
//!
//! Programs take moduli of 64 bits and more, so that curves of so few points have none. These have some 2^64
//! points, of which a small prime number are multiples of the base point.

mod group;

use super::curve::Curve;
use super::field::Element;
use super::formulas::{Coefficients, Homogeneous, Jacobian, powers};
use super::model::{Kind, Model, PointTable};
use super::multiply::{
    self, BASE_ENTRIES, BasePart, FixedBase, Formulas, PointPart, Tables, joint_bits, joint_scalar,
    variable_bits, variable_scalar,
};
use super::point::Point;
use crypto_bigint::BoxedUint;
use std::sync::Arc;
use sunzi_engine::program::{Builder, Scalar, Value};
use sunzi_engine::{Backend, Constants, Engine, Job, Modulus, Outcome, ProgramKey, Programs};
use zeroize::Zeroizing;

/// Curves over primes of 64 bits, with points of small prime order: `p, a, b, x, y` and the order.
const CURVES: [[u64; 6]; 3] = [
    [
        18_446_742_974_197_923_967,
        0,
        12,
        14_671_564_436_459_065_609,
        11_296_189_090_343_894_720,
        1117,
    ],
    [
        18_446_742_974_197_923_841,
        18_446_742_974_197_923_838,
        7_211_500_608_864_930_199,
        10_377_894_998_422_652_059,
        1_873_428_449_219_041_268,
        1181,
    ],
    [
        18_446_742_974_197_923_841,
        12_221_904_953_629_319_946,
        14_017_201_874_400_733_915,
        11_258_035_339_579_725_666,
        3_514_564_310_001_043_518,
        1217,
    ],
];

/// The same with fewer points.
const SMALL: [[u64; 6]; 3] = [
    [
        13_949_942_611_993_990_093,
        0,
        2,
        3_908_962_689_223_325_863,
        3_211_035_879_798_283_390,
        103,
    ],
    [
        10_590_642_983_848_278_011,
        10_590_642_983_848_278_008,
        9_128_781_908_530_469_458,
        2_773_775_171_655_692_648,
        1_787_586_671_418_740_089,
        97,
    ],
    [
        9_822_800_026_644_385_309,
        9_822_800_026_644_384_253,
        13_552,
        4_423_062_112_914_596_084,
        7_205_432_660_081_176_043,
        113,
    ],
];

struct Subject {
    engine: Engine,
    curve: Curve,
    model: Model,
    p: Arc<Modulus>,
    /// The multiples of the point, on the model; none at infinity.
    multiples: Vec<Option<[Element; 2]>>,
}

impl Subject {
    fn new(engine: &Engine, numbers: [u64; 6]) -> Self {
        let [p, a, b, x, y, order] = numbers.map(BoxedUint::from);
        let curve = Curve::unchecked([&p, &a, &b], [&x, &y], &order).unwrap();
        let model = Model::new(&curve);
        let add = |x: &Point, y: &Point| curve.add_all(&[(x, y)]).remove(0);
        let generator = curve.generator();
        let mut point = Some(generator.clone());
        let mut multiples = vec![None];
        while let Some(present) = point {
            let numbers = model.points(core::slice::from_ref(&present));
            let element = |k: usize| curve.field().element(&numbers[k].0).unwrap();
            multiples.push(Some([element(0), element(1)]));
            point = add(&present, generator);
        }
        assert_eq!(multiples.len() as u64, numbers[5]);
        Self {
            p: engine.modulus(&p).unwrap(),
            engine: engine.clone(),
            curve,
            model,
            multiples,
        }
    }

    fn order(&self) -> usize {
        self.multiples.len()
    }

    fn order_bits(&self) -> u32 {
        self.curve.order().as_ref().bits_vartime()
    }

    /// Multiple k as homogeneous coordinates with this Z, or Y at infinity.
    fn point(&self, k: usize, z: u64) -> [BoxedUint; 3] {
        let field = self.curve.field();
        let (z, zero) = (field.small(z), field.small(0));
        let coordinates = match &self.multiples[k] {
            Some([x, y]) => [x.mul(&z), y.mul(&z), z],
            None => [zero.clone(), z, zero],
        };
        coordinates.map(|coordinate| coordinate.retrieve())
    }

    fn programs(
        &self,
        kind: &'static str,
        parameter: u64,
        build: impl Fn(&mut Builder, &Coefficients) -> Homogeneous,
    ) -> Arc<Programs> {
        let key = ProgramKey {
            bits: self.p.class(),
            kind,
            parameters: vec![self.model.kind.number(), parameter],
        };
        let build = |builder: &mut Builder| {
            let curve = self.model.kind.declare(builder);
            let Homogeneous { x, y, z } = build(builder, &curve.coefficients);
            for coordinate in [x, y, z] {
                builder.output(coordinate);
            }
        };
        self.engine.programs(key, build).unwrap()
    }

    /// The constants of the curve, and those of tables of these points.
    fn constants(&self, tables: &[Vec<Point>]) -> Arc<Constants> {
        let mut numbers = self.model.constants();
        for points in tables {
            numbers.extend(self.model.points(points));
        }
        let numbers: Vec<_> = numbers.iter().map(|(x, form)| (x, *form)).collect();
        self.engine.constants(&self.p, &numbers).unwrap()
    }

    /// Runs a program on many inputs and scalars.
    fn run(
        &self,
        programs: &Arc<Programs>,
        constants: &Arc<Constants>,
        work: &[(Vec<BoxedUint>, Vec<BoxedUint>)],
    ) -> Vec<Outcome> {
        let jobs = work.iter().map(|(inputs, scalars)| Job {
            programs,
            modulus: &self.p,
            constants: Some(constants),
            inputs: inputs.iter().collect(),
            scalars: scalars.iter().collect(),
        });
        self.engine.execute(&jobs.collect::<Vec<_>>()).unwrap()
    }

    /// Whether the outcome is multiple k; none for (0, 0, 0).
    fn is(&self, outcome: &Outcome, k: usize) -> Option<bool> {
        let field = self.curve.field();
        let coordinate = |i: usize| field.element(&outcome.integers[i]).unwrap();
        let [x, y, z] = [0, 1, 2].map(coordinate);
        let [no_x, no_y, no_z] = [&x, &y, &z].map(|x| bool::from(x.is_zero()));
        if no_x && no_y && no_z {
            return None;
        }
        Some(match &self.multiples[k] {
            None => no_x && no_z,
            Some([right_x, right_y]) => !no_z && x == right_x.mul(&z) && y == right_y.mul(&z),
        })
    }
}

/// The engines of all backends that this processor has.
fn engines() -> impl Iterator<Item = Engine> {
    Backend::ALL.iter().filter_map(|&backend| {
        Engine::new(backend)
            .inspect_err(|error| println!("SKIPPED: {error}"))
            .ok()
    })
}

/// The step through the numbers: the best backend is tested with all numbers, each other one with some of them; all are
/// in `make test-long`.
pub(super) fn step(engine: &Engine) -> usize {
    if engine.backend() == Backend::best() {
        1
    } else {
        17
    }
}

/// The small subgroups on every backend that this processor has.
fn for_each_small_subject(test: impl Fn(&Subject)) {
    for engine in engines() {
        for numbers in SMALL {
            test(&Subject::new(&engine, numbers));
        }
    }
}

/// The larger subgroups on every backend that this processor has.
fn for_each_subject(test: impl Fn(&Subject)) {
    for engine in engines() {
        for numbers in CURVES {
            test(&Subject::new(&engine, numbers));
        }
    }
}

/// The subgroups have each kind of formulas.
#[test]
fn kinds() {
    let engine = Engine::new(Backend::PORTABLE).unwrap();
    let kinds =
        |curves: [[u64; 6]; 3]| curves.map(|numbers| Subject::new(&engine, numbers).model.kind);
    let others = [Kind::MinusThree, Kind::Other];
    assert_eq!(kinds(CURVES)[0], Kind::Zero(Some(36)));
    assert_eq!(kinds(SMALL)[0], Kind::Zero(Some(6)));
    assert_eq!(
        [kinds(CURVES)[1..].to_vec(), kinds(SMALL)[1..].to_vec()],
        [others, others]
    );
}

/// The sums of all pairs of points, that at infinity included, with entries of any Z and of Z = 1, and of all
/// points with themselves by doubling.
#[test]
fn every_sum() {
    for_each_small_subject(|subject| {
        let constants = subject.constants(&[]);
        let order = subject.order();
        let all = || (0..order).flat_map(|i| (0..order).map(move |j| (i, j)));
        for (inputs, programs) in [(6, addition(subject, true)), (5, addition(subject, false))] {
            // The point at infinity has no entry with Z = 1.
            let pairs: Vec<_> = all().filter(|(_, j)| inputs == 6 || *j > 0).collect();
            let work = pairs.iter().map(|&(i, j)| {
                let z = if inputs == 6 { 3 + i as u64 } else { 1 };
                let mut both = subject.point(i, 5 + j as u64).to_vec();
                both.extend_from_slice(&subject.point(j, z)[..inputs - 3]);
                (both, vec![])
            });
            let outcomes = subject.run(&programs, &constants, &work.collect::<Vec<_>>());
            for (&(i, j), outcome) in pairs.iter().zip(&outcomes) {
                let right = subject.is(outcome, (i + j) % order);
                assert_eq!(right, Some(true), "{i} + {j}, {inputs} inputs");
            }
        }
        let doubling = subject.programs("test-double", 1, |builder, curve| {
            let [x, y, z] = [(); 3].map(|()| builder.input(64));
            curve.double(builder, Homogeneous { x, y, z })
        });
        let work = all().map(|(i, z)| (subject.point(i, 1 + z as u64).to_vec(), vec![]));
        let outcomes = subject.run(&doubling, &constants, &work.collect::<Vec<_>>());
        for ((i, _), outcome) in all().zip(&outcomes) {
            assert_eq!(subject.is(outcome, 2 * i % order), Some(true), "2 {i}");
        }
    });
}

/// All multiples of all points by secret scalars.
#[test]
fn every_multiple() {
    for_each_small_subject(|subject| {
        let order = subject.order();
        let n = subject.curve.order();
        let bits = variable_bits(subject.order_bits());
        let programs = subject.programs("test-every-multiple", 0, |builder, curve| {
            let q = [(); 2].map(|()| builder.input(64));
            let k = builder.scalar("k", bits, true);
            multiply::variable_base(builder, curve, &whole(q, k, None), &mut Tables::default())
        });
        let pairs = (1..order).flat_map(|k| (1..order).map(move |q| (k, q)));
        let pairs: Vec<_> = pairs.collect();
        let work = pairs.iter().map(|&(k, q)| {
            let scalar = variable_scalar(&BoxedUint::from(k as u64), n);
            let point = subject.point(q, 1)[..2].to_vec();
            (point, vec![(*scalar).clone()])
        });
        let constants = subject.constants(&[]);
        let outcomes = subject.run(&programs, &constants, &work.collect::<Vec<_>>());
        for (&(k, q), outcome) in pairs.iter().zip(&outcomes) {
            assert_eq!(subject.is(outcome, k * q % order), Some(true), "{k} {q}");
        }
    });
}

/// A point and a scalar that is not split, and p - 2 if the point's multiples shall be affine.
fn whole(q: [Value; 2], k: Scalar, prime_less_two: Option<Scalar>) -> PointPart {
    PointPart {
        q,
        scalars: vec![k],
        beta: None,
        prime_less_two,
    }
}

/// Adds two points, the second with a Z of its own or with Z = 1.
fn addition(subject: &Subject, with_z: bool) -> Arc<Programs> {
    subject.programs("test-add", u64::from(!with_z), |builder, curve| {
        let [x, y, z] = [(); 3].map(|()| builder.input(64));
        let other = [(); 2].map(|()| builder.input(64));
        let other_z = with_z.then(|| builder.input(64));
        let entry = curve.entry(builder, other, other_z);
        curve.add(builder, Homogeneous { x, y, z }, &entry)
    })
}

/// Every point plus points that make every special case, and all sums of small multiples; entries with
/// Z = 1 and others.
#[test]
fn additions() {
    for_each_subject(|subject| {
        let [full, affine] = [true, false].map(|with_z| addition(subject, with_z));
        let constants = subject.constants(&[]);
        let order = subject.order();
        let special = |i: usize| [0, 1, 2, 500, order - 1, i, (order - i) % order];
        let pairs = (0..order).flat_map(|i| special(i).map(|j| (i, j)));
        let small = (0..40).flat_map(|i| (0..40).map(move |j| (i, j)));
        let pairs: Vec<(usize, usize)> = pairs.chain(small).collect();
        for (programs, is_affine) in [(&full, false), (&affine, true)] {
            let pairs: Vec<_> = pairs.iter().filter(|(_, j)| !is_affine || *j > 0).collect();
            let work: Vec<_> = pairs
                .iter()
                .map(|&&(i, j)| {
                    let entry = subject.point(j, if is_affine { 1 } else { 3 + i as u64 });
                    let mut inputs = subject.point(i, 5 + j as u64).to_vec();
                    inputs.extend_from_slice(&entry[..if is_affine { 2 } else { 3 }]);
                    (inputs, vec![])
                })
                .collect();
            let outcomes = subject.run(programs, &constants, &work);
            for (&&(i, j), outcome) in pairs.iter().zip(&outcomes) {
                let sum = (i + j) % order;
                assert_eq!(subject.is(outcome, sum), Some(true), "{i} + {j}");
            }
        }
    });
}

/// All points doubled, once without exceptions, and in Jacobian coordinates, where only the point at infinity is not
/// decided.
#[test]
fn doublings() {
    for_each_subject(|subject| {
        let order = subject.order();
        let constants = subject.constants(&[]);
        let work: Vec<_> = (0..order)
            .map(|i| (subject.point(i, 7 + i as u64).to_vec(), vec![]))
            .collect();
        for times in 0..=5u32 {
            let programs = subject.programs("test-double", times.into(), |builder, curve| {
                let [x, y, z] = [(); 3].map(|()| builder.input(64));
                if times == 0 {
                    return curve.double(builder, Homogeneous { x, y, z });
                }
                let [_, square, _] = powers(builder, z);
                let x = builder.multiply(x, z);
                let y = builder.multiply(y, square);
                let doubled = curve.double_jacobian(builder, Jacobian { x, y, z }, times);
                doubled.to_homogeneous(builder)
            });
            let outcomes = subject.run(&programs, &constants, &work);
            for (i, outcome) in outcomes.iter().enumerate() {
                let right = subject.is(outcome, (i << times.max(1)) % order);
                let undecided = times > 0 && i == 0;
                assert_eq!(right, (!undecided).then_some(true), "2^{times} {i}");
            }
        }
    });
}

/// Every `step`-th scalar of G and of Q in `u G + v Q`: right where it is decided, and always without exceptions.
fn check_joint_multiplications(subject: &Subject, step: usize) {
    let order = subject.order();
    let generator = subject.curve.generator();
    let table = subject.curve.odd_multiples(generator, BASE_ENTRIES);
    let constants = subject.constants(&[table]);
    // Q is 5 G, G or -G.
    let points = [5, 1, order - 1];
    let some = [
        0,
        1,
        2,
        16,
        31,
        32,
        33,
        512,
        order / 2,
        order - 2,
        order - 1,
    ];
    let triples = points.iter().flat_map(|&q| {
        let all = || (0..order).step_by(step);
        let of_g = all().flat_map(move |u| some.map(|v| (q, u, v)));
        of_g.chain(all().flat_map(move |v| some.map(|u| (q, u, v))))
    });
    let triples: Vec<_> = triples.collect();
    let n = subject.curve.order();
    let all = |scalar: fn(&BoxedUint, &BoxedUint) -> Zeroizing<BoxedUint>| -> Vec<BoxedUint> {
        (0..order as u64)
            .map(|k| (*scalar(&BoxedUint::from(k), n)).clone())
            .collect()
    };
    let (base_scalars, scalars) = (all(joint_scalar), all(variable_scalar));
    let work: Vec<_> = triples
        .iter()
        .map(|&(q, u, v)| {
            let scalars = vec![base_scalars[u].clone(), scalars[v].clone()];
            (subject.point(q, 1)[..2].to_vec(), scalars)
        })
        .collect();
    let less_two = subject
        .curve
        .field()
        .p()
        .wrapping_sub(BoxedUint::from(2u32));
    let methods = [
        (Formulas::Fast, false),
        (Formulas::Complete, false),
        (Formulas::Fast, true),
    ];
    for (formulas, is_affine) in methods {
        let complete = formulas == Formulas::Complete;
        let parameter = u64::from(complete) + 2 * u64::from(is_affine);
        let programs = subject.programs("test-joint", parameter, |builder, curve| {
            let table = PointTable::declare(builder, BASE_ENTRIES);
            let q = [(); 2].map(|()| builder.input(64));
            let u = builder.scalar("u", joint_bits(subject.order_bits()), false);
            let v = builder.scalar("v", variable_bits(subject.order_bits()), false);
            let base = BasePart {
                tables: &[table],
                scalar: u,
            };
            let less_two = is_affine.then(|| builder.scalar("p - 2", 64, false));
            let point = whole(q, v, less_two);
            multiply::joint(builder, curve, base, &point, formulas)
        });
        let mut work = work.clone();
        if is_affine {
            for (_, scalars) in &mut work {
                scalars.push(less_two.clone());
            }
        }
        let outcomes = subject.run(&programs, &constants, &work);
        let mut unknown = 0;
        for (&(q, u, v), outcome) in triples.iter().zip(&outcomes) {
            match subject.is(outcome, (u + v * q) % order) {
                // The first digits of these scalars are 1 or -1, so that for G and -G most sums meet an equal or opposite
                // summand, and some do for 5 G, in so small a group.
                None if !complete => unknown += usize::from(q == 5),
                right => assert_eq!(
                    right,
                    Some(true),
                    "{u} G + {v} {q} G, {formulas:?}, {is_affine}"
                ),
            }
        }
        assert!(10 * unknown < triples.len(), "{unknown}");
    }
}

#[test]
fn joint_multiplications() {
    for engine in engines() {
        for numbers in CURVES {
            check_joint_multiplications(&Subject::new(&engine, numbers), step(&engine));
        }
    }
}

#[test]
#[ignore = "takes minutes: all scalars on every backend, of which a part is in every run"]
fn joint_multiplications_on_every_backend() {
    for_each_subject(|subject| check_joint_multiplications(subject, 1));
}

/// All multiples of the base point by secret scalars, by the digits that compute and those that check.
#[test]
fn base_multiples() {
    for_each_subject(|subject| {
        let fixed = FixedBase::of(&subject.engine);
        let bits = fixed.bits(subject.order_bits());
        let windows = fixed.windows(subject.order_bits());
        let (curve, n) = (&subject.curve, subject.curve.order());
        let tables: Vec<Vec<Point>> = (0..windows)
            .map(|window| {
                let base = curve.double_times(curve.generator(), window * fixed.width());
                curve.odd_multiples(&base.unwrap(), fixed.entries())
            })
            .collect();
        let constants = subject.constants(&tables);
        let programs = subject.programs("test-fixed-base", 0, |builder, curve| {
            let tables: Vec<PointTable> = (0..windows)
                .map(|_| PointTable::declare(builder, fixed.entries()))
                .collect();
            let scalar = builder.scalar("k", bits, true);
            let windows = (fixed, subject.order_bits());
            multiply::fixed_base(builder, curve, &tables, windows, &[scalar])[0]
        });
        for digits in [FixedBase::scalar, FixedBase::other_scalar] {
            let work: Vec<_> = (0..subject.order() as u64)
                .map(|k| {
                    let scalar = digits(fixed, &BoxedUint::from(k), n);
                    (vec![], vec![(*scalar).clone()])
                })
                .collect();
            let outcomes = subject.run(&programs, &constants, &work);
            for (k, outcome) in outcomes.iter().enumerate() {
                assert_eq!(subject.is(outcome, k), Some(true), "{k}");
            }
        }
    });
}

/// Every `step`-th of all multiples of some points by secret scalars, and of all points times some scalars; every result
/// satisfies the curve's equation. The doublings fail nowhere.
fn check_variable_multiples(step: impl Fn(&Engine) -> usize) {
    for_each_subject(|subject| {
        let order = subject.order();
        let bits = variable_bits(subject.order_bits());
        let constants = subject.constants(&[]);
        let n = subject.curve.order();
        let scalars: Vec<BoxedUint> = (0..order as u64)
            .map(|k| (*variable_scalar(&BoxedUint::from(k), n)).clone())
            .collect();
        let key = |is_affine: bool| ProgramKey {
            bits: subject.p.class(),
            kind: "test-variable-base",
            parameters: vec![subject.model.kind.number(), is_affine.into()],
        };
        let build = |builder: &mut Builder, is_affine: bool| {
            let curve = subject.model.kind.declare(builder).coefficients;
            let q = [(); 2].map(|()| builder.input(64));
            let k = builder.scalar("k", bits, true);
            let less_two = is_affine.then(|| builder.scalar("p - 2", 64, false));
            let (point, tables) = (whole(q, k, less_two), &mut Tables::default());
            let multiple = multiply::variable_base(builder, &curve, &point, tables);
            let equation = curve.equation(builder, multiple);
            builder.is_zero(equation);
            for coordinate in [multiple.x, multiple.y, multiple.z] {
                builder.output(coordinate);
            }
        };
        let less_two = subject
            .curve
            .field()
            .p()
            .wrapping_sub(BoxedUint::from(2u32));
        let some = [1, 2, 3, 5, 16, order / 2, order - 2, order - 1];
        let all = || 1..order;
        let pairs = all().flat_map(|k| some.map(|q| (k, q)));
        let pairs = pairs.chain(all().flat_map(|q| some.map(|k| (k, q))));
        let pairs: Vec<(usize, usize)> = pairs.step_by(step(&subject.engine)).collect();
        for is_affine in [false, true] {
            let programs = subject
                .engine
                .programs(key(is_affine), |b| build(b, is_affine));
            let less_two = is_affine.then_some(&less_two);
            let work = pairs.iter().map(|&(k, q)| {
                let scalars = [&scalars[k]].into_iter().chain(less_two).cloned();
                (subject.point(q, 1)[..2].to_vec(), scalars.collect())
            });
            let work: Vec<_> = work.collect();
            let outcomes = subject.run(&programs.unwrap(), &constants, &work);
            for (&(k, q), outcome) in pairs.iter().zip(&outcomes) {
                assert_eq!(subject.is(outcome, k * q % order), Some(true), "{k} {q}");
                assert_eq!(outcome.flags, [true], "{k} {q}");
            }
        }
    });
}

#[test]
fn variable_multiples() {
    check_variable_multiples(step);
}

#[test]
#[ignore = "takes long: all multiples on every backend, of which a part is in every run"]
fn variable_multiples_on_every_backend() {
    check_variable_multiples(|_| 1);
}

/// The equation holds for points of the curve with any Z, and not for others.
#[test]
fn equation() {
    for_each_subject(|subject| {
        let key = ProgramKey {
            bits: subject.p.class(),
            kind: "test-equation",
            parameters: vec![subject.model.kind.number()],
        };
        let build = |builder: &mut Builder| {
            let curve = subject.model.kind.declare(builder).coefficients;
            let [x, y, z] = [(); 3].map(|()| builder.input(64));
            let equation = curve.equation(builder, Homogeneous { x, y, z });
            builder.is_zero(equation);
        };
        let programs = subject.engine.programs(key, build).unwrap();
        let constants = subject.constants(&[]);
        let mut work = Vec::new();
        for k in 0..subject.order() {
            let right = subject.point(k, 3 + k as u64);
            work.push((right.to_vec(), vec![]));
            for coordinate in 0..3 {
                let mut wrong = right.to_vec();
                wrong[coordinate] = wrong[coordinate].bitxor(&BoxedUint::from(1u32));
                work.push((wrong, vec![]));
            }
        }
        let outcomes = subject.run(&programs, &constants, &work);
        let holds: Vec<bool> = outcomes.iter().map(|outcome| outcome.flags[0]).collect();
        // At infinity, (0 : Y : 0), another Y is that point, too.
        assert_eq!(holds[..4], [true, false, true, false]);
        for (k, holds) in holds.chunks(4).enumerate().skip(1) {
            assert_eq!(holds, [true, false, false, false], "{k}");
        }
    });
}
