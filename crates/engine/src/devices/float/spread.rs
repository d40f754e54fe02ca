//! Groups of one or two numbers, each spread over the lanes: a row holds eight channels of one
//! number. This layout has the least latency.
//!
//! A base extension broadcasts each residue in turn and multiplies it with its weights for all
//! channels of the other base. Two numbers share the loads of the weights.

use std::{borrow::Cow, sync::Arc};

use crypto_bigint::{BoxedUint, Word};
use zeroize::{Zeroize, Zeroizing};

use super::{
    dispatch::{InstructionSet, Kernel},
    lanes::own_residues,
    plan::{COX_SPLIT, Channel, FloatModulus, FloatPlan},
    vector::{ChannelVector, TO_INTEGER, Vector},
};
#[cfg(any(test, feature = "testing"))]
use crate::devices::lanes::split_place;
use crate::{
    device::{Member, Outcome, Work, own},
    devices::{
        group::{Group, Residues},
        interpreter,
        lanes::{masks, select_residues},
        row::Row,
    },
    program::OwnTable,
};

/// Channels in a row.
pub(super) const WIDTH: usize = 8;

/// Eight channels of one number.
type Octet = Row<f64, WIDTH>;

/// Runs the work as one group of N numbers.
pub(super) fn run<S: InstructionSet<WIDTH>, const N: usize>(
    set: S,
    work: &Work<'_>,
) -> Vec<Outcome> {
    interpreter::run(work, |members| SpreadGroup::<S, N>::new(set, members))
}

/// Weights of eight channels, which float32 holds exactly: half the memory that a product reads.
#[derive(Clone, Copy)]
#[repr(C, align(32))]
struct Weights([f32; WIDTH]);

/// The values in rows of eight, filled up with zeros.
fn octets(values: &[f64]) -> Vec<Octet> {
    let row = |values: &[f64]| {
        Row(core::array::from_fn(|l| {
            values.get(l).copied().unwrap_or(0.0)
        }))
    };
    values.chunks(WIDTH).map(row).collect()
}

/// A plan in rows of eight channels. Those that fill up a last row have zero weights, so that their
/// residues stay zero.
#[derive(Clone)]
pub(super) struct SpreadPlan {
    /// Channels of base A, and of base B.
    inputs: [usize; 2],
    /// Rows of base A, and of base B.
    rows: [usize; 2],
    /// The channels' moduli and their inverses; 1 in those that fill up.
    channels: Vec<[Octet; 2]>,
    /// The weights of each input, in rows.
    a_to_b: Vec<Weights>,
    b_to_a: Vec<Weights>,
    from_digits: Vec<Weights>,
    to_digits: Vec<Weights>,
    /// Rows of digits of a result.
    digit_rows: usize,
    /// [`FloatPlan::to_digit`].
    to_digit: Vec<Octet>,
    /// [`FloatPlan::cox`].
    cox: Vec<Octet>,
}

impl SpreadPlan {
    /// The spread form of a plan.
    pub(super) fn new(plan: &FloatPlan) -> Self {
        let channels = |channels: &[Channel]| -> Vec<[Octet; 2]> {
            let constants = |f: fn(&Channel) -> f64| {
                let mut values: Vec<f64> = channels.iter().map(f).collect();
                values.resize(channels.len().next_multiple_of(WIDTH), 1.0);
                octets(&values)
            };
            let (m, inverse) = (constants(|c| c.m), constants(|c| c.inverse));
            m.into_iter()
                .zip(inverse)
                .map(|(m, inverse)| [m, inverse])
                .collect()
        };
        let (in_a, in_b) = plan.split_channels();
        let (in_a, in_b) = (channels(in_a), channels(in_b));
        let weights = |row: Octet| Weights(row.0.map(|weight| weight as f32));
        let columns = |columns: Vec<Vec<f64>>| -> Vec<Weights> {
            let rows = columns.iter().flat_map(|column| octets(column));
            rows.map(weights).collect()
        };
        let n_a = plan.a.len();
        let from_digits = plan
            .from_digits
            .to_columns()
            .into_iter()
            .flat_map(|column| {
                let (in_a, in_b) = column.split_at(n_a);
                [octets(in_a), octets(in_b)].concat()
            });
        Self {
            inputs: [plan.a.len(), plan.b.len()],
            rows: [in_a.len(), in_b.len()],
            a_to_b: columns(plan.a_to_b.to_columns()),
            b_to_a: columns(plan.b_to_a.to_columns()),
            from_digits: from_digits.map(weights).collect(),
            to_digits: columns(plan.to_digits.to_columns()),
            digit_rows: plan.to_digits.rows().div_ceil(WIDTH),
            to_digit: octets(&plan.to_digit),
            cox: octets(&plan.cox),
            channels: [in_a, in_b].concat(),
        }
    }

    /// The channels of a row, those of A first.
    #[inline(always)]
    fn channel<V: Vector<WIDTH>>(&self, row: usize) -> ChannelVector<V> {
        let [m, inverse] = &self.channels[row];
        ChannelVector {
            m: V::load(m),
            inverse: V::load(inverse),
        }
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

/// A table of numbers: for each number its entries in order. Wiped on drop.
pub(super) struct SpreadTable<const N: usize> {
    entries: usize,
    rows: Vec<Octet>,
}

impl<const N: usize> SpreadTable<N> {
    /// The rows of all entries of one number.
    fn of(&self, n: usize) -> &[Octet] {
        let rows = self.rows.len() / N;
        &self.rows[n * rows..(n + 1) * rows]
    }
}

impl<const N: usize> Drop for SpreadTable<N> {
    fn drop(&mut self) {
        self.rows.zeroize();
    }
}

/// What a product multiplies with its first operand.
#[derive(Clone, Copy)]
enum Operand<'a, const N: usize> {
    /// The first operand itself, this many times.
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

/// Scratch space of each number: the quotient, and sums.
struct Scratch<const N: usize> {
    u: [Zeroizing<Vec<Octet>>; N],
    sums: [Zeroizing<Vec<Octet>>; N],
}

/// `sums :=` the sums of weights times the first `count` lanes of x, of `rows` rows.
#[inline(always)]
fn extend<V: Vector<WIDTH>, const N: usize>(
    weights: &[Weights],
    count: usize,
    rows: usize,
    x: [&[Octet]; N],
    sums: &mut [Zeroizing<Vec<Octet>>; N],
) {
    let mut first = 0;
    while first < rows {
        first += match rows - first {
            left if left >= 6 && N * 6 <= 2 * V::SUMS => {
                extend_rows::<V, 6, N>(weights, count, [rows, first], x, sums)
            }
            left if left >= 3 && N * 3 <= 2 * V::SUMS => {
                extend_rows::<V, 3, N>(weights, count, [rows, first], x, sums)
            }
            2 => extend_rows::<V, 2, N>(weights, count, [rows, first], x, sums),
            _ => extend_rows::<V, 1, N>(weights, count, [rows, first], x, sums),
        };
    }
}

/// [`extend`] for R rows, from row `first` of `rows` on. Returns R.
#[inline(always)]
fn extend_rows<V: Vector<WIDTH>, const R: usize, const N: usize>(
    weights: &[Weights],
    count: usize,
    [rows, first]: [usize; 2],
    x: [&[Octet]; N],
    sums: &mut [Zeroizing<Vec<Octet>>; N],
) -> usize {
    let mut accumulators = [[V::splat(0.0); R]; N];
    let mut at = first;
    for (octet, start) in (0..count).step_by(WIDTH).enumerate() {
        for lane in 0..WIDTH.min(count - start) {
            let weights = &weights[at..at + R];
            at += rows;
            for r in 0..R {
                let weight = V::load_f32(&weights[r].0);
                for n in 0..N {
                    let x = V::splat(x[n][octet][lane]);
                    accumulators[n][r] = x.mul_add(weight, accumulators[n][r]);
                }
            }
        }
    }
    for n in 0..N {
        for r in 0..R {
            accumulators[n][r].store(&mut sums[n][first + r]);
        }
    }
    R
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

/// A modular product, `x := x y A^-1` modulo P. Requires and ensures what a product in lanes does.
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
    let [rows_a, rows_b] = spread.rows;
    // u_i = |x y (-P^-1) (A/a_i)^-1|_{a_i}
    for n in 0..N {
        let x = x.of(n);
        let y = match other {
            Some(y) => y.of(n),
            None => x,
        };
        for row in 0..rows_a {
            let channel = spread.channel::<V>(row);
            let product = V::load(&x[row]).mul(V::load(&y[row])).reduce(channel);
            let factor = V::load(&moduli.to_quotient[n][row]);
            product
                .mul(factor)
                .reduce(channel)
                .store(&mut scratch.u[n][row]);
        }
    }
    // t_j = q' = sum u_i A/a_i;  x_j = |x_j y_j + q' P A^-2|;  k = sum x_j delta_j / b_j
    let u = scratch.u.each_ref().map(|u| &u[..rows_a]);
    extend::<V, N>(
        &spread.a_to_b,
        spread.inputs[0],
        rows_b,
        u,
        &mut scratch.sums,
    );
    let mut quotients = [[0.0; 2]; N];
    for n in 0..N {
        let x = x.of_mut(n);
        let mut cox = V::splat(0.0);
        for j in 0..rows_b {
            let channel = spread.channel::<V>(rows_a + j);
            let own = V::load(&x[rows_a + j]);
            let y = match other {
                Some(y) => V::load(&y.of(n)[rows_a + j]),
                None => own,
            };
            let t = V::load(&scratch.sums[n][j]).reduce(channel);
            let scaled = V::load(&moduli.scaled_p[n][j]);
            let reduced = t.mul_add(scaled, own.mul(y)).reduce(channel);
            reduced.store(&mut x[rows_a + j]);
            cox = reduced.mul_add(V::load(&spread.cox[j]), cox);
        }
        quotients[n] = cox_quotient(cox);
    }
    // x_i = |sum x_j delta_j B/b_j - k B|_{a_i}
    let in_b = core::array::from_fn(|n| &x.of(n)[rows_a..]);
    extend::<V, N>(
        &spread.b_to_a,
        spread.inputs[1],
        rows_a,
        in_b,
        &mut scratch.sums,
    );
    let weights = &spread.b_to_a[spread.b_to_a.len() - 2 * rows_a..];
    for n in 0..N {
        let [low, high] = quotients[n].map(V::splat);
        let x = x.of_mut(n);
        for i in 0..rows_a {
            let of_low = V::load_f32(&weights[i].0);
            let of_high = V::load_f32(&weights[rows_a + i].0);
            let sum = V::load(&scratch.sums[n][i]);
            let sum = high.mul_add(of_high, low.mul_add(of_low, sum));
            sum.reduce(spread.channel(i)).store(&mut x[i]);
        }
    }
}

/// A linear operation on stored residues, row by row.
struct Linear<'a, const N: usize> {
    spread: &'a SpreadPlan,
    x: &'a mut SpreadFloats<N>,
    change: Change<'a, N>,
}

/// What a linear operation does to x.
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
            let reduced = changed.reduce(self.spread.channel(row));
            reduced.store(&mut self.x.rows[k]);
        }
    }
}

/// `sums := ` the sums of a matrix, reduced if they are residues.
struct Convert<'a, const N: usize> {
    spread: &'a SpreadPlan,
    direction: Direction<'a, N>,
    sums: &'a mut [Zeroizing<Vec<Octet>>; N],
}

/// What is converted.
#[derive(Clone, Copy)]
enum Direction<'a, const N: usize> {
    /// Digits of integers, into residues.
    Enter {
        digits: &'a [Vec<Octet>; N],
        count: usize,
    },
    /// Numbers, into columns of digits that are not carried.
    Leave(&'a SpreadFloats<N>),
}

impl<const N: usize> Kernel<WIDTH> for Convert<'_, N> {
    #[inline(always)]
    fn run<V: Vector<WIDTH>>(self) {
        let Self {
            spread,
            direction,
            sums,
        } = self;
        let [rows_a, rows_b] = spread.rows;
        match direction {
            Direction::Enter { digits, count } => {
                let digits = digits.each_ref().map(|digits| &**digits);
                extend::<V, N>(&spread.from_digits, count, rows_a + rows_b, digits, sums);
                for sums in sums {
                    for row in 0..rows_a + rows_b {
                        let sum = V::load(&sums[row]);
                        sum.reduce(spread.channel(row)).store(&mut sums[row]);
                    }
                }
            }
            Direction::Leave(x) => {
                // The digits of B/b_j, then the Cox quotient.
                let n_b = spread.inputs[1];
                let mut xi = [(); N].map(|()| Zeroizing::new(vec![Row([0.0; WIDTH]); rows_b + 1]));
                for n in 0..N {
                    let mut cox = V::splat(0.0);
                    for j in 0..rows_b {
                        let channel = spread.channel::<V>(rows_a + j);
                        let factor = V::load(&spread.to_digit[j]);
                        let digit = V::load(&x.of(n)[rows_a + j]).mul(factor).reduce(channel);
                        digit.store(&mut xi[n][j]);
                        cox = digit.mul_add(channel.inverse, cox);
                    }
                    let [low, high] = cox_quotient(cox);
                    xi[n][n_b / WIDTH][n_b % WIDTH] = low + high * COX_SPLIT;
                }
                let rows = spread.digit_rows;
                let xi = xi.each_ref().map(|xi| &***xi);
                extend::<V, N>(&spread.to_digits, n_b + 1, rows, xi, sums);
            }
        }
    }
}

/// `out :=` each number's entry of a table. All entries are read.
struct Select<'a, const N: usize> {
    table: &'a SpreadTable<N>,
    masks: &'a [[u64; N]],
    out: &'a mut SpreadFloats<N>,
}

impl<const N: usize> Kernel<WIDTH> for Select<'_, N> {
    #[inline(always)]
    fn run<V: Vector<WIDTH>>(self) {
        for n in 0..N {
            let out = self.out.of_mut(n);
            let rows = out.len();
            for (row, out) in out.iter_mut().enumerate() {
                let mut selected = [0; WIDTH];
                let entries = self.table.of(n).iter().skip(row).step_by(rows);
                for (entry, mask) in entries.zip(self.masks) {
                    for l in 0..WIDTH {
                        selected[l] |= entry[l].to_bits() & mask[n];
                    }
                }
                *out = Row(selected.map(f64::from_bits));
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
        let rows = spread.channels.len().max(spread.digit_rows);
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
                sums: scratch(rows),
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
        let digits = Zeroizing::new(digits);
        let mut sums =
            [(); N].map(|()| Zeroizing::new(vec![Row([0.0; WIDTH]); self.spread.channels.len()]));
        self.set.run(Convert {
            spread: &self.spread,
            direction: Direction::Enter {
                digits: &digits,
                count: plan.from_digits.columns(),
            },
            sums: &mut sums,
        });
        for (n, sums) in sums.iter().enumerate() {
            out.of_mut(n).copy_from_slice(sums);
        }
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
            let residues = select_residues(member, table, digit, own_residues, join);
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
        self.combine_residues(terms, spare, out);
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

    fn table(&self, entries: usize) -> SpreadTable<N> {
        SpreadTable {
            entries,
            rows: vec![Row([0.0; WIDTH]); N * entries * self.spread.channels.len()],
        }
    }

    fn store(&self, table: &mut SpreadTable<N>, entry: usize, numbers: &SpreadFloats<N>) {
        self.store_at(table, &[entry as u64; N], numbers);
    }

    fn store_at(&self, table: &mut SpreadTable<N>, entries: &[u64], numbers: &SpreadFloats<N>) {
        let rows = numbers.rows.len() / N;
        for n in 0..N {
            let first = (n * table.entries + entries[n] as usize) * rows;
            table.rows[first..first + rows].copy_from_slice(numbers.of(n));
        }
    }

    fn load(&self, table: &SpreadTable<N>, entry: usize, out: &mut SpreadFloats<N>) {
        self.select_public(table, &[entry as u64; N], out);
    }

    fn select(&self, table: &SpreadTable<N>, indices: &[u64], out: &mut SpreadFloats<N>) {
        let masks = masks(table.entries, indices, |masks| masks);
        self.set.run(Select {
            table,
            masks: &masks,
            out,
        });
    }

    fn select_public(&self, table: &SpreadTable<N>, indices: &[u64], out: &mut SpreadFloats<N>) {
        for n in 0..N {
            let out = out.of_mut(n);
            let first = indices[n] as usize * out.len();
            out.copy_from_slice(&table.of(n)[first..first + out.len()]);
        }
    }

    fn leave(&mut self, x: &SpreadFloats<N>, count: usize) -> Vec<Zeroizing<BoxedUint>> {
        self.set.run(Convert {
            spread: &self.spread,
            direction: Direction::Leave(x),
            sums: &mut self.scratch.sums,
        });
        let plan = &*self.plan;
        let numbers = self.prepared[..count].iter().zip(&self.scratch.sums);
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
    fn flip_residue(&self, x: &mut SpreadFloats<N>, place: u64) {
        let (n, row, lane, bit) = self.split_place(place);
        let residue = &mut x.of_mut(n)[row][lane];
        *residue = (*residue as i64 ^ 1 << bit) as f64;
    }

    #[cfg(any(test, feature = "testing"))]
    #[inline(never)]
    fn flip_entry(&self, table: &mut SpreadTable<N>, place: u64) {
        let (n, row, lane, bit) = self.split_place(place);
        let entry = (place >> 40) as usize % table.entries;
        let row = (n * table.entries + entry) * self.spread.channels.len() + row;
        let residue = &mut table.rows[row][lane];
        *residue = (*residue as i64 ^ 1 << bit) as f64;
    }

    #[cfg(any(test, feature = "testing"))]
    #[inline(never)]
    fn with_flipped_weight(&mut self, place: u64, operation: impl FnOnce(&mut Self)) {
        let (plan, spread) = (self.plan.clone(), self.spread.clone());
        self.plan.to_mut().flip_weight(place);
        self.spread = Cow::Owned(SpreadPlan::new(&self.plan));
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

impl<S: InstructionSet<WIDTH>, const N: usize> Residues for SpreadGroup<'_, S, N> {
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
        let [n_a, n_b] = self.spread.inputs;
        let (n, channel, bit) = split_place(place, N, n_a + n_b, super::lanes::RESIDUE_BITS);
        match channel.checked_sub(n_a) {
            None => (n, channel / WIDTH, channel % WIDTH, bit),
            Some(j) => (n, self.spread.rows[0] + j / WIDTH, j % WIDTH, bit),
        }
    }
}
