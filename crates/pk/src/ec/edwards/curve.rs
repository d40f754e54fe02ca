//! The parameters of twisted Edwards curves, and arithmetic with public points, one at a time, for making
//! tables.

use super::super::field::{Element, Field};
use super::super::point::Point;
use super::chains::Prime;
use super::reduction::Reduction;
use core::fmt;
use core::str::FromStr;
use crypto_bigint::{BoxedUint, Odd, Resize};
use der::asn1::ObjectIdentifier;
use std::sync::LazyLock;

/// A twisted Edwards curve of RFC 7748, on which EdDSA signs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum EdwardsCurve {
    /// `-x^2 + y^2 = 1 + d x^2 y^2` modulo `2^255 - 19`, the curve of Ed25519.
    Edwards25519,
    /// `x^2 + y^2 = 1 + d x^2 y^2` modulo `2^448 - 2^224 - 1`, the curve of Ed448.
    Edwards448,
}

impl EdwardsCurve {
    /// All curves of this type.
    pub const ALL: &'static [Self] = &[Self::Edwards25519, Self::Edwards448];

    /// The name in RFC 7748: `edwards25519`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Edwards25519 => "edwards25519",
            Self::Edwards448 => "edwards448",
        }
    }

    /// The object identifier of the algorithm of its keys, Ed25519 or Ed448 (RFC 8410, section
    /// 3).
    pub fn oid(self) -> ObjectIdentifier {
        ObjectIdentifier::new_unwrap(match self {
            Self::Edwards25519 => "1.3.101.112",
            Self::Edwards448 => "1.3.101.113",
        })
    }

    pub(in crate::ec) fn parameters(self) -> &'static Parameters {
        match self {
            Self::Edwards25519 => &EDWARDS25519,
            Self::Edwards448 => &EDWARDS448,
        }
    }

    pub(in crate::ec) fn prime(self) -> Prime {
        match self {
            Self::Edwards25519 => Prime::P25519,
            Self::Edwards448 => Prime::P448,
        }
    }

    /// Length of the prime in bits.
    pub fn bits(self) -> u32 {
        match self {
            Self::Edwards25519 => 255,
            Self::Edwards448 => 448,
        }
    }

    /// Length of an encoded point, of a private key, and of each half of a signature, in bytes.
    pub fn encoded_bytes(self) -> usize {
        match self {
            Self::Edwards25519 => 32,
            Self::Edwards448 => 57,
        }
    }
}

impl fmt::Display for EdwardsCurve {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// No curve has this name.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("there is no twisted Edwards curve named {0:?}: choose edwards25519 or edwards448")]
pub struct UnknownEdwardsCurve(pub String);

impl FromStr for EdwardsCurve {
    type Err = UnknownEdwardsCurve;

    /// The curve of this name; `Ed25519` and `Ed448` mean the curves of these signatures. Case does
    /// not matter.
    fn from_str(name: &str) -> Result<Self, UnknownEdwardsCurve> {
        let known = |names: [&str; 2]| names.iter().any(|known| known.eq_ignore_ascii_case(name));
        if known(["edwards25519", "ed25519"]) {
            Ok(Self::Edwards25519)
        } else if known(["edwards448", "ed448"]) {
            Ok(Self::Edwards448)
        } else {
            Err(UnknownEdwardsCurve(name.into()))
        }
    }
}

/// The coefficient a.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::ec) enum CoefficientA {
    One,
    MinusOne,
}

/// The parameters of a curve.
pub(in crate::ec) struct Parameters {
    pub(in crate::ec) field: Field,
    pub(in crate::ec) a: CoefficientA,
    pub(in crate::ec) d: Element,
    /// The base point.
    pub(in crate::ec) generator: Point,
    /// The order of the base point, a prime.
    pub(in crate::ec) order: Odd<BoxedUint>,
    /// The cofactor is 2 to this power: the number of points is the order times it.
    pub(in crate::ec) cofactor_bits: u32,
    /// The number of points.
    pub(super) points: BoxedUint,
    /// Reduction of public numbers modulo the order.
    pub(in crate::ec) reduction: Reduction,
}

static EDWARDS25519: LazyLock<Parameters> = LazyLock::new(|| {
    let numbers = [
        "7fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffed",
        "52036cee2b6ffe738cc740797779e89800700a4d4141d8ab75eb4dca135978a3",
        "216936d3cd6e53fec0a4e231fdd6dc5c692cc7609525a7b2c9562d608f25d51a",
        "6666666666666666666666666666666666666666666666666666666666666658",
        "1000000000000000000000000000000014def9dea2f79cd65812631a5cf5d3ed",
    ];
    named(CoefficientA::MinusOne, numbers, 3)
});

static EDWARDS448: LazyLock<Parameters> = LazyLock::new(|| {
    let numbers = [
        "fffffffffffffffffffffffffffffffffffffffffffffffffffffffe\
         ffffffffffffffffffffffffffffffffffffffffffffffffffffffff",
        "fffffffffffffffffffffffffffffffffffffffffffffffffffffffe\
         ffffffffffffffffffffffffffffffffffffffffffffffffffff6756",
        "4f1970c66bed0ded221d15a622bf36da9e146570470f1767ea6de324\
         a3d3a46412ae1af72ab66511433b80e18b00938e2626a82bc70cc05e",
        "693f46716eb6bc248876203756c9c7624bea73736ca3984087789c1e\
         05a0c2d73ad3ff1ce67c39c4fdbd132c4ed7c8ad9808795bf230fa14",
        "3fffffffffffffffffffffffffffffffffffffffffffffffffffffff\
         7cca23e9c44edb49aed63690216cc2728dc58f552378c292ab5844f3",
    ];
    named(CoefficientA::One, numbers, 2)
});

fn named(a: CoefficientA, hex: [&str; 5], cofactor_bits: u32) -> Parameters {
    const VALID: &str = "the parameters of named curves are valid";
    let numbers = hex.map(|hex| BoxedUint::from_str_radix_vartime(hex, 16).expect(VALID));
    let [p, d, x, y, order] = &numbers;
    Parameters::new(a, [p, d, x, y], order, cofactor_bits).expect(VALID)
}

impl Parameters {
    /// The curve with the prime p, the coefficient d, and the base point (x, y), unless numbers are out
    /// of range or the point is not on it.
    pub(in crate::ec) fn new(
        a: CoefficientA,
        [p, d, x, y]: [&BoxedUint; 4],
        order: &BoxedUint,
        cofactor_bits: u32,
    ) -> Option<Self> {
        let odd = |x: &BoxedUint| -> Option<Odd<BoxedUint>> {
            let bits = x.bits_vartime().next_multiple_of(64);
            Option::from(x.resize_unchecked(bits).into_odd())
        };
        let field = Field::new(&odd(p)?);
        let generator = Point {
            x: field.element(x)?,
            y: field.element(y)?,
        };
        let order = odd(order)?;
        let parameters = Self {
            a,
            d: field.element(d)?,
            generator,
            points: order.as_ref().shl_vartime(cofactor_bits)?,
            reduction: Reduction::new(&order),
            order,
            cofactor_bits,
            field,
        };
        (parameters.contains(&parameters.generator)).then_some(parameters)
    }

    /// Length of the order in bits.
    pub(in crate::ec) fn order_bits(&self) -> u32 {
        self.order.as_ref().bits_vartime()
    }

    /// `a x`.
    fn times_a(&self, x: &Element) -> Element {
        match self.a {
            CoefficientA::One => x.clone(),
            CoefficientA::MinusOne => x.neg(),
        }
    }

    /// Whether `a x^2 + y^2 = 1 + d x^2 y^2`.
    pub(super) fn contains(&self, point: &Point) -> bool {
        let (xx, yy) = (point.x.square(), point.y.square());
        let right = xx.mul(&yy).mul(&self.d).add(&self.field.small(1));
        self.times_a(&xx).add(&yy) == right
    }

    /// `x + y` for every pair, with a single inversion:
    /// `(x1 y2 + y1 x2)/(1 + e)` and `(y1 y2 - a x1 x2)/(1 - e)` with `e = d x1 x2 y1 y2`.
    pub(in crate::ec) fn add_all(&self, pairs: &[(&Point, &Point)]) -> Vec<Point> {
        let one = self.field.small(1);
        let denominators = pairs.iter().flat_map(|(p, q)| {
            let e = p.x.mul(&q.x).mul(&p.y).mul(&q.y).mul(&self.d);
            [one.add(&e), one.sub(&e)]
        });
        let inverses = self.field.invert_all(&denominators.collect::<Vec<_>>());
        let sums = pairs
            .iter()
            .zip(inverses.chunks(2))
            .map(|((p, q), inverse)| {
                let x = p.x.mul(&q.y).add(&p.y.mul(&q.x));
                let y = p.y.mul(&q.y).sub(&self.times_a(&p.x.mul(&q.x)));
                Point {
                    x: x.mul(&inverse[0]),
                    y: y.mul(&inverse[1]),
                }
            });
        sums.collect()
    }

    /// `2^times P`.
    pub(super) fn double_times(&self, point: &Point, times: u32) -> Point {
        (0..times).fold(point.clone(), |point, _| {
            self.add_all(&[(&point, &point)]).remove(0)
        })
    }

    /// `0, P, 2 P, ...`, `count` of them.
    pub(super) fn multiples(&self, point: &Point, count: usize) -> Vec<Point> {
        let neutral = Point {
            x: self.field.small(0),
            y: self.field.small(1),
        };
        let mut multiples = vec![neutral, point.clone()];
        while multiples.len() < count {
            // The largest one, added to all from P on.
            let largest = multiples[multiples.len() - 1].clone();
            let pairs: Vec<_> = multiples[1..]
                .iter()
                .map(|point| (point, &largest))
                .collect();
            let sums = self.add_all(&pairs);
            multiples.extend(sums);
        }
        multiples.truncate(count);
        multiples
    }

    /// `P, 3 P, 5 P, ...`, `count` of them.
    pub(super) fn odd_multiples(&self, point: &Point, count: usize) -> Vec<Point> {
        let mut multiples = vec![point.clone()];
        let mut step = self.double_times(point, 1);
        while multiples.len() < count {
            // Twice as many times P as there are multiples.
            let pairs: Vec<_> = multiples.iter().map(|point| (point, &step)).collect();
            let sums = self.add_all(&pairs);
            multiples.extend(sums);
            step = self.double_times(&step, 1);
        }
        multiples.truncate(count);
        multiples
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Base points are on their curves and have their orders; d is no square.
    #[test]
    fn parameters() {
        for curve in EdwardsCurve::ALL {
            let parameters = curve.parameters();
            assert_eq!(curve.name().parse(), Ok(*curve));
            assert!(parameters.contains(&parameters.generator));
            assert!(parameters.field.sqrt(&parameters.d).is_none());
            let mut sum: Option<Point> = None;
            for i in (0..parameters.order_bits()).rev() {
                sum = sum.map(|sum| parameters.double_times(&sum, 1));
                if parameters.order.as_ref().bit_vartime(i) {
                    sum = Some(match sum {
                        None => parameters.generator.clone(),
                        Some(sum) => parameters
                            .add_all(&[(&sum, &parameters.generator)])
                            .remove(0),
                    });
                }
            }
            let sum = sum.unwrap();
            assert!(bool::from(sum.x.is_zero()) && sum.y == parameters.field.small(1));
        }
        assert!("edwards256".parse::<EdwardsCurve>().is_err());
    }
}
