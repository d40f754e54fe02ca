//! Elements of the groups of the pairing: of G2, prepared ones, and of the group of values. Not secret.

use super::lines::lines;
use super::parameters::parameters;
use super::quadratic::Quadratic;
use core::fmt;
use crypto_bigint::BoxedUint;
use std::sync::Arc;
use sunzi_engine::Outcome;

/// An element of G2: a point of prime order n on `y^2 = x^3 + 4 (1 + u)` over Fp2, or the point at infinity. Not
/// secret.
#[derive(Clone, PartialEq, Eq)]
pub struct G2Element(Option<Box<[Quadratic; 2]>>);

impl G2Element {
    /// The neutral element: the point at infinity.
    pub fn identity() -> Self {
        Self(None)
    }

    /// The generator of draft-irtf-cfrg-pairing-friendly-curves.
    pub fn generator() -> Self {
        Self::of(Some(parameters().generator.clone()))
    }

    /// The element of a point of order n, none for that at infinity.
    pub(super) fn of(point: Option<[Quadratic; 2]>) -> Self {
        Self(point.map(Box::new))
    }

    pub(super) fn point(&self) -> Option<&[Quadratic; 2]> {
        self.0.as_deref()
    }

    /// The coordinates x and y, each its real and its imaginary part, below p; none of the neutral element.
    pub fn coordinates(&self) -> Option<[[BoxedUint; 2]; 2]> {
        let [x, y] = self.point()?;
        Some([x.integers(), y.integers()])
    }

    /// Whether this is the neutral element.
    pub fn is_identity(&self) -> bool {
        self.0.is_none()
    }

    /// The inverse element: the point with `-y`.
    #[must_use]
    pub fn negated(&self) -> Self {
        Self::of(self.point().map(|[x, y]| [x.clone(), y.neg()]))
    }
}

impl fmt::Debug for G2Element {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("G2Element")
            .field(&self.coordinates())
            .finish()
    }
}

/// An element of G2 with the lines of its Miller loop, for many pairings with it: each takes two fifths less time. Takes
/// milliseconds to make; cheap to clone.
#[derive(Clone)]
pub struct PreparedG2(Arc<PreparedG2Data>);

struct PreparedG2Data {
    element: G2Element,
    /// None of the neutral element.
    lines: Option<Vec<BoxedUint>>,
}

impl PreparedG2 {
    /// Prepares an element.
    pub fn new(element: &G2Element) -> Self {
        Self(Arc::new(PreparedG2Data {
            lines: element.point().and_then(lines),
            element: element.clone(),
        }))
    }

    /// The element.
    pub fn element(&self) -> &G2Element {
        &self.0.element
    }

    /// The numbers of the lines; none of the neutral element.
    pub(super) fn numbers(&self) -> &[BoxedUint] {
        self.0.lines.as_deref().unwrap_or_default()
    }

    /// Whether both are clones of one.
    pub(super) fn is(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

impl fmt::Debug for PreparedG2 {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("PreparedG2").field(self.element()).finish()
    }
}

/// A value of the pairing, in the group of n-th roots of unity in Fp12.
#[derive(Clone, PartialEq, Eq)]
pub struct GtElement(Vec<BoxedUint>);

impl GtElement {
    /// The value with these twelve numbers.
    pub(super) fn of(numbers: Vec<BoxedUint>) -> Self {
        Self(numbers)
    }

    /// 1: the value of pairings with a neutral element.
    pub fn one() -> Self {
        let field = &parameters().field;
        let number = |k: u64| field.small(u64::from(k == 0)).retrieve();
        Self((0..12).map(number).collect())
    }

    /// The coefficients of `w^0` to `w^5`, each its real and its imaginary part, below p, where
    /// `Fp12 = Fp2[w] / (w^6 - (1 + u))`. The tower of quadratic over cubic extensions has those of `w^0`, `w^2` and
    /// `w^4` first.
    pub fn coefficients(&self) -> [[&BoxedUint; 2]; 6] {
        core::array::from_fn(|k| [&self.0[2 * k], &self.0[2 * k + 1]])
    }
}

impl fmt::Debug for GtElement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("GtElement").field(&self.0).finish()
    }
}

/// The affine points of outcomes (X : Y : Z) with the norm of Z, seven numbers, with a single inversion; none for one at
/// infinity.
pub(super) fn affine(outcomes: &[Outcome]) -> Vec<Option<[Quadratic; 2]>> {
    let field = &parameters().field;
    let points = outcomes.iter().map(|outcome| {
        let number = |k: usize| field.element(&outcome.integers[k]);
        let pair = |k: usize| {
            Some(Quadratic {
                re: number(k)?,
                im: number(k + 1)?,
            })
        };
        let norm = number(6).filter(|norm| !bool::from(norm.is_zero()))?;
        Some((pair(0)?, pair(2)?, pair(4)?, norm))
    });
    let points: Vec<_> = points.collect();
    let norms = points.iter().flatten().map(|(.., norm)| norm.clone());
    let mut inverses = field.invert_all(&norms.collect::<Vec<_>>()).into_iter();
    let affine = points.into_iter().map(|point| {
        let (x, y, z, _) = point?;
        let inverse = z.conjugate().times(&inverses.next()?);
        Some([x.mul(&inverse), y.mul(&inverse)])
    });
    affine.collect()
}
