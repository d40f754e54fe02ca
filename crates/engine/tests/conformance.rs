//! Conformance of every device, in every layout, with the reference device.

use sunzi_engine::testing::{Effort, Report, conformance};
use sunzi_engine::{Backend, EngineError};

/// Every layout of every device, as a backend that forces it.
const LAYOUTS: [&str; 12] = [
    "portable:lanes4",
    "portable:lanes8",
    "portable:lanes32",
    "avx512:lanes16",
    "avx512:spread1",
    "avx512:spread2",
    "radix52:lanes8",
    "float:lanes8",
    "float:lanes16",
    "float:lanes32",
    "amx:tiles32",
    "amx:tiles64",
];

/// The backend that forces the layout, if the processor has its instructions or they are emulated.
fn present(text: &str) -> Option<Backend> {
    sunzi_engine::testing::emulate_tiles(sunzi_tile_emulator::install);
    let backend: Backend = text.parse().unwrap();
    match backend.check() {
        Ok(()) => Some(backend),
        Err(error @ EngineError::BackendUnavailable { .. }) => {
            println!("SKIPPED: {error}");
            None
        }
        Err(error) => panic!("{error}"),
    }
}

/// Runs the conformance suite in a layout, if it is present.
fn run(text: &str, effort: &Effort) -> Option<Report> {
    let backend = present(text)?;
    let report = conformance(backend, effort).unwrap_or_else(|error| panic!("{error}"));
    println!("{text}: {report:?}");
    Some(report)
}

/// Every operation, the real programs, and about a thousand random programs over all layouts.
#[test]
fn every_layout_conforms() {
    let mut random_programs = 0;
    for (seed, layout) in (1..).zip(LAYOUTS) {
        let is_tiles = layout.contains("tiles");
        let effort = Effort {
            sizes: if is_tiles {
                vec![320, 512, 576]
            } else {
                vec![64, 128, 192, 320, 512, 576, 1024, 1088]
            },
            random_programs: if is_tiles { 40 } else { 180 },
            exponent_bits: if is_tiles { 40 } else { 160 },
            seed,
        };
        if let Some(report) = run(layout, &effort) {
            random_programs += effort.random_programs;
            assert!(report.programs > effort.random_programs + 20, "{report:?}");
        }
    }
    println!("{random_programs} random programs");
}

/// A few programs of each larger size, in every layout.
#[test]
fn large_sizes_conform() {
    for (seed, layout) in (100..).zip(LAYOUTS) {
        let is_tiles = layout.contains("tiles");
        let effort = Effort {
            sizes: if is_tiles {
                vec![1024, 2048]
            } else {
                vec![1536, 2048, 3072, 4096]
            },
            random_programs: 4,
            exponent_bits: if is_tiles { 8 } else { 40 },
            seed,
        };
        run(layout, &effort);
    }
}

/// Moduli of 8192 and 16384 bits in lanes and spread, and the largest sizes on tiles.
#[test]
#[ignore = "takes some minutes"]
fn the_largest_sizes_conform() {
    for (seed, layout) in (200..).zip(LAYOUTS) {
        let is_tiles = layout.contains("tiles");
        let effort = Effort {
            sizes: if is_tiles {
                vec![2560, 4096]
            } else {
                vec![8192, 16_384]
            },
            random_programs: 6,
            exponent_bits: if is_tiles { 8 } else { 32 },
            seed,
        };
        run(layout, &effort);
    }
}

/// All sizes up to 1024 bits, and many more random programs.
#[test]
#[ignore = "takes some minutes"]
fn many_random_programs_conform() {
    for (seed, layout) in (300..).zip(LAYOUTS) {
        let is_tiles = layout.contains("tiles");
        let effort = Effort {
            sizes: (1..=16).map(|words| 64 * words).collect(),
            random_programs: if is_tiles { 200 } else { 1000 },
            exponent_bits: if is_tiles { 10 } else { 64 },
            seed,
        };
        run(layout, &effort);
    }
}

#[test]
#[ignore]
fn tmp_float() {
    for layout in ["float:lanes8", "float:lanes16", "float:lanes32"] {
        let effort = Effort {
            sizes: vec![64, 128, 192, 320, 512, 1024, 2048],
            random_programs: 40,
            exponent_bits: 60,
            seed: 5,
        };
        run(layout, &effort);
    }
}
