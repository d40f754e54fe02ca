//! Products in the extension fields of BLS12-381, as segments.
//!
//! The operations of a program compute each part of a product in `Fp2 = Fp[u] / (u^2 + 1)` by itself. Here both parts share
//! columns (Karatsuba's method, before any reduction): those of `x0 y0`, of `x1 y1` and of `(x0 + x1) (y0 + y1)`, which are
//! three products for four. Columns are added up for all terms of a sum, have signs, and are reduced once for each part.
//!
//! Inputs are at most `2^13 P` ([`LARGEST_EXTENSION_WEIGHT`](crate::program::formulas::LARGEST_EXTENSION_WEIGHT)). Sums of
//! two of them are at most `2^14 P`, and differences of these, to which `2^14 P` is added, at most `2^15 P`: so is every
//! factor. Six products of such factors are at most `2^32 P^2`, and the Montgomery factor F is `2^35 P`.

pub(super) mod products;

use self::products::{CyclotomicSquare, Product, Square};
use super::{
    Code, Compute, InstructionSet, Outputs,
    calls::Calls,
    columns::{self, add_constants},
    lanes::Tight,
    prime::Bls12381,
};
use crate::program::formulas::Segment;

/// The code of a segment in an extension field, if it is compiled.
pub(super) fn code<S: InstructionSet>(segment: Segment) -> Option<Code<S>> {
    match segment {
        Segment::ExtensionProduct { degree, places } => match (degree, places) {
            (3, 0b111) => Some(S::run_code::<S::Word, Product<3, 3, 0b111>, _, _, N>),
            (6, 0b11_1111) => Some(S::run_code::<S::Word, Product<6, 6, 0b11_1111>, _, _, N>),
            (6, 0b1101) => Some(S::run_code::<S::Word, Product<6, 3, 0b1101>, _, _, N>),
            (6, 0b101) => Some(S::run_code::<S::Word, Product<6, 2, 0b101>, _, _, N>),
            _ => None,
        },
        Segment::ExtensionSquare => Some(S::run_code::<S::Word, Square, _, _, N>),
        Segment::CyclotomicSquare => Some(S::run_code::<S::Word, CyclotomicSquare, _, _, N>),
        _ => None,
    }
}

/// Number of limbs.
const N: usize = 8;
/// Number of columns of a product.
const D: usize = 16;
/// The degree of Fp12 over Fp2.
const SEXTIC: usize = 6;

/// A multiple of P that makes differences of numbers of at most `2^14 P` positive, and twice an input.
const LIFT: [u64; N] = Bls12381::multiple(14);
/// A multiple of `P^2` that makes differences of columns positive: of six products of inputs and of sums.
const BIAS: [u64; D] = Bls12381::multiple_of_square(30);
/// The highest limb of a number of `P + 2^-3 P`.
const MOST: u64 = Bls12381::P[N - 1] + (Bls12381::P[N - 1] >> 3);

type Number<W> = [W; N];
type Columns<W> = [W; D];

/// `x + y`.
#[inline(always)]
fn plus<W: Calls, const M: usize>(x: &[W; M], y: &[W; M]) -> [W; M] {
    let mut sum = [x[0]; M];
    for k in 0..M {
        sum[k] = x[k].add(y[k]);
    }
    sum
}

/// `x - y`.
#[inline(always)]
fn minus<W: Calls, const M: usize>(x: &[W; M], y: &[W; M]) -> [W; M] {
    let mut difference = [x[0]; M];
    for k in 0..M {
        difference[k] = x[k].sub(y[k]);
    }
    difference
}

/// `x + y`, in limbs.
#[inline(always)]
fn sum<W: Calls>(x: &Number<W>, y: &Number<W>) -> Number<W> {
    columns::propagate(plus(x, y))
}

/// `x - y + 2^14 P`, in limbs.
#[inline(always)]
fn difference<W: Calls>(x: &Number<W>, y: &Number<W>) -> Number<W> {
    limbs(add_constants(minus(x, y), LIFT))
}

/// The limbs of a number that is known to be from 0 to below `2^416`.
#[inline(always)]
fn limbs<W: Calls>(columns: Number<W>) -> Number<W> {
    let mut number: Number<W> = columns::propagate(columns);
    number[N - 1] = number[N - 1].known_at_most((1 << 52) - 1);
    number
}

/// The number below `P + 2^-3 P` that is these columns modulo P, divided by F. Requires columns from `-2^30 P^2` to below
/// `2^31.5 P^2`.
#[inline(always)]
fn reduced<W: Calls>(columns: Columns<W>) -> Number<W> {
    let loose = loose(&add_constants(columns, BIAS));
    let mut number: Number<W> = columns::propagate(loose);
    number[N - 1] = number[N - 1].known_at_most(MOST);
    number
}

/// The loose number that is these columns modulo P, divided by F.
#[inline(always)]
fn loose<W: Calls>(columns: &Columns<W>) -> Number<W> {
    W::call_reduce::<Bls12381, N, D>(columns)
}

/// A number `re + im u` as a factor: its parts, and their sum.
#[derive(Clone, Copy)]
struct Factor<'a, W>([&'a Number<W>; 3]);

/// The sums `re + im` of the parts of COUNT elements, which are also the imaginary parts of their products by `1 + u`.
struct Sums<W, const COUNT: usize>([Number<W>; COUNT]);

impl<W: Calls, const COUNT: usize> Sums<W, COUNT> {
    #[inline(always)]
    fn new(numbers: &[Tight<W, N>]) -> Self {
        let mut sums = [columns::zero(); COUNT];
        for (sum_of_parts, parts) in sums.iter_mut().zip(numbers.chunks_exact(2)) {
            *sum_of_parts = sum(&parts[0].0, &parts[1].0);
        }
        Self(sums)
    }

    /// Element k.
    #[inline(always)]
    fn element<'a>(&'a self, numbers: &'a [Tight<W, N>], k: usize) -> Factor<'a, W> {
        Factor([&numbers[2 * k].0, &numbers[2 * k + 1].0, &self.0[k]])
    }
}

/// The products of COUNT elements `re + im u` by `1 + u`, but for what they share with the elements: `re - im`, the real part,
/// and `2 re`, the sum of the parts.
struct Wrapped<W, const COUNT: usize>([[Number<W>; 2]; COUNT]);

impl<W: Calls, const COUNT: usize> Wrapped<W, COUNT> {
    #[inline(always)]
    fn new(numbers: &[Tight<W, N>]) -> Self {
        let mut products = [[columns::zero(); 2]; COUNT];
        for (product, parts) in products.iter_mut().zip(numbers.chunks_exact(2)) {
            let (re, im) = (&parts[0].0, &parts[1].0);
            product[0] = difference(re, im);
            product[1] = limbs(add_constants(plus(re, re), LIFT));
        }
        Self(products)
    }

    /// Element k times `1 + u`.
    #[inline(always)]
    fn element<'a>(&'a self, sums: &'a Sums<W, COUNT>, k: usize) -> Factor<'a, W> {
        Factor([&self.0[k][0], &sums.0[k], &self.0[k][1]])
    }
}

/// The columns of a sum of products: of the products of real parts, of imaginary parts, and of sums of parts.
struct Total<W>([Columns<W>; 3]);

/// Up to six pairs of factors, by parts.
struct Terms<'a, W> {
    pairs: [[[&'a Number<W>; 2]; SEXTIC]; 3],
    count: usize,
}

impl<'a, W: Calls> Terms<'a, W> {
    /// No pairs. Any number takes the place of those that are not there.
    #[inline(always)]
    fn none(number: &'a Number<W>) -> Self {
        let pairs = [[[number; 2]; SEXTIC]; 3];
        Self { pairs, count: 0 }
    }

    /// Adds a pair.
    #[inline(always)]
    fn push(&mut self, Factor([x0, x1, x2]): Factor<'a, W>, Factor([y0, y1, y2]): Factor<'a, W>) {
        self.pairs[0][self.count] = [x0, y0];
        self.pairs[1][self.count] = [x1, y1];
        self.pairs[2][self.count] = [x2, y2];
        self.count += 1;
    }

    /// Part k of all pairs.
    #[inline(always)]
    fn part(&self, k: usize) -> &[[&'a Number<W>; 2]] {
        &self.pairs[k][..self.count]
    }
}

impl<W: Calls> Total<W> {
    /// The sum of the products of pairs.
    #[inline(always)]
    fn of(terms: &Terms<'_, W>) -> Self {
        Self([
            W::call_sum_of_products(terms.part(0)),
            W::call_sum_of_products(terms.part(1)),
            W::call_sum_of_products(terms.part(2)),
        ])
    }

    /// This sum and the products of pairs.
    #[inline(always)]
    fn plus(&self, terms: &Terms<'_, W>) -> Self {
        let [re, im, sum] = &self.0;
        Self([
            W::call_plus_products(re, terms.part(0)),
            W::call_plus_products(im, terms.part(1)),
            W::call_plus_products(sum, terms.part(2)),
        ])
    }

    /// Doubles the sum.
    #[inline(always)]
    fn double(&mut self) {
        for columns in &mut self.0 {
            for column in columns {
                *column = column.add(*column);
            }
        }
    }

    /// The real and the imaginary part, below `P + 2^-3 P`.
    #[inline(always)]
    fn parts(&self) -> [Number<W>; 2] {
        let [re, im, sum] = &self.0;
        [reduced(minus(re, im)), reduced(minus(&minus(sum, re), im))]
    }
}

/// The real and the imaginary part of a square in Fp2, as columns: `(re + im) (re - im)` and `2 re im`.
#[inline(always)]
fn square_of<W: Calls>(re: &Number<W>, im: &Number<W>) -> [Columns<W>; 2] {
    let half = W::call_sum_of_products(&[[re, im]]);
    [
        W::call_sum_of_products(&[[&sum(re, im), &difference(re, im)]]),
        plus(&half, &half),
    ]
}

/// Puts out element k, its real and its imaginary part.
#[inline(always)]
fn put<W: Calls>(out: &mut impl Outputs<W, N>, k: usize, [re, im]: &[Number<W>; 2]) {
    out.put(2 * k, re);
    out.put(2 * k + 1, im);
}
