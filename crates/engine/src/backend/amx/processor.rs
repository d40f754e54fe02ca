//! What the processor and the operating system must have.

use super::tile::Tiles;

/// Proof that the tiles can be used, and that the processor has AVX-512 F, BW and VNNI.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Amx(());

impl Amx {
    /// The tiles, or what is missing.
    pub(crate) fn detect() -> Result<Self, &'static str> {
        if !(is_x86_feature_detected!("avx512f")
            && is_x86_feature_detected!("avx512bw")
            && is_x86_feature_detected!("avx512vnni"))
        {
            return Err("the processor lacks AVX-512 F, BW or VNNI");
        }
        tiles_usable()?;
        let processor = Self(());
        // SAFETY: these are the only tiles of this thread: engines are not made within a group.
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

/// Whether the tile instructions are there and the operating system lets this process use them.
#[cfg(target_os = "linux")]
fn tiles_usable() -> Result<(), &'static str> {
    match hardware::request_tiles() {
        #[cfg(feature = "emulated-tiles")]
        Err(_) if sunzi_tile_emulator::install() => Ok(()),
        answer => answer,
    }
}

#[cfg(not(target_os = "linux"))]
fn tiles_usable() -> Result<(), &'static str> {
    Err("tiles are supported on Linux only")
}

/// Whether tile instructions are emulated, which is for tests.
pub(crate) fn emulated() -> bool {
    #[cfg(all(feature = "emulated-tiles", target_os = "linux"))]
    return hardware::request_tiles().is_err();
    #[cfg(not(all(feature = "emulated-tiles", target_os = "linux")))]
    return false;
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

    /// Asks for the tiles, for all threads of this process; or says what is missing.
    pub(super) fn request_tiles() -> Result<(), &'static str> {
        let has_leaf = __cpuid(0).eax >= 7;
        if !has_leaf || __cpuid_count(7, 0).edx & AMX != AMX {
            return Err("the processor lacks AMX-TILE or AMX-INT8");
        }
        if __cpuid(1).ecx & OSXSAVE == 0 || !tile_state_enabled() {
            return Err("the operating system has not enabled the tiles' state");
        }
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
