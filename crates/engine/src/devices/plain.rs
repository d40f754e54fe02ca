//! Groups of one number, held as a plain integer: Montgomery arithmetic for moduli that a plan of
//! residues does not serve, because a prime of its base A divides them.
//!
//! Such moduli are rare by chance, but anyone can make one. They take no plan of their own, and so
//! no more memory than other moduli. The arithmetic is that of crypto-bigint, in constant time.

use core::{any::Any, mem, slice};

use crypto_bigint::{
    BoxedUint, CtAssign, CtEq, MontyForm, MontyMultiplier, Odd, Word,
    modular::{BoxedMontyForm, BoxedMontyParams},
};
use zeroize::Zeroizing;

use super::{
    group::{Group, Residues},
    interpreter,
};
#[cfg(any(test, feature = "testing", debug_assertions))]
use crate::program::Magnitude;
use crate::{
    device::{Member, Outcome, Prepared, Work, own},
    plan::times_power,
    program::Limits,
};

/// The group key of all these moduli, which differs from the address of any plan.
pub(crate) const GROUP_KEY: usize = 0;

/// A modulus P of l limbs. It is divisible by a prime of a base, and so it is no secret prime.
pub(crate) struct PlainModulus {
    params: BoxedMontyParams,
    /// The limits of the plan that does not serve P. Numbers are below P here, whatever magnitudes
    /// a program may have by these limits.
    limits: Limits,
}

/// The constants of a modulus that programs use; wiped on drop.
struct PlainConstants(Vec<Zeroizing<BoxedUint>>);

impl PlainModulus {
    pub(crate) fn new(value: &Odd<BoxedUint>, limits: Limits) -> Self {
        Self {
            params: BoxedMontyParams::new(value.clone()),
            limits,
        }
    }

    /// What a device has prepared, if it is such a modulus.
    pub(crate) fn of(prepared: &(dyn Any + Send + Sync)) -> Option<&Self> {
        prepared.downcast_ref()
    }

    pub(crate) fn limits(&self) -> Limits {
        self.limits
    }

    /// Each integer times the Montgomery factor to the power of its form, modulo P.
    pub(crate) fn constants(&self, integers: &[Zeroizing<BoxedUint>], forms: &[i32]) -> Prepared {
        let p = self.params.modulus().as_words();
        let mut factor = vec![0; p.len() + 1];
        factor[p.len()] = 1;
        let factor = BoxedUint::from_words(factor);
        let constants = integers.iter().zip(forms);
        let constants = constants.map(|(x, &form)| times_power(x, &factor, form, p));
        Box::new(PlainConstants(constants.collect()))
    }

    /// Number of limbs.
    fn length(&self) -> usize {
        self.params.modulus().as_words().len()
    }

    /// The number with these limbs, filled up with zeros.
    fn number(&self, limbs: &[Word]) -> Zeroizing<BoxedUint> {
        let precision = self.params.bits_precision();
        let mut number = Zeroizing::new(BoxedUint::zero_with_precision(precision));
        number.as_mut_words()[..limbs.len()].copy_from_slice(limbs);
        number
    }

    /// `x := x y F^-1 mod P`. Requires that x or y is below P.
    fn multiply(&self, x: &mut BoxedUint, y: &BoxedUint) {
        let mut product = BoxedMontyForm::from_montgomery(mem::take(x), &self.params);
        let y = Zeroizing::new(BoxedMontyForm::from_montgomery(y.clone(), &self.params));
        <BoxedMontyForm as MontyForm>::Multiplier::from(&self.params).mul_assign(&mut product, &y);
        mem::swap(x, product.as_montgomery_mut());
    }

    /// `x := x + y mod P`.
    fn add(&self, x: &mut BoxedUint, y: &BoxedUint) {
        x.add_mod_assign(y, self.params.modulus().as_nz_ref());
    }

    /// `x := x - y mod P`.
    fn subtract(&self, x: &mut BoxedUint, y: &BoxedUint) {
        let difference = Zeroizing::new(x.sub_mod(y, self.params.modulus().as_nz_ref()));
        x.as_mut_words().copy_from_slice(difference.as_words());
    }

    /// An integer modulo P, by Horner's rule: pieces of l limbs, each times F^2 and then times 1.
    fn reduce(&self, words: &[Word]) -> Zeroizing<BoxedUint> {
        let square = self.params.as_ref().r2();
        let mut sum = self.number(&[]);
        for piece in words.chunks(self.length()).rev() {
            let mut piece = self.number(piece);
            self.multiply(&mut piece, square);
            self.multiply(&mut piece, &self.number(&[1]));
            // sum := sum F + piece
            self.multiply(&mut sum, square);
            self.add(&mut sum, &piece);
        }
        sum
    }
}

/// Runs the work, one member after the other.
pub(crate) fn run(work: &Work<'_>) -> Vec<Outcome> {
    let run = |member| {
        let work = Work {
            members: slice::from_ref(member),
            ..*work
        };
        interpreter::run(&work, |members| PlainGroup(own(members[0].modulus)))
    };
    work.members.iter().flat_map(run).collect()
}

/// A group of one number. The Montgomery factor F is `2^(64 l)`, and numbers are below P.
struct PlainGroup<'a>(&'a PlainModulus);

impl Group for PlainGroup<'_> {
    type Numbers = Zeroizing<BoxedUint>;
    type Table = Vec<Zeroizing<BoxedUint>>;

    const WIDTH: usize = 1;

    fn zero(&self) -> Self::Numbers {
        self.0.number(&[])
    }

    fn copy(&self, from: &Self::Numbers, to: &mut Self::Numbers) {
        to.as_mut_words().copy_from_slice(from.as_words());
    }

    fn enter(&self, words: &[&[Word]], out: &mut Self::Numbers) {
        *out = self.0.reduce(words[0]);
    }

    fn one(&self, out: &mut Self::Numbers) {
        *out = self.0.number(&[1]);
    }

    fn montgomery_square(&self, out: &mut Self::Numbers) {
        *out = self.0.number(self.0.params.as_ref().r2().as_words());
    }

    fn own_constants(&self, members: &[Member<'_>], numbers: &[u64], out: &mut Self::Numbers) {
        let constants = members[0]
            .constants
            .expect("the engine has checked that a member brings the program's constants");
        *out = self
            .0
            .number(own::<PlainConstants>(constants).0[numbers[0] as usize].as_words());
    }

    fn multiply(&mut self, x: &mut Self::Numbers, y: &Self::Numbers) {
        self.0.multiply(x, y);
    }

    fn square_times(&mut self, x: &mut Self::Numbers, times: u32) {
        for _ in 0..times {
            let y = x.clone();
            self.0.multiply(x, &y);
        }
    }

    fn sum_of_products(
        &mut self,
        terms: &[(bool, &Self::Numbers, &Self::Numbers)],
        out: &mut Self::Numbers,
    ) {
        *out = self.zero();
        for &(negative, x, y) in terms {
            let mut product = x.clone();
            self.0.multiply(&mut product, y);
            if negative {
                self.0.subtract(out, &product);
            } else {
                self.0.add(out, &product);
            }
        }
    }

    fn combine(
        &self,
        terms: &[(i32, &Self::Numbers)],
        _lift: u64,
        _fold: bool,
        spare: &mut Self::Numbers,
        out: &mut Self::Numbers,
    ) {
        self.combine_residues(terms, spare, out);
    }

    fn choose(&self, bits: &[u64], x: &mut Self::Numbers, y: &Self::Numbers) {
        x.ct_assign(y, bits[0].ct_eq(&1));
    }

    fn table(&self, entries: usize) -> Self::Table {
        vec![self.zero(); entries]
    }

    fn store(&self, table: &mut Self::Table, entry: usize, numbers: &Self::Numbers) {
        self.copy(numbers, &mut table[entry]);
    }

    fn store_at(&self, table: &mut Self::Table, entries: &[u64], numbers: &Self::Numbers) {
        self.copy(numbers, &mut table[entries[0] as usize]);
    }

    fn load(&self, table: &Self::Table, entry: usize, out: &mut Self::Numbers) {
        self.copy(&table[entry], out);
    }

    fn select(&self, table: &Self::Table, indices: &[u64], out: &mut Self::Numbers) {
        for (index, entry) in (0u64..).zip(table) {
            out.ct_assign(entry, index.ct_eq(&indices[0]));
        }
    }

    fn select_public(&self, table: &Self::Table, indices: &[u64], out: &mut Self::Numbers) {
        self.load(table, indices[0] as usize, out);
    }

    fn leave(&mut self, x: &Self::Numbers, _: usize) -> Vec<Zeroizing<BoxedUint>> {
        vec![x.clone()]
    }

    /// A number stands for all that are congruent to it, so that it has no magnitude but its own:
    /// whether it is below P.
    #[cfg(any(test, feature = "testing", debug_assertions))]
    fn is_within(&self, x: &Self::Numbers, _: usize, _: &Magnitude) -> bool {
        **x < **self.0.params.modulus()
    }

    #[cfg(any(test, feature = "testing"))]
    fn flip_residue(&self, x: &mut Self::Numbers, place: u64) {
        let bit = place as usize % (self.0.length() * Word::BITS as usize);
        x.as_mut_words()[bit / Word::BITS as usize] ^= 1 << (bit % Word::BITS as usize);
        // Numbers stay below P, as the arithmetic takes for granted.
        *x = self.0.reduce(x.as_words());
    }

    #[cfg(any(test, feature = "testing"))]
    fn flip_entry(&self, table: &mut Self::Table, place: u64) {
        let (entry, rest) = (place as usize % table.len(), place / table.len() as u64);
        self.flip_residue(&mut table[entry], rest);
    }

    /// There are no weights.
    #[cfg(any(test, feature = "testing"))]
    fn with_flipped_weight(&mut self, _: u64, operation: impl FnOnce(&mut Self)) {
        operation(self);
    }

    /// Its constants belong to another library.
    #[cfg(any(test, feature = "testing"))]
    fn with_flipped_constant(&mut self, _: u64, operation: impl FnOnce(&mut Self)) {
        operation(self);
    }
}

impl Residues for PlainGroup<'_> {
    fn add(&self, x: &mut Self::Numbers, y: &Self::Numbers) {
        self.0.add(x, y);
    }

    fn subtract(&self, x: &mut Self::Numbers, y: &Self::Numbers) {
        self.0.subtract(x, y);
    }

    fn scale(&self, x: &mut Self::Numbers, factor: u32, negative: bool) {
        let unscaled = x.clone();
        *x = self.zero();
        for bit in (0..u32::BITS - factor.leading_zeros()).rev() {
            let half = x.clone();
            self.0.add(x, &half);
            if factor >> bit & 1 == 1 {
                self.0.add(x, &unscaled);
            }
        }
        if negative {
            let mut difference = self.zero();
            self.0.subtract(&mut difference, x);
            *x = difference;
        }
    }
}
