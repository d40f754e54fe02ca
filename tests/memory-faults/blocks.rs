//! An allocator that notes the blocks that were allocated at certain times and are still live.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::UnsafeCell;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

/// The largest number of blocks that are noted: a power of two, more than are ever live at a time.
const PLACES: usize = 1 << 20;

/// The system's allocator, which notes each new block, while this is switched on, until the block is freed.
pub(crate) struct Noting;

static NOTES: Notes = Notes {
    lock: AtomicBool::new(false),
    addresses: UnsafeCell::new([0; PLACES]),
    sizes: UnsafeCell::new([0; PLACES]),
};
static IS_NOTING: AtomicBool = AtomicBool::new(false);
static NOTED: AtomicUsize = AtomicUsize::new(0);

/// Blocks by a hash of their addresses, with linear probing: 0 is an empty place, 1 a removed entry.
struct Notes {
    lock: AtomicBool,
    addresses: UnsafeCell<[usize; PLACES]>,
    sizes: UnsafeCell<[usize; PLACES]>,
}

// SAFETY: both arrays are used under the lock only.
unsafe impl Sync for Notes {}

impl Notes {
    fn with<T>(&self, f: impl FnOnce(&mut [usize; PLACES], &mut [usize; PLACES]) -> T) -> T {
        while self.lock.swap(true, Ordering::Acquire) {
            core::hint::spin_loop();
        }
        // SAFETY: the lock is held, and `f` neither allocates nor calls this function.
        let result = unsafe { f(&mut *self.addresses.get(), &mut *self.sizes.get()) };
        self.lock.store(false, Ordering::Release);
        result
    }

    fn places(address: usize) -> impl Iterator<Item = usize> {
        let first = (address >> 4).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 44;
        (0..PLACES).map(move |k| (first + k) % PLACES)
    }

    fn add(&self, address: usize, size: usize) {
        self.with(|addresses, sizes| {
            let free = Self::places(address).find(|&place| addresses[place] <= 1);
            if let Some(place) = free {
                (addresses[place], sizes[place]) = (address, size);
                NOTED.fetch_add(1, Ordering::Relaxed);
            }
        });
    }

    fn remove(&self, address: usize) {
        self.with(|addresses, _| {
            let end = |place: &usize| addresses[*place] == 0;
            let mut places = Self::places(address).take_while(|place| !end(place));
            if let Some(place) = places.find(|&place| addresses[place] == address) {
                addresses[place] = 1;
                NOTED.fetch_sub(1, Ordering::Relaxed);
            }
        });
    }
}

// SAFETY: memory comes from the system's allocator and returns to it, under the conditions that it requires.
// Reallocation is the trait's own, a copy into new memory.
unsafe impl GlobalAlloc for Noting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller satisfies the same conditions.
        let block = unsafe { System.alloc(layout) };
        if IS_NOTING.load(Ordering::Relaxed) && !block.is_null() {
            NOTES.add(block.addr(), layout.size());
        }
        block
    }

    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        if NOTED.load(Ordering::Relaxed) > 0 {
            NOTES.remove(block.addr());
        }
        // SAFETY: the caller satisfies the same conditions.
        unsafe { System.dealloc(block, layout) }
    }
}

/// Runs `f`, and notes its blocks.
pub(crate) fn noting<T>(f: impl FnOnce() -> T) -> T {
    IS_NOTING.store(true, Ordering::Relaxed);
    let result = f();
    IS_NOTING.store(false, Ordering::Relaxed);
    result
}

/// Forgets all blocks.
pub(crate) fn forget() {
    NOTES.with(|addresses, _| addresses.fill(0));
    NOTED.store(0, Ordering::Relaxed);
}

/// The blocks that were noted and live: address and size.
pub(crate) fn live() -> Vec<(usize, usize)> {
    let mut blocks = Vec::with_capacity(NOTED.load(Ordering::Relaxed));
    NOTES.with(|addresses, sizes| {
        let noted = addresses.iter().zip(sizes.iter());
        let noted = noted.filter(|(address, _)| **address > 1);
        for (&address, &size) in noted {
            // Within its capacity, as nothing may be allocated here.
            if blocks.len() < blocks.capacity() {
                blocks.push((address, size));
            }
        }
    });
    blocks.sort_unstable();
    blocks
}

/// Flips a bit of a byte of a live block.
///
/// # Safety
/// The process may end at any moment, and must end without anybody having trusted it.
pub(crate) unsafe fn flip(address: usize, bit: u32) {
    let byte = std::ptr::with_exposed_provenance_mut::<u8>(address);
    // SAFETY: the byte is one of a live block, which is memory that can be written to.
    unsafe { byte.write_volatile(byte.read_volatile() ^ 1 << bit) };
}
