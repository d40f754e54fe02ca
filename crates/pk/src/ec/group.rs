//! Elements of a curve's group, and their multiples and sums.

use super::base::Coordinates;
use super::curve::Curve;
use super::field::Element;
use super::joint::{Combination, End, combinations};
use super::multi_scalar::{self, Place, Sum, Term, term_bits};
use super::pairing::in_subgroup;
use super::point::{Encoded, Point, PointError, with_root};
use super::prepared::PreparedCurve;
use super::roots::square_roots;
use super::variable::{Multiple, SecretScalar, variable_multiples};
use core::fmt;
use crypto_bigint::{BoxedUint, CtLt, Resize};
use std::borrow::Cow;
use sunzi_engine::{Engine, EngineError};
use zeroize::Zeroizing;

/// An element of the group of prime order that a curve's base point generates: a point, or the point at
/// infinity. Cheap to clone. Not secret.
#[derive(Clone, PartialEq, Eq)]
pub struct GroupElement {
    curve: Curve,
    point: Option<Point>,
}

/// The encoding of elements. Both formats have compressed and uncompressed points.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ElementFormat {
    /// SEC 1, section 2.3.3; the neutral element is the byte 00.
    Sec1,
    /// Zcash's encoding for BLS12-381 (draft-irtf-cfrg-pairing-friendly-curves-11, appendix C), in 48 or 96 bytes.
    /// Other curves have none.
    Zcash,
}

impl ElementFormat {
    fn read(self, curve: &Curve, bytes: &[u8]) -> Result<Encoded, PointError> {
        match self {
            Self::Sec1 => curve.read_sec1(bytes),
            Self::Zcash => curve.read_zcash(bytes),
        }
    }
}

/// The reason why group elements are refused.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum GroupError {
    /// An element is used with another curve than its own.
    #[error("an element of {element} was given for {curve}")]
    OtherCurve {
        /// The element's curve.
        element: String,
        /// The curve that it was given for.
        curve: String,
    },
    /// A secret scalar is 0, or not below the order.
    #[error("the scalar is 0 or not below the order of the group")]
    OutOfRange,
    /// The neutral element has no multiples other than itself.
    #[error("the element is the neutral one")]
    Identity,
    /// The result did not pass its check, and was destroyed: this machine computes wrongly.
    #[error("the multiple failed its check and was withheld: this machine computes wrongly")]
    Fault,
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
    /// [`PointError::Coordinate`], [`PointError::NotOnCurve`], [`PointError::NotInSubgroup`].
    pub fn new(curve: &Curve, x: &BoxedUint, y: &BoxedUint) -> Result<Self, PointError> {
        Self::checked(curve, Some(curve.point(x, y)?))
    }

    fn checked(curve: &Curve, point: Option<Point>) -> Result<Self, PointError> {
        match &point {
            Some(point) if !curve.has_in_subgroup(point) => Err(PointError::NotInSubgroup),
            _ => Ok(Self::of(curve, point)),
        }
    }

    /// Reads an element from its encoding. [`decode_batch`] reads many in less time.
    ///
    /// # Errors
    /// The [`PointError`] that names the defect.
    pub fn from_bytes(
        curve: &Curve,
        format: ElementFormat,
        bytes: &[u8],
    ) -> Result<Self, PointError> {
        Self::checked(curve, curve.complete(&format.read(curve, bytes)?)?)
    }

    /// The encoding, compressed or uncompressed.
    ///
    /// # Errors
    /// [`PointError::NoZcashEncoding`].
    pub fn to_bytes(&self, format: ElementFormat, compressed: bool) -> Result<Vec<u8>, PointError> {
        match (format, &self.point) {
            (ElementFormat::Zcash, point) => self.curve.write_zcash(point.as_ref(), compressed),
            (ElementFormat::Sec1, Some(point)) => Ok(self.curve.encode(point, compressed)),
            (ElementFormat::Sec1, None) => Ok(vec![0]),
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

    /// The point; none of the neutral element.
    pub(super) fn point(&self) -> Option<&Point> {
        self.point.as_ref()
    }

    pub(crate) fn check(&self, curve: &Curve) -> Result<(), GroupError> {
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
        f.debug_struct("GroupElement")
            .field("curve", &self.curve)
            .field("point", &self.coordinates())
            .finish()
    }
}

/// Elements from their encodings, one answer for each, in the same order. Roots and subgroup checks are
/// computed in batches.
///
/// # Errors
/// [`EngineError`] where no device of the engine could compute it: nothing is known about the encodings.
pub fn decode_batch(
    curve: &PreparedCurve,
    format: ElementFormat,
    encodings: &[&[u8]],
) -> Result<Vec<Result<GroupElement, PointError>>, EngineError> {
    let (engine, plain) = (curve.engine(), curve.curve());
    let read = encodings.iter().map(|bytes| format.read(plain, bytes));
    let read: Vec<_> = read.collect();
    // The x for which a y is to be found.
    let x = |encoded: &Result<Encoded, PointError>| match encoded {
        Ok(Encoded::X(x, _)) => plain.field().element(x),
        _ => None,
    };
    let xs: Vec<_> = read.iter().map(x).collect();
    let squares = xs.iter().flatten().map(|x| plain.right_side(x).retrieve());
    let roots = square_roots(engine, curve, &squares.collect::<Vec<_>>())?;
    let mut roots = roots.into_iter();
    let points = read
        .into_iter()
        .zip(xs)
        .map(|(encoded, x)| match (encoded?, x) {
            (Encoded::X(_, which), Some(x)) => {
                let root = roots.next().flatten();
                let y = root.and_then(|root| plain.field().element(&root));
                with_root(x, y, which).map(Some)
            }
            (Encoded::X(..), None) => Err(PointError::Coordinate('x')),
            (encoded, _) => plain.complete(&encoded),
        });
    let points: Vec<Result<Option<Point>, PointError>> = points.collect();
    let finite: Vec<_> = points.iter().flatten().flatten().collect();
    let mut inside = in_subgroup(engine, curve, &finite)?.into_iter();
    let elements = points.into_iter().map(|point| match point? {
        Some(point) if inside.next() == Some(true) => Ok(GroupElement::of(plain, Some(point))),
        Some(_) => Err(PointError::NotInSubgroup),
        None => Ok(GroupElement::identity(plain)),
    });
    Ok(elements.collect())
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

/// A multiple `k P` to compute, for a secret k.
#[derive(Clone, Copy)]
pub struct MultiplyRequest<'a> {
    /// The curve of the element.
    pub curve: &'a PreparedCurve,
    /// k, from 1 to the order less 1.
    pub scalar: &'a BoxedUint,
    /// P, other than the neutral element.
    pub element: &'a GroupElement,
}

impl fmt::Debug for MultiplyRequest<'_> {
    /// Shows everything but the scalar.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("MultiplyRequest")
            .field("curve", &self.curve)
            .field("element", &self.element)
            .finish_non_exhaustive()
    }
}

impl MultiplyRequest<'_> {
    /// The scalar and the coordinates of the point.
    fn read(&self) -> Result<(SecretScalar, [BoxedUint; 2]), GroupError> {
        let curve = self.curve.curve();
        self.element.check(curve)?;
        let order = curve.order().as_ref();
        // A scalar of another precision than the order's is compared in the larger of both.
        let in_range = self.scalar.ct_lt(order) & !self.scalar.is_zero();
        if !in_range.to_bool() {
            return Err(GroupError::OutOfRange);
        }
        let point = self.element.coordinates().ok_or(GroupError::Identity)?;
        // It is below the order, so that nothing is cut off.
        let scalar = Zeroizing::new(self.scalar.resize_unchecked(order.bits_precision()));
        Ok((SecretScalar::new(self.curve, &scalar), point))
    }
}

/// Multiples by secret scalars, one answer for each request, in the same order. A batch may mix curves.
///
/// Constant time in the scalars, except for whether they are in range. Before a multiple leaves, it is found to
/// be a point of the curve.
pub fn multiply_batch(
    engine: &Engine,
    requests: &[MultiplyRequest<'_>],
) -> Vec<Result<GroupElement, GroupError>> {
    let read: Vec<_> = requests.iter().map(MultiplyRequest::read).collect();
    let work = requests.iter().zip(&read).filter_map(|(request, read)| {
        let (scalar, point) = read.as_ref().ok()?;
        let curve = request.curve;
        Some(Multiple {
            curve,
            scalar,
            point,
        })
    });
    let work: Vec<_> = work.collect();
    let multiples = variable_multiples(engine, Coordinates::Both, &work);
    let (mut multiples, failed) = match multiples {
        Ok(multiples) => (multiples.into_iter(), GroupError::Fault),
        Err(error) => (Vec::new().into_iter(), error.into()),
    };
    let answer = |(request, read): (&MultiplyRequest<'_>, Result<_, GroupError>)| {
        let (_, _): (SecretScalar, [BoxedUint; 2]) = read?;
        let coordinates = multiples.next().flatten().ok_or(failed.clone())?;
        let curve = request.curve.curve();
        let point = curve.point(&coordinates[0], &coordinates[1]);
        let point = point.map_err(|_| GroupError::Fault)?;
        Ok(GroupElement::of(curve, Some(point)))
    };
    requests.iter().zip(read).map(answer).collect()
}

/// A sum `u G + v P` to compute, for the base point G.
#[derive(Clone, Copy, Debug)]
pub struct CombineRequest<'a> {
    /// The curve of the element.
    pub curve: &'a PreparedCurve,
    /// u, reduced modulo the order if it is not below it; 0 for `v P` alone.
    pub u: &'a BoxedUint,
    /// v, reduced modulo the order if it is not below it.
    pub v: &'a BoxedUint,
    /// P.
    pub element: &'a GroupElement,
}

/// The end of a combination: X and Y, mapped back, and Z leave.
const END: End = End {
    kind: "ec-combine",
    inputs: 0,
    build: |builder, curve, _, sum| {
        let x = curve.unmap_x(builder, sum.x);
        let y = curve.unmap_y(builder, sum.y);
        for coordinate in [x, y, sum.z] {
            builder.output(coordinate);
        }
    },
};

/// Sums of a multiple of the base point and one of another point, one answer for each request, in the same
/// order: with the curve's endomorphism, if it has one. A batch may mix curves. The time depends on scalars and
/// elements.
pub fn combine_batch_vartime(
    engine: &Engine,
    requests: &[CombineRequest<'_>],
) -> Vec<Result<GroupElement, GroupError>> {
    let checked = requests
        .iter()
        .map(|request| request.element.check(request.curve.curve()));
    let checked: Vec<_> = checked.collect();
    let possible = requests.iter().zip(&checked).filter(|(_, c)| c.is_ok());
    let numbers = possible.map(|(request, _)| {
        let plain = request.curve.curve();
        let [u, v] = [request.u, request.v].map(|k| k.rem_vartime(plain.order().as_nz_ref()));
        // The neutral element has no multiples: the base point times 0 stands for them.
        let (v, point) = match &request.element.point {
            Some(point) => (v, point),
            None => (
                BoxedUint::zero_with_precision(v.bits_precision()),
                plain.generator(),
            ),
        };
        let q = [&point.x, &point.y].map(Element::retrieve);
        (request.curve, u, v, q)
    });
    let numbers: Vec<_> = numbers.collect();
    let work = numbers.iter().map(|(curve, u, v, q)| Combination {
        curve,
        u,
        v,
        q,
        inputs: &[],
    });
    let outcomes = match combinations(engine, &END, &work.collect::<Vec<_>>()) {
        Ok(outcomes) => outcomes,
        Err(error) => {
            let failed = |()| Err(GroupError::Engine(error.clone()));
            return checked.into_iter().map(|c| c.and_then(failed)).collect();
        }
    };
    // Results of one curve that follow each other share an inversion.
    let results: Vec<_> = numbers.iter().zip(outcomes).collect();
    let points = results.chunk_by(|((x, ..), _), ((y, ..), _)| x.curve() == y.curve());
    let points = points.flat_map(|results| {
        let integers = results.iter().map(|(_, outcome)| {
            let integers = outcome.as_ref().map(|outcome| &outcome.integers[..]);
            integers.unwrap_or_default()
        });
        let ((curve, ..), _) = results[0];
        curve.curve().affine_all(&integers.collect::<Vec<_>>())
    });
    let mut points = points.collect::<Vec<_>>().into_iter();
    let answer = |(request, checked): (&CombineRequest<'_>, Result<(), GroupError>)| {
        checked?;
        let point = points.next().flatten();
        Ok(GroupElement::of(request.curve.curve(), point))
    };
    requests.iter().zip(checked).map(answer).collect()
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
    let possible = possible.filter(|(_, checked)| checked.is_ok());
    let sums: Vec<_> = possible.map(|(request, _)| sum(request)).collect();
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
        let scalar = if scalar.cmp_vartime(order.as_ref()).is_lt() {
            Cow::Borrowed(*scalar)
        } else {
            Cow::Owned(scalar.rem_vartime(order))
        };
        (!bool::from(scalar.is_zero())).then_some(Term {
            scalar,
            point: Place::Point(Cow::Borrowed(point)),
        })
    });
    Sum {
        curve,
        bits: term_bits(curve),
        terms: terms.collect(),
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
