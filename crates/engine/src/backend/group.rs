//! A group of numbers that walk through the same operations, whatever way the numbers lie in
//! registers, and the walk itself.

use crypto_bigint::{BoxedUint, Word};

use super::{plan::PreparedModulus, power};
use crate::{Exponent, Task};

/// A group: a fixed number of numbers, each with a modulus of its own, of one plan.
///
/// A product is `x y A^-1` modulo P; a number x is *in Montgomery form* as `x A`. With c the plan's
/// overshoot, numbers are integers below `2 c P` and products below `c P`, or, in groups on tiles,
/// within `(-4 c P, 4 c P)` and `(-3 c P, 3 c P)`.
///
/// Implementations must take a time that depends on the plan and the group only.
pub(crate) trait Group {
    /// A number for each member.
    type Numbers: Clone;
    /// A table of numbers for each member.
    type Table;

    /// How many members the group has.
    const WIDTH: usize;

    /// `plan.bits`: how many bits of an integer enter at once.
    fn bits(&self) -> u32;

    /// The number 1 for every member.
    fn one(&self) -> Self::Numbers;

    /// `plan.bits` bits of each member's integer, from bit `position` on.
    fn enter(&self, words: &[&[Word]], position: usize) -> Self::Numbers;

    /// `x := x y A^-1`.
    fn multiply(&mut self, x: &mut Self::Numbers, y: &Self::Numbers);

    /// `x := x^2 A^-1`.
    fn square(&mut self, x: &mut Self::Numbers);

    /// [`Self::square`], so many times.
    fn square_times(&mut self, x: &mut Self::Numbers, times: u32) {
        for _ in 0..times {
            self.square(x);
        }
    }

    /// `x := x A`, into Montgomery form.
    fn enter_montgomery_form(&mut self, x: &mut Self::Numbers);

    /// `x := x + y`, for numbers that came from [`Self::enter_montgomery_form`], at most one of
    /// them multiplied since by a number that this made of two such.
    fn add(&self, x: &mut Self::Numbers, y: &Self::Numbers);

    /// A table with room for so many entries.
    fn table(&self, entries: usize) -> Self::Table;

    /// Stores an entry of every member.
    fn store(&self, table: &mut Self::Table, entry: usize, numbers: &Self::Numbers);

    /// How many entries of a table are read in the time of a product.
    fn entries_per_product(&self) -> u32;

    /// Each member's entry at its own, secret, index: every entry is read, and all but one
    /// are masked away.
    fn select(&self, table: &Self::Table, indices: &[u64], out: &mut Self::Numbers);

    /// The integers of `product`, which is the last product, each reduced below its modulus, for
    /// the members that these moduli belong to.
    fn leave(&self, product: &Self::Numbers, moduli: &[&PreparedModulus]) -> Vec<BoxedUint>;
}

/// Computes up to `G::WIDTH` tasks that walk alike; places left over repeat the first task.
/// `make_group` gets the moduli of all places.
pub(crate) fn run<'a, G: Group>(
    tasks: &[Task<'a>],
    make_group: impl FnOnce(&[&'a PreparedModulus]) -> G,
) -> Vec<BoxedUint> {
    let members: Vec<&Task<'a>> = (0..G::WIDTH)
        .map(|place| tasks.get(place).unwrap_or(&tasks[0]))
        .collect();
    let moduli: Vec<&'a PreparedModulus> =
        members.iter().map(|task| task.modulus.prepared()).collect();
    let mut group = make_group(&moduli);

    let bases: Vec<&[Word]> = members.iter().map(|task| task.base.as_words()).collect();
    let base = enter_any_length(&mut group, &bases);

    let exponents: Vec<Exponent<'_>> = members.iter().map(|task| task.exponent).collect();
    let length = exponents.iter().map(Exponent::length).max().unwrap_or(0);
    let walk = match exponents[0] {
        Exponent::Secret(_) => power::fixed_window,
        Exponent::Public(_) => power::binary_vartime,
    };
    let mut result = walk(&mut group, &base, &exponents, length);

    // The last product takes the result out of Montgomery form: by the factor, or by 1.
    let factors: Vec<&[Word]> = members
        .iter()
        .map(|task| task.factor.map_or(&[1][..], |f| f.as_words()))
        .collect();
    let factor = if members.iter().all(|task| task.factor.is_none()) {
        group.one()
    } else if longest(&factors) <= group.bits() as usize {
        group.enter(&factors, 0)
    } else {
        let mut factor = enter_any_length(&mut group, &factors);
        let one = group.one();
        group.multiply(&mut factor, &one);
        factor
    };
    group.multiply(&mut result, &factor);
    group.leave(&result, &moduli[..tasks.len()])
}

/// The members' integers, of any length, in Montgomery form: pieces of `bits` bits by
/// Horner's rule.
fn enter_any_length<G: Group>(group: &mut G, words: &[&[Word]]) -> G::Numbers {
    let bits = group.bits();
    let pieces = longest(words).div_ceil(bits as usize).max(1);
    let piece = |group: &mut G, index: usize| {
        let mut numbers = group.enter(words, index * bits as usize);
        group.enter_montgomery_form(&mut numbers);
        numbers
    };
    let mut sum = piece(group, pieces - 1);
    if pieces > 1 {
        // 2^bits in Montgomery form: 2^(bits - 1) is the largest power a piece can hold.
        let half = BoxedUint::one_with_precision(bits).shl(bits - 1);
        let mut shift = group.enter(&vec![half.as_words(); G::WIDTH], 0);
        group.enter_montgomery_form(&mut shift);
        let same = shift.clone();
        group.add(&mut shift, &same);
        for index in (0..pieces - 1).rev() {
            group.multiply(&mut sum, &shift);
            let next = piece(group, index);
            group.add(&mut sum, &next);
        }
    }
    sum
}

/// The bits of the longest of these integers, by their words.
fn longest(words: &[&[Word]]) -> usize {
    words.iter().map(|words| words.len()).max().unwrap_or(0) * Word::BITS as usize
}
