//! Replacement of refused instructions by breakpoints.
//!
//! #UD is expensive in virtual machines, because the hypervisor handles it first, to see whether
//! it has to execute the instruction. On one machine the way to the handler and back takes 8.4 us,
//! and 2.0 us from a breakpoint. So the first trap at an address replaces the first byte of the
//! instruction, C4, by CC, which is `int3`. As it is a single byte, other threads see either the
//! old instruction or the breakpoint, and both lead to the handler.

use std::ffi::c_int;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

/// The instruction `int3`.
pub(crate) const BREAKPOINT: u8 = 0xCC;
/// The first byte of every instruction that is emulated.
pub(crate) const VEX: u8 = 0xC4;

/// Puts a breakpoint at an instruction. If the kernel does not allow it, the code stays unchanged
/// and no more breakpoints are tried.
pub(crate) fn set_breakpoint(address: u64) {
    static REFUSED: AtomicBool = AtomicBool::new(false);
    if REFUSED.load(Relaxed) {
        return;
    }
    // SAFETY: the calls are allowed in a signal handler, and errno is restored. The kernel
    // writes to a private copy of the page, whose protection stays. The overwritten byte is the
    // first one of an instruction that has just been decoded there, and the handler reads a
    // breakpoint as that byte.
    let written = unsafe {
        let errno = *libc::__errno_location();
        let memory: c_int = libc::open(c"/proc/self/mem".as_ptr(), libc::O_RDWR | libc::O_CLOEXEC);
        let byte = [BREAKPOINT];
        let written = libc::pwrite(memory, byte.as_ptr().cast(), 1, address.cast_signed()) == 1;
        if memory >= 0 {
            libc::close(memory);
        }
        *libc::__errno_location() = errno;
        written
    };
    if !written {
        REFUSED.store(true, Relaxed);
    }
}
