//! A power modulo 2^255 - 19 in residues: Montgomery products with Kawamura's base extension.
//!
//! `cargo run --example power`

use crypto_bigint::{BoxedUint, CheckedSub};
use std::error::Error;
use sunzi_field::Montgomery;
use sunzi_field::montgomery::bases;
use sunzi_rns::{Counting, Plain};

fn main() -> Result<(), Box<dyn Error>> {
    let two = BoxedUint::from(2u64);
    let p = BoxedUint::one_with_precision(256)
        .shl_vartime(255)
        .and_then(|power| power.checked_sub(&BoxedUint::from(19u64)).into_option())
        .ok_or("2^255 - 19 fits in 256 bits")?;
    // Two bases of 22-bit moduli, in rows of four columns.
    let (a, b) = bases(&p, 22, 4)?;
    let field = Montgomery::kawamura(&p, &a, &b)?;
    println!("{} and {} moduli", a.len(), b.len());

    let exponent = BoxedUint::from(1_000_003u64);
    let x = field.element(&Plain, &two);
    let power = field.to_uint(&Plain, &field.pow(&Plain, &x, &exponent));
    println!("2^1000003 mod (2^255 - 19) = {power:x}");

    // The same product with a channel that counts its operations.
    let counting = Counting::default();
    let _ = field.mul(&counting, &x, &x);
    println!("a product: {:?}", counting.counts());
    Ok(())
}
