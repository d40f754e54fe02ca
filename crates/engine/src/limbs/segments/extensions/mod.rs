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
    calls::{Calls, Kernel, SumOfProducts},
    columns::{self, add_constants, columns_below},
    lanes::Tight,
    prime::{Bls12381, Prime},
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

/// `x + y`, in limbs as factors.
#[inline(always)]
fn sum<W: Calls>(x: &Number<W>, y: &Number<W>) -> Number<W> {
    columns::propagate_uncut(plus(x, y))
}

/// `x - y + 2^14 P`, in limbs as factors.
#[inline(always)]
fn difference<W: Calls>(x: &Number<W>, y: &Number<W>) -> Number<W> {
    limbs(add_constants(minus(x, y), LIFT))
}

/// The limbs as factors of a number that is known to be from 0 to below `2^416`.
#[inline(always)]
fn limbs<W: Calls>(columns: Number<W>) -> Number<W> {
    let mut number: Number<W> = columns::propagate_uncut(columns);
    number[N - 1] = number[N - 1].known_at_most((1 << 52) - 1);
    number
}

/// Columns of some totals, less those of others.
struct Balance<'a, W> {
    plus: &'a [&'a Columns<W>],
    minus: &'a [&'a Columns<W>],
}

impl<W: Calls> Balance<'_, W> {
    /// The loose number that is these columns plus `bias` modulo P, divided by F.
    #[inline(always)]
    fn loose(&self, bias: [u64; D]) -> Number<W> {
        let mut sums: Columns<W> = add_constants(columns::zero(), bias);
        for columns in self.plus {
            columns_below!(true, k < D, {
                sums[k] = sums[k].add(columns[k]);
            });
        }
        for columns in self.minus {
            columns_below!(true, k < D, {
                sums[k] = sums[k].sub(columns[k]);
            });
        }
        Bls12381::reduce(sums)
    }
}

/// The number below `P + 2^-3 P` that is a balance modulo P, divided by F. Requires columns from `-2^30 P^2` to below
/// `2^31.5 P^2`.
struct Reduced<'a, W>(Balance<'a, W>);

impl<W: Calls> Kernel for Reduced<'_, W> {
    type Output = Number<W>;

    #[inline(always)]
    fn compute(self) -> Number<W> {
        let mut number: Number<W> = columns::propagate(self.0.loose(BIAS));
        number[N - 1] = number[N - 1].known_at_most(MOST);
        number
    }
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
            *sum_of_parts = sum(parts[0].factors(), parts[1].factors());
        }
        Self(sums)
    }

    /// Element k.
    #[inline(always)]
    fn element<'a>(&'a self, numbers: &'a [Tight<W, N>], k: usize) -> Factor<'a, W> {
        let (re, im) = (numbers[2 * k].factors(), numbers[2 * k + 1].factors());
        Factor([re, im, &self.0[k]])
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
            let (re, im) = (parts[0].factors(), parts[1].factors());
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

    /// The columns of the sum of the products of part k.
    #[inline(always)]
    fn sum(&self, k: usize) -> Columns<W> {
        W::call(SumOfProducts(self.part(k)))
    }
}

/// Twice some columns plus those of the products of some pairs.
struct TwicePlusProducts<'a, W> {
    columns: &'a Columns<W>,
    terms: &'a [[&'a Number<W>; 2]],
}

impl<W: Calls> Kernel for TwicePlusProducts<'_, W> {
    type Output = Columns<W>;

    #[inline(always)]
    fn compute(self) -> Columns<W> {
        columns::plus_products(plus(self.columns, self.columns), self.terms)
    }
}

/// The real and the imaginary part of the square of `re + im u`, as columns: `(re + im) (re - im)` and `2 re im`.
struct SquareInPlane<'a, W>([&'a Number<W>; 2]);

impl<W: Calls> Kernel for SquareInPlane<'_, W> {
    type Output = [Columns<W>; 2];

    #[inline(always)]
    fn compute(self) -> [Columns<W>; 2] {
        let [re, im] = self.0;
        let half: Columns<W> = columns::plus_products(columns::zero(), &[[re, im]]);
        let factors = [&sum(re, im), &difference(re, im)];
        [
            columns::plus_products(columns::zero(), &[factors]),
            plus(&half, &half),
        ]
    }
}

/// Puts out element k, by the columns of the products of real parts, of imaginary parts, and of sums of parts.
#[inline(always)]
fn put<W: Calls>(
    out: &mut impl Outputs<W, N>,
    k: usize,
    re: &Columns<W>,
    im: &Columns<W>,
    sum: &Columns<W>,
) {
    put_balance(out, 2 * k, &[re], &[im]);
    put_balance(out, 2 * k + 1, &[sum], &[re, im]);
}

/// Puts out number k, a balance of columns.
#[inline(always)]
fn put_balance<W: Calls>(
    out: &mut impl Outputs<W, N>,
    k: usize,
    plus: &[&Columns<W>],
    minus: &[&Columns<W>],
) {
    out.put(k, &W::call(Reduced(Balance { plus, minus })));
}
