//! The step of Montgomery's ladder (Montgomery, 1987; RFC 7748, section 5).

use super::{Arith, Formula, Segment};

/// Doubles the first of two points `X2/Z2` and `X3/Z3`, and adds it to the second one, whose difference is `u`, from X2,
/// Z2, X3, Z3 and u; `A24` is `(A - 2)/4` of the curve `B v^2 = u^3 + A u^2 + u`. 9 reductions.
///
/// ```text
/// E = (X2 + Z2)^2 - (X2 - Z2)^2    D = (X3 - Z3)(X2 + Z2)    C = (X3 + Z3)(X2 - Z2)
/// X2 := (X2 + Z2)^2 (X2 - Z2)^2    Z2 := E ((X2 + Z2)^2 + E (A - 2)/4)
/// X3 := (D + C)^2                  Z3 := u (D - C)^2
/// ```
pub struct Step<const A24: u32>;

impl<const A24: u32> Formula<5, 4> for Step<A24> {
    const SEGMENT: Segment = Segment::LadderStep(A24);

    #[inline(always)]
    fn compute<A: Arith>(arith: &mut A, inputs: [A::Tight; 5]) -> [A::Tight; 4] {
        step(arith, inputs, |arith, e| arith.multiply_small(e, A24))
    }
}

/// [`Step`] with a function that multiplies by `(A - 2)/4`.
#[inline(always)]
pub fn step<A: Arith>(
    arith: &mut A,
    [x2, z2, x3, z3, u]: [A::Tight; 5],
    times_a24: impl FnOnce(&mut A, A::Tight) -> A::Loose,
) -> [A::Tight; 4] {
    let (x2, z2) = (arith.loosen(x2), arith.loosen(z2));
    let (x3, z3) = (arith.loosen(x3), arith.loosen(z3));
    let (plus, minus) = (arith.add(x2, z2), arith.subtract(x2, z2));
    let (plus, minus) = (arith.carry(plus), arith.carry_signed(minus));
    let (other_plus, other_minus) = (arith.add(x3, z3), arith.subtract(x3, z3));
    let other_minus = arith.carry_signed(other_minus);
    let d = arith.multiply(other_minus, plus);
    let other_plus = arith.carry(other_plus);
    let c = arith.multiply(other_plus, minus);
    let (sum, difference) = (arith.add(d, c), arith.subtract(d, c));
    let (sum, difference) = (arith.carry(sum), arith.carry_signed(difference));
    let square = arith.square(difference);
    let square = arith.carry(square);
    let (plus_squared, minus_squared) = (arith.square(plus), arith.square(minus));
    let e = arith.subtract(plus_squared, minus_squared);
    let e = arith.carry_signed(e);
    let plus_squared = arith.carry(plus_squared);
    let minus_squared = arith.carry(minus_squared);
    let multiple = times_a24(arith, e);
    let factor = arith.loosen(plus_squared);
    let factor = arith.add(factor, multiple);
    let factor = arith.carry(factor);
    let x3 = arith.square(sum);
    [
        arith.product(plus_squared, minus_squared),
        arith.product(e, factor),
        arith.carry(x3),
        arith.product(u, square),
    ]
}
