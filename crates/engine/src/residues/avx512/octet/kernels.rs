//! Products, sums of products and linear combinations of a number in two registers.
//!
//! Every stored residue is *tight*, at most `2^w + 2^26`: each operation brings its results there. So nothing needs
//! to be known of an operand but that, and sums of products are reduced once, whatever the number of their terms
//! (`docs/engine/octet.md`).

use core::{
    arch::x86_64::{
        __m512i, _mm512_add_epi64, _mm512_and_si512, _mm512_madd52hi_epu64, _mm512_madd52lo_epu64,
        _mm512_setzero_si512, _mm512_slli_epi64, _mm512_srli_epi64, _mm512_sub_epi64,
    },
    hint::black_box,
};

use zeroize::Zeroizing;

use super::{
    Weights,
    constants::{Base, OctetPlan},
};
use crate::{
    instructions::vector::{load, splat, store},
    program::{Multiple, Operation, Product, Register, Step},
    residues::{
        avx512::{
            spread::{Octet, SpreadNumbers},
            vector::Sum,
        },
        plan::LaneFormat,
    },
    row::{Row, all_at_most},
};

/// The width of channels in bits.
const W: u32 = LaneFormat::TIGHT_WIDTH;

/// The constants of the plan and of one modulus.
#[derive(Clone, Copy)]
pub(super) struct Constants<'a> {
    pub(super) plan: &'a OctetPlan,
    pub(super) weights: &'a Weights,
}

/// The quotient digits `qh`, then the `rh`, of a product: in memory, from where each is broadcast.
pub(super) struct Digits(Zeroizing<[Octet; 2]>);

impl Digits {
    pub(super) fn new() -> Self {
        Self(Zeroizing::new([Row([0; 8]); 2]))
    }

    /// Stores eight digits and returns them, so that the compiler does not know that they were in a register: taking them
    /// apart there takes longer than reading them.
    #[inline]
    #[target_feature(enable = "avx512f")]
    fn spread(&mut self, which: usize, digits: __m512i) -> &[u64; 8] {
        let row = &mut self.0[which];
        store(row, 0, digits);
        &black_box(row).0
    }
}

/// Runs the operations at the beginning of these steps that compute with registers alone, and returns how many there
/// are. Requires tight residues and ensures them.
#[target_feature(enable = "avx512f,avx512ifma")]
pub(super) fn run(
    constants: Constants<'_>,
    digits: &mut Digits,
    registers: &mut [SpreadNumbers<1>],
    steps: &[Step],
) -> usize {
    for (done, step) in steps.iter().enumerate() {
        let (out, number) = match step.operation {
            Operation::Multiply { out, x, y } => {
                let terms = [(false, rows(registers, x), rows(registers, y))];
                (out, sum(constants, digits, terms.into_iter()))
            }
            Operation::Square { out, x, times } => {
                (out, power(constants, digits, rows(registers, x), times))
            }
            Operation::SumOfProducts { out, ref terms } => {
                let terms = terms.iter().map(|&Product { negative, x, y }| {
                    (negative, rows(registers, x), rows(registers, y))
                });
                (out, sum(constants, digits, terms))
            }
            Operation::Combine { out, ref terms, .. } => {
                let terms =
                    (terms.iter()).map(|&Multiple { factor, x }| (factor, rows(registers, x)));
                (out, combination(constants.plan, terms))
            }
            _ => return done,
        };
        write(&mut registers[out.index()], number);
    }
    steps.len()
}

/// The rows of a register.
#[inline]
fn rows(registers: &[SpreadNumbers<1>], register: Register) -> &[Octet; 2] {
    two(&registers[register.index()])
}

/// The two rows of a number.
#[inline]
fn two(number: &SpreadNumbers<1>) -> &[Octet; 2] {
    let rows = number.rows.first_chunk();
    rows.expect("a number has two rows")
}

/// Writes the two rows of a number.
#[inline]
#[target_feature(enable = "avx512f")]
fn write(number: &mut SpreadNumbers<1>, [a, b]: [__m512i; 2]) {
    store(&mut number.rows[0], 0, a);
    store(&mut number.rows[1], 0, b);
}

/// `x := x y A^-1` modulo P.
#[target_feature(enable = "avx512f,avx512ifma")]
pub(super) fn multiply(
    constants: Constants<'_>,
    digits: &mut Digits,
    x: &mut SpreadNumbers<1>,
    y: &SpreadNumbers<1>,
) {
    let product = sum(constants, digits, [(false, two(x), two(y))].into_iter());
    write(x, product);
}

/// `x := x^2 A^-1` modulo P, this many times.
#[target_feature(enable = "avx512f,avx512ifma")]
pub(super) fn square_times(
    constants: Constants<'_>,
    digits: &mut Digits,
    x: &mut SpreadNumbers<1>,
    times: u32,
) {
    let power = power(constants, digits, two(x), times);
    write(x, power);
}

/// `out := sum of (+-) x y A^-1` modulo P.
#[target_feature(enable = "avx512f,avx512ifma")]
pub(super) fn sum_of_products(
    constants: Constants<'_>,
    digits: &mut Digits,
    terms: &[(bool, &SpreadNumbers<1>, &SpreadNumbers<1>)],
    out: &mut SpreadNumbers<1>,
) {
    let terms = terms
        .iter()
        .map(|&(negative, x, y)| (negative, two(x), two(y)));
    let sum = sum(constants, digits, terms);
    write(out, sum);
}

/// `out := sum of factor_i x_i`.
#[target_feature(enable = "avx512f,avx512ifma")]
pub(super) fn combine(
    plan: &OctetPlan,
    terms: &[(i32, &SpreadNumbers<1>)],
    out: &mut SpreadNumbers<1>,
) {
    let combination = combination(plan, terms.iter().map(|&(factor, x)| (factor, two(x))));
    write(out, combination);
}

/// Makes residues tight.
#[target_feature(enable = "avx512f,avx512ifma")]
pub(super) fn tighten(plan: &OctetPlan, x: &mut SpreadNumbers<1>) {
    let [a, b] = two(x);
    let tight = [plan.a.tighten(load(a, 0)), plan.b.tighten(load(b, 0))];
    write(x, tight);
}

/// `sum of (+-) x y A^-1` modulo P, for up to 2^10 terms.
#[inline]
#[target_feature(enable = "avx512f,avx512ifma")]
fn sum<'a>(
    constants: Constants<'_>,
    digits: &mut Digits,
    terms: impl Iterator<Item = (bool, &'a [Octet; 2], &'a [Octet; 2])>,
) -> [__m512i; 2] {
    let (mut in_a, mut in_b) = (Sum::zero(), Sum::zero());
    for (negative, x, y) in terms {
        let [mut x_a, mut x_b] = [load(&x[0], 0), load(&x[1], 0)];
        if negative {
            x_a = _mm512_sub_epi64(load(&constants.plan.a.double, 0), x_a);
            x_b = _mm512_sub_epi64(load(&constants.plan.b.double, 0), x_b);
        }
        in_a = in_a.plus(x_a, load(&y[0], 0));
        in_b = in_b.plus(x_b, load(&y[1], 0));
    }
    reduce(constants, digits, in_a, in_b)
}

/// `x^(2^times)`, each time divided by A, modulo P.
#[inline]
#[target_feature(enable = "avx512f,avx512ifma")]
fn power(
    constants: Constants<'_>,
    digits: &mut Digits,
    x: &[Octet; 2],
    times: u32,
) -> [__m512i; 2] {
    let [mut a, mut b] = [load(&x[0], 0), load(&x[1], 0)];
    for _ in 0..times {
        let (in_a, in_b) = (Sum::zero().plus(a, a), Sum::zero().plus(b, b));
        [a, b] = reduce(constants, digits, in_a, in_b);
    }
    [a, b]
}

/// `sum of factor_i x_i`, for factors whose absolute values add up to at most 2^10.
#[inline]
#[target_feature(enable = "avx512f,avx512ifma")]
fn combination<'a>(
    plan: &OctetPlan,
    terms: impl Iterator<Item = (i32, &'a [Octet; 2])>,
) -> [__m512i; 2] {
    let (mut a, mut b) = (_mm512_setzero_si512(), _mm512_setzero_si512());
    for (factor, x) in terms {
        a = plan.a.plus_multiple(a, factor, load(&x[0], 0));
        b = plan.b.plus_multiple(b, factor, load(&x[1], 0));
    }
    [plan.a.tighten(a), plan.b.tighten(b)]
}

/// The residues of `T A^-1` modulo P, from sums T in every channel: of at most 2^10 products of a tight residue with one
/// of at most 2 m.
///
/// Steps 1 to 4 of `docs/engine/residues.md`. As the weights of the first extension contain P, its sum is added to the
/// products in B before they are reduced.
#[inline]
#[target_feature(enable = "avx512f,avx512ifma")]
fn reduce(
    Constants { plan, weights }: Constants<'_>,
    digits: &mut Digits,
    in_a: Sum,
    in_b: Sum,
) -> [__m512i; 2] {
    let u = plan.a.reduce(in_a);
    let qh = plan.a.channels().multiply(u, load(&weights.to_quotient, 0));
    let qh = digits.spread(0, qh);
    debug_assert!(qh.iter().all(|&qh| qh <= plan.bounds.qh));
    let [even, odd] = extend(in_b, qh, &weights.a_to_b);
    let b = plan.b.reduce(even.join(odd));

    let rh = plan.b.channels().multiply(b, load(&plan.to_rh, 0));
    let rh = digits.spread(1, rh);
    debug_assert!(rh.iter().all(|&rh| rh <= plan.bounds.rh));
    // Cox: floor(1/2 + sum rh_j / 2^w).
    let h = (rh.iter().sum::<u64>() + (1 << (W - 1))) >> W;
    debug_assert!(h <= plan.bounds.h);
    let of_h = Sum::zero().plus(splat(h), load(&plan.weights_of_h, 0));
    let [even, odd] = extend(of_h, rh, &plan.b_to_a);
    let a = plan.a.reduce(even.join(odd));
    [a, b]
}

/// `sum + sum_i digits_i weights_i`, in two parts: a single chain of additions would take longer.
#[inline]
#[target_feature(enable = "avx512f,avx512ifma")]
fn extend(sum: Sum, digits: &[u64; 8], weights: &[Octet; 8]) -> [Sum; 2] {
    let (mut even, mut odd) = (sum, Sum::zero());
    for k in 0..4 {
        even = even.plus(splat(digits[2 * k]), load(&weights[2 * k], 0));
        odd = odd.plus(splat(digits[2 * k + 1]), load(&weights[2 * k + 1], 0));
    }
    [even, odd]
}

impl Base {
    /// The tight residue of `T / R`.
    #[inline]
    #[target_feature(enable = "avx512f,avx512ifma")]
    fn reduce(&self, sum: Sum) -> __m512i {
        self.tighten(self.channels().redc(sum))
    }

    /// A tight residue congruent to x: with `m = 2^w - d` it is `(x mod 2^w) + floor(x / 2^w) d`, where the second term is
    /// below `2^14 2^12`.
    #[inline]
    #[target_feature(enable = "avx512f,avx512ifma")]
    fn tighten(&self, x: __m512i) -> __m512i {
        let low = _mm512_and_si512(x, splat((1 << W) - 1));
        _mm512_madd52lo_epu64(low, _mm512_srli_epi64::<W>(x), load(&self.distance, 0))
    }

    /// `sum + |factor| x`, or with `2 m - x` in place of x if the factor is negative. Grows by at most `2 |factor| m`.
    #[inline]
    #[target_feature(enable = "avx512f,avx512ifma")]
    fn plus_multiple(&self, sum: __m512i, factor: i32, x: __m512i) -> __m512i {
        let x = if factor < 0 {
            _mm512_sub_epi64(load(&self.double, 0), x)
        } else {
            x
        };
        match factor.unsigned_abs() {
            1 => _mm512_add_epi64(sum, x),
            2 => _mm512_add_epi64(sum, _mm512_slli_epi64::<1>(x)),
            factor => {
                let factor = splat(factor.into());
                let high = _mm512_madd52hi_epu64(_mm512_setzero_si512(), x, factor);
                // 2^52 high = 4 2^w high, congruent to 4 d high.
                let four = _mm512_slli_epi64::<2>(load(&self.distance, 0));
                let sum = _mm512_madd52lo_epu64(sum, x, factor);
                _mm512_madd52lo_epu64(sum, high, four)
            }
        }
    }
}

/// Whether the residues of a number are tight.
pub(super) fn is_tight(number: &SpreadNumbers<1>, plan: &OctetPlan) -> bool {
    all_at_most(&number.rows, plan.bounds.x_a)
}
