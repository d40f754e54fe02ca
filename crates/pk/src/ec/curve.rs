//! Curves `y^2 = x^3 + a x + b` over prime fields, and the conditions on their parameters.

use super::field::{Element, Field};
use super::named::{NAMED, Named};
use super::pairing::{Family, PAIRING_CURVES};
use super::point::{Point, PointError};
use core::fmt;
use core::str::FromStr;
use crypto_bigint::{BoxedUint, ConcatenatingSquare, Odd, Resize};
use crypto_primes::{Flavor, is_prime};
use der::asn1::ObjectIdentifier;
use std::sync::{Arc, LazyLock};

/// Length in bits of the shortest prime that a curve may have.
pub const MIN_BITS: u32 = 160;
/// Length in bits of the longest prime that a curve may have.
pub const MAX_BITS: u32 = 521;
/// The order n of the base point must not divide `p^k - 1` for any k up to this, so that pairings do
/// not carry discrete logarithms into a small field (SEC 1, section 3.1.1.2.1).
pub const MIN_EMBEDDING_DEGREE: u32 = 100;

/// An elliptic curve `y^2 = x^3 + a x + b` over a prime field, with a base point of prime order;
/// cheap to clone.
///
/// Named curves come by [`FromStr`], [`Curve::ALL_NAMES`], [`Curve::PAIRING_NAMES`] or their object identifiers; others by
/// [`Curve::new`], which checks their parameters. Two curves are equal if their parameters are.
#[derive(Clone)]
pub struct Curve(Arc<Parameters>);

struct Parameters {
    name: Option<&'static str>,
    oid: Option<ObjectIdentifier>,
    field: Field,
    a: Element,
    b: Element,
    generator: Point,
    order: Odd<BoxedUint>,
    family: Option<Family>,
}

/// The reason why a curve is refused.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum CurveError {
    /// No curve has this name.
    #[error("there is no curve named {0:?}: choose one of {known}", known = names())]
    Unknown(String),
    /// The prime has the wrong length.
    #[error("the curve's prime has {0} bits: {MIN_BITS} to {MAX_BITS} are supported")]
    Size(u32),
    /// The modulus is not prime.
    #[error("the curve's modulus is not prime")]
    NotPrime,
    /// A coefficient is not below the prime.
    #[error("the coefficient {0} is not below the curve's prime")]
    Coefficient(char),
    /// `4 a^3 + 27 b^2 = 0`: the curve is singular.
    #[error("4 a^3 + 27 b^2 = 0: the curve is singular")]
    Singular,
    /// The base point is not a point of the curve.
    #[error("the base point: {0}")]
    BasePoint(#[from] PointError),
    /// The order of the base point is not a prime.
    #[error("the order of the base point is not prime")]
    OrderNotPrime,
    /// The order is so far from the prime that other points have another order.
    #[error(
        "the order is not that of all points: |n - (p + 1)| must be at most 2 sqrt(p), and curves with \
         a cofactor are not supported"
    )]
    Cofactor,
    /// The base point has another order.
    #[error("the base point times the order is not the point at infinity")]
    WrongOrder,
    /// The order is the prime: discrete logarithms are easy (Smart, 1999).
    #[error("the order is the curve's prime: discrete logarithms are easy")]
    Anomalous,
    /// The embedding degree is small.
    #[error(
        "the order divides p^{0} - 1: pairings make discrete logarithms easy below degree \
         {MIN_EMBEDDING_DEGREE}"
    )]
    EmbeddingDegree(u32),
}

fn names() -> String {
    Curve::ALL_NAMES.join(", ")
}

static CURVES: LazyLock<Vec<Curve>> =
    LazyLock::new(|| NAMED.iter().map(|named| from_named(named, None)).collect());

static PAIRING: LazyLock<Vec<Curve>> = LazyLock::new(|| {
    let curves = PAIRING_CURVES.iter();
    curves
        .map(|(named, family)| from_named(named, Some(*family)))
        .collect()
});

fn from_named(named: &Named, family: Option<Family>) -> Curve {
    const VALID: &str = "the parameters of named curves are valid";
    let [p, a, b, x, y, order] = [named.p, named.a, named.b, named.x, named.y, named.order]
        .map(|hex| BoxedUint::from_str_radix_vartime(hex, 16).ok());
    let numbers = (|| Some([p?, a?, b?, x?, y?, order?]))().expect(VALID);
    let oid = named
        .oid
        .map(|oid| ObjectIdentifier::new(oid).expect(VALID));
    let [p, a, b, x, y, order] = &numbers;
    let curve = Curve::assembled([p, a, b], [x, y], order, |parameters| Parameters {
        name: Some(named.name),
        oid,
        family,
        ..parameters
    });
    curve.expect(VALID)
}

impl Curve {
    /// The names of all named curves on which keys are made.
    pub const ALL_NAMES: &'static [&'static str] = &{
        let mut names = [""; NAMED.len()];
        let mut k = 0;
        while k < NAMED.len() {
            names[k] = NAMED[k].name;
            k += 1;
        }
        names
    };

    /// The names of pairing-friendly curves. Keys are not made on them; they have [group
    /// elements](super::GroupElement).
    pub const PAIRING_NAMES: &'static [&'static str] = &{
        let mut names = [""; PAIRING_CURVES.len()];
        let mut k = 0;
        while k < names.len() {
            names[k] = PAIRING_CURVES[k].0.name;
            k += 1;
        }
        names
    };

    /// The named curve with this object identifier.
    pub fn from_oid(oid: &ObjectIdentifier) -> Option<Self> {
        let mut curves = CURVES.iter();
        curves
            .find(|curve| curve.0.oid.as_ref() == Some(oid))
            .cloned()
    }

    /// The curve `y^2 = x^3 + a x + b` modulo the prime p with the base point (x, y), whose order is
    /// the prime `order`, the number of all points of the curve. Takes milliseconds.
    ///
    /// # Errors
    /// The [`CurveError`] that names the condition which the parameters break.
    pub fn new(
        [p, a, b]: [&BoxedUint; 3],
        base_point: [&BoxedUint; 2],
        order: &BoxedUint,
    ) -> Result<Self, CurveError> {
        let bits = p.bits_vartime();
        if !(MIN_BITS..=MAX_BITS).contains(&bits) {
            return Err(CurveError::Size(bits));
        }
        if !is_prime(Flavor::Any, p) {
            return Err(CurveError::NotPrime);
        }
        let curve = Self::unchecked([p, a, b], base_point, order)?;
        let field = curve.field();
        let (cube, square) = (curve.a().square().mul(curve.a()), curve.b().square());
        let discriminant = (cube.mul(&field.small(4))).add(&square.mul(&field.small(27)));
        if discriminant.is_zero().into() {
            return Err(CurveError::Singular);
        }
        curve.check_range_of_order()?;
        if !is_prime(Flavor::Any, order) {
            return Err(CurveError::OrderNotPrime);
        }
        curve.check_order()?;
        let known = CURVES.iter().find(|known| **known == curve);
        Ok(known.cloned().unwrap_or(curve))
    }

    /// Checks that the order is within `2 sqrt(p)` of `p + 1`, as the number of points is by Hasse's theorem; there
    /// is no other multiple of the order in this range. All other checks take the longer the longer the order is: a
    /// test whether it is prime takes minutes for 10,000 bits.
    fn check_range_of_order(&self) -> Result<(), CurveError> {
        let (p, n) = (self.field().p(), self.order());
        // Not even n / 2 is below p.
        if n.bits_vartime() > p.bits_vartime() + 1 {
            return Err(CurveError::Cofactor);
        }
        let precision = p.bits_precision().max(n.bits_precision()) + 64;
        let [p, n] = [p, n.as_ref()].map(|x| x.resize_unchecked(precision));
        let points = p.wrapping_add(BoxedUint::one());
        let distance = if n > points {
            n.wrapping_sub(&points)
        } else {
            points.wrapping_sub(&n)
        };
        // |n - (p + 1)|^2 <= 4 p.
        let square = distance.concatenating_square();
        let limit = p.resize_unchecked(square.bits_precision()).shl(2);
        if square > limit {
            return Err(CurveError::Cofactor);
        }
        Ok(())
    }

    /// Checks that the order is a prime, and of no use for attacks, and that it is the order of the base
    /// point.
    fn check_order(&self) -> Result<(), CurveError> {
        if self.field().p().cmp_vartime(self.order().as_ref()).is_eq() {
            return Err(CurveError::Anomalous);
        }
        if self
            .multiply_vartime(self.order(), self.generator())
            .is_some()
        {
            return Err(CurveError::WrongOrder);
        }
        let field = Field::new(&self.0.order);
        let order = self.order();
        let residue = self.field().p().rem_vartime(order.as_nz_ref());
        let p = field.element(&residue).ok_or(CurveError::OrderNotPrime)?;
        let mut power = p.clone();
        for degree in 1..MIN_EMBEDDING_DEGREE {
            if power == field.small(1) {
                return Err(CurveError::EmbeddingDegree(degree));
            }
            power = power.mul(&p);
        }
        Ok(())
    }

    /// A curve without a name whose primes are known to be prime.
    pub(super) fn unchecked(
        coefficients: [&BoxedUint; 3],
        base_point: [&BoxedUint; 2],
        order: &BoxedUint,
    ) -> Result<Self, CurveError> {
        Self::assembled(coefficients, base_point, order, |parameters| parameters)
    }

    /// The same curve with the further parameters that `add` adds.
    fn assembled(
        [p, a, b]: [&BoxedUint; 3],
        [x, y]: [&BoxedUint; 2],
        order: &BoxedUint,
        add: impl FnOnce(Parameters) -> Parameters,
    ) -> Result<Self, CurveError> {
        let odd = |x: &BoxedUint| -> Option<Odd<BoxedUint>> {
            let bits = x.bits_vartime().next_multiple_of(64);
            Option::from(x.resize_unchecked(bits).into_odd())
        };
        let field = Field::new(&odd(p).ok_or(CurveError::NotPrime)?);
        let coefficient = |name, x| field.element(x).ok_or(CurveError::Coefficient(name));
        let (a, b) = (coefficient('a', a)?, coefficient('b', b)?);
        let coordinate = |name, x| field.element(x).ok_or(PointError::Coordinate(name));
        let generator = Point {
            x: coordinate('x', x)?,
            y: coordinate('y', y)?,
        };
        let curve = Self(Arc::new(add(Parameters {
            name: None,
            oid: None,
            a,
            b,
            generator,
            order: odd(order).ok_or(CurveError::OrderNotPrime)?,
            field,
            family: None,
        })));
        curve.point(x, y)?;
        Ok(curve)
    }

    /// The usual name, if it has one.
    pub fn name(&self) -> Option<&'static str> {
        self.0.name
    }

    /// The object identifier, if it has one.
    pub fn oid(&self) -> Option<ObjectIdentifier> {
        self.0.oid
    }

    /// Length of the prime in bits.
    pub fn bits(&self) -> u32 {
        self.field().bits()
    }

    /// The prime p, and the coefficients a and b.
    pub fn parameters(&self) -> [BoxedUint; 3] {
        [
            self.field().p().clone(),
            self.a().retrieve(),
            self.b().retrieve(),
        ]
    }

    /// The order of the base point: a prime.
    pub fn order(&self) -> &Odd<BoxedUint> {
        &self.0.order
    }

    /// Length of the order, and so of a private key and of each half of a signature, in bytes.
    pub fn order_bytes(&self) -> usize {
        self.order().as_ref().bits_vartime().div_ceil(8) as usize
    }

    /// Whether there are points outside the subgroup of the base point.
    pub(super) fn has_cofactor(&self) -> bool {
        matches!(self.family(), Some(Family::BarretoLynnScott { .. }))
    }

    /// The family of the curve, if it is pairing-friendly.
    pub(super) fn family(&self) -> Option<Family> {
        self.0.family
    }

    pub(super) fn field(&self) -> &Field {
        &self.0.field
    }

    pub(super) fn a(&self) -> &Element {
        &self.0.a
    }

    pub(super) fn b(&self) -> &Element {
        &self.0.b
    }

    pub(super) fn generator(&self) -> &Point {
        &self.0.generator
    }
}

impl PartialEq for Curve {
    fn eq(&self, other: &Self) -> bool {
        let numbers = |curve: &Self| {
            let Parameters {
                field,
                a,
                b,
                generator,
                order,
                ..
            } = &*curve.0;
            let coordinates = [a, b, &generator.x, &generator.y].map(Element::retrieve);
            (field.p().clone(), coordinates, order.clone())
        };
        Arc::ptr_eq(&self.0, &other.0) || numbers(self) == numbers(other)
    }
}

impl Eq for Curve {}

impl FromStr for Curve {
    type Err = CurveError;

    /// The named curve, for keys or pairing-friendly; `secp256r1` and `prime256v1` mean P-256. Case does
    /// not matter.
    fn from_str(name: &str) -> Result<Self, CurveError> {
        let matches = |named: &Named| {
            let mut names = named.other_names.iter().chain([&named.name]);
            names.any(|known| known.eq_ignore_ascii_case(name))
        };
        let mut pairing = PAIRING_CURVES.iter().map(|(named, _)| named);
        match (NAMED.iter().position(matches), pairing.position(matches)) {
            (Some(place), _) => Ok(CURVES[place].clone()),
            (None, Some(place)) => Ok(PAIRING[place].clone()),
            (None, None) => Err(CurveError::Unknown(name.into())),
        }
    }
}

impl fmt::Display for Curve {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.name() {
            Some(name) => f.write_str(name),
            None => write!(f, "a curve over a prime of {} bits", self.bits()),
        }
    }
}

impl fmt::Debug for Curve {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Curve({self})")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hex(digits: &str) -> BoxedUint {
        BoxedUint::from_str_radix_vartime(digits, 16).unwrap()
    }

    fn rebuilt(named: &Named) -> Result<Curve, CurveError> {
        let Named {
            p,
            a,
            b,
            x,
            y,
            order,
            ..
        } = *named;
        let [p, a, b, x, y, order] = [p, a, b, x, y, order].map(hex);
        Curve::new([&p, &a, &b], [&x, &y], &order)
    }

    /// Every named curve passes all checks, and is found by its parameters, name and identifier.
    #[test]
    fn named_curves() {
        for named in NAMED {
            let curve = rebuilt(named).unwrap_or_else(|error| panic!("{}: {error}", named.name));
            assert_eq!(curve.name(), Some(named.name));
            assert_eq!(named.name.parse(), Ok(curve.clone()));
            assert_eq!(Curve::from_oid(&curve.oid().unwrap()), Some(curve));
        }
        assert_eq!("Secp256R1".parse::<Curve>().unwrap().name(), Some("P-256"));
        let unknown = "P-255".parse::<Curve>().unwrap_err().to_string();
        assert!(unknown.contains("P-256, P-384"), "{unknown}");
    }

    /// `2^bits - 1` in hexadecimal digits.
    fn mersenne(bits: usize) -> String {
        let top = (1 << (bits % 4)) - 1;
        format!("{top:x}{}", "f".repeat(bits / 4))
    }

    #[test]
    fn bad_parameters() {
        let p256 = NAMED.iter().find(|named| named.name == "P-256").unwrap();
        let numbers = || [p256.p, p256.a, p256.b, p256.x, p256.y, p256.order].map(hex);
        let refused = |change: &dyn Fn(&mut [BoxedUint; 6])| {
            let mut numbers = numbers();
            change(&mut numbers);
            let [p, a, b, x, y, order] = &numbers;
            Curve::new([p, a, b], [x, y], order).unwrap_err()
        };
        let one = BoxedUint::one();
        assert_eq!(
            refused(&|n| n[0] = hex("ffffffffffffffffffffffffffffff61")),
            CurveError::Size(128)
        );
        assert_eq!(
            refused(&|n| n[0] = n[0].wrapping_sub(&one)),
            CurveError::NotPrime
        );
        assert_eq!(
            refused(&|n| n[1] = n[0].clone()),
            CurveError::Coefficient('a')
        );
        let not_on_curve = CurveError::BasePoint(PointError::NotOnCurve);
        assert_eq!(refused(&|n| n[2] = n[2].wrapping_add(&one)), not_on_curve);
        assert_eq!(
            refused(&|n| n[5] = n[5].wrapping_sub(hex("2"))),
            CurveError::OrderNotPrime
        );
        // Another prime near the order.
        let wrong = refused(&|n| {
            n[5] = n[5].wrapping_sub(&one);
            while !is_prime(Flavor::Any, &n[5]) {
                n[5] = n[5].wrapping_sub(&one);
            }
        });
        assert_eq!(wrong, CurveError::WrongOrder);
        let far = refused(&|n| n[5] = hex(NAMED[0].order));
        assert_eq!(far, CurveError::Cofactor);
        // Composite and out of range: the range comes first. Tests of the two long ones, which are prime, take
        // from seconds to minutes.
        for bits in [250, 258, 259, 4423, 9689] {
            let far = refused(&|n| n[5] = hex(&mersenne(bits)));
            assert_eq!(far, CurveError::Cofactor, "2^{bits} - 1");
        }
        // y^2 = x^3 is singular, and (1, 1) is on it.
        let zero = BoxedUint::zero();
        let singular = refused(&|n| {
            (n[1], n[2]) = (zero.clone(), zero.clone());
            (n[3], n[4]) = (one.clone(), one.clone());
        });
        assert_eq!(singular, CurveError::Singular);
    }

    /// Curves of prime order on which logarithms are easy: with as many points as the field has elements (complex
    /// multiplication by -11, p = 11 m (m + 1) + 3), and of embedding degrees 4 and 6 (MNT4-298 and MNT6-298 of
    /// Ben-Sasson, Chiesa, Tromer and Virza, "Scalable zero knowledge via cycles of elliptic curves", 2014; each
    /// has the other's prime as its order).
    #[test]
    fn weak_curves() {
        let anomalous = [
            "144d432ad638a4f079f1f31d1d449a34aacb0321b6e1094de995a99d8dd4762c1",
            "ff8626ea3c411a8beeaf93013394a48c6f25701593d9bfacbb20cc9d4bc07778",
            "3e12b3b7b1a7f75abf6aa6badb9fe1ef65de3a053de0f8d39ef7aa75e8bdd965",
            "87b0b125ec1d7da0a6eb8c9ebd69fe29d76d4330f1446beab0c11fdecb91ce37",
            "19dae94679aa4fcb03cb811033c75f93b4c5e55902c02a5a6d7211cffb441fb8",
            "144d432ad638a4f079f1f31d1d449a34aacb0321b6e1094de995a99d8dd4762c1",
        ];
        let mnt4 = [
            "3bcf7bcd473a266249da7b0548ecaeec9635d1330ea41a9e35e51200e12c90cd65a71660001",
            "2",
            "3545a27639415585ea4d523234fc3edd2a2070a085c7b980f4e9cd21a515d4b0ef528ec0fd5",
            "d3fd4235992edcf451a1afe878b33e968617959ce3f1f65a8de5271007814e8a25f2dd97f",
            "1cc70dff6f9483c1117407e972cb3d1ae24027902f6d4003de46abb6085c8ed3857f509280e",
            "3bcf7bcd473a266249da7b0548ecaeec9635cf44194fb494c07925d6ad3bb4334a400000001",
        ];
        let mnt6 = [
            mnt4[5],
            "b",
            "d68c7b1dc5dd042e957b71c44d3d6c24e683fc09b420b1a2d263fde47ddba59463d0c65282",
            "a363b229f1c4069545de11cc9dea959c212e9c82b1478c281d687c966c377b9aa2bb2edb20",
            "12ef881b645f90995aaa1045319bcae24f2a467636cd52ca0482b47223fded51266e539b01",
            mnt4[0],
        ];
        for (numbers, refused) in [
            (anomalous, CurveError::Anomalous),
            (mnt4, CurveError::EmbeddingDegree(4)),
            (mnt6, CurveError::EmbeddingDegree(6)),
        ] {
            let [p, a, b, x, y, order] = &numbers.map(hex);
            let curve = Curve::unchecked([p, a, b], [x, y], order).unwrap();
            let multiple = curve.multiply_vartime(order, curve.generator());
            assert!(multiple.is_none(), "{refused}");
            assert_eq!(Curve::new([p, a, b], [x, y], order), Err(refused));
        }
    }
}
