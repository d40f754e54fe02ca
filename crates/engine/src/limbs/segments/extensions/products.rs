//! Products and squares in Fp6 and Fp12.

use super::{
    Balance, Bls12381, Calls, Columns, Compute, D, Kernel, LIFT, N, Number, Outputs, Prime, SEXTIC,
    SquareInPlane, Sums, Terms, Tight, TwicePlusProducts, Wrapped, add_constants, minus, plus, put,
    put_balance, sum,
};
use crate::limbs::segments::columns::cut;

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
        let mut terms = Terms::none(x[0].factors());
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
        let (re, im, sum) = (terms.sum(0), terms.sum(1), terms.sum(2));
        put(out, k, &re, &im, &sum);
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
                _: u8,
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
    fn compute(_: u8, _: Option<W>, inputs: &[Tight<W, N>; 12], out: &mut impl Outputs<W, N>) {
        let sums = Sums::<W, SEXTIC>::new(inputs);
        let wrapped = Wrapped::<W, SEXTIC>::new(inputs);
        for k in 0..SEXTIC {
            // Products of coefficients i < j, with `i + j` equal to k, or to `k + 6`.
            let mut terms = Terms::none(inputs[0].factors());
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
            let (re, im, sum) = (terms.sum(0), terms.sum(1), terms.sum(2));
            if k.is_multiple_of(2) {
                let (low, high) = (k / 2, k / 2 + SEXTIC / 2);
                let mut squares = Terms::none(inputs[0].factors());
                let factor = sums.element(inputs, low);
                squares.push(factor, factor);
                squares.push(sums.element(inputs, high), wrapped.element(&sums, high));
                let re = twice_plus_products(&re, squares.part(0));
                let im = twice_plus_products(&im, squares.part(1));
                let sum = twice_plus_products(&sum, squares.part(2));
                put(out, k, &re, &im, &sum);
            } else {
                put_balance(out, 2 * k, &[&re, &re], &[&im, &im]);
                put_balance(out, 2 * k + 1, &[&sum, &sum], &[&re, &re, &im, &im]);
            }
        }
    }
}

/// Twice some columns plus those of the products of some pairs.
#[inline(always)]
fn twice_plus_products<W: Calls>(columns: &Columns<W>, terms: &[[&Number<W>; 2]]) -> Columns<W> {
    W::call(TwicePlusProducts { columns, terms })
}

/// A square in the cyclotomic subgroup of Fp12 (Granger and Scott, 2010).
///
/// With `s = w^3` and `x = a + b w + c w^2` for a, b and c in `Fp4 = Fp2[s] / (s^2 - 1 - u)` the square is
/// `(3 a^2 - 2 a') + (3 s c^2 + 2 b') w + (3 b^2 - 2 c') w^2`, where a' is the conjugate of a.
pub(in crate::limbs::segments) struct CyclotomicSquare;

/// `3 x + 2 y`, or `3 x - 2 y`, below 2 P, where x is a balance modulo P, divided by F. Requires columns of at most `2^33 P^2` in
/// absolute value, and a y of at most `2^13 P`.
struct Combined<'a, W> {
    x: Balance<'a, W>,
    y: &'a Number<W>,
    is_negative: bool,
}

impl<W: Calls> Kernel for Combined<'_, W> {
    type Output = Number<W>;

    #[inline(always)]
    fn compute(self) -> Number<W> {
        let x = self.x.loose([0; D]);
        let number = if self.is_negative {
            let difference = minus(&x, self.y);
            add_constants(plus(&plus(&difference, &difference), &x), LIFT)
        } else {
            let sum = plus(&x, self.y);
            plus(&plus(&sum, &sum), &x)
        };
        cut(Bls12381::carry_lifted(number))
    }
}

/// Puts out part `at`: the combination of a balance of columns with this part of the inputs.
#[inline(always)]
fn put_combined<W: Calls>(
    out: &mut impl Outputs<W, N>,
    inputs: &[Tight<W, N>; 12],
    at: usize,
    is_negative: bool,
    plus: &[&Columns<W>],
    minus: &[&Columns<W>],
) {
    let number = W::call(Combined {
        x: Balance { plus, minus },
        y: inputs[at].factors(),
        is_negative,
    });
    out.put(at, &number);
}

impl<W: Calls> Compute<W, N, 12, 12> for CyclotomicSquare {
    #[inline(always)]
    fn compute(_: u8, _: Option<W>, inputs: &[Tight<W, N>; 12], out: &mut impl Outputs<W, N>) {
        for k in 0..3 {
            // The square of `x + y s` in Fp4: `x^2 + (1 + u) y^2`, and `2 x y = (x + y)^2 - x^2 - y^2`.
            let x = [inputs[2 * k].factors(), inputs[2 * k + 1].factors()];
            let y = [inputs[2 * k + 6].factors(), inputs[2 * k + 7].factors()];
            let both = [&cut(sum(x[0], y[0])), &cut(sum(x[1], y[1]))];
            let [xx0, xx1] = &W::call(SquareInPlane(x));
            let [yy0, yy1] = &W::call(SquareInPlane(y));
            let [both0, both1] = &W::call(SquareInPlane(both));
            // The coefficients of the square to which these contribute.
            let (at_even, at_odd) = ([0, 2, 4][k], [3, 5, 1][k]);
            put_combined(out, inputs, 2 * at_even, true, &[xx0, yy0], &[yy1]);
            put_combined(out, inputs, 2 * at_even + 1, true, &[xx1, yy0, yy1], &[]);
            let at = 2 * at_odd;
            if k < 2 {
                put_combined(out, inputs, at, false, &[both0], &[xx0, yy0]);
                put_combined(out, inputs, at + 1, false, &[both1], &[xx1, yy1]);
            } else {
                // Times `1 + u`: the difference and the sum of both parts.
                let (plus, minus) = ([both0, xx1, yy1], [both1, xx0, yy0]);
                put_combined(out, inputs, at, false, &plus, &minus);
                let (plus, minus) = ([both0, both1], [xx0, yy0, xx1, yy1]);
                put_combined(out, inputs, at + 1, false, &plus, &minus);
            }
        }
    }
}
