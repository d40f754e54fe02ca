//! The operations of a program, and all their properties: the effect of each, the registers it reads and
//! writes, its bounds, its cost, and its text.

use core::fmt;

use crate::{
    Counts, Limits, Magnitude, ProgramError, StreamInfo,
    limits::{LARGEST_WEIGHT, check_combination, check_product},
    seal::{Checksum, Content},
};

/// A register: it holds one number of each member.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Register(pub(crate) u32);

impl Register {
    /// The register of this index, for a device that runs a formula by itself.
    pub const fn new(index: u32) -> Self {
        Self(index)
    }

    /// Index among the registers of a program.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// Consecutive constants that each member's modulus brings, for look-ups.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct OwnTable {
    /// The number of the first constant.
    pub first: u32,
    /// Number of constants.
    pub entries: u32,
}

impl OwnTable {
    /// Number of constants.
    #[allow(clippy::len_without_is_empty, reason = "a table has entries")]
    pub fn len(self) -> usize {
        self.entries as usize
    }
}

/// A table of numbers of each member, for look-ups.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct TableId(pub(crate) u32);

impl TableId {
    /// Index among the tables of a program.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// An integer of each member that is only taken apart into digits, such as an exponent.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Scalar(pub(crate) u32);

impl Scalar {
    /// Index among the scalars of a program.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// The digits of each member's scalar, by which it looks up and chooses.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Stream(pub(crate) u32);

impl Stream {
    /// Index among the streams of a program.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// The source of an integer that enters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Input {
    /// The member's k-th integer.
    Given(u32),
    /// The k-th integer that this program has put out before. A check after it has entered again covers the
    /// number that leaves, conversions included.
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

/// One term of a linear combination.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Multiple {
    /// The factor: not 0, and at most [`Builder::MAX_FACTOR`](crate::Builder::MAX_FACTOR) in absolute value.
    pub factor: i32,
    /// The register that is multiplied.
    pub x: Register,
}

/// An operation on registers, for every member of a group.
///
/// Numbers are in Montgomery form or not, as the builder has arranged: a *product* here is
/// `x y F^-1` modulo P, with the device's Montgomery factor F.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Operation {
    /// Enters bits `piece * bits` to `(piece + 1) * bits` of an integer, as an integer.
    Enter {
        /// The register of the piece.
        out: Register,
        /// The source of the integer.
        input: Input,
        /// The index of the piece.
        piece: u32,
    },
    /// Enters a number that is known beforehand.
    Constant {
        /// The register of the constant.
        out: Register,
        /// The constant.
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
        /// The base of the power.
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
    /// `out := lift P + sum of factor_i x_i`: not reduced, or folded into the range
    /// [`Limits::folded`].
    Combine {
        /// The combination.
        out: Register,
        /// The multiples that are added up, at most [`MAX_MULTIPLES`](Self::MAX_MULTIPLES).
        terms: Vec<Multiple>,
        /// The multiple of P that is added, lest the sum be negative.
        lift: u64,
        /// Whether the sum is folded.
        fold: bool,
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
    /// Puts a number into the entry that a *public* digit of the member names; entries of other members are
    /// unchanged.
    StoreAt {
        /// The table.
        table: TableId,
        /// Public digits.
        stream: Stream,
        /// The position of the digit.
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
        /// The entry's index.
        entry: u32,
    },
    /// `out :=` the entry of the table that the member's digit names. With a secret digit every entry is
    /// read; with a public one only the named entry.
    Select {
        /// The entry.
        out: Register,
        /// The table.
        table: TableId,
        /// The digits.
        stream: Stream,
        /// The position of the digit.
        position: u32,
    },
    /// `out :=` the constant of the member's modulus that its digit names. With a secret digit every constant
    /// of the table is read; with a public one only the named constant.
    SelectOwn {
        /// The constant.
        out: Register,
        /// The constants to select from.
        table: OwnTable,
        /// The digits.
        stream: Stream,
        /// The position of the digit.
        position: u32,
    },
    /// `out := y` if the member's digit is 1, `x` if it is 0; both are read.
    Choose {
        /// The chosen number.
        out: Register,
        /// The number for 0.
        x: Register,
        /// The number for 1.
        y: Register,
        /// The stream of bits.
        stream: Stream,
        /// The position of the bit.
        position: u32,
    },
    /// The canonical integer below P leaves as output `index`.
    Output {
        /// The output's index.
        index: u32,
        /// A product that is not in Montgomery form.
        x: Register,
    },
    /// Whether the number is zero modulo P, which leaves as flag `index`. It may be any multiple of P.
    IsZero {
        /// The flag's index.
        index: u32,
        /// A product.
        x: Register,
    },
}

impl Content for Operation {
    /// Adds two words for most operations: large programs are checked after every batch.
    #[inline]
    fn add_to(&self, sum: &mut Checksum) {
        let pair = |high: u32, low: u32| u64::from(high) << 32 | u64::from(low);
        // The kind goes with a register or a flag: there are fewer than 2^24 of these.
        let kind = |kind: u32, number: u32| kind << 24 ^ number;
        let words: [u64; 2] = match *self {
            Self::Enter { out, input, piece } => {
                let (from, number) = match input {
                    Input::Given(number) => (0, number),
                    Input::Output(number) => (1, number),
                };
                [pair(kind(1 + from, out.0), number), u64::from(piece)]
            }
            Self::Constant { out, constant } => {
                let (which, number) = match constant {
                    Constant::One => (0, 0),
                    Constant::MontgomerySquare => (1, 0),
                    Constant::Common(number) => (2, number),
                    Constant::Own(number) => (3, number),
                };
                [u64::from(kind(3, out.0)), pair(which, number)]
            }
            Self::Multiply { out, x, y } => [u64::from(kind(4, out.0)), pair(x.0, y.0)],
            Self::Square { out, x, times } => [u64::from(kind(5, out.0)), pair(x.0, times)],
            Self::SumOfProducts { out, ref terms } => {
                let own = [u64::from(kind(6, out.0)), terms.len() as u64];
                return sum.part(own, terms, |&Product { negative, x, y }| {
                    pair(x.0, y.0) ^ u64::from(negative) << 63
                });
            }
            Self::Combine {
                out,
                ref terms,
                lift,
                fold,
            } => {
                let length = (terms.len() as u32) << 1 | u32::from(fold);
                let own = [pair(kind(7, out.0), length), lift];
                return sum.part(own, terms, |&Multiple { factor, x }| {
                    pair(factor.cast_unsigned(), x.0)
                });
            }
            Self::Store { table, entry, x } => [u64::from(kind(8, x.0)), pair(table.0, entry)],
            Self::StoreAt {
                table,
                stream,
                position,
                x,
            } => [pair(kind(9, x.0), table.0), pair(stream.0, position)],
            Self::Load { out, table, entry } => [u64::from(kind(10, out.0)), pair(table.0, entry)],
            Self::Select {
                out,
                table,
                stream,
                position,
            } => [pair(kind(11, out.0), table.0), pair(stream.0, position)],
            Self::SelectOwn {
                out,
                table: OwnTable { first, entries },
                stream,
                position,
            } => {
                sum.word(pair(first, entries));
                [u64::from(kind(12, out.0)), pair(stream.0, position)]
            }
            Self::Choose {
                out,
                x,
                y,
                stream,
                position,
            } => {
                sum.word(pair(x.0, y.0));
                [u64::from(kind(13, out.0)), pair(stream.0, position)]
            }
            Self::Output { index, x } => [u64::from(kind(14, x.0)), u64::from(index)],
            Self::IsZero { index, x } => [u64::from(kind(15, x.0)), u64::from(index)],
        };
        sum.part(words, &[], |&(): &()| 0);
    }
}

impl Operation {
    /// The heap memory of the operation, in bytes.
    pub(crate) fn heap_bytes(&self) -> usize {
        match self {
            Self::SumOfProducts { terms, .. } => size_of_val(&**terms),
            Self::Combine { terms, .. } => size_of_val(&**terms),
            _ => 0,
        }
    }

    /// The largest number of terms of a linear combination.
    pub const MAX_MULTIPLES: usize = 8;

    /// The name in errors and in the text form.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Enter { .. } => "enter",
            Self::Constant { .. } => "constant",
            Self::Multiply { .. } => "multiply",
            Self::Square { .. } => "square",
            Self::SumOfProducts { .. } => "sum of products",
            Self::Combine { .. } => "combine",
            Self::Store { .. } => "store",
            Self::StoreAt { .. } => "store at",
            Self::Load { .. } => "load",
            Self::Select { .. } => "select",
            Self::SelectOwn { .. } => "select own",
            Self::Choose { .. } => "choose",
            Self::Output { .. } => "output",
            Self::IsZero { .. } => "is zero",
        }
    }

    /// The register that it writes, if it writes one.
    pub fn out(&self) -> Option<Register> {
        self.clone().out_mut().map(|register| *register)
    }

    /// Whether it computes with registers alone: a product, a square, a sum of products or a linear combination.
    #[inline]
    pub fn is_arithmetic(&self) -> bool {
        matches!(
            self,
            Self::Multiply { .. }
                | Self::Square { .. }
                | Self::SumOfProducts { .. }
                | Self::Combine { .. }
        )
    }

    /// The registers that it reads, in the order of its fields.
    pub fn reads(&self) -> Vec<Register> {
        let mut operation = self.clone();
        operation
            .reads_mut()
            .into_iter()
            .map(|register| *register)
            .collect()
    }

    /// The registers that it reads, for renaming.
    pub(crate) fn reads_mut(&mut self) -> Vec<&mut Register> {
        match self {
            Self::Enter { .. }
            | Self::Constant { .. }
            | Self::Load { .. }
            | Self::Select { .. }
            | Self::SelectOwn { .. } => Vec::new(),
            Self::Multiply { x, y, .. } | Self::Choose { x, y, .. } => vec![x, y],
            Self::Square { x, .. }
            | Self::Store { x, .. }
            | Self::StoreAt { x, .. }
            | Self::Output { x, .. }
            | Self::IsZero { x, .. } => vec![x],
            Self::SumOfProducts { terms, .. } => terms
                .iter_mut()
                .flat_map(|term| [&mut term.x, &mut term.y])
                .collect(),
            Self::Combine { terms, .. } => terms.iter_mut().map(|term| &mut term.x).collect(),
        }
    }

    /// The register that it writes, for renaming.
    pub(crate) fn out_mut(&mut self) -> Option<&mut Register> {
        match self {
            Self::Enter { out, .. }
            | Self::Constant { out, .. }
            | Self::Multiply { out, .. }
            | Self::Square { out, .. }
            | Self::SumOfProducts { out, .. }
            | Self::Combine { out, .. }
            | Self::Load { out, .. }
            | Self::Select { out, .. }
            | Self::SelectOwn { out, .. }
            | Self::Choose { out, .. } => Some(out),
            Self::Store { .. }
            | Self::StoreAt { .. }
            | Self::Output { .. }
            | Self::IsZero { .. } => None,
        }
    }
}

impl Operation {
    /// Updates the magnitudes of registers and tables by this operation, number `index` of its program, or
    /// returns the condition that it breaks. Integers enter by such pieces.
    pub(crate) fn follow(
        &self,
        limits: &Limits,
        piece: Magnitude,
        index: usize,
        registers: &mut [Option<Magnitude>],
        tables: &mut [Option<Magnitude>],
    ) -> Result<Option<Magnitude>, ProgramError> {
        let name = self.name();
        let get = |register: &Register| {
            let magnitude = registers.get(register.0 as usize).copied().flatten();
            magnitude.ok_or(ProgramError::UnsetRegister {
                index,
                operation: name,
            })
        };
        let out = match self {
            Self::Enter { input, .. } => match input {
                Input::Given(_) => piece,
                Input::Output(_) => Magnitude::CANONICAL,
            },
            Self::Constant { constant, .. } => match constant {
                Constant::Common(_) => piece,
                Constant::One | Constant::MontgomerySquare | Constant::Own(_) => {
                    Magnitude::CANONICAL
                }
            },
            Self::Multiply { x, y, .. } => {
                check_product(limits, index, name, &[(get(x)?, get(y)?)])?;
                limits.product
            }
            Self::Square { x, times, .. } => {
                let x = get(x)?;
                check_product(limits, index, name, &[(x, x)])?;
                if *times > 1 {
                    check_product(limits, index, name, &[(limits.product, limits.product)])?;
                }
                limits.product
            }
            Self::SumOfProducts { terms, .. } => {
                let factors = terms.iter().map(|term| Ok((get(&term.x)?, get(&term.y)?)));
                let factors: Vec<_> = factors.collect::<Result<_, _>>()?;
                check_product(limits, index, name, &factors)?;
                limits.product
            }
            Self::Combine {
                terms, lift, fold, ..
            } => {
                let terms = terms.iter().map(|term| Ok((term.factor, get(&term.x)?)));
                let terms: Vec<_> = terms.collect::<Result<_, _>>()?;
                check_combination(limits, index, &terms, *lift, *fold)?
            }
            Self::Choose { x, y, .. } => get(x)?.union(get(y)?),
            Self::SelectOwn { .. } => Magnitude::CANONICAL,
            Self::Load { table, .. } | Self::Select { table, .. } => {
                let magnitude = tables.get(table.0 as usize).copied().flatten();
                magnitude.ok_or(ProgramError::UnsetEntry { index, entry: 0 })?
            }
            Self::Store { table, x, .. } | Self::StoreAt { table, x, .. } => {
                let x = get(x)?;
                let Some(table) = tables.get_mut(table.0 as usize) else {
                    return Err(ProgramError::UnsetRegister {
                        index,
                        operation: name,
                    });
                };
                *table = Some(table.map_or(x, |magnitude| magnitude.union(x)));
                return Ok(None);
            }
            Self::Output { x, .. } | Self::IsZero { x, .. } => {
                let magnitude = get(x)?;
                if !magnitude.is_within(&limits.product) {
                    return Err(ProgramError::TooLarge {
                        index,
                        operation: name,
                        magnitude,
                        limit: limits.product,
                    });
                }
                return Ok(None);
            }
        };
        if out.weight() > LARGEST_WEIGHT {
            return Err(ProgramError::TooLarge {
                index,
                operation: name,
                magnitude: out,
                limit: Magnitude::interval(-(1 << 40), 1 << 40),
            });
        }
        if let Some(register) = self.out() {
            registers[register.0 as usize] = Some(out);
        }
        Ok(Some(out))
    }

    /// Counts this operation; `streams` and `tables` are the program's.
    pub(crate) fn count(&self, counts: &mut Counts, streams: &[StreamInfo], tables: &[usize]) {
        match self {
            Self::Enter { .. } => counts.entered += 1,
            Self::Constant { constant, .. } => {
                if matches!(constant, Constant::Common(_)) {
                    counts.entered += 1;
                }
            }
            Self::Multiply { .. } => counts.products += 1,
            Self::Square { times, .. } => {
                counts.products += u64::from(*times);
                counts.squarings += u64::from(*times);
            }
            Self::SumOfProducts { terms, .. } => {
                counts.products += 1;
                counts.terms += terms.len() as u64;
            }
            Self::Combine { .. } | Self::Choose { .. } => counts.linear += 1,
            Self::Store { .. } | Self::StoreAt { .. } => counts.stored += 1,
            Self::Load { .. } => counts.read += 1,
            Self::Select { table, stream, .. } => {
                counts.read += if streams[stream.0 as usize].secret {
                    tables[table.0 as usize] as u64
                } else {
                    1
                };
            }
            Self::SelectOwn { table, stream, .. } => {
                counts.read += if streams[stream.0 as usize].secret {
                    table.entries.into()
                } else {
                    1
                };
            }
            Self::Output { .. } | Self::IsZero { .. } => counts.left += 1,
        }
    }
}

impl fmt::Display for Operation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Enter { out, input, piece } => {
                let (kind, k) = match input {
                    Input::Given(k) => ('x', k),
                    Input::Output(k) => ('y', k),
                };
                write!(f, "{out} := enter {kind}{k}[{piece}]")
            }
            Self::Constant { out, constant } => match constant {
                Constant::One => write!(f, "{out} := 1"),
                Constant::MontgomerySquare => write!(f, "{out} := montgomery square"),
                Constant::Common(k) => write!(f, "{out} := common c{k}"),
                Constant::Own(k) => write!(f, "{out} := own k{k}"),
            },
            Self::Multiply { out, x, y } => write!(f, "{out} := {x} * {y}"),
            Self::Square { out, x, times } => write!(f, "{out} := {x} ^ 2 ^ {times}"),
            Self::SumOfProducts { out, terms } => {
                write!(f, "{out} := sum")?;
                for term in terms {
                    let sign = if term.negative { '-' } else { '+' };
                    write!(f, " {sign} {} * {}", term.x, term.y)?;
                }
                Ok(())
            }
            Self::Combine {
                out,
                terms,
                lift,
                fold,
            } => {
                write!(f, "{out} := {}", if *fold { "fold" } else { "combine" })?;
                for Multiple { factor, x } in terms {
                    let sign = if *factor < 0 { '-' } else { '+' };
                    match factor.unsigned_abs() {
                        1 => write!(f, " {sign} {x}")?,
                        factor => write!(f, " {sign} {factor} . {x}")?,
                    }
                }
                match lift {
                    0 => Ok(()),
                    lift => write!(f, " + {lift} P"),
                }
            }
            Self::Store { table, entry, x } => write!(f, "t{}[{entry}] := {x}", table.0),
            Self::StoreAt {
                table,
                stream,
                position,
                x,
            } => write!(f, "t{}[d{}[{position}]] := {x}", table.0, stream.0),
            Self::Load { out, table, entry } => write!(f, "{out} := t{}[{entry}]", table.0),
            Self::Select {
                out,
                table,
                stream,
                position,
            } => write!(f, "{out} := t{}[d{}[{position}]]", table.0, stream.0),
            Self::SelectOwn {
                out,
                table: OwnTable { first, entries },
                stream,
                position,
            } => {
                let last = first + entries - 1;
                write!(
                    f,
                    "{out} := own k{first}..k{last}[d{}[{position}]]",
                    stream.0
                )
            }
            Self::Choose {
                out,
                x,
                y,
                stream,
                position,
            } => write!(f, "{out} := choose d{}[{position}] {x} {y}", stream.0),
            Self::Output { index, x } => write!(f, "y{index} := output {x}"),
            Self::IsZero { index, x } => write!(f, "f{index} := is zero {x}"),
        }
    }
}

impl fmt::Display for Register {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "r{}", self.0)
    }
}
