//! Groups of one or two numbers, each spread over the lanes: a register holds eight channels of one
//! number. This layout has the least latency, and suits batches that are too small to give every
//! number a lane.
//!
//! A base extension broadcasts each residue in turn and multiplies it with its weights for all
//! channels of the other base. Two numbers, such as the p and q of a private operation, share the
//! loads of the weights, and the processor works on one while the other waits for a reduction.
#![expect(
    unsafe_code,
    reason = "calls of functions with target features, after detection"
)]

pub(super) mod constants;
mod convert;
mod numbers;
mod product;

use std::borrow::Cow;

use crypto_bigint::{BoxedUint, Word};
use zeroize::Zeroizing;

pub(super) use self::{constants::Octet, numbers::SpreadNumbers};
use self::{
    constants::{SpreadPlan, octets, rows_of},
    numbers::{SpreadModuli, SpreadScratch, SpreadTable},
    product::SpreadOperand,
};
use crate::{
    device::{Member, Outcome, Work},
    group::{Group, Stepwise},
    instructions::{Ifma, vector::WIDTH},
    interpreter,
    kept::own,
    lookup::{masks, select_words, write_masks},
    program::OwnTable,
    residues::{
        avx512::modulus::IfmaModulus,
        lanes::own_residues,
        plan::{Plan, from_digits},
    },
    row::Row,
};

/// Runs the work as one group of `N` numbers.
pub(crate) fn run<const N: usize>(kernels: Ifma, work: &Work<'_>) -> Vec<Outcome> {
    interpreter::run(work, |members| SpreadGroup::<N>::new(kernels, members))
}

/// A group of N numbers.
pub(super) struct SpreadGroup<'a, const N: usize> {
    /// Proof that the processor has the features that the kernels are compiled for.
    _kernels: Ifma,
    plan: Cow<'a, Plan>,
    spread: Cow<'a, SpreadPlan>,
    prepared: Vec<&'a IfmaModulus>,
    moduli: SpreadModuli<N>,
    scratch: SpreadScratch<N>,
}

impl<'a, const N: usize> SpreadGroup<'a, N> {
    fn new(kernels: Ifma, members: &[Member<'a>]) -> Self {
        Self::of(
            kernels,
            members.iter().map(|member| own(member.modulus)).collect(),
        )
    }

    /// The group of N numbers with these moduli.
    pub(super) fn of(kernels: Ifma, prepared: Vec<&'a IfmaModulus>) -> Self {
        let plan = &*prepared[0].residues.plan;
        let spread = prepared[0].spread.get_or_init(|| SpreadPlan::new(plan));
        let constants = |constants: fn(&IfmaModulus) -> &[u64]| {
            core::array::from_fn(|n| Zeroizing::new(octets(constants(prepared[n]))))
        };
        let mut a_squared = SpreadNumbers::zero(spread);
        for (n, modulus) in prepared.iter().enumerate() {
            a_squared.set(n, &modulus.residues.a_squared, plan.a.len());
        }
        let scratch =
            |channels| [(); N].map(|()| Zeroizing::new(vec![Row([0; WIDTH]); rows_of(channels)]));
        Self {
            _kernels: kernels,
            plan: Cow::Borrowed(plan),
            spread: Cow::Borrowed(spread),
            moduli: SpreadModuli {
                to_quotient: constants(|modulus| &modulus.residues.to_quotient),
                scaled_p: constants(|modulus| &modulus.residues.scaled_p),
                a_squared,
            },
            scratch: SpreadScratch {
                qh: scratch(plan.a.len()),
                rh: scratch(plan.b.len() + 1),
                masks: Zeroizing::new(Vec::new()),
            },
            prepared,
        }
    }

    /// [`product::montgomery`] with the group's constants.
    fn montgomery(&mut self, x: &mut SpreadNumbers<N>, y: SpreadOperand<'_, N>) {
        let Self {
            plan,
            spread,
            moduli,
            scratch,
            ..
        } = self;
        // SAFETY: `_kernels` exists, so `Ifma::detect` has found AVX-512F and IFMA, which the
        // function is compiled for.
        unsafe { product::montgomery(plan, spread, moduli, x, y, scratch) }
    }
}

impl<const N: usize> Group for SpreadGroup<'_, N> {
    type Numbers = SpreadNumbers<N>;
    type Table = SpreadTable<N>;

    const WIDTH: usize = N;

    fn zero(&self) -> SpreadNumbers<N> {
        SpreadNumbers::zero(&self.spread)
    }

    fn copy(&self, from: &SpreadNumbers<N>, to: &mut SpreadNumbers<N>) {
        to.rows.copy_from_slice(&from.rows);
    }

    fn enter(&self, words: &[&[Word]], out: &mut SpreadNumbers<N>) {
        let digits = core::array::from_fn(|n| {
            let digit = |k| self.plan.digit_in(words[n], k);
            let digits: Zeroizing<Vec<u64>> =
                Zeroizing::new((0..self.plan.digits_in()).map(digit).collect());
            Zeroizing::new(octets(&digits))
        });
        // SAFETY: as in `montgomery`.
        unsafe { convert::enter(&self.spread, &digits, out) };
    }

    fn one(&self, out: &mut SpreadNumbers<N>) {
        let in_a = octets(&vec![1; self.plan.a.len()]);
        let rows = [in_a, octets(&self.plan.storage_factor)].concat();
        for n in 0..N {
            out.of_mut(n).copy_from_slice(&rows);
        }
    }

    fn montgomery_square(&self, out: &mut SpreadNumbers<N>) {
        self.copy(&self.moduli.a_squared, out);
    }

    fn own_constants(&self, members: &[Member<'_>], numbers: &[u64], out: &mut SpreadNumbers<N>) {
        for (n, (member, &number)) in members.iter().zip(numbers).enumerate() {
            out.set(n, own_residues(member, number as usize), self.plan.a.len());
        }
    }

    fn select_own(
        &self,
        members: &[Member<'_>],
        table: OwnTable,
        digits: &[u64],
        out: &mut SpreadNumbers<N>,
    ) {
        let join = |x, constant, mask| x | constant & mask;
        for (n, (member, &digit)) in members.iter().zip(digits).enumerate() {
            let residues = select_words(member, table, digit, own_residues, join);
            out.set(n, &residues, self.plan.a.len());
        }
    }

    fn multiply(&mut self, x: &mut SpreadNumbers<N>, y: &SpreadNumbers<N>) {
        self.montgomery(x, SpreadOperand::Other(y));
    }

    fn square_times(&mut self, x: &mut SpreadNumbers<N>, times: u32) {
        self.montgomery(x, SpreadOperand::Itself(times));
    }

    fn sum_of_products(
        &mut self,
        terms: &[(bool, &SpreadNumbers<N>, &SpreadNumbers<N>)],
        out: &mut SpreadNumbers<N>,
    ) {
        // SAFETY: as in `montgomery`.
        unsafe { convert::dot(&self.spread, terms, out) };
        let mut radix = SpreadNumbers::zero(&self.spread);
        for n in 0..N {
            let channels = self.spread.a.iter().chain(&self.spread.b);
            for (row, channels) in radix.of_mut(n).iter_mut().zip(channels) {
                *row = channels.radix;
            }
        }
        self.montgomery(out, SpreadOperand::Other(&radix));
    }

    fn combine(
        &self,
        terms: &[(i32, &SpreadNumbers<N>)],
        _lift: u64,
        _fold: bool,
        spare: &mut SpreadNumbers<N>,
        out: &mut SpreadNumbers<N>,
    ) {
        self.combine_stepwise(terms, spare, out);
    }

    fn choose(&self, bits: &[u64], x: &mut SpreadNumbers<N>, y: &SpreadNumbers<N>) {
        let masks: Zeroizing<Vec<[u64; N]>> = masks(2, bits, |masks| masks);
        for n in 0..N {
            for (x, y) in x.of_mut(n).iter_mut().zip(y.of(n)) {
                for l in 0..WIDTH {
                    x[l] = (x[l] & masks[0][n]) | (y[l] & masks[1][n]);
                }
            }
        }
    }

    fn table(&self, entries: usize, _: bool) -> SpreadTable<N> {
        let rows = N * (self.spread.a.len() + self.spread.b.len());
        SpreadTable {
            entries,
            rows: vec![Row([0; WIDTH]); entries * rows],
        }
    }

    fn store(&self, table: &mut SpreadTable<N>, entry: usize, numbers: &SpreadNumbers<N>) {
        self.store_at(table, &[entry as u64; N], numbers);
    }

    fn store_at(&self, table: &mut SpreadTable<N>, entries: &[u64], numbers: &SpreadNumbers<N>) {
        let rows = numbers.rows.len() / N;
        for n in 0..N {
            let first = (n * table.entries + entries[n] as usize) * rows;
            table.rows[first..first + rows].copy_from_slice(numbers.of(n));
        }
    }

    fn load(&self, table: &SpreadTable<N>, entry: usize, out: &mut SpreadNumbers<N>) {
        self.select_public(table, &[entry as u64; N], out);
    }

    fn select(&mut self, table: &SpreadTable<N>, indices: &[u64], out: &mut SpreadNumbers<N>) {
        write_masks(&mut self.scratch.masks, table.entries, indices, |masks| {
            masks
        });
        // SAFETY: as in `montgomery`.
        unsafe { convert::select(table, &self.scratch.masks, out) }
    }

    fn select_public(&self, table: &SpreadTable<N>, indices: &[u64], out: &mut SpreadNumbers<N>) {
        for n in 0..N {
            let out = out.of_mut(n);
            let first = indices[n] as usize * out.len();
            out.copy_from_slice(&table.of(n)[first..first + out.len()]);
        }
    }

    fn leave(&mut self, x: &SpreadNumbers<N>, count: usize) -> Vec<Zeroizing<BoxedUint>> {
        let (plan, spread) = (&*self.plan, &*self.spread);
        // SAFETY: as in `montgomery`.
        let digits = unsafe { convert::leave(plan, spread, x, &mut self.scratch) };
        self.prepared[..count]
            .iter()
            .zip(&digits)
            .map(|(modulus, digits)| {
                let digits = digits.iter().copied();
                from_digits(digits, plan, &modulus.residues.words)
            })
            .collect()
    }

    #[cfg(any(test, feature = "testing", debug_assertions))]
    fn is_within(
        &self,
        x: &SpreadNumbers<N>,
        member: usize,
        magnitude: &crate::program::Magnitude,
    ) -> bool {
        let (in_a, in_b) = x.of(member).split_at(self.spread.a.len());
        let lanes = |rows: &[constants::Octet], channels: usize| -> Vec<u64> {
            let lanes = rows.iter().flat_map(|row| row.iter().copied());
            lanes.take(channels).collect()
        };
        let plan = &self.plan;
        let residues = [lanes(in_a, plan.a.len()), lanes(in_b, plan.b.len())].concat();
        let modulus = &self.prepared[member].residues;
        modulus.plan.is_within(&residues, &modulus.words, magnitude)
    }

    #[cfg(any(test, feature = "testing"))]
    #[inline(never)]
    fn flip_word(&self, x: &mut SpreadNumbers<N>, place: u64) {
        let (n, channel, bit) = self.split_place(place);
        let row = &mut x.of_mut(n)[self.row_of(channel)];
        row[self.lane_of(channel)] ^= 1 << bit;
    }

    #[cfg(any(test, feature = "testing"))]
    #[inline(never)]
    fn flip_entry(&self, table: &mut SpreadTable<N>, place: u64) {
        let (n, channel, bit) = self.split_place(place);
        let rows = self.spread.a.len() + self.spread.b.len();
        let entry = (place >> 40) as usize % table.entries;
        let row = (n * table.entries + entry) * rows + self.row_of(channel);
        table.rows[row][self.lane_of(channel)] ^= 1 << bit;
    }

    #[cfg(any(test, feature = "testing"))]
    #[inline(never)]
    fn with_flipped_weight(&mut self, place: u64, operation: impl FnOnce(&mut Self)) {
        let whole = self.flip_weight(place);
        operation(self);
        self.restore(whole);
    }

    #[cfg(any(test, feature = "testing"))]
    #[inline(never)]
    fn with_flipped_constant(&mut self, place: u64, operation: impl FnOnce(&mut Self)) {
        self.flip_constant(place);
        operation(self);
        self.flip_constant(place);
    }
}

impl<const N: usize> Stepwise for SpreadGroup<'_, N> {
    fn add(&self, x: &mut SpreadNumbers<N>, y: &SpreadNumbers<N>) {
        // SAFETY: as in `montgomery`.
        unsafe { convert::add(&self.spread, x, y) }
    }

    fn subtract(&self, x: &mut SpreadNumbers<N>, y: &SpreadNumbers<N>) {
        // SAFETY: as in `montgomery`.
        unsafe { convert::subtract(&self.spread, x, y) }
    }

    fn scale(&self, x: &mut SpreadNumbers<N>, factor: u32, negative: bool) {
        // SAFETY: as in `montgomery`.
        unsafe { convert::scale(&self.spread, x, factor, negative) }
    }
}

#[cfg(any(test, feature = "testing"))]
impl<'a, const N: usize> SpreadGroup<'a, N> {
    /// Flips one bit of a weight of a constant matrix, and returns the plan as it was.
    pub(super) fn flip_weight(&mut self, place: u64) -> (Cow<'a, Plan>, Cow<'a, SpreadPlan>) {
        let whole = (self.plan.clone(), self.spread.clone());
        self.plan.to_mut().flip_weight(place);
        self.spread = Cow::Owned(SpreadPlan::new(&self.plan));
        whole
    }

    /// Takes back [`flip_weight`](Self::flip_weight).
    pub(super) fn restore(&mut self, whole: (Cow<'a, Plan>, Cow<'a, SpreadPlan>)) {
        (self.plan, self.spread) = whole;
    }

    /// Flips one bit of a constant of a member's modulus; a second time takes it back.
    pub(super) fn flip_constant(&mut self, place: u64) {
        let (n, channel, bit) = self.split_place(place);
        let (row, lane) = (self.row_of(channel), self.lane_of(channel));
        let row = match row.checked_sub(self.spread.a.len()) {
            None => &mut self.moduli.to_quotient[n][row],
            Some(row) => &mut self.moduli.scaled_p[n][row],
        };
        row[lane] ^= 1 << bit;
    }

    /// The plan, and the first member's constants of products: `to_quotient` and `scaled_p`.
    pub(super) fn constants(&self) -> (&Plan, [&[u64]; 2]) {
        let SpreadModuli {
            to_quotient,
            scaled_p,
            ..
        } = &self.moduli;
        (
            &self.plan,
            [to_quotient, scaled_p].map(|rows| crate::instructions::vector::flat(&rows[0])),
        )
    }

    /// The number, the channel, and the bit that `place` selects for a fault.
    fn split_place(&self, place: u64) -> (usize, usize, u32) {
        let channels = self.plan.channels.len();
        crate::row::split_place(place, N, channels, self.plan.w)
    }

    /// The row of a number that holds the channel.
    fn row_of(&self, channel: usize) -> usize {
        let n_a = self.plan.a.len();
        match channel.checked_sub(n_a) {
            None => channel / WIDTH,
            Some(channel) => self.spread.a.len() + channel / WIDTH,
        }
    }

    /// The lane of its row that holds the channel.
    fn lane_of(&self, channel: usize) -> usize {
        channel.checked_sub(self.plan.a.len()).unwrap_or(channel) % WIDTH
    }
}
