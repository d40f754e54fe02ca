//! Measures the operations in residues, and a library's operations on integers in the same run: GMP's
//! with the feature `gmp`, and else those of `num-bigint`.
//!
//! ```text
//! cargo run --release -p sunzi-bench-rns --features gmp [-- --json] [--quick]
//! ```
//!
//! `--json` prints one line of JSON for each row. `--quick` measures three sizes of the paper's
//! table instead of nineteen, with fewer repetitions.

mod paper_table;
mod products;
mod report;

use std::error::Error;
use std::process::ExitCode;

use report::Report;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    if let Some(unknown) = arguments
        .iter()
        .find(|a| !["--json", "--quick"].contains(&a.as_str()))
    {
        eprintln!("unknown argument {unknown}: --json and --quick are known");
        return ExitCode::from(2);
    }
    let is_given = |flag: &str| arguments.iter().any(|argument| argument == flag);
    match run(is_given("--json"), is_given("--quick")) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}

fn run(json: bool, quick: bool) -> Result<(), Box<dyn Error>> {
    let mut report = Report::new(json, if quick { 5 } else { 31 })?;
    products::measure(&mut report)?;
    for n in paper_table::sizes() {
        if !quick || [15, 75, 285].contains(&n) {
            paper_table::measure(n, &mut report)?;
        }
    }
    Ok(())
}
