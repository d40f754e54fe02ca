//! Point formulas of twisted Edwards curves with a = 1 or a = -1 (Hisil, Wong, Carter and Dawson, "Twisted Edwards
//! curves revisited", 2008), without exceptions for points of odd order and a d that is not a square.
//!
//! Points are `(X : Y : Z)` for `(X/Z, Y/Z)`, with `T = X Y/Z` where an addition follows. A summand is an *entry*: for a =
//! 1 the numbers `X, Y, d T, Z`, for a = -1 `Y + X, Y - X, 2 d T, 2 Z`, all up to a common factor; with Z = 1 the
//! numbers are those divided by the last one, which is left out. Where the digit of an addition is 1, the summand is the
//! negative of the entry: `(-X : Y : Z)`, with `-T`.

use super::{Arith, EdwardsA, Formula, Segment};

/// `E, F, G, H` of the point `(E F : G H : F G)` with `T = E H`.
pub type Factors<A> = [<A as Arith>::Tight; 4];

/// `2 P` from X, Y and Z: X, Y and Z. 7 reductions.
///
/// ```text
/// E = 2 X Y    G = Y^2 + a X^2    F = 2 Z^2 - G    H = Y^2 - a X^2
/// ```
pub struct Double<const MINUS: bool>;

/// [`Double`] with T as the fourth output. 8 reductions, and 7 where it is repeated.
pub struct DoubleWithT<const MINUS: bool>;

/// `P + Q` for any two points, from X, Y, Z and T of P and an entry: X, Y and Z. 7 reductions.
///
/// ```text
/// E = X1 Y2 + Y1 X2    H = Y1 Y2 - a X1 X2    C = d T1 T2    D = Z1 Z2    F = D - C    G = D + C
/// ```
///
/// For a = -1 all are doubled: `2 E` and `2 H` are the difference and the sum of `(Y1 + X1) (Y2 + X2)` and
/// `(Y1 - X1) (Y2 - X2)`.
pub struct Add<const MINUS: bool>;

/// [`Add`] with T as the fourth output. 8 reductions.
pub struct AddWithT<const MINUS: bool>;

/// [`Add`] for an entry with Z = 1. 6 reductions.
pub struct AddAffine<const MINUS: bool>;

/// [`AddAffine`] with T as the fourth output. 7 reductions.
pub struct AddAffineWithT<const MINUS: bool>;

/// The coefficient a.
const fn coefficient(minus: bool) -> EdwardsA {
    if minus {
        EdwardsA::MinusOne
    } else {
        EdwardsA::One
    }
}

#[inline(always)]
fn double<A: Arith, const MINUS: bool>(arith: &mut A, [x, y, z]: [A::Tight; 3]) -> Factors<A> {
    let (xx, yy, zz) = (arith.square(x), arith.square(y), arith.square(z));
    let xy = arith.multiply(x, y);
    let (sum, difference) = (arith.add(yy, xx), arith.subtract(yy, xx));
    let zz2 = arith.scale(zz, 2);
    let (g, h, f) = if MINUS {
        let f = arith.subtract(zz2, difference);
        let g = arith.carry_signed(difference);
        (g, arith.carry(sum), f)
    } else {
        let f = arith.subtract(zz2, sum);
        let h = arith.carry_signed(difference);
        (arith.carry(sum), h, f)
    };
    let xy2 = arith.scale(xy, 2);
    [arith.carry(xy2), arith.carry_signed(f), g, h]
}

/// E, H and C of the sum [`Add`] for X, Y and T of P and the first three numbers of an entry: what does not depend on Z.
#[inline(always)]
pub fn begin_sum<A: Arith, const MINUS: bool>(
    arith: &mut A,
    [x, y, t]: [A::Tight; 3],
    [first, second, dt]: [A::Tight; 3],
) -> ([A::Tight; 2], A::Loose) {
    let e_and_h = if MINUS {
        let [first, second] = arith.swap_by_digit(first, second);
        let (x, y) = (arith.loosen(x), arith.loosen(y));
        let (plus, minus) = (arith.add(y, x), arith.subtract(y, x));
        let plus = arith.carry(plus);
        let plus = arith.multiply(plus, first);
        let minus = arith.carry_signed(minus);
        let minus = arith.multiply(minus, second);
        let (e, h) = (arith.subtract(plus, minus), arith.add(plus, minus));
        [arith.carry_signed(e), arith.carry(h)]
    } else {
        let first = arith.negate_by_digit(first);
        let e = arith.sum_of_products([(false, x, second), (false, y, first)]);
        let h = arith.sum_of_products([(false, y, second), (true, x, first)]);
        [arith.carry(e), arith.carry_signed(h)]
    };
    (e_and_h, arith.multiply(t, dt))
}

/// E, F, G and H of the sum [`Add`] from what [`begin_sum`] gives, and D, the product of both Z.
#[inline(always)]
pub fn end_sum<A: Arith>(
    arith: &mut A,
    ([e, h], c): ([A::Tight; 2], A::Loose),
    d: A::Loose,
) -> Factors<A> {
    let (f, g) = (arith.subtract(d, c), arith.add(d, c));
    let (f, g) = (arith.carry_signed(f), arith.carry(g));
    // With -C they are each other.
    let [f, g] = arith.swap_by_digit(f, g);
    [e, f, g, h]
}

#[inline(always)]
fn point<A: Arith>(arith: &mut A, [e, f, g, h]: Factors<A>) -> [A::Tight; 3] {
    [
        arith.product(e, f),
        arith.product(g, h),
        arith.product(f, g),
    ]
}

#[inline(always)]
fn point_with_t<A: Arith>(arith: &mut A, [e, f, g, h]: Factors<A>) -> [A::Tight; 4] {
    let [x, y, z] = point(arith, [e, f, g, h]);
    [x, y, z, arith.product(e, h)]
}

impl<const MINUS: bool> Formula<3, 3> for Double<MINUS> {
    const SEGMENT: Segment = Segment::EdwardsDouble(coefficient(MINUS));

    #[inline(always)]
    fn compute<A: Arith>(arith: &mut A, inputs: [A::Tight; 3]) -> [A::Tight; 3] {
        let factors = double::<A, MINUS>(arith, inputs);
        point(arith, factors)
    }
}

impl<const MINUS: bool> Formula<3, 4> for DoubleWithT<MINUS> {
    const SEGMENT: Segment = Segment::EdwardsDoubleWithT(coefficient(MINUS));

    #[inline(always)]
    fn compute<A: Arith>(arith: &mut A, inputs: [A::Tight; 3]) -> [A::Tight; 4] {
        let factors = double::<A, MINUS>(arith, inputs);
        point_with_t(arith, factors)
    }

    /// T is computed the last time only.
    #[inline(always)]
    fn compute_repeatedly<A: Arith>(
        arith: &mut A,
        mut inputs: [A::Tight; 3],
        times: u8,
    ) -> [A::Tight; 4] {
        if times > 1 {
            let point = Double::<MINUS>::compute_repeatedly(arith, inputs, times - 1);
            inputs = point.map(|x| arith.as_input(x));
        }
        Self::compute(arith, inputs)
    }
}

impl<const MINUS: bool> Formula<8, 3> for Add<MINUS> {
    const SEGMENT: Segment = Segment::EdwardsAdd(coefficient(MINUS));

    #[inline(always)]
    fn compute<A: Arith>(arith: &mut A, inputs: [A::Tight; 8]) -> [A::Tight; 3] {
        let [x, y, z, t, first, second, dt, z2] = inputs;
        let begun = begin_sum::<A, MINUS>(arith, [x, y, t], [first, second, dt]);
        let d = arith.multiply(z, z2);
        let factors = end_sum(arith, begun, d);
        point(arith, factors)
    }
}

impl<const MINUS: bool> Formula<8, 4> for AddWithT<MINUS> {
    const SEGMENT: Segment = Segment::EdwardsAddWithT(coefficient(MINUS));

    #[inline(always)]
    fn compute<A: Arith>(arith: &mut A, inputs: [A::Tight; 8]) -> [A::Tight; 4] {
        let [x, y, z, t, first, second, dt, z2] = inputs;
        let begun = begin_sum::<A, MINUS>(arith, [x, y, t], [first, second, dt]);
        let d = arith.multiply(z, z2);
        let factors = end_sum(arith, begun, d);
        point_with_t(arith, factors)
    }
}

impl<const MINUS: bool> Formula<7, 3> for AddAffine<MINUS> {
    const SEGMENT: Segment = Segment::EdwardsAddAffine(coefficient(MINUS));

    #[inline(always)]
    fn compute<A: Arith>(arith: &mut A, inputs: [A::Tight; 7]) -> [A::Tight; 3] {
        let [x, y, z, t, first, second, dt] = inputs;
        let begun = begin_sum::<A, MINUS>(arith, [x, y, t], [first, second, dt]);
        let d = arith.loosen(z);
        let factors = end_sum(arith, begun, d);
        point(arith, factors)
    }
}

impl<const MINUS: bool> Formula<7, 4> for AddAffineWithT<MINUS> {
    const SEGMENT: Segment = Segment::EdwardsAddAffineWithT(coefficient(MINUS));

    #[inline(always)]
    fn compute<A: Arith>(arith: &mut A, inputs: [A::Tight; 7]) -> [A::Tight; 4] {
        let [x, y, z, t, first, second, dt] = inputs;
        let begun = begin_sum::<A, MINUS>(arith, [x, y, t], [first, second, dt]);
        let d = arith.loosen(z);
        let factors = end_sum(arith, begun, d);
        point_with_t(arith, factors)
    }
}
