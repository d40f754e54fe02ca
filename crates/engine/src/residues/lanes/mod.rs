//! Groups in lanes: one number per lane, for the lane layouts of all devices.
//!
//! A row holds one channel of all numbers. All kernels run along the rows, so that data never moves
//! between lanes. Each device implements [`Kernels`].

mod kernels;
mod numbers;

use core::mem;
use std::{borrow::Cow, sync::Arc};

use crypto_bigint::{BoxedUint, Word};
use zeroize::Zeroizing;

pub(crate) use self::{
    kernels::{Kernels, Term},
    numbers::{LaneModuli, LaneNumbers, LaneScratch, Operand},
};
#[cfg(any(test, feature = "testing"))]
use crate::row::split_place;
use crate::{
    device::{Member, Outcome, Work},
    faults::Suspect,
    group::{Group, Stepwise},
    interpreter,
    kept::own,
    lookup::{LaneTable, masks, select_own},
    program::OwnTable,
    residues::plan::{Plan, PreparedConstants, PreparedModulus, from_digits},
    row::{Row, all_at_most},
};

/// Runs the work as one group of `L` lanes.
pub(crate) fn run<K: Kernels, const L: usize>(kernels: K, work: &Work<'_>) -> Vec<Outcome> {
    interpreter::run(work, |members| LaneGroup::<K, L>::new(kernels, members))
}

/// Number of table entries that are read in the time of one product.
pub(crate) const ENTRIES_PER_PRODUCT: u32 = 48;

/// A group of L numbers, one per lane.
pub(crate) struct LaneGroup<'a, K, const L: usize> {
    kernels: K,
    plan: Cow<'a, Plan>,
    prepared: Vec<&'a PreparedModulus>,
    moduli: LaneModuli<L>,
    scratch: LaneScratch<L>,
    /// `|R|` in every channel; empty until the first sum of products. A product with it cancels the
    /// factor `R^-1` of [`Kernels::dot`].
    radix: LaneNumbers<L>,
    /// Per lane, whether its redundant residues have disagreed.
    is_wrong: [bool; L],
    /// The lanes that have disagreed since the last call of `take_suspects`.
    suspects: Vec<Suspect>,
}

impl<'a, K: Kernels, const L: usize> LaneGroup<'a, K, L> {
    fn new(kernels: K, members: &[Member<'a>]) -> Self {
        let prepared: Vec<&'a PreparedModulus> = members
            .iter()
            .map(|member| K::modulus(member.modulus))
            .collect();
        let plan = &*prepared[0].plan;
        debug_assert!(
            prepared
                .iter()
                .all(|modulus| Arc::ptr_eq(&modulus.plan, &prepared[0].plan))
        );
        Self {
            kernels,
            plan: Cow::Borrowed(plan),
            moduli: LaneModuli::new(&prepared),
            scratch: LaneScratch::new(plan),
            radix: LaneNumbers::default(),
            is_wrong: [false; L],
            suspects: Vec::new(),
            prepared,
        }
    }

    /// `x := x y A^-1` modulo P, compared with its redundant residues.
    fn product(&mut self, x: &mut LaneNumbers<L>, y: Operand<'_, L>) {
        self.kernels
            .montgomery(&self.plan, &self.moduli, x, y, &mut self.scratch);
        self.compare(x);
    }

    /// Compares the redundant residues of x with the extension of the `rh` and `h` in the scratch
    /// space.
    fn compare(&mut self, x: &LaneNumbers<L>) {
        if self.plan.redundant.is_empty() {
            return;
        }
        let LaneScratch {
            rh, differences, ..
        } = &mut self.scratch;
        let weights = &self.plan.checks.b;
        self.kernels
            .compare(&self.plan, weights, rh, x, differences);
        self.note(true);
    }

    /// Compares the redundant residues of x with an integer that is about to leave, in digits and a
    /// row for its sign.
    fn compare_digits(&mut self, x: &LaneNumbers<L>, digits: &mut [Row<u64, L>]) {
        let [.., top, sign] = digits else { return };
        for l in 0..L {
            sign[l] = top[l] >> (self.plan.w - 1);
        }
        let (weights, differences) = (&self.plan.checks.digits, &mut self.scratch.differences);
        self.kernels
            .compare(&self.plan, weights, digits, x, differences);
        self.note(false);
    }

    /// Notes the lanes with differences. The time shows whether there are any.
    fn note(&mut self, is_of_channels: bool) {
        let lanes = self.scratch.differences.iter().flat_map(|row| row.iter());
        if lanes.fold(0, |all, lane| all | lane) != 0 {
            self.note_wrong(is_of_channels);
        }
    }

    #[cold]
    fn note_wrong(&mut self, is_of_channels: bool) {
        for lane in 0..L {
            let rows = self.scratch.differences.iter();
            let differences: Zeroizing<Vec<u64>> =
                Zeroizing::new(rows.map(|row| row[lane]).collect());
            if self.is_wrong[lane] || differences.iter().all(|&difference| difference == 0) {
                continue;
            }
            self.is_wrong[lane] = true;
            let plan = &self.prepared[lane].plan;
            let word = is_of_channels.then(|| plan.locate(&differences)).flatten();
            let member = lane;
            self.suspects.push(Suspect { member, word });
        }
    }
}

impl<K: Kernels, const L: usize> Group for LaneGroup<'_, K, L> {
    type Numbers = LaneNumbers<L>;
    type Table = LaneTable<K::Entry, L>;

    const WIDTH: usize = L;

    fn zero(&self) -> LaneNumbers<L> {
        LaneNumbers::zero(&self.plan)
    }

    fn copy(&self, from: &LaneNumbers<L>, to: &mut LaneNumbers<L>) {
        to.channels.copy_from_slice(&from.channels);
    }

    fn enter(&self, words: &[&[Word]], out: &mut LaneNumbers<L>) {
        let mut digits = Zeroizing::new(vec![Row([0; L]); self.plan.digits_in()]);
        for (k, row) in digits.iter_mut().enumerate() {
            for (lane, words) in row.iter_mut().zip(words) {
                *lane = self.plan.digit_in(words, k);
            }
        }
        self.kernels.enter(&self.plan, &digits, out);
    }

    fn one(&self, out: &mut LaneNumbers<L>) {
        let in_a = core::iter::repeat_n(1, self.plan.a.len());
        out.fill(in_a.chain(self.plan.storage_factor.iter().copied()));
    }

    fn montgomery_square(&self, out: &mut LaneNumbers<L>) {
        self.copy(&self.moduli.a_squared, out);
    }

    fn own_constants(&self, members: &[Member<'_>], numbers: &[u64], out: &mut LaneNumbers<L>) {
        let constants: Vec<&[u64]> = members
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
        out: &mut LaneNumbers<L>,
    ) {
        let join = |x: u64, constant: u64, mask: u64| x | constant & mask;
        select_own(
            members,
            table,
            digits,
            own_residues,
            join,
            &mut out.channels,
        );
    }

    fn multiply(&mut self, x: &mut LaneNumbers<L>, y: &LaneNumbers<L>) {
        self.product(x, Operand::Other(y));
    }

    fn square_times(&mut self, x: &mut LaneNumbers<L>, times: u32) {
        for _ in 0..times {
            self.product(x, Operand::Itself);
        }
    }

    fn sum_of_products(
        &mut self,
        terms: &[(bool, &LaneNumbers<L>, &LaneNumbers<L>)],
        out: &mut LaneNumbers<L>,
    ) {
        self.kernels.dot(&self.plan, terms, out);
        if self.radix.channels.is_empty() {
            self.radix = LaneNumbers::zero(&self.plan);
            let radix = self.plan.channels.iter().map(|channel| channel.radix);
            self.radix.fill(radix);
        }
        let radix = mem::take(&mut self.radix);
        self.product(out, Operand::Other(&radix));
        self.radix = radix;
    }

    fn combine(
        &self,
        terms: &[(i32, &LaneNumbers<L>)],
        _lift: u64,
        _fold: bool,
        spare: &mut LaneNumbers<L>,
        out: &mut LaneNumbers<L>,
    ) {
        self.combine_stepwise(terms, spare, out);
    }

    fn choose(&self, bits: &[u64], x: &mut LaneNumbers<L>, y: &LaneNumbers<L>) {
        let masks = masks::<Row<u64, L>, L>(2, bits, Row);
        for (x, y) in x.channels.iter_mut().zip(&y.channels) {
            for l in 0..L {
                x[l] = (x[l] & masks[0][l]) | (y[l] & masks[1][l]);
            }
        }
    }

    fn table(&self, entries: usize, _: bool) -> Self::Table {
        LaneTable::new(entries, self.plan.channels.len())
    }

    fn store(&self, table: &mut Self::Table, entry: usize, numbers: &LaneNumbers<L>) {
        let bounds = &self.plan.bounds;
        debug_assert!(all_at_most(&numbers.channels, bounds.x_a.max(bounds.x_b)));
        table.store(entry, &numbers.channels, K::entry);
    }

    fn store_at(&self, table: &mut Self::Table, entries: &[u64], numbers: &LaneNumbers<L>) {
        table.store_at(entries, &numbers.channels, K::entry);
    }

    fn load(&self, table: &Self::Table, entry: usize, out: &mut LaneNumbers<L>) {
        table.load_at(&[entry as u64; L], &mut out.channels, K::value);
    }

    fn select(&mut self, table: &Self::Table, indices: &[u64], out: &mut LaneNumbers<L>) {
        let masks = masks(table.entries(), indices, |masks| Row(masks.map(K::entry)));
        self.kernels.select(table, &masks, out);
    }

    fn select_public(&self, table: &Self::Table, indices: &[u64], out: &mut LaneNumbers<L>) {
        table.load_at(indices, &mut out.channels, K::value);
    }

    fn leave(&mut self, x: &LaneNumbers<L>, count: usize) -> Vec<Zeroizing<BoxedUint>> {
        let length = self.plan.to_digits.rows();
        let is_checked = !self.plan.redundant.is_empty();
        // One row more, for signs, if digits are compared.
        let rows = length + usize::from(is_checked);
        let mut digits = Zeroizing::new(vec![Row([0; L]); rows]);
        self.kernels
            .leave(&self.plan, x, &mut self.scratch, &mut digits[..length]);
        if is_checked {
            self.compare(x);
            self.compare_digits(x, &mut digits);
        }
        self.prepared[..count]
            .iter()
            .enumerate()
            .map(|(lane, modulus)| {
                if self.is_wrong[lane] {
                    let zeros = modulus.words.iter().map(|_| 0);
                    return Zeroizing::new(BoxedUint::from_words(zeros));
                }
                let digits = digits[..length].iter().map(|lanes| lanes[lane]);
                from_digits(digits, &self.plan, &modulus.words)
            })
            .collect()
    }

    fn take_suspects(&mut self) -> Vec<Suspect> {
        mem::take(&mut self.suspects)
    }

    #[cfg(any(test, feature = "testing", debug_assertions))]
    fn is_within(
        &self,
        x: &LaneNumbers<L>,
        member: usize,
        magnitude: &crate::program::Magnitude,
    ) -> bool {
        let residues: Vec<u64> = x.channels.iter().map(|row| row[member]).collect();
        let modulus = self.prepared[member];
        // Not the group's own plan, which a test may have broken.
        modulus.plan.is_within(&residues, &modulus.words, magnitude)
    }

    #[cfg(any(test, feature = "testing"))]
    #[inline(never)]
    fn flip_word(&self, x: &mut LaneNumbers<L>, place: u64) {
        let (row, lane, bit) = split_place(place, x.channels.len(), L, self.plan.w);
        x.channels[row][lane] ^= 1 << bit;
    }

    #[cfg(any(test, feature = "testing"))]
    #[inline(never)]
    fn flip_entry(&self, table: &mut Self::Table, place: u64) {
        let rows = table.rows_mut().len();
        let (row, lane, bit) = split_place(place, rows, L, self.plan.w);
        let residue = &mut table.rows_mut()[row][lane];
        *residue = K::entry(K::value(*residue) ^ 1 << bit);
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
        self.flip_constant(place);
        operation(self);
        self.flip_constant(place);
    }
}

impl<K: Kernels, const L: usize> Stepwise for LaneGroup<'_, K, L> {
    fn add(&self, x: &mut LaneNumbers<L>, y: &LaneNumbers<L>) {
        self.kernels.add(&self.plan, x, y);
    }

    fn subtract(&self, x: &mut LaneNumbers<L>, y: &LaneNumbers<L>) {
        self.kernels.subtract(&self.plan, x, y);
    }

    fn scale(&self, x: &mut LaneNumbers<L>, factor: u32, negative: bool) {
        self.kernels.scale(&self.plan, x, factor, negative);
    }
}

#[cfg(any(test, feature = "testing"))]
impl<K, const L: usize> LaneGroup<'_, K, L> {
    /// Flips the bit of a modulus' constant that `place` selects.
    fn flip_constant(&mut self, place: u64) {
        let n_a = self.plan.a.len();
        let channels = self.plan.channels.len();
        let (channel, lane, bit) = split_place(place, channels, L, self.plan.w);
        let row = match channel.checked_sub(n_a) {
            None => &mut self.moduli.to_quotient[channel],
            Some(j) => &mut self.moduli.scaled_p[j],
        };
        row[lane] ^= 1 << bit;
    }
}

/// The stored residues of a member's k-th constant.
pub(crate) fn own_residues<'a>(member: &Member<'a>, k: usize) -> &'a [u64] {
    let constants: &PreparedConstants = own(member
        .constants
        .expect("the engine has checked that a member brings the program's constants"));
    &constants.0[k]
}
