//! The step of Montgomery's ladder (Montgomery, 1987; RFC 7748, section 5).

use super::{Arith, Formula, Segment};

/// Doubles the first of two points `X2/Z2` and `X3/Z3`, and adds it to the second one, whose difference is `u`, from X2,
/// Z2, X3, Z3 and u; both points are swapped before where the digit is 1. `A24` is `(A - 2)/4` of the curve `B v^2 = u^3 + A u^2 + u`. 9 reductions.
///
/// ```text
/// E = (X2 + Z2)^2 - (X2 - Z2)^2    D = (X3 - Z3)(X2 + Z2)    C = (X3 + Z3)(X2 - Z2)
/// X2 := (X2 + Z2)^2 (X2 - Z2)^2    Z2 := E ((X2 + Z2)^2 + E (A - 2)/4)
/// X3 := (D + C)^2                  Z3 := u (D - C)^2
/// ```
pub struct Step<const A24: u32>;

impl<const A24: u32> Formula<5, 4> for Step<A24> {
    const SEGMENT: Segment = Segment::LadderStep(A24);
    const CAN_REPEAT: bool = true;

    #[inline(always)]
    fn compute<A: Arith>(arith: &mut A, inputs: [A::Tight; 5]) -> [A::Tight; 4] {
        let [x2, z2, x3, z3, u] = inputs;
        let [x2, x3] = arith.swap_by_digit(x2, x3);
        let [z2, z3] = arith.swap_by_digit(z2, z3);
        let squares = begin_step(arith, [x2, z2, x3, z3]);
        let multiple = arith.multiply_small(squares.e, A24);
        end_step(arith, &squares, multiple, u)
    }
}

/// What [`Step`] computes before it multiplies by `(A - 2)/4`.
pub struct Squares<A: Arith> {
    /// `(X2 + Z2)^2`.
    plus: A::Tight,
    /// `(X2 - Z2)^2`.
    minus: A::Tight,
    /// The difference of both squares.
    pub e: A::Tight,
    /// The sum of the cross products `(X3 - Z3) (X2 + Z2)` and `(X3 + Z3) (X2 - Z2)`.
    sum: A::Tight,
    /// The square of their difference.
    square: A::Tight,
}

/// The first half of [`Step`].
#[inline(always)]
pub fn begin_step<A: Arith>(arith: &mut A, [x2, z2, x3, z3]: [A::Tight; 4]) -> Squares<A> {
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
    Squares {
        plus: plus_squared,
        minus: arith.carry(minus_squared),
        e,
        sum,
        square,
    }
}

/// The second half of [`Step`], for the `multiple` of E by `(A - 2)/4`.
#[inline(always)]
pub fn end_step<A: Arith>(
    arith: &mut A,
    squares: &Squares<A>,
    multiple: A::Loose,
    u: A::Tight,
) -> [A::Tight; 4] {
    let Squares {
        plus,
        minus,
        e,
        sum,
        square,
    } = *squares;
    let factor = arith.loosen(plus);
    let factor = arith.add(factor, multiple);
    let factor = arith.carry(factor);
    let x3 = arith.square(sum);
    [
        arith.product(plus, minus),
        arith.product(e, factor),
        arith.carry(x3),
        arith.product(u, square),
    ]
}
