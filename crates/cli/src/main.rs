//! The `sunzi` command: its allocator. Everything else is in the library.

use mimalloc::MiMalloc;
use std::process::ExitCode;
use zeroizing_alloc::ZeroAlloc;

/// The allocator of the whole command. Numbers are aligned to cache lines, and the system's
/// allocator is slow at that: it would take up to a fifth of the time of a verification. What is freed
/// is wiped: secrets also pass through temporaries of libraries, which leave them.
#[global_allocator]
static ALLOCATOR: ZeroAlloc<MiMalloc> = ZeroAlloc(MiMalloc);

fn main() -> ExitCode {
    sunzi_cli::run()
}
