//! An instrument for tests: it wraps a group, counts its operations, and injects a fault.

use core::cell::Cell;
use std::borrow::Cow;
use std::sync::{Mutex, MutexGuard, PoisonError};

use crypto_bigint::{BoxedUint, Word};
use zeroize::Zeroizing;

use crate::{
    device::{Member, Outcome},
    faults::Suspect,
    group::{Group, are_zero_once_left},
    program::{Counts, Magnitude, OwnTable, Program, Span},
};

/// The kind of value in which a fault flips a bit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum FaultKind {
    /// A word of a number, a limb or a residue, that an operation has just written.
    Word,
    /// A digit of a scalar, or of an integer that enters or leaves.
    Digit,
    /// A weight of a constant matrix, during one operation.
    Weight,
    /// An entry of a table, when it is stored.
    Entry,
    /// A constant of a member's modulus, during one operation.
    Constant,
}

impl FaultKind {
    /// All kinds.
    pub const ALL: [Self; 5] = [
        Self::Word,
        Self::Digit,
        Self::Weight,
        Self::Entry,
        Self::Constant,
    ];
}

/// A single fault: one bit that is flipped in one operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fault {
    /// The index of the operation, counted from 0 over all groups since the fault was set. If the operation
    /// has no value of the kind, no fault happens.
    pub operation: u64,
    /// The kind of value in which a bit is flipped.
    pub kind: FaultKind,
    /// A number that selects the member, the value and the bit. Any number is valid.
    pub place: u64,
}

/// The counts of the groups of a run, and the fault to inject.
#[derive(Default)]
pub(crate) struct Instrument {
    /// The operations counted, summed over all groups.
    counts: Mutex<Counts>,
    strike: Mutex<Strike>,
}

/// The fault to inject, and the operations since it was set.
#[derive(Default)]
struct Strike {
    fault: Option<Fault>,
    /// Number of operations of all groups.
    operations: u64,
    /// Whether the fault has been injected.
    has_struck: bool,
    /// Per operation, the kinds of values that it has; recorded if there is a list.
    recorded: Option<Vec<&'static [FaultKind]>>,
}

impl Instrument {
    /// The operations counted so far.
    pub(crate) fn counts(&self) -> Counts {
        *lock(&self.counts)
    }

    /// Injects this fault, once, and counts operations from 0 again.
    pub(crate) fn set_fault(&self, fault: Fault) {
        *lock(&self.strike) = Strike {
            fault: Some(fault),
            ..Strike::default()
        };
    }

    /// Whether the fault has been injected.
    pub(crate) fn has_struck(&self) -> bool {
        lock(&self.strike).has_struck
    }

    /// Injects the same fault again, once, and counts operations from 0 again.
    pub(crate) fn set_fault_again(&self) {
        let fault = lock(&self.strike).fault;
        if let Some(fault) = fault {
            self.set_fault(fault);
        }
    }

    /// Injects nothing, and records the kinds of values of all operations of `run`, in order.
    pub(crate) fn record(&self, run: impl FnOnce()) -> Vec<&'static [FaultKind]> {
        *lock(&self.strike) = Strike {
            recorded: Some(Vec::new()),
            ..Strike::default()
        };
        run();
        lock(&self.strike).recorded.take().unwrap_or_default()
    }
}

/// Calls `interpret` with the groups wrapped in the instrument, if there is one. Without one a wrapped group does what the
/// group does: the interpreter is compiled for wrapped groups only, as twice would take long.
pub(crate) fn run<G: Group>(
    instrument: Option<&Instrument>,
    groups: impl IntoIterator<Item = G>,
    interpret: impl FnOnce(&mut [Instrumented<'_, G>]) -> Vec<Outcome>,
) -> Vec<Outcome> {
    let wrapped = groups.into_iter().map(|group| Instrumented {
        group,
        instrument,
        counts: Cell::default(),
    });
    let mut groups: Vec<_> = wrapped.collect();
    let outcomes = interpret(&mut groups);
    if let Some(instrument) = instrument {
        for group in groups {
            lock(&instrument.counts).accumulate(&group.counts.get());
        }
    }
    outcomes
}

/// A group wrapped in an instrument.
pub(crate) struct Instrumented<'a, G> {
    group: G,
    instrument: Option<&'a Instrument>,
    counts: Cell<Counts>,
}

impl<G> Instrumented<'_, G> {
    /// Adds to the counts.
    fn count(&self, count: impl FnOnce(&mut Counts)) {
        let mut counts = self.counts.get();
        count(&mut counts);
        self.counts.set(counts);
    }

    /// Counts an operation, and returns the fault if it belongs to this operation and is of one of
    /// these kinds.
    fn fault(&self, kinds: &'static [FaultKind]) -> Option<Fault> {
        let mut strike = lock(&self.instrument?.strike);
        let operation = strike.operations;
        strike.operations += 1;
        if let Some(recorded) = &mut strike.recorded {
            recorded.push(kinds);
        }
        let fault = strike.fault?;
        let strikes = fault.operation == operation && kinds.contains(&fault.kind);
        strike.has_struck |= strikes;
        strikes.then_some(fault)
    }
}

/// Locks, ignoring poisoning by a panic, such as that of an assertion that a fault trips: the protected value
/// is whole at any time.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The members' digits, with one bit of one digit flipped if there is a fault. Digits stay below
/// `entries`. Without a fault nothing is copied, as digits may be secret.
fn flip_digit(digits: &[u64], fault: Option<Fault>, entries: usize) -> Cow<'_, [u64]> {
    let mut digits = Cow::Borrowed(digits);
    if let Some(fault) = fault {
        let member = fault.place as usize % digits.len();
        let bits = entries.max(2).ilog2();
        let flipped = digits[member] ^ 1 << ((fault.place >> 32) % u64::from(bits));
        digits.to_mut()[member] = if flipped < entries as u64 { flipped } else { 0 };
    }
    digits
}

impl<G: Group> Group for Instrumented<'_, G> {
    type Numbers = G::Numbers;
    type Table = CountedTable<G::Table>;

    const WIDTH: usize = G::WIDTH;

    fn zero(&self) -> G::Numbers {
        self.group.zero()
    }

    fn copy(&self, from: &G::Numbers, to: &mut G::Numbers) {
        self.group.copy(from, to);
    }

    fn enter(&self, words: &[&[Word]], out: &mut G::Numbers) {
        self.count(|counts| counts.entered += 1);
        match self.fault(&[FaultKind::Digit, FaultKind::Word]) {
            Some(fault) if fault.kind == FaultKind::Digit => {
                let mut words: Vec<Vec<Word>> = words.iter().map(|words| words.to_vec()).collect();
                let member = fault.place as usize % words.len();
                let words_of = &mut words[member];
                let bit = (fault.place >> 16) as usize % (64 * words_of.len().max(1));
                if let Some(word) = words_of.get_mut(bit / 64) {
                    *word ^= 1 << (bit % 64);
                }
                let words: Vec<&[Word]> = words.iter().map(Vec::as_slice).collect();
                self.group.enter(&words, out);
            }
            fault => {
                self.group.enter(words, out);
                self.flip(fault, out);
            }
        }
    }

    fn one(&self, out: &mut G::Numbers) {
        self.group.one(out);
    }

    fn montgomery_square(&self, out: &mut G::Numbers) {
        self.group.montgomery_square(out);
        self.flip(self.fault(&[FaultKind::Constant]), out);
    }

    fn own_constants(&self, members: &[Member<'_>], numbers: &[u64], out: &mut G::Numbers) {
        self.group.own_constants(members, numbers, out);
        self.flip(self.fault(&[FaultKind::Constant]), out);
    }

    fn select_own_public(
        &self,
        members: &[Member<'_>],
        table: OwnTable,
        digits: &[u64],
        out: &mut G::Numbers,
    ) {
        self.count(|counts| counts.read += 1);
        let digits = flip_digit(digits, self.fault(&[FaultKind::Digit]), table.len());
        self.group.select_own_public(members, table, &digits, out);
    }

    fn select_own(
        &self,
        members: &[Member<'_>],
        table: OwnTable,
        digits: &[u64],
        out: &mut G::Numbers,
    ) {
        self.count(|counts| counts.read += table.len() as u64);
        let fault = self.fault(&[FaultKind::Digit, FaultKind::Constant]);
        let digit = fault.filter(|fault| fault.kind == FaultKind::Digit);
        let digits = flip_digit(digits, digit, table.len());
        self.group.select_own(members, table, &digits, out);
        self.flip(fault.filter(|fault| fault.kind == FaultKind::Constant), out);
    }

    fn multiply(&mut self, x: &mut G::Numbers, y: &G::Numbers) {
        self.count(|counts| counts.products += 1);
        self.product(x, |group, x| group.multiply(x, y));
    }

    fn multiply_into(&mut self, x: &G::Numbers, y: &G::Numbers, out: &mut G::Numbers) {
        self.count(|counts| counts.products += 1);
        self.product(out, |group, out| group.multiply_into(x, y, out));
    }

    fn square_times(&mut self, x: &mut G::Numbers, times: u32) {
        if self.instrument.is_none() {
            return self.group.square_times(x, times);
        }
        for _ in 0..times {
            self.count(|counts| {
                counts.products += 1;
                counts.squarings += 1;
            });
            self.product(x, |group, x| group.square_times(x, 1));
        }
    }

    fn sum_of_products(
        &mut self,
        terms: &[(bool, &G::Numbers, &G::Numbers)],
        out: &mut G::Numbers,
    ) {
        self.count(|counts| {
            counts.products += 1;
            counts.terms += terms.len() as u64;
        });
        self.product(out, |group, out| group.sum_of_products(terms, out));
    }

    fn combine(
        &self,
        terms: &[(i32, &G::Numbers)],
        lift: u64,
        fold: bool,
        spare: &mut G::Numbers,
        out: &mut G::Numbers,
    ) {
        self.group.combine(terms, lift, fold, spare, out);
        self.linear(out);
    }

    // An instrument sees the operations of formulas, too, one by one.
    fn run_segment(
        &mut self,
        registers: &mut [G::Numbers],
        span: &Span,
        digits: Option<&[u64]>,
    ) -> bool {
        self.instrument.is_none() && self.group.run_segment(registers, span, digits)
    }

    // And those of inversions.
    fn invert(&mut self, x: &G::Numbers, out: &mut G::Numbers) -> bool {
        self.instrument.is_none() && self.group.invert(x, out)
    }

    fn registers(&self, program: &Program) -> usize {
        self.group.registers(program)
    }

    fn run_steps(
        &mut self,
        registers: &mut [G::Numbers],
        program: &Program,
        first: usize,
    ) -> usize {
        if self.instrument.is_some() {
            return 0;
        }
        self.group.run_steps(registers, program, first)
    }

    fn are_zero(&mut self, x: &G::Numbers, count: usize) -> Vec<bool> {
        if self.instrument.is_none() {
            return self.group.are_zero(x, count);
        }
        are_zero_once_left(self, x, count)
    }

    fn choose(&self, bits: &[u64], x: &mut G::Numbers, y: &G::Numbers) {
        let digits = flip_digit(bits, self.fault(&[FaultKind::Digit]), 2);
        self.group.choose(&digits, x, y);
        self.linear(x);
    }

    fn table(&self, entries: usize, is_secret: bool) -> Self::Table {
        CountedTable {
            entries,
            table: self.group.table(entries, is_secret),
        }
    }

    fn store(&self, table: &mut Self::Table, entry: usize, numbers: &G::Numbers) {
        self.count(|counts| counts.stored += 1);
        self.group.store(&mut table.table, entry, numbers);
        self.flip_entry(table);
    }

    fn store_at(&self, table: &mut Self::Table, entries: &[u64], numbers: &G::Numbers) {
        self.count(|counts| counts.stored += 1);
        let digits = flip_digit(entries, self.fault(&[FaultKind::Digit]), table.entries);
        self.group.store_at(&mut table.table, &digits, numbers);
    }

    fn load(&self, table: &Self::Table, entry: usize, out: &mut G::Numbers) {
        self.count(|counts| counts.read += 1);
        self.group.load(&table.table, entry, out);
        self.flip(self.fault(&[FaultKind::Word]), out);
    }

    fn select(&mut self, table: &Self::Table, indices: &[u64], out: &mut G::Numbers) {
        self.count(|counts| counts.read += table.entries as u64);
        let fault = self.fault(&[FaultKind::Digit, FaultKind::Word]);
        let digit = fault.filter(|fault| fault.kind == FaultKind::Digit);
        let digits = flip_digit(indices, digit, table.entries);
        self.group.select(&table.table, &digits, out);
        self.flip(fault.filter(|fault| fault.kind == FaultKind::Word), out);
    }

    fn select_public(&self, table: &Self::Table, indices: &[u64], out: &mut G::Numbers) {
        self.count(|counts| counts.read += 1);
        let digits = flip_digit(indices, self.fault(&[FaultKind::Digit]), table.entries);
        self.group.select_public(&table.table, &digits, out);
    }

    fn leave(&mut self, x: &G::Numbers, count: usize) -> Vec<Zeroizing<BoxedUint>> {
        self.count(|counts| counts.left += 1);
        let fault = self.fault(&[FaultKind::Word, FaultKind::Weight, FaultKind::Digit]);
        let mut integers = Vec::new();
        match fault {
            Some(Fault {
                kind: FaultKind::Weight,
                place,
                ..
            }) => self.group.with_flipped_weight(place, |group| {
                integers = group.leave(x, count);
            }),
            Some(
                fault @ Fault {
                    kind: FaultKind::Word,
                    ..
                },
            ) => {
                let mut broken = self.group.zero();
                self.group.copy(x, &mut broken);
                self.flip(Some(fault), &mut broken);
                integers = self.group.leave(&broken, count);
            }
            Some(fault) => {
                integers = self.group.leave(x, count);
                let member = fault.place as usize % integers.len();
                let words = integers[member].as_mut_words();
                let bit = (fault.place >> 16) as usize % (64 * words.len());
                words[bit / 64] ^= 1 << (bit % 64);
            }
            None => integers = self.group.leave(x, count),
        }
        integers
    }

    fn take_suspects(&mut self) -> Vec<Suspect> {
        self.group.take_suspects()
    }

    fn is_within(&self, x: &G::Numbers, member: usize, magnitude: &Magnitude) -> bool {
        // A fault may break any bound.
        let has_fault = |instrument: &Instrument| lock(&instrument.strike).fault.is_some();
        self.instrument.is_some_and(has_fault) || self.group.is_within(x, member, magnitude)
    }

    fn flip_word(&self, x: &mut G::Numbers, place: u64) {
        self.group.flip_word(x, place);
    }

    fn flip_entry(&self, table: &mut Self::Table, place: u64) {
        self.group.flip_entry(&mut table.table, place);
    }

    // An instrument is not wrapped in another one.
    fn with_flipped_weight(&mut self, _: u64, operation: impl FnOnce(&mut Self)) {
        operation(self);
    }

    fn with_flipped_constant(&mut self, _: u64, operation: impl FnOnce(&mut Self)) {
        operation(self);
    }
}

impl<G: Group> Instrumented<'_, G> {
    /// Flips a bit of a stored word, whether a result's or a constant's.
    fn flip(&self, fault: Option<Fault>, x: &mut G::Numbers) {
        if let Some(fault) = fault
            && matches!(fault.kind, FaultKind::Word | FaultKind::Constant)
        {
            self.group.flip_word(x, fault.place);
        }
    }

    fn flip_entry(&self, table: &mut CountedTable<G::Table>) {
        if let Some(fault) = self.fault(&[FaultKind::Entry]) {
            self.group.flip_entry(&mut table.table, fault.place);
        }
    }

    fn linear(&self, x: &mut G::Numbers) {
        self.count(|counts| counts.linear += 1);
        self.flip(self.fault(&[FaultKind::Word]), x);
    }

    fn product(&mut self, x: &mut G::Numbers, product: impl FnOnce(&mut G, &mut G::Numbers)) {
        let kinds = &[FaultKind::Word, FaultKind::Weight, FaultKind::Constant];
        let fault = self.fault(kinds);
        let place = fault.map_or(0, |fault| fault.place);
        let operation = |group: &mut G| product(group, x);
        match fault.map(|fault| fault.kind) {
            Some(FaultKind::Weight) => self.group.with_flipped_weight(place, operation),
            Some(FaultKind::Constant) => self.group.with_flipped_constant(place, operation),
            _ => {
                operation(&mut self.group);
                self.flip(fault, x);
            }
        }
    }
}

/// A table with the number of its entries.
pub(crate) struct CountedTable<T> {
    entries: usize,
    table: T,
}
