//! Twisted Edwards curves `a x^2 + y^2 = 1 + d x^2 y^2` with a = 1 or -1, a square, and d no square:
//! their addition has no exceptions (Bernstein, Birkner, Joye, Lange and Peters, "Twisted Edwards
//! curves", 2008, section 6).

pub(super) mod base;
pub(super) mod chains;
pub(super) mod combination;
pub(super) mod curve;
pub(super) mod decode;
pub(super) mod equation;
mod formulas;
pub(super) mod multiply;
pub(super) mod prepared;
mod reduction;
mod short_multiple;
#[cfg(test)]
mod tests;
