//! Redundant residues find a wrong one and put it right.
//!
//! `cargo run --example correct_a_residue`

use crypto_bigint::BoxedUint;
use std::error::Error;
use sunzi_rns::redundancy::RedundantBase;
use sunzi_rns::{Base, Residues};

fn main() -> Result<(), Box<dyn Error>> {
    // Four moduli hold the number, and two more, which are larger, are redundant.
    let base = Base::new(&[229, 233, 239, 241, 251, 256])?;
    let code = RedundantBase::new(&base, 2)?;
    println!(
        "{} wrong residues are detected, {} corrected, of numbers below {}",
        code.detectable(),
        code.correctable(),
        code.range()
    );
    let number = BoxedUint::from(1_234_567u64);
    let mut values = code.encode(&number)?.values().to_vec();
    values[2] ^= 1 << 4;
    let damaged = Residues::new(&base, values)?;
    assert!(!code.is_legitimate(&damaged));
    let corrected = code.correct_vartime(&damaged)?;
    println!("after a flipped bit: {corrected:?}");
    Ok(())
}
