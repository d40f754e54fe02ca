//! Products, sums of products and linear combinations of a number in two registers.
//!
//! Every stored residue is *tight*, at most `2^w + 2^26`: each operation brings its results there. So nothing needs
//! to be known of an operand but that, and sums of products are reduced once, whatever the number of their terms
//! (`docs/engine/octet.md`).

use core::{
    arch::x86_64::{
        __m512i, _mm512_add_epi64, _mm512_and_si512, _mm512_madd52hi_epu64, _mm512_madd52lo_epu64,
        _mm512_or_si512, _mm512_setzero_si512, _mm512_shuffle_epi32, _mm512_shuffle_i64x2,
        _mm512_slli_epi64, _mm512_srli_epi64, _mm512_sub_epi64,
    },
    hint::black_box,
};

use zeroize::{Zeroize, Zeroizing};

use super::{
    Weights,
    constants::{Base, OctetPlan},
    tape::{Head, Kind, MOST_TOGETHER, Multiple, Term},
};
use crate::{
    instructions::vector::{load, splat, store},
    residues::{
        avx512::{spread::Octet, vector::Sum},
        plan::LaneFormat,
    },
    row::{Row, all_at_most},
};

/// The width of channels in bits.
const W: u32 = LaneFormat::TIGHT_WIDTH;

/// A number: its residues in A, and in B. Wiped on drop.
#[derive(Clone)]
pub(super) struct Number {
    pub(super) a: Octet,
    pub(super) b: Octet,
}

impl Default for Number {
    fn default() -> Self {
        let zero = Row([0; 8]);
        Self { a: zero, b: zero }
    }
}

impl Drop for Number {
    fn drop(&mut self) {
        self.a.zeroize();
        self.b.zeroize();
    }
}

impl Number {
    /// Whether the residues are tight.
    #[cfg(any(test, feature = "testing", debug_assertions))]
    pub(super) fn is_tight(&self, plan: &OctetPlan) -> bool {
        let [a, b] = [(&self.a, plan.bounds.x_a), (&self.b, plan.bounds.x_b)]
            .map(|(row, bound)| row.iter().all(|&residue| residue <= bound));
        a && b
    }

    /// Whether the other number has the same residues.
    #[cfg(debug_assertions)]
    pub(super) fn is_same(&self, other: &Self, plan: &OctetPlan) -> bool {
        let are_same = |base: &Base, x: &Octet, y: &Octet| {
            let mut lanes = x.iter().zip(y.iter()).zip(base.m.iter());
            lanes.all(|((x, y), &m)| x.abs_diff(*y).checked_rem(m).unwrap_or(0) == 0)
        };
        are_same(&plan.a, &self.a, &other.a) && are_same(&plan.b, &self.b, &other.b)
    }

    #[inline]
    #[target_feature(enable = "avx512f")]
    fn load(&self) -> Pair {
        Pair {
            a: load(&self.a, 0),
            b: load(&self.b, 0),
        }
    }

    #[inline]
    #[target_feature(enable = "avx512f")]
    fn set(&mut self, Pair { a, b }: Pair) {
        store(&mut self.a, 0, a);
        store(&mut self.b, 0, b);
    }
}

/// A number in registers.
#[derive(Clone, Copy)]
struct Pair {
    a: __m512i,
    b: __m512i,
}

impl Pair {
    #[inline]
    #[target_feature(enable = "avx512f")]
    fn zero() -> Self {
        let [a, b] = [_mm512_setzero_si512(); 2];
        Self { a, b }
    }
}

/// A sum of products in registers, which is not reduced.
#[derive(Clone, Copy)]
struct Sums {
    a: Sum,
    b: Sum,
}

impl Sums {
    #[inline]
    #[target_feature(enable = "avx512f")]
    fn zero() -> Self {
        let [a, b] = [Sum::zero(); 2];
        Self { a, b }
    }

    #[inline]
    #[target_feature(enable = "avx512f,avx512ifma")]
    fn plus(self, x: Pair, y: Pair) -> Self {
        Self {
            a: self.a.plus(x.a, y.a),
            b: self.b.plus(x.b, y.b),
        }
    }
}

/// The constants of the plan and of one modulus.
#[derive(Clone, Copy)]
pub(super) struct Constants<'a> {
    pub(super) plan: &'a OctetPlan,
    pub(super) weights: &'a Weights,
}

/// The quotient digits `qh`, then the `rh`, of products: in memory, from where each is broadcast.
pub(super) struct Digits(Zeroizing<[Octet; MOST_TOGETHER]>);

impl Digits {
    pub(super) fn new() -> Self {
        Self(Zeroizing::new([Row([0; 8]); MOST_TOGETHER]))
    }

    /// The digits of N products as memory of which the compiler does not know the contents: taking registers apart takes
    /// longer than reading them.
    #[inline]
    fn spread<const N: usize>(&mut self) -> &[Octet; N] {
        const { assert!(N <= MOST_TOGETHER) };
        let rows = black_box(&mut self.0);
        // Always there, as the assertion above is made when this is compiled.
        rows.first_chunk().expect("N is at most the number of rows")
    }
}

/// Repeats a block for each n below a constant of at most six, in one piece: what it indexes stays in registers.
macro_rules! for_each_below {
    ($n:ident < $count:ident, $body:block) => {
        for_each_below!(@each $n, $count, $body, 0 1 2 3 4 5)
    };
    (@each $n:ident, $count:ident, $body:block, $($value:literal)*) => {{
        const { assert!($count <= MOST_TOGETHER && MOST_TOGETHER == 6) };
        $(
            if $value < $count {
                // In functions of fewer products the index is not reached, but compiled.
                let $n = const { if $value < $count { $value } else { 0 } };
                $body
            }
        )*
    }};
}

/// Runs the instructions of a [`Tape`](super::tape::Tape). Requires tight residues and ensures them.
///
/// A product waits for its own steps most of the time: up to six are computed in turns.
#[target_feature(enable = "avx512f,avx512ifma")]
pub(super) fn run(
    constants: Constants<'_>,
    digits: &mut Digits,
    registers: &mut [Number],
    words: &[u64],
) {
    let mut words = words;
    while let [first, rest @ ..] = words {
        let head = Head::of(*first);
        words = match head.kind() {
            Kind::Combination => combinations(constants.plan, registers, words),
            Kind::Power => {
                let x = registers[rest[0] as usize].load();
                let power = constants.square_times(digits, x, head.count() as u32);
                registers[head.out()].set(power);
                &rest[1..]
            }
            Kind::Products => match head.count() {
                1 => products::<1>(constants, digits, registers, rest),
                2 => products::<2>(constants, digits, registers, rest),
                3 => products::<3>(constants, digits, registers, rest),
                4 => products::<4>(constants, digits, registers, rest),
                5 => products::<5>(constants, digits, registers, rest),
                _ => products::<MOST_TOGETHER>(constants, digits, registers, rest),
            },
        };
    }
}

/// Computes linear combinations of registers as long as they follow each other. Returns the words after them. A function of its
/// own, like [`products`]: all constants together do not fit the processor's registers.
#[inline(never)]
#[target_feature(enable = "avx512f,avx512ifma")]
fn combinations<'a>(plan: &OctetPlan, registers: &mut [Number], words: &'a [u64]) -> &'a [u64] {
    let mut words = words;
    while let [first, rest @ ..] = words {
        let head = Head::of(*first);
        if head.kind() != Kind::Combination {
            break;
        }
        let (terms, after) = rest.split_at(head.count());
        let mut sum = Pair::zero();
        for &term in terms {
            let term = Multiple::of(term);
            let x = registers[term.register()].load();
            sum = plan.plus_multiple(sum, term.factor(), x);
        }
        registers[head.out()].set(plan.tighten(sum));
        words = after;
    }
    words
}

/// Computes N products, none of which reads what another one writes. Returns the words after them.
#[inline(never)]
#[target_feature(enable = "avx512f,avx512ifma")]
fn products<'a, const N: usize>(
    constants: Constants<'_>,
    digits: &mut Digits,
    registers: &mut [Number],
    words: &'a [u64],
) -> &'a [u64] {
    let mut words = words;
    let mut sums = [Sums::zero(); N];
    let mut outs = [0; N];
    for_each_below!(n < N, {
        let head = Head::of(words[0]);
        outs[n] = head.out();
        let (terms, rest) = words[1..].split_at(head.count());
        words = rest;
        let mut sum = Sums::zero();
        for &term in terms {
            sum = constants.plus_term(sum, registers, Term::of(term));
        }
        sums[n] = sum;
    });
    let numbers = constants.reduce(digits, sums);
    for_each_below!(n < N, {
        registers[outs[n]].set(numbers[n]);
    });
    words
}

/// `x := x y A^-1` modulo P.
#[target_feature(enable = "avx512f,avx512ifma")]
pub(super) fn multiply(constants: Constants<'_>, digits: &mut Digits, x: &mut Number, y: &Number) {
    let sums = Sums::zero().plus(x.load(), y.load());
    let [product] = constants.reduce(digits, [sums]);
    x.set(product);
}

/// `x := x^2 A^-1` modulo P, this many times, at least once.
#[target_feature(enable = "avx512f,avx512ifma")]
pub(super) fn square_times(
    constants: Constants<'_>,
    digits: &mut Digits,
    x: &mut Number,
    times: u32,
) {
    let power = constants.square_times(digits, x.load(), times);
    x.set(power);
}

/// `out := sum of (+-) x y A^-1` modulo P, for up to 2^10 terms.
#[target_feature(enable = "avx512f,avx512ifma")]
pub(super) fn sum_of_products(
    constants: Constants<'_>,
    digits: &mut Digits,
    terms: &[(bool, &Number, &Number)],
    out: &mut Number,
) {
    let mut sums = Sums::zero();
    for &(negative, x, y) in terms {
        let x = x.load();
        let x = if negative {
            constants.plan.negate(x)
        } else {
            x
        };
        sums = sums.plus(x, y.load());
    }
    let [sum] = constants.reduce(digits, [sums]);
    out.set(sum);
}

/// `out := sum of factor_i x_i`, for factors whose absolute values add up to at most 2^10.
#[target_feature(enable = "avx512f,avx512ifma")]
pub(super) fn combine(plan: &OctetPlan, terms: &[(i32, &Number)], out: &mut Number) {
    let mut combination = Pair::zero();
    for &(factor, x) in terms {
        combination = plan.plus_multiple(combination, factor, x.load());
    }
    out.set(plan.tighten(combination));
}

/// Makes residues tight.
#[target_feature(enable = "avx512f,avx512ifma")]
pub(super) fn tighten(plan: &OctetPlan, x: &mut Number) {
    let tight = plan.tighten(x.load());
    x.set(tight);
}

/// `out :=` the entry of the table with a mask of all ones; all others have zeros. All entries are read.
#[target_feature(enable = "avx512f")]
pub(super) fn select(table: &[Number], masks: &[[u64; 1]], out: &mut Number) {
    let [mut a, mut b] = [_mm512_setzero_si512(); 2];
    for (entry, [mask]) in table.iter().zip(masks) {
        let (entry, mask) = (entry.load(), splat(*mask));
        a = _mm512_or_si512(a, _mm512_and_si512(entry.a, mask));
        b = _mm512_or_si512(b, _mm512_and_si512(entry.b, mask));
    }
    out.set(Pair { a, b });
}

impl Constants<'_> {
    /// `sums + x y`, or `sums - x y`. The sign is the program's, and public.
    #[inline]
    #[target_feature(enable = "avx512f,avx512ifma")]
    fn plus_term(self, sums: Sums, registers: &[Number], term: Term) -> Sums {
        let [x, y] = term.factors();
        let [x, y] = [registers[x].load(), registers[y].load()];
        let x = if term.negative() {
            self.plan.negate(x)
        } else {
            x
        };
        sums.plus(x, y)
    }

    /// `x^(2^times)`, each time divided by A, modulo P.
    #[inline(never)]
    #[target_feature(enable = "avx512f,avx512ifma")]
    fn square_times(self, digits: &mut Digits, mut x: Pair, times: u32) -> Pair {
        for _ in 0..times {
            [x] = self.reduce(digits, [Sums::zero().plus(x, x)]);
        }
        x
    }

    /// The residues of `T A^-1` modulo P, from sums T in every channel: of at most 2^10 products of a tight residue with
    /// one of at most 2 m.
    ///
    /// Steps 1 to 4 of `docs/engine/residues.md`. As the weights of the first extension contain P, its sum is added to the
    /// products in B before they are reduced.
    #[inline]
    #[target_feature(enable = "avx512f,avx512ifma")]
    fn reduce<const N: usize>(self, digits: &mut Digits, sums: [Sums; N]) -> [Pair; N] {
        let Self { plan, weights } = self;
        let mut in_a = [Sum::zero(); N];
        let mut in_b = [Sum::zero(); N];
        for_each_below!(n < N, {
            (in_a[n], in_b[n]) = (sums[n].a, sums[n].b);
        });
        let mut a = plan.a.reduce(in_a);
        for_each_below!(n < N, {
            let qh = (plan.a.channels()).multiply(a[n], load(&weights.to_quotient, 0));
            store(&mut digits.0[n], 0, qh);
        });
        let qh: &[Octet; N] = digits.spread();
        debug_assert!(all_at_most(qh, plan.bounds.qh));
        in_b = extend(in_b, qh, &weights.a_to_b);
        let b = plan.b.reduce(in_b);

        for_each_below!(n < N, {
            let rh = plan.b.channels().multiply(b[n], load(&plan.to_rh, 0));
            store(&mut digits.0[n], 0, rh);
        });
        let rh: &[Octet; N] = digits.spread();
        debug_assert!(all_at_most(rh, plan.bounds.rh));
        in_a = extend([Sum::zero(); N], rh, &plan.b_to_a);
        for_each_below!(n < N, {
            // Cox: floor(1/2 + sum rh_j / 2^w), in every lane.
            let half = splat(1 << (W - 1));
            let sum = sum_of_lanes(load(&rh[n], 0));
            let h = _mm512_srli_epi64::<W>(_mm512_add_epi64(sum, half));
            in_a[n] = in_a[n].plus(h, load(&plan.weights_of_h, 0));
        });
        a = plan.a.reduce(in_a);
        let mut numbers = [Pair::zero(); N];
        for_each_below!(n < N, {
            numbers[n] = Pair { a: a[n], b: b[n] };
        });
        numbers
    }
}

/// The sum of the eight lanes, in every lane.
#[inline]
#[target_feature(enable = "avx512f")]
fn sum_of_lanes(x: __m512i) -> __m512i {
    let x = _mm512_add_epi64(x, _mm512_shuffle_i64x2::<0b01_00_11_10>(x, x));
    let x = _mm512_add_epi64(x, _mm512_shuffle_i64x2::<0b10_11_00_01>(x, x));
    _mm512_add_epi64(x, _mm512_shuffle_epi32::<0b01_00_11_10>(x))
}

/// `sums_n + sum_i digits_ni weights_i`. A lone sum is made in two parts, as a chain of additions would take
/// longer.
#[inline]
#[target_feature(enable = "avx512f,avx512ifma")]
fn extend<const N: usize>(
    mut sums: [Sum; N],
    digits: &[Octet; N],
    weights: &[Octet; 8],
) -> [Sum; N] {
    if N == 1 {
        let (mut first, mut second) = (sums[0], Sum::zero());
        for k in 0..4 {
            first = first.plus(splat(digits[0][k]), load(&weights[k], 0));
            second = second.plus(splat(digits[0][k + 4]), load(&weights[k + 4], 0));
        }
        sums[0] = first.join(second);
        return sums;
    }
    for k in 0..8 {
        let weights = load(&weights[k], 0);
        for_each_below!(n < N, {
            sums[n] = sums[n].plus(splat(digits[n][k]), weights);
        });
    }
    sums
}

impl OctetPlan {
    /// `2 m - x` in each channel.
    #[inline]
    #[target_feature(enable = "avx512f")]
    fn negate(&self, x: Pair) -> Pair {
        Pair {
            a: _mm512_sub_epi64(load(&self.a.double, 0), x.a),
            b: _mm512_sub_epi64(load(&self.b.double, 0), x.b),
        }
    }

    /// `sum + factor x`. Every lane grows by at most `2 |factor| m`.
    #[inline]
    #[target_feature(enable = "avx512f,avx512ifma")]
    fn plus_multiple(&self, sum: Pair, factor: i32, x: Pair) -> Pair {
        let x = if factor < 0 { self.negate(x) } else { x };
        let [a, b] = match factor.unsigned_abs() {
            1 => [_mm512_add_epi64(sum.a, x.a), _mm512_add_epi64(sum.b, x.b)],
            2 => [
                _mm512_add_epi64(sum.a, _mm512_slli_epi64::<1>(x.a)),
                _mm512_add_epi64(sum.b, _mm512_slli_epi64::<1>(x.b)),
            ],
            factor => {
                let factor = splat(factor.into());
                [
                    self.a.plus_product(sum.a, x.a, factor),
                    self.b.plus_product(sum.b, x.b, factor),
                ]
            }
        };
        Pair { a, b }
    }

    #[inline]
    #[target_feature(enable = "avx512f,avx512ifma")]
    fn tighten(&self, x: Pair) -> Pair {
        Pair {
            a: self.a.tighten(x.a),
            b: self.b.tighten(x.b),
        }
    }
}

impl Base {
    /// The tight residues of `T / R`.
    #[inline]
    #[target_feature(enable = "avx512f,avx512ifma")]
    fn reduce<const N: usize>(&self, sums: [Sum; N]) -> [__m512i; N] {
        let mut residues = [_mm512_setzero_si512(); N];
        for_each_below!(n < N, {
            residues[n] = self.tighten(self.channels().redc(sums[n]));
        });
        residues
    }

    /// A tight residue congruent to x: with `m = 2^w - d` it is `(x mod 2^w) + floor(x / 2^w) d`, where the second term is
    /// below `2^14 2^12`.
    #[inline]
    #[target_feature(enable = "avx512f,avx512ifma")]
    fn tighten(&self, x: __m512i) -> __m512i {
        let low = _mm512_and_si512(x, splat((1 << W) - 1));
        _mm512_madd52lo_epu64(low, _mm512_srli_epi64::<W>(x), load(&self.distance, 0))
    }

    /// `sum + x factor` for a factor below 2^11, where `2^52 = 4 2^w` is congruent to 4 d.
    #[inline]
    #[target_feature(enable = "avx512f,avx512ifma")]
    fn plus_product(&self, sum: __m512i, x: __m512i, factor: __m512i) -> __m512i {
        let high = _mm512_madd52hi_epu64(_mm512_setzero_si512(), x, factor);
        let four = _mm512_slli_epi64::<2>(load(&self.distance, 0));
        let sum = _mm512_madd52lo_epu64(sum, x, factor);
        _mm512_madd52lo_epu64(sum, high, four)
    }
}
