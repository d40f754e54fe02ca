//! Products in extension fields: bounds for all inputs, and results beside those of integers.

use num_bigint::BigInt;

use super::{Ifma, LONGEST, integer, prime};
use crate::{
    limbs::segments::{
        Compute, Outputs,
        extensions::products::{CyclotomicSquare, Product, Square},
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
    let any = most.map(|most| Ifma::new(0, most));
    let largest = &p * 2u32;
    let highest = &largest >> (52 * (N - 1));
    let mut outputs = Kept(vec![any; OUT]);
    C::compute(1, None, &[Tight::new(any); IN], &mut outputs);
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
        Tight::new(limbs.map(Ifma::splat))
    });
    let inverse = (BigInt::from(1) << 416u32).modinv(&p).unwrap();
    let numbers = inputs.map(|input| integer(&input.limbs()));
    let right = right(&numbers, &inverse);
    C::compute(1, None, &inputs, &mut outputs);
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
}
