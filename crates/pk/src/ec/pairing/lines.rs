//! The steps of Miller loops, and their lines for elements of G2 that many pairings share. Public.

use super::parameters::SEED;
use super::quadratic::Quadratic;
use crypto_bigint::BoxedUint;

/// Number of lines of a loop: 63 tangents and 5 chords.
pub(super) const LINES: usize = 68;
/// Number of numbers modulo p that a line of a prepared point has.
pub(super) const LINE_NUMBERS: usize = 4;

/// A step of the loop.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Step {
    Double,
    Add,
}

/// The steps of the loop, in order; an f is squared before doublings, except for the first one.
pub(super) fn steps() -> impl Iterator<Item = Step> {
    (0..SEED.ilog2()).rev().flat_map(|bit| {
        let add = (SEED >> bit & 1 == 1).then_some(Step::Add);
        core::iter::once(Step::Double).chain(add)
    })
}

/// The lines of a point for [`PreparedG2`](super::PreparedG2): for each step the slope l of the line, and `l x - y` for
/// a point (x, y) on it. At a point (X, Y) of G1, and divided by Y, the line is `(l x - y)/Y - l (X/Y) w^2 + w^3`.
///
/// None for a point that is not of the order n.
pub(super) fn lines([x, y]: &[Quadratic; 2]) -> Option<Vec<BoxedUint>> {
    let mut numbers = Vec::with_capacity(LINES * LINE_NUMBERS);
    let (mut tx, mut ty) = (x.clone(), y.clone());
    for step in steps() {
        let (numerator, denominator, other) = match step {
            Step::Add => (ty.sub(y), tx.sub(x), x),
            Step::Double => {
                let square = tx.square();
                (square.add(&square).add(&square), ty.add(&ty), &tx)
            }
        };
        let slope = numerator.mul(&denominator.invert()?);
        let constant = slope.mul(&tx).sub(&ty);
        numbers.extend(slope.integers().into_iter().chain(constant.integers()));
        let next = slope.square().sub(&tx).sub(other);
        ty = slope.mul(&tx.sub(&next)).sub(&ty);
        tx = next;
    }
    Some(numbers)
}
