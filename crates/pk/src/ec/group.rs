//! Elements of a curve's group, and their multiples and sums.

use super::curve::Curve;
use super::field::Element;
use super::multi_scalar::{self, Sum, term_bits};
use super::point::{Point, PointError};
use super::prepared::PreparedCurve;
use core::fmt;
use crypto_bigint::BoxedUint;
use sunzi_engine::{Engine, EngineError};

/// An element of the group of prime order that a curve's base point generates: a point, or the point at
/// infinity. Cheap to clone. Not secret.
#[derive(Clone, PartialEq, Eq)]
pub struct GroupElement {
    curve: Curve,
    point: Option<Point>,
}

/// Why group elements are refused.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum GroupError {
    /// An element is of another curve than what it is used with.
    #[error("an element of {element} was given for {curve}")]
    OtherCurve {
        /// The element's curve.
        element: String,
        /// The curve that it was given for.
        curve: String,
    },
    /// No device of the engine could compute it.
    #[error("the engine failed: {0}")]
    Engine(#[from] EngineError),
}

impl GroupElement {
    /// The neutral element: the point at infinity.
    pub fn identity(curve: &Curve) -> Self {
        Self::of(curve, None)
    }

    /// The base point.
    pub fn generator(curve: &Curve) -> Self {
        Self::of(curve, Some(curve.generator().clone()))
    }

    pub(super) fn of(curve: &Curve, point: Option<Point>) -> Self {
        let curve = curve.clone();
        Self { curve, point }
    }

    /// The point with these coordinates.
    ///
    /// # Errors
    /// [`PointError::Coordinate`], [`PointError::NotOnCurve`].
    pub fn new(curve: &Curve, x: &BoxedUint, y: &BoxedUint) -> Result<Self, PointError> {
        Ok(Self::of(curve, Some(curve.point(x, y)?)))
    }

    /// Reads an element from its encoding (SEC 1, section 2.3.4): a point, uncompressed or compressed, or
    /// the byte 00 for the neutral element.
    ///
    /// # Errors
    /// The [`PointError`] that says what is wrong with it.
    pub fn from_sec1_bytes(curve: &Curve, bytes: &[u8]) -> Result<Self, PointError> {
        match curve.decode(bytes) {
            Ok(point) => Ok(Self::of(curve, Some(point))),
            Err(PointError::Infinity) => Ok(Self::identity(curve)),
            Err(error) => Err(error),
        }
    }

    /// The encoding (SEC 1, section 2.3.3); of the neutral element the byte 00.
    pub fn to_sec1_bytes(&self, compressed: bool) -> Vec<u8> {
        match &self.point {
            Some(point) => self.curve.encode(point, compressed),
            None => vec![0],
        }
    }

    /// The curve.
    pub fn curve(&self) -> &Curve {
        &self.curve
    }

    /// The coordinates x and y, below the curve's prime; none of the neutral element.
    pub fn coordinates(&self) -> Option<[BoxedUint; 2]> {
        let point = self.point.as_ref()?;
        Some([&point.x, &point.y].map(Element::retrieve))
    }

    /// Whether this is the neutral element.
    pub fn is_identity(&self) -> bool {
        self.point.is_none()
    }

    /// The inverse element: the point with `-y`.
    #[must_use]
    pub fn negated(&self) -> Self {
        let point = self.point.as_ref().map(|point| Point {
            x: point.x.clone(),
            y: point.y.neg(),
        });
        Self::of(&self.curve, point)
    }

    pub(super) fn check(&self, curve: &Curve) -> Result<(), GroupError> {
        if self.curve == *curve {
            return Ok(());
        }
        Err(GroupError::OtherCurve {
            element: self.curve.to_string(),
            curve: curve.to_string(),
        })
    }
}

impl fmt::Debug for GroupElement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let coordinates = self.coordinates();
        f.debug_struct("GroupElement")
            .field("curve", &self.curve)
            .field("coordinates", &coordinates)
            .finish()
    }
}

/// `P + Q` for every pair of elements of the curve, in the same order. All sums share an inversion.
///
/// # Errors
/// [`GroupError::OtherCurve`].
pub fn add_batch_vartime(
    curve: &Curve,
    pairs: &[(&GroupElement, &GroupElement)],
) -> Result<Vec<GroupElement>, GroupError> {
    for element in pairs.iter().flat_map(|(p, q)| [p, q]) {
        element.check(curve)?;
    }
    let points = pairs
        .iter()
        .filter_map(|(p, q)| Some((p.point.as_ref()?, q.point.as_ref()?)));
    let mut sums = curve.add_all(&points.collect::<Vec<_>>()).into_iter();
    let sum = |(p, q): &(&GroupElement, &GroupElement)| match (&p.point, &q.point) {
        (Some(_), Some(_)) => GroupElement::of(curve, sums.next().flatten()),
        (None, _) => (*q).clone(),
        (_, None) => (*p).clone(),
    };
    Ok(pairs.iter().map(sum).collect())
}

/// A sum `k_1 P_1 + ... + k_N P_N` to compute.
#[derive(Clone, Copy, Debug)]
pub struct SumRequest<'a> {
    /// The curve of all elements.
    pub curve: &'a PreparedCurve,
    /// Scalars k, reduced modulo the order if they are not below it, with elements P.
    pub terms: &'a [(&'a BoxedUint, &'a GroupElement)],
}

/// Sums of many multiples (multi-scalar multiplication), one answer for each request, in the same order. A
/// batch may mix curves.
///
/// By Pippenger's buckets: the more terms a sum has, the less each takes. Scalars may be 0, elements equal,
/// opposite or neutral. The time depends on scalars and elements.
pub fn multi_scalar_batch_vartime(
    engine: &Engine,
    requests: &[SumRequest<'_>],
) -> Vec<Result<GroupElement, GroupError>> {
    let checked: Vec<_> = requests.iter().map(check).collect();
    let possible = requests.iter().zip(&checked);
    let sums = possible.filter_map(|(request, checked)| checked.is_ok().then(|| sum(request)));
    let sums: Vec<_> = sums.collect();
    let mut points = match multi_scalar::sums(engine, &sums) {
        Ok(points) => points.into_iter(),
        Err(error) => {
            let failed = |()| Err(GroupError::Engine(error.clone()));
            return checked.into_iter().map(|c| c.and_then(failed)).collect();
        }
    };
    let answer = |(request, checked): (&SumRequest<'_>, Result<(), GroupError>)| {
        checked?;
        Ok(GroupElement::of(
            request.curve.curve(),
            points.next().flatten(),
        ))
    };
    requests.iter().zip(checked).map(answer).collect()
}

fn check(request: &SumRequest<'_>) -> Result<(), GroupError> {
    let mut elements = request.terms.iter().map(|(_, element)| element);
    elements.try_for_each(|element| element.check(request.curve.curve()))
}

fn sum<'a>(request: &SumRequest<'a>) -> Sum<'a> {
    let SumRequest { curve, terms } = *request;
    let order = curve.curve().order().as_nz_ref();
    let terms = terms.iter().filter_map(|(scalar, element)| {
        let point = element.point.as_ref()?;
        let scalar = scalar.rem_vartime(order);
        (!bool::from(scalar.is_zero())).then(|| multi_scalar::terms(curve, &scalar, point))
    });
    Sum {
        curve,
        bits: term_bits(curve),
        terms: terms.flatten().collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use sunzi_engine::Backend;

    /// The sum by doubling and adding, term by term.
    fn naive(curve: &Curve, terms: &[(&BoxedUint, &GroupElement)]) -> GroupElement {
        let start = GroupElement::identity(curve);
        terms.iter().fold(start, |sum, (k, element)| {
            let point = element.point.as_ref();
            let multiple = point.and_then(|point| curve.multiply_vartime(k, point));
            let multiple = GroupElement::of(curve, multiple);
            add_batch_vartime(curve, &[(&sum, &multiple)])
                .unwrap()
                .remove(0)
        })
    }

    fn element(curve: &Curve, k: u64) -> GroupElement {
        let point = curve.multiply_vartime(&BoxedUint::from(k), curve.generator());
        GroupElement::of(curve, point)
    }

    /// Scalars of all lengths, and the ends of their range.
    fn scalars(curve: &Curve, count: usize) -> Vec<BoxedUint> {
        let order = curve.order().as_ref();
        let one = BoxedUint::one_with_precision(order.bits_precision());
        let mut scalars = vec![
            BoxedUint::zero_with_precision(order.bits_precision()),
            one.clone(),
            order.wrapping_sub(&one),
            order.shr(1),
        ];
        let mut x = order.wrapping_sub(BoxedUint::from(0x1234_5678_9abc_def1u64));
        while scalars.len() < count {
            x = x.mul_mod(&x, curve.order().as_nz_ref());
            let length = scalars.len() as u32 * 29 % order.bits_vartime();
            scalars.push(x.shr(length));
        }
        scalars
    }

    /// A scalar that is not below the order is reduced; an element of another curve is an error of its own
    /// request.
    #[test]
    fn other_scalars_and_curves() {
        let engine = Engine::new(Backend::best()).unwrap();
        let [p256, p384] = ["P-256", "P-384"].map(|name| name.parse::<Curve>().unwrap());
        let prepared = PreparedCurve::new(&engine, &p256).unwrap();
        let curve = &prepared;
        let large = p256.order().as_ref().wrapping_add(BoxedUint::from(5u32));
        let (own, other) = (
            GroupElement::generator(&p256),
            GroupElement::generator(&p384),
        );
        let terms = [(&large, &own)];
        let foreign = [(&large, &own), (&large, &other)];
        let requests = [&foreign[..], &terms].map(|terms| SumRequest { curve, terms });
        let sums = multi_scalar_batch_vartime(&engine, &requests);
        let refused = GroupError::OtherCurve {
            element: "P-384".into(),
            curve: "P-256".into(),
        };
        assert_eq!(sums, [Err(refused), Ok(element(&p256, 5))]);
    }

    /// Sums of 0 to 150 terms in one batch, on curves of each kind, with scalars of 0, repeated and
    /// opposite points and points at infinity, equal the naive ones.
    #[test]
    fn sums_equal_naive_ones() {
        for (backend, most) in [(Backend::best(), 150), (Backend::PORTABLE, 40)] {
            let engine = Engine::new(backend).unwrap();
            let names = [
                "secp256k1",
                "P-256",
                "brainpoolP256r1",
                "secp160r2",
                "P-384",
            ];
            for name in names {
                let curve: Curve = name.parse().unwrap();
                let prepared = PreparedCurve::new(&engine, &curve).unwrap();
                let scalars = scalars(&curve, most);
                let elements: Vec<_> = (0..most as u64)
                    .map(|k| match k % 7 {
                        2 => element(&curve, 3).negated(),
                        3 | 4 => element(&curve, 3),
                        5 => GroupElement::identity(&curve),
                        _ => element(&curve, k * k + 1),
                    })
                    .collect();
                let terms: Vec<_> = scalars.iter().zip(&elements).collect();
                let counts = [0, 1, 2, 3, 9, 17, most];
                let requests = counts.map(|count| SumRequest {
                    curve: &prepared,
                    terms: &terms[..count],
                });
                let sums = multi_scalar_batch_vartime(&engine, &requests);
                for (count, sum) in counts.into_iter().zip(sums) {
                    let right = naive(&curve, &terms[..count]);
                    assert_eq!(sum.unwrap(), right, "{name}, {count} terms, {backend:?}");
                }
            }
        }
    }
}
