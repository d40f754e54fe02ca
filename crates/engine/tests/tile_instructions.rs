//! The number of tile instructions of a modular product. It checks the schedule of an extension,
//! whose reuse of loads does not show in results. The test has a process of its own, as the
//! counters are per process.
#![cfg(all(target_arch = "x86_64", target_os = "linux"))]

use std::sync::Arc;

use crypto_bigint::BoxedUint;
use rayon::ThreadPoolBuilder;
use sunzi_engine::{Backend, Engine, Exponent, Modulus, Task};
use sunzi_tile_emulator::{Counts, counts};

/// The numbers of main channels per base, and of sides of 16 numbers.
#[derive(Clone, Copy)]
struct Size {
    mains: u64,
    sides: u64,
}

/// The number of instructions of one product. It has two extensions, each of which computes every
/// block of 16 channels, for each half of 32 numbers, in steps of 64 digits.
fn of_a_product(Size { mains, sides }: Size) -> Counts {
    let (blocks, halves, steps) = (mains / 16, sides / 2, 2 * mains / 64);
    let items = blocks * halves;
    Counts {
        // Per step, two tiles of weights times two of digits; for the tail tile, one times two.
        tdpbsud: 2 * (items * steps * 4 + halves * steps * 2),
        // One load per product: at a turn, two tiles are not loaded again, but the offsets of two
        // accumulators are. For the tail tile, one of weights and two of digits per step, and the
        // offsets of two accumulators.
        tileloadd: 2 * (items * steps * 4 + 2 + halves * (steps * 3 + 2)),
        // Four accumulators, two of which start from zero.
        tilestored: 2 * (items + halves) * 4,
        tilezero: 2 * (items + halves) * 2,
        ..Counts::default()
    }
}

/// An odd number of exactly `bits` bits, a multiple of 64.
fn value(bits: u32, seed: u64) -> BoxedUint {
    let word = |i: u64| (seed + i).wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1 << 63 | 1;
    BoxedUint::from_words((1..=u64::from(bits / 64)).map(word))
}

/// The number of instructions of a batch with this public exponent.
fn batch(engine: &Engine, moduli: &[Arc<Modulus>], exponent: u64) -> Counts {
    let [base, exponent] = [3, exponent].map(BoxedUint::from);
    let task = |modulus| Task::power(modulus, &base, Exponent::Public(&exponent));
    let tasks: Vec<_> = moduli.iter().map(task).collect();
    let before = counts();
    assert_eq!(engine.run(&tasks).unwrap().len(), moduli.len());
    counts() - before
}

#[test]
fn instructions_of_a_product() {
    sunzi_engine::testing::emulate_tiles(sunzi_tile_emulator::install);
    // In tiles whatever is faster here.
    let tiles = "amx:tiles".parse().unwrap();
    let engine = match Engine::new(tiles) {
        Ok(engine) if Backend::AMX.is_emulated() => engine,
        Ok(_) => return println!("SKIPPED: what the processor executes is not counted"),
        Err(reason) => return println!("SKIPPED: {reason}"),
    };
    let one_thread = ThreadPoolBuilder::new().num_threads(1).build().unwrap();
    // At their first use the tiles are checked by one more multiplication. The batch runs on one
    // thread, as a half of it may be faster without tiles.
    let modulus = engine.modulus(&value(512, 1)).unwrap();
    one_thread.install(|| batch(&engine, &vec![modulus; 32], 2));
    for bits in [512, 1024, 1536, 2048, 2560, 4096] {
        for sides in [2, 4] {
            let size = Size {
                mains: u64::from(bits / 16),
                sides,
            };
            // Two moduli, whose constants are in lanes, and one modulus for all numbers.
            let both = [1, 2].map(|seed| engine.modulus(&value(bits, seed)).unwrap());
            let numbers = 16 * sides as usize;
            let mixed: Vec<_> = both.iter().cloned().cycle().take(numbers).collect();
            let same = vec![Arc::clone(&both[0]); numbers];
            for moduli in [mixed, same] {
                // The exponents differ by one product each: the final product, by which a power
                // leaves Montgomery form, is with 1 for an even exponent, and with the base for an
                // odd one.
                let [two, four, seven] = [2, 4, 7]
                    .map(|exponent| one_thread.install(|| batch(&engine, &moduli, exponent)));
                // Zero if one of the moduli shared a prime with base A.
                assert_eq!(two.ldtilecfg, 1, "{bits} bits, {sides} sides");
                assert_eq!(two.tilerelease, 1, "{bits} bits, {sides} sides");
                assert_eq!(four - two, of_a_product(size), "{bits} bits, {sides} sides");
                assert_eq!(
                    seven - four,
                    of_a_product(size),
                    "{bits} bits, {sides} sides"
                );
            }
        }
    }
}
