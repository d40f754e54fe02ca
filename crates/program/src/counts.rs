//! Counts of a program's operations.

/// Numbers of operations of each kind in a run for one member.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Counts {
    /// Products: multiplications, squarings and sums of products, each with one reduction.
    pub products: u64,
    /// Squarings among the products.
    pub squarings: u64,
    /// Terms of the sums of products.
    pub terms: u64,
    /// Additions, subtractions, negations, multiplications by small integers, and choices.
    pub linear: u64,
    /// Pieces of integers that enter, including constants of the program.
    pub entered: u64,
    /// Table entries written.
    pub stored: u64,
    /// Table entries read: all of them by a look-up with a secret digit, one with a public digit.
    pub read: u64,
    /// Canonical integers that leave, including those that are compared with zero.
    pub left: u64,
}

impl core::fmt::Display for Counts {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        write!(
            f,
            "{} products ({} squarings, {} terms in sums), {} linear, {} entered, {} stored, \
             {} read, {} left",
            self.products,
            self.squarings,
            self.terms,
            self.linear,
            self.entered,
            self.stored,
            self.read,
            self.left
        )
    }
}

impl Counts {
    /// The operations counted since an earlier time.
    #[must_use]
    pub fn since(&self, before: &Self) -> Self {
        Self {
            products: self.products - before.products,
            squarings: self.squarings - before.squarings,
            terms: self.terms - before.terms,
            linear: self.linear - before.linear,
            entered: self.entered - before.entered,
            stored: self.stored - before.stored,
            read: self.read - before.read,
            left: self.left - before.left,
        }
    }

    /// Adds the counts of another group.
    pub fn accumulate(&mut self, other: &Self) {
        self.products += other.products;
        self.squarings += other.squarings;
        self.terms += other.terms;
        self.linear += other.linear;
        self.entered += other.entered;
        self.stored += other.stored;
        self.read += other.read;
        self.left += other.left;
    }
}
