//! The interface of a group: numbers that run through the same operations together, in any
//! layout.

use crypto_bigint::{BoxedUint, Word};
use zeroize::Zeroizing;

use crate::{
    device::Member,
    faults::Suspect,
    integers::canonical,
    program::{OwnTable, Program, Span},
};

/// A group of [`WIDTH`](Self::WIDTH) members, each with its own modulus P; all moduli have the
/// same plan.
///
/// A product is `x y F^-1` modulo P, with the device's Montgomery factor F. Every operation requires stored
/// words within the plan's bounds and ensures them for its result. The program is responsible for the
/// magnitudes of integers: the operands of a product satisfy the plan's [`Limits`](crate::program::Limits),
/// and its result is within [`Limits::product`].
///
/// The time of every operation depends only on the plan, the group's width, and on arguments that
/// are documented as public.
///
/// [`Limits::product`]: crate::program::Limits::product
pub(crate) trait Group {
    /// One number per member; wiped on drop. The default value is empty.
    type Numbers: Default;
    /// A table of numbers per member; wiped on drop.
    type Table;

    /// Number of members.
    const WIDTH: usize;

    /// The number 0 for every member.
    fn zero(&self) -> Self::Numbers;

    /// `to := from`.
    fn copy(&self, from: &Self::Numbers, to: &mut Self::Numbers);

    /// `out :=` each member's integer, below `2^bits`, given in little-endian words.
    fn enter(&self, words: &[&[Word]], out: &mut Self::Numbers);

    /// `out := 1` for every member.
    fn one(&self, out: &mut Self::Numbers);

    /// `out := F^2 mod P` for each member's modulus P.
    fn montgomery_square(&self, out: &mut Self::Numbers);

    /// `out :=` the constant with the member's number, of each member's modulus. The numbers are public: no
    /// other constant is read.
    fn own_constants(&self, members: &[Member<'_>], numbers: &[u64], out: &mut Self::Numbers);

    /// `out :=` the constant of each member's modulus that its digit names. Digits are public: no
    /// other constant is read.
    fn select_own_public(
        &self,
        members: &[Member<'_>],
        table: OwnTable,
        digits: &[u64],
        out: &mut Self::Numbers,
    ) {
        let numbers = digits.iter().map(|digit| u64::from(table.first) + digit);
        self.own_constants(members, &numbers.collect::<Vec<_>>(), out);
    }

    /// `out :=` the constant of each member's modulus that its digit names, which is secret: all
    /// constants of the table are read, and all but one are masked away.
    fn select_own(
        &self,
        members: &[Member<'_>],
        table: OwnTable,
        digits: &[u64],
        out: &mut Self::Numbers,
    ) {
        let mut constant = self.zero();
        for entry in 0..u64::from(table.entries) {
            let number = vec![u64::from(table.first) + entry; Self::WIDTH];
            self.own_constants(members, &number, &mut constant);
            if entry == 0 {
                self.copy(&constant, out);
            } else {
                self.choose(&equal_to(entry, digits), out, &constant);
            }
        }
    }

    /// `x := x y F^-1`, a product.
    fn multiply(&mut self, x: &mut Self::Numbers, y: &Self::Numbers);

    /// `out := x y F^-1`, a product.
    fn multiply_into(&mut self, x: &Self::Numbers, y: &Self::Numbers, out: &mut Self::Numbers) {
        self.copy(x, out);
        self.multiply(out, y);
    }

    /// Squares x `times` times, each time `x := x^2 F^-1`.
    fn square_times(&mut self, x: &mut Self::Numbers, times: u32);

    /// `out := sum of (+-) x y F^-1`, reduced as one product. Each term is `(negative, x, y)`.
    fn sum_of_products(
        &mut self,
        terms: &[(bool, &Self::Numbers, &Self::Numbers)],
        out: &mut Self::Numbers,
    );

    /// `out := lift P + sum of factor_i x_i`, folded into [`Limits::folded`] if asked for. The
    /// factors are not 0, and `spare` is there for intermediate results. Numbers in residues are never lifted
    /// or folded.
    ///
    /// [`Limits::folded`]: crate::program::Limits::folded
    fn combine(
        &self,
        terms: &[(i32, &Self::Numbers)],
        lift: u64,
        fold: bool,
        spare: &mut Self::Numbers,
        out: &mut Self::Numbers,
    );

    /// Runs the code that the device has compiled for the formula of a span, if it has any, on the program's registers, and
    /// returns whether it has. `digits` are the members' digits of the formula, if it has one.
    fn run_segment(
        &mut self,
        registers: &mut [Self::Numbers],
        span: &Span,
        digits: Option<&[u64]>,
    ) -> bool {
        let _ = (registers, span, digits);
        false
    }

    /// `out := x^-1` for each member's prime modulus, in Montgomery form as x, and 0 for 0, by other means than a program's
    /// operations; returns false if the group has none. Requires the same as [`leave`](Self::leave), and ensures a product.
    fn invert(&mut self, x: &Self::Numbers, out: &mut Self::Numbers) -> bool {
        let _ = (x, out);
        false
    }

    /// Number of registers for a program, at least those that it has.
    fn registers(&self, program: &Program) -> usize {
        program.registers()
    }

    /// Runs the arithmetic operations of a program from `first` on, up to one of another kind, and returns their number: 0
    /// for groups that leave them to the interpreter.
    fn run_steps(
        &mut self,
        registers: &mut [Self::Numbers],
        program: &Program,
        first: usize,
    ) -> usize {
        let _ = (registers, program, first);
        0
    }

    /// `x := y` for the members whose bit is 1. x and y are read, and x is written, for either
    /// bit.
    fn choose(&self, bits: &[u64], x: &mut Self::Numbers, y: &Self::Numbers);

    /// A table with this many entries, all zero. `is_secret` says whether [`select`](Self::select) reads it.
    fn table(&self, entries: usize, is_secret: bool) -> Self::Table;

    /// Stores each member's number in the same entry.
    fn store(&self, table: &mut Self::Table, entry: usize, numbers: &Self::Numbers);

    /// Stores each member's number in the entry with the member's index. Indices are public.
    fn store_at(&self, table: &mut Self::Table, entries: &[u64], numbers: &Self::Numbers);

    /// `out :=` the same entry of every member.
    fn load(&self, table: &Self::Table, entry: usize, out: &mut Self::Numbers);

    /// `out :=` the entry with the member's index, which is secret: all entries are read, and all
    /// but one are masked away.
    fn select(&mut self, table: &Self::Table, indices: &[u64], out: &mut Self::Numbers);

    /// `out :=` the entry with the member's index. Indices are public: no other entry is read.
    fn select_public(&self, table: &Self::Table, indices: &[u64], out: &mut Self::Numbers);

    /// The canonical integers of the first `count` members, each in as many words as its modulus
    /// has. Requires an x within [`Limits::product`](crate::program::Limits::product).
    fn leave(&mut self, x: &Self::Numbers, count: usize) -> Vec<Zeroizing<BoxedUint>>;

    /// Whether the integers of the first `count` members are 0 modulo P. Requires the same as [`leave`](Self::leave).
    #[inline(never)]
    fn are_zero(&mut self, x: &Self::Numbers, count: usize) -> Vec<bool> {
        are_zero_once_left(self, x, count)
    }

    /// The members whose redundant words have disagreed since the last call, each once. Their numbers are
    /// wrong from then on, and their results are zeros. Empty without redundancy.
    fn take_suspects(&mut self) -> Vec<Suspect> {
        Vec::new()
    }

    /// Whether one member's integer is within the magnitude: within `[low, high]` times its
    /// modulus, plus or minus `pieces 2^bits`. Builds with debug assertions check this after every
    /// operation.
    #[cfg(any(test, feature = "testing", debug_assertions))]
    fn is_within(
        &self,
        x: &Self::Numbers,
        member: usize,
        magnitude: &crate::program::Magnitude,
    ) -> bool;

    /// Flips one bit of a stored word: a fault, for tests.
    #[cfg(any(test, feature = "testing"))]
    fn flip_word(&self, x: &mut Self::Numbers, place: u64);

    /// Flips one bit of a table entry: a fault, for tests.
    #[cfg(any(test, feature = "testing"))]
    fn flip_entry(&self, table: &mut Self::Table, place: u64);

    /// Runs `operation` while one bit of a weight of a constant matrix is flipped: a fault, for
    /// tests.
    #[cfg(any(test, feature = "testing"))]
    fn with_flipped_weight(&mut self, place: u64, operation: impl FnOnce(&mut Self));

    /// Runs `operation` while one bit of a constant of a member's modulus is flipped: a fault, for
    /// tests.
    #[cfg(any(test, feature = "testing"))]
    fn with_flipped_constant(&mut self, place: u64, operation: impl FnOnce(&mut Self));
}

/// [`Group::are_zero`] by the integers that leave.
pub(crate) fn are_zero_once_left<G: Group + ?Sized>(
    group: &mut G,
    x: &G::Numbers,
    count: usize,
) -> Vec<bool> {
    let integers = group.leave(x, count).into_iter();
    integers
        .map(|integer| canonical::is_zero(integer.as_words()))
        .collect()
}

/// Groups that make linear combinations step by step.
pub(crate) trait Stepwise: Group {
    /// `x := x + y`.
    fn add(&self, x: &mut Self::Numbers, y: &Self::Numbers);

    /// `x := x - y`.
    fn subtract(&self, x: &mut Self::Numbers, y: &Self::Numbers);

    /// `x := factor x`, or `-factor x` if `negative`. Requires a factor of 1 to
    /// [`Builder::MAX_FACTOR`](crate::program::Builder::MAX_FACTOR).
    fn scale(&self, x: &mut Self::Numbers, factor: u32, negative: bool);

    /// `out := sum of factor_i x_i`.
    fn combine_stepwise(
        &self,
        terms: &[(i32, &Self::Numbers)],
        spare: &mut Self::Numbers,
        out: &mut Self::Numbers,
    ) {
        for (place, &(factor, x)) in terms.iter().enumerate() {
            match (place, factor) {
                (0, _) => {
                    self.copy(x, out);
                    if factor != 1 {
                        self.scale(out, factor.unsigned_abs(), factor < 0);
                    }
                }
                (_, 1) => self.add(out, x),
                (_, -1) => self.subtract(out, x),
                _ => {
                    self.copy(x, spare);
                    self.scale(spare, factor.unsigned_abs(), factor < 0);
                    self.add(out, spare);
                }
            }
        }
    }
}

/// The comparison of each digit with `entry`: 1 where they are equal and 0 elsewhere, in constant time.
fn equal_to(entry: u64, digits: &[u64]) -> Zeroizing<Vec<u64>> {
    let equal = |&digit: &u64| {
        let difference = digit ^ entry;
        // Only 0 has its top bit clear in itself and in its negative.
        ((difference | difference.wrapping_neg()) >> 63) ^ 1
    };
    Zeroizing::new(digits.iter().map(equal).collect())
}
