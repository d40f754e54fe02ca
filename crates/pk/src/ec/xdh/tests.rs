//! The ladder on whole small groups: every scalar with every point, those of even order included.

use super::ladder::{A24, ladder};
use super::multiples::differences;
use crate::ec::edwards::curve::{CoefficientA, Parameters};
use crate::ec::field::Field;
use crypto_bigint::BoxedUint;
use sunzi_engine::{Backend, Engine, Job, ProgramKey};

/// Montgomery curves over primes of 64 bits: A, and of the Edwards curve with `a = -1` or 1 that is
/// birational to it p, d, and a point (x, y) of the given order, an odd prime times the cofactor.
const CURVES: [(u32, CoefficientA, [u64; 5]); 2] = [
    (
        114,
        CoefficientA::MinusOne,
        [
            18_446_744_073_709_551_557,
            3_180_473_116_156_819_233,
            11_760_348_761_115_845_345,
            11_741_179_006_657_488_640,
            41 * 8,
        ],
    ),
    (
        258,
        CoefficientA::One,
        [
            18_446_744_073_709_551_427,
            851_388_188_017_363_913,
            8_947_489_428_353_456_684,
            1_188_636_318_775_366_529,
            47 * 4,
        ],
    ),
];

/// u of all multiples of a point, `u = (1 + y)/(1 - y)`, and 0 for the point at infinity.
fn multiples((_, a, numbers): &(u32, CoefficientA, [u64; 5])) -> (BoxedUint, Vec<BoxedUint>) {
    let [p, d, x, y, order] = numbers.map(BoxedUint::from);
    let curve = Parameters::new(*a, [&p, &d, &x, &y], &BoxedUint::one(), 0).unwrap();
    let field = &curve.field;
    let one = field.small(1);
    let mut point = curve.generator.clone();
    let mut us = vec![BoxedUint::zero_with_precision(64)];
    for _ in 1..order.as_words()[0] {
        let inverse = Field::invert(&one.sub(&point.y)).unwrap();
        us.push(one.add(&point.y).mul(&inverse).retrieve());
        point = curve.add_all(&[(&point, &curve.generator)]).remove(0);
    }
    assert!(point.y == one);
    (p, us)
}

#[test]
fn every_multiple_of_every_point() {
    const BITS: u32 = 9;
    for engine in [Backend::best(), Backend::PORTABLE].map(|backend| Engine::new(backend).unwrap())
    {
        for curve in &CURVES {
            let (p, us) = multiples(curve);
            let field = Field::new(&p.clone().into_odd().unwrap());
            let modulus = engine.modulus(&p).unwrap();
            let a24 = (curve.0 - 2) / 4;
            for is_small in [true, false] {
                let key = ProgramKey {
                    bits: 64,
                    kind: "test-ladder",
                    parameters: vec![a24.into(), is_small.into()],
                };
                let programs = engine.programs(key, |builder| {
                    let a24 = if is_small {
                        A24::new(builder, a24)
                    } else {
                        let constant = builder.common(&a24.into());
                        let square = builder.montgomery_square();
                        A24 {
                            integer: a24,
                            value: Some(builder.multiply(constant, square)),
                        }
                    };
                    let u = builder.input(64);
                    let k = builder.scalar("k", BITS + 1, true);
                    let end = ladder(builder, a24, u, k, BITS);
                    builder.output(end.x2);
                    builder.output(end.z2);
                    let relation = end.relation(builder, a24, u);
                    builder.is_zero(relation);
                });
                let programs = programs.unwrap();
                let scalars: Vec<_> = (0..us.len() as u16)
                    .map(|k| differences(&k.to_le_bytes()))
                    .collect();
                let pairs = (0..us.len()).flat_map(|i| (0..us.len()).map(move |k| (i, k)));
                let pairs: Vec<_> = pairs.collect();
                let jobs = pairs.iter().map(|&(i, k)| Job {
                    programs: &programs,
                    modulus: &modulus,
                    constants: None,
                    inputs: vec![&us[i]],
                    scalars: vec![&scalars[k]],
                });
                let outcomes = engine.execute(&jobs.collect::<Vec<_>>()).unwrap();
                for (&(i, k), outcome) in pairs.iter().zip(&outcomes) {
                    let [x, z] = [0, 1].map(|n| field.element(&outcome.integers[n]).unwrap());
                    let right = field.element(&us[i * k % us.len()]).unwrap();
                    // 0 stands for the point at infinity, too.
                    let is_infinite = bool::from(z.is_zero());
                    assert!(is_infinite || x == right.mul(&z), "{k} {i} P");
                    assert!(!is_infinite || bool::from(right.is_zero()), "{k} {i} P");
                    assert!(outcome.flags[0], "{k} {i} P");
                }
            }
        }
    }
}
