//! RNS Montgomery multiplication of a group on tiles, linear operations, and sums of products.
//!
//! *Stored* residues are any 16-bit values in main channels, and at most
//! [`TAIL_MOST`](super::plan::TAIL_MOST) in tail channels. All operations require stored residues
//! and ensure them for their results.

use core::arch::x86_64::{
    __m512i, _mm512_add_epi16, _mm512_add_epi32, _mm512_and_si512, _mm512_cmplt_epu16_mask,
    _mm512_mask_sub_epi16, _mm512_min_epu16, _mm512_set1_epi32, _mm512_slli_epi32,
    _mm512_srai_epi32, _mm512_sub_epi16,
};

use zeroize::{Zeroize, Zeroizing};

use super::{
    cox,
    extension::{
        BLOCK_PAIRS, Extras, HALF, ResiduePair, Workspace, extend, extend_single, load_half,
        single_row, store_half,
    },
    matrix::TileMatrix,
    plan::{TileBase, TilePlan},
    tile::{Accumulators, Sums, Tiles},
    vector::{ChannelPair, SplitSum, add_pair, load, splat, store},
};
use crate::devices::row::Row;

/// The numbers of a group: for each pair of channels of base A, then of base B, a row per side.
/// Wiped on drop.
///
/// A residue of X is stored as `|X|` in channel `a_i`, and as `|X g_j|` in channel `b_j`
/// ([`TilePlan::storage_factor`]). In a main channel it may be any 16-bit representative, and in a
/// tail channel any of at most [`TAIL_MOST`](super::plan::TAIL_MOST).
#[derive(Clone, Default)]
pub(super) struct TileNumbers<const S: usize> {
    pub(super) pairs: Vec<ResiduePair<S>>,
}

impl<const S: usize> TileNumbers<S> {
    /// The number 0 for every member.
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

/// Scratch space for the intermediate values of a product; wiped on drop.
pub(super) struct TileScratch<const S: usize> {
    workspace: Box<Workspace>,
    /// The sums of the tail tiles.
    tail_sums: Box<Accumulators>,
    /// The inputs of the first extension: the quotient's residues `u_i`, or `v_i` if the constants
    /// are merged.
    quotient: Zeroizing<Vec<ResiduePair<S>>>,
    /// The extras of the second extension: tail residues in B, and the Cox quotient h.
    pub(super) extras: Zeroizing<Vec<ResiduePair<S>>>,
}

impl<const S: usize> TileScratch<S> {
    pub(super) fn new(plan: &TilePlan) -> Self {
        let rows = |pairs| Zeroizing::new(vec![[Row([0; 32]); S]; pairs]);
        Self {
            workspace: Workspace::new(),
            tail_sums: Box::new([Sums::ZERO; 4]),
            quotient: rows(plan.channels() / 2),
            extras: rows(plan.tails / 2 + 1),
        }
    }
}

/// The constants of a group's moduli, in the form that a product uses.
#[derive(Clone, Copy)]
pub(super) enum TileModuliRef<'a, const S: usize> {
    /// All numbers have one modulus, and this is its matrix
    /// ([`TileModulus::merged`](super::modulus::TileModulus::merged)).
    Merged(&'a TileMatrix),
    /// The constants of each number's modulus in its lane: `to_quotient` per pair of channels of A,
    /// and `|P g_j^2|` per pair of channels of B.
    Lanes {
        to_quotient: &'a [ResiduePair<S>],
        scaled_p: &'a [ResiduePair<S>],
    },
}

/// `x := x y A^-1` modulo P for each number, or `x := x^2 A^-1` if `y` is `None`.
///
/// Requires integers with `|x y| < (2 c + 1) A P`, which includes any two operands within
/// `(-4 c P, 4 c P)`. Ensures a result that is congruent and within `(-3 c P, 3 c P)`. Leaves the
/// extras of the second extension in the scratch space.
#[target_feature(enable = "avx512f,avx512bw,avx512vnni")]
pub(super) fn montgomery<const S: usize>(
    tiles: &Tiles,
    plan: &TilePlan,
    moduli: TileModuliRef<'_, S>,
    x: &mut TileNumbers<S>,
    y: Option<&TileNumbers<S>>,
    scratch: &mut TileScratch<S>,
) {
    // Pairs of extras: the tail channels, and in the second extension the Cox quotient.
    if plan.tails == 2 {
        first_half::<1, S>(tiles, plan, moduli, x, y, scratch);
        second_half::<2, S>(tiles, plan, x, scratch);
    } else {
        first_half::<2, S>(tiles, plan, moduli, x, y, scratch);
        second_half::<3, S>(tiles, plan, x, scratch);
    }
}

/// The first half of [`montgomery`]: from the operands to the product in base B, with E pairs of
/// extras.
#[target_feature(enable = "avx512f,avx512bw,avx512vnni")]
fn first_half<const E: usize, const S: usize>(
    tiles: &Tiles,
    plan: &TilePlan,
    moduli: TileModuliRef<'_, S>,
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
    match moduli {
        TileModuliRef::Merged(matrix) => {
            quotients::<false, S>(plan, x_a, y_a, &[], &mut scratch.quotient);
            products::<E, false, S>(tiles, plan, matrix, x_b, y_b, &[], scratch);
        }
        TileModuliRef::Lanes {
            to_quotient,
            scaled_p,
        } => {
            quotients::<true, S>(plan, x_a, y_a, to_quotient, &mut scratch.quotient);
            products::<E, true, S>(tiles, plan, &plan.a_to_b, x_b, y_b, scaled_p, scratch);
        }
    }
}

/// `out :=` the residues in base A `v_i = redc(x_i y_i)`, or, with constants in lanes, the
/// quotient's residues `u_i = redc(v_i to_quotient_i)`. In tail channels both are below the
/// modulus.
#[inline]
#[target_feature(enable = "avx512f,avx512bw")]
fn quotients<const LANES: bool, const S: usize>(
    plan: &TilePlan,
    x: &[ResiduePair<S>],
    y: Option<&[ResiduePair<S>]>,
    constants: &[ResiduePair<S>],
    out: &mut [ResiduePair<S>],
) {
    let y = y.unwrap_or(x);
    for (pair, ((x, y), out)) in x.iter().zip(y).zip(out).enumerate() {
        let channels = ChannelPair::new(plan.a.pairs[pair]);
        for half in 0..S / HALF {
            let mut v = channels.multiply_each(load_half(x, half), load_half(y, half));
            if LANES {
                v = channels.multiply_each(v, load_half(&constants[pair], half));
            }
            store_half(out, half, v);
        }
    }
}

/// `x :=` the residues in base B `r_j = redc(x_j y_j + T_j)`, or, with constants in lanes,
/// `redc(x_j y_j + t_j |P g_j^2|)` with `t_j = redc(T_j)`. The `T_j` are the sums of the first
/// extension.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vnni")]
fn products<const E: usize, const LANES: bool, const S: usize>(
    tiles: &Tiles,
    plan: &TilePlan,
    matrix: &TileMatrix,
    x: &mut [ResiduePair<S>],
    y: Option<&[ResiduePair<S>]>,
    constants: &[ResiduePair<S>],
    scratch: &mut TileScratch<S>,
) {
    let mains = plan.mains() / 2;
    let (digits, tails) = scratch.quotient.split_at(mains);
    let extras = Extras::<E, S>::new(matrix, tails);
    let tail_sums = &mut scratch.tail_sums;
    for half in 0..S / HALF {
        let offsets = &matrix.tail_offsets;
        extend_single(tiles, &matrix.tail_tiles, offsets, digits, half, tail_sums);
        for pair in 0..plan.tails / 2 {
            let index = mains + pair;
            let channels = ChannelPair::new(plan.b.pairs[index]);
            for side in 0..HALF {
                let mut sum = extras.pair_of_tail(tail_sums, plan.tails, half, pair, side);
                let side = half * HALF + side;
                if LANES {
                    sum = SplitSum::product(channels.redc(sum), load(&constants[index][side]));
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
                let mut sums = extras.pair_of_block(sums, weights, [block, half], pair);
                if LANES {
                    let reduced = channels.redc_each(sums);
                    let constants = load_half(&constants[pair], half);
                    for ((sum, reduced), constant) in sums.iter_mut().zip(reduced).zip(constants) {
                        *sum = SplitSum::product(reduced, constant);
                    }
                }
                let x_values = load_half(x, half);
                let y_values = match y {
                    Some(y) => load_half(&y[pair], half),
                    None => x_values,
                };
                let products = channels.multiply_add_each(x_values, y_values, sums);
                store_half(x, half, products);
            }
        },
    );
}

/// The second half of [`montgomery`]: from the product in base B to the product in base A, with E
/// pairs of extras. Requires an integer within `(-3 c P, 3 c P)`.
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
    let tail_sums = &mut scratch.tail_sums;

    // The Cox quotient comes first, as it is an extra of all other sums.
    scratch.extras[..tails.len()].copy_from_slice(tails);
    for half in 0..S / HALF {
        let offsets = &matrix.tail_offsets;
        extend_single(tiles, &matrix.tail_tiles, offsets, digits, half, tail_sums);
        for side in 0..HALF {
            let h = cox_quotient(plan, tail_sums, tails, half, side);
            store(&mut scratch.extras[tails.len()][half * HALF + side], h);
        }
        let extras = Extras::<E, S>::new(matrix, &scratch.extras);
        for pair in 0..tails.len() {
            let channels = ChannelPair::new(plan.a.pairs[mains + pair]);
            for side in 0..HALF {
                let sum = extras.pair_of_tail(tail_sums, plan.tails, half, pair, side);
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
                let sums = extras.pair_of_block(sums, weights, [block, half], pair);
                store_half(x, half, channels.redc_each(sums));
            }
        },
    );
}

/// The Cox quotient h, the integer nearest to the Cox sum, in the low half of each number's word.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vnni")]
fn cox_quotient<const S: usize>(
    plan: &TilePlan,
    tail_sums: &Accumulators,
    tail_residues: &[ResiduePair<S>],
    half: usize,
    side: usize,
) -> __m512i {
    let sum = cox_sum(plan, tail_sums, tail_residues, half, side);
    debug_assert!(within_spread(plan, sum), "a product exceeds its bound");
    let one_half = _mm512_set1_epi32(1 << (cox::SUM_BITS - 1));
    let h = _mm512_srai_epi32::<{ cox::SUM_BITS }>(_mm512_add_epi32(sum, one_half));
    _mm512_and_si512(h, splat(0xffff))
}

/// The Cox sum in units of `2^-15`: `2^-8 C_0 + C_1 + 2^8 C_2` from the sums of the three bytes of
/// the digits' weights, plus the share of the tail residues.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vnni")]
pub(super) fn cox_sum<const S: usize>(
    plan: &TilePlan,
    tail_sums: &Accumulators,
    tail_residues: &[ResiduePair<S>],
    half: usize,
    side: usize,
) -> __m512i {
    let row = 2 * plan.tails;
    let low = _mm512_srai_epi32::<8>(single_row(tail_sums, row, side));
    let middle = single_row(tail_sums, row + 1, side);
    let high = _mm512_slli_epi32::<8>(single_row(tail_sums, row + 2, side));
    let mut sum = _mm512_add_epi32(_mm512_add_epi32(low, middle), high);
    for (rows, &weights) in tail_residues.iter().zip(&plan.cox_tails) {
        sum = add_pair(sum, load(&rows[half * HALF + side]), weights);
    }
    sum
}

/// Whether every Cox sum is within [`TilePlan::cox_spread`] of a whole number, as it is for
/// integers within `(-3 c P, 3 c P)`.
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

/// Sets `scratch.extras` to the extras of a number, for [`leave`](super::convert::leave): its tail
/// residues in B and its Cox quotient h. Requires an integer within `(-3 c P, 3 c P)`.
#[target_feature(enable = "avx512f,avx512bw,avx512vnni")]
pub(super) fn extras<const S: usize>(
    tiles: &Tiles,
    plan: &TilePlan,
    x: &TileNumbers<S>,
    scratch: &mut TileScratch<S>,
) {
    let matrix = &plan.b_to_a;
    let (digits, tails) = x.pairs[plan.channels() / 2..].split_at(plan.mains() / 2);
    let tail_sums = &mut scratch.tail_sums;
    scratch.extras[..tails.len()].copy_from_slice(tails);
    for half in 0..S / HALF {
        let offsets = &matrix.tail_offsets;
        extend_single(tiles, &matrix.tail_tiles, offsets, digits, half, tail_sums);
        for side in 0..HALF {
            let h = cox_quotient(plan, tail_sums, tails, half, side);
            store(&mut scratch.extras[tails.len()][half * HALF + side], h);
        }
    }
}

/// The constants of each pair of channels, of base A and then of base B, with one more constant of
/// each pair.
fn pairs_with(
    plan: &TilePlan,
    constants: fn(&TileBase) -> &[u32],
) -> impl Iterator<Item = ([u32; 2], u32)> {
    [&plan.a, &plan.b].into_iter().flat_map(move |base| {
        let constants = constants(base).iter();
        base.pairs.iter().copied().zip(constants.copied())
    })
}

/// `x := x + y`.
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

/// `x := factor x`, or `x := -factor x` if `negative`. Requires a factor of at most `2^10`.
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

/// `out := sum of (+-) x y R^-1` in each channel separately. Each term is `(negative, x, y)`.
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

/// `|R|` in every channel. A product with it cancels the factor `R^-1` of [`dot`].
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

/// A stored residue congruent to `x + y`, for two stored residues.
///
/// In a main channel, conditional subtractions bring x and y below m, so that the sum overflows 16
/// bits at most once; the result is below m. In a tail channel the result is at most
/// [`TAIL_MOST`](super::plan::TAIL_MOST).
#[inline]
#[target_feature(enable = "avx512f,avx512bw")]
fn add_residues(x: __m512i, y: __m512i, m: __m512i) -> __m512i {
    let (x, y) = (reduce_once(x, m), reduce_once(y, m));
    let sum = _mm512_add_epi16(x, y);
    let exceeds = _mm512_cmplt_epu16_mask(sum, x);
    let sum = _mm512_mask_sub_epi16(sum, exceeds, sum, m);
    reduce_once(sum, m)
}

/// A residue from 1 to m that is congruent to `-x`, for a stored residue x: two conditional
/// subtractions bring x below m, as it is below `2 m` in a main channel, and below `3 m` in a tail
/// channel.
#[inline]
#[target_feature(enable = "avx512f,avx512bw")]
fn negate_residues(x: __m512i, m: __m512i) -> __m512i {
    _mm512_sub_epi16(m, reduce_once(reduce_once(x, m), m))
}

/// `x - m` if that is not negative, else x.
#[inline]
#[target_feature(enable = "avx512f,avx512bw")]
fn reduce_once(x: __m512i, m: __m512i) -> __m512i {
    _mm512_min_epu16(x, _mm512_sub_epi16(x, m))
}
