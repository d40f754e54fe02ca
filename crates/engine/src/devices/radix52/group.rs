//! A group of eight numbers in limbs.

use core::mem;

use crypto_bigint::{BoxedUint, Word};
use smallvec::SmallVec;
use zeroize::Zeroizing;

use super::{
    numbers::{self, Limb, LimbNumbers},
    plan::{LIMB_BITS, LIMB_MASK, LimbConstants, LimbModulus, LimbPlan, PRODUCT_MULTIPLE},
    product::{self, Factors, Moduli},
};
use crate::{
    device::{Member, Outcome, Work, own},
    devices::{
        avx512::{Ifma, vector::WIDTH},
        group::Group,
        interpreter,
        lanes::LaneTable,
        row::{Row, all_at_most},
    },
    plan::{canonical, digits},
    program::OwnTable,
};

/// Number of members of a group.
pub(super) const NUMBERS: usize = WIDTH;

/// Runs the work as one group.
pub(super) fn run(kernels: Ifma, work: &Work<'_>) -> Vec<Outcome> {
    interpreter::run(work, |members| LimbGroup::new(kernels, members))
}

/// A group of eight numbers, one a lane.
struct LimbGroup<'a> {
    /// Proof that the processor has the features that the kernels are compiled for.
    _kernels: Ifma,
    plan: LimbPlan,
    products_at_once: usize,
    prepared: Vec<&'a LimbModulus>,
    /// The modulus P of each lane.
    moduli: LimbNumbers,
    /// `-P^-1 mod 2^52` of each lane.
    negative_inverse: Zeroizing<Limb>,
    /// `F^2 mod P`.
    factor_squared: LimbNumbers,
    /// Where a product is computed.
    product: LimbNumbers,
    /// What is added to a product of signed numbers.
    upper: LimbNumbers,
    /// Negated factors of sums of products.
    negated: Vec<LimbNumbers>,
}

impl<'a> LimbGroup<'a> {
    fn new(kernels: Ifma, members: &[Member<'a>]) -> Self {
        let prepared: Vec<&'a LimbModulus> =
            members.iter().map(|member| own(member.modulus)).collect();
        let plan = prepared[0].plan;
        debug_assert!(prepared.iter().all(|modulus| modulus.plan == plan));
        let numbers = |limbs: fn(&LimbModulus) -> &[u64]| {
            let limbs: Vec<&[u64]> = prepared.iter().map(|modulus| limbs(modulus)).collect();
            let mut numbers = LimbNumbers::zero(plan);
            numbers.transpose(&limbs);
            numbers
        };
        let negative_inverse = core::array::from_fn(|l| *prepared[l].negative_inverse);
        Self {
            _kernels: kernels,
            plan,
            products_at_once: plan.products_at_once(),
            moduli: numbers(|modulus| &modulus.limbs),
            negative_inverse: Zeroizing::new(Row(negative_inverse)),
            factor_squared: numbers(|modulus| &modulus.factor_squared),
            product: LimbNumbers::zero(plan),
            upper: LimbNumbers::zero(plan),
            negated: Vec::new(),
            prepared,
        }
    }

    /// `product := (T + q P) / F`, where T is the sum of products of the factors, plus `upper`
    /// modulo F.
    fn montgomery(&mut self, factors: Factors<'_>, upper: Option<&[Limb]>) {
        let moduli = Moduli {
            limbs: &self.moduli.limbs,
            negative_inverse: &self.negative_inverse,
            products_at_once: self.products_at_once,
        };
        let out = &mut self.product.limbs;
        debug_assert!(factors.all(|limbs| all_at_most(limbs, LIMB_MASK)));
        // SAFETY: `_kernels` exists, so `Ifma::detect` has found AVX-512F and IFMA, which the
        // functions are compiled for.
        unsafe {
            match self.plan.block {
                5 => product::montgomery::<5>(moduli, factors, upper, out),
                4 => product::montgomery::<4>(moduli, factors, upper, out),
                _ => product::montgomery::<3>(moduli, factors, upper, out),
            }
        }
    }

    /// [`Self::montgomery`] for numbers of which some may be negative. P is added, so that the
    /// result is positive.
    fn montgomery_signed(&mut self, pairs: &[(&[Limb], &[Limb])]) {
        let mut upper = mem::take(&mut self.upper);
        self.copy(&self.moduli, &mut upper);
        for (x, y) in pairs {
            // SAFETY: as in `montgomery`.
            unsafe { numbers::correct_signs(x, y, &mut upper.limbs) };
        }
        self.montgomery(Factors::Products(pairs), Some(&upper.limbs));
        self.upper = upper;
    }

    /// Makes `product` the product of x and y.
    fn multiply_pair(&mut self, x: &LimbNumbers, y: &LimbNumbers) {
        let pair = [(&*x.limbs, &*y.limbs)];
        if x.signed || y.signed {
            self.montgomery_signed(&pair);
        } else {
            self.montgomery(Factors::Products(&pair), None);
        }
    }

    /// Makes `product` the value of x.
    fn take_product(&mut self, x: &mut LimbNumbers) {
        mem::swap(&mut x.limbs, &mut self.product.limbs);
        x.signed = false;
    }
}

impl Group for LimbGroup<'_> {
    type Numbers = LimbNumbers;
    type Table = LimbTable;

    const WIDTH: usize = NUMBERS;

    fn zero(&self) -> LimbNumbers {
        LimbNumbers::zero(self.plan)
    }

    fn copy(&self, from: &LimbNumbers, to: &mut LimbNumbers) {
        to.limbs.copy_from_slice(&from.limbs);
        to.signed = from.signed;
    }

    fn enter(&self, words: &[&[Word]], out: &mut LimbNumbers) {
        let limbs: Vec<_> = words.iter().map(|words| self.plan.split(words)).collect();
        let limbs: Vec<&[u64]> = limbs.iter().map(|limbs| &***limbs).collect();
        out.transpose(&limbs);
    }

    fn one(&self, out: &mut LimbNumbers) {
        out.limbs.fill(Row([0; WIDTH]));
        if let Some(lowest) = out.limbs.first_mut() {
            *lowest = Row([1; WIDTH]);
        }
        out.signed = false;
    }

    fn montgomery_square(&self, out: &mut LimbNumbers) {
        self.copy(&self.factor_squared, out);
    }

    fn own_constants(&self, members: &[Member<'_>], numbers: &[u64], out: &mut LimbNumbers) {
        let constants: [&[u64]; NUMBERS] =
            core::array::from_fn(|lane| constants_of(&members[lane]).get(numbers[lane] as usize));
        out.transpose(&constants);
    }

    fn select_own_public(
        &self,
        members: &[Member<'_>],
        table: OwnTable,
        digits: &[u64],
        out: &mut LimbNumbers,
    ) {
        let first = u64::from(table.first);
        let numbers: [u64; NUMBERS] = core::array::from_fn(|lane| first + digits[lane]);
        self.own_constants(members, &numbers, out);
    }

    fn select_own(
        &self,
        members: &[Member<'_>],
        table: OwnTable,
        digits: &[u64],
        out: &mut LimbNumbers,
    ) {
        out.signed = false;
        out.limbs.fill(Row([0; WIDTH]));
        // Members with the same constants, which are next to each other, share the reading.
        let mut first = 0;
        while let Some(member) = members.get(first) {
            let constants = constants_of(member);
            let same = |other: &&Member<'_>| core::ptr::eq(constants_of(other), constants);
            let count = members[first..].iter().take_while(same).count();
            // No entry has this number: the lanes of other members stay as they are.
            let mut indices = Zeroizing::new(Row([u64::MAX; WIDTH]));
            indices[first..first + count].copy_from_slice(&digits[first..first + count]);
            let entries = constants.range(table.first as usize, table.len());
            // SAFETY: as in `montgomery`.
            unsafe { numbers::select_shared(entries, &indices, &mut out.limbs) };
            first += count;
        }
    }

    fn multiply(&mut self, x: &mut LimbNumbers, y: &LimbNumbers) {
        self.multiply_pair(x, y);
        self.take_product(x);
    }

    fn multiply_into(&mut self, x: &LimbNumbers, y: &LimbNumbers, out: &mut LimbNumbers) {
        self.multiply_pair(x, y);
        self.take_product(out);
    }

    fn square_times(&mut self, x: &mut LimbNumbers, times: u32) {
        for _ in 0..times {
            if x.signed {
                self.montgomery_signed(&[(&x.limbs, &x.limbs)]);
            } else {
                self.montgomery(Factors::Square(&x.limbs), None);
            }
            self.take_product(x);
        }
    }

    fn sum_of_products(
        &mut self,
        terms: &[(bool, &LimbNumbers, &LimbNumbers)],
        out: &mut LimbNumbers,
    ) {
        let signed = |&(negative, x, y): &(bool, &LimbNumbers, &LimbNumbers)| {
            negative || x.signed || y.signed
        };
        // -x y as (-x) y.
        let mut negated = mem::take(&mut self.negated);
        let negatives = terms.iter().filter(|(negative, ..)| *negative);
        for (place, (_, x, _)) in negatives.enumerate() {
            if place == negated.len() {
                negated.push(self.zero());
            }
            self.copy(x, &mut negated[place]);
            self.negate(&mut negated[place]);
        }
        let mut rest = negated.iter();
        let pairs: SmallVec<[(&[Limb], &[Limb]); 4]> = terms
            .iter()
            .map(|&(negative, x, y)| {
                let negated = if negative { rest.next() } else { None };
                (&*negated.unwrap_or(x).limbs, &*y.limbs)
            })
            .collect();
        if terms.iter().any(signed) {
            self.montgomery_signed(&pairs);
        } else {
            self.montgomery(Factors::Products(&pairs), None);
        }
        drop(pairs);
        self.negated = negated;
        self.take_product(out);
    }

    fn add(&self, x: &mut LimbNumbers, y: &LimbNumbers) {
        // SAFETY: as in `montgomery`.
        unsafe { numbers::add(&mut x.limbs, &y.limbs) };
        x.signed |= y.signed;
    }

    fn subtract(&self, x: &mut LimbNumbers, y: &LimbNumbers) {
        // SAFETY: as in `montgomery`.
        unsafe { numbers::subtract(&mut x.limbs, &y.limbs) };
        x.signed = true;
    }

    fn negate(&self, x: &mut LimbNumbers) {
        // SAFETY: as in `montgomery`.
        unsafe { numbers::negate(&mut x.limbs) };
        x.signed = true;
    }

    fn scale(&self, x: &mut LimbNumbers, factor: u32) {
        // SAFETY: as in `montgomery`.
        unsafe { numbers::scale(&mut x.limbs, factor.into()) };
    }

    fn choose(&self, bits: &[u64], x: &mut LimbNumbers, y: &LimbNumbers) {
        // SAFETY: as in `montgomery`.
        unsafe { numbers::choose(&indices(bits), &mut x.limbs, &y.limbs) };
        x.signed |= y.signed;
    }

    fn table(&self, entries: usize) -> LimbTable {
        LimbTable {
            limbs: LaneTable::new(entries, self.plan.limbs),
            signed: false,
        }
    }

    fn store(&self, table: &mut LimbTable, entry: usize, numbers: &LimbNumbers) {
        table.limbs.store(entry, &numbers.limbs, |limb| limb);
        table.signed |= numbers.signed;
    }

    fn store_at(&self, table: &mut LimbTable, entries: &[u64], numbers: &LimbNumbers) {
        table.limbs.store_at(entries, &numbers.limbs, |limb| limb);
        table.signed |= numbers.signed;
    }

    fn load(&self, table: &LimbTable, entry: usize, out: &mut LimbNumbers) {
        self.select_public(table, &[entry as u64; NUMBERS], out);
    }

    fn select(&self, table: &LimbTable, indices: &[u64], out: &mut LimbNumbers) {
        // SAFETY: as in `montgomery`.
        unsafe { numbers::select(&table.limbs, &self::indices(indices), &mut out.limbs) };
        out.signed = table.signed;
    }

    fn select_public(&self, table: &LimbTable, indices: &[u64], out: &mut LimbNumbers) {
        table.limbs.load_at(indices, &mut out.limbs, |limb| limb);
        out.signed = table.signed;
    }

    fn leave(&mut self, x: &LimbNumbers, count: usize) -> Vec<Zeroizing<BoxedUint>> {
        let prepared = self.prepared[..count].iter().enumerate();
        prepared
            .map(|(lane, modulus)| {
                let limbs = x.limbs.iter().map(|lanes| lanes[lane]);
                let mut words = Zeroizing::new(vec![0; modulus.words.len() + 1]);
                digits::join(limbs, LIMB_BITS, &mut words);
                canonical::from_words(words, &modulus.words, PRODUCT_MULTIPLE.unsigned_abs())
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
        let limbs: Vec<u64> = x.limbs.iter().map(|lanes| lanes[member]).collect();
        let canonical = limbs.iter().all(|limb| limb >> LIMB_BITS == 0);
        canonical
            && self
                .plan
                .is_within(&limbs, &self.prepared[member].limbs, magnitude)
    }

    #[cfg(any(test, feature = "testing"))]
    #[inline(never)]
    fn flip_residue(&self, x: &mut LimbNumbers, place: u64) {
        flip(&mut x.limbs, place);
    }

    #[cfg(any(test, feature = "testing"))]
    #[inline(never)]
    fn flip_entry(&self, table: &mut LimbTable, place: u64) {
        flip(table.limbs.residues_mut(), place);
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
        let inverse = core::slice::from_mut(&mut *self.negative_inverse);
        flip(inverse, place);
        operation(self);
        let inverse = core::slice::from_mut(&mut *self.negative_inverse);
        flip(inverse, place);
    }
}

/// A table of numbers in limbs.
pub(super) struct LimbTable {
    limbs: LaneTable<u64, WIDTH>,
    /// Whether an entry may be negative.
    signed: bool,
}

/// The constants of a member's modulus.
fn constants_of<'a>(member: &Member<'a>) -> &'a LimbConstants {
    own(member
        .constants
        .expect("the engine has checked that a member brings the constants"))
}

/// The digit of each member, in its lane; wiped on drop.
fn indices(digits: &[u64]) -> Zeroizing<Limb> {
    Zeroizing::new(Row(core::array::from_fn(|lane| digits[lane])))
}

/// Flips the bit of a limb that `place` selects.
#[cfg(any(test, feature = "testing"))]
fn flip(limbs: &mut [Limb], place: u64) {
    let split = crate::devices::lanes::split_place;
    let (row, lane, bit) = split(place, limbs.len(), WIDTH, LIMB_BITS + 1);
    limbs[row][lane] ^= 1 << bit;
}
