//! One shared check for every way to run a group: a few powers with mixed moduli and with a single
//! one, a full group and one with places left over, against num-bigint.

mod ranges;

use core::cell::Cell;

use crypto_bigint::BoxedUint;
use num_bigint::BigUint;

#[cfg(target_arch = "x86_64")]
use super::avx512::spread;
use super::{
    lanes,
    portable::{InstructionSet, Portable},
};
use crate::{Backend, Engine, Exponent, Task};

pub(super) fn big(x: &BoxedUint) -> BigUint {
    BigUint::from_bytes_le(&x.to_le_bytes())
}

/// A number of exactly `bits` bits, odd.
pub(super) fn value(bits: u32, seed: u64) -> BoxedUint {
    let words = (1..=u64::from(bits / 64))
        .map(|i| (seed + i).wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1 << 63 | 1);
    BoxedUint::from_words(words)
}

fn check(
    engine: &Engine,
    name: &str,
    width: usize,
    run_group: impl Fn(&[Task<'_>]) -> Vec<BoxedUint>,
) {
    for (bits, step) in [64u32, 128, 512, 1024, 2048]
        .into_iter()
        .flat_map(|bits| [(bits, 3), (bits, 0)])
    {
        // With a step of zero all moduli are the same.
        let values: Vec<_> = (0..width as u64)
            .map(|i| (value(bits, step * i), value(bits, 5 * i + 1)))
            .collect();
        let mut moduli = Vec::with_capacity(width);
        for (modulus, _) in &values {
            let known = if step == 0 {
                moduli.first().cloned()
            } else {
                None
            };
            moduli.push(known.unwrap_or_else(|| engine.modulus(modulus).unwrap()));
        }
        // Long enough for constants of a single modulus to be merged.
        let exponent = value(256, 7);
        // Longer than the modulus: it has to enter in pieces.
        let factor = value(2 * bits, 9);
        let tasks: Vec<_> = values
            .iter()
            .zip(&moduli)
            .map(|((_, base), modulus)| {
                Task::power(modulus, base, Exponent::Secret(&exponent)).times(&factor)
            })
            .collect();
        for count in (1..=width).rev().step_by(width.div_ceil(3)) {
            let results = run_group(&tasks[..count]);
            assert_eq!(results.len(), count);
            for (result, (modulus, base)) in results.iter().zip(&values) {
                let modulus = big(modulus);
                let power = big(base).modpow(&big(&exponent), &modulus);
                assert_eq!(
                    big(result),
                    power * big(&factor) % &modulus,
                    "{name}, {width} wide, {bits} bits, {count} tasks, moduli {step} apart"
                );
            }
        }
    }
}

#[test]
fn portable_kernels_on_every_instruction_set() {
    let engine = Engine::new(Backend::Portable).unwrap();
    for set in InstructionSet::available() {
        let name = set.to_string();
        println!("checking {name}");
        let kernels = Portable { set };
        check(&engine, &name, 4, |tasks| {
            lanes::run::<_, 4>(kernels, tasks)
        });
        check(&engine, &name, 8, |tasks| {
            lanes::run::<_, 8>(kernels, tasks)
        });
        check(&engine, &name, 32, |tasks| {
            lanes::run::<_, 32>(kernels, tasks)
        });
    }
}

#[test]
#[cfg(target_arch = "x86_64")]
fn avx512_kernels_in_every_layout() {
    let Some(kernels) = super::avx512::Ifma::detect() else {
        println!("SKIPPED: this processor has no AVX-512 IFMA");
        return;
    };
    let engine = Engine::new(Backend::Avx512).unwrap();
    check(&engine, "avx512", 16, |tasks| {
        lanes::run::<_, 16>(kernels, tasks)
    });
    check(&engine, "avx512, spread", 1, |tasks| {
        spread::run::<1>(kernels, tasks)
    });
    check(&engine, "avx512, spread", 2, |tasks| {
        spread::run::<2>(kernels, tasks)
    });
}

#[test]
#[cfg(target_arch = "x86_64")]
fn tiles() {
    let tiles = match super::amx::TileEngine::new() {
        Ok(tiles) => tiles,
        Err(missing) => {
            println!("SKIPPED: {missing}");
            return;
        }
    };
    let Some(kernels) = super::avx512::Ifma::detect() else {
        println!("SKIPPED: this processor has no AVX-512 IFMA");
        return;
    };
    let engine = Engine::new(Backend::Amx).unwrap();
    for width in [32, 64] {
        let (on_tiles, elsewhere) = (Cell::new(0), Cell::new(0));
        check(&engine, "amx", width, |tasks| {
            let results = tiles.run(tasks);
            let count = if results.is_some() {
                &on_tiles
            } else {
                &elsewhere
            };
            count.set(count.get() + 1);
            results.unwrap_or_else(|| super::run_on_ifma(kernels, tasks))
        });
        // Some of these moduli share a prime with a base.
        assert!(
            on_tiles.get() > 4 * elsewhere.get(),
            "{on_tiles:?} {elsewhere:?}"
        );
    }
}
