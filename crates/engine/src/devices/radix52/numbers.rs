//! Numbers in limbs, tables of them, and carries.

use core::arch::x86_64::{
    __m512i, _mm512_add_epi64, _mm512_and_si512, _mm512_andnot_si512, _mm512_cmpeq_epi64_mask,
    _mm512_madd52hi_epu64, _mm512_madd52lo_epu64, _mm512_mask_mov_epi64, _mm512_setzero_si512,
    _mm512_slli_epi64, _mm512_srai_epi64, _mm512_srli_epi64, _mm512_xor_si512,
};

use zeroize::Zeroize;

use super::plan::{LIMB_BITS, LIMB_MASK, LimbPlan};
use crate::devices::{
    avx512::vector::{WIDTH, load, splat, store},
    lanes::LaneTable,
    row::Row,
};

/// One limb of eight numbers, one a lane.
pub(super) type Limb = Row<u64, WIDTH>;

/// Eight numbers, one a lane, in limbs below `2^52`, in two's complement modulo `F = 2^(52 n)`.
/// Wiped on drop.
#[derive(Default)]
pub(super) struct LimbNumbers {
    pub(super) limbs: Vec<Limb>,
    /// Whether a number may be negative. It follows from the operations that led to it, not from
    /// their operands, and is no secret.
    pub(super) signed: bool,
}

impl LimbNumbers {
    /// The number 0 in every lane.
    pub(super) fn zero(plan: LimbPlan) -> Self {
        Self {
            limbs: vec![Row([0; WIDTH]); plan.limbs],
            signed: false,
        }
    }

    /// Sets each lane to its own limbs.
    pub(super) fn transpose(&mut self, limbs: &[&[u64]]) {
        for (k, row) in self.limbs.iter_mut().enumerate() {
            for (lane, limbs) in row.iter_mut().zip(limbs) {
                *lane = limbs[k];
            }
        }
        self.signed = false;
    }
}

impl Drop for LimbNumbers {
    fn drop(&mut self) {
        self.limbs.zeroize();
    }
}

/// `x := x + y` modulo F.
#[target_feature(enable = "avx512f")]
pub(super) fn add(x: &mut [Limb], y: &[Limb]) {
    let mut carry = _mm512_setzero_si512();
    for (x, y) in x.iter_mut().zip(y) {
        let sum = _mm512_add_epi64(load(x, 0), load(y, 0));
        carry = put(x, sum, carry);
    }
}

/// `x := x - y` modulo F, as `x + (F - 1 - y) + 1`.
#[target_feature(enable = "avx512f")]
pub(super) fn subtract(x: &mut [Limb], y: &[Limb]) {
    let (mask, mut carry) = (splat(LIMB_MASK), splat(1));
    for (x, y) in x.iter_mut().zip(y) {
        let complement = _mm512_xor_si512(load(y, 0), mask);
        carry = put(x, _mm512_add_epi64(load(x, 0), complement), carry);
    }
}

/// `x := -x` modulo F.
#[target_feature(enable = "avx512f")]
pub(super) fn negate(x: &mut [Limb]) {
    let (mask, mut carry) = (splat(LIMB_MASK), splat(1));
    for x in x {
        let complement = _mm512_xor_si512(load(x, 0), mask);
        carry = put(x, complement, carry);
    }
}

/// `x := factor x` modulo F, for a factor below `2^52`.
#[target_feature(enable = "avx512f,avx512ifma")]
pub(super) fn scale(x: &mut [Limb], factor: u64) {
    let (factor, zero) = (splat(factor), _mm512_setzero_si512());
    let mut carry = zero;
    for x in x {
        let limb = load(x, 0);
        let low = _mm512_madd52lo_epu64(zero, limb, factor);
        carry = _mm512_madd52hi_epu64(put(x, low, carry), limb, factor);
    }
}

/// Stores the low bits of `sum + carry`, and returns what is above them. Requires a sum below
/// `2^64`.
#[inline]
#[target_feature(enable = "avx512f")]
fn put(limb: &mut Limb, sum: __m512i, carry: __m512i) -> __m512i {
    let sum = _mm512_add_epi64(sum, carry);
    store(limb, 0, _mm512_and_si512(sum, splat(LIMB_MASK)));
    _mm512_srli_epi64::<LIMB_BITS>(sum)
}

/// All ones in the lanes of negative numbers, whose top bit is set.
#[inline]
#[target_feature(enable = "avx512f")]
fn signs(x: &[Limb]) -> __m512i {
    let top = x.last().map_or(_mm512_setzero_si512(), |top| load(top, 0));
    _mm512_srai_epi64::<63>(_mm512_slli_epi64::<{ 64 - LIMB_BITS }>(top))
}

/// Adds to `upper` what the product of two numbers in two's complement lacks above F, modulo F.
///
/// With s = 1 for a negative number and 0 for others, the stored numbers are `X + s F` and
/// `Y + t F`, so that `X Y = (X + s F)(Y + t F) - F (s (Y + t F) + t (X + s F)) + s t F^2`: above
/// F, `s` times the stored Y and `t` times the stored X are subtracted, modulo F.
///
/// Each row of `upper` grows by at most `2^53`.
#[target_feature(enable = "avx512f")]
pub(super) fn correct_signs(x: &[Limb], y: &[Limb], upper: &mut [Limb]) {
    let (s, t, mask) = (signs(x), signs(y), splat(LIMB_MASK));
    // -Y = (F - 1 - Y) + 1 modulo F.
    let ones = _mm512_add_epi64(_mm512_srli_epi64::<63>(s), _mm512_srli_epi64::<63>(t));
    if let Some(lowest) = upper.first_mut() {
        store(lowest, 0, _mm512_add_epi64(load(lowest, 0), ones));
    }
    for (upper, (x, y)) in upper.iter_mut().zip(x.iter().zip(y)) {
        let minus_y = _mm512_and_si512(s, _mm512_andnot_si512(load(y, 0), mask));
        let minus_x = _mm512_and_si512(t, _mm512_andnot_si512(load(x, 0), mask));
        let sum = _mm512_add_epi64(minus_x, minus_y);
        store(upper, 0, _mm512_add_epi64(load(upper, 0), sum));
    }
}

/// `x := y` in the lanes whose bit is 1. Both are read in every lane.
#[target_feature(enable = "avx512f")]
pub(super) fn choose(bits: &Limb, x: &mut [Limb], y: &[Limb]) {
    let mask = _mm512_cmpeq_epi64_mask(load(bits, 0), splat(1));
    for (x, y) in x.iter_mut().zip(y) {
        store(x, 0, _mm512_mask_mov_epi64(load(x, 0), mask, load(y, 0)));
    }
}

/// `out :=` each lane's entry of the table. All entries are read.
#[target_feature(enable = "avx512f")]
pub(super) fn select(table: &LaneTable<u64, WIDTH>, indices: &Limb, out: &mut [Limb]) {
    /// Entries whose masks are in registers at a time.
    const AT_ONCE: usize = 4;
    let indices = load(indices, 0);
    let mut first = 0;
    while first < table.entries() {
        let mut masks = [0; AT_ONCE];
        for (entry, mask) in (first as u64..).zip(&mut masks) {
            *mask = _mm512_cmpeq_epi64_mask(indices, splat(entry));
        }
        for (out, entries) in out.iter_mut().zip(table.channels()) {
            let mut selected = load(out, 0);
            for (entry, mask) in entries[first..].iter().zip(masks) {
                selected = _mm512_mask_mov_epi64(selected, mask, load(entry, 0));
            }
            store(out, 0, selected);
        }
        first += AT_ONCE;
    }
}

/// `out :=` in each lane the entry that it names, of a table that all share: entry by entry, each
/// in as many limbs as `out` has rows. Lanes that name none stay. All entries are read.
#[target_feature(enable = "avx512f")]
pub(super) fn select_shared(entries: &[u64], indices: &Limb, out: &mut [Limb]) {
    let indices = load(indices, 0);
    for (entry, limbs) in (0..).zip(entries.chunks_exact(out.len())) {
        let mask = _mm512_cmpeq_epi64_mask(indices, splat(entry));
        for (out, &limb) in out.iter_mut().zip(limbs) {
            store(
                out,
                0,
                _mm512_mask_mov_epi64(load(out, 0), mask, splat(limb)),
            );
        }
    }
}
