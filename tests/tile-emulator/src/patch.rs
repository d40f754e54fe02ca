//! Breakpoints in place of instructions that the processor refuses.
//!
//! #UD is dear in virtual machines: the hypervisor takes it first, to see whether the
//! instruction is one that it has to execute (8.4 us to the handler and back on one
//! machine, 2.0 us for a breakpoint). So the first trap at an address replaces the first
//! byte of the instruction, C4, by CC: `int3`. It is one byte, so another thread meets
//! the old instruction or the new one, and both end in a handler.

use std::ffi::c_int;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

/// `int3`
pub(crate) const BREAKPOINT: u8 = 0xCC;
/// The first byte of every instruction that is emulated.
pub(crate) const VEX: u8 = 0xC4;

/// Puts a breakpoint at an instruction. Where the kernel does not allow it, all stays as
/// it is, and no further one is tried.
pub(crate) fn set_breakpoint(address: u64) {
    static REFUSED: AtomicBool = AtomicBool::new(false);
    if REFUSED.load(Relaxed) {
        return;
    }
    // SAFETY: the calls may be made in a handler, and errno is put back. The kernel writes
    // a private copy of the page, whose protection stays; what is overwritten is the first
    // byte of an instruction that has just been decoded there, and both handlers read the
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
