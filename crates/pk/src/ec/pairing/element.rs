//! Elements of the groups of the pairing: of G2, prepared ones, and of the group of values. Not secret.

use super::kind::{Bls12_381, PairingCurve};
use super::lines::lines;
use super::parameters::parameters;
use super::quadratic::Quadratic;
use core::fmt;
use core::marker::PhantomData;
use crypto_bigint::BoxedUint;
use std::sync::Arc;
use sunzi_engine::Outcome;

/// An element of G2: a point of prime order n on a curve over Fp2 (`y^2 = x^3 + 4 (1 + u)` for BLS12-381, and
/// `y^2 = x^3 + 3/(9 + u)` for BN254), or the point at infinity. Not secret.
#[derive(Clone, PartialEq, Eq)]
pub struct G2Element<C: PairingCurve = Bls12_381>(Option<Box<[Quadratic; 2]>>, PhantomData<C>);

impl<C: PairingCurve> G2Element<C> {
    /// The neutral element: the point at infinity.
    pub fn identity() -> Self {
        Self::of(None)
    }

    /// The generator of draft-irtf-cfrg-pairing-friendly-curves, or EIP-197.
    pub fn generator() -> Self {
        Self::of(Some(C::parameters().generator.clone()))
    }

    /// The element of a point of order n, none for that at infinity.
    pub(super) fn of(point: Option<[Quadratic; 2]>) -> Self {
        Self(point.map(Box::new), PhantomData)
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

impl<C: PairingCurve> fmt::Debug for G2Element<C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("G2Element")
            .field(&self.coordinates())
            .finish()
    }
}

/// An element of G2 with the lines of its Miller loop, for many pairings with it: each takes two fifths less time. Takes
/// milliseconds to make; cheap to clone.
#[derive(Clone)]
pub struct PreparedG2<C: PairingCurve = Bls12_381>(Arc<PreparedG2Data<C>>);

struct PreparedG2Data<C: PairingCurve> {
    element: G2Element<C>,
    /// None of the neutral element.
    lines: Option<Vec<BoxedUint>>,
}

impl<C: PairingCurve> PreparedG2<C> {
    /// Prepares an element.
    pub fn new(element: &G2Element<C>) -> Self {
        Self(Arc::new(PreparedG2Data {
            lines: element
                .point()
                .and_then(|point| lines(C::parameters(), point)),
            element: element.clone(),
        }))
    }

    /// The element.
    pub fn element(&self) -> &G2Element<C> {
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

impl<C: PairingCurve> fmt::Debug for PreparedG2<C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("PreparedG2").field(self.element()).finish()
    }
}

/// A value of the pairing, in the group of n-th roots of unity in Fp12.
#[derive(Clone, PartialEq, Eq)]
pub struct GtElement<C: PairingCurve = Bls12_381>(Vec<BoxedUint>, PhantomData<C>);

impl<C: PairingCurve> GtElement<C> {
    /// The value with these twelve numbers.
    pub(super) fn of(numbers: Vec<BoxedUint>) -> Self {
        Self(numbers, PhantomData)
    }

    /// 1: the value of pairings with a neutral element.
    pub fn one() -> Self {
        let field = &C::parameters().field;
        let number = |k: u64| field.small(u64::from(k == 0)).retrieve();
        Self::of((0..12).map(number).collect())
    }

    /// The coefficients of `w^0` to `w^5`, each its real and its imaginary part, below p, where
    /// `Fp12 = Fp2[w] / (w^6 - xi)`, with `xi = 1 + u` for BLS12-381 and `xi = 9 + u` for BN254. The tower of quadratic over cubic extensions has those of `w^0`, `w^2` and
    /// `w^4` first.
    pub fn coefficients(&self) -> [[&BoxedUint; 2]; 6] {
        core::array::from_fn(|k| [&self.0[2 * k], &self.0[2 * k + 1]])
    }
}

impl<C: PairingCurve> fmt::Debug for GtElement<C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("GtElement").field(&self.0).finish()
    }
}

/// The affine points on the curve of BLS12-381 of outcomes (X : Y : Z) with the norm of Z, seven numbers, with a single inversion; none for one at
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
