//! The code of formulas that is compiled for primes of curves, beside integers.
#![cfg(target_arch = "x86_64")]

use sunzi_engine::testing::code_of_formulas;

fn check(operands: usize) {
    for reason in code_of_formulas(operands) {
        println!("SKIPPED: {reason}");
    }
}

#[test]
fn extreme_and_random_numbers() {
    check(1000);
}

#[test]
#[ignore = "takes minutes: a million numbers for each formula, of which a part is in every run"]
fn a_million_numbers() {
    check(1_000_000);
}
