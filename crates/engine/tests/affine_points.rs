//! Sums of pairs of affine points, on every backend that adds points, beside big integers.

use std::sync::Arc;

use crypto_bigint::BoxedUint;
use num_bigint::BigUint;
use sunzi_engine::{AffinePoint, Backend, Engine, EngineError, Modulus};

/// Primes of many sizes, with and without code of their own.
const PRIMES: [&str; 11] = [
    // The largest below 2^64.
    "ffffffffffffffc5",
    "7fffffffffffffffffffffffffffffff",
    // BN254.
    "30644e72e131a029b85045b68181585d97816a916871ca8d3c208c16d87cfd47",
    // P-256, 2^255 - 19, secp256k1, brainpoolP256r1.
    "ffffffff00000001000000000000000000000000ffffffffffffffffffffffff",
    "7fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffed",
    "fffffffffffffffffffffffffffffffffffffffffffffffffffffffefffffc2f",
    "a9fb57dba1eea9bc3e660a909d838d726e3bf623d52620282013481d1f6e5377",
    // BLS12-381.
    "1a0111ea397fe69a4b1ba7b6434bacd764774b84f38512bf6730d2a0f6b0f6241eabfffeb153ffffb9feffffffffaaab",
    // P-384, 2^448 - 2^224 - 1, P-521.
    "fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffeffffffff0000000000000000ffffffff",
    "fffffffffffffffffffffffffffffffffffffffffffffffffffffffeffffffffffffffffffffffffffffffffffffffffffffffffffffffff",
    "1ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff",
];

/// A point, or none for infinity.
type Point = Option<[BigUint; 2]>;

/// A field, with a curve's coefficient a.
struct Field {
    p: BigUint,
    a: BigUint,
}

impl Field {
    fn less(&self, x: &BigUint, y: &BigUint) -> BigUint {
        (x + &self.p - y) % &self.p
    }

    fn negative(&self, y: &BigUint) -> BigUint {
        self.less(&BigUint::ZERO, y)
    }

    /// `P + Q` by the textbook. The formulas do not use b, so that any two points will do.
    fn sum(&self, [x1, y1]: &[BigUint; 2], [x2, y2]: &[BigUint; 2]) -> Point {
        let (height, width) = if x1 == x2 {
            if *y1 != *y2 || *y1 == BigUint::ZERO {
                return None;
            }
            ((x1 * x1 * 3u32 + &self.a) % &self.p, y1 * 2u32)
        } else {
            (self.less(y2, y1), self.less(x2, x1))
        };
        let slope = height * width.modinv(&self.p).expect("it is not 0") % &self.p;
        let x = self.less(&(&slope * &slope % &self.p), &((x1 + x2) % &self.p));
        let y = self.less(&(slope * self.less(x1, &x) % &self.p), y1);
        Some([x, y])
    }
}

fn boxed(x: &BigUint) -> BoxedUint {
    BoxedUint::from_be_slice_vartime(&x.to_bytes_be())
}

/// Random integers below p, the same in every run, with 0 and p - 1 among them.
fn numbers(p: &BigUint, count: usize) -> Vec<BigUint> {
    let mut state = BigUint::from(0x9e37_79b9_7f4a_7c15u64);
    let mut next = || {
        state = (&state * &state + 0x94d0_49bb_1331_11ebu64) % p;
        state.clone()
    };
    let ends = [BigUint::ZERO, p - 1u32];
    ends.into_iter().chain((2..count).map(|_| next())).collect()
}

/// Adds pairs of points of all kinds, twice: those that come in, and then sums and negatives.
fn check(engine: &Engine, modulus: &Arc<Modulus>, field: &Field, pairs: usize) -> bool {
    let a = boxed(&field.a);
    let Some(mut points) = engine.affine_points(modulus, &a).unwrap() else {
        return false;
    };
    assert!(points.is_empty());
    let numbers = numbers(&field.p, 2 * pairs + 8);
    let mut plain: Vec<[BigUint; 2]> = numbers
        .windows(2)
        .map(|pair| [pair[0].clone(), pair[1].clone()])
        .collect();
    // A point of order 2, and the negative of another one.
    plain.push([numbers[3].clone(), BigUint::ZERO]);
    plain.push([numbers[5].clone(), field.negative(&numbers[6])]);
    let (order_two, negative, opposite) = (plain.len() - 2, plain.len() - 1, 5);
    let entered: Vec<_> = plain
        .iter()
        .map(|point| point.each_ref().map(boxed))
        .collect();
    let entered: Vec<_> = entered.iter().map(|[x, y]| [x, y]).collect();
    let entered = points.enter(&entered);
    assert_eq!(points.len(), plain.len());

    // Every seventh pair is of one of these kinds.
    let special = [
        [opposite, negative],
        [opposite, opposite],
        [order_two, order_two],
        [order_two, opposite],
    ];
    let chosen: Vec<[usize; 2]> = (0..pairs)
        .map(|pair| match pair % 7 {
            6 => special[pair / 7 % special.len()],
            _ => [2 * pair, 2 * pair + 1],
        })
        .collect();
    let signed = |point: usize, is_negative: bool| -> (AffinePoint, [BigUint; 2]) {
        let [x, y] = plain[point].clone();
        if is_negative {
            (-entered[point], [x, field.negative(&y)])
        } else {
            (entered[point], [x, y])
        }
    };
    let both: Vec<_> = chosen
        .iter()
        .enumerate()
        .map(|(pair, [first, second])| {
            let bits = pair / 3;
            let (first, x) = signed(*first, bits & 1 == 1);
            let (second, y) = signed(*second, bits & 2 == 2);
            ([first, second], field.sum(&x, &y))
        })
        .collect();
    let (given, right): (Vec<_>, Vec<_>) = both.into_iter().unzip();
    let sums = points.add_pairs(&given).unwrap();
    compare(&mut points, &sums, &right);

    // Sums of sums: the negative of each with that of the next one.
    let finite = sums.iter().zip(&right).filter_map(|(sum, right)| {
        let [x, y] = right.as_ref()?;
        Some((-(*sum)?, [x.clone(), field.negative(y)]))
    });
    let finite: Vec<_> = finite.collect();
    let both = finite.windows(2).map(|pair| {
        let [(first, x), (second, y)] = pair else {
            unreachable!("windows of two");
        };
        ([*first, *second], field.sum(x, y))
    });
    let (given, right): (Vec<_>, Vec<_>) = both.unzip();
    let sums = points.add_pairs(&given).unwrap();
    compare(&mut points, &sums, &right);

    points.truncate(entered.len());
    assert_eq!(points.len(), entered.len());
    compare(&mut points, &[Some(entered[0])], &[Some(plain[0].clone())]);
    true
}

fn compare(
    points: &mut sunzi_engine::AffinePoints<'_>,
    sums: &[Option<AffinePoint>],
    right: &[Point],
) {
    assert_eq!(sums.len(), right.len());
    let finite: Vec<_> = sums.iter().flatten().copied().collect();
    let mut coordinates = points.leave(&finite).unwrap().into_iter();
    for (place, (sum, right)) in sums.iter().zip(right).enumerate() {
        let sum = sum.map(|_| coordinates.next().unwrap());
        let right = right.as_ref().map(|point| point.each_ref().map(boxed));
        assert_eq!(sum, right, "pair {place}");
    }
}

/// Pairs of points of all kinds, in numbers that straddle lanes and what shares an inversion.
#[test]
fn pairs_beside_integers() {
    let mut tested = 0;
    for &backend in Backend::ALL {
        let engine = match Engine::new(backend) {
            Ok(engine) => engine,
            Err(error) => {
                println!("{backend} is skipped: {error}");
                continue;
            }
        };
        for (index, prime) in PRIMES.into_iter().enumerate() {
            let p = BigUint::parse_bytes(prime.as_bytes(), 16).unwrap();
            let modulus = engine.modulus(&boxed(&p)).unwrap();
            let field = Field {
                a: if index % 2 == 0 {
                    &p - 3u32
                } else {
                    BigUint::ZERO
                },
                p,
            };
            let many = if index == 7 { 2100 } else { 65 };
            for pairs in [1, 7, 8, 9, many] {
                tested += u32::from(check(&engine, &modulus, &field, pairs));
            }
        }
    }
    assert!(tested > 0, "a backend with limbs adds points");
}

/// Refusals: of a foreign modulus, and of differences that have no inverse.
#[test]
fn refusals() {
    let engine = Engine::new(Backend::best()).unwrap();
    let composite = BoxedUint::from(3 * ((1u128 << 89) - 1));
    let modulus = engine.modulus(&composite).unwrap();
    let other = Engine::new(Backend::best()).unwrap();
    let foreign = other.affine_points(&modulus, &BoxedUint::zero());
    assert_eq!(
        foreign.err(),
        Some(EngineError::ForeignModulus { index: 0 })
    );
    let Some(mut points) = engine.affine_points(&modulus, &BoxedUint::zero()).unwrap() else {
        println!("skipped: this backend adds no points");
        return;
    };
    let [x, y, z] = [1u32, 4, 5].map(BoxedUint::from);
    let entered = points.enter(&[[&x, &y], [&y, &z], [&x, &z]]);
    let refused = points.add_pairs(&[[entered[0], entered[1]]]);
    assert!(
        matches!(refused, Err(EngineError::BadJob { .. })),
        "{refused:?}"
    );
    // The same x with another y that is not its negative: on no curve.
    let refused = points.add_pairs(&[[entered[0], entered[2]]]);
    assert!(matches!(refused, Ok(sums) if sums == [None]));
}
