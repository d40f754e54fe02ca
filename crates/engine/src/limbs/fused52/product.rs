//! Modular products: columns of products of limbs, with the Montgomery reduction of each column as soon as it
//! is complete (product scanning, Koç, Acar and Kaliski, "Analyzing and comparing Montgomery multiplication
//! algorithms", 1996, FIPS).
//!
//! Limbs come in blocks of B, and so do columns: block c of the columns takes all products of a
//! block I of one operand and a block `c - I` of the other, into `2 B` sums.

use crate::{
    limbs::{
        fused52::vector::Lanes,
        numbers::{Factors, Limb, LimbNumbers, Moduli, WIDTH},
        plan::{LIMB_BITS, LIMB_MASK},
    },
    program::MAX_BITS,
    row::Row,
};

/// The largest number of products whose halves fit a column: `2^11` values of at most `2^52`, with some of the room
/// left for carries.
const COLUMN_CAPACITY: usize = 2048 - 16;
// A column of a product and its reduction, four halves for each limb, fits for the largest moduli.
const _: () = assert!(4 * (MAX_BITS.div_ceil(LIMB_BITS) as usize + 1) <= COLUMN_CAPACITY);

/// [`Kernels::montgomery`](crate::limbs::kernels::Kernels::montgomery).
#[inline(always)]
pub(super) fn montgomery<V: Lanes>(
    moduli: Moduli<'_>,
    factors: Factors<'_>,
    scratch: &mut LimbNumbers,
    out: &mut [Limb],
) {
    for (vector, out) in out.chunks_exact_mut(moduli.plan.limbs).enumerate() {
        match moduli.plan.block {
            5 => blocks::<V, 5>(moduli, factors, vector, scratch, out),
            4 => blocks::<V, 4>(moduli, factors, vector, scratch, out),
            _ => blocks::<V, 3>(moduli, factors, vector, scratch, out),
        }
    }
}

/// Writes the limbs of a vector as factors.
#[inline(always)]
fn write_factors<V: Lanes>(limbs: &[Limb], vector: usize, out: &mut [Limb]) {
    let n = out.len();
    for (limb, out) in limbs[vector * n..][..n].iter().zip(out) {
        let factor = V::load(limb).factor();
        V::store_factor(factor, out);
    }
}

/// [`montgomery`] of one vector, by blocks of B limbs.
///
/// Column k of `T + q P` is `sum of lo(x_i y_j) over i + j = k, and hi(x_i y_j) over
/// i + j = k - 1`, and the same for q and P. For k < n the digit `q_k = -S_k P^-1 mod 2^52` makes
/// the sum `S_k`, with the carry from below, a multiple of `2^52`.
#[inline(always)]
fn blocks<V: Lanes, const B: usize>(
    moduli: Moduli<'_>,
    factors: Factors<'_>,
    vector: usize,
    scratch: &mut LimbNumbers,
    out: &mut [Limb],
) {
    let n = moduli.plan.limbs;
    let (at_once, terms) = match factors {
        Factors::Square(_) => (1, 1),
        Factors::Products(factors) => (COLUMN_CAPACITY / (2 * n) - 1, factors.len()),
    };
    // The factors of P, and then of the operands.
    scratch.limbs.resize((1 + 2 * terms) * n, Row([0; WIDTH]));
    let (p, operands) = scratch.limbs.split_at_mut(n);
    write_factors::<V>(moduli.limbs, vector, p);
    match factors {
        Factors::Square(x) => write_factors::<V>(&x.limbs, vector, &mut operands[..n]),
        Factors::Products(factors) => {
            for ((_, x, y), operands) in factors.iter().zip(operands.chunks_exact_mut(2 * n)) {
                let (own, other) = operands.split_at_mut(n);
                write_factors::<V>(&x.limbs, vector, own);
                write_factors::<V>(&y.limbs, vector, other);
            }
        }
    }
    let (p, operands) = (p.as_chunks::<B>().0, &operands[..2 * terms * n]);
    let (out, _) = out.as_chunks_mut::<B>();
    let blocks = p.len();
    let negative_inverse = V::load(&moduli.negative_inverses[vector]).factor();
    let (mask, zero) = (V::splat(LIMB_MASK), V::splat(0));
    // The columns of the previous block that are in this block, and the carry above them.
    let (mut carried, mut above) = ([zero; B], zero);
    for c in 0..2 * blocks {
        // Pairs of block I of one operand and block c - I of the other.
        let pairs = (c + 1).saturating_sub(blocks)..blocks.min(c + 1);
        let mut columns = Columns::<V, B>::zero();
        columns.sums[1][0] = above;
        above = zero;
        match factors {
            Factors::Square(_) => {
                let (x, _) = operands[..n].as_chunks::<B>();
                for i in pairs.start..c.div_ceil(2) {
                    columns = columns.plus(&x[i], &x[c - i]);
                }
                columns = columns.double();
                if c % 2 == 0 {
                    columns = columns.plus_square(&x[c / 2]);
                }
            }
            Factors::Products(_) => {
                for some in operands.chunks(2 * n * at_once) {
                    for operands in some.chunks_exact(2 * n) {
                        let (x, y) = operands.split_at(n);
                        let (x, y) = (x.as_chunks::<B>().0, y.as_chunks::<B>().0);
                        for i in pairs.clone() {
                            columns = columns.plus(&x[i], &y[c - i]);
                        }
                    }
                    if terms > at_once {
                        let carry;
                        (columns, carry) = columns.settle();
                        above = above.add(carry);
                    }
                }
            }
        }
        // The digits of q are stored where the result will be: block I of the result comes after the last use
        // of block I of q.
        for i in pairs.start..c.min(blocks) {
            columns = columns.plus(&out[i], &p[c - i]);
        }
        let mut sums = columns.unbiased();
        for k in 0..B {
            sums[0][k] = sums[0][k].add(carried[k]);
        }
        let mut carry = zero;
        if let Some(out) = out.get_mut(c) {
            (sums, carry) = digits::<V, B>(sums, negative_inverse, &p[0], out);
        } else {
            let out = &mut out[c - blocks];
            for k in 0..B {
                let sum = sums[0][k].add(carry);
                carry = sum.carry();
                sum.and(mask).store(&mut out[k]);
            }
        }
        carried = sums[1];
        carried[0] = carried[0].add(carry);
    }
}

/// Finds B digits of q from the sums of columns that lack only the products of these digits, and stores them as
/// factors. Returns the sums, and the carry into the second half of them.
#[inline(always)]
fn digits<V: Lanes, const B: usize>(
    mut sums: [[V; B]; 2],
    negative_inverse: V::Factor,
    p: &[Limb; B],
    out: &mut [Limb; B],
) -> ([[V; B]; 2], V) {
    let mut carry = V::splat(0);
    for k in 0..B {
        // The biases of the previous digits' halves: k of each kind.
        let bias = (k as u64).wrapping_mul(V::LOW_BIAS.wrapping_add(V::HIGH_BIAS));
        let sum = sums[0][k].add(carry).sub(V::splat(bias));
        let q = sum.digit(negative_inverse);
        V::store_factor(q, &mut out[k]);
        sums[0][k] = sum;
        V::add_row(&mut sums.as_flattened_mut()[k..=k + B], q, p);
        carry = sums[0][k].sub(V::splat(V::LOW_BIAS)).carry();
    }
    for (k, sum) in sums[1].iter_mut().enumerate() {
        let low = V::LOW_BIAS.wrapping_mul((B - 1 - k) as u64);
        let high = V::HIGH_BIAS.wrapping_mul((B - k) as u64);
        *sum = sum.sub(V::splat(low.wrapping_add(high)));
    }
    (sums, carry)
}

/// The sums of `2 B` columns. The low half of a product of limbs i and j counts in column `i + j`,
/// its high half in the next.
#[derive(Clone, Copy)]
struct Columns<V, const B: usize> {
    sums: [[V; B]; 2],
    /// Number of products of blocks in these sums, each of which has added its biases.
    products: u64,
}

impl<V: Lanes, const B: usize> Columns<V, B> {
    #[inline(always)]
    fn zero() -> Self {
        Self {
            sums: [[V::splat(0); B]; 2],
            products: 0,
        }
    }

    /// Adds `x y` to column k and the next.
    #[inline(always)]
    fn plus_product(&mut self, k: usize, x: V::Factor, y: V::Factor) {
        let sum = &mut self.sums[k / B][k % B];
        *sum = V::low(*sum, x, y);
        let sum = &mut self.sums[(k + 1) / B][(k + 1) % B];
        *sum = V::high(*sum, x, y);
    }

    /// All products of two blocks.
    #[inline(always)]
    fn plus(mut self, x: &[Limb; B], y: &[Limb; B]) -> Self {
        V::add_block(&mut self.sums, x, y);
        self.products += 1;
        self
    }

    /// The square of a block.
    #[inline(always)]
    fn plus_square(mut self, x: &[Limb; B]) -> Self {
        let mut limbs = [V::load_factor(&x[0]); B];
        for i in 1..B {
            limbs[i] = V::load_factor(&x[i]);
        }
        let mut square = Self::zero();
        for j in 1..B {
            for i in 0..j {
                square.plus_product(i + j, limbs[i], limbs[j]);
            }
        }
        square = square.double();
        for i in 0..B {
            square.plus_product(2 * i, limbs[i], limbs[i]);
        }
        for half in 0..2 {
            for k in 0..B {
                self.sums[half][k] = self.sums[half][k].add(square.sums[half][k]);
            }
        }
        self.products += 1;
        self
    }

    /// Twice these columns.
    #[inline(always)]
    fn double(mut self) -> Self {
        for half in 0..2 {
            for k in 0..B {
                self.sums[half][k] = self.sums[half][k].add(self.sums[half][k]);
            }
        }
        self.products *= 2;
        self
    }

    /// The sums without biases: a product of blocks has B products for column B - 1, one less for each column
    /// beside it, and the same one column on.
    #[inline(always)]
    fn unbiased(self) -> [[V; B]; 2] {
        let mut sums = self.sums;
        for (half, sums) in sums.iter_mut().enumerate() {
            for (k, sum) in sums.iter_mut().enumerate() {
                let k = half * B + k;
                let low = (B - k.abs_diff(B - 1)) as u64;
                let high = (B - k.abs_diff(B)) as u64;
                let low = V::LOW_BIAS.wrapping_mul(low);
                let bias = low.wrapping_add(V::HIGH_BIAS.wrapping_mul(high));
                *sum = sum.sub(V::splat(bias.wrapping_mul(self.products)));
            }
        }
        sums
    }

    /// The same sum with columns below `2^52`, and the carry out of the last.
    #[inline(always)]
    fn settle(self) -> (Self, V) {
        let (mask, mut carry) = (V::splat(LIMB_MASK), V::splat(0));
        let mut settled = Self::zero();
        let sums = self.unbiased();
        for half in 0..2 {
            for k in 0..B {
                let sum = sums[half][k].add(carry);
                carry = sum.carry();
                settled.sums[half][k] = sum.and(mask);
            }
        }
        (settled, carry)
    }
}
