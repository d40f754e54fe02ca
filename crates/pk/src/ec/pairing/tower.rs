//! The fields Fp2 and Fp12 of a pairing as parts of programs. Public.
//!
//! `Fp2 = Fp[u] / (u^2 + 1)`, and `Fp12 = Fp2[w] / (w^6 - xi)` with `xi = 1 + u` for BLS12-381 and `xi = 9 + u` for
//! BN254: an element of Fp12 has six coefficients in Fp2. A product is *flat*: each of its twelve numbers modulo p is one sum of products with one reduction, which
//! costs less than the fewer products and the many sums of Karatsuba's method on every device. In the comments R is a
//! reduction, T a term of a sum, L a linear combination.

use super::quadratic::Quadratic;
use crypto_bigint::BoxedUint;
use sunzi_engine::program::formulas::Segment;
use sunzi_engine::program::{Builder, Value};

/// The number of coefficients of an element of Fp12.
pub(super) const DEGREE: usize = 6;

/// An element `re + im u` of Fp2, in Montgomery form like all values here.
#[derive(Clone, Copy)]
pub(super) struct Fp2 {
    pub(super) re: Value,
    pub(super) im: Value,
}

/// An element of Fp2 as a factor of products.
#[derive(Clone, Copy)]
pub(super) struct Factor {
    number: Fp2,
    /// The opposite of the imaginary part, where products have no signs.
    minus_im: Option<Value>,
}

/// A tower of fields, and the form of lines in it.
#[derive(Clone, Copy)]
pub(super) struct Tower {
    /// The a of `xi = a + u`.
    pub(super) xi: u32,
    /// The powers of w at which lines have their parts: the constant, and those for the x and the y of a point.
    places: [usize; 3],
}

impl Tower {
    /// The tower of BLS12-381. A point (x, y) of the curve of G2 is `(x/w^2, y/w^3)` on that of G1.
    pub(super) const BLS12_381: Self = Self {
        xi: 1,
        places: [0, 2, 3],
    };
    /// The tower of BN254. A point (x, y) of the curve of G2 is `(x w^2, y w^3)` on that of G1.
    pub(super) const BN254: Self = Self {
        xi: 9,
        places: [3, 1, 0],
    };
}

/// An element of Fp12: the coefficients of `w^0` to `w^5`.
#[derive(Clone, Copy)]
pub(super) struct Fp12 {
    pub(super) coefficients: [Fp2; DEGREE],
    pub(super) tower: Tower,
}

/// An element of `Fp6 = Fp2[v] / (v^3 - xi)` with `v = w^2`.
type Fp6 = [Fp2; 3];

/// A constant in Montgomery form.
pub(super) fn constant(builder: &mut Builder, x: &BoxedUint) -> Value {
    let (x, square) = (builder.common(x), builder.montgomery_square());
    builder.multiply(x, square)
}

/// The sum of products of elements of Fp2. 2 R, and 4 T a product.
pub(super) fn sum(builder: &mut Builder, terms: &[(Factor, Fp2)]) -> Fp2 {
    let re = terms.iter().flat_map(|(x, y)| {
        let Factor { number, minus_im } = *x;
        let im = minus_im.unwrap_or(number.im);
        [(false, number.re, y.re), (minus_im.is_none(), im, y.im)]
    });
    let im = terms.iter().flat_map(|(Factor { number, .. }, y)| {
        [(false, number.re, y.im), (false, number.im, y.re)]
    });
    let (re, im): (Vec<_>, Vec<_>) = (re.collect(), im.collect());
    Fp2 {
        re: builder.fitting_sum(&re),
        im: builder.fitting_sum(&im),
    }
}

impl Fp2 {
    /// The next two integers of the member.
    pub(super) fn input(builder: &mut Builder, bits: u32) -> Self {
        let [re, im] = [(); 2].map(|()| builder.input(bits));
        Self { re, im }
    }

    /// A constant.
    pub(super) fn constant(builder: &mut Builder, x: &Quadratic) -> Self {
        let [re, im] = x.integers().map(|x| constant(builder, &x));
        Self { re, im }
    }

    /// The number 1.
    pub(super) fn one(builder: &mut Builder) -> Self {
        Self {
            re: builder.montgomery_one(),
            im: zero(builder),
        }
    }

    pub(super) fn output(self, builder: &mut Builder) {
        builder.output(self.re);
        builder.output(self.im);
    }

    pub(super) fn each(self, mut function: impl FnMut(Value) -> Value) -> Self {
        Self {
            re: function(self.re),
            im: function(self.im),
        }
    }

    pub(super) fn add(self, builder: &mut Builder, y: Self) -> Self {
        Self {
            re: builder.add(self.re, y.re),
            im: builder.add(self.im, y.im),
        }
    }

    pub(super) fn subtract(self, builder: &mut Builder, y: Self) -> Self {
        Self {
            re: builder.subtract(self.re, y.re),
            im: builder.subtract(self.im, y.im),
        }
    }

    pub(super) fn negate(self, builder: &mut Builder) -> Self {
        self.each(|x| builder.negate(x))
    }

    pub(super) fn scale(self, builder: &mut Builder, factor: u32) -> Self {
        self.each(|x| builder.scale(x, factor))
    }

    /// `re - im u`, which is the p-th power.
    pub(super) fn conjugate(self, builder: &mut Builder) -> Self {
        Self {
            re: self.re,
            im: builder.negate(self.im),
        }
    }

    /// `(a + u) x`. 2 L, in which multiples are contained.
    pub(super) fn times_xi(self, builder: &mut Builder, a: u32) -> Self {
        let multiple = if a == 1 { self } else { self.scale(builder, a) };
        Self {
            re: builder.subtract(multiple.re, self.im),
            im: builder.add(self.re, multiple.im),
        }
    }

    /// The same number for use as a factor of several products. 1 L, or none where products have signs.
    pub(super) fn factor(self, builder: &mut Builder) -> Factor {
        let has_signs = builder.limits().signed;
        Factor {
            number: self,
            minus_im: (!has_signs).then(|| builder.negate(self.im)),
        }
    }

    /// `x y`. 2 R, 4 T, 1 L.
    pub(super) fn multiply(self, builder: &mut Builder, y: Self) -> Self {
        let x = self.factor(builder);
        sum(builder, &[(x, y)])
    }

    /// `x y` for a y modulo p. 2 R, 2 T.
    pub(super) fn times(self, builder: &mut Builder, y: Value) -> Self {
        self.each(|x| builder.fitting_product(x, y))
    }

    /// `x^2 = (re + im) (re - im) + 2 re im u`. 2 R, 2 T, 3 L.
    pub(super) fn square(self, builder: &mut Builder) -> Self {
        let plus = builder.add(self.re, self.im);
        let minus = builder.subtract(self.re, self.im);
        let twice = builder.scale(self.re, 2);
        Self {
            re: builder.fitting_product(plus, minus),
            im: builder.fitting_product(twice, self.im),
        }
    }

    /// `re^2 + im^2`. 1 R, 2 T.
    pub(super) fn norm(self, builder: &mut Builder) -> Value {
        let Self { re, im } = self;
        builder.fitting_sum(&[(false, re, re), (false, im, im)])
    }

    /// The inverse, of which the inverse of the norm is given. 2 R, 2 T, 1 L.
    pub(super) fn inverse(self, builder: &mut Builder, norm: Value) -> Self {
        let conjugate = self.conjugate(builder);
        conjugate.times(builder, norm)
    }

    /// Puts out whether this is 0: two flags, which are then both set.
    pub(super) fn is_zero(self, builder: &mut Builder) {
        builder.is_zero(self.re);
        builder.is_zero(self.im);
    }
}

/// The number 0.
fn zero(builder: &mut Builder) -> Value {
    constant(builder, &BoxedUint::zero())
}

/// The numbers of coefficients in Fp2: the real and the imaginary part of each.
fn numbers<const COUNT: usize>(coefficients: &[Fp2]) -> [Value; COUNT] {
    core::array::from_fn(|k| {
        let Fp2 { re, im } = coefficients[k / 2];
        [re, im][k % 2]
    })
}

/// The coefficients in Fp2 that have these numbers.
fn coefficients<const COUNT: usize>(numbers: &[Value]) -> [Fp2; COUNT] {
    core::array::from_fn(|k| Fp2 {
        re: numbers[2 * k],
        im: numbers[2 * k + 1],
    })
}

/// The outputs of operations in an extension field, noted as a segment for `xi = 1 + u`.
fn apply<const IN: usize, const OUT: usize>(
    builder: &mut Builder,
    xi: u32,
    segment: Segment,
    inputs: [Value; IN],
    operations: impl FnOnce(&mut Builder, [Value; IN]) -> [Value; OUT],
) -> [Value; OUT] {
    match xi {
        1 => builder.apply_in_extension(segment, inputs, operations),
        _ => operations(builder, inputs),
    }
}

/// The product in Fp6. 6 R, 36 T.
fn multiply_fp6(builder: &mut Builder, xi: u32, x: Fp6, y: Fp6) -> Fp6 {
    let segment = Segment::ExtensionProduct {
        degree: 3,
        places: 0b111,
    };
    let inputs: [_; 12] = numbers(&[x, y].concat());
    let product: [_; 6] = apply(builder, xi, segment, inputs, |builder, inputs| {
        let (x, y) = inputs.split_at(6);
        let product = multiply_fp6_operations(builder, xi, coefficients(x), coefficients(y));
        numbers(&product)
    });
    coefficients(&product)
}

/// [`multiply_fp6`], its operations.
fn multiply_fp6_operations(builder: &mut Builder, xi: u32, x: Fp6, y: Fp6) -> Fp6 {
    let x = x.map(|x| x.factor(builder));
    let wrapped = y.map(|y| y.times_xi(builder, xi));
    [0, 1, 2].map(|k| {
        let term = |i: usize| {
            let y = if i <= k { y[k - i] } else { wrapped[k + 3 - i] };
            (x[i], y)
        };
        sum(builder, &[0, 1, 2].map(term))
    })
}

/// `v x` in Fp6.
fn times_v(builder: &mut Builder, xi: u32, [x0, x1, x2]: Fp6) -> Fp6 {
    [x2.times_xi(builder, xi), x0, x1]
}

impl Fp12 {
    /// The next twelve integers of the member.
    pub(super) fn input(builder: &mut Builder, tower: Tower, bits: u32) -> Self {
        Self {
            coefficients: [(); DEGREE].map(|()| Fp2::input(builder, bits)),
            tower,
        }
    }

    /// The element with these coefficients, in the same tower.
    fn with(self, coefficients: [Fp2; DEGREE]) -> Self {
        Self {
            coefficients,
            ..self
        }
    }

    pub(super) fn output(self, builder: &mut Builder) {
        for coefficient in self.coefficients {
            coefficient.output(builder);
        }
    }

    /// Both parts in Fp6 of `x0 + x1 w`.
    fn parts(self) -> [Fp6; 2] {
        let [a0, a1, a2, a3, a4, a5] = self.coefficients;
        [[a0, a2, a4], [a1, a3, a5]]
    }

    /// The element with these parts, in the same tower.
    fn with_parts(self, [[a0, a2, a4], [a1, a3, a5]]: [Fp6; 2]) -> Self {
        self.with([a0, a1, a2, a3, a4, a5])
    }

    /// The element, in the same tower, of operations on its numbers, which are noted as a segment.
    fn apply_to_numbers(
        self,
        builder: &mut Builder,
        segment: Segment,
        operations: impl FnOnce(&mut Builder, Self) -> Self,
    ) -> Self {
        let inputs: [_; 2 * DEGREE] = numbers(&self.coefficients);
        let xi = self.tower.xi;
        let outputs: [_; 2 * DEGREE] = apply(builder, xi, segment, inputs, |builder, inputs| {
            let outputs = operations(builder, self.with(coefficients(&inputs)));
            numbers(&outputs.coefficients)
        });
        self.with(coefficients(&outputs))
    }

    /// `x y`. 12 R, 144 T, 16 L.
    pub(super) fn multiply(self, builder: &mut Builder, y: Self) -> Self {
        let segment = Segment::ExtensionProduct {
            degree: DEGREE as u32,
            places: (1 << DEGREE) - 1,
        };
        let xi = self.tower.xi;
        let inputs: [_; 4 * DEGREE] = numbers(&[self.coefficients, y.coefficients].concat());
        let product: [_; 2 * DEGREE] = apply(builder, xi, segment, inputs, |builder, inputs| {
            let (x, y) = inputs.split_at(2 * DEGREE);
            let [x, y] = [x, y].map(|x| self.with(coefficients(x)));
            numbers(&x.multiply_operations(builder, y).coefficients)
        });
        self.with(coefficients(&product))
    }

    /// [`multiply`](Self::multiply), its operations.
    fn multiply_operations(self, builder: &mut Builder, y: Self) -> Self {
        let x = self.coefficients.map(|x| x.factor(builder));
        let mut wrapped = y.coefficients;
        for coefficient in &mut wrapped[1..] {
            *coefficient = coefficient.times_xi(builder, self.tower.xi);
        }
        self.with(core::array::from_fn(|k| {
            let terms: [_; DEGREE] = core::array::from_fn(|i| {
                let y = if i <= k {
                    y.coefficients[k - i]
                } else {
                    wrapped[k + DEGREE - i]
                };
                (x[i], y)
            });
            sum(builder, &terms)
        }))
    }

    /// `x^2`, for `x = x0 + x1 w` by `x0 x1` and `(x0 + x1) (x0 + v x1)`. 12 R, 72 T.
    pub(super) fn square(self, builder: &mut Builder) -> Self {
        self.apply_to_numbers(builder, Segment::ExtensionSquare, |builder, x| {
            x.square_operations(builder)
        })
    }

    /// [`square`](Self::square), its operations.
    fn square_operations(self, builder: &mut Builder) -> Self {
        let xi = self.tower.xi;
        let [x0, x1] = self.parts();
        let product = multiply_fp6(builder, xi, x0, x1);
        let vx1 = times_v(builder, xi, x1);
        let left = core::array::from_fn(|i| x0[i].add(builder, x1[i]));
        let right = core::array::from_fn(|i| x0[i].add(builder, vx1[i]));
        let both = multiply_fp6(builder, xi, left, right);
        let v_product = times_v(builder, xi, product);
        let even = core::array::from_fn(|i| {
            let rest = both[i].subtract(builder, product[i]);
            rest.subtract(builder, v_product[i])
        });
        let odd = product.map(|x| x.scale(builder, 2));
        self.with_parts([even, odd])
    }

    /// `x0 - x1 w` for `x = x0 + x1 w`: the power `p^6`, and the inverse in the cyclotomic subgroup.
    pub(super) fn conjugate(self, builder: &mut Builder) -> Self {
        let [even, odd] = self.parts();
        self.with_parts([even, odd.map(|x| x.negate(builder))])
    }

    /// `x0^2 - v x1^2` in Fp6 for `x = x0 + x1 w`: the norm of x over Fp6. 6 R, 72 T.
    fn norm_fp6(self, builder: &mut Builder) -> Fp6 {
        let xi = self.tower.xi;
        let [x0, x1] = self.parts();
        let vx1 = times_v(builder, xi, x1);
        let minus = x1.map(|x| x.negate(builder));
        let wrapped = |builder: &mut Builder, x: Fp6| x.map(|x| x.times_xi(builder, xi));
        let (x0_wrapped, vx1_wrapped) = (wrapped(builder, x0), wrapped(builder, vx1));
        let x0_factors = x0.map(|x| x.factor(builder));
        let minus_factors = minus.map(|x| x.factor(builder));
        [0, 1, 2].map(|k| {
            let at = |y: &Fp6, wrapped: &Fp6, i: usize| {
                if i <= k { y[k - i] } else { wrapped[k + 3 - i] }
            };
            let first = [0, 1, 2].map(|i| (x0_factors[i], at(&x0, &x0_wrapped, i)));
            let second = [0, 1, 2].map(|i| (minus_factors[i], at(&vx1, &vx1_wrapped, i)));
            sum(builder, &[first, second].concat())
        })
    }

    /// The steps of an inversion from Fp6 down to Fp2.
    fn inversion(self, builder: &mut Builder) -> Inversion {
        let xi = self.tower.xi;
        let n = self.norm_fp6(builder);
        let [n0, n1, n2] = n.map(|n| n.factor(builder));
        let minus = n.map(|n| n.negate(builder));
        let xi_n2 = n[2].times_xi(builder, xi);
        let minus_xi_n2 = xi_n2.negate(builder);
        let cofactors = [
            sum(builder, &[(n0, n[0]), (n1, minus_xi_n2)]),
            sum(builder, &[(n2, xi_n2), (n0, minus[1])]),
            sum(builder, &[(n1, n[1]), (n0, minus[2])]),
        ];
        let xi_n1 = n[1].times_xi(builder, xi);
        let [c0, c1, c2] = cofactors.map(|c| c.factor(builder));
        let norm = sum(builder, &[(c0, n[0]), (c1, xi_n2), (c2, xi_n1)]);
        Inversion { cofactors, norm }
    }

    /// The norm over Fp: 0 for 0 only.
    pub(super) fn norm(self, builder: &mut Builder) -> Value {
        let Inversion { norm, .. } = self.inversion(builder);
        norm.norm(builder)
    }

    /// `x^(p^6 - 1)`, the conjugate over x, where the inverse of the [`norm`](Self::norm) is given:
    /// `(x0 - x1 w)^2 / (x0^2 - v x1^2)`.
    pub(super) fn conjugate_over_self(self, builder: &mut Builder, inverse: Value) -> Self {
        let Inversion { cofactors, norm } = self.inversion(builder);
        let inverse = norm.inverse(builder, inverse);
        let inverse = cofactors.map(|c| c.multiply(builder, inverse));
        let conjugate = self.conjugate(builder);
        let [even, odd] = conjugate.square(builder).parts();
        let xi = self.tower.xi;
        self.with_parts([even, odd].map(|part| multiply_fp6(builder, xi, part, inverse)))
    }

    /// `x^2` for an x of the cyclotomic subgroup, whose order is `p^4 - p^2 + 1` (Granger and Scott, 2010). 12 R, 30 T.
    ///
    /// With `s = w^3` and `x = a + b w + c w^2` for a, b and c in `Fp4 = Fp2[s] / (s^2 - xi)` the square is
    /// `(3 a^2 - 2 a') + (3 s c^2 + 2 b') w + (3 b^2 - 2 c') w^2`, where a' is the conjugate of a. Magnitudes double
    /// from one square to the next: coordinates are reduced where a plan has no room for that.
    pub(super) fn cyclotomic_square(self, builder: &mut Builder) -> Self {
        let x = self.with_room(builder);
        if builder.limits().signed {
            // Once for all squares: within a segment it would be made anew.
            builder.montgomery_one();
        }
        x.apply_to_numbers(builder, Segment::CyclotomicSquare, |builder, x| {
            x.cyclotomic_square_operations(builder)
        })
    }

    /// [`cyclotomic_square`](Self::cyclotomic_square), its operations.
    fn cyclotomic_square_operations(self, builder: &mut Builder) -> Self {
        if builder.limits().signed {
            return self.cyclotomic_square_in_sums(builder);
        }
        let xi = self.tower.xi;
        let [a0, b0, c0, a1, b1, c1] = self.coefficients;
        let [aa, bb, cc] = [[a0, a1], [b0, b1], [c0, c1]].map(|x| square_fp4(builder, xi, x));
        let mut even = |square: Fp2, x: Fp2| {
            let (square, x) = (square.scale(builder, 3), x.scale(builder, 2));
            square.subtract(builder, x)
        };
        let (r0, r2, r4) = (even(aa[0], a0), even(bb[0], c0), even(cc[0], b1));
        let mut odd = |square: Fp2, x: Fp2| {
            let (square, x) = (square.scale(builder, 3), x.scale(builder, 2));
            square.add(builder, x)
        };
        let (r3, r5) = (odd(aa[1], a1), odd(bb[1], c1));
        let sc = cc[1].times_xi(builder, xi);
        let (sc, b0) = (sc.scale(builder, 3), b0.scale(builder, 2));
        let r1 = sc.add(builder, b0);
        self.with([r0, r1, r2, r3, r4, r5])
    }

    /// [`cyclotomic_square`](Self::cyclotomic_square) for plans in which terms have signs and cost little, as in residues: all of a
    /// coordinate is one sum, in which a number is a term with 2. Magnitudes do not grow; factors
    /// that are too large for a plan are reduced by `fitting_sum`. 12 R, 42 T, 25 L, and some more for an xi other than `1 + u`.
    fn cyclotomic_square_in_sums(self, builder: &mut Builder) -> Self {
        let a = self.tower.xi;
        let [a0, b0, c0, a1, b1, c1] = self.coefficients;
        let one = builder.montgomery_one();
        let two = builder.scale(one, 2);
        // 3 (x^2 + xi y^2) - 2 less, and 6 x y + 2 more, for y or its product by xi in the latter.
        let mut square = |[x, y]: [Fp2; 2], less: Fp2, more: Fp2, times_xi: bool| {
            let [x_both, y_both] = [x, y].map(|x| builder.add(x.re, x.im));
            let [x_both, y_both] = [x_both, y_both].map(|x| builder.scale(x, 3));
            let [x_less, y_less] = [x, y].map(|x| builder.subtract(x.re, x.im));
            let x6 = x.scale(builder, 6);
            let y6 = builder.scale(y.re, 6);
            let multiple = |builder: &mut Builder, x: Value| match a {
                1 => x,
                _ => builder.scale(x, a),
            };
            let (a_y_both, a_y6) = (multiple(builder, y_both), multiple(builder, y6));
            let even = Fp2 {
                re: builder.fitting_sum(&[
                    (false, x_both, x_less),
                    (false, a_y_both, y_less),
                    (true, y6, y.im),
                    (true, two, less.re),
                ]),
                im: builder.fitting_sum(&[
                    (false, x6.re, x.im),
                    (false, y_both, y_less),
                    (false, a_y6, y.im),
                    (true, two, less.im),
                ]),
            };
            let y = if times_xi { y.times_xi(builder, a) } else { y };
            let odd = Fp2 {
                re: builder.fitting_sum(&[
                    (false, x6.re, y.re),
                    (true, x6.im, y.im),
                    (false, two, more.re),
                ]),
                im: builder.fitting_sum(&[
                    (false, x6.re, y.im),
                    (false, x6.im, y.re),
                    (false, two, more.im),
                ]),
            };
            [even, odd]
        };
        let [r0, r3] = square([a0, a1], a0, a1, false);
        let [r2, r5] = square([b0, b1], c0, c1, false);
        let [r4, r1] = square([c0, c1], b1, b0, true);
        self.with([r0, r1, r2, r3, r4, r5])
    }

    /// The same element, its numbers reduced if the sums of [`square_fp4`] would be too large: of numbers of weight w
    /// these have a weight of at most `10 w^2` for `xi = 1 + u`. Plans that fold need no room: there factors are folded.
    fn with_room(self, builder: &mut Builder) -> Self {
        if builder.limits().folded.is_some() {
            return self;
        }
        let weights = self.coefficients.iter().flat_map(|x| [x.re, x.im]);
        let weights = weights.filter_map(|x| builder.magnitude(x));
        let largest = weights.map(|x| x.weight()).max().unwrap_or(0);
        if largest.saturating_mul(largest).saturating_mul(10) <= builder.limits().operands {
            return self;
        }
        let one = builder.montgomery_one();
        self.with(
            self.coefficients
                .map(|x| x.each(|x| builder.multiply(x, one))),
        )
    }

    /// `x^e` for an e with these digits of -1, 0 and 1, the first of which is 1, and an x of the cyclotomic subgroup.
    pub(super) fn cyclotomic_power(self, builder: &mut Builder, digits: &[i8]) -> Self {
        let mut power = self;
        for digit in &digits[1..] {
            power = power.cyclotomic_square(builder);
            match digit {
                0 => {}
                1 => power = self.multiply(builder, power),
                _ => {
                    let inverse = self.conjugate(builder);
                    power = inverse.multiply(builder, power);
                }
            }
        }
        power
    }

    /// `x^p` by the powers `xi^(k (p - 1)/6)` for k from 1. 10 R, 20 T.
    pub(super) fn frobenius(self, builder: &mut Builder, powers: &[Quadratic; DEGREE - 1]) -> Self {
        let mut image = self.coefficients.map(|x| x.conjugate(builder));
        for (x, power) in image[1..].iter_mut().zip(powers) {
            let power = Fp2::constant(builder, power);
            *x = x.multiply(builder, power);
        }
        self.with(image)
    }

    /// `x^(p^2)` by the powers `xi^(k (p^2 - 1)/6)` for k from 1, which are numbers modulo p. 10 R, 10 T.
    pub(super) fn frobenius_squared(
        self,
        builder: &mut Builder,
        powers: &[BoxedUint; DEGREE - 1],
    ) -> Self {
        let mut image = self.coefficients;
        for (x, power) in image[1..].iter_mut().zip(powers) {
            let power = constant(builder, power);
            *x = x.times(builder, power);
        }
        self.with(image)
    }

    /// Puts out twelve flags: all are set for 1 only.
    pub(super) fn is_one(self, builder: &mut Builder) {
        let one = builder.montgomery_one();
        for (k, x) in self.coefficients.into_iter().enumerate() {
            if k == 0 {
                builder.equal(x.re, one);
            } else {
                builder.is_zero(x.re);
            }
            builder.is_zero(x.im);
        }
    }
}

/// An inversion in Fp12, as far as Fp2: the inverse of the norm over Fp6 is `cofactors / norm`.
struct Inversion {
    cofactors: Fp6,
    norm: Fp2,
}

/// The square of `x + y s` in `Fp4 = Fp2[s] / (s^2 - xi)`: `x^2 + xi y^2` and `2 x y`, for `xi = a + u`. 4 R, 10 T.
fn square_fp4(builder: &mut Builder, a: u32, [x, y]: [Fp2; 2]) -> [Fp2; 2] {
    let [x_squares, y_squares] = [x, y].map(|x| {
        let plus = builder.add(x.re, x.im);
        (plus, builder.subtract(x.re, x.im))
    });
    let twice_x = x.scale(builder, 2);
    let twice_y = builder.scale(y.re, 2);
    let minus_twice_y = builder.scale(y.im, 2);
    let minus_twice_y = builder.negate(minus_twice_y);
    let (y_multiple, y_twice) = if a == 1 {
        (y_squares.0, twice_y)
    } else {
        (builder.scale(y_squares.0, a), builder.scale(twice_y, a))
    };
    // x^2 = X0 + X1 u and y^2 = Y0 + Y1 u give (X0 + a Y0 - Y1) + (X1 + Y0 + a Y1) u.
    let re = builder.fitting_sum(&[
        (false, x_squares.0, x_squares.1),
        (false, y_multiple, y_squares.1),
        (false, y.re, minus_twice_y),
    ]);
    let im = builder.fitting_sum(&[
        (false, twice_x.re, x.im),
        (false, y_squares.0, y_squares.1),
        (false, y_twice, y.im),
    ]);
    let product = twice_x.multiply(builder, y);
    [Fp2 { re, im }, product]
}

/// A line through points of G2's curve, at a point (x, y) of G1.
pub(super) struct Line {
    /// The part that does not depend on that point.
    pub(super) constant: Fp2,
    /// A multiple of x.
    pub(super) of_x: Fp2,
    /// A multiple of y; none for 1.
    pub(super) of_y: Option<Fp2>,
}

impl Line {
    /// The parts, in the order of [`Tower::places`].
    fn parts(&self) -> [Option<Fp2>; 3] {
        [Some(self.constant), Some(self.of_x), self.of_y]
    }
}

/// The beginning of a product of lines: an element of Fp12 of which some coefficients are known to be 0.
#[derive(Clone, Copy)]
pub(super) struct Sparse {
    coefficients: [Option<Fp2>; DEGREE],
    tower: Tower,
}

impl Sparse {
    /// A line itself.
    pub(super) fn of(builder: &mut Builder, tower: Tower, line: &Line) -> Self {
        let mut coefficients = [None; DEGREE];
        for (place, part) in tower.places.into_iter().zip(line.parts()) {
            coefficients[place] = Some(part.unwrap_or_else(|| Fp2::one(builder)));
        }
        Self {
            coefficients,
            tower,
        }
    }

    pub(super) fn of_fp12(x: Fp12) -> Self {
        Self {
            coefficients: x.coefficients.map(Some),
            tower: x.tower,
        }
    }

    /// The product with a line. 12 R, 72 T, or 48 T where a part of the line is 1.
    pub(super) fn times_line(self, builder: &mut Builder, line: &Line) -> Self {
        let Line {
            constant,
            of_x,
            of_y,
        } = *line;
        let product = match of_y {
            Some(of_y) => self.times_parts::<18>(builder, &[constant, of_x, of_y]),
            None => self.times_parts::<16>(builder, &[constant, of_x]),
        };
        if of_y.is_some() {
            return product;
        }
        let Tower { xi, places } = self.tower;
        let coefficients = core::array::from_fn(|k| {
            let x = self.source(k, places[2]);
            let added = x.map(|(x, wraps)| if wraps { x.times_xi(builder, xi) } else { x });
            match (product.coefficients[k], added) {
                (Some(product), Some(added)) => Some(product.add(builder, added)),
                (product, added) => product.or(added),
            }
        });
        Self {
            coefficients,
            ..self
        }
    }

    /// The coefficient that times `w^shift` contributes to `w^k`, and whether that wraps around.
    fn source(self, k: usize, shift: usize) -> Option<(Fp2, bool)> {
        let wraps = k < shift;
        let from = if wraps { k + DEGREE - shift } else { k - shift };
        Some((self.coefficients[from]?, wraps))
    }

    /// The product with some parts of a line: with IN numbers, those of an element of Fp12 and of the parts, noted as a
    /// segment if no coefficient is known to be 0.
    fn times_parts<const IN: usize>(self, builder: &mut Builder, parts: &[Fp2]) -> Self {
        let Tower { xi, places } = self.tower;
        let all: Vec<_> = self.coefficients.iter().flatten().copied().collect();
        if all.len() < DEGREE {
            return self.times_parts_operations(builder, parts);
        }
        let places = places[..parts.len()].iter();
        let segment = Segment::ExtensionProduct {
            degree: DEGREE as u32,
            places: places.map(|place| 1 << place).sum(),
        };
        let inputs: [_; IN] = numbers(&[&all, parts].concat());
        let product: [_; 2 * DEGREE] = apply(builder, xi, segment, inputs, |builder, inputs| {
            let (x, parts) = inputs.split_at(2 * DEGREE);
            let x = Self {
                coefficients: coefficients(x).map(Some),
                ..self
            };
            let parts = parts.chunks_exact(2).map(|part| Fp2 {
                re: part[0],
                im: part[1],
            });
            let product = x.times_parts_operations(builder, &parts.collect::<Vec<_>>());
            numbers(&product.dense(builder).coefficients)
        });
        Self {
            coefficients: coefficients(&product).map(Some),
            ..self
        }
    }

    /// [`times_parts`](Self::times_parts), its operations.
    fn times_parts_operations(self, builder: &mut Builder, parts: &[Fp2]) -> Self {
        let Tower { xi, places } = self.tower;
        let parts = parts.iter().zip(places);
        // Each part as a factor of coefficients that do not wrap around, and of those that do.
        let parts = parts.map(|(part, place)| {
            let wrapped = (place > 0).then(|| part.times_xi(builder, xi));
            let part = part.factor(builder);
            let wrapped = wrapped.map_or(part, |wrapped| wrapped.factor(builder));
            (place, [part, wrapped])
        });
        let parts: Vec<_> = parts.collect();
        let coefficients = core::array::from_fn(|k| {
            let terms = parts.iter().filter_map(|&(place, part)| {
                let (x, wraps) = self.source(k, place)?;
                Some((part[usize::from(wraps)], x))
            });
            let terms: Vec<_> = terms.collect();
            (!terms.is_empty()).then(|| sum(builder, &terms))
        });
        Self {
            coefficients,
            ..self
        }
    }

    /// The whole element.
    pub(super) fn dense(self, builder: &mut Builder) -> Fp12 {
        let coefficients = self.coefficients.map(|x| {
            x.unwrap_or_else(|| {
                let zero = zero(builder);
                Fp2 { re: zero, im: zero }
            })
        });
        Fp12 {
            coefficients,
            tower: self.tower,
        }
    }
}
