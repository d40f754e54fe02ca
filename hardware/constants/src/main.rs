//! Writes the data that the cores in `hardware/` take from the libraries: tables as `SystemVerilog` headers,
//! and golden vectors as JSON.
//!
//! ```text
//! sunzi-hardware-constants                       writes hardware/generated
//! sunzi-hardware-constants --check               fails if a file there differs from what it would write
//! sunzi-hardware-constants --random cube 9 DIR   writes vectors of the family `cube`, with 9 random
//!                                                operands for each set of parameters, into DIR
//! ```
//!
//! A core's tables and vectors come from one module, which is listed in [`CORES`].

use std::path::{Path, PathBuf};
use std::process::ExitCode;

mod cox_rower;
mod cube;
mod curve;
mod files;
mod fold;
mod instruction;
mod inverter;
mod json;
mod microprogram;
mod operation;
mod random;
mod schedule;
mod sum_of_residues;
mod systemverilog;

use files::File;
use random::Random;

/// The generated data of one family of cores.
struct Core {
    /// The name of its folder in `hardware/generated`.
    name: &'static str,
    /// Tables and small vectors, which are kept in `hardware/generated`.
    files: fn() -> Vec<File>,
    /// Vectors with this number of random operands for each set of parameters.
    random_vectors: fn(usize, &mut Random) -> Vec<File>,
}

/// All families of cores.
const CORES: [Core; 5] = [
    Core {
        name: "sum_of_residues",
        files: sum_of_residues::files,
        random_vectors: sum_of_residues::random_vectors,
    },
    Core {
        name: "cube",
        files: cube::files,
        random_vectors: cube::random_vectors,
    },
    Core {
        name: "cox_rower",
        files: cox_rower::files,
        random_vectors: cox_rower::random_vectors,
    },
    Core {
        name: "inverter",
        files: inverter::files,
        random_vectors: inverter::random_vectors,
    },
    Core {
        name: "curve",
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
        ["--random", name, count, directory] => random_vectors(name, count)
            .and_then(|vectors| files::write(&PathBuf::from(directory), vectors)),
        _ => Err("arguments: none, or --check, or --random FAMILY COUNT DIRECTORY".into()),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("{message}");
            ExitCode::FAILURE
        }
    }
}

/// Vectors of the family with this name.
fn random_vectors(name: &str, count: &str) -> Result<Vec<File>, String> {
    let core = CORES.iter().find(|core| core.name == name);
    let core = core.ok_or_else(|| format!("{name} is not a family of cores"))?;
    let count = count
        .parse()
        .map_err(|_| format!("{count} is not a number of operands"))?;
    Ok((core.random_vectors)(count, &mut Random::new()))
}
