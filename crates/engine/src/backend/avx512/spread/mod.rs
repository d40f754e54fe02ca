//! Groups of one or two numbers, each spread over the lanes: a register holds eight channels of
//! one number. For latency, and for batches too small to give every number a lane.
//!
//! A base extension broadcasts each residue in turn and multiplies it with its weights for all
//! channels of the other base. Two numbers, as the p and q of a private operation, share the
//! loads of the weights, and one works while the other waits for a reduction.
#![expect(
    unsafe_code,
    reason = "calls of functions with target features, after detection"
)]

mod convert;
mod layout;
mod product;

use crypto_bigint::{BoxedUint, Word};
use zeroize::{Zeroize, Zeroizing};

pub(crate) use self::layout::Layout;
use self::{
    layout::{Octet, octets, rows_of},
    product::Factor,
};
use super::{Ifma, vector::WIDTH};
use crate::{
    Task,
    backend::{
        canonical,
        group::{self, Group},
        lanes::{self, masks},
        plan::{Plan, PreparedModulus},
        row::Row,
    },
};

/// Computes up to `N` tasks of one plan as one group.
pub(crate) fn run<const N: usize>(kernels: Ifma, tasks: &[Task<'_>]) -> Vec<BoxedUint> {
    group::run(tasks, |moduli| Spread::<N>::new(kernels, moduli))
}

/// N numbers, one after the other: base A's channels in whole rows, then base B's. Stored as
/// in [`lanes::Numbers`].
#[derive(Clone)]
pub(crate) struct Numbers<const N: usize> {
    rows: Vec<Octet>,
}

impl<const N: usize> Numbers<N> {
    fn zero(layout: &Layout) -> Self {
        Self {
            rows: vec![Row([0; WIDTH]); N * (layout.a.len() + layout.b.len())],
        }
    }

    /// Of each number the rows of base A and those of base B.
    fn split(&self, rows_a: usize) -> [(&[Octet], &[Octet]); N] {
        core::array::from_fn(|n| self.of(n).split_at(rows_a))
    }

    /// As [`Self::split`].
    fn split_mut(&mut self, rows_a: usize) -> [(&mut [Octet], &mut [Octet]); N] {
        let rows = self.rows.len() / N;
        let mut numbers = self.rows.chunks_exact_mut(rows);
        core::array::from_fn(|_| {
            let number = numbers.next().unwrap_or_default();
            number.split_at_mut(rows_a)
        })
    }

    /// The rows of one number.
    fn of(&self, n: usize) -> &[Octet] {
        let rows = self.rows.len() / N;
        &self.rows[n * rows..(n + 1) * rows]
    }

    fn of_mut(&mut self, n: usize) -> &mut [Octet] {
        let rows = self.rows.len() / N;
        &mut self.rows[n * rows..(n + 1) * rows]
    }
}

impl<const N: usize> Drop for Numbers<N> {
    fn drop(&mut self) {
        self.rows.zeroize();
    }
}

/// The constants of the group's moduli.
struct Constants<const N: usize> {
    /// [`PreparedModulus::quotient`].
    quotient: [Zeroizing<Vec<Octet>>; N],
    /// [`PreparedModulus::scaled_p`].
    scaled_p: [Zeroizing<Vec<Octet>>; N],
    /// `A^2 mod P`.
    a_squared: Numbers<N>,
}

/// What a product needs to write to on its way.
struct Scratch<const N: usize> {
    /// `qh_i`.
    qh: [Zeroizing<Vec<Octet>>; N],
    /// `rh_j`, and right behind them the Cox quotient h.
    rh: [Zeroizing<Vec<Octet>>; N],
}

/// A table of numbers: number by number, entry by entry.
pub(crate) struct SpreadTable<const N: usize> {
    entries: usize,
    rows: Vec<Octet>,
}

impl<const N: usize> SpreadTable<N> {
    /// The entries of one number, the rows of each together.
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

/// A group of N numbers.
struct Spread<'a, const N: usize> {
    /// Proof that the processor has what the kernels are compiled for.
    _kernels: Ifma,
    plan: &'a Plan,
    layout: &'a Layout,
    constants: Constants<N>,
    scratch: Scratch<N>,
}

impl<'a, const N: usize> Spread<'a, N> {
    fn new(kernels: Ifma, moduli: &[&'a PreparedModulus]) -> Self {
        let plan = &*moduli[0].plan;
        let layout = plan.spread.get_or_init(|| Layout::new(plan));
        let constants = |constants: fn(&PreparedModulus) -> &[u64]| {
            core::array::from_fn(|n| Zeroizing::new(octets(constants(moduli[n]))))
        };
        let mut a_squared = Numbers::zero(layout);
        for (n, modulus) in moduli.iter().enumerate() {
            let (in_a, in_b) = modulus.a_squared.split_at(plan.a.len());
            let rows = [octets(in_a), octets(in_b)].concat();
            a_squared.of_mut(n).copy_from_slice(&Zeroizing::new(rows));
        }
        let scratch =
            |channels| [(); N].map(|()| Zeroizing::new(vec![Row([0; WIDTH]); rows_of(channels)]));
        Self {
            _kernels: kernels,
            plan,
            layout,
            constants: Constants {
                quotient: constants(|modulus| &modulus.quotient),
                scaled_p: constants(|modulus| &modulus.scaled_p),
                a_squared,
            },
            scratch: Scratch {
                qh: scratch(plan.a.len()),
                rh: scratch(plan.b.len() + 1),
            },
        }
    }
}

impl<const N: usize> Group for Spread<'_, N> {
    type Numbers = Numbers<N>;
    type Table = SpreadTable<N>;

    const WIDTH: usize = N;

    fn bits(&self) -> u32 {
        self.plan.bits
    }

    fn one(&self) -> Numbers<N> {
        let in_a = octets(&vec![1; self.plan.a.len()]);
        let rows = [in_a, octets(&self.plan.storage_factor)].concat();
        let mut one = Numbers::zero(self.layout);
        for n in 0..N {
            one.of_mut(n).copy_from_slice(&rows);
        }
        one
    }

    fn enter(&self, words: &[&[Word]], position: usize) -> Numbers<N> {
        let digits = core::array::from_fn(|n| {
            let digit = |k| self.plan.digit_in(words[n], position, k);
            let digits: Zeroizing<Vec<u64>> =
                Zeroizing::new((0..self.plan.digits_in()).map(digit).collect());
            Zeroizing::new(octets(&digits))
        });
        let mut numbers = Numbers::zero(self.layout);
        // SAFETY: `_kernels` exists, so that `Ifma::detect` has found the features.
        unsafe { convert::enter(self.layout, &digits, &mut numbers) };
        numbers
    }

    fn multiply(&mut self, x: &mut Numbers<N>, y: &Numbers<N>) {
        let Self {
            plan,
            layout,
            constants,
            scratch,
            ..
        } = self;
        // SAFETY: as above.
        unsafe { product::montgomery(plan, layout, constants, x, Factor::Other(y), scratch) }
    }

    fn square(&mut self, x: &mut Numbers<N>) {
        self.square_times(x, 1);
    }

    fn square_times(&mut self, x: &mut Numbers<N>, times: u32) {
        let Self {
            plan,
            layout,
            constants,
            scratch,
            ..
        } = self;
        // SAFETY: as above.
        unsafe { product::montgomery(plan, layout, constants, x, Factor::Itself(times), scratch) }
    }

    fn enter_montgomery_form(&mut self, x: &mut Numbers<N>) {
        let Self {
            plan,
            layout,
            constants,
            scratch,
            ..
        } = self;
        let y = &constants.a_squared;
        // SAFETY: as above.
        unsafe { product::montgomery(plan, layout, constants, x, Factor::Other(y), scratch) }
    }

    fn add(&self, x: &mut Numbers<N>, y: &Numbers<N>) {
        // SAFETY: as above.
        unsafe { convert::add(self.layout, x, y) }
    }

    fn table(&self, entries: usize) -> SpreadTable<N> {
        let rows = N * (self.layout.a.len() + self.layout.b.len());
        SpreadTable {
            entries,
            rows: vec![Row([0; WIDTH]); entries * rows],
        }
    }

    fn store(&self, table: &mut SpreadTable<N>, entry: usize, numbers: &Numbers<N>) {
        let rows = numbers.rows.len() / N;
        for n in 0..N {
            let first = (n * table.entries + entry) * rows;
            table.rows[first..first + rows].copy_from_slice(numbers.of(n));
        }
    }

    fn entries_per_product(&self) -> u32 {
        lanes::ENTRIES_PER_PRODUCT
    }

    fn select(&self, table: &SpreadTable<N>, indices: &[u64], out: &mut Numbers<N>) {
        let masks = masks(table.entries, indices, |masks| masks);
        // SAFETY: as above.
        unsafe { convert::select(table, &masks, out) }
    }

    fn leave(&self, _: &Numbers<N>, moduli: &[&PreparedModulus]) -> Vec<BoxedUint> {
        // SAFETY: as above.
        let digits = unsafe { convert::leave(self.plan, self.layout, &self.scratch) };
        moduli
            .iter()
            .zip(&digits)
            .map(|(modulus, digits)| {
                canonical::from_digits(digits.iter().copied(), self.plan, &modulus.words)
            })
            .collect()
    }
}
