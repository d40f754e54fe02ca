//! An emulator of Intel AMX (tile) instructions, for x86-64 Linux processors without AMX. It is
//! for tests only: a trap costs microseconds, where a processor with AMX takes nanoseconds.
//!
//! After [`install()`], an AMX instruction that the processor lacks raises SIGILL. The handler
//! decodes the instruction at RIP, executes it on the tiles of the thread, moves RIP past it,
//! and continues as long as AMX instructions follow. (They change no registers, so none has to
//! be restored in between.) At the start of an emulated instruction the handler leaves a
//! breakpoint, in memory but not in the file, because breakpoints trap faster; so SIGTRAP has
//! the same handler. Signals for other reasons go to the previous handler, or kill the process
//! if there was none.
//!
//! The emulated instructions are those of AMX-TILE and AMX-INT8 in their VEX encodings
//! (`ldtilecfg`, `sttilecfg`, `tilerelease`, `tilezero`, `tileloadd`, `tileloaddt1`,
//! `tilestored`, `tdpbssd`, `tdpbsud`, `tdpbusd`, `tdpbuud`) with palette 1, which has 8 tiles
//! of 16 rows of 64 bytes. They follow the Intel 64 and IA-32 Architectures Software
//! Developer's Manual, volume 2: the pages of the instructions, and section 2.10 on their
//! exception classes. If the processor would raise #UD or #GP because of the tile configuration
//! or the shapes of operands, the process aborts, and the violated condition is printed to
//! stderr.
//!
//! A processor with AMX needs no emulator: call [`install()`] only if [`hardware()`] is false.
//!
//! These are not emulated: prefixes before VEX (segment and address-size overrides), resumption
//! of a tile load after a page fault (a bad address is an ordinary SIGSEGV in the handler), and
//! tiles in handlers of other signals that interrupt the emulation. A debugger intercepts
//! SIGTRAP unless it is told to pass it on.

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

/// Installs the handler of SIGILL and SIGTRAP, and returns whether it is installed.
///
/// Later calls, from any thread, only return the answer of the first. It is `false` if the
/// target is not Linux on x86-64, or if the kernel refuses the handler.
#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
pub fn install() -> bool {
    signal::install()
}

/// Installs the handler on Linux on x86-64. On this target it only returns `false`.
#[cfg(not(all(target_os = "linux", target_arch = "x86_64")))]
pub fn install() -> bool {
    false
}

/// Whether the processor itself executes AMX-TILE and AMX-INT8 in this process.
///
/// It requests the permission to use tile data, which Linux grants to the whole process, so that
/// all threads may execute tile instructions if the answer is `true`.
#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
pub fn hardware() -> bool {
    hardware::request()
}

/// Whether the processor itself executes AMX-TILE and AMX-INT8, which is `false` on this target.
#[cfg(not(all(target_os = "linux", target_arch = "x86_64")))]
pub fn hardware() -> bool {
    false
}
