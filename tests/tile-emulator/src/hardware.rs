//! Detection of AMX in the processor and the kernel.

use std::arch::x86_64::{__cpuid, __cpuid_count};

/// `ARCH_REQ_XCOMP_PERM` of `asm/prctl.h`: requests permission to use an XSAVE component.
const REQUEST_PERMISSION: libc::c_int = 0x1023;
/// Number of the XSAVE component TILEDATA.
const TILE_DATA: libc::c_ulong = 18;
/// Bits of AMX-TILE and AMX-INT8 in EDX of CPUID leaf 7, subleaf 0.
const AMX_TILE_AND_INT8: u32 = 1 << 24 | 1 << 25;

/// Whether this process may execute AMX instructions. CPUID must have them, and the kernel is asked
/// for permission: it grants it to all threads, or refuses if it does not save the tiles' state.
pub(crate) fn request() -> bool {
    if __cpuid(0).eax < 7 || __cpuid_count(7, 0).edx & AMX_TILE_AND_INT8 != AMX_TILE_AND_INT8 {
        return false;
    }
    // SAFETY: this request takes two integers and accesses no memory of the process.
    let result = unsafe { libc::syscall(libc::SYS_arch_prctl, REQUEST_PERMISSION, TILE_DATA) };
    result == 0
}
