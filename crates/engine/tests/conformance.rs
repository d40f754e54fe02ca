//! Conformance of every device, in every layout, with the reference device.

use rayon::prelude::*;
use sunzi_engine::Backend;
#[cfg(all(target_os = "linux", target_pointer_width = "64"))]
use sunzi_engine::testing::{CardError, OnCard, conformance_of_card};
use sunzi_engine::testing::{Effort, Report, conformance, layouts, small_layouts};

/// Every layout that can run here, with the effort for it; layouts that cannot are printed.
fn every_layout(first_seed: u64, effort: impl Fn(u64) -> Effort + Sync) -> Vec<(Effort, Report)> {
    let (layouts, missing) = layouts();
    for reason in missing {
        println!("SKIPPED: {reason}");
    }
    let run = |(seed, backend): (u64, Backend)| {
        let effort = effort(seed);
        let report = conformance(backend, &effort).unwrap_or_else(|error| panic!("{error}"));
        println!("{backend}: {report:?}");
        (effort, report)
    };
    let seeded: Vec<_> = (first_seed..).zip(layouts).collect();
    seeded.into_par_iter().map(run).collect()
}

/// Every operation, the real programs, and far more than a thousand random programs in all.
#[test]
fn every_layout_conforms() {
    let reports = every_layout(1, |seed| Effort {
        sizes: vec![64, 128, 192, 256, 320, 512, 576, 1024, 1088],
        random_programs: 120,
        exponent_bits: 160,
        seed,
    });
    for (effort, report) in &reports {
        assert!(report.programs > effort.random_programs + 20, "{report:?}");
    }
    let random: usize = reports
        .iter()
        .map(|(effort, _)| effort.random_programs)
        .sum();
    println!("{random} random programs");
}

/// The layouts that only small sizes have, and sizes for which numbers are folded, with many random
/// programs.
#[test]
fn small_layouts_conform() {
    let mut backends = small_layouts();
    let folding = ["radix52", "fused52"];
    backends.extend(
        layouts()
            .0
            .into_iter()
            .filter(|b| folding.contains(&b.name())),
    );
    if backends.is_empty() {
        println!("SKIPPED: no device here has layouts of its own for small sizes");
    }
    for backend in backends {
        let effort = Effort {
            sizes: vec![64, 192, 256, 384, 576],
            random_programs: 400,
            exponent_bits: 160,
            seed: 300,
        };
        let report = conformance(backend, &effort).unwrap_or_else(|error| panic!("{error}"));
        println!("{backend}: {report:?}");
    }
}

/// A device for cards: numbers in one thread each and in several, primes of special forms; or residues.
#[cfg(all(target_os = "linux", target_pointer_width = "64"))]
fn card_conforms(numbers: OnCard, is_emulated: bool, effort: &Effort) {
    match conformance_of_card(numbers, is_emulated, effort) {
        Ok(report) => println!("{numbers:?} on a card (emulated: {is_emulated}): {report:?}"),
        Err(CardError::Missing(reason)) => println!("SKIPPED: no card: {reason}"),
        Err(CardError::Differs(difference)) => panic!("{difference}"),
    }
}

#[test]
#[cfg(all(target_os = "linux", target_pointer_width = "64"))]
fn an_emulated_card_conforms() {
    let effort = Effort {
        sizes: vec![64, 192, 256, 320, 576, 1024, 1088, 2048],
        random_programs: 80,
        exponent_bits: 24,
        seed: 400,
    };
    card_conforms(OnCard::Limbs, true, &effort);
}

#[test]
#[cfg(all(target_os = "linux", target_pointer_width = "64"))]
fn emulated_matrix_units_conform() {
    let effort = Effort {
        sizes: vec![1024],
        random_programs: 30,
        exponent_bits: 24,
        seed: 600,
    };
    card_conforms(OnCard::Residues, true, &effort);
}

#[test]
#[ignore = "takes some minutes"]
#[cfg(all(target_os = "linux", target_pointer_width = "64"))]
fn emulated_matrix_units_conform_at_every_size() {
    let effort = Effort {
        sizes: vec![1024, 1152, 1536, 2048, 3072, 4096],
        random_programs: 60,
        exponent_bits: 24,
        seed: 700,
    };
    card_conforms(OnCard::Residues, true, &effort);
}

#[test]
#[cfg(all(target_os = "linux", target_pointer_width = "64"))]
fn a_card_conforms() {
    let effort = Effort {
        sizes: vec![
            64, 128, 256, 384, 576, 1024, 1088, 1536, 2048, 3072, 4096, 8192,
        ],
        random_programs: 120,
        exponent_bits: 40,
        seed: 500,
    };
    card_conforms(OnCard::Limbs, false, &effort);
}

#[test]
#[cfg(all(target_os = "linux", target_pointer_width = "64"))]
fn matrix_units_conform() {
    let effort = Effort {
        sizes: vec![1024, 1152, 1536, 2048, 3072, 4096],
        random_programs: 60,
        exponent_bits: 40,
        seed: 800,
    };
    card_conforms(OnCard::Residues, false, &effort);
}

/// A few programs of larger sizes, in every layout.
#[test]
fn large_sizes_conform() {
    every_layout(100, |seed| Effort {
        sizes: vec![1536, 4096],
        random_programs: 4,
        exponent_bits: 24,
        seed,
    });
}

/// The other large sizes, in every layout.
#[test]
#[ignore = "takes some minutes"]
fn the_largest_sizes_conform() {
    every_layout(200, |seed| Effort {
        sizes: vec![2048, 3072, 8192, 16_384],
        random_programs: 6,
        exponent_bits: 32,
        seed,
    });
}

/// All sizes up to 1024 bits, and many more random programs.
#[test]
#[ignore = "takes some minutes"]
fn many_random_programs_conform() {
    every_layout(300, |seed| Effort {
        sizes: (1..=16).map(|words| 64 * words).collect(),
        random_programs: 1000,
        exponent_bits: 64,
        seed,
    });
}
