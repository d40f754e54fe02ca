//! An inverse by the binary-ternary plus-minus algorithm, in residues of one base.
//!
//! `cargo run --example inverse`

use crypto_bigint::BoxedUint;
use std::collections::BTreeSet;
use std::error::Error;
use sunzi_field::BinaryTernaryInversion;
use sunzi_rns::{Base, Counting};

fn main() -> Result<(), Box<dyn Error>> {
    let p = BoxedUint::from(1_000_003u64);
    let x = BoxedUint::from(123_456u64);
    // Moduli coprime to 2 and 3, whose product is well above P.
    let base = Base::descending_primes(16, 4, &BTreeSet::new())?;
    let inversion = BinaryTernaryInversion::new(&base, &p)?;
    let counting = Counting::default();
    let inverse = inversion.invert_uint_vartime(&counting, &x)?;
    println!("{x}^-1 mod {p} = {inverse}");
    println!("{:?}", counting.counts());
    let product = (u64::from_str_radix(&format!("{inverse}"), 16)? * 123_456) % 1_000_003;
    assert_eq!(product, 1);
    Ok(())
}
