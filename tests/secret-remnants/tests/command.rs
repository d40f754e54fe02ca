//! What the libraries leave in memory with the allocator of the `sunzi` command, which wipes what is
//! freed: nothing, in freed memory, on stacks, or anywhere else.

mod operations;

use std::alloc::System;
use zeroizing_alloc::ZeroAlloc;

#[global_allocator]
static ALLOCATOR: ZeroAlloc<System> = ZeroAlloc(System);

#[test]
fn nothing_is_left() {
    operations::check_all(&[]);
}
