//! Whether the processor and the kernel offer AMX to this process.

use std::arch::x86_64::{__cpuid, __cpuid_count};

/// `ARCH_REQ_XCOMP_PERM` of `asm/prctl.h`: asks for the use of an XSAVE component.
const REQUEST_PERMISSION: libc::c_int = 0x1023;
/// TILEDATA among the XSAVE components.
const TILE_DATA: libc::c_ulong = 18;
/// AMX-TILE and AMX-INT8 in EDX of CPUID leaf 7, subleaf 0.
const AMX_TILE_AND_INT8: u32 = 1 << 24 | 1 << 25;

/// Looks at CPUID and asks the kernel, which grants the permission to all threads, and
/// refuses if it does not manage the tiles' state.
pub(crate) fn request() -> bool {
    if __cpuid(0).eax < 7 || __cpuid_count(7, 0).edx & AMX_TILE_AND_INT8 != AMX_TILE_AND_INT8 {
        return false;
    }
    // SAFETY: this request takes two integers and touches no memory of the process.
    let result = unsafe { libc::syscall(libc::SYS_arch_prctl, REQUEST_PERMISSION, TILE_DATA) };
    result == 0
}
