//! Persistent faults: a bit flips in memory that is kept between operations, and stays flipped for a whole batch.
//!
//! For each device and each scheme everything is prepared, and one batch of each size computed: engine, plans,
//! programs, tables, constants and keys. The allocator notes the blocks of memory that stay live. Then, for each fault,
//! a forked child flips one bit of one of these blocks and computes a batch. The parent compares the child's results
//! with the batch's results without a fault. A flipped pointer or length may end the child, which gives no result
//! either.
//!
//! `SUNZI_FAULTS` sets the number of faults; `make faults` runs 100,000. `SUNZI_FAULTS_ONLY` names schemes, separated
//! by commas: `Ed25519,RSA-2048`. `SUNZI_FAULTS_SEED` draws other faults.
#![cfg_attr(unix, expect(unsafe_code, reason = "an allocator, and forks"))]

#[cfg(unix)]
mod blocks;
#[cfg(unix)]
mod schemes;
#[cfg(unix)]
mod trials;

#[cfg(not(unix))]
fn main() {
    println!("SKIPPED: processes do not fork here");
}

#[cfg(unix)]
#[global_allocator]
static ALLOCATOR: blocks::Noting = blocks::Noting;

#[cfg(unix)]
fn main() {
    trials::run();
}
