//! Kernels on the numbers of a group in lanes, generic over vectors.

use super::{
    dispatch::Kernel,
    lanes::FloatTable,
    matrix::Sums,
    plan::{COX_SPLIT, Channel, FloatPlan},
    vector::{ChannelVector, Vector},
};
use crate::devices::row::Row;
use zeroize::Zeroizing;

/// The channel's constants in every lane.
#[inline(always)]
fn broadcast<V: Vector<L>, const L: usize>(channel: &Channel) -> ChannelVector<V> {
    ChannelVector {
        m: V::splat(channel.m),
        inverse: V::splat(channel.inverse),
    }
}

/// A term of a sum of products, `(negative, x, y)`: `x y`, or `-x y` if `negative`.
pub(super) type Term<'a, const L: usize> = (bool, &'a [Row<f64, L>], &'a [Row<f64, L>]);

/// What a product multiplies with its first operand.
#[derive(Clone, Copy)]
pub(super) enum Operand<'a, const L: usize> {
    /// The first operand itself.
    Itself,
    /// Another number.
    Other(&'a [Row<f64, L>]),
    /// Instead of a product with the first operand: a sum of products.
    Sum(&'a [Term<'a, L>]),
}

/// Products below `2^48` each, of which a sum of this many is exact.
const EXACT_TERMS: usize = 16;

/// A modular product: `x := x y A^-1` modulo P, lane by lane, or a sum of products in its place.
///
/// Requires stored residues within their channels' bounds, and integers within the plan's limits.
/// Ensures both. After the channels of A and B, a number has two rows for the Cox quotient, which
/// have no meaning between products.
pub(super) struct Product<'a, const L: usize> {
    pub(super) plan: &'a FloatPlan,
    /// [`FloatModulus::to_quotient`](super::plan::FloatModulus::to_quotient), a lane each.
    pub(super) to_quotient: &'a [Row<f64, L>],
    /// [`FloatModulus::scaled_p`](super::plan::FloatModulus::scaled_p), a lane each.
    pub(super) scaled_p: &'a [Row<f64, L>],
    pub(super) x: &'a mut [Row<f64, L>],
    pub(super) operand: Operand<'a, L>,
    /// Scratch space for the quotient, a row for each channel of A.
    pub(super) u: &'a mut [Row<f64, L>],
}

impl<const L: usize> Kernel<L> for Product<'_, L> {
    #[inline(always)]
    fn run<V: Vector<L>>(self) {
        let Self {
            plan,
            to_quotient,
            scaled_p,
            x,
            operand,
            u,
        } = self;
        let (channels_a, channels_b) = plan.split_channels();
        let (n_a, n_b) = (channels_a.len(), channels_b.len());
        let (x_a, x_b) = x.split_at_mut(n_a);

        // u_i = |x y (-P^-1) (A/a_i)^-1|_{a_i}
        for (i, channel) in channels_a.iter().enumerate() {
            let channel = broadcast::<V, L>(channel);
            let product = product_of::<V, L>(&x_a[i], operand, i, channel).reduce(channel);
            let factor = V::load(&to_quotient[i]);
            product.mul(factor).reduce(channel).store(&mut u[i]);
        }

        // t_j = q' = sum u_i A/a_i;  x_j = |x_j y_j + q' P A^-2|;  k = sum x_j delta_j / b_j
        let mut in_b = InB {
            plan,
            channels_b,
            n_a,
            operand,
            scaled_p,
            x_b,
            cox: V::splat(0.0),
        };
        plan.a_to_b.multiply::<V, L>(u, &mut in_b);
        // k = k_1 2^15 + k_0
        let k = in_b.cox.round();
        let high = k.mul(V::splat(1.0 / COX_SPLIT)).round();
        let low = high.neg_mul_add(V::splat(COX_SPLIT), k);
        low.store(&mut x_b[n_b]);
        high.store(&mut x_b[n_b + 1]);

        // x_i = |sum x_j delta_j B/b_j - k B|_{a_i}
        let mut reduced = Reduced {
            channels: channels_a,
            out: x_a,
        };
        plan.b_to_a.multiply::<V, L>(x_b, &mut reduced);
    }
}

/// Takes the extension of the quotient, and makes of it the product in base B.
struct InB<'a, V, const L: usize> {
    plan: &'a FloatPlan,
    channels_b: &'a [Channel],
    n_a: usize,
    operand: Operand<'a, L>,
    scaled_p: &'a [Row<f64, L>],
    x_b: &'a mut [Row<f64, L>],
    cox: V,
}

impl<V: Vector<L>, const L: usize> Sums<V> for InB<'_, V, L> {
    #[inline(always)]
    fn take(&mut self, j: usize, sum: V) {
        let channel = broadcast::<V, L>(&self.channels_b[j]);
        let product = product_of::<V, L>(&self.x_b[j], self.operand, self.n_a + j, channel);
        let t = sum.reduce(channel);
        let reduced = t
            .mul_add(V::load(&self.scaled_p[j]), product)
            .reduce(channel);
        reduced.store(&mut self.x_b[j]);
        self.cox = reduced.mul_add(V::splat(self.plan.cox[j]), self.cox);
    }
}

/// Reduces and stores sums.
struct Reduced<'a, const L: usize> {
    channels: &'a [Channel],
    out: &'a mut [Row<f64, L>],
}

impl<V: Vector<L>, const L: usize> Sums<V> for Reduced<'_, L> {
    #[inline(always)]
    fn take(&mut self, row: usize, sum: V) {
        let channel = broadcast::<V, L>(&self.channels[row]);
        sum.reduce(channel).store(&mut self.out[row]);
    }
}

/// Stores sums.
struct Stored<'a, const L: usize>(&'a mut [Row<f64, L>]);

impl<V: Vector<L>, const L: usize> Sums<V> for Stored<'_, L> {
    #[inline(always)]
    fn take(&mut self, row: usize, sum: V) {
        sum.store(&mut self.0[row]);
    }
}

/// The product, or the sum of products, in the channel of row k: at most `2^52` in absolute value.
#[inline(always)]
fn product_of<V: Vector<L>, const L: usize>(
    x: &Row<f64, L>,
    operand: Operand<'_, L>,
    k: usize,
    channel: ChannelVector<V>,
) -> V {
    match operand {
        Operand::Itself => {
            let x = V::load(x);
            x.mul(x)
        }
        Operand::Other(y) => V::load(x).mul(V::load(&y[k])),
        Operand::Sum(terms) => {
            let mut sum = V::splat(0.0);
            for terms in terms.chunks(EXACT_TERMS) {
                sum = sum.reduce(channel);
                for (negative, x, y) in terms {
                    let (x, y) = (V::load(&x[k]), V::load(&y[k]));
                    sum = if *negative {
                        x.neg_mul_add(y, sum)
                    } else {
                        x.mul_add(y, sum)
                    };
                }
            }
            sum.reduce(channel)
        }
    }
}

/// A linear operation on stored residues, channel by channel.
pub(super) struct Linear<'a, const L: usize> {
    pub(super) channels: &'a [Channel],
    pub(super) x: &'a mut [Row<f64, L>],
    pub(super) change: Change<'a, L>,
}

/// What a linear operation does to x.
#[derive(Clone, Copy)]
pub(super) enum Change<'a, const L: usize> {
    /// `x := x + y`.
    Add(&'a [Row<f64, L>]),
    /// `x := x - y`.
    Subtract(&'a [Row<f64, L>]),
    /// `x := factor x`, for a factor of at most `2^16` in absolute value.
    Scale(f64),
}

impl<const L: usize> Kernel<L> for Linear<'_, L> {
    #[inline(always)]
    fn run<V: Vector<L>>(self) {
        for (k, (x, channel)) in self.x.iter_mut().zip(self.channels).enumerate() {
            let value = V::load(x);
            let changed = match self.change {
                Change::Add(y) => value.add(V::load(&y[k])),
                Change::Subtract(y) => value.sub(V::load(&y[k])),
                Change::Scale(factor) => value.mul(V::splat(factor)),
            };
            changed.reduce(broadcast(channel)).store(x);
        }
    }
}

/// `out := ` the stored residues of integers in digits.
pub(super) struct Enter<'a, const L: usize> {
    pub(super) plan: &'a FloatPlan,
    pub(super) digits: &'a [Row<f64, L>],
    pub(super) out: &'a mut [Row<f64, L>],
}

impl<const L: usize> Kernel<L> for Enter<'_, L> {
    #[inline(always)]
    fn run<V: Vector<L>>(self) {
        let Self { plan, digits, out } = self;
        let channels = &plan.channels;
        let mut reduced = Reduced { channels, out };
        plan.from_digits.multiply::<V, L>(digits, &mut reduced);
    }
}

/// `out :=` each lane's entry of a table. All entries are read.
pub(super) struct Select<'a, const L: usize> {
    pub(super) table: &'a FloatTable<L>,
    /// For each entry, all ones in the lanes that get it.
    pub(super) masks: &'a [Row<u32, L>],
    pub(super) out: &'a mut [Row<f64, L>],
}

impl<const L: usize> Kernel<L> for Select<'_, L> {
    #[inline(always)]
    fn run<V: Vector<L>>(self) {
        for (out, entries) in self.out.iter_mut().zip(self.table.channels()) {
            V::select(entries, self.masks).store(out);
        }
    }
}

/// `x := y` in the lanes where the second mask is 1, and the first 0; in the others they are 1 and 0.
pub(super) struct Choose<'a, const L: usize> {
    pub(super) x: &'a mut [Row<f64, L>],
    pub(super) y: &'a [Row<f64, L>],
    pub(super) masks: [&'a Row<f64, L>; 2],
}

impl<const L: usize> Kernel<L> for Choose<'_, L> {
    #[inline(always)]
    fn run<V: Vector<L>>(self) {
        let [stays, changes] = self.masks.map(|mask| V::load(mask));
        for (x, y) in self.x.iter_mut().zip(self.y) {
            // A product with 0 or 1 is exact.
            let chosen = V::load(x).mul_add(stays, V::load(y).mul(changes));
            chosen.store(x);
        }
    }
}

/// Adds to each lane of `out` the constant of a table that it gets. All constants are read.
pub(super) struct SelectOwn<'a, const L: usize> {
    /// The residues of each constant.
    pub(super) constants: &'a [Zeroizing<Vec<f64>>],
    /// For each constant 1 in the lanes that get it, and 0 in the others.
    pub(super) masks: &'a [Row<f64, L>],
    pub(super) out: &'a mut [Row<f64, L>],
}

impl<const L: usize> Kernel<L> for SelectOwn<'_, L> {
    #[inline(always)]
    fn run<V: Vector<L>>(self) {
        /// Channels for which a mask is loaded once.
        const CHANNELS: usize = 2;
        let channels = self.constants.first().map_or(0, |constant| constant.len());
        let out = &mut self.out[..channels];
        let (pairs, rest) = out.as_chunks_mut::<CHANNELS>();
        for (k, rows) in pairs.iter_mut().enumerate() {
            select_channels::<V, CHANNELS, L>(self.constants, self.masks, CHANNELS * k, rows);
        }
        for (k, row) in (channels - rest.len()..).zip(rest) {
            select_channels::<V, 1, L>(self.constants, self.masks, k, core::array::from_mut(row));
        }
    }
}

/// [`SelectOwn`] for the channels from `first` on. A product with 0 or 1 is exact.
#[inline(always)]
fn select_channels<V: Vector<L>, const CHANNELS: usize, const L: usize>(
    constants: &[Zeroizing<Vec<f64>>],
    masks: &[Row<f64, L>],
    first: usize,
    out: &mut [Row<f64, L>; CHANNELS],
) {
    let mut selected = out.each_ref().map(|row| V::load(row));
    for (constant, mask) in constants.iter().zip(masks) {
        let mask = V::load(mask);
        for (selected, &residue) in selected.iter_mut().zip(&constant[first..]) {
            *selected = V::splat(residue).mul_add(mask, *selected);
        }
    }
    for (row, selected) in out.iter_mut().zip(selected) {
        selected.store(row);
    }
}

/// `columns :=` the digits of the integers with these stored residues, not carried: integers of at
/// most 53 bits.
pub(super) struct Leave<'a, const L: usize> {
    pub(super) plan: &'a FloatPlan,
    pub(super) x: &'a [Row<f64, L>],
    /// Scratch space: the digits of `B/b_j`, and the Cox quotient.
    pub(super) xi: &'a mut [Row<f64, L>],
    pub(super) columns: &'a mut [Row<f64, L>],
}

impl<const L: usize> Kernel<L> for Leave<'_, L> {
    #[inline(always)]
    fn run<V: Vector<L>>(self) {
        let Self {
            plan,
            x,
            xi,
            columns,
        } = self;
        let (channels_a, channels_b) = plan.split_channels();
        let mut cox = V::splat(0.0);
        for (j, channel) in channels_b.iter().enumerate() {
            let vector = broadcast::<V, L>(channel);
            let factor = V::splat(plan.to_digit[j]);
            let digit = V::load(&x[channels_a.len() + j]).mul(factor).reduce(vector);
            digit.store(&mut xi[j]);
            cox = digit.mul_add(vector.inverse, cox);
        }
        cox.round().store(&mut xi[channels_b.len()]);
        plan.to_digits.multiply::<V, L>(xi, &mut Stored(columns));
    }
}
