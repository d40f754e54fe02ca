//! Points of the curve of G2, `y^2 = x^3 + 4 (1 + u)` over Fp2, and lines through them.
//!
//! Formulas are those of programs: homogeneous coordinates have no exceptions, as the curve has an odd number of points
//! (Renes, Costello and Batina, 2016, algorithms 7 and 9).

use super::{
    Bls12381, Calls, Compute, D, Factor, N, Number, Outputs, Terms, Tight, Total, add_constants,
    columns, limbs, minus, plus, put, reduced, square_of, sum,
};

/// What makes linear combinations of results positive: each is at most `2^7 P` in absolute value.
const SMALL_LIFT: [u64; N] = Bls12381::multiple(7);

/// An element of Fp2: its real and its imaginary part.
type Element<W> = [Number<W>; 2];

/// The coordinates `X : Y : Z` of a point.
type Coordinates<W> = [Element<W>; 3];

/// Element k of the inputs.
#[inline(always)]
fn element<W: Calls>(inputs: &[Tight<W, N>], k: usize) -> Element<W> {
    [inputs[2 * k].0, inputs[2 * k + 1].0]
}

/// The sum of the products of some pairs, below `P + 2^-3 P`.
#[inline(always)]
fn sum_of_products<W: Calls, const TERMS: usize>(terms: [[&Element<W>; 2]; TERMS]) -> Element<W> {
    let mut sums = [[columns::zero(); 2]; TERMS];
    for (sums, [x, y]) in sums.iter_mut().zip(&terms) {
        *sums = [sum(&x[0], &x[1]), sum(&y[0], &y[1])];
    }
    let mut factors = Terms::none(&sums[0][0]);
    for k in 0..TERMS {
        let ([x, y], [x_sum, y_sum]) = (&terms[k], &sums[k]);
        factors.push(Factor([&x[0], &x[1], x_sum]), Factor([&y[0], &y[1], y_sum]));
    }
    Total::of(&factors).parts()
}

/// `x y`, below `P + 2^-3 P`.
#[inline(always)]
fn product<W: Calls>(x: &Element<W>, y: &Element<W>) -> Element<W> {
    sum_of_products([[x, y]])
}

/// `x^2`, below `P + 2^-3 P`.
#[inline(always)]
fn square<W: Calls>(x: &Element<W>) -> Element<W> {
    let [re, im] = square_of(&x[0], &x[1]);
    [reduced(re), reduced(im)]
}

/// `x y` for a y modulo P, below `P + 2^-3 P`.
#[inline(always)]
fn times<W: Calls>(x: &Element<W>, y: &Number<W>) -> Element<W> {
    [
        reduced(W::call_sum_of_products(&[[&x[0], y]])),
        reduced(W::call_sum_of_products(&[[&x[1], y]])),
    ]
}

/// `x + y`.
#[inline(always)]
fn added<W: Calls>(x: &Element<W>, y: &Element<W>) -> Element<W> {
    [sum(&x[0], &y[0]), sum(&x[1], &y[1])]
}

/// `a x - b y + 2^7 P` in columns, for factors below 64.
#[inline(always)]
fn combined<W: Calls>((a, x): (u32, &Number<W>), (b, y): (u32, &Number<W>)) -> Number<W> {
    let (x, y) = (columns::scale(*x, a), columns::scale(*y, b));
    add_constants(minus(&x, &y), SMALL_LIFT)
}

/// `a x - b y`, for factors below 64 and a y of at most `2^7 P / b`.
#[inline(always)]
fn difference<W: Calls>((a, x): (u32, &Element<W>), (b, y): (u32, &Element<W>)) -> Element<W> {
    [
        limbs(combined((a, &x[0]), (b, &y[0]))),
        limbs(combined((a, &x[1]), (b, &y[1]))),
    ]
}

/// `a x - b y`, below 2 P.
#[inline(always)]
fn carried<W: Calls>((a, x): (u32, &Element<W>), (b, y): (u32, &Element<W>)) -> Element<W> {
    [
        W::call_carry::<Bls12381, N, D>(&combined((a, &x[0]), (b, &y[0]))),
        W::call_carry::<Bls12381, N, D>(&combined((a, &x[1]), (b, &y[1]))),
    ]
}

/// `factor x`, for a factor below 64.
#[inline(always)]
fn multiple<W: Calls>(factor: u32, x: &Element<W>) -> Element<W> {
    [
        limbs(columns::scale(x[0], factor)),
        limbs(columns::scale(x[1], factor)),
    ]
}

/// `3 b x = 12 (1 + u) x`, at most `2^5 P`, for an x of at most 1.25 P.
#[inline(always)]
fn times_b3<W: Calls>(x: &Element<W>) -> Element<W> {
    let [re, im] = x;
    let lifted = add_constants(minus(re, im), Bls12381::multiple(1));
    [
        limbs(columns::scale(lifted, 12)),
        limbs(columns::scale(plus(re, im), 12)),
    ]
}

/// A doubled point, and the numbers on the way that a tangent takes.
struct Doubled<W> {
    point: Coordinates<W>,
    /// `Y^2`.
    yy: Element<W>,
    /// `Y Z`.
    yz: Element<W>,
    /// `3 b Z^2`.
    e: Element<W>,
}

/// `2 P`:
///
/// ```text
/// e = 3 b Z^2    d = Y^2 - 3 e
/// X3 = 2 X Y d    Y3 = d (Y^2 + e) + 8 Y^2 e    Z3 = 8 Y^2 Y Z
/// ```
#[inline(always)]
fn doubled<W: Calls>([x, y, z]: &Coordinates<W>) -> Doubled<W> {
    let yy = square(y);
    let e = times_b3(&square(z));
    let yz = product(y, z);
    let xy = product(x, y);
    let d = difference((1, &yy), (3, &e));
    let yy8 = multiple(8, &yy);
    let point = [
        product(&d, &multiple(2, &xy)),
        sum_of_products([[&d, &added(&yy, &e)], [&yy8, &e]]),
        product(&yy8, &yz),
    ];
    Doubled { point, yy, yz, e }
}

/// Puts out coordinates.
#[inline(always)]
fn put_point<W: Calls>(out: &mut impl Outputs<W, N>, point: &Coordinates<W>) {
    for (k, coordinate) in point.iter().enumerate() {
        put(out, k, coordinate);
    }
}

/// `2 P`.
pub(in crate::limbs::segments) struct Double;

impl<W: Calls> Compute<W, N, 6, 6> for Double {
    #[inline(always)]
    fn compute(_: Option<W>, inputs: &[Tight<W, N>; 6], out: &mut impl Outputs<W, N>) {
        let point = [element(inputs, 0), element(inputs, 1), element(inputs, 2)];
        put_point(out, &doubled(&point).point);
    }
}

/// `2 T`, and the tangent at T, at a point (x, y) of which x and -y are given:
/// `(3 b Z^2 - Y^2) + 3 X^2 x w^2 - 2 Y Z y w^3`.
pub(in crate::limbs::segments) struct Tangent;

impl<W: Calls> Compute<W, N, 8, 12> for Tangent {
    #[inline(always)]
    fn compute(_: Option<W>, inputs: &[Tight<W, N>; 8], out: &mut impl Outputs<W, N>) {
        let t = [element(inputs, 0), element(inputs, 1), element(inputs, 2)];
        let [x, minus_y] = [&inputs[6].0, &inputs[7].0];
        let Doubled { point, yy, yz, e } = doubled(&t);
        put_point(out, &point);
        put(out, 3, &carried((1, &e), (1, &yy)));
        put(out, 4, &times(&multiple(3, &square(&t[0])), x));
        put(out, 5, &times(&multiple(2, &yz), minus_y));
    }
}

/// `2 P` in Jacobian coordinates, for `W = 3 X^2`:
///
/// ```text
/// X3 = W^2 - 8 X Y^2    Y3 = W (4 X Y^2 - X3) - 8 Y^4    Z3 = 2 Y Z
/// ```
pub(in crate::limbs::segments) struct DoubleJacobian;

impl<W: Calls> Compute<W, N, 6, 6> for DoubleJacobian {
    #[inline(always)]
    fn compute(_: Option<W>, inputs: &[Tight<W, N>; 6], out: &mut impl Outputs<W, N>) {
        let [x, y, z] = [element(inputs, 0), element(inputs, 1), element(inputs, 2)];
        let slope = multiple(3, &square(&x));
        let yy = square(&y);
        let xyy = product(&x, &yy);
        let yz = product(&y, &z);
        let x = carried((1, &square(&slope)), (8, &xyy));
        let rest = difference((4, &xyy), (1, &x));
        let zero = [columns::zero(); 2];
        let minus_yy8 = difference((1, &zero), (8, &yy));
        let y = sum_of_products([[&slope, &rest], [&yy, &minus_yy8]]);
        put_point(out, &[x, y, multiple(2, &yz)]);
    }
}

/// The sum of two points, by products of their coordinates:
///
/// ```text
/// t1 = Y1 Y2    t3 = X1 Y2 + X2 Y1    t4 = Y1 Z2 + Y2 Z1
/// u = 3 b Z1 Z2    v = 3 b (X1 Z2 + X2 Z1)    s = 3 X1 X2
/// X3 = t3 (t1 - u) - t4 v    Y3 = s v + (t1 + u) (t1 - u)    Z3 = t4 (t1 + u) + t3 s
/// ```
#[inline(always)]
fn put_sum<W: Calls>(out: &mut impl Outputs<W, N>, [t1, t3, t4, zz, cross, xx]: [&Element<W>; 6]) {
    let (u, v, s) = (times_b3(zz), times_b3(cross), multiple(3, xx));
    let (plus, minus) = (added(t1, &u), difference((1, t1), (1, &u)));
    let zero = [columns::zero(); 2];
    let minus_v = difference((1, &zero), (1, &v));
    put(out, 0, &sum_of_products([[t3, &minus], [t4, &minus_v]]));
    put(out, 1, &sum_of_products([[&v, &s], [&minus, &plus]]));
    put(out, 2, &sum_of_products([[t4, &plus], [t3, &s]]));
}

/// `P + Q`.
pub(in crate::limbs::segments) struct Add;

impl<W: Calls> Compute<W, N, 12, 6> for Add {
    #[inline(always)]
    fn compute(_: Option<W>, inputs: &[Tight<W, N>; 12], out: &mut impl Outputs<W, N>) {
        let [x1, y1, z1] = [element(inputs, 0), element(inputs, 1), element(inputs, 2)];
        let [x2, y2, z2] = [element(inputs, 3), element(inputs, 4), element(inputs, 5)];
        let t3 = sum_of_products([[&x1, &y2], [&y1, &x2]]);
        let t4 = sum_of_products([[&y1, &z2], [&z1, &y2]]);
        let cross = sum_of_products([[&x1, &z2], [&z1, &x2]]);
        let (t1, zz, xx) = (product(&y1, &y2), product(&z1, &z2), product(&x1, &x2));
        put_sum(out, [&t1, &t3, &t4, &zz, &cross, &xx]);
    }
}
