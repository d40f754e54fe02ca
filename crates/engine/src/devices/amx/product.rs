//! RNS Montgomery multiplication of a group on tiles.

use core::arch::x86_64::{
    __m512i, _mm512_add_epi16, _mm512_add_epi32, _mm512_and_si512, _mm512_cmplt_epu16_mask,
    _mm512_mask_sub_epi16, _mm512_min_epu16, _mm512_set1_epi32, _mm512_slli_epi32,
    _mm512_srai_epi32, _mm512_sub_epi16,
};

use zeroize::{Zeroize, Zeroizing};

use super::{
    cox,
    extension::{BLOCK_PAIRS, Extras, HALF, Pair, Workspace, extend, extend_single, row_of_single},
    matrix::TileMatrix,
    plan::{TileBase, TilePlan},
    tile::{Accumulators, Sums, Tiles},
    vector::{ChannelPair, Wide, add_pair, load, splat, store},
};
use crate::devices::row::Row;

/// A group's numbers: for each pair of channels, base A's and then base B's, a row for each side. In
/// channel `a_i` a residue of X is stored as itself, in `b_j` as `|X g_j|`; in main channels as
/// any 16-bit representative.
#[derive(Clone, Default)]
pub(super) struct TileNumbers<const S: usize> {
    pub(super) pairs: Vec<Pair<S>>,
}

impl<const S: usize> TileNumbers<S> {
    pub(super) fn zero(plan: &TilePlan) -> Self {
        Self {
            pairs: vec![[Row([0; 32]); S]; plan.channels()],
        }
    }
}

impl<const S: usize> Drop for TileNumbers<S> {
    fn drop(&mut self) {
        self.pairs.zeroize();
    }
}

/// What a product writes to on its way.
pub(super) struct TileScratch<const S: usize> {
    workspace: Box<Workspace>,
    /// The sums of a last tile.
    last: Box<Accumulators>,
    /// The digits of the quotient.
    quotient: Zeroizing<Vec<Pair<S>>>,
    /// The extras of the second extension: tail residues in B, and the Cox quotient h.
    pub(super) extras: Zeroizing<Vec<Pair<S>>>,
}

impl<const S: usize> TileScratch<S> {
    pub(super) fn new(plan: &TilePlan) -> Self {
        let rows = |pairs| Zeroizing::new(vec![[Row([0; 32]); S]; pairs]);
        Self {
            workspace: Workspace::new(),
            last: Box::new([Sums::ZERO; 4]),
            quotient: rows(plan.channels() / 2),
            extras: rows(plan.tails / 2 + 1),
        }
    }
}

/// How the constants of the moduli come in.
#[derive(Clone, Copy)]
pub(super) enum GroupConstants<'a, const S: usize> {
    /// Every number has the modulus that this matrix is for
    /// ([`TileConstants::merged`](super::constants::TileConstants::merged)).
    Merged(&'a TileMatrix),
    /// A number's constants in its lane: per pair of channels of A the quotient's constants, and
    /// per pair of channels of B `|P g_j^2|`.
    Lanes {
        quotient: &'a [Pair<S>],
        scaled_p: &'a [Pair<S>],
    },
}

/// `x := x y A^-1` modulo P for each number, or `x^2 A^-1` if there is no y.
///
/// Operands are integers within `(-4 c P, 4 c P)`, or one of them is below `2^bits` and the other
/// within that range or below P; the result is within `(-3 c P, 3 c P)`. Leaves the extras of the
/// second extension in the scratch space.
#[target_feature(enable = "avx512f,avx512bw,avx512vnni")]
pub(super) fn montgomery<const S: usize>(
    tiles: &Tiles,
    plan: &TilePlan,
    constants: GroupConstants<'_, S>,
    x: &mut TileNumbers<S>,
    y: Option<&TileNumbers<S>>,
    scratch: &mut TileScratch<S>,
) {
    // Extras are the tails, and in the second extension the Cox quotient.
    if plan.tails == 2 {
        first_half::<1, S>(tiles, plan, constants, x, y, scratch);
        second_half::<2, S>(tiles, plan, x, scratch);
    } else {
        first_half::<2, S>(tiles, plan, constants, x, y, scratch);
        second_half::<3, S>(tiles, plan, x, scratch);
    }
}

/// From the operands to the product in base B.
#[target_feature(enable = "avx512f,avx512bw,avx512vnni")]
fn first_half<const E: usize, const S: usize>(
    tiles: &Tiles,
    plan: &TilePlan,
    constants: GroupConstants<'_, S>,
    x: &mut TileNumbers<S>,
    y: Option<&TileNumbers<S>>,
    scratch: &mut TileScratch<S>,
) {
    let pairs = plan.channels() / 2;
    let (x_a, x_b) = x.pairs.split_at_mut(pairs);
    let (y_a, y_b) = match y {
        Some(y) => {
            let (y_a, y_b) = y.pairs.split_at(pairs);
            (Some(y_a), Some(y_b))
        }
        None => (None, None),
    };
    match constants {
        GroupConstants::Merged(matrix) => {
            quotients::<false, S>(plan, x_a, y_a, &[], &mut scratch.quotient);
            products::<E, false, S>(tiles, plan, matrix, x_b, y_b, &[], scratch);
        }
        GroupConstants::Lanes { quotient, scaled_p } => {
            quotients::<true, S>(plan, x_a, y_a, quotient, &mut scratch.quotient);
            products::<E, true, S>(tiles, plan, &plan.a_to_b, x_b, y_b, scaled_p, scratch);
        }
    }
}

/// In base A `v_i = redc(x_i y_i)`, and with constants in lanes the quotient
/// `u_i = redc(v_i c_i)`.
#[inline]
#[target_feature(enable = "avx512f,avx512bw")]
fn quotients<const LANES: bool, const S: usize>(
    plan: &TilePlan,
    x: &[Pair<S>],
    y: Option<&[Pair<S>]>,
    constants: &[Pair<S>],
    out: &mut [Pair<S>],
) {
    let y = y.unwrap_or(x);
    for (pair, ((x, y), out)) in x.iter().zip(y).zip(out).enumerate() {
        let channels = ChannelPair::new(plan.a.pairs[pair]);
        for side in 0..S {
            let mut v = channels.multiply(load(&x[side]), load(&y[side]));
            if LANES {
                v = channels.multiply(v, load(&constants[pair][side]));
            }
            store(&mut out[side], v);
        }
    }
}

/// In base B `r_j = redc(x_j y_j + T_j)`, or with constants in lanes
/// `redc(x_j y_j + t_j |P g_j^2|)`, `t_j = redc(T_j)`, in place of x.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vnni")]
fn products<const E: usize, const LANES: bool, const S: usize>(
    tiles: &Tiles,
    plan: &TilePlan,
    matrix: &TileMatrix,
    x: &mut [Pair<S>],
    y: Option<&[Pair<S>]>,
    constants: &[Pair<S>],
    scratch: &mut TileScratch<S>,
) {
    let mains = plan.mains() / 2;
    let (digits, tails) = scratch.quotient.split_at(mains);
    let extras = Extras::<E, S>::new(matrix, tails);
    let last = &mut scratch.last;
    for half in 0..S / HALF {
        let offsets = &matrix.last_offsets;
        extend_single(tiles, &matrix.last, offsets, digits, half, last);
        for pair in 0..plan.tails / 2 {
            let index = mains + pair;
            let channels = ChannelPair::new(plan.b.pairs[index]);
            for side in 0..HALF {
                let mut sum = extras.pair_of_tail(last, plan.tails, half, pair, side);
                let side = half * HALF + side;
                if LANES {
                    sum = Wide::product(channels.redc(sum), load(&constants[index][side]));
                }
                let x_value = load(&x[index][side]);
                let y_value = y.map_or(x_value, |y| load(&y[index][side]));
                let product = channels.multiply_add(x_value, y_value, sum);
                store(&mut x[index][side], product);
            }
        }
    }
    extend(
        tiles,
        matrix,
        digits,
        &mut scratch.workspace,
        |block, half, sums| {
            let weights = extras.weights(block);
            let first = block * BLOCK_PAIRS;
            let range = first..first + BLOCK_PAIRS;
            let constants = if LANES {
                &constants[range.clone()]
            } else {
                &[]
            };
            let y = y.map(|y| &y[range.clone()]);
            let channels = &plan.b.pairs[range.clone()];
            for (pair, x) in x[range].iter_mut().enumerate() {
                let channels = ChannelPair::new(channels[pair]);
                for side in 0..HALF {
                    let mut sum = extras.pair_of_block(sums, weights, [block, half], pair, side);
                    let side = half * HALF + side;
                    if LANES {
                        sum = Wide::product(channels.redc(sum), load(&constants[pair][side]));
                    }
                    let x_value = load(&x[side]);
                    let y_value = y.map_or(x_value, |y| load(&y[pair][side]));
                    store(&mut x[side], channels.multiply_add(x_value, y_value, sum));
                }
            }
        },
    );
}

/// From the product in base B to the product in base A.
#[target_feature(enable = "avx512f,avx512bw,avx512vnni")]
pub(super) fn second_half<const E: usize, const S: usize>(
    tiles: &Tiles,
    plan: &TilePlan,
    x: &mut TileNumbers<S>,
    scratch: &mut TileScratch<S>,
) {
    let (x_a, x_b) = x.pairs.split_at_mut(plan.channels() / 2);
    let matrix = &plan.b_to_a;
    let mains = plan.mains() / 2;
    let (digits, tails) = x_b.split_at(mains);
    let last = &mut scratch.last;

    // The Cox quotient comes first: it is an extra of every other sum.
    scratch.extras[..tails.len()].copy_from_slice(tails);
    for half in 0..S / HALF {
        let offsets = &matrix.last_offsets;
        extend_single(tiles, &matrix.last, offsets, digits, half, last);
        for side in 0..HALF {
            let h = cox_quotient(plan, last, tails, half, side);
            store(&mut scratch.extras[tails.len()][half * HALF + side], h);
        }
        let extras = Extras::<E, S>::new(matrix, &scratch.extras);
        for pair in 0..tails.len() {
            let channels = ChannelPair::new(plan.a.pairs[mains + pair]);
            for side in 0..HALF {
                let sum = extras.pair_of_tail(last, plan.tails, half, pair, side);
                store(
                    &mut x_a[mains + pair][half * HALF + side],
                    channels.redc(sum),
                );
            }
        }
    }
    let extras = Extras::<E, S>::new(matrix, &scratch.extras);
    extend(
        tiles,
        matrix,
        digits,
        &mut scratch.workspace,
        |block, half, sums| {
            let weights = extras.weights(block);
            let first = block * BLOCK_PAIRS;
            let range = first..first + BLOCK_PAIRS;
            let channels = &plan.a.pairs[range.clone()];
            for (pair, x) in x_a[range].iter_mut().enumerate() {
                let channels = ChannelPair::new(channels[pair]);
                for side in 0..HALF {
                    let sum = extras.pair_of_block(sums, weights, [block, half], pair, side);
                    store(&mut x[half * HALF + side], channels.redc(sum));
                }
            }
        },
    );
}

/// h, in the low half of each number's word: the integer nearest to the Cox sum.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vnni")]
fn cox_quotient<const S: usize>(
    plan: &TilePlan,
    last: &Accumulators,
    tail_residues: &[Pair<S>],
    half: usize,
    side: usize,
) -> __m512i {
    let sum = cox_sum(plan, last, tail_residues, half, side);
    debug_assert!(within_spread(plan, sum), "a product exceeds its bound");
    let one_half = _mm512_set1_epi32(1 << (cox::SUM_BITS - 1));
    let h = _mm512_srai_epi32::<{ cox::SUM_BITS }>(_mm512_add_epi32(sum, one_half));
    _mm512_and_si512(h, splat(0xffff))
}

/// The sum of the Cox weights, `2^-8 C_0 + C_1 + 2^8 C_2` plus the tail residues' share, in units of
/// `2^-15`.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vnni")]
pub(super) fn cox_sum<const S: usize>(
    plan: &TilePlan,
    last: &Accumulators,
    tail_residues: &[Pair<S>],
    half: usize,
    side: usize,
) -> __m512i {
    let row = 2 * plan.tails;
    let low = _mm512_srai_epi32::<8>(row_of_single(last, row, side));
    let middle = row_of_single(last, row + 1, side);
    let high = _mm512_slli_epi32::<8>(row_of_single(last, row + 2, side));
    let mut sum = _mm512_add_epi32(_mm512_add_epi32(low, middle), high);
    for (rows, &weights) in tail_residues.iter().zip(&plan.cox_tails) {
        sum = add_pair(sum, load(&rows[half * HALF + side]), weights);
    }
    sum
}

/// Whether every Cox sum is as near to a whole number as the integers' bound makes it.
#[target_feature(enable = "avx512f")]
fn within_spread(plan: &TilePlan, sum: __m512i) -> bool {
    let mut lanes = Row([0i32; 16]);
    store(&mut lanes, sum);
    lanes.iter().all(|&sum| {
        let unit = 1 << cox::SUM_BITS;
        let distance = (sum + unit / 2).rem_euclid(unit) - unit / 2;
        distance.unsigned_abs() <= plan.cox_spread
    })
}

/// The extras of a number in the range of a product, for its way out: tail residues in B, and the
/// Cox quotient h, which every second extension leaves for its own result.
#[target_feature(enable = "avx512f,avx512bw,avx512vnni")]
pub(super) fn extras<const S: usize>(
    tiles: &Tiles,
    plan: &TilePlan,
    x: &TileNumbers<S>,
    scratch: &mut TileScratch<S>,
) {
    let matrix = &plan.b_to_a;
    let (digits, tails) = x.pairs[plan.channels() / 2..].split_at(plan.mains() / 2);
    let last = &mut scratch.last;
    scratch.extras[..tails.len()].copy_from_slice(tails);
    for half in 0..S / HALF {
        let offsets = &matrix.last_offsets;
        extend_single(tiles, &matrix.last, offsets, digits, half, last);
        for side in 0..HALF {
            let h = cox_quotient(plan, last, tails, half, side);
            store(&mut scratch.extras[tails.len()][half * HALF + side], h);
        }
    }
}

/// All pairs of channels, base A's and then base B's, with a constant for each pair of channels.
fn pairs_with<'a>(
    plan: &'a TilePlan,
    constants: fn(&TileBase) -> &[u32],
) -> impl Iterator<Item = ([u32; 2], u32)> + 'a {
    [&plan.a, &plan.b].into_iter().flat_map(move |base| {
        let constants = constants(base).iter();
        base.pairs.iter().copied().zip(constants.copied())
    })
}

/// `x := x + y`: residues of any size that is stored give one of a size that is stored.
#[target_feature(enable = "avx512f,avx512bw")]
pub(super) fn add<const S: usize>(plan: &TilePlan, x: &mut TileNumbers<S>, y: &TileNumbers<S>) {
    let channels = plan.a.pairs.iter().chain(&plan.b.pairs);
    for ((x, y), &[m, _]) in x.pairs.iter_mut().zip(&y.pairs).zip(channels) {
        let m = splat(m);
        for side in 0..S {
            let sum = add_residues(load(&x[side]), load(&y[side]), m);
            store(&mut x[side], sum);
        }
    }
}

/// `x := x - y`.
#[target_feature(enable = "avx512f,avx512bw")]
pub(super) fn subtract<const S: usize>(
    plan: &TilePlan,
    x: &mut TileNumbers<S>,
    y: &TileNumbers<S>,
) {
    let channels = plan.a.pairs.iter().chain(&plan.b.pairs);
    for ((x, y), &[m, _]) in x.pairs.iter_mut().zip(&y.pairs).zip(channels) {
        let m = splat(m);
        for side in 0..S {
            let negative = negate_residues(load(&y[side]), m);
            let difference = add_residues(load(&x[side]), negative, m);
            store(&mut x[side], difference);
        }
    }
}

/// `x := factor x` for a factor below `2^10`, and then `-x` if asked for.
#[target_feature(enable = "avx512f,avx512bw")]
pub(super) fn scale<const S: usize>(
    plan: &TilePlan,
    x: &mut TileNumbers<S>,
    factor: u32,
    negative: bool,
) {
    let factor = splat(factor | factor << 16);
    let channels = pairs_with(plan, |base| &base.radix_squared);
    for (x, (constants, square)) in x.pairs.iter_mut().zip(channels) {
        let (channels, m) = (ChannelPair::new(constants), splat(constants[0]));
        let square = splat(square);
        for side in 0..S {
            let product = channels.multiply(load(&x[side]), factor);
            let product = channels.multiply(product, square);
            let residue = if negative {
                negate_residues(product, m)
            } else {
                product
            };
            store(&mut x[side], residue);
        }
    }
}

/// `out := sum of +- x y R^-1` in every channel by itself.
#[target_feature(enable = "avx512f,avx512bw")]
pub(super) fn dot<const S: usize>(
    plan: &TilePlan,
    terms: &[(bool, &TileNumbers<S>, &TileNumbers<S>)],
    out: &mut TileNumbers<S>,
) {
    let channels = plan.a.pairs.iter().chain(&plan.b.pairs);
    for (pair, (out, &constants)) in out.pairs.iter_mut().zip(channels).enumerate() {
        let (channels, m) = (ChannelPair::new(constants), splat(constants[0]));
        for side in 0..S {
            let mut sum = splat(0);
            for (negative, x, y) in terms {
                let (x, y) = (load(&x.pairs[pair][side]), load(&y.pairs[pair][side]));
                let product = channels.multiply(x, y);
                let product = if *negative {
                    negate_residues(product, m)
                } else {
                    product
                };
                sum = add_residues(sum, product, m);
            }
            store(&mut out[side], sum);
        }
    }
}

/// `|R|` in every channel: what takes the result of [`dot`] back.
pub(super) fn radix<const S: usize>(plan: &TilePlan) -> TileNumbers<S> {
    let constants = pairs_with(plan, |base| &base.radix);
    let pairs = constants.map(|(_, radix)| {
        let pair = [radix as u16, (radix >> 16) as u16];
        [Row(core::array::from_fn(|lane| pair[lane % 2])); S]
    });
    TileNumbers {
        pairs: pairs.collect(),
    }
}

/// `x + y` of two stored residues: each is brought below `2^16 - m` or left as it is, so that the
/// sum can exceed `2^16` once.
#[inline]
#[target_feature(enable = "avx512f,avx512bw")]
fn add_residues(x: __m512i, y: __m512i, m: __m512i) -> __m512i {
    let (x, y) = (below(x, m), below(y, m));
    let sum = _mm512_add_epi16(x, y);
    let exceeds = _mm512_cmplt_epu16_mask(sum, x);
    let sum = _mm512_mask_sub_epi16(sum, exceeds, sum, m);
    below(sum, m)
}

/// `m - x` for a stored residue, which is brought below m: below `2 m` in a main channel, below
/// `3 m` in a tail channel.
#[inline]
#[target_feature(enable = "avx512f,avx512bw")]
fn negate_residues(x: __m512i, m: __m512i) -> __m512i {
    _mm512_sub_epi16(m, below(below(x, m), m))
}

/// `x - m` where that is not negative, else x.
#[inline]
#[target_feature(enable = "avx512f,avx512bw")]
fn below(x: __m512i, m: __m512i) -> __m512i {
    _mm512_min_epu16(x, _mm512_sub_epi16(x, m))
}
