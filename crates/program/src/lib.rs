//! Programs: straight lines of field operations that whole groups of numbers run through.
//!
//! A program works on *registers*. A register holds one number for each member of a group, modulo that
//! member's own modulus P. There are no branches: the same operations run for every member, whatever the
//! numbers are, so that one program serves a whole group and takes a time that depends on no secret. A
//! program is built with a [`Builder`] once for a purpose and a size, and is known completely before it runs:
//! the bounds of every value, its registers and tables, its [`Counts`].
//!
//! Functions that build parts of programs are in [`power`], [`multi_power`], [`fixed_base`] and
//! [`inverse`]; [`recode`] turns scalars into the digits that look-ups take.
//!
//! ```
//! use sunzi_program::{Builder, Limits, Magnitude};
//!
//! let limits = Limits {
//!     product: Magnitude::interval(-1, 4),
//!     operands: 256,
//!     signed: true,
//!     folded: None,
//! };
//! let mut builder = Builder::new("x^2 + y", 256, limits, 16);
//! let (x, y) = (builder.input(256), builder.input(256));
//! let square = builder.square(x);
//! let sum = builder.add(square, y);
//! builder.output(sum);
//! let program = builder.finish()?;
//! assert_eq!(program.counts().squarings, 1);
//! println!("{program}");
//! # Ok::<(), sunzi_program::ProgramError>(())
//! ```

mod builder;
mod counts;
pub mod fixed_base;
mod forms;
pub mod formulas;
mod fuse;
pub mod inverse;
mod limits;
pub mod multi_power;
mod operation;
mod part;
pub mod power;
mod program;
pub mod recode;
pub mod seal;
mod size;
mod span;
mod stream;
mod text;

pub use self::{
    builder::{Builder, Table, Value},
    counts::Counts,
    forms::Forms,
    limits::{Limits, Magnitude, ProgramError},
    operation::{
        Constant, Input, Multiple, Operation, OwnTable, Product, Register, Scalar, Stream, TableId,
    },
    part::Part,
    program::{Inversion, Program, Span, Step},
    recode::{Recoding, odd_digits, other_odd_digits},
    size::{MAX_BITS, MIN_BITS, piece_bits, public_length, size_class},
    stream::{ScalarInfo, StreamInfo},
};
