//! Products and squares in Fp6 and Fp12.

use super::{
    Bls12381, Calls, Compute, D, LIFT, N, Number, Outputs, SEXTIC, Sums, Terms, Tight, Total,
    Wrapped, add_constants, columns, loose, minus, plus, put, square_of, sum,
};

/// A product in `Fp2[w] / (w^DEGREE - 1 - u)` with a factor that has PARTS coefficients, those of the powers of w that are
/// bits of PLACES.
pub(in crate::limbs::segments) struct Product<
    const DEGREE: usize,
    const PARTS: usize,
    const PLACES: u32,
>;

/// [`Product`], for any numbers of coefficients.
#[inline(always)]
fn multiply<W: Calls, const DEGREE: usize, const PARTS: usize>(
    x: &[Tight<W, N>],
    y: &[Tight<W, N>],
    places: u32,
    out: &mut impl Outputs<W, N>,
) {
    let x_sums = Sums::<W, DEGREE>::new(x);
    let y_sums = Sums::<W, PARTS>::new(y);
    let wrapped = Wrapped::<W, PARTS>::new(y);
    for k in 0..DEGREE {
        let mut terms = Terms::none(&x[0].0);
        let mut part = 0;
        for place in 0..DEGREE {
            if places >> place & 1 == 1 {
                let (from, factor) = if place <= k {
                    (k - place, y_sums.element(y, part))
                } else {
                    (k + DEGREE - place, wrapped.element(&y_sums, part))
                };
                terms.push(x_sums.element(x, from), factor);
                part += 1;
            }
        }
        put(out, k, &Total::of(&terms).parts());
    }
}

/// Implements [`Compute`] for a product.
macro_rules! product {
    ($degree:literal, $parts:literal, $places:literal) => {
        impl<W: Calls> Compute<W, N, { 2 * ($degree + $parts) }, { 2 * $degree }>
            for Product<$degree, $parts, $places>
        {
            #[inline(always)]
            fn compute(
                _: Option<W>,
                inputs: &[Tight<W, N>; 2 * ($degree + $parts)],
                out: &mut impl Outputs<W, N>,
            ) {
                let (x, y) = inputs.split_at(2 * $degree);
                multiply::<W, $degree, $parts>(x, y, $places, out);
            }
        }
    };
}
product!(3, 3, 0b111);
product!(6, 6, 0b11_1111);
product!(6, 3, 0b1101);
product!(6, 2, 0b101);

/// A square in `Fp12 = Fp2[w] / (w^6 - 1 - u)`. Products of different coefficients are doubled in columns.
pub(in crate::limbs::segments) struct Square;

impl<W: Calls> Compute<W, N, 12, 12> for Square {
    #[inline(always)]
    fn compute(_: Option<W>, inputs: &[Tight<W, N>; 12], out: &mut impl Outputs<W, N>) {
        let sums = Sums::<W, SEXTIC>::new(inputs);
        let wrapped = Wrapped::<W, SEXTIC>::new(inputs);
        for k in 0..SEXTIC {
            // Products of coefficients i < j, with `i + j` equal to k, or to `k + 6`.
            let mut terms = Terms::none(&inputs[0].0);
            for j in 1..SEXTIC {
                let (i, factor) = if j <= k {
                    (k - j, sums.element(inputs, j))
                } else {
                    (k + SEXTIC - j, wrapped.element(&sums, j))
                };
                if i < j {
                    terms.push(sums.element(inputs, i), factor);
                }
            }
            let mut total = Total::of(&terms);
            total.double();
            if k.is_multiple_of(2) {
                let (low, high) = (k / 2, k / 2 + SEXTIC / 2);
                let mut squares = Terms::none(&inputs[0].0);
                let factor = sums.element(inputs, low);
                squares.push(factor, factor);
                squares.push(sums.element(inputs, high), wrapped.element(&sums, high));
                total = total.plus(&squares);
            }
            put(out, k, &total.parts());
        }
    }
}

/// A square in the cyclotomic subgroup of Fp12 (Granger and Scott, 2010).
///
/// With `s = w^3` and `x = a + b w + c w^2` for a, b and c in `Fp4 = Fp2[s] / (s^2 - 1 - u)` the square is
/// `(3 a^2 - 2 a') + (3 s c^2 + 2 b') w + (3 b^2 - 2 c') w^2`, where a' is the conjugate of a.
pub(in crate::limbs::segments) struct CyclotomicSquare;

/// `3 x + 2 y`, or `3 x - 2 y`, below 2 P, for a loose x.
#[inline(always)]
fn combined<W: Calls>(x: &Number<W>, y: &Number<W>, is_negative: bool) -> Number<W> {
    let thrice = columns::scale(*x, 3);
    let twice = plus(y, y);
    let number = if is_negative {
        add_constants(minus(&thrice, &twice), LIFT)
    } else {
        plus(&thrice, &twice)
    };
    W::call_carry::<Bls12381, N, D>(&number)
}

impl<W: Calls> Compute<W, N, 12, 12> for CyclotomicSquare {
    #[inline(always)]
    fn compute(_: Option<W>, inputs: &[Tight<W, N>; 12], out: &mut impl Outputs<W, N>) {
        for k in 0..3 {
            // The square of `x + y s` in Fp4: `x^2 + (1 + u) y^2`, and `2 x y = (x + y)^2 - x^2 - y^2`.
            let [x0, x1] = [&inputs[2 * k].0, &inputs[2 * k + 1].0];
            let [y0, y1] = [&inputs[2 * k + 6].0, &inputs[2 * k + 7].0];
            let [xx0, xx1] = &square_of(x0, x1);
            let [yy0, yy1] = &square_of(y0, y1);
            let [both0, both1] = &square_of(&sum(x0, y0), &sum(x1, y1));
            let even = [
                loose(&minus(&plus(xx0, yy0), yy1)),
                loose(&plus(&plus(xx1, yy0), yy1)),
            ];
            let mut odd = [
                loose(&minus(&minus(both0, xx0), yy0)),
                loose(&minus(&minus(both1, xx1), yy1)),
            ];
            if k == 2 {
                odd = [minus(&odd[0], &odd[1]), plus(&odd[0], &odd[1])];
            }
            // The coefficients of the square to which these contribute.
            let (at_even, at_odd) = ([0, 2, 4][k], [3, 5, 1][k]);
            for part in 0..2 {
                let at = 2 * at_even + part;
                out.put(at, &combined(&even[part], &inputs[at].0, true));
                let at = 2 * at_odd + part;
                out.put(at, &combined(&odd[part], &inputs[at].0, false));
            }
        }
    }
}
