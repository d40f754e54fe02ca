//! Writes what the cores in `hardware/` take from the libraries: tables as `SystemVerilog` headers,
//! and golden vectors as JSON.
//!
//! ```text
//! sunzi-hardware-constants                     writes hardware/generated
//! sunzi-hardware-constants --check             fails if a file there differs from what it would write
//! sunzi-hardware-constants --random 1000 DIR   writes vectors with 1000 random operands into DIR
//! ```
//!
//! A core's tables and vectors come from one module, which is listed in [`CORES`].

use std::path::{Path, PathBuf};
use std::process::ExitCode;

mod cox_rower;
mod cube;
mod curve;
mod files;
mod inverter;
mod json;
mod random;
mod sum_of_residues;
mod systemverilog;

use files::File;
use random::Random;

/// What one family of cores needs.
struct Core {
    /// Tables and small vectors, which are kept in `hardware/generated`.
    files: fn() -> Vec<File>,
    /// Vectors with this number of random operands for each set of parameters.
    random_vectors: fn(usize, &mut Random) -> Vec<File>,
}

/// All families of cores.
const CORES: [Core; 5] = [
    Core {
        files: sum_of_residues::files,
        random_vectors: sum_of_residues::random_vectors,
    },
    Core {
        files: cube::files,
        random_vectors: cube::random_vectors,
    },
    Core {
        files: cox_rower::files,
        random_vectors: cox_rower::random_vectors,
    },
    Core {
        files: inverter::files,
        random_vectors: inverter::random_vectors,
    },
    Core {
        files: curve::files,
        random_vectors: curve::random_vectors,
    },
];

fn main() -> ExitCode {
    let generated = Path::new(env!("CARGO_MANIFEST_DIR")).join("../generated");
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let files = || CORES.iter().flat_map(|core| (core.files)()).collect();
    let result = match arguments[..] {
        [] => files::write(&generated, files()),
        ["--check"] => files::check(&generated, files()),
        ["--random", count, directory] => match count.parse() {
            Ok(count) => {
                let mut random = Random::new();
                let vectors = CORES
                    .iter()
                    .flat_map(|core| (core.random_vectors)(count, &mut random));
                files::write(&PathBuf::from(directory), vectors.collect())
            }
            Err(_) => Err(format!("{count} is not a number of operands")),
        },
        _ => Err("arguments: none, or --check, or --random COUNT DIRECTORY".into()),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("{message}");
            ExitCode::FAILURE
        }
    }
}
