//! Remnants of the libraries in memory with the allocator of the `sunzi` command, which wipes freed memory: there are
//! none, in freed memory, on stacks, or anywhere else.

#[cfg(target_os = "linux")]
mod operations;

use std::alloc::System;
use zeroizing_alloc::ZeroAlloc;

#[global_allocator]
static ALLOCATOR: ZeroAlloc<System> = ZeroAlloc(System);

#[cfg(target_os = "linux")]
#[test]
fn nothing_is_left() {
    operations::check_all(&[]);
}

#[cfg(not(target_os = "linux"))]
#[test]
fn nothing_is_left() {
    println!("SKIPPED: only Linux lets a process search its memory by reading a file");
}
