//! A group of L numbers, one a lane.

use std::{borrow::Cow, sync::Arc};

use crypto_bigint::{BoxedUint, Word};
use zeroize::{Zeroize, Zeroizing};

use super::{
    dispatch::InstructionSet,
    kernels::{Change, Choose, Enter, Leave, Linear, Operand, Product, Select, SelectOwn, Term},
    plan::{FloatConstants, FloatModulus, FloatPlan},
};
#[cfg(any(test, feature = "testing"))]
use crate::devices::lanes::split_place;
use crate::{
    device::{Member, Outcome, Work, own},
    devices::{
        group::{Group, Residues},
        interpreter,
        lanes::{LaneTable, for_alike, masks},
        row::Row,
    },
    program::OwnTable,
};

/// Runs the work as one group of L lanes.
pub(super) fn run<S: InstructionSet<L>, const L: usize>(set: S, work: &Work<'_>) -> Vec<Outcome> {
    interpreter::run(work, |members| FloatLanes::<S, L>::new(set, members))
}

/// L numbers: a row of stored residues for each channel of A, then of B, then two rows for the Cox
/// quotient of a product. Wiped on drop.
#[derive(Default)]
pub(super) struct LaneFloats<const L: usize> {
    rows: Vec<Row<f64, L>>,
}

impl<const L: usize> LaneFloats<L> {
    fn zero(plan: &FloatPlan) -> Self {
        Self {
            rows: vec![Row([0.0; L]); plan.channels.len() + 2],
        }
    }

    /// Sets each lane to its own residues.
    fn transpose(&mut self, residues: &[&[f64]]) {
        for (lane, residues) in residues.iter().enumerate() {
            for (row, residue) in self.rows.iter_mut().zip(*residues) {
                row[lane] = *residue;
            }
        }
    }
}

impl<const L: usize> Drop for LaneFloats<L> {
    fn drop(&mut self) {
        self.rows.zeroize();
    }
}

/// A table of numbers: stored residues as bits of float32, which holds them exactly.
pub(super) type FloatTable<const L: usize> = LaneTable<u32, L>;

/// The entry of a residue.
pub(super) fn entry(residue: f64) -> u32 {
    (residue as f32).to_bits()
}

/// The residue of an entry.
#[inline(always)]
pub(super) fn value(entry: u32) -> f64 {
    f32::from_bits(entry).into()
}

/// A group of L numbers.
struct FloatLanes<'a, S, const L: usize> {
    set: S,
    plan: Cow<'a, FloatPlan>,
    prepared: Vec<&'a FloatModulus>,
    /// The constants of the moduli, a lane each.
    to_quotient: Zeroizing<Vec<Row<f64, L>>>,
    scaled_p: Zeroizing<Vec<Row<f64, L>>>,
    a_squared: LaneFloats<L>,
    /// Scratch space, a row for each channel of a base and one more.
    scratch: Zeroizing<Vec<Row<f64, L>>>,
}

impl<'a, S: InstructionSet<L>, const L: usize> FloatLanes<'a, S, L> {
    fn new(set: S, members: &[Member<'a>]) -> Self {
        let prepared: Vec<&'a FloatModulus> =
            members.iter().map(|member| own(member.modulus)).collect();
        let plan = &*prepared[0].plan;
        let same_plan = |modulus: &&FloatModulus| Arc::ptr_eq(&modulus.plan, &prepared[0].plan);
        debug_assert!(prepared.iter().all(same_plan));
        let rows = |constants: fn(&FloatModulus) -> &[f64]| -> Vec<Row<f64, L>> {
            let count = constants(prepared[0]).len();
            let row = |k| Row(core::array::from_fn(|l| constants(prepared[l])[k]));
            (0..count).map(row).collect()
        };
        let mut a_squared = LaneFloats::zero(plan);
        let residues: Vec<&[f64]> = prepared
            .iter()
            .map(|modulus| &**modulus.a_squared)
            .collect();
        a_squared.transpose(&residues);
        Self {
            set,
            plan: Cow::Borrowed(plan),
            to_quotient: Zeroizing::new(rows(|modulus| &modulus.to_quotient)),
            scaled_p: Zeroizing::new(rows(|modulus| &modulus.scaled_p)),
            a_squared,
            scratch: Zeroizing::new(vec![Row([0.0; L]); plan.a.len().max(plan.b.len()) + 1]),
            prepared,
        }
    }

    fn product(&mut self, x: &mut LaneFloats<L>, operand: Operand<'_, L>) {
        self.set.run(Product {
            plan: &self.plan,
            to_quotient: &self.to_quotient,
            scaled_p: &self.scaled_p,
            x: &mut x.rows,
            operand,
            u: &mut self.scratch[..self.plan.a.len()],
        });
        debug_assert!(self.is_reduced(x));
    }

    fn linear(&self, x: &mut LaneFloats<L>, change: Change<'_, L>) {
        self.set.run(Linear {
            channels: &self.plan.channels,
            x: &mut x.rows,
            change,
        });
        debug_assert!(self.is_reduced(x));
    }

    /// Whether every residue is an integer within its channel's bound.
    fn is_reduced(&self, x: &LaneFloats<L>) -> bool {
        let rows = x.rows.iter().zip(&self.plan.channels);
        let mut lanes = rows.flat_map(|(row, channel)| row.iter().map(|x| (*x, channel.bound())));
        lanes.all(|(x, bound)| x.abs() <= bound && x.fract() == 0.0)
    }
}

impl<S: InstructionSet<L>, const L: usize> Group for FloatLanes<'_, S, L> {
    type Numbers = LaneFloats<L>;
    type Table = FloatTable<L>;

    const WIDTH: usize = L;

    fn zero(&self) -> LaneFloats<L> {
        LaneFloats::zero(&self.plan)
    }

    fn copy(&self, from: &LaneFloats<L>, to: &mut LaneFloats<L>) {
        to.rows.copy_from_slice(&from.rows);
    }

    fn enter(&self, words: &[&[Word]], out: &mut LaneFloats<L>) {
        let plan = &*self.plan;
        let mut rows = Zeroizing::new(vec![Row([0.0; L]); plan.from_digits.columns()]);
        for (lane, words) in words.iter().enumerate() {
            for (row, digit) in rows.iter_mut().zip(plan.digits_in(words).iter()) {
                row[lane] = *digit;
            }
        }
        self.set.run(Enter {
            plan,
            digits: &rows,
            out: &mut out.rows,
        });
    }

    fn one(&self, out: &mut LaneFloats<L>) {
        self.enter(&[&[1][..]; L], out);
    }

    fn montgomery_square(&self, out: &mut LaneFloats<L>) {
        self.copy(&self.a_squared, out);
    }

    fn own_constants(&self, members: &[Member<'_>], numbers: &[u64], out: &mut LaneFloats<L>) {
        let constants: Vec<&[f64]> = members
            .iter()
            .zip(numbers)
            .map(|(member, &number)| own_residues(member, number as usize))
            .collect();
        out.transpose(&constants);
    }

    fn select_own(
        &self,
        members: &[Member<'_>],
        table: OwnTable,
        digits: &[u64],
        out: &mut LaneFloats<L>,
    ) {
        out.rows.fill(Row([0.0; L]));
        for_alike(members, table, digits, factors, |member, masks| {
            let first = table.first as usize;
            self.set.run(SelectOwn {
                constants: &own_constants(member).0[first..first + table.len()],
                masks,
                out: &mut out.rows,
            });
        });
    }

    fn multiply(&mut self, x: &mut LaneFloats<L>, y: &LaneFloats<L>) {
        self.product(x, Operand::Other(&y.rows));
    }

    fn square_times(&mut self, x: &mut LaneFloats<L>, times: u32) {
        for _ in 0..times {
            self.product(x, Operand::Itself);
        }
    }

    fn sum_of_products(
        &mut self,
        terms: &[(bool, &LaneFloats<L>, &LaneFloats<L>)],
        out: &mut LaneFloats<L>,
    ) {
        let terms: Vec<Term<'_, L>> = terms
            .iter()
            .map(|&(negative, x, y)| (negative, &*x.rows, &*y.rows))
            .collect();
        self.product(out, Operand::Sum(&terms));
    }

    fn combine(
        &self,
        terms: &[(i32, &LaneFloats<L>)],
        _lift: u64,
        _fold: bool,
        spare: &mut LaneFloats<L>,
        out: &mut LaneFloats<L>,
    ) {
        self.combine_residues(terms, spare, out);
    }

    fn choose(&self, bits: &[u64], x: &mut LaneFloats<L>, y: &LaneFloats<L>) {
        let masks = masks::<Row<f64, L>, L>(2, bits, factors);
        self.set.run(Choose {
            x: &mut x.rows,
            y: &y.rows,
            masks: [&masks[0], &masks[1]],
        });
    }

    fn table(&self, entries: usize) -> FloatTable<L> {
        LaneTable::new(entries, self.plan.channels.len())
    }

    fn store(&self, table: &mut FloatTable<L>, index: usize, numbers: &LaneFloats<L>) {
        table.store(index, &numbers.rows[..self.plan.channels.len()], entry);
    }

    fn store_at(&self, table: &mut FloatTable<L>, entries: &[u64], numbers: &LaneFloats<L>) {
        table.store_at(entries, &numbers.rows[..self.plan.channels.len()], entry);
    }

    fn load(&self, table: &FloatTable<L>, index: usize, out: &mut LaneFloats<L>) {
        self.select_public(table, &[index as u64; L], out);
    }

    fn select(&mut self, table: &FloatTable<L>, indices: &[u64], out: &mut LaneFloats<L>) {
        let masks = masks(table.entries(), indices, |masks| {
            Row(masks.map(|mask| mask as u32))
        });
        self.set.run(Select {
            table,
            masks: &masks,
            out: &mut out.rows,
        });
    }

    fn select_public(&self, table: &FloatTable<L>, indices: &[u64], out: &mut LaneFloats<L>) {
        let channels = self.plan.channels.len();
        table.load_at(indices, &mut out.rows[..channels], value);
    }

    fn leave(&mut self, x: &LaneFloats<L>, count: usize) -> Vec<Zeroizing<BoxedUint>> {
        let plan = &*self.plan;
        let mut columns = Zeroizing::new(vec![Row([0.0; L]); plan.to_digits.rows()]);
        self.set.run(Leave {
            plan,
            x: &x.rows,
            xi: &mut self.scratch[..=plan.b.len()],
            columns: &mut columns,
        });
        let numbers = self.prepared[..count].iter().enumerate();
        numbers
            .map(|(lane, modulus)| {
                let columns = columns.iter().map(|row| row[lane]);
                plan.join(columns, &modulus.words)
            })
            .collect()
    }

    #[cfg(any(test, feature = "testing", debug_assertions))]
    fn is_within(
        &self,
        x: &LaneFloats<L>,
        member: usize,
        magnitude: &crate::program::Magnitude,
    ) -> bool {
        let modulus = self.prepared[member];
        let residues: Vec<f64> = x.rows.iter().map(|row| row[member]).collect();
        // Not the group's own plan, which a test may have broken.
        modulus.plan.is_within(&residues, &modulus.words, magnitude)
    }

    #[cfg(any(test, feature = "testing"))]
    #[inline(never)]
    fn flip_residue(&self, x: &mut LaneFloats<L>, place: u64) {
        let (row, lane, bit) = split_place(place, self.plan.channels.len(), L, RESIDUE_BITS);
        let residue = &mut x.rows[row][lane];
        *residue = (*residue as i64 ^ 1 << bit) as f64;
    }

    #[cfg(any(test, feature = "testing"))]
    #[inline(never)]
    fn flip_entry(&self, table: &mut FloatTable<L>, place: u64) {
        let rows = table.residues_mut().len();
        let (row, lane, bit) = split_place(place, rows, L, RESIDUE_BITS);
        let residue = &mut table.residues_mut()[row][lane];
        *residue = entry((value(*residue) as i64 ^ 1 << bit) as f64);
    }

    #[cfg(any(test, feature = "testing"))]
    #[inline(never)]
    fn with_flipped_weight(&mut self, place: u64, operation: impl FnOnce(&mut Self)) {
        let plan = self.plan.clone();
        self.plan.to_mut().flip_weight(place);
        operation(self);
        self.plan = plan;
    }

    #[cfg(any(test, feature = "testing"))]
    #[inline(never)]
    fn with_flipped_constant(&mut self, place: u64, operation: impl FnOnce(&mut Self)) {
        let n_a = self.plan.a.len();
        let (channel, lane, bit) = split_place(place, self.plan.channels.len(), L, RESIDUE_BITS);
        let flip = |group: &mut Self| {
            let row = match channel.checked_sub(n_a) {
                None => &mut group.to_quotient[channel],
                Some(j) => &mut group.scaled_p[j],
            };
            row[lane] = (row[lane] as i64 ^ 1 << bit) as f64;
        };
        flip(self);
        operation(self);
        flip(self);
    }
}

impl<S: InstructionSet<L>, const L: usize> Residues for FloatLanes<'_, S, L> {
    fn add(&self, x: &mut LaneFloats<L>, y: &LaneFloats<L>) {
        self.linear(x, Change::Add(&y.rows));
    }

    fn subtract(&self, x: &mut LaneFloats<L>, y: &LaneFloats<L>) {
        self.linear(x, Change::Subtract(&y.rows));
    }

    fn scale(&self, x: &mut LaneFloats<L>, factor: u32, negative: bool) {
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

/// Bits of a residue that faults strike, and the sign.
#[cfg(any(test, feature = "testing"))]
pub(super) const RESIDUE_BITS: u32 = 24;

/// 1 for a mask of ones, and 0 for one of zeros.
fn factors<const L: usize>(masks: [u64; L]) -> Row<f64, L> {
    Row(masks.map(|mask| f64::from_bits(mask & 1f64.to_bits())))
}

/// The residues of a constant that a member brings.
pub(super) fn own_residues<'a>(member: &Member<'a>, number: usize) -> &'a [f64] {
    &own_constants(member).0[number]
}

/// The constants that a member brings.
fn own_constants<'a>(member: &Member<'a>) -> &'a FloatConstants {
    own(member
        .constants
        .expect("the engine has checked that a member brings the constants"))
}
