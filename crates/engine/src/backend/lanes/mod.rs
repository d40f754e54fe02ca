//! Groups in which every number has a lane: what every batch backend shares.
//!
//! Numbers lie one a lane, a few dozen channels each; all kernels run over the lanes, so that
//! no data ever moves between numbers. A backend brings its kernels ([`Kernels`]).

mod kernels;
mod numbers;
mod table;

use std::sync::Arc;

use crypto_bigint::{BoxedUint, Word};
use zeroize::Zeroizing;

pub(crate) use self::{
    kernels::Kernels,
    numbers::{LaneConstants, Numbers, Operand, Scratch},
    table::{Table, masks},
};
use super::{
    canonical,
    group::{self, Group},
    plan::{Plan, PreparedModulus},
    row::{Row, all_at_most},
};
use crate::Task;

/// Computes up to `L` tasks of one plan as one group.
pub(crate) fn run<K: Kernels, const L: usize>(kernels: K, tasks: &[Task<'_>]) -> Vec<BoxedUint> {
    group::run(tasks, |moduli| Lanes::<K, L>::new(kernels, moduli))
}

/// How many entries of a table are read in the time of a product.
pub(crate) const ENTRIES_PER_PRODUCT: u32 = 48;

/// A group of `L` lanes.
struct Lanes<'a, K, const L: usize> {
    kernels: K,
    plan: &'a Plan,
    constants: LaneConstants<L>,
    scratch: Scratch<L>,
}

impl<'a, K: Kernels, const L: usize> Lanes<'a, K, L> {
    fn new(kernels: K, moduli: &[&'a PreparedModulus]) -> Self {
        let plan = &*moduli[0].plan;
        debug_assert!(
            moduli
                .iter()
                .all(|modulus| Arc::ptr_eq(&modulus.plan, &moduli[0].plan))
        );
        Self {
            kernels,
            plan,
            constants: LaneConstants::new(moduli),
            scratch: Scratch::new(plan),
        }
    }
}

impl<K: Kernels, const L: usize> Group for Lanes<'_, K, L> {
    type Numbers = Numbers<L>;
    type Table = Table<K::Entry, L>;

    const WIDTH: usize = L;

    fn bits(&self) -> u32 {
        self.plan.bits
    }

    fn one(&self) -> Numbers<L> {
        let mut one = Numbers::zero(self.plan);
        let in_b = self.plan.storage_factor.iter().copied();
        let residues = core::iter::repeat_n(1, self.plan.a.len()).chain(in_b);
        for (row, residue) in one.channels.iter_mut().zip(residues) {
            *row = Row([residue; L]);
        }
        one
    }

    fn enter(&self, words: &[&[Word]], position: usize) -> Numbers<L> {
        let mut numbers = Numbers::zero(self.plan);
        let mut digits = Zeroizing::new(vec![Row([0; L]); self.plan.digits_in()]);
        for (k, row) in digits.iter_mut().enumerate() {
            for (lane, words) in row.iter_mut().zip(words) {
                *lane = self.plan.digit_in(words, position, k);
            }
        }
        self.kernels.enter(self.plan, &digits, &mut numbers);
        numbers
    }

    fn multiply(&mut self, x: &mut Numbers<L>, y: &Numbers<L>) {
        let y = Operand::Other(y);
        self.kernels
            .montgomery(self.plan, &self.constants, x, y, &mut self.scratch);
    }

    fn square(&mut self, x: &mut Numbers<L>) {
        let y = Operand::Itself;
        self.kernels
            .montgomery(self.plan, &self.constants, x, y, &mut self.scratch);
    }

    fn enter_montgomery_form(&mut self, x: &mut Numbers<L>) {
        let y = Operand::Other(&self.constants.a_squared);
        self.kernels
            .montgomery(self.plan, &self.constants, x, y, &mut self.scratch);
    }

    fn add(&self, x: &mut Numbers<L>, y: &Numbers<L>) {
        self.kernels.add(self.plan, x, y);
    }

    fn table(&self, entries: usize) -> Self::Table {
        Table::new(entries, self.plan.a.len() + self.plan.b.len())
    }

    fn store(&self, table: &mut Self::Table, entry: usize, numbers: &Numbers<L>) {
        let bounds = &self.plan.bounds;
        debug_assert!(all_at_most(&numbers.channels, bounds.x_a.max(bounds.x_b)));
        table.store(entry, numbers, K::entry);
    }

    fn entries_per_product(&self) -> u32 {
        ENTRIES_PER_PRODUCT
    }

    fn select(&self, table: &Self::Table, indices: &[u64], out: &mut Numbers<L>) {
        let masks = masks(table.entries(), indices, |masks| Row(masks.map(K::entry)));
        self.kernels.select(table, &masks, out);
    }

    fn leave(&self, _: &Numbers<L>, moduli: &[&PreparedModulus]) -> Vec<BoxedUint> {
        let mut digits = Zeroizing::new(vec![Row([0; L]); self.plan.to_digits.rows()]);
        self.kernels.leave(self.plan, &self.scratch, &mut digits);
        moduli
            .iter()
            .enumerate()
            .map(|(lane, modulus)| {
                let digits = digits.iter().map(|lanes| lanes[lane]);
                canonical::from_digits(digits, self.plan, &modulus.words)
            })
            .collect()
    }
}
