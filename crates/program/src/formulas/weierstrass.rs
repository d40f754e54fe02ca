//! Point formulas of curves `y^2 = x^3 + a x + b` with an odd number of points, for a = -3 and a = 0.
//!
//! Points are homogeneous, `(X : Y : Z)` for `(X/Z, Y/Z)`, with `(0 : Y : 0)` for the point at infinity, and their additions
//! have no exceptions; or they are Jacobian, `(X/Z^2, Y/Z^3)`, with Z = 0 for a point that is not known, which all Jacobian
//! formulas keep. Where the digit of an addition is 1, Q is negative: its y has the other sign.

use super::{Arith, Formula, Segment, WeierstrassA};

/// A doubling of Jacobian X, Y and Z; a = -3 if MINUS, else 0. 7 reductions, 6 for a = 0.
///
/// `M = 3 X^2 + a Z^4, S = 4 X Y^2` give `X3 = M^2 - 2 S, Y3 = M (S - X3) - 8 Y^4, Z3 = 2 Y Z`.
pub struct DoubleJacobian<const MINUS: bool>;

/// `(X Z : Y : Z^3)`, the homogeneous coordinates of Jacobian ones. 3 reductions.
pub struct FromJacobian;

/// `P + Q` for any two points and a = -3, from X, Y, Z of P, and x, y, z, `p = 3 b z - 3 x` and `q = 3 b x - 9 z` of Q
/// (Renes, Costello and Batina, 2016, algorithm 4, as sums of products). 9 reductions.
///
/// ```text
/// t1 = Y1 Y2    t3 = X1 Y2 + X2 Y1    t4 = Y1 Z2 + Y2 Z1
/// u = Z1 p - 3 X1 Z2    v = X1 p + Z1 q    s = 3 (X1 X2 - Z1 Z2)
/// X3 = t3 (t1 - u) - t4 v    Y3 = s v + (t1 + u) (t1 - u)    Z3 = t4 (t1 + u) + t3 s
/// ```
pub struct AddMinusThree;

/// [`AddMinusThree`] for a Q with z = 1, from X, Y, Z of P, x and y of Q, and 3 b. 10 reductions.
///
/// ```text
/// c = X1 + Z1 X2    u = 3 b Z1 - 3 c    v = 3 b c - 3 X1 X2 - 9 Z1
/// ```
pub struct AddAffineMinusThree;

/// `P + Q` for any two points and a = 0, from X, Y, Z of P and x, y, z of Q (Renes, Costello and Batina, 2016,
/// algorithm 7, as sums of products); B3 is 3 b. 9 reductions.
///
/// ```text
/// t1 = Y1 Y2    t3 = X1 Y2 + X2 Y1    t4 = Y1 Z2 + Y2 Z1
/// u = 3 b Z1 Z2    v = 3 b (X1 Z2 + X2 Z1)    s = 3 X1 X2
/// X3 = t3 (t1 - u) - t4 v    Y3 = s v + (t1 + u) (t1 - u)    Z3 = t4 (t1 + u) + t3 s
/// ```
pub struct AddZero<const B3: u32>;

/// [`AddZero`] for a Q with z = 1, from X, Y, Z of P, and x and y of Q. 8 reductions.
pub struct AddAffineZero<const B3: u32>;

/// `P + Q` for Jacobian X, Y and Z of P, and an affine Q other than P and -P, from its x and y: Jacobian coordinates, on any
/// curve, and H. 10 reductions.
///
/// `H = x Z^2 - X, R = y Z^3 - Y` give `X3 = R^2 - H^3 - 2 X H^2, Y3 = R (X H^2 - X3) - Y H^3, Z3 = Z H`. For Q = P and
/// Q = -P, and for a P with Z = 0, the Z of the sum is 0.
pub struct AddAffineJacobian;

/// `P + Q` for Jacobian X, Y and Z of P, and a Q other than P and -P, from its Jacobian x, y, z, `z^2` and `z^3`: Jacobian
/// coordinates, on any curve. 13 reductions.
///
/// [`AddAffineJacobian`] with `X z^2` and `Y z^3` in place of X and Y, and `Z3 = Z z H`; the Z of the sum is 0 also for a z of 0.
pub struct AddJacobian;

/// `x q^2` and `y q^3`, and `q r`, from x, y, q and r: a point in Jacobian coordinates with a z that is divided by q, and the next
/// q of a chain of points whose z have the quotients r. 5 reductions.
pub struct Rescale;

/// `d = x2 - x1` and `d c`, from x1 and x2 of two points and the product c of the widths of other chords. 1 reduction.
pub struct ChordWidth;

/// `P + Q` for affine points with different x, on any curve, and `i d`: from x and y of P and of Q, their [`ChordWidth`] d,
/// the product c of the widths before it, and the inverse i of `c d`. 6 reductions.
///
/// `s = (y2 - y1) i c` gives `x3 = s^2 - x1 - x2, y3 = s (x1 - x3) - y1`.
pub struct AddByChord;

/// The coefficients of doublings.
const fn coefficient(minus: bool) -> WeierstrassA {
    if minus {
        WeierstrassA::MinusThree
    } else {
        WeierstrassA::Zero(0)
    }
}

/// `3 (x^2 - r^2)`, where `square` is `r^2`; `3 x^2` for a = 0, whatever `square` is.
#[inline(always)]
fn slope<A: Arith, const MINUS: bool>(arith: &mut A, x: A::Tight, square: A::Loose) -> A::Tight {
    let product = if MINUS {
        let x = arith.loosen(x);
        let (plus, minus) = (arith.add(x, square), arith.subtract(x, square));
        let (plus, minus) = (arith.carry(plus), arith.carry_signed(minus));
        arith.multiply(plus, minus)
    } else {
        arith.square(x)
    };
    let slope = arith.scale(product, 3);
    arith.carry(slope)
}

/// The end of doublings: `X3 = w^2 - 8 xe, Y3 = w (4 xe - X3) - 8 e^2` and `Z3 = 2 half`.
#[inline(always)]
pub fn doubled<A: Arith>(
    arith: &mut A,
    w: A::Tight,
    xe: A::Loose,
    e: A::Tight,
    half: A::Loose,
) -> [A::Tight; 3] {
    let xe = arith.carry(xe);
    let xe = arith.loosen(xe);
    let (square, xe8) = (arith.square(w), arith.scale(xe, 8));
    let x = arith.subtract(square, xe8);
    let x = arith.carry_signed(x);
    let (xe4, loose) = (arith.scale(xe, 4), arith.loosen(x));
    let difference = arith.subtract(xe4, loose);
    let difference = arith.carry_signed(difference);
    let y = arith.multiply_less_square([w, difference], e, 8);
    let z = arith.scale(half, 2);
    [x, arith.carry_signed(y), arith.carry(z)]
}

impl<const MINUS: bool> Formula<3, 3> for DoubleJacobian<MINUS> {
    const SEGMENT: Segment = Segment::DoubleJacobian(coefficient(MINUS));

    #[inline(always)]
    fn compute<A: Arith>(arith: &mut A, [x, y, z]: [A::Tight; 3]) -> [A::Tight; 3] {
        let square = if MINUS {
            arith.square(z)
        } else {
            arith.loosen(z)
        };
        let w = slope::<A, MINUS>(arith, x, square);
        let yy = arith.product(y, y);
        let xyy = arith.multiply(x, yy);
        let yz = arith.multiply(y, z);
        doubled(arith, w, xyy, yy, yz)
    }
}

impl Formula<3, 3> for FromJacobian {
    const SEGMENT: Segment = Segment::FromJacobian;

    #[inline(always)]
    fn compute<A: Arith>(arith: &mut A, [x, y, z]: [A::Tight; 3]) -> [A::Tight; 3] {
        let square = arith.square(z);
        let square = arith.carry(square);
        [arith.product(x, z), y, arith.product(square, z)]
    }
}

/// The common end of Jacobian additions, for P's X and Y, and Q's, both for the same Z, and that Z: the sum, and H.
#[inline(always)]
fn added_jacobian<A: Arith>(
    arith: &mut A,
    [x, y, z]: [A::Tight; 3],
    [x2, y2]: [A::Loose; 2],
) -> [A::Tight; 4] {
    let (loose_x, loose_y) = (arith.loosen(x), arith.loosen(y));
    let (h, r) = (arith.subtract(x2, loose_x), arith.subtract(y2, loose_y));
    let (h, r) = (arith.carry_signed(h), arith.carry_signed(r));
    let square = arith.square(h);
    let square = arith.carry(square);
    let cube = arith.product(h, square);
    let xhh = arith.multiply(x, square);
    let x3 = arith.square(r);
    let (loose_cube, xhh2) = (arith.loosen(cube), arith.scale(xhh, 2));
    let x3 = arith.subtract(x3, loose_cube);
    let x3 = arith.subtract(x3, xhh2);
    let x3 = arith.carry_signed(x3);
    let loose_x3 = arith.loosen(x3);
    let difference = arith.subtract(xhh, loose_x3);
    let difference = arith.carry_signed(difference);
    let y3 = arith.sum_of_products([(true, y, cube), (false, r, difference)]);
    [x3, arith.carry_signed(y3), arith.product(z, h), h]
}

impl Formula<5, 4> for AddAffineJacobian {
    const SEGMENT: Segment = Segment::JacobianAddAffine;

    #[inline(always)]
    fn compute<A: Arith>(arith: &mut A, [x, y, z, x2, y2]: [A::Tight; 5]) -> [A::Tight; 4] {
        let y2 = arith.negate_by_digit(y2);
        let square = arith.square(z);
        let square = arith.carry(square);
        let cube = arith.product(z, square);
        let (x2, y2) = (arith.multiply(x2, square), arith.multiply(y2, cube));
        added_jacobian(arith, [x, y, z], [x2, y2])
    }
}

impl Formula<8, 3> for AddJacobian {
    const SEGMENT: Segment = Segment::JacobianAdd;

    #[inline(always)]
    fn compute<A: Arith>(arith: &mut A, inputs: [A::Tight; 8]) -> [A::Tight; 3] {
        let [x, y, z, x2, y2, z2, square2, cube2] = inputs;
        let y2 = arith.negate_by_digit(y2);
        let square = arith.square(z);
        let square = arith.carry(square);
        let cube = arith.product(z, square);
        let (x2, y2) = (arith.multiply(x2, square), arith.multiply(y2, cube));
        let (x, y) = (arith.product(x, square2), arith.product(y, cube2));
        let z = arith.product(z, z2);
        let [x, y, z, _] = added_jacobian(arith, [x, y, z], [x2, y2]);
        [x, y, z]
    }
}

impl Formula<4, 3> for Rescale {
    const SEGMENT: Segment = Segment::Rescale;

    #[inline(always)]
    fn compute<A: Arith>(arith: &mut A, [x, y, q, ratio]: [A::Tight; 4]) -> [A::Tight; 3] {
        let square = arith.square(q);
        let square = arith.carry(square);
        let cube = arith.product(square, q);
        [
            arith.product(x, square),
            arith.product(y, cube),
            arith.product(q, ratio),
        ]
    }
}

impl Formula<3, 2> for ChordWidth {
    const SEGMENT: Segment = Segment::ChordWidth;

    #[inline(always)]
    fn compute<A: Arith>(arith: &mut A, [x1, x2, before]: [A::Tight; 3]) -> [A::Tight; 2] {
        let (x1, x2) = (arith.loosen(x1), arith.loosen(x2));
        let width = arith.subtract(x2, x1);
        let width = arith.carry_signed(width);
        [width, arith.product(before, width)]
    }
}

impl Formula<7, 3> for AddByChord {
    const SEGMENT: Segment = Segment::AddByChord;

    #[inline(always)]
    fn compute<A: Arith>(arith: &mut A, inputs: [A::Tight; 7]) -> [A::Tight; 3] {
        let [x1, y1, x2, y2, width, before, inverse] = inputs;
        let y2 = arith.negate_by_digit(y2);
        let own = arith.product(inverse, before);
        let rest = arith.product(inverse, width);
        let (loose_y1, loose_y2) = (arith.loosen(y1), arith.loosen(y2));
        let height = arith.subtract(loose_y2, loose_y1);
        let height = arith.carry_signed(height);
        let slope = arith.product(height, own);
        let (loose_x1, loose_x2) = (arith.loosen(x1), arith.loosen(x2));
        let square = arith.square(slope);
        let sum = arith.add(loose_x1, loose_x2);
        let x3 = arith.subtract(square, sum);
        let x3 = arith.carry_signed(x3);
        let loose_x3 = arith.loosen(x3);
        let difference = arith.subtract(loose_x1, loose_x3);
        let difference = arith.carry_signed(difference);
        let product = arith.multiply(slope, difference);
        let y3 = arith.subtract(product, loose_y1);
        [x3, arith.carry_signed(y3), rest]
    }
}

/// The common end of additions, for `t1, u` and `t3, t4, v, s`.
#[inline(always)]
fn added<A: Arith>(
    arith: &mut A,
    [t1, u]: [A::Loose; 2],
    [t3, t4, v, s]: [A::Tight; 4],
    u_may_be_negative: bool,
) -> [A::Tight; 3] {
    let (plus, minus) = (arith.add(t1, u), arith.subtract(t1, u));
    let plus = if u_may_be_negative {
        arith.carry_signed(plus)
    } else {
        arith.carry(plus)
    };
    let minus = arith.carry_signed(minus);
    let x = arith.sum_of_products([(true, v, t4), (false, t3, minus)]);
    let y = arith.sum_of_products([(false, s, v), (false, plus, minus)]);
    let z = arith.sum_of_products([(false, t4, plus), (false, t3, s)]);
    [arith.carry_signed(x), arith.carry(y), arith.carry(z)]
}

impl Formula<8, 3> for AddMinusThree {
    const SEGMENT: Segment = Segment::WeierstrassAdd(WeierstrassA::MinusThree);

    #[inline(always)]
    fn compute<A: Arith>(arith: &mut A, inputs: [A::Tight; 8]) -> [A::Tight; 3] {
        let [x, y, z, x2, y2, z2, p, q] = inputs;
        let y2 = arith.negate_by_digit(y2);
        let t1 = arith.multiply(y, y2);
        let z23 = arith.loosen(z2);
        let z23 = arith.scale(z23, 3);
        let z23 = arith.carry(z23);
        let u = arith.sum_of_products([(true, x, z23), (false, z, p)]);
        let t3 = arith.sum_of_products([(false, x, y2), (false, y, x2)]);
        let t4 = arith.sum_of_products([(false, y, z2), (false, z, y2)]);
        let v = arith.sum_of_products([(false, x, p), (false, z, q)]);
        let (t3, t4, v) = (arith.carry(t3), arith.carry(t4), arith.carry(v));
        let s = arith.sum_of_products([(true, z, z2), (false, x, x2)]);
        let s = arith.scale(s, 3);
        let s = arith.carry_signed(s);
        added(arith, [t1, u], [t3, t4, v, s], true)
    }
}

/// [`AddMinusThree`] for a Q with z = 1, from X, Y, Z of P, and x, y, p and q of Q: for a point that is added so often that
/// its products pay. 9 reductions.
#[inline(always)]
pub fn add_affine_with_products<A: Arith>(
    arith: &mut A,
    [x, y, z, x2, y2, p, q]: [A::Tight; 7],
) -> [A::Tight; 3] {
    let t1 = arith.multiply(y, y2);
    let zp = arith.multiply(z, p);
    let (loose_x, loose_y) = (arith.loosen(x), arith.loosen(y));
    let loose_z = arith.loosen(z);
    let x3 = arith.scale(loose_x, 3);
    let u = arith.subtract(zp, x3);
    let t3 = arith.sum_of_products([(false, x, y2), (false, y, x2)]);
    let t4 = arith.multiply(z, y2);
    let t4 = arith.add(t4, loose_y);
    let v = arith.sum_of_products([(false, x, p), (false, z, q)]);
    let (t3, t4, v) = (arith.carry(t3), arith.carry(t4), arith.carry(v));
    let s = arith.multiply(x, x2);
    let s = arith.subtract(s, loose_z);
    let s = arith.scale(s, 3);
    let s = arith.carry_signed(s);
    added(arith, [t1, u], [t3, t4, v, s], true)
}

impl Formula<6, 3> for AddAffineMinusThree {
    const SEGMENT: Segment = Segment::WeierstrassAddAffine(WeierstrassA::MinusThree);

    #[inline(always)]
    fn compute<A: Arith>(arith: &mut A, inputs: [A::Tight; 6]) -> [A::Tight; 3] {
        let [x, y, z, x2, y2, b3] = inputs;
        let y2 = arith.negate_by_digit(y2);
        let t1 = arith.multiply(y, y2);
        let (loose_x, loose_y) = (arith.loosen(x), arith.loosen(y));
        let loose_z = arith.loosen(z);
        let cross = arith.multiply(z, x2);
        let cross = arith.add(cross, loose_x);
        let cross = arith.carry(cross);
        let xx = arith.multiply(x, x2);
        let difference = arith.subtract(xx, loose_z);
        let s = arith.scale(difference, 3);
        let s = arith.carry_signed(s);
        // v = 3 b c - s - 12 Z1.
        let v = arith.multiply(cross, b3);
        let (loose_s, z12) = (arith.loosen(s), arith.scale(loose_z, 12));
        let v = arith.subtract(v, loose_s);
        let v = arith.subtract(v, z12);
        let v = arith.carry_signed(v);
        let u = arith.multiply(z, b3);
        let cross = arith.loosen(cross);
        let cross3 = arith.scale(cross, 3);
        let u = arith.subtract(u, cross3);
        let t3 = arith.sum_of_products([(false, x, y2), (false, y, x2)]);
        let t4 = arith.multiply(z, y2);
        let t4 = arith.add(t4, loose_y);
        let (t3, t4) = (arith.carry(t3), arith.carry(t4));
        added(arith, [t1, u], [t3, t4, v, s], true)
    }
}

impl<const B3: u32> Formula<6, 3> for AddZero<B3> {
    const SEGMENT: Segment = Segment::WeierstrassAdd(WeierstrassA::Zero(B3));

    #[inline(always)]
    fn compute<A: Arith>(arith: &mut A, inputs: [A::Tight; 6]) -> [A::Tight; 3] {
        let [x, y, z, x2, y2, z2] = inputs;
        let y2 = arith.negate_by_digit(y2);
        let t1 = arith.multiply(y, y2);
        let u = arith.multiply(z, z2);
        let u = arith.scale(u, B3);
        let t3 = arith.sum_of_products([(false, x, y2), (false, y, x2)]);
        let t4 = arith.sum_of_products([(false, y, z2), (false, z, y2)]);
        let v = arith.sum_of_products([(false, x, z2), (false, z, x2)]);
        let v = arith.scale(v, B3);
        let (t3, t4, v) = (arith.carry(t3), arith.carry(t4), arith.carry(v));
        let s = arith.multiply(x, x2);
        let s = arith.scale(s, 3);
        let s = arith.carry(s);
        added(arith, [t1, u], [t3, t4, v, s], false)
    }
}

impl<const B3: u32> Formula<5, 3> for AddAffineZero<B3> {
    const SEGMENT: Segment = Segment::WeierstrassAddAffine(WeierstrassA::Zero(B3));

    #[inline(always)]
    fn compute<A: Arith>(arith: &mut A, inputs: [A::Tight; 5]) -> [A::Tight; 3] {
        let [x, y, z, x2, y2] = inputs;
        let y2 = arith.negate_by_digit(y2);
        let t1 = arith.multiply(y, y2);
        let (loose_x, loose_y) = (arith.loosen(x), arith.loosen(y));
        let loose_z = arith.loosen(z);
        let u = arith.scale(loose_z, B3);
        let t3 = arith.sum_of_products([(false, x, y2), (false, y, x2)]);
        let t4 = arith.multiply(z, y2);
        let t4 = arith.add(t4, loose_y);
        let v = arith.multiply(z, x2);
        let v = arith.add(v, loose_x);
        let v = arith.scale(v, B3);
        let (t3, t4, v) = (arith.carry(t3), arith.carry(t4), arith.carry(v));
        let s = arith.multiply(x, x2);
        let s = arith.scale(s, 3);
        let s = arith.carry(s);
        added(arith, [t1, u], [t3, t4, v, s], false)
    }
}
