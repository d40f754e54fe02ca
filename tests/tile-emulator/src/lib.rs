//! Runs code with Intel AMX (tile) instructions on x86-64 Linux processors without
//! AMX. For tests only: a trap costs microseconds where the processor takes a few
//! nanoseconds.
//!
//! After [`install()`], an AMX instruction that the processor refuses raises SIGILL; the
//! handler decodes the instruction at RIP, executes it on the thread's own tiles, moves
//! RIP behind it and goes on with the next one while that is an AMX instruction too
//! (nothing but AMX instructions runs in between, so no register changes). It leaves a
//! breakpoint, which traps faster, in memory (not in the file) where the instruction
//! began, so that SIGTRAP has the same handler. Whatever is not an AMX instruction goes to
//! the handler that was there before, or kills the process as it would have.
//!
//! Executed are the instructions of AMX-TILE and AMX-INT8 in their VEX encodings:
//! `ldtilecfg`, `sttilecfg`, `tilerelease`, `tilezero`, `tileloadd`, `tileloaddt1`,
//! `tilestored`, `tdpbssd`, `tdpbsud`, `tdpbusd`, `tdpbuud`, with palette 1 (8 tiles of
//! 16 rows of 64 bytes), after the Intel 64 and IA-32 Architectures Software Developer's
//! Manual, volume 2 (the instructions and section 2.10, their exception classes). Where
//! the processor would raise #UD or #GP because of the tile configuration or the shapes
//! of operands, the process aborts and says on stderr which condition was not met.
//!
//! A processor with AMX needs none of this: ask [`hardware()`] first, and install only
//! where it answers no.
//!
//! Not emulated: prefixes before VEX (segment and address-size overrides), a tile load
//! resumed after a page fault (a bad address is an ordinary SIGSEGV within the handler),
//! and tiles in handlers of other signals that interrupt the emulation. A debugger takes
//! SIGTRAP for its own and has to be told to pass it.

#![allow(
    unsafe_code,
    reason = "a signal handler that reads instructions and acts on memory in the processor's place"
)]

mod counts;
#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
mod decode;
#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
mod dot;
#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
mod hardware;
#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
mod patch;
#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
mod signal;
#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
mod tiles;

pub use counts::{Counts, counts};

/// Installs the handler of SIGILL and SIGTRAP; whether it is in place.
///
/// The first call installs, every later one (from any thread) only answers. `false`: the
/// target is not Linux on x86-64, or the kernel refused the handler.
#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
pub fn install() -> bool {
    signal::install()
}

/// Installs the handler of SIGILL and SIGTRAP; whether it is in place: not on this target.
#[cfg(not(all(target_os = "linux", target_arch = "x86_64")))]
pub fn install() -> bool {
    false
}

/// Whether the processor itself executes AMX-TILE and AMX-INT8 in this process.
///
/// Asks the kernel for the permission to use tile data (Linux gives it to a process that
/// asks), so that after `true` tile instructions may be executed on every thread.
#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
pub fn hardware() -> bool {
    hardware::request()
}

/// Whether the processor itself executes AMX-TILE and AMX-INT8: not on this target.
#[cfg(not(all(target_os = "linux", target_arch = "x86_64")))]
pub fn hardware() -> bool {
    false
}
