//! Remnants of the libraries in freed memory, with an allocator that never uses memory again, so that nothing is
//! overwritten by chance: there are none, except that a key which is read or made leaves p, q and q^-1 mod p in
//! temporaries of crypto-primes (the test of primality) and of crypto-bigint (inversion).
#![expect(unsafe_code, reason = "an allocator")]

#[cfg(target_os = "linux")]
mod operations;

use std::alloc::{GlobalAlloc, Layout, System};

/// The system's allocator, without freeing.
struct Keeping;

// SAFETY: memory comes from the system's allocator, under the conditions that it requires, and it is never given back.
// Reallocation is the trait's own, a copy into new memory.
unsafe impl GlobalAlloc for Keeping {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller satisfies the same conditions.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, _: *mut u8, _: Layout) {}
}

#[global_allocator]
static ALLOCATOR: Keeping = Keeping;

#[cfg(target_os = "linux")]
#[test]
fn nothing_is_left() {
    operations::check_all(&[
        "p, little-endian",
        "q, little-endian",
        "qinv, little-endian",
    ]);
}

#[cfg(not(target_os = "linux"))]
#[test]
fn nothing_is_left() {
    println!("SKIPPED: only Linux lets a process search its memory by reading a file");
}
