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
};
use crate::{
    instructions::vector::{load, splat, store},
    program::{Operation, Step},
    residues::{
        avx512::{spread::Octet, vector::Sum},
        plan::LaneFormat,
    },
    row::Row,
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
    pub(super) fn is_tight(&self, plan: &OctetPlan) -> bool {
        let [a, b] = [(&self.a, plan.bounds.x_a), (&self.b, plan.bounds.x_b)]
            .map(|(row, bound)| row.iter().all(|&residue| residue <= bound));
        a && b
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

/// The quotient digits `qh` and the `rh` of a product: in memory, from where each is broadcast.
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
    registers: &mut [Number],
    steps: &[Step],
) -> usize {
    for (done, step) in steps.iter().enumerate() {
        let mut sums = Sums::zero();
        let (out, times) = match step.operation {
            Operation::Multiply { out, x, y } => {
                let [x, y] = [x, y].map(|register| registers[register.index()].load());
                sums = sums.plus(x, y);
                (out, 1)
            }
            Operation::Square { out, x, times } => {
                let x = registers[x.index()].load();
                sums = sums.plus(x, x);
                (out, times)
            }
            Operation::SumOfProducts { out, ref terms } => {
                for term in terms {
                    let [x, y] =
                        [term.x, term.y].map(|register| registers[register.index()].load());
                    let x = if term.negative {
                        constants.plan.negate(x)
                    } else {
                        x
                    };
                    sums = sums.plus(x, y);
                }
                (out, 1)
            }
            Operation::Combine { out, ref terms, .. } => {
                let mut combination = constants.plan.empty();
                for term in terms {
                    let x = registers[term.x.index()].load();
                    combination = constants.plan.plus_multiple(combination, term.factor, x);
                }
                registers[out.index()].set(constants.plan.tighten(combination));
                continue;
            }
            _ => return done,
        };
        registers[out.index()].set(constants.reduce_times(digits, sums, times));
    }
    steps.len()
}

/// `x := x y A^-1` modulo P.
#[target_feature(enable = "avx512f,avx512ifma")]
pub(super) fn multiply(constants: Constants<'_>, digits: &mut Digits, x: &mut Number, y: &Number) {
    let sums = Sums::zero().plus(x.load(), y.load());
    x.set(constants.reduce_times(digits, sums, 1));
}

/// `x := x^2 A^-1` modulo P, this many times, at least once.
#[target_feature(enable = "avx512f,avx512ifma")]
pub(super) fn square_times(
    constants: Constants<'_>,
    digits: &mut Digits,
    x: &mut Number,
    times: u32,
) {
    let sums = Sums::zero().plus(x.load(), x.load());
    x.set(constants.reduce_times(digits, sums, times));
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
    out.set(constants.reduce_times(digits, sums, 1));
}

/// `out := sum of factor_i x_i`, for factors whose absolute values add up to at most 2^10.
#[target_feature(enable = "avx512f,avx512ifma")]
pub(super) fn combine(plan: &OctetPlan, terms: &[(i32, &Number)], out: &mut Number) {
    let mut combination = plan.empty();
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
    /// The number that sums of products reduce to, and its squares: `times` reductions.
    #[inline]
    #[target_feature(enable = "avx512f,avx512ifma")]
    fn reduce_times(self, digits: &mut Digits, mut sums: Sums, times: u32) -> Pair {
        let mut left = times;
        loop {
            let x = self.reduce(digits, sums);
            left -= 1;
            if left == 0 {
                return x;
            }
            sums = Sums::zero().plus(x, x);
        }
    }

    /// The residues of `T A^-1` modulo P, from sums T in every channel: of at most 2^10 products of a tight residue with
    /// one of at most 2 m.
    ///
    /// Steps 1 to 4 of `docs/engine/residues.md`. As the weights of the first extension contain P, its sum is added to the
    /// products in B before they are reduced.
    #[inline]
    #[target_feature(enable = "avx512f,avx512ifma")]
    fn reduce(self, digits: &mut Digits, sums: Sums) -> Pair {
        let Self { plan, weights } = self;
        let u = plan.a.reduce(sums.a);
        let qh = (plan.a.channels()).multiply(u, load(&weights.to_quotient, 0));
        let qh = digits.spread(0, qh);
        debug_assert!(qh.iter().all(|&qh| qh <= plan.bounds.qh));
        let b = plan.b.reduce(extend(sums.b, qh, &weights.a_to_b));

        let rh = plan.b.channels().multiply(b, load(&plan.to_rh, 0));
        // Cox: floor(1/2 + sum rh_j / 2^w), in every lane.
        let half = splat(1 << (W - 1));
        let h = _mm512_srli_epi64::<W>(_mm512_add_epi64(sum_of_lanes(rh), half));
        let of_h = Sum::zero().plus(h, load(&plan.weights_of_h, 0));
        let rh = digits.spread(1, rh);
        debug_assert!(rh.iter().all(|&rh| rh <= plan.bounds.rh));
        let a = plan.a.reduce(extend(of_h, rh, &plan.b_to_a));
        Pair { a, b }
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

/// `sum + sum_i digits_i weights_i`, in two parts that are joined: a single chain of additions would take longer.
#[inline]
#[target_feature(enable = "avx512f,avx512ifma")]
fn extend(sum: Sum, digits: &[u64; 8], weights: &[Octet; 8]) -> Sum {
    let (mut first, mut second) = (sum, Sum::zero());
    for k in 0..4 {
        first = first.plus(splat(digits[k]), load(&weights[k], 0));
        second = second.plus(splat(digits[k + 4]), load(&weights[k + 4], 0));
    }
    first.join(second)
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

    /// A combination of nothing.
    #[inline]
    #[target_feature(enable = "avx512f")]
    fn empty(&self) -> Pair {
        let [a, b] = [_mm512_setzero_si512(); 2];
        Pair { a, b }
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
