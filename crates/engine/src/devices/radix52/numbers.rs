//! Numbers in limbs, tables of them, and carries.

use core::arch::x86_64::{
    __m512i, _mm_cvtsi32_si128, _mm512_add_epi64, _mm512_and_si512, _mm512_madd52hi_epu64,
    _mm512_madd52lo_epu64, _mm512_max_epi64, _mm512_permutex2var_epi64, _mm512_setzero_si512,
    _mm512_sll_epi64, _mm512_slli_epi64, _mm512_srai_epi64, _mm512_srli_epi64, _mm512_sub_epi64,
    _mm512_ternarylogic_epi64, _mm512_xor_si512,
};

use zeroize::Zeroize;

use super::plan::{ESTIMATE_SHIFT, LIMB_BITS, LIMB_MASK, LimbConstants, LimbPlan};
use crate::{
    devices::{
        avx512::vector::{WIDTH, load, load_lanes, splat, store},
        lanes::LaneTable,
        row::{Row, all_at_most},
    },
    program::Builder,
};

/// One limb of eight numbers, one a lane.
pub(super) type Limb = Row<u64, WIDTH>;

/// The numbers of a group, one a lane of V vectors, in limbs below `2^52`: all limbs of the first
/// vector, then those of the next. Wiped on drop.
#[derive(Default)]
pub(super) struct LimbNumbers {
    pub(super) limbs: Vec<Limb>,
}

impl LimbNumbers {
    /// The number 0 in every lane.
    pub(super) fn zero(plan: LimbPlan, vectors: usize) -> Self {
        Self {
            limbs: vec![Row([0; WIDTH]); plan.limbs * vectors],
        }
    }

    /// Sets each number to its own limbs.
    pub(super) fn transpose(&mut self, plan: LimbPlan, limbs: &[&[u64]]) {
        let vectors = self.limbs.chunks_exact_mut(plan.limbs);
        for (rows, limbs) in vectors.zip(limbs.chunks_exact(WIDTH)) {
            for (k, row) in rows.iter_mut().enumerate() {
                *row = Row(core::array::from_fn(|lane| limbs[lane][k]));
            }
        }
    }
}

impl Drop for LimbNumbers {
    fn drop(&mut self) {
        self.limbs.zeroize();
    }
}

/// The moduli of a group, for [`combine`].
#[derive(Clone, Copy)]
pub(super) struct Folding<'a> {
    pub(super) plan: LimbPlan,
    /// P in limbs.
    pub(super) p: &'a [Limb],
    /// `F - P` in limbs.
    pub(super) complements: &'a [Limb],
    /// The reciprocal of P.
    pub(super) reciprocals: &'a [Limb],
}

/// `out := lift P + sum of factor_i x_i` modulo F.
///
/// Requires limbs below `2^52`, and absolute values of the factors of at most `2^10` in sum. Ensures
/// limbs below `2^52`.
///
/// With `fold`, the numbers must be one block, and the sum, S, from 0 to `2^10 2^bits`. A multiple of P
/// is subtracted so that the result is below 2 P: q P, with `q = floor(t r / 2^52)` for
/// `t = floor(S / 2^e)` or one less, `r = floor(2^(52 + e) / P)`, and `2^e` the weight of bit 12 of
/// the highest limb. q is at most S/P, as `t <= S / 2^e` and `r <= 2^(52 + e) / P`. And
/// ```text
/// t r / 2^52 > (S / 2^e - 2) (2^(52 + e) / P - 1) / 2^52 > S / P - S / 2^(52 + e) - 2 2^e / P,
/// ```
/// where the second term is below `2^-6`, as `S <= 2^266` and `52 + e = 272`, and the third below
/// `2^-18`, as `P > 2^239`. So q is above `S/P - 1 - 2^-5`.
#[target_feature(enable = "avx512f,avx512ifma")]
pub(super) fn combine(
    terms: &[(i32, &LimbNumbers)],
    lift: u64,
    fold: bool,
    moduli: Folding<'_>,
    out: &mut [Limb],
) {
    debug_assert!(!fold || moduli.plan.folds());
    debug_assert!(terms.iter().all(|(_, x)| all_at_most(&x.limbs, LIMB_MASK)));
    debug_assert!({
        let factors = terms.iter().map(|(factor, _)| factor.unsigned_abs());
        factors.sum::<u32>() <= Builder::MAX_FACTOR
    });
    match moduli.plan.block {
        5 => combine_blocks::<5>(terms, lift, fold, moduli, out),
        4 => combine_blocks::<4>(terms, lift, fold, moduli, out),
        _ => combine_blocks::<3>(terms, lift, fold, moduli, out),
    }
}

/// [`combine`], by blocks of B limbs.
#[target_feature(enable = "avx512f,avx512ifma")]
fn combine_blocks<const B: usize>(
    terms: &[(i32, &LimbNumbers)],
    lift: u64,
    fold: bool,
    moduli: Folding<'_>,
    out: &mut [Limb],
) {
    let zero = _mm512_setzero_si512();
    let mask = splat(LIMB_MASK);
    let blocks = moduli.plan.limbs / B;
    let (out, _) = out.as_chunks_mut::<B>();
    let rows = |limbs: &[Limb], block: usize| -> [__m512i; B] {
        let limbs = &limbs[block * B..][..B];
        core::array::from_fn(|k| load(&limbs[k], 0))
    };
    // What is carried into a block: into its lowest limb, and what belongs above the block before.
    let (mut carry, mut high) = (zero, zero);
    for (block, out) in out.iter_mut().enumerate() {
        if block % blocks == 0 {
            (carry, high) = (zero, zero);
        }
        let mut columns = [zero; B];
        columns[0] = high;
        high = zero;
        for (factor, x) in terms {
            let x = rows(&x.limbs, block);
            add_multiple(&mut columns, &mut high, x, i64::from(*factor));
        }
        if lift > 0 {
            let p = rows(moduli.p, block);
            add_multiple(&mut columns, &mut high, p, lift.cast_signed());
        }
        if fold {
            // The sum exceeds F: what is above the highest limb counts, and fits its column.
            let above = _mm512_slli_epi64::<LIMB_BITS>(high);
            columns[B - 1] = _mm512_add_epi64(columns[B - 1], above);
            // Carries from further below change the estimate by less than 1.
            let below = _mm512_srai_epi64::<LIMB_BITS>(columns[B - 2]);
            let top = _mm512_sub_epi64(_mm512_add_epi64(columns[B - 1], below), splat(2));
            let estimate = _mm512_srli_epi64::<ESTIMATE_SHIFT>(_mm512_max_epi64(top, zero));
            let reciprocal = load(&moduli.reciprocals[block / blocks], 0);
            let q = _mm512_madd52hi_epu64(zero, estimate, reciprocal);
            let complement = rows(moduli.complements, block);
            for k in 0..B {
                columns[k] = _mm512_madd52lo_epu64(columns[k], q, complement[k]);
                if k + 1 < B {
                    columns[k + 1] = _mm512_madd52hi_epu64(columns[k + 1], q, complement[k]);
                }
            }
        }
        for (out, &column) in out.iter_mut().zip(&columns) {
            let sum = _mm512_add_epi64(column, carry);
            carry = _mm512_srai_epi64::<LIMB_BITS>(sum);
            store(out, 0, _mm512_and_si512(sum, mask));
        }
    }
}

/// Adds a multiple of some limbs to columns, and what belongs above these to `high`.
#[inline]
#[target_feature(enable = "avx512f,avx512ifma")]
fn add_multiple<const B: usize>(
    columns: &mut [__m512i; B],
    high: &mut __m512i,
    x: [__m512i; B],
    factor: i64,
) {
    let size = factor.unsigned_abs();
    if size.is_power_of_two() && size <= 1 << 10 {
        let shift = _mm_cvtsi32_si128(size.trailing_zeros().cast_signed());
        for (column, x) in columns.iter_mut().zip(x) {
            let multiple = if size == 1 {
                x
            } else {
                _mm512_sll_epi64(x, shift)
            };
            *column = if factor < 0 {
                _mm512_sub_epi64(*column, multiple)
            } else {
                _mm512_add_epi64(*column, multiple)
            };
        }
        return;
    }
    let (size, zero) = (splat(size), _mm512_setzero_si512());
    for k in 0..B {
        let above = if k + 1 < B {
            &mut columns[k + 1]
        } else {
            &mut *high
        };
        if factor < 0 {
            let product = _mm512_madd52hi_epu64(zero, x[k], size);
            *above = _mm512_sub_epi64(*above, product);
            let product = _mm512_madd52lo_epu64(zero, x[k], size);
            columns[k] = _mm512_sub_epi64(columns[k], product);
        } else {
            *above = _mm512_madd52hi_epu64(*above, x[k], size);
            columns[k] = _mm512_madd52lo_epu64(columns[k], x[k], size);
        }
    }
}

/// All ones in the lanes where x = y, and zeros in the others. Both are below `2^63`.
#[inline]
#[target_feature(enable = "avx512f")]
fn equal(x: __m512i, y: __m512i) -> __m512i {
    let difference = _mm512_xor_si512(x, y);
    _mm512_srai_epi64::<63>(_mm512_sub_epi64(difference, splat(1)))
}

/// y where the mask has ones, x where it has zeros.
///
/// By logic on registers: of a move under a mask from or to memory, the compiler makes a load or a store
/// under that mask, and whether a later load can take its value from such a store depends on the mask.
#[inline]
#[target_feature(enable = "avx512f")]
fn blend(mask: __m512i, x: __m512i, y: __m512i) -> __m512i {
    _mm512_ternarylogic_epi64::<0b1100_1010>(mask, y, x)
}

/// `x := y` in the lanes whose bit is 1. Both are read and x is written in every lane.
#[target_feature(enable = "avx512f")]
pub(super) fn choose(bits: &Limb, x: &mut [Limb], y: &[Limb]) {
    let mask = equal(load(bits, 0), splat(1));
    for (x, y) in x.iter_mut().zip(y) {
        store(x, 0, blend(mask, load(x, 0), load(y, 0)));
    }
}

/// `out :=` each lane's entry of the table. All entries are read.
#[target_feature(enable = "avx512f")]
pub(super) fn select(table: &LaneTable<u64, WIDTH>, indices: &Limb, out: &mut [Limb]) {
    /// Entries whose masks are in registers at a time.
    const AT_ONCE: usize = 16;
    /// `a | b & c` as a truth table.
    const OR_AND: i32 = 0b1111_1000;
    let zero = _mm512_setzero_si512();
    let indices = load(indices, 0);
    for first in (0..table.entries()).step_by(AT_ONCE) {
        let masks: [__m512i; AT_ONCE] =
            core::array::from_fn(|entry| equal(indices, splat((first + entry) as u64)));
        for (out, entries) in out.iter_mut().zip(table.channels()) {
            let entries = &entries[first..];
            let mut selected = if first == 0 { zero } else { load(out, 0) };
            let mut add = |mask, entry| {
                selected = _mm512_ternarylogic_epi64::<OR_AND>(selected, mask, load(entry, 0));
            };
            if let Some(entries) = entries.first_chunk::<AT_ONCE>() {
                // A loop of this length keeps the masks in registers.
                for k in 0..AT_ONCE {
                    add(masks[k], &entries[k]);
                }
            } else {
                for (entry, mask) in entries.iter().zip(masks) {
                    add(mask, entry);
                }
            }
            store(out, 0, selected);
        }
    }
}

/// `out :=` in each lane the constant that it names, from the `entries` that follow constant
/// `first`. Lanes that name none stay. All of these constants are read.
///
/// Sixteen at a time fill two registers for each limb, out of which each lane picks one.
#[target_feature(enable = "avx512f")]
pub(super) fn select_shared(
    constants: &LimbConstants,
    (first, entries): (usize, usize),
    indices: &Limb,
    out: &mut [Limb],
) {
    const PICKED: usize = LimbConstants::READ_AHEAD;
    let indices = load(indices, 0);
    let part = _mm512_srli_epi64::<{ PICKED.ilog2() }>(indices);
    for (k, out) in out.iter_mut().enumerate() {
        let limbs = constants.limbs_from(k, first);
        let mut selected = load(out, 0);
        for (number, sixteen) in (0..)
            .zip(limbs.chunks_exact(PICKED))
            .take(entries.div_ceil(PICKED))
        {
            let [low, high] = [&sixteen[..WIDTH], &sixteen[WIDTH..]].map(|lanes| load_lanes(lanes));
            let picked = _mm512_permutex2var_epi64(low, indices, high);
            selected = blend(equal(part, splat(number)), selected, picked);
        }
        store(out, 0, selected);
    }
}
