//! Lines of Miller loops for elements of G2 that many pairings share. Public.

use super::parameters::Parameters;
use super::quadratic::Quadratic;
use super::steps::Step;
use crypto_bigint::BoxedUint;

/// Number of numbers modulo p that a line of a prepared point has.
pub(super) const LINE_NUMBERS: usize = 4;

/// The image of a point by the endomorphism psi.
fn psi(parameters: &Parameters, [x, y]: &[Quadratic; 2]) -> [Quadratic; 2] {
    let [x_factor, y_factor] = &parameters.psi;
    [x.conjugate().mul(x_factor), y.conjugate().mul(y_factor)]
}

/// The lines of a point for [`PreparedG2`](super::PreparedG2): for each step the slope l of the line, and `l x - y` for
/// a point (x, y) on it. At a point (X, Y) of G1, and divided by Y, the line is, on BLS12-381,
/// `(l x - y)/Y - l (X/Y) w^2 + w^3`.
///
/// None for a point that is not of the order n.
pub(super) fn lines(parameters: &Parameters, q: &[Quadratic; 2]) -> Option<Vec<BoxedUint>> {
    let mut numbers = Vec::with_capacity(parameters.steps.len() * LINE_NUMBERS);
    let negative = |[x, y]: [Quadratic; 2]| [x, y.neg()];
    let [mut tx, mut ty] = q.clone();
    for step in &parameters.steps {
        let other = match step {
            Step::Double => None,
            Step::Add => Some(q.clone()),
            Step::Subtract => Some(negative(q.clone())),
            Step::AddImage => Some(psi(parameters, q)),
            Step::SubtractSecondImage => {
                let image = psi(parameters, q);
                Some(negative(psi(parameters, &image)))
            }
        };
        let (numerator, denominator) = if let Some([x, y]) = &other {
            (ty.sub(y), tx.sub(x))
        } else {
            let square = tx.square();
            (square.add(&square).add(&square), ty.add(&ty))
        };
        let slope = numerator.mul(&denominator.invert()?);
        let constant = slope.mul(&tx).sub(&ty);
        numbers.extend(slope.integers().into_iter().chain(constant.integers()));
        let other = other.map_or_else(|| tx.clone(), |[x, _]| x);
        let next = slope.square().sub(&tx).sub(&other);
        ty = slope.mul(&tx.sub(&next)).sub(&ty);
        tx = next;
    }
    Some(numbers)
}
