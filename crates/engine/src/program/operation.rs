//! The operations of a program: what a device must be able to do.

use core::fmt;

/// A register: a place for one number of each member.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Register(pub(crate) u32);

/// A table of numbers of each member, for look-ups.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct TableId(pub(crate) u32);

/// An integer of each member that is not computed with but taken apart into digits: an exponent.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Scalar(pub(crate) u32);

/// The digits of each member's scalar, by which it looks up and chooses.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Stream(pub(crate) u32);

/// Where an integer that enters comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Input {
    /// The member's k-th integer.
    Given(u32),
    /// The k-th integer that this program has put out before. What is checked after it has come
    /// in again is what leaves, conversions included.
    Output(u32),
}

/// A number that is known before a program runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Constant {
    /// The integer 1.
    One,
    /// The square of the device's Montgomery factor, which takes a number into Montgomery form.
    MontgomerySquare,
    /// The program's k-th integer, the same for all members.
    Common(u32),
    /// The k-th constant that the member's modulus brings.
    Own(u32),
}

/// One term of a sum of products.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Product {
    /// Whether the product is subtracted instead of added.
    pub negative: bool,
    /// One factor.
    pub x: Register,
    /// The other factor.
    pub y: Register,
}

/// An operation on registers, for every member of a group.
///
/// Numbers are in Montgomery form or not, as the builder has arranged: a *product* here is
/// `x y F^-1` modulo P, with the device's Montgomery factor F.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Operation {
    /// Bits `piece * bits` to `(piece + 1) * bits` of an integer, as an integer.
    Enter {
        /// Where the integer goes.
        out: Register,
        /// Where it comes from.
        input: Input,
        /// Which piece of it.
        piece: u32,
    },
    /// A number that is known beforehand.
    Constant {
        /// Where it goes.
        out: Register,
        /// Which one.
        constant: Constant,
    },
    /// `out := x y`, one reduction.
    Multiply {
        /// The product.
        out: Register,
        /// One factor.
        x: Register,
        /// The other factor.
        y: Register,
    },
    /// `out := x^(2^times)`, by squarings.
    Square {
        /// The result.
        out: Register,
        /// What is squared.
        x: Register,
        /// Number of squarings, at least one.
        times: u32,
    },
    /// `out := sum of +- x_i y_i`, one reduction for all.
    SumOfProducts {
        /// The sum.
        out: Register,
        /// The products.
        terms: Vec<Product>,
    },
    /// `out := x + y`, not reduced.
    Add {
        /// The sum.
        out: Register,
        /// One summand.
        x: Register,
        /// The other summand.
        y: Register,
    },
    /// `out := x - y`, not reduced.
    Subtract {
        /// The difference.
        out: Register,
        /// What is subtracted from.
        x: Register,
        /// What is subtracted.
        y: Register,
    },
    /// `out := -x`, not reduced.
    Negate {
        /// The result.
        out: Register,
        /// What is negated.
        x: Register,
    },
    /// `out := factor x` for a small factor, not reduced.
    Scale {
        /// The result.
        out: Register,
        /// What is multiplied.
        x: Register,
        /// 1 to [`Builder::MAX_FACTOR`](super::Builder::MAX_FACTOR).
        factor: u32,
    },
    /// Puts a number into a table.
    Store {
        /// The table.
        table: TableId,
        /// The entry.
        entry: u32,
        /// The number.
        x: Register,
    },
    /// Puts a number into the entry that a *public* digit of the member names; entries of other
    /// members stay.
    StoreAt {
        /// The table.
        table: TableId,
        /// Public digits.
        stream: Stream,
        /// Which digit.
        position: u32,
        /// The number.
        x: Register,
    },
    /// `out :=` entry `entry` of the table.
    Load {
        /// The entry's number.
        out: Register,
        /// The table.
        table: TableId,
        /// Which entry.
        entry: u32,
    },
    /// `out :=` the entry of the table that the member's digit names. By a secret digit, every
    /// entry is read; by a public one, only the entry that is meant.
    Select {
        /// The entry.
        out: Register,
        /// The table.
        table: TableId,
        /// The digits.
        stream: Stream,
        /// Which digit.
        position: u32,
    },
    /// `out := y` where the member's digit is 1, `x` where it is 0; both are read.
    Choose {
        /// The chosen number.
        out: Register,
        /// The number for 0.
        x: Register,
        /// The number for 1.
        y: Register,
        /// Bits.
        stream: Stream,
        /// Which bit.
        position: u32,
    },
    /// The canonical integer below P leaves as output `index`.
    Output {
        /// Which output.
        index: u32,
        /// A product that is not in Montgomery form.
        x: Register,
    },
    /// Whether the number is zero modulo P, whatever multiple of P it is, leaves as flag `index`.
    IsZero {
        /// Which flag.
        index: u32,
        /// A product.
        x: Register,
    },
}

impl Operation {
    /// What it is called in errors and in the text form.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Enter { .. } => "enter",
            Self::Constant { .. } => "constant",
            Self::Multiply { .. } => "multiply",
            Self::Square { .. } => "square",
            Self::SumOfProducts { .. } => "sum of products",
            Self::Add { .. } => "add",
            Self::Subtract { .. } => "subtract",
            Self::Negate { .. } => "negate",
            Self::Scale { .. } => "scale",
            Self::Store { .. } => "store",
            Self::StoreAt { .. } => "store at",
            Self::Load { .. } => "load",
            Self::Select { .. } => "select",
            Self::Choose { .. } => "choose",
            Self::Output { .. } => "output",
            Self::IsZero { .. } => "is zero",
        }
    }

    /// The register that it writes, if it writes a single one.
    pub(crate) fn out(&self) -> Option<Register> {
        match *self {
            Self::Enter { out, .. }
            | Self::Constant { out, .. }
            | Self::Multiply { out, .. }
            | Self::Square { out, .. }
            | Self::SumOfProducts { out, .. }
            | Self::Add { out, .. }
            | Self::Subtract { out, .. }
            | Self::Negate { out, .. }
            | Self::Scale { out, .. }
            | Self::Load { out, .. }
            | Self::Select { out, .. }
            | Self::Choose { out, .. } => Some(out),
            Self::Store { .. }
            | Self::StoreAt { .. }
            | Self::Output { .. }
            | Self::IsZero { .. } => None,
        }
    }

    /// The registers that it reads, in the order of its fields.
    pub(crate) fn reads(&self) -> Vec<Register> {
        match self {
            Self::Enter { .. }
            | Self::Constant { .. }
            | Self::Load { .. }
            | Self::Select { .. } => Vec::new(),
            Self::Multiply { x, y, .. }
            | Self::Add { x, y, .. }
            | Self::Subtract { x, y, .. }
            | Self::Choose { x, y, .. } => vec![*x, *y],
            Self::Square { x, .. }
            | Self::Negate { x, .. }
            | Self::Scale { x, .. }
            | Self::Store { x, .. }
            | Self::StoreAt { x, .. }
            | Self::Output { x, .. }
            | Self::IsZero { x, .. } => vec![*x],
            Self::SumOfProducts { terms, .. } => {
                terms.iter().flat_map(|term| [term.x, term.y]).collect()
            }
        }
    }

    /// The registers that it reads, to be renamed.
    pub(crate) fn reads_mut(&mut self) -> Vec<&mut Register> {
        match self {
            Self::Enter { .. }
            | Self::Constant { .. }
            | Self::Load { .. }
            | Self::Select { .. } => Vec::new(),
            Self::Multiply { x, y, .. }
            | Self::Add { x, y, .. }
            | Self::Subtract { x, y, .. }
            | Self::Choose { x, y, .. } => vec![x, y],
            Self::Square { x, .. }
            | Self::Negate { x, .. }
            | Self::Scale { x, .. }
            | Self::Store { x, .. }
            | Self::StoreAt { x, .. }
            | Self::Output { x, .. }
            | Self::IsZero { x, .. } => vec![x],
            Self::SumOfProducts { terms, .. } => terms
                .iter_mut()
                .flat_map(|term| [&mut term.x, &mut term.y])
                .collect(),
        }
    }

    /// The register that it writes, to be renamed.
    pub(crate) fn out_mut(&mut self) -> Option<&mut Register> {
        match self {
            Self::Enter { out, .. }
            | Self::Constant { out, .. }
            | Self::Multiply { out, .. }
            | Self::Square { out, .. }
            | Self::SumOfProducts { out, .. }
            | Self::Add { out, .. }
            | Self::Subtract { out, .. }
            | Self::Negate { out, .. }
            | Self::Scale { out, .. }
            | Self::Load { out, .. }
            | Self::Select { out, .. }
            | Self::Choose { out, .. } => Some(out),
            Self::Store { .. }
            | Self::StoreAt { .. }
            | Self::Output { .. }
            | Self::IsZero { .. } => None,
        }
    }
}

impl fmt::Display for Register {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "r{}", self.0)
    }
}
