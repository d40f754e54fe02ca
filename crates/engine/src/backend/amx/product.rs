//! RNS Montgomery multiplication of 32 numbers on tiles.

use core::arch::x86_64::{
    _mm512_add_epi16, _mm512_add_epi32, _mm512_and_si512, _mm512_cmplt_epu16_mask,
    _mm512_mask_sub_epi16, _mm512_min_epu16, _mm512_set1_epi32, _mm512_slli_epi32,
    _mm512_srai_epi32, _mm512_sub_epi16,
};

use zeroize::{Zeroize, Zeroizing};

use super::{
    cox,
    extension::{
        BLOCK_PAIRS, PairRow, SIDES, Workspace, extend, extend_single, pair_of_block, pair_of_tail,
        row_of_single,
    },
    matrix::TileMatrix,
    plan::TilePlan,
    tile::{Accumulators, Sums, Tiles},
    vector::{Channels, Wide, add_pair, load, splat, store},
};
use crate::backend::row::Row;

/// 32 numbers: for each pair of channels, base A's and then base B's, a row for each side. In
/// channel `a_i` a residue of X is stored as itself, in `b_j` as `|X beta_j|`; in main channels as
/// any 16-bit representative.
#[derive(Clone)]
pub(super) struct Numbers {
    pub(super) pairs: Vec<[PairRow; SIDES]>,
}

impl Numbers {
    pub(super) fn zero(plan: &TilePlan) -> Self {
        Self {
            pairs: vec![[Row([0; 32]); SIDES]; plan.channels()],
        }
    }
}

impl Drop for Numbers {
    fn drop(&mut self) {
        self.pairs.zeroize();
    }
}

/// What a product writes to on its way.
pub(super) struct Scratch {
    workspace: Box<Workspace>,
    /// The sums of a last tile.
    last: Box<Accumulators>,
    /// The digits of the quotient.
    quotient: Zeroizing<Vec<[PairRow; SIDES]>>,
    /// The extras of the second extension: tail residues in B, and the Cox quotient h.
    pub(super) extras: Zeroizing<Vec<[PairRow; SIDES]>>,
}

impl Scratch {
    pub(super) fn new(plan: &TilePlan) -> Self {
        let rows = |pairs| Zeroizing::new(vec![[Row([0; 32]); SIDES]; pairs]);
        Self {
            workspace: Workspace::new(),
            last: Box::new([Sums::ZERO; 4]),
            quotient: rows(plan.channels() / 2),
            extras: rows(plan.tails / 2 + 1),
        }
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        for sums in self.last.iter_mut() {
            sums.wipe();
        }
    }
}

/// How the constants of the moduli come in.
#[derive(Clone, Copy)]
pub(super) enum Constants<'a> {
    /// Every number has the modulus that this matrix is for
    /// ([`TileModulus::merged`](super::TileModulus::merged)).
    Merged(&'a TileMatrix),
    /// A number's constants in its lane: per pair of channels of A the quotient's constants, and
    /// per pair of channels of B `|P beta_j^2|`.
    Lanes {
        quotient: &'a [[PairRow; SIDES]],
        scaled_p: &'a [[PairRow; SIDES]],
    },
}

/// `x := x y A^-1` modulo P for each number, or `x^2 A^-1` if there is no y.
///
/// Operands are integers within `(-4 c P, 4 c P)`, or y is below P and x below `2^bits`; the
/// result is within `(-3 c P, 3 c P)`. Leaves the extras of the second extension in the scratch
/// space.
#[target_feature(enable = "avx512f,avx512bw,avx512vnni")]
pub(super) fn montgomery(
    tiles: &Tiles,
    plan: &TilePlan,
    constants: Constants<'_>,
    x: &mut Numbers,
    y: Option<&Numbers>,
    scratch: &mut Scratch,
) {
    match (constants, y) {
        (Constants::Merged(_), Some(y)) => {
            first_half::<true, false>(tiles, plan, constants, x, &y.pairs, scratch);
        }
        (Constants::Merged(_), None) => {
            first_half::<true, true>(tiles, plan, constants, x, &[], scratch);
        }
        (Constants::Lanes { .. }, Some(y)) => {
            first_half::<false, false>(tiles, plan, constants, x, &y.pairs, scratch);
        }
        (Constants::Lanes { .. }, None) => {
            first_half::<false, true>(tiles, plan, constants, x, &[], scratch);
        }
    }
    second_half(tiles, plan, x, scratch);
}

/// From the operands to the product in base B.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vnni")]
fn first_half<const MERGED: bool, const SQUARE: bool>(
    tiles: &Tiles,
    plan: &TilePlan,
    constants: Constants<'_>,
    x: &mut Numbers,
    y: &[[PairRow; SIDES]],
    scratch: &mut Scratch,
) {
    let pairs = plan.channels() / 2;
    let (x_a, x_b) = x.pairs.split_at_mut(pairs);
    let (matrix, quotient, scaled_p) = match constants {
        Constants::Merged(matrix) => (matrix, &[][..], &[][..]),
        Constants::Lanes { quotient, scaled_p } => (&plan.a_to_b, quotient, scaled_p),
    };

    // v_i = redc(x_i y_i), and without merged constants the quotient u_i = redc(v_i c_i).
    for (pair, &constants) in plan.a.pairs.iter().enumerate() {
        let channels = Channels::new(constants);
        for side in 0..SIDES {
            let x = load(&x_a[pair][side]);
            let y = if SQUARE { x } else { load(&y[pair][side]) };
            let mut v = channels.multiply(x, y);
            if !MERGED {
                v = channels.multiply(v, load(&quotient[pair][side]));
            }
            store(&mut scratch.quotient[pair][side], v);
        }
    }

    // r_j = redc(x_j y_j + T_j), or redc(x_j y_j + t_j |P beta_j^2|) with t_j = redc(T_j).
    let mut finish = |pair: usize, side: usize, sum: Wide| {
        let channels = Channels::new(plan.b.pairs[pair]);
        let x = load(&x_b[pair][side]);
        let y = if SQUARE {
            x
        } else {
            load(&y[pairs + pair][side])
        };
        let sum = if MERGED {
            sum
        } else {
            Wide::product(channels.redc(sum), load(&scaled_p[pair][side]))
        };
        store(&mut x_b[pair][side], channels.multiply_add(x, y, sum));
    };

    let mains = plan.mains() / 2;
    let (digits, extras) = scratch.quotient.split_at(mains);
    extend(
        tiles,
        matrix,
        digits.as_flattened(),
        &mut scratch.workspace,
        |block, sums| {
            for pair in 0..BLOCK_PAIRS {
                for side in 0..SIDES {
                    let first = block * 2 * BLOCK_PAIRS;
                    let sum = pair_of_block(matrix, sums, first, pair, side, extras);
                    finish(block * BLOCK_PAIRS + pair, side, sum);
                }
            }
        },
    );
    let digits = digits.as_flattened();
    let last = &mut scratch.last;
    extend_single(tiles, &matrix.last, &matrix.last_offsets, digits, last);
    for pair in 0..plan.tails / 2 {
        for side in 0..SIDES {
            let sum = pair_of_tail(matrix, last, plan.tails, pair, side, extras);
            finish(mains + pair, side, sum);
        }
    }
}

/// From the product in base B to the product in base A.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vnni")]
fn second_half(tiles: &Tiles, plan: &TilePlan, x: &mut Numbers, scratch: &mut Scratch) {
    let pairs = plan.channels() / 2;
    let (x_a, x_b) = x.pairs.split_at_mut(pairs);
    let matrix = &plan.b_to_a;
    let mains = plan.mains() / 2;
    let (digits, tail_residues) = x_b.split_at(mains);
    let digits = digits.as_flattened();
    let last = &mut scratch.last;

    // The Cox quotient is an extra of every other sum.
    extend_single(tiles, &matrix.last, &matrix.last_offsets, digits, last);
    let (tail_extras, h) = scratch.extras.split_at_mut(plan.tails / 2);
    tail_extras.copy_from_slice(tail_residues);
    for side in 0..SIDES {
        store(
            &mut h[0][side],
            cox_quotient(plan, last, tail_residues, side),
        );
    }
    let extras = &scratch.extras[..];
    for pair in 0..plan.tails / 2 {
        for side in 0..SIDES {
            let channels = Channels::new(plan.a.pairs[mains + pair]);
            let sum = pair_of_tail(matrix, last, plan.tails, pair, side, extras);
            store(&mut x_a[mains + pair][side], channels.redc(sum));
        }
    }
    extend(
        tiles,
        matrix,
        digits,
        &mut scratch.workspace,
        |block, sums| {
            for pair in 0..BLOCK_PAIRS {
                let channels = Channels::new(plan.a.pairs[block * BLOCK_PAIRS + pair]);
                for side in 0..SIDES {
                    let first = block * 2 * BLOCK_PAIRS;
                    let sum = pair_of_block(matrix, sums, first, pair, side, extras);
                    store(
                        &mut x_a[block * BLOCK_PAIRS + pair][side],
                        channels.redc(sum),
                    );
                }
            }
        },
    );
}

/// h, in the low half of each number's word: the integer nearest to the sum of the Cox weights,
/// `2^-8 C_0 + C_1 + 2^8 C_2` plus the tail residues' share, in units of `2^-15`.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vnni")]
fn cox_quotient(
    plan: &TilePlan,
    last: &Accumulators,
    tail_residues: &[[PairRow; SIDES]],
    side: usize,
) -> core::arch::x86_64::__m512i {
    let row = 2 * plan.tails;
    let low = _mm512_srai_epi32::<8>(row_of_single(last, row, side));
    let middle = row_of_single(last, row + 1, side);
    let high = _mm512_slli_epi32::<8>(row_of_single(last, row + 2, side));
    let mut sum = _mm512_add_epi32(_mm512_add_epi32(low, middle), high);
    for (rows, &weights) in tail_residues.iter().zip(&plan.cox_tails) {
        sum = add_pair(sum, load(&rows[side]), weights);
    }
    debug_assert!(within_spread(plan, sum), "a product exceeds its bound");
    let half = _mm512_set1_epi32(1 << (cox::SUM_BITS - 1));
    let h = _mm512_srai_epi32::<{ cox::SUM_BITS }>(_mm512_add_epi32(sum, half));
    _mm512_and_si512(h, splat(0xffff))
}

/// Whether every Cox sum is as near to a whole number as the integers' bound makes it.
#[target_feature(enable = "avx512f")]
fn within_spread(plan: &TilePlan, sum: core::arch::x86_64::__m512i) -> bool {
    let mut lanes = Row([0i32; 16]);
    store(&mut lanes, sum);
    lanes.iter().all(|&sum| {
        let unit = 1 << cox::SUM_BITS;
        let distance = (sum + unit / 2).rem_euclid(unit) - unit / 2;
        distance.unsigned_abs() <= plan.cox_spread
    })
}

/// `x := x + y` for two products' residues: each is brought below `2^16 - m` or left as it is, so
/// that the sum can exceed `2^16` once.
#[target_feature(enable = "avx512f,avx512bw")]
pub(super) fn add(plan: &TilePlan, x: &mut Numbers, y: &Numbers) {
    let channels = plan.a.pairs.iter().chain(&plan.b.pairs);
    for ((x, y), &[m, _]) in x.pairs.iter_mut().zip(&y.pairs).zip(channels) {
        let m = splat(m);
        for side in 0..SIDES {
            let x_reduced = below(load(&x[side]), m);
            let y_reduced = below(load(&y[side]), m);
            let sum = _mm512_add_epi16(x_reduced, y_reduced);
            let exceeds = _mm512_cmplt_epu16_mask(sum, x_reduced);
            let sum = _mm512_mask_sub_epi16(sum, exceeds, sum, m);
            store(&mut x[side], below(sum, m));
        }
    }
}

/// `x - m` where that is not negative, else x.
#[inline]
#[target_feature(enable = "avx512f,avx512bw")]
fn below(
    x: core::arch::x86_64::__m512i,
    m: core::arch::x86_64::__m512i,
) -> core::arch::x86_64::__m512i {
    _mm512_min_epu16(x, _mm512_sub_epi16(x, m))
}
