//! A group of numbers that run through the same operations, whatever way they lie in registers.

use crypto_bigint::{BoxedUint, Word};
use zeroize::Zeroizing;

use crate::device::Member;

/// A group: a fixed number of members, each with a modulus of its own, of one plan.
///
/// A product is `x y F^-1` modulo P with the Montgomery factor F (the product of base A). The
/// magnitudes of operands and results are those of the program's [`Limits`](crate::program::Limits);
/// stored residues keep the plan's bounds, which every operation requires and ensures.
///
/// Implementations must take a time that depends on the plan and the group only, but for what is
/// said to be public.
pub(crate) trait Group {
    /// A number for each member; wiped on drop. The default has no room for any.
    type Numbers: Default;
    /// A table of numbers for each member; wiped on drop.
    type Table;

    /// How many members the group has.
    const WIDTH: usize;

    /// Numbers, all zero.
    fn zero(&self) -> Self::Numbers;

    /// `to := from`.
    fn copy(&self, from: &Self::Numbers, to: &mut Self::Numbers);

    /// The members' integers below `2^bits`, in little-endian words.
    fn enter(&self, words: &[&[Word]], out: &mut Self::Numbers);

    /// The number 1 for every member.
    fn one(&self, out: &mut Self::Numbers);

    /// `F^2 mod P`.
    fn montgomery_square(&self, out: &mut Self::Numbers);

    /// The k-th constant of each member's modulus.
    fn own_constant(&self, members: &[Member<'_>], k: usize, out: &mut Self::Numbers);

    /// `x := x y`, a product.
    fn multiply(&mut self, x: &mut Self::Numbers, y: &Self::Numbers);

    /// `x := x^(2^times)`, products.
    fn square_times(&mut self, x: &mut Self::Numbers, times: u32);

    /// `out := sum of x y`, or `- x y` where the first is true: one product.
    fn sum_of_products(
        &mut self,
        terms: &[(bool, &Self::Numbers, &Self::Numbers)],
        out: &mut Self::Numbers,
    );

    /// `x := x + y`.
    fn add(&self, x: &mut Self::Numbers, y: &Self::Numbers);

    /// `x := x - y`.
    fn subtract(&self, x: &mut Self::Numbers, y: &Self::Numbers);

    /// `x := -x`.
    fn negate(&self, x: &mut Self::Numbers);

    /// `x := factor x` for a factor of 1 to [`Builder::MAX_FACTOR`](crate::program::Builder).
    fn scale(&self, x: &mut Self::Numbers, factor: u32);

    /// `x := y` where the member's bit is 1; x and y are read, and x is written, for any bit.
    fn choose(&self, bits: &[u64], x: &mut Self::Numbers, y: &Self::Numbers);

    /// A table with room for this many entries, all zero.
    fn table(&self, entries: usize) -> Self::Table;

    /// Stores an entry of every member.
    fn store(&self, table: &mut Self::Table, entry: usize, numbers: &Self::Numbers);

    /// Stores each member's number in an entry of its own. The entries are public.
    fn store_at(&self, table: &mut Self::Table, entries: &[u64], numbers: &Self::Numbers);

    /// An entry of every member.
    fn load(&self, table: &Self::Table, entry: usize, out: &mut Self::Numbers);

    /// Each member's entry at its own, secret, index: every entry is read, and all but one
    /// are masked away.
    fn select(&self, table: &Self::Table, indices: &[u64], out: &mut Self::Numbers);

    /// Each member's entry at its own, public, index; no other is read.
    fn select_public(&self, table: &Self::Table, indices: &[u64], out: &mut Self::Numbers);

    /// The canonical integers of the first `count` members of a number in the range of a product,
    /// each in as many words as its modulus has.
    fn leave(&mut self, x: &Self::Numbers, count: usize) -> Vec<Zeroizing<BoxedUint>>;

    /// Whether one member's integer is within `[low, high]` times its modulus, plus or minus
    /// `pieces 2^bits`: what a checked build asserts after every operation.
    #[cfg(any(test, feature = "testing", debug_assertions))]
    fn is_within(
        &self,
        x: &Self::Numbers,
        member: usize,
        magnitude: &crate::program::Magnitude,
    ) -> bool;

    /// Flips a bit of a stored residue.
    #[cfg(any(test, feature = "testing"))]
    fn flip_residue(&self, x: &mut Self::Numbers, place: u64);

    /// Flips a bit of a table entry.
    #[cfg(any(test, feature = "testing"))]
    fn flip_entry(&self, table: &mut Self::Table, place: u64);

    /// Runs `operation` with a bit of a weight of a constant matrix flipped.
    #[cfg(any(test, feature = "testing"))]
    fn with_flipped_weight(&mut self, place: u64, operation: impl FnOnce(&mut Self));
}
