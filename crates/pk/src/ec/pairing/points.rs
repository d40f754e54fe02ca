//! Elements of G2 from points: the curve's equation and the subgroup. Public.

use super::element::G2Element;
use super::g2_subgroup::in_g2;
use super::kind::PairingCurve;
use super::parameters::Parameters;
use super::prepared::PreparedPairing;
use super::quadratic::Quadratic;
use crate::ec::point::PointError;
use crypto_bigint::BoxedUint;
use sunzi_engine::EngineError;

/// The coordinates x and y of a point of the curve of G2, each its real and its imaginary part.
pub type G2Coordinates = [[BoxedUint; 2]; 2];

/// Elements of G2 from their coordinates, one answer for each, in the same order. Subgroup checks are computed in a
/// batch.
///
/// # Errors
/// [`EngineError`] where no device of the engine could compute it: nothing is known about the points. Answers are
/// [`PointError::Coordinate`] for parts that are not below the curve's prime, [`PointError::NotOnCurve`] and
/// [`PointError::NotInSubgroup`].
pub fn g2_elements_batch<C: PairingCurve>(
    pairing: &PreparedPairing<C>,
    points: &[G2Coordinates],
) -> Result<Vec<Result<G2Element<C>, PointError>>, EngineError> {
    let parameters = C::parameters();
    let points = points.iter().map(|[x, y]| {
        let coordinate = |name, [re, im]: &[BoxedUint; 2]| {
            let coordinate = Quadratic::of(&parameters.field, [re, im]);
            coordinate.ok_or(PointError::Coordinate(name))
        };
        let point = [coordinate('x', x)?, coordinate('y', y)?];
        if is_on_curve(parameters, &point) {
            Ok(Some(point))
        } else {
            Err(PointError::NotOnCurve)
        }
    });
    elements(pairing, points.collect())
}

/// The elements of points of the curve, or none of them for that at infinity, if they are in G2.
pub(super) fn elements<C: PairingCurve>(
    pairing: &PreparedPairing<C>,
    points: Vec<Result<Option<[Quadratic; 2]>, PointError>>,
) -> Result<Vec<Result<G2Element<C>, PointError>>, EngineError> {
    let finite: Vec<_> = points.iter().flatten().flatten().collect();
    let mut inside = in_g2(pairing, &finite)?.into_iter();
    let elements = points.into_iter().map(|point| match point? {
        Some(point) if inside.next() == Some(true) => Ok(G2Element::of(Some(point))),
        Some(_) => Err(PointError::NotInSubgroup),
        None => Ok(G2Element::identity()),
    });
    Ok(elements.collect())
}

/// Whether the coordinates satisfy the curve's equation.
pub(super) fn is_on_curve(parameters: &Parameters, [x, y]: &[Quadratic; 2]) -> bool {
    y.square() == right_side(parameters, x)
}

/// `x^3 + b`.
pub(super) fn right_side(parameters: &Parameters, x: &Quadratic) -> Quadratic {
    x.square().mul(x).add(&parameters.b)
}
