//! Groups of one or two numbers, each spread over the lanes: a row holds eight channels of one
//! number. This layout has the least latency.
//!
//! A base extension broadcasts each residue in turn and multiplies it with its weights for all
//! channels of the other base. Two numbers share the loads of the weights.

mod matrix;
pub(super) mod plan;

use core::ops::Deref;
use std::{borrow::Cow, sync::Arc};

use crypto_bigint::{BoxedUint, Word};
use zeroize::{Zeroize, Zeroizing, optimization_barrier};

pub(super) use self::matrix::WIDTH;
use self::{
    matrix::{Octet, Sums},
    plan::{SpreadPlan, octets},
};
#[cfg(any(test, feature = "testing"))]
use crate::row::split_place;
use crate::{
    device::{Member, Outcome, Work},
    group::{Group, Stepwise},
    interpreter,
    kept::own,
    lookup::{masks, select_words, write_masks},
    program::OwnTable,
    residues::float::{
        dispatch::{InstructionSet, Kernel},
        plan::{COX_SPLIT, FloatConstants, FloatModulus, FloatPlan},
        vector::{ChannelVector, TO_INTEGER, Vector},
    },
    row::Row,
};

/// Runs the work as one group of N numbers.
pub(super) fn run<S: InstructionSet<WIDTH>, const N: usize>(
    set: S,
    work: &Work<'_>,
) -> Vec<Outcome> {
    interpreter::run(work, |members| SpreadGroup::<S, N>::new(set, members))
}

/// The channels of a row.
#[inline(always)]
fn channel<V: Vector<WIDTH>>([m, inverse]: &[Octet; 2]) -> ChannelVector<V> {
    ChannelVector {
        m: V::load(m),
        inverse: V::load(inverse),
    }
}

/// N numbers, one after the other: the rows of base A, then those of B. Wiped on drop.
#[derive(Default)]
pub(super) struct SpreadFloats<const N: usize> {
    rows: Vec<Octet>,
}

impl<const N: usize> SpreadFloats<N> {
    fn zero(spread: &SpreadPlan) -> Self {
        let [rows_a, rows_b] = spread.rows;
        Self {
            rows: vec![Row([0.0; WIDTH]); N * (rows_a + rows_b)],
        }
    }

    fn of(&self, n: usize) -> &[Octet] {
        let rows = self.rows.len() / N;
        &self.rows[n * rows..(n + 1) * rows]
    }

    fn of_mut(&mut self, n: usize) -> &mut [Octet] {
        let rows = self.rows.len() / N;
        &mut self.rows[n * rows..(n + 1) * rows]
    }

    /// The rows of each number.
    fn each(&self) -> [&[Octet]; N] {
        core::array::from_fn(|n| self.of(n))
    }

    /// The rows of each number in base A, the first `rows_a`, and those in base B.
    fn split_each_mut(&mut self, rows_a: usize) -> ([&mut [Octet]; N], [&mut [Octet]; N]) {
        let rows = self.rows.len() / N;
        let mut in_a = [const { None }; N];
        let mut in_b = [const { None }; N];
        for (n, rows) in self.rows.chunks_exact_mut(rows).enumerate() {
            let (a, b) = rows.split_at_mut(rows_a);
            (in_a[n], in_b[n]) = (Some(a), Some(b));
        }
        let all = |rows: [Option<_>; N]| rows.map(Option::unwrap_or_default);
        (all(in_a), all(in_b))
    }

    /// Sets one number to these stored residues, the first `channels_a` of which are in base A.
    fn set(&mut self, n: usize, residues: &[f64], channels_a: usize) {
        let (in_a, in_b) = residues.split_at(channels_a);
        let rows = Zeroizing::new([octets(in_a), octets(in_b)].concat());
        self.of_mut(n).copy_from_slice(&rows);
    }
}

impl<const N: usize> Drop for SpreadFloats<N> {
    fn drop(&mut self) {
        self.rows.zeroize();
    }
}

/// Eight residues in a table, as bits of float32, which holds them exactly.
#[derive(Clone, Copy)]
#[repr(C, align(32))]
struct Packed([u32; WIDTH]);

impl Deref for Packed {
    type Target = [u32; WIDTH];

    fn deref(&self) -> &[u32; WIDTH] {
        &self.0
    }
}

impl Zeroize for Packed {
    fn zeroize(&mut self) {
        self.0 = [0; WIDTH];
        optimization_barrier(self);
    }
}

/// A table of numbers: for each row of each of them all entries in order. Wiped on drop.
pub(super) struct SpreadTable<const N: usize> {
    entries: usize,
    rows: Vec<Packed>,
}

impl<const N: usize> SpreadTable<N> {
    /// The entries of each row of a number.
    fn of(&self, n: usize) -> impl Iterator<Item = &[Packed]> {
        let rows = self.rows.len() / N;
        self.rows[n * rows..(n + 1) * rows].chunks_exact(self.entries)
    }

    /// The entries of each row of a number.
    fn of_mut(&mut self, n: usize) -> impl Iterator<Item = &mut [Packed]> {
        let rows = self.rows.len() / N;
        self.rows[n * rows..(n + 1) * rows].chunks_exact_mut(self.entries)
    }
}

impl<const N: usize> Drop for SpreadTable<N> {
    fn drop(&mut self) {
        self.rows.zeroize();
    }
}

/// The second operand of a product.
#[derive(Clone, Copy)]
enum Operand<'a, const N: usize> {
    /// The first operand itself: this many squarings in succession.
    Itself(u32),
    /// Another number.
    Other(&'a SpreadFloats<N>),
}

/// The constants of the group's moduli, in rows; wiped on drop.
struct Moduli<const N: usize> {
    to_quotient: [Zeroizing<Vec<Octet>>; N],
    scaled_p: [Zeroizing<Vec<Octet>>; N],
    a_squared: SpreadFloats<N>,
}

/// Scratch space of each number: the quotient, digits of a result, and the masks of a look-up.
struct Scratch<const N: usize> {
    u: [Zeroizing<Vec<Octet>>; N],
    columns: [Zeroizing<Vec<Octet>>; N],
    masks: [Zeroizing<Vec<Row<u32, WIDTH>>>; N],
}

/// The Cox quotient k from its terms in the lanes, as `k_0` and `k_1`, `k = k_1 2^15 + k_0`.
#[inline(always)]
fn cox_quotient<V: Vector<WIDTH>>(terms: V) -> [f64; 2] {
    let mut lanes = [0.0; WIDTH];
    terms.store(&mut lanes);
    let k = round(lanes.iter().sum());
    let high = round(k / COX_SPLIT);
    [k - high * COX_SPLIT, high]
}

/// The nearest integer to a number below `2^51` in absolute value.
#[inline(always)]
fn round(x: f64) -> f64 {
    (x + TO_INTEGER) - TO_INTEGER
}

/// A modular product, `x := x y A^-1` modulo P, with the preconditions and postconditions of a product in
/// lanes.
struct Product<'a, const N: usize> {
    spread: &'a SpreadPlan,
    moduli: &'a Moduli<N>,
    x: &'a mut SpreadFloats<N>,
    operand: Operand<'a, N>,
    scratch: &'a mut Scratch<N>,
}

impl<const N: usize> Kernel<WIDTH> for Product<'_, N> {
    #[inline(always)]
    fn run<V: Vector<WIDTH>>(self) {
        let times = match self.operand {
            Operand::Itself(times) => times,
            Operand::Other(_) => 1,
        };
        for _ in 0..times {
            let other = match self.operand {
                Operand::Itself(_) => None,
                Operand::Other(y) => Some(y),
            };
            multiply::<V, N>(self.spread, self.moduli, self.x, other, self.scratch);
        }
    }
}

/// [`Product`], once.
#[inline(always)]
fn multiply<V: Vector<WIDTH>, const N: usize>(
    spread: &SpreadPlan,
    moduli: &Moduli<N>,
    x: &mut SpreadFloats<N>,
    other: Option<&SpreadFloats<N>>,
    scratch: &mut Scratch<N>,
) {
    let (channels_a, channels_b) = spread.split_channels();
    let [rows_a, rows_b] = spread.rows;
    let (in_a, in_b) = x.split_each_mut(rows_a);
    let other = other.map(SpreadFloats::each);
    // u_i = |x y (-P^-1) (A/a_i)^-1|_{a_i}
    for n in 0..N {
        let x = &in_a[n][..rows_a];
        let y = match other {
            Some(other) => &other[n][..rows_a],
            None => x,
        };
        let to_quotient = &moduli.to_quotient[n][..rows_a];
        let u = &mut scratch.u[n][..rows_a];
        for row in 0..rows_a {
            let channel = channel::<V>(&channels_a[row]);
            let product = V::load(&x[row]).mul(V::load(&y[row])).reduce(channel);
            let factor = V::load(&to_quotient[row]);
            product.mul(factor).reduce(channel).store(&mut u[row]);
        }
    }
    // t_j = q' = sum u_i A/a_i;  x_j = |x_j y_j + q' P A^-2|;  k = sum x_j delta_j / b_j
    let mut products = InB {
        channels: channels_b,
        cox_weights: &spread.cox,
        scaled_p: moduli.scaled_p.each_ref().map(|p| &p[..rows_b]),
        y: other.map(|other| other.map(|y| &y[rows_a..])),
        x: in_b,
        cox: [V::splat(0.0); N],
    };
    let u = scratch.u.each_ref().map(|u| &u[..rows_a]);
    spread.a_to_b.multiply::<V, N>(u, &[], &mut products);
    // x_i = |sum x_j delta_j B/b_j - k B|_{a_i}
    let InB { x: in_b, cox, .. } = products;
    let mut quotients = [[0.0; N]; 2];
    for n in 0..N {
        [quotients[0][n], quotients[1][n]] = cox_quotient(cox[n]);
    }
    let mut reduced = Reduced {
        channels: channels_a,
        out: in_a,
    };
    let in_b = in_b.each_ref().map(|x| &**x);
    spread
        .b_to_a
        .multiply::<V, N>(in_b, &quotients, &mut reduced);
}

/// Takes the sums of the quotient's extension, and computes the product in base B from them.
struct InB<'a, V, const N: usize> {
    channels: &'a [[Octet; 2]],
    cox_weights: &'a [Octet],
    scaled_p: [&'a [Octet]; N],
    /// The second factor, if it is not x itself.
    y: Option<[&'a [Octet]; N]>,
    x: [&'a mut [Octet]; N],
    cox: [V; N],
}

impl<V: Vector<WIDTH>, const N: usize> Sums<V, N> for InB<'_, V, N> {
    #[inline(always)]
    fn take(&mut self, row: usize, sums: [V; N]) {
        let channel = channel::<V>(&self.channels[row]);
        let weights = V::load(&self.cox_weights[row]);
        for n in 0..N {
            let x = V::load(&self.x[n][row]);
            let y = match self.y {
                Some(y) => V::load(&y[n][row]),
                None => x,
            };
            let scaled = V::load(&self.scaled_p[n][row]);
            let t = sums[n].reduce(channel);
            let reduced = t.mul_add(scaled, x.mul(y)).reduce(channel);
            reduced.store(&mut self.x[n][row]);
            self.cox[n] = reduced.mul_add(weights, self.cox[n]);
        }
    }
}

/// Reduces and stores sums.
struct Reduced<'a, const N: usize> {
    channels: &'a [[Octet; 2]],
    out: [&'a mut [Octet]; N],
}

impl<V: Vector<WIDTH>, const N: usize> Sums<V, N> for Reduced<'_, N> {
    #[inline(always)]
    fn take(&mut self, row: usize, sums: [V; N]) {
        let channel = channel::<V>(&self.channels[row]);
        for n in 0..N {
            sums[n].reduce(channel).store(&mut self.out[n][row]);
        }
    }
}

/// Stores sums.
struct Stored<'a, const N: usize>([&'a mut [Octet]; N]);

impl<V: Vector<WIDTH>, const N: usize> Sums<V, N> for Stored<'_, N> {
    #[inline(always)]
    fn take(&mut self, row: usize, sums: [V; N]) {
        for n in 0..N {
            sums[n].store(&mut self.0[n][row]);
        }
    }
}

/// A linear operation on stored residues, row by row.
struct Linear<'a, const N: usize> {
    spread: &'a SpreadPlan,
    x: &'a mut SpreadFloats<N>,
    change: Change<'a, N>,
}

/// The change of x by a linear operation.
#[derive(Clone, Copy)]
enum Change<'a, const N: usize> {
    /// `x := x + y`.
    Add(&'a SpreadFloats<N>),
    /// `x := x - y`.
    Subtract(&'a SpreadFloats<N>),
    /// `x := factor x`, for a factor of at most `2^16` in absolute value.
    Scale(f64),
    /// `x := x + y z`, or `x - y z` if `negative`, in each channel by itself.
    AddProduct {
        negative: bool,
        y: &'a SpreadFloats<N>,
        z: &'a SpreadFloats<N>,
    },
}

impl<const N: usize> Kernel<WIDTH> for Linear<'_, N> {
    #[inline(always)]
    fn run<V: Vector<WIDTH>>(self) {
        let rows = self.spread.channels.len();
        for (n, row) in (0..N).flat_map(|n| (0..rows).map(move |row| (n, row))) {
            let k = n * rows + row;
            let value = V::load(&self.x.rows[k]);
            let changed = match self.change {
                Change::Add(y) => value.add(V::load(&y.rows[k])),
                Change::Subtract(y) => value.sub(V::load(&y.rows[k])),
                Change::Scale(factor) => value.mul(V::splat(factor)),
                Change::AddProduct { negative, y, z } => {
                    let (y, z) = (V::load(&y.rows[k]), V::load(&z.rows[k]));
                    if negative {
                        y.neg_mul_add(z, value)
                    } else {
                        y.mul_add(z, value)
                    }
                }
            };
            let reduced = changed.reduce(channel(&self.spread.channels[row]));
            reduced.store(&mut self.x.rows[k]);
        }
    }
}

/// `out :=` the stored residues of integers in digits.
struct Enter<'a, const N: usize> {
    spread: &'a SpreadPlan,
    digits: [&'a [Octet]; N],
    out: &'a mut SpreadFloats<N>,
}

impl<const N: usize> Kernel<WIDTH> for Enter<'_, N> {
    #[inline(always)]
    fn run<V: Vector<WIDTH>>(self) {
        let (_, out) = self.out.split_each_mut(0);
        let channels = &self.spread.channels;
        let mut reduced = Reduced { channels, out };
        let matrix = &self.spread.from_digits;
        matrix.multiply::<V, N>(self.digits, &[], &mut reduced);
    }
}

/// `columns :=` the digits of the integers with these stored residues, without propagated carries.
struct Leave<'a, const N: usize> {
    spread: &'a SpreadPlan,
    x: &'a SpreadFloats<N>,
    columns: [&'a mut [Octet]; N],
}

impl<const N: usize> Kernel<WIDTH> for Leave<'_, N> {
    #[inline(always)]
    fn run<V: Vector<WIDTH>>(self) {
        let Self { spread, x, columns } = self;
        let [rows_a, rows_b] = spread.rows;
        let (_, channels_b) = spread.split_channels();
        // The digits of B/b_j, then the Cox quotient.
        let mut xi = [(); N].map(|()| Zeroizing::new(vec![Row([0.0; WIDTH]); rows_b]));
        let mut quotients = [0.0; N];
        for n in 0..N {
            let mut cox = V::splat(0.0);
            for j in 0..rows_b {
                let channel = channel::<V>(&channels_b[j]);
                let factor = V::load(&spread.to_digit[j]);
                let digit = V::load(&x.of(n)[rows_a + j]).mul(factor).reduce(channel);
                digit.store(&mut xi[n][j]);
                cox = digit.mul_add(channel.inverse, cox);
            }
            let [low, high] = cox_quotient(cox);
            quotients[n] = low + high * COX_SPLIT;
        }
        let xi = xi.each_ref().map(|xi| &***xi);
        let matrix = &spread.to_digits;
        matrix.multiply::<V, N>(xi, &[quotients], &mut Stored(columns));
    }
}

/// `out :=` each number's entry of a table. All entries are read.
struct Select<'a, const N: usize> {
    table: &'a SpreadTable<N>,
    /// Masks for each number and each entry: all ones if the number gets the entry.
    masks: [&'a [Row<u32, WIDTH>]; N],
    out: &'a mut SpreadFloats<N>,
}

impl<const N: usize> Kernel<WIDTH> for Select<'_, N> {
    #[inline(always)]
    fn run<V: Vector<WIDTH>>(self) {
        for n in 0..N {
            for (out, entries) in self.out.of_mut(n).iter_mut().zip(self.table.of(n)) {
                V::select(entries, self.masks[n]).store(out);
            }
        }
    }
}

/// A group of N numbers.
struct SpreadGroup<'a, S, const N: usize> {
    set: S,
    plan: Cow<'a, FloatPlan>,
    spread: Cow<'a, SpreadPlan>,
    prepared: Vec<&'a FloatModulus>,
    moduli: Moduli<N>,
    scratch: Scratch<N>,
}

impl<'a, S: InstructionSet<WIDTH>, const N: usize> SpreadGroup<'a, S, N> {
    fn new(set: S, members: &[Member<'a>]) -> Self {
        let prepared: Vec<&'a FloatModulus> =
            members.iter().map(|member| own(member.modulus)).collect();
        let plan = &*prepared[0].plan;
        let same_plan = |modulus: &&FloatModulus| Arc::ptr_eq(&modulus.plan, &prepared[0].plan);
        debug_assert!(prepared.iter().all(same_plan));
        let spread = plan.spread();
        let constants = |constants: fn(&FloatModulus) -> &[f64]| {
            core::array::from_fn(|n| Zeroizing::new(octets(constants(prepared[n]))))
        };
        let mut a_squared = SpreadFloats::zero(spread);
        for (n, modulus) in prepared.iter().enumerate() {
            a_squared.set(n, &modulus.a_squared, plan.a.len());
        }
        let scratch = |rows| [(); N].map(|()| Zeroizing::new(vec![Row([0.0; WIDTH]); rows]));
        Self {
            set,
            plan: Cow::Borrowed(plan),
            moduli: Moduli {
                to_quotient: constants(|modulus| &modulus.to_quotient),
                scaled_p: constants(|modulus| &modulus.scaled_p),
                a_squared,
            },
            scratch: Scratch {
                u: scratch(spread.rows[0]),
                columns: scratch(spread.to_digits.rows()),
                masks: [(); N].map(|()| Zeroizing::new(Vec::new())),
            },
            spread: Cow::Borrowed(spread),
            prepared,
        }
    }

    fn product(&mut self, x: &mut SpreadFloats<N>, operand: Operand<'_, N>) {
        self.set.run(Product {
            spread: &self.spread,
            moduli: &self.moduli,
            x,
            operand,
            scratch: &mut self.scratch,
        });
        debug_assert!(self.is_reduced(x));
    }

    fn linear(&self, x: &mut SpreadFloats<N>, change: Change<'_, N>) {
        self.set.run(Linear {
            spread: &self.spread,
            x,
            change,
        });
        debug_assert!(self.is_reduced(x));
    }

    /// One number's stored residues, the channels of A first.
    fn residues(&self, x: &SpreadFloats<N>, n: usize) -> Vec<f64> {
        let [rows_a, _] = self.spread.rows;
        let (in_a, in_b) = x.of(n).split_at(rows_a);
        let lanes = |rows: &[Octet], count: usize| -> Vec<f64> {
            rows.iter().flat_map(|row| row.0).take(count).collect()
        };
        [
            lanes(in_a, self.plan.a.len()),
            lanes(in_b, self.plan.b.len()),
        ]
        .concat()
    }

    /// Whether every residue is an integer within its channel's bound.
    fn is_reduced(&self, x: &SpreadFloats<N>) -> bool {
        (0..N).all(|n| {
            let residues = self.residues(x, n);
            let mut pairs = residues.iter().zip(&self.plan.channels);
            pairs.all(|(x, channel)| x.abs() <= channel.bound() && x.fract() == 0.0)
        })
    }
}

impl<S: InstructionSet<WIDTH>, const N: usize> Group for SpreadGroup<'_, S, N> {
    type Numbers = SpreadFloats<N>;
    type Table = SpreadTable<N>;

    const WIDTH: usize = N;

    fn zero(&self) -> SpreadFloats<N> {
        SpreadFloats::zero(&self.spread)
    }

    fn copy(&self, from: &SpreadFloats<N>, to: &mut SpreadFloats<N>) {
        to.rows.copy_from_slice(&from.rows);
    }

    fn enter(&self, words: &[&[Word]], out: &mut SpreadFloats<N>) {
        let plan = &*self.plan;
        let digits = core::array::from_fn(|n| octets(&plan.digits_in(words[n])));
        let digits: Zeroizing<[Vec<Octet>; N]> = Zeroizing::new(digits);
        self.set.run(Enter {
            spread: &self.spread,
            digits: digits.each_ref().map(|digits| &**digits),
            out,
        });
    }

    fn one(&self, out: &mut SpreadFloats<N>) {
        self.enter(&[&[1][..]; N], out);
    }

    fn montgomery_square(&self, out: &mut SpreadFloats<N>) {
        self.copy(&self.moduli.a_squared, out);
    }

    fn own_constants(&self, members: &[Member<'_>], numbers: &[u64], out: &mut SpreadFloats<N>) {
        for (n, (member, &number)) in members.iter().zip(numbers).enumerate() {
            out.set(n, own_residues(member, number as usize), self.plan.a.len());
        }
    }

    fn select_own(
        &self,
        members: &[Member<'_>],
        table: OwnTable,
        digits: &[u64],
        out: &mut SpreadFloats<N>,
    ) {
        for (n, (member, &digit)) in members.iter().zip(digits).enumerate() {
            let join = |x: f64, constant: f64, mask: u64| {
                f64::from_bits(x.to_bits() | constant.to_bits() & mask)
            };
            let residues = select_words(member, table, digit, own_residues, join);
            out.set(n, &residues, self.plan.a.len());
        }
    }

    fn multiply(&mut self, x: &mut SpreadFloats<N>, y: &SpreadFloats<N>) {
        self.product(x, Operand::Other(y));
    }

    fn square_times(&mut self, x: &mut SpreadFloats<N>, times: u32) {
        self.product(x, Operand::Itself(times));
    }

    fn sum_of_products(
        &mut self,
        terms: &[(bool, &SpreadFloats<N>, &SpreadFloats<N>)],
        out: &mut SpreadFloats<N>,
    ) {
        out.rows.fill(Row([0.0; WIDTH]));
        for &(negative, y, z) in terms {
            self.linear(out, Change::AddProduct { negative, y, z });
        }
        // A product with the residue 1 in every channel reduces the sum as it is.
        let mut ones = self.zero();
        ones.rows.fill(Row([1.0; WIDTH]));
        self.product(out, Operand::Other(&ones));
    }

    fn combine(
        &self,
        terms: &[(i32, &SpreadFloats<N>)],
        _lift: u64,
        _fold: bool,
        spare: &mut SpreadFloats<N>,
        out: &mut SpreadFloats<N>,
    ) {
        self.combine_stepwise(terms, spare, out);
    }

    fn choose(&self, bits: &[u64], x: &mut SpreadFloats<N>, y: &SpreadFloats<N>) {
        let masks: Zeroizing<Vec<[u64; N]>> = masks(2, bits, |masks| masks);
        for n in 0..N {
            for (x, y) in x.of_mut(n).iter_mut().zip(y.of(n)) {
                for l in 0..WIDTH {
                    let bits = (x[l].to_bits() & masks[0][n]) | (y[l].to_bits() & masks[1][n]);
                    x[l] = f64::from_bits(bits);
                }
            }
        }
    }

    fn table(&self, entries: usize, _: bool) -> SpreadTable<N> {
        SpreadTable {
            entries,
            rows: vec![Packed([0; WIDTH]); N * entries * self.spread.channels.len()],
        }
    }

    fn store(&self, table: &mut SpreadTable<N>, entry: usize, numbers: &SpreadFloats<N>) {
        self.store_at(table, &[entry as u64; N], numbers);
    }

    fn store_at(&self, table: &mut SpreadTable<N>, entries: &[u64], numbers: &SpreadFloats<N>) {
        for n in 0..N {
            for (row, octet) in table.of_mut(n).zip(numbers.of(n)) {
                row[entries[n] as usize] = Packed(octet.map(entry));
            }
        }
    }

    fn load(&self, table: &SpreadTable<N>, entry: usize, out: &mut SpreadFloats<N>) {
        self.select_public(table, &[entry as u64; N], out);
    }

    fn select(&mut self, table: &SpreadTable<N>, indices: &[u64], out: &mut SpreadFloats<N>) {
        for (masks, index) in self.scratch.masks.iter_mut().zip(indices) {
            let index = core::slice::from_ref(index);
            write_masks(masks, table.entries, index, |[mask]| {
                Row([mask as u32; WIDTH])
            });
        }
        self.set.run(Select {
            table,
            masks: self.scratch.masks.each_ref().map(|masks| &***masks),
            out,
        });
    }

    fn select_public(&self, table: &SpreadTable<N>, indices: &[u64], out: &mut SpreadFloats<N>) {
        for n in 0..N {
            for (out, row) in out.of_mut(n).iter_mut().zip(table.of(n)) {
                *out = Row(row[indices[n] as usize].map(value));
            }
        }
    }

    fn leave(&mut self, x: &SpreadFloats<N>, count: usize) -> Vec<Zeroizing<BoxedUint>> {
        self.set.run(Leave {
            spread: &self.spread,
            x,
            columns: self
                .scratch
                .columns
                .each_mut()
                .map(|columns| &mut ***columns),
        });
        let plan = &*self.plan;
        let numbers = self.prepared[..count].iter().zip(&self.scratch.columns);
        numbers
            .map(|(modulus, columns)| {
                let columns = columns.iter().flat_map(|row| row.0);
                plan.join(columns.take(plan.to_digits.rows()), &modulus.words)
            })
            .collect()
    }

    #[cfg(any(test, feature = "testing", debug_assertions))]
    fn is_within(
        &self,
        x: &SpreadFloats<N>,
        member: usize,
        magnitude: &crate::program::Magnitude,
    ) -> bool {
        let modulus = self.prepared[member];
        let residues = self.residues(x, member);
        // Not the group's own plan, which a test may have broken.
        modulus.plan.is_within(&residues, &modulus.words, magnitude)
    }

    #[cfg(any(test, feature = "testing"))]
    #[inline(never)]
    fn flip_word(&self, x: &mut SpreadFloats<N>, place: u64) {
        let (n, row, lane, bit) = self.split_place(place);
        let residue = &mut x.of_mut(n)[row][lane];
        *residue = (*residue as i64 ^ 1 << bit) as f64;
    }

    #[cfg(any(test, feature = "testing"))]
    #[inline(never)]
    fn flip_entry(&self, table: &mut SpreadTable<N>, place: u64) {
        let (n, row, lane, bit) = self.split_place(place);
        let number = (place >> 40) as usize % table.entries;
        let row = table.of_mut(n).nth(row).expect("a number has the row");
        let residue = &mut row[number].0[lane];
        *residue = entry((value(*residue) as i64 ^ 1 << bit) as f64);
    }

    #[cfg(any(test, feature = "testing"))]
    #[inline(never)]
    fn with_flipped_weight(&mut self, place: u64, operation: impl FnOnce(&mut Self)) {
        let (plan, spread) = (self.plan.clone(), self.spread.clone());
        self.plan.to_mut().flip_weight(place);
        self.spread = Cow::Owned(self.plan.make_spread());
        operation(self);
        (self.plan, self.spread) = (plan, spread);
    }

    #[cfg(any(test, feature = "testing"))]
    #[inline(never)]
    fn with_flipped_constant(&mut self, place: u64, operation: impl FnOnce(&mut Self)) {
        let (n, row, lane, bit) = self.split_place(place);
        let flip = |group: &mut Self| {
            let row = match row.checked_sub(group.spread.rows[0]) {
                None => &mut group.moduli.to_quotient[n][row],
                Some(row) => &mut group.moduli.scaled_p[n][row],
            };
            row[lane] = (row[lane] as i64 ^ 1 << bit) as f64;
        };
        flip(self);
        operation(self);
        flip(self);
    }
}

impl<S: InstructionSet<WIDTH>, const N: usize> Stepwise for SpreadGroup<'_, S, N> {
    fn add(&self, x: &mut SpreadFloats<N>, y: &SpreadFloats<N>) {
        self.linear(x, Change::Add(y));
    }

    fn subtract(&self, x: &mut SpreadFloats<N>, y: &SpreadFloats<N>) {
        self.linear(x, Change::Subtract(y));
    }

    fn scale(&self, x: &mut SpreadFloats<N>, factor: u32, negative: bool) {
        self.linear(
            x,
            Change::Scale(if negative {
                -f64::from(factor)
            } else {
                factor.into()
            }),
        );
    }
}

#[cfg(any(test, feature = "testing"))]
impl<S, const N: usize> SpreadGroup<'_, S, N> {
    /// The number, the row, the lane, and the bit that `place` selects for a fault.
    fn split_place(&self, place: u64) -> (usize, usize, usize, u32) {
        let (n_a, n_b) = (self.plan.a.len(), self.plan.b.len());
        let (n, channel, bit) = split_place(place, N, n_a + n_b, RESIDUE_BITS);
        match channel.checked_sub(n_a) {
            None => (n, channel / WIDTH, channel % WIDTH, bit),
            Some(j) => (n, self.spread.rows[0] + j / WIDTH, j % WIDTH, bit),
        }
    }
}

/// The entry of a residue.
fn entry(residue: f64) -> u32 {
    (residue as f32).to_bits()
}

/// The residue of an entry.
#[inline(always)]
fn value(entry: u32) -> f64 {
    f32::from_bits(entry).into()
}

/// Number of bits of a residue that faults strike, with its sign.
#[cfg(any(test, feature = "testing"))]
const RESIDUE_BITS: u32 = 24;

/// The residues of a constant that a member brings.
fn own_residues<'a>(member: &Member<'a>, number: usize) -> &'a [f64] {
    &own_constants(member).0[number]
}

/// The constants that a member brings.
fn own_constants<'a>(member: &Member<'a>) -> &'a FloatConstants {
    own(member
        .constants
        .expect("the engine has checked that a member brings the constants"))
}
