//! Detection of the tiles, and their use by permission of the operating system.

use std::sync::atomic::{AtomicBool, Ordering};

use super::tile::Tiles;
use crate::{InstructionLimit, processor::BEYOND_LIMIT};

/// Proof that this process may use the tiles, and that the processor has AVX-512 F, BW and VNNI.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Amx(());

impl Amx {
    /// Checks that the processor has the instructions and that the operating system has enabled the
    /// tiles, without a request to the operating system.
    ///
    /// # Errors
    /// What is missing.
    pub(crate) fn detect() -> Result<(), &'static str> {
        if !InstructionLimit::Tiles.is_allowed() {
            return Err(BEYOND_LIMIT);
        }
        if !(is_x86_feature_detected!("avx512f")
            && is_x86_feature_detected!("avx512bw")
            && is_x86_feature_detected!("avx512vnni"))
        {
            return Err("the processor lacks AVX-512 F, BW or VNNI");
        }
        if emulated() {
            Ok(())
        } else {
            detect_hardware()
        }
    }

    /// Acquires the right to use the tiles, and checks that they compute correct sums. Requests the
    /// tiles' state from the operating system, for the whole process and for good: signal frames
    /// grow by 8 KiB.
    ///
    /// # Errors
    /// What is missing.
    pub(crate) fn acquire() -> Result<Self, &'static str> {
        Self::detect()?;
        if !emulated() {
            request()?;
        }
        let processor = Self(());
        // SAFETY: no other `Tiles` exists on this thread, as a device acquires the tiles before it
        // makes a group.
        let tiles = unsafe { processor.configure() };
        if tiles.multiply_as_described() {
            Ok(processor)
        } else {
            Err("its tile instructions compute wrong sums")
        }
    }

    /// Configures the tiles of this thread.
    ///
    /// # Safety
    /// No other `Tiles` may exist on this thread.
    #[expect(
        clippy::unused_self,
        reason = "the value proves that the process may use the tiles"
    )]
    pub(super) unsafe fn configure(self) -> Tiles {
        // SAFETY: `acquire`, which alone makes an `Amx`, has found the tiles and been granted their
        // state, or they are emulated. The caller ensures that there are no other `Tiles`.
        unsafe { Tiles::configure() }
    }
}

/// Whether a test has installed an emulator of the tile instructions.
static EMULATED: AtomicBool = AtomicBool::new(false);

/// Whether tile instructions are emulated, which only tests do.
pub(crate) fn emulated() -> bool {
    EMULATED.load(Ordering::Relaxed)
}

/// Declares that tile instructions are emulated from now on, unless the processor has them.
#[cfg(any(test, feature = "testing"))]
pub(crate) fn assume_emulated() {
    if detect_hardware().is_err() {
        EMULATED.store(true, Ordering::Relaxed);
    }
}

#[cfg(target_os = "linux")]
use hardware::{detect as detect_hardware, request};

#[cfg(not(target_os = "linux"))]
fn detect_hardware() -> Result<(), &'static str> {
    Err("tiles are supported on Linux only")
}

#[cfg(not(target_os = "linux"))]
fn request() -> Result<(), &'static str> {
    detect_hardware()
}

#[cfg(target_os = "linux")]
mod hardware {
    use core::arch::x86_64::{__cpuid, __cpuid_count, _xgetbv};

    /// `CPUID.1:ECX`: the operating system has enabled XGETBV.
    const OSXSAVE: u32 = 1 << 27;
    /// `CPUID.7.0:EDX`: AMX-TILE and AMX-INT8.
    const AMX: u32 = 1 << 24 | 1 << 25;
    /// The bits of XCR0 for the tiles' configuration and data.
    const TILE_STATE: u64 = 1 << 17 | 1 << 18;
    /// `ARCH_REQ_XCOMP_PERM`: requests a component of the processor's state for which signal frames
    /// have no room by default.
    const REQUEST_PERMISSION: libc::c_long = 0x1023;
    /// The number of the state component with the tiles' data.
    const TILE_DATA: libc::c_long = 18;

    /// Checks that the processor has the tiles and that the operating system has enabled them.
    pub(super) fn detect() -> Result<(), &'static str> {
        let has_leaf = __cpuid(0).eax >= 7;
        if !has_leaf || __cpuid_count(7, 0).edx & AMX != AMX {
            return Err("the processor lacks AMX-TILE or AMX-INT8");
        }
        if __cpuid(1).ecx & OSXSAVE == 0 || !tile_state_enabled() {
            return Err("the operating system has not enabled the tiles' state");
        }
        Ok(())
    }

    /// Requests the tiles' data for all threads of this process.
    pub(super) fn request() -> Result<(), &'static str> {
        // SAFETY: this call reads and writes no memory of this process.
        let answer = unsafe { libc::syscall(libc::SYS_arch_prctl, REQUEST_PERMISSION, TILE_DATA) };
        if answer == 0 {
            Ok(())
        } else {
            Err("the kernel does not grant the tiles' state to this process")
        }
    }

    /// Whether XCR0 enables the tiles' state. Requires OSXSAVE.
    fn tile_state_enabled() -> bool {
        // SAFETY: the only caller has checked OSXSAVE, so the instruction is enabled.
        let enabled = unsafe { _xgetbv(0) };
        enabled & TILE_STATE == TILE_STATE
    }
}
