//! An instrument for tests: it wraps a group, counts its operations, and injects a fault.

use core::cell::Cell;
use std::sync::{
    Mutex, PoisonError,
    atomic::{AtomicU64, Ordering},
};

use crypto_bigint::{BoxedUint, Word};
use zeroize::Zeroizing;

use super::group::Group;
use crate::{
    device::{Member, Outcome},
    program::{Counts, Magnitude, OwnTable},
};

/// The kind of value in which a fault flips a bit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum FaultKind {
    /// A residue that an operation has just written.
    Residue,
    /// A digit of a scalar, or of an integer that enters or leaves.
    Digit,
    /// A weight of a constant matrix, during one operation.
    Weight,
    /// An entry of a table, when it is stored.
    Entry,
}

impl FaultKind {
    /// All kinds.
    pub const ALL: [Self; 4] = [Self::Residue, Self::Digit, Self::Weight, Self::Entry];
}

/// A single fault: one bit that is flipped in one operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fault {
    /// The index of the operation, counted from 0 over all groups of the run. If the operation has
    /// no value of the kind, there is no fault.
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
    /// Number of operations of all groups so far.
    operations: AtomicU64,
    /// The fault to inject, if any.
    fault: Option<Fault>,
}

impl Instrument {
    /// An instrument that injects a fault.
    pub(crate) fn breaking(fault: Fault) -> Self {
        Self {
            fault: Some(fault),
            ..Self::default()
        }
    }

    /// The operations counted so far.
    pub(crate) fn counts(&self) -> Counts {
        *self.counts.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Number of operations of all groups so far.
    pub(crate) fn operations(&self) -> u64 {
        self.operations.load(Ordering::Relaxed)
    }

    /// Calls `interpret` with the group wrapped in this instrument.
    pub(crate) fn run<G: Group>(
        &self,
        group: G,
        interpret: impl FnOnce(&mut Instrumented<'_, G>) -> Vec<Outcome>,
    ) -> Vec<Outcome> {
        let mut group = Instrumented {
            group,
            instrument: self,
            counts: Cell::default(),
        };
        let outcomes = interpret(&mut group);
        let mut counts = self.counts.lock().unwrap_or_else(PoisonError::into_inner);
        counts.accumulate(&group.counts.get());
        outcomes
    }
}

/// A group wrapped in an instrument.
pub(crate) struct Instrumented<'a, G> {
    group: G,
    instrument: &'a Instrument,
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
    fn fault(&self, kinds: &[FaultKind]) -> Option<Fault> {
        let operation = self.instrument.operations.fetch_add(1, Ordering::Relaxed);
        let fault = self.instrument.fault?;
        (fault.operation == operation && kinds.contains(&fault.kind)).then_some(fault)
    }
}

/// The members' digits, with one bit of one digit flipped if there is a fault. Digits stay below
/// `entries`.
fn flip_digit(digits: &[u64], fault: Option<Fault>, entries: usize) -> Vec<u64> {
    let mut digits = digits.to_vec();
    if let Some(fault) = fault {
        let member = fault.place as usize % digits.len();
        let bits = entries.max(2).ilog2();
        let flipped = digits[member] ^ 1 << ((fault.place >> 32) % u64::from(bits));
        digits[member] = if flipped < entries as u64 { flipped } else { 0 };
    }
    digits
}

impl<G: Group> Group for Instrumented<'_, G> {
    type Numbers = G::Numbers;
    type Table = Table<G::Table>;

    const WIDTH: usize = G::WIDTH;

    fn zero(&self) -> G::Numbers {
        self.group.zero()
    }

    fn copy(&self, from: &G::Numbers, to: &mut G::Numbers) {
        self.group.copy(from, to);
    }

    fn enter(&self, words: &[&[Word]], out: &mut G::Numbers) {
        self.count(|counts| counts.entered += 1);
        match self.fault(&[FaultKind::Digit, FaultKind::Residue]) {
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
        self.flip(self.fault(&[FaultKind::Residue]), out);
    }

    fn own_constants(&self, members: &[Member<'_>], numbers: &[u64], out: &mut G::Numbers) {
        self.group.own_constants(members, numbers, out);
        self.flip(self.fault(&[FaultKind::Residue]), out);
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
        let fault = self.fault(&[FaultKind::Digit, FaultKind::Residue]);
        let digit = fault.filter(|fault| fault.kind == FaultKind::Digit);
        let digits = flip_digit(digits, digit, table.len());
        self.group.select_own(members, table, &digits, out);
        self.flip(fault.filter(|fault| fault.kind == FaultKind::Residue), out);
    }

    fn multiply(&mut self, x: &mut G::Numbers, y: &G::Numbers) {
        self.count(|counts| counts.products += 1);
        self.product(x, |group, x| group.multiply(x, y));
    }

    fn square_times(&mut self, x: &mut G::Numbers, times: u32) {
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

    fn add(&self, x: &mut G::Numbers, y: &G::Numbers) {
        self.group.add(x, y);
        self.linear(x);
    }

    fn subtract(&self, x: &mut G::Numbers, y: &G::Numbers) {
        self.group.subtract(x, y);
        self.linear(x);
    }

    fn negate(&self, x: &mut G::Numbers) {
        self.group.negate(x);
        self.linear(x);
    }

    fn scale(&self, x: &mut G::Numbers, factor: u32) {
        self.group.scale(x, factor);
        self.linear(x);
    }

    fn choose(&self, bits: &[u64], x: &mut G::Numbers, y: &G::Numbers) {
        let digits = flip_digit(bits, self.fault(&[FaultKind::Digit]), 2);
        self.group.choose(&digits, x, y);
        self.linear(x);
    }

    fn table(&self, entries: usize) -> Self::Table {
        Table {
            entries,
            table: self.group.table(entries),
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
        self.flip(self.fault(&[FaultKind::Residue]), out);
    }

    fn select(&self, table: &Self::Table, indices: &[u64], out: &mut G::Numbers) {
        self.count(|counts| counts.read += table.entries as u64);
        let fault = self.fault(&[FaultKind::Digit, FaultKind::Residue]);
        let digit = fault.filter(|fault| fault.kind == FaultKind::Digit);
        let digits = flip_digit(indices, digit, table.entries);
        self.group.select(&table.table, &digits, out);
        self.flip(fault.filter(|fault| fault.kind == FaultKind::Residue), out);
    }

    fn select_public(&self, table: &Self::Table, indices: &[u64], out: &mut G::Numbers) {
        self.count(|counts| counts.read += 1);
        let digits = flip_digit(indices, self.fault(&[FaultKind::Digit]), table.entries);
        self.group.select_public(&table.table, &digits, out);
    }

    fn leave(&mut self, x: &G::Numbers, count: usize) -> Vec<Zeroizing<BoxedUint>> {
        self.count(|counts| counts.left += 1);
        let fault = self.fault(&[FaultKind::Residue, FaultKind::Weight, FaultKind::Digit]);
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
                    kind: FaultKind::Residue,
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

    fn is_within(&self, x: &G::Numbers, member: usize, magnitude: &Magnitude) -> bool {
        // A fault may break any bound.
        self.instrument.fault.is_some() || self.group.is_within(x, member, magnitude)
    }

    fn flip_residue(&self, x: &mut G::Numbers, place: u64) {
        self.group.flip_residue(x, place);
    }

    fn flip_entry(&self, table: &mut Self::Table, place: u64) {
        self.group.flip_entry(&mut table.table, place);
    }

    fn with_flipped_weight(&mut self, place: u64, operation: impl FnOnce(&mut Self)) {
        let _ = place;
        operation(self);
    }
}

impl<G: Group> Instrumented<'_, G> {
    fn flip(&self, fault: Option<Fault>, x: &mut G::Numbers) {
        if let Some(fault) = fault
            && fault.kind == FaultKind::Residue
        {
            self.group.flip_residue(x, fault.place);
        }
    }

    fn flip_entry(&self, table: &mut Table<G::Table>) {
        if let Some(fault) = self.fault(&[FaultKind::Entry]) {
            self.group.flip_entry(&mut table.table, fault.place);
        }
    }

    fn linear(&self, x: &mut G::Numbers) {
        self.count(|counts| counts.linear += 1);
        self.flip(self.fault(&[FaultKind::Residue]), x);
    }

    fn product(&mut self, x: &mut G::Numbers, product: impl FnOnce(&mut G, &mut G::Numbers)) {
        match self.fault(&[FaultKind::Residue, FaultKind::Weight]) {
            Some(Fault {
                kind: FaultKind::Weight,
                place,
                ..
            }) => self
                .group
                .with_flipped_weight(place, |group| product(group, x)),
            fault => {
                product(&mut self.group, x);
                self.flip(fault, x);
            }
        }
    }
}

/// A table with the number of its entries.
pub(crate) struct Table<T> {
    entries: usize,
    table: T,
}
