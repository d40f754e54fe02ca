//! The portable backend: no intrinsics. All inner loops run over the lanes, which is how the
//! compiler fills vectors of any width with them; each kernel is compiled for several
//! instruction sets and the widest that the processor has is used.
#![expect(
    clippy::inline_always,
    reason = "a kernel must be compiled whole for each instruction set"
)]

mod channel;
mod convert;
mod dispatch;
mod matrix;
mod product;
mod select;

#[cfg(test)]
pub(crate) use self::dispatch::InstructionSet;
pub(crate) use self::dispatch::Portable;
