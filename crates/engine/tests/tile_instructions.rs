//! How many tile instructions a modular product takes: the schedule of an extension, whose reuse of
//! loads no result shows. In a process of its own: the counters are the process'.
#![cfg(all(target_arch = "x86_64", target_os = "linux"))]

use std::sync::Arc;

use crypto_bigint::BoxedUint;
use rayon::ThreadPoolBuilder;
use sunzi_engine::{Backend, Engine, Exponent, Modulus, Task};
use sunzi_tile_emulator::{Counts, counts};

/// Main channels of a base, and sides of 16 numbers.
#[derive(Clone, Copy)]
struct Size {
    mains: u64,
    sides: u64,
}

/// The instructions of one product: two extensions, in each of which every block of 16 channels is
/// multiplied, for each half of 32 numbers, in steps of 64 digits.
fn of_a_product(Size { mains, sides }: Size) -> Counts {
    let (blocks, halves, steps) = (mains / 16, sides / 2, 2 * mains / 64);
    let items = blocks * halves;
    Counts {
        // Two tiles of weights by two of digits, and in the last tile one by two.
        tdpbsud: 2 * (items * steps * 4 + halves * steps * 2),
        // One load a product: at a turn the tiles that stay are not loaded, but the offsets of two
        // accumulators are. In the last tile weights and two of digits, and offsets once.
        tileloadd: 2 * (items * steps * 4 + 2 + halves * (steps * 3 + 2)),
        // Four accumulators, two of them without offsets.
        tilestored: 2 * (items + halves) * 4,
        tilezero: 2 * (items + halves) * 2,
        ..Counts::default()
    }
}

fn value(bits: u32, seed: u64) -> BoxedUint {
    let word = |i: u64| (seed + i).wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1 << 63 | 1;
    BoxedUint::from_words((1..=u64::from(bits / 64)).map(word))
}

/// What a batch takes whose exponents have this value.
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
    let engine = match Engine::new(Backend::AMX) {
        Ok(engine) if Backend::AMX.is_emulated() => engine,
        Ok(_) => return println!("SKIPPED: what the processor executes is not counted"),
        Err(reason) => return println!("SKIPPED: {reason}"),
    };
    let one_thread = ThreadPoolBuilder::new().num_threads(1).build().unwrap();
    // The first use of the tiles multiplies once more, to see whether they do it right.
    let modulus = engine.modulus(&value(512, 1)).unwrap();
    batch(&engine, &vec![modulus; 32], 2);
    for bits in [512, 1024, 1536, 2048, 2560, 4096] {
        for sides in [2, 4] {
            let size = Size {
                mains: u64::from(bits / 16),
                sides,
            };
            // Constants in lanes, and those of one modulus for all.
            let both = [1, 2].map(|seed| engine.modulus(&value(bits, seed)).unwrap());
            let numbers = 16 * sides as usize;
            let mixed: Vec<_> = both.iter().cloned().cycle().take(numbers).collect();
            let same = vec![Arc::clone(&both[0]); numbers];
            for moduli in [mixed, same] {
                // One product more, and two: a power leaves by a product with 1 if its exponent is
                // even, and by one with the base if it is odd.
                let [two, four, seven] = [2, 4, 7]
                    .map(|exponent| one_thread.install(|| batch(&engine, &moduli, exponent)));
                // None, if one of the moduli shared a prime with base A.
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
