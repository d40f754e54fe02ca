//! The group law and scalar multiplication on whole small subgroups, with their points of even order: every point,
//! every pair and every scalar is tested.

use super::curve::{CoefficientA, Parameters};
use super::formulas::{Extended, Projective};
use super::multiply::{
    self, BaseWindows, HALF_WIDTH, PointTable, WIDTH, declare_joint_tables, point_bits,
    point_scalar,
};
use crate::ec::multiply::FixedBase;
use crate::ec::point::Point;
use crate::ec::tests::step;
use crypto_bigint::BoxedUint;
use std::sync::Arc;
use sunzi_engine::program::Builder;
use sunzi_engine::{Backend, Constants, Engine, Job, Modulus, Outcome, ProgramKey, Programs};

/// Curves over primes of 64 bits: p, d, and a point (x, y) of an order that is the odd prime times the
/// cofactor. a is -1 for the first two, and 1 for the others.
const CURVES: [[u64; 6]; 4] = [
    [
        18_446_744_073_709_551_557,
        28,
        621_761_626_826_543_754,
        8_120_819_618_877_423_036,
        41,
        8,
    ],
    [
        18_446_744_073_709_551_557,
        149,
        8_584_808_446_896_866_181,
        16_644_212_792_424_564_521,
        919,
        8,
    ],
    [
        18_446_744_073_709_551_427,
        65,
        11_877_980_826_342_525_235,
        5_265_999_917_372_566_853,
        47,
        4,
    ],
    [
        18_446_744_073_709_551_427,
        23,
        9_222_339_215_695_478_060,
        5_968_623_465_392_805_195,
        1117,
        4,
    ],
];

struct Subject {
    engine: Engine,
    /// Its base point has the odd order.
    curve: Parameters,
    cofactor: usize,
    p: Arc<Modulus>,
    /// All multiples of the point.
    multiples: Vec<Point>,
}

impl Subject {
    fn new(engine: &Engine, place: usize) -> Self {
        let [p, d, x, y, order, cofactor] = CURVES[place];
        let a = [CoefficientA::MinusOne, CoefficientA::One][place / 2];
        let [p, d, x, y, odd_order] = [p, d, x, y, order].map(BoxedUint::from);
        let bits = cofactor.ilog2();
        let mut curve = Parameters::new(a, [&p, &d, &x, &y], &odd_order, bits).unwrap();
        let point = curve.generator.clone();
        let neutral = Point {
            x: curve.field.small(0),
            y: curve.field.small(1),
        };
        let mut multiples = vec![neutral];
        for k in 1..(order * cofactor) as usize {
            let next = curve.add_all(&[(&multiples[k - 1], &point)]).remove(0);
            assert!(next != multiples[0]);
            multiples.push(next);
        }
        curve.generator = multiples[cofactor as usize].clone();
        Self {
            p: engine.modulus(&p).unwrap(),
            engine: engine.clone(),
            curve,
            cofactor: cofactor as usize,
            multiples,
        }
    }

    /// The number of points.
    fn points(&self) -> usize {
        self.multiples.len()
    }

    /// The order of the base point.
    fn order(&self) -> usize {
        self.points() / self.cofactor
    }

    /// Multiple k as X, Y and Z with this Z.
    fn point(&self, k: usize, z: u64) -> Vec<BoxedUint> {
        let z = self.curve.field.small(z);
        let Point { x, y } = &self.multiples[k];
        let coordinates = [x.mul(&z), y.mul(&z), z];
        coordinates.map(|coordinate| coordinate.retrieve()).to_vec()
    }

    fn programs(
        &self,
        kind: &'static str,
        build: impl Fn(&mut Builder) -> Extended,
    ) -> Arc<Programs> {
        let key = ProgramKey {
            bits: self.p.class(),
            kind,
            parameters: vec![self.curve.a as u64, self.curve.order_bits().into()],
        };
        let build = |builder: &mut Builder| {
            let point = build(builder);
            for coordinate in [point.x, point.y, point.z, point.t] {
                builder.output(coordinate);
            }
        };
        self.engine.programs(key, build).unwrap()
    }

    fn constants(&self, numbers: &[(BoxedUint, i32)]) -> Arc<Constants> {
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

    /// Whether the outcome is multiple k, and its T right.
    fn is(&self, outcome: &Outcome, k: usize) -> bool {
        let coordinate = |i: usize| self.curve.field.element(&outcome.integers[i]).unwrap();
        let [x, y, z, t] = [0, 1, 2, 3].map(coordinate);
        let right = &self.multiples[k];
        let is_zero = bool::from(z.is_zero());
        !is_zero && x == right.x.mul(&z) && y == right.y.mul(&z) && x.mul(&y) == t.mul(&z)
    }
}

fn for_each_subject(places: &[usize], test: impl Fn(&Subject)) {
    for &backend in Backend::ALL {
        let engine = match Engine::new(backend) {
            Ok(engine) => engine,
            Err(error) => {
                println!("SKIPPED: {error}");
                continue;
            }
        };
        for &place in places {
            test(&Subject::new(&engine, place));
        }
    }
}

fn input_point(builder: &mut Builder, [x, y, z]: [sunzi_engine::program::Value; 3]) -> Extended {
    // (X Z : Y Z : Z^2) has the T X Y.
    let [xz, yz, zz] = [x, y, z].map(|coordinate| builder.fitting_product(coordinate, z));
    Extended {
        x: xz,
        y: yz,
        z: zz,
        t: builder.fitting_product(x, y),
    }
}

/// Every `step`-th of all pairs of points of the small groups, as entries with any Z, and with Z = 1.
fn check_additions(step: impl Fn(&Engine) -> usize) {
    for_each_subject(&[0, 2], |subject| {
        let a = subject.curve.a;
        let full = subject.programs("test-add", |builder| {
            let d = builder.own_constant(1);
            let numbers = [(); 6].map(|()| builder.input(64));
            let [point, other] = [[0, 1, 2], [3, 4, 5]].map(|k| k.map(|k| numbers[k]));
            let [point, other] = [point, other].map(|numbers| input_point(builder, numbers));
            let entry = a.entry(builder, d, &other);
            a.add_with_t(builder, &point, &entry)
        });
        let affine = subject.programs("test-add-affine", |builder| {
            let d = builder.own_constant(1);
            let numbers = [(); 5].map(|()| builder.input(64));
            let point = input_point(builder, [0, 1, 2].map(|k| numbers[k]));
            let other = Projective {
                x: numbers[3],
                y: numbers[4],
                z: builder.montgomery_one(),
            };
            let other = other.with_affine_t(builder);
            let entry = a.affine_entry(builder, d, &other);
            a.add_with_t(builder, &point, &entry)
        });
        let constants = subject.constants(&[subject.curve.coefficient()]);
        let points = subject.points();
        let pairs: Vec<_> = (0..points)
            .flat_map(|i| (0..points).map(move |j| (i, j)))
            .step_by(step(&subject.engine))
            .collect();
        for (programs, is_affine) in [(&full, false), (&affine, true)] {
            let work: Vec<_> = pairs
                .iter()
                .map(|&(i, j)| {
                    let mut inputs = subject.point(i, 5 + j as u64);
                    let entry = subject.point(j, if is_affine { 1 } else { 3 + i as u64 });
                    inputs.extend_from_slice(&entry[..if is_affine { 2 } else { 3 }]);
                    (inputs, vec![])
                })
                .collect();
            let outcomes = subject.run(programs, &constants, &work);
            for (&(i, j), outcome) in pairs.iter().zip(&outcomes) {
                assert!(subject.is(outcome, (i + j) % points), "{i} + {j}");
            }
        }
    });
}

#[test]
fn additions() {
    check_additions(step);
}

#[test]
#[ignore = "takes long: all pairs on every backend, of which a part is in every run"]
fn additions_on_every_backend() {
    check_additions(|_| 1);
}

/// All points doubled.
#[test]
fn doublings() {
    for_each_subject(&[0, 1, 2, 3], |subject| {
        let a = subject.curve.a;
        let constants = subject.constants(&[]);
        let programs = subject.programs("test-double", |builder| {
            let numbers = [(); 3].map(|()| builder.input(64));
            let point = input_point(builder, numbers);
            let Extended { x, y, z, .. } = point;
            a.double_with_t(builder, Projective { x, y, z }, 1)
        });
        let points = subject.points();
        let work: Vec<_> = (0..points)
            .map(|k| (subject.point(k, 7 + k as u64), vec![]))
            .collect();
        let outcomes = subject.run(&programs, &constants, &work);
        for (k, outcome) in outcomes.iter().enumerate() {
            assert!(subject.is(outcome, 2 * k % points), "2 {k}");
        }
    });
}

/// All scalars of G with all of Q in `u G + v Q`, for every Q, also of even order.
#[test]
fn joint_multiplications() {
    joint_multiplications_in(BaseWindows::Wide, WIDTH);
    joint_multiplications_in(BaseWindows::Narrow, HALF_WIDTH);
}

fn joint_multiplications_in(windows: BaseWindows, width: u32) {
    for_each_subject(&[0, 2], |subject| {
        let Subject { curve, .. } = subject;
        let constants = subject.constants(&curve.joint_table(windows));
        let kind = match windows {
            BaseWindows::Wide => "test-joint-wide",
            BaseWindows::Narrow => "test-joint-narrow",
        };
        let bits = [
            windows.bits(curve.order_bits()),
            point_bits(curve.order_bits(), width),
        ];
        let programs = subject.programs(kind, |builder| {
            let d = builder.own_constant(1);
            let tables = declare_joint_tables(builder, windows, curve.order_bits());
            let q = [(); 2].map(|()| builder.input(64));
            let [u, v] = [("u", bits[0]), ("v", bits[1])]
                .map(|(name, bits)| builder.scalar(name, bits, false));
            let base = (windows, &tables[..], u);
            let sum = multiply::joint(builder, (curve.a, d), base, (width, &[(q, v)]));
            sum.point(builder)
        });
        let (points, order) = (subject.points(), subject.order());
        let some = [1, 2, subject.cofactor, points / 2, points - 1];
        let all_scalars = some
            .iter()
            .flat_map(|&q| (0..order).flat_map(move |u| (0..order).map(move |v| (q, u, v))));
        let all_points = (0..points).flat_map(|q| (0..order).map(move |v| (q, order - v - 1, v)));
        let triples: Vec<_> = all_scalars.chain(all_points).collect();
        let scalar = |k: usize| BoxedUint::from(k as u64);
        let work: Vec<_> = triples
            .iter()
            .map(|&(q, u, v)| {
                let u = windows.scalar(&scalar(u), curve);
                let v = point_scalar(&scalar(v), curve.order_bits(), width);
                (subject.point(q, 1)[..2].to_vec(), vec![u, v])
            })
            .collect();
        let outcomes = subject.run(&programs, &constants, &work);
        for (&(q, u, v), outcome) in triples.iter().zip(&outcomes) {
            let right = (u * subject.cofactor + v * q) % points;
            assert!(subject.is(outcome, right), "{u} G + {v} {q} P");
        }
    });
}

/// All multiples of the base point by secret scalars, by the digits that compute and those that check.
#[test]
fn base_multiples() {
    for_each_subject(&[0, 1, 2, 3], |subject| {
        let Subject { curve, .. } = subject;
        let fixed = FixedBase::of(&subject.engine);
        let (order, order_bits) = (curve.order.as_ref(), curve.order_bits());
        let constants = subject.constants(&curve.fixed_base_tables(fixed));
        let programs = subject.programs("test-fixed-base", |builder| {
            let _d = builder.own_constant(1);
            let tables: Vec<_> = (0..fixed.windows(order_bits))
                .map(|_| PointTable::declare(builder, fixed.entries()))
                .collect();
            let scalar = builder.scalar("k", fixed.bits(order_bits), true);
            let points = multiply::fixed_base(builder, curve.a, &tables, (fixed, &[scalar]));
            let Projective { x, y, z } = points[0];
            input_point(builder, [x, y, z])
        });
        for digits in [FixedBase::scalar, FixedBase::other_scalar] {
            let work: Vec<_> = (0..subject.order() as u64)
                .map(|k| {
                    let scalar = digits(fixed, &BoxedUint::from(k), order);
                    (vec![], vec![(*scalar).clone()])
                })
                .collect();
            let outcomes = subject.run(&programs, &constants, &work);
            for (k, outcome) in outcomes.iter().enumerate() {
                assert!(subject.is(outcome, k * subject.cofactor), "{k}");
            }
        }
    });
}
