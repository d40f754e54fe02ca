//! Groups of numbers in limbs.

use core::mem;

use crypto_bigint::{BoxedUint, Word};
use smallvec::SmallVec;
use zeroize::Zeroizing;

#[cfg(any(test, feature = "testing"))]
use crate::limbs::numbers::flip;
use crate::{
    device::{Member, Outcome, Work},
    group::Group,
    integers::canonical,
    interpreter,
    kept::own,
    limbs::{
        kernels::Kernels,
        numbers::{Factors, Folding, Limb, LimbNumbers, Moduli, WIDTH},
        plan::{LIMB_MASK, LimbConstants, LimbModulus, LimbPlan},
        table::LimbTable,
    },
    program::{Builder, OwnTable, Span},
    row::{Row, all_at_most},
};

/// Runs the work as groups of V vectors.
pub(super) fn run<K: Kernels, const V: usize>(kernels: K, work: &Work<'_>) -> Vec<Outcome> {
    if work.members.len() <= LimbGroup::<K, V>::WIDTH {
        interpreter::run(work, |members| LimbGroup::<K, V>::new(kernels, members))
    } else {
        interpreter::run_together(work, |members| LimbGroup::<K, V>::new(kernels, members))
    }
}

/// Whether the number of each lane, of at most `2 P`, is 0, P, or 2 P. Limbs of P are below `2^limb_bits` but for the highest.
fn multiples_of_p(limb_bits: u32, x: &[Limb], p: &[Limb]) -> [bool; WIDTH] {
    /// Cuts the sum of a limb and what is above the limb before it to its bits, but for the highest limb.
    fn cut(sum: u64, limb_bits: u32, is_highest: bool) -> (u64, u64) {
        if is_highest {
            (sum, 0)
        } else {
            (sum & ((1 << limb_bits) - 1), sum >> limb_bits)
        }
    }
    let (mut above, mut above_twice) = ([0; WIDTH], [0; WIDTH]);
    // The bits in which x differs from each multiple.
    let mut different = [[0; WIDTH]; 3];
    for (k, (limbs, p)) in x.iter().zip(p).enumerate() {
        let is_highest = k + 1 == x.len();
        for lane in 0..WIDTH {
            let (limb, twice) = (limbs[lane] + above[lane], 2 * p[lane] + above_twice[lane]);
            let (limb, over) = cut(limb, limb_bits, is_highest);
            let (twice, over_twice) = cut(twice, limb_bits, is_highest);
            (above[lane], above_twice[lane]) = (over, over_twice);
            different[0][lane] |= limb;
            different[1][lane] |= limb ^ p[lane];
            different[2][lane] |= limb ^ twice;
        }
    }
    core::array::from_fn(|lane| {
        let [zero, p, twice] = different.map(|bits| bits[lane] == 0);
        zero | p | twice
    })
}

/// A group of `8 V` numbers, one a lane of V vectors.
pub(super) struct LimbGroup<'a, K, const V: usize> {
    kernels: K,
    plan: LimbPlan,
    prepared: Vec<&'a LimbModulus>,
    /// The constants of each member's modulus, if the program has any.
    constants: Vec<&'a LimbConstants>,
    /// The modulus P of each lane.
    moduli: LimbNumbers,
    /// `2^(52 n) - P` of each lane.
    complements: LimbNumbers,
    /// `-P^-1 mod 2^52` of each lane.
    negative_inverses: Zeroizing<[Limb; V]>,
    /// The reciprocal of each lane's P.
    reciprocals: Zeroizing<[Limb; V]>,
    /// `F^2 mod P`.
    factor_squared: LimbNumbers,
    /// The product that is being computed.
    product: LimbNumbers,
    /// Scratch space for the kernels.
    scratch: LimbNumbers,
}

impl<'a, K: Kernels, const V: usize> LimbGroup<'a, K, V> {
    pub(super) fn new(kernels: K, members: &[Member<'a>]) -> Self {
        let prepared: Vec<&'a LimbModulus> =
            members.iter().map(|member| own(member.modulus)).collect();
        let plan = prepared[0].plan;
        let form = prepared[0].form;
        let alike = |modulus: &&LimbModulus| modulus.plan == plan && modulus.form == form;
        debug_assert!(prepared.iter().all(alike));
        let numbers = |limbs: fn(&LimbModulus) -> &[u64]| {
            let limbs: Vec<&[u64]> = prepared.iter().map(|modulus| limbs(modulus)).collect();
            let mut numbers = LimbNumbers::zero(plan, V);
            numbers.transpose(plan, &limbs);
            numbers
        };
        let lanes = |value: fn(&LimbModulus) -> u64| {
            let row = |v: usize| Row(core::array::from_fn(|l| value(prepared[v * WIDTH + l])));
            Zeroizing::new(core::array::from_fn(row))
        };
        Self {
            kernels,
            plan,
            moduli: numbers(|modulus| &modulus.limbs),
            complements: numbers(|modulus| &modulus.complement),
            negative_inverses: lanes(|modulus| *modulus.negative_inverse),
            reciprocals: lanes(|modulus| *modulus.reciprocal),
            factor_squared: numbers(|modulus| &modulus.factor_squared),
            product: LimbNumbers::zero(plan, V),
            scratch: LimbNumbers::default(),
            constants: members.iter().filter_map(constants_of).collect(),
            prepared,
        }
    }

    /// The rows of each vector.
    fn vectors(&self) -> impl Iterator<Item = core::ops::Range<usize>> + use<K, V> {
        let limbs = self.plan.limbs;
        (0..V).map(move |v| v * limbs..(v + 1) * limbs)
    }

    /// `product := (T + q P) / F`, where T is the sum of products of the factors.
    fn montgomery(&mut self, factors: Factors<'_>) {
        debug_assert!(factors.all(|x| all_at_most(&x.limbs, LIMB_MASK)));
        let moduli = Moduli {
            plan: self.plan,
            limbs: &self.moduli.limbs,
            form: self.prepared[0].form,
            negative_inverses: &*self.negative_inverses,
        };
        let (scratch, out) = (&mut self.scratch, &mut self.product.limbs);
        self.kernels.montgomery(moduli, factors, scratch, out);
    }

    /// The limbs of one member's number.
    fn limbs_of(&self, x: &LimbNumbers, member: usize) -> impl Iterator<Item = u64> {
        let (limbs, lane) = (self.plan.limbs, member % WIDTH);
        let rows = &x.limbs[member / WIDTH * limbs..][..limbs];
        rows.iter().map(move |row| row[lane])
    }

    /// Swaps x with `product`, so that x holds the product.
    fn take_product(&mut self, x: &mut LimbNumbers) {
        mem::swap(&mut x.limbs, &mut self.product.limbs);
    }
}

impl<K: Kernels, const V: usize> Group for LimbGroup<'_, K, V> {
    type Numbers = LimbNumbers;
    type Table = LimbTable;

    const WIDTH: usize = WIDTH * V;

    fn zero(&self) -> LimbNumbers {
        LimbNumbers::zero(self.plan, V)
    }

    fn copy(&self, from: &LimbNumbers, to: &mut LimbNumbers) {
        to.limbs.copy_from_slice(&from.limbs);
    }

    fn enter(&self, words: &[&[Word]], out: &mut LimbNumbers) {
        out.split(self.plan, self.prepared[0].form, words);
    }

    fn one(&self, out: &mut LimbNumbers) {
        for rows in self.vectors() {
            let rows = &mut out.limbs[rows];
            rows.fill(Row([0; WIDTH]));
            rows[0] = Row([1; WIDTH]);
        }
    }

    fn montgomery_square(&self, out: &mut LimbNumbers) {
        self.copy(&self.factor_squared, out);
    }

    fn own_constants(&self, members: &[Member<'_>], numbers: &[u64], out: &mut LimbNumbers) {
        debug_assert_eq!(members.len(), self.constants.len());
        let constants = self.constants.chunks_exact(WIDTH);
        let numbers = numbers.chunks_exact(WIDTH);
        for ((rows, constants), numbers) in self.vectors().zip(constants).zip(numbers) {
            for (block, out) in out.limbs[rows].chunks_mut(WIDTH).enumerate() {
                let limbs = |lane: usize| constants[lane].block(numbers[lane] as usize, block);
                self.kernels.transpose(core::array::from_fn(limbs), out);
            }
        }
    }

    fn select_own_public(
        &self,
        members: &[Member<'_>],
        table: OwnTable,
        digits: &[u64],
        out: &mut LimbNumbers,
    ) {
        let first = u64::from(table.first);
        let numbers: SmallVec<[u64; 32]> = digits.iter().map(|digit| first + digit).collect();
        self.own_constants(members, &numbers, out);
    }

    fn select_own(&self, _: &[Member<'_>], table: OwnTable, digits: &[u64], out: &mut LimbNumbers) {
        let entries = (table.first as usize, table.len());
        let constants_of_members = self.constants.chunks_exact(WIDTH);
        let digits = digits.as_chunks().0.iter();
        for ((rows, members), digits) in self.vectors().zip(constants_of_members).zip(digits) {
            let out = &mut out.limbs[rows];
            // Mostly all members have the same.
            if (members.iter()).all(|&constants| core::ptr::eq(constants, members[0])) {
                let indices = Zeroizing::new(Row(*digits));
                self.kernels
                    .select_shared(members[0], entries, &indices, out);
                continue;
            }
            out.fill(Row([0; WIDTH]));
            // Members with the same constants, which are next to each other, share the reading.
            let mut first = 0;
            while let Some(&constants) = members.get(first) {
                let same = |other: &&&LimbConstants| core::ptr::eq(**other, constants);
                let count = members[first..].iter().take_while(same).count();
                // No entry has this number: other members' lanes are unchanged.
                let mut indices = Zeroizing::new(Row([u64::MAX; WIDTH]));
                indices[first..first + count].copy_from_slice(&digits[first..first + count]);
                self.kernels
                    .select_shared(constants, entries, &indices, out);
                first += count;
            }
        }
    }

    fn multiply(&mut self, x: &mut LimbNumbers, y: &LimbNumbers) {
        self.montgomery(Factors::Products(&[(false, x, y)]));
        self.take_product(x);
    }

    fn multiply_into(&mut self, x: &LimbNumbers, y: &LimbNumbers, out: &mut LimbNumbers) {
        self.montgomery(Factors::Products(&[(false, x, y)]));
        self.take_product(out);
    }

    fn square_times(&mut self, x: &mut LimbNumbers, times: u32) {
        for _ in 0..times {
            self.montgomery(Factors::Square(x));
            self.take_product(x);
        }
    }

    fn sum_of_products(
        &mut self,
        terms: &[(bool, &LimbNumbers, &LimbNumbers)],
        out: &mut LimbNumbers,
    ) {
        self.montgomery(Factors::Products(terms));
        self.take_product(out);
    }

    fn combine(
        &self,
        terms: &[(i32, &LimbNumbers)],
        lift: u64,
        fold: bool,
        _spare: &mut LimbNumbers,
        out: &mut LimbNumbers,
    ) {
        debug_assert!(!fold || self.plan.folds());
        debug_assert!(terms.iter().all(|(_, x)| all_at_most(&x.limbs, LIMB_MASK)));
        debug_assert!({
            let factors = terms.iter().map(|(factor, _)| factor.unsigned_abs());
            factors.sum::<u32>() <= Builder::MAX_FACTOR
        });
        let moduli = Folding {
            plan: self.plan,
            form: self.prepared[0].form,
            p: &self.moduli.limbs,
            complements: &self.complements.limbs,
            reciprocals: &*self.reciprocals,
        };
        self.kernels
            .combine(terms, lift, fold, moduli, &mut out.limbs);
    }

    fn run_segment(
        &mut self,
        registers: &mut [LimbNumbers],
        span: &Span,
        digits: Option<&[u64]>,
    ) -> bool {
        let form = self.prepared[0].form;
        self.kernels.run_segment(form, registers, span, digits)
    }

    fn choose(&self, bits: &[u64], x: &mut LimbNumbers, y: &LimbNumbers) {
        for (v, rows) in self.vectors().enumerate() {
            let (x, y) = (&mut x.limbs[rows.clone()], &y.limbs[rows]);
            self.kernels.choose(&indices(bits, v), x, y);
        }
    }

    fn table(&self, entries: usize, is_secret: bool) -> LimbTable {
        LimbTable::new(V, entries, self.plan.limbs, is_secret)
    }

    fn store(&self, table: &mut LimbTable, entry: usize, numbers: &LimbNumbers) {
        for (v, rows) in self.vectors().enumerate() {
            table.store(self.kernels, v, entry, &numbers.limbs[rows]);
        }
    }

    fn store_at(&self, table: &mut LimbTable, entries: &[u64], numbers: &LimbNumbers) {
        let entries = entries.chunks_exact(WIDTH);
        for ((v, rows), entries) in self.vectors().enumerate().zip(entries) {
            table.store_at(self.kernels, v, entries, &numbers.limbs[rows]);
        }
    }

    fn load(&self, table: &LimbTable, entry: usize, out: &mut LimbNumbers) {
        for (v, rows) in self.vectors().enumerate() {
            table.load_at(
                self.kernels,
                v,
                &[entry as u64; WIDTH],
                &mut out.limbs[rows],
            );
        }
    }

    fn select(&mut self, table: &LimbTable, digits: &[u64], out: &mut LimbNumbers) {
        let LimbTable::Secret(vectors) = table else {
            // `Builder::select` marks the table of every secret stream, and the program's seal has both.
            unreachable!("the program says of every table whether secret digits select from it");
        };
        for ((v, rows), table) in self.vectors().enumerate().zip(vectors) {
            self.kernels
                .select(table, &indices(digits, v), &mut out.limbs[rows]);
        }
    }

    fn select_public(&self, table: &LimbTable, digits: &[u64], out: &mut LimbNumbers) {
        let digits = digits.chunks_exact(WIDTH);
        for ((v, rows), digits) in self.vectors().enumerate().zip(digits) {
            table.load_at(self.kernels, v, digits, &mut out.limbs[rows]);
        }
    }

    fn leave(&mut self, x: &LimbNumbers, count: usize) -> Vec<Zeroizing<BoxedUint>> {
        let prepared = self.prepared[..count].iter().enumerate();
        prepared
            .map(|(place, modulus)| modulus.leave(self.limbs_of(x, place)))
            .collect()
    }

    #[inline(never)]
    fn are_zero(&mut self, x: &LimbNumbers, count: usize) -> Vec<bool> {
        let (limbs, moduli) = (&x.limbs, &self.moduli.limbs);
        let vectors = self.vectors();
        let flags = vectors
            .map(|rows| multiples_of_p(self.plan.limb_bits, &limbs[rows.clone()], &moduli[rows]));
        // By index: an iterator over flags would compare each with a third value, which stands for its end.
        let flags: Vec<_> = flags.collect();
        let members = self.prepared[..count].iter().enumerate();
        members
            .map(|(place, modulus)| {
                if modulus.is_whole() {
                    flags[place / WIDTH][place % WIDTH]
                } else {
                    canonical::is_zero(modulus.leave(self.limbs_of(x, place)).as_words())
                }
            })
            .collect()
    }

    #[cfg(any(test, feature = "testing", debug_assertions))]
    fn is_within(
        &self,
        x: &LimbNumbers,
        member: usize,
        magnitude: &crate::program::Magnitude,
    ) -> bool {
        let limbs: Vec<u64> = self.limbs_of(x, member).collect();
        let canonical = limbs.iter().all(|&limb| limb <= LIMB_MASK);
        canonical
            && self
                .plan
                .is_within(&limbs, &self.prepared[member].limbs, magnitude)
    }

    #[cfg(any(test, feature = "testing"))]
    #[inline(never)]
    fn flip_word(&self, x: &mut LimbNumbers, place: u64) {
        flip(&mut x.limbs, place);
    }

    #[cfg(any(test, feature = "testing"))]
    #[inline(never)]
    fn flip_entry(&self, table: &mut LimbTable, place: u64) {
        table.flip(place);
    }

    #[cfg(any(test, feature = "testing"))]
    #[inline(never)]
    fn with_flipped_weight(&mut self, place: u64, operation: impl FnOnce(&mut Self)) {
        flip(&mut self.moduli.limbs, place);
        operation(self);
        flip(&mut self.moduli.limbs, place);
    }

    #[cfg(any(test, feature = "testing"))]
    #[inline(never)]
    fn with_flipped_constant(&mut self, place: u64, operation: impl FnOnce(&mut Self)) {
        flip(&mut *self.negative_inverses, place);
        operation(self);
        flip(&mut *self.negative_inverses, place);
    }
}

/// The constants of a member's modulus, if it brings any.
fn constants_of<'a>(member: &Member<'a>) -> Option<&'a LimbConstants> {
    member.constants.map(own)
}

/// The digits of the members of a vector, each in its lane; wiped on drop.
fn indices(digits: &[u64], vector: usize) -> Zeroizing<Limb> {
    let digits = &digits[vector * WIDTH..(vector + 1) * WIDTH];
    Zeroizing::new(Row(core::array::from_fn(|lane| digits[lane])))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 0, P and 2 P are multiples, also with bits of the lowest limb that belong to the next one, and their neighbours are not.
    #[test]
    fn multiples() {
        const BITS: u32 = 51;
        const LIMB: u64 = 1 << BITS;
        let p = [LIMB - 19, LIMB - 1, LIMB - 1];
        let twice = [LIMB - 38, LIMB - 1, 2 * LIMB - 1];
        let wide = [p[0] + LIMB, p[1] - 1, p[2]];
        let numbers = [
            [0; 3],
            p,
            twice,
            wide,
            [1, 0, 0],
            [p[0] + 1, p[1], p[2]],
            [p[0], p[1], p[2] - 1],
            [twice[0] - 1, twice[1], twice[2]],
        ];
        let rows = |k: usize| Row(numbers.map(|number| number[k]));
        let moduli = p.map(|limb| Row([limb; WIDTH]));
        let flags = multiples_of_p(BITS, &[rows(0), rows(1), rows(2)], &moduli);
        assert_eq!(flags, [true, true, true, true, false, false, false, false]);
    }
}
