//! What the processor and the operating system must have.

use std::sync::atomic::{AtomicBool, Ordering};

use super::tile::Tiles;

/// Proof that the tiles can be used, and that the processor has AVX-512 F, BW and VNNI.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Amx(());

impl Amx {
    /// Whether the processor and the operating system have what it takes, as far as can be seen
    /// without asking the kernel for anything.
    pub(crate) fn look() -> Result<(), &'static str> {
        if !(is_x86_feature_detected!("avx512f")
            && is_x86_feature_detected!("avx512bw")
            && is_x86_feature_detected!("avx512vnni"))
        {
            return Err("the processor lacks AVX-512 F, BW or VNNI");
        }
        if emulated() { Ok(()) } else { hardware() }
    }

    /// The tiles, or what is missing. Asks the kernel for the tiles' state, for the whole process
    /// and for good: signal frames grow by 8 KiB.
    pub(crate) fn acquire() -> Result<Self, &'static str> {
        Self::look()?;
        if !emulated() {
            request()?;
        }
        let processor = Self(());
        // SAFETY: these are the only tiles of this thread: they are not acquired within a group.
        let tiles = unsafe { processor.configure() };
        if tiles.multiply_as_described() {
            Ok(processor)
        } else {
            Err("its tile instructions compute wrong sums")
        }
    }

    /// This thread's tiles.
    ///
    /// # Safety
    /// No other `Tiles` lives on this thread.
    #[expect(
        clippy::unused_self,
        reason = "whoever has it knows that the tiles are there"
    )]
    pub(super) unsafe fn configure(self) -> Tiles {
        // SAFETY: `tiles_usable` found the tiles and had them granted; the caller vouches for the
        // rest.
        unsafe { Tiles::configure() }
    }
}

/// Whether a test has put something in place that carries the tile instructions out.
static EMULATED: AtomicBool = AtomicBool::new(false);

/// Whether tile instructions are emulated, which is for tests.
pub(crate) fn emulated() -> bool {
    EMULATED.load(Ordering::Relaxed)
}

/// From now on tile instructions are emulated, unless the processor has them.
#[cfg(any(test, feature = "testing"))]
pub(crate) fn assume_emulated() {
    if hardware().is_err() {
        EMULATED.store(true, Ordering::Relaxed);
    }
}

#[cfg(target_os = "linux")]
use hardware::{look as hardware, request};

#[cfg(not(target_os = "linux"))]
fn hardware() -> Result<(), &'static str> {
    Err("tiles are supported on Linux only")
}

#[cfg(not(target_os = "linux"))]
fn request() -> Result<(), &'static str> {
    hardware()
}

#[cfg(target_os = "linux")]
mod hardware {
    use core::arch::x86_64::{__cpuid, __cpuid_count, _xgetbv};

    /// `CPUID.1:ECX`: the operating system has enabled XGETBV.
    const OSXSAVE: u32 = 1 << 27;
    /// `CPUID.7.0:EDX`: AMX-TILE and AMX-INT8.
    const AMX: u32 = 1 << 24 | 1 << 25;
    /// XCR0: the tiles' configuration and data.
    const TILE_STATE: u64 = 1 << 17 | 1 << 18;
    /// `ARCH_REQ_XCOMP_PERM`: asks the kernel for a part of the processor's state that signal
    /// frames have no room for by default.
    const REQUEST_PERMISSION: libc::c_long = 0x1023;
    /// The tiles' data.
    const TILE_DATA: libc::c_long = 18;

    /// Whether the processor has the tiles and the operating system has enabled them.
    pub(super) fn look() -> Result<(), &'static str> {
        let has_leaf = __cpuid(0).eax >= 7;
        if !has_leaf || __cpuid_count(7, 0).edx & AMX != AMX {
            return Err("the processor lacks AMX-TILE or AMX-INT8");
        }
        if __cpuid(1).ecx & OSXSAVE == 0 || !tile_state_enabled() {
            return Err("the operating system has not enabled the tiles' state");
        }
        Ok(())
    }

    /// Asks for the tiles, for all threads of this process.
    pub(super) fn request() -> Result<(), &'static str> {
        // SAFETY: this call reads and writes no memory of this process.
        let answer = unsafe { libc::syscall(libc::SYS_arch_prctl, REQUEST_PERMISSION, TILE_DATA) };
        if answer == 0 {
            Ok(())
        } else {
            Err("the kernel does not grant the tiles' state to this process")
        }
    }

    /// Whether XCR0 has the tiles; after OSXSAVE has been seen.
    fn tile_state_enabled() -> bool {
        // SAFETY: the only caller has seen OSXSAVE, so that the instruction is enabled.
        let enabled = unsafe { _xgetbv(0) };
        enabled & TILE_STATE == TILE_STATE
    }
}
