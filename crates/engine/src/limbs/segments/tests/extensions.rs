//! Products in extension fields: bounds for all inputs, and results beside those of integers.

use num_bigint::BigInt;

use super::{Ifma, LONGEST, integer, prime};
use crate::{
    limbs::segments::{
        Compute, Outputs,
        extensions::{
            points::{Add, Double, DoubleJacobian, Tangent},
            products::{CyclotomicSquare, Product, Square},
        },
        lanes::Tight,
        word::Word,
    },
    program::formulas::LARGEST_EXTENSION_WEIGHT,
};

/// Number of limbs.
const N: usize = 8;

/// An element of Fp2: its real and its imaginary part, any integers.
#[derive(Clone)]
struct Element([BigInt; 2]);

impl Element {
    fn zero() -> Self {
        Self([BigInt::ZERO, BigInt::ZERO])
    }

    fn plus(&self, y: &Self) -> Self {
        Self([&self.0[0] + &y.0[0], &self.0[1] + &y.0[1]])
    }

    fn times(&self, y: &Self) -> Self {
        let ([a, b], [c, d]) = (&self.0, &y.0);
        Self([a * c - b * d, a * d + b * c])
    }

    fn scaled(&self, factor: i32) -> Self {
        Self([&self.0[0] * factor, &self.0[1] * factor])
    }

    /// `(1 + u) x`.
    fn times_xi(&self) -> Self {
        self.times(&Self([1.into(), 1.into()]))
    }

    /// `3 b x = 12 (1 + u) x`.
    fn times_b3(&self) -> Self {
        self.times_xi().scaled(12)
    }
}

/// The elements whose parts these are.
fn elements(numbers: &[BigInt]) -> Vec<Element> {
    let pairs = numbers.chunks_exact(2);
    pairs
        .map(|pair| Element([pair[0].clone(), pair[1].clone()]))
        .collect()
}

/// The product in `Fp2[w] / (w^degree - 1 - u)` of an element and the coefficients that belong to some powers of w, where
/// `inverse` is that of the Montgomery factor.
fn product(numbers: &[BigInt], degree: usize, places: u32, inverse: &BigInt) -> Vec<Element> {
    let (x, y) = numbers.split_at(2 * degree);
    let mut product = vec![Element::zero(); degree];
    let powers = (0..degree).filter(|power| places >> power & 1 == 1);
    for (y, power) in elements(y).iter().zip(powers) {
        for (k, x) in elements(x).iter().enumerate() {
            let term = x.times(y);
            let (place, term) = match k + power {
                place if place < degree => (place, term),
                place => (place - degree, term.times_xi()),
            };
            product[place] = product[place].plus(&term);
        }
    }
    let reduced = product
        .iter()
        .map(|x| Element(x.0.clone().map(|part| part * inverse)));
    reduced.collect()
}

/// The square by Granger and Scott, of any element.
fn cyclotomic_square(numbers: &[BigInt], inverse: &BigInt) -> Vec<Element> {
    let x = elements(numbers);
    let square = |k: usize| {
        let (low, high) = (&x[k], &x[k + 3]);
        let even = low.times(low).plus(&high.times(high).times_xi());
        let odd = low.times(high).scaled(2);
        [even, odd].map(|x| Element(x.0.map(|part| part * inverse)))
    };
    let ([a, sa], [b, sb], [c, sc]) = (square(0), square(1), square(2));
    let even = |square: &Element, k: usize| square.scaled(3).plus(&x[k].scaled(-2));
    let odd = |square: &Element, k: usize| square.scaled(3).plus(&x[k].scaled(2));
    vec![
        even(&a, 0),
        odd(&sc.times_xi(), 1),
        even(&b, 2),
        odd(&sa, 3),
        even(&c, 4),
        odd(&sb, 5),
    ]
}

/// Arithmetic in Fp2 in Montgomery form.
struct Field<'a> {
    /// The inverse of the Montgomery factor.
    inverse: &'a BigInt,
}

impl Field<'_> {
    fn product(&self, x: &Element, y: &Element) -> Element {
        Element(x.times(y).0.map(|part| part * self.inverse))
    }

    /// `x y + z t`.
    fn sum(&self, x: &Element, y: &Element, z: &Element, t: &Element) -> Element {
        self.product(x, y).plus(&self.product(z, t))
    }

    /// `2 P`, and `Y^2`, `Y Z` and `3 b Z^2`.
    fn doubled(&self, x: &[Element]) -> [Element; 6] {
        let (x, y, z) = (&x[0], &x[1], &x[2]);
        let (yy, zz, yz) = (self.product(y, y), self.product(z, z), self.product(y, z));
        let e = zz.times_b3();
        let d = yy.plus(&e.scaled(-3));
        let (yy8, xy2) = (yy.scaled(8), self.product(x, y).scaled(2));
        [
            self.product(&xy2, &d),
            self.sum(&d, &yy.plus(&e), &yy8, &e),
            self.product(&yy8, &yz),
            yy,
            yz,
            e,
        ]
    }
}

fn double(numbers: &[BigInt], inverse: &BigInt) -> Vec<Element> {
    let field = Field { inverse };
    field.doubled(&elements(numbers))[..3].to_vec()
}

fn tangent(numbers: &[BigInt], inverse: &BigInt) -> Vec<Element> {
    let field = Field { inverse };
    let t = elements(&numbers[..6]);
    let [x3, y3, z3, yy, yz, e] = field.doubled(&t);
    let number = |k: usize| Element([numbers[k].clone(), BigInt::ZERO]);
    let xx = field.product(&t[0], &t[0]).scaled(3);
    let line = [
        e.plus(&yy.scaled(-1)),
        field.product(&xx, &number(6)),
        field.product(&yz.scaled(2), &number(7)),
    ];
    [x3, y3, z3].into_iter().chain(line).collect()
}

fn double_jacobian(numbers: &[BigInt], inverse: &BigInt) -> Vec<Element> {
    let field = Field { inverse };
    let point = elements(numbers);
    let (x, y, z) = (&point[0], &point[1], &point[2]);
    let slope = field.product(x, x).scaled(3);
    let yy = field.product(y, y);
    let xyy = field.product(x, &yy);
    let x3 = field.product(&slope, &slope).plus(&xyy.scaled(-8));
    let rest = xyy.scaled(4).plus(&x3.scaled(-1));
    let y3 = field.sum(&slope, &rest, &yy.scaled(-8), &yy);
    vec![x3, y3, field.product(y, z).scaled(2)]
}

fn add(numbers: &[BigInt], inverse: &BigInt) -> Vec<Element> {
    let field = Field { inverse };
    let points = elements(numbers);
    let (x1, y1, z1) = (&points[0], &points[1], &points[2]);
    let (x2, y2, z2) = (&points[3], &points[4], &points[5]);
    let t1 = field.product(y1, y2);
    let (t3, t4) = (field.sum(x1, y2, x2, y1), field.sum(y1, z2, y2, z1));
    let u = field.product(z1, z2).times_b3();
    let v = field.sum(x1, z2, x2, z1).times_b3();
    let s = field.product(x1, x2).scaled(3);
    let (plus, minus) = (t1.plus(&u), t1.plus(&u.scaled(-1)));
    vec![
        field.sum(&t3, &minus, &t4, &v.scaled(-1)),
        field.sum(&s, &v, &plus, &minus),
        field.sum(&t4, &plus, &t3, &s),
    ]
}

/// Outputs that are kept.
struct Kept(Vec<[Ifma; N]>);

impl Outputs<Ifma, N> for Kept {
    fn put(&mut self, k: usize, number: &[Ifma; N]) {
        self.0[k] = *number;
    }
}

/// Proves the bounds of a segment for all inputs, and compares its outputs for single inputs.
fn check<C: Compute<Ifma, N, IN, OUT>, const IN: usize, const OUT: usize>(
    single: &[[u64; LONGEST]],
    right: impl Fn(&[BigInt], &BigInt) -> Vec<Element>,
) {
    const LIMB: i128 = 1 << 52;
    let p = prime("Bls12381");
    let mut most = [LIMB - 1; N];
    let highest = (&p * LARGEST_EXTENSION_WEIGHT) >> (52 * (N - 1));
    most[N - 1] = highest.try_into().unwrap();
    let any = Tight(most.map(|most| Ifma::new(0, most)));
    // Doubled products may be more than 2 P.
    let largest = &p * 3u32;
    let highest = &largest >> (52 * (N - 1));
    let mut outputs = Kept(vec![any.0; OUT]);
    C::compute(None, &[any; IN], &mut outputs);
    for output in &outputs.0 {
        for limb in output {
            assert!(limb.least >= 0 && limb.most < LIMB, "{output:?}");
        }
        assert!(BigInt::from(output[N - 1].most) < highest, "{output:?}");
    }
    let inputs: [Tight<Ifma, N>; IN] = core::array::from_fn(|k| {
        let mut limbs = [0; N];
        limbs.copy_from_slice(&single[k % single.len()][..N]);
        // Below the largest multiple of P.
        limbs[N - 1] %= most[N - 1] as u64;
        Tight(limbs.map(Ifma::splat))
    });
    let inverse = (BigInt::from(1) << 416u32).modinv(&p).unwrap();
    let numbers = inputs.map(|input| integer(&input.0));
    let right = right(&numbers, &inverse);
    C::compute(None, &inputs, &mut outputs);
    assert_eq!(outputs.0.len(), 2 * right.len());
    for (output, right) in outputs.0.iter().zip(right.iter().flat_map(|x| &x.0)) {
        let output = integer(output);
        assert!(output < largest);
        assert_eq!(output % &p, ((right % &p) + &p) % &p);
    }
}

/// Checks all segments.
pub(super) fn check_all(single: &[[u64; LONGEST]]) {
    check::<Product<3, 3, 0b111>, _, _>(single, |x, inverse| product(x, 3, 0b111, inverse));
    check::<Product<6, 6, 0b11_1111>, _, _>(single, |x, inverse| product(x, 6, 0b11_1111, inverse));
    check::<Product<6, 3, 0b1101>, _, _>(single, |x, inverse| product(x, 6, 0b1101, inverse));
    check::<Product<6, 2, 0b101>, _, _>(single, |x, inverse| product(x, 6, 0b101, inverse));
    check::<Square, _, _>(single, |x, inverse| {
        product(&[x, x].concat(), 6, 0b11_1111, inverse)
    });
    check::<CyclotomicSquare, _, _>(single, cyclotomic_square);
    check::<Double, _, _>(single, double);
    check::<Tangent, _, _>(single, tangent);
    check::<DoubleJacobian, _, _>(single, double_jacobian);
    check::<Add, _, _>(single, add);
}
