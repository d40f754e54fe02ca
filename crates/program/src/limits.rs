//! Magnitudes of registers' integers, and the limits of plans.

use crate::size::piece_bits;
use core::fmt;

/// The range of a register's integer: up to `pieces 2^bits` for integers that have entered and have not been
/// reduced, plus an interval `[low, high]` in units of the member's modulus P.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Magnitude {
    /// Multiples of `2^bits`, in absolute value.
    pub pieces: u64,
    /// The least multiple of P.
    pub low: i64,
    /// The largest multiple of P.
    pub high: i64,
}

impl Magnitude {
    /// A canonical number, below P.
    pub const CANONICAL: Self = Self::interval(0, 1);

    /// A piece of an integer for a size class: below `2^bits`, or the next power of which whole words consist.
    pub const fn piece(bits: u32) -> Self {
        Self {
            pieces: 1 << (piece_bits(bits) - bits),
            low: 0,
            high: 0,
        }
    }

    /// From `low P` to `high P`.
    pub const fn interval(low: i64, high: i64) -> Self {
        Self {
            pieces: 0,
            low,
            high,
        }
    }

    /// The largest absolute value, in units of P for an interval and of `2^bits` for pieces.
    /// `P < 2^bits`, so that `weight(x) weight(y) 2^bits P` bounds `|x y|` unless both have
    /// pieces.
    pub fn weight(&self) -> u64 {
        self.pieces + self.low.unsigned_abs().max(self.high.unsigned_abs())
    }

    pub(crate) fn plus(self, other: Self) -> Self {
        Self {
            pieces: self.pieces + other.pieces,
            low: self.low + other.low,
            high: self.high + other.high,
        }
    }

    /// The range of the numbers times an integer.
    pub(crate) fn times(self, factor: i32) -> Self {
        let bounds = [self.low, self.high].map(|bound| bound * i64::from(factor));
        Self {
            pieces: self.pieces * u64::from(factor.unsigned_abs()),
            low: bounds[0].min(bounds[1]),
            high: bounds[0].max(bounds[1]),
        }
    }

    /// The range of the numbers plus `lift P`.
    pub(crate) fn lifted(self, lift: u64) -> Self {
        let lift = lift.cast_signed();
        self.plus(Self::interval(lift, lift))
    }

    /// The least range that contains both.
    #[must_use]
    pub fn union(self, other: Self) -> Self {
        Self {
            pieces: self.pieces.max(other.pieces),
            low: self.low.min(other.low),
            high: self.high.max(other.high),
        }
    }

    /// Whether every number of this range is in the other one.
    pub fn is_within(&self, other: &Self) -> bool {
        self.pieces <= other.pieces && self.low >= other.low && self.high <= other.high
    }
}

impl fmt::Display for Magnitude {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.pieces, self.low, self.high) {
            (0, low, high) => write!(f, "[{low}, {high}] P"),
            (pieces, 0, 0) => write!(f, "{pieces} x 2^bits"),
            (pieces, low, high) => write!(f, "{pieces} x 2^bits + [{low}, {high}] P"),
        }
    }
}

/// The limits of a plan: the range of products, and the largest operands of products.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// The range of every product's integer.
    pub product: Magnitude,
    /// The largest weight of operands: operands of a product must satisfy `weight(x) weight(y) <= operands`,
    /// and of a sum of products the sum of these weights must. The result is then within
    /// [`product`](Self::product).
    pub operands: u64,
    /// Whether integers may be negative. If not, linear combinations are lifted by multiples of P.
    pub signed: bool,
    /// The range into which the device folds linear combinations whose magnitude exceeds `operands`; `None`
    /// if it does not fold.
    pub folded: Option<Magnitude>,
}

/// The largest factor of a multiple, and the largest sum of factors of a linear combination.
pub(crate) const LARGEST_FACTOR: u32 = 1024;

/// The largest weight of a linear combination that is folded.
pub(crate) const LARGEST_FOLDED: u64 = 1 << 10;

/// The largest weight of any magnitude, so that sums of a few never overflow.
pub(crate) const LARGEST_WEIGHT: u64 = 1 << 40;

/// The reason why a program is refused when it is built.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ProgramError {
    /// The factors of a product are too large for the plan.
    #[error(
        "operation {index} ({operation}): the magnitudes {x} and {y} make {weight}, and at most \
         {limit} is allowed"
    )]
    Magnitudes {
        /// The operation's index in the program.
        index: usize,
        /// The operation's name.
        operation: &'static str,
        /// Magnitude of one factor (of the last product of a sum).
        x: Magnitude,
        /// Magnitude of the other factor.
        y: Magnitude,
        /// The product of their weights; of a sum of products, the sum of these.
        weight: u128,
        /// The plan's limit.
        limit: u64,
    },
    /// Both factors of a product are integers that have not been reduced.
    #[error(
        "operation {index} ({operation}): both factors are unreduced integers ({x} and {y}); \
         bring one into the field first"
    )]
    TwoIntegers {
        /// The operation's index in the program.
        index: usize,
        /// The operation's name.
        operation: &'static str,
        /// Magnitude of one factor.
        x: Magnitude,
        /// Magnitude of the other factor.
        y: Magnitude,
    },
    /// A sum, difference or multiple is too large, or is not reduced where it must be.
    #[error("operation {index} ({operation}): the magnitude {magnitude} exceeds {limit}")]
    TooLarge {
        /// The operation's index in the program.
        index: usize,
        /// The operation's name.
        operation: &'static str,
        /// The magnitude.
        magnitude: Magnitude,
        /// The largest magnitude allowed.
        limit: Magnitude,
    },
    /// Two numbers do not have the same power of the Montgomery factor.
    #[error(
        "operation {index} ({operation}): one number has the Montgomery factor to the power {x}, \
         the other to the power {y}"
    )]
    Forms {
        /// The operation's index in the program.
        index: usize,
        /// The operation's name.
        operation: &'static str,
        /// Power of one number.
        x: i32,
        /// Power of the other number, or the power required.
        y: i32,
    },
    /// A value, table or stream of another program is used.
    #[error("operation {index} ({operation}): a register is used before it is set")]
    UnsetRegister {
        /// The operation's index in the program.
        index: usize,
        /// The operation's name.
        operation: &'static str,
    },
    /// A look-up could read an entry that nothing has been stored in.
    #[error("operation {index}: entry {entry} of the table is read and has not been stored")]
    UnsetEntry {
        /// The operation's index in the program.
        index: usize,
        /// The first such entry.
        entry: usize,
    },
    /// A table without entries, or a sum without terms.
    #[error("operation {index} ({operation}): there is nothing to work on")]
    Empty {
        /// The operation's index in the program.
        index: usize,
        /// The operation's name.
        operation: &'static str,
    },
    /// A digit beyond the end of its stream.
    #[error(
        "operation {index} ({operation}): digit {position} is asked for, and the stream {stream} \
         has {length}"
    )]
    ShortStream {
        /// The operation's index in the program.
        index: usize,
        /// The operation's name.
        operation: &'static str,
        /// The stream's name.
        stream: String,
        /// The digit's position.
        position: u32,
        /// Number of digits in the stream.
        length: usize,
    },
    /// Digits that the table has no entries for, or that are not bits where bits are required.
    #[error(
        "operation {index} ({operation}): digits of the stream {stream} are below {entries}, and \
         {limit} are possible"
    )]
    WideDigits {
        /// The operation's index in the program.
        index: usize,
        /// The operation's name.
        operation: &'static str,
        /// The stream's name.
        stream: String,
        /// The bound of the digits: all are below it.
        entries: usize,
        /// The largest bound that the operation supports.
        limit: usize,
    },
    /// A number that is out of its range: a factor, an entry, a width.
    #[error(
        "operation {index} ({operation}): {value} is out of range, {least} to {most} is possible"
    )]
    OutOfRange {
        /// The operation's index in the program.
        index: usize,
        /// The operation's name.
        operation: &'static str,
        /// The number.
        value: u64,
        /// The least value allowed.
        least: u64,
        /// The largest value allowed.
        most: u64,
    },
    /// A secret digit on which an address would depend.
    #[error(
        "operation {index} (store at): the stream {stream} is secret, and the address would show it"
    )]
    SecretAddress {
        /// The operation's index in the program.
        index: usize,
        /// The stream's name.
        stream: String,
    },
    /// The program has no output.
    #[error("the program has neither outputs nor flags")]
    NoResult,
}

/// Checks that a sum of products of these magnitudes is within the limits.
pub(crate) fn check_product(
    limits: &Limits,
    index: usize,
    operation: &'static str,
    terms: &[(Magnitude, Magnitude)],
) -> Result<(), ProgramError> {
    let mut weight = 0u128;
    for &(x, y) in terms {
        if x.pieces > 0 && y.pieces > 0 {
            return Err(ProgramError::TwoIntegers {
                index,
                operation,
                x,
                y,
            });
        }
        weight += u128::from(x.weight()) * u128::from(y.weight());
        if weight > limits.operands.into() {
            return Err(ProgramError::Magnitudes {
                index,
                operation,
                x,
                y,
                weight,
                limit: limits.operands,
            });
        }
    }
    Ok(())
}

/// The magnitude of a linear combination within the limits.
pub(crate) fn check_combination(
    limits: &Limits,
    index: usize,
    terms: &[(i32, Magnitude)],
    lift: u64,
    fold: bool,
) -> Result<Magnitude, ProgramError> {
    let operation = "combine";
    let multiples = terms.iter().map(|&(factor, x)| x.times(factor));
    let sum = multiples.fold(Magnitude::interval(0, 0), Magnitude::plus);
    let sum = sum.lifted(lift);
    let too_large = |magnitude, limit| ProgramError::TooLarge {
        index,
        operation,
        magnitude,
        limit,
    };
    let largest = LARGEST_WEIGHT.cast_signed();
    let subtracts_piece = |&(factor, x): &(i32, Magnitude)| factor < 0 && x.pieces > 0;
    if !limits.signed && (sum.low < 0 || terms.iter().any(subtracts_piece)) {
        return Err(too_large(sum, Magnitude::interval(0, largest)));
    }
    let Some(folded) = limits.folded else {
        return if fold {
            Err(too_large(sum, limits.product))
        } else {
            Ok(sum)
        };
    };
    // A number too large for an operand of a product does not fit the device's numbers.
    let most = |weight: u64| Magnitude::interval(0, weight.cast_signed());
    let misfit = terms.iter().find(|(_, x)| x.weight() > limits.operands);
    if let Some(&(_, x)) = misfit {
        return Err(too_large(x, most(limits.operands)));
    }
    let (bound, result) = if fold {
        (LARGEST_FOLDED, folded)
    } else {
        (limits.operands, sum)
    };
    if sum.weight() > bound {
        return Err(too_large(sum, most(bound)));
    }
    Ok(result)
}
